//! Starting a run.

use std::{collections::BTreeMap, fmt, future::IntoFuture, pin::Pin};

use pravah_runtime::{FlowEnds, FlowError, FlowRuntime};
use uuid::Uuid;

use super::Runs;
use crate::{NewRun, RunKey, StoreError};

/// A run that starts when this is awaited; see [`Runs::start`] and [`Runs::start_document`].
#[must_use = "it starts when it is awaited"]
pub struct StartRun<'a, F> {
    runs: &'a Runs,
    flow: String,
    run: Result<FlowRuntime<F>, FlowError>,
    id: Option<String>,
    tags: BTreeMap<String, String>,
}

/// The result of a start; see [`StartRun::outcome`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StartOutcome {
    /// The id of the run.
    pub id: String,
    /// Whether the run was started; otherwise there was one of this id, which is as it was.
    pub is_new: bool,
}

impl<'a, F: FlowEnds> StartRun<'a, F> {
    /// A run of the flow of this id.
    pub(super) fn new(
        runs: &'a Runs,
        flow: String,
        run: Result<FlowRuntime<F>, FlowError>,
    ) -> Self {
        Self {
            runs,
            flow,
            run,
            id: None,
            tags: BTreeMap::new(),
        }
    }

    /// Names the run. A second run of this name is not started: the id of an order, say, makes the start idempotent.
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Adds a tag, by which runs can be [listed](crate::Filter::with_tag).
    pub fn with_tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.insert(name.into(), value.into());
        self
    }

    /// Starts the run, as awaiting does, and says whether there was one of its id already.
    ///
    /// # Errors
    ///
    /// Those of [`Runs::start`].
    pub async fn outcome(self) -> Result<StartOutcome, StoreError> {
        let store = &self.runs.store;
        let (run, id) = self.prepare()?;
        let is_new = store.start(run).await?;
        Ok(StartOutcome { id, is_new })
    }

    /// The run as it is stored, and its id.
    fn prepare(self) -> Result<(NewRun, String), StoreError> {
        let id = self.id.unwrap_or_else(new_id);
        let key = self.runs.own(RunKey::new(&*id)?)?;
        let run = self.run?;
        let mut run = run
            .with_run_id(key.run_id())
            .with_clock(self.runs.store.clock());
        let entries = run.take_changes()?;
        let new = NewRun::new(key, self.flow, entries).with_tags(self.tags)?;
        Ok((new, id))
    }
}

impl<'a, F: FlowEnds> IntoFuture for StartRun<'a, F> {
    type Output = Result<String, StoreError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let store = &self.runs.store;
        let prepared = self.prepare();
        Box::pin(async move {
            let (run, id) = prepared?;
            store.start(run).await?;
            Ok(id)
        })
    }
}

impl<F> fmt::Debug for StartRun<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartRun")
            .field("flow", &self.flow)
            .field("id", &self.id)
            .field("tags", &self.tags)
            .finish_non_exhaustive()
    }
}

pub(super) fn new_id() -> String {
    Uuid::now_v7().hyphenated().to_string()
}
