//! Graceful shutdown.

use std::io;

use tokio::sync::watch;

/// A request to shut down, which any number of tasks can wait for.
#[derive(Clone)]
pub(crate) struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    /// Requested when the process receives Ctrl-C or SIGTERM.
    pub(crate) fn on_signal() -> Self {
        let (sender, receiver) = watch::channel(false);
        tokio::spawn(async move {
            if let Err(error) = signal().await {
                eprintln!("signals cannot be received: {error}");
            }
            sender.send_replace(true);
        });
        Self(receiver)
    }

    /// Completes once a shutdown is requested.
    pub(crate) async fn requested(mut self) {
        // The sender is gone only after it has sent the request.
        let _ = self.0.wait_for(|is_requested| *is_requested).await;
    }
}

#[cfg(unix)]
async fn signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
