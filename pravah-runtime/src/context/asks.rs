//! What a node or a tool takes of the context as a parameter.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    Capabilities, Commands, Context, Dep, Files, Injectable, Input, Latest, Resumed, Step,
    input::FlowInput,
};
use crate::{
    agent::{Argument, ArgumentsSchema, ToolParam},
    error::{BoxError, FlowError, ToolError},
    node::{InputResult, Inputs, IsState, Param, Receive},
    state::State,
    topology::{DepRef, Need, ParamRef},
};

/// Makes a type something that a node asks for.
macro_rules! asked_by_node {
    ([$($param:ident: $($bound:tt)+)?] $ty:ty, $reference:expr, $take:expr) => {
        impl<$($param: $($bound)+)?> Param for $ty {
            type Receive = Self;
        }

        impl<$($param: $($bound)+)?> Receive<Self> for $ty {
            const REF: ParamRef = $reference;

            type Before<Rest> = Rest;

            fn owned(inputs: &mut Inputs<'_>, _: usize) -> InputResult<Self> {
                let take: fn(&Context) -> Result<Self, BoxError> = $take;
                Ok(take(inputs.context()).map_err(FlowError::from)?)
            }
        }
    };
}

/// Makes a type something that a tool asks for.
macro_rules! asked_by_tool {
    ([$($param:ident: $($bound:tt)+)?] $ty:ty, $reference:expr, $take:expr) => {
        #[diagnostic::do_not_recommend]
        impl<$($param: $($bound)+)?> ToolParam for $ty {
            const REF: ParamRef = $reference;

            fn read(_: &Map<String, Value>, _: &'static str) -> Result<Argument, serde_json::Error> {
                Ok(None)
            }

            fn describe(_: &mut ArgumentsSchema<'_>, _: &'static str, _: &'static str) {}

            fn take(_: Option<Argument>, ctx: &Context) -> Result<Self, ToolError> {
                let take: fn(&Context) -> Result<Self, BoxError> = $take;
                Ok(take(ctx)?)
            }
        }
    };
}

/// Makes a type something that both ask for.
macro_rules! asked {
    ([$($param:ident: $($bound:tt)+)?] $ty:ty, $reference:expr, $take:expr) => {
        asked_by_node!([$($param: $($bound)+)?] $ty, $reference, $take);
        asked_by_tool!([$($param: $($bound)+)?] $ty, $reference, $take);
    };
}

const FILES: ParamRef = ParamRef::ask("Files", &Need::of(Capabilities::FILES));
const COMMANDS: ParamRef = ParamRef::ask("Commands", &Need::of(Capabilities::COMMANDS));
#[cfg(feature = "providers")]
const HTTP: ParamRef = ParamRef::ask("Http", &Need::of(Capabilities::HTTP));
const CONTEXT: ParamRef = ParamRef::ask("Context", &Need::of(Capabilities::ALL));
const STEP: ParamRef = ParamRef::ask("Step", &Need::NOTHING);
const RESUMED: ParamRef = ParamRef::ask("Resumed", &Need::NOTHING);

const fn dep<T: ?Sized + Injectable>() -> ParamRef {
    ParamRef::ask(
        "Dep",
        const {
            &Need {
                capabilities: Capabilities::DEPS,
                dep: Some(DepRef {
                    find: |ctx| ctx.dep::<T>().map(drop),
                }),
                input: None,
            }
        },
    )
}

const fn input<T: FlowInput>() -> ParamRef {
    ParamRef::ask(
        "Input",
        const {
            &Need {
                capabilities: Capabilities::NONE,
                dep: None,
                input: Some(T::STATE),
            }
        },
    )
}

asked!([] Files, FILES, |ctx| Ok(ctx.into()));
asked!([] Commands, COMMANDS, |ctx| Ok(ctx.into()));
#[cfg(feature = "providers")]
asked!([] super::Http, HTTP, |ctx| Ok(ctx.into()));
asked!([] Step, STEP, |ctx| Ok(ctx.into()));
asked!([] Context, CONTEXT, |ctx| Ok(ctx.clone()));
asked_by_tool!([T: ?Sized + Injectable] Dep<T>, dep::<T>(), |ctx| Ok(Self::from_arc(ctx.dep()?)));
asked_by_tool!([T: FlowInput] Input<T>, input::<T>(), |ctx| Ok(T::of(ctx)?));
asked_by_tool!([T: DeserializeOwned + Send] Resumed<T>, RESUMED, |ctx| Ok(Self::of(ctx)?));

// By hand, since rustc shows these lines to whoever asks for what is none.
impl<T: ?Sized + Injectable> Param for Dep<T> {
    type Receive = Self;
}

impl<T: ?Sized + Injectable> Receive<Self> for Dep<T> {
    const REF: ParamRef = dep::<T>();

    type Before<Rest> = Rest;

    fn owned(inputs: &mut Inputs<'_>, _: usize) -> InputResult<Self> {
        Ok(Self::from_arc(
            inputs.context().dep().map_err(FlowError::from)?,
        ))
    }
}

impl<T: FlowInput> Param for Input<T> {
    type Receive = Self;
}

impl<T: FlowInput> Receive<Self> for Input<T> {
    const REF: ParamRef = input::<T>();

    type Before<Rest> = Rest;

    fn owned(inputs: &mut Inputs<'_>, _: usize) -> InputResult<Self> {
        // In the words of the node, which asks for it.
        Ok(T::of(inputs.context()).map_err(FlowError::other)?)
    }
}

impl<T: State> Param for Latest<T> {
    type Receive = Self;
}

impl<T: State> Receive<Self> for Latest<T> {
    const REF: ParamRef = ParamRef::read(&[<T as IsState>::REF]);

    type Before<Rest> = Rest;

    fn owned(inputs: &mut Inputs<'_>, _: usize) -> InputResult<Self> {
        inputs.latest::<T>().map(Self::from_arc)
    }
}
