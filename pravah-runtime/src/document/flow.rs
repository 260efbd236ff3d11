//! Documents that are ready to run.

use std::{fmt, path::Path, sync::Arc};

use pravah_document::{Document, FileError, Files, Folder, Options, Problems};
use serde_json::Value;

use super::{
    DocumentOutput, ends::EndRules, merged, net::Builder, outcome::Outcome, registry::NodeRegistry,
};
use crate::{
    engine::{FlowRuntime, FlowSnapshot, LoadOptions},
    error::FlowError,
    flow::{FlowEnds, Known, LoadedFlow, Phase},
    invocation::Runners,
    state::{AsNoted, Live},
};

/// A flow that is written as YAML or JSON, checked and ready to run.
///
/// ```
/// use pravah_runtime::{document::{DocumentFlow, NodeRegistry}, prelude::*};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = r#"
/// flow: { name: greet, input: { name: World } }
/// nodes:
///   - { id: greet, type: echo, input: { text: "Hello, {{ flow.input.name }}!" } }
/// edges: []
/// "#;
/// let flow = DocumentFlow::read("greet.yaml", text, &NodeRegistry::standard())?;
/// let mut run = flow.start(json!({ "name": "Ada" }))?;
/// let RunOut::Done(done) = run.run(Context::default()).await? else { panic!("it asks nothing") };
/// assert_eq!(done.outputs["greet"], json!({ "text": "Hello, Ada!" }));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct DocumentFlow {
    document: Arc<Document>,
    known: Arc<Known>,
    end: EndRules,
    runners: Runners,
}

const PHASE: Phase = Phase {
    name: "Run Flow",
    failure: |output| {
        let output = output.get::<DocumentOutput>().ok()?;
        let failed: Vec<String> = output.failed.iter().map(|id| format!("`{id}`")).collect();
        let has_failed = !failed.is_empty();
        has_failed.then(|| format!("nothing handled the failures of {}", failed.join(", ")))
    },
};

impl FlowEnds for DocumentFlow {
    type Input = Value;
    type Output = DocumentOutput;
}

impl LoadedFlow for DocumentFlow {
    fn flow_id(&self) -> &str {
        &self.known.id
    }

    fn start_run(&self, input: Value) -> Result<FlowRuntime<Self>, FlowError> {
        self.start(input)
    }

    fn restore_run(
        &self,
        snapshot: FlowSnapshot,
        options: &LoadOptions,
    ) -> Result<FlowRuntime<Self>, FlowError> {
        self.restore_with(snapshot, options)
    }
}

/// Why a document cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file cannot be read.
    #[error("`{path}` cannot be read: {source}")]
    #[non_exhaustive]
    File {
        /// The path that was given.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// What is wrong with the document, all of it.
    #[error("{0}")]
    Problems(Problems),
    /// It was read, and something that it names cannot be made.
    #[error(transparent)]
    Flow(FlowError),
}

impl DocumentFlow {
    /// Reads the document at a path, and checks it against the registry.
    ///
    /// # Errors
    ///
    /// [`DocumentError::File`] if the file cannot be read, [`DocumentError::Problems`] with all that is wrong with the
    /// document, each with its place, and [`DocumentError::Flow`] if something that it names cannot be made.
    pub fn load(path: impl AsRef<Path>, registry: &NodeRegistry) -> Result<Self, DocumentError> {
        let path = path.as_ref();
        let shown = path.display().to_string();
        let text = std::fs::read(path).map_err(|source| DocumentError::File {
            path: shown.clone(),
            source,
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let files = Folder::new(folder);
        Self::read_with(&shown, &text, registry, |options| options.files(&files))
    }

    /// Reads a document that is there as text; `name` is what problems call it.
    ///
    /// # Errors
    ///
    /// [`DocumentError::Problems`] with all that is wrong with the document, each with its place, and
    /// [`DocumentError::Flow`] if something that it names cannot be made.
    pub fn read(name: &str, text: &str, registry: &NodeRegistry) -> Result<Self, DocumentError> {
        Self::read_with(name, text.as_bytes(), registry, |options| options)
    }

    /// What `flow_yaml!` has embedded, with the files that the document reads.
    #[doc(hidden)]
    pub fn embedded(
        name: &str,
        text: &str,
        files: &[(&str, &str)],
        registry: &NodeRegistry,
    ) -> Result<Self, DocumentError> {
        let files = Embedded(files);
        Self::read_with(name, text.as_bytes(), registry, |options| {
            options.files(&files)
        })
    }

    fn read_with<'a>(
        name: &str,
        text: &[u8],
        registry: &'a NodeRegistry,
        with: impl FnOnce(Options<'a>) -> Options<'a>,
    ) -> Result<Self, DocumentError> {
        let options = with(registry.options());
        let document = pravah_document::read_bytes(name, text, &options);
        let document = document.map_err(DocumentError::Problems)?;
        Self::of(document, registry).map_err(DocumentError::Flow)
    }

    /// Makes a flow of a document that was checked.
    ///
    /// # Errors
    ///
    /// [`FlowError::BuildError`] for what it names and the registry does not have.
    pub fn of(document: Document, registry: &NodeRegistry) -> Result<Self, FlowError> {
        let builder = Builder {
            registry,
            fail_fast: document.fail_fast,
            within: Vec::new(),
            prefix: String::new(),
        };
        let (graph, end) = builder.flow(&document.graph)?;
        let name: Arc<str> = document.name.as_str().into();
        let known = Known {
            graph,
            id: Arc::clone(&name),
            name,
            phase: Some(PHASE),
            output: Arc::new(AsNoted::<DocumentOutput>::clones()),
        };
        Ok(Self {
            document: Arc::new(document),
            known: Arc::new(known),
            end,
            runners: registry.agents().runners().clone(),
        })
    }

    /// What the flow is called.
    pub fn name(&self) -> &str {
        &self.document.name
    }

    /// The document that it was made of.
    pub fn document(&self) -> &Document {
        &self.document
    }

    #[cfg(test)]
    pub(super) fn graph(&self) -> &crate::FlowGraph {
        &self.known.graph
    }

    /// What a run returns, of what its nodes have left so far.
    pub(super) fn end_rules(&self) -> EndRules {
        self.end.clone()
    }

    /// A run that is about to start. `input` is merged into the input that the document has: objects are merged, and
    /// everything else is replaced.
    ///
    /// # Errors
    ///
    /// [`FlowError::DeserializeError`] for an input that is nested too deeply, or that JSON cannot carry.
    pub fn start(&self, input: Value) -> Result<FlowRuntime<Self>, FlowError> {
        crate::json::check(&input)
            .map_err(|unfit| FlowError::DeserializeError(format!("the input is {unfit}").into()))?;
        let input = merged(self.document.input.clone(), input);
        let flow = Outcome::Succeeded(serde_json::json!({ "input": input }));
        let run = FlowRuntime::start_with(Arc::clone(&self.known), Live::new(flow));
        Ok(run.with_runners(&self.runners))
    }

    /// Goes on with a run where `snapshot` left it.
    ///
    /// # Errors
    ///
    /// [`FlowError::SnapLoadError`] if the snapshot is of another flow, or its run could not go on to the end.
    pub fn restore(&self, snapshot: FlowSnapshot) -> Result<FlowRuntime<Self>, FlowError> {
        self.restore_with(snapshot, LoadOptions::default_ref())
    }

    /// The same, as `options` allow.
    ///
    /// # Errors
    ///
    /// Those of [`restore`](Self::restore).
    pub fn restore_with(
        &self,
        snapshot: FlowSnapshot,
        options: &LoadOptions,
    ) -> Result<FlowRuntime<Self>, FlowError> {
        let run = FlowRuntime::restore_with(Arc::clone(&self.known), snapshot, options)?;
        Ok(run.with_runners(&self.runners))
    }
}

impl fmt::Debug for DocumentFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentFlow")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

/// Files whose texts are part of the program.
struct Embedded<'a>(&'a [(&'a str, &'a str)]);

impl Files for Embedded<'_> {
    fn read(&self, path: &str) -> Result<String, FileError> {
        let mut files = self.0.iter();
        let file = files.find(|(known, _)| *known == path);
        file.map(|(_, text)| (*text).to_owned())
            .ok_or(FileError::Missing)
    }
}
