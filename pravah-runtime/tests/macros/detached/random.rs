//! Random trees of agents that start detached ones: whatever interrupts a run, all tasks come to an end, each as it does
//! without that, and no model is asked twice unless a step was dropped.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use futures_util::FutureExt as _;
use pravah_runtime::{
    Arguments, ModelClient, ModelFuture, ModelRequest, ModelResponse, ToolCall, prelude::*,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Finding, Question, Report, ask, break_down, ctx, text};
use crate::{
    delegation::random::{Interruption, interruptions},
    macros_support::restart,
};

/// Waits for other tasks to have a turn.
#[tool]
async fn pause(turns: u8) -> Result<String, ToolError> {
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
    Ok("rested".to_owned())
}

/// You do one thing.
#[agent(model = "openai://m", output = Finding, tools = [pause, ask, break_down])]
fn leaf(question: &Question) -> String {
    question.text.clone()
}

/// You have others do things.
#[agent(
    model = "openai://m",
    output = Finding,
    agents = [leaf],
    tools = [pause],
    delegation(join = [single, all, detached], on_done = wait, max_children = 100),
)]
fn branch(question: &Question) -> String {
    question.text.clone()
}

/// You have others do more.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [branch, leaf],
    tools = [pause],
    delegation(join = [single, all, detached], on_done = wait, max_depth = 2, max_children = 100),
)]
fn root(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn growing(question: Question) -> Report {
    flow! { root }
}

/// What one answer of an agent asks for.
#[derive(Clone, Debug)]
enum Turn {
    Pause(u8),
    /// Detached agents.
    Start(Vec<Agent>),
    /// Others for whose results it waits.
    Call(Vec<Agent>),
    /// It waits for the last task that it has started.
    Wait,
    List,
}

#[derive(Clone, Debug)]
enum Agent {
    Leaf(Leaf),
    Branch(Vec<Turn>),
}

#[derive(Clone, Copy, Debug)]
enum Leaf {
    Nothing,
    Pause(u8),
    Ask,
    BreakDown,
}

fn leaves() -> impl Strategy<Value = Leaf> {
    prop_oneof![
        Just(Leaf::Nothing),
        (0..4_u8).prop_map(Leaf::Pause),
        Just(Leaf::Ask),
        Just(Leaf::BreakDown),
    ]
}

fn agents(depth: u32) -> BoxedStrategy<Agent> {
    let leaf = leaves().prop_map(Agent::Leaf);
    match depth {
        0 => leaf.boxed(),
        _ => prop_oneof![2 => leaf, 1 => turns(depth - 1).prop_map(Agent::Branch)].boxed(),
    }
}

fn turns(depth: u32) -> BoxedStrategy<Vec<Turn>> {
    let several = || prop::collection::vec(agents(depth), 1..3);
    let one = prop_oneof![
        1 => (0..4_u8).prop_map(Turn::Pause),
        3 => several().prop_map(Turn::Start),
        1 => several().prop_map(Turn::Call),
        2 => Just(Turn::Wait),
        1 => Just(Turn::List),
    ];
    prop::collection::vec(one, 0..4).boxed()
}

/// Answers as a random tree says: which agent is which is in its prompt.
#[derive(Clone)]
struct TreeModel {
    turns: Vec<Turn>,
    /// How often each agent was asked, by its prompt and the number of its turn; and what it has read.
    asked: Arc<Mutex<BTreeMap<(String, usize), usize>>>,
    read: Arc<Mutex<BTreeMap<String, Vec<Value>>>>,
}

/// Which turn of which agents leads to one: `0.1/2.0`.
fn find<'a>(turns: &'a [Turn], at: &str) -> Option<&'a Agent> {
    let (first, rest) = at
        .split_once('/')
        .map_or((at, None), |(it, rest)| (it, Some(rest)));
    let (turn, index) = first.split_once('.')?;
    let turn = turns.get(turn.parse::<usize>().ok()?)?;
    let (Turn::Start(agents) | Turn::Call(agents)) = turn else {
        return None;
    };
    let agent = agents.get(index.parse::<usize>().ok()?)?;
    match (rest, agent) {
        (None, agent) => Some(agent),
        (Some(rest), Agent::Branch(turns)) => find(turns, rest),
        (Some(_), Agent::Leaf(_)) => None,
    }
}

fn call(name: &str, arguments: Value) -> ModelResponse {
    ModelResponse::calls([ToolCall::new("", name, Arguments::Json(arguments))])
}

impl ModelClient for TreeModel {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move { Ok(self.answer(request)) })
    }
}

impl TreeModel {
    fn answer(&self, request: &ModelRequest) -> ModelResponse {
        let at = request.messages[0].user_text().unwrap().to_string();
        let made = super::results_of(request);
        let key = (at.clone(), made.len());
        *self.asked.lock().unwrap().entry(key).or_default() += 1;
        // The ids of tasks depend on what was committed first.
        let of_calls = made
            .iter()
            .filter_map(|result| result["results"].as_array());
        let of_calls = of_calls
            .flatten()
            .map(|result| json!([result["content"], result["status"]]));
        self.read
            .lock()
            .unwrap()
            .insert(at.clone(), of_calls.collect());
        let agent = match &*at {
            "Go." => None,
            at => find(&self.turns, at),
        };
        match agent {
            None => Self::turn(&self.turns, "", &made),
            Some(Agent::Branch(turns)) => Self::turn(turns, &format!("{at}/"), &made),
            Some(Agent::Leaf(leaf)) => match (leaf, made.is_empty()) {
                (Leaf::Pause(turns), true) => call("pause", json!({ "turns": turns })),
                (Leaf::Ask, true) => call("ask", json!({})),
                (Leaf::BreakDown, true) => call("break_down", json!({})),
                _ => call("submit", text(&at)),
            },
        }
    }

    /// What an agent asks for that has made as many calls as there are results.
    fn turn(turns: &[Turn], at: &str, made: &[Value]) -> ModelResponse {
        let number = made.len();
        let Some(turn) = turns.get(number) else {
            return call("submit", text("Done."));
        };
        let started = made
            .iter()
            .rev()
            .find_map(|result| result["task_ids"].as_array()?.last());
        match turn {
            Turn::Pause(turns) => call("pause", json!({ "turns": turns })),
            Turn::List => call("list_my_tasks", json!({})),
            Turn::Wait => match started {
                Some(id) => call(
                    "wait_task",
                    json!({ "task_id": id, "timeout_seconds": 1_000_000 }),
                ),
                None => call("pause", json!({ "turns": 0 })),
            },
            Turn::Start(agents) | Turn::Call(agents) => {
                let target = |(index, agent): (usize, &Agent)| {
                    let name = match agent {
                        Agent::Leaf(_) => "leaf",
                        Agent::Branch(_) => "branch",
                    };
                    json!({ "agent": name, "prompt": format!("{at}{number}.{index}") })
                };
                let targets: Vec<Value> = agents.iter().enumerate().map(target).collect();
                let join = if let Turn::Start(_) = turn {
                    "detached"
                } else {
                    "all"
                };
                call("call_agent", json!({ "join": join, "targets": targets }))
            }
        }
    }
}

/// What came of a run: its tasks, and what agents have read of those that they have called.
#[derive(Debug, PartialEq)]
struct Outcome {
    tasks: Vec<String>,
    read: BTreeMap<String, Vec<Value>>,
}

async fn outcome(turns: &[Turn], by: &[Interruption]) -> (Outcome, usize) {
    let model = TreeModel {
        turns: turns.to_vec(),
        asked: Arc::default(),
        read: Arc::default(),
    };
    let factory = || ClientFactory::new().with_client(Arc::new(model.clone()));
    let go = Question { text: "Go.".into() };
    let mut run = growing::start(go).unwrap().with_factory(factory());
    let mut interruptions = by.iter().cycle();
    let mut announced = 0;
    for _ in 0..5_000 {
        let answers = match run.next(ctx()).await {
            Ok(RunOut::Done(_)) | Err(FlowError::Finished) => {
                assert!(run.suspensions().is_empty());
                let tasks = run.tasks().into_iter();
                let mut tasks: Vec<String> = tasks
                    .map(|task| {
                        assert!(task.status.has_ended());
                        assert!(task.ended_at.is_some());
                        format!("{} {:?} {:?}", task.agent_id, task.status, task.preview)
                    })
                    .collect();
                tasks.sort();
                let read = model.read.lock().unwrap().clone();
                let most = model.asked.lock().unwrap().values().copied().max();
                return (Outcome { tasks, read }, most.unwrap_or_default());
            }
            // A run that was restored announces its questions anew.
            Ok(RunOut::Suspend { .. }) => {
                announced += 1;
                announced % 3 == 0
            }
            Ok(RunOut::Continue) => false,
            Ok(RunOut::Waiting { .. }) | Err(FlowError::ResumeRequired(_)) => true,
            Err(error) => panic!("{error}"),
        };
        if answers {
            let open = run.suspensions();
            let answered = &open[run.model_calls() as usize % open.len()];
            let answer = run.answer(ctx(), &answered.tool_id, "an answer").await;
            answer.unwrap();
        }
        match interruptions.next().unwrap() {
            Interruption::Nothing => {}
            Interruption::Restart => run = restart(&run).with_factory(factory()),
            Interruption::Drop(polls) => {
                let mut step = Box::pin(run.next(ctx()));
                let _ = (0..*polls).any(|_| step.as_mut().now_or_never().is_some());
            }
            Interruption::Bodies(bodies) => run = run.with_concurrency(*bodies),
        }
    }
    panic!("it loops forever");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_interrupts_a_run_all_of_its_tasks_end_as_they_do_without_that(
        turns in turns(1),
        by in interruptions(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build().unwrap();
        let (whole, _) = runtime.block_on(outcome(&turns, &[Interruption::Nothing]));
        let (interrupted, most) = runtime.block_on(outcome(&turns, &by));
        prop_assert_eq!(interrupted, whole);
        let drops = by.iter().any(|it| matches!(it, Interruption::Drop(_)));
        prop_assert!(most <= 1 || drops);
    }
}
