//! Nodes of the builder that call agents and flows.

use pravah_runtime::{Agent, AgentConfig, invocation::AgentRegistry, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Plan {
    topics: Vec<String>,
}
#[derive(Serialize, Deserialize, JsonSchema)]
struct Topic {
    name: String,
}
#[derive(Serialize, Deserialize, JsonSchema)]
struct Finding {
    text: String,
}
#[derive(Serialize, Deserialize, JsonSchema)]
struct Report {
    text: String,
}
#[derive(Serialize, Deserialize, JsonSchema)]
struct Claim {
    text: String,
}

impl Agent for Topic {
    type Output = Finding;

    fn build() -> AgentConfig {
        AgentConfig::new("You look things up.", "openai://m")
    }
}

impl Agent for Claim {
    type Output = Report;

    fn build() -> AgentConfig {
        AgentConfig::new("You write.", "openai://m")
    }
}

fn researchers() -> AgentRegistry {
    AgentRegistry::new().with_agent_named::<Topic>("researcher")
}

fn calls(plan: Plan) -> impl Iterator<Item = Invoke<Finding>> {
    let topics = plan.topics.into_iter();
    topics.map(|name| Invoke::agent(Topic { name }))
}

impl Flow for Plan {
    type Output = Report;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .clones::<Plan>()
            .invoke_settled::<Plan, Finding, _, _>(&researchers(), |plan, _ctx| async move {
                Ok(Invoke::settled(calls(plan)))
            })
            .work::<Each<TaskResult<Finding>>, Report, _, _>(|results, _ctx| async move {
                let texts = results.into_iter().map(|result| match result {
                    TaskResult::Completed { output } => output.text,
                    TaskResult::Failed { message, .. } => message,
                });
                Ok(Report {
                    text: texts.collect::<Vec<_>>().join(" "),
                })
            })
            .build()
    }
}

#[tokio::test]
async fn each_call_is_a_task_and_says_how_it_ended() {
    let script = ScriptedModel::new()
        .reply("researcher[0]", json!({ "text": "A." }))
        .error("researcher[1]", "out of order")
        .reply("researcher[2]", json!({ "text": "C." }));
    let factory = ClientFactory::new().with_scripted(script);
    let plan = Plan {
        topics: ["a", "b", "c"].map(str::to_owned).to_vec(),
    };
    let mut run = FlowRuntime::new(plan)
        .unwrap()
        .with_factory(factory.clone());
    let report = loop {
        match run.next(Context::default()).await.unwrap() {
            RunOut::Done(report) => break report,
            _ => {
                let stored = serde_json::to_string(&run).unwrap();
                let restored: FlowRuntime<Plan> = serde_json::from_str(&stored).unwrap();
                run = restored.with_factory(factory.clone());
            }
        }
    };
    let expected = "A. the model of agent `researcher` failed: upstream model error C.";
    assert_eq!(report.text, expected);
}

#[test]
fn an_agent_that_returns_something_else_is_a_problem_of_the_graph() {
    let agents = researchers().with_agent::<Claim>();
    let build = FlowGraph::builder()
        .invoke_all::<Plan, Finding, _, _>(&agents, |plan, _ctx| async move {
            Ok(Invoke::all(calls(plan)))
        })
        .build();
    let error = build.err().unwrap().to_string();
    assert!(
        error.contains(
            "`Plan` cannot run: it may call `Claim`, which returns `Report` and not `Finding`"
        ),
        "{error}"
    );
}

#[test]
fn a_registry_without_agents_is_a_problem_of_the_graph() {
    let build = FlowGraph::builder()
        .invoke::<Plan, Finding, _, _>(&AgentRegistry::new(), |plan, _ctx| async move {
            Ok(Invoke::agent(Topic {
                name: plan.topics.concat(),
            }))
        })
        .build();
    let error = build.err().unwrap().to_string();
    assert!(error.contains("the registry has no agents"), "{error}");
}
