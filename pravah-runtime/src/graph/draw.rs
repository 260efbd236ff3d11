//! Drawing a graph.

use pravah_graph::{Diagram, DiagramNode, NodeKind as Shape};

use super::{FlowGraph, Name, NodeKind, NodeSpec, wiring::Port};
use crate::topology::ShapeKind;

impl FlowGraph {
    /// The graph as a Mermaid flow chart.
    pub fn to_mermaid(&self) -> String {
        self.diagram().to_mermaid()
    }

    /// The graph in Graphviz' DOT language.
    pub fn to_dot(&self) -> String {
        self.diagram().to_dot()
    }

    /// The graph as a drawing, with nested flows and lists as frames.
    fn diagram(&self) -> Diagram {
        let mut diagram = Diagram::new(self.input());
        let start = diagram.node(Shape::Start, "start");
        let nodes: Vec<DiagramNode> = self
            .specs
            .iter()
            .map(|spec| add(&mut diagram, spec))
            .collect();
        let done = diagram.node(Shape::Done, "done");

        let wiring = &self.specs.wiring;
        let lead = |diagram: &mut Diagram, from: DiagramNode, to: &[Port], state: &str| {
            let targets = to.iter().filter_map(|port| nodes.get(port.node));
            let targets: Vec<DiagramNode> = targets.copied().collect();
            for target in if to.is_empty() { vec![done] } else { targets } {
                diagram.edge(from, target, state);
            }
        };
        lead(&mut diagram, start, &wiring.entry, self.input());
        let specs = self.specs.iter().zip(&wiring.nodes);
        for ((spec, wiring), node) in specs.zip(&nodes) {
            for (state, to) in spec.outputs.iter().zip(&wiring.outputs) {
                lead(&mut diagram, *node, to, state);
            }
            if let Some(catch) = &spec.catch {
                let to = wiring.catch.first().and_then(|port| nodes.get(port.node));
                let to = to.copied().unwrap_or(done);
                diagram.caught_edge(*node, to, catch.name.to_string());
            }
        }
        diagram
    }
}

fn add(diagram: &mut Diagram, spec: &NodeSpec) -> DiagramNode {
    let (kind, label) = (kind(spec), spec.id.to_string());
    match inside(spec) {
        Some(inside) => diagram.group(kind, label, inside.diagram()),
        None => diagram.node(kind, label),
    }
}

/// The flow that a node is, or the chain of a list.
pub(super) fn inside(spec: &NodeSpec) -> Option<&FlowGraph> {
    match &spec.kind {
        NodeKind::Flow(flow) => Some(flow),
        NodeKind::Each(each) => Some(&each.chain),
        _ => None,
    }
}

pub(super) fn kind(spec: &NodeSpec) -> Shape {
    match &spec.kind {
        NodeKind::Flow(_) => return Shape::Flow,
        NodeKind::Each(_) => return Shape::Each,
        NodeKind::Gate(_) => return Shape::Gate,
        NodeKind::Agent(_) | NodeKind::Remote(_) => return Shape::Agent,
        NodeKind::Function(_) | NodeKind::Invoke(_) => {}
        NodeKind::AwaitTask | NodeKind::Detached(_) | NodeKind::Broken(_) => {}
    }
    let rescues = |state: &Name| state.starts_with("Failure_of_");
    match (spec.shape, spec.params.as_slice()) {
        (ShapeKind::Choice, _) => Shape::Choice,
        (ShapeKind::Fork, _) => Shape::Fork,
        (ShapeKind::One, [states]) if states.iter().any(rescues) => Shape::Rescue,
        (ShapeKind::One, [states]) if states.len() > 1 => Shape::Merge,
        (ShapeKind::One, [_]) => Shape::Work,
        (ShapeKind::One, _) => Shape::Join,
    }
}
