//! Gates, lists, merges and caught failures, from nodes put together by hand.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

mod failures;
mod flights;
mod gates;
mod lists;
pub(crate) mod random;
mod upgrades;

use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::{
    Context, FlowDef, FlowError, FlowRuntime, FlowSnapshot, RunOut,
    node::{Input, Output},
    state::State,
    topology::Signature,
};

/// States that hold a number.
macro_rules! states {
    ($($name:ident),+ $(,)?) => {$(
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub(super) struct $name {
            pub(super) n: u64,
        }

        impl $crate::state::State for $name {}

        impl $crate::state::SealedState for $name {
            const REF: $crate::state::StateRef = $crate::state::StateRef::of::<Self>(
                stringify!($name),
                concat!(module_path!(), "::", stringify!($name)),
            );

            type Copying = $crate::state::CloneIf<true>;
        }

        impl $crate::node::Param for $name {
            type Receive = $crate::node::OneState;
        }

        impl $crate::node::Output for $name {
            type Emit = $crate::node::OneState;
        }
    )+};
}

/// A function node: its input, its output, and what it does with input and context.
macro_rules! node {
    ($name:literal, $in:ty => $out:ty, $body:expr) => {
        $crate::graph::NodeSpec::function(
            $crate::engine::tests::signature::<$in, $out>($name),
            $crate::node::Policy::default(),
            |inputs| {
                let input = <$in as $crate::node::Input>::owned(inputs)?;
                let body: fn($in, $crate::Context) -> Result<$out, $crate::BoxError> = $body;
                let emitted =
                    body(input, inputs.take_context()).and_then($crate::node::Output::emit);
                Ok($crate::node::Running::Ready(emitted))
            },
        )
    };
}

/// A gate: the same with an answer.
macro_rules! gate {
    ($name:literal, $in:ty, $answer:ty => $out:ty, $body:expr) => {
        $crate::graph::NodeSpec::gate(
            $crate::engine::tests::signature::<$in, $out>($name),
            $crate::node::Policy::default(),
            $crate::node::GateFns {
                ask: |_| Ok(Ok($crate::node::Asked::new("ok?"))),
                schema: <$answer as $crate::node::Answer>::schema,
                accepts: |answer| <$answer as $crate::node::Answer>::read(answer).map(drop),
                run: |inputs, answer| {
                    let input = <$in as $crate::node::Input>::owned(inputs)?;
                    let answer = <$answer as $crate::node::Answer>::read(answer)
                        .map_err(|error| $crate::FlowError::other(error))?;
                    let body: fn($in, $answer, $crate::Context) -> Result<$out, $crate::BoxError> =
                        $body;
                    let emitted = body(input, answer, inputs.take_context())
                        .and_then($crate::node::Output::emit);
                    Ok($crate::node::Running::Ready(emitted))
                },
            },
        )
    };
}

/// A flow: its id, its ends, and its nodes.
macro_rules! flow {
    ($flow:ident, $in:ty => $out:ty, [$($node:expr),+ $(,)?]) => {
        pub(super) struct $flow;

        impl $crate::FlowEnds for $flow {
            type Input = $in;
            type Output = $out;
        }

        impl $crate::FlowDef for $flow {
            fn graph() -> Result<$crate::FlowGraph, $crate::FlowError> {
                use $crate::State as _;
                $crate::FlowGraph::link_by_state(<$in>::NAME, <$out>::NAME, vec![$($node),+])
            }

            fn node_id() -> String {
                stringify!($flow).into()
            }
        }
    };
}

pub(super) use {flow, gate, node, states};

pub(super) fn signature<I: Input, O: Output>(name: &'static str) -> Signature {
    Signature::new(name, I::PARAMS, O::SHAPE)
}

/// What was noted while a flow ran.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(super) fn ctx(&self) -> Context {
        Context::default().with_dep(self.clone())
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

pub(super) fn note(ctx: &Context, what: impl Into<String>) {
    if let Ok(log) = ctx.dep::<Log>() {
        log.0.lock().unwrap().push(what.into());
    }
}

pub(super) fn start<F: FlowDef>(input: F::Input) -> FlowRuntime<F> {
    FlowRuntime::<F>::start(input).unwrap().with_run_id("r")
}

pub(super) fn json<F: FlowDef>(run: &FlowRuntime<F>) -> Value {
    serde_json::to_value(run.snapshot()).unwrap()
}

/// The run as another process would find it; reading and writing is the identity.
pub(super) fn restart<F: FlowDef>(run: &FlowRuntime<F>) -> FlowRuntime<F> {
    let bytes = serde_json::to_vec(&run.snapshot()).unwrap();
    let snapshot: FlowSnapshot = serde_json::from_slice(&bytes).unwrap();
    let again = FlowRuntime::from_snapshot(snapshot).unwrap();
    assert_eq!(serde_json::to_vec(&again.snapshot()).unwrap(), bytes);
    again
}

/// Steps until the run is done or someone must answer, with a restart before each.
pub(super) async fn go_on<F: FlowDef>(
    run: &mut FlowRuntime<F>,
    ctx: &Context,
) -> RunOut<F::Output> {
    loop {
        *run = restart(run);
        match run.next(ctx.clone()).await.unwrap() {
            RunOut::Continue => {}
            out => return out,
        }
    }
}

pub(super) fn suspended<O>(out: RunOut<O>) -> String {
    match out {
        RunOut::Suspend { tool_id, .. } => tool_id,
        _ => panic!("not suspended"),
    }
}

/// The error of the next step, which changes nothing.
pub(super) async fn fails<F: FlowDef>(run: &mut FlowRuntime<F>, ctx: &Context) -> FlowError {
    let before = json(run);
    let Err(error) = run.next(ctx.clone()).await else {
        panic!("the step was made")
    };
    assert_eq!(json(run), before);
    error
}

/// A dependency that makes bodies fail.
pub(super) struct Trouble;

/// Fails where the context says so.
pub(super) fn trouble(ctx: &Context) -> Result<(), crate::BoxError> {
    match ctx.dep::<Trouble>() {
        Ok(_) => Err("trouble".into()),
        Err(_) => Ok(()),
    }
}

/// A state's name.
pub(super) fn name<S: State>() -> &'static str {
    S::NAME
}
