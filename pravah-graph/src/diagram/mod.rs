//! Drawings of flows as text.

mod dot;
mod mermaid;

use std::fmt;

/// A drawing of a flow: nodes, the states that go between them, and the flows that
/// stand inside it.
///
/// Nodes and edges are drawn in the order in which they were added, so the same calls
/// always draw the same text. Labels may contain anything.
///
/// ```
/// use pravah_graph::{Diagram, NodeKind};
///
/// let mut diagram = Diagram::new("support");
/// let start = diagram.node(NodeKind::Start, "Ticket");
/// let route = diagram.node(NodeKind::Choice, "route");
/// let done = diagram.node(NodeKind::Done, "Resolution");
/// diagram.edge(start, route, "Ticket");
/// diagram.edge(route, done, "Resolution");
/// assert!(diagram.to_mermaid().contains("flowchart TD"));
/// assert!(diagram.to_dot().starts_with("digraph"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    title: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// A node of a [`Diagram`]. It belongs to the diagram that handed it out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DiagramNode(usize);

/// What a node does, which decides its shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum NodeKind {
    /// Where the flow's input comes in: a circle or an oval.
    Start,
    /// Where its output goes out: the same with a double line.
    Done,
    /// Takes one state and returns one: a box.
    Work,
    /// Goes on along one of several branches: a diamond.
    Choice,
    /// Goes on along all of several branches: a trapezium that widens downwards.
    Fork,
    /// Waits for several states: a trapezium that narrows downwards.
    Join,
    /// Takes whichever state comes: a hexagon.
    Merge,
    /// Asks a model: a box with round corners.
    Agent,
    /// Asks a person: a parallelogram, as flow charts draw input.
    Gate,
    /// Runs a chain for every item: a box with double sides, or a frame around the chain.
    Each,
    /// Another flow: a box with double sides, or a frame around the flow.
    Flow,
    /// Takes the failure of another node: a flag.
    Rescue,
}

impl NodeKind {
    /// The kind in one word, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Done => "done",
            Self::Work => "work",
            Self::Choice => "choice",
            Self::Fork => "fork",
            Self::Join => "join",
            Self::Merge => "merge",
            Self::Agent => "agent",
            Self::Gate => "gate",
            Self::Each => "each",
            Self::Flow => "flow",
            Self::Rescue => "rescue",
        }
    }
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Node {
    kind: NodeKind,
    label: String,
    inside: Option<Diagram>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Edge {
    from: DiagramNode,
    to: DiagramNode,
    label: String,
    caught: bool,
}

impl Diagram {
    /// An empty drawing.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            nodes: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Adds a node.
    pub fn node(&mut self, kind: NodeKind, label: impl Into<String>) -> DiagramNode {
        self.push(kind, label.into(), None)
    }

    /// Adds a node that shows what is inside it: [`NodeKind::Flow`] or [`NodeKind::Each`].
    ///
    /// The title of `inside` is not drawn; the label is on the frame.
    pub fn group(
        &mut self,
        kind: NodeKind,
        label: impl Into<String>,
        inside: Diagram,
    ) -> DiagramNode {
        // A frame around nothing cannot be drawn.
        let inside = Some(inside).filter(|inside| !inside.nodes.is_empty());
        self.push(kind, label.into(), inside)
    }

    /// Adds an edge, labelled with the state that goes along it.
    pub fn edge(&mut self, from: DiagramNode, to: DiagramNode, state: impl Into<String>) {
        self.edges.push(Edge {
            from,
            to,
            label: state.into(),
            caught: false,
        });
    }

    /// Adds an edge that is taken when `from` has failed; it is dashed.
    pub fn caught_edge(&mut self, from: DiagramNode, to: DiagramNode, state: impl Into<String>) {
        self.edges.push(Edge {
            from,
            to,
            label: state.into(),
            caught: true,
        });
    }

    /// The drawing as a Mermaid flow chart, as GitHub and rustdoc plug-ins show it.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        mermaid::draw(self)
    }

    /// The drawing in Graphviz' DOT language.
    #[must_use]
    pub fn to_dot(&self) -> String {
        dot::draw(self)
    }

    fn push(&mut self, kind: NodeKind, label: String, inside: Option<Diagram>) -> DiagramNode {
        self.nodes.push(Node {
            kind,
            label,
            inside,
        });
        DiagramNode(self.nodes.len() - 1)
    }

    fn get(&self, node: DiagramNode) -> Option<&Node> {
        self.nodes.get(node.0)
    }

    /// The edges between nodes that exist, with those.
    fn known_edges(&self) -> impl Iterator<Item = (&Edge, &Node, &Node)> {
        self.edges.iter().filter_map(|edge| {
            let (from, to) = (self.get(edge.from)?, self.get(edge.to)?);
            Some((edge, from, to))
        })
    }

    /// The first node of a kind, else the first or last of all: where edges to or from a
    /// frame end.
    fn landmark(&self, kind: NodeKind) -> Option<DiagramNode> {
        let found = self.nodes.iter().position(|node| node.kind == kind);
        let last = self.nodes.len().checked_sub(1)?;
        let otherwise = if kind == NodeKind::Start { 0 } else { last };
        Some(DiagramNode(found.unwrap_or(otherwise)))
    }
}

/// A node's name within the text: that of the frame it is in, and its number.
fn name(frame: &str, node: DiagramNode) -> String {
    if frame.is_empty() {
        format!("n{}", node.0)
    } else {
        format!("{frame}_{}", node.0)
    }
}
