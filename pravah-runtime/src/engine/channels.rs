//! Runs that are served with channels attached.

use std::{pin::pin, time::Duration};

use futures_util::future::{Either, join_all, select};
use tokio::time::timeout;

use super::{run_out::RunOut, runtime::FlowRuntime};
use crate::{
    cancel::CancelToken,
    context::Context,
    error::FlowError,
    events::EventKind,
    flow::FlowEnds,
    hub::{Channels, StartedChannel},
};

impl<F> FlowRuntime<F> {
    /// Does what [`serve`](Self::serve) does, with channels that show the run to others and send it what they say.
    /// They start in their order, before the first step is made. Once the run has returned they take what has
    /// happened until then, and are completed, the last one first.
    ///
    /// Dropping the future drops the channels.
    ///
    /// # Errors
    ///
    /// Those of [`serve`](Self::serve); [`FlowError::Channel`] if a
    /// [required](crate::Channels::with_required) channel could not start in time: no step was made then.
    pub async fn serve_with(
        &mut self,
        ctx: Context,
        channels: Channels,
    ) -> Result<RunOut<F::Output>, FlowError>
    where
        F: FlowEnds,
    {
        let limit = channels.timeout;
        let mut started = Vec::new();
        let out = match self.start_channels(channels, &mut started).await {
            Ok(()) => self.serve_started(ctx, &mut started, limit).await,
            Err(error) => Err(error),
        };
        for channel in started.into_iter().rev() {
            channel.complete(limit).await;
        }
        out
    }

    /// Starts the channels, as far as one that is required can start.
    async fn start_channels(
        &mut self,
        channels: Channels,
        started: &mut Vec<StartedChannel>,
    ) -> Result<(), FlowError> {
        let hub = self.hub();
        let Channels { channels, timeout } = channels;
        for channel in channels {
            let (name, is_required) = (channel.name.clone(), channel.is_required);
            match channel.start(&hub, timeout).await {
                Ok(channel) => started.push(channel),
                Err(source) if is_required => {
                    let channel = name;
                    return Err(FlowError::Channel { channel, source });
                }
                Err(error) => {
                    let error = error.to_string();
                    self.run
                        .notify_run(|| EventKind::channel_failed(name, error));
                }
            }
        }
        Ok(())
    }

    async fn serve_started(
        &mut self,
        ctx: Context,
        channels: &mut [StartedChannel],
        limit: Duration,
    ) -> Result<RunOut<F::Output>, FlowError>
    where
        F: FlowEnds,
    {
        let is_over = CancelToken::default();
        let taking = channels.iter_mut().map(|it| it.take_events(&is_over));
        let mut taking = pin!(join_all(taking));
        // Channels first: a run that never awaits uses up what tokio lets the task do, and they would get nothing.
        match select(&mut taking, pin!(self.serve(ctx))).await {
            Either::Left((_, serving)) => serving.await,
            Either::Right((out, _)) => {
                is_over.cancel();
                // Whoever takes longer misses the end.
                let _ = timeout(limit, taking).await;
                out
            }
        }
    }
}
