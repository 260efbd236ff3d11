//! Which answer of a script is next.

use super::{ScriptedModel, ScriptedTurn};
use crate::model::ModelRequest;

impl ScriptedModel {
    /// The index of the next answer in the list `name` of this visit: how many this visit and earlier ones
    /// took from it.
    pub(super) fn position(&self, request: &ModelRequest, name: &str) -> usize {
        let takes_from_it = |visit| {
            let list = || self.list_for(request, visit);
            visit == request.visit || list().is_some_and(|(list, _)| list == name)
        };
        let visits = (1..=request.visit).zip(&request.asked);
        let taken = visits.filter(|(visit, asked)| **asked > 0 && takes_from_it(*visit));
        taken.fold(0, |sum: usize, (_, asked)| {
            sum.saturating_add(usize::try_from(*asked).unwrap_or(usize::MAX))
        })
    }

    /// Whether a visit has a list of its own; without one all visits share theirs.
    fn has_visits(&self) -> bool {
        self.nodes.keys().any(|name| is_of_a_visit(name))
    }

    /// The list for this visit, by rule 5.
    pub(super) fn list_for(
        &self,
        request: &ModelRequest,
        visit: u32,
    ) -> Option<(&str, &[ScriptedTurn])> {
        let node = &request.node;
        let has_visits = self.has_visits();
        let list = |name: &str| {
            let (name, turns) = self.nodes.get_key_value(name)?;
            Some((name.as_str(), turns.as_slice()))
        };
        if !has_visits && request.items.is_empty() {
            return list(node);
        }
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
        names.iter().flatten().find_map(|name| list(name))
    }
}

/// The name of a list without its visit.
fn without_visit(name: &str) -> Option<&str> {
    let (rest, visit) = name.rsplit_once('#')?;
    (is_number(visit) && visit != "0").then_some(rest)
}

fn is_of_a_visit(name: &str) -> bool {
    without_visit(name).is_some()
}

/// The node that a list is of, and how many indices of items follow it.
pub(super) fn node_of(name: &str) -> (&str, usize) {
    let mut node = without_visit(name).unwrap_or(name);
    let mut items = 0;
    while let Some((rest, item)) = node
        .strip_suffix(']')
        .and_then(|name| name.rsplit_once('['))
    {
        if !is_number(item) {
            break;
        }
        node = rest;
        items += 1;
    }
    (node, items)
}

/// Whether a text is a number as the names of lists are written: `2`, not `02` or `+2`.
fn is_number(text: &str) -> bool {
    text.parse::<u32>()
        .is_ok_and(|number| number.to_string() == text)
}
