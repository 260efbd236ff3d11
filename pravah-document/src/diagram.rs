//! Drawing a document, as Mermaid or Graphviz draw it.

use pravah_graph::{Diagram, DiagramNode, NodeKind};

use crate::model::{Document, Edge, Graph, Member, MergeMode, Node, Selector, Work};

impl Document {
    /// The document as a Mermaid flow chart. Bodies and regions are frames; an edge says which outcome it is for, and
    /// whether it has a condition.
    ///
    /// ```
    /// use pravah_document::{Catalogue, Options, read};
    ///
    /// let text = "flow: { name: hi }\nnodes: [{ id: hello, type: echo, input: { text: Hi } }]\nedges: []\n";
    /// let document = read("hi.yaml", text, &Options::new(&Catalogue::standard()))?;
    /// assert!(document.to_mermaid().contains("hello"));
    /// # Ok::<(), pravah_document::Problems>(())
    /// ```
    pub fn to_mermaid(&self) -> String {
        diagram(&self.name, &self.graph).to_mermaid()
    }

    /// The document in Graphviz' DOT language.
    pub fn to_dot(&self) -> String {
        diagram(&self.name, &self.graph).to_dot()
    }
}

fn diagram(title: &str, graph: &Graph) -> Diagram {
    let mut diagram = Diagram::new(title);
    let start = diagram.node(NodeKind::Start, "start");
    let members = graph.members.iter();
    let nodes: Vec<DiagramNode> = members.map(|member| add(&mut diagram, member)).collect();
    let done = diagram.node(NodeKind::Done, "done");
    let leads_to = |number: usize| graph.edges.iter().any(|edge| edge.to == number);
    let leads_out = |number: usize| graph.edges.iter().any(|edge| edge.from == number);
    for (number, node) in nodes.iter().enumerate() {
        if !leads_to(number) {
            diagram.edge(start, *node, "");
        }
    }
    for edge in &graph.edges {
        if let (Some(from), Some(to)) = (nodes.get(edge.from), nodes.get(edge.to)) {
            diagram.edge(*from, *to, label(edge));
        }
    }
    for (number, node) in nodes.iter().enumerate() {
        if !leads_out(number) {
            diagram.edge(*node, done, "");
        }
    }
    diagram
}

fn label(edge: &Edge) -> &'static str {
    match (edge.on, &edge.when) {
        (Selector::Success, None) => "",
        (Selector::Success, Some(_)) => "when",
        (Selector::Failure, None) => "failure",
        (Selector::Failure, Some(_)) => "failure when",
        (Selector::Any, None) => "any",
        (Selector::Any, Some(_)) => "any when",
    }
}

fn add(diagram: &mut Diagram, member: &Member) -> DiagramNode {
    match member {
        Member::Node(node) => add_node(diagram, node),
        Member::Repeat(repeat) => {
            let label = format!("{} up to {} times", repeat.id, repeat.max_iterations);
            diagram.group(
                NodeKind::Each,
                label,
                self::diagram(&repeat.id, &repeat.graph),
            )
        }
    }
}

fn add_node(diagram: &mut Diagram, node: &Node) -> DiagramNode {
    let label = format!("{}: {}", node.id, node.type_name);
    let kind = match &node.work {
        Work::Foreach { body, .. } | Work::Loop { body, .. } => {
            return diagram.group(NodeKind::Each, label, self::diagram(&node.id, body));
        }
        Work::If(_) | Work::Switch { .. } => NodeKind::Choice,
        Work::Merge { mode, .. } => match mode {
            MergeMode::All => NodeKind::Join,
            MergeMode::Any => NodeKind::Merge,
        },
        Work::Gate { .. } | Work::Wait { .. } => NodeKind::Gate,
        Work::Subflow { .. } => NodeKind::Flow,
        Work::Agent(_) => NodeKind::Agent,
        _ => NodeKind::Work,
    };
    diagram.node(kind, label)
}
