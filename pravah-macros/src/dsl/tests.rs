//! What flows mean and what is said of those that mean nothing, from their texts.

mod forks;
mod graphs;
mod mistakes;
mod random;
mod recovery;
mod slots;
mod soundness;

use proc_macro2::{Span, TokenStream};

use super::{From, Graph, NodeBody, To, lower::lower, parse::parse, sound, tokens::paths};
use crate::diag::Diagnostics;

fn tokens(flow: &str) -> TokenStream {
    flow.parse().expect("the text of a flow is Rust tokens")
}

fn lowered(flow: &str) -> (Graph, Diagnostics) {
    let mut errors = Diagnostics::default();
    let statements = parse(tokens(flow), Span::call_site(), &mut errors);
    if !errors.is_empty() {
        return (Graph::default(), errors);
    }
    let graph = lower(&statements, &mut errors);
    if let Some(graph) = &graph {
        sound::check(graph, &mut errors);
    }
    (graph.unwrap_or_default(), errors)
}

/// The arcs of a sound flow, one for each line. `d[1]` is a slot, where there are several.
fn drawn(flow: &str) -> String {
    let (graph, errors) = lowered(flow);
    assert_eq!(errors.shown(), Vec::<String>::new(), "{flow}");
    let mut lines = Vec::new();
    draw(&graph, "", &mut lines);
    lines.join("\n")
}

fn draw(graph: &Graph, indent: &str, lines: &mut Vec<String>) {
    for (index, arc) in graph.arcs.iter().enumerate() {
        let from = match arc.from {
            From::Input => "input".to_owned(),
            From::Output(node, output) => format!("{}.{output}", graph.name(node)),
            From::Failure(node) => format!("catch({})", graph.name(node)),
        };
        let to = match arc.to {
            To::Done => "done".to_owned(),
            To::Node(node) => {
                let slots = &graph.nodes[node].slots;
                let slot = slots.iter().position(|slot| slot.contains(&index));
                match slots.len() {
                    1 => graph.name(node),
                    _ => format!(
                        "{}[{}]",
                        graph.name(node),
                        slot.expect("every arc has a slot")
                    ),
                }
            }
        };
        lines.push(format!("{indent}{from} -> {to}"));
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        if let NodeBody::Each { inner, .. } = &node.body {
            lines.push(format!("{indent}{}:", graph.name(index)));
            draw(inner, &format!("{indent}  "), lines);
        }
    }
}

/// The mistakes of a flow: the text that each is labelled at, and what it says.
fn mistakes(flow: &str) -> Vec<String> {
    lowered(flow).1.shown()
}

/// The paths that a flow emits again when it was refused.
fn kept(flow: &str) -> String {
    let paths = paths(tokens(flow));
    paths
        .iter()
        .map(|path| path.key.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}
