//! Whether what waits in a snapshot can go on: nothing may wait but for an answer or a time.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    super::state::{RunState, frame::Frame, progress::WaitReason, waits::WaitIndex},
    stored::Loaded,
};
use crate::graph::NodeIx;

/// Fails unless each question of a run has an id and a number of its own, and no call is asked about twice; and where it
/// has asked more than can be, so that those that follow would have no numbers.
pub(super) fn check_questions(state: &mut RunState) -> Loaded<()> {
    check_ids(&state.root, &state.waits)?;
    // Earlier builds did not store how many were asked.
    let last = state.waits.last_number();
    let asked = last.map_or(0, |last| last.saturating_add(1));
    let asked = asked.max(state.questions_asked);
    if asked > u64::MAX / 2 {
        return Err(format!("it has asked {asked} questions, or one has such a number").into());
    }
    state.questions_asked = asked;
    Ok(())
}

fn check_ids(root: &Frame, waits: &WaitIndex) -> Loaded<()> {
    if root.progress.is_unchanged() {
        return Ok(());
    }
    let mut count = 0;
    root.try_walk(|_, frame| {
        count += frame.progress.questions.len();
        check_calls(frame)
    })?;
    if !waits.has_questions(count) {
        return find_same_question(root);
    }
    Ok(())
}

/// Fails if two questions of a frame are about one call.
fn check_calls(frame: &Frame) -> Loaded<()> {
    if frame.progress.questions.len() < 2 {
        return Ok(());
    }
    let mut asked = BTreeSet::new();
    for (id, question) in frame.progress.questions.iter() {
        if !asked.insert((question.node, &question.call)) {
            let why = "has the tool call of another question";
            return Err(format!("the question `{id}` {why}").into());
        }
    }
    Ok(())
}

/// Fails with the name of the first question that has the id or the number of another.
fn find_same_question(root: &Frame) -> Loaded<()> {
    let (mut ids, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    root.try_walk(|_, frame| {
        for (id, question) in frame.progress.questions.iter() {
            if !ids.insert(Arc::clone(id)) {
                return Err(format!("the question `{id}` is there twice").into());
            }
            if !numbers.insert(question.number) {
                let why = "has the number of another question";
                return Err(format!("the question `{id}` {why}").into());
            }
        }
        Ok(())
    })
}

/// Fails unless every node that has all of its states is ready, or waits for an answer or a time, or holds
/// items that do.
pub(super) fn check_ready(frame: &Frame) -> Loaded<()> {
    let mut nodes = frame.fed_nodes().chain(frame.detached_nodes());
    nodes.try_for_each(|node| check(frame, node))
}

/// Whether a node has a reason not to be ready: it asks, its time has not come, a detached task has not ended, or it has
/// failed.
pub(super) fn waits_for_others(frame: &Frame, node: NodeIx) -> bool {
    let asks = frame.questions_of(node).next().is_some();
    let rules = &frame.table.node(node).rules;
    let is_held = rules.as_ref().is_some_and(|rules| rules.is_held);
    asks || is_held
        || frame.table.node(node).kind.is_await_task()
        || frame.progress.timers.contains(&node)
        || frame.progress.failed.contains(&node)
}

fn check(frame: &Frame, node: NodeIx) -> Loaded<()> {
    let is_ready = frame.is_ready(node);
    if is_ready && frame.progress.is_unchanged() {
        return Ok(());
    }
    let id = frame.table.node_id(node);
    if frame.progress.lists.contains(&node) {
        if frame.can_move_in(node) != is_ready {
            return Err(format!("whether `{id}` is ready does not agree with its items").into());
        }
        return Ok(());
    }
    let question = frame
        .questions_of(node)
        .map(|(_, question)| question)
        .next();
    let timer = frame.progress.timers.get(&node);
    let only_waits = timer.is_some_and(|timer| timer.why == WaitReason::Time);
    let is_asking = matches!(frame.progress.gates.get(&node), Some(None));
    if question.is_none() && is_asking && !only_waits {
        return Err(format!("`{id}` has asked, and its question is not there").into());
    }
    // An agent may go on with one call while another is open, or waits for a task; a gate and a review are one question.
    let may_go_on = timer.is_none_or(|timer| timer.why == WaitReason::Task);
    let is_blocked = !may_go_on || question.is_some_and(|it| it.call.is_none());
    let in_review = frame
        .progress
        .agents
        .get(&node)
        .is_some_and(|agent| agent.is_in_review());
    match is_ready {
        false if !waits_for_others(frame, node) => Err(format!(
            "`{id}` has all of its states, and yet it is neither ready nor suspended"
        )
        .into()),
        true if in_review => {
            Err(format!("the answer of `{id}` waits for a review, and yet it is its turn").into())
        }
        true if is_blocked => {
            Err(format!("`{id}` waits for an answer or a time, and yet it is its turn").into())
        }
        _ => Ok(()),
    }
}
