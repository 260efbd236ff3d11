//! Graphs of documents with loop edges and bodies hold every node once, and repeat what is between the ends of a loop.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::{collections::BTreeSet, fmt::Write, sync::LazyLock};

use pravah_document::{Catalogue, Graph, Member, Options, Problems, Work, read};
use proptest::prelude::*;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::standard);

type Pairs = BTreeSet<(usize, usize)>;

fn document(count: usize, edges: &Pairs, loops: &Pairs, body: &BTreeSet<usize>) -> String {
    let mut text = String::from("flow: { name: f }\nnodes:\n");
    for node in 0..count {
        writeln!(
            text,
            "- {{ id: n{node}, type: echo, input: {{ text: x }} }}"
        )
        .expect("it is a string");
    }
    let ids: Vec<_> = body.iter().map(|node| format!("n{node}")).collect();
    if !ids.is_empty() {
        let ids = ids.join(", ");
        writeln!(
            text,
            "- {{ id: each, type: control.foreach, input: {{ list: [1], body: [{ids}] }} }}"
        )
        .expect("it is a string");
    }
    text.push_str(
        "edges:\n- { from: n0, to: n0, when: { or: [] }, type: loop, maxIterations: 1 }\n",
    );
    for (from, to) in edges {
        writeln!(text, "- {{ from: n{from}, to: n{to} }}").expect("it is a string");
    }
    for (to, from) in loops {
        writeln!(
            text,
            "- {{ from: n{from}, to: n{to}, type: loop, maxIterations: 1 }}"
        )
        .expect("it is a string");
    }
    text
}

fn load(text: &str) -> Result<Graph, Problems> {
    read("f.yaml", text, &Options::new(&CATALOGUE)).map(|document| document.graph)
}

/// The ids in a graph, those of its regions and bodies among them; checks the edges on the way.
fn ids(graph: &Graph, edges: &mut usize) -> Vec<String> {
    *edges += graph.edges.len();
    for edge in &graph.edges {
        assert!(
            edge.from < graph.members.len()
                && edge.to < graph.members.len()
                && edge.from != edge.to
        );
    }
    let mut found = Vec::new();
    for member in &graph.members {
        match member {
            Member::Node(node) => {
                found.push(node.id.clone());
                if let Work::Foreach { body, .. } = &node.work {
                    found.extend(ids(body, edges));
                }
            }
            Member::Repeat(repeat) => {
                let inner = ids(&repeat.graph, edges);
                let (target, source) = repeat.id.split_once("..").expect("it names two nodes");
                assert!(
                    holds(&repeat.graph.members[repeat.target], target),
                    "{}",
                    repeat.id
                );
                assert!(
                    holds(&repeat.graph.members[repeat.source], source),
                    "{}",
                    repeat.id
                );
                found.extend(inner);
            }
        }
    }
    found
}

fn holds(member: &Member, id: &str) -> bool {
    match member {
        Member::Node(node) => node.id == id,
        Member::Repeat(repeat) => repeat.graph.members.iter().any(|member| holds(member, id)),
    }
}

fn pairs(count: usize, most: usize) -> impl Strategy<Value = Pairs> {
    let pair = (0..count, 0..count).prop_filter_map("it leads forward", |(from, to)| {
        (from < to).then_some((from, to))
    });
    prop::collection::btree_set(pair, 0..most)
}

/// The nodes on paths from one to another.
fn between(edges: &Pairs, count: usize, first: usize, last: usize) -> BTreeSet<usize> {
    let reaches = |from: usize, to: usize| {
        let mut seen = BTreeSet::from([from]);
        for node in from..count {
            if seen.contains(&node) {
                seen.extend(
                    edges
                        .iter()
                        .filter(|(from, _)| *from == node)
                        .map(|(_, to)| *to),
                );
            }
        }
        seen.contains(&to)
    };
    (first..=last)
        .filter(|node| reaches(first, *node) && reaches(*node, last))
        .collect()
}

/// Whether the loop edges make regions as they have to be.
fn is_sound(edges: &Pairs, loops: &Pairs, count: usize) -> bool {
    let regions: Vec<_> = loops
        .iter()
        .map(|(to, from)| (between(edges, count, *to, *from), *to, *from))
        .collect();
    regions
        .iter()
        .enumerate()
        .all(|(index, (region, target, source))| {
            let is_entered_well = edges
                .iter()
                .all(|(from, to)| region.contains(from) || !region.contains(to) || to == target);
            let is_left_well = edges
                .iter()
                .all(|(from, to)| !region.contains(from) || region.contains(to) || from == source);
            let are_nested = regions.iter().take(index).all(|(other, ..)| {
                region.is_disjoint(other) || region.is_subset(other) || region.is_superset(other)
            });
            !region.is_empty() && is_entered_well && is_left_well && are_nested
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn loop_edges_are_taken_exactly_if_their_regions_are_sound(
        (count, edges, loops) in (2..7_usize).prop_flat_map(|count| (Just(count), pairs(count, 8), pairs(count, 3))),
    ) {
        let text = document(count, &edges, &loops, &BTreeSet::new());
        match load(&text) {
            Ok(graph) => {
                prop_assert!(is_sound(&edges, &loops, count), "{}", text);
                let mut counted = 0;
                let mut found = ids(&graph, &mut counted);
                found.sort_unstable();
                let expected: Vec<_> = (0..count).map(|node| format!("n{node}")).collect();
                prop_assert_eq!((found, counted), (expected, edges.len()), "{}", text);
            }
            Err(problems) => {
                prop_assert!(problems.iter().all(|problem| problem.code == "loop-region"), "{}", problems);
                prop_assert!(!is_sound(&edges, &loops, count), "{}", problems);
            }
        }
    }

    #[test]
    fn edges_are_taken_exactly_if_they_stay_within_a_body(
        (count, edges, body) in (2..7_usize).prop_flat_map(|count| (Just(count), pairs(count, 6), prop::collection::btree_set(1..count, 1..4))),
    ) {
        let text = document(count, &edges, &Pairs::new(), &body);
        let is_sound = edges.iter().all(|(from, to)| body.contains(from) == body.contains(to));
        match load(&text) {
            Ok(graph) => {
                prop_assert!(is_sound, "{}", text);
                let mut counted = 0;
                let found = ids(&graph, &mut counted);
                let own = edges.iter().filter(|(from, _)| body.contains(from)).count();
                let implied = if own == 0 { body.len() - 1 } else { 0 };
                prop_assert_eq!((found.len(), counted), (count + 1, edges.len() + implied), "{}", text);
            }
            Err(problems) => {
                prop_assert!(!is_sound, "{}", problems);
                prop_assert!(problems.iter().all(|problem| problem.code == "crosses-body"), "{}", problems);
            }
        }
    }
}
