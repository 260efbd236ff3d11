//! The last state of a type that a flow has made.

use std::{fmt, ops::Deref, sync::Arc};

/// The last `S` that was made in this flow: what a node, a gate or the prompt of an agent takes beside the
/// states that it consumes. It derefs to the state, which is shared and not consumed.
///
/// The compiler proves that there is one on every run that comes to the node; where a run gets there without,
/// the error shows it. It also refuses a read whose value would depend on chance: of a state that can be made
/// while the node runs, or by two branches side by side with nothing that makes one after both.
///
/// - The flow's input is made when it starts.
/// - What a node returns is made when it returns, a failure makes nothing.
/// - Of a nested flow its output counts, and what its own nodes make is read within it alone.
/// - An item of a list sees what was last made before the list, and what is made within the item, which nobody
///   sees outside.
///
/// While a run goes on, snapshots keep the value, once for all who read it.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Topic { text: String }
/// #[state] struct Draft { text: String }
/// #[state] struct Verdict { passed: bool }
/// #[state] struct Page { html: String }
///
/// #[node] fn write(topic: Topic) -> Draft { Draft { text: format!("On {}", topic.text) } }
/// #[node] fn review(draft: &Draft) -> Verdict { Verdict { passed: draft.text.len() > 5 } }
/// #[node] fn publish(verdict: Verdict, draft: Latest<Draft>) -> Page {
///     let note = if verdict.passed { "" } else { " (not reviewed)" };
///     Page { html: format!("<p>{}{note}</p>", draft.text) }
/// }
///
/// #[flow]
/// fn post(topic: Topic) -> Page { flow! { write -> review -> publish } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let page = post(Topic { text: "tea".into() }, Context::default()).await?;
/// assert_eq!(page.html, "<p>On tea</p>");
/// # Ok(()) }
/// ```
pub struct Latest<S>(Arc<S>);

impl<S> Latest<S> {
    /// A state for a test that calls the function of a node.
    pub fn new(state: S) -> Self {
        Self(Arc::new(state))
    }

    pub(crate) fn from_arc(state: Arc<S>) -> Self {
        Self(state)
    }

    /// The state, as the run shares it.
    pub fn into_arc(self) -> Arc<S> {
        self.0
    }
}

impl<S> Deref for Latest<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S> Clone for Latest<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: fmt::Debug> fmt::Debug for Latest<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
