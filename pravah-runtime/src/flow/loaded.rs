//! A flow as a value.

use super::FlowEnds;
use crate::{
    engine::{FlowRuntime, FlowSnapshot, LoadOptions},
    error::FlowError,
};

/// A flow that is made while a program runs: a value, where annotated flows are types. `DocumentFlow`, of the feature
/// `documents`, is one. For whoever stores runs of such flows beside those of others.
///
/// ```
/// # #[cfg(feature = "documents")] {
/// use pravah_runtime::{LoadedFlow, document::{DocumentFlow, NodeRegistry}};
///
/// fn stored_at_its_start<F: LoadedFlow>(flow: &F, input: F::Input) -> String {
///     let run = flow.start_run(input).unwrap();
///     serde_json::to_string(&run.snapshot()).unwrap()
/// }
///
/// let text = "
/// flow: { name: greet }
/// nodes: [{ id: hello, type: echo, input: { text: Hello } }]
/// edges: []
/// ";
/// let flow = DocumentFlow::read("greet.yaml", text, &NodeRegistry::standard()).unwrap();
/// assert_eq!(flow.flow_id(), "greet");
/// assert!(stored_at_its_start(&flow, serde_json::json!({})).contains("greet"));
/// # }
/// ```
pub trait LoadedFlow: FlowEnds + Send + Sync + Sized {
    /// The id of the flow: what its runs are stored under.
    fn flow_id(&self) -> &str;

    /// A run that is about to start.
    ///
    /// # Errors
    ///
    /// [`FlowError::DeserializeError`] for an input that no run can start with.
    fn start_run(&self, input: Self::Input) -> Result<FlowRuntime<Self>, FlowError>;

    /// Goes on with a run where `snapshot` left it, as `options` allow.
    ///
    /// # Errors
    ///
    /// [`FlowError::SnapLoadError`] if the snapshot is of another flow, or its run could not go on to the end.
    fn restore_run(
        &self,
        snapshot: FlowSnapshot,
        options: &LoadOptions,
    ) -> Result<FlowRuntime<Self>, FlowError>;
}
