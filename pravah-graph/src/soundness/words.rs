//! Findings in words, for everyone who builds nets.

use super::Finding;
use crate::{Firing, Net, NodeId, Place};

/// What the node before the first one is called in a run.
const START: &str = "start";

/// What those who built a net call its parts.
pub trait Names {
    /// The name of a node; nothing for one that is in the net alone, before the first node.
    fn name(&self, node: NodeId) -> Option<String>;

    /// Whether the outcome is a failure that is caught.
    fn is_caught(&self, firing: &Firing) -> bool;

    /// One step of a run.
    fn step(&self, firing: &Firing) -> String {
        match self.name(firing.node) {
            Some(name) if self.is_caught(firing) => format!("catch({name})"),
            Some(name) => name,
            None => START.to_owned(),
        }
    }

    /// A run, as in `` `a -> b` ``.
    fn run(&self, run: &[Firing]) -> String {
        let steps: Vec<String> = run.iter().map(|firing| self.step(firing)).collect();
        format!("`{}`", steps.join(" -> "))
    }
}

impl Finding {
    /// The mistake in one sentence; nothing where there is no node to speak of.
    ///
    /// ```
    /// use pravah_graph::{Firing, Names, Net, NodeId, Place};
    ///
    /// struct Letters;
    ///
    /// impl Names for Letters {
    ///     fn name(&self, node: NodeId) -> Option<String> {
    ///         ["a", "b"].get(node.0).map(ToString::to_string)
    ///     }
    ///
    ///     fn is_caught(&self, _: &Firing) -> bool {
    ///         false
    ///     }
    /// }
    ///
    /// let mut net = Net::new();
    /// let [a, b] = [(); 2].map(|()| net.add_node(1));
    /// net.set_entry(Place::Slot { node: a, slot: 0 });
    /// net.add_outcome(a, vec![Place::Done]);
    /// net.add_outcome(b, vec![Place::Done]);
    /// let facts: Vec<_> = net.check().iter().map(|finding| finding.fact(&net, &Letters)).collect();
    /// assert_eq!(facts, [Some("no run reaches `b`".to_owned())]);
    /// ```
    #[must_use]
    pub fn fact(&self, net: &Net, names: &impl Names) -> Option<String> {
        let name = |node: &NodeId| names.name(*node);
        Some(match self {
            Self::Malformed(_) => return None,
            Self::Unreachable { node } => format!("no run reaches `{}`", name(node)?),
            Self::NoWayToDone { node } => {
                format!(
                    "`{}` loops forever: no path leads from it to the end",
                    name(node)?
                )
            }
            Self::Deadlock { run, marked } => deadlock(net, names, run, marked)?,
            Self::LeftBehind { run, remaining } => left_behind(net, names, run, remaining)?,
            Self::Overwritten { run, place } => format!(
                "`{}` can be given a state while it still holds one: in the run {}",
                name(&place.node()?)?,
                names.run(run)
            ),
            Self::Unsound { left } => format!(
                "not every run that comes to `{}` can end cleanly",
                left.iter().find_map(name)?
            ),
        })
    }
}

fn deadlock(net: &Net, names: &impl Names, run: &[Firing], marked: &[Place]) -> Option<String> {
    let node = marked.iter().find_map(Place::node)?;
    let there = marked.iter().filter(|place| place.node() == Some(node));
    let (slots, there) = (net.slots(node), there.count());
    let when = match run {
        [] => "at the start".to_owned(),
        run => format!("after the run {}", names.run(run)),
    };
    Some(format!(
        "`{}` can wait forever: it joins {slots} branches, and {when} {} of them can never arrive",
        names.name(node)?,
        slots.saturating_sub(there),
    ))
}

fn left_behind(
    net: &Net,
    names: &impl Names,
    run: &[Firing],
    remaining: &[Place],
) -> Option<String> {
    let ends = |firing: &&Firing| {
        let outcome = net.outcomes(firing.node).get(firing.outcome);
        outcome.is_some_and(|places| places.contains(&Place::Done))
    };
    let last = run.iter().rev().find(ends)?;
    let ending = names.name(last.node).unwrap_or_else(|| START.to_owned());
    let run = names.run(run);
    Some(match remaining.iter().find_map(Place::node) {
        Some(node) => format!(
            "`{ending}` ends the flow while `{}` still holds a state: the run {run}",
            names.name(node)?
        ),
        None => format!("`{ending}` ends the flow a second time: the run {run}"),
    })
}
