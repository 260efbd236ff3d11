//! Playing a run of a random document, and disturbing it.

use std::{
    collections::BTreeSet,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};

use serde_json::{Map, Value, json};

use super::{
    dice::{Dice, of_text},
    document::{Drawn, WORK},
    reference::{ANSWER, Story, worked},
};
use crate::{
    Context, Entries, FlowRuntime, FlowSnapshot, RunOut, SystemClock,
    document::{DocumentFlow, DocumentOutput, NodeRegistry, NodeType},
    prelude::FlowError,
};

/// No run makes more steps.
const LONGEST: usize = 40_000;

/// How a run is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) seed: u64,
    pub(super) concurrency: usize,
    /// Whether the run is restored from JSON before every step.
    pub(super) restores: bool,
    /// Whether the futures of some steps are dropped.
    pub(super) drops: bool,
    /// Whether bodies sleep; otherwise they only yield, and no time passes.
    pub(super) sleeps: bool,
}

/// What the bodies of a run know of it.
#[derive(Clone, Copy)]
struct Fate(Manner);

/// The flow of a document that was drawn.
pub(super) fn flow(drawn: &Drawn) -> DocumentFlow {
    let node_type = NodeType::new(WORK, "test", "Works, fails, and takes its time.");
    let mut registry = NodeRegistry::standard().with_fn(node_type, work);
    for flow in &drawn.subflows {
        registry = registry.with_flow(flow.clone());
    }
    DocumentFlow::of(drawn.document.clone(), &registry).unwrap()
}

async fn work(input: Value, ctx: Context) -> Result<Value, crate::BoxError> {
    let Fate(manner) = *ctx.dep::<Fate>()?;
    let attempt = ctx.step().attempt();
    let key = format!("{}{:?}{attempt}", input["id"], ctx.step().items());
    let turns = of_text(manner.seed, &key) % 4;
    if manner.sleeps {
        tokio::time::sleep(Duration::from_millis(turns * 3)).await;
    } else {
        yields(turns).await;
    }
    if u64::from(attempt) <= input["fails"].as_u64().unwrap_or_default() {
        return Err("no".into());
    }
    Ok(worked(&input))
}

async fn yields(turns: u64) {
    let mut left = turns;
    poll_fn(|task| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Polls a future so many times, and drops it where it is not done by then.
async fn polled<T>(future: impl Future<Output = T>, times: u64) -> Option<T> {
    let mut future = pin!(future);
    let mut left = times;
    poll_fn(move |task| match future.as_mut().poll(task) {
        Poll::Ready(out) => Poll::Ready(Some(out)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

type Run = FlowRuntime<DocumentFlow>;
type Out = Result<RunOut<DocumentOutput>, FlowError>;

/// A run that is being played.
pub(super) struct Played<'a> {
    flow: &'a DocumentFlow,
    manner: Manner,
    pub(super) run: Run,
    clock: SystemClock,
    dice: Dice,
    stored: Entries,
    pub(super) steps: Vec<String>,
    last: u64,
    /// Whether a step was made since the run was restored.
    has_moved: bool,
}

impl<'a> Played<'a> {
    pub(super) fn new(flow: &'a DocumentFlow, manner: Manner) -> Self {
        Self::of(
            flow,
            manner,
            flow.start(json!({})).unwrap().with_run_id("r"),
        )
    }

    pub(super) fn of(flow: &'a DocumentFlow, manner: Manner, run: Run) -> Self {
        let clock = SystemClock::new();
        Self {
            last: 0,
            run: run.with_clock(clock).with_concurrency(manner.concurrency),
            flow,
            manner,
            clock,
            dice: Dice::new(manner.seed),
            stored: Entries::default(),
            steps: Vec::new(),
            has_moved: true,
        }
    }

    /// What a store has of the run.
    pub(super) fn snapshot(&self) -> FlowSnapshot {
        let json = serde_json::to_string(&self.run.snapshot()).unwrap();
        serde_json::from_str(&json).unwrap()
    }

    fn restore(&mut self) {
        let before = serde_json::to_value(self.run.snapshot()).unwrap();
        let run = self.flow.restore(self.snapshot()).unwrap();
        self.run = run
            .with_clock(self.clock)
            .with_concurrency(self.manner.concurrency);
        assert_eq!(serde_json::to_value(self.run.snapshot()).unwrap(), before);
        // The store has it all.
        self.run.take_changes().unwrap();
    }

    /// What was stored of the run step by step is the run.
    fn check_stored(&self) {
        let stored = FlowSnapshot::from_entries(&self.stored).unwrap();
        let now = serde_json::to_value(self.run.snapshot()).unwrap();
        assert_eq!(serde_json::to_value(stored).unwrap(), now);
    }

    /// Notes the step that was made, if there was one, and stores what has changed.
    fn note(&mut self) {
        self.stored.apply(self.run.take_changes().unwrap());
        if !self.manner.restores {
            self.check_stored();
        }
        let step = self.run.last_step();
        if let Some(step) = step.filter(|step| step.step > self.last) {
            let is_next = step.step == self.last + 1 || self.last == 0;
            assert!(is_next, "a step that nobody saw: {step}");
            self.last = step.step;
            self.steps
                .push(format!("{}{:?} {:?}", step.node, step.items, step.kind));
            self.has_moved = true;
        }
    }

    async fn next(&mut self, answers: bool) -> Option<Out> {
        let ctx = Context::default().with_dep(Fate(self.manner));
        let times = (self.manner.drops && self.dice.is(1, 3)).then(|| self.dice.roll(5));
        let open = self
            .run
            .suspensions()
            .first()
            .map(|open| open.tool_id.clone());
        let step: Pin<Box<dyn Future<Output = Out>>> = match open.filter(|_| answers) {
            Some(id) => Box::pin(self.run.answer(ctx, &id, ANSWER)),
            None => Box::pin(self.run.next(ctx)),
        };
        match times {
            Some(times) => polled(step, times).await,
            None => Some(step.await),
        }
    }

    /// Plays so many steps of the run, and says whether there are more.
    pub(super) async fn play_for(&mut self, steps: usize) -> bool {
        for _ in 0..steps {
            match self.next(false).await {
                Some(Ok(RunOut::Done(_))) => return false,
                Some(Ok(RunOut::Waiting { .. })) => self.run.wait().await,
                Some(Err(FlowError::ResumeRequired(_))) => {
                    if let Some(Ok(RunOut::Done(_))) = self.next(true).await {
                        return false;
                    }
                }
                Some(Err(_)) => return false,
                None | Some(Ok(_)) => {}
            }
        }
        true
    }

    /// Plays the run to its end.
    pub(super) async fn play(&mut self) -> Result<DocumentOutput, FlowError> {
        self.note();
        let mut answers = false;
        for _ in 0..LONGEST {
            if self.manner.restores && self.has_moved {
                self.restore();
                self.has_moved = false;
            }
            let out = self.next(answers).await;
            answers = answers && out.is_none();
            self.note();
            match out {
                None | Some(Ok(RunOut::Continue | RunOut::Suspend { .. })) => {}
                Some(Ok(RunOut::Waiting { .. })) => self.run.wait().await,
                Some(Ok(RunOut::Done(done))) => {
                    self.check_stored();
                    self.restore();
                    return Ok(done);
                }
                Some(Err(FlowError::ResumeRequired(_))) => answers = true,
                Some(Err(error)) => return Err(error),
            }
        }
        panic!(
            "it does not end: {:?}",
            self.steps.iter().rev().take(9).collect::<Vec<_>>()
        );
    }
}

/// Plays the document to its end.
pub(super) async fn play(flow: &DocumentFlow, manner: Manner) -> Story {
    let mut played = Played::new(flow, manner);
    let end = played.play().await;
    let end = end.map(|done| {
        let outputs = done
            .outputs
            .iter()
            .map(|(id, output)| (id.clone(), plain(output)));
        (
            outputs.collect(),
            done.failed.into_iter().collect::<BTreeSet<_>>(),
        )
    });
    Story {
        end: end.map_err(|error| failed_node(&error)),
        steps: played.steps,
    }
}

fn failed_node(error: &FlowError) -> String {
    match error {
        FlowError::Node { node, .. }
        | FlowError::NodeData { node, .. }
        | FlowError::Limit { node, .. }
        | FlowError::Failed { node, .. } => last_of(node).to_owned(),
        other => panic!("{other}"),
    }
}

/// A region is called by its first and its last node.
fn last_of(id: &str) -> &str {
    id.split_once("..").map_or(id, |(_, last)| last)
}

/// An output without the names of sessions, and with what markers say in short.
fn plain(output: &Value) -> Value {
    match output {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) if fields.get("failed") == Some(&json!(true)) => json!({
            "failed": true,
            "kind": fields["error"]["kind"],
            "attempts": fields["attempts"],
        }),
        Value::Object(fields) => {
            let hidden = |name: &str| {
                name == "sessionId" || (name == "count" && fields.contains_key("sessionId"))
            };
            let shown = fields.iter().filter(|(name, _)| !hidden(name));
            let shown: Map<String, Value> =
                shown.map(|(name, it)| (name.clone(), plain(it))).collect();
            Value::Object(shown)
        }
        other => other.clone(),
    }
}
