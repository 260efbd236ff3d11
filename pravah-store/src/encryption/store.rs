//! A store over another one.

use std::{fmt, sync::Arc, time::Duration};

use pravah_runtime::{Clock, Entries};

use super::{Cipher, envelope::Envelope};
#[cfg(doc)]
use crate::StoreError;
use crate::{
    Claim, ClaimRequest, Command, Commit, Filter, HistoryRow, InboxRow, Lease, LoadedRun, NewRun,
    Notifications, Page, Release, Retention, RunInfo, RunKey, RunStore, StoreFuture, TenantFilter,
};

/// Encrypts payloads on their way to another store, and decrypts them on their way back. Whoever reads the other store,
/// its file or a copy of it does not see what runs are about.
///
/// Encrypted are the values of entries, and with them those of histories and forks; what questions ask; outputs; the
/// payloads of commands, with the names of events and the reasons of cancels; and the texts of errors and refusals.
///
/// Everything that a store looks for or orders by is readable: ids and tenants, tags, flows, statuses, times, the keys
/// of entries, the ids of nodes and questions, and how many commands of which kind wait. So is the size of a payload.
/// Put nothing secret into an id or a tag.
///
/// A payload is bound to its tenant and its place, as far as the [`Cipher`] authenticates: none passes for another. It is
/// not bound to a time: whoever can write to the other store can put back an earlier value of an entry, or put in that of
/// the same entry of another run of the tenant, and nobody notices.
///
/// Besides the errors of the other store, what is written may fail with [`Encryption`](StoreError::Encryption), and what
/// is read with [`Decryption`](StoreError::Decryption). Of runs that are listed or claimed it is the
/// [`error`](RunInfo::error), so that one hides no other.
///
/// A command that was given without the cipher, or changed, is no error: the run refuses it, and its history says why. To
/// pause and to unpause have no payload, and are taken. A cancel is taken even if its reason cannot be decrypted, so that every
/// run can be ended.
///
/// All workers and handles of a store need the same keys. A worker without the key of a run leaves it as it is: the run
/// is claimed again later, and parked after a number of claims. What is logged is not encrypted.
///
/// ```
/// # #[cfg(feature = "encryption")] {
/// use pravah_runtime::prelude::*;
/// use pravah_store::{EncryptedStore, KeyRing, MemoryStore, Runs};
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Served { cups: u32 }
/// #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
/// #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
///
/// # let rt = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # rt.block_on(async {
/// # let key_of_2026 = [7; 32];
/// let inner = MemoryStore::new();
/// let keys = KeyRing::new("2026", key_of_2026)?;
/// let runs = Runs::new(EncryptedStore::new(inner.clone(), keys));
/// let id = runs.start::<Order>(Order { cups: 2 }).await?;
///
/// let order = runs.entries_at(&id, 0).await?;
/// assert_eq!(order.get("/states/Order"), Some(r#"{"cups":2}"#));
/// let stored = Runs::new(inner).entries_at(&id, 0).await?;
/// assert!(stored.get("/states/Order").is_some_and(|json| json.starts_with("\"enc1:")));
/// # Ok::<(), pravah_store::StoreError>(()) }).unwrap();
/// # }
/// ```
#[derive(Clone)]
pub struct EncryptedStore<S> {
    inner: S,
    envelope: Envelope,
}

impl<S: RunStore> EncryptedStore<S> {
    /// Keeps runs in `inner`, encrypted. What is there without encryption is an error
    /// ([`DecryptionError::NotEncrypted`](crate::DecryptionError::NotEncrypted)), so that nobody passes off anything as
    /// encrypted.
    pub fn new(inner: S, cipher: impl Cipher) -> Self {
        let envelope = Envelope {
            cipher: Arc::new(cipher),
            reads_unencrypted: false,
        };
        Self { inner, envelope }
    }

    /// Reads what was stored without encryption, too, for a store that has runs already. What is written from now on is
    /// encrypted: an entry with its next change. The steps of a history stay as they are.
    #[must_use]
    pub fn reading_unencrypted(mut self) -> Self {
        self.envelope.reads_unencrypted = true;
        self
    }
}

impl<S> fmt::Debug for EncryptedStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncryptedStore")
            .field("reads_unencrypted", &self.envelope.reads_unencrypted)
            .finish_non_exhaustive()
    }
}

impl<S: RunStore> RunStore for EncryptedStore<S> {
    fn clock(&self) -> Arc<dyn Clock> {
        self.inner.clock()
    }

    fn notifications(&self) -> Notifications {
        self.inner.notifications()
    }

    fn commit_notifications(&self) -> Notifications {
        self.inner.commit_notifications()
    }

    fn start(&self, run: NewRun) -> StoreFuture<'_, bool> {
        Box::pin(async move { self.inner.start(self.envelope.encrypt_start(run)?).await })
    }

    fn claim(&self, request: ClaimRequest) -> StoreFuture<'_, Vec<Claim>> {
        Box::pin(async move {
            let mut claims = self.inner.claim(request).await?;
            for claim in &mut claims {
                // What cannot be decrypted is an error when the run is loaded: no claim is lost here.
                let info = claim.info.clone();
                claim.info = self.envelope.decrypt_listed(info);
            }
            Ok(claims)
        })
    }

    fn renew<'a>(&'a self, lease: &'a Lease, duration: Duration) -> StoreFuture<'a, u64> {
        self.inner.renew(lease, duration)
    }

    fn release<'a>(&'a self, lease: &'a Lease, release: Release) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let release = self.envelope.encrypt_release(&lease.key, release)?;
            self.inner.release(lease, release).await
        })
    }

    fn commit<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let commit = self.envelope.encrypt_commit(&lease.key, commit)?;
            self.inner.commit(lease, commit).await
        })
    }

    fn load<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, LoadedRun> {
        Box::pin(async move {
            let loaded = self.inner.load(key).await?;
            self.envelope.decrypt_loaded(loaded)
        })
    }

    fn push<'a>(&'a self, key: &'a RunKey, command: Command) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let command = self.envelope.encrypt_command(key, &command)?;
            self.inner.push(key, command).await
        })
    }

    fn inbox<'a>(&'a self, key: &'a RunKey, after: u64) -> StoreFuture<'a, Vec<InboxRow>> {
        Box::pin(async move {
            let rows = self.inner.inbox(key, after).await?;
            self.envelope.decrypt_inbox(key, rows)
        })
    }

    fn get<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, RunInfo> {
        Box::pin(async move { self.envelope.decrypt_info(self.inner.get(key).await?) })
    }

    fn list(&self, filter: Filter) -> StoreFuture<'_, Page> {
        Box::pin(async move {
            let mut page = self.inner.list(filter).await?;
            let runs = page.runs.into_iter();
            page.runs = runs
                .map(|info| self.envelope.decrypt_listed(info))
                .collect();
            Ok(page)
        })
    }

    fn history<'a>(
        &'a self,
        key: &'a RunKey,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<HistoryRow>> {
        Box::pin(async move {
            let rows = self.inner.history(key, from, limit).await?;
            self.envelope.decrypt_history(key, rows)
        })
    }

    fn entries_at<'a>(&'a self, key: &'a RunKey, step: u64) -> StoreFuture<'a, Entries> {
        Box::pin(async move {
            let entries = self.inner.entries_at(key, step).await?;
            self.envelope.decrypt_entries(key, &entries)
        })
    }

    /// Entries are copied as they are: they are bound to their tenant, and to no run.
    fn fork<'a>(&'a self, key: &'a RunKey, step: u64, id: String) -> StoreFuture<'a, bool> {
        self.inner.fork(key, step, id)
    }

    fn retry<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, ()> {
        self.inner.retry(key)
    }

    fn prune<'a>(&'a self, tenant: &'a TenantFilter, retention: Retention) -> StoreFuture<'a, u64> {
        self.inner.prune(tenant, retention)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_shows_no_key_when_it_is_debugged() {
        struct Secret;
        impl Cipher for Secret {
            fn encrypt(&self, _: &[u8], _: &[u8]) -> Result<Vec<u8>, pravah_runtime::BoxError> {
                Err("no".into())
            }

            fn decrypt(&self, _: &[u8], _: &[u8]) -> Result<Vec<u8>, pravah_runtime::BoxError> {
                Err("no".into())
            }
        }
        let store = EncryptedStore::new(crate::MemoryStore::new(), Secret);
        let shown = format!("{:?}", store.reading_unencrypted());
        assert_eq!(shown, "EncryptedStore { reads_unencrypted: true, .. }");
    }
}
