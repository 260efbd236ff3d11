//! What changes in a run, step by step: applied to the entries before, it gives each later snapshot.

use pravah_runtime::{
    Changes, Context, Entries, FlowDef, FlowError, FlowRuntime, FlowSnapshot, RunOut,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    changes_size,
    engine_support::{
        self, Log, agents, desk,
        order::{self, Mood},
        poll_once,
    },
    snapshot_foreign, snapshot_roundtrip,
};

pub(crate) fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Takes the changes as a store would get them.
pub(crate) fn take<F: FlowDef>(run: &mut FlowRuntime<F>) -> Changes {
    let written = text(&run.take_changes().unwrap());
    let read: Changes = serde_json::from_str(&written).unwrap();
    assert_eq!(text(&read), written);
    read
}

/// A run, and what a store has of it.
struct Stored<F: FlowDef> {
    run: FlowRuntime<F>,
    entries: Entries,
    /// Restores the run, with what it needs besides.
    restore: fn(FlowSnapshot) -> FlowRuntime<F>,
    /// Another run, restored at some step, that makes the same steps.
    twin: Option<FlowRuntime<F>>,
    is_concurrent: bool,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    /// A step; where nothing can move, the answer to one of the open questions.
    Step(usize),
    /// The answer to one of the questions, if any is open, whatever else could move.
    Answer(usize),
    /// A step whose future is dropped, unless it is done at once.
    Drop,
    /// A body that fails, if it is next.
    Fail(usize),
    Take,
    /// Goes on in another process.
    Restore,
    /// Lets another process make the same steps from here on.
    Twin,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        5 => (0_usize..8).prop_map(Op::Step),
        2 => (0_usize..8).prop_map(Op::Answer),
        1 => Just(Op::Drop),
        1 => (0_usize..5).prop_map(Op::Fail),
        4 => Just(Op::Take),
        1 => Just(Op::Restore),
        1 => Just(Op::Twin),
    ]
}

fn steps<F: FlowDef>(run: &FlowRuntime<F>) -> Value {
    engine_support::json(run)["steps"].clone()
}

/// The snapshot, with the order in which nodes are next in place of the steps at which they became that: a
/// node that is the only one does not say in a snapshot since when.
fn in_turn<F: FlowDef>(run: &FlowRuntime<F>) -> Value {
    fn put_in_order(json: &mut Value) {
        let Some(fields) = json.as_object_mut() else {
            return;
        };
        if let Some(Value::Object(ready)) = fields.get_mut("ready") {
            let mut nodes: Vec<_> = ready
                .iter()
                .map(|(node, turn)| (turn.as_u64(), node))
                .collect();
            nodes.sort();
            let nodes: Vec<&String> = nodes.into_iter().map(|(_, node)| node).collect();
            fields["ready"] = json!(nodes);
        }
        fields.values_mut().for_each(put_in_order);
    }
    let mut json = engine_support::json(run);
    put_in_order(&mut json);
    json
}

fn payload(id: &str) -> Value {
    // Those of the desk take numbers, and the others words.
    match id {
        id if id.contains("::ask") && !id.starts_with("Brief") => json!("yes"),
        id if id.starts_with("Brief") || id.starts_with("Flight") => json!(true),
        _ => json!(7),
    }
}

async fn answer<F: FlowDef>(run: &mut FlowRuntime<F>, pick: usize) -> Option<RunOut<F::Output>> {
    let open = run.suspensions();
    let question = open.get(pick % open.len().max(1))?;
    let id = &question.tool_id;
    let out = run.answer(Context::default(), id, payload(id)).await;
    Some(out.unwrap())
}

/// One step that is committed. Announcing a question is none.
async fn step<F: FlowDef>(run: &mut FlowRuntime<F>, pick: usize) -> RunOut<F::Output> {
    let before = steps(run);
    loop {
        match run.next(Context::default()).await {
            Ok(RunOut::Suspend { .. }) if steps(run) == before => {}
            Err(FlowError::ResumeRequired(_)) => return answer(run, pick).await.unwrap(),
            out => return out.unwrap(),
        }
    }
}

impl<F: FlowDef> Stored<F>
where
    F::Output: PartialEq + std::fmt::Debug,
{
    fn new(run: FlowRuntime<F>, restore: fn(FlowSnapshot) -> FlowRuntime<F>) -> Self {
        Self {
            run,
            entries: Entries::default(),
            restore,
            twin: None,
            is_concurrent: false,
        }
    }

    fn take(&mut self) -> FlowSnapshot {
        self.entries.apply(take(&mut self.run));
        let snapshot = self.run.snapshot();
        assert_eq!(text(&self.entries), text(&snapshot.entries().unwrap()));
        let stored = FlowSnapshot::from_entries(&self.entries).unwrap();
        assert_eq!(text(&stored), text(&snapshot));
        assert_eq!(text(&stored.entries().unwrap()), text(&self.entries));
        let nothing = take(&mut self.run);
        assert!(nothing.is_empty(), "{nothing:?}");
        stored
    }

    async fn make(&mut self, op: Op) -> Option<F::Output> {
        let out = match op {
            Op::Step(pick) => {
                let out = step(&mut self.run, pick).await;
                if let Some(twin) = &mut self.twin {
                    assert_eq!(step(twin, pick).await, out);
                }
                out
            }
            Op::Answer(pick) => {
                let out = answer(&mut self.run, pick).await?;
                if let Some(twin) = &mut self.twin {
                    assert_eq!(answer(twin, pick).await.as_ref(), Some(&out));
                }
                out
            }
            Op::Drop => {
                self.twin = None;
                poll_once(self.run.next(Context::default()))?.unwrap_or(RunOut::Continue)
            }
            Op::Fail(node) => {
                self.twin = None;
                let mood = Mood::Fails(order::NODES[node]);
                let ctx = Log::default().ctx().with_dep(mood);
                let out = self.run.next(ctx).await;
                out.unwrap_or(RunOut::Continue)
            }
            Op::Take => {
                self.take();
                return None;
            }
            Op::Restore => {
                let stored = self.take();
                self.run = (self.restore)(stored);
                self.entries = Entries::default();
                return None;
            }
            // Side by side, what is done first depends on when it was started.
            Op::Twin if self.is_concurrent => return None,
            Op::Twin => {
                let stored = self.take();
                self.twin = Some((self.restore)(stored));
                return None;
            }
        };
        if let Some(twin) = &self.twin {
            assert_eq!(in_turn(twin), in_turn(&self.run));
        }
        match out {
            RunOut::Done(output) => Some(output),
            _ => None,
        }
    }

    /// Does all of it, and what is left to do after that.
    async fn goes_to(mut self, expected: F::Output, ops: &[Op]) {
        let rest = [Op::Step(0), Op::Take].into_iter().cycle().take(2_000);
        for op in ops.iter().copied().chain(rest) {
            if let Some(output) = self.make(op).await {
                assert_eq!(output, expected);
                let stored = self.take();
                let run = (self.restore)(stored);
                assert_eq!(run.output().unwrap().as_deref(), Some(&expected));
                return;
            }
        }
        panic!("the run does not end");
    }
}

const PILES: u32 = 4;

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changes_applied_to_the_entries_before_give_each_later_snapshot(
        ops in prop::collection::vec(op(), 0..120),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let run = FlowRuntime::new(order::Order { n: 2 }).unwrap();
            let order = Stored::new(run, |it| FlowRuntime::from_snapshot(it).unwrap());
            order.goes_to(order::End { n: 6 }, &ops).await;

            let run = agents::Machine::new(agents::both_ask()).start();
            let agents = Stored::new(run, |it| {
                let machine = agents::Machine::new(agents::both_ask());
                machine.on(FlowRuntime::from_snapshot(it).unwrap())
            });
            agents.goes_to(agents::End { n: 12 }, &ops).await;

            let run = snapshot_foreign::start();
            let case = Stored::new(run, |it| snapshot_foreign::restored(it).unwrap());
            case.goes_to(snapshot_foreign::Closed { n: 0 }, &ops).await;

            let run = snapshot_roundtrip::start();
            let trip = Stored::new(run, snapshot_roundtrip::restored);
            trip.goes_to(snapshot_roundtrip::Home { n: 13 }, &ops).await;

            let run = changes_size::binding_of(7).with_concurrency(3);
            let mut binding = Stored::new(run, |it| {
                FlowRuntime::from_snapshot(it).unwrap().with_concurrency(3)
            });
            binding.is_concurrent = true;
            binding.goes_to(changes_size::Bound { n: 7 }, &ops).await;

            let desk = Stored::new(desk::start(PILES), |it| desk::restored(it, PILES));
            desk.goes_to(desk::Cleared { n: 11_036 }, &ops).await;
        });
    }
}

#[tokio::test]
async fn entries_are_a_collection_by_their_keys() {
    let mut run = snapshot_roundtrip::start();
    let mut stored = Entries::default();
    assert!(stored.is_empty());
    stored.apply(run.take_changes().unwrap());
    let keys: Vec<&str> = stored.iter().map(|(key, _)| key).collect();
    assert_eq!(stored.len(), keys.len());
    assert!(stored.len() > 1);
    for (key, json) in stored.iter() {
        assert_eq!(stored.get(key), Some(json));
    }
    assert_eq!(stored.get("/states"), None);
    // Head and states in two stores, and together again.
    let (mut head, states): (Entries, Entries) = {
        let is_head = |(key, _): &(String, _)| key.is_empty();
        stored.clone().into_iter().partition(is_head)
    };
    assert_eq!(head.len(), 1);
    head.extend(states);
    assert_eq!(text(&head), text(&stored));
}

proptest! {
    #[test]
    fn what_has_changed_between_two_sets_of_entries_makes_one_of_them_the_other(
        one in entries(),
        two in entries(),
    ) {
        let mut made = one.clone();
        let changes = two.changes_since(&one);
        prop_assert!(!one.iter().eq(two.iter()) || changes.is_empty());
        made.apply(changes);
        prop_assert!(made.iter().eq(two.iter()));
    }
}

/// Entries with keys of which some are under others.
fn entries() -> impl Strategy<Value = Entries> {
    let key = prop::sample::select(vec!["", "/a", "/a/b", "/a/b/c", "/ab", "/b"]);
    let entries = prop::collection::btree_map(key, 0..3_u8, 0..5);
    entries.prop_map(|entries| {
        let mut made = Entries::default();
        for (key, value) in entries {
            made.insert(key, value.to_string()).unwrap();
        }
        made
    })
}
