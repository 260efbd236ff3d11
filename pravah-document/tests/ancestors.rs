//! What a binding may name, beside all ways in which a document can run (P9).

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use std::fmt::Write;

use pravah_document::{Catalogue, Options, read};
use proptest::prelude::*;

/// Nodes that only lead to later ones; some of them are merges of any.
#[derive(Clone, Debug)]
struct Graph {
    merges: Vec<bool>,
    edges: Vec<(usize, usize)>,
}

fn any_graph() -> impl Strategy<Value = Graph> {
    (2..8_usize).prop_flat_map(|count| {
        let merges = prop::collection::vec(prop::bool::weighted(0.4), count);
        let pair = (0..count, 0..count).prop_filter_map("it leads forward", |(from, to)| {
            (from < to).then_some((from, to))
        });
        let edges =
            prop::collection::btree_set(pair, 0..12).prop_map(|edges| edges.into_iter().collect());
        (merges, edges).prop_map(|(merges, edges)| Graph { merges, edges })
    })
}

impl Graph {
    fn sources(&self, node: usize) -> Vec<usize> {
        self.edges
            .iter()
            .filter(|(_, to)| *to == node)
            .map(|(from, _)| *from)
            .collect()
    }

    fn is_any(&self, node: usize) -> bool {
        self.merges.get(node) == Some(&true)
    }

    /// The sets of nodes that may be all that has run before a node: a merge of any waits for one of its sources, any
    /// other node for all of them.
    fn pasts(&self, node: usize) -> Vec<u32> {
        let sources = self.sources(node);
        let pasts = |source: &usize| -> Vec<u32> {
            self.pasts(*source)
                .into_iter()
                .map(|past| past | 1 << source)
                .collect()
        };
        let mut found: Vec<u32> = if sources.is_empty() {
            vec![0]
        } else if self.is_any(node) {
            sources.iter().flat_map(pasts).collect()
        } else {
            sources.iter().map(pasts).fold(vec![0], |whole, part| {
                whole
                    .iter()
                    .flat_map(|left| part.iter().map(move |right| left | right))
                    .collect()
            })
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    fn document(&self, reader: usize, read: &str) -> String {
        let mut text = String::from("flow: { name: f }\nedges:\n");
        for (from, to) in &self.edges {
            writeln!(text, "- {{ from: n{from}, to: n{to} }}").expect("it is a string");
        }
        text.push_str("- { from: first, to: last }\nnodes:\n- { id: first, type: echo, input: { text: x } }\n- { id: last, type: echo, input: { text: x } }\n");
        for node in 0..self.merges.len() {
            let (kind, input) = if self.is_any(node) {
                ("control.merge", "mode: any")
            } else {
                ("echo", "text: x")
            };
            let value = if node == reader && !self.is_any(node) {
                format!("text: \"{read}\"")
            } else {
                input.to_owned()
            };
            writeln!(
                text,
                "- {{ id: n{node}, type: {kind}, input: {{ {value} }} }}"
            )
            .expect("it is a string");
        }
        text
    }
}

fn codes(text: &str, catalogue: &Catalogue) -> Vec<&'static str> {
    match read("f.yaml", text, &Options::new(catalogue)) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(|problem| problem.code).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None,
        cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_binding_names_what_has_run_in_every_past(graph in any_graph()) {
        let catalogue = Catalogue::standard().only(&["core"]);
        for reader in (0..graph.merges.len()).filter(|node| !graph.is_any(*node)) {
            let pasts = graph.pasts(reader);
            for source in (0..graph.merges.len()).filter(|source| *source != reader) {
                let is_in = |past: &&u32| **past & (1 << source) != 0;
                let count = pasts.iter().filter(is_in).count();
                let expected: &[&str] = match count {
                    0 => &["not-before"],
                    _ if count == pasts.len() => &[],
                    _ => &["may-be-absent"],
                };
                let text = graph.document(reader, &format!("of {{{{ n{source} }}}}"));
                prop_assert_eq!(codes(&text, &catalogue), expected, "n{} in n{}: {}", source, reader, text);
                if count > 0 {
                    let text = graph.document(reader, &format!("of {{{{ ?n{source} }}}}"));
                    prop_assert_eq!(codes(&text, &catalogue), [""; 0]);
                }
            }
        }
    }
}
