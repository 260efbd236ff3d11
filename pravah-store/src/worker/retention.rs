//! The deletion of runs that ended long ago.

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;

use crate::{Retention, RunStore, TenantFilter, time};

/// How often a worker looks for runs to delete.
const INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Deletes the runs that are not to be kept any more, whoever they belong to.
pub(super) async fn prune_regularly(store: Arc<dyn RunStore>, retention: Retention) {
    loop {
        match store.prune(&TenantFilter::Every, retention).await {
            Ok(0) => {}
            Ok(pruned) => tracing::info!(pruned, "runs that had ended were deleted"),
            Err(error) => tracing::warn!(%error, "runs that had ended could not be deleted"),
        }
        sleep(time::jittered(INTERVAL)).await;
    }
}
