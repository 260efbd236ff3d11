//! Snapshots that are read back: identity, independence, a crash at every step.

use pravah_runtime::{
    Agent, AgentConfig, ClientFactory, Context, Either, Flow, FlowError, FlowGraph, FlowRuntime,
    FlowSnapshot, RunOut, ScriptedModel, Tool, ToolBox, ToolError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine_support::{Log, bytes, json, load, ran, restart, states};

states!(
    Trip, Flight, Hotel, Booked, Slept, Plan, Retry, Judged, Home
);

#[derive(Deserialize, JsonSchema)]
struct Approve {}

impl Tool for Approve {
    type Output = bool;

    fn name() -> &'static str {
        "approve"
    }

    fn description() -> &'static str {
        "Asks a person."
    }

    async fn call(self, ctx: Context) -> Result<bool, ToolError> {
        ctx.resumed::<bool>()?
            .ok_or_else(|| ToolError::suspend(Value::Null))
    }
}

impl Agent for Flight {
    type Output = Booked;

    fn build() -> AgentConfig {
        AgentConfig::new("", "openai://m").with_tools(ToolBox::new().with::<Approve>())
    }
}

/// A fork into an agent that suspends and a nested flow with a loop, a join, a choice.
impl Flow for Trip {
    type Output = Home;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .fork::<Trip, Flight, Hotel, _>(|trip, ctx| {
                ran(&ctx, "fork");
                Ok((Flight { n: trip.n }, Hotel { n: trip.n }))
            })
            .agent::<Flight>()
            .flow::<Hotel>()
            .join::<Booked, Slept, Plan, _>(|booked, slept, ctx| {
                ran(&ctx, "join");
                Ok(Plan {
                    n: booked.n + slept.n,
                })
            })
            .work::<Plan, Home, _, _>(|plan, ctx| async move {
                ran(&ctx, "home");
                Ok(Home { n: plan.n })
            })
            .build()
    }
}

impl Flow for Hotel {
    type Output = Slept;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Hotel, Judged, _, _>(|hotel, ctx| async move {
                ran(&ctx, "hotel");
                Ok(Judged { n: hotel.n })
            })
            .either::<Judged, Slept, Retry, _>(|judged, ctx| {
                ran(&ctx, &format!("judge {}", judged.n));
                Ok(if judged.n > 2 {
                    Either::Left(Slept { n: judged.n })
                } else {
                    Either::Right(Retry { n: judged.n })
                })
            })
            .work::<Retry, Judged, _, _>(|retry, ctx| async move {
                ran(&ctx, &format!("retry {}", retry.n));
                Ok(Judged { n: retry.n + 1 })
            })
            .build()
    }
}

fn factory() -> ClientFactory {
    let script = ScriptedModel::new()
        .call("Flight", "approve", json!({}))
        .reply("Flight", json!({ "n": 10 }));
    ClientFactory::new().with_scripted(script)
}

pub(crate) fn restored(snapshot: FlowSnapshot) -> FlowRuntime<Trip> {
    let run = FlowRuntime::from_snapshot(snapshot).unwrap();
    run.with_factory(factory())
}

pub(crate) fn start() -> FlowRuntime<Trip> {
    FlowRuntime::new(Trip { n: 1 })
        .unwrap()
        .with_run_id("r")
        .with_factory(factory())
}

/// One step: with an answer where nothing else can move.
async fn step(run: &mut FlowRuntime<Trip>, ctx: Context) -> RunOut<Home> {
    let before = json(run)["steps"].clone();
    match run.next(ctx.clone()).await {
        Err(FlowError::ResumeRequired(id)) => run.resume(ctx, (id, true)).await.unwrap(),
        // A restored run announces what is open.
        Ok(RunOut::Suspend { tool_id, .. }) if json(run)["steps"] == before => {
            run.resume(ctx, (tool_id, true)).await.unwrap()
        }
        out => out.unwrap(),
    }
}

/// The bytes of every snapshot of a run that goes through, and its output.
async fn all_snapshots() -> (Vec<Vec<u8>>, RunOut<Home>) {
    let mut run = start();
    let mut all = vec![bytes(&run)];
    loop {
        match step(&mut run, Context::default()).await {
            done @ RunOut::Done(_) => return (all, done),
            _ => all.push(bytes(&run)),
        }
    }
}

// S1.41, S1.43
#[tokio::test]
async fn a_run_restored_at_any_step_goes_on_the_same_way() {
    let (all, done) = all_snapshots().await;
    assert!(all.len() > 10, "{}", all.len());
    for at in 0..all.len() {
        let mut run = load::<Trip>(&all[at]).with_factory(factory());
        for expected in &all[at..] {
            assert_eq!(&bytes(&run), expected);
            let out = step(&mut run, Context::default()).await;
            assert_eq!(
                matches!(out, RunOut::Done(_)),
                std::ptr::eq(expected, all.last().unwrap())
            );
            if matches!(out, RunOut::Done(_)) {
                assert_eq!(out, done);
            }
        }
    }
}

#[tokio::test]
async fn reading_and_writing_a_snapshot_gives_the_same_bytes() {
    for written in all_snapshots().await.0 {
        let read: FlowSnapshot = serde_json::from_slice(&written).unwrap();
        assert_eq!(serde_json::to_vec(&read).unwrap(), written);
        let value = serde_json::to_value(&read).unwrap();
        let again: FlowSnapshot = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&again).unwrap(), value);
        assert_eq!(
            bytes(&FlowRuntime::<Trip>::from_snapshot(again).unwrap()),
            written
        );
    }
}

#[tokio::test]
async fn a_snapshot_that_was_taken_and_one_that_was_read_restore_the_same_run() {
    let mut run = start();
    for _ in 0..4 {
        step(&mut run, Context::default()).await;
    }
    let taken = FlowRuntime::<Trip>::from_snapshot(run.snapshot()).unwrap();
    assert_eq!(bytes(&taken), bytes(&restart(&run)));
}

#[tokio::test]
async fn a_run_is_written_as_its_snapshot_at_every_step() {
    let mut run = start();
    let mut out = RunOut::Continue;
    loop {
        let snapshot = serde_json::to_string(&run.snapshot()).unwrap();
        assert_eq!(serde_json::to_string(&run).unwrap(), snapshot);
        if let RunOut::Done(_) = out {
            break;
        }
        out = step(&mut run, Context::default()).await;
    }
}

#[tokio::test]
async fn a_run_is_read_back_from_what_it_was_written_as_and_goes_on() {
    let mut run = start();
    let mut out = RunOut::Continue;
    while !matches!(out, RunOut::Done(_)) {
        let stored = serde_json::to_string(&run).unwrap();
        let read: FlowRuntime<Trip> = serde_json::from_str(&stored).unwrap();
        assert_eq!(bytes(&read), bytes(&run));
        run = read.with_factory(factory());
        out = step(&mut run, Context::default()).await;
    }
}

// Decision 4: the process dies in the middle of every step, after the body ran.
#[tokio::test]
async fn a_crash_at_every_step_repeats_no_body_that_was_committed() {
    let log = Log::default();
    let mut stored = bytes(&start());
    loop {
        let mut run = load::<Trip>(&stored).with_factory(factory());
        // The step is made and lost with the process, before its snapshot was stored.
        let lost = Log::default();
        step(&mut run, lost.ctx()).await;
        let mut run = load::<Trip>(&stored).with_factory(factory());
        let out = step(&mut run, log.ctx()).await;
        stored = bytes(&run);
        if matches!(out, RunOut::Done(_)) {
            break;
        }
    }
    assert!(
        log.counts().values().all(|count| *count == 1),
        "{:?}",
        log.counts()
    );
    assert_eq!(log.entries().len(), 9, "{:?}", log.entries());
}

#[tokio::test]
async fn two_runs_of_one_snapshot_are_independent() {
    let mut first = start();
    step(&mut first, Context::default()).await;
    let snapshot = first.snapshot();
    let before = serde_json::to_vec(&snapshot).unwrap();
    let second = FlowRuntime::<Trip>::from_snapshot(snapshot.clone()).unwrap();
    while !matches!(step(&mut first, Context::default()).await, RunOut::Done(_)) {}
    assert_eq!(bytes(&second), before);
    assert_eq!(serde_json::to_vec(&snapshot).unwrap(), before);
}

#[tokio::test]
async fn a_snapshot_names_its_flow_and_its_run() {
    let mut run = start();
    assert_eq!(
        (run.snapshot().flow(), run.snapshot().run_id()),
        ("Trip", "r")
    );
    assert!(!run.snapshot().is_finished());
    while !matches!(step(&mut run, Context::default()).await, RunOut::Done(_)) {}
    assert!(restart(&run).snapshot().is_finished());
    let json = json(&run);
    assert_eq!(
        (json.get("states"), &json["output"]),
        (None, &json!({ "Home": { "n": 13 } }))
    );
}

#[tokio::test]
async fn a_snapshot_leaves_out_what_its_states_imply() {
    let run = start();
    let mut json = json(&run);
    assert_eq!((json.get("ready"), json.get("output")), (None, None));
    // Whoever says it all the same is understood.
    let written = bytes(&run);
    json["ready"] = json!({ "Trip": 0 });
    json["lists"] = json!({});
    let snapshot = serde_json::from_value(json).unwrap();
    let run = FlowRuntime::<Trip>::from_snapshot(snapshot).unwrap();
    assert_eq!(bytes(&run), written);
}

// To a reader it is JSON.
#[tokio::test]
async fn a_snapshot_reads_as_the_states_by_their_names() {
    let mut run = start();
    step(&mut run, Context::default()).await;
    let json = json(&run);
    assert_eq!(
        json["states"],
        json!({ "Flight": { "n": 1 }, "Hotel": { "n": 1 } })
    );
    assert_eq!(json["ready"], json!({ "Flight": 1, "Hotel": 1 }));
    assert_eq!(
        (&json["version"], &json["flow"], &json["steps"]),
        (&json!(7), &json!("Trip"), &json!(1))
    );
    assert!(
        !format!("{:?}", run.snapshot()).contains("Hotel"),
        "payloads are not for logs"
    );
}

// A snapshot does not grow with the graph or with the past.
#[tokio::test]
async fn a_snapshot_holds_what_waits_and_nothing_of_what_has_gone() {
    states!(P, Q, R, S);

    impl Flow for P {
        type Output = S;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .work::<P, Q, _, _>(|p, _| async move { Ok(Q { n: p.n }) })
                .work::<Q, R, _, _>(|q, _| async move { Ok(R { n: q.n }) })
                .work::<R, S, _, _>(|r, _| async move { Ok(S { n: r.n }) })
                .build()
        }
    }

    let mut run = FlowRuntime::new(P { n: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    let before = bytes(&run).len();
    run.next(Context::default()).await.unwrap();
    assert_eq!(bytes(&run).len(), before);
}

#[test]
fn a_run_and_its_steps_can_move_between_threads() {
    fn is_send(_: impl Send) {}

    let mut run = start();
    is_send(run.next(Context::default()));
    is_send(run.run(Context::default()));
    is_send(run.answer(Context::default(), "a", 1));
    is_send(run);
}

/// A number that not every reader of JSON reads as it was written.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Measured {
    metres: f64,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Kept {
    metres: f64,
}

impl Flow for Measured {
    type Output = Kept;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Measured, Kept, _, _>(|measured, _| async move {
                Ok(Kept {
                    metres: measured.metres,
                })
            })
            .build()
    }
}

#[tokio::test]
async fn a_floating_point_number_is_the_same_after_a_restart() {
    for n in 0..1000 {
        let metres = f64::from(n) / 1000.0 * 1.1;
        let mut run = FlowRuntime::new(Measured { metres }).unwrap();
        run = restart(&run);
        assert_eq!(
            run.next(Context::default()).await.unwrap(),
            RunOut::Done(Kept { metres })
        );
    }
}
