//! Which answer of a script is next.

use std::collections::{BTreeMap, BTreeSet};

use super::{ScriptedModel, ScriptedTurn, missing};
use crate::{
    model::{ModelError, ModelRequest},
    quoted::quoted,
};

/// What was taken from a script.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Answers, by their list and their number in it.
    answers: BTreeSet<(String, usize)>,
    /// Of each node with its items: how often it had been answered when a visit of it started.
    starts: BTreeMap<(String, Vec<usize>), BTreeMap<u32, usize>>,
}

impl Taken {
    pub(super) fn contains(&self, name: &str, index: usize) -> bool {
        self.answers.contains(&(name.to_owned(), index))
    }

    pub(super) fn add(&mut self, name: String, index: usize) {
        self.answers.insert((name, index));
    }

    /// Notes that a visit has started, unless it had; the starts of all visits of the node.
    fn note_start(&mut self, request: &ModelRequest) -> BTreeMap<u32, usize> {
        let place = (request.node.clone(), request.items.clone());
        let starts = self.starts.entry(place).or_default();
        if request.visit == 1 && answered(request) == 0 {
            // Another run.
            starts.clear();
        }
        let start = starts.entry(request.visit);
        start.or_insert_with(|| answered(request));
        starts.clone()
    }
}

impl ScriptedModel {
    /// The place of the next answer in the list `name`.
    pub(super) fn position(&self, request: &ModelRequest, name: &str) -> Result<usize, ModelError> {
        let failed = usize::try_from(request.failed).unwrap_or(usize::MAX);
        let in_visit = request.turn().saturating_add(failed);
        Ok(self.before(request, name)?.saturating_add(in_visit))
    }

    /// How many answers of the list were taken before this visit, or before this attempt at it.
    fn before(&self, request: &ModelRequest, name: &str) -> Result<usize, ModelError> {
        let answered = answered(request);
        if !self.nodes.keys().any(|name| is_of_a_visit(name)) {
            return Ok(answered);
        }
        let starts = self.taken().note_start(request);
        if is_of_a_visit(name) {
            let start = starts.get(&request.visit).copied().unwrap_or(answered);
            return Ok(answered.saturating_sub(start));
        }
        // What visits with lists of their own took is not from this one.
        let mut others = Vec::new();
        let mut elsewhere: usize = 0;
        for visit in 1..request.visit {
            let Some((other, turns)) = self.script_for(request, visit) else {
                continue;
            };
            if other != name {
                let ends = (starts.get(&visit), starts.get(&(visit + 1)));
                elsewhere = elsewhere.saturating_add(match ends {
                    (Some(start), Some(end)) => end.saturating_sub(*start),
                    // It was in another process, and is taken to have used its list up.
                    _ => turns.len(),
                });
                others.push(other);
            }
        }
        answered.checked_sub(elsewhere).ok_or_else(|| {
            missing(format!(
                "the script cannot tell which answer of `{name}` is next: {} was not used up",
                quoted(&others)
            ))
        })
    }

    /// The list of the nearest name.
    pub(super) fn script_for(
        &self,
        request: &ModelRequest,
        visit: u32,
    ) -> Option<(&str, &[ScriptedTurn])> {
        let node = &request.node;
        let has_visits = self.nodes.keys().any(|name| is_of_a_visit(name));
        let items: String = request
            .items
            .iter()
            .map(|item| format!("[{item}]"))
            .collect();
        let names = [
            has_visits.then(|| format!("{node}{items}#{visit}")),
            (!items.is_empty()).then(|| format!("{node}{items}")),
            has_visits.then(|| format!("{node}#{visit}")),
            Some(node.clone()),
        ];
        names.iter().flatten().find_map(|name| {
            let (name, turns) = self.nodes.get_key_value(name)?;
            Some((name.as_str(), turns.as_slice()))
        })
    }
}

fn answered(request: &ModelRequest) -> usize {
    usize::try_from(request.answered).unwrap_or(usize::MAX)
}

/// The name of a list without its visit.
fn without_visit(name: &str) -> Option<&str> {
    let (rest, visit) = name.rsplit_once('#')?;
    visit.parse::<u32>().is_ok().then_some(rest)
}

fn is_of_a_visit(name: &str) -> bool {
    without_visit(name).is_some()
}

/// The node that a list is of.
pub(super) fn node_of(name: &str) -> &str {
    let mut node = without_visit(name).unwrap_or(name);
    while let Some((rest, item)) = node
        .strip_suffix(']')
        .and_then(|name| name.rsplit_once('['))
    {
        if item.parse::<usize>().is_err() {
            break;
        }
        node = rest;
    }
    node
}
