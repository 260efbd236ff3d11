//! What a `catch` makes of a node that has failed.

use std::sync::Arc;

use schemars::JsonSchema;

use super::{CloneOf, Data, Name};
use crate::{
    node::{Failure, FailureKind, Input, InputResult, Inputs},
    state::{Live, State},
};

/// What the failure of a node becomes, where a `catch` follows it.
#[derive(Clone)]
pub(crate) struct CatchSpec {
    /// The state of the failure.
    pub(crate) name: Name,
    pub(crate) make: Arc<MakeFailure>,
}

/// Makes the failure of what went in, its kind, its message and how often the node was tried.
type MakeFailure =
    dyn Fn(&mut Inputs<'_>, FailureKind, String, u32) -> InputResult<Live> + Send + Sync;

impl CatchSpec {
    pub(super) fn of<I: Input>() -> Self {
        Self {
            name: <Failure<I> as State>::NAME.into(),
            make: Arc::new(|inputs, kind, message, attempts| {
                let input = I::owned(inputs)?;
                let failure = Failure::new(input, kind, message);
                Ok(Live::new(failure.with_attempts(attempts)))
            }),
        }
    }

    /// Of a node of the builder that takes one state.
    pub(crate) fn of_state<I: Data>(clone: CloneOf<I>) -> Self {
        Self {
            name: Failure::<I>::schema_name(),
            make: Arc::new(move |inputs, kind, message, attempts| {
                let input = inputs.take(0, &clone)?;
                let failure = Failure::new(input, kind, message);
                Ok(Live::new(failure.with_attempts(attempts)))
            }),
        }
    }
}
