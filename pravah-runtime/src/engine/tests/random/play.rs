//! Playing a run of a random flow, and disturbing it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use futures_util::future::{OptionFuture, join};
use proptest::prelude::*;
use serde_json::Value;

use super::{
    super::json,
    bodies::{Fate, Number},
    commands::{Sending, Ticks, is_replied, sending},
    stored::{assert_once, what_waits},
    watch::Watcher,
};
use crate::{
    Budget, ClientFactory, Context, Entries, FlowDef, FlowEnds, FlowError, FlowGraph, FlowRuntime,
    FlowSnapshot, LoadOptions, RunOut, RunStatus, StepKind, SystemClock, WaitReason,
    engine::{run::Run, state::RunState},
    flow::Known,
    state::{AsNoted, Live},
};

/// A flow that was drawn: the runtime keeps one graph for each type, and these have one for each case.
pub(super) struct Random;

impl FlowEnds for Random {
    type Input = Number;
    type Output = Number;
}

impl FlowDef for Random {
    fn graph() -> Result<FlowGraph, FlowError> {
        Err(FlowError::NotFound("the graph of all random flows".into()))
    }

    fn node_id() -> String {
        "Random".into()
    }
}

/// A flow, and the process that runs it.
pub(super) struct Machine {
    known: Arc<Known>,
    pub(super) fate: Fate,
    clock: SystemClock,
    concurrency: usize,
    /// What its runs may spend, if that is limited.
    pub(super) budget: Option<Budget>,
    /// Whether somebody watches the run: where nobody does, the fast path makes some of its steps.
    pub(super) is_watched: bool,
    watcher: Option<Watcher>,
    ticks: Ticks,
}

impl Machine {
    pub(super) fn new(graph: &FlowGraph, seed: u64, concurrency: usize) -> Self {
        let fate = Fate::new(seed);
        Self {
            known: Arc::new(Known {
                graph: graph.clone(),
                id: Random::node_id().into(),
                name: Random::node_id().into(),
                phase: None,
                output: Arc::new(AsNoted::<Number>::or(None)),
            }),
            is_watched: fate.is_watched(),
            fate,
            clock: SystemClock::new(),
            concurrency,
            budget: None,
            watcher: None,
            ticks: Ticks::default(),
        }
    }

    fn start(&mut self) -> FlowRuntime<Random> {
        let watcher = || Watcher::new(true, self.ticks.clone());
        self.watcher = self.is_watched.then(watcher);
        let input = Live::new(Number { n: 1 });
        let run = self.on(RunState::start(&self.known.graph.table, input));
        self.watch(self.limit(run.with_run_id("r")))
    }

    fn on(&self, state: Box<RunState>) -> FlowRuntime<Random> {
        let run = FlowRuntime::around(Run::restored(Arc::clone(&self.known), state));
        let model = Arc::new(self.fate.clone());
        run.with_clock(self.clock)
            .with_concurrency(self.concurrency)
            .with_factory(ClientFactory::new().with_client(model))
    }

    fn limit(&self, run: FlowRuntime<Random>) -> FlowRuntime<Random> {
        match self.budget {
            Some(budget) => run.with_budget(budget),
            None => run,
        }
    }

    fn watch(&self, run: FlowRuntime<Random>) -> FlowRuntime<Random> {
        match &self.watcher {
            Some(watcher) => run.with_observer(watcher.clone()),
            None => run,
        }
    }

    /// Checks what was seen of the run, of which another process sees the rest.
    fn check_events(&mut self) -> usize {
        let watcher = self.watcher.as_mut();
        watcher.map_or(0, |watcher| {
            let next = Watcher::new(false, self.ticks.clone());
            std::mem::replace(watcher, next).check()
        })
    }

    /// The run as another process finds it.
    fn restore(&mut self, snapshot: FlowSnapshot) -> FlowRuntime<Random> {
        self.check_events();
        let mut restored = self.try_restore(snapshot, &LoadOptions::new()).unwrap();
        // The store has it all, but not a budget that is set anew.
        restored.take_changes().unwrap();
        self.watch(self.limit(restored))
    }

    pub(super) fn try_restore(
        &self,
        snapshot: FlowSnapshot,
        options: &LoadOptions,
    ) -> Result<FlowRuntime<Random>, FlowError> {
        let table = &self.known.graph.table;
        let (state, _) = snapshot.restore(table, &self.known.id, options)?;
        Ok(self.on(state))
    }

    pub(super) fn ctx(&self) -> Context {
        Context::default().with_dep(self.fate.clone())
    }
}

/// What a run's bytes are read as.
fn read(run: &FlowRuntime<Random>) -> FlowSnapshot {
    let bytes = serde_json::to_vec(&run.snapshot()).unwrap();
    assert_eq!(serde_json::to_vec(run).unwrap(), bytes);
    serde_json::from_slice(&bytes).unwrap()
}

/// What happens to a run before a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Disturbance {
    None,
    /// The future of the step is dropped after so many milliseconds.
    Drop(u64),
    /// The run goes on in another process, from bytes or from entries.
    Restart(bool),
    /// Nobody calls for so many milliseconds.
    Idle(u64),
    /// The run is paused until nothing is in flight.
    Pause,
    /// The run is cancelled, by a hub or not, and another process goes on with what was stored before.
    Cancel(bool),
    /// A hub sends something after so many milliseconds of the step.
    Command(Sending, u64),
}

pub(super) fn disturbance() -> impl Strategy<Value = Disturbance> {
    prop_oneof![
        3 => Just(Disturbance::None),
        3 => (0_u64..12).prop_map(Disturbance::Drop),
        2 => any::<bool>().prop_map(Disturbance::Restart),
        1 => (1_u64..20).prop_map(Disturbance::Idle),
        1 => Just(Disturbance::Pause),
        1 => any::<bool>().prop_map(Disturbance::Cancel),
        4 => (sending(), 0_u64..12).prop_map(|(sending, after)| Disturbance::Command(sending, after)),
    ]
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Story {
    /// The output; without one the states in which the run is stuck, and the kinds of failures.
    end: Result<u64, Value>,
    /// How often each step was committed.
    commits: BTreeMap<String, usize>,
    effects: BTreeSet<String>,
}

/// Flows that take longer are not looked at.
pub(super) const LONGEST: usize = 250;

/// A run that is being disturbed.
pub(super) struct Played {
    pub(super) machine: Machine,
    pub(super) run: FlowRuntime<Random>,
    pub(super) stored: Entries,
    commits: BTreeMap<String, usize>,
    pub(super) last: u64,
}

impl Played {
    pub(super) fn new(mut machine: Machine) -> Self {
        let run = machine.start();
        Self {
            machine,
            run,
            stored: Entries::default(),
            commits: BTreeMap::new(),
            last: 0,
        }
    }

    /// Stores what has changed, and notes the step that was committed, if there was one.
    pub(super) fn store(&mut self) {
        self.stored.apply(self.run.take_changes().unwrap());
        let snapshot = FlowSnapshot::from_entries(&self.stored).unwrap();
        let now = json(&self.run);
        assert_eq!(serde_json::to_value(snapshot).unwrap(), now);
        assert_once(&now, &BTreeSet::new());
        self.machine.ticks.assert_kept(&now);
        let Some(step) = self.run.last_step() else {
            return;
        };
        if step.step == self.last {
            return;
        }
        assert_eq!(step.step, self.last + 1, "a step that nobody saw: {step}");
        self.last = step.step;
        // How often a model was too busy is nobody's business.
        if !matches!(step.kind, StepKind::FailedAttempt | StepKind::Wait) {
            let step = format!("{}{:?} {:?}", step.node, step.items, step.kind);
            *self.commits.entry(step).or_default() += 1;
        }
    }

    /// Goes on in another process, with the run as a store has it, in entries or in bytes.
    fn restart(&mut self, from_entries: bool) {
        let before = json(&self.run);
        let snapshot = match from_entries {
            true => FlowSnapshot::from_entries(&self.stored).unwrap(),
            false => read(&self.run),
        };
        self.run = self.machine.restore(snapshot);
        assert_eq!(json(&self.run), before);
    }

    async fn cancel(&mut self, by_hub: bool) {
        let before = read(&self.run);
        let seen = self.machine.ticks.seen();
        let states = json(&self.run)["states"].clone();
        if by_hub {
            let cancelled = self.run.hub().cancel("enough");
            self.run.next(self.machine.ctx()).await.unwrap_err();
            cancelled.await.unwrap();
        } else {
            self.run.cancel("enough").await.unwrap();
        }
        assert_eq!(json(&self.run)["states"], states);
        let restored = self.machine.restore(read(&self.run));
        for run in [&restored, &self.run] {
            assert!(matches!(run.status(), RunStatus::Cancelled { .. }));
        }
        self.machine.ticks.forget_since(seen);
        self.run = self.machine.restore(before);
    }

    /// One step, or one answer; what the run ends with, once it does.
    pub(super) async fn step(
        &mut self,
        disturbance: Disturbance,
    ) -> Option<Result<Number, FlowError>> {
        let (mut drop_after, mut command) = (None, None);
        match disturbance {
            Disturbance::None => {}
            Disturbance::Drop(after) => drop_after = Some(Duration::from_millis(after)),
            Disturbance::Restart(from_entries) => self.restart(from_entries),
            Disturbance::Idle(time) => tokio::time::sleep(Duration::from_millis(time)).await,
            Disturbance::Pause => {
                self.run.pause();
                self.store();
            }
            Disturbance::Cancel(by_hub) => self.cancel(by_hub).await,
            Disturbance::Command(sending, after) => command = Some((sending, after)),
        }
        let ctx = self.machine.ctx();
        let now = json(&self.run);
        let open = self.run.suspensions().into_iter();
        let open = open.map(|it| it.tool_id).find(|id| !is_replied(&now, id));
        let ticks = self.machine.ticks.clone();
        let sending =
            command.map(|(it, after)| it.send(after, self.run.hub(), open.clone(), ticks));
        let is_commanded = sending.is_some();
        let is_paused = self.run.status() == RunStatus::Paused;
        let step = async {
            match open {
                Some(id) if !is_paused && !is_commanded => self.run.answer(ctx, &id, 7).await,
                _ => self.run.next(ctx).await,
            }
        };
        let step = async {
            match drop_after {
                Some(after) => tokio::time::timeout(after, step).await,
                None => Ok(step.await),
            }
        };
        let (out, _) = join(step, OptionFuture::from(sending)).await;
        self.store();
        match out {
            Err(_) | Ok(Ok(RunOut::Continue | RunOut::Suspend { .. })) => None,
            // Whoever answers is on the way.
            Ok(Err(FlowError::ResumeRequired(_))) if is_commanded => None,
            Ok(Ok(RunOut::Done(number))) => Some(Ok(number)),
            Ok(Ok(RunOut::Waiting {
                why: WaitReason::Paused,
                ..
            })) => {
                self.run.unpause();
                self.store();
                None
            }
            Ok(Ok(RunOut::Waiting { .. })) => {
                self.run.wait().await;
                None
            }
            Ok(Err(error)) => Some(Err(error)),
        }
    }

    pub(super) fn story(mut self, end: Result<u64, Value>) -> Story {
        self.machine.check_events();
        assert_eq!(self.machine.fate.missing(), [""; 0]);
        Story {
            end,
            commits: self.commits,
            effects: self.machine.fate.effects(),
        }
    }
}

/// Plays a run until it ends, or nothing is left to try; `None` if that is not in sight.
pub(super) async fn play(
    machine: Machine,
    steps: usize,
    disturbances: &[Disturbance],
) -> Option<Story> {
    let mut played = Played::new(machine);
    played.store();
    let mut disturbances = disturbances.iter().copied();
    for _ in 0..steps {
        let disturbance = disturbances.next().unwrap_or(Disturbance::None);
        match played.step(disturbance).await {
            None => {}
            Some(Ok(number)) => {
                assert_eq!(played.run.status(), RunStatus::Done);
                assert_eq!(played.run.output().unwrap().as_deref(), Some(&number));
                assert_eq!(json(&played.run).get("latest"), None);
                played.restart(true);
                return Some(played.story(Ok(number.n)));
            }
            Some(Err(error)) => {
                let json = json(&played.run);
                let is_failed = matches!(played.run.status(), RunStatus::Failed { .. });
                assert!(is_failed, "{error}: {json}");
                return Some(played.story(Err(what_waits(&json))));
            }
        }
    }
    None
}
