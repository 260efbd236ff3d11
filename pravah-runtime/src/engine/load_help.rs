//! What lets the runs of an earlier version go on.

use crate::graph::split_key;

/// What lets runs go on in which a state waits that no node takes any more.
pub(crate) fn where_gone(state: &str) -> String {
    format!(
        "keep a node that takes `{state}`; a state that has another name now keeps this one with `#[serde(rename = \"{}\")]`; a `#[migrate(slot)]` function that `#[flow(migrate(…))]` names moves it to another state",
        type_name(state)
    )
}

/// What lets runs go on with a state whose stored form its type does not read any more.
pub(crate) fn where_unreadable(state: &str) -> String {
    format!(
        "give new fields `#[serde(default)]`, or write a `#[migrate]` function from the earlier `{}` and name it in `#[flow(migrate(…))]`",
        type_name(state)
    )
}

/// The name of the state with this key, which also says where it waits: `Draft`, for `review::Draft@publish`.
fn type_name(key: &str) -> &str {
    let (state, _) = split_key(key);
    state.rsplit(['/', ':']).next().unwrap_or(state)
}
