//! Where in a run a body is.

use std::{pin::pin, sync::Arc};

use futures_util::future::select;

use super::{CallScope, Context, StepScope};
use crate::cancel::CancelToken;

/// Where in a run a node or a tool is: what it asks for to make effects outside once, and to hear that it
/// is not wanted any more.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Order { cents: u32 }
/// #[state] struct Paid { receipt: String }
///
/// /// Charges once, however often the step is tried.
/// #[node]
/// async fn charge(order: &Order, step: Step) -> Paid {
///     Paid { receipt: format!("{} cents under {}", order.cents, step.key()) }
/// }
///
/// #[flow]
/// fn pay(order: Order) -> Paid { flow! { charge } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let mut run = FlowRuntime::new(Order { cents: 250 })?.with_run_id("monday");
/// let RunOut::Done(paid) = run.run(Context::default()).await? else { panic!("nobody is asked") };
/// assert_eq!(paid.receipt, "250 cents under monday/charge(Order)#1");
///
/// // In a test of the function alone there is no run.
/// let paid = charge(&Order { cents: 250 }, Step::default()).await;
/// assert_eq!(paid.receipt, "250 cents under ");
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Step {
    scope: Option<StepScope>,
    call: Option<Arc<CallScope>>,
}

impl Step {
    pub(super) fn of_node(scope: StepScope) -> Self {
        Self {
            scope: Some(scope),
            call: None,
        }
    }

    pub(super) fn in_call(&self, call: Arc<CallScope>) -> Self {
        Self {
            scope: self.scope.clone(),
            call: Some(call),
        }
    }

    pub(super) fn scope(&self) -> Option<&StepScope> {
        self.scope.as_ref()
    }

    pub(super) fn call(&self) -> Option<&CallScope> {
        self.call.as_deref()
    }

    /// The id of the run; of an item of a list also which list of the run it is. Empty outside a run.
    pub fn run_id(&self) -> &str {
        self.scope.as_ref().map_or("", |scope| scope.run.run_id())
    }

    /// A name for this step of this run, the same for every attempt at it, so that effects outside can be
    /// made once; empty outside a run. In a tool it is the same for all calls of one turn: see
    /// [`call_id`](Self::call_id).
    pub fn key(&self) -> String {
        let key = self.scope.as_ref().map(StepScope::key).unwrap_or_default();
        match &self.call {
            Some(call) if self.scope.is_some() => format!("{key}/{}", call.turn),
            _ => key,
        }
    }

    /// A name for this tool call of this run, the same for every attempt at it and after a suspension;
    /// `None` outside a tool.
    pub fn call_id(&self) -> Option<&str> {
        Some(self.call.as_deref()?.name(self.scope.as_ref()))
    }

    /// Which visit of the node this is, from 1.
    pub fn visit(&self) -> u32 {
        self.scope.as_ref().map_or(1, |scope| scope.visit)
    }

    /// Which attempt at this visit this is, from 1: more where a [`Retry`](crate::Retry) tries again.
    pub fn attempt(&self) -> u32 {
        self.scope.as_ref().map_or(1, |scope| scope.attempt)
    }

    /// The indices of the items of the enclosing `each(…)`, outermost first.
    pub fn items(&self) -> &[usize] {
        self.scope.as_ref().map_or(&[], StepScope::items)
    }

    /// Ends when the step is not wanted any more: the run was
    /// [cancelled](crate::FlowRuntime::cancel), the attempt took longer than its
    /// [`Policy`](crate::Policy) allows, or something beside it failed and a `catch` around both took the
    /// failure. Outside a run it never ends. The body itself is dropped then, at its next `await`: this is
    /// for what it has started elsewhere.
    pub async fn cancelled(&self) {
        let Some(scope) = &self.scope else {
            return std::future::pending().await;
        };
        let run = scope.run.cancel();
        match &scope.cancel {
            Some(attempt) => {
                let (run, attempt) = (pin!(run.cancelled()), pin!(attempt.cancelled()));
                select(run, attempt).await;
            }
            None => run.cancelled().await,
        }
    }

    /// Whether the step is not wanted any more, see [`cancelled`](Self::cancelled).
    pub fn is_cancelled(&self) -> bool {
        self.scope.as_ref().is_some_and(|scope| {
            let attempt = scope.cancel.as_ref();
            scope.run.cancel().is_cancelled() || attempt.is_some_and(CancelToken::is_cancelled)
        })
    }
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Step")
            .field("key", &self.key())
            .field("attempt", &self.attempt())
            .finish_non_exhaustive()
    }
}

impl From<&Context> for Step {
    fn from(ctx: &Context) -> Self {
        ctx.step.clone()
    }
}
