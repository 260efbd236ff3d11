//! Nodes of the builder that call agents and flows.

use pravah_runtime::{
    Agent, AgentConfig, Budget, FlowGraphBuilder,
    invocation::{AgentRegistry, TaskStatus},
    prelude::*,
};
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
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
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

/// Runs to the end, restored after every step. Returns the output, and the run.
async fn played<F: Flow>(input: F, script: ScriptedModel) -> (F::Output, FlowRuntime<F>) {
    let factory = ClientFactory::new().with_scripted(script);
    let mut run = FlowRuntime::new(input)
        .unwrap()
        .with_factory(factory.clone());
    loop {
        if let RunOut::Done(output) = run.next(Context::default()).await.unwrap() {
            return (output, run);
        }
        let stored = serde_json::to_string(&run).unwrap();
        let restored: FlowRuntime<F> = serde_json::from_str(&stored).unwrap();
        run = restored.with_factory(factory.clone());
    }
}

fn topics(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn each_call_is_a_task_and_says_how_it_ended() {
    let script = ScriptedModel::new()
        .reply("researcher[0]", json!({ "text": "A." }))
        .error("researcher[1]", "out of order")
        .reply("researcher[2]", json!({ "text": "C." }));
    let topics = topics(&["a", "b", "c"]);
    let (report, _) = played(Plan { topics }, script).await;
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

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Survey {
    topics: Vec<String>,
}

/// What a node takes that starts detached tasks, and goes on without waiting for them.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Background {
    topics: Vec<String>,
}

fn starting<From>(
    on_done: OnDone,
    topics: impl Fn(From) -> Vec<String> + Send + Sync + 'static,
) -> FlowGraphBuilder
where
    From: Serialize + for<'de> Deserialize<'de> + JsonSchema + Send + Sync + 'static,
{
    let start = move |from, _ctx| {
        let topics = topics(from);
        async move { Ok(Invoke::detached(calls(Plan { topics }))) }
    };
    FlowGraph::builder().invoke_detached::<From, _, _>(&researchers(), on_done, start)
}

impl Flow for Survey {
    type Output = Each<TaskResult<Finding>>;

    fn build() -> Result<FlowGraph, FlowError> {
        starting(OnDone::Cancel, |survey: Survey| survey.topics)
            .invoke_settled::<Tasks, Finding, _, _>(&researchers(), |tasks, _ctx| async move {
                Ok(tasks.wait_settled())
            })
            .build()
    }
}

impl Flow for Background {
    type Output = Report;

    fn build() -> Result<FlowGraph, FlowError> {
        starting(OnDone::Wait, |start: Background| start.topics)
            .work::<Tasks, Report, _, _>(|tasks, _ctx| async move {
                let text = tasks.task_ids().join(" ");
                Ok(Report { text })
            })
            .build()
    }
}

#[tokio::test]
async fn a_node_starts_detached_tasks_and_another_one_waits_for_them() {
    let script = ScriptedModel::new()
        .reply("researcher[1]", json!({ "text": "A." }))
        .error("researcher[2]", "out of order");
    let topics = topics(&["a", "b"]);
    let (results, run) = played(Survey { topics }, script).await;
    assert_eq!(results[0].output().unwrap().text, "A.");
    assert!(matches!(results[1], TaskResult::Failed { .. }));
    let statuses: Vec<TaskStatus> = run.tasks().iter().map(|task| task.status).collect();
    assert_eq!(statuses, [TaskStatus::Completed, TaskStatus::Failed]);
}

#[tokio::test]
async fn a_run_waits_for_the_detached_tasks_of_a_node_that_asks_for_it() {
    let script = ScriptedModel::new().reply("researcher", json!({ "text": "A." }));
    let start = Background {
        topics: topics(&["a"]),
    };
    let (report, run) = played(start, script).await;
    assert_eq!(report.text, "task_1");
    assert_eq!(run.tasks()[0].status, TaskStatus::Completed);
    assert_eq!(run.tasks()[0].agent_id, "researcher");
}

#[test]
fn detached_tasks_may_be_those_of_agents_that_return_different_things() {
    let agents = researchers().with_agent::<Claim>();
    let start = |plan, _ctx| async move { Ok(Invoke::detached(calls(plan))) };
    let build = FlowGraph::builder()
        .invoke_detached::<Plan, _, _>(&agents, OnDone::Cancel, start)
        .build();
    assert!(build.is_ok(), "{:?}", build.err());
}

#[test]
fn a_node_that_starts_detached_tasks_is_made_with_invoke_detached() {
    let build = FlowGraph::builder()
        .invoke::<Plan, Tasks, _, _>(&researchers(), |plan, _ctx| async move {
            Ok(Invoke::detached(calls(plan)))
        })
        .build();
    let error = build.err().unwrap().to_string();
    assert!(
        error.contains("it outputs `Tasks`: make the node with `invoke_detached`"),
        "{error}"
    );
}

#[tokio::test]
async fn a_used_up_budget_stops_the_run_which_goes_on_with_a_larger_one() {
    let script = ScriptedModel::new().reply("researcher", json!({ "text": "A." }));
    let factory = ClientFactory::new().with_scripted(script);
    let survey = Survey {
        topics: topics(&["a", "b"]),
    };
    let run = FlowRuntime::new(survey).unwrap().with_factory(factory);
    let mut run = run.with_budget(Budget::new().calls(1));
    let error = run.run(Context::default()).await.unwrap_err().to_string();
    assert!(error.contains("budget"), "{error}");
    let mut run = run.with_budget(Budget::new().calls(10));
    let RunOut::Done(results) = run.run(Context::default()).await.unwrap() else {
        panic!("nobody is asked")
    };
    assert!(results.iter().all(|result| result.output().is_some()));
}

/// Starts agents that return something else than its second node waits for.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Mixed {
    topics: Vec<String>,
}

impl Flow for Mixed {
    type Output = Each<TaskResult<Counted>>;

    fn build() -> Result<FlowGraph, FlowError> {
        let counting = AgentRegistry::new().with_agent_named::<Sum>("researcher");
        starting(OnDone::Cancel, |mixed: Mixed| mixed.topics)
            .invoke_settled::<Tasks, Counted, _, _>(&counting, |tasks, _ctx| async move {
                Ok(tasks.wait_settled())
            })
            .build()
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Counted {
    count: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Sum {}

impl Agent for Sum {
    type Output = Counted;

    fn build() -> AgentConfig {
        AgentConfig::new("You count.", "openai://m")
    }
}

#[tokio::test]
async fn a_task_that_has_returned_something_else_than_is_waited_for_is_one_that_failed() {
    let script = ScriptedModel::new().reply("researcher", json!({ "text": "A." }));
    let topics = topics(&["a", "b"]);
    let (results, _) = played(Mixed { topics }, script).await;
    for (number, result) in (1..).zip(&results) {
        let TaskResult::Failed { kind, message } = result else {
            panic!("{result:?}")
        };
        assert_eq!(*kind, FailureKind::Data);
        let expected = format!("what `task_{number}` has returned does not fit: ");
        assert!(message.contains(&expected), "{message}");
    }
}
