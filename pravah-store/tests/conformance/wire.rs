//! A server as it is reached through a proxy, which counts.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Mutex,
};

/// How often clients have waited for the server: messages that follow each other without an answer in between count once.
#[derive(Clone, Default)]
pub(crate) struct RoundTrips(Arc<AtomicUsize>);

impl RoundTrips {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Passes on what is said to a port on this machine. Returns the port to connect to.
pub(crate) async fn proxy(port: u16) -> (u16, RoundTrips) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (own, round_trips) = (listener.local_addr().unwrap().port(), RoundTrips::default());
    let counted = round_trips.clone();
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            pass_on(client, server, counted.clone());
        }
    });
    (own, round_trips)
}

fn pass_on(client: TcpStream, server: TcpStream, round_trips: RoundTrips) {
    client.set_nodelay(true).unwrap();
    server.set_nodelay(true).unwrap();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    // Whether the server was the last to say something.
    let is_answered = Arc::new(Mutex::new(true));
    let answers = Arc::clone(&is_answered);
    tokio::spawn(async move {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from_client.read(&mut buffer).await {
            if std::mem::take(&mut *is_answered.lock().await) {
                round_trips.0.fetch_add(1, Ordering::SeqCst);
            }
            if to_server.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    });
    tokio::spawn(async move {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from_server.read(&mut buffer).await {
            *answers.lock().await = true;
            if to_client.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    });
}
