//! Agents as nodes of a flow: run, suspended, restored in another process.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::sync::{Arc, Mutex};

use pravah_runtime::{
    Agent, AgentConfig, ClientFactory, Context, Flow, FlowError, FlowGraph, FlowRuntime,
    FlowSnapshot, ModelClient, ModelFuture, ModelRequest, RunOut, ScriptedModel, ScriptedTurn,
    Tool, ToolBox, ToolError, Usage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Ticket {
    subject: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Verdict {
    urgent: bool,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Reply {
    text: String,
}

/// Looks up an order, which is counted.
#[derive(Deserialize, JsonSchema)]
struct Order {
    id: u32,
}

impl Tool for Order {
    type Output = String;

    fn name() -> &'static str {
        "order"
    }

    fn description() -> &'static str {
        "Looks up an order."
    }

    async fn call(self, ctx: Context) -> Result<String, ToolError> {
        let call = ctx.call_id().unwrap_or_default().to_owned();
        ctx.dep::<Seen>()?.0.lock().unwrap().push(call);
        Ok(format!("order {}", self.id))
    }
}

/// Asks a person.
#[derive(Deserialize, JsonSchema)]
struct Approve {}

impl Tool for Approve {
    type Output = String;

    fn name() -> &'static str {
        "approve"
    }

    fn description() -> &'static str {
        "Asks a person."
    }

    async fn call(self, ctx: Context) -> Result<String, ToolError> {
        ctx.resumed::<String>()?
            .ok_or_else(|| ToolError::suspend(json!({ "ask": "approve?" })))
    }
}

impl Agent for Ticket {
    type Output = Verdict;

    fn build() -> AgentConfig {
        AgentConfig::new("You triage.", "openai://gpt-4o")
            .with_tools(ToolBox::new().with::<Order>().with::<Approve>())
    }

    fn node_id() -> String {
        "triage".to_owned()
    }
}

impl Agent for Verdict {
    type Output = Reply;

    fn build() -> AgentConfig {
        AgentConfig::new("You reply.", "openai://gpt-4o")
    }
}

impl Flow for Ticket {
    type Output = Reply;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .agent::<Ticket>()
            .agent::<Verdict>()
            .build()
    }

    fn node_id() -> String {
        "support".to_owned()
    }
}

/// The call ids that the tools saw.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

/// Counts what a script is asked.
#[derive(Clone, Default)]
struct Counted {
    script: ScriptedModel,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl ModelClient for Counted {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        self.script.complete(request)
    }
}

/// All a test needs to run the flow, in this process or the next.
struct Place {
    model: Counted,
    seen: Seen,
}

impl Place {
    fn new(script: ScriptedModel) -> Self {
        let model = Counted {
            script,
            ..Counted::default()
        };
        Self {
            model,
            seen: Seen::default(),
        }
    }

    fn ctx(&self) -> Context {
        Context::default().with_dep(self.seen.clone())
    }

    fn factory(&self) -> ClientFactory {
        ClientFactory::new().with_client(Arc::new(self.model.clone()))
    }

    fn start(&self) -> FlowRuntime<Ticket> {
        let subject = "late".to_owned();
        FlowRuntime::new(Ticket { subject })
            .unwrap()
            .with_factory(self.factory())
    }

    /// The run as another process would find it.
    fn restore(&self, run: &FlowRuntime<Ticket>) -> FlowRuntime<Ticket> {
        let json = serde_json::to_string(&run.snapshot()).unwrap();
        let snapshot: FlowSnapshot = serde_json::from_str(&json).unwrap();
        FlowRuntime::from_snapshot(snapshot)
            .unwrap()
            .with_factory(self.factory())
    }

    fn asked(&self) -> usize {
        self.model.asked.lock().unwrap().len()
    }

    fn seen(&self) -> Vec<String> {
        self.seen.0.lock().unwrap().clone()
    }
}

fn script() -> ScriptedModel {
    ScriptedModel::new()
        .calls(
            "triage",
            [("order", json!({ "id": 7 })), ("approve", json!({}))],
        )
        .reply("triage", json!({ "urgent": true }))
        .reply("Verdict", json!({ "text": "soon" }))
}

fn without_approval() -> ScriptedModel {
    answers(ScriptedModel::new())
}

/// Goes on from `script` to a ticket that is answered.
fn answers(script: ScriptedModel) -> ScriptedModel {
    script
        .call("triage", "order", json!({ "id": 7 }))
        .reply("triage", json!({ "urgent": true }))
        .reply("Verdict", json!({ "text": "soon" }))
}

fn soon() -> Reply {
    Reply {
        text: "soon".to_owned(),
    }
}

// S1.14
#[tokio::test]
async fn agents_consume_their_input_and_give_what_the_model_gives() {
    let place = Place::new(without_approval());
    let out = place.start().run(place.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(soon()));
    let asked = place.model.asked.lock().unwrap();
    let prompt = asked[0].messages[0].user_text().unwrap();
    assert!(prompt.contains("late"), "{prompt}");
}

// S1.1: a restart after every step repeats nothing that was committed.
#[tokio::test]
async fn a_restart_after_every_step_asks_no_model_and_runs_no_tool_twice() {
    let place = Place::new(without_approval());
    let mut run = place.start();
    let mut steps = 1;
    while run.next(place.ctx()).await.unwrap() == RunOut::Continue {
        run = place.restore(&run);
        steps += 1;
    }
    assert_eq!((steps, place.asked(), place.seen().len()), (4, 3, 1));
}

// S1.11, S1.27, S1.31
#[tokio::test]
async fn a_suspended_tool_is_resumed_in_another_process() {
    let place = Place::new(script());
    let mut run = place.start();
    assert_eq!(run.next(place.ctx()).await.unwrap(), RunOut::Continue);
    let RunOut::Suspend { value, tool_id } = run.next(place.ctx()).await.unwrap() else {
        panic!("not suspended");
    };
    assert_eq!(value, json!({ "ask": "approve?" }));
    assert_eq!(tool_id, "triage::approve");

    let mut run = place.restore(&run);
    // Whoever restores it is asked again, once.
    let again = run.next(place.ctx()).await.unwrap();
    assert!(matches!(again, RunOut::Suspend { tool_id: id, .. } if id == tool_id));
    let error = run.next(place.ctx()).await.unwrap_err();
    assert!(matches!(error, FlowError::ResumeRequired(id) if id == tool_id));
    run.resume(place.ctx(), (tool_id, json!("granted")))
        .await
        .unwrap();
    assert_eq!(run.run(place.ctx()).await.unwrap(), RunOut::Done(soon()));
    assert_eq!(place.seen().len(), 1, "the sibling is not run again");
    let results = serde_json::to_string(&place.model.asked.lock().unwrap()[1].messages).unwrap();
    assert!(
        results.contains("order 7") && results.contains("granted"),
        "{results}"
    );
}

#[tokio::test]
async fn a_tool_call_has_one_id_at_every_attempt() {
    let place = Place::new(without_approval());
    let mut run = place.start();
    run.next(place.ctx()).await.unwrap();
    let mut again = place.restore(&run);
    run.next(place.ctx()).await.unwrap();
    again.next(place.ctx()).await.unwrap();
    let seen = place.seen();
    assert_eq!(seen[0], seen[1]);
    assert!(
        seen[0].starts_with(&format!("{}/triage(Ticket)#", run.run_id())),
        "{seen:?}"
    );
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_run_as_it_was() {
    let script = ScriptedModel::new()
        .error("triage", "overloaded")
        .error("triage", "overloaded");
    let place = Place::new(answers(script));
    let mut run = place.start();
    let before = serde_json::to_value(run.snapshot()).unwrap();
    for _ in 0..2 {
        let error = run.next(place.ctx()).await.unwrap_err();
        assert!(
            matches!(&error, FlowError::Model { node, .. } if node == "triage"),
            "{error}"
        );
    }
    let mut after = serde_json::to_value(run.snapshot()).unwrap();
    // All that is noted is how often the model was asked, and which node has failed and can be tried again.
    let fields = after.as_object_mut().unwrap();
    assert_eq!(
        fields.remove("asked").unwrap()["Ticket"]["counts"],
        json!([[2]])
    );
    assert_eq!(fields.remove("failed").unwrap()["Ticket"]["kind"], "error");
    assert_eq!(fields.remove("ready").unwrap(), json!({ "Ticket": 0 }));
    assert_eq!(after, before);
    assert_eq!(run.run(place.ctx()).await.unwrap(), RunOut::Done(soon()));
}

#[tokio::test]
async fn an_agent_that_fails_names_itself() {
    let script = ScriptedModel::new()
        .text("triage", "a")
        .text("triage", "b")
        .text("triage", "c");
    let place = Place::new(script);
    let error = place.start().run(place.ctx()).await.unwrap_err();
    assert!(
        matches!(&error, FlowError::AgentError(failure) if failure.node == "triage"),
        "{error}"
    );
}

#[tokio::test]
async fn usage_is_summed_per_run() {
    let usage = Usage::new(10, 2);
    let turn = |reply: Value| ScriptedTurn::reply(reply).with_usage(usage);
    let script = ScriptedModel::new()
        .turn("triage", turn(json!({ "urgent": 1 })))
        .turn("triage", turn(json!({ "urgent": true })))
        .turn("Verdict", turn(json!({ "text": "soon" })));
    let place = Place::new(script);
    let mut run = place.start();
    run.next(place.ctx()).await.unwrap();
    let mut run = place.restore(&run);
    run.run(place.ctx()).await.unwrap();
    assert_eq!(run.usage(), Usage::new(30, 6));
}

// S1.42
#[tokio::test]
async fn the_history_holds_one_conversation_for_each_agent() {
    let place = Place::new(without_approval());
    let mut run = place.start();
    run.run(place.ctx()).await.unwrap();
    let nodes: Vec<_> = run.history().iter().map(|(node, _)| node).collect();
    assert_eq!(nodes, ["Verdict", "triage"]);
    assert_eq!(run.history().get("triage").unwrap().messages().len(), 5);
}

// S1.8: the graph is refused, with the reason.
#[test]
fn a_graph_with_a_wrong_agent_is_refused() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Wrong {}

    impl Agent for Wrong {
        type Output = Reply;

        fn build() -> AgentConfig {
            AgentConfig::new("", "gpt-4o")
        }
    }

    let error = FlowGraph::builder().agent::<Wrong>().build().err().unwrap();
    assert!(error.to_string().contains("has no scheme"), "{error}");
}
