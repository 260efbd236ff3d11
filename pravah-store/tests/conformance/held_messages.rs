//! A PostgreSQL server as it is reached through a proxy that holds messages up.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
};

/// Where a connection is held up: at one of the messages that pass, until it is let go.
#[derive(Clone)]
pub(crate) struct Hold(Arc<HoldState>);

struct HoldState {
    /// How many messages pass before the one that is held; `usize::MAX` where none is.
    left: AtomicUsize,
    /// Whether only messages count with which a statement begins.
    is_of_statements: AtomicBool,
    is_held: watch::Sender<bool>,
}

impl Hold {
    fn new() -> Self {
        Self(Arc::new(HoldState {
            left: AtomicUsize::new(usize::MAX),
            is_of_statements: AtomicBool::new(false),
            is_held: watch::Sender::new(false),
        }))
    }

    /// Holds the message that comes after so many others.
    pub(crate) fn after(&self, messages: usize) {
        self.0.left.store(messages, Ordering::SeqCst);
    }

    /// Holds the statement that comes after so many others.
    pub(crate) fn after_statements(&self, statements: usize) {
        self.0.is_of_statements.store(true, Ordering::SeqCst);
        self.after(statements);
    }

    pub(crate) async fn until_held(&self) {
        let mut held = self.0.is_held.subscribe();
        held.wait_for(|is_held| *is_held).await.unwrap();
    }

    pub(crate) fn let_go(&self) {
        self.0.left.store(usize::MAX, Ordering::SeqCst);
        self.0.is_held.send_replace(false);
    }

    /// Lets a message of this type pass, or holds it.
    async fn pass(&self, message_type: u8) {
        let is_statement = matches!(message_type, b'B' | b'P' | b'Q');
        if self.0.is_of_statements.load(Ordering::SeqCst) && !is_statement {
            return;
        }
        let count_down = |left: usize| (left != usize::MAX).then(|| left.wrapping_sub(1));
        let left = &self.0.left;
        let counted = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count_down);
        if counted == Ok(0) {
            let mut held = self.0.is_held.subscribe();
            self.0.is_held.send_replace(true);
            held.wait_for(|is_held| !is_held).await.unwrap();
        }
    }
}

/// Passes on what is said to a port on this machine. Returns the port to connect to, and what holds the messages of clients
/// and the answers of the server.
pub(crate) async fn holding_proxy(port: u16) -> (u16, [Hold; 2]) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own = listener.local_addr().unwrap().port();
    let holds = [Hold::new(), Hold::new()];
    let [questions, answers] = holds.clone();
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            client.set_nodelay(true).unwrap();
            server.set_nodelay(true).unwrap();
            let (from_client, to_client) = client.into_split();
            let (from_server, to_server) = server.into_split();
            tokio::spawn(pass_on((from_client, to_server), 0, questions.clone()));
            tokio::spawn(pass_on((from_server, to_client), 1, answers.clone()));
        }
    });
    (own, holds)
}

/// Passes messages on, one by one: each has a type of one byte, which the first of a client lacks, and its length
/// (<https://www.postgresql.org/docs/current/protocol-message-formats.html>).
async fn pass_on(
    (mut from, mut to): (OwnedReadHalf, OwnedWriteHalf),
    mut type_length: usize,
    hold: Hold,
) {
    loop {
        let mut message = vec![0; type_length + 4];
        if from.read_exact(&mut message).await.is_err() {
            return;
        }
        let length = message.last_chunk::<4>().copied().map(u32::from_be_bytes);
        message.resize(type_length + length.unwrap() as usize, 0);
        let rest = &mut message[type_length + 4..];
        if from.read_exact(rest).await.is_err() {
            return;
        }
        type_length = 1;
        hold.pass(message[0]).await;
        if to.write_all(&message).await.is_err() {
            return;
        }
    }
}
