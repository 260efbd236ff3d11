//! Connections: how they are made, and what holds for each.

use std::{fmt, future::poll_fn, pin::Pin, sync::Arc, time::Duration};

use deadpool_postgres::Connect;
use tokio::task::JoinHandle;
use tokio_postgres::{
    AsyncMessage, Client, Config, Connection, Error, Notification, Socket,
    tls::{MakeTlsConnect, TlsConnect},
};

/// How long to wait for a server that does not answer, before it counts as gone.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client, and the task that moves its messages.
type Connected = Result<(Client, JoinHandle<()>), Error>;

type Connecting<'a> = Pin<Box<dyn Future<Output = Connected> + Send + 'a>>;

/// What receives notifications.
type Receive = Box<dyn Fn(Notification) + Send>;

/// Makes connections, with TLS or without it.
type Open = Arc<dyn Fn(Config, Receive) -> Connecting<'static> + Send + Sync>;

#[derive(Clone)]
pub(super) struct Connector {
    open: Open,
    config: Config,
    /// What is set for each connection.
    settings: String,
}

impl Connector {
    pub(super) fn new<T>(config: Config, schema: &str, tls: T) -> Self
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let open = move |config: Config, receive: Receive| -> Connecting<'static> {
            let tls = tls.clone();
            Box::pin(async move {
                let (client, connection) = config.connect(tls).await?;
                Ok((client, tokio::spawn(drive(connection, receive))))
            })
        };
        Self {
            open: Arc::new(open),
            config: with_patience(config),
            settings: settings(schema),
        }
    }

    pub(super) fn config(&self) -> Config {
        self.config.clone()
    }

    /// Connects, and hands over the notifications that come.
    pub(super) async fn connect_receiving(
        &self,
        receive: impl Fn(Notification) + Send + 'static,
    ) -> Connected {
        let (client, driver) = (self.open)(self.config(), Box::new(receive)).await?;
        client.batch_execute(&self.settings).await?;
        Ok((client, driver))
    }
}

impl Connect for Connector {
    fn connect(&self, _: &Config) -> Connecting<'_> {
        Box::pin(self.connect_receiving(drop))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

/// Notices a server that is gone, unless the URL says when.
fn with_patience(mut config: Config) -> Config {
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(PATIENCE);
    }
    if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
        config.keepalives_idle(PATIENCE);
    }
    if config.get_application_name().is_none() {
        config.application_name("pravah");
    }
    config
}

/// What statements rely on, however the database is set up. A process that stops in the middle of a transaction keeps a
/// run from others for ten seconds at most. A statement is planned once, whatever its parameters are: to plan one takes
/// longer than to execute it. It reads no whole table, which has a few rows when that is planned and many later.
/// `BEGIN_SCAN` and `BEGIN_PLANNED_READ` make exceptions. No run is noted as locked, even if the role or the address has a
/// default for that.
pub(super) fn settings(schema: &str) -> String {
    format!(
        "SET search_path TO {}; SET default_transaction_isolation TO 'read committed'; \
         SET default_transaction_read_only TO off; SET idle_in_transaction_session_timeout TO '10s'; \
         SET plan_cache_mode TO force_generic_plan; SET enable_seqscan TO off; \
         SET pravah.run TO ''; SET pravah.now TO ''",
        quoted(schema)
    )
}

/// A name as it may be put into a statement.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Moves the messages of a connection until it ends.
async fn drive<S, T>(mut connection: Connection<S, T>, receive: Receive)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    loop {
        match poll_fn(|task| connection.poll_message(task)).await {
            Some(Ok(AsyncMessage::Notification(notification))) => receive(notification),
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                return tracing::warn!(%error, "a connection to the database has ended");
            }
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_where_its_quotes_end() {
        assert_eq!(quoted("runs"), r#""runs""#);
        assert_eq!(
            quoted(r#"a"; DROP TABLE run; --"#),
            r#""a""; DROP TABLE run; --""#
        );
    }

    #[test]
    fn what_the_url_says_of_timeouts_counts() {
        let config: Config = "host=db connect_timeout=3 keepalives_idle=5"
            .parse()
            .unwrap();
        let config = with_patience(config);
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(3)));
        assert_eq!(config.get_keepalives_idle(), Duration::from_secs(5));
        assert_eq!(config.get_tcp_user_timeout(), Some(&PATIENCE));
    }
}
