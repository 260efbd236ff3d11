//! The inputs of flows that are not stored by themselves, since they waited at the start of their flows when the snapshot
//! was taken. In another version a flow may start elsewhere, and a state that was made in it may wait there.

use std::collections::BTreeMap;

use super::{super::super::state::frame::Frame, FrameNotes, Loader};
use crate::{
    graph::{FlowStart, Place, ScopeIx, Table},
    state::Live,
};

/// An input that no flow of this version has, by its key.
pub(super) type Unused = (String, Live);

impl Loader<'_> {
    /// Notes where a state of the snapshot waits in this version.
    pub(super) fn note_place(&mut self, key: &str, place: Place) {
        if self.revalidates {
            self.notes.places.insert(key.to_owned(), place);
        }
    }

    /// Where the flows of the frame start that is being loaded, in the version that the snapshot is of, if that is known.
    pub(super) fn known_starts(&self) -> Option<&BTreeMap<String, FlowStart>> {
        let starts = &self.version?.starts;
        // An earlier release may have written of some nets only.
        let mut in_frame = starts
            .keys()
            .filter_map(|key| key.strip_prefix(&self.lists));
        in_frame.any(|key| !key.contains('/')).then_some(starts)
    }

    /// The start of the flow whose input has this key, in the version that the snapshot is of.
    pub(super) fn known_start(&self, input: &str) -> Option<&FlowStart> {
        let starts = self.known_starts()?;
        starts.get(&format!("{}{input}", self.lists))
    }

    /// What waited at the start of the flow whose input has this key. Where that is not stored, it is that input.
    pub(super) fn waited_at_start(&self, frame: &Frame, input: &str) -> Option<Live> {
        if self.was_lost(input) {
            return None;
        }
        let start = self.known_start(input)?;
        let FrameNotes { places, moved, .. } = &*self.notes;
        if let Some(live) = start.places.iter().find_map(|key| moved.get(key)) {
            return Some(live.clone());
        }
        let mut places = start.places.iter().filter_map(|key| places.get(key));
        let token = places.find_map(|place| frame.waiting_at(*place))?;
        Some(token.live.clone())
    }

    /// The input of a flow that is not stored.
    pub(super) fn waiting_input(
        &mut self,
        frame: &Frame,
        scope: ScopeIx,
        unused: &[Unused],
    ) -> Option<Live> {
        if self.was_lost(&frame.table.scope(scope).key) {
            return None;
        }
        if !self.is_other {
            return frame.waiting_at_start(scope).cloned();
        }
        if !frame.is_running(scope) {
            return None;
        }
        if let Some(live) = self.waited_at_start(frame, &frame.table.scope(scope).key) {
            return self
                .as_state(&frame.table, frame.table.scope(scope).entry, live)
                .ok();
        }
        let live = match self.known_starts() {
            Some(_) => self.entered_with(frame, scope),
            None => likely_input(frame, scope, unused),
        };
        live.cloned()
    }

    /// Whether a flow without an input has lost it, in an earlier version or in this load.
    pub(super) fn has_lost_input(&self, table: &Table, scope: ScopeIx) -> bool {
        self.is_other || self.was_lost(&table.scope(scope).key)
    }

    /// Whether the input of this key was lost when another version loaded the run.
    fn was_lost(&self, key: &str) -> bool {
        self.notes.unknown_inputs.contains(key)
    }

    /// What waits at the start of a flow that was not there, or in which nothing waited, if it comes from outside of the
    /// flow.
    fn entered_with<'a>(&self, frame: &'a Frame, scope: ScopeIx) -> Option<&'a Live> {
        let table = &frame.table;
        let live = the_one(waiting_at_starts(frame, scope).map(|(_, live)| live))?;
        let mut places = waiting_at_starts(frame, scope).map(|(place, _)| place);
        let is_entered = places.all(|place| table.is_entrance(place, scope));
        (is_entered || self.is_input_of_run(frame, scope, live)).then_some(live)
    }

    /// Whether a state at the start of a flow is the input of the whole flow, which no node has made.
    fn is_input_of_run(&self, frame: &Frame, scope: ScopeIx, live: &Live) -> bool {
        let [whole, flow] = [ScopeIx::FLOW, scope].map(|scope| frame.table.scope(scope));
        let Some(input) = frame.flow_inputs.get(&ScopeIx::FLOW) else {
            return false;
        };
        let is_sole = (self.known_start(&whole.key)).is_some_and(|start| !start.is_made_again);
        input.is_same(live) || is_sole && whole.entry == flow.entry && is_equal(input, live)
    }

    /// Whether a state waits that may be the input of a flow.
    pub(super) fn may_wait(&self, frame: &Frame, scope: ScopeIx) -> bool {
        self.is_other && candidates(frame, scope).next().is_some()
    }
}

/// The input of a flow of which nobody knows where it started: what waits at its start, unless the input of a flow that is
/// gone shows that it may have been made there.
fn likely_input<'a>(frame: &'a Frame, scope: ScopeIx, unused: &[Unused]) -> Option<&'a Live> {
    let flow = frame.table.scope(scope);
    if let Some(live) = the_one(waiting_at_starts(frame, scope).map(|(_, live)| live)) {
        let is_other = |(key, input): &Unused| {
            let state = key.rsplit("::").next();
            state == Some(&*flow.input) && !is_equal(input, live)
        };
        return (!unused.iter().any(is_other)).then_some(live);
    }
    // The input of the whole flow is stored, or waits.
    let is_stored = unused.iter().any(|(key, _)| !key.contains("::"));
    if scope != ScopeIx::FLOW || is_stored || candidates(frame, scope).count() < frame.tokens.len()
    {
        return None;
    }
    the_one(candidates(frame, scope))
}

/// What waits within a flow and is of the type of its input.
pub(super) fn candidates(frame: &Frame, scope: ScopeIx) -> impl Iterator<Item = &Live> {
    let entry = frame.table.scope(scope).entry;
    let is_of_type = move |place| frame.table.state_at(place) == Some(entry);
    let waiting = within(frame, scope).filter(move |(place, _)| is_of_type(*place));
    waiting.map(|(_, live)| live)
}

/// Whether anything but its input waits within a flow.
pub(super) fn has_more_than_input(frame: &Frame, scope: ScopeIx, input: &Live) -> bool {
    let entry = frame.table.scope(scope).entry;
    within(frame, scope)
        .any(|(place, live)| frame.table.state_at(place) != Some(entry) || !is_equal(live, input))
}

fn within(frame: &Frame, scope: ScopeIx) -> impl Iterator<Item = (Place, &Live)> {
    let table = &frame.table;
    let is_within = move |place: Place| table.is_within(table.slot(place.slot).node, scope);
    let waiting = frame.waiting().filter(move |(place, _)| is_within(*place));
    waiting.map(|(place, token)| (place, &token.live))
}

fn waiting_at_starts(frame: &Frame, scope: ScopeIx) -> impl Iterator<Item = (Place, &Live)> {
    let places = frame.table.scope(scope).starts_at.iter();
    places.filter_map(|place| Some((*place, &frame.waiting_at(*place)?.live)))
}

/// The value of all of them, if they have one.
fn the_one<'a>(mut values: impl Iterator<Item = &'a Live>) -> Option<&'a Live> {
    let first = values.next()?;
    values.all(|other| is_equal(other, first)).then_some(first)
}

/// Whether both are one value, or are written the same: an item waits by itself, and is in its list too.
pub(super) fn is_equal(one: &Live, other: &Live) -> bool {
    let values = || (one.to_value().ok(), other.to_value().ok());
    one.is_same(other) || matches!(values(), (Some(one), Some(other)) if one == other)
}
