//! A state whose `Drop` panics is gone all the same: the run goes on, and nothing else is lost.

use pravah_runtime::{FlowDef, prelude::*};

use crate::macros_support::{only_failed, restart};

/// Panics when it is dropped.
#[state]
#[derive(Clone)]
struct Bomb {
    n: u32,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("the state does not like to go");
        }
    }
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Start {
    n: u32,
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    n: u32,
}

#[node]
fn arm(start: Start) -> Bomb {
    Bomb { n: start.n }
}

#[node]
fn by_ref(bomb: &Bomb) -> Seen {
    Seen { n: bomb.n }
}

#[node]
async fn by_ref_later(bomb: &Bomb) -> Seen {
    tokio::task::yield_now().await;
    Seen { n: bomb.n }
}

/// Does not drop what it takes: only what stayed behind is dropped.
#[node]
fn by_value(bomb: Bomb) -> Seen {
    let n = bomb.n;
    std::mem::forget(bomb);
    Seen { n }
}

#[node]
fn drops(_bomb: Bomb) -> Seen {
    Seen { n: 0 }
}

#[node]
fn rescue(failure: &Failure<Bomb>) -> Seen {
    Seen {
        n: 100 + failure.input.n,
    }
}

#[gate(prompt = "go on?")]
fn ask(bomb: &Bomb, yes: bool) -> Seen {
    Seen {
        n: bomb.n + u32::from(yes),
    }
}

#[node]
fn list(start: Start) -> Each<Bomb> {
    (0..start.n).map(|n| Bomb { n }).collect()
}

#[node]
fn sum(all: &Each<Seen>) -> Seen2 {
    Seen2 {
        n: all.iter().map(|seen| seen.n).sum(),
    }
}

#[state]
#[derive(Debug, PartialEq)]
struct Seen2 {
    n: u32,
}

#[flow(named)]
fn ref_flow(start: Start) -> Seen {
    flow! { arm -> by_ref }
}
#[flow(named)]
fn later_flow(start: Start) -> Seen {
    flow! { arm -> by_ref_later }
}
#[flow(named)]
fn value_flow(start: Start) -> Seen {
    flow! { arm -> by_value }
}
#[flow(named)]
fn input_flow(bomb: Bomb) -> Seen {
    flow! { by_ref }
}
#[flow(named)]
fn gate_flow(start: Start) -> Seen {
    flow! { arm -> ask }
}
#[flow(named)]
fn caught_flow(start: Start) -> Seen {
    flow! { arm -> drops; catch(drops) -> rescue }
}
#[flow(named)]
fn dropping_flow(start: Start) -> Seen {
    flow! { arm -> drops }
}
#[flow(named)]
fn each_flow(start: Start) -> Seen2 {
    flow! { list -> each(by_ref) -> sum }
}

/// Drives it to its end, with a restart after every step if it is asked for.
async fn end<F: FlowDef>(mut run: FlowRuntime<F>, restarts: bool) -> F::Output {
    for _ in 0..20 {
        let ctx = Context::default();
        let held = run.snapshot();
        let out = match run.next(ctx.clone()).await.unwrap() {
            RunOut::Suspend { tool_id, .. } => run.answer(ctx, &tool_id, true).await.unwrap(),
            out => out,
        };
        if let RunOut::Done(output) = out {
            return output;
        }
        if restarts {
            run = restart(&run);
        }
        drop(held);
    }
    panic!("the run does not end")
}

#[tokio::test]
async fn a_panic_in_drop_is_no_matter_wherever_the_state_was() {
    for restarts in [false, true] {
        let start = || Start { n: 3 };
        assert_eq!(
            end(ref_flow::start(start()).unwrap(), restarts).await,
            Seen { n: 3 }
        );
        assert_eq!(
            end(later_flow::start(start()).unwrap(), restarts).await,
            Seen { n: 3 }
        );
        assert_eq!(
            end(value_flow::start(start()).unwrap(), restarts).await,
            Seen { n: 3 }
        );
        assert_eq!(
            end(input_flow::start(Bomb { n: 3 }).unwrap(), restarts).await,
            Seen { n: 3 }
        );
        assert_eq!(
            end(gate_flow::start(start()).unwrap(), restarts).await,
            Seen { n: 4 }
        );
        assert_eq!(
            end(caught_flow::start(start()).unwrap(), restarts).await,
            Seen { n: 103 }
        );
        assert_eq!(
            end(each_flow::start(start()).unwrap(), restarts).await,
            Seen2 { n: 3 }
        );
    }
}

#[tokio::test]
async fn a_panic_in_a_body_that_drops_its_state_is_an_error_and_the_state_is_there_again() {
    let mut run = dropping_flow::start(Start { n: 3 }).unwrap();
    run.next(Context::default()).await.unwrap();
    let before = serde_json::to_value(run.snapshot()).unwrap();
    for _ in 0..2 {
        let error = run.next(Context::default()).await.unwrap_err();
        assert!(matches!(error, FlowError::Panicked { .. }), "{error}");
        only_failed(&run, &before, "Bomb");
    }
}
