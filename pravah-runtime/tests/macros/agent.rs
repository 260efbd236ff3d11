//! `#[agent]`, on functions and on structs: prompts and preambles.

use std::fmt;

use pravah_runtime::prelude::*;
use serde_json::json;

use crate::macros_support::{Recorder, output};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    text: String,
}

fn answers(node: &str) -> Recorder {
    Recorder::new(ScriptedModel::new().reply(node, json!({ "text": "yes" })))
}

async fn ask<F: Flow<Output = Answer>>(input: F, model: &Recorder) -> Answer {
    let run = FlowRuntime::new(input).unwrap();
    output(
        run.with_factory(model.factory())
            .run(Context::default())
            .await,
    )
}

mod prompts {
    use super::*;

    #[state]
    #[derive(Clone)]
    struct Owned {
        text: String,
    }

    /// Answers in one word.
    ///
    /// Never in two.
    #[agent(model = "openai://gpt-4o-mini", output = Answer)]
    fn owner(owned: Owned) -> String {
        owned.text
    }

    #[flow]
    fn owned(input: Owned) -> Answer {
        flow! { owner }
    }

    #[tokio::test]
    async fn the_function_writes_the_prompt_and_the_doc_comment_is_the_preamble() {
        let model = answers("owner");
        let answer = ask(
            Owned {
                text: "really?".into(),
            },
            &model,
        )
        .await;
        assert_eq!(answer.text, "yes");
        assert_eq!(model.prompt(), "really?");
        assert_eq!(
            model.asked()[0].system,
            "Answers in one word.\n\nNever in two."
        );
        assert_eq!(model.asked()[0].model, "gpt-4o-mini");
    }

    // S1.15
    #[tokio::test]
    async fn an_agent_without_tools_is_asked_for_its_output() {
        let model = answers("owner");
        ask(
            Owned {
                text: "really?".into(),
            },
            &model,
        )
        .await;
        let asked = model.asked();
        assert!(asked[0].tools.is_empty());
        let output = asked[0].output.as_ref().unwrap();
        assert_eq!(output.name, "Answer");
        assert_eq!(output.schema["required"], json!(["text"]));
    }

    #[test]
    fn an_agent_stays_a_function() {
        assert_eq!(owner(Owned { text: "a".into() }), "a");
    }
}

mod fallible {
    use super::*;

    #[state]
    struct Input {
        text: String,
    }

    #[derive(Debug)]
    struct Empty;

    impl fmt::Display for Empty {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("nothing to ask")
        }
    }

    impl std::error::Error for Empty {}

    #[agent(model = "openai://m", preamble = "Hello.", output = Answer)]
    fn writer(input: &Input, ctx: Context) -> Result<String, Empty> {
        let again = ctx.input::<Input>().map_err(|_| Empty)?;
        match input.text.is_empty() {
            true => Err(Empty),
            false => Ok(format!("{} {}", input.text, again.text)),
        }
    }

    #[flow]
    fn asking(input: Input) -> Answer {
        flow! { writer }
    }

    #[tokio::test]
    async fn a_prompt_may_take_the_context_and_fail() {
        let model = answers("writer");
        ask(Input { text: "a".into() }, &model).await;
        assert_eq!(model.prompt(), "a a");
        assert_eq!(model.asked()[0].system, "Hello.");

        let run = FlowRuntime::new(Input {
            text: String::new(),
        })
        .unwrap();
        let error = run
            .with_factory(model.factory())
            .run(Context::default())
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), "node `writer` failed: nothing to ask");
    }
}

mod join {
    use super::*;

    #[state]
    struct Input {
        n: u32,
    }

    #[state]
    struct One {
        n: u32,
    }

    #[state]
    struct Two {
        n: u32,
    }

    #[node]
    fn split(input: Input) -> (One, Two) {
        (One { n: input.n }, Two { n: input.n + 1 })
    }

    #[agent(model = "openai://m", preamble = "", output = Answer)]
    fn joiner(two: Two, one: &One) -> String {
        format!("{} and {}", one.n, two.n)
    }

    #[flow]
    fn joining(input: Input) -> Answer {
        flow! { split -> fork(join(joiner), join(joiner)) }
    }

    #[tokio::test]
    async fn an_agent_may_join() {
        let model = answers("joiner");
        ask(Input { n: 1 }, &model).await;
        assert_eq!(model.prompt(), "1 and 2");
    }
}

mod merge {
    use super::*;

    #[state]
    struct Input {
        left: bool,
    }

    #[state]
    struct One {
        n: u32,
    }

    #[state]
    struct Two {
        n: u32,
    }

    #[node]
    fn choose(input: Input) -> Either<One, Two> {
        match input.left {
            true => Either::Left(One { n: 1 }),
            false => Either::Right(Two { n: 2 }),
        }
    }

    #[agent(model = "openai://m", preamble = "", output = Answer)]
    fn merger(either: &Either<One, Two>) -> String {
        match either {
            Either::Left(one) => format!("one {}", one.n),
            Either::Right(two) => format!("two {}", two.n),
        }
    }

    #[flow]
    fn merging(input: Input) -> Answer {
        flow! { choose -> either(join(merger), join(merger)) }
    }

    #[tokio::test]
    async fn an_agent_may_merge() {
        for (left, prompt) in [(true, "one 1"), (false, "two 2")] {
            let model = answers("merger");
            ask(Input { left }, &model).await;
            assert_eq!(model.prompt(), prompt);
        }
    }
}

mod structs {
    use super::*;

    #[agent(model = "openai://m", preamble = "You brief.", output = Answer)]
    #[derive(Clone, Debug, PartialEq)]
    struct Brief {
        topic: String,
    }

    /// Summarises.
    #[agent(model = "openai://m", output = Answer)]
    #[serde(rename = "ToSum")]
    struct Summary {
        parts: Vec<String>,
    }

    #[state]
    struct Input {
        topic: String,
    }

    #[node]
    fn brief(input: Input) -> Brief {
        Brief { topic: input.topic }
    }

    #[node]
    fn parts(input: Answer) -> Summary {
        Summary {
            parts: vec![input.text],
        }
    }

    #[state]
    struct Done {
        text: String,
    }

    #[node]
    fn last(answer: Answer) -> Done {
        Done { text: answer.text }
    }

    #[flow]
    fn briefing(input: Input) -> Done {
        flow! { brief -> Brief -> last }
    }

    // S1.6
    #[tokio::test]
    async fn a_struct_is_its_own_prompt() {
        let model = answers("Brief");
        let run = FlowRuntime::new(Input {
            topic: "rain".into(),
        })
        .unwrap();
        let mut run = run.with_factory(model.factory());
        assert_eq!(output(run.run(Context::default()).await).text, "yes");
        assert_eq!(model.prompt(), r#"{"topic":"rain"}"#);
        assert_eq!(model.asked()[0].system, "You brief.");
        assert_eq!(<Brief as Agent>::node_id(), "Brief");
    }

    #[flow]
    fn summing(summary: Summary) -> Answer {
        flow! { Summary }
    }

    #[tokio::test]
    async fn a_flow_may_start_with_a_struct_that_is_an_agent() {
        let model = Recorder::new(ScriptedModel::new().reply("Summary", json!({ "text": "yes" })));
        let summary = Summary {
            parts: vec!["a".into()],
        };
        assert_eq!(Summary::NAME, "ToSum");
        assert_eq!(ask(summary, &model).await.text, "yes");
        assert_eq!(model.asked()[0].system, "Summarises.");
    }

    #[test]
    fn a_struct_may_become_another_agent() {
        assert_eq!(parts(Answer { text: "a".into() }).parts, ["a"]);
    }
}

mod last_step {
    use super::*;

    #[state]
    struct Question {
        text: String,
    }
    #[state]
    #[derive(Debug)]
    struct Reply {
        n: u32,
    }

    #[agent(model = "openai://m", preamble = "You count.", output = Reply)]
    fn count(question: &Question) -> String {
        question.text.clone()
    }

    #[flow]
    fn story(question: Question) -> Reply {
        flow! { count }
    }

    #[tokio::test]
    async fn is_a_model_call_also_where_the_answer_did_not_fit() {
        let script = ScriptedModel::new().text("count", "no JSON");
        let mut run = FlowRuntime::new(Question {
            text: "One?".into(),
        })
        .unwrap()
        .with_factory(ClientFactory::new().with_scripted(script));
        run.next(Context::default()).await.unwrap();
        assert_eq!(
            run.last_step().unwrap().kind,
            pravah_runtime::StepKind::ModelCall
        );
    }
}
