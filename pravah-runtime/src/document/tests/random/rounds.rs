//! What the rounds and the items of the reference leave, and whether another round follows.

use pravah_document::{Condition, Member, Repeat, Selector, Work};
use serde_json::{Map, Value, json};

use super::{
    document::last_id,
    frame::{Failure, Frame, Status},
    reference::holds,
};

/// An error that does not count as an attempt.
pub(super) const fn failure(kind: &'static str) -> Failure {
    Failure { kind, attempts: 1 }
}

/// Whether a loop edge is taken for an outcome of its source.
fn jumps(repeat: &Repeat, scope: &Map<String, Value>, status: Status) -> bool {
    let is_meant = match status {
        Status::Succeeded => repeat.on != Selector::Failure,
        Status::Failed { .. } => repeat.on != Selector::Success,
        Status::Skipped => false,
    };
    is_meant && repeat.when.as_ref().is_none_or(|when| when.holds(scope))
}

/// Whether the condition of a loop holds, of which so many rounds are done.
pub(super) fn holds_after(
    condition: &Condition,
    rounds: usize,
    scope: &Map<String, Value>,
) -> bool {
    let mut scope = scope.clone();
    scope.insert("iteration".to_owned(), json!(rounds));
    holds(condition, &scope)
}

/// What a list has of an item that is done.
pub(super) fn iteration(member: &Member, done: &Frame<'_>) -> Value {
    let outcomes = done.outcomes.iter();
    let outputs: Map<String, Value> = outcomes
        .map(|(id, it)| (id.clone(), it.value.clone()))
        .collect();
    match member {
        Member::Node(node) if matches!(node.work, Work::Foreach { .. }) => json!({
            "item": done.scope["item"],
            "index": done.scope["index"],
            "outputs": outputs,
        }),
        _ => json!({ "outputs": outputs }),
    }
}

/// Whether the rounds of a member leave their outcomes to be named.
pub(super) fn leaves_outcomes(member: &Member) -> bool {
    match member {
        Member::Repeat(_) => true,
        Member::Node(node) => matches!(node.work, Work::Loop { .. }),
    }
}

/// Whether another round follows, of which so many are done.
pub(super) fn goes_on(
    member: &Member,
    scope: &Map<String, Value>,
    last: &Frame<'_>,
    rounds: usize,
) -> Result<bool, Failure> {
    match member {
        Member::Repeat(repeat) => {
            let last = &last.outcomes[last_id(member)];
            let jumps = jumps(repeat, scope, last.status);
            match jumps && rounds > repeat.max_iterations as usize {
                true => Err(failure("limit")),
                false => Ok(jumps),
            }
        }
        Member::Node(node) => match &node.work {
            Work::Loop {
                condition,
                max_iterations,
                stops_at_cap,
                ..
            } => {
                let holds = holds_after(condition, rounds, scope);
                match holds && rounds >= *max_iterations as usize {
                    true if *stops_at_cap => Ok(false),
                    true => Err(failure("limit")),
                    false => Ok(holds),
                }
            }
            _ => Ok(false),
        },
    }
}
