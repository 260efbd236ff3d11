//! Panics in what a state's author wrote, besides `Drop`: errors, after which the run is what it was.

use std::sync::atomic::{AtomicBool, Ordering};

use pravah_runtime::prelude::*;
use serde::Serializer;

#[state]
struct Start {
    n: u32,
}

/// Whether the next clone panics.
static CLONE_PANICS: AtomicBool = AtomicBool::new(true);

#[state(manual(Clone))]
struct Fickle {
    n: u32,
}

impl Clone for Fickle {
    fn clone(&self) -> Self {
        assert!(
            !CLONE_PANICS.swap(false, Ordering::SeqCst),
            "there is one of me"
        );
        Self { n: self.n }
    }
}

#[node]
fn make(start: Start) -> Fickle {
    Fickle { n: start.n }
}

#[flow(named)]
fn fickle(start: Start) -> Fickle {
    flow! { make }
}

#[tokio::test]
async fn a_panic_in_the_clone_of_the_output_is_an_error_and_the_output_stays() {
    let mut run = fickle::start(Start { n: 3 }).unwrap();
    let error = run.next(Context::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `make` panicked: there is one of me"
    );
    assert_eq!(run.output().unwrap().unwrap().n, 3);
}

#[state]
struct Silent {
    #[serde(serialize_with = "panics")]
    n: u32,
}

fn panics<S: Serializer>(_: &u32, _: S) -> Result<S::Ok, S::Error> {
    panic!("nobody shall read this")
}

#[node]
fn hush(start: Start) -> Silent {
    Silent { n: start.n }
}

#[node]
fn speak(silent: &Silent) -> Start {
    Start { n: silent.n + 1 }
}

#[flow(named)]
fn silent(start: Start) -> Start {
    flow! { hush -> speak }
}

#[tokio::test]
async fn a_panic_in_serialize_is_an_error_of_whoever_writes_and_the_run_goes_on() {
    let mut run = silent::start(Start { n: 3 }).unwrap();
    run.next(Context::default()).await.unwrap();
    let error = serde_json::to_string(&run.snapshot()).unwrap_err();
    assert_eq!(error.to_string(), "nobody shall read this");
    let error = run.take_changes().unwrap_err();
    assert!(
        matches!(error, FlowError::SerializeError { .. }),
        "{error:?}"
    );
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Done(Start { n: 4 })));
}

#[node]
fn list(start: Start) -> Each<Start> {
    (0..start.n).map(|n| Start { n }).collect()
}

#[flow(named)]
fn silent_list(start: Start) -> Each<Silent> {
    flow! { list -> each(hush) }
}

/// What stays of a list that the run hands out is made of what `Serialize` says of it.
#[tokio::test]
async fn a_panic_where_a_list_is_handed_out_names_the_node_of_its_last_item() {
    let mut run = silent_list::start(Start { n: 2 }).unwrap();
    let error = run.run(Context::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `hush` panicked: nobody shall read this"
    );
    assert_eq!(run.output().unwrap().unwrap().len(), 2);
}
