//! Closures as the bodies of nodes.

use std::{future::Future, sync::Arc};

use crate::{
    error::{BoxError, FlowError},
    graph::Data,
    node::{Body, Emission, Emitted, Inputs, Running, Started},
    state::Live,
};

/// A closure that awaits.
pub(super) fn later<Out: Data>(
    future: impl Future<Output = Result<Out, FlowError>> + Send + 'static,
) -> Running {
    Running::later(async move {
        match future.await {
            Ok(output) => Ok(Emitted::only(Live::new(output))),
            Err(error) => Err(boxed(error)),
        }
    })
}

// Not compiled again for every node.
#[cold]
#[inline(never)]
fn boxed(error: FlowError) -> BoxError {
    error.into()
}

/// What a closure that does not await returned.
pub(super) fn ready(output: Result<Emission, FlowError>) -> Running {
    Running::Ready(output.map(Emitted).map_err(Into::into))
}

/// Helps type inference: a closure over borrowed inputs, as a body.
pub(super) fn closure<F>(f: F) -> Arc<dyn Body>
where
    F: Fn(&mut Inputs<'_>) -> Started + Send + Sync + 'static,
{
    Arc::new(f)
}
