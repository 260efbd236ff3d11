//! Whether runs of earlier versions can go on in a graph, wherever they are.

mod inputs;

use std::collections::{BTreeMap, BTreeSet};

use pravah_graph::{Place as NetPlace, WayOut};

use super::{
    FlowLock, LockProblem, LockReport, NewNodes,
    net::{LockedNet, LockedNode, LockedProgress, node_in_words},
    paths::Paths,
    schema::{Unreadable, unmovable, unreadable},
    unused::unused,
    version::LockedVersion,
};
use crate::{
    engine::{LoadOptions, SlotMigration},
    graph::{FlowGraph, NodeIx, Place, SlotIx, Table, split_key},
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
        checker.returned(&graph.table);
        checker.schemas(&graph.table, &mut BTreeSet::new());
        if !is_this {
            report.new_nodes.push(NewNodes {
                release: version.release.clone(),
                nodes: this.nodes_not_in(&version.version()),
            });
        }
    }
    report.unused_migrations = unused(lock, graph, options);
    report
}

/// Checks one version.
struct Checker<'a> {
    version: &'a LockedVersion,
    options: &'a LoadOptions,
    problems: &'a mut Vec<LockProblem>,
}

/// Where the states of a net wait in another version.
type Placements<'a> = BTreeMap<&'a str, Placement>;

#[derive(Clone, Copy)]
struct Placement {
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
        let paths = Paths::of(net, around);
        let placements = self.placements(net, table, &paths);
        let Some(way_out) = table.way_out() else {
            return;
        };
        let places = |keys: &[&str]| -> Option<Vec<NetPlace>> {
            let places = keys.iter().map(|key| placements.get(key));
            places
                .map(|placement| placement.map(|placement| table.net_place(placement.place.slot)))
                .collect()
        };
        let mut check =
            |before: Option<&[&str]>, after: &[String], path: &dyn Fn() -> Vec<String>| {
                let keys: Vec<&str> = after.iter().map(String::as_str).collect();
                let before = before.map_or_else(|| Some(Vec::new()), places);
                let (Some(before), Some(after)) = (before, places(&keys)) else {
                    // That a state has no place is a problem of its own.
                    return;
                };
                if !can_follow(way_out, before, after) {
                    self.problems.push(LockProblem::Stranded {
                        release: self.version.release.clone(),
                        path: path(),
                        states: keys.into_iter().map(str::to_owned).collect(),
                    });
                }
            };
        check(None, &net.start, &|| around.to_vec());
        for (index, node) in net.nodes.iter().enumerate() {
            for outcome in &node.outcomes {
                for taken in alternatives(node) {
                    check(Some(&taken), outcome, &|| paths.to(index));
                }
            }
        }
        for catch in &net.catches {
            let start: Vec<&str> = catch.start.iter().map(String::as_str).collect();
            check(Some(&start), &catch.failed, &|| {
                paths.to_taker(&catch.start)
            });
        }
        for (index, node) in net.nodes.iter().enumerate() {
            self.progress((index, node), table, &placements, &paths);
        }
    }

    /// Where each state of a net waits; those that have no place are reported.
    fn placements<'n>(
        &mut self,
        net: &'n LockedNet,
        table: &Table,
        paths: &Paths<'_>,
    ) -> Placements<'n> {
        let mut placements = Placements::new();
        for node in &net.nodes {
            for key in node.takes.iter().flatten() {
                let found = table.place_of(key, Some(node.taker_of(key)));
                let moved = || {
                    let moved = self.options.moves_of(key).next()?;
                    table.place_of(&moved.place(), None).ok().flatten()
                };
                let place = match found {
                    Ok(Some(place)) => Some((place, false)),
                    Err(ambiguous) if self.options.moves_of(key).next().is_none() => {
                        let candidates = ambiguous.candidates.into_iter().map(str::to_owned);
                        self.problems.push(LockProblem::Ambiguous {
                            release: self.release(),
                            state: key.clone(),
                            candidates: candidates.collect(),
                        });
                        continue;
                    }
                    Ok(None) | Err(_) => moved().map(|place| (place, true)),
                };
                match place {
                    Some((place, is_moved)) => {
                        if is_moved {
                            self.moved_schema(key, self.options.moves_of(key));
                        }
                        placements.insert(key, Placement { place, is_moved });
                    }
                    None => self.problems.push(LockProblem::Gone {
                        release: self.release(),
                        state: key.clone(),
                        path: paths.to_state(key),
                        migrations: self.options.migrations().why_not_moved(key, table),
                    }),
                }
            }
        }
        self.inputs(net, table, &placements);
        placements
    }

    /// Whether what a node has done before the end of its step is of use, and what has started of a list.
    fn progress(
        &mut self,
        (index, node): (usize, &LockedNode),
        table: &Table,
        placements: &Placements<'_>,
        paths: &Paths<'_>,
    ) {
        let (Some(before), Some(placement)) = (
            &node.progress,
            node.key().and_then(|key| placements.get(key).copied()),
        ) else {
            return;
        };
        let here = table.slot(placement.place.slot).node;
        let now = LockedProgress::of(table, here);
        let is_fed = takes_the_same(node, here, (table, placements));
        if placement.is_moved || !is_fed || now.as_ref() != Some(before) {
            // The node starts over.
            if self.options.drops_progress() {
                return;
            }
            let now = match (placement.is_moved, now.as_ref() == Some(before)) {
                (true, _) => "another node, to which its state is moved".to_owned(),
                (false, true) => "one that takes other states".to_owned(),
                (false, false) => node_in_words(table, here),
            };
            self.problems.push(LockProblem::Progress {
                release: self.release(),
                node: node.id.clone(),
                before: before.to_string(),
                now,
            });
        } else if let (Some(chain), Some(inner)) = (&node.chain, table.inner(here))
            && !self.options.drops_progress()
        {
            self.net(chain, inner, &paths.to(index));
        }
    }

    /// Whether a run that has returned, and waits for detached tasks, has returned what this version does.
    fn returned(&mut self, table: &Table) {
        let output = table.state_key(table.output);
        let Some(returned) = (self.version.returned.as_ref()).filter(|it| ***it != **output) else {
            return;
        };
        let moves = || self.options.moves_of(returned);
        if moves().any(|moved| moved.place() == **output) {
            return self.moved_schema(returned, moves().filter(|it| it.place() == **output));
        }
        self.problems.push(LockProblem::Returned {
            release: self.release(),
            before: returned.clone(),
            now: output.to_string(),
            migrations: self.options.migrations().why_not_moved(returned, table),
        });
    }

    /// Whether a state whose place is gone can be read as one of the forms in which it is moved.
    fn moved_schema<'m>(&mut self, key: &str, moves: impl Iterator<Item = &'m SlotMigration>) {
        let (state, _) = split_key(key);
        let Some(stored) = self.version.schemas.get(state) else {
            return;
        };
        let unreadable: Option<Vec<Unreadable>> = moves
            .map(|it| unmovable((state, stored), it, self.options))
            .collect();
        if let Some(first) = unreadable.into_iter().flatten().next() {
            self.unreadable(state, first);
        }
    }

    fn unreadable(&mut self, state: &str, unreadable: Unreadable) {
        let Unreadable {
            why,
            migrations,
            help,
        } = unreadable;
        self.problems.push(LockProblem::Unreadable {
            release: self.release(),
            state: state.to_owned(),
            why,
            migrations,
            help,
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
            if let Some(why) =
                form.and_then(|form| unreadable((&*state.key, stored), form, self.options))
            {
                self.unreadable(&state.key, why);
            }
        }
        for (_, chain) in table.lists() {
            self.schemas(chain, seen);
        }
    }
}

/// Whether what a node took is all that another takes now.
fn takes_the_same(
    node: &LockedNode,
    here: NodeIx,
    (table, placements): (&Table, &Placements<'_>),
) -> bool {
    let slots = node.takes.iter().map(|keys| {
        let mut places = keys.iter().map(|key| placements.get(key.as_str()));
        let first = places.next()??.place.slot;
        let is_here = table.slot(first).node == here;
        let are_same = places.all(|it| it.is_some_and(|it| it.place.slot == first));
        (is_here && are_same).then_some(first)
    });
    let slots: Option<BTreeSet<SlotIx>> = slots.collect();
    slots.is_some_and(|slots| slots.len() == table.node(here).slots.len())
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
