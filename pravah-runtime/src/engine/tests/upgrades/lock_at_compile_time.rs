//! What the compiler finds out with a lock, against what is found out with a graph.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{super::random::config, flows::Dice, lock::versions};
use crate::{
    FlowGraph, FlowLock, LockProblem,
    check::{
        self, LockedMove, LockedNet, LockedPlace, LockedVersion, check_lock, lock_size, weights,
    },
    graph::{NodeKind, NodeSpec},
    state::StateRef,
    topology::{
        ArcFrom, ArcTo, Carried, Ends, FailureName, ParamRef, Shape, Signature, Source, Topology,
        TopologyArc, TopologyNode,
    },
};

/// Room for every flow that is drawn here.
const SIZE: usize = 2_048;

fn leaked<T>(values: Vec<T>) -> &'static [T] {
    Vec::leak(values)
}

fn state(name: &str) -> StateRef {
    let name = String::leak(name.to_owned());
    StateRef::named(name, name)
}

/// A graph as the macro would have it at compile time.
fn topology(graph: &FlowGraph, is_list: bool) -> &'static Topology {
    let specs: &[NodeSpec] = &graph.specs;
    let wiring = &graph.specs.wiring;
    let (mut arcs, mut carried) = (Vec::new(), Vec::new());
    let mut slots: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    let mut branches: Vec<Vec<usize>> = vec![Vec::new(); specs.len()];
    let mut add = |from: ArcFrom, ports: &[crate::graph::Port], name: &str, source: Source| {
        let first = arcs.len();
        let to = ports.iter().map(|port| Some((port.node, port.param)));
        let to: Vec<_> = match ports {
            [] => vec![None],
            _ => to.collect(),
        };
        for port in to {
            if let Some(port) = port {
                slots.entry(port).or_default().push(arcs.len());
            }
            let to = port.map_or(ArcTo::Done, |(node, _)| ArcTo::Node(node));
            arcs.push(TopologyArc::new(from, to));
            let state = Some(state(name));
            carried.push(Carried {
                state,
                from: "",
                source,
            });
        }
        first..arcs.len()
    };
    add(ArcFrom::Input, &wiring.entry, graph.input(), Source::Input);
    for (node, (spec, wired)) in specs.iter().zip(&wiring.nodes).enumerate() {
        for (output, (ports, name)) in wired.outputs.iter().zip(&spec.outputs).enumerate() {
            let from = ArcFrom::Output { node, output };
            branches[node].extend(add(from, ports, name, Source::Output));
        }
        if let Some(catch) = &spec.catch {
            let from = ArcFrom::Failure { node };
            add(from, &wired.catch, &catch.name, Source::Failure);
        }
    }
    let nodes = specs.iter().zip(branches).enumerate();
    let nodes = nodes.map(|(number, (spec, branches))| {
        let params = spec.params.iter().map(|names| {
            let states = names.iter().map(|name| state(name)).collect();
            ParamRef::of_state(leaked(states))
        });
        let outputs = spec.outputs.iter().map(|name| state(name)).collect();
        let shape = Shape::new(spec.shape, leaked(outputs));
        let id: &str = String::leak(spec.id.to_string());
        let signature = Signature::new(id, leaked(params.collect()), shape);
        let slots = (0..spec.params.len()).map(|param| {
            let arcs = slots.get(&(number, param)).cloned();
            leaked(arcs.unwrap_or_default())
        });
        let failure = || -> &'static FailureName { Box::leak(FailureName::of(signature).into()) };
        TopologyNode {
            id,
            inside: match &spec.kind {
                NodeKind::Flow(inner) => Some(topology(inner, false)),
                NodeKind::Each(each) => Some(topology(&each.chain, true)),
                _ => None,
            },
            written: id,
            signature,
            follows: spec.shape,
            branches: leaked(branches),
            slots: leaked(slots.collect()),
            join: spec.params.len() > 1,
            unclear_orders: &[],
            renamed_use: None,
            alias_of: None,
            failure: spec.catch.as_ref().map(|_| failure()),
        }
    });
    let nodes = leaked(nodes.collect());
    let ends = match is_list {
        true => Ends::NONE,
        false => Ends::of(Some(state(graph.input())), Some(state(graph.output()))),
    };
    let net = Topology::new("", nodes, leaked(arcs), leaked(carried), ends);
    Box::leak(net.into())
}

/// A net of a lock as the macro would write it.
fn locked(net: &serde_json::Value) -> &'static LockedNet {
    let texts = |value: &serde_json::Value| -> Vec<&'static str> {
        let texts = value.as_array().unwrap().iter();
        let texts = texts.map(|text| &*String::leak(text.as_str().unwrap().to_owned()));
        texts.collect()
    };
    let nodes = net["nodes"].as_array().unwrap();
    let (mut places, mut chains) = (Vec::new(), Vec::new());
    for node in nodes {
        let id: &str = String::leak(node["id"].as_str().unwrap().to_owned());
        if let Some(chain) = node.get("chain") {
            chains.push((places.len(), locked(chain)));
        }
        for key in node["takes"].as_array().unwrap().iter().flat_map(texts) {
            let taker = key.split_once('@').map_or(id, |(_, taker)| taker);
            places.push(LockedPlace {
                key,
                taker,
                left_by: None,
            });
        }
    }
    let numbers = |value: &serde_json::Value| -> &'static [usize] {
        let keys = texts(value).into_iter();
        let numbers = keys.map(|key| places.iter().position(|place| place.key == key).unwrap());
        leaked(numbers.collect())
    };
    let mut moves = Vec::new();
    for node in nodes {
        let takes = node["takes"].as_array().unwrap().iter();
        let takes: Vec<usize> = takes.flat_map(&numbers).copied().collect();
        let takes = leaked(takes);
        for outcome in node["outcomes"].as_array().unwrap() {
            moves.push(LockedMove {
                node: String::leak(node["id"].as_str().unwrap().to_owned()),
                before: None,
                takes,
                leaves: numbers(outcome),
            });
        }
    }
    for catch in net["catches"].as_array().into_iter().flatten() {
        moves.push(LockedMove {
            node: "",
            before: None,
            takes: numbers(&catch["start"]),
            leaves: numbers(&catch["failed"]),
        });
    }
    Box::leak(Box::new(LockedNet {
        start: numbers(&net["start"]),
        moves: leaked(moves),
        chains: leaked(chains),
        places: leaked(places),
    }))
}

/// Whether the compiler accepts a version with such a lock.
fn compiles(lock: &FlowLock, graph: &FlowGraph) -> Result<(), String> {
    let json: serde_json::Value = serde_json::from_str(&lock.to_json()).unwrap();
    let version = LockedVersion {
        release: "1",
        net: locked(&json["versions"][0]),
    };
    let net = topology(graph, false);
    assert!(lock_size(net) <= SIZE);
    let lock = check::FlowLock {
        flow: "Start",
        is_named: false,
        versions: leaked(vec![version]),
    };
    let check = move || check_lock::<SIZE>(net, &lock, &[]);
    // Constants have no stack that could be too small.
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(check);
    let checked = thread.unwrap().join();
    checked.map_err(|panic| *panic.downcast::<String>().unwrap())
}

fn compare(seed: u64, depth: usize, changes: usize) -> (usize, usize) {
    let versions = versions(seed, depth, changes);
    let mut lock = FlowLock::new("Start");
    lock.add("1", &versions[0].known_without_reads().graph);
    let (mut accepted, mut refused) = (0, 0);
    for block in &versions {
        let graph = &block.known_without_reads().graph;
        let compiles = compiles(&lock, graph);
        let problems = lock.check(graph).problems;
        let strands = |problem: &LockProblem| {
            matches!(
                problem,
                LockProblem::Gone { .. }
                    | LockProblem::Ambiguous { .. }
                    | LockProblem::Stranded { .. }
            )
        };
        let is_ok = !problems.iter().any(strands);
        assert_eq!(
            compiles.is_ok(),
            is_ok,
            "{compiles:?}\n{problems:?}\n{versions:?}\n{block:?}"
        );
        match is_ok {
            true => accepted += 1,
            false => refused += 1,
        }
    }
    (accepted, refused)
}

/// Markings weigh as much as the end exactly if they can finish, and as much as each other exactly if one can stand for
/// the other.
fn weigh(seed: u64, depth: usize) -> (usize, usize) {
    let dice = Dice::new(seed);
    let known = versions(seed, depth, 1)[0].known_without_reads();
    let (table, net) = (&known.graph.table, topology(&known.graph, false));
    let places: Vec<_> = table.place_by_key.iter().collect();
    let keys = places
        .iter()
        .map(|(key, _)| &*String::leak(key.to_string()));
    let keys: Vec<&'static str> = keys.collect();
    let weigh = move || weights::<SIZE>(net, &keys);
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(weigh);
    let (weights, end) = thread.unwrap().join().unwrap();
    let way_out = table.way_out().unwrap();
    let (mut same, mut different) = (0, 0);
    for _ in 0..300 {
        let draw = || -> Vec<usize> {
            let count = 1 + dice.below(3);
            (0..count).map(|_| dice.below(places.len())).collect()
        };
        let (these, those) = (draw(), draw());
        let marked = |marking: &[usize]| -> Vec<_> {
            let slots = marking.iter().map(|place| places[*place].1.slot);
            slots.map(|slot| table.net_place(slot)).collect()
        };
        let sum = |marking: &[usize]| {
            let weights = marking.iter().map(|place| weights[*place]);
            weights.fold(0, u128::wrapping_add)
        };
        let done = [pravah_graph::Place::Done];
        assert_eq!(
            sum(&these) == end,
            way_out.are_interchangeable(marked(&these), done)
        );
        let is_same = way_out.are_interchangeable(marked(&these), marked(&those));
        assert_eq!(sum(&these) == sum(&those), is_same);
        match is_same {
            true => same += 1,
            false => different += 1,
        }
    }
    (same, different)
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn the_compiler_accepts_what_a_lock_accepts(
        seed: u64,
        depth in 1_usize..4,
        changes in 1_usize..4,
    ) {
        compare(seed, depth, changes);
    }

    #[test]
    fn what_waits_weighs_as_much_as_the_end_exactly_if_it_can_finish(
        seed: u64,
        depth in 1_usize..4,
    ) {
        weigh(seed, depth);
    }
}

#[test]
fn markings_of_equal_and_of_different_weights_are_drawn_often() {
    let (mut same, mut different) = (0, 0);
    for seed in 0..60 {
        let found = weigh(seed, 2);
        same += found.0;
        different += found.1;
    }
    assert!(same > 500 && different > 5_000, "{same} and {different}");
}

#[test]
fn both_are_met_often() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..60 {
        let found = compare(seed, 2, 1);
        accepted += found.0;
        refused += found.1;
    }
    assert!(accepted > 100 && refused > 100, "{accepted} and {refused}");
}
