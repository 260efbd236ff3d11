//! All runs, by their keys.

use std::{collections::BTreeMap, time::SystemTime};

use super::run::Run;
use crate::{
    Claim, ClaimRequest, Filter, Lease, NewRun, Page, Retention, RunInfo, RunKey, StoreError,
    TenantFilter, entries::put_all, query::Cursor,
};

#[derive(Debug, Default)]
pub(super) struct Table {
    runs: BTreeMap<RunKey, Run>,
    /// The number of the last lease of any run: also of one that is gone, whose key another may have.
    last_lease: u64,
}

impl Table {
    pub(super) fn get(&self, key: &RunKey) -> Result<&Run, StoreError> {
        let run = self.runs.get(key);
        run.ok_or_else(|| StoreError::not_found(key.id()))
    }

    pub(super) fn get_mut(&mut self, key: &RunKey) -> Result<&mut Run, StoreError> {
        let run = self.runs.get_mut(key);
        run.ok_or_else(|| StoreError::not_found(key.id()))
    }

    /// The run that this lease is of, if it still holds.
    pub(super) fn leased(
        &mut self,
        lease: &Lease,
        now: SystemTime,
    ) -> Result<&mut Run, StoreError> {
        let run = self.runs.get_mut(&lease.key);
        run.filter(|run| run.is_leased(lease, now))
            .ok_or_else(|| StoreError::lease_lost(lease.key.id()))
    }

    pub(super) fn start(
        &mut self,
        new: NewRun,
        forked_from: Option<(String, u64)>,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        if let Some(run) = self.runs.get(&new.key) {
            if run.info.flow == new.flow {
                return Ok(false);
            }
            return Err(StoreError::already_exists(new.key.id(), &*run.info.flow));
        }
        self.runs
            .insert(new.key.clone(), Run::start(new, forked_from, now));
        Ok(true)
    }

    pub(super) fn claim(&mut self, request: &ClaimRequest, now: SystemTime) -> Vec<Claim> {
        let runs = self.runs.values();
        let may = runs.filter(|run| run.may_be_claimed(&request.flows, now));
        let mut may: Vec<_> = may
            .map(|run| (run.info.wake_at, run.info.key.clone()))
            .collect();
        may.sort();
        may.truncate(request.limit);
        let mut claims = Vec::with_capacity(may.len());
        for (_, key) in may {
            if let Some(run) = self.runs.get_mut(&key) {
                self.last_lease = self.last_lease.saturating_add(1);
                claims.push(run.claim(self.last_lease, request, now));
            }
        }
        claims
    }

    pub(super) fn list(&self, filter: &Filter) -> Page {
        let runs = self.runs.values().map(|run| &run.info);
        let mut runs: Vec<RunInfo> = runs.filter(|info| passes(info, filter)).cloned().collect();
        runs.sort_by(|a, b| Cursor::of(b).place().cmp(&Cursor::of(a).place()));
        runs.truncate(filter.limit.saturating_add(1));
        Page::of(runs, filter.limit)
    }

    pub(super) fn fork(
        &mut self,
        key: &RunKey,
        step: u64,
        fork: &RunKey,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        let run = self.get(key)?;
        let entries = put_all(&run.entries_at(step)?)?;
        let mut new = NewRun::new(fork.clone(), run.info.flow.clone(), entries);
        new.tags = run.info.tags.clone();
        self.start(new, Some((key.id().to_owned(), step)), now)
    }

    pub(super) fn prune(
        &mut self,
        tenant: &TenantFilter,
        retention: Retention,
        now: SystemTime,
    ) -> u64 {
        let ended = self.runs.values().map(|run| &run.info);
        let ended = ended.filter(|info| info.status.has_ended() && tenant.includes(&info.key));
        let mut ended: Vec<(SystemTime, &RunKey)> =
            ended.map(|info| (info.updated_at, &info.key)).collect();
        // The last to have ended first.
        ended.sort_by(|a, b| b.cmp(a));
        let kept_since = retention.kept_since(now);
        let max = retention.max_runs.unwrap_or(u64::MAX);
        let mut places: BTreeMap<&str, u64> = BTreeMap::new();
        let mut old = Vec::new();
        for (ended_at, key) in ended {
            let place = places.entry(key.tenant_column()).or_default();
            *place += 1;
            if *place > max || ended_at < kept_since {
                old.push(key.clone());
            }
        }
        for key in &old {
            self.runs.remove(key);
        }
        old.len().try_into().unwrap_or(u64::MAX)
    }
}

fn passes(info: &RunInfo, filter: &Filter) -> bool {
    let mut tags = filter.tags.iter();
    filter.flow.as_ref().is_none_or(|flow| info.flow == *flow)
        && filter.status.is_none_or(|status| info.status == status)
        && filter.tenant.includes(&info.key)
        && tags.all(|(name, value)| info.tags.get(name) == Some(value))
        && filter
            .after
            .as_ref()
            .is_none_or(|after| Cursor::of(info).place() < after.place())
}
