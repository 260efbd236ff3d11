//! Telling a body that it is not wanted any more.

use std::sync::{Arc, OnceLock};

use tokio::sync::watch;

/// Is told once; its clones are told with it. What somebody waits for is made when one first does: most
/// never need it.
#[derive(Clone, Debug, Default)]
pub(crate) struct CancelToken(Arc<OnceLock<watch::Sender<bool>>>);

impl CancelToken {
    pub(crate) fn cancel(&self) {
        self.told().send_replace(true);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.get().is_some_and(|told| *told.borrow())
    }

    fn told(&self) -> &watch::Sender<bool> {
        self.0.get_or_init(|| watch::Sender::new(false))
    }

    /// Ends when it is told, at once where it was.
    pub(crate) async fn cancelled(&self) {
        let mut told = self.told().subscribe();
        // It is told, or nobody is left to tell it.
        if told.wait_for(|told| *told).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// A token that is made when somebody first asks for it: most runs never need one.
#[derive(Default)]
pub(crate) struct LazyToken(OnceLock<CancelToken>);

impl LazyToken {
    pub(crate) fn get(&self) -> CancelToken {
        self.0.get_or_init(CancelToken::default).clone()
    }
}
