//! Flows that start with the same state as the flow around them: each has an input of its own.

use pravah_runtime::{Entries, FlowDef, FlowSnapshot, prelude::*};
use serde_json::{Value, json};

use crate::engine_support::{Log, bytes, json, load, ran};

#[state]
struct Ticket {
    n: u64,
}

#[state]
struct Draft {
    n: u64,
}

#[state]
struct Verdict {
    n: u64,
}

#[state]
struct Approved {
    n: u64,
}

#[state]
struct Closed {
    n: u64,
}

#[state]
struct Request {
    n: u64,
}

/// Notes what a node takes, and the input of the flow that it is in.
fn note(ctx: &Context, node: &str, n: u64) -> Result<(), FlowError> {
    let input = ctx.input::<Ticket>()?.n;
    ran(ctx, &format!("{node} {n} of {input}"));
    Ok(())
}

#[node]
fn write(ticket: Ticket, ctx: Context) -> Result<Draft, FlowError> {
    note(&ctx, "write", ticket.n)?;
    Ok(Draft { n: ticket.n })
}

/// Starts again, once, without leaving the flow; fails at last.
#[node]
fn polish(draft: Draft, ctx: Context) -> Result<Either<Ticket, Verdict>, FlowError> {
    note(&ctx, "polish", draft.n)?;
    match draft.n {
        21 => Err(FlowError::other("torn")),
        n if n % 10 == 0 => Ok(Either::Left(Ticket { n: n + 1 })),
        n => Ok(Either::Right(Verdict { n })),
    }
}

#[flow(named)]
fn review(ticket: Ticket) -> Verdict {
    flow! { write -> polish -> either(write, done) }
}

/// Starts the review anew, ten further.
#[node]
fn decide(verdict: Verdict, ctx: Context) -> Result<Either<Ticket, Closed>, FlowError> {
    note(&ctx, "decide", verdict.n)?;
    Ok(match verdict.n {
        0..100 => Either::Left(Ticket {
            n: verdict.n / 10 * 10 + 10,
        }),
        n => Either::Right(Closed { n }),
    })
}

#[node]
fn rescue(failure: Failure<Ticket>, ctx: Context) -> Result<Closed, FlowError> {
    note(&ctx, "rescue", failure.input.n)?;
    Ok(Closed { n: failure.input.n })
}

#[flow]
fn desk(ticket: Ticket) -> Closed {
    flow! {
        review -> decide -> either(review, done);
        catch(review) -> rescue -> done
    }
}

/// The same twice: the reviews of a `round` are about one ticket, and a round ends with the second.
#[node]
fn approve(verdict: Verdict, ctx: Context) -> Result<Either<Ticket, Approved>, FlowError> {
    note(&ctx, "approve", verdict.n)?;
    Ok(match verdict.n % 100 {
        11 => Either::Right(Approved { n: verdict.n }),
        n => Either::Left(Ticket {
            n: verdict.n - n + 10,
        }),
    })
}

#[flow(named)]
fn round(ticket: Ticket) -> Approved {
    flow! { review -> approve -> either(review, done) }
}

#[node]
fn open(request: Request) -> Ticket {
    Ticket { n: request.n }
}

#[node]
fn close(approved: Approved, ctx: Context) -> Result<Either<Ticket, Closed>, FlowError> {
    assert!(ctx.input::<Ticket>().is_err(), "the round has ended");
    Ok(match approved.n {
        0..200 => Either::Left(Ticket { n: 200 }),
        n => Either::Right(Closed { n }),
    })
}

#[flow]
fn office(request: Request) -> Closed {
    flow! { open -> round -> close -> either(round, done) }
}

const DESK: &[&str] = &[
    "write 0 of 0",
    "polish 0 of 0",
    "write 1 of 0",
    "polish 1 of 0",
    "decide 1 of 0",
    "write 10 of 10",
    "polish 10 of 10",
    "write 11 of 10",
    "polish 11 of 10",
    "decide 11 of 0",
    "write 20 of 20",
    "polish 20 of 20",
    "write 21 of 20",
    "polish 21 of 20",
    "rescue 20 of 0",
];

const OFFICE: &[&str] = &[
    "write 100 of 100",
    "polish 100 of 100",
    "write 101 of 100",
    "polish 101 of 100",
    "approve 101 of 100",
    "write 110 of 110",
    "polish 110 of 110",
    "write 111 of 110",
    "polish 111 of 110",
    "approve 111 of 100",
    "write 200 of 200",
    "polish 200 of 200",
    "write 201 of 200",
    "polish 201 of 200",
    "approve 201 of 200",
    "write 210 of 210",
    "polish 210 of 210",
    "write 211 of 210",
    "polish 211 of 210",
    "approve 211 of 200",
];

/// Runs a flow to its end, going on in another process before every step, from bytes and from entries in
/// turn. Returns what was noted, and every snapshot.
async fn through_restarts<F>(mut run: FlowRuntime<F>) -> (Vec<String>, Vec<Value>)
where
    F: FlowDef<Output = Closed>,
{
    let log = Log::default();
    let mut stored = Entries::default();
    let mut snapshots = Vec::new();
    loop {
        stored.apply(run.take_changes().unwrap());
        let from_entries = FlowSnapshot::from_entries(&stored).unwrap();
        assert_eq!(serde_json::to_vec(&from_entries).unwrap(), bytes(&run));
        snapshots.push(json(&run));
        let restored = match snapshots.len() % 2 {
            0 => load(&bytes(&run)),
            _ => FlowRuntime::from_snapshot(from_entries).unwrap(),
        };
        assert_eq!(bytes(&restored), bytes(&run));
        run = restored;
        run.take_changes().unwrap();
        if let RunOut::Done(_) = run.next(log.ctx()).await.unwrap() {
            return (log.entries(), snapshots);
        }
    }
}

#[tokio::test]
async fn a_nested_flow_that_starts_anew_with_the_state_of_the_flow_around_it_has_a_new_input() {
    let log = Log::default();
    let mut run = FlowRuntime::new(Ticket { n: 0 }).unwrap();
    let out = run.run(log.ctx()).await.unwrap();
    assert!(matches!(out, RunOut::Done(Closed { n: 20 })));
    assert_eq!(log.entries(), DESK);
}

#[tokio::test]
async fn each_of_several_flows_that_start_with_one_state_has_its_own_input() {
    let log = Log::default();
    let mut run = FlowRuntime::new(Request { n: 100 }).unwrap();
    run.run(log.ctx()).await.unwrap();
    assert_eq!(log.entries(), OFFICE);
}

#[tokio::test]
async fn inputs_of_one_state_are_restored_at_every_step() {
    let desk = FlowRuntime::new(Ticket { n: 0 }).unwrap();
    assert_eq!(through_restarts(desk).await.0, DESK);
    let office = FlowRuntime::new(Request { n: 100 }).unwrap();
    assert_eq!(through_restarts(office).await.0, OFFICE);
}

#[tokio::test]
async fn an_inner_input_is_written_only_where_it_is_found_nowhere_else() {
    let run = FlowRuntime::new(Ticket { n: 0 }).unwrap();
    let (_, snapshots) = through_restarts(run).await;
    let written = |n: usize| {
        let section = |name: &str| snapshots[n][name].clone();
        [section("inputs"), section("shared_inputs")]
    };
    let [first, tenth] = [0, 10].map(|n| json!({ "n": n }));
    // The ticket itself waits.
    assert_eq!(written(0), [Value::Null, Value::Null]);
    // The review has come back to its start, with another ticket, which is no new input.
    let shared = json!({ "review::Ticket": "Ticket" });
    for step in 1..4 {
        assert_eq!(
            written(step),
            [json!({ "Ticket": first }), shared.clone()],
            "{step}"
        );
    }
    // It has ended, and starts anew.
    for step in 4..6 {
        assert_eq!(
            written(step),
            [json!({ "Ticket": first }), Value::Null],
            "{step}"
        );
    }
    for step in 6..9 {
        let both = json!({ "Ticket": first, "review::Ticket": tenth });
        assert_eq!(written(step), [both, Value::Null], "{step}");
    }
    // It has ended.
    assert_eq!(written(9), [json!({ "Ticket": first }), Value::Null]);
}

#[tokio::test]
async fn inputs_that_do_not_fit_together_are_refused() {
    let run = FlowRuntime::new(Ticket { n: 0 }).unwrap();
    let (_, snapshots) = through_restarts(run).await;
    let with = |name: &str, value: Value| {
        let mut changed = snapshots[1].clone();
        changed[name] = value;
        let snapshot = serde_json::from_value(changed).unwrap();
        let loaded = FlowRuntime::<Ticket>::from_snapshot(snapshot);
        loaded.map(|_| ()).unwrap_err().to_string()
    };
    let own = json!({ "Ticket": { "n": 0 }, "review::Ticket": { "n": 0 } });
    for (name, value, wanted) in [
        (
            "shared_inputs",
            json!({}),
            "the flow's input `review::Ticket` is not there",
        ),
        (
            "shared_inputs",
            json!({ "review::Ticket": "Verdict" }),
            "`review::Ticket` and `Verdict` are not one input",
        ),
        (
            "shared_inputs",
            json!({ "Ticket": "Ticket" }),
            "the flow of `Ticket` has an input of its own",
        ),
        (
            "shared_inputs",
            json!({ "review": "Ticket" }),
            "`review` is not the input of a flow",
        ),
        (
            "inputs",
            own,
            "the flow of `review::Ticket` has an input of its own",
        ),
    ] {
        let error = with(name, value);
        assert!(error.contains(wanted), "{error}");
    }
}
