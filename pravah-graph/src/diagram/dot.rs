//! Graphviz' DOT language.

use super::{Diagram, DiagramNode, Node, NodeKind, name};

pub(super) fn draw(diagram: &Diagram) -> String {
    let title = escape(&diagram.title);
    let mut text = format!("digraph \"{title}\" {{\n");
    // Ranks across frames, so that a loop does not pull a frame above the start.
    text += &format!("    graph [label=\"{title}\", labelloc=t, compound=true, newrank=true];\n");
    text += "    graph [fontname=\"sans-serif\"];\n";
    text += "    node [fontname=\"sans-serif\"];\n";
    text += "    edge [fontname=\"sans-serif\", fontsize=10];\n";
    contents(diagram, "", 1, &mut text);
    text += "}\n";
    text
}

fn contents(diagram: &Diagram, frame: &str, depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for (at, node) in diagram.nodes.iter().enumerate() {
        let name = name(frame, DiagramNode(at));
        let label = escape(&node.label);
        match &node.inside {
            None => {
                let shape = shape(node.kind);
                *text += &format!("{indent}{name} [label=\"{label}\", {shape}];\n");
            }
            Some(inside) => {
                *text += &format!("{indent}subgraph cluster_{name} {{\n");
                *text += &format!("{indent}    label=\"{label}\";\n");
                contents(inside, &name, depth + 1, text);
                *text += &format!("{indent}}}\n");
            }
        }
    }
    for (edge, from, to) in diagram.known_edges() {
        let mut attributes = Vec::new();
        if !edge.label.is_empty() {
            attributes.push(format!("label=\"{}\"", escape(&edge.label)));
        }
        if edge.caught {
            attributes.push("style=dashed".to_owned());
        }
        // An edge ends at a node; a frame only cuts it off.
        let (mut tail, mut head) = (name(frame, edge.from), name(frame, edge.to));
        if from.inside.is_some() {
            attributes.push(format!("ltail=cluster_{tail}"));
            tail = innermost(from, tail, NodeKind::Done);
        }
        if to.inside.is_some() {
            attributes.push(format!("lhead=cluster_{head}"));
            head = innermost(to, head, NodeKind::Start);
        }
        let attributes = match attributes.join(", ") {
            list if list.is_empty() => list,
            list => format!(" [{list}]"),
        };
        *text += &format!("{indent}{tail} -> {head}{attributes};\n");
    }
}

/// The node without frame where an edge to or from a frame ends.
fn innermost(node: &Node, frame: String, kind: NodeKind) -> String {
    let landmark = node.inside.as_ref().and_then(|inside| {
        let at = inside.landmark(kind)?;
        Some((inside.get(at)?, at))
    });
    match landmark {
        Some((node, at)) => innermost(node, name(&frame, at), kind),
        None => frame,
    }
}

fn shape(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Start => "shape=oval",
        NodeKind::Done => "shape=oval, peripheries=2",
        NodeKind::Work => "shape=box",
        NodeKind::Choice => "shape=diamond",
        NodeKind::Fork => "shape=trapezium",
        NodeKind::Join => "shape=invtrapezium",
        NodeKind::Merge => "shape=hexagon",
        NodeKind::Agent => "shape=box, style=rounded",
        NodeKind::Gate => "shape=parallelogram",
        NodeKind::Each | NodeKind::Flow => "shape=box, peripheries=2",
        NodeKind::Rescue => "shape=cds",
    }
}

/// A text for within quotation marks. Backslashes start Graphviz' own escapes, and an
/// ampersand an HTML entity.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '"' => escaped += "\\\"",
            '\\' => escaped += "\\\\",
            '&' => escaped += "&amp;",
            '\n' => escaped += "\\n",
            _ if character.is_control() => escaped.push(' '),
            _ => escaped.push(character),
        }
    }
    escaped
}
