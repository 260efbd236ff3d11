//! Events made by hand, for the tests of an observer.

use std::{error::Error as _, sync::Arc, time::SystemTime};

use super::{EventKind, FlowEvent};
use crate::{channel::ModelText, error::ToolError, model::Usage, node::FailureKind};

impl FlowEvent {
    /// What happened at a node of a run, in no list until [`with_items`](Self::with_items) names some.
    ///
    /// ```
    /// use pravah_runtime::{EventKind, FlowEvent, FlowObserver, StepInfo, StepKind};
    /// use std::sync::Mutex;
    ///
    /// #[derive(Default)]
    /// struct Lines(Mutex<Vec<String>>);
    ///
    /// impl FlowObserver for Lines {
    ///     fn on_event(&self, event: &FlowEvent) {
    ///         if let EventKind::Step(step) = &event.kind {
    ///             self.0.lock().unwrap().push(format!("{}: {step}", event.run_id));
    ///         }
    ///     }
    /// }
    ///
    /// let step = StepInfo::new(3, "score", StepKind::Node)
    ///     .with_items([1])
    ///     .with_outputs(["Score"]);
    /// let lines = Lines::default();
    /// lines.on_event(&FlowEvent::new("run-7", "score", EventKind::Step(step)).with_items([1]));
    /// assert_eq!(*lines.0.lock().unwrap(), ["run-7: 3. score[1] -> Score"]);
    /// ```
    pub fn new(run_id: impl Into<Arc<str>>, node: impl Into<String>, kind: EventKind) -> Self {
        Self {
            run_id: run_id.into(),
            node: node.into(),
            items: Vec::new(),
            kind,
        }
    }

    /// The same in these items of the lists around the node, outermost first.
    #[must_use]
    pub fn with_items(mut self, items: impl IntoIterator<Item = usize>) -> Self {
        self.items = items.into_iter().collect();
        self
    }
}

/// Constructors, for tests of an observer; the variants say what the arguments are.
///
/// ```
/// use pravah_runtime::{EventKind, FailureKind, ToolError, Usage};
/// use std::time::SystemTime;
///
/// let model = "openai://gpt-4o-mini";
/// let kinds = [
///     EventKind::answered(model, Usage::new(200, 20)),
///     EventKind::waits(model, "rate limit", SystemTime::now()),
///     EventKind::fell_back(model, "no quota left"),
///     EventKind::failed(FailureKind::Timeout, "no answer in 30 s"),
///     EventKind::tool_failed("orders", "call_1", &ToolError::fatal("the shop is closed"), None),
/// ];
/// assert!(matches!(&kinds[2], EventKind::FellBack { why, .. } if why == "no quota left"));
/// ```
impl EventKind {
    /// The model of this URL has answered.
    pub fn answered(model: impl Into<String>, usage: Usage) -> Self {
        Self::Answered {
            model: model.into(),
            usage,
        }
    }

    /// The model of this URL could not answer, and is asked again.
    pub fn waits(model: impl Into<String>, why: impl Into<String>, until: SystemTime) -> Self {
        Self::Waits {
            model: model.into(),
            why: why.into(),
            until,
        }
    }

    /// The model of this URL is unavailable, and the agent goes on with another one.
    pub fn fell_back(model: impl Into<String>, why: impl Into<String>) -> Self {
        Self::FellBack {
            model: model.into(),
            why: why.into(),
        }
    }

    /// A node failed, and a `catch` takes its failure.
    pub fn failed(kind: FailureKind, message: impl Into<String>) -> Self {
        Self::Failed {
            kind,
            message: message.into(),
        }
    }

    /// A call of a tool failed. `told` is what the model is told; `None` where the error is not for it.
    pub fn tool_failed(
        tool: impl Into<String>,
        call_id: impl Into<String>,
        error: &ToolError,
        told: Option<ModelText>,
    ) -> Self {
        let causes = std::iter::successors(error.source(), |cause| (*cause).source());
        Self::ToolFailed {
            tool: tool.into(),
            call_id: call_id.into(),
            error: error.to_string(),
            causes: causes.map(ToString::to_string).collect(),
            told,
        }
    }
}
