//! Ending the service when it is told to.

use std::io;

use tokio::sync::watch;

/// Whether the service is to end: for all that waits for it.
#[derive(Clone)]
pub(crate) struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    /// One that is asked for when the task is sent Ctrl-C or a signal to terminate.
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

    /// Ends once it is asked for.
    pub(crate) async fn asked(mut self) {
        // Without a sender nobody can ask any more.
        let _ = self.0.wait_for(|is_asked| *is_asked).await;
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
