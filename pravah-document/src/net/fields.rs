//! Whether bindings and conditions name fields that the input and the outputs of nodes have.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use serde_json::Value;

use super::Net;
use crate::{
    nearest::nearest,
    read::{Context, Reference, list_of},
    schema::{described_types, missing_field, types_at},
};

/// What the output of a node has that has failed or was skipped.
const MARKERS: [&str; 6] = ["failed", "error", "attempts", "output", "skipped", "reason"];

/// Whether a path into the output of a node names what is there only if the node has succeeded.
pub(super) fn is_of_success(path: &str) -> bool {
    let field = path.split('.').nth(1);
    field.is_some_and(|field| !MARKERS.contains(&field))
}

impl Net<'_> {
    /// The flow has an input and nothing else. A run may be given any input; a name that is nearly one of the
    /// document's own is probably meant to be that.
    pub(super) fn check_flow(&self, reference: &Reference, context: &mut Context<'_, '_>) {
        let path = &reference.path;
        let span = context.narrow(reference.span, path);
        let Some(field) = path.strip_prefix("flow.input.") else {
            if path != "flow.input" {
                let message = format!("`{path}` names nothing: the flow has only `flow.input`");
                context.sink.push("unknown-name", span, message);
            }
            return;
        };
        let field = field.split('.').next().unwrap_or_default();
        let known = self.input.and_then(Value::as_object);
        let is_known = known.is_none_or(|known| known.contains_key(field));
        let known = known.into_iter().flat_map(|known| known.keys());
        let near = nearest(field, known.map(String::as_str));
        if let Some(near) = near.filter(|_| !is_known) {
            let message = format!("the input of the document has no `{field}`");
            let warning = context.sink.warn("unknown-field", span, message);
            warning.help(format!("did you mean `{near}`?"));
        }
    }

    /// Warns of a value that is of another type than its place asks for.
    fn check_type(
        &self,
        reference: &Reference,
        output: &Value,
        path: &[&str],
        context: &mut Context<'_, '_>,
    ) {
        let Some(types) = types_at(output, output, path, 0) else {
            return;
        };
        let expected = &reference.expected_types;
        let may_fit = |ty: &&str| {
            expected
                .iter()
                .any(|expected| may_be_same_type(expected, ty))
        };
        if expected.is_empty() || types.iter().any(may_fit) {
            return;
        }
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        let span = context.narrow(reference.span, &reference.path);
        let message = format!(
            "`{}` is {}, and has to be {}",
            reference.path,
            described_types(&types),
            described_types(&expected)
        );
        context.sink.warn("type-mismatch", span, message);
    }

    /// Warns of a field that the type of `source` does not have. It is not an error: what runs it may return more than
    /// it says.
    pub(super) fn check_fields(
        &self,
        reference: &Reference,
        source: usize,
        context: &mut Context<'_, '_>,
    ) {
        let draft = &self.drafts[source];
        let Some(node_type) = context.options.catalogue.get(draft.type_name) else {
            return;
        };
        let path: Vec<&str> = reference.path.split('.').skip(1).collect();
        self.check_type(reference, &node_type.output, &path, context);
        if !is_of_success(&reference.path) {
            return;
        }
        let schema = &node_type.output;
        let Some(missing) = missing_field(schema, schema, &path, 0) else {
            return;
        };
        let span = context.narrow(reference.span, &reference.path);
        let (name, id) = (missing.name, draft.id.text);
        let message = format!(
            "`{}` names nothing: the output of `{id}` has no `{name}`",
            reference.path
        );
        let warning = context.sink.warn("unknown-field", span, message);
        match nearest(name, missing.known.iter().copied()) {
            Some(nearest) => warning.help(format!("did you mean `{nearest}`?")),
            None if missing.known.is_empty() => {
                warning.help(format!("see `pravah nodes {}`", draft.type_name))
            }
            None => warning.help(format!("its fields are {}", list_of(&missing.known))),
        };
    }
}

/// Whether a value of one type may be one of the other: a place for an `integer` may take what a node returns as a
/// `number`.
fn may_be_same_type(one: &str, other: &str) -> bool {
    let is_number = |name: &str| matches!(name, "number" | "integer");
    one == other || is_number(one) && is_number(other)
}
