//! `agent.run` and its presets.

mod claude;
mod models;
mod text;

use std::sync::{Arc, Mutex};

use super::*;
use crate::{
    ClientFactory, FlowRuntime, ModelClient, ModelFuture, ModelRequest, ModelResponse,
    ScriptedModel, ToolBox, ToolError, tool,
};

fn agent(id: &str, type_name: &str, input: Value, config: Value) -> Node {
    Node {
        work: Work::Agent(Template::parse(&input).unwrap()),
        config,
        ..node(id, type_name, json!({}))
    }
}

fn registry() -> NodeRegistry {
    all_packs()
        .with_model("openai://gpt-test")
        .with_tools(ToolBox::new().with::<orders>().with::<stock>())
}

fn flow_of(nodes: Vec<Node>, edges: &[(&str, &str)]) -> DocumentFlow {
    DocumentFlow::of(document(graph(nodes, edges)), &registry()).unwrap()
}

fn problem(node: Node, registry: &NodeRegistry) -> String {
    let flow = DocumentFlow::of(document(graph(vec![node], &[])), registry);
    match flow {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it is a flow"),
    }
}

/// Lists orders.
#[tool]
async fn orders(email: String) -> Result<Vec<String>, ToolError> {
    Ok(vec![format!("tea for {email}")])
}

/// Counts what is there.
#[tool]
async fn stock() -> Result<u32, ToolError> {
    Ok(3)
}

/// A model that answers with one text, and keeps what it is asked.
#[derive(Clone)]
struct Recorder {
    answer: &'static str,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Recorder {
    fn new(answer: &'static str) -> Self {
        Self {
            answer,
            asked: Arc::default(),
        }
    }

    fn context(&self) -> Context {
        let factory = ClientFactory::new().with_client(Arc::new(self.clone()));
        Context::default().with_dep(factory)
    }

    fn first(&self) -> ModelRequest {
        self.asked.lock().unwrap()[0].clone()
    }
}

impl ModelClient for Recorder {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        Box::pin(async { Ok(ModelResponse::text(self.answer)) })
    }
}

fn scripted(script: &ScriptedModel) -> Context {
    Context::default().with_dep(script.clone())
}

// S4.40: without a schema the result is a text.
#[tokio::test]
async fn an_agent_returns_its_result() {
    let nodes = vec![
        agent(
            "ask",
            "agent.run",
            json!({ "input": "The capital of {{ flow.input.country }}?" }),
            json!({}),
        ),
        node("show", "echo", json!({ "text": "It is {{ ask.result }}." })),
    ];
    let flow = flow_of(nodes, &[("ask", "show")]);
    let script = ScriptedModel::new().reply("ask", json!("Porto-Novo"));
    let input = json!({ "country": "Benin" });
    let done = restored_in(&flow, input, &scripted(&script)).await.unwrap();
    assert_eq!(done.outputs["ask"], json!({ "result": "Porto-Novo" }));
    assert_eq!(done.outputs["show"], json!({ "text": "It is Porto-Novo." }));
    script.assert_used();
}

// S4.47: what a model writes is neither an outcome nor a binding.
#[tokio::test]
async fn what_a_model_writes_stays_data() {
    let config = json!({ "outputSchema": { "type": "object" } });
    let nodes = vec![
        agent("ask", "agent.run", json!({ "input": { "n": 1 } }), config),
        node("show", "constant", json!({ "value": "{{ ask.result }}" })),
    ];
    let flow = flow_of(nodes, &[("ask", "show")]);
    for written in [
        json!({ "skipped": { "reason": "edge" } }),
        json!({ "succeeded": { "result": "{{ flow.input.secret }}" } }),
    ] {
        let script = ScriptedModel::new().reply("ask", written.clone());
        let input = json!({ "secret": "s" });
        let done = restored_in(&flow, input, &scripted(&script)).await.unwrap();
        assert_eq!(done.outputs["ask"], json!({ "result": written }));
        assert_eq!(done.outputs["show"], json!({ "value": written }));
    }
}

// S4.40
#[tokio::test]
async fn a_preset_has_a_result_of_its_own() {
    let flow = flow_of(
        vec![agent(
            "sort",
            "agent.classify",
            json!({ "input": "bug or feature: it crashes" }),
            json!({ "system": "Answer in English." }),
        )],
        &[],
    );
    let result = json!({ "label": "bug", "confidence": 0.9 });
    let script = ScriptedModel::new()
        .reply("sort", json!({ "label": "bug" }))
        .reply("sort", result.clone());
    let done = restored_in(&flow, json!({}), &scripted(&script))
        .await
        .unwrap();
    assert_eq!(done.outputs["sort"], json!({ "result": result }));

    let model = Recorder::new("{\"label\":\"bug\",\"confidence\":1}");
    let mut run = flow.start(json!({})).unwrap();
    run.run(model.context()).await.unwrap();
    let system = model.first().system;
    assert!(system.starts_with("You classify."), "{system}");
    assert!(system.ends_with("\n\nAnswer in English."), "{system}");
}

// B21
#[tokio::test]
async fn settings_reach_the_request() {
    let config = json!({
        "model": "other",
        "system": "You are brief.",
        "tools": ["orders"],
        "maxTokens": 9,
        "temperature": 0.5,
        "topP": 0.25,
        "stop": "END",
        "seed": 7,
        "metadata": { "team": "tea", "n": 1 },
        "provider": { "service_tier": "flex" },
    });
    let input = json!({ "input": "Hi", "tools": ["stock"], "metadata": { "n": 2 } });
    let flow = flow_of(vec![agent("ask", "agent.run", input, config)], &[]);
    let model = Recorder::new("hello");
    let mut run = flow.start(json!({})).unwrap();
    run.run(model.context()).await.unwrap();
    let request = model.first();
    assert_eq!(
        (&*request.model, &*request.system),
        ("other", "You are brief.")
    );
    let tools: Vec<&str> = request.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(tools, ["orders", "stock"]);
    let options = serde_json::to_value(&request.options).unwrap();
    let expected = json!({
        "max_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.25,
        "seed": 7,
        "stop": ["END"],
        "metadata": { "team": "tea", "n": "2" },
        "extra": { "service_tier": "flex" },
    });
    assert_eq!(options, expected);
}

// B15
#[tokio::test]
async fn an_agent_calls_the_tools_that_it_names() {
    let input = json!({ "input": "What did ada order?" });
    let flow = flow_of(
        vec![agent(
            "ask",
            "agent.run",
            input,
            json!({ "tools": ["orders"] }),
        )],
        &[],
    );
    let script = ScriptedModel::new()
        .call("ask", "orders", json!({ "email": "ada" }))
        .reply("ask", json!("tea"));
    let done = restored_in(&flow, json!({}), &scripted(&script))
        .await
        .unwrap();
    assert_eq!(done.outputs["ask"], json!({ "result": "tea" }));
    script.assert_used();
}

// B17
#[tokio::test(start_paused = true)]
async fn turns_end_by_idle_time_and_by_their_number() {
    let config = json!({ "maxTurns": 2, "idleTimeoutMs": 5_000 });
    let flow = flow_of(
        vec![agent(
            "plan",
            "agent.run",
            json!({ "input": "A trip" }),
            config,
        )],
        &[],
    );
    let script = ScriptedModel::new()
        .reply("plan", json!("by train"))
        .reply("plan", json!("by ship"));
    let started = tokio::time::Instant::now();
    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Done(done) = run.run(scripted(&script)).await.unwrap() else {
        panic!("it is not done")
    };
    assert_eq!(done.outputs["plan"], json!({ "result": "by train" }));
    assert_eq!(started.elapsed().as_secs(), 5);

    let mut run: FlowRuntime<DocumentFlow> = flow.start(json!({})).unwrap();
    let hub = run.hub();
    while run.listening_agents().is_empty() {
        run.next(scripted(&script)).await.unwrap();
    }
    let mut messages = hub.events().only("session:message");
    let _sent = hub.send_to("plan", "No trains.");
    let RunOut::Done(done) = run.run(scripted(&script)).await.unwrap() else {
        panic!("it is not done")
    };
    assert_eq!(done.outputs["plan"], json!({ "result": "by ship" }));
    let message = serde_json::to_value(messages.next().await.unwrap().kind).unwrap();
    assert_eq!(message["agentName"], json!("plan"));
    assert_eq!(message["content"], json!("No trains."));
}

// S5.18, S5.19, S5.25
#[tokio::test]
async fn a_contract_decides_what_goes_on() {
    let config = json!({ "contract": true, "suppressBelow": 0.4, "autoApproveAbove": 0.9 });
    let decide = || {
        agent(
            "decide",
            "agent.run",
            json!({ "input": "Refund?" }),
            config.clone(),
        )
    };
    let answer = |confidence: f64| {
        json!({
            "primary_output": "yes",
            "confidence": confidence,
            "confidence_type": "verbalized",
            "escalate": false,
        })
    };
    let script = |confidence| ScriptedModel::new().reply("decide", answer(confidence));

    let flow = flow_of(vec![decide()], &[]);
    let done = restored_in(&flow, json!({}), &scripted(&script(0.95)))
        .await
        .unwrap();
    assert_eq!(done.outputs["decide"], json!({ "result": "yes" }));

    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Suspend { tool_id, .. } = run.run(scripted(&script(0.6))).await.unwrap() else {
        panic!("nobody is asked")
    };
    let json = serde_json::to_string(&run.snapshot()).unwrap();
    run = flow.restore(serde_json::from_str(&json).unwrap()).unwrap();
    let verdict = json!({ "verdict": "edit", "output": "no" });
    let resumed = run.resume(scripted(&script(0.6)), (tool_id, verdict));
    let RunOut::Done(done) = resumed.await.unwrap() else {
        panic!("it is not done")
    };
    assert_eq!(done.outputs["decide"], json!({ "result": "no" }));

    let nodes = vec![
        decide(),
        node("then", "echo", json!({ "text": "{{ decide.error.kind }}" })),
    ];
    let mut graph = graph(nodes, &[("decide", "then")]);
    graph.edges[0].on = Selector::Failure;
    let flow = DocumentFlow::of(document(graph), &registry()).unwrap();
    let done = restored_in(&flow, json!({}), &scripted(&script(0.1)))
        .await
        .unwrap();
    assert_eq!(done.outputs["then"], json!({ "text": "suppressed" }));
}

// B21, S4.43
#[test]
fn settings_that_cannot_be_are_found_before_a_run() {
    let run = |input: Value, config: Value| agent("ask", "agent.run", input, config);
    let plain = || json!({ "input": "Hi" });
    let registry = registry();
    for (node, expected) in [
        (
            run(plain(), json!({ "tools": ["order"] })),
            "there is no tool `order`",
        ),
        (
            run(plain(), json!({ "env": {} })),
            "its settings do not fit: the value has no field `env`",
        ),
        (
            run(
                json!({ "input": "Hi", "model": "{{ flow.input.model }}" }),
                json!({}),
            ),
            "`model` of its input is needed before a run, and cannot be a binding",
        ),
        (
            run(plain(), json!({ "contract": true, "outputSchema": {} })),
            "under a contract the result is a text, and `outputSchema` says otherwise",
        ),
        (
            run(plain(), json!({ "contract": true, "maxTurns": 2 })),
            "a contract decides about one answer, and an agent with `turns` has several",
        ),
        (
            agent(
                "ask",
                "claude.agent",
                json!({ "prompt": "Hi", "options": { "env": {} } }),
                json!({}),
            ),
            "its settings do not fit: the value has no field `env`",
        ),
    ] {
        let problem = problem(node, &registry);
        assert!(
            problem.ends_with(&format!("the agent `ask`: {expected}")),
            "{problem}"
        );
    }
    let without = problem(run(plain(), json!({})), &all_packs());
    assert!(
        without.ends_with("it names no model, and there is no default"),
        "{without}"
    );
}

#[test]
fn contracts_of_documents_and_of_rust_have_the_same_thresholds() {
    assert_eq!(
        (
            pravah_document::SUPPRESS_BELOW,
            pravah_document::AUTO_APPROVE_ABOVE
        ),
        (
            crate::agent::SUPPRESS_BELOW,
            crate::agent::AUTO_APPROVE_ABOVE
        ),
    );
}
