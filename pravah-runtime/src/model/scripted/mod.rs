//! A model that answers from a script, for tests and for trying things without a key.

mod fault;
mod position;
mod turn;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    str::FromStr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::position::node_of;
use super::{
    Message, ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse,
};
use crate::quoted::quoted;
pub(crate) use fault::RejectedAnswer;
pub use turn::{ScriptedCall, ScriptedTurn};

/// A model that answers from a script, for tests and for trying things without a key. Its rules:
///
/// 1. Every agent has a list of answers, under its node's id: `draft`, within a nested flow `review::draft`.
/// 2. Each time its model is asked, it takes the next one, visit after visit. An answer that does not fit is
///    taken too, and so is an [`error`](Self::error): the repair, the retry, the fallback or the next
///    attempt takes the one after it. A step that was dropped has taken none.
/// 3. The items of an `each` all take the answers of `node` from the first, each for itself; a list
///    `node[0]` is for that item alone, `node[0][1]` for one within lists of lists. So do the tasks of an agent:
///    `node[0]` is for what its first call runs.
/// 4. A list `node#2` is for the second visit alone, `node[0]#2` for the second visit of one item: that
///    visit takes nothing from the other lists, nor any other visit from this one. Visits are counted
///    where a model was asked, for each item by itself, also when its list runs again.
/// 5. The first of these that the script has is used: `node[0]#2`, `node[0]`, `node#2`, `node`.
/// 6. How far it has come is part of the run and of its snapshot: a run that is restored, in another
///    process too, goes on with the same script where it stopped.
/// 7. Models that answer from one script or its clones share its lists; what another model is asked is not
///    counted.
/// 8. It is strict: a run with a list for a node that is none of its agents makes no step
///    ([`FlowError::UnknownAgents`](crate::FlowError::UnknownAgents)), an agent that finds no answer
///    fails, and [`assert_used`](Self::assert_used) finds the answers that are left over. A call that cannot
///    be run is answered as a model's would be, so that a script can play a model that errs; `assert_used`
///    finds those calls too.
///
/// ```
/// use pravah_runtime::prelude::*;
/// use serde_json::json;
///
/// #[state] struct Topic { title: String }
/// #[state] struct Text { words: u32 }
/// #[state] struct Book { words: u32 }
///
/// #[agent(model = "openai://gpt-4o-mini", preamble = "You write.", output = Text)]
/// fn draft(topic: &Topic) -> String { topic.title.clone() }
///
/// #[node] fn judge(text: Text) -> Either<Book, Topic> {
///     match text.words {
///         words @ 100.. => Either::Left(Book { words }),
///         words => Either::Right(Topic { title: format!("{words} words are too few") }),
///     }
/// }
///
/// #[flow] fn write(topic: Topic) -> Book { flow! { draft -> judge -> either(done, draft) } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let script = ScriptedModel::new()
///     .reply("draft", json!({ "words": 20 }))    // the first visit
///     .text("draft#2", "Once upon a time")       // the second: no JSON, so the agent asks again,
///     .reply("draft#2", json!({ "words": 50 }))  // and takes the next answer
///     .reply("draft", json!({ "words": 120 }));  // the third goes on after the first
///
/// let ctx = Context::default().with_dep(script.clone());
/// let book = write(Topic { title: "Rivers".into() }, ctx).await?;
/// assert_eq!(book.words, 120);
/// script.assert_used();
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScriptedModel {
    nodes: Arc<BTreeMap<String, Vec<ScriptedTurn>>>,
    #[serde(skip)]
    taken: Arc<Mutex<Taken>>,
    #[serde(skip)]
    for_several_flows: bool,
}

/// What was taken from a script or a clone of it.
#[derive(Debug, Default)]
struct Taken {
    /// The indices of the answers, by their lists.
    answers: BTreeMap<String, BTreeSet<usize>>,
    /// Calls of tools in them that could not be run.
    wrong_calls: BTreeSet<String>,
    /// What was asked for and is not there, or cannot be serialised, in words.
    wrong_answers: BTreeSet<String>,
}

impl Taken {
    /// Notes an answer; `entry` would allocate the name each time.
    fn note(&mut self, list: &str, index: usize) {
        if let Some(places) = self.answers.get_mut(list) {
            places.insert(index);
        } else {
            self.answers.insert(list.to_owned(), [index].into());
        }
    }
}

impl PartialEq for ScriptedModel {
    /// Whether both answer the same.
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

impl ScriptedModel {
    /// An empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a script from a JSON file: an object from nodes to lists of [`ScriptedTurn`]s.
    ///
    /// ```
    /// use pravah_runtime::ScriptedModel;
    /// use serde_json::json;
    ///
    /// let script = ScriptedModel::new()
    ///     .call("triage", "recent_orders", json!({ "email": "a@example.com" }))
    ///     .reply("triage", json!({ "urgent": true, "topic": "delivery" }));
    ///
    /// // What is in the file is the same as:
    /// let read: ScriptedModel = r#"{ "triage": [
    ///     { "calls": [{ "tool": "recent_orders", "arguments": { "email": "a@example.com" } }] },
    ///     { "reply": { "urgent": true, "topic": "delivery" } }
    /// ] }"#.parse()?;
    /// assert_eq!(script, read);
    /// # Ok::<(), pravah_runtime::ModelError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ModelErrorKind::Config`] if the file cannot be read or is no script.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        std::fs::read_to_string(path)
            .map_err(|error| {
                let message = format!("the script `{}` could not be read", path.display());
                ModelError::new(ModelErrorKind::Config, message).with_source(error)
            })?
            .parse()
    }

    /// The next answer of `node` is this output, a state or the JSON of one, or under a
    /// [`Contract`](crate::Contract) the envelope around it. If it cannot be serialised as JSON, the model fails
    /// and says so.
    #[must_use = "it returns the script with the answer: write `script = script.…`"]
    pub fn reply(self, node: impl Into<String>, output: impl Serialize) -> Self {
        self.turn(node, ScriptedTurn::reply(output))
    }

    /// The next answer of `node` calls a tool.
    #[must_use = "it returns the script with the answer: write `script = script.…`"]
    pub fn call(self, node: impl Into<String>, tool: impl Into<String>, arguments: Value) -> Self {
        self.calls(node, [(tool, arguments)])
    }

    /// The next answer of `node` calls several tools at once.
    #[must_use = "it returns the script with the answer: write `script = script.…`"]
    pub fn calls<T: Into<String>>(
        self,
        node: impl Into<String>,
        calls: impl IntoIterator<Item = (T, Value)>,
    ) -> Self {
        let turn = ScriptedTurn::default();
        let turn = calls.into_iter().fold(turn, |turn, (tool, arguments)| {
            turn.with_call(tool, arguments)
        });
        self.turn(node, turn)
    }

    /// The next answer of `node` is plain text.
    #[must_use = "it returns the script with the answer: write `script = script.…`"]
    pub fn text(self, node: impl Into<String>, text: impl Into<String>) -> Self {
        self.turn(node, ScriptedTurn::text(text))
    }

    /// In place of the next answer of `node` the model fails with these words. It is not asked again: the
    /// agent goes on with its next fallback, or fails. [`ScriptedTurn::with_retry`] lets it ask again.
    ///
    /// ```
    /// use pravah_runtime::{ScriptedModel, ScriptedTurn};
    /// use serde_json::json;
    ///
    /// // The first model is down, and the fallback answers.
    /// let falls_back = ScriptedModel::new().error("triage", "down").reply("triage", json!({}));
    ///
    /// // The model answers when it is asked again.
    /// let retries = ScriptedModel::new()
    ///     .turn("triage", ScriptedTurn::error("overloaded").with_retry())
    ///     .reply("triage", json!({}));
    /// # assert_ne!(falls_back, retries);
    /// ```
    #[must_use = "it returns the script with the answer: write `script = script.…`"]
    pub fn error(self, node: impl Into<String>, message: impl Into<String>) -> Self {
        self.turn(node, ScriptedTurn::error(message))
    }

    /// The next answer of `node`, in full.
    #[must_use = "it returns the script with the answer: write `script = script.…`"]
    pub fn turn(mut self, node: impl Into<String>, turn: ScriptedTurn) -> Self {
        let nodes = Arc::make_mut(&mut self.nodes);
        nodes.entry(node.into()).or_default().push(turn);
        // It is another script now than that of its clones.
        self.taken = Arc::default();
        self
    }

    /// Lets the script answer for nodes that a flow does not have: those of other flows that it
    /// serves as well, such as a flow that a node calls as a function.
    #[must_use]
    pub fn for_several_flows(mut self) -> Self {
        self.for_several_flows = true;
        self
    }

    /// The answers that nobody took, from this script or a clone of it: each with its node, its number
    /// from 1 and what it is.
    ///
    /// ```
    /// use pravah_runtime::ScriptedModel;
    /// use serde_json::json;
    ///
    /// let model = ScriptedModel::new().text("triage", "well").reply("triage", json!({}));
    /// assert_eq!(model.unused(), ["`triage`: answer 1, a text", "`triage`: answer 2, a reply"]);
    /// ```
    pub fn unused(&self) -> Vec<String> {
        let taken = self.taken();
        let all = self.nodes.iter().flat_map(|(node, turns)| {
            let taken_here = taken.answers.get(node);
            let turns = turns.iter().enumerate();
            turns
                .filter(move |(index, _)| taken_here.is_none_or(|taken| !taken.contains(index)))
                .map(move |(index, turn)| {
                    format!("`{node}`: answer {}, {}", index + 1, turn.summary())
                })
        });
        all.collect()
    }

    /// Ends a test with a panic that lists the answers that nobody took, those that were asked for and are not there,
    /// as of an agent whose caller goes on without it, and the calls of tools that could not be run: of a tool that the
    /// agent does not have, or with arguments that do not fit. A script that means a model to make such a mistake looks
    /// at [`unused`](Self::unused) instead. A reply that does not fit is no such call: it is repaired, which takes
    /// another answer.
    ///
    /// # Panics
    ///
    /// If an answer was not taken or is missing, or a call could not be run.
    #[track_caller]
    #[expect(clippy::panic, reason = "it is what a test calls to fail")]
    pub fn assert_used(&self) {
        let unused = self.unused();
        if !unused.is_empty() {
            panic!(
                "the script has answers that nobody took:\n  {}",
                unused.join("\n  ")
            );
        }
        let Taken {
            wrong_calls,
            wrong_answers,
            ..
        } = &*self.taken();
        let wrong: Vec<&str> = wrong_answers
            .iter()
            .chain(wrong_calls)
            .map(String::as_str)
            .collect();
        if !wrong.is_empty() {
            panic!("the script is wrong: {}", wrong.join("; "));
        }
    }

    /// The lists in the script that are for none of `agents`, each with the number of lists around it, or
    /// for items that it does not work on. None where the script is for several flows.
    pub(crate) fn unknown(&self, agents: &[(&str, usize)]) -> Vec<String> {
        let is_unknown = |name: &&String| {
            let (node, items) = node_of(name);
            let is_meant =
                |(agent, lists): &(&str, usize)| *agent == node && (items == 0 || items == *lists);
            !agents.iter().any(is_meant)
        };
        match self.for_several_flows {
            true => Vec::new(),
            false => self.nodes.keys().filter(is_unknown).cloned().collect(),
        }
    }

    /// Whether both are one script: what is taken from one is taken from the other.
    pub(crate) fn is_clone_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.taken, &other.taken)
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let wrong = |why: String| {
            self.taken().wrong_answers.insert(why.clone());
            ModelError::new(ModelErrorKind::InvalidRequest, why)
        };
        let Some((name, turns)) = self.list_for(request, request.visit) else {
            return Err(wrong(format!(
                "the script has no node `{}`: it has {}",
                request.node,
                quoted(self.nodes.keys())
            )));
        };
        let index = self.position(request, name);
        let Some(scripted) = turns.get(index) else {
            let (next, all) = (index.saturating_add(1), turns.len());
            let none_left = format!("the script has no answer {next} for `{name}`: it has {all}");
            return Err(wrong(
                match turns.last().and_then(|turn| turn.error.as_ref()) {
                    Some(error) => format!("{none_left}, and the last one was an error: {error}"),
                    None => explained(request, none_left),
                },
            ));
        };
        self.taken().note(name, index);
        if let Some(why) = &scripted.bad_reply {
            let number = index.saturating_add(1);
            return Err(wrong(format!(
                "the reply in answer {number} for `{name}` cannot be serialised as JSON: {why}"
            )));
        }
        if let Some(error) = &scripted.error {
            let error = ModelError::new(ModelErrorKind::Upstream, error.as_str());
            let error = error.with_retryable(Some(scripted.retry));
            return Err(match scripted.usage {
                Some(usage) => error.with_usage(usage),
                None => error,
            });
        }
        let response = scripted.respond(request, request.turn());
        let wrong_calls = fault::wrong_calls(&request.node, &request.tools, &response.calls);
        if !wrong_calls.is_empty() {
            self.taken().wrong_calls.extend(wrong_calls);
        }
        Ok(response)
    }
}

impl FromStr for ScriptedModel {
    type Err = ModelError;

    fn from_str(json: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(json).map_err(|error| {
            ModelError::new(ModelErrorKind::Config, "this is no script").with_source(error)
        })
    }
}

impl ModelClient for ScriptedModel {
    fn script(&self) -> Option<&ScriptedModel> {
        Some(self)
    }

    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move { self.answer(request) })
    }
}

/// Why a script has no more answers, where the conversation shows it.
fn explained(request: &ModelRequest, none_left: String) -> String {
    if request.asked.last().is_none_or(|asked| *asked == 0) {
        return none_left;
    }
    let rejected = RejectedAnswer {
        node: &request.node,
        tools: &request.tools,
        output: request.output.as_ref(),
        messages: request.messages.clone(),
    };
    let told = request.messages.last().and_then(Message::user_text);
    match (rejected.fault(), told) {
        (Some(fault), _) => format!("{fault}; {none_left}"),
        (None, Some(told)) => format!("{none_left}, after which came: {told}"),
        (None, None) => none_left,
    }
}
