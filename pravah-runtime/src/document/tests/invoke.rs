//! Agents and flows of the host, called by `agent.invoke`.

mod detached;

use super::*;
use crate::{
    ClientFactory, ScriptedModel, agent, flow as typed_flow, gate, invocation::AgentRegistry, state,
};

#[state]
struct Topic {
    name: String,
}

#[state]
struct Finding {
    text: String,
}

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(topic: &Topic) -> String {
    topic.name.clone()
}

#[gate(prompt = format!("What of {}?", topic.name))]
fn ask(topic: Topic, answer: String) -> Finding {
    Finding {
        text: format!("{}: {answer}", topic.name),
    }
}

/// Asks a person.
#[typed_flow(named)]
fn survey(topic: Topic) -> Finding {
    flow! { ask }
}

fn registry() -> NodeRegistry {
    let agents = AgentRegistry::new()
        .with_agent::<researcher>()
        .with_agent::<survey>();
    NodeRegistry::standard().with_agents(agents)
}

fn read(nodes: &str) -> Result<DocumentFlow, String> {
    let text = format!("flow: {{ name: test }}\nnodes:\n{nodes}\nedges: []\n");
    let flow = DocumentFlow::read("test.yaml", &text, &registry());
    flow.map_err(|error| error.to_string())
}

fn told(script: ScriptedModel) -> Context {
    Context::default().with_dep(ClientFactory::new().with_scripted(script))
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// Runs to the end, restored before every step; questions are answered with their number.
async fn played(flow: &DocumentFlow, script: &ScriptedModel) -> Result<Value, FlowError> {
    let factory = || ClientFactory::new().with_scripted(script.clone());
    let mut run = flow.start(json!({}))?.with_run_id("run");
    let mut asked = 0;
    loop {
        let json = serde_json::to_string(&run.snapshot()).unwrap();
        let restored = flow.restore(serde_json::from_str(&json).unwrap())?;
        run = restored.with_factory(factory());
        match run.next(Context::default()).await? {
            RunOut::Done(done) => return Ok(Value::Object(done.outputs)),
            RunOut::Suspend { tool_id, .. } => {
                asked += 1;
                run.answer(Context::default(), &tool_id, asked.to_string())
                    .await?;
            }
            RunOut::Continue => {}
            out => panic!("{out:?}"),
        }
    }
}

#[tokio::test]
async fn the_result_of_one_agent_is_that_of_the_node() {
    let document = r#"
flow: { name: test }
nodes:
  - { id: topic, type: constant, input: { value: trains } }
  - { id: ask, type: agent.invoke, input: { agent: researcher, message: "Look up {{ topic }}." } }
  - { id: told, type: echo, input: { text: "It says: {{ ask.result.text }}" } }
edges:
  - { from: topic, to: ask }
  - { from: ask, to: told }
"#;
    let flow = DocumentFlow::read("test.yaml", document, &registry()).unwrap();
    let script = ScriptedModel::new().reply("researcher", text("None."));
    let outputs = played(&flow, &script).await.unwrap();
    assert_eq!(
        outputs["ask"],
        json!({ "result": { "text": "None." }, "taskId": "run/ask#1[0]" })
    );
    assert_eq!(outputs["told"], json!({ "text": "It says: None." }));
}

#[tokio::test]
async fn several_are_called_and_each_says_how_it_ended() {
    let flow = read(
        r#"
  - id: ask
    type: agent.invoke
    input:
      targets:
        - { agent: researcher, message: "a" }
        - { agent: survey, message: { name: trains } }
        - { agent: survey, message: { topic: trains } }"#,
    );
    let script = ScriptedModel::new().reply("researcher", text("A."));
    let outputs = played(&flow.unwrap(), &script).await.unwrap();
    let results = outputs["ask"]["results"].as_array().unwrap();
    assert_eq!(results[0]["result"], text("A."));
    assert_eq!(results[1]["result"], text("trains: 1"));
    assert_eq!(results[2]["status"], "failed");
    let error = results[2]["error"].as_str().unwrap();
    assert!(
        error.contains("the input of `survey` does not fit"),
        "{error}"
    );
    assert_eq!(results[2]["taskId"], "run/ask#1[2]");
}

#[tokio::test]
async fn one_that_fails_fails_the_node_which_may_be_tried_again() {
    let flow = read(
        r#"
  - id: ask
    type: agent.invoke
    input: { agent: researcher, message: "a" }
    policy: { retry: { maxAttempts: 2 } }"#,
    );
    let script = ScriptedModel::new()
        .error("researcher", "out of order")
        .reply("researcher", text("A."));
    let outputs = played(&flow.unwrap(), &script).await.unwrap();
    assert_eq!(outputs["ask"]["result"], text("A."));
}

#[tokio::test]
async fn a_failure_may_be_an_outcome_to_go_on_with() {
    let flow = read(
        r#"
  - id: ask
    type: agent.invoke
    input: { agent: researcher, message: "a" }
    policy: { continueOnError: true }"#,
    );
    let script = ScriptedModel::new().error("researcher", "out of order");
    let outputs = played(&flow.unwrap(), &script).await.unwrap();
    assert_eq!(outputs["ask"]["failed"], true);
    let message = outputs["ask"]["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("the model of agent `researcher` failed"),
        "{message}"
    );
}

#[test]
fn what_a_document_says_wrong_is_found_when_it_is_loaded() {
    for (node, expected) in [
        (
            "{ agent: writer, message: a }",
            "`ask`: there is no agent `writer`: the host has `researcher`, `survey`",
        ),
        (
            "{ targets: [{ agent: writer, message: a }] }",
            "there is no agent `writer`",
        ),
        ("{ agents: researcher }", "agents"),
        ("{ agent: researcher }", "`message` is missing"),
        ("{ message: a }", "it names no agent"),
        ("{ targets: [] }", "`targets` is empty"),
        (
            "{ message: a, targets: [{ agent: researcher, message: a }] }",
            "keep one of the two",
        ),
        ("{ targets: [{ agent: researcher }] }", "message"),
    ] {
        let error = read(&format!(
            "  - {{ id: ask, type: agent.invoke, input: {node} }}"
        ));
        let error = error.err().unwrap_or_else(|| panic!("{node}"));
        assert!(error.contains(expected), "{node}: {error}");
    }
}

#[test]
fn a_time_limit_is_refused_as_what_is_called_has_its_own() {
    let limited = read(
        "  - { id: ask, type: agent.invoke, input: { agent: researcher, message: a }, policy: { timeoutMs: 10 } }",
    );
    let error = limited.unwrap_err();
    assert!(error.contains("time limits of its own"), "{error}");
}

#[test]
fn a_host_without_agents_is_told_how_to_register_them() {
    let none = "flow: { name: test }\nnodes:\n  - { id: ask, type: agent.invoke, input: { agent: a, message: b } }\nedges: []\n";
    let error = DocumentFlow::read("test.yaml", none, &NodeRegistry::standard());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("NodeRegistry::with_agents"), "{error}");
}

#[tokio::test]
async fn what_a_binding_brings_is_found_when_the_node_runs() {
    for (input, expected) in [
        (json!({ "agent": "writer" }), "there is no agent `writer`"),
        (
            json!({ "agent": "researcher", "message": "" }),
            "`message` is empty",
        ),
        (
            json!({ "agent": "researcher", "message": null }),
            "`message` is missing",
        ),
    ] {
        let text = r#"
flow: { name: test }
nodes:
  - { id: ask, type: agent.invoke, input: { agent: "{{ flow.input.agent }}", message: "{{ flow.input.message | default: \"hello\" }}" } }
edges: []
"#;
        let flow = DocumentFlow::read("test.yaml", text, &registry()).unwrap();
        let mut run = flow.start(input.clone()).unwrap();
        let error = run.run(told(ScriptedModel::new())).await.unwrap_err();
        let said = error.to_string();
        assert!(said.contains(expected), "{input}: {said}");
    }
}
