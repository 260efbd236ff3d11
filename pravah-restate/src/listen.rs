//! The HTTP server that Restate invokes.
//!
//! The server of the SDK leaves Nagle's algorithm on, with which each step waits some 40 milliseconds for an acknowledgement,
//! and stops accepting connections once one has failed.

use std::{future::Future, io, pin::pin, time::Duration};

use hyper::server::conn::http2;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::graceful::GracefulShutdown,
};
use restate_sdk::{endpoint::Endpoint, hyper::HyperEndpoint};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};

/// How long running steps may take after a shutdown was requested.
const GRACE: Duration = Duration::from_secs(10);

/// How long to wait where no connection can be accepted, for want of file handles, for example.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Serves until `shutdown` completes. Dropping the future aborts what is being served.
pub(crate) async fn listen(
    endpoint: Endpoint,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) {
    let endpoint = HyperEndpoint::new(endpoint);
    let (graceful, mut connections) = (GracefulShutdown::new(), JoinSet::new());
    let mut shutdown = pin!(shutdown);
    loop {
        let stream = tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
            stream = accept(&listener) => stream,
        };
        match stream {
            Ok(stream) => {
                let server = http2::Builder::new(TokioExecutor::new());
                let connection = server.serve_connection(TokioIo::new(stream), endpoint.clone());
                let connection = graceful.watch(connection);
                connections.spawn(async move {
                    if let Err(error) = connection.await {
                        tracing::debug!(%error, "a connection has failed");
                    }
                });
            }
            Err(error) => {
                tracing::warn!(%error, "no connection was accepted");
                sleep(ACCEPT_AGAIN).await;
            }
        }
    }
    drop(listener);
    if timeout(GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("running steps are aborted");
    }
}

async fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
