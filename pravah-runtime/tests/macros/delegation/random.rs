//! Random trees of calls: whatever interrupts a run, it comes to what it comes to without that.

use futures_util::FutureExt as _;
use pravah_runtime::prelude::*;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Finding, Question, Report, ctx, question, text, told};
use crate::macros_support::{Recorder, restart};

/// Waits for other tasks to have a turn.
#[tool]
async fn pause(turns: u8) -> Result<String, ToolError> {
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
    Ok("rested".to_owned())
}

/// Asks a person.
#[tool]
async fn ask(answer: Resumed<String>) -> Result<String, ToolError> {
    answer.0.ok_or_else(|| ToolError::suspend("?"))
}

/// Breaks down.
#[tool]
async fn break_down() -> Result<String, ToolError> {
    Err(ToolError::fatal("broken"))
}

/// You do one thing.
#[agent(model = "openai://m", output = Finding, tools = [pause, ask, break_down])]
fn leaf(question: &Question) -> String {
    question.text.clone()
}

/// You have others do things.
#[agent(model = "openai://m", output = Finding, tools = [pause], agents = [leaf])]
fn branch(question: &Question) -> String {
    question.text.clone()
}

/// You have others do more.
#[agent(
    model = "openai://m",
    output = Report,
    tools = [pause],
    agents = [branch, leaf],
    delegation(max_depth = 2, max_children = 100),
)]
fn root(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn growing(question: Question) -> Report {
    flow! { root }
}

/// What a model asks for in one answer.
#[derive(Clone, Debug)]
enum Call {
    Pause(u8),
    Leaf(Leaf),
    Branch(Vec<Call>),
}

/// What a leaf does before it answers.
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

fn calls(depth: u32) -> BoxedStrategy<Vec<Call>> {
    let one = prop_oneof![
        (0..4_u8).prop_map(Call::Pause),
        leaves().prop_map(Call::Leaf),
    ];
    match depth {
        0 => prop::collection::vec(one, 1..4).boxed(),
        _ => {
            let branch = calls(depth - 1).prop_map(Call::Branch);
            prop::collection::vec(prop_oneof![one, branch], 1..5).boxed()
        }
    }
}

/// What a model reads of a leaf that breaks down.
const BROKEN: &str = "the call failed: tool `break_down` of agent `leaf` failed: broken";

/// The script of a tree.
#[derive(Default)]
struct Plan(ScriptedModel);

impl Plan {
    fn turn(&mut self, agent: &str, calls: Vec<(&str, Value)>) {
        self.0 = std::mem::take(&mut self.0).calls(agent, calls);
    }

    /// The answers of `agent`, in the items `at`, which makes these calls; returns what they are answered with.
    fn calls(&mut self, agent: &str, at: &str, calls: &[Call]) -> Vec<String> {
        let mut task = 0;
        let mut turn = Vec::new();
        let mut results = Vec::new();
        for call in calls {
            let (made, result) = match call {
                Call::Pause(turns) => (("pause", json!({ "turns": turns })), "rested".to_owned()),
                Call::Leaf(leaf) => {
                    let result = self.leaf(&format!("leaf{at}[{task}]"), *leaf);
                    task += 1;
                    (("call_agent", told("leaf", "Go.")), result)
                }
                Call::Branch(calls) => {
                    let at = format!("{at}[{task}]");
                    let results = self.calls(&format!("branch{at}"), &at, calls);
                    task += 1;
                    let submitted = text(&results.join(" "));
                    self.turn(&format!("branch{at}"), vec![("submit", submitted.clone())]);
                    (("call_agent", told("branch", "Go.")), submitted.to_string())
                }
            };
            turn.push(made);
            results.push(result);
        }
        self.turn(agent, turn);
        results
    }

    fn leaf(&mut self, agent: &str, leaf: Leaf) -> String {
        let call = match leaf {
            Leaf::Nothing => None,
            Leaf::Pause(turns) => Some(("pause", json!({ "turns": turns }))),
            Leaf::Ask => Some(("ask", json!({}))),
            Leaf::BreakDown => Some(("break_down", json!({}))),
        };
        if let Some(call) = call {
            self.turn(agent, vec![call]);
        }
        if let Leaf::BreakDown = leaf {
            return BROKEN.to_owned();
        }
        let found = text(agent);
        self.turn(agent, vec![("submit", found.clone())]);
        found.to_string()
    }
}

/// The script of a tree, with what the calls of its root are answered with.
fn planned(calls: &[Call]) -> (ScriptedModel, Vec<String>) {
    let mut plan = Plan::default();
    let results = plan.calls("root", "", calls);
    plan.turn("root", vec![("submit", text("Done."))]);
    (plan.0, results)
}

/// What interrupts a run after each of its steps, over and over.
#[derive(Clone, Debug)]
pub(crate) enum Interruption {
    Nothing,
    Restart,
    /// The next step is polled so often and then dropped.
    Drop(u8),
    /// So many bodies at the same time from now on.
    Bodies(usize),
}

pub(crate) fn interruptions() -> impl Strategy<Value = Vec<Interruption>> {
    let one = prop_oneof![
        Just(Interruption::Nothing),
        Just(Interruption::Restart),
        (1..4_u8).prop_map(Interruption::Drop),
        prop_oneof![Just(1), Just(2), Just(8)].prop_map(Interruption::Bodies),
    ];
    prop::collection::vec(one, 1..12)
}

async fn interrupted(script: ScriptedModel, by: &[Interruption]) -> (Report, Recorder) {
    let model = Recorder::new(script);
    let run = growing::start(question()).unwrap();
    let mut run = run.with_factory(model.factory());
    let mut interruptions = by.iter().cycle();
    let mut announced = 0;
    for _ in 0..2_000 {
        let answers = match run.next(ctx()).await {
            Ok(RunOut::Done(report)) => {
                assert!(run.suspensions().is_empty());
                return (report, model);
            }
            // A run that was restored announces its questions anew.
            Ok(RunOut::Suspend { .. }) => {
                announced += 1;
                announced % 3 == 0
            }
            Ok(_) => false,
            Err(FlowError::ResumeRequired(_)) => true,
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
            Interruption::Restart => run = restart(&run).with_factory(model.factory()),
            Interruption::Drop(polls) => {
                let mut step = Box::pin(run.next(ctx()));
                let ended = (0..*polls).any(|_| step.as_mut().now_or_never().is_some());
                drop(step);
                if ended && run.output().unwrap().is_some() {
                    return (run.output().unwrap().unwrap().as_ref().clone(), model);
                }
            }
            Interruption::Bodies(bodies) => run = run.with_concurrency(*bodies),
        }
    }
    panic!("it loops forever");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_interrupts_it_a_tree_of_agents_comes_to_the_same_results(
        tree in calls(1),
        by in interruptions(),
    ) {
        let (script, results) = planned(&tree);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (report, model) = runtime.block_on(interrupted(script, &by));
        prop_assert_eq!(report.text, "Done.");
        let read: Vec<String> = model.results().iter().map(|result| result.text.to_string()).collect();
        prop_assert_eq!(read, results);
    }
}
