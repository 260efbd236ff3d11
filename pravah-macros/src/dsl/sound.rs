//! The proof that a flow is a sound workflow net, and what it says where it is not.

use std::collections::BTreeSet;

use pravah_graph::{Finding, Firing, Names, Net, NodeId, Place};
use proc_macro2::Span;

use super::{
    alternatives::most_together,
    graph::{From, Graph, NodeBody, To, last_segment},
    words::Word,
};
use crate::diag::Diagnostics;

/// Proves `graph` and the chains in it; each mistake is reported where it shows.
pub(crate) fn check(graph: &Graph, errors: &mut Diagnostics) {
    check_net(graph, "`done`", errors);
}

/// Proves one net; `where_it_ends` names its end in help texts.
fn check_net(graph: &Graph, where_it_ends: &str, errors: &mut Diagnostics) {
    let net = net(graph);
    let findings = net.check();
    let silent = errors.attempt(|errors| {
        for finding in &findings {
            explain(graph, &net, finding, where_it_ends, errors);
        }
    });
    if let (Some(()), Some(first), false) = (silent, graph.nodes.first(), findings.is_empty()) {
        errors.error(
            first.span,
            "not every run of this flow can end cleanly",
            CLEANLY,
        );
    }
    for node in &graph.nodes {
        if let NodeBody::Each { inner, .. } = &node.body {
            check_net(inner, "a node that ends the chain", errors);
        }
    }
}

/// Whether `graph` and the chains in it are sound, whatever was reported.
#[cfg(test)]
pub(super) fn is_sound(graph: &Graph) -> bool {
    let chains = graph.nodes.iter().all(|node| match &node.body {
        NodeBody::Each { inner, .. } => is_sound(inner),
        NodeBody::Node(_) => true,
    });
    chains && net(graph).check().is_empty()
}

/// Which slots of a sound graph hold something at the same time, as a topology has it; nothing where no two do.
pub(crate) fn concurrency(graph: &Graph) -> Vec<u8> {
    match graph.has_fork() {
        true => net(graph).concurrency().to_bytes(graph.nodes.len()),
        false => Vec::new(),
    }
}

fn net(graph: &Graph) -> Net {
    let mut net = Net::new();
    for node in &graph.nodes {
        net.add_node(node.slots.len().max(1));
    }
    for node in 0..graph.nodes.len() {
        for outcome in graph.outcomes(node) {
            let places = outcome.iter().map(|arc| place(graph, *arc)).collect();
            net.add_outcome(NodeId(node), places);
        }
    }
    let entries = graph.inputs().into_iter();
    let entries: Vec<Place> = entries.map(|arc| place(graph, arc)).collect();
    match *entries {
        [entry] => net.set_entry(entry),
        _ => {
            // The branches that take the input follow a node of the net alone.
            let start = net.add_node(1);
            net.add_outcome(start, entries);
            net.set_entry(Place::Slot {
                node: start,
                slot: 0,
            });
        }
    }
    net
}

fn place(graph: &Graph, arc: usize) -> Place {
    match graph.arcs.get(arc).map(|arc| arc.to) {
        Some(To::Node(node)) => {
            let slots = graph
                .nodes
                .get(node)
                .map(|node| node.slots.as_slice())
                .unwrap_or_default();
            let slot = slots
                .iter()
                .position(|slot| slot.contains(&arc))
                .unwrap_or_default();
            Place::Slot {
                node: NodeId(node),
                slot,
            }
        }
        Some(To::Done) | None => Place::Done,
    }
}

/// Reports a finding where it shows; not so one of which there is nothing to show.
fn explain(
    graph: &Graph,
    net: &Net,
    finding: &Finding,
    where_it_ends: &str,
    errors: &mut Diagnostics,
) {
    if let Finding::LeftBehind { run, .. } = finding
        && let Some(end) = last_end(graph, run)
        && let Some((fork, other)) = graph.end_beside(end)
    {
        let [one, other] = [end, other].map(|arc| graph.origin(arc));
        let run = graph.run(run);
        errors.error(
            fork,
            format!("the branches of this `fork` never join: `{one}` and `{other}` both end the flow, as in the run {run}"),
            "join them: `fork(…) -> join(node)`, with a node that takes what each of them returns; or, if only one branch is to run, write `either(…)` after a node that returns `Either<_, _>`",
        );
        return;
    }
    if let (Some(fact), Some((span, help))) = (
        finding.fact(net, graph),
        help(graph, finding, where_it_ends),
    ) {
        errors.error(span, fact, help);
    }
}

const CLEANLY: &str = "see that each fork's branches all meet in one `join`, and the branches of each choice come together";

/// Where a finding shows, and what helps.
fn help(graph: &Graph, finding: &Finding, where_it_ends: &str) -> Option<(Span, String)> {
    let (span, help) = match finding {
        Finding::Unreachable { node } => {
            return Some((span(graph, *node), help_for_unreachable(graph, *node)));
        }
        Finding::NoWayToDone { node } => {
            return Some((
                span(graph, *node),
                help_for_endless_loop(graph, *node, where_it_ends),
            ));
        }
        Finding::Deadlock { marked, .. } => {
            let node = marked.iter().find_map(Place::node)?;
            return Some((mark(graph, node), help_for_deadlock(graph, node)));
        }
        Finding::LeftBehind { run, .. } => (
            graph.arcs.get(last_end(graph, run)?)?.span,
            "a branch of a fork cannot end the flow alone: carry its result as a state to the `join`",
        ),
        Finding::Overwritten { place, .. } => (
            mark(graph, place.node()?),
            "join the branches that can both be on their way before they lead there",
        ),
        Finding::Unsound { left } => {
            let mut left = left.iter();
            let node = left.find(|node| graph.nodes.get(node.0).is_some())?;
            (span(graph, *node), CLEANLY)
        }
        _ => return None,
    };
    Some((span, help.to_owned()))
}

fn help_for_endless_loop(graph: &Graph, node: NodeId, where_it_ends: &str) -> String {
    let help = format!(
        "let a node of the loop choose, and lead one branch out of it, for example to {where_it_ends}"
    );
    let follows_itself = graph.arcs.iter().any(|arc| {
        matches!((arc.from, arc.to), (From::Output(from, _), To::Node(to)) if from == node.0 && to == node.0)
    });
    let it = graph.nodes.get(node.0).map(|node| &node.body);
    match it {
        Some(NodeBody::Node(it)) if follows_itself || it.alias.is_some() => {
            format!(
                "{help}; to run the node twice, write `{} as other`",
                it.path_text()
            )
        }
        _ => help,
    }
}

fn help_for_deadlock(graph: &Graph, node: NodeId) -> String {
    let name = graph.name(node.0);
    let crossed = crossed(graph, node);
    match crossed.split_last() {
        Some((last, others)) => {
            let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
            let slots = graph.nodes.get(node.0).map_or(0, |node| node.slots.len());
            format!(
                "{} and `{last}` need {slots} parameters of `{name}`, since they come beside each other in different runs: give one of them a name of its own in one of the forks, `{last} as other`",
                others.join(", "),
            )
        }
        None => format!(
            "bring every branch to `{name}` in every run: where one of two comes, let `{name}` take `Either` of them, and carry a failure or an early end to the join as a state"
        ),
    }
}

/// Nodes before a join of which fewer come in any run than it has slots: of three, each two have another fork in
/// common, or fewer than there are slots are parallel to each other.
fn crossed(graph: &Graph, node: NodeId) -> Vec<String> {
    let slots = graph.nodes.get(node.0).map(|node| node.slots.as_slice());
    let slots = slots.unwrap_or_default();
    let mut arcs = slots.concat();
    arcs.sort_unstable();
    let crossed = match most_together(&arcs, &graph.parallel) < slots.len() {
        true => arcs,
        false => crossed_arcs(graph, &arcs).map_or_else(Vec::new, Vec::from),
    };
    let mut names: Vec<String> = crossed.into_iter().map(|arc| graph.origin(arc)).collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

fn crossed_arcs(graph: &Graph, arcs: &[usize]) -> Option<[usize; 3]> {
    let between = |one: usize, other: usize| graph.parallel.fork_between(one, other);
    arcs.iter().enumerate().find_map(|(at, one)| {
        let others = arcs.get(at + 1..)?;
        others.iter().enumerate().find_map(|(at, other)| {
            let first = between(*one, *other)?;
            let third = others.get(at + 1..)?.iter().find(|third| {
                let (second, third) = (between(*one, **third), between(*other, **third));
                let forks = BTreeSet::from_iter([Some(first), second, third]);
                forks.len() == 3 && !forks.contains(&None)
            })?;
            Some([*one, *other, *third])
        })
    })
}

fn help_for_unreachable(graph: &Graph, node: NodeId) -> String {
    let name = graph.name(node.0);
    if let Some(renamed) = graph.renamed_use(node.0) {
        return format!(
            "`{name}` is called `{renamed}` in this flow: write `{renamed}` here, or lead a branch to another use of it, `… -> {name}`"
        );
    }
    let is_caught = graph
        .nodes
        .get(node.0)
        .is_some_and(|node| node.catch.is_some());
    if name == Word::Each.name() && is_caught {
        return "`each(…)` has no name that `catch` could take: move the list into a flow of its own, and write `catch` around the name of that flow; if you mean a node called `each`, lead a branch to it".to_owned();
    }
    let written = match graph.nodes.get(node.0).map(|node| &node.body) {
        Some(NodeBody::Node(it)) if it.alias.is_none() => Some(&*it.key),
        _ => None,
    };
    if let Some(word) = written.and_then(Word::of) {
        return format!(
            "write `{}`; or, for a node called `{name}`, lead a branch to it, `… -> {name}`",
            word.usage()
        );
    }
    let others = (0..graph.nodes.len()).map(|node| graph.name(node));
    let others: Vec<String> = others.filter(|other| *other != name).collect();
    let ends_alike = |other: &&String| last_segment(other) == last_segment(&name);
    if let Some(other) = others.iter().find(ends_alike) {
        return format!(
            "if it is the node `{other}`, write `{other}` here too; else lead a branch to it, `… -> {name}`, or remove it"
        );
    }
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let near = crate::options::misspelt(&name, &others)
        .map_or_else(String::new, |near| format!("did you mean `{near}`? else "));
    let inside = match is_caught {
        true => {
            "; a node inside a flow that is named here is caught in that flow, or with the whole of it, `catch(flow)`"
        }
        false => "",
    };
    format!("{near}lead a branch to it, `… -> {name}`, or remove it{inside}")
}

/// What ended the flow: for done marked twice, the last end.
fn last_end(graph: &Graph, run: &[Firing]) -> Option<usize> {
    let is_end = |arc: &usize| graph.arcs.get(*arc).is_some_and(|arc| arc.to == To::Done);
    let mut firings = run.iter().rev();
    firings.find_map(|firing| outputs(graph, firing).into_iter().find(is_end))
}

impl Names for Graph {
    fn name(&self, node: NodeId) -> Option<String> {
        // The node that hands out the input of the flow is in the net alone.
        (node.0 < self.nodes.len()).then(|| self.name(node.0))
    }

    fn is_caught(&self, firing: &Firing) -> bool {
        let caught = self.nodes.get(firing.node.0).and_then(|node| node.catch);
        caught.is_some_and(|arc| outputs(self, firing) == [arc])
    }
}

/// The arcs that a firing marks.
fn outputs(graph: &Graph, firing: &Firing) -> Vec<usize> {
    if firing.node.0 >= graph.nodes.len() {
        return graph.inputs();
    }
    let mut outcomes = graph.outcomes(firing.node.0).into_iter();
    outcomes.nth(firing.outcome).unwrap_or_default()
}

fn span(graph: &Graph, node: NodeId) -> Span {
    graph
        .nodes
        .get(node.0)
        .map_or_else(Span::call_site, |node| node.span)
}

/// The `join` of a node that has one.
fn mark(graph: &Graph, node: NodeId) -> Span {
    graph
        .nodes
        .get(node.0)
        .map_or_else(Span::call_site, |node| node.join.unwrap_or(node.span))
}
