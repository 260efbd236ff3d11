//! Runs that stay in memory between two steps, so that they need not be read for each, and so that bodies which run side by
//! side live on.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, PoisonError},
};

use pravah_store::host::HostedRun;

/// A run in memory, as of a commit.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) run: HostedRun,
    /// The keys of its entries.
    pub(crate) keys: BTreeSet<String>,
    /// Which commit it is as of; see [`Record::commit`](crate::record::Record::commit).
    pub(crate) commit: String,
}

/// The runs in the memory of this process, up to a number of them.
#[derive(Debug)]
pub(crate) struct LiveRuns {
    runs: Mutex<Kept>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Kept {
    /// By the keys of objects, each with when it was put, in order.
    runs: HashMap<String, (u64, Live)>,
    puts: u64,
}

impl LiveRuns {
    pub(crate) fn new(limit: usize) -> Self {
        let runs = Mutex::default();
        Self { runs, limit }
    }

    /// Takes out the run of an object if it is as of this commit. One that is not is of no use any more.
    pub(crate) fn take(&self, object: &str, commit: &str) -> Option<Live> {
        let mut kept = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, live) = kept.runs.remove(object)?;
        (live.commit == commit).then_some(live)
    }

    /// Keeps a run, in place of the one that was put first where there are too many.
    pub(crate) fn put(&self, object: String, live: Live) {
        if self.limit == 0 {
            return;
        }
        let mut kept = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.runs.len() >= self.limit && !kept.runs.contains_key(&object) {
            let first = kept.runs.iter().min_by_key(|(_, (put, _))| *put);
            if let Some(first) = first.map(|(object, _)| object.clone()) {
                kept.runs.remove(&first);
            }
        }
        kept.puts = kept.puts.wrapping_add(1);
        let put = kept.puts;
        kept.runs.insert(object, (put, live));
    }
}
