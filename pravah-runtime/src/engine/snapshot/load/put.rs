//! Putting a state where it waits.

use super::super::{super::state::frame::Frame, stored::Loaded};
use crate::{graph::Place, node::Token, state::Live};

/// Puts a state where it waits; whether its node is ready is in the snapshot too.
pub(super) fn put_at(frame: &mut Frame, place: Place, key: &str, live: Live) -> Loaded<()> {
    if frame.tokens.contains(&place.slot) {
        return Err(format!("the state `{key}` waits where another state already does").into());
    }
    let token = Token {
        branch: place.branch,
        since: 0,
        live,
    };
    let node = frame.table.slot(place.slot).node;
    frame.place(place.slot, token);
    frame.fill(node);
    Ok(())
}
