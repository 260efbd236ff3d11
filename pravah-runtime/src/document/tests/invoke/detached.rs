//! Detached tasks of `agent.invoke`, and `agent.wait`.

use super::*;
use crate::{
    Budget,
    invocation::{Executor, LoopbackRunner, RunnerConfig, TaskSnapshot, TaskStatus},
    node,
};

#[tokio::test]
async fn detached_tasks_run_beside_the_nodes_that_follow_and_are_waited_for() {
    let document = r#"
flow: { name: test }
nodes:
  - id: start
    type: agent.invoke
    input:
      detached: true
      targets:
        - { agent: researcher, message: a }
        - { agent: survey, message: { name: trains } }
        - { agent: survey, message: { topic: trains } }
  - { id: meanwhile, type: echo, input: { text: "{{ start.taskIds.0 }}" } }
  - { id: wait, type: agent.wait, input: { taskIds: "{{ start.taskIds }}" } }
edges:
  - { from: start, to: meanwhile }
  - { from: meanwhile, to: wait }
"#;
    let flow = DocumentFlow::read("test.yaml", document, &registry()).unwrap();
    let script = ScriptedModel::new().reply("researcher", text("A."));
    let outputs = played(&flow, &script).await.unwrap();
    let task_ids = json!(["task_1", "task_2", "task_3"]);
    assert_eq!(outputs["start"], json!({ "taskIds": task_ids }));
    assert_eq!(outputs["meanwhile"], json!({ "text": "task_1" }));
    let results = outputs["wait"]["results"].as_array().unwrap();
    assert_eq!(
        results[0],
        json!({ "status": "completed", "result": { "text": "A." }, "taskId": "task_1" })
    );
    assert_eq!(results[1]["result"], text("trains: 1"));
    assert_eq!(results[2]["status"], "failed");
    let error = results[2]["error"].as_str().unwrap();
    assert!(
        error.contains("the input of `survey` does not fit"),
        "{error}"
    );
}

#[tokio::test]
async fn a_detached_task_is_cancelled_with_its_flow_unless_the_node_says_otherwise() {
    for (on_done, expected) in [
        ("", TaskStatus::Cancelled),
        (", onDone: cancel", TaskStatus::Cancelled),
        (", onDone: wait", TaskStatus::Completed),
    ] {
        let input = format!("{{ agent: researcher, message: a, detached: true{on_done} }}");
        let flow = read(&format!(
            "  - {{ id: start, type: agent.invoke, input: {input} }}"
        ));
        let script = ScriptedModel::new().reply("researcher", text("A."));
        let mut run = flow.unwrap().start(json!({})).unwrap();
        let RunOut::Done(done) = run.run(told(script)).await.unwrap() else {
            panic!("nobody is asked")
        };
        assert_eq!(done.outputs["start"], json!({ "taskIds": ["task_1"] }));
        assert_eq!(run.tasks()[0].status, expected, "{on_done}");
    }
}

#[tokio::test]
async fn an_unknown_task_is_a_result_that_has_failed() {
    let flow = read("  - { id: wait, type: agent.wait, input: { taskIds: [task_7, other] } }");
    let outputs = played(&flow.unwrap(), &ScriptedModel::new()).await.unwrap();
    let error = |id: &str| json!({ "status": "failed", "error": format!("there is no task `{id}`"), "taskId": id });
    assert_eq!(
        outputs["wait"]["results"],
        json!([error("task_7"), error("other")])
    );
}

#[tokio::test]
async fn a_wait_for_no_tasks_ends_at_once() {
    let flow = read("  - { id: wait, type: agent.wait, input: { taskIds: [] } }");
    let outputs = played(&flow.unwrap(), &ScriptedModel::new()).await.unwrap();
    assert_eq!(outputs["wait"], json!({ "results": [] }));
}

#[tokio::test]
async fn a_cancelled_task_is_a_result_that_says_so() {
    let document = r#"
flow: { name: test }
nodes:
  - { id: start, type: agent.invoke, input: { agent: survey, message: { name: trains }, detached: true } }
  - { id: wait, type: agent.wait, input: { taskIds: "{{ start.taskIds }}" } }
edges: [{ from: start, to: wait }]
"#;
    let flow = DocumentFlow::read("test.yaml", document, &registry()).unwrap();
    let mut run = flow.start(json!({})).unwrap();
    let ctx = Context::default;
    let out = run.run(ctx()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { .. }), "{out:?}");
    run.cancel_task("task_1").unwrap();
    let RunOut::Done(done) = run.run(ctx()).await.unwrap() else {
        panic!("nothing is left to wait for")
    };
    let result =
        json!({ "status": "cancelled", "error": "the task was cancelled", "taskId": "task_1" });
    assert_eq!(done.outputs["wait"], json!({ "results": [result] }));
}

fn refused(input: &str) -> String {
    let error = read(&format!(
        "  - {{ id: start, type: agent.invoke, input: {input} }}"
    ));
    error.err().unwrap_or_else(|| panic!("{input}"))
}

#[test]
fn detached_and_on_done_cannot_be_bindings() {
    for (input, expected) in [
        (
            r#"{ agent: researcher, message: a, detached: "{{ flow.input.detached }}" }"#,
            "`detached` is needed before a run, and cannot be a binding",
        ),
        (
            r#"{ agent: researcher, message: a, detached: true, onDone: "{{ flow.input.end }}" }"#,
            "`onDone` is needed before a run, and cannot be a binding",
        ),
        (
            "{ agent: researcher, message: a, detached: true, onDone: later }",
            "onDone",
        ),
    ] {
        let error = refused(input);
        assert!(error.contains(expected), "{input}: {error}");
    }
}

#[test]
fn what_becomes_of_tasks_when_the_flow_is_done_is_said_of_detached_ones() {
    for detached in ["", ", detached: false"] {
        let error = refused(&format!(
            "{{ agent: researcher, message: a{detached}, onDone: wait }}"
        ));
        assert!(
            error.contains("`onDone` is only for detached tasks"),
            "{error}"
        );
    }
}

#[test]
fn what_is_detached_is_an_agent_that_is_named() {
    assert!(refused("{ detached: true }").contains("it names no agent"));
}

#[tokio::test]
async fn no_tasks_are_waited_for_where_a_binding_says_so() {
    let document = r#"
flow: { name: test, input: { ids: [] } }
nodes:
  - { id: wait, type: agent.wait, input: { taskIds: "{{ flow.input.ids }}" } }
edges: []
"#;
    let flow = DocumentFlow::read("test.yaml", document, &registry()).unwrap();
    let outputs = played(&flow, &ScriptedModel::new()).await.unwrap();
    assert_eq!(outputs["wait"], json!({ "results": [] }));
}

#[tokio::test]
async fn results_have_the_ids_of_the_tasks_that_were_waited_for_also_if_the_binding_finds_others_later()
 {
    let document = r#"
flow: { name: test }
nodes:
  - id: first
    type: agent.invoke
    input:
      detached: true
      targets: [{ agent: survey, message: { name: b } }, { agent: survey, message: { name: c } }]
  - { id: go, type: echo, input: { text: x } }
  - { id: wait, type: agent.wait, input: { taskIds: '{{ start.taskIds | default: ["task_1", "task_2"] }}' } }
  - { id: start, type: agent.invoke, input: { agent: researcher, message: a, detached: true } }
  - { id: check, type: echo, input: { text: "{{ start.taskIds.0 }}" } }
edges:
  - { from: first, to: go }
  - { from: go, to: start }
  - { from: go, to: wait }
  - { from: start, to: check }
  - { from: wait, to: check }
  - from: check
    to: go
    type: loop
    maxIterations: 3
    when: { not: { equals: { var: check.text, value: task_3 } } }
"#;
    let flow = DocumentFlow::read("test.yaml", document, &registry()).unwrap();
    let script = ScriptedModel::new().reply("researcher", text("A."));
    let mut run = flow.start(json!({})).unwrap();
    let outputs = loop {
        match run.run(told(script.clone())).await.unwrap() {
            RunOut::Done(done) => break done.outputs,
            RunOut::Suspend { tool_id, .. } => {
                while run.next(told(script.clone())).await.is_ok() {}
                run.answer(told(script.clone()), &tool_id, "y")
                    .await
                    .unwrap();
            }
            _ => {}
        }
    };
    let results = outputs["wait"]["results"].as_array().unwrap();
    let ids: Vec<&Value> = results.iter().map(|result| &result["taskId"]).collect();
    assert_eq!(ids, ["task_1", "task_2"], "{}", outputs["wait"]);
}

#[tokio::test]
async fn a_used_up_budget_stops_the_run_which_goes_on_with_a_larger_one() {
    for wait in [
        "",
        "\n  - { id: wait, type: agent.wait, input: { taskIds: \"{{ start.taskIds }}\" } }",
    ] {
        let document = format!(
            "flow: {{ name: test }}
nodes:
  - id: start
    type: agent.invoke
    input:
      detached: true
      onDone: wait
      targets: [{{ agent: researcher, message: a }}, {{ agent: researcher, message: b }}]{wait}
edges: {edges}
",
            edges = if wait.is_empty() {
                "[]"
            } else {
                "[{ from: start, to: wait }]"
            },
        );
        let flow = DocumentFlow::read("test.yaml", &document, &registry()).unwrap();
        for bodies in [1, 8] {
            let script = ScriptedModel::new().reply("researcher", text("A."));
            let run = flow.start(json!({})).unwrap().with_concurrency(bodies);
            let mut run = run.with_budget(Budget::new().calls(1));
            let error = run.run(told(script.clone())).await.unwrap_err().to_string();
            assert!(error.contains("budget"), "{error}");
            let stored = serde_json::to_string(&run.snapshot()).unwrap();
            let restored = flow
                .restore(serde_json::from_str(&stored).unwrap())
                .unwrap();
            for run in [run, restored] {
                let mut run = run.with_budget(Budget::new().calls(10));
                let out = run.run(told(script.clone())).await.unwrap();
                assert!(matches!(out, RunOut::Done(_)), "{out:?}");
                let tasks = run.tasks();
                let completed = |task: &TaskSnapshot| task.status == TaskStatus::Completed;
                assert!(tasks.iter().all(completed), "{tasks:?}");
            }
        }
    }
}

#[state]
struct Deep(Value);

#[node]
fn nest(topic: Topic) -> Deep {
    let levels: usize = topic.name.parse().unwrap();
    Deep((0..levels).fold(json!(1), |deep, _| json!([deep])))
}

/// Returns lists in lists.
#[typed_flow(named)]
fn deep(topic: Topic) -> Deep {
    flow! { nest }
}

#[tokio::test]
async fn what_no_snapshot_can_carry_has_failed_before_and_after_a_restore() {
    let agents = AgentRegistry::new().with_agent::<deep>();
    let registry = NodeRegistry::standard().with_agents(agents);
    for (levels, expected) in [(60, "completed"), (124, "failed")] {
        for node in [
            "agent.wait, input: { taskIds: \"{{ start.taskIds }}\" }",
            "agent.invoke, input: { targets: [{ agent: deep, message: { name: \"LEVELS\" } }] }",
        ] {
            let document = r#"
flow: { name: test }
nodes:
  - { id: start, type: agent.invoke, input: { agent: deep, message: { name: "LEVELS" }, detached: true } }
  - { id: found, type: NODE }
  - { id: end, type: echo, input: { text: "{{ found.results.0.status }}" } }
edges: [{ from: start, to: found }, { from: found, to: end }]
"#;
            let document = document
                .replace("NODE", node)
                .replace("LEVELS", &levels.to_string());
            let flow = DocumentFlow::read("test.yaml", &document, &registry).unwrap();
            let mut run = flow.start(json!({})).unwrap();
            let RunOut::Done(done) = run.run(Context::default()).await.unwrap() else {
                panic!("nobody is asked")
            };
            assert_eq!(done.outputs["end"]["text"], expected, "{levels}: {node}");
            let outputs = played(&flow, &ScriptedModel::new()).await.unwrap();
            assert_eq!(outputs["end"]["text"], expected, "{levels}: {node}");
        }
    }
}

#[tokio::test]
async fn the_host_sees_which_remote_agent_runs_where() {
    let there = AgentRegistry::new().with_agent::<researcher>();
    let script = ScriptedModel::new().reply("researcher", text("A."));
    let runner = LoopbackRunner::new(there).with_context(told(script));
    let remote = RunnerConfig::new("loopback");
    let agents = AgentRegistry::new()
        .with_runner(runner)
        .with_remote_agent("researcher", remote.clone());
    let registry = NodeRegistry::standard().with_agents(agents);
    let document = r#"
flow: { name: test }
nodes:
  - { id: start, type: agent.invoke, input: { agent: researcher, message: a, detached: true } }
  - { id: wait, type: agent.wait, input: { taskIds: "{{ start.taskIds }}" } }
edges: [{ from: start, to: wait }]
"#;
    let flow = DocumentFlow::read("test.yaml", document, &registry).unwrap();
    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Done(done) = run.run(Context::default()).await.unwrap() else {
        panic!("nobody is asked")
    };
    assert_eq!(done.outputs["wait"]["results"][0]["result"], text("A."));
    let stored = serde_json::to_string(&run.snapshot()).unwrap();
    let restored = flow
        .restore(serde_json::from_str(&stored).unwrap())
        .unwrap();
    for run in [run, restored] {
        let task = &run.tasks()[0];
        assert_eq!(task.agent_id, "researcher");
        assert_eq!(task.executor, Executor::remote(remote.clone()));
    }
}

#[tokio::test]
async fn tasks_are_started_and_waited_for_in_each_item_of_a_list() {
    let document = r#"
flow: { name: test }
nodes:
  - { id: each, type: control.foreach, input: { list: [a, b], body: [start, wait] } }
  - { id: start, type: agent.invoke, input: { agent: researcher, message: "{{ item }}", detached: true } }
  - { id: wait, type: agent.wait, input: { taskIds: "{{ start.taskIds }}" } }
edges: [{ from: start, to: wait }]
"#;
    let flow = DocumentFlow::read("test.yaml", document, &registry()).unwrap();
    let script = ScriptedModel::new()
        .reply("researcher[1]", text("A."))
        .reply("researcher[2]", text("B."));
    let outputs = played(&flow, &script).await.unwrap();
    let iterations = outputs["each"]["iterations"].as_array().unwrap();
    let result = |item: usize| &iterations[item]["outputs"]["wait"]["results"][0]["result"];
    assert_eq!([result(0), result(1)], [&text("A."), &text("B.")]);
}
