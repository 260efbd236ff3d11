//! Agents with tools.

use serde_json::json;

use super::*;
use crate::{
    AgentFailureKind,
    model::{Arguments, ModelResponse, ToolCall},
};

fn verdict() -> Value {
    json!({ "urgent": true, "topic": "delivery" })
}

fn agent(script: ScriptedModel) -> Bench {
    Bench::with(script, with_tools)
}

// S1.16
#[tokio::test]
async fn with_tools_the_model_is_offered_them_and_submit() {
    let mut agent = agent(ScriptedModel::new().reply("triage", verdict()));
    assert_eq!(agent.finish().await, verdict());
    let [request] = &agent.asked()[..] else {
        panic!()
    };
    let names: Vec<_> = request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, ["orders", "refund", "fail", "submit"]);
    assert_eq!(request.tools[0].description, "Looks up orders.");
    assert_eq!(
        request.tools[3].parameters["required"],
        json!(["urgent", "topic"])
    );
    assert_eq!(request.output, None);
}

#[tokio::test]
async fn a_model_call_and_its_tool_calls_are_one_step_each() {
    let script = ScriptedModel::new()
        .call("triage", "orders", json!({ "email": "a@b" }))
        .reply("triage", verdict());
    let mut agent = agent(script);
    assert!(matches!(agent.step().await, AgentStep::Asked));
    assert_eq!((agent.asked().len(), agent.ran.take().len()), (1, 0));
    assert!(matches!(agent.step().await, AgentStep::Ran));
    assert_eq!((agent.asked().len(), agent.ran.take().len()), (1, 1));
    assert!(matches!(agent.step().await, AgentStep::Done(_)));
    assert_eq!((agent.asked().len(), agent.ran.take().len()), (2, 0));
}

#[tokio::test]
async fn results_come_in_the_order_asked() {
    let script = ScriptedModel::new()
        .calls(
            "triage",
            [
                ("orders", json!({ "email": "a" })),
                ("fail", json!({ "how": "" })),
                ("orders", json!({ "email": "b" })),
            ],
        )
        .reply("triage", verdict());
    let mut agent = agent(script);
    agent.step().await;
    agent.step().await;
    let texts: Vec<_> = agent
        .last_results()
        .into_iter()
        .map(|r| (r.text.into_string(), r.is_error))
        .collect();
    let orders = ("[\"a lamp\"]".to_owned(), false);
    assert_eq!(
        texts,
        [orders.clone(), ("the tool failed".to_owned(), true), orders]
    );
    agent.finish().await;
}

#[tokio::test]
async fn submit_beside_other_calls_wins_and_the_others_are_not_run() {
    let script = ScriptedModel::new().calls(
        "triage",
        [
            ("orders", json!({ "email": "a" })),
            ("submit", verdict()),
            ("submit", json!({ "urgent": false, "topic": "second" })),
        ],
    );
    let mut agent = agent(script);
    assert_eq!(agent.finish().await, verdict());
    assert!(agent.ran.take().is_empty());
    let results = agent.last_results();
    assert!(results[0].text.contains("not run") && results[2].text.contains("not run"));
    assert_eq!(
        (results[1].text.as_str(), results[1].is_error),
        ("accepted", false)
    );
}

#[tokio::test]
async fn a_submit_that_does_not_fit_is_answered_with_what_is_wrong() {
    let script = ScriptedModel::new()
        .calls(
            "triage",
            [
                ("submit", json!({ "urgent": 1, "topic": "x" })),
                ("orders", json!({ "email": "a" })),
            ],
        )
        .reply("triage", verdict());
    let mut agent = agent(script);
    agent.step().await;
    let results = agent.last_results();
    assert_eq!(
        results[0].text,
        "the result does not fit: `urgent` is not of type boolean"
    );
    assert!(results[1].text.contains("not run"));
    assert_eq!(agent.finish().await, verdict());
}

#[tokio::test]
async fn plain_text_where_a_call_is_required_goes_back() {
    let script = ScriptedModel::new()
        .text("triage", "It is urgent.")
        .reply("triage", verdict());
    let mut agent = agent(script);
    agent.step().await;
    let text = agent.last_message().user_text().unwrap();
    assert!(
        text.contains("calls no tool") && text.contains("`submit`"),
        "{text}"
    );
    assert_eq!(agent.finish().await, verdict());
}

#[tokio::test]
async fn repairs_run_out_in_tool_mode_too() {
    let bad = json!({ "urgent": 1 });
    let script = ScriptedModel::new()
        .text("triage", "hm")
        .reply("triage", bad.clone())
        .reply("triage", bad);
    let mut agent = agent(script);
    let error = agent.fail().await;
    assert!(
        matches!(&error, FlowError::AgentError(failure)
            if matches!(failure.kind, AgentFailureKind::InvalidAnswer { repairs: 2, .. })),
        "{error}"
    );
}

#[tokio::test]
async fn an_unknown_tool_is_answered_with_the_known_ones() {
    let script = ScriptedModel::new()
        .call("triage", "delete_all", json!({}))
        .reply("triage", verdict());
    let mut agent = agent(script);
    agent.step().await;
    agent.step().await;
    let text = &agent.last_results()[0].text;
    assert_eq!(
        text,
        "there is no such tool: the tools are orders, refund, fail, submit"
    );
    agent.finish().await;
}

// S3.4
#[tokio::test]
async fn arguments_that_do_not_fit_are_explained_without_repeating_them() {
    let script = ScriptedModel::new()
        .calls(
            "triage",
            [
                ("orders", json!({ "email": ["sesame"] })),
                ("orders", json!({})),
                ("refund", json!({ "amount": -5 })),
            ],
        )
        .reply("triage", verdict());
    let mut agent = agent(script);
    agent.step().await;
    agent.step().await;
    let texts: Vec<_> = agent
        .last_results()
        .into_iter()
        .map(|result| result.text)
        .collect();
    assert_eq!(
        texts,
        [
            "invalid input: `email` is not of type string",
            "invalid input: `email` is missing",
            "invalid input: `amount` is less than 0",
        ]
    );
    agent.finish().await;
}

// S3.4
#[tokio::test]
async fn a_tools_error_is_told_in_few_words() {
    let how = |how: &str| ("fail", json!({ "how": how }));
    let script = ScriptedModel::new()
        .calls("triage", [how("message"), how("escape"), how("other")])
        .reply("triage", verdict());
    let mut agent = agent(script);
    agent.step().await;
    agent.step().await;
    let texts: Vec<_> = agent
        .last_results()
        .into_iter()
        .map(|result| result.text)
        .collect();
    let escape = "the path is outside the working directory";
    assert_eq!(
        texts,
        ["no customer of this name", escape, "the tool failed"]
    );
    agent.finish().await;
}

#[tokio::test]
async fn a_fatal_error_fails_the_agent_and_leaves_it_as_it_was() {
    let script = ScriptedModel::new().call("triage", "fail", json!({ "how": "fatal" }));
    let mut agent = agent(script);
    agent.step().await;
    for _ in 0..2 {
        let error = agent.try_step().await.unwrap_err();
        assert!(
            matches!(&error, FlowError::Tool { node, tool, .. } if node == "triage" && tool == "fail")
        );
        assert!(
            error.to_string().contains("the database is gone"),
            "{error}"
        );
    }
}

/// Answers first with `calls`, then with a submit.
struct Calling(Vec<ToolCall>);

impl ModelClient for Calling {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        let submit = ToolCall {
            id: "same".to_owned(),
            name: "submit".to_owned(),
            arguments: Arguments::Json(verdict()),
        };
        let calls = if request.turn() == 0 {
            self.0.clone()
        } else {
            vec![submit]
        };
        Box::pin(async move {
            Ok(ModelResponse {
                calls,
                ..Default::default()
            })
        })
    }
}

#[tokio::test]
async fn equal_and_empty_call_ids_are_told_apart() {
    let call = |id: &str, email: &str| ToolCall {
        id: id.to_owned(),
        name: "orders".to_owned(),
        arguments: Arguments::Json(json!({ "email": email })),
    };
    let calls = vec![
        call("same", "1"),
        call("same", "2"),
        call("", "3"),
        call("", "4"),
    ];
    let mut bench = agent(ScriptedModel::new());
    let client: Arc<dyn ModelClient> = Arc::new(Calling(calls));
    loop {
        let step = step(
            Arc::clone(&bench.spec),
            bench.progress.clone().into(),
            model(&bench.progress, Arc::clone(&client)),
            watch(),
            bench.ctx.clone(),
        );
        let (step, progress) = step.await.unwrap();
        bench.progress = (*progress).clone();
        match step {
            AgentStep::Asked | AgentStep::Ran => {}
            AgentStep::Done(_) => break,
            _ => panic!("it stands"),
        }
    }
    bench.assert_answered();
    assert_eq!(
        bench.ran.take(),
        ["orders 1", "orders 2", "orders 3", "orders 4"]
    );
}

#[tokio::test]
async fn arguments_that_are_no_json_are_answered() {
    let calls = vec![ToolCall {
        id: "1".to_owned(),
        name: "orders".to_owned(),
        arguments: Arguments::Text("{\"email".to_owned()),
    }];
    let bench = agent(ScriptedModel::new());
    let client: Arc<dyn ModelClient> = Arc::new(Calling(calls));
    let mut progress = Arc::new(bench.progress);
    for _ in 0..2 {
        let model = model(&progress, Arc::clone(&client));
        let step = step(
            Arc::clone(&bench.spec),
            progress,
            model,
            watch(),
            bench.ctx.clone(),
        );
        let (step, next) = step.await.unwrap();
        assert!(matches!(step, AgentStep::Asked | AgentStep::Ran));
        progress = next;
    }
    let Some(Message::Tool { results }) = progress.messages().last() else {
        panic!()
    };
    assert_eq!(
        results[0].text,
        "invalid input: the arguments are not JSON, are nested too deeply, or have a reserved key"
    );
}

#[tokio::test]
async fn progress_that_fits_no_conversation_is_an_error() {
    let mut agent = agent(ScriptedModel::new().call("triage", "orders", json!({ "email": "a" })));
    agent.step().await;
    let mut json = serde_json::to_value(&agent.progress).unwrap();
    json["conversation"].as_array_mut().unwrap().pop();
    agent.progress = serde_json::from_value(json).unwrap();
    assert!(matches!(
        agent.try_step().await,
        Err(FlowError::SnapLoadError(_))
    ));
}
