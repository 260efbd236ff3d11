//! Watching a run.

mod audit;
mod constructors;
mod envelope;
mod kind;
mod names;
mod observers;
mod remote;
mod stream;

use std::{sync::Arc, time::SystemTime};

use serde::{Deserialize, Serialize};

pub use self::{
    audit::Audit,
    kind::{DocumentQuestion, EventKind, FailureOutcome},
    names::EventNames,
    remote::RemoteEvent,
    stream::Events,
};
pub(crate) use self::{
    envelope::millis,
    observers::{Observers, Origin, Watch},
    stream::EventSource,
};

/// Is told what a run does, while it does it; see [`FlowRuntime::with_observer`].
///
/// An observer changes nothing: if it panics, the run goes on.
///
/// A closure that takes a [`FlowEvent`] is an observer:
///
/// ```
/// # use pravah_runtime::prelude::*;
/// # #[state] struct Order { cups: u32 }
/// # #[state] struct Served { cups: u32 }
/// # #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
/// # #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let (sender, events) = std::sync::mpsc::channel();
/// let mut run = FlowRuntime::new(Order { cups: 2 })?
///     .with_observer(move |event| drop(sender.send(event)));
/// run.run(Context::default()).await?;
/// let names: Vec<_> = events.try_iter().map(|event| event.kind.name().to_owned()).collect();
/// assert_eq!(names, ["harness:start", "task:start", "step", "task:complete", "harness:complete"]);
/// # Ok(()) }
/// ```
///
/// So is a type with this trait, which borrows the events and may ask for [the text](Self::wants_text) of models:
///
/// ```
/// use std::sync::Mutex;
/// use pravah_runtime::{EventKind, FlowEvent, FlowObserver, prelude::*};
///
/// #[derive(Default)]
/// struct Steps(Mutex<Vec<String>>);
///
/// impl FlowObserver for Steps {
///     fn on_event(&self, event: &FlowEvent) {
///         if let EventKind::Step(step) = &event.kind {
///             self.0.lock().unwrap().push(step.to_string());
///         }
///     }
/// }
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Served { cups: u32 }
///
/// #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
/// #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let steps = std::sync::Arc::new(Steps::default());
/// let mut run = FlowRuntime::new(Order { cups: 2 })?.with_observer(steps.clone());
/// run.run(Context::default()).await?;
/// assert_eq!(*steps.0.lock().unwrap(), ["1. serve -> Served"]);
/// # Ok(()) }
/// ```
///
/// [`FlowRuntime::with_observer`]: crate::FlowRuntime::with_observer
#[diagnostic::on_unimplemented(
    message = "this is not an observer",
    label = "does not implement `FlowObserver`",
    note = "an observer is a closure `|event: pravah_runtime::FlowEvent| …`; it is called within a step, so it is not async: for code that awaits take a stream, `run.events()`",
    note = "it may be called from several threads, so what it holds is `Send` and `Sync`, such as an `Arc`, and what it changes is in a `Mutex` or an atomic",
    note = "or it is a type of yours with `impl pravah_runtime::FlowObserver`"
)]
pub trait FlowObserver: Send + Sync {
    /// Takes an event. It is called from within the step, so it should be quick.
    fn on_event(&self, event: &FlowEvent);

    /// Whether it wants the text of models as it comes. Only then are they asked for a stream; the
    /// step's result is the same. An answer under a [`Contract`](crate::Contract) is heard by nobody
    /// before it is decided who may see it.
    fn wants_text(&self) -> bool {
        false
    }
}

#[diagnostic::do_not_recommend]
impl<T: FlowObserver + ?Sized> FlowObserver for Arc<T> {
    fn on_event(&self, event: &FlowEvent) {
        (**self).on_event(event);
    }

    fn wants_text(&self) -> bool {
        (**self).wants_text()
    }
}

/// By value: for a closure that borrows it, rustc could not infer the type of the parameter.
#[diagnostic::do_not_recommend]
impl<F: Fn(FlowEvent) + Send + Sync> FlowObserver for F {
    fn on_event(&self, event: &FlowEvent) {
        self(event.clone());
    }
}

/// What happened in a run, with where and when. Its JSON is one object for every kind of event, which reads back
/// as the same event:
///
/// ```
/// use pravah_runtime::{EventKind, FlowEvent};
/// use serde_json::{from_value, json, to_value};
///
/// let line = json!({
///     "run": "run-7",
///     "sequence": 12,
///     "time": 1_790_000_000_000_u64,
///     "step": 3,
///     "node": "score",
///     "items": [1],
///     "attempt": 1,
///     "event": { "type": "task:complete" },
/// });
/// let event: FlowEvent = from_value(line.clone())?;
/// assert_eq!(event.kind, EventKind::node_ended());
/// assert_eq!(to_value(&event)?, line);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct FlowEvent {
    /// The run.
    #[serde(rename = "run")]
    pub run_id: Arc<str>,
    /// Which event of the run it is in this process, from 1. All who watch a run see the same numbers: whoever
    /// does not receive the text of models sees a gap where it was.
    pub sequence: u64,
    /// When it happened, by the clock of the run; in JSON in milliseconds since 1970.
    #[serde(with = "envelope::millis")]
    pub time: SystemTime,
    /// How many steps of the run were committed when it happened, or, of something in a body that awaits,
    /// when the body started. Of a step that was committed, its number.
    pub step: u64,
    /// The node, unless it happened to the run as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The items of the lists around the node, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<usize>,
    /// Which attempt at the node it belongs to, from 1; 0 without a node.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempt: u32,
    /// What happened.
    #[serde(rename = "event")]
    pub kind: EventKind,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it on so")]
fn is_zero(attempt: &u32) -> bool {
    *attempt == 0
}
