//! LLM-agent flows that the compiler proves and a snapshot can carry.
//!
//! Annotate structs with [`#[state]`](macro@state) and functions with [`#[node]`](macro@node),
//! [`#[agent]`](macro@agent), [`#[tool]`](macro@tool) and [`#[gate]`](macro@gate), and write how
//! they follow each other:
//!
//! ```
//! use pravah_runtime::prelude::*;
//!
//! #[state] struct Order { cups: u32 }
//! #[state] struct Brewed { cups: u32 }
//! #[state] struct Billed { cents: u32 }
//! #[state] struct Served { text: String }
//!
//! #[node] fn accept(order: Order) -> (Brewed, Billed) {
//!     (Brewed { cups: order.cups }, Billed { cents: order.cups * 250 })
//! }
//! #[node] fn serve(brewed: &Brewed, billed: &Billed) -> Served {
//!     Served { text: format!("{} cups for {} cents", brewed.cups, billed.cents) }
//! }
//!
//! /// Brews and bills side by side, and serves when both are done.
//! #[flow]
//! fn coffee(order: Order) -> Served {
//!     flow! { accept -> fork(join(serve), join(serve)) }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
//! let served = coffee(Order { cups: 2 }, Context::default()).await?;
//! assert_eq!(served.text, "2 cups for 500 cents");
//! # Ok(()) }
//! ```
//!
//! The compiler proves that every edge carries what its receiver takes, that every run can finish,
//! and that no state is lost: the flow is a *sound workflow net* (van der Aalst, "The application of
//! Petri nets to workflow management", 1998). [`FlowRuntime`] runs it one bounded step at a time;
//! after every step a [`FlowSnapshot`] holds the whole run.
//!
//! Loops, lists, people's answers, tests and upgrades are in
//! [a twenty-minute guide](https://github.com/pravah-rs/pravah/blob/main/docs/guide.md).
//!
//! # Features
//!
//! - `channels`: runs over HTTP, with a `WebServer`.
//! - `documents`: flows that are written as YAML or JSON, in the module `document`.
//! - `genai`: further providers through the crate of that name, by `genai://MODEL`.
//! - `opentelemetry`: links between the spans of a run, for subscribers of the crate `tracing-opentelemetry`.
//! - `reqwest`: an HTTP client of your own, for `Server::http_client`.
//! - `providers` (on by default): OpenAI, Anthropic, Gemini and Ollama, over HTTP. Without it no
//!   network code is compiled.

// What the macros write names the crate, also in its own tests.
#[cfg(test)]
extern crate self as pravah_runtime;

mod agent;
mod cancel;
#[expect(
    missing_docs,
    clippy::indexing_slicing,
    reason = "only what the macros write names these items, and it runs while the user compiles: \
              constants cannot iterate, and an index that is off is a compile error"
)]
mod check;
mod context;
#[cfg(feature = "documents")]
pub mod document;
mod engine;
mod error;
mod events;
mod flow;
mod graph;
mod hub;
mod index;
pub mod invocation;
mod json;
mod lock;
mod migrate;
mod model;
mod model_text;
mod node;
mod numbers;
mod quoted;
#[cfg(test)]
#[expect(dead_code, reason = "nets that are not sound are no flows")]
#[path = "../../pravah-graph/tests/soundness/generate.rs"]
mod random_nets;
mod sorted_map;
mod state;
pub mod testing;
mod topology;
mod trace;

#[cfg(feature = "genai")]
pub use ::genai;
pub use agent::{
    Agent, AgentConfig, ApprovalQuestion, CallableAgent, ClientHistory, ConfidenceType,
    Constraints, Contract, ContractError, Conversation, Delegation, Envelope, ExternalCall, OnDone,
    Review, RouteDecision, Tool, ToolAnnotations, ToolBox, ToolContract, Turns,
};
pub use context::{Commands, Context, Dep, Files, FlowConf, Input, Latest, Resumed, Step};
#[cfg(feature = "providers")]
pub use context::{Http, HttpRequest, HttpResponse};
pub use engine::{
    AnswerFuture, Budget, Changes, Clock, Dropped, Entries, FlowRuntime, FlowSnapshot,
    ListeningAgent, LoadOptions, LoadReport, ManualClock, RunFuture, RunOut, RunStatus, Sleep,
    StepFuture, StepInfo, StepKind, Suspension, SystemClock, Unmet, WaitReason,
};
pub use error::{
    AgentFailure, AgentFailureKind, BoxError, DepsError, ErrorText, FlowError, Limit,
    NodeDataError, Stuck, ToolError,
};
pub use events::{
    Audit, DocumentQuestion, EventKind, EventNames, Events, FailureOutcome, FlowEvent,
    FlowObserver, RemoteEvent,
};
pub use flow::{Flow, FlowFuture, LoadedFlow};
#[doc(hidden)]
pub use flow::{FlowDef, FlowEnds, two_flows_of_one_input};
pub use graph::{
    FlowGraph, FlowGraphBuilder, FlowStart, FlowVersion, NodeConstraints, NodeContract,
};
pub use hub::{Channel, Channels, Console, Hub, Sent};
#[cfg(feature = "channels")]
pub use hub::{InvalidOrigin, WebListener, WebServer};
pub use lock::{
    FlowLock, LockError, LockProblem, LockReport, LockedVersion, NewNodes, UnusedMigration,
};
pub use model::{
    Arguments, Cassette, ClientFactory, Effort, Media, Message, Messages, ModelClient, ModelError,
    ModelErrorKind, ModelFuture, ModelOptions, ModelRequest, ModelResponse, ModelUrl,
    ModelUrlError, OnText, Opaque, OutputSpec, Part, Prompt, Provider, Reasoning, ScriptedCall,
    ScriptedModel, ScriptedTurn, StopReason, ToolCall, ToolChoice, ToolResult, ToolSpec, Usage,
};
#[cfg(feature = "providers")]
pub use model::{OutputMode, Server, Timeouts};
pub use model_text::{ForModel, ModelText, ToModel};
pub use node::{Failure, FailureKind, Invoke, InvokeAgent, TaskResult, Tasks};
pub use node::{GateQuestion, Policy, PolicyProblem, Retry};
pub use pravah_graph::Fingerprint;
#[cfg(feature = "documents")]
pub use pravah_macros::flow_yaml;
pub use pravah_macros::{agent, choice, flow, gate, migrate, node, state, tool};
#[cfg(feature = "reqwest")]
pub use reqwest;
pub use state::{Each, Either, State};
pub use topology::{ArcFrom, ArcTo, Topology, TopologyArc, TopologyNode};

/// What flows are written and run with: `use pravah_runtime::prelude::*;`.
pub mod prelude {
    #[cfg(feature = "providers")]
    pub use crate::Http;
    pub use crate::{
        Agent, AgentConfig, ApprovalQuestion, ClientFactory, Commands, Context, Delegation, Dep,
        Each, Either, Entries, EventKind, ExternalCall, Failure, FailureKind, Files, Flow,
        FlowConf, FlowError, FlowEvent, FlowGraph, FlowRuntime, FlowSnapshot, GateQuestion, Input,
        Invoke, InvokeAgent, Latest, LoadOptions, ManualClock, Media, OnDone, Policy, Prompt,
        Resumed, Retry, RunOut, RunStatus, ScriptedModel, State, Step, Suspension, TaskResult,
        Tasks, Tool, ToolAnnotations, ToolBox, ToolError, Unmet, WaitReason, agent, choice, flow,
        gate, migrate, node, state, tool,
    };
}

/// What the macros and the other crates of Pravah use.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "documents")]
    pub use crate::document::{DocumentError, DocumentFlow, NodeRegistry};
    #[cfg(feature = "providers")]
    pub use crate::json::typed as read_json;
    #[cfg(feature = "reqwest")]
    pub use crate::model::http_client;
    pub use crate::{
        __pravah_for_functions_outside_of_impl_and_trait as for_functions_outside_of_impl_and_trait,
        __pravah_implement_state as implement_state, __pravah_refused_state as refused_state,
    };
    pub use crate::{
        agent::{
            Agent, AgentConfig, ArgumentsSchema, CallableAgent, Callee, ConfidenceType,
            Constraints, Contract, Delegation, ExternalAnswer, ExternalReturn, OnDone, Tool,
            ToolAnnotations, ToolArguments, ToolBox, ToolParam, Turns, called_inside,
            read_arguments, read_described,
        },
        check::{
            AgentState, BranchOf, CalleeSignature, Carries, Definition, Diagnosis, EachNames, End,
            Faults, FlowLock, Info, KnownAgent, KnownBranch, KnownCatch, KnownEach, KnownEmit,
            KnownFlow, KnownInput, KnownList, KnownOutput, KnownReturn, KnownState, LockedMove,
            LockedNet, LockedPlace, LockedVersion, Missing, MovedState, NamedTool, NoInfo, NoShape,
            NoState, NoToolName, NodePair, Probe, Refusal, ReportHere, ReportedAtNode, Returns,
            Same, Start, StartsByItself, StateOf, TakenReturn, Takes, TakesAnything, Threshold,
            ToolLimits, ToolName, ToolOutput, ToolReturn, TwoNodes, UnknownAgent, UnknownBranch,
            UnknownCallee, UnknownCatch, UnknownEach, UnknownEmit, UnknownFlow, UnknownInput,
            UnknownList, UnknownOutput, UnknownReturn, agent_state, check_arcs, check_argument,
            check_attempts, check_beside_call_agent, check_call, check_called, check_children,
            check_constraints, check_depth, check_destructive, check_detached, check_done,
            check_edge, check_either, check_end, check_external_param, check_fork, check_handoff,
            check_has_model, check_list_end, check_list_limit, check_list_start, check_lock,
            check_max_of_turns, check_names, check_no_limit, check_node, check_on_done, check_one,
            check_only, check_prompt, check_question, check_rises, check_shared, check_signature,
            check_spelling, check_threshold, check_tokens, check_tool, check_turns, check_visits,
            definition, end, is_node, lock_size, names_size, probe, same, same_as, start,
        },
        context::{Capabilities, Context, FlowInput, Injectable},
        engine::{FlowRuntime, LoadOptions, call},
        error::{BoxError, FlowError, ToolError, does_not_compile},
        flow::{Flow, FlowDef, FlowEnds, FlowFuture},
        graph::{
            FlowGraph, NodeInfo, NodeSpec, graph_of_chain, graph_of_flow, specs, starting,
            starting_async,
        },
        invocation::{ContextScope, Join, ToolPolicy},
        lock::check_lock_file,
        migrate::Migrate,
        model::{Effort, ModelOptions, ToolChoice},
        node::{
            AgentOutput, Answer, Asked, Emit, Emitted, ErrorParam, GateFns, GateParam, HasBranch,
            Input, InputResult, Inputs, IntoPrompt, Invoke, InvokeOutput, IsState, Known,
            MaybeOwned, Metadata, NamedOutput, NamedParam, Node, NodeError, OneState, Output,
            Param, Policy, Receive, Refused, ResumedParam, Retry, Role, Running, Split, Started,
            StateOfAgent, Text, TextParam, UnknownAsks, answer_of, schema_of_answer,
        },
        state::{
            ByClone, CloneField, CloneIf, CloneProbe, Copying, DebugField, JsonField, MapField,
            NoClone, ObjectField, PlainField, SealedState, SerializeFor, SetField, State,
            StateField, StateRef, debug_struct, debug_tuple, json_field, note_clone,
        },
        topology::{
            ArcFrom, ArcTo, ArcsOf, Carried, Ends, FailureName, Inside, ParamRef, Shape, ShapeKind,
            Signature, ToolRef, Topology, TopologyArc, TopologyNode, UnclearOrder, carried,
            consumed, numbers_from_bytes, slot_of, split_by_lengths,
        },
    };
    pub use pravah_macros::beside;
    pub use {schemars, serde, serde_json};

    /// The error of a node's own.
    pub fn failed(node: &str, source: BoxError) -> Box<FlowError> {
        Box::new(FlowError::Node {
            node: node.to_owned(),
            source,
        })
    }

    /// The graph of a flow that does not compile.
    pub fn broken_flow(name: &str) -> Result<FlowGraph, FlowError> {
        Err(FlowError::BuildError(
            format!("the flow `{name}` does not compile").into(),
        ))
    }

    /// The error of an answer that was accepted and cannot be read.
    pub fn unreadable_answer(error: serde_json::Error) -> FlowError {
        FlowError::DeserializeError(error.into())
    }
}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "documents"))]
#[doc = include_str!("../../docs/documents.md")]
struct DocumentsPage;

#[cfg(doctest)]
#[doc = include_str!("../../docs/agents.md")]
struct AgentsPage;

#[cfg(doctest)]
#[doc = include_str!("../../docs/guide.md")]
struct GuidePage;

#[cfg(doctest)]
#[doc = include_str!("../../docs/model-client.md")]
struct ModelClientPage;

#[cfg(doctest)]
#[doc = include_str!("../../docs/parameters.md")]
struct ParametersPage;

#[cfg(doctest)]
#[doc = include_str!("../../docs/providers.md")]
struct ProvidersPage;

#[cfg(doctest)]
#[doc = include_str!("../../docs/running.md")]
struct RunningPage;

#[cfg(doctest)]
#[doc = include_str!("../../docs/upgrades.md")]
struct UpgradesPage;

#[cfg(doctest)]
#[doc = include_str!("../../docs/watching.md")]
struct WatchingPage;
