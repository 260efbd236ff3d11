//! What is named in a graph.

use std::collections::BTreeSet;

use pravah_document::{Condition, Graph, Member, Template, When, Work};

/// The ids of the nodes that a graph runs, those of its regions among them, without those in bodies.
pub(super) fn ids_in(graph: &Graph) -> Vec<&str> {
    let mut ids = Vec::with_capacity(graph.members.len());
    for member in &graph.members {
        match member {
            Member::Node(node) => ids.push(&*node.id),
            Member::Repeat(repeat) => ids.extend(ids_in(&repeat.graph)),
        }
    }
    ids
}

/// What templates and conditions of a graph name, and of the bodies in it.
pub(super) fn roots_in(graph: &Graph) -> BTreeSet<&str> {
    let mut roots = BTreeSet::new();
    add(graph, &mut roots);
    roots
}

fn add<'a>(graph: &'a Graph, roots: &mut BTreeSet<&'a str>) {
    for edge in &graph.edges {
        roots.extend(edge.when.iter().flat_map(When::roots));
    }
    for member in &graph.members {
        match member {
            Member::Node(node) => {
                roots.extend(node.when.iter().flat_map(When::roots));
                add_work(&node.work, roots);
            }
            Member::Repeat(repeat) => {
                roots.extend(repeat.when.iter().flat_map(When::roots));
                add(&repeat.graph, roots);
            }
        }
    }
}

/// What a member itself names, in its input and its condition.
pub(super) fn named_by(member: &Member) -> BTreeSet<&str> {
    let mut roots = BTreeSet::new();
    match member {
        Member::Node(node) => {
            roots.extend(node.when.iter().flat_map(When::roots));
            add_own(&node.work, &mut roots);
        }
        Member::Repeat(repeat) => roots.extend(repeat.when.iter().flat_map(When::roots)),
    }
    roots
}

fn add_work<'a>(work: &'a Work, roots: &mut BTreeSet<&'a str>) {
    add_own(work, roots);
    if let Work::Foreach { body, .. } | Work::Loop { body, .. } = work {
        add(body, roots);
    }
}

fn add_own<'a>(work: &'a Work, roots: &mut BTreeSet<&'a str>) {
    match work {
        Work::Run(input) | Work::Agent(input) | Work::Wait { input } | Work::Gate { input } => {
            roots.extend(input.roots());
        }
        Work::If(condition) | Work::Loop { condition, .. } => roots.extend(of_condition(condition)),
        Work::Switch { value, cases } => {
            roots.extend(value.roots());
            roots.extend(cases.iter().flat_map(|case| case.when.roots()));
        }
        Work::Merge { .. } => {}
        Work::Foreach { list, .. } => roots.extend(list.roots()),
        Work::Subflow { input, .. } => roots.extend(input.iter().flat_map(Template::roots)),
        Work::Map { list, template } => {
            roots.extend(list.roots());
            roots.extend(template.iter().flat_map(Template::roots));
        }
        Work::Template { template, values } => {
            roots.extend(template.roots());
            roots.extend(values.iter().flat_map(Template::roots));
        }
        Work::Filter { list, condition } => {
            roots.extend(list.roots());
            roots.extend(condition.roots());
        }
    }
}

pub(super) fn of_condition(condition: &Condition) -> Vec<&str> {
    match condition {
        Condition::Value(template) => template.roots(),
        Condition::When(when) => when.roots(),
    }
}
