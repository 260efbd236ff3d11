//! A step on its way, as the future that the caller awaits.

use std::{
    any::Any,
    future::Future,
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context as Task, Poll},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    RunOut,
    run::{Out, Place, Run},
    step::Performed,
};
use crate::{
    context::Context,
    error::{BoxError, FlowError},
    node::{BodyFuture, Emission, Emitted},
};

/// One step of a run. Nothing is committed before it is done, so it can be dropped at any time.
pub(super) struct Step<'a, O> {
    run: &'a mut Run,
    /// Where the step is, if it is not the one that is next.
    place: Option<Place>,
    ctx: Option<Context>,
    flight: Option<Flight>,
    output: PhantomData<fn() -> O>,
}

/// A step that awaits. It holds nothing of the run.
pub(super) enum Flight {
    Body(Place, BodyFuture),
    Agent(Place, AgentFuture),
}

pub(super) type AgentFuture = Pin<Box<dyn Future<Output = Result<Performed, FlowError>> + Send>>;

/// What a body gave, or its panic.
pub(super) type Landed = Result<Result<Emitted, BoxError>, Box<dyn Any + Send>>;

impl<'a, O> Step<'a, O> {
    pub(super) fn new(run: &'a mut Run, place: Option<Place>, ctx: Context) -> Self {
        Self {
            run,
            place,
            ctx: Some(ctx),
            flight: None,
            output: PhantomData,
        }
    }
}

impl<O> Future for Step<'_, O>
where
    O: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    type Output = Result<RunOut<O>, FlowError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let Self {
            run,
            place,
            ctx,
            flight,
            ..
        } = &mut *self;
        let out = match run.poll_step(place, ctx, flight, task) {
            Poll::Ready(Ok(out)) => typed(out),
            Poll::Ready(Err(error)) => Err(error),
            Poll::Pending => return Poll::Pending,
        };
        // Whoever polls once more waits, and makes no second step.
        *flight = None;
        *ctx = None;
        Poll::Ready(out)
    }
}

impl Run {
    fn poll_step(
        &mut self,
        place: &mut Option<Place>,
        ctx: &mut Option<Context>,
        flight: &mut Option<Flight>,
        task: &mut Task<'_>,
    ) -> Poll<Result<Out, FlowError>> {
        if flight.is_none()
            && ctx.is_some()
            && let Some(out) = self.start(place, ctx, flight)
        {
            return Poll::Ready(out);
        }
        match flight {
            None => Poll::Pending,
            Some(Flight::Body(place, body)) => {
                match catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(task))) {
                    Ok(Poll::Pending) => Poll::Pending,
                    Ok(Poll::Ready(Ok(Emitted(Emission::Way(0, live)))))
                        if place.hops.is_empty() =>
                    {
                        Poll::Ready(self.move_on(place.node, live))
                    }
                    Ok(Poll::Ready(given)) => Poll::Ready(self.land(place, Ok(given))),
                    Err(panic) => Poll::Ready(self.land(place, Err(panic))),
                }
            }
            Some(Flight::Agent(place, step)) => {
                match catch_unwind(AssertUnwindSafe(|| step.as_mut().poll(task))) {
                    Ok(polled) => polled.map(|performed| self.conclude(place, performed)),
                    Err(panic) => Poll::Ready(self.panicked(place, &*panic)),
                }
            }
        }
    }

    /// Begins the step; what awaits is in `flight` then.
    #[inline]
    fn start(
        &mut self,
        place: &mut Option<Place>,
        ctx: &mut Option<Context>,
        flight: &mut Option<Flight>,
    ) -> Option<Result<Out, FlowError>> {
        match self.straight_node() {
            Some(node) if place.is_none() => self.start_straight(node, ctx, flight),
            _ => self.advance(place.take(), ctx, flight).transpose(),
        }
    }
}

fn typed<O>(out: Out) -> Result<RunOut<O>, FlowError>
where
    O: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    match out {
        Out::Continue => Ok(RunOut::Continue),
        Out::Suspend { value, id } => Ok(RunOut::Suspend { value, tool_id: id }),
        Out::Done(live) => match live.into_inner() {
            Ok(output) => Ok(RunOut::Done(output)),
            Err(error) => Err(FlowError::DeserializeError(error.to_string())),
        },
    }
}
