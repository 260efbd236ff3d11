//! What a gate asks a person, and what its answer is read as.

mod cases;

use std::{borrow::Cow, fmt::Arguments, sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, Error as _},
};
use serde_json::Value;

use self::cases::cases;
use super::{Inputs, body::Started};
use crate::{
    error::{BoxError, FlowError, brief_json},
    json,
    quoted::quoted,
};

/// What a gate asks: the [`value`](crate::Suspension::value) of its suspension, to be read from its JSON.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Draft { title: String }
/// #[state] struct Published { by: String }
///
/// #[gate(prompt = format!("Publish `{}`?", draft.title), assignee = "the desk")]
/// fn publish(draft: Draft, by: String) -> Published {
///     Published { by }
/// }
///
/// #[flow]
/// fn publishing(draft: Draft) -> Published {
///     flow! { publish }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut run = FlowRuntime::new(Draft { title: "Tea".into() })?;
/// let RunOut::Suspend { value, tool_id } = run.next(Context::default()).await? else {
///     panic!("a question");
/// };
/// let question: GateQuestion = serde_json::from_value(value)?;
/// assert_eq!(question.prompt, "Publish `Tea`?");
/// assert_eq!(question.assignee.as_deref(), Some("the desk"));
/// assert_eq!(question.schema["type"], "string");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GateQuestion {
    /// What the person is asked.
    pub prompt: String,
    /// The state that waits for the answer: a list where the gate takes several.
    #[serde(deserialize_with = "json::value")]
    pub state: Value,
    /// The JSON Schema of the answer.
    #[serde(deserialize_with = "json::value")]
    pub schema: Value,
    /// What there is to choose from, where the answer is an enum: the names of its cases, as its JSON has them.
    /// An enum that is [untagged](https://serde.rs/enum-representations.html#untagged) has no names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// Who is to answer: `assignee = …` of the gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// The event that answers it: `event = …` of the gate, see [`Hub::emit`](crate::Hub::emit).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Whatever else the host is to know: `metadata = …` of the gate.
    #[serde(
        default,
        skip_serializing_if = "Value::is_null",
        deserialize_with = "json::value"
    )]
    pub metadata: Value,
}

/// What the attribute of a gate says of one question.
#[doc(hidden)]
pub struct Asked {
    pub prompt: String,
    pub assignee: Option<String>,
    pub event: Option<String>,
    pub metadata: Value,
    /// The JSON Schema of this answer, where that of all answers does not say enough.
    pub schema: Option<Value>,
    /// How long it waits, besides what the policy of the node says.
    pub timeout: Option<Duration>,
    /// Whether it asks nobody, and only waits.
    pub is_timer: bool,
    /// Under which name the time at which it is asked goes into the metadata.
    pub since: Option<&'static str>,
}

impl Asked {
    /// What waits for an event has no prompt of its own as a rule.
    pub fn for_event(event: impl Into<String>) -> Self {
        let event = event.into();
        Self {
            event: Some(event.clone()),
            ..Self::new(format!("waits for the event `{event}`"))
        }
    }

    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            assignee: None,
            event: None,
            metadata: Value::Null,
            schema: None,
            timeout: None,
            is_timer: false,
            since: None,
        }
    }
}

/// The outer error is that of a state which cannot be read, the inner one that of the user's code.
pub(crate) type AskResult = Result<Result<Asked, BoxError>, Box<FlowError>>;

/// What a gate's function is, whatever the type of its answer.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct GateFns {
    pub ask: fn(&mut Inputs<'_>) -> AskResult,
    pub schema: fn() -> Value,
    /// Whether a payload is an answer.
    pub accepts: fn(&Value) -> Result<(), serde_json::Error>,
    pub run: fn(&mut Inputs<'_>, &Value) -> Started,
}

/// What a gate does: of a function, or of a node of a document.
pub(crate) trait GateBody: Send + Sync {
    /// What it asks.
    fn ask(&self, inputs: &mut Inputs<'_>) -> AskResult;

    /// The JSON Schema of the answer.
    fn schema(&self) -> Value;

    /// Whether a payload is an answer to this question; to any, where that is null.
    fn accepts(&self, answer: &Value, question: &Value) -> Result<(), serde_json::Error>;

    /// Runs its body, once it has the answer.
    fn run(&self, inputs: &mut Inputs<'_>, answer: &Value) -> Started;

    /// What is kept of an answer that came at `now`, in milliseconds since 1970.
    fn answer(&self, payload: Value, _question: &Value, _now: u64) -> Value {
        payload
    }

    /// Runs its body when its time is over; `None` where that is a failure.
    fn timed_out(&self, _inputs: &mut Inputs<'_>) -> Option<Started> {
        None
    }
}

impl GateBody for GateFns {
    fn ask(&self, inputs: &mut Inputs<'_>) -> AskResult {
        (self.ask)(inputs)
    }

    fn schema(&self) -> Value {
        (self.schema)()
    }

    fn accepts(&self, answer: &Value, _: &Value) -> Result<(), serde_json::Error> {
        (self.accepts)(answer)
    }

    fn run(&self, inputs: &mut Inputs<'_>, answer: &Value) -> Started {
        (self.run)(inputs, answer)
    }
}

impl dyn GateBody + '_ {
    /// The question that is asked before `state`.
    pub(crate) fn question(&self, asked: Asked, state: Value) -> GateQuestion {
        let schema = asked.schema.unwrap_or_else(|| self.schema());
        GateQuestion {
            cases: cases(&schema),
            prompt: asked.prompt,
            state,
            schema,
            assignee: asked.assignee,
            event: asked.event,
            metadata: asked.metadata,
        }
    }

    /// Whether the answer to the question `asked` can be read. serde lists the cases of an enum only where it reads a
    /// name; of a number, `true` or `null` it says just the type, so the cases are added.
    pub(crate) fn check_answer(
        &self,
        answer: &Value,
        asked: &Value,
    ) -> Result<(), serde_json::Error> {
        self.accepts(answer, asked).map_err(|error| {
            let error = brief_json(error);
            let cases = json::texts(asked, "cases");
            match answer {
                Value::String(_) | Value::Object(_) | Value::Array(_) => error,
                _ if cases.is_empty() => error,
                _ => serde_json::Error::custom(format!(
                    "{error}; the answer is one of {}",
                    quoted(cases)
                )),
            }
        })
    }

    /// What the type of its answer is called.
    pub(crate) fn answer_name(&self) -> String {
        let schema = self.schema();
        match schema.get("title").and_then(Value::as_str) {
            Some(title) => title.to_owned(),
            None => schema.to_string(),
        }
    }
}

/// What a person may answer a gate with.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer to a gate",
    label = "cannot be read from an answer",
    note = "write `#[state]` above its definition, or derive `Deserialize` and `JsonSchema` for it"
)]
pub trait Answer: Sized {
    /// The JSON Schema of the answer.
    fn schema() -> Value;
    fn read(answer: &Value) -> Result<Self, serde_json::Error>;
}

#[diagnostic::do_not_recommend]
impl<A: DeserializeOwned + JsonSchema> Answer for A {
    fn schema() -> Value {
        schemars::schema_for!(A).to_value()
    }

    fn read(answer: &Value) -> Result<A, serde_json::Error> {
        A::deserialize(answer)
    }
}

/// A text in the attribute of a gate.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a text",
    label = "not a text",
    note = "the prompt, the event and the assignee of a gate are texts, such as `draft.title`, or `format!(…)` around what is none"
)]
pub trait Text {
    fn to_text(&self) -> String;
}

macro_rules! texts {
    ($($text:ty),+) => {
        $(impl Text for $text {
            fn to_text(&self) -> String {
                self.to_string()
            }
        })+
    };
}

texts!(str, String, Cow<'_, str>, Box<str>, Arc<str>, Arguments<'_>);

impl<T: Text + ?Sized> Text for &T {
    fn to_text(&self) -> String {
        T::to_text(self)
    }
}

/// What a host is to know of a question besides.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the metadata of a gate",
    label = "cannot be written as JSON",
    note = "derive `Serialize` for it, or write `json!({{ … }})`"
)]
pub trait Metadata {
    fn to_json(&self) -> Result<Value, BoxError>;
}

#[diagnostic::do_not_recommend]
impl<M: Serialize + ?Sized> Metadata for M {
    fn to_json(&self) -> Result<Value, BoxError> {
        Ok(serde_json::to_value(self)?)
    }
}
