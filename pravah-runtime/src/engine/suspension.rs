//! Answers to what a run waits for from outside.

use std::{sync::Arc, time::SystemTime};

use serde::de::Error as _;
use serde_json::Value;

use super::{
    clock::at,
    run::Run,
    state::{
        RunState,
        frame::Frame,
        path::NodePath,
        progress::{GateAnswer, Question, WaitReason},
        remote_task::RemoteProgress,
    },
};
use crate::{
    agent::AgentProgress,
    error::{FlowError, guard},
    events::EventKind,
    graph::NodeKind,
    json,
};

/// A suspension that waits to be resumed; see [`FlowRuntime::suspensions`].
///
/// [`FlowRuntime::suspensions`]: crate::FlowRuntime::suspensions
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Suspension {
    /// What to resume it with: `{node}::{tool}` for a tool that suspends or waits for approval, or `{node}`
    /// for a gate and for the review of an agent's answer under a [`Contract`](crate::Contract).
    pub tool_id: String,
    /// Which of the questions of the run it is, from 0. An id may be asked under again once it was answered, which a
    /// number is not: [`Hub::reply_to`](crate::Hub::reply_to) answers this question and no later one.
    pub number: u64,
    /// What it asks.
    pub value: Value,
    /// By when a gate with a `timeout` has to be answered. The first step that is made after that fails
    /// the gate; nothing wakes the run, so whoever keeps it calls [`next`] then.
    ///
    /// [`next`]: crate::FlowRuntime::next
    pub until: Option<SystemTime>,
}

impl Suspension {
    /// A suspension, for tests of what handles one.
    pub fn new(tool_id: impl Into<String>, value: Value) -> Self {
        Self {
            tool_id: tool_id.into(),
            number: 0,
            value,
            until: None,
        }
    }

    /// The same, with this number.
    #[must_use]
    pub fn with_number(mut self, number: u64) -> Self {
        self.number = number;
        self
    }

    /// The same, to be answered by `until`.
    #[must_use]
    pub fn with_until(mut self, until: SystemTime) -> Self {
        self.until = Some(until);
        self
    }
}

impl Run {
    /// What waits to be resumed, in the order in which it was suspended.
    pub(super) fn suspensions(&self) -> Vec<Suspension> {
        self.state.suspensions()
    }

    /// Gives the question `id` its answer, and makes the node that asked the next to move. Returns where
    /// it is. `is_awaited` says whether the caller awaits the step that takes the answer.
    pub(super) fn answer(
        &mut self,
        id: &str,
        payload: Value,
        is_awaited: bool,
    ) -> Result<NodePath, FlowError> {
        match self.check_not_ended() {
            // Nothing is open then, which is what is said.
            Ok(()) | Err(FlowError::Finished) => {}
            Err(cancelled) => return Err(cancelled),
        }
        let Some((frame, question)) = self.state.question(id) else {
            return Err(self.not_open(id));
        };
        let invalid = |source| FlowError::ResumePayload {
            id: id.to_owned(),
            source,
        };
        json::check(&payload)
            .map_err(|unfit| invalid(serde_json::Error::custom(format!("it is {unfit}"))))?;
        self.check_max_steps()?;
        let path = NodePath::new(frame, question.node);
        let given = Given {
            payload,
            at: self.now(),
            is_awaited,
        };
        let answered = answered(self.state.frame(frame), id, question, given)?;
        let number = question.number;
        // It has to start again with this answer too.
        self.flights.drop_where(|flight| *flight == path);
        self.notify_run_start();
        self.memory.unannounced.remove(&number);
        self.state.close(&path.frame, &id.into());
        let frame = self.state.frame_mut(&path.frame);
        match answered {
            Answered::Gate(answer) => {
                frame.progress.gates.insert(path.node, answer);
            }
            Answered::Agent(agent) => frame.set_agent(path.node, agent),
            Answered::Remote(remote) => {
                frame.progress.remotes.insert(path.node, remote.into());
            }
        }
        self.state.clear_timer(&path);
        self.start_clock(&path);
        self.state.move_to_front(&path);
        self.memory.answered.insert(id.to_owned(), path.clone());
        self.notify_published(&path, || EventKind::question_answered(id));
        Ok(path)
    }

    /// Opens a question again whose answer cannot be read: the node at `path` waits for it as in `before`. What
    /// else has happened since, such as commands that were taken, stays.
    pub(super) fn ask_again(&mut self, id: &str, path: &NodePath, before: &RunState) {
        let NodePath { frame, node } = path;
        let was = before.frame(frame);
        let Some((id, question)) = was.questions_of(*node).find(|(open, _)| ***open == *id) else {
            return;
        };
        self.state.waits.add_question(id, question.number, frame);
        let now = self.state.frame_mut(frame);
        now.progress
            .questions
            .insert(Arc::clone(id), question.clone());
        let mut goes_on = false;
        if let (Some(agent), Some(call)) = (now.progress.agents.get_mut(node), &question.call) {
            let agent = Arc::make_mut(agent);
            agent.reopen(call);
            goes_on = agent.has_an_answer();
        }
        self.state.change_remote(path, |remote| {
            // Another question may have had this id before, and its answer wait to be delivered.
            let refused = question.call.as_deref();
            remote
                .answers
                .retain(|it| refused != Some(&*it.question_id));
            goes_on = !remote.answers.is_empty();
        });
        // With another answer it does not wait for this one.
        if !goes_on {
            let attempts = &mut self.state.frame_mut(frame).progress.attempts;
            match was.progress.attempts.get(node) {
                Some(was) => drop(attempts.insert(*node, *was)),
                None => drop(attempts.remove(node)),
            }
            if let Some(timer) = was.progress.timers.get(node) {
                self.state.set_timer(path, *timer);
            }
        }
        self.state.restore_queue_position(path, before, goes_on);
        self.memory.answered.remove(&**id);
        self.notify_published(path, || {
            self.asked(id, question.number, &question.value.value())
        });
    }

    /// Fails if the open question of this id has another number: the one that is meant was answered.
    pub(super) fn check_number(&self, id: &str, number: u64) -> Result<(), FlowError> {
        match self.state.question(id) {
            Some((_, question)) if question.number != number => Err(FlowError::AlreadyAnswered {
                id: id.to_owned(),
                is_kept: false,
            }),
            _ => Ok(()),
        }
    }

    fn not_open(&self, id: &str) -> FlowError {
        if let Some(path) = self.memory.answered.get(id) {
            return FlowError::AlreadyAnswered {
                id: id.to_owned(),
                is_kept: self.state.root.at(&path.frame).is_some_and(|frame| {
                    let agent = frame.progress.agents.get(&path.node);
                    let remote = frame.progress.remotes.get(&path.node);
                    matches!(frame.progress.gates.get(&path.node), Some(Some(_)))
                        || agent.is_some_and(|agent| agent.has_an_answer())
                        || remote.is_some_and(|remote| !remote.answers.is_empty())
                }),
            };
        }
        let open = FlowError::not_open(id, self.state.questions().map(|(open, _)| open));
        open.unwrap_or_else(|| FlowError::UnexpectedResumption(id.to_owned()))
    }
}

impl RunState {
    /// What waits to be resumed, in the order in which it was suspended.
    pub(crate) fn suspensions(&self) -> Vec<Suspension> {
        let open = |(id, question): (&Arc<str>, &Question)| {
            let (frame, _) = self.question(id)?;
            let timer = self.frame(frame).progress.timers.get(&question.node);
            let timer = timer.filter(|timer| timer.why == WaitReason::Question);
            Some(Suspension {
                tool_id: id.to_string(),
                number: question.number,
                value: question.value.value(),
                until: timer.map(|timer| at(timer.until)),
            })
        };
        self.questions().filter_map(open).collect()
    }
}

/// What the node that asked has done so far, with its answer.
enum Answered {
    Gate(GateAnswer),
    Agent(Box<AgentProgress>),
    Remote(RemoteProgress),
}

/// An answer as it is given.
struct Given {
    payload: Value,
    /// When, in milliseconds since 1970.
    at: u64,
    /// Whether the caller awaits the step that takes it.
    is_awaited: bool,
}

fn answered(
    frame: &Frame,
    id: &str,
    question: &Question,
    given: Given,
) -> Result<Answered, FlowError> {
    let Given {
        payload,
        at,
        is_awaited,
    } = given;
    let lost = || FlowError::NotFound(format!("what waits for `{id}`").into());
    let invalid = |source| FlowError::ResumePayload {
        id: id.to_owned(),
        source,
    };
    let node = question.node;
    match (
        &frame.table.node(node).kind,
        frame.progress.agents.get(&node),
    ) {
        (NodeKind::Gate(gate), _) => {
            let asked = question.value.value();
            let accepted = guard(id, || gate.check_answer(&payload, &asked))?;
            accepted.map_err(invalid)?;
            let answer = gate.answer(payload, &asked, at);
            Ok(Answered::Gate(Some(answer.into())))
        }
        (NodeKind::Agent(agent), Some(progress)) => {
            let mut progress = (**progress).clone();
            let taken = guard(id, || match &question.call {
                Some(call) => progress.resume(call, payload, (&agent.spec, is_awaited)),
                None => progress.review(payload, &agent.spec),
            })?;
            match taken.map_err(invalid)? {
                true => Ok(Answered::Agent(progress.into())),
                false => Err(lost()),
            }
        }
        (NodeKind::Remote(_), _) => {
            let remote = frame.progress.remotes.get(&node);
            let answered =
                remote.and_then(|remote| remote.answered(id, question, (payload, is_awaited)));
            answered.map(Answered::Remote).ok_or_else(lost)
        }
        _ => Err(lost()),
    }
}
