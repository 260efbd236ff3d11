//! Mermaid flow charts, in the syntax that every version since 9 reads.

use super::{Diagram, DiagramNode, Node, NodeKind, name};

pub(super) fn draw(diagram: &Diagram) -> String {
    let mut text = format!("---\ntitle: {}\n---\nflowchart TD\n", yaml(&diagram.title));
    contents(diagram, "", 1, &mut text);
    text
}

fn contents(diagram: &Diagram, frame: &str, depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for (at, node) in diagram.nodes.iter().enumerate() {
        let name = name(frame, DiagramNode(at));
        let label = escape(&node.label);
        match &node.inside {
            None => {
                let (open, close) = brackets(node);
                *text += &format!("{indent}{name}{open}\"{label}\"{close}\n");
            }
            Some(inside) => {
                *text += &format!("{indent}subgraph {name}[\"{label}\"]\n");
                contents(inside, &name, depth + 1, text);
                *text += &format!("{indent}end\n");
            }
        }
    }
    for (edge, _, _) in diagram.known_edges() {
        let arrow = if edge.caught { "-.->" } else { "-->" };
        let state = match edge.label.as_str() {
            "" => String::new(),
            label => format!("|\"{}\"|", escape(label)),
        };
        let (from, to) = (name(frame, edge.from), name(frame, edge.to));
        *text += &format!("{indent}{from} {arrow}{state} {to}\n");
    }
}

fn brackets(node: &Node) -> (&'static str, &'static str) {
    match node.kind {
        NodeKind::Start => ("((", "))"),
        NodeKind::Done => ("(((", ")))"),
        NodeKind::Work => ("[", "]"),
        NodeKind::Choice => ("{", "}"),
        NodeKind::Fork => ("[/", "\\]"),
        NodeKind::Join => ("[\\", "/]"),
        NodeKind::Merge => ("{{", "}}"),
        NodeKind::Agent => ("([", "])"),
        NodeKind::Gate => ("[/", "/]"),
        NodeKind::Each | NodeKind::Flow => ("[[", "]]"),
        NodeKind::Rescue => (">", "]"),
    }
}

/// A label for within quotation marks.
///
/// Letters, digits and the punctuation that means nothing to Mermaid stay. The rest is
/// written as `#` and the character's number, which Mermaid shows as that character;
/// whether it would have meant something there depends on the version.
fn escape(label: &str) -> String {
    let mut escaped = String::new();
    for character in label.trim().chars() {
        match character {
            '\n' => escaped += "<br/>",
            _ if character.is_control() => escaped.push(' '),
            ' ' | '_' | '-' | '.' | ',' | '(' | ')' | '/' | '?' | '!' | '\'' | '=' | '+' => {
                escaped.push(character);
            }
            _ if character.is_ascii_alphanumeric() || !character.is_ascii() => {
                escaped.push(character);
            }
            _ => escaped += &format!("#{};", u32::from(character)),
        }
    }
    // Empty quotation marks are a syntax error.
    if escaped.is_empty() {
        " ".to_owned()
    } else {
        escaped
    }
}

/// The title, as a quoted text of the YAML front matter.
fn yaml(title: &str) -> String {
    let mut quoted = String::from("\"");
    for character in title.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => quoted.push(' '),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
