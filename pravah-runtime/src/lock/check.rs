//! Whether runs of earlier versions can go on in a graph, wherever they are.

mod inputs;

use std::collections::{BTreeMap, BTreeSet};

use pravah_graph::{Place as NetPlace, WayOut};

use super::{
    FlowLock, LockProblem, LockReport,
    net::{LockedCatch, LockedNet, LockedNode, LockedProgress},
    schema::unreadable,
    version::LockedVersion,
};
use crate::{
    engine::LoadOptions,
    graph::{FlowGraph, Place, Table, split_key},
};

pub(super) fn check(lock: &FlowLock, graph: &FlowGraph, options: &LoadOptions) -> LockReport {
    let options = &*graph.upgrades.and(options);
    let this = graph.version();
    let mut report = LockReport::default();
    for version in &lock.versions {
        let is_this = version.fingerprint == this.fingerprint;
        let mut checker = Checker {
            version,
            options,
            problems: &mut report.problems,
        };
        checker.net(&version.net, &graph.table, &[]);
        checker.schemas(&graph.table, &mut BTreeSet::new());
        if !is_this {
            let added = this.nodes_not_in(&version.version());
            report.added.push((version.release.clone(), added));
        }
    }
    report
}

/// Checks one version.
struct Checker<'a> {
    version: &'a LockedVersion,
    options: &'a LoadOptions,
    problems: &'a mut Vec<LockProblem>,
}

/// Where the states of a net wait in another version.
type Images<'a> = BTreeMap<&'a str, Image>;

#[derive(Clone, Copy)]
struct Image {
    place: Place,
    /// Whether a migration moves the state there.
    is_moved: bool,
}

impl Checker<'_> {
    fn release(&self) -> String {
        self.version.release.clone()
    }

    /// `around` are the nodes that lead to the list of which this is the chain.
    fn net(&mut self, net: &LockedNet, table: &Table, around: &[String]) {
        let runs = Runs::of(net, around);
        let images = self.images(net, table, &runs);
        let Some(way_out) = table.way_out() else {
            return;
        };
        let places = |keys: &[&str]| -> Option<Vec<NetPlace>> {
            let places = keys.iter().map(|key| images.get(key));
            places
                .map(|image| image.map(|image| table.net_place(image.place.slot)))
                .collect()
        };
        let mut check =
            |before: Option<&[&str]>, after: &[String], run: &dyn Fn() -> Vec<String>| {
                let keys: Vec<&str> = after.iter().map(String::as_str).collect();
                let before = before.map_or_else(|| Some(Vec::new()), places);
                let (Some(before), Some(after)) = (before, places(&keys)) else {
                    // That a state has no place is a problem of its own.
                    return;
                };
                if !can_follow(way_out, before, after) {
                    self.problems.push(LockProblem::Stranded {
                        release: self.version.release.clone(),
                        run: run(),
                        states: keys.into_iter().map(str::to_owned).collect(),
                    });
                }
            };
        check(None, &net.start, &|| around.to_vec());
        for (index, node) in net.nodes.iter().enumerate() {
            for outcome in &node.outcomes {
                for taken in alternatives(node) {
                    check(Some(&taken), outcome, &|| runs.to(index));
                }
            }
        }
        for catch in &net.catches {
            let start: Vec<&str> = catch.start.iter().map(String::as_str).collect();
            check(Some(&start), &catch.failed, &|| runs.to_taker(&catch.start));
        }
        for (index, node) in net.nodes.iter().enumerate() {
            self.progress((index, node), table, &images, &runs);
        }
    }

    /// Where each state of a net waits; those that have no place are reported.
    fn images<'n>(&mut self, net: &'n LockedNet, table: &Table, runs: &Runs<'_>) -> Images<'n> {
        let mut images = Images::new();
        for node in &net.nodes {
            for key in node.takes.iter().flatten() {
                let found = table.place_of(key, Some(node.taker_of(key)));
                let moved = || {
                    let moved = self.options.moves_of(key).next()?;
                    table.place_of(&moved.place(), None).ok().flatten()
                };
                let place = match found {
                    Ok(Some(place)) => Some((place, false)),
                    Ok(None) => moved().map(|place| (place, true)),
                    Err(ambiguous) => {
                        let candidates = ambiguous.candidates.into_iter().map(str::to_owned);
                        self.problems.push(LockProblem::Ambiguous {
                            release: self.release(),
                            state: key.clone(),
                            candidates: candidates.collect(),
                        });
                        continue;
                    }
                };
                match place {
                    Some((place, is_moved)) => {
                        if is_moved {
                            self.moved_schema(key);
                        }
                        images.insert(key, Image { place, is_moved });
                    }
                    None => self.problems.push(LockProblem::Gone {
                        release: self.release(),
                        state: key.clone(),
                        run: runs.to_state(key),
                    }),
                }
            }
        }
        self.inputs(net, table, &images);
        images
    }

    /// Whether what a node has done before the end of its step is of use, and what has started of a list.
    fn progress(
        &mut self,
        (index, node): (usize, &LockedNode),
        table: &Table,
        images: &Images<'_>,
        runs: &Runs<'_>,
    ) {
        let (Some(was), Some(image)) = (
            &node.progress,
            node.key().and_then(|key| images.get(key).copied()),
        ) else {
            return;
        };
        let here = table.slot(image.place.slot).node;
        let is = LockedProgress::of(table, here);
        if image.is_moved || is.as_ref() != Some(was) {
            // The node starts over.
            if self.options.drops_progress() {
                return;
            }
            let is = match (image.is_moved, &is) {
                (true, _) => "another node, to which its state is moved".to_owned(),
                (false, Some(is)) => is.to_string(),
                (false, None) => {
                    format!(
                        "`{}`, which does its work in a single step",
                        table.node_id(here)
                    )
                }
            };
            self.problems.push(LockProblem::Progress {
                release: self.release(),
                node: node.id.clone(),
                was: was.to_string(),
                is,
            });
        } else if let (Some(chain), Some(inner)) = (&node.chain, table.inner(here)) {
            self.net(chain, inner, &runs.to(index));
        }
    }

    /// Whether a state whose place is gone can be read as one of the forms in which it is moved.
    fn moved_schema(&mut self, key: &str) {
        let (state, _) = split_key(key);
        let Some(stored) = self.version.schemas.get(state) else {
            return;
        };
        let moves = self.options.moves_of(key);
        let mut unreadable = moves.map(|it| unreadable(stored, it.form(), self.options));
        let Some(first) = unreadable.next().flatten() else {
            return;
        };
        if unreadable.all(|why| why.is_some()) {
            self.unreadable(state, first);
        }
    }

    fn unreadable(&mut self, state: &str, why: String) {
        self.problems.push(LockProblem::Unreadable {
            release: self.release(),
            state: state.to_owned(),
            why,
        });
    }

    /// Whether each state of a name can still be read.
    fn schemas(&mut self, table: &Table, seen: &mut BTreeSet<String>) {
        for state in &table.states {
            let Some(stored) = self.version.schemas.get(&*state.key) else {
                continue;
            };
            if !seen.insert(state.key.to_string()) {
                continue;
            }
            let form = state.schema.zip(state.type_of.map(|type_of| type_of()));
            if let Some(why) = form.and_then(|form| unreadable(stored, form, self.options)) {
                self.unreadable(&state.key, why);
            }
        }
        for (_, chain) in table.lists() {
            self.schemas(chain, seen);
        }
    }
}

/// Whether a run that could finish with what a step takes can finish with what it leaves. Without what it takes, a run
/// starts.
fn can_follow(way_out: &WayOut, before: Vec<NetPlace>, after: Vec<NetPlace>) -> bool {
    let or_done = |places: Vec<NetPlace>| match places.is_empty() {
        true => vec![NetPlace::Done],
        false => places,
    };
    way_out.are_interchangeable(or_done(before), or_done(after))
}

/// What a node may take: one of the states of each parameter. Each occurs at least once, and no more than one is another
/// than the first.
fn alternatives(node: &LockedNode) -> Vec<Vec<&str>> {
    let first = || node.takes.iter().filter_map(|keys| keys.first());
    let mut all = vec![first().map(String::as_str).collect::<Vec<_>>()];
    for (param, keys) in node.takes.iter().enumerate() {
        for other in keys.iter().skip(1) {
            let taken = first().enumerate();
            let taken = taken.map(|(at, key)| if at == param { other } else { key });
            all.push(taken.map(String::as_str).collect());
        }
    }
    all
}

/// How runs come to the nodes of a net.
struct Runs<'a> {
    net: &'a LockedNet,
    around: &'a [String],
    /// The node that takes each state.
    takers: BTreeMap<&'a str, usize>,
    /// The node before each one that is not the first.
    before: BTreeMap<usize, usize>,
}

impl<'a> Runs<'a> {
    fn of(net: &'a LockedNet, around: &'a [String]) -> Self {
        let mut runs = Self {
            net,
            around,
            takers: BTreeMap::new(),
            before: BTreeMap::new(),
        };
        for (index, node) in net.nodes.iter().enumerate() {
            let keys = node.takes.iter().flatten();
            runs.takers.extend(keys.map(|key| (key.as_str(), index)));
        }
        let mut open: Vec<usize> = net.start.iter().filter_map(|key| runs.taker(key)).collect();
        let mut seen: BTreeSet<usize> = open.iter().copied().collect();
        let mut at = 0;
        while let Some(&node) = open.get(at) {
            at += 1;
            for next in runs.after(node) {
                if seen.insert(next) {
                    runs.before.insert(next, node);
                    open.push(next);
                }
            }
        }
        runs
    }

    fn taker(&self, key: &str) -> Option<usize> {
        self.takers.get(key).copied()
    }

    /// The nodes that take what a node leaves, or what a failure of the flow leaves that starts with it.
    fn after(&self, node: usize) -> Vec<usize> {
        let outcomes = self
            .net
            .nodes
            .get(node)
            .into_iter()
            .flat_map(|it| &it.outcomes);
        let catches = self.net.catches.iter();
        let caught = catches.filter(|catch| {
            let mut start = catch.start.iter();
            start.any(|key| self.taker(key) == Some(node))
        });
        let caught = caught.map(|catch| &catch.failed);
        let left = outcomes.chain(caught).flatten();
        left.filter_map(|key| self.taker(key)).collect()
    }

    /// The nodes that lead to a node, and itself.
    fn to(&self, node: usize) -> Vec<String> {
        let nodes = std::iter::successors(Some(node), |node| self.before.get(node).copied());
        let ids = nodes.filter_map(|node| self.net.nodes.get(node));
        let mut run: Vec<String> = ids.map(|node| node.id.clone()).collect();
        run.reverse();
        self.around.iter().cloned().chain(run).collect()
    }

    /// The nodes that lead to the one that takes these states, and itself.
    fn to_taker(&self, states: &[String]) -> Vec<String> {
        let taker = states.first().and_then(|key| self.taker(key));
        taker.map_or_else(|| self.around.to_vec(), |taker| self.to(taker))
    }

    /// The nodes after which a state waits.
    fn to_state(&self, state: &str) -> Vec<String> {
        let leaves = |node: &LockedNode| node.outcomes.iter().flatten().any(|it| it == state);
        let caught = |catch: &&LockedCatch| catch.failed.iter().any(|it| it == state);
        if let Some(node) = self.net.nodes.iter().position(leaves) {
            return self.to(node);
        }
        let catch = self.net.catches.iter().find(caught);
        catch.map_or_else(|| self.around.to_vec(), |catch| self.to_taker(&catch.start))
    }
}
