//! Agents in the middle of their conversations.

use std::sync::{Arc, Mutex};

use pravah_runtime::{
    ClientFactory, LoadOptions, ModelClient, ModelFuture, ModelRequest, ScriptedModel, prelude::*,
};
use serde_json::json;

use crate::{refusal, upgraded, upgraded_with};

macro_rules! version {
    ($name:ident, $($agent:tt)+) => {
        mod $name {
            #![allow(dead_code, reason = "no version uses every tool")]

            use pravah_runtime::prelude::*;

            crate::states!(Question, Known, Guess, Closed);

            #[tool]
            /// Asks a person.
            async fn ask(what: String, ctx: Context) -> Result<String, ToolError> {
                ctx.resumed::<String>()?.ok_or_else(|| ToolError::suspend(what))
            }

            #[tool]
            /// Looks something up.
            async fn look(what: String) -> Result<String, ToolError> {
                Ok(what)
            }

            $($agent)+
        }
    };
}

version! { v1,
    #[agent(model = "openai://m", preamble = "You know.", output = Known, tools = [ask, look])]
    fn find(question: Question) -> String {
        format!("question {}", question.n)
    }

    #[node]
    fn close(known: Known) -> Closed {
        Closed { n: known.n }
    }

    #[flow]
    fn desk(question: Question) -> Closed {
        flow! { find -> close }
    }
}

version! { v2,
    #[agent(model = "openai://m", preamble = "You know it all.", output = Known, tools = [ask])]
    fn find_out(question: Question) -> String {
        format!("the question {}", question.n)
    }

    #[node]
    fn close(known: Known) -> Closed {
        Closed { n: 100 + known.n }
    }

    #[flow]
    fn desk(question: Question) -> Closed {
        flow! { find_out -> close }
    }
}

version! { v3,
    #[agent(model = "openai://m", preamble = "You know.", output = Known, tools = [look])]
    fn find(question: Question) -> String {
        format!("question {}", question.n)
    }

    #[node]
    fn close(known: Known) -> Closed {
        Closed { n: 100 + known.n }
    }

    #[flow]
    fn desk(question: Question) -> Closed {
        flow! { find -> close }
    }
}

version! { v4,
    #[agent(model = "openai://m", preamble = "You guess.", output = Guess, tools = [ask, look])]
    fn find(question: Question) -> String {
        format!("question {}", question.n)
    }

    #[node]
    fn close(guess: Guess) -> Closed {
        Closed { n: guess.n }
    }

    #[flow]
    fn desk(question: Question) -> Closed {
        flow! { find -> close }
    }
}

version! { v5,
    #[agent(model = "openai://m", preamble = "You know.", output = Known, tools = [ask, look], contract)]
    fn find(question: Question) -> String {
        format!("question {}", question.n)
    }

    #[node]
    fn close(known: Known) -> Closed {
        Closed { n: known.n }
    }

    #[node]
    fn give_up(failure: Failure<Question>) -> Closed {
        Closed { n: failure.input.n }
    }

    #[flow]
    fn desk(question: Question) -> Closed {
        flow! { find -> close; catch(find) -> give_up }
    }
}

fn factory(tool: &str) -> ClientFactory {
    let script = ScriptedModel::new()
        .call("find", tool, json!({ "what": "x" }))
        .reply("find", json!({ "n": 7 }))
        .reply("find_out", json!({}))
        .reply("find_out", json!({ "n": 9 }))
        .for_several_flows();
    ClientFactory::new().with_scripted(script)
}

/// Notes the instructions that a model is given, and hands the rest to another client.
struct Instructed {
    model: ScriptedModel,
    seen: Arc<Mutex<Vec<String>>>,
}

impl ModelClient for Instructed {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.seen.lock().unwrap().push(request.system.clone());
        self.model.complete(request)
    }

    fn script(&self) -> Option<&ScriptedModel> {
        Some(&self.model)
    }
}

/// A run whose model has asked for a tool.
async fn called(tool: &str) -> FlowRuntime<v1::Question> {
    let mut run = FlowRuntime::new(v1::Question { n: 1 })
        .unwrap()
        .with_factory(factory(tool));
    run.next(Context::default()).await.unwrap();
    run
}

#[tokio::test]
async fn a_conversation_goes_on_and_calls_of_a_removed_tool_get_an_error() {
    let run = called("look").await;
    let before = serde_json::to_value(run.snapshot()).unwrap();
    let mut run = upgraded::<v2::Question, _>(&run).with_factory(factory("look"));
    let out = run.next(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Continue);
    let after = serde_json::to_value(run.snapshot()).unwrap();
    let [before, after] = [before, after].map(|json| json["agents"]["Question"].clone());
    assert_eq!(after["conversation"][0], before["conversation"][0]);
    let answer = after["conversation"][2].to_string();
    assert!(answer.contains("there is no such tool"), "{answer}");
    // The first answer does not fit, the second does.
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(v2::Closed { n: 109 }));
}

#[tokio::test]
async fn a_conversation_goes_on_with_the_new_instructions() {
    let seen = Arc::<Mutex<Vec<String>>>::default();
    // Before the upgrade the agent had the first answer.
    let model = ScriptedModel::new()
        .call("find_out", "ask", json!({ "what": "x" }))
        .reply("find_out", json!({ "n": 9 }));
    let client = Instructed {
        model: model.for_several_flows(),
        seen: Arc::clone(&seen),
    };
    let run = called("look").await;
    let mut run = upgraded::<v2::Question, _>(&run)
        .with_factory(ClientFactory::new().with_client(Arc::new(client)));
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(v2::Closed { n: 109 }));
    let seen = seen.lock().unwrap();
    assert!(!seen.is_empty());
    assert!(
        seen.iter()
            .all(|system| system.starts_with("You know it all.")),
        "{seen:?}"
    );
}

#[tokio::test]
async fn a_question_of_a_tool_that_is_gone_is_refused_or_the_agent_starts_over() {
    let mut run = called("ask").await;
    let out = run.next(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { .. }));
    assert_eq!(
        serde_json::to_value(upgraded::<v2::Question, _>(&run).snapshot()).unwrap()["questions"],
        serde_json::to_value(run.snapshot()).unwrap()["questions"],
    );
    let options = LoadOptions::new().drop_progress();
    let help = "; `LoadOptions::drop_progress` would let it start over";
    assert_eq!(
        refusal::<v3::Question, _>(&run),
        format!("`Question` waits for its tool `ask`, which it does not have{help}")
    );
    let mut again = upgraded_with::<v3::Question, _>(&run, &options)
        .unwrap()
        .with_factory(factory("look"));
    let dropped = &again.load_report().unwrap().dropped;
    let dropped: Vec<_> = dropped.iter().map(|it| &*it.entry).collect();
    assert_eq!(dropped, ["/agents/Question", "/questions/find::ask"]);
    let out = again.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(v3::Closed { n: 107 }));
}

#[tokio::test]
async fn an_agent_with_another_output_is_refused() {
    let run = called("look").await;
    let help = "; `LoadOptions::drop_progress` would let it start over";
    assert_eq!(
        refusal::<v4::Question, _>(&run),
        format!("`Question` started when it returned `Known`, and now returns `Guess`{help}")
    );
    let contract = "contract 1.0.0: verbalized, token_level, calibrated";
    assert_eq!(
        refusal::<v5::Question, _>(&run),
        format!(
            "`Question` started when it returned `Known`, and now returns `Known ({contract})`{help}"
        )
    );
}

#[tokio::test]
async fn an_answer_to_a_tool_that_is_gone_is_refused() {
    let mut run = called("ask").await;
    run.next(Context::default()).await.unwrap();
    let mut json = serde_json::to_value(run.snapshot()).unwrap();
    // Somebody has answered, and the step that takes it was cut off.
    json["agents"]["Question"]["pending"][0] =
        json!({ "resumed": { "payload": "42", "value": "x", "times": 1 } });
    json.as_object_mut().unwrap().remove("questions");
    json["ready"] = json!({ "Question": 0 });
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let run = FlowRuntime::<v1::Question>::from_snapshot(snapshot).unwrap();
    let why = refusal::<v3::Question, _>(&run);
    assert!(
        why.starts_with("`Question` waits for its tool `ask`"),
        "{why}"
    );
    upgraded::<v2::Question, _>(&run);
}

#[tokio::test]
async fn an_agent_that_starts_over_has_its_time_again() {
    let mut run = called("ask").await;
    run.next(Context::default()).await.unwrap();
    let mut json = serde_json::to_value(run.snapshot()).unwrap();
    json["attempts"] = json!({ "Question": { "failed": 1, "spent": 15_000 } });
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let run = FlowRuntime::<v1::Question>::from_snapshot(snapshot).unwrap();
    let options = LoadOptions::new().drop_progress();
    let again = upgraded_with::<v3::Question, _>(&run, &options).unwrap();
    let dropped = &again.load_report().unwrap().dropped;
    assert_eq!(dropped[2].entry, "/attempts/Question");
    assert_eq!(dropped[2].why, "`Question` starts over");
}

#[tokio::test]
async fn an_answer_in_review_that_can_no_longer_be_read_is_refused_or_asked_for_again() {
    let run = FlowRuntime::new(v5::Question { n: 1 }).unwrap();
    let envelope = json!({
        "primary_output": { "n": 7 }, "confidence": 0.7, "confidence_type": "verbalized",
        "escalate": false, "reasoning": "so it seems",
    });
    let script = ScriptedModel::new()
        .reply("find", envelope)
        .for_several_flows();
    let factory = ClientFactory::new().with_scripted(script);
    let mut run = run.with_factory(factory);
    let out = run.next(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { .. }), "{out:?}");
    let mut json = serde_json::to_value(run.snapshot()).unwrap();
    let text = json["agents"]["Question"]["decided"].to_string();
    json["agents"]["Question"]["decided"] =
        serde_json::from_str(&text.replace(r#""n":7"#, r#""m":7"#)).unwrap();
    json["fingerprint"] = "0".repeat(32).into();
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let error = FlowRuntime::<v5::Question>::from_snapshot(snapshot.clone())
        .err()
        .unwrap();
    let error = error.to_string();
    assert!(
        error.contains("the answer of `Question` cannot be read"),
        "{error}"
    );
    let options = LoadOptions::new().drop_progress();
    let again = FlowRuntime::<v5::Question>::from_snapshot_with(snapshot, &options).unwrap();
    assert_eq!(
        again.load_report().unwrap().dropped[0].entry,
        "/agents/Question"
    );
    assert!(again.suspensions().is_empty());
}
