//! Nodes that wait: for a person, for an event, for a time.

use std::{borrow::Cow, sync::Arc, time::Duration};

use pravah_document::whole;
use serde_json::{Value, json};

use super::{
    bodies::{failed, latest, returned},
    bound::{BoundTemplate, fitting},
};
use crate::{
    error::NodeDataError,
    graph::NodeKind,
    node::{AskResult, Asked, GateBody, Inputs, Running, Started},
    numbers::millis,
};

/// What a node that waits has been given.
pub(super) struct AskInput {
    pub(super) template: BoundTemplate,
    /// The schema that it has to fit.
    pub(super) schema: Value,
}

impl AskInput {
    fn resolve(&self, inputs: &Inputs<'_>) -> Result<Value, NodeDataError> {
        let mut input = self.template.resolve(latest(inputs))?;
        // An optional binding that names nothing leaves its field out.
        if let Value::Object(fields) = &mut input {
            fields.retain(|_, value| !value.is_null());
        }
        fitting(&self.schema, input)
    }
}

/// `control.gate`.
struct Gate {
    id: Box<str>,
    input: AskInput,
}

pub(super) fn gate(id: &str, input: AskInput) -> NodeKind {
    NodeKind::Gate(Arc::new(Gate {
        id: id.into(),
        input,
    }))
}

impl GateBody for Gate {
    fn ask(&self, inputs: &mut Inputs<'_>) -> AskResult {
        let input = self.input.resolve(inputs);
        let input = input.map_err(|error| failed(&self.id, error))?;
        let prompt = input.get("prompt").and_then(Value::as_str);
        let choices = input.get("choices").and_then(Value::as_array);
        let choices: Option<Vec<String>> =
            choices.map(|choices| choices.iter().filter_map(text).collect());
        let allows_text = match input.get("allowText").and_then(Value::as_bool) {
            Some(allows) => allows,
            None => choices.is_none(),
        };
        if choices.is_none() && !allows_text {
            let problem = "there are no `choices`, and `allowText` is `false`";
            return Err(failed(&self.id, NodeDataError::input(problem)));
        }
        let mut asked = Asked::new(prompt.unwrap_or_default());
        asked.schema = Some(schema(choices.as_deref(), allows_text));
        asked.metadata = json!({ "choices": choices, "allowText": allows_text });
        Ok(Ok(asked))
    }

    fn schema(&self) -> Value {
        schema(None, true)
    }

    fn accepts(&self, answer: &Value, question: &Value) -> Result<(), serde_json::Error> {
        let invalid = |problem: String| Err(serde::de::Error::custom(problem));
        let metadata = question.get("metadata");
        let choices = metadata.and_then(|it| it.get("choices")?.as_array());
        let allows_text = metadata.and_then(|it| it.get("allowText")?.as_bool());
        let answer = plain(answer);
        let (content, choice) = match parts(&answer) {
            Ok(parts) => parts,
            Err(problem) => return invalid(problem.to_owned()),
        };
        let Some(choices) = choices else {
            return match (choice, content) {
                (Some(_), _) => invalid("there is nothing to choose from".to_owned()),
                (None, None) => invalid("it has no `content`".to_owned()),
                (None, Some(_)) => Ok(()),
            };
        };
        let is_listed = |choice: &str| choices.iter().any(|it| it.as_str() == Some(choice));
        match (choice, content) {
            (Some(choice), _) if !is_listed(choice) => {
                let listed = Value::from(choices.clone());
                invalid(format!("`{choice}` is none of the choices {listed}"))
            }
            (None, Some(content)) if !is_listed(content) && allows_text != Some(true) => {
                let listed = Value::from(choices.clone());
                invalid(format!("it is none of the choices {listed}"))
            }
            (None, None) => invalid("it has neither `choice` nor `content`".to_owned()),
            _ => Ok(()),
        }
    }

    fn run(&self, _: &mut Inputs<'_>, answer: &Value) -> Started {
        Ok(Running::Ready(Ok(returned(json!({ "response": answer })))))
    }

    fn answer(&self, payload: Value, question: &Value, _: u64) -> Value {
        let choices = question
            .get("metadata")
            .and_then(|it| it.get("choices")?.as_array());
        let is_listed = |choice: &str| {
            choices.is_some_and(|it| it.iter().any(|it| it.as_str() == Some(choice)))
        };
        let payload = plain(&payload);
        let (content, choice) = parts(&payload).unwrap_or((None, None));
        let choice = choice.or_else(|| content.filter(|content| is_listed(content)));
        let content = content.or(choice).unwrap_or_default();
        match choice {
            Some(choice) => json!({ "content": content, "choice": choice }),
            None => json!({ "content": content }),
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// An answer as a text, where it is a number or a truth value: whoever types `42` means those characters.
fn plain(answer: &Value) -> Cow<'_, Value> {
    match answer {
        Value::Number(_) | Value::Bool(_) => Cow::Owned(Value::String(answer.to_string())),
        answer => Cow::Borrowed(answer),
    }
}

/// What an answer says: a text, or what was chosen, or both.
fn parts(answer: &Value) -> Result<(Option<&str>, Option<&str>), &'static str> {
    let field = |name: &str| match answer.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(&**text)),
        Some(_) => Err(()),
    };
    match answer {
        Value::String(text) => Ok((Some(text), None)),
        Value::Object(_) => {
            let content = field("content").map_err(|()| "`content` is not a string")?;
            let choice = field("choice").map_err(|()| "`choice` is not a string")?;
            Ok((content, choice))
        }
        _ => Err("it is neither a string nor `{ content, choice }`"),
    }
}

/// The JSON Schema of the answer.
fn schema(choices: Option<&[String]>, allows_text: bool) -> Value {
    match choices {
        None => json!({ "type": "string" }),
        Some(choices) if !allows_text => json!({ "type": "string", "enum": choices }),
        Some(choices) => json!({ "type": "string", "examples": choices }),
    }
}

/// `control.wait`.
struct Wait {
    id: Box<str>,
    input: AskInput,
    /// After how long it has failed, in milliseconds.
    timeout: Option<u64>,
}

pub(super) fn wait(id: &str, input: AskInput, timeout: Option<Duration>) -> NodeKind {
    NodeKind::Gate(Arc::new(Wait {
        id: id.into(),
        input,
        timeout: timeout.map(millis),
    }))
}

/// Since when a node waits, in what it asks.
const SINCE: &str = "since";

impl Wait {
    /// How long it waits at most, and for which event.
    fn limits(&self, inputs: &Inputs<'_>) -> Result<(Option<u64>, Option<String>), NodeDataError> {
        let input = self.input.resolve(inputs)?;
        let until = input.get("until").and_then(text);
        Ok((input.get("ms").and_then(whole), until))
    }
}

impl GateBody for Wait {
    fn ask(&self, inputs: &mut Inputs<'_>) -> AskResult {
        let limits = self.limits(inputs);
        let (ms, event) = limits.map_err(|error| failed(&self.id, error))?;
        let mut asked = match event {
            Some(event) => Asked::for_event(event),
            None => Asked::new("waits"),
        };
        asked.is_timer = asked.event.is_none();
        asked.timeout = ms.map(Duration::from_millis);
        asked.since = Some(SINCE);
        Ok(Ok(asked))
    }

    fn schema(&self) -> Value {
        json!({})
    }

    fn accepts(&self, _: &Value, _: &Value) -> Result<(), serde_json::Error> {
        Ok(())
    }

    fn run(&self, _: &mut Inputs<'_>, answer: &Value) -> Started {
        Ok(Running::Ready(Ok(returned(json!({ "waitedMs": answer })))))
    }

    fn answer(&self, _: Value, question: &Value, now: u64) -> Value {
        let since = question
            .get("metadata")
            .and_then(|it| it.get(SINCE)?.as_u64());
        json!(now.saturating_sub(since.unwrap_or(now)))
    }

    fn timed_out(&self, inputs: &mut Inputs<'_>) -> Option<Started> {
        let ms = match self.limits(inputs) {
            Ok((ms, _)) => ms,
            Err(error) => return Some(Err(failed(&self.id, error))),
        };
        // What comes first is its own time, or that of its policy.
        let is_over = |timeout: u64| ms.is_none_or(|ms| timeout < ms);
        if self.timeout.is_some_and(is_over) {
            return None;
        }
        Some(Ok(Running::Ready(Ok(returned(json!({ "waitedMs": ms }))))))
    }
}
