//! Which nodes of a flow have a successor.

use super::ast::{Source, Statement, Target};

/// The keys of the nodes to which a statement gives a successor.
pub(super) fn in_statement(statement: &Statement) -> Vec<String> {
    let mut found = in_chain(&statement.targets);
    if let (Source::Node(node), false) = (&statement.source, statement.targets.is_empty()) {
        found.push(node.key.clone());
    }
    found
}

/// The same of a chain: the last node of it leads nowhere.
pub(super) fn in_chain(targets: &[Target]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        match target {
            Target::Node(node) | Target::Join(node, _) if index + 1 < targets.len() => {
                found.push(node.key.clone());
            }
            Target::Group(group) => {
                found.extend(group.branches.iter().flat_map(|branch| in_chain(branch)));
            }
            _ => {}
        }
    }
    found
}
