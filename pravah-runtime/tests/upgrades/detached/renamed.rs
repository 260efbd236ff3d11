//! An agent that has another name in the next version, and its tasks.

use pravah_runtime::{ClientFactory, LoadOptions, ScriptedModel, prelude::*};
use serde_json::json;

use crate::{steps, upgraded_with};

/// An agent that starts a task, which waits for a person.
macro_rules! led_by {
    ($version:ident, $lead:ident) => {
        #[allow(dead_code, reason = "nobody calls the flow as a function")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Question, Topic, Finding, Report);

            /// Asks a person.
            #[tool]
            async fn ask(answer: Resumed<String>) -> Result<String, ToolError> {
                answer.0.ok_or_else(|| ToolError::suspend("?"))
            }

            /// You look things up.
            #[agent(model = "openai://m", output = Finding, tools = [ask])]
            fn researcher(topic: &Topic) -> String {
                topic.n.to_string()
            }

            /// You write reports.
            #[agent(model = "openai://m", output = Report, agents = [researcher], delegation(join = [single, detached]))]
            fn $lead(question: &Question) -> String {
                question.n.to_string()
            }

            #[flow(named)]
            pub(super) fn desk(question: Question) -> Report {
                flow! { $lead }
            }
        }
    };
}
led_by!(led, lead);
led_by!(led_by_another, chief);

fn models(script: ScriptedModel) -> ClientFactory {
    ClientFactory::new().with_scripted(script.for_several_flows())
}

#[tokio::test]
async fn an_agent_with_another_name_manages_the_tasks_that_it_has_started() {
    let call = json!({ "agent": "researcher", "context": "independent", "join": "detached", "prompt": "Go." });
    let script =
        ScriptedModel::new()
            .call("lead", "call_agent", call)
            .call("researcher", "ask", json!({}));
    let run = FlowRuntime::<led::desk>::start(led::Question { n: 1 }).unwrap();
    let mut run = run.with_factory(models(script));
    steps(&mut run, 2).await;

    let version = led::desk::graph().unwrap().version();
    let options = LoadOptions::new().with_version(version);
    let after = upgraded_with::<led_by_another::desk, _>(&run, &options).unwrap();
    // It was asked once, under the other name.
    let script = ScriptedModel::new()
        .call("chief", "list_tasks", json!({}))
        .call("chief", "get_task", json!({ "task_id": "task_1" }));
    let mut after = after.with_factory(models(script));
    for _ in 0..4 {
        let _ = after.next(Context::default()).await;
    }
    let agent = serde_json::to_value(after.snapshot()).unwrap()["agents"]["Question"].to_string();
    assert!(agent.contains("\"name\":\"get_task\",\"text\""), "{agent}");
    assert!(!agent.contains("you have started no task"), "{agent}");
}
