//! Agents: their models and their tools.

use super::{Context, Name, config, fields};
use crate::{
    template::has_binding,
    tree::{Data, Tree},
};

/// Checks the model and the tools of an agent, which are in its settings or in its input.
pub(super) fn check(id: Name<'_>, node: &Tree, input: &Tree, context: &mut Context<'_, '_>) {
    let settings = node.get("config");
    let options = input
        .get("options")
        .filter(|options| options.as_map().is_some());
    if let Some(options) = options
        && let Some(schema) = config_schema(node, context)
    {
        config::check(options, &schema, "input.options", context);
    }
    for key in FIXED {
        if let Some(tree) = input.get(key) {
            check_fixed(tree, key, context);
        }
    }
    let places = [settings, Some(input), options];
    let places = || places.into_iter().flatten();
    let models: Vec<_> = places().filter_map(|place| place.get("model")).collect();
    for model in &models {
        check_model(model, context);
    }
    if models.is_empty() && context.options.model.is_none() {
        let message = format!("the agent `{}` has no model", id.text);
        let problem = context.sink.push("missing-model", id.span, message);
        problem.help(
            "set `config.model`, or a default: `model` in `pravah.toml`, `with_model` in Rust",
        );
    }
    for tools in places().filter_map(|place| place.get("tools")) {
        check_tools(tools, context);
    }
}

/// The fields of an input that make the agent what it is: it is made before a run.
const FIXED: [&str; 5] = ["system", "model", "tools", "metadata", "options"];

fn check_fixed(tree: &Tree, key: &str, context: &mut Context<'_, '_>) {
    match &tree.data {
        Data::String(text) if has_binding(text) => {
            fields::push_not_fixed(tree, &format!("`{key}`"), context)
                .help("what differs from run to run belongs in `input` or `prompt`");
        }
        Data::List(items) => items.iter().for_each(|it| check_fixed(it, key, context)),
        Data::Map(entries) => entries
            .iter()
            .for_each(|it| check_fixed(&it.value, key, context)),
        _ => {}
    }
}

fn config_schema(node: &Tree, context: &Context<'_, '_>) -> Option<serde_json::Value> {
    let name = node.get("type")?.as_str()?;
    context.options.catalogue.get(name)?.config.clone()
}

fn check_model(tree: &Tree, context: &mut Context<'_, '_>) {
    let (Some(model), Some(check)) = (tree.as_str(), context.options.check_model) else {
        return;
    };
    if has_binding(model) {
        return;
    }
    if let Err(reason) = check(model) {
        context.sink.push("unknown-model", tree.span, reason);
    }
}

fn check_tools(tree: &Tree, context: &mut Context<'_, '_>) {
    let Some(known) = &context.options.tools else {
        return;
    };
    for item in tree.as_list().unwrap_or_default() {
        let Some(tool) = item.as_str().filter(|tool| !has_binding(tool)) else {
            continue;
        };
        if !known.iter().any(|known| known == tool) {
            let near = context.nearest(tool, known.iter().map(String::as_str));
            let message = format!("there is no tool `{tool}`");
            context
                .sink
                .push("unknown-tool", item.span, message)
                .did_you_mean(near);
        }
    }
}
