//! A flow as the type of its input.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::FlowGraph;
use crate::{error::FlowError, topology::Topology};

/// A flow: its input type stands for it.
///
/// [`#[flow]`](macro@crate::flow) writes the impl; by hand the graph comes from
/// [`FlowGraph::builder`]. [`FlowRuntime`](crate::FlowRuntime) runs it, and `Text::build()?.to_mermaid()` draws it
/// ([`FlowGraph::to_mermaid`]). One input has one flow; others that start with it are
/// [`#[flow(named)]`](macro@crate::flow), and no `impl Flow`.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Text { text: String }
/// #[state] struct Words { count: usize }
///
/// impl Flow for Text {
///     type Output = Words;
///
///     fn build() -> Result<FlowGraph, FlowError> {
///         FlowGraph::builder()
///             .work::<Text, Words, _, _>(|text, _ctx| async move {
///                 Ok(Words { count: text.text.split_whitespace().count() })
///             })
///             .build()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let mut run = FlowRuntime::new(Text { text: "one two".into() })?;
/// let RunOut::Done(words) = run.next(Context::default()).await? else { unreachable!() };
/// assert_eq!(words.count, 2);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "no flow starts with `{Self}`",
    label = "not what a flow takes",
    note = "a run is started with the state that a `#[flow]` takes, `FlowRuntime::new(input)`, without the flow's name; a `#[flow(named)]` is started with `name::start(input)`"
)]
pub trait Flow: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What the flow ends with.
    type Output: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Makes the flow's graph. It is called once in a process; the graph is kept.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the graph, see [`FlowGraphBuilder::build`].
    ///
    /// [`FlowGraphBuilder::build`]: crate::FlowGraphBuilder::build
    fn build() -> Result<FlowGraph, FlowError>;

    /// The id of the flow, which its snapshots carry; where the flow is part of another, the id of its
    /// node. By default it is the schema name of its input.
    fn node_id() -> String {
        Self::schema_name().into_owned()
    }

    /// What the compiler knows of the flow: nothing, where it is written by hand.
    #[doc(hidden)]
    const KNOWN_TOPOLOGY: &'static Topology = Topology::BROKEN;
}
