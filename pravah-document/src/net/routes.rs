//! Routes of `control.switch` and branches of `control.if`: those that are tested, and those that exclude each other.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Net;
use crate::{
    model::{MergeMode, Selector, Work},
    read::{Context, Names, list_of},
    tree::Span,
    when::When,
};

/// The routes that are possible, a bit each, for each switch that says anything about it.
type Routes = BTreeMap<usize, u64>;

/// The most switches whose routes are followed at once; to follow fewer only finds less.
const MAX_SWITCHES: usize = 8;

/// The most bytes of routes that a help lists.
const MAX_HELP_BYTES: usize = 1_000;

/// The most routes of a switch that are told apart, a bit each.
const MAX_ROUTES: usize = 64;

/// The routes that the switches declare, in their order.
type Declared<'n> = BTreeMap<usize, Vec<&'n str>>;

impl Net<'_> {
    pub(super) fn check_routes(
        &self,
        is_ordered: bool,
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        let routes = |node| Some((node, self.routes(node)?));
        let declared: Declared<'_> = (0..self.drafts.len()).filter_map(routes).collect();
        for draft in &self.drafts {
            if let Some(when) = &draft.when {
                let span = draft.references.last().map_or(draft.id.span, |it| it.span);
                check_tested(when, span, &declared, names, context);
            }
        }
        for edge in &self.edges {
            if let Some(when) = &edge.when {
                let span = edge.references.last().map_or(edge.span, |it| it.span);
                check_tested(when, span, &declared, names, context);
            }
        }
        if is_ordered {
            self.check_merges(&declared, names, context);
        }
    }

    /// The routes of a switch.
    fn routes(&self, node: usize) -> Option<Vec<&str>> {
        let Some(Work::Switch { cases, .. }) = &self.drafts[node].work else {
            return None;
        };
        let mut routes: Vec<_> = cases.iter().map(|case| case.route.as_str()).collect();
        routes.push("default");
        routes.sort_unstable();
        routes.dedup();
        Some(routes)
    }

    /// What the output of a switch or an `if` may be.
    fn outputs(&self, node: usize, declared: &Declared<'_>) -> Option<Vec<Value>> {
        if let Some(Work::If(_)) = self.drafts[node].work {
            return Some(vec![
                json!({ "condition": true }),
                json!({ "condition": false }),
            ]);
        }
        let routes = declared
            .get(&node)
            .filter(|routes| routes.len() <= MAX_ROUTES)?;
        Some(
            routes
                .iter()
                .map(|route| json!({ "route": route }))
                .collect(),
        )
    }

    /// Reports merges of all whose edges cannot all fire.
    fn check_merges(
        &self,
        declared: &Declared<'_>,
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        let mut possible: Vec<Routes> = vec![Routes::new(); self.drafts.len()];
        for node in self.order.iter().copied() {
            let edges: Vec<_> = self.into[node]
                .iter()
                .map(|edge| self.along(*edge, &possible, declared, names))
                .collect();
            let is_all = self.is_merge(node, MergeMode::All);
            if is_all && let Some(switch) = excluded(&edges) {
                self.report_merge(node, switch, context);
            }
            let mut routes = if is_all {
                Routes::new()
            } else {
                any_of(&edges)
            };
            self.restrict(
                &mut routes,
                self.drafts[node].when.as_ref(),
                declared,
                names,
            );
            possible[node] = routes;
        }
    }

    fn report_merge(&self, node: usize, switch: usize, context: &mut Context<'_, '_>) {
        let (merge, switch) = (&self.drafts[node], self.id(switch));
        let message = format!(
            "`{}` waits for branches of `{switch}` that exclude each other",
            merge.id.text
        );
        let problem = context.sink.push("exclusive-merge", merge.id.span, message);
        problem.help("write `mode: any`, or leave the merge out: a node runs once one of its edges has fired and none is open");
    }

    /// The routes with which an edge fires.
    fn along(
        &self,
        edge: usize,
        possible: &[Routes],
        declared: &Declared<'_>,
        names: &Names<'_>,
    ) -> Routes {
        let edge = &self.edges[edge];
        let mut routes = possible[edge.from].clone();
        // Without success there is no route.
        if edge.on != Selector::Failure {
            self.restrict(&mut routes, edge.when.as_ref(), declared, names);
        }
        routes
    }

    /// Leaves the routes for which a condition holds, if it is about those of one switch.
    fn restrict(
        &self,
        routes: &mut Routes,
        when: Option<&When>,
        declared: &Declared<'_>,
        names: &Names<'_>,
    ) {
        let Some((when, path)) = when.and_then(|when| Some((when, when.only_path()?))) else {
            return;
        };
        let Some((root, "route" | "condition")) = path.split_once('.') else {
            return;
        };
        let Some(outputs) = names
            .get(root)
            .and_then(|switch| self.outputs(switch, declared))
        else {
            return;
        };
        let mut mask = 0;
        for (index, output) in outputs.into_iter().enumerate() {
            if when.holds(&json!({ root: output })) {
                mask |= 1 << index;
            }
        }
        if let Some(switch) = names.get(root) {
            *routes.entry(switch).or_insert(u64::MAX) &= mask;
        }
        while routes.len() > MAX_SWITCHES {
            routes.pop_first();
        }
    }
}

/// Reports routes that a condition tests and no case declares.
fn check_tested(
    when: &When,
    span: Span,
    declared: &Declared<'_>,
    names: &Names<'_>,
    context: &mut Context<'_, '_>,
) {
    for (path, value) in when.literals() {
        let Some((root, "route")) = path.split_once('.') else {
            continue;
        };
        let Some(routes) = names.get(root).and_then(|switch| declared.get(&switch)) else {
            continue;
        };
        if value
            .as_str()
            .is_some_and(|route| routes.binary_search(&route).is_ok())
        {
            continue;
        }
        let route = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let message = format!("`{root}` has no route `{route}`");
        let near = context.nearest(&route, routes.iter().copied());
        let problem = context.sink.push("undeclared-route", span, message);
        if routes.iter().map(|route| route.len()).sum::<usize>() < MAX_HELP_BYTES {
            problem.help(format!("its routes are {}", list_of(routes)));
        }
        problem.did_you_mean(near);
    }
}

/// The routes with which at least one of the edges fires.
fn any_of(edges: &[Routes]) -> Routes {
    let Some((first, rest)) = edges.split_first() else {
        return Routes::new();
    };
    let mut routes = first.clone();
    for other in rest {
        routes.retain(|switch, mask| {
            *mask |= other.get(switch).copied().unwrap_or(u64::MAX);
            *mask != u64::MAX
        });
    }
    routes
}

/// The switch with no route for which all of the edges fire.
fn excluded(edges: &[Routes]) -> Option<usize> {
    let mut together = Routes::new();
    for (switch, mask) in edges.iter().flatten() {
        *together.entry(*switch).or_insert(u64::MAX) &= mask;
    }
    let is_possible = |switch: &usize| {
        edges
            .iter()
            .filter_map(|routes| routes.get(switch))
            .all(|mask| *mask != 0)
    };
    let mut excluded = together
        .into_iter()
        .filter(|(switch, mask)| *mask == 0 && is_possible(switch));
    excluded.next().map(|(switch, _)| switch)
}
