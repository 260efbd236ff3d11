//! `#[gate]`: what is asked, and what becomes of the answer.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use pravah_runtime::prelude::*;
use serde_json::json;

use crate::macros_support::{output, restart, suspended};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Text {
    text: String,
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Published {
    text: String,
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Rejected {
    why: String,
}

#[state]
struct Decision {
    /// Whether it may go out.
    publish: bool,
    #[serde(default)]
    why: String,
}

/// Counts the runs of a body.
#[derive(Clone, Default)]
struct Runs(Arc<AtomicUsize>);

impl Runs {
    fn ctx(&self) -> Context {
        Context::default().with_dep(self.clone())
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

mod choice {
    use super::*;

    #[state]
    #[derive(Clone)]
    struct Draft {
        text: String,
    }

    #[gate(prompt = "Publish this draft?")]
    fn approve(
        draft: &Draft,
        answer: Decision,
        ctx: Context,
    ) -> Result<Either<Published, Rejected>, Box<dyn Error + Send + Sync>> {
        let runs = ctx.dep::<Runs>()?;
        runs.0.fetch_add(1, Ordering::SeqCst);
        if answer.why == "fail" && runs.get() == 1 {
            return Err("the printer is on fire".into());
        }
        Ok(if answer.publish {
            Either::Left(Published {
                text: draft.text.clone(),
            })
        } else {
            Either::Right(Rejected { why: answer.why })
        })
    }

    #[node]
    fn say(outcome: Either<Published, Rejected>) -> Text {
        Text {
            text: match outcome {
                Either::Left(published) => published.text,
                Either::Right(rejected) => format!("no: {}", rejected.why),
            },
        }
    }

    #[flow]
    fn publish(draft: Draft) -> Text {
        flow! { approve -> either(join(say), join(say)) }
    }

    fn start() -> FlowRuntime<Draft> {
        FlowRuntime::new(Draft {
            text: "a draft".into(),
        })
        .unwrap()
    }

    #[tokio::test]
    async fn a_gate_asks_with_prompt_state_and_schema() {
        let runs = Runs::default();
        let (id, asked) = suspended(start().next(runs.ctx()).await);
        assert_eq!(id, "approve");
        assert_eq!(asked["prompt"], "Publish this draft?");
        assert_eq!(asked["state"], json!({ "text": "a draft" }));
        let publish = &asked["schema"]["properties"]["publish"];
        assert_eq!(publish["description"], "Whether it may go out.");
        assert_eq!(runs.get(), 0);
    }

    #[tokio::test]
    async fn the_answer_leads_one_way() {
        for (answer, text) in [
            (json!({ "publish": true }), "a draft"),
            (json!({ "publish": false, "why": "dull" }), "no: dull"),
        ] {
            let runs = Runs::default();
            let mut run = start();
            let (id, _) = suspended(run.next(runs.ctx()).await);
            let mut run = restart(&run);
            assert_eq!(
                run.resume(runs.ctx(), (id, answer)).await.unwrap(),
                RunOut::Continue
            );
            assert_eq!(output(run.run(runs.ctx()).await).text, text);
            assert_eq!(runs.get(), 1);
        }
    }

    #[tokio::test]
    async fn an_answer_may_be_a_typed_value() {
        let runs = Runs::default();
        let mut run = start();
        let (id, _) = suspended(run.next(runs.ctx()).await);
        let answer = Decision {
            publish: true,
            why: String::new(),
        };
        run.resume(runs.ctx(), (&id, answer)).await.unwrap();
        assert_eq!(output(run.run(runs.ctx()).await).text, "a draft");
    }

    #[tokio::test]
    async fn an_answer_that_does_not_fit_leaves_the_gate_open() {
        let runs = Runs::default();
        let mut run = start();
        let (id, _) = suspended(run.next(runs.ctx()).await);
        let before = serde_json::to_value(run.snapshot()).unwrap();
        let error = run.resume(runs.ctx(), (&id, "yes")).await.unwrap_err();
        assert!(
            matches!(&error, FlowError::ResumePayload { id, .. } if id == "approve"),
            "{error}"
        );
        assert_eq!(serde_json::to_value(run.snapshot()).unwrap(), before);
        assert_eq!(runs.get(), 0);
        run.resume(runs.ctx(), (&id, json!({ "publish": true })))
            .await
            .unwrap();
        assert_eq!(output(run.run(runs.ctx()).await).text, "a draft");
    }

    #[tokio::test]
    async fn the_answer_is_kept_when_the_body_fails() {
        let runs = Runs::default();
        let mut run = start();
        let (id, _) = suspended(run.next(runs.ctx()).await);
        let answer = json!({ "publish": true, "why": "fail" });
        let error = run.resume(runs.ctx(), (id, answer)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "node `approve` failed: the printer is on fire"
        );
        let mut run = restart(&run);
        assert_eq!(output(run.run(runs.ctx()).await).text, "a draft");
        assert_eq!(runs.get(), 2);
    }

    #[tokio::test]
    async fn a_gate_stays_a_function() {
        let runs = Runs::default();
        let draft = Draft { text: "a".into() };
        let answer = Decision {
            publish: true,
            why: String::new(),
        };
        let way = approve(&draft, answer, runs.ctx()).unwrap();
        assert_eq!(way, Either::Left(Published { text: "a".into() }));
    }

    #[tokio::test]
    async fn a_flow_called_as_a_function_hands_out_its_snapshot() {
        let runs = Runs::default();
        let draft = Draft {
            text: "a draft".into(),
        };
        let error = publish(draft, runs.ctx()).await.unwrap_err();
        let FlowError::Suspended {
            tool_id,
            value,
            snapshot,
        } = error
        else {
            panic!("{error}")
        };
        assert_eq!(value["prompt"], "Publish this draft?");
        let mut run = FlowRuntime::<Draft>::from_snapshot(*snapshot).unwrap();
        run.resume(runs.ctx(), (tool_id, json!({ "publish": true })))
            .await
            .unwrap();
        assert_eq!(output(run.run(runs.ctx()).await).text, "a draft");
    }
}

mod names {
    use super::*;

    #[state]
    struct Asked {
        n: u32,
    }

    // The gate has the name of its parameter, and the answer is borrowed.
    #[gate(prompt = "Go on?")]
    async fn answer(asked: Asked, answer: &Option<u32>) -> Text {
        Text {
            text: format!("{} {answer:?}", asked.n),
        }
    }

    #[flow]
    fn ask(asked: Asked) -> Text {
        flow! { answer }
    }

    #[tokio::test]
    async fn an_answer_need_not_be_a_state() {
        let mut run = FlowRuntime::new(Asked { n: 1 }).unwrap();
        let (id, _) = suspended(run.next(Context::default()).await);
        let out = run.resume(Context::default(), (id, 7)).await;
        assert_eq!(output(out).text, "1 Some(7)");
    }
}
