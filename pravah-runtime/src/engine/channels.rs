//! Runs that go on before channels.

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
    hub::{
        Channels,
        channels::{Attached, Attachment},
    },
};

impl<F> FlowRuntime<F> {
    /// Does what [`serve`](Self::serve) does, with channels that show the run to others and send it what they say.
    /// They start in their order, before the first step is made. Once the run has returned they take what has
    /// happened until then, and are told that no more follows, the last one first.
    ///
    /// Dropping the future drops the channels.
    ///
    /// # Errors
    ///
    /// Those of [`serve`](Self::serve); [`FlowError::Channel`] if a
    /// [required](crate::Channels::with_required) channel could not start: no step was made then.
    pub async fn serve_with(
        &mut self,
        ctx: Context,
        channels: Channels,
    ) -> Result<RunOut<F::Output>, FlowError>
    where
        F: FlowEnds,
    {
        let limit = channels.timeout;
        let mut attached = Vec::new();
        let started = self.start_channels(channels, &mut attached).await;
        let out = match started {
            Ok(()) => self.serve_attached(ctx, &mut attached, limit).await,
            Err(error) => Err(error),
        };
        for attachment in attached.into_iter().rev() {
            attachment.complete(limit).await;
        }
        out
    }

    /// Starts the channels, as far as one that is required can start.
    async fn start_channels(
        &mut self,
        channels: Channels,
        attached: &mut Vec<Attachment>,
    ) -> Result<(), FlowError> {
        let hub = self.hub();
        for Attached {
            channel,
            is_required,
        } in channels.attached
        {
            let name = channel.name.clone();
            match Attachment::start(channel, &hub).await {
                Ok(attachment) => attached.push(attachment),
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

    async fn serve_attached(
        &mut self,
        ctx: Context,
        attached: &mut [Attachment],
        limit: Duration,
    ) -> Result<RunOut<F::Output>, FlowError>
    where
        F: FlowEnds,
    {
        let is_over = CancelToken::default();
        let taking = attached.iter_mut().map(|it| it.take_events(&is_over));
        let mut taking = pin!(join_all(taking));
        match select(pin!(self.serve(ctx)), &mut taking).await {
            Either::Left((out, _)) => {
                is_over.cancel();
                // Whoever takes longer misses the end.
                let _ = timeout(limit, taking).await;
                out
            }
            Either::Right((_, serving)) => serving.await,
        }
    }
}
