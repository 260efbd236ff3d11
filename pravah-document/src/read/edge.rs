//! Edges.

use std::collections::BTreeSet;

use super::{Context, Draft, DraftEdge, Name, Names, fields, references::ReferenceReader};
use crate::{
    model::Selector,
    tree::{Span, Tree},
};

const KEYS: [&str; 6] = ["from", "to", "when", "on", "type", "maxIterations"];

/// Reads the edges whose ends are known.
pub(super) fn read(
    tree: &Tree,
    drafts: &[Draft<'_>],
    names: &Names<'_>,
    context: &mut Context<'_, '_>,
) -> Vec<DraftEdge> {
    let items = fields::list(tree, "`edges`", context).unwrap_or_default();
    let edges = items
        .iter()
        .filter_map(|item| edge(item, drafts, names, context));
    let edges: Vec<_> = edges.collect();
    check_duplicates(&edges, drafts, context);
    edges
}

fn edge(
    tree: &Tree,
    drafts: &[Draft<'_>],
    names: &Names<'_>,
    context: &mut Context<'_, '_>,
) -> Option<DraftEdge> {
    fields::object(tree, "an edge", &KEYS, context)?;
    let (from, to) = (end(tree, "from", context), end(tree, "to", context));
    let jumps = jumps(tree, context);
    let mut reader = ReferenceReader::new();
    let when = tree.get("when").and_then(|tree| reader.when(tree, context));
    let selector = tree.get("on").and_then(|tree| selector(tree, context));
    let from = from.and_then(|name| names.find(name, context));
    let to = to.and_then(|name| names.find(name, context));
    let (from, to) = (from?, to?);
    let source = drafts.get(from)?;
    let by_default = if source.policy.continue_on_error {
        Selector::Any
    } else {
        Selector::Success
    };
    let on = selector.unwrap_or(by_default);
    let start = tree
        .as_map()
        .and_then(<[_]>::first)
        .map_or(tree.span.start, |entry| entry.key_span.start);
    Some(DraftEdge {
        from,
        to,
        span: Span {
            start,
            end: tree.span.end,
        },
        on,
        when,
        jumps,
        references: reader.references,
    })
}

fn end<'a>(tree: &'a Tree, key: &str, context: &mut Context<'_, '_>) -> Option<Name<'a>> {
    let Some(value) = tree.get(key) else {
        return fields::missing(tree.span, "an edge", key, context);
    };
    let text = fields::text(value, key, context)?;
    Some(Name {
        text,
        span: value.span,
    })
}

fn selector(tree: &Tree, context: &mut Context<'_, '_>) -> Option<Selector> {
    match fields::text(tree, "on", context)? {
        "success" => Some(Selector::Success),
        "failure" => Some(Selector::Failure),
        "any" => Some(Selector::Any),
        other => {
            let message = format!("no outcome of a node is called `{other}`");
            context
                .sink
                .push("unknown-outcome", tree.span, message)
                .help("write `success`, `failure` or `any`");
            None
        }
    }
}

/// How many jumps an edge allows, if it leads back.
fn jumps(tree: &Tree, context: &mut Context<'_, '_>) -> Option<u32> {
    let most = tree.get("maxIterations");
    let kind = tree
        .get("type")
        .and_then(|kind| Some((fields::text(kind, "type", context)?, kind.span)));
    match (kind, most) {
        (Some(("loop", _)), Some(most)) => {
            fields::count(most, "maxIterations", 1, context).or(Some(1))
        }
        (Some(("loop", span)), None) => {
            let problem =
                context
                    .sink
                    .push("missing-key", span, "a loop edge has no `maxIterations`");
            problem.help("say how many jumps back are allowed: `maxIterations: 3`");
            Some(1)
        }
        (Some((other, span)), _) => {
            let message = format!("no edge has the type `{other}`");
            context
                .sink
                .push("unknown-edge-type", span, message)
                .help("an edge that leads back is of `type: loop`");
            None
        }
        (None, Some(most)) => {
            let problem = context.sink.push(
                "unknown-key",
                most.span,
                "only a loop edge has `maxIterations`",
            );
            problem.help("an edge that leads back is of `type: loop`");
            None
        }
        (None, None) => None,
    }
}

/// Two edges between the same nodes are fine as long as they are for different outcomes or conditions.
fn check_duplicates(edges: &[DraftEdge], drafts: &[Draft<'_>], context: &mut Context<'_, '_>) {
    let mut seen = BTreeSet::new();
    for edge in edges {
        let when = edge.when.as_ref().map(|when| when.source().to_string());
        let is_loop = edge.jumps.is_some();
        let key = (
            edge.from,
            edge.to,
            is_loop,
            if is_loop { 0 } else { edge.on as u8 },
            when.filter(|_| !is_loop),
        );
        if !seen.insert(key) {
            let id = |index: usize| drafts.get(index).map_or("", |draft| draft.id.text);
            let message = format!(
                "there is another edge from `{}` to `{}`",
                id(edge.from),
                id(edge.to)
            );
            context
                .sink
                .push("duplicate-edge", edge.span, message)
                .help("leave one of them out");
        }
    }
}
