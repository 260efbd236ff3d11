//! The head of a document.

use serde_json::Value;

use super::{Context, fields, list_of};
use crate::tree::{Data, Entry, Tree};

/// What a document says of itself.
pub(super) struct Flow {
    pub(super) name: Option<String>,
    pub(super) version: String,
    pub(super) description: Option<String>,
    pub(super) input: Option<Value>,
    pub(super) packs: Option<Vec<String>>,
    pub(super) fail_fast: bool,
}

const KEYS: [&str; 6] = [
    "name",
    "version",
    "description",
    "input",
    "nodePacks",
    "policy",
];

impl Flow {
    pub(super) fn read(tree: &Tree, context: &mut Context<'_, '_>) -> Option<Self> {
        let entries = fields::object(tree, "`flow`", &KEYS, context)?;
        let mut flow = Self {
            name: None,
            version: "1".to_owned(),
            description: None,
            input: None,
            packs: None,
            fail_fast: true,
        };
        for entry in entries {
            flow.field(entry, context);
        }
        if tree.get("name").is_none() {
            return fields::missing(tree.span, "`flow`", "name", context);
        }
        Some(flow)
    }

    fn field(&mut self, entry: &Entry, context: &mut Context<'_, '_>) {
        let value = &entry.value;
        match entry.key.as_str() {
            "name" => self.name = name(value, context),
            "version" => self.version = version(value, context).unwrap_or_default(),
            "description" => {
                self.description = fields::text(value, "description", context).map(str::to_owned)
            }
            "input" => self.input = Some(value.value()),
            "nodePacks" => self.packs = packs(value, context),
            "policy" => self.fail_fast = fail_fast(value, context).unwrap_or(true),
            _ => {}
        }
    }
}

fn name(tree: &Tree, context: &mut Context<'_, '_>) -> Option<String> {
    let name = fields::text(tree, "name", context)?;
    if name.trim().is_empty() {
        context
            .sink
            .push("wrong-type", tree.span, "the name of the flow is empty");
    }
    Some(name.to_owned())
}

/// A version is a text; a number counts as the text that it is written as.
fn version(tree: &Tree, context: &mut Context<'_, '_>) -> Option<String> {
    match &tree.data {
        // `1.10` is not `1.1`.
        Data::Number(_) => context
            .text
            .get(tree.span.start..tree.span.end)
            .map(str::to_owned),
        _ => fields::text(tree, "version", context).map(str::to_owned),
    }
}

fn fail_fast(tree: &Tree, context: &mut Context<'_, '_>) -> Option<bool> {
    fields::object(tree, "the policy of a flow", &["failFast"], context)?;
    fields::boolean(tree.get("failFast")?, "failFast", context)
}

fn packs(tree: &Tree, context: &mut Context<'_, '_>) -> Option<Vec<String>> {
    let mut packs = Vec::new();
    for item in fields::list(tree, "`nodePacks`", context)? {
        let Some(pack) = fields::text(item, "nodePacks", context) else {
            continue;
        };
        let known = context.options.catalogue.packs();
        let allowed: Vec<_> = known
            .into_iter()
            .filter(|pack| context.options.allows(pack))
            .collect();
        if !allowed.contains(&pack) {
            let message = format!("the node pack `{pack}` is not allowed");
            let problem = context.sink.push("pack-not-allowed", item.span, message);
            problem.help(match allowed.len() {
                0 => "no pack is allowed here".to_owned(),
                _ => format!("allowed here: {}", list_of(&allowed)),
            });
        }
        packs.push(pack.to_owned());
    }
    Some(packs)
}
