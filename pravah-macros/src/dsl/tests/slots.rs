//! Slots against brute force: where some slots make a flow sound, those that are found do.

use proptest::prelude::*;

use super::{
    super::{order, parallel::Order},
    Graph, lowered, sound,
};

/// What comes after a node: nothing, or nodes by their numbers.
#[derive(Clone, Debug)]
enum After {
    One(usize),
    Either(usize, usize),
    Fork(usize, usize),
    Fork3(usize, usize, usize),
}

fn flow(nodes: usize) -> impl Strategy<Value = String> {
    let node = 1..nodes + 1;
    let after = prop_oneof![
        3 => node.clone().prop_map(After::One),
        3 => (node.clone(), node.clone()).prop_map(|(a, b)| After::Either(a, b)),
        3 => (node.clone(), node.clone()).prop_map(|(a, b)| After::Fork(a, b)),
        1 => (node.clone(), node.clone(), node).prop_map(|(a, b, c)| After::Fork3(a, b, c)),
    ];
    let joins = prop::collection::vec(any::<bool>(), nodes + 1);
    let caught = prop::option::weighted(0.3, (0..nodes, 1..nodes + 1));
    let all = (prop::collection::vec(after, nodes), joins, caught);
    all.prop_map(move |(after, joins, caught)| {
        let target = |node: &usize| match (*node == nodes, joins[*node]) {
            (true, _) => "done".to_owned(),
            (false, true) => format!("join(n{node})"),
            (false, false) => format!("n{node}"),
        };
        let statements = after.iter().enumerate().map(|(node, after)| match after {
            After::One(a) => format!("n{node} -> {}", target(a)),
            After::Either(a, b) => format!("n{node} -> either({}, {})", target(a), target(b)),
            After::Fork(a, b) => format!("n{node} -> fork({}, {})", target(a), target(b)),
            After::Fork3(a, b, c) => {
                format!(
                    "n{node} -> fork({}, {}, {})",
                    target(a),
                    target(b),
                    target(c)
                )
            }
        });
        let caught = caught.map(|(node, rescue)| format!("catch(n{node}) -> {}", target(&rescue)));
        statements.chain(caught).collect::<Vec<_>>().join("; ")
    })
}

/// Whether some slots for the arcs into each join make the flow sound.
fn can_be_sound(graph: &mut Graph, node: usize) -> bool {
    if node == graph.nodes.len() {
        return sound::is_sound(graph);
    }
    let arcs = graph.incoming()[node].clone();
    if graph.nodes[node].join.is_none() {
        graph.nodes[node].slots = vec![arcs];
        return can_be_sound(graph, node + 1);
    }
    splits(&arcs).into_iter().any(|slots| {
        graph.nodes[node].slots = slots;
        can_be_sound(graph, node + 1)
    })
}

/// All ways to split `arcs`.
fn splits(arcs: &[usize]) -> Vec<Vec<Vec<usize>>> {
    let Some((first, rest)) = arcs.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for split in splits(rest) {
        for at in 0..split.len() {
            let mut with = split.clone();
            with[at].push(*first);
            all.push(with);
        }
        let mut alone = split;
        alone.push(vec![*first]);
        all.push(alone);
    }
    all
}

/// Whether arcs are parallel as `pravah_graph` has it of their slots.
pub(super) fn is_exact(graph: &Graph) -> bool {
    let bytes = sound::concurrency(graph);
    let slots: Vec<&Vec<usize>> = graph.nodes.iter().flat_map(|node| &node.slots).collect();
    let row = slots.len().div_ceil(8);
    (0..slots.len()).all(|one| {
        (0..slots.len()).all(|other| {
            let byte = bytes.get(one * row + other / 8).copied();
            let are = byte.unwrap_or_default() >> (other % 8) & 1 == 1;
            let mut pairs = slots[one].iter();
            are == pairs.any(|arc| slots[other].iter().any(|it| graph.parallel.are(*arc, *it)))
        })
    })
}

/// Whether no fork has two slots of a node in another order, unless that is said.
pub(super) fn is_in_order(graph: &Graph) -> bool {
    graph.nodes.iter().enumerate().all(|(index, node)| {
        let unclear = order::unclear_orders(graph, index);
        let is_unclear = |slots: [usize; 2]| unclear.iter().any(|it| it.slots == slots);
        node.slots.iter().enumerate().all(|(at, slot)| {
            node.slots
                .iter()
                .enumerate()
                .skip(at + 1)
                .all(|(after, other)| {
                    let order = graph.parallel.order(slot, other);
                    order == Order::Before || order == Order::None || is_unclear([at, after])
                })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn slots_that_make_a_flow_sound_are_found(flow in (3..8_usize).prop_flat_map(flow)) {
        let (mut graph, errors) = lowered(&flow);
        let errors = errors.shown();
        let is_refused = errors.iter().any(|error| error.contains("without `join`"));
        let is_small = graph.incoming().iter().all(|arcs| arcs.len() < 6);
        if sound::is_sound(&graph) {
            prop_assert!(is_exact(&graph) && is_in_order(&graph), "{}", flow);
        } else if is_small && !is_refused && !graph.nodes.is_empty() {
            prop_assert!(!can_be_sound(&mut graph, 0), "{}: {:?}", flow, errors);
        }
    }
}
