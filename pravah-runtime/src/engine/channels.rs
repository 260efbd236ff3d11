//! Runs that are served with channels attached.

use super::{run_out::RunOut, runtime::FlowRuntime};
use crate::{
    context::Context,
    error::FlowError,
    events::EventKind,
    flow::FlowEnds,
    hub::{Channels, StartedChannels, message_of},
};

impl<F> FlowRuntime<F> {
    /// Does what [`serve`](Self::serve) does, with channels that show the run to others and send it what they say.
    /// They start in their order, before the first step is made. Once the run has returned they take what has
    /// happened until then, and are completed, the last one first.
    ///
    /// Each channel has a task of its own. Dropping the future lets the runtime drop the channels.
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
        self.serve_until(ctx, channels, true, |_, _| {}).await
    }

    /// The same, and does something with the error of a step before the channels are completed. Unless it
    /// `waits_for_answers`, it returns where only questions are open.
    pub(crate) async fn serve_until(
        &mut self,
        ctx: Context,
        channels: Channels,
        waits_for_answers: bool,
        at_error: impl FnOnce(&mut Self, &FlowError),
    ) -> Result<RunOut<F::Output>, FlowError>
    where
        F: FlowEnds,
    {
        let mut started = StartedChannels::new(channels.timeout);
        let out = match self.start_channels(channels, &mut started).await {
            Ok(()) => {
                let out = match waits_for_answers {
                    true => self.serve(ctx).await,
                    false => self.run(ctx).await,
                };
                if let Err(error) = &out {
                    at_error(self, error);
                }
                out
            }
            Err(error) => Err(error),
        };
        started.end().await;
        out
    }

    /// Starts the channels, as far as one that is required can start.
    async fn start_channels(
        &mut self,
        channels: Channels,
        started: &mut StartedChannels,
    ) -> Result<(), FlowError> {
        let hub = self.hub();
        for channel in channels.channels {
            let (name, is_required) = (channel.name.clone(), channel.is_required);
            match started.start(channel, hub.clone()).await {
                Ok(()) => {}
                Err(source) if is_required => {
                    let channel = name;
                    return Err(FlowError::Channel { channel, source });
                }
                Err(error) => {
                    let error = message_of(error);
                    self.inner
                        .notify_run(|| EventKind::channel_failed(name, error));
                }
            }
        }
        Ok(())
    }
}
