//! Notifications of other processes.
//!
//! A store notifies its own process directly, and all others through the channels of its schema. One connection
//! listens to those. Where it is gone, or nobody listens, workers and streams look now and then all the same.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{Instant, sleep, sleep_until},
};
use tokio_postgres::{Client, Notification};
use uuid::Uuid;

use super::{
    clock::DatabaseClock,
    connect::{Connector, quoted},
    transaction::RunNotification,
};
use crate::{Notifier, RunKey, time, tx_error::TxError};

/// How often the database is asked what time it is.
const CLOCK_CHECK: Duration = Duration::from_secs(60);

/// How long to wait before another attempt to connect: at first, and at most.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// What a notification is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    /// It may be claimed, or has a new command.
    Run,
    /// A step was committed.
    Commit,
}

/// The channels of a store, which it shares with the task that listens to them.
pub(super) struct Channels {
    /// The one that says that a run may be claimed, and the one for commits.
    names: [String; 2],
    /// Which store it is: what it says itself it need not hear.
    origin: String,
    pub(super) runs: Notifier,
    pub(super) commits: Notifier,
    /// Whether anybody in this process follows commits: there are many.
    follows: watch::Sender<bool>,
}

impl Channels {
    pub(super) fn new(schema: &str) -> Self {
        Self {
            names: [format!("{schema}.runs"), format!("{schema}.commits")],
            origin: Uuid::now_v7().simple().to_string(),
            runs: Notifier::new(),
            commits: Notifier::new(),
            follows: watch::Sender::new(false),
        }
    }

    /// Listens to what other processes commit.
    pub(super) fn follow_commits(&self) {
        self.follows
            .send_if_modified(|follows| !std::mem::replace(follows, true));
    }

    /// What other processes are told of a run. With all that a key may have the payload is shorter than the 8,000 bytes of
    /// PostgreSQL.
    pub(super) fn notification(&self, topics: &[Topic], key: &RunKey) -> RunNotification<'_> {
        let channels = topics.iter().map(|topic| self.channel(*topic));
        RunNotification {
            channels: channels.collect(),
            payload: format!("{} {}", self.origin, key.run_id()),
        }
    }

    fn channel(&self, topic: Topic) -> &str {
        let [runs, commits] = &self.names;
        match topic {
            Topic::Run => runs,
            Topic::Commit => commits,
        }
    }

    fn notifier(&self, topic: Topic) -> &Notifier {
        match topic {
            Topic::Run => &self.runs,
            Topic::Commit => &self.commits,
        }
    }

    /// Tells this process.
    pub(super) fn notify(&self, topics: &[Topic], key: &RunKey) {
        for topic in topics {
            self.notifier(*topic).notify(key);
        }
    }

    /// Receives a notification of another process, or of this one.
    fn receive(&self, notification: &Notification) {
        let topics = [Topic::Run, Topic::Commit];
        let topic = topics
            .into_iter()
            .find(|it| self.channel(*it) == notification.channel());
        let payload = notification.payload().split_once(' ');
        let origin = payload.map(|(origin, _)| origin);
        let Some(topic) = topic.filter(|_| origin != Some(&*self.origin)) else {
            return;
        };
        match payload.and_then(|(_, run_id)| RunKey::from_run_id(run_id)) {
            Some(key) => self.notifier(topic).notify(&key),
            None => self.notifier(topic).notify_any(),
        }
    }
}

/// A connection that listens.
pub(super) struct Listening {
    pub(super) client: Client,
    driver: JoinHandle<()>,
}

impl Listening {
    pub(super) async fn connect(
        connector: &Connector,
        channels: &Arc<Channels>,
    ) -> Result<Self, TxError> {
        let receiver = Arc::clone(channels);
        let receive = move |notification: Notification| receiver.receive(&notification);
        let (client, driver) = connector.connect_receiving(receive).await?;
        Ok(Self { client, driver })
    }

    pub(super) async fn listen(&self, channels: &Channels, topic: Topic) -> Result<(), TxError> {
        let listen = format!("LISTEN {}", quoted(channels.channel(topic)));
        self.client.batch_execute(&listen).await?;
        // Some may have been missed.
        channels.notifier(topic).notify_any();
        Ok(())
    }
}

/// A task that listens until this is dropped.
pub(super) struct Listener(JoinHandle<()>);

impl Listener {
    /// Starts with a connection that listens to what may be claimed.
    pub(super) fn start(
        connector: Connector,
        channels: Arc<Channels>,
        clock: DatabaseClock,
        listening: Listening,
    ) -> Self {
        Self(tokio::spawn(keep_listening(
            connector, channels, clock, listening,
        )))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn keep_listening(
    connector: Connector,
    channels: Arc<Channels>,
    clock: DatabaseClock,
    mut listening: Listening,
) {
    loop {
        if let Err(error) = listen_until_it_ends(&mut listening, &channels, &clock).await {
            let error = error.while_doing("listen");
            tracing::warn!(%error, "nobody listens to the database until it is back");
        }
        listening = reconnect(&connector, &channels, &clock).await;
    }
}

/// Listens, and sets the clock, until the connection ends.
async fn listen_until_it_ends(
    listening: &mut Listening,
    channels: &Channels,
    clock: &DatabaseClock,
) -> Result<(), TxError> {
    let mut follows = channels.follows.subscribe();
    if *follows.borrow_and_update() {
        listening.listen(channels, Topic::Commit).await?;
    }
    let mut next_check = Instant::now() + CLOCK_CHECK;
    loop {
        tokio::select! {
            _ = &mut listening.driver => return Ok(()),
            changed = follows.changed() => match changed {
                Ok(()) => listening.listen(channels, Topic::Commit).await?,
                Err(_) => return Ok(()),
            },
            () = sleep_until(next_check) => {
                clock.set_from(&listening.client).await?;
                next_check = Instant::now() + CLOCK_CHECK;
            }
        }
    }
}

async fn reconnect(
    connector: &Connector,
    channels: &Arc<Channels>,
    clock: &DatabaseClock,
) -> Listening {
    let (mut wait, longest) = BACK_OFF;
    loop {
        sleep(time::jittered(wait)).await;
        match listen_again(connector, channels, clock).await {
            Ok(listening) => return listening,
            Err(error) => {
                let error = error.while_doing("listen");
                tracing::debug!(%error, "the database is not back yet");
            }
        }
        wait = longest.min(wait * 2);
    }
}

async fn listen_again(
    connector: &Connector,
    channels: &Arc<Channels>,
    clock: &DatabaseClock,
) -> Result<Listening, TxError> {
    let listening = Listening::connect(connector, channels).await?;
    clock.set_from(&listening.client).await?;
    listening.listen(channels, Topic::Run).await?;
    Ok(listening)
}
