//! Opening the questions of nodes, and closing those that are not asked any more.

use std::sync::Arc;

use serde_json::Value;

use super::{
    run::{Out, Run},
    state::path::NodePath,
};
use crate::{agent::OpenCall, events::EventKind};

/// A question that is to be open.
pub(super) struct OpenQuestion {
    /// What it is called, before that is made unique in the run.
    pub(super) name: String,
    /// What the node knows it by, if it may have several.
    pub(super) key: Option<String>,
    pub(super) value: Value,
}

impl Run {
    /// Suspends a node on a question that has no tool call behind it.
    pub(super) fn put_question(&mut self, path: &NodePath, value: Value) -> Out {
        self.state.suspend(path);
        self.stop_clock(path);
        let question = OpenQuestion {
            name: self.node_id(path).to_string(),
            key: None,
            value,
        };
        let (out, _) = self.open_question(path, question);
        out
    }

    /// Opens a question. Returns what says so, and its number.
    pub(super) fn open_question(&mut self, path: &NodePath, question: OpenQuestion) -> (Out, u64) {
        let OpenQuestion { name, key, value } = question;
        let is_of_call = key.is_some();
        let (id, number) = self.state.ask(path, &name, &value, key);
        self.notify_published(path, || match is_of_call {
            true => EventKind::question_asked(&*id, number),
            false => self.asked(&id, number, &value),
        });
        let tool_id = id.to_string();
        (Out::Suspend { value, tool_id }, number)
    }

    /// What the calls of the agent at `path` ask.
    pub(super) fn asked_by_calls(
        &self,
        path: &NodePath,
        calls: Vec<OpenCall>,
    ) -> Vec<OpenQuestion> {
        let node_id = self.node_id(path);
        let asked = calls.into_iter().map(|call| {
            let mut value = call.value;
            if call.is_approval
                && let Value::Object(question) = &mut value
            {
                question.insert("state".to_owned(), self.shown_input(path));
            }
            OpenQuestion {
                name: format!("{node_id}::{}", call.tool),
                key: Some(call.call_id),
                value,
            }
        });
        asked.collect()
    }

    /// Opens the questions of the node at `path` that are new, and closes those that are no more. Returns the first new
    /// one.
    pub(super) fn reopen(&mut self, path: &NodePath, questions: Vec<OpenQuestion>) -> Out {
        let frame = self.state.frame(&path.frame);
        let known = frame.questions_of(path.node);
        let known: Vec<_> = known
            .map(|(id, question)| (Arc::clone(id), question.call.clone()))
            .collect();
        for (id, known) in &known {
            if !questions.iter().any(|question| question.key == *known) {
                self.state.close(&path.frame, id);
            }
        }
        let mut first = Out::Continue;
        for question in questions {
            if known.iter().any(|(_, known)| question.key == *known) {
                continue;
            }
            let (out, number) = self.open_question(path, question);
            if let Out::Continue = first {
                first = out;
            } else {
                self.memory.unannounced.insert(number, ());
            }
        }
        first
    }
}
