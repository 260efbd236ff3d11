//! Watching a run.

mod audit;
mod constructors;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::SystemTime,
};

pub use audit::Audit;

use crate::{channel::ModelText, engine::StepInfo, model::Usage, node::FailureKind};

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
/// assert_eq!(events.recv().unwrap().node, "serve");
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
    note = "an observer is a closure `|event: pravah_runtime::FlowEvent| …`; it may be called from several threads, so what it changes must be in a `Mutex` or an atomic",
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

/// What happened in a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FlowEvent {
    /// The run.
    pub run_id: Arc<str>,
    /// The node.
    pub node: String,
    /// The items of the lists around the node, outermost first.
    pub items: Vec<usize>,
    /// What happened.
    pub kind: EventKind,
}

/// What kind of event it is. Prompts, answers and states are in none but [`Text`](Self::Text) and
/// [`Audit`](Self::Audit); an error of a tool or a node may quote them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// A step was committed.
    Step(StepInfo),
    /// The model of an agent without a contract says this, piece by piece. If the step is made again,
    /// so is the text.
    Text(String),
    /// The model of an agent has answered.
    #[non_exhaustive]
    Answered {
        /// The model, by its URL.
        model: String,
        /// What the answer cost.
        usage: Usage,
    },
    /// The model of an agent could not answer, and is asked again.
    #[non_exhaustive]
    Waits {
        /// The model, by its URL.
        model: String,
        /// What it said, for the operator.
        why: String,
        /// When it is asked again.
        until: SystemTime,
    },
    /// A model of an agent is unavailable, and the agent goes on with another one.
    #[non_exhaustive]
    FellBack {
        /// The model that is unavailable, by its URL.
        model: String,
        /// What it said, for the operator.
        why: String,
    },
    /// A node failed, and a `catch` takes its failure. The words are for the operator.
    #[non_exhaustive]
    Failed {
        /// Why, in one word.
        kind: FailureKind,
        /// The same in words.
        message: String,
    },
    /// A call of a tool failed, whether or not the model is told. If the step is made again, so is the
    /// call.
    #[non_exhaustive]
    ToolFailed {
        /// The tool, as the model called it.
        tool: String,
        /// The call, as [`Context::call_id`](crate::Context::call_id) names it to the tool.
        call_id: String,
        /// What went wrong and what caused it, for the operator.
        error: String,
        /// What is beneath the cause, and what is beneath that.
        causes: Vec<String>,
        /// What the model is told instead; nothing where the error is not for the model.
        told: Option<ModelText>,
    },
    /// Something happened to an answer under a [`Contract`](crate::Contract), for the record.
    Audit(Audit),
}

/// Those who watch a run.
#[derive(Clone, Default)]
pub(crate) struct Observers(Vec<Arc<dyn FlowObserver>>);

impl Observers {
    pub(crate) const NOBODY: Self = Self(Vec::new());

    pub(crate) fn add(&mut self, observer: Arc<dyn FlowObserver>) {
        self.0.push(observer);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn want_text(&self) -> bool {
        let wants = |observer: &Arc<dyn FlowObserver>| {
            catch_unwind(AssertUnwindSafe(|| observer.wants_text())).unwrap_or_default()
        };
        self.0.iter().any(wants)
    }

    pub(crate) fn tell(&self, event: &FlowEvent) {
        for observer in &self.0 {
            // Its panic has been printed; the run is not its affair.
            let _ = catch_unwind(AssertUnwindSafe(|| observer.on_event(event)));
        }
    }
}

/// An agent's step, for whoever observes it.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) node: Arc<str>,
    /// In most runs nobody does.
    observed: Option<Observed>,
}

/// Who observes a step, and how its events name it.
#[derive(Clone)]
struct Observed {
    observers: Observers,
    run_id: Arc<str>,
    items: Vec<usize>,
}

impl Watch {
    /// A step of `node`; `place` is the id of its run and the items of the lists around it.
    pub(crate) fn new(
        node: Arc<str>,
        observers: &Observers,
        place: impl FnOnce() -> (Arc<str>, Vec<usize>),
    ) -> Self {
        let observed = (!observers.is_empty()).then(|| {
            let (run_id, items) = place();
            Observed {
                observers: observers.clone(),
                run_id,
                items,
            }
        });
        Self { node, observed }
    }

    /// Whether anybody observes the run.
    pub(crate) fn is_observed(&self) -> bool {
        self.observed.is_some()
    }

    pub(crate) fn wants_text(&self) -> bool {
        let observed = self.observed.as_ref();
        observed.is_some_and(|observed| observed.observers.want_text())
    }

    pub(crate) fn tell(&self, kind: EventKind) {
        if let Some(observed) = &self.observed {
            let event = FlowEvent::new(Arc::clone(&observed.run_id), &*self.node, kind);
            let items = observed.items.iter().copied();
            observed.observers.tell(&event.with_items(items));
        }
    }
}
