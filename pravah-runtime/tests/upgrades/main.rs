//! Snapshots of one version of a flow, loaded into another.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod agents;
mod approvals;
mod detached;
mod gates;
mod inputs;
mod lists;
mod locks;
mod migrations;
mod nested;
mod nets;
mod progress;
mod reads;
mod report;
mod shared;
mod split_and_merge;
mod step_keys;

use pravah_runtime::{FlowDef, FlowGraph, FlowLock, LoadOptions, prelude::*};

/// States that hold a number.
macro_rules! states {
    ($($name:ident),+ $(,)?) => {$(
        #[pravah_runtime::state]
        #[allow(dead_code, reason = "not every version makes every state")]
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $name { pub(crate) n: u64 }
    )+};
}
use states;

/// The run as a process with another version of its flow finds it.
fn upgraded_with<New: FlowDef, Old: FlowDef>(
    run: &FlowRuntime<Old>,
    options: &LoadOptions,
) -> Result<FlowRuntime<New>, FlowError> {
    let bytes = serde_json::to_vec(&run.snapshot()).unwrap();
    let read = serde_json::from_slice::<FlowSnapshot>(&bytes).unwrap();
    // What was taken in this process is checked in the same way.
    let taken = FlowRuntime::<New>::from_snapshot_with(run.snapshot(), options);
    let read = FlowRuntime::<New>::from_snapshot_with(read, options);
    let text = |it: &Result<FlowRuntime<New>, FlowError>| match it {
        Ok(run) => serde_json::to_string(&run.snapshot()).unwrap(),
        Err(error) => error.to_string(),
    };
    assert_eq!(text(&taken), text(&read));
    read
}

fn upgraded<New: FlowDef, Old: FlowDef>(run: &FlowRuntime<Old>) -> FlowRuntime<New> {
    upgraded_with(run, &LoadOptions::new()).unwrap()
}

/// The version of this flow is known.
fn knowing<F: FlowDef>() -> LoadOptions {
    LoadOptions::new().with_version(F::graph().unwrap().version())
}

/// Why a version does not go on with the run, but for what all such errors say, and what helps.
fn refusal<New: FlowDef, Old: FlowDef>(run: &FlowRuntime<Old>) -> String {
    let text = refusal_with_help::<New, Old>(run);
    let origin = " (the snapshot is of another version of the flow)";
    let why = text.split_once(origin).map(|(why, _)| why.to_owned());
    why.unwrap_or(text)
}

/// All that is said of why a version does not go on with the run.
fn refusal_with_help<New: FlowDef, Old: FlowDef>(run: &FlowRuntime<Old>) -> String {
    let Err(error) = upgraded_with::<New, Old>(run, &LoadOptions::new()) else {
        panic!("it was loaded")
    };
    let text = error.to_string();
    let text = text.strip_prefix("the snapshot could not be loaded: ");
    text.unwrap().to_owned()
}

/// What a lock that has a version of a flow says of another one.
fn lock_problems(
    (release, old): (&str, Result<FlowGraph, FlowError>),
    new: Result<FlowGraph, FlowError>,
    options: &LoadOptions,
) -> Vec<String> {
    let old = old.unwrap();
    let mut lock = FlowLock::new(old.input());
    lock.add(release, &old);
    let lock = FlowLock::from_json(&lock.to_json()).unwrap();
    let problems = lock.check_with(&new.unwrap(), options).problems;
    problems.iter().map(ToString::to_string).collect()
}

/// Why a run is not loaded whose snapshot lacks one of the inputs that it has.
fn refusal_without<F: FlowDef>(run: &FlowRuntime<F>, input: &str) -> String {
    let mut json = serde_json::to_value(run.snapshot()).unwrap();
    let inputs = json["inputs"].as_object_mut().unwrap();
    inputs.remove(input).unwrap();
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let refused = FlowRuntime::<F>::from_snapshot(snapshot).map(drop);
    refused.unwrap_err().to_string()
}

/// The lock has a problem exactly where a snapshot of a run is not loaded into the new version, or the run does not end
/// there. Returns the problems.
async fn problems_as_loaded<Old: FlowDef, New: FlowDef>(
    mut run: FlowRuntime<Old>,
    options: &LoadOptions,
) -> Vec<String> {
    let known = options
        .clone()
        .with_version(Old::graph().unwrap().version());
    let mut refusals = Vec::new();
    for _ in 0..8 {
        match upgraded_with::<New, _>(&run, &known) {
            Ok(mut after) => drop(done(&mut after).await),
            Err(error) => refusals.push(error.to_string()),
        }
        if let Ok(RunOut::Done(_)) = run.next(Context::default()).await {
            break;
        }
    }
    let problems = lock_problems(("1", Old::graph()), New::graph(), options);
    assert_eq!(
        refusals.is_empty(),
        problems.is_empty(),
        "{refusals:#?} {problems:#?}"
    );
    problems
}

async fn steps<F: FlowDef>(run: &mut FlowRuntime<F>, steps: usize) {
    for _ in 0..steps {
        run.next(Context::default()).await.unwrap();
    }
}

async fn done<F: FlowDef>(run: &mut FlowRuntime<F>) -> F::Output {
    match run.run(Context::default()).await.unwrap() {
        RunOut::Done(output) => output,
        _ => panic!("it is not done"),
    }
}
