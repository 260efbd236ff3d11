//! What may happen to stored runs, at random.

use pravah_store::Status;
use proptest::prelude::*;

const RUNS: usize = 3;

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Start(usize),
    Claim {
        limit: usize,
    },
    /// With one of the leases that were ever given.
    Commit {
        lease: usize,
        step: Step,
    },
    Renew {
        lease: usize,
    },
    Release {
        lease: usize,
        kind: u8,
    },
    Push {
        run: usize,
        cancel: bool,
    },
    Retry(usize),
    Pass(u64),
    /// The clock is set back by so many seconds.
    SetBack(u64),
    Reopen,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) deleted: Vec<usize>,
    pub(crate) put: Vec<(usize, u8)>,
    pub(crate) status: Status,
    pub(crate) release: bool,
    pub(crate) wakes_after: Option<u64>,
    pub(crate) takes: usize,
    pub(crate) refuses: usize,
    pub(crate) error: bool,
}

/// Keys of which some are under others.
pub(crate) const KEYS: [&str; 6] = ["", "/a", "/a/b", "/a/b/c", "/ab", "/a0"];

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let statuses = prop_oneof![
        4 => Just(Status::Ready),
        2 => Just(Status::Waiting),
        2 => Just(Status::Suspended),
        1 => Just(Status::Failed),
        1 => Just(Status::Done),
        1 => Just(Status::Cancelled),
    ];
    let changes = (
        prop::collection::vec(0..KEYS.len(), 0..2),
        prop::collection::vec((0..KEYS.len(), any::<u8>()), 0..3),
    );
    let rest = (
        any::<bool>(),
        prop::option::of(0..20u64),
        0..3usize,
        0..2usize,
        any::<bool>(),
    );
    (changes, statuses, rest).prop_map(|((deleted, put), status, rest)| Step {
        deleted,
        put,
        status,
        release: rest.0,
        wakes_after: rest.1,
        takes: rest.2,
        refuses: rest.3,
        error: rest.4,
    })
}

pub(crate) fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        2 => (0..RUNS).prop_map(Action::Start),
        4 => (1..4usize).prop_map(|limit| Action::Claim { limit }),
        6 => (0..6usize, step()).prop_map(|(lease, step)| Action::Commit { lease, step }),
        1 => (0..6usize).prop_map(|lease| Action::Renew { lease }),
        2 => (0..6usize, 0..3u8).prop_map(|(lease, kind)| Action::Release { lease, kind }),
        4 => (0..RUNS, any::<bool>()).prop_map(|(run, cancel)| Action::Push { run, cancel }),
        1 => (0..RUNS).prop_map(Action::Retry),
        3 => (1..12u64).prop_map(Action::Pass),
        1 => (1..30u64).prop_map(Action::SetBack),
        1 => Just(Action::Reopen),
    ]
}
