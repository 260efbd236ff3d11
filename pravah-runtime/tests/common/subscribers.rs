//! What tests need that listen to `tracing` on one thread each.

use std::sync::LazyLock;

use tracing::Dispatch;

/// Lets `tracing` ask every subscriber about a span. As long as there is one alone, it asks that of the thread which
/// comes to the span first, and remembers its answer for all threads.
pub(crate) fn ask_every_subscriber() {
    static SEVERAL: LazyLock<[Dispatch; 2]> =
        LazyLock::new(|| [(); 2].map(|()| Dispatch::new(tracing_subscriber::registry())));
    LazyLock::force(&SEVERAL);
}
