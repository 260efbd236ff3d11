//! The node types that documents can use, with what runs them.

use std::{collections::BTreeMap, future::Future, pin::Pin, sync::Arc};

use pravah_document::{Catalogue, Document, NodeType};
use serde_json::Value;

use super::{catalogue, rules::Returns, typed::TypedNode};
use crate::{
    BoxError, Context, agent::ToolBox, graph::NodeInfo, invocation::AgentRegistry, model::ModelUrl,
};

/// Schemas by the names that the host has given them.
pub(super) type Schemas = BTreeMap<String, Value>;

type Output = Result<Value, BoxError>;
type RunSync = dyn Fn(Value) -> Output + Send + Sync;
type RunAsync =
    dyn Fn(Value, Context) -> Pin<Box<dyn Future<Output = Output> + Send>> + Send + Sync;

/// What runs the nodes of a type.
#[derive(Clone)]
pub(super) enum Implementation {
    Sync(Arc<RunSync>),
    Async(Arc<RunAsync>),
    /// A function that gets the schemas of the host besides its input.
    WithSchemas(fn(&Value, &Schemas) -> Output),
    /// Reads the state of the run.
    GetState,
    /// Sets a value in the state of the run.
    SetState,
    /// Says its input to whoever watches the run, besides what the function does with it.
    Say(fn(&Value, &Context)),
    /// Calls agents of the host.
    Invoke,
    /// Waits for detached tasks of agents of the host.
    Wait,
    /// A node of Rust.
    Typed(Arc<TypedNode>),
    /// Nothing that is registered: the document itself, or an agent.
    Unknown,
}

impl Implementation {
    pub(super) fn sync(run: impl Fn(Value) -> Output + Send + Sync + 'static) -> Self {
        Self::Sync(Arc::new(run))
    }

    pub(super) fn later<F>(run: impl Fn(Value, Context) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Output> + Send + 'static,
    {
        Self::Async(Arc::new(move |input, ctx| Box::pin(run(input, ctx))))
    }

    /// What its bodies return.
    pub(super) const fn returns(&self) -> Returns {
        match self {
            Self::SetState => Returns::RunState,
            Self::Say(_) => Returns::Said,
            Self::Invoke | Self::Wait => Returns::Value,
            _ => Returns::Outcome,
        }
    }

    pub(super) const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    pub(super) fn typed(&self) -> Option<&Arc<TypedNode>> {
        match self {
            Self::Typed(typed) => Some(typed),
            _ => None,
        }
    }
}

/// A node type as its nodes need it.
pub(super) struct Registered {
    pub(super) name: Box<str>,
    pub(super) input: Value,
    pub(super) output: Value,
    pub(super) implementation: Implementation,
}

/// The node types that documents can use, the documents that they can run as subflows, and the tools and the model of
/// their agents.
///
/// ```
/// use pravah_runtime::document::NodeRegistry;
///
/// let registry = NodeRegistry::standard().with_pack("tutorial").with_model("openai://gpt-5-mini");
/// assert!(registry.catalogue().get("tutorial.uppercase").is_some());
/// ```
#[derive(Clone)]
pub struct NodeRegistry {
    catalogue: Catalogue,
    packs: Vec<String>,
    types: BTreeMap<String, Arc<Registered>>,
    flows: BTreeMap<String, Arc<Document>>,
    schemas: Arc<Schemas>,
    agents: AgentRegistry,
    pub(super) tools: ToolBox,
    pub(super) model: Option<String>,
}

impl Default for NodeRegistry {
    fn default() -> Self {
        Self::standard()
    }
}

impl NodeRegistry {
    /// The pack `core`: control, data, system and agents.
    pub fn standard() -> Self {
        let catalogue = Catalogue::standard();
        let mut registry = Self {
            packs: vec!["core".to_owned()],
            types: BTreeMap::new(),
            flows: BTreeMap::new(),
            schemas: Arc::default(),
            agents: AgentRegistry::new(),
            tools: ToolBox::new(),
            model: None,
            catalogue,
        };
        let types: Vec<NodeType> = registry.catalogue.types().cloned().collect();
        for node_type in types {
            let implementation = catalogue::implementation(&node_type.name);
            registry.register(&node_type, implementation);
        }
        registry
    }

    /// Lets documents use a pack: `tutorial`, `integration`, `claude`, or one that [`with_fn`](Self::with_fn) and
    /// [`with_node`](Self::with_node) have made.
    #[must_use]
    pub fn with_pack(mut self, pack: impl Into<String>) -> Self {
        let pack = pack.into();
        if !self.packs.contains(&pack) {
            self.packs.push(pack);
        }
        self
    }

    /// Lets documents use these packs and no others.
    #[must_use]
    pub fn with_packs<P: Into<String>>(mut self, packs: impl IntoIterator<Item = P>) -> Self {
        self.packs = packs.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a type that a function runs, with its pack.
    ///
    /// ```
    /// use pravah_document::NodeType;
    /// use pravah_runtime::document::NodeRegistry;
    /// use serde_json::{Value, json};
    ///
    /// let words = NodeType::new("words.count", "words", "Counts words.");
    /// let registry = NodeRegistry::standard().with_fn(words, async |input: Value, _ctx| {
    ///     let text = input["text"].as_str().unwrap_or_default();
    ///     Ok(json!({ "words": text.split_whitespace().count() }))
    /// });
    /// ```
    #[must_use]
    pub fn with_fn<F>(
        self,
        node_type: NodeType,
        run: impl Fn(Value, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Value, BoxError>> + Send + 'static,
    {
        self.with(node_type, Implementation::later(run))
    }

    /// Adds a `#[node]`, an `#[agent]`, a `#[gate]` or a `#[flow]` as a type of this name, in the pack `host`.
    ///
    /// Its input is the state that it takes, or of several an object by the names of the parameters. Where it chooses
    /// between states its output is `{ "route", "value" }`, with the name of the state as the route. Its attempts are
    /// limited as its attribute says, unless the document says something else.
    ///
    /// ```
    /// use pravah_runtime::{document::NodeRegistry, prelude::*};
    ///
    /// #[state] struct Text { text: String }
    /// #[state] struct Words { words: usize }
    ///
    /// #[node]
    /// fn count_words(text: Text) -> Words {
    ///     Words { words: text.text.split_whitespace().count() }
    /// }
    ///
    /// let registry = NodeRegistry::standard().with_node::<count_words>("words.count");
    /// assert_eq!(registry.catalogue().get("words.count").unwrap().pack, "host");
    /// ```
    #[must_use]
    pub fn with_node<N: NodeInfo>(self, name: impl Into<String>) -> Self {
        let name = name.into();
        let typed = TypedNode::new(&name, N::spec());
        let node_type = typed.node_type(&name);
        self.with(node_type, Implementation::Typed(Arc::new(typed)))
    }

    /// Adds a document that `control.subflow` can run by its name.
    #[must_use]
    pub fn with_flow(mut self, flow: Document) -> Self {
        self.flows.insert(flow.name.clone(), Arc::new(flow));
        self
    }

    /// Adds a JSON Schema that `data.validate` can name.
    ///
    /// ```
    /// use pravah_runtime::document::NodeRegistry;
    /// use serde_json::json;
    ///
    /// let registry = NodeRegistry::standard().with_schema("order", json!({ "type": "object", "required": ["cents"] }));
    /// ```
    #[must_use]
    pub fn with_schema(mut self, name: impl Into<String>, schema: Value) -> Self {
        Arc::make_mut(&mut self.schemas).insert(name.into(), schema);
        self
    }

    /// The tools that agents can name.
    #[must_use]
    pub fn with_tools(mut self, tools: ToolBox) -> Self {
        self.tools = tools;
        self
    }

    /// The agents and flows that `agent.invoke` can call and whose tasks `agent.wait` can wait for, by their names, in
    /// place of those of an earlier call. It calls
    /// no ad-hoc agents.
    ///
    /// ```
    /// use pravah_runtime::{document::NodeRegistry, invocation::AgentRegistry, prelude::*};
    ///
    /// #[state] struct Topic { name: String }
    /// #[state] struct Finding { text: String }
    ///
    /// /// You look things up.
    /// #[agent(model = "openai://gpt-4o-mini", output = Finding)]
    /// fn researcher(topic: &Topic) -> String { topic.name.clone() }
    ///
    /// let agents = AgentRegistry::new().with_agent::<researcher>();
    /// let registry = NodeRegistry::standard().with_agents(agents);
    /// ```
    #[must_use]
    pub fn with_agents(mut self, agents: AgentRegistry) -> Self {
        self.agents = agents;
        self
    }

    /// The model of agents that name none.
    #[must_use]
    pub fn with_model(mut self, url: impl Into<String>) -> Self {
        self.model = Some(url.into());
        self
    }

    /// What is known of the types without running them.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// What documents are checked against.
    pub(super) fn options(&self) -> pravah_document::Options<'_> {
        let options = pravah_document::Options::new(&self.catalogue)
            .packs(self.packs.iter().cloned())
            .subflows(self.flows.keys().cloned())
            .tools(self.tools.names().map(str::to_owned))
            .check_model(&check_model);
        match &self.model {
            Some(model) => options.model(model),
            None => options,
        }
    }

    pub(super) const fn agents(&self) -> &AgentRegistry {
        &self.agents
    }

    pub(super) fn schemas(&self) -> &Arc<Schemas> {
        &self.schemas
    }

    pub(super) fn flow(&self, name: &str) -> Option<&Document> {
        self.flows.get(name).map(|flow| &**flow)
    }

    pub(super) fn registered(&self, name: &str) -> Option<Arc<Registered>> {
        self.types.get(name).cloned()
    }

    fn with(mut self, node_type: NodeType, implementation: Implementation) -> Self {
        self.register(&node_type, implementation);
        let pack = node_type.pack.clone();
        self.catalogue = self.catalogue.with(node_type);
        self.with_pack(pack)
    }

    fn register(&mut self, node_type: &NodeType, implementation: Implementation) {
        let registered = Registered {
            name: node_type.name.as_str().into(),
            input: node_type.input.clone(),
            output: node_type.output.clone(),
            implementation,
        };
        self.types
            .insert(node_type.name.clone(), Arc::new(registered));
    }
}

/// Checks the URL of a model. The scheme is not resolved yet, nor is the provider of a bare name.
fn check_model(model: &str) -> Result<(), String> {
    if model.contains("://") {
        let url = ModelUrl::custom(model);
        return url.map(drop).map_err(|error| error.to_string());
    }
    if model.is_empty() {
        return Err("the name of a model is empty".to_owned());
    }
    if model.contains(char::is_whitespace) {
        return Err(format!(
            "`{model}` is not the name of a model: it contains white space"
        ));
    }
    match model.contains(":/") || model.contains("//") {
        true => Err(format!(
            "`{model}` is neither the name of a model nor a URL: write `scheme://model`"
        )),
        false => Ok(()),
    }
}
