//! Nodes.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    Context, Draft, Name, agent, config, contract, control, fields, list_of, policy, prompt,
    references::ReferenceReader,
};
use crate::{
    catalogue::{NodeType, Role},
    json,
    model::Policy,
    schema::{ExpectedTypes, check_template, schema_error},
    tree::{Data, Entry, Tree},
};

const KEYS: [&str; 7] = ["id", "type", "input", "config", "when", "policy", "body"];

/// Reads nodes of the packs that a document has chosen.
pub(super) struct NodeReader {
    packs: Option<Vec<String>>,
}

impl NodeReader {
    pub(super) fn new(packs: Option<Vec<String>>) -> Self {
        Self { packs }
    }

    pub(super) fn read<'a>(
        &self,
        tree: &'a Tree,
        context: &mut Context<'_, '_>,
    ) -> Option<Vec<Draft<'a>>> {
        let items = fields::list(tree, "`nodes`", context)?;
        Some(
            items
                .iter()
                .filter_map(|item| self.node(item, context))
                .collect(),
        )
    }

    fn node<'a>(&self, tree: &'a Tree, context: &mut Context<'_, '_>) -> Option<Draft<'a>> {
        fields::object(tree, "a node", &KEYS, context)?;
        let id = id(tree, context);
        let node_type = self.node_type(tree, context);
        let role = node_type.map(|node_type| node_type.role);
        let mut draft = Draft {
            id,
            type_name: tree.get("type").and_then(Tree::as_str).unwrap_or_default(),
            role,
            work: None,
            config: Value::Object(Map::new()),
            when: None,
            policy: Policy::default(),
            body: None,
            locals: Vec::new(),
            unresolved: Vec::new(),
            has_contract: false,
            references: Vec::new(),
            local_references: Vec::new(),
        };
        let mut reader = ReferenceReader::new();
        if let Some(input) = input(tree, id, context)
            && let Some(node_type) = node_type
        {
            read_input(&mut draft, node_type, tree, input, &mut reader, context);
        }
        if let (Some(node_type), Some(tree)) = (node_type, tree.get("config")) {
            draft.config = config::read(tree, node_type, context);
            draft.unresolved = config::unresolved(tree);
            draft.has_contract = node_type.role == Role::Agent && contract::is_asked_for(tree);
        }
        draft.when = tree.get("when").and_then(|tree| reader.when(tree, context));
        if let Some(tree) = tree.get("policy") {
            draft.policy = policy::read(tree, role, context).unwrap_or_default();
        }
        draft.references = reader.references;
        draft.local_references = reader.local_references;
        Some(draft)
    }

    fn node_type<'o>(&self, tree: &Tree, context: &mut Context<'_, 'o>) -> Option<&'o NodeType> {
        let Some(kind) = tree.get("type") else {
            return fields::missing(tree.span, "a node", "type", context);
        };
        let name = fields::text(kind, "type", context)?;
        let catalogue = context.options.catalogue;
        let Some(node_type) = catalogue.get(name) else {
            let names: Vec<_> = catalogue
                .types()
                .map(|node_type| node_type.name.as_str())
                .collect();
            let near = context.nearest(name, names.into_iter());
            let message = format!("there is no node type `{name}`");
            context
                .sink
                .push("unknown-type", kind.span, message)
                .did_you_mean(near);
            return None;
        };
        self.check_pack(node_type, kind, context);
        Some(node_type)
    }

    fn check_pack(&self, node_type: &NodeType, kind: &Tree, context: &mut Context<'_, '_>) {
        let pack = &node_type.pack;
        let is_allowed = context.options.allows(pack);
        if is_allowed && self.packs.as_ref().is_none_or(|packs| packs.contains(pack)) {
            return;
        }
        let help = if is_allowed {
            format!("add `{pack}` to `nodePacks`")
        } else {
            let packs = context.options.catalogue.packs();
            let allowed: Vec<_> = packs
                .into_iter()
                .filter(|pack| context.options.allows(pack))
                .collect();
            format!(
                "only these packs are allowed here: {}; allow more with `packs` in `pravah.toml` or `with_pack` in Rust",
                list_of(&allowed)
            )
        };
        let message = format!(
            "the node type `{}` is in the pack `{pack}`, which is not enabled",
            node_type.name
        );
        context
            .sink
            .push("pack-not-enabled", kind.span, message)
            .help(help);
    }
}

/// An id that is missing or unfit is empty.
fn id<'a>(tree: &'a Tree, context: &mut Context<'_, '_>) -> Name<'a> {
    let span = tree
        .as_map()
        .and_then(<[_]>::first)
        .map_or(tree.span, |entry| entry.key_span);
    let none = Name { text: "", span };
    let Some(value) = tree.get("id") else {
        return fields::missing(span, "a node", "id", context).unwrap_or(none);
    };
    let span = value.span;
    let Some(text) = fields::text(value, "id", context) else {
        return Name { text: "", span };
    };
    if let Some(fault) = unfit(text) {
        let help = "an id is a letter or `_`, then letters, digits, `_` and `-`";
        context.sink.push("invalid-id", span, fault).help(help);
    }
    // Edges may lead to it all the same: it is wrong once.
    let text = if text.len() > MAX_ID_LENGTH { "" } else { text };
    Name { text, span }
}

/// The longest id, in bytes: messages repeat it.
pub(crate) const MAX_ID_LENGTH: usize = 200;

/// What is wrong with an id.
pub(super) fn unfit(id: &str) -> Option<String> {
    if id == "flow" {
        return Some("`flow` stands for the flow itself".to_owned());
    }
    if id.len() > MAX_ID_LENGTH {
        return Some(format!("an id has {MAX_ID_LENGTH} characters at most"));
    }
    let is_start = |char: char| char.is_ascii_alphabetic() || char == '_';
    let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let is_fit = id.starts_with(is_start) && id.chars().all(is_part);
    (!is_fit).then(|| format!("`{id}` is not a valid id"))
}

fn input<'a>(tree: &'a Tree, id: Name<'_>, context: &mut Context<'_, '_>) -> Option<&'a Tree> {
    let input = tree.get("input");
    if input.is_none() {
        let message = if id.text.is_empty() {
            "a node has no `input`".to_owned()
        } else {
            format!("the node `{}` has no `input`", id.text)
        };
        context
            .sink
            .push("missing-key", id.span, message)
            .help("write `input: {}` where there is none");
    }
    input
}

/// Checks the input, and reads what the node does with it.
fn read_input<'a>(
    draft: &mut Draft<'a>,
    node_type: &NodeType,
    tree: &'a Tree,
    input: &'a Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) {
    let mut whole = Cow::Borrowed(input);
    let body = body(tree, input, node_type.role, context);
    if let Some(body) = body
        && input.get("body").is_none()
    {
        add(&mut whole, "body", body.clone());
    }
    prompt::read(draft.id, node_type, &mut whole, context);
    let expected = check_input(node_type, &whole, context);
    match node_type.role {
        Role::Gate => control::check_gate(&whole, context),
        _ if node_type.name == "data.validate" => check_schema(&whole, context),
        _ => {}
    }
    if node_type.role == Role::Agent {
        agent::check(draft.id, tree, &whole, context);
    }
    if let Some(body) = body {
        let names = body.as_list().unwrap_or_default().iter();
        let names = names.filter_map(|item| {
            Some(Name {
                text: item.as_str()?,
                span: item.span,
            })
        });
        draft.body = Some((names.collect(), body.span));
    }
    draft.locals = control::locals(node_type.role, input);
    draft.work = control::work(node_type.role, &whole, reader, context);
    reader.expect_types(&expected);
}

/// Checks the schema of a `data.validate`, unless it comes from a binding, or the host has it by its name.
fn check_schema(input: &Tree, context: &mut Context<'_, '_>) {
    let Some(schema) = input.get("schema").filter(|it| !it.is_partly_unknown()) else {
        return;
    };
    let value = match schema.as_str() {
        Some(text) => json::read(text).ok().map(|tree| tree.value()),
        None => Some(schema.value()),
    };
    let value = value.filter(Value::is_object);
    if let Some(problem) = value.and_then(|value| schema_error(&value)) {
        let message = format!("`input.schema` is not a valid schema: {problem}");
        context.sink.push("invalid-input", schema.span, message);
    }
}

/// The list of the nodes inside, which may be in the input or beside it.
fn body<'a>(
    tree: &'a Tree,
    input: &'a Tree,
    role: Role,
    context: &mut Context<'_, '_>,
) -> Option<&'a Tree> {
    let beside = tree.get("body");
    if !matches!(role, Role::Foreach | Role::Loop) {
        if let Some(body) = beside {
            let message = "only `control.foreach` and `control.loop` have a body";
            context.sink.push("unknown-key", body.span, message);
        }
        return None;
    }
    let within = input.get("body");
    if let (Some(_), Some(twice)) = (within, beside) {
        context
            .sink
            .push("duplicate-key", twice.span, "the body is given twice")
            .help("leave one of them out");
    }
    within.or(beside)
}

/// Adds a field to an object that is not written there.
pub(super) fn add(tree: &mut Cow<'_, Tree>, key: &str, value: Tree) {
    if let Data::Map(entries) = &mut tree.to_mut().data {
        entries.push(Entry {
            key: key.to_owned(),
            key_span: value.span,
            value,
        });
    }
}

fn check_input<'a>(
    node_type: &'a NodeType,
    input: &Tree,
    context: &mut Context<'_, '_>,
) -> ExpectedTypes<'a> {
    let (violations, expected) = check_template(&node_type.input, input);
    for violation in violations {
        let message = match violation.path.as_str() {
            "" => format!("the input of `{}` {}", node_type.name, violation.message),
            path => format!("`input.{path}` {}", violation.message),
        };
        let problem = context.sink.push("invalid-input", violation.span, message);
        problem.set_help(violation.help);
    }
    expected
}
