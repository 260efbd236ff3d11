//! Where in a run a context is: its step, and within an agent's step its tool call.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde_json::Value;

use crate::{cancel::CancelToken, state::Live};

/// What a context asks of the run it belongs to.
pub(crate) trait RunView: Send + Sync {
    /// The run's id.
    fn run_id(&self) -> &str;
    /// Tells that the run is cancelled.
    fn cancel(&self) -> &CancelToken;
    /// The name of `node` in the keys of its steps.
    fn step_name(&self, node: u32) -> String;
    /// The input of the innermost flow around `node` whose input has this schema name.
    fn input(&self, node: u32, name: &str) -> Option<Live>;
    /// The schema names of the inputs of the flows around `node`, innermost first.
    fn inputs(&self, node: u32) -> Vec<String>;
}

/// A step of a run.
#[derive(Clone)]
pub(crate) struct StepScope {
    pub(crate) run: Arc<dyn RunView>,
    pub(crate) node: u32,
    /// Which visit of the node this is, from 1.
    pub(crate) visit: u32,
    /// Which attempt at that visit this is, from 1.
    pub(crate) attempt: u32,
    /// The indices of the items of the enclosing `each`, outermost first.
    pub(crate) items: Option<Arc<[usize]>>,
    /// Tells that the attempt took too long, if its time is limited.
    pub(crate) cancel: Option<CancelToken>,
    /// Whether it is made by `resume`, with a payload that nobody has read yet.
    pub(crate) just_resumed: bool,
}

/// A tool call of an agent.
pub(crate) struct CallScope {
    /// What its model calls it.
    id: String,
    /// What `Context::call_id` answers, once somebody has asked.
    name: OnceLock<String>,
    /// Which model call of this visit asked for it, from 1.
    pub(crate) turn: u32,
    /// What the run was resumed with.
    pub(crate) resumed: Option<Value>,
    /// Why the tool could not read that.
    unreadable: Mutex<Option<String>>,
}

impl CallScope {
    pub(crate) fn new(id: String, turn: u32, resumed: Option<Value>) -> Self {
        Self {
            id,
            name: OnceLock::new(),
            turn,
            resumed,
            unreadable: Mutex::default(),
        }
    }

    /// What names the call for those outside, in all attempts at its step.
    pub(crate) fn name(&self, step: Option<&StepScope>) -> &str {
        self.name.get_or_init(|| match step {
            Some(step) => call_name(&step.key(), self.turn, &self.id),
            None => self.id.clone(),
        })
    }

    /// Notes whether the tool could read what it was resumed with, the last time it tried.
    pub(crate) fn note_unreadable(&self, error: Option<&serde_json::Error>) {
        let mut unreadable = self
            .unreadable
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *unreadable = error.map(ToString::to_string);
    }

    /// Why the tool could not read what it was resumed with.
    pub(crate) fn unreadable(&self) -> Option<String> {
        let unreadable = self
            .unreadable
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        unreadable.clone()
    }
}

/// What names a call for those outside: its step, which model call of the visit asked for it, and its id there.
pub(crate) fn call_name(step_key: &str, turn: u32, id: &str) -> String {
    format!("{step_key}/{turn}/{id}")
}

impl StepScope {
    /// The indices of the items of the enclosing `each`.
    pub(crate) fn items(&self) -> &[usize] {
        self.items.as_deref().unwrap_or_default()
    }

    /// What names the step for those outside.
    pub(crate) fn key(&self) -> String {
        step_key(&*self.run, self.node, self.items(), self.visit)
    }
}

/// `{run}/{node}({first state})[items]#{visit}`.
pub(crate) fn step_key(run: &dyn RunView, node: u32, items: &[usize], visit: u32) -> String {
    let (run_id, node) = (run.run_id(), run.step_name(node));
    // Room for the visit.
    let mut key = String::with_capacity(run_id.len() + node.len() + 8);
    key.extend([run_id, "/", &node]);
    for item in items {
        // Writing to a string does not fail.
        let _ = write!(key, "[{item}]");
    }
    let _ = write!(key, "#{visit}");
    key
}
