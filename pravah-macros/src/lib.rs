//! The attributes and the flow language of Pravah.
//!
//! Use them through `pravah-runtime`, which exports them all:
//!
//! - `dsl` parses `flow! { … }`, lowers it to nodes and arcs, and proves it sound;
//! - `options` parses what is in the parentheses of an attribute;
//! - `expand` writes code, one file for each item that is emitted;
//! - `item` reads the item beneath an attribute, and `conditions` what is conditional in it;
//! - `root` knows where the runtime is;
//! - `diag` collects the mistakes.

mod conditions;
mod crate_files;
mod diag;
mod doc_comment;
#[cfg(feature = "documents")]
mod document;
mod dsl;
mod expand;
mod item;
mod lock;
mod options;
mod root;
mod types;

use proc_macro::TokenStream;
use quote::{ToTokens, quote};
use syn::{Item, ItemFn, parse::Parse};

use crate::{
    conditions::Conditional,
    diag::Diagnostics,
    expand::function::{Function, Kind},
};

/// Makes a struct or enum a flow state.
///
/// It adds `Serialize`, `Deserialize`, `JsonSchema`, `Debug` and `Clone` where they are not derived
/// below it, and implements [`State`]. Write it first: derives above it are invisible to it, and
/// rustc then reports them twice (E0119).
///
/// - The state's name is what `schemars` calls the type: `#[schemars(rename = "…")]`, else
///   `#[serde(rename = "…")]`, else the type's own name. One flow has one type for a name. `::` and
///   `@` separate names in a snapshot, and cannot be part of one.
/// - `#[state(manual(…))]` leaves out what it names of the five: `Clone`, for a type that has a field
///   that is not, or whatever is written by hand.
/// - Generic types are refused: wrap the concrete type in a state of its own.
/// - JSON has no `NaN` and no infinity: in a snapshot they are `null`, which a number cannot be read from
///   again. Where a float may be one of them, keep an `Option` of it.
/// - `#[cfg]` on a field or variant is obeyed, and so it is on the parameters and variants under the
///   other attributes.
/// - The name that the runtime has in `Cargo.toml` is found. `#[state(crate = path)]`, and the same option of
///   every other attribute, says where it is for a crate that has it through another crate:
///   `crate = my_kit::pravah`.
///
/// [`State`]: ../pravah_runtime/trait.State.html
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state]
/// struct Ticket { subject: String }
///
/// assert_eq!(Ticket::NAME, "Ticket");
/// let ticket = Ticket { subject: "Keys stick".into() };
/// assert_eq!(format!("{:?}", ticket.clone()), r#"Ticket { subject: "Keys stick" }"#);
/// ```
///
/// ```compile_fail
/// use pravah_runtime::prelude::*;
///
/// #[state]
/// struct Page<T> { items: Vec<T> }
/// ```
#[proc_macro_attribute]
pub fn state(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute("state", "a type", options, item, |item, options, errors| {
        let manual = options::state_manual(options, errors);
        expand::state::expand(item, &manual, errors)
    })
}

/// Makes an enum of states what a node chooses between, or what a node that merges takes.
///
/// Each variant holds one state. It is `Either` for more than two branches, with names.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Mail { text: String }
/// #[state] struct Bill { text: String }
/// #[state] struct Praise { text: String }
/// #[state] struct Spam { text: String }
/// #[state] struct Filed { folder: String }
///
/// #[choice]
/// enum Sorted { Bill(Bill), Praise(Praise), Spam(Spam) }
///
/// #[node]
/// fn sort(mail: Mail) -> Sorted {
///     let Mail { text } = mail;
///     match text.as_str() {
///         "invoice" => Sorted::Bill(Bill { text }),
///         "thanks" => Sorted::Praise(Praise { text }),
///         _ => Sorted::Spam(Spam { text }),
///     }
/// }
///
/// #[node] fn pay(_: &Bill) -> Filed { Filed { folder: "paid".into() } }
/// #[node] fn frame(_: &Praise) -> Filed { Filed { folder: "wall".into() } }
/// #[node] fn bin(_: &Spam) -> Filed { Filed { folder: "bin".into() } }
///
/// #[flow]
/// fn post(mail: Mail) -> Filed { flow! { sort -> either(pay, frame, bin) } }
/// ```
///
/// ```compile_fail
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Bill { text: String }
///
/// #[choice]
/// enum Sorted { Bill(Bill), Spam }
/// ```
#[proc_macro_attribute]
pub fn choice(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(
        "choice",
        "an enum",
        options,
        item,
        |item, options, errors| {
            options::nothing(options, "choice", errors);
            expand::choice::expand(item, errors)
        },
    )
}

/// Makes a function a node. What it does follows from its signature.
///
/// | takes | |
/// |---|---|
/// | `a: A`, `a: &A` | one state |
/// | `a: A, b: B, …` | waits for all of them: a join; parameters of one type are filled in the order of the branches |
/// | `x: Either<A, B>`, or a `#[choice]` enum | whichever comes: a merge |
/// | `f: Failure<A>` | the failure of a node, after `catch(node) ->` |
/// | `xs: Each<A>` | what `each(…)` returned, in order |
///
/// | returns | |
/// |---|---|
/// | `B` | one state |
/// | `Either<B, C>`, or a `#[choice]` enum | exactly one branch goes on |
/// | `(B, C, …)` | all branches go on: a fork |
/// | `Each<B>` | many of one kind, for `each(…)` |
/// | `Invoke<B>`, `Invoke<Each<B>>`, `Invoke<Each<TaskResult<B>>>` | the results of the agents and flows that the node calls: of one, of all as a list, or how each call ended |
/// | `Invoke<Tasks>` | the ids of detached tasks, at once |
///
/// `Either<B, B>` chooses between two branches of one state: the left one is the first.
///
/// Among its states it may ask for more, in any order: `Files`, `Commands`, `Http`, `Dep<T>` for what the host gave to
/// the context, `Input<S>` for the input of its flow or of one around it, `Latest<S>` for the last `S` that its flow
/// has made, `Step` for where in the run it is, `Context` for all of it.
///
/// It may be `async`, and what it returns may be in a
/// `Result`, whose error is any that `?` turns into a boxed error. The run keeps a state until the
/// step that consumes it is committed: `&A` costs nothing, `A` costs one copy, which is a clone
/// where the state is `Clone`.
///
/// The function stays an ordinary function. Beside it is a hidden type of its name, by which
/// `flow!` names the node.
///
/// | option | |
/// |---|---|
/// | `timeout = "30s"` | how long one attempt of an `async` function may take; with `ms`, `s`, `m`, `h` or `d` |
/// | `total_timeout = "5m"` | how long all attempts may take, with the waits between them |
/// | `retry(max_attempts = 3)` | how often the node is tried in all where it fails; once unless set |
/// | `retry(…, backoff = "200ms")` | how long to wait before the next attempt; it is at once unless set |
/// | `retry(…, factor = 2.0, max_backoff = "5s", jitter)` | by how much each wait is longer than the one before it, the longest one, and whether a wait is some random share of its length |
/// | `max_visits = 10` | how often the node may run within one run (1,000); a flow takes a node with it only on a loop |
/// | `pure` | the node may run again at no cost: it has no effect outside, and what it returns depends on what it takes alone. A worker may store its step with the next one |
/// | `agents = [a, b]` | the agents and flows that the node may call; its function returns an `Invoke` |
/// | `on_done = wait` | the run waits for the detached tasks of this node when the flow is done; `cancel` unless set |
///
/// Errors, panics and timeouts are tried again; a `catch` takes the failure of the last attempt. A
/// future that is too slow is dropped. [`Policy`] and [`Retry`] say all of it, and `max_attempts` and
/// `max_visits` may be constants. [`state`](macro@state) says what `crate = path` is, which every
/// attribute takes.
///
/// [`Policy`]: ../pravah_runtime/struct.Policy.html
/// [`Retry`]: ../pravah_runtime/struct.Retry.html
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Bill { cents: u32 }
///
/// #[node(timeout = "2s", retry(max_attempts = 3, backoff = "200ms", factor = 2.0))]
/// async fn price(order: &Order) -> Result<Bill, std::num::TryFromIntError> {
///     Ok(Bill { cents: u32::try_from(u64::from(order.cups) * 250)? })
/// }
/// ```
///
/// ```compile_fail
/// use pravah_runtime::prelude::*;
///
/// struct Order { cups: u32 } // no `#[state]`
/// #[state] struct Bill { cents: u32 }
///
/// #[node]
/// fn price(order: &Order) -> Bill { Bill { cents: order.cups * 250 } }
/// ```
#[proc_macro_attribute]
pub fn node(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(
        "node",
        "a function",
        options,
        item,
        |item::Unread::<ItemFn>(item), options, errors| {
            let options = options::NodeOptions::parse(options, &item.sig, errors);
            of_function(item, Kind::Node, errors, |function, errors| {
                expand::node::expand(function, &options, errors)
            })
        },
    )
}

/// Makes a function a gate: it waits for a person.
///
/// Reaching it suspends the run with a `GateQuestion`: the prompt, the state as JSON, and the JSON Schema of the
/// answer, with the names of its cases where it is an enum. `FlowRuntime::answer` takes the `tool_id` of the question,
/// reads the payload as the last parameter that asks for nothing, and only then runs the body, once. A payload that
/// does not fit is an error, and the run stays suspended.
///
/// | option | |
/// |---|---|
/// | `prompt = …` | what the person is asked; it is required, unless the gate waits for an event |
/// | `event = …` | the name of the event that answers the gate, whoever sends it with `Hub::emit` |
/// | `assignee = …` | who is to answer, for the host to act on |
/// | `metadata = …` | whatever else the host is to know, such as a priority: any value that is `Serialize` |
/// | `timeout = "24h"` | how long the gate waits; after that it fails, and a `catch` takes the failure |
/// | `max_visits` | how often the gate may ask within one run, on a loop |
///
/// `prompt`, `event`, `assignee` and `metadata` are expressions: in them every parameter but the answer is a reference, to a
/// state or to what the gate asks for, and `?` fails the gate. They are evaluated once for each question, and
/// what they make is part of the snapshot.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Draft { text: String }
/// #[state] struct Approved { text: String }
/// #[state] struct Rejected { why: String }
/// #[state] struct Decision { publish: bool, why: String }
///
/// #[gate(prompt = format!("Publish this?\n\n{}", draft.text), assignee = "the desk")]
/// fn approve(draft: Draft, answer: Decision) -> Either<Approved, Rejected> {
///     match answer.publish {
///         true => Either::Left(Approved { text: draft.text }),
///         false => Either::Right(Rejected { why: answer.why }),
///     }
/// }
/// ```
///
/// A gate that waits for an event takes the first one of that name that nobody else has taken, whether it comes before
/// the gate asks or after; it can be answered by `FlowRuntime::answer` as any other.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Order { id: u32 }
/// #[state] struct Paid { id: u32, cents: u32 }
///
/// #[gate(event = format!("paid:{}", order.id))]
/// fn payment(order: Order, cents: u32) -> Paid { Paid { id: order.id, cents } }
///
/// #[flow]
/// fn sale(order: Order) -> Paid { flow! { payment } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let mut run = FlowRuntime::new(Order { id: 7 })?;
/// let hub = run.hub();
/// let bank = tokio::spawn(async move { hub.emit("paid:7", 250).await });
/// let RunOut::Done(paid) = run.serve(Context::default()).await? else { unreachable!() };
/// assert_eq!((paid.id, paid.cents), (7, 250));
/// bank.await.unwrap()?;
/// # Ok(()) }
/// ```
///
/// ```compile_fail
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Draft { text: String }
/// #[state] struct Approved { text: String }
///
/// #[gate(prompt = "Publish this draft?")]
/// fn approve(draft: Draft) -> Approved { Approved { text: draft.text } } // takes no answer
/// ```
#[proc_macro_attribute]
pub fn gate(options: TokenStream, item: TokenStream) -> TokenStream {
    let expand = |item::Unread::<ItemFn>(item), options, errors: &mut Diagnostics| {
        let options = options::GateOptions::parse(options, item.sig.ident.span(), errors);
        of_function(
            item,
            Kind::Gate,
            errors,
            |function, errors| match &options {
                Some(options) => expand::gate::expand(function, options, errors),
                None => function.broken(),
            },
        )
    };
    attribute("gate", "a function", options, item, expand)
}

/// Makes a function or a struct an agent: a node whose output a model produces.
///
/// A function writes the user prompt from the states it takes. A struct is a state of its own, and
/// its JSON is the prompt.
///
/// | option | |
/// |---|---|
/// | `model` | a literal `"openai://MODEL"`, which is checked; `custom("acme://m")` for a scheme of your own; or any expression |
/// | `runner` | in place of `model`: the kind of a runner, `"a2a"`, or a `RunnerConfig` with its settings, for a remote agent. Only `output` and the options of a [`node`](macro@node) go with it |
/// | `output` | the state that the model must return |
/// | `preamble` | the system prompt; the doc comment unless set. One of the two is required of an agent with a model |
/// | `tools = [a, b]` | the `#[tool]`s that the model may call |
/// | `approve = [a]` | those of them whose calls a person approves before they run; `approve = destructive` means the tools that say so, `approve = all` all of them |
/// | `agents = [a, b]` | the agents and flows that the model may call |
/// | `skills = [a, b]` | the agents that the model may run on its own conversation, with the tool `run_skill` |
/// | `delegation(ad_hoc = assistant)` | the base of the agents that the model describes for one call |
/// | `delegation(max_depth = 2, max_children = 8)` | how many levels of agents may be below this one, from 1 to 4 (1), and how many agents and flows may be called in one visit (8) |
/// | `delegation(context = inherited)` | what they know of the conversation: `independent` (nothing, unless set), `inherited` or `shared`, or a list of which the model chooses |
/// | `delegation(join = [single, detached], on_done = wait)` | what a call waits for, and what becomes of detached tasks when the flow is done |
/// | `delegation(tools = inherit)` | which of the agent's own tools they have besides theirs: `inherit`, `[search]` or `none` (unless set) |
/// | `max_turns` | how often the model may be asked in one visit (16) |
/// | `max_repairs` | how often it is told what is wrong with its answer (2) |
/// | `max_retries` | how often in a row it is asked again where it could not answer (4) |
/// | `fallback = ["anthropic://MODEL"]` | the models to go on with, in this order, where one is unavailable after its retries |
/// | `max_tokens` | the most tokens of one answer |
/// | `reasoning = low` | how much the model reasons: `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`, or a number of tokens |
/// | `temperature`, `top_p`, `seed`, `stop = ["END"]` | how the answer is sampled, and where it ends |
/// | `tool_choice = required` | whether the model must call a tool, or with `auto` may |
/// | `call_timeout = "90s"` | how long one model call may take |
/// | `prompt_cache = false` | leaves out the marks for the provider's cache |
/// | `metadata(team = "support")` | what the provider is to note |
/// | `extra(top_k = 40)` | fields of the provider's own |
/// | `visit_tokens` | how many tokens, asked and answered, one visit may use |
/// | `contract(…)` | when the answer goes on by itself, and when a person has to look at it |
/// | `turns(max = 5, idle = "30s")` | each answer waits so long for a message of a `Hub`, which starts the next turn; the last one goes on. Both may be left out: then there is no last turn, and the wait is 30 seconds |
/// | `constraints(…)` | what its tools must not reach, `no_network`, `no_commands` and `no_credentials`, and how long one attempt may take, `max_duration = "8s"` |
/// | `timeout = "2m"` | how long one attempt may take, from its first model call on |
/// | `total_timeout`, `retry(max_attempts = 3, …)` | as of a [`node`](macro@node); each attempt starts a new conversation |
/// | `max_visits` | how often the agent may run within one run, on a loop |
/// | `manual(…)` | of a struct, what [`state`](macro@state) is not to add |
///
/// An agent with tools, or with agents to call, returns its output by a call of the tool `submit`, which it has besides
/// its own; other calls in the same answer are not run.
///
/// With a contract the model says how sure it is of its answer, and is told no threshold. What is
/// in `contract(…)` may be left out:
///
/// | | |
/// |---|---|
/// | `suppress_below = 0.5` | below it the answer is hidden, and the node fails |
/// | `auto_approve_above = 0.85` | above it the answer goes on, unless the model wants a person; between the two the run waits for one |
/// | `review = 0.5..=0.85` | the band that is shown to that person |
/// | `confidence = verbalized` | the required source of the confidence: `verbalized`, `token_level` or `calibrated`; any unless set |
/// | `budget = "8s"` | how long the model may take; without it, as long as it does |
/// | `version = "1.0.0"` | what the contract is called in audits |
///
/// What is suppressed or rejected goes to `catch(triage) -> …`, without which the flow does not
/// compile.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Ticket { subject: String }
/// #[state] struct Verdict { urgent: bool }
///
/// /// You triage support tickets.
/// #[agent(model = "openai://gpt-4o-mini", output = Verdict)]
/// fn triage(ticket: &Ticket) -> String { ticket.subject.clone() }
/// ```
///
/// ```compile_fail
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Ticket { subject: String }
/// #[state] struct Verdict { urgent: bool }
///
/// /// You triage support tickets.
/// #[agent(model = "opnai://gpt-4o-mini", output = Verdict)] // no such scheme
/// fn triage(ticket: &Ticket) -> String { ticket.subject.clone() }
/// ```
#[proc_macro_attribute]
pub fn agent(options: TokenStream, item: TokenStream) -> TokenStream {
    let expand = |item::Unread::<Item>(item), options, errors: &mut Diagnostics| match item {
        Item::Fn(item) => {
            let options = options::AgentOptions::parse(options, &item, errors);
            of_function(
                item,
                Kind::Agent,
                errors,
                |function, errors| match &options {
                    Some(options) => expand::agent::function(function, options, errors),
                    None => expand::agent::broken(function),
                },
            )
        }
        Item::Struct(item) => match options::AgentOptions::parse(options, &item, errors) {
            Some(options) => expand::agent::structure(item, &options, errors),
            None => expand::agent::broken_structure(item, errors),
        },
        Item::Verbatim(item)
            if let Some(name) = item::refuse_no_body(
                &item,
                "write the prompt as its body: `{ format!(\"…\") }`",
                errors,
            ) =>
        {
            expand::function::broken_node(&name)
        }
        item => {
            errors.error(
                syn::spanned::Spanned::span(&item),
                "an agent is a function or a struct",
                "put `#[agent]` above the function that writes the prompt, or the struct that is it",
            );
            item.to_token_stream()
        }
    };
    attribute("agent", "a function", options, item, expand)
}

/// Makes an async function a tool: something that a model may call.
///
/// Its name is the tool's name, its doc comment the description, its parameters the arguments, with
/// their doc comments as descriptions; `#[serde(default)]` and the like are allowed on them. Among them it
/// may ask for what no model writes, in any order: `Files`, `Commands`, `Http`, `Dep<T>`, `Input<S>`, `Step`,
/// `Resumed<T>` for the answer that it waited for, `Context` for all of it. It returns a `Result` that
/// serialises.
///
/// | option | the tool says that |
/// |---|---|
/// | `read_only` | it changes nothing |
/// | `destructive` | it may delete or overwrite something |
/// | `idempotent` | a second call with the same arguments changes nothing more |
/// | `open_world` | it reaches what nobody can list beforehand, such as the web |
/// | `approve` | a person approves each call before it runs, whichever agent makes it |
/// | `external` | whoever drives the run executes it: it has no body, and returns what they answer |
///
/// The first four are the [annotations of the Model Context Protocol][mcp]: `readOnlyHint`, `destructiveHint`,
/// `idempotentHint`, `openWorldHint`. Each can be denied, as in `destructive = false`, which is said of what only
/// adds. They are in the contract of the agent's node, and in the question that `approve` asks; nothing enforces
/// them.
///
/// [mcp]: https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// /// Looks up the customer's recent orders.
/// #[tool]
/// async fn recent_orders(
///     /// The customer's e-mail address.
///     email: String,
/// ) -> Result<Vec<String>, ToolError> {
///     Ok(vec![format!("a keyboard, sent to {email}")])
/// }
/// ```
///
/// A call of an external tool waits with `RunOut::Suspend`, as a gate does; its value is an `ExternalCall`. What
/// `FlowRuntime::answer` takes has to be what the tool returns, and the model reads that.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// /// Picks a file on the user's machine.
/// #[tool(external)]
/// async fn pick_file(ending: String) -> String;
/// ```
///
/// ```compile_fail
/// use pravah_runtime::prelude::*;
///
/// #[tool] // no description
/// async fn recent_orders(email: String) -> Result<Vec<String>, ToolError> { Ok(vec![email]) }
/// ```
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    attribute(
        "tool",
        "a function",
        options,
        item,
        |item: expand::tool::ToolFn, options, errors| {
            let options = options::ToolOptions::parse(options, errors);
            expand::tool::expand(item, options.as_ref(), errors)
        },
    )
}

/// Makes a function a flow. Its body is one `flow! { … }`.
///
/// ```text
/// flow    = stmt { ";" stmt } [ ";" ]
/// stmt    = source { "->" target }                      the first may start with a fork or an each
/// source  = NODE | "catch" "(" NODE ")"
/// target  = NODE
///         | "either" "(" branch "," branch { "," branch } [ "," ] ")"     directly after a node
///         | "fork"   "(" branch "," branch { "," branch } [ "," ] ")"     directly after a node, or at the start
///         | "join"   "(" NODE ")"
///         | "each"   "(" chain [ "," "limit" "=" NUMBER ] ")"
///         | "done"
/// branch  = chain
/// chain   = target { "->" target }
/// NODE    = a path: plan, nodes::plan; with another name: plan as sketch
/// ```
///
/// - The first node takes the flow's input; `fork(a, b)` or `each(a)` at the start takes it too. A node with
///   nothing after it ends the flow; `done` says so, and leads a branch of a choice out of a loop.
/// - Naming a node again means the same node: `review -> either(done, revise); revise -> review`.
///   `spell -> expand -> spell as proofread` uses its function once more, in a node called `proofread`.
/// - A `fork` after a node that returns a tuple gives each branch its own state; after a node that returns one
///   state, each branch gets that one. Nothing is copied for a node that takes `&A`.
/// - Every open end of a group leads to what follows it. `join(n)` marks where branches arrive:
///   alternatives share a parameter of `n`, parallel branches have one each, matched by type; several
///   parameters of one type are filled in the order of the branches in the fork. Branches are
///   parallel if some run has both at once, so a node may be in branches of several forks.
/// - `catch(n) -> rescue` takes the failure of `n`, after its last attempt.
/// - `each(chain, limit = 8)` works on at most so many items of a list at the same time, where the run
///   may do several things at once; the number may be a constant.
///
/// The flow is accepted only if it is a sound workflow net (van der Aalst 1998): from wherever a run
/// can get, it can end; when it ends nothing is left over; no state is overwritten; every node can
/// run.
///
/// It becomes
///
/// - an async function `name(input, ctx)`, which runs it to its end. Agents take their models from
///   the `ClientFactory` or the `ScriptedModel` in the context, `Context::default().with_dep(script)`,
///   else from where their URLs lead, as in every run without `with_factory`;
/// - an `impl Flow` for its input, so that `FlowRuntime::new(input)` runs it step by step;
/// - a node for other flows;
/// - `name::graph()`, which is drawn by `name::graph()?.to_mermaid()`, and `name::TOPOLOGY`, which
///   is the same as a constant.
///
/// A second flow of the same input, or one whose input is of another crate, is `#[flow(named)]`: it is
/// no `impl Flow`; `name::start(input)` makes its `FlowRuntime`, and
/// `FlowRuntime::<name>::from_snapshot(snapshot)` goes on with one.
///
/// Where a node fails, with no attempt left and no `catch`, the run returns its error. With
/// `#[flow(fail_fast = false)]` everything else goes on first, and the error is returned when nothing else
/// can move. What the flow says that is run holds for the whole run; flows nested in it have no say.
///
/// `#[flow(only(files, deps))]` lets no node of the flow reach more, nor the nodes of nested flows and the tools of
/// agents: of `files`, `commands`, `http` and `deps` those that are named.
///
/// `#[flow(lock = "support.lock")]` names a file with released versions of the flow, of which runs may still wait: a change
/// that strands one does not compile. `#[flow(migrate(a, b))]` names the [`migrate`](macro@migrate) functions that read or
/// move states of earlier versions. [Runs of earlier versions](https://github.com/pravah-rs/pravah/blob/main/docs/upgrades.md)
/// has all of it.
///
/// `#[flow]` also is above an `impl Flow for In` whose `build` is one `flow! { … }`.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Topic { text: String }
/// #[state] struct Draft { text: String, round: u32 }
/// #[state] struct Notes { text: String, round: u32 }
/// #[state] struct Text { text: String }
///
/// #[node] fn plan(topic: &Topic) -> Draft { Draft { text: topic.text.clone(), round: 1 } }
/// #[node] fn review(draft: Draft) -> Either<Text, Notes> {
///     match draft.round {
///         1 => Either::Right(Notes { text: draft.text, round: 2 }),
///         _ => Either::Left(Text { text: draft.text }),
///     }
/// }
/// #[node] fn revise(notes: Notes) -> Draft { Draft { text: notes.text + "!", round: notes.round } }
///
/// /// Writes until the reviewer is content.
/// #[flow]
/// fn write(topic: Topic) -> Text {
///     flow! { plan -> review -> either(done, revise); revise -> review }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let text = write(Topic { text: "nets".into() }, Context::default()).await?;
/// assert_eq!(text.text, "nets!");
/// assert!(write::graph()?.to_mermaid().contains("flowchart"));
/// # Ok(()) }
/// ```
///
/// ```compile_fail
/// use pravah_runtime::prelude::*;
///
/// #[state] struct A {}
/// #[state] struct B {}
/// #[state] struct C {}
///
/// #[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
///
/// #[flow]
/// fn lost(a: A) -> B { flow! { split -> fork(done, done) } } // nothing joins the branches
/// ```
#[proc_macro_attribute]
pub fn flow(options: TokenStream, item: TokenStream) -> TokenStream {
    let expand = |item: Item, options, errors: &mut Diagnostics| {
        let options = options::FlowOptions::parse(options, errors);
        match &item {
            Item::Fn(item) => expand::flow::function(item, &options, errors),
            Item::Impl(item) => expand::flow::implementation(item, &options, errors),
            item => {
                errors.error(
                    syn::spanned::Spanned::span(item),
                    "a flow is a function or an `impl Flow`",
                    "write `#[flow] fn name(input: In) -> Out { flow! { … } }`",
                );
                item.to_token_stream()
            }
        }
    };
    attribute("flow", "a function", options, item, expand)
}

/// Makes a function a migration: it makes a state of this version of a flow of an earlier one, when a run is loaded.
///
/// The flow names it: `#[flow(migrate(verdict))]`. A state that cannot be read as `New` is read as `Old`, and the
/// function makes the one of the other; migrations follow each other, so that one from version 1 to 2 and one from 2 to 3
/// read states of version 1. It may return a `Result`, whose error is that of the load. The snapshot stays as it was then.
///
/// | option | |
/// |---|---|
/// | `slot` | the place of the earlier state is gone: what waits there is moved to where the new one waits. Both are `#[state]`s |
/// | `slot = "review::Draft"` | the same for a state in the nested flow `review` |
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// /// What is left of version 1: the states in their old form.
/// mod v1 {
///     use pravah_runtime::prelude::*;
///
///     #[state] pub struct Brewed { pub cups: u32 }
///     #[state] pub struct Ground { pub grams: u32 }
/// }
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Brewed { millilitres: u32 }
/// #[state] struct Served { cups: u32 }
///
/// #[migrate]
/// fn millilitres(old: v1::Brewed) -> Brewed { Brewed { millilitres: old.cups * 125 } }
///
/// /// Nobody grinds any more.
/// #[migrate(slot)]
/// fn brewed(old: v1::Ground) -> Brewed { Brewed { millilitres: old.grams / 7 * 125 } }
///
/// #[node] fn brew(order: Order) -> Brewed { Brewed { millilitres: order.cups * 125 } }
/// #[node] fn serve(brewed: Brewed) -> Served { Served { cups: brewed.millilitres / 125 } }
///
/// #[flow(migrate(millilitres, brewed))]
/// fn coffee(order: Order) -> Served { flow! { brew -> serve } }
/// ```
///
/// ```compile_fail
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Brewed { millilitres: u32 }
///
/// #[migrate]
/// fn brewed() -> Brewed { Brewed { millilitres: 0 } } // of what?
/// ```
#[proc_macro_attribute]
pub fn migrate(options: TokenStream, item: TokenStream) -> TokenStream {
    let expand = |item::Unread::<ItemFn>(item), options, errors: &mut Diagnostics| {
        let slot = options::MovedSlot::parse(options, errors).flatten();
        expand::migrate::expand(&item, slot.as_ref(), errors)
    };
    attribute("migrate", "a function", options, item, expand)
}

/// Embeds a flow that is written as YAML or JSON, and checks it while the crate is compiled.
///
/// `flow_yaml!(name = "path")` writes a function `name(&NodeRegistry)` that makes the flow; `pub name` makes it
/// public. The path starts at the folder of the crate's `Cargo.toml`. Everything that is wrong with the document is a
/// compile error at the path, with its line and column. The types of the standard packs are known; those of your own
/// are named, and checked when the flow is made: `flow_yaml!(name = "path", types = ["words.count"])`.
///
/// ```
/// use pravah_runtime::{document::NodeRegistry, flow_yaml, prelude::*};
/// use serde_json::json;
///
/// flow_yaml!(greet = "tests/documents/greet.yaml");
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let flow = greet(&NodeRegistry::standard())?;
/// let result = flow.session(json!({ "name": "Ada" }))?.run(Context::default()).await?;
/// assert_eq!(result.outputs["hello"], json!({ "text": "Hello, Ada!" }));
/// # Ok(()) }
/// ```
///
/// What is wrong with a document is a compile error:
///
/// ```compile_fail
/// pravah_runtime::flow_yaml!(broken = "tests/documents/broken.yaml");
/// ```
#[cfg(feature = "documents")]
#[proc_macro]
pub fn flow_yaml(input: TokenStream) -> TokenStream {
    let embedded = syn::parse_macro_input!(input as document::Embedded);
    let mut errors = Diagnostics::default();
    let code = root::with(embedded.root.clone(), || embedded.expand(&mut errors));
    let errors = errors.into_tokens();
    quote!(#code #errors).into()
}

/// Writes what it is given beside the item that it is above, for what the other attributes make of one
/// item.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn beside(others: TokenStream, mut item: TokenStream) -> TokenStream {
    item.extend(others);
    item
}

/// What every attribute does: reads the item that it is above, which has to be `kind`, and
/// writes what `expand` makes of it and of the attribute's options, with the mistakes.
fn attribute<T: Parse + Conditional>(
    name: &str,
    kind: &str,
    options: TokenStream,
    item: TokenStream,
    expand: impl FnOnce(T, proc_macro2::TokenStream, &mut Diagnostics) -> proc_macro2::TokenStream,
) -> TokenStream {
    let mut errors = Diagnostics::default();
    let (options, path) = options::take_crate(options.into(), &mut errors);
    let code = root::with(path, || {
        let mut item: T = match item::read(item.into(), name, kind, &mut errors) {
            Ok(item) => item,
            Err(code) => return code,
        };
        match conditions::move_out(&mut item, || root::attribute(name, &options)) {
            Some(code) => code,
            None => expand(item, options, &mut errors),
        }
    });
    let errors = errors.into_tokens();
    quote!(#code #errors).into()
}

/// Expands a function that is in order; one that is not keeps its name, so that the flows that
/// name it say nothing.
fn of_function(
    item: ItemFn,
    kind: Kind,
    errors: &mut Diagnostics,
    expand: impl FnOnce(&mut Function, &mut Diagnostics) -> proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    let mut function = match Function::parse(item, kind, errors) {
        Ok(function) => function,
        Err(item) => return expand::function::broken(&item),
    };
    let code = errors.attempt(|errors| expand(&mut function, errors));
    code.unwrap_or_else(|| function.broken())
}
