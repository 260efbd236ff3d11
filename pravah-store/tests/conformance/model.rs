//! Random claims, steps, commands and waits, against a model that is simple enough to be right.

use std::{collections::BTreeMap, time::Duration};

use pravah_runtime::Entries;
use pravah_store::{Claim, Command, Commit, Lease, Refusal, Release, Status, StoreError};
use proptest::prelude::*;

use crate::{
    actions::{Action, KEYS, Step, action},
    support::{TestStore, changes, key, new_run},
};

/// How long leases last, in seconds.
const LEASE: u64 = 10;

/// What a run has to look like. Times are in seconds since the start.
#[derive(Clone, Debug, Default)]
struct Model {
    entries: BTreeMap<String, String>,
    /// The entries after each step.
    steps: Vec<BTreeMap<String, String>>,
    status: Option<Status>,
    wake_at: Option<u64>,
    inbox: BTreeMap<u64, bool>,
    last_command: u64,
    lease: u64,
    leased_until: Option<u64>,
    failed_claims: u32,
    has_error: bool,
}

impl Model {
    fn started(now: u64) -> Self {
        let entries = BTreeMap::from([
            (String::new(), "{}".to_owned()),
            ("/states/Order".to_owned(), r#"{"cups":2}"#.to_owned()),
        ]);
        Self {
            steps: vec![entries.clone()],
            entries,
            status: Some(Status::Ready),
            wake_at: Some(now),
            ..Self::default()
        }
    }

    fn holds(&self, number: u64, now: u64) -> bool {
        self.lease == number && self.leased_until.is_some_and(|until| until > now)
    }

    fn is_claimable(&self, now: u64) -> bool {
        self.wake_at.is_some_and(|at| at <= now) && self.leased_until.is_none_or(|it| it <= now)
    }

    fn wake(&mut self, now: u64) {
        self.wake_at = Some(self.wake_at.map_or(now, |at| at.min(now)));
    }

    fn has_ended(&self) -> bool {
        self.status.is_some_and(Status::has_ended)
    }

    fn apply(&mut self, step: &Step) {
        for deleted in &step.deleted {
            let key = KEYS[*deleted];
            let under = format!("{key}/");
            self.entries
                .retain(|it, _| it != key && !it.starts_with(&under));
        }
        for (put, value) in &step.put {
            self.entries
                .insert(KEYS[*put].to_owned(), value.to_string());
        }
    }
}

struct World {
    it: TestStore,
    runs: BTreeMap<usize, Model>,
    leases: Vec<(usize, Lease)>,
    now: u64,
}

impl World {
    fn new(it: TestStore) -> Self {
        Self {
            it,
            runs: BTreeMap::new(),
            leases: Vec::new(),
            now: 0,
        }
    }

    async fn act(&mut self, action: &Action) {
        match action {
            Action::Start(run) => self.start(*run).await,
            Action::Claim { limit } => self.claim(*limit).await,
            Action::Commit { lease, step } => self.commit(*lease, step).await,
            Action::Renew { lease } => self.renew(*lease).await,
            Action::Release { lease, kind } => self.release(*lease, *kind).await,
            Action::Push { run, cancel } => self.push(*run, *cancel).await,
            Action::Retry(run) => self.retry(*run).await,
            Action::Pass(seconds) => {
                self.now += seconds;
                self.it.pass(*seconds);
            }
            Action::SetBack(seconds) => {
                let seconds = self.now.min(*seconds);
                self.now -= seconds;
                self.it.set_back(seconds);
            }
            Action::Reopen => self.it.store = self.it.reopen(),
        }
    }

    async fn start(&mut self, run: usize) {
        let is_new = self.it.store.start(new_run(&run_key(run))).await.unwrap();
        assert_eq!(is_new, !self.runs.contains_key(&run));
        let now = self.now;
        self.runs.entry(run).or_insert_with(|| Model::started(now));
    }

    async fn claim(&mut self, limit: usize) {
        let claims: Vec<Claim> = self.it.claim("owner", limit).await;
        let runs = self.runs.iter().filter(|(_, it)| it.is_claimable(self.now));
        let mut expected: Vec<_> = runs.map(|(run, it)| (it.wake_at, *run)).collect();
        expected.sort();
        expected.truncate(limit);
        let keys: Vec<_> = claims.iter().map(|it| it.lease.key.clone()).collect();
        let expected_keys: Vec<_> = expected.iter().map(|(_, run)| run_key(*run)).collect();
        assert_eq!(keys, expected_keys);
        for (claim, (_, run)) in claims.into_iter().zip(expected) {
            let model = self.runs.get_mut(&run).unwrap();
            assert!(claim.lease.number > model.lease);
            model.lease = claim.lease.number;
            model.leased_until = Some(self.now + LEASE);
            model.failed_claims += 1;
            assert_eq!(claim.info.failed_claims, model.failed_claims);
            self.leases.push((run, claim.lease));
        }
    }

    /// One of the last leases, whether or not it still holds, and its run.
    fn lease(&mut self, lease: usize) -> Option<(usize, Lease, bool)> {
        let (run, lease) = self.leases.iter().rev().nth(lease)?.clone();
        let holds = self.runs[&run].holds(lease.number, self.now);
        Some((run, lease, holds))
    }

    async fn commit(&mut self, lease: usize, step: &Step) {
        let Some((run, lease, holds)) = self.lease(lease) else {
            return;
        };
        let now = self.now;
        let model = self.runs.get_mut(&run).unwrap();
        let mut numbers = model.inbox.keys().copied();
        let taken: Vec<_> = numbers.by_ref().take(step.takes).collect();
        let refused: Vec<_> = numbers.by_ref().take(step.refuses).collect();
        let put: Vec<_> = step
            .put
            .iter()
            .map(|(put, value)| (KEYS[*put], value.to_string()))
            .collect();
        let put: Vec<_> = put.iter().map(|(key, value)| (*key, &**value)).collect();
        let deleted: Vec<_> = step.deleted.iter().map(|it| KEYS[*it]).collect();
        let mut commit = Commit::new(changes(&deleted, &put), step.status);
        commit.release = step.release;
        commit.wake_at = step
            .wakes_after
            .map(|after| crate::support::start_of_time() + Duration::from_secs(now + after));
        commit.error = step.error.then(|| "error".to_owned());
        commit.refused = refused.iter().map(|it| Refusal::new(*it, "no")).collect();
        commit.taken = taken.clone();
        commit.seen = refused.last().or(taken.last()).copied().unwrap_or_default();
        let seen = commit.seen;
        let is_step = commit.is_step();
        let done = self.it.store.commit(&lease, commit).await;
        if !holds {
            assert!(matches!(done, Err(StoreError::LeaseLost { .. })));
            return;
        }
        assert_eq!(done.unwrap(), model.last_command);
        for number in taken.iter().chain(&refused) {
            model.inbox.remove(number);
        }
        if is_step {
            model.apply(step);
            model.steps.push(model.entries.clone());
        }
        model.status = Some(step.status);
        model.has_error = step.error;
        if step.status != Status::Ready || !step.error {
            model.failed_claims = 0;
        }
        let wake_at = step.wakes_after.map(|after| now + after);
        model.wake_at = match step.status {
            Status::Done | Status::Cancelled => None,
            Status::Failed => wake_at,
            _ if !step.release => Some(now),
            Status::Ready => wake_at.or(Some(now)),
            _ => wake_at,
        };
        if step.release {
            model.leased_until = None;
        }
        if model.has_ended() {
            model.inbox.clear();
        }
        let is_failed = step.status == Status::Failed;
        let mut unseen = model.inbox.range(seen + 1..);
        if unseen.any(|(_, cancels)| *cancels || !is_failed) {
            model.wake(now);
        }
    }

    async fn renew(&mut self, lease: usize) {
        let Some((run, lease, holds)) = self.lease(lease) else {
            return;
        };
        let renewed = self
            .it
            .store
            .renew(&lease, Duration::from_secs(LEASE))
            .await;
        let model = self.runs.get_mut(&run).unwrap();
        match holds {
            true => {
                assert_eq!(renewed.unwrap(), model.last_command);
                model.leased_until = Some(self.now + LEASE);
            }
            false => assert!(matches!(renewed, Err(StoreError::LeaseLost { .. }))),
        }
    }

    async fn release(&mut self, lease: usize, kind: u8) {
        let Some((run, lease, holds)) = self.lease(lease) else {
            return;
        };
        let error = || "error".to_owned();
        let retry_at = self.now + 5;
        let release = match kind {
            0 => Release::Stopped,
            1 => Release::Failed {
                error: error(),
                retry_at: crate::support::start_of_time() + Duration::from_secs(retry_at),
            },
            _ => Release::Parked { error: error() },
        };
        let released = self.it.store.release(&lease, release).await;
        if !holds {
            assert!(matches!(released, Err(StoreError::LeaseLost { .. })));
            return;
        }
        released.unwrap();
        let model = self.runs.get_mut(&run).unwrap();
        model.leased_until = None;
        match kind {
            0 => model.failed_claims = model.failed_claims.saturating_sub(1),
            1 => (model.wake_at, model.has_error) = (Some(retry_at), true),
            _ => {
                (model.wake_at, model.has_error) = (None, true);
                model.status = Some(Status::Failed);
            }
        }
        if model.inbox.values().any(|cancels| *cancels) {
            let now = self.now;
            model.wake(now);
        }
    }

    async fn push(&mut self, run: usize, cancel: bool) {
        let command = match cancel {
            true => Command::Cancel {
                reason: "enough".to_owned(),
            },
            false => Command::Pause,
        };
        let pushed = self.it.store.push(&run_key(run), command).await;
        let Some(model) = self.runs.get_mut(&run) else {
            assert!(crate::faults::is_not_found(&pushed));
            return;
        };
        if model.has_ended() {
            assert!(matches!(pushed, Err(StoreError::WrongStatus { .. })));
            return;
        }
        model.last_command += 1;
        assert_eq!(pushed.unwrap(), model.last_command);
        model.inbox.insert(model.last_command, cancel);
        if cancel || model.status != Some(Status::Failed) {
            model.wake(self.now);
        }
    }

    async fn retry(&mut self, run: usize) {
        let retried = self.it.store.retry(&run_key(run)).await;
        match self.runs.get_mut(&run) {
            Some(model) if model.status == Some(Status::Failed) => {
                retried.unwrap();
                model.status = Some(Status::Ready);
                model.failed_claims = 0;
                model.wake(self.now);
            }
            _ => assert!(retried.is_err()),
        }
    }

    async fn check(&self) {
        for (run, model) in &self.runs {
            let key = run_key(*run);
            let loaded = self.it.store.load(&key).await.unwrap();
            assert_eq!(entries(&loaded.entries), model.entries);
            let inbox: Vec<_> = loaded.inbox.iter().map(|row| row.number).collect();
            assert_eq!(inbox, model.inbox.keys().copied().collect::<Vec<_>>());
            let info = loaded.info;
            assert_eq!(Some(info.status), model.status);
            assert_eq!(info.step as usize + 1, model.steps.len());
            assert_eq!(info.failed_claims, model.failed_claims);
            assert_eq!(info.error.is_some(), model.has_error);
            let wake_at = info.wake_at.map(|at| {
                let since = at.duration_since(crate::support::start_of_time());
                since.unwrap().as_secs()
            });
            assert_eq!(wake_at, model.wake_at);
            assert_eq!(
                self.it
                    .store
                    .history(&key, 0, usize::MAX)
                    .await
                    .unwrap()
                    .len(),
                model.steps.len()
            );
        }
    }

    /// Every step is as it was when it was committed.
    async fn check_history(&self) {
        for (run, model) in &self.runs {
            for (step, expected) in model.steps.iter().enumerate() {
                let read = self.it.store.entries_at(&run_key(*run), step as u64).await;
                assert_eq!(entries(&read.unwrap()), *expected);
            }
        }
    }
}

fn run_key(run: usize) -> pravah_store::RunKey {
    key(&format!("run-{run}"))
}

fn entries(entries: &Entries) -> BTreeMap<String, String> {
    let entries = entries.iter();
    entries
        .map(|(key, json)| (key.to_owned(), json.to_owned()))
        .collect()
}

fn holds_for(it: TestStore, actions: &[Action]) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(async {
        let mut world = World::new(it);
        for action in actions {
            world.act(action).await;
            world.check().await;
        }
        world.check_history().await;
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_store_in_memory_is_as_the_model(actions in prop::collection::vec(action(), 1..60)) {
        holds_for(TestStore::memory(), &actions);
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn a_sqlite_store_is_as_the_model(actions in prop::collection::vec(action(), 1..60)) {
        holds_for(TestStore::sqlite(), &actions);
    }
}

#[cfg(all(feature = "encryption", feature = "sqlite"))]
proptest! {
    // Without optimisation a case takes a second.
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn an_encrypted_store_is_as_the_model(actions in prop::collection::vec(action(), 1..60)) {
        holds_for(TestStore::encrypted(), &actions);
    }
}

// Each case costs many waits for the disk.
#[cfg(feature = "postgres")]
proptest! {
    #![proptest_config(ProptestConfig { cases: 25, ..ProptestConfig::default() })]

    #[test]
    fn a_postgres_store_is_as_the_model(actions in prop::collection::vec(action(), 1..60)) {
        holds_for(TestStore::postgres(), &actions);
    }
}
