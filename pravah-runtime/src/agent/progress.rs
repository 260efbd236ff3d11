//! How far an agent has come: its conversation and the tool calls it waits for. It is part of the
//! run's state, so that a crash repeats no model call and no tool call that was committed.

mod spent;

use std::{borrow::Cow, collections::BTreeSet, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize, de::Error as _};
use serde_json::Value;

pub(crate) use self::spent::Spent;
use super::{
    AgentSpec, OpenCall, Review,
    config::{MAX_GEMINI_TOOL_NAME, is_tool_name},
    contract::Decided,
    depth::is_deep,
    pending::Pending,
};
use crate::{
    channel::journal,
    model::{Arguments, Message, ModelResponse, Prompt, ToolCall, Usage, tool_name},
    numbers::{is_zero, millis},
};

/// An agent between two steps. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentProgress {
    /// What the conversation is to come to; nothing before there is one.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    signature: Arc<str>,
    /// What was said so far.
    #[serde(deserialize_with = "journal::messages")]
    conversation: Arc<Vec<Message>>,
    /// What is said in the step that is being made: it joins the conversation once the step is
    /// committed, and the run no longer holds the conversation before it.
    #[serde(skip)]
    said: Vec<Message>,
    /// The calls that the last message asks for, in its order; empty if it asks for none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) pending: Vec<Pending>,
    /// How many answers the model returned in this visit.
    pub(super) turns: u32,
    /// How often in this visit it was told what was wrong with its answer.
    pub(super) repairs: u32,
    /// How often in this visit a model was asked, whether it answered or not, if that is counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) questions: u32,
    /// How many answers this visit has paid for, also those that broke off.
    #[serde(default, skip_serializing_if = "is_zero")]
    calls: u32,
    /// What this visit has used.
    usage: Usage,
    /// How many tokens earlier attempts at this visit have used that failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    lost_tokens: u64,
    /// How often in a row the model could not answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) tries: u32,
    /// How long that took so far, with the waits between, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    trying_ms: u64,
    /// Which of the agent's models is asked: 0, or the number of the fallback that took its place.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) fallback: usize,
    /// How long the model took in this visit, in milliseconds; counted where that is limited.
    #[serde(default, skip_serializing_if = "is_zero")]
    inference_ms: u64,
    /// What was decided of the answer, if it does not go on by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) decided: Option<Decided>,
    /// The call that was resumed last. Who restores a run has resumed none.
    #[serde(skip)]
    pub(super) resumed: Option<usize>,
}

/// The longest id of a call that every provider takes back.
const MAX_CALL_ID: usize = 40;

impl AgentProgress {
    /// An agent that has yet to ask its model.
    pub(crate) fn start(prompt: Prompt, signature: Arc<str>) -> Self {
        let prompt = Message::User {
            parts: prompt.into_parts(),
        };
        Self {
            signature,
            conversation: Arc::new(vec![prompt]),
            ..Self::not_started()
        }
    }

    /// An agent whose prompt has yet to be written.
    fn not_started() -> Self {
        Self {
            signature: Arc::default(),
            conversation: Arc::default(),
            said: Vec::new(),
            pending: Vec::new(),
            turns: 0,
            repairs: 0,
            questions: 0,
            calls: 0,
            usage: Usage::default(),
            lost_tokens: 0,
            tries: 0,
            trying_ms: 0,
            fallback: 0,
            inference_ms: 0,
            decided: None,
            resumed: None,
        }
    }

    /// Whether the model is to be asked next.
    pub(crate) fn is_models_turn(&self) -> bool {
        self.pending.is_empty() && self.decided.is_none()
    }

    /// Whether the answer waits for a person.
    pub(crate) fn is_in_review(&self) -> bool {
        matches!(self.decided, Some(Decided::InReview { .. }))
    }

    /// Whether a person has looked at the answer.
    pub(crate) fn is_reviewed(&self) -> bool {
        matches!(self.decided, Some(Decided::Reviewed { .. }))
    }

    /// Takes what a person says of the answer, if it waits for that; `false` if it does not.
    ///
    /// # Errors
    ///
    /// What was said is no [`Review`], or edits the answer to what is no output.
    pub(crate) fn review(
        &mut self,
        payload: Value,
        spec: &AgentSpec,
    ) -> Result<bool, serde_json::Error> {
        let Some(Decided::InReview { output }) = &mut self.decided else {
            return Ok(false);
        };
        if !payload.is_object() {
            return Err(serde_json::Error::custom(
                "a review is an object with a `verdict`",
            ));
        }
        let review: Review<Value> = serde_json::from_value(payload)?;
        if let Review::Edit { output } = &review {
            spec.accepts(output)?;
        }
        let output = output.take();
        self.decided = Some(Decided::Reviewed { output, review });
        Ok(true)
    }

    /// How long the model took in this visit.
    pub(super) fn inference(&self) -> Duration {
        Duration::from_millis(self.inference_ms)
    }

    pub(super) fn add_inference(&mut self, time: Duration) {
        self.inference_ms = self.inference_ms.saturating_add(millis(time));
    }

    /// How long the model has been asked in vain.
    pub(super) fn trying(&self) -> Duration {
        Duration::from_millis(self.trying_ms)
    }

    pub(super) fn add_trying(&mut self, time: Duration) {
        self.trying_ms = self.trying_ms.saturating_add(millis(time));
    }

    /// Starts to count anew how often a model could not answer.
    pub(super) fn stop_trying(&mut self) {
        self.tries = 0;
        self.trying_ms = 0;
    }

    /// Whether a model could not answer the last time.
    fn is_trying(&self) -> bool {
        self.tries > 0
    }

    /// Hands a payload to a suspended call; `false` if no such call is suspended.
    pub(crate) fn resume(&mut self, call_id: &str, payload: Value) -> bool {
        let Some(index) = self
            .suspended()
            .find_map(|(index, open)| (open.call_id == call_id).then_some(index))
        else {
            return false;
        };
        match self.pending.get_mut(index) {
            Some(pending) => match pending {
                Pending::Suspended { value, times } => {
                    *pending = Pending::Resumed {
                        payload,
                        value: value.take(),
                        times: *times,
                    };
                    self.resumed = Some(index);
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether it has an answer that no step has taken yet: to a call, or of a review.
    pub(crate) fn has_an_answer(&self) -> bool {
        let is_resumed = |pending: &Pending| matches!(pending, Pending::Resumed { .. });
        self.is_reviewed() || self.pending.iter().any(is_resumed)
    }

    /// The calls that wait for a payload.
    pub(crate) fn open(&self) -> Vec<OpenCall> {
        self.suspended().map(|(_, open)| open).collect()
    }

    /// Whether its prompt was written.
    pub(crate) fn has_started(&self) -> bool {
        !self.conversation.is_empty() || self.decided.is_some()
    }

    /// What it is to come to, if it has started.
    pub(crate) fn signature(&self) -> Option<&str> {
        self.has_started().then_some(&*self.signature)
    }

    /// Which of the agent's models is asked.
    pub(crate) fn fallback(&self) -> usize {
        self.fallback
    }

    /// What was said before the step that is being made.
    pub(crate) fn conversation(&self) -> &Arc<Vec<Message>> {
        &self.conversation
    }

    /// The same with nothing said.
    pub(crate) fn without_conversation(&self) -> Self {
        Self {
            conversation: Arc::default(),
            ..self.clone()
        }
    }

    /// All that was said.
    pub(super) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.conversation.iter().chain(&self.said)
    }

    /// The whole conversation, once the agent is done.
    pub(crate) fn into_conversation(mut self) -> Arc<Vec<Message>> {
        self.commit_said();
        self.conversation
    }

    /// Lets what was said in a step join the conversation.
    pub(crate) fn commit_said(&mut self) {
        if !self.said.is_empty() {
            Arc::make_mut(&mut self.conversation).append(&mut self.said);
        }
    }

    /// The calls that the last message asks for.
    pub(super) fn asked(&self) -> &[ToolCall] {
        self.last().map_or(&[], Message::calls)
    }

    /// Whether it waits for just the calls that its conversation ends with.
    pub(crate) fn fits_its_conversation(&self) -> bool {
        self.asked().len() == self.pending.len()
    }

    pub(super) fn say(&mut self, message: Message) {
        self.said.push(message);
    }

    /// Takes in the model's answer, in a form that can be kept and sent back: no two calls have one
    /// id, their names are of the letters that providers take, and nothing is nested too deeply.
    pub(super) fn answered(mut self, mut response: ModelResponse) -> Self {
        self.turns = self.turns.saturating_add(1);
        self.stop_trying();
        self.pay(response.usage);
        let mut as_it_came = !response
            .opaque
            .as_ref()
            .is_some_and(|it| is_deep(&it.items));
        let before = self.conversation.iter().flat_map(Message::calls);
        let mut taken: BTreeSet<Cow<'_, str>> = match response.calls.is_empty() {
            true => BTreeSet::new(),
            false => before.map(|call| call.id.as_str().into()).collect(),
        };
        let count = response.calls.len();
        for (i, call) in response.calls.iter_mut().enumerate() {
            let mut n = i + 1;
            // Other providers may be asked next, and `#` tells the questions of one call apart.
            while !is_tool_name(&call.id, MAX_CALL_ID) || taken.contains(call.id.as_str()) {
                call.id = format!("call_{}_{n}", self.turns);
                n += 1;
            }
            // No call is compared with the last one.
            if i + 1 < count {
                taken.insert(call.id.clone().into());
            }
            if !is_tool_name(&call.name, MAX_GEMINI_TOOL_NAME) {
                call.name = tool_name(&call.name);
                as_it_came = false;
            }
            if let Arguments::Json(arguments) = &call.arguments
                && is_deep(arguments)
            {
                call.arguments = Arguments::Text(arguments.to_string());
                as_it_came = false;
            }
        }
        self.say(Message::Assistant {
            text: response.text,
            calls: response.calls,
            opaque: response.opaque.filter(|_| as_it_came),
        });
        self
    }

    /// What was said last, in the step that is being made or before.
    fn last(&self) -> Option<&Message> {
        self.said.last().or_else(|| self.conversation.last())
    }

    /// The text of the last message, if it is the model's.
    pub(super) fn answer_text(&self) -> Option<&str> {
        match self.last()? {
            Message::Assistant { text, .. } => text.as_deref(),
            _ => None,
        }
    }

    /// Hides the answer: nobody is to see it.
    pub(super) fn suppress(&mut self) {
        self.conversation = Arc::default();
        self.said = Vec::new();
        self.decided = Some(Decided::Suppressed);
    }

    fn suspended(&self) -> impl Iterator<Item = (usize, OpenCall)> {
        let calls = self.asked().iter().zip(&self.pending).enumerate();
        calls.filter_map(|(index, (call, pending))| match pending {
            Pending::Suspended { value, times } => Some((
                index,
                OpenCall {
                    call_id: match times {
                        0 | 1 => call.id.clone(),
                        _ => format!("{}#{times}", call.id),
                    },
                    tool: call.name.clone(),
                    value: value.clone(),
                },
            )),
            _ => None,
        })
    }
}

/// The calls that the last message asks for.
pub(super) fn asked_in(conversation: &[Message]) -> &[ToolCall] {
    conversation.last().map_or(&[], Message::calls)
}
