//! The names that `as` gives to uses of nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{NodeRef, Statement};
use crate::diag::Diagnostics;

/// The nodes that `as` renames, by their new names. A name that an earlier node has is refused.
pub(super) fn aliases(
    statements: &[Statement],
    errors: &mut Diagnostics,
) -> BTreeMap<String, NodeRef> {
    let mut aliases: BTreeMap<String, NodeRef> = BTreeMap::new();
    let mut named = BTreeSet::new();
    for statement in statements {
        statement.nodes(&mut |node| {
            let Some(alias) = &node.alias else {
                named.insert(node.key.clone());
                return;
            };
            if named.contains(&node.key) && !aliases.contains_key(&node.key) {
                let written = format!("{} as {alias}", node.path_text());
                errors.error(
                    alias.span(),
                    format!("`{alias}` is used before `{written}`"),
                    format!("if `{alias}` is a node itself, give this use another name; if not, write `{written}` where it comes first"),
                );
            }
            let known = aliases
                .entry(node.key.clone())
                .or_insert_with(|| node.clone());
            if known.path.to_string() != node.path.to_string() {
                errors.error(
                    alias.span(),
                    format!("two nodes are called `{alias}`"),
                    "give each use of a node a name of its own",
                );
            }
        });
    }
    aliases
}
