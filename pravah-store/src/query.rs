//! Asking for runs.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use pravah_runtime::FlowDef;

use crate::{
    RunInfo, RunKey, Status, StoreError,
    key::{check_tags, check_tenant},
    time,
};

/// How many runs a page has at most.
const MAX_LIMIT: usize = 1000;

/// Which runs to list. Without a condition: all that belong to no tenant, 100 at a time.
///
/// ```
/// use pravah_store::{Filter, Status};
///
/// let filter = Filter::new().with_flow("support").with_status(Status::Suspended);
/// let filter = filter.with_tag("region", "eu").with_limit(20);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Filter {
    /// The id of the flow.
    pub flow: Option<String>,
    /// The status.
    pub status: Option<Status>,
    /// All the tags that a run needs to have.
    pub tags: BTreeMap<String, String>,
    /// Whose runs they are.
    pub tenant: TenantFilter,
    /// How many a page has at most.
    pub limit: usize,
    /// The end of the page before.
    pub after: Option<Cursor>,
}

/// Whose runs are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TenantFilter {
    /// Those that belong to no tenant.
    #[default]
    Nobody,
    /// Those of this tenant.
    Of(String),
    /// All.
    Every,
}

impl TenantFilter {
    /// As a column in which the empty string is no tenant; `None` for all.
    pub(crate) fn column(&self) -> Option<&str> {
        match self {
            Self::Nobody => Some(""),
            Self::Of(tenant) => Some(tenant),
            Self::Every => None,
        }
    }

    /// Whether a run of this key is meant.
    pub(crate) fn includes(&self, key: &RunKey) -> bool {
        self.column()
            .is_none_or(|tenant| key.tenant_column() == tenant)
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            flow: None,
            status: None,
            tags: BTreeMap::new(),
            tenant: TenantFilter::default(),
            limit: 100,
            after: None,
        }
    }
}

impl Filter {
    /// Any run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs of the flow `F`.
    pub fn of<F: FlowDef>() -> Self {
        Self::new().with_flow(F::node_id())
    }

    /// Only those of the flow of this id.
    #[must_use]
    pub fn with_flow(mut self, id: impl Into<String>) -> Self {
        self.flow = Some(id.into());
        self
    }

    /// Only those in this status.
    #[must_use]
    pub fn with_status(mut self, status: Status) -> Self {
        self.status = Some(status);
        self
    }

    /// Only those that were started with this tag. Of several tags all are needed.
    #[must_use]
    pub fn with_tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.insert(name.into(), value.into());
        self
    }

    /// Only those that belong to this tenant. A handle [of a tenant](crate::Runs::of_tenant) sets its own, and finds
    /// nothing of another.
    #[must_use]
    pub fn with_tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = TenantFilter::Of(tenant.into());
        self
    }

    /// Those of every tenant, and of none. A handle [of a tenant](crate::Runs::of_tenant) sees its own only.
    #[must_use]
    pub fn every_tenant(mut self) -> Self {
        self.tenant = TenantFilter::Every;
        self
    }

    /// At most this many on a page: 1,000 where it is more. A page of 0 is empty, and has no [next](Page::next).
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit.min(MAX_LIMIT);
        self
    }

    /// Those that come after a page.
    #[must_use]
    pub fn with_after(mut self, cursor: Cursor) -> Self {
        self.after = Some(cursor);
        self
    }

    /// Refuses what no run can have. A store calls it first.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidName`].
    pub fn check(&self) -> Result<(), StoreError> {
        check_tags(self.tags.iter())?;
        match &self.tenant {
            TenantFilter::Of(tenant) => check_tenant(tenant),
            _ => Ok(()),
        }
    }
}

/// Where a page ended. As a text it can be handed out, and read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    created_at: i64,
    tenant: String,
    id: String,
}

impl Cursor {
    /// The place of a run among others.
    pub fn of(info: &RunInfo) -> Self {
        Self {
            created_at: time::to_millis(info.created_at),
            tenant: info.key.tenant_column().to_owned(),
            id: info.key.id().to_owned(),
        }
    }

    /// What runs are ordered by, the largest first: when they were started, in milliseconds since 1970, the tenant, which
    /// is empty for none, and the id.
    pub fn place(&self) -> (i64, &str, &str) {
        (self.created_at, &self.tenant, &self.id)
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.created_at, self.tenant, self.id)
    }
}

impl std::str::FromStr for Cursor {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let invalid = || StoreError::InvalidName {
            what: "a cursor",
            why: "has to be what a page has returned",
        };
        // A tenant has no `/` in it, and an id may.
        let mut parts = text.splitn(3, '/');
        let (Some(at), Some(tenant), Some(id)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(invalid());
        };
        let created_at = at.parse().map_err(|_| invalid())?;
        let key = RunKey::new(id).map_err(|_| invalid())?;
        if !tenant.is_empty() {
            check_tenant(tenant).map_err(|_| invalid())?;
        }
        Ok(Self {
            created_at,
            tenant: tenant.to_owned(),
            id: key.id().to_owned(),
        })
    }
}

/// Runs, the newest first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page {
    /// The runs.
    pub runs: Vec<RunInfo>,
    /// Where the next page starts, if there are more.
    pub next: Option<Cursor>,
}

impl Page {
    /// The first `limit` of `runs`: a store looks for one more than is wanted, so as to know whether there are others.
    pub fn of(mut runs: Vec<RunInfo>, limit: usize) -> Self {
        let has_more = runs.len() > limit;
        runs.truncate(limit);
        let next = runs.last().filter(|_| has_more).map(Cursor::of);
        Self { runs, next }
    }
}

/// Which runs that have ended are kept. Those that have not ended, with those that have failed, always are. The default
/// is to keep them for 30 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// How long after its end a run is kept.
    pub max_age: Duration,
    /// How many of each tenant are kept at most, the last to have ended first.
    pub max_runs: Option<u64>,
}

impl Default for Retention {
    fn default() -> Self {
        Self::max_age(Duration::from_secs(30 * 24 * 60 * 60))
    }
}

impl Retention {
    /// Keeps runs for this long after their end.
    pub fn max_age(max_age: Duration) -> Self {
        Self {
            max_age,
            max_runs: None,
        }
    }

    /// And no more than `runs` of them.
    #[must_use]
    pub fn with_max_runs(mut self, runs: u64) -> Self {
        self.max_runs = Some(runs);
        self
    }

    /// The first time of an end that is kept.
    pub fn kept_since(&self, now: SystemTime) -> SystemTime {
        now.checked_sub(self.max_age)
            .unwrap_or(SystemTime::UNIX_EPOCH)
    }
}
