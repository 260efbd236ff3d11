//! The settings of nodes.

use serde_json::{Map, Value};

use super::{Context, Reference, contract, references};
use crate::{
    catalogue::{NodeType, Role},
    schema::{Violation, schema_error, violations_of},
    template::Template,
    tree::{Entry, Tree},
};

/// Checks the settings of a node; they hold no bindings.
pub(super) fn read(tree: &Tree, node_type: &NodeType, context: &mut Context<'_, '_>) -> Value {
    let Some(schema) = &node_type.config else {
        if tree.as_map().is_none_or(|entries| !entries.is_empty()) {
            let message = format!("a node of type `{}` has no settings", node_type.name);
            context
                .sink
                .push("invalid-config", tree.span, message)
                .help("leave `config` out");
        }
        return Value::Object(Map::new());
    };
    check(tree, schema, "config", context);
    if node_type.role == Role::Agent {
        contract::check(tree, context);
    }
    tree.value()
}

/// What looks like bindings in settings.
pub(super) fn unresolved(tree: &Tree) -> Vec<Reference> {
    let mut uses = Vec::new();
    Template::of_tree(tree, &mut uses, &mut Vec::new());
    uses.into_iter().map(references::of_use).collect()
}

/// Checks settings wherever they are.
pub(super) fn check(tree: &Tree, schema: &Value, place: &str, context: &mut Context<'_, '_>) {
    for violation in violations_of(schema, tree) {
        report(violation, tree, place, context);
    }
    if let Some(schema) = tree.get("outputSchema")
        && schema.as_map().is_some()
        && let Some(problem) = schema_error(&schema.value())
    {
        let message = format!("`{place}.outputSchema` is not a valid schema: {problem}");
        context.sink.push("invalid-config", schema.span, message);
    }
}

fn report(violation: Violation, tree: &Tree, place: &str, context: &mut Context<'_, '_>) {
    let env = tree
        .as_map()
        .and_then(|entries| entries.iter().find(|entry| entry.key == "env"));
    if env.is_some_and(|env: &Entry| env.key_span == violation.span) {
        let message = "an agent gets no environment of its own";
        let help = "keys are the host's: it gives them to the provider";
        context.sink.push("env", violation.span, message).help(help);
        return;
    }
    let message = match violation.path.as_str() {
        "" => format!("`{place}` {}", violation.message),
        path => format!("`{place}.{path}` {}", violation.message),
    };
    let problem = context.sink.push("invalid-config", violation.span, message);
    problem.set_help(violation.help);
}
