//! Calls of a remote agent.

use pravah_runtime::invocation::TaskStatus;

use super::*;

/// You write.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [archivist],
    delegation(context = [independent, inherited], join = [single, all, detached], on_done = wait),
)]
fn writer(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn writing(question: Question) -> Report {
    flow! { writer }
}

#[node(agents = [archivist])]
fn ask_both(_: &Question) -> Invoke<Each<Finding>> {
    Invoke::all(["trains", "ferries"].map(|name| {
        archivist::invoke(Topic {
            name: name.to_owned(),
        })
    }))
}

#[node]
fn put_together(findings: Each<Finding>) -> Report {
    let texts: Vec<&str> = findings.iter().map(|finding| &*finding.text).collect();
    Report {
        text: texts.join(" "),
    }
}

#[flow(named)]
fn both(question: Question) -> Report {
    flow! { ask_both -> put_together }
}

fn question() -> Question {
    Question {
        text: "Trains?".to_owned(),
    }
}

fn call(arguments: Value) -> ScriptedModel {
    ScriptedModel::new()
        .call("writer", "call_agent", arguments)
        .call("writer", "submit", json!({ "text": "Done." }))
}

/// Runs the writer, whose model makes this call first, with an archive that answers twice.
async fn write(arguments: Value) -> (Recorder, Recorder, FlowRuntime<writing>) {
    let (here, there) = (
        Recorder::new(call(arguments)),
        Recorder::new(archive_script()),
    );
    let run = writing::start(question())
        .unwrap()
        .with_factory(here.factory());
    let mut run = run.with_runner(archive(&there));
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    (here, there, run)
}

#[tokio::test]
async fn a_model_calls_it_with_a_prompt_and_reads_what_it_has_returned() {
    let arguments = json!({ "agent": "archivist", "prompt": "Look up trains." });
    let (here, there, _) = write(arguments).await;
    assert_eq!(there.prompt(), "Look up trains.");
    assert_eq!(here.results()[0].text.to_string(), r#"{"text":"A train."}"#);
    let tool = &here.asked()[0].tools[0];
    assert!(
        tool.description
            .contains("- `archivist` (takes `prompt`): Looks things up in the archive.")
    );
}

#[tokio::test]
async fn a_remote_agent_refuses_an_inherited_context() {
    let arguments = json!({ "agent": "archivist", "prompt": "Look up.", "context": "inherited" });
    let (here, there, _) = write(arguments).await;
    assert!(there.asked().is_empty());
    let told = here.results()[0].text.to_string();
    assert!(
        told.contains("`archivist` knows nothing of the conversation"),
        "{told}"
    );
}

#[tokio::test]
async fn it_can_be_one_of_several_and_run_in_the_background() {
    let target = json!({ "agent": "archivist", "prompt": "Look up trains." });
    let (here, there, _) = write(json!({ "join": "all", "targets": [target, target] })).await;
    assert_eq!(there.asked().len(), 4);
    let told = here.results()[0].text.to_string();
    assert_eq!(
        told.matches(r#""content":{"text":"A train."}"#).count(),
        2,
        "{told}"
    );

    let (_, there, run) = write(json!({ "join": "detached", "targets": [target] })).await;
    assert_eq!(there.asked().len(), 2);
    let [task] = &run.tasks()[..] else {
        panic!("one task")
    };
    assert_eq!(
        (&*task.agent_id, task.status),
        ("archivist", TaskStatus::Completed)
    );
    assert_eq!(task.executor, Executor::remote(loopback()));
}

#[tokio::test]
async fn a_node_calls_it_and_what_it_is_told_its_own_function_writes() {
    for bodies in [1, 8] {
        let there = Recorder::new(archive_script());
        let run = both::start(question()).unwrap().with_concurrency(bodies);
        let mut run = run.with_runner(archive(&there));
        assert_eq!(output(run.run(ctx()).await).text, "A train. A train.");
        let mut prompts: Vec<String> = there
            .asked()
            .iter()
            .filter(|asked| asked.messages.len() == 1)
            .map(|asked| asked.messages[0].user_text().unwrap())
            .collect();
        prompts.sort();
        assert_eq!(prompts, ["What of ferries?", "What of trains?"]);
    }
}

mod sealed {
    use pravah_runtime::{Agent, Constraints, Delegation, FlowGraph};

    use super::*;

    impl Agent for Question {
        type Output = Report;

        fn build() -> AgentConfig {
            AgentConfig::new("You write.", "openai://m")
                .with_delegation(Delegation::new().with_agent::<archivist>())
                .with_constraints(Constraints::new().no_network())
        }
    }

    impl Flow for Question {
        type Output = Report;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder().agent::<Self>().build()
        }
    }
}

#[test]
fn an_agent_without_network_cannot_call_a_remote_one() {
    let error = FlowRuntime::new(question()).map(|_| ()).unwrap_err();
    let why = "it is a remote agent, and its caller is under `no_network`";
    assert!(error.to_string().contains(why), "{error}");
}
