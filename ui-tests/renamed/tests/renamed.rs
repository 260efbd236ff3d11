//! Every attribute finds the runtime under the name that a crate has given it, and where `crate = …` says.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::convert::Infallible;

use flows::{ClientFactory, ScriptedModel, prelude::*};
use serde_json::json;

mod kit {
    pub(crate) use flows as pravah;
}

/// Under another name.
mod renamed {
    use super::*;

    #[state]
    struct Mail {
        text: String,
    }

    #[state(manual(Clone))]
    struct Bill {
        text: String,
    }

    #[state]
    #[serde(transparent)]
    struct Spam(String);

    #[state]
    pub(super) struct Filed {
        pub(super) folder: String,
    }

    #[choice]
    enum Sorted {
        Bill(Bill),
        Spam(Spam),
    }

    /// Looks something up.
    #[tool(read_only, approve = false)]
    async fn look_up(#[cfg(not(test))] secret: u32, key: u32) -> Result<u32, Infallible> {
        Ok(key)
    }

    /// You read mail.
    #[agent(model = "openai://m", output = Spam, tools = [look_up], max_turns = { 2 + 1 })]
    fn read(bill: &Bill) -> String {
        bill.text.clone()
    }

    #[node]
    fn sort(mail: Mail) -> Sorted {
        match mail.text.len() {
            0 => Sorted::Spam(Spam(mail.text)),
            _ => Sorted::Bill(Bill { text: mail.text }),
        }
    }

    #[node]
    async fn file(spam: &Spam, #[cfg(not(test))] bill: Bill) -> Filed {
        Filed {
            folder: spam.0.clone(),
        }
    }

    #[node]
    fn rescue(failure: &Failure<Bill>) -> Filed {
        Filed {
            folder: failure.message.clone(),
        }
    }

    #[flow]
    fn post(mail: Mail) -> Filed {
        flow! { sort -> either(read, file); read -> file; catch(read) -> rescue }
    }

    #[tokio::test]
    async fn the_runtime_may_have_another_name() {
        let script = ScriptedModel::new()
            .call("read", "look_up", json!({ "key": 7 }))
            .call("read", "submit", json!("junk"));
        let mut run = FlowRuntime::new(Mail { text: "?".into() })
            .unwrap()
            .with_factory(ClientFactory::new().with_scripted(script));
        let RunOut::Done(filed) = run.run(Context::default()).await.unwrap() else {
            panic!("it needs nobody")
        };
        assert_eq!(filed.folder, "junk");
        let mail = Mail {
            text: String::new(),
        };
        assert_eq!(post(mail, Context::default()).await.unwrap().folder, "");
        assert_eq!(post::TOPOLOGY.nodes.len(), 4);
    }
}

/// Under another name that is said.
mod by_name {
    use super::*;

    #[state(crate = flows)]
    struct Number {
        value: u32,
    }

    #[state(crate = ::flows)]
    struct Sum {
        value: u32,
    }

    #[node(crate = flows)]
    fn add(number: Number, #[cfg(not(test))] other: Number) -> Sum {
        Sum {
            value: number.value + 1,
        }
    }

    #[flow(crate = flows)]
    fn count(number: Number) -> Sum {
        flow! { add }
    }

    #[tokio::test]
    async fn the_name_of_the_runtime_may_be_said() {
        let sum = count(Number { value: 1 }, Context::default()).await;
        assert_eq!(sum.unwrap().value, 2);
    }
}

/// Behind a re-export.
mod by_path {
    use super::*;

    #[state(crate = crate::kit::pravah)]
    struct Draft {
        words: Vec<String>,
    }

    #[state(crate = crate::kit::pravah)]
    struct Word {
        text: String,
    }

    #[state(crate = crate::kit::pravah)]
    struct Shouted {
        text: String,
    }

    #[state(crate = super::kit::pravah)]
    struct Text {
        text: String,
    }

    #[state(crate = crate::kit::pravah)]
    struct Printed {
        text: String,
    }

    #[node(crate = crate::kit::pravah)]
    fn split(draft: Draft) -> Each<Word> {
        let words = draft.words.into_iter();
        words.map(|text| Word { text }).collect()
    }

    #[node(crate = crate::kit::pravah)]
    fn shout(word: Word) -> Shouted {
        Shouted {
            text: word.text + "!",
        }
    }

    #[node(crate = super::kit::pravah)]
    fn join(words: &Each<Shouted>) -> Text {
        Text {
            text: words.iter().map(|word| &*word.text).collect(),
        }
    }

    #[flow(crate = crate::kit::pravah, named)]
    fn write(draft: Draft) -> Text {
        flow! { split -> each(shout) -> self::join }
    }

    #[gate(crate = crate::kit::pravah, prompt = "Print it?")]
    fn approve(text: Text, answer: bool) -> Printed {
        assert!(answer);
        Printed { text: text.text }
    }

    #[flow(crate = crate::kit::pravah)]
    impl Flow for Draft {
        type Output = Printed;

        fn build() -> Result<FlowGraph, FlowError> {
            flow! { write -> approve }
        }
    }

    #[tokio::test]
    async fn the_runtime_may_stand_behind_a_re_export() {
        let draft = Draft {
            words: vec!["a".into(), "b".into()],
        };
        let mut run = FlowRuntime::new(draft).unwrap();
        let ctx = Context::default();
        let RunOut::Suspend { tool_id, .. } = run.run(ctx.clone()).await.unwrap() else {
            panic!("it asks")
        };
        let RunOut::Done(printed) = run.resume(ctx, (tool_id, true)).await.unwrap() else {
            panic!("it is done")
        };
        assert_eq!(printed.text, "a!b!");
    }

    /// You judge.
    #[agent(
        crate = crate::kit::pravah,
        model = "openai://m",
        output = Text,
        contract(suppress_below = 0.25 + 0.25, budget = "8s"),
        max_visits = { 1 + 1 },
    )]
    struct Question {
        text: String,
        again: bool,
    }

    #[node(crate = crate::kit::pravah)]
    fn ask_again(failure: &Failure<Question>) -> Question {
        let Question { text, again } = failure.input.clone();
        Question {
            text,
            again: !again,
        }
    }

    #[flow(crate = crate::kit::pravah)]
    fn judge(question: Question) -> Text {
        flow! { Question; catch(Question) -> ask_again -> Question }
    }

    #[test]
    fn an_agent_may_be_a_struct() {
        let question = Question {
            text: "?".into(),
            again: false,
        };
        assert!(FlowRuntime::new(question).is_ok());
    }
}
