//! Channels in tasks of their own: one that blocks its thread holds neither the run nor the others, as long as there is
//! another thread.

use std::{future::pending, pin::pin, time::Duration};

use futures_util::future::{join_all, select};
use tokio::{sync::oneshot, task::JoinHandle};
use tracing::Instrument as _;

use super::started::{NamedChannel, log, panicked, within};
use crate::{cancel::CancelToken, error::BoxError, hub::Hub};

/// The channels of a run that have started, in that order. Dropping it drops them.
pub(crate) struct StartedChannels {
    tasks: Vec<ChannelTask>,
    is_over: CancelToken,
    limit: Duration,
}

struct ChannelTask {
    name: String,
    task: AbortOnDrop,
    /// Done once the channel has taken all events.
    has_all: oneshot::Receiver<()>,
    /// Sent once the channel is to be completed, whatever it does.
    complete: oneshot::Sender<()>,
}

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl StartedChannels {
    /// None yet. Each has `limit` to start, to take the last events and to be completed.
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            tasks: Vec::new(),
            is_over: CancelToken::default(),
            limit,
        }
    }

    /// Starts a further channel.
    pub(crate) async fn start(&mut self, channel: NamedChannel, hub: Hub) -> Result<(), BoxError> {
        let name = channel.name.clone();
        let (starting, started) = oneshot::channel();
        let (taking, has_all) = oneshot::channel();
        let (complete, completing) = oneshot::channel();
        let signals = Signals {
            started: starting,
            is_over: self.is_over.clone(),
            has_all: taking,
            complete: completing,
        };
        let task = tokio::spawn(live(channel, hub, signals).in_current_span());
        let task = AbortOnDrop(task);
        within(self.limit, started).await???;
        self.tasks.push(ChannelTask {
            name,
            task,
            has_all,
            complete,
        });
        Ok(())
    }

    /// Lets the channels take what has happened, and completes them, the last one first.
    pub(crate) async fn end(mut self) {
        self.is_over.cancel();
        let have_all = self.tasks.iter_mut().map(|it| &mut it.has_all);
        // Whoever takes longer misses the end.
        let _ = within(self.limit, join_all(have_all)).await;
        for channel in self.tasks.into_iter().rev() {
            channel.complete(self.limit).await;
        }
    }
}

impl ChannelTask {
    async fn complete(mut self, limit: Duration) {
        // It may have ended already, by a panic where it was dropped.
        let _ = self.complete.send(());
        let ended = match within(limit, &mut self.task.0).await {
            Ok(Err(error)) => error
                .try_into_panic()
                .map_or(Ok(()), |it| Err(panicked(it))),
            Ok(Ok(())) => Ok(()),
            Err(late) => Err(late),
        };
        log(&self.name, ended);
    }
}

/// How a channel and the run tell each other where they are.
struct Signals {
    started: oneshot::Sender<Result<(), BoxError>>,
    is_over: CancelToken,
    has_all: oneshot::Sender<()>,
    complete: oneshot::Receiver<()>,
}

/// All that a channel does.
async fn live(channel: NamedChannel, hub: Hub, signals: Signals) {
    let mut channel = match channel.start(hub).await {
        Ok(channel) => channel,
        Err(error) => {
            // It was left out, if nobody waits any more.
            let _ = signals.started.send(Err(error));
            return;
        }
    };
    if signals.started.send(Ok(())).is_err() {
        return;
    }
    {
        let taking = async {
            channel.take_events(&signals.is_over).await;
            drop(signals.has_all);
            pending::<()>().await;
        };
        select(pin!(taking), signals.complete).await;
    }
    channel.complete().await;
}
