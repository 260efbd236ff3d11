//! How far an agent has come: its conversation and the tool calls it waits for. It is part of the
//! run's state, so that a crash repeats no model call and no tool call that was committed.

mod questions;
mod spent;
mod tasks;

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::spent::Spent;
use super::{
    AgentSpec, Review,
    config::{MAX_GEMINI_TOOL_NAME, is_tool_name},
    contract::Decided,
    conversation::AgentConversation,
    pending::Pending,
};
use crate::{
    json,
    model::{Arguments, Message, Messages, ModelResponse, ToolCall, Usage, tool_name},
    model_text::ToModel as _,
    numbers::{is_zero, millis},
};

/// An agent between two steps. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentProgress {
    /// The output that the agent was started for (`Table::returns`); empty before it starts.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    returns: Arc<str>,
    /// What was said so far. Entries have nothing of one that is empty.
    #[serde(default)]
    pub(super) conversation: AgentConversation,
    /// The calls that the last message asks for, in its order; empty if it asks for none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) pending: Vec<Pending>,
    /// How many answers the model returned in this visit.
    pub(super) turns: u32,
    /// How often in this visit it was told what was wrong with its answer.
    pub(super) repairs: u32,
    /// How often in this visit a model was asked, whether it answered or not, if that is counted.
    #[serde(rename = "questions", default, skip_serializing_if = "is_zero")]
    pub(super) requests: u32,
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
    /// How many steps were committed when it started; noted of multi-turn agents.
    #[serde(default, skip_serializing_if = "is_zero")]
    started_at: u64,
    /// How many messages this visit has received.
    #[serde(default, skip_serializing_if = "is_zero")]
    messages_received: u32,
    /// The number of its next task: tasks of all attempts at the visit have different ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    next_task: usize,
    /// How many tasks were started in this visit, by it and by all agents below it.
    #[serde(default, skip_serializing_if = "is_zero")]
    called: u32,
    /// What was decided of the answer, if it does not go on by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) decided: Option<Decided>,
    /// The call that was resumed last by somebody who awaits the step. Not saved: after a restore nobody awaits it.
    #[serde(skip)]
    pub(super) resumed: Option<usize>,
}

/// The longest id of a call that every provider takes back.
const MAX_CALL_ID: usize = 40;

impl AgentProgress {
    /// An agent that has yet to ask its model.
    pub(crate) fn start(prompt: Messages, returns: Arc<str>) -> Self {
        Self {
            returns,
            conversation: prompt.into(),
            ..Self::not_started()
        }
    }

    /// The same, started after this many steps.
    #[must_use]
    pub(crate) fn started_at(mut self, steps: u64) -> Self {
        self.started_at = steps;
        self
    }

    /// When its prompt was written, if it was: agents that started later have more.
    pub(crate) fn start_order(&self) -> Option<u64> {
        self.has_started().then_some(self.started_at)
    }

    /// An agent whose prompt has yet to be written.
    fn not_started() -> Self {
        Self {
            returns: Arc::default(),
            conversation: AgentConversation::default(),
            pending: Vec::new(),
            turns: 0,
            repairs: 0,
            requests: 0,
            calls: 0,
            usage: Usage::default(),
            lost_tokens: 0,
            tries: 0,
            trying_ms: 0,
            fallback: 0,
            inference_ms: 0,
            started_at: 0,
            messages_received: 0,
            next_task: 0,
            called: 0,
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
        let review = Review::read(payload)?;
        if let Review::Edit { output } = &review {
            spec.accepts(output)?;
        }
        let output = output.take();
        self.decided = Some(Decided::Reviewed { output, review });
        Ok(true)
    }

    /// Which turn of its conversation with others it is in, from 1.
    pub(crate) fn turn(&self) -> u32 {
        self.messages_received.saturating_add(1)
    }

    /// Its answer, if it waits for a message.
    pub(crate) fn answer_to_message(&self) -> Option<&Value> {
        match &self.decided {
            Some(Decided::Listening { output }) => Some(output),
            _ => None,
        }
    }

    /// Starts the next turn with this message.
    pub(crate) fn receive(&mut self, text: &str) {
        self.decided = None;
        self.messages_received = self.turn();
        self.say(Message::user(text.to_model()));
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

    /// What has to be read as its output once a person has looked at it.
    pub(crate) fn decided_outputs(&self) -> Vec<&Value> {
        match &self.decided {
            None | Some(Decided::Suppressed) => Vec::new(),
            Some(Decided::InReview { output } | Decided::Listening { output }) => vec![output],
            Some(Decided::Reviewed { output, review }) => match review {
                Review::Edit { output: edited } => vec![output, edited],
                _ => vec![output],
            },
        }
    }

    /// Whether its prompt was written.
    pub(crate) fn has_started(&self) -> bool {
        !self.messages().is_empty() || self.decided.is_some()
    }

    /// The output that it was started for, if it has started.
    pub(crate) fn returns(&self) -> Option<&str> {
        self.has_started().then_some(&*self.returns)
    }

    /// Which of the agent's models is asked.
    pub(crate) fn fallback(&self) -> usize {
        self.fallback
    }

    /// What was said so far.
    pub(crate) fn messages(&self) -> &Messages {
        self.conversation.messages()
    }

    /// The same with nothing said.
    pub(crate) fn without_conversation(&self) -> Self {
        Self {
            conversation: AgentConversation::default(),
            ..self.clone()
        }
    }

    /// The calls that the last message asks for.
    pub(super) fn asked(&self) -> &[ToolCall] {
        self.conversation.asked()
    }

    /// Whether it waits for just the calls that its conversation ends with.
    pub(crate) fn fits_its_conversation(&self) -> bool {
        self.asked().len() == self.pending.len()
    }

    pub(super) fn say(&mut self, message: Message) {
        self.conversation.push(message);
    }

    /// Takes in the model's answer, in a form that can be kept and sent back: no two calls have one
    /// id, their names are of the letters that providers take, and all JSON is fit to be kept.
    pub(super) fn take_answer(&mut self, mut response: ModelResponse) {
        self.turns = self.turns.saturating_add(1);
        self.stop_trying();
        self.pay(response.usage);
        let opaque = response.opaque.as_ref();
        let mut as_it_came = opaque.is_none_or(|it| json::check(&it.items).is_ok());
        if !response.calls.is_empty() {
            as_it_came &= self.make_sendable(&mut response.calls);
        }
        self.say(Message::Assistant {
            text: response.text,
            calls: response.calls,
            opaque: response.opaque.filter(|_| as_it_came),
        });
    }

    /// Gives each call an id of its own and a name that every provider takes back, and leaves no arguments
    /// that are unfit to be kept. Whether names and arguments are as they came.
    fn make_sendable(&mut self, calls: &mut [ToolCall]) -> bool {
        let mut as_it_came = true;
        let taken = self.conversation.call_ids();
        let count = calls.len();
        for (i, call) in calls.iter_mut().enumerate() {
            let mut n = i + 1;
            // Other providers may be asked next, and `#` tells the questions of one call apart.
            while !is_tool_name(&call.id, MAX_CALL_ID) || taken.contains(&call.id) {
                call.id = format!("call_{}_{n}", self.turns);
                n += 1;
            }
            // The last id is added when its message is read.
            if i + 1 < count {
                taken.insert(&call.id);
            }
            if !is_tool_name(&call.name, MAX_GEMINI_TOOL_NAME) {
                call.name = tool_name(&call.name);
                as_it_came = false;
            }
            if let Arguments::Json(arguments) = &call.arguments
                && json::check(arguments).is_err()
            {
                call.arguments = Arguments::Text(arguments.to_string());
                as_it_came = false;
            }
        }
        as_it_came
    }

    /// The text of the last message, if it is the model's.
    pub(super) fn answer_text(&self) -> Option<&str> {
        self.messages().last()?.answer_text()
    }

    /// The last text of its model that is not blank.
    pub(crate) fn last_text(&self) -> Option<&str> {
        let texts = self.messages().newest(0).filter_map(Message::answer_text);
        texts.into_iter().find(|text| !text.trim().is_empty())
    }

    /// The text of all messages of the model since the last one of the user, those that call tools included.
    pub(super) fn text_since_user(&self) -> String {
        let messages = self.messages().newest(0);
        let answers = messages.take_while(|message| !matches!(message, Message::User { .. }));
        let mut texts: Vec<&str> = answers.filter_map(Message::answer_text).collect();
        texts.reverse();
        texts.concat()
    }

    /// Hides the answer: nobody is to see it.
    pub(super) fn suppress(&mut self) {
        self.conversation = AgentConversation::default();
        self.decided = Some(Decided::Suppressed);
    }
}
