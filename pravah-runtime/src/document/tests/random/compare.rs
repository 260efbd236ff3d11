//! What has to be the same of two runs of a document, whatever the order of their steps.

use std::collections::BTreeSet;

use pravah_document::{Graph, Member, MergeMode, Selector, When, Work};
use serde_json::{Map, Value};

use super::{
    document::{Drawn, last_id},
    frame::{cancels, loses},
    reference::Story,
};

/// What does not depend on the order of the steps. A failure that ends what is around it ends different steps there.
#[derive(Debug, PartialEq)]
pub(super) struct Settled {
    end: Option<(Map<String, Value>, BTreeSet<String>)>,
    steps: BTreeSet<String>,
}

impl Story {
    pub(super) fn settled(&self, is_aborted: bool) -> Settled {
        let end = self.end.as_ref().ok();
        let is_known = |step: &&String| end.is_some() && (!is_aborted || step.contains("[] "));
        Settled {
            steps: self.steps.iter().filter(is_known).cloned().collect(),
            end: end.map(|(outputs, failed)| {
                let outputs = outputs.iter();
                let outputs = outputs.map(|(id, output)| (id.clone(), without_reasons(output)));
                (outputs.collect(), failed.clone())
            }),
        }
    }
}

/// Markers say only that a node has failed: which failure is the first depends on the order.
fn without_reasons(output: &Value) -> Value {
    match output {
        Value::Object(fields) if fields.contains_key("failed") => Value::from("failed"),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, output)| (name.clone(), without_reasons(output)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => items.iter().map(without_reasons).collect(),
        other => other.clone(),
    }
}

/// Fails where a node has run against the rules, by what has become of the others (P1.4).
pub(super) fn check_rules(drawn: &Drawn, story: &Story) {
    let Ok((outputs, _)) = &story.end else {
        return;
    };
    let graph = &drawn.document.graph;
    let mut scope = outputs.clone();
    let input = serde_json::json!({ "input": drawn.document.input });
    scope.insert("flow".to_owned(), input);
    for (index, member) in graph.members.iter().enumerate() {
        let has_run = has_run(&outputs[last_id(member)]);
        if !has_run && is_cancelled(graph, index, outputs) {
            continue;
        }
        let edges = graph.edges.iter().filter(|edge| edge.to == index);
        let fired: Vec<bool> = edges
            .map(|edge| {
                let source = &outputs[last_id(&graph.members[edge.from])];
                fires(source, edge.on, edge.when.as_ref(), &scope)
            })
            .collect();
        let is_meant = match mode(member) {
            Some(MergeMode::All) => fired.iter().all(|fired| *fired),
            _ => fired.is_empty() || fired.contains(&true),
        };
        let when = match member {
            Member::Node(node) => node.when.as_ref(),
            Member::Repeat(_) => None,
        };
        let holds = when.is_none_or(|when| when.holds(&scope));
        // The last node of a region may be skipped in it.
        let is_region = matches!(member, Member::Repeat(_));
        assert!(
            has_run == (is_meant && holds) || (is_region && is_meant),
            "{}: {has_run}, {fired:?}, {holds}: {story:?}",
            last_id(member),
        );
    }
}

fn has_run(output: &Value) -> bool {
    output.get("skipped").is_none()
}

fn mode(member: &Member) -> Option<MergeMode> {
    match member {
        Member::Node(node) => match node.work {
            Work::Merge { mode, .. } => Some(mode),
            _ => None,
        },
        Member::Repeat(_) => None,
    }
}

fn fires(source: &Value, on: Selector, when: Option<&When>, scope: &Map<String, Value>) -> bool {
    let is_meant = match source.get("failed") {
        Some(_) => on != Selector::Success,
        None => on != Selector::Failure,
    };
    has_run(source) && is_meant && when.is_none_or(|when| when.holds(scope))
}

fn is_cancelled(graph: &Graph, node: usize, outputs: &Map<String, Value>) -> bool {
    let mut merges = graph.members.iter().enumerate();
    merges.any(|(merge, member)| {
        cancels(member) && has_run(&outputs[last_id(member)]) && loses(graph, node, merge)
    })
}

/// Fails where a node has made a step that a merge had cancelled before, or has ended twice.
pub(super) fn check_steps(drawn: &Drawn, story: &Story) {
    let graph = &drawn.document.graph;
    let place = |id: &str| {
        story
            .steps
            .iter()
            .position(|step| *step == format!("{id}[] Node"))
    };
    for (index, member) in graph.members.iter().enumerate() {
        let id = last_id(member);
        let ends = [format!("{id}[] Node"), format!("{id}[] Failure")];
        let ended = story.steps.iter().filter(|step| ends.contains(step));
        assert!(ended.count() <= 1, "{id} has ended twice: {story:?}");
        for (merge, _) in graph
            .members
            .iter()
            .enumerate()
            .filter(|(_, it)| cancels(it))
        {
            let Some(merged) = place(last_id(&graph.members[merge])) else {
                continue;
            };
            let own = format!("{id}[]");
            let mut later = story.steps[merged + 1..].iter();
            let runs_on = later.any(|step| step.starts_with(&own));
            assert!(
                !runs_on || !loses(graph, index, merge),
                "{id} was cancelled: {story:?}"
            );
        }
    }
}
