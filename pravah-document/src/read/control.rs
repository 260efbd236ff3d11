//! What nodes do with their inputs.

use super::{Context, fields, node, references::ReferenceReader};
use crate::{
    catalogue::Role,
    compare::whole_number,
    model::{Case, Condition, Graph, MergeMode, Work},
    path::Path,
    template::{Template, is_binding},
    tree::{Data, Tree},
    when::When,
};

/// The rounds of a loop that says nothing of them.
const DEFAULT_CAP: u32 = 100;

/// What nodes of a body can name besides ids.
pub(super) fn locals(role: Role, input: &Tree) -> Vec<&str> {
    match role {
        Role::Foreach => {
            let item = input.get("as").and_then(Tree::as_str).unwrap_or("item");
            vec![
                item, "index", "count", "$index", "$count", "$first", "$last",
            ]
        }
        Role::Loop => vec!["iteration", "index"],
        _ => Vec::new(),
    }
}

/// Reads what a node does. Fields that are missing or of a wrong type were reported already.
pub(super) fn work(
    role: Role,
    input: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Work> {
    let is_bound = input.as_str().is_some_and(is_binding);
    if is_bound && !matches!(role, Role::Run | Role::Fail | Role::Wait | Role::Gate) {
        return fields::not_fixed(input, "the input of a node of this type", context);
    }
    match role {
        Role::Run | Role::Fail => Some(Work::Run(reader.template(input, context))),
        Role::Agent => Some(Work::Agent(reader.template(input, context))),
        Role::Wait => Some(Work::Wait {
            input: reader.template(input, context),
        }),
        Role::Gate => Some(Work::Gate {
            input: reader.template(input, context),
        }),
        Role::If => condition(input.get("condition")?, reader, context).map(Work::If),
        Role::Switch => switch(input, reader, context),
        Role::Merge => merge(input, context),
        Role::Foreach => foreach(input, reader, context),
        Role::Loop => loop_work(input, reader, context),
        Role::Subflow => subflow(input, reader, context),
        Role::Map => map(input, reader, context),
        Role::Filter => filter(input, reader, context),
        Role::Template => template(input, reader, context),
    }
}

/// A gate that takes neither a text nor a choice can never be answered.
pub(super) fn check_gate(input: &Tree, context: &mut Context<'_, '_>) {
    if input.get("choices").is_none()
        && let Some(allows) = input.get("allowText")
        && matches!(allows.data, Data::Bool(false))
    {
        let message = "a gate without `choices` takes a text, and `allowText` is `false`";
        let problem = context.sink.push("invalid-input", allows.span, message);
        problem.help("give `choices`, or leave `allowText` out");
    }
}

/// A field that is needed before a run.
fn fixed<'t>(input: &'t Tree, key: &str, context: &mut Context<'_, '_>) -> Option<&'t Tree> {
    let field = input.get(key)?;
    if field.as_str().is_some_and(crate::template::has_binding) {
        return fields::not_fixed(field, &format!("`{key}`"), context);
    }
    Some(field)
}

fn condition(
    tree: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Condition> {
    match tree.data {
        Data::Map(_) => reader.when(tree, context).map(Condition::When),
        _ => Some(Condition::Value(reader.template(tree, context))),
    }
}

fn switch(
    input: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Work> {
    let value = input
        .get("value")
        .map(|value| reader.template(value, context));
    let cases = input.get("cases")?;
    if cases.as_str().is_some_and(is_binding) {
        return fields::not_fixed(cases, "`cases`", context);
    }
    let cases = cases
        .as_list()?
        .iter()
        .map(|item| case(item, reader, context));
    // All of them are read, so that all problems are found.
    let cases: Vec<_> = cases.collect();
    Some(Work::Switch {
        value: value?,
        cases: cases.into_iter().collect::<Option<_>>()?,
    })
}

fn case(
    tree: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Case> {
    let when = tree.get("when")?;
    let when = match when.data {
        Data::Map(_) => reader.with(&["value"], |reader| reader.when(when, context)),
        _ => {
            let path = Path::parse("value").ok()?;
            Some(When::equals(path, reader.template(when, context)))
        }
    };
    let route = fixed(tree, "route", context)?.as_str()?;
    Some(Case {
        when: when?,
        route: route.to_owned(),
    })
}

fn merge(input: &Tree, context: &mut Context<'_, '_>) -> Option<Work> {
    let mode = match fixed(input, "mode", context).and_then(Tree::as_str) {
        Some("any") => MergeMode::Any,
        _ => MergeMode::All,
    };
    let cancel = fixed(input, "cancelLosers", context);
    let cancel_losers = cancel.is_some_and(|tree| matches!(tree.data, Data::Bool(true)));
    if let Some(cancel) = cancel
        && cancel_losers
        && mode == MergeMode::All
    {
        let message = "`cancelLosers` is for `mode: any`: a merge of all has no losers";
        context.sink.push("cancel-losers", cancel.span, message);
    }
    Some(Work::Merge {
        mode,
        cancel_losers,
    })
}

fn foreach(
    input: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Work> {
    let list = match (input.get("list"), input.get("items")) {
        (Some(_), Some(twice)) => {
            let problem = context
                .sink
                .push("duplicate-key", twice.span, "the list is given twice");
            problem.help("`items` is another name for `list`: leave one of them out");
            None
        }
        (Some(list), None) | (None, Some(list)) => Some(reader.template(list, context)),
        (None, None) => fields::missing(
            input.span,
            "the input of `control.foreach`",
            "list",
            context,
        ),
    };
    let item = fixed(input, "as", context);
    let name = item.and_then(Tree::as_str).unwrap_or("item");
    if let Some(item) = item {
        check_item(item, name, context);
    }
    let concurrency = fixed(input, "concurrency", context)
        .and_then(number)
        .unwrap_or(1);
    check_body(input, context)?;
    Some(Work::Foreach {
        list: list?,
        item: name.to_owned(),
        concurrency,
        body: Graph::default(),
    })
}

/// The name of an item is used as an id is.
fn check_item(tree: &Tree, name: &str, context: &mut Context<'_, '_>) {
    if matches!(name, "index" | "count" | "sessionId") {
        let message = format!("`{name}` has a meaning of its own in a body");
        context
            .sink
            .push("invalid-id", tree.span, message)
            .help("call the item something else");
    } else if let Some(fault) = node::unfit(name) {
        let help = "a name is a letter or `_`, then letters, digits, `_` and `-`";
        context.sink.push("invalid-id", tree.span, fault).help(help);
    }
}

fn loop_work(
    input: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Work> {
    let condition = input.get("while").and_then(|tree| {
        reader.place = super::Place::Between;
        let condition = reader.with(&["iteration", "index"], |reader| {
            condition(tree, reader, context)
        });
        reader.place = super::Place::Before;
        condition
    });
    let cap = fixed(input, "maxIterations", context)
        .and_then(number)
        .unwrap_or(DEFAULT_CAP);
    let at_cap = fixed(input, "onCap", context).and_then(Tree::as_str);
    check_body(input, context)?;
    Some(Work::Loop {
        condition: condition?,
        max_iterations: cap,
        stops_at_cap: at_cap == Some("stop"),
        body: Graph::default(),
    })
}

/// Whether the body is written out; its ids are read elsewhere.
fn check_body(input: &Tree, context: &mut Context<'_, '_>) -> Option<()> {
    let body = fixed(input, "body", context)?;
    for item in body
        .as_list()?
        .iter()
        .filter(|item| item.as_str().is_some_and(is_binding))
    {
        fields::not_fixed::<()>(item, "an id of the body", context);
    }
    Some(())
}

fn number(tree: &Tree) -> Option<u32> {
    match &tree.data {
        Data::Number(number) => u32::try_from(whole_number(number)?).ok(),
        _ => None,
    }
}

fn subflow(
    input: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Work> {
    let own = input
        .get("input")
        .map(|tree| reader.template(tree, context));
    let tree = fixed(input, "name", context)?;
    let name = tree.as_str()?;
    if let Some(known) = &context.options.subflows
        && !known.iter().any(|known| known == name)
    {
        let near = context.nearest(name, known.iter().map(String::as_str));
        let message = format!("there is no subflow `{name}`");
        let problem = context.sink.push("unknown-subflow", tree.span, message);
        problem
            .help("list the document under `flows` in `pravah.toml`, or register it with `with_flow` in Rust")
            .did_you_mean(near);
    }
    Some(Work::Subflow {
        name: name.to_owned(),
        input: own,
    })
}

fn map(
    input: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Work> {
    let list = input.get("list").map(|list| reader.template(list, context));
    let template = input.get("template");
    let template = template
        .map(|tree| reader.with(&["item", "index"], |reader| reader.template(tree, context)));
    Some(Work::Map {
        list: list?,
        template,
    })
}

fn filter(
    input: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Work> {
    let list = input.get("list").map(|list| reader.template(list, context));
    let when = fixed(input, "when", context)?;
    let condition = reader.with(&["item", "index"], |reader| reader.when(when, context));
    Some(Work::Filter {
        list: list?,
        condition: condition?,
    })
}

fn template(
    input: &Tree,
    reader: &mut ReferenceReader<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Work> {
    let values: Option<Template> = input
        .get("values")
        .map(|tree| reader.template(tree, context));
    let known: Vec<&str> = match input.get("values").and_then(Tree::as_map) {
        Some(entries) => entries.iter().map(|entry| entry.key.as_str()).collect(),
        None => Vec::new(),
    };
    let are_unknown = input
        .get("values")
        .is_some_and(|values| values.as_map().is_none());
    let tree = input.get("template")?;
    let mut inner = ReferenceReader::new();
    inner.locals = &known;
    let template = inner.template(tree, context);
    for mut reference in inner.references {
        reference.may_be_local = are_unknown;
        reader.references.push(reference);
    }
    Some(Work::Template { template, values })
}
