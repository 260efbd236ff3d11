//! What the transitions of nodes do.

use std::{borrow::Cow, sync::Arc};

use pravah_document::{Case, Condition, Graph, MergeMode, Node, Repeat, Selector, Template, Work};
use serde_json::json;

use super::{
    Body, Captures, Frame, LastMember, NetBuilder, Outer, ends, policy::policy, roots::ids_in,
};
use crate::{
    document::{
        ask::{self, AskInput},
        bodies::{self, Constant, Filter, If, Map, Switch, Text},
        bound::{BoundCondition, BoundTemplate, BoundWhen},
        regions::{Foreach, Loop, Repeated, Rounds, Subflow},
        rules::DocumentRules,
    },
    error::FlowError,
    graph::{EachNode, ListBody, NodeKind},
};

/// What the body of a `control.foreach` can name besides what it calls an item.
const OF_ITEM: [&str; 6] = ["index", "count", "$index", "$count", "$first", "$last"];

/// How deeply subflows may run subflows: the outputs of each are in those of the one around it, and no snapshot carries
/// a value that is nested more than 128 levels deep.
pub(super) const MAX_SUBFLOWS: usize = 24;

/// What a round of a `control.loop` can name.
const OF_ROUND: [&str; 2] = ["iteration", "index"];

/// Whether a node waits for all of its edges to fire.
pub(super) const fn needs_all(node: &Node) -> bool {
    matches!(
        node.work,
        Work::Merge {
            mode: MergeMode::All,
            ..
        }
    )
}

impl NetBuilder<'_, '_> {
    pub(super) fn bound_template(&self, template: &Template) -> BoundTemplate {
        BoundTemplate {
            references: self.references(template.roots()),
            template: template.clone(),
        }
    }

    fn bound_condition(&self, condition: &Condition) -> BoundCondition {
        BoundCondition::new(condition, |roots| self.references(roots))
    }

    pub(super) fn work(&self, node: &Node) -> Result<(NodeKind, Captures), FlowError> {
        let node = &*self.with_full_id(node);
        let id: Box<str> = node.id.as_str().into();
        let registry = self.builder.registry;
        let bound = |template: &Template| self.bound_template(template);
        let kind = match &node.work {
            Work::Run(input) => bodies::of_type(registry, node, bound(input))?,
            Work::Agent(input) => bodies::agent(registry, node, bound(input))?,
            Work::If(condition) => bodies::function(If {
                id,
                condition: self.bound_condition(condition),
            }),
            Work::Switch { value, cases } => bodies::function(Switch {
                id,
                value: bound(value),
                cases: self.cases(cases),
            }),
            Work::Merge { .. } => bodies::function(Constant(json!({ "merged": true }))),
            Work::Map { list, template } => bodies::function(Map {
                id,
                list: bound(list),
                template: template.as_ref().map(bound),
            }),
            Work::Template { template, values } => bodies::function(Text {
                id,
                template: bound(template),
                values: values.as_ref().map(bound),
            }),
            Work::Filter { list, condition } => bodies::function(Filter {
                id,
                list: bound(list),
                condition: self.bound_when(condition),
            }),
            Work::Wait { input } => {
                let timeout = policy(node).timeout;
                ask::wait(&id, self.ask_input(node, input), timeout)
            }
            Work::Gate { input } => ask::gate(&id, self.ask_input(node, input)),
            Work::Foreach {
                list,
                item,
                concurrency,
                body,
            } => return self.foreach(&id, list, item, *concurrency, body),
            Work::Loop {
                condition,
                max_iterations,
                stops_at_cap,
                body,
            } => return self.while_loop(&id, condition, *max_iterations, *stops_at_cap, body),
            Work::Subflow { name, input } => return self.subflow(node, name, input.as_ref()),
        };
        Ok((kind, Captures::new()))
    }

    fn with_full_id<'n>(&self, node: &'n Node) -> Cow<'n, Node> {
        if self.builder.prefix.is_empty() {
            return Cow::Borrowed(node);
        }
        let mut node = node.clone();
        node.id = self.builder.full_id(&node.id);
        Cow::Owned(node)
    }

    fn cases(&self, cases: &[Case]) -> Vec<(BoundWhen, Box<str>)> {
        let case = |case: &Case| (self.bound_when(&case.when), case.route.as_str().into());
        cases.iter().map(case).collect()
    }

    fn foreach(
        &self,
        id: &str,
        list: &Template,
        item: &str,
        concurrency: u32,
        body: &Graph,
    ) -> Result<(NodeKind, Captures), FlowError> {
        let names: Vec<&str> = [item].into_iter().chain(OF_ITEM).collect();
        let foreach = Foreach {
            id: id.into(),
            list: self.bound_template(list),
            item: item.into(),
        };
        let of = Body {
            region: id,
            names: &names,
            has_rounds: false,
            last: None,
        };
        self.region(of, body, concurrency, foreach)
    }

    fn while_loop(
        &self,
        id: &str,
        condition: &Condition,
        max_iterations: u32,
        stops_at_cap: bool,
        body: &Graph,
    ) -> Result<(NodeKind, Captures), FlowError> {
        let rounds = Loop {
            id: id.into(),
            condition: self.round_condition(condition, body),
            max_iterations,
            stops_at_cap,
            rounds: self.rounds(body),
        };
        let of = Body {
            region: id,
            names: &OF_ROUND,
            has_rounds: true,
            last: None,
        };
        self.region(of, body, 1, rounds)
    }

    fn ask_input(&self, node: &Node, input: &Template) -> AskInput {
        let node_type = self.builder.registry.catalogue().get(&node.type_name);
        AskInput {
            template: self.bound_template(input),
            schema: node_type.map_or_else(|| json!({}), |it| it.input.clone()),
        }
    }

    pub(super) fn repeated(
        &self,
        repeat: &Repeat,
        rules: &Arc<DocumentRules>,
    ) -> Result<(NodeKind, Captures), FlowError> {
        let last = LastMember {
            member: repeat.source,
            may_be_handled: repeat.on != Selector::Success || rules.may_handle_failures(),
        };
        let repeated = Repeated {
            id: self.builder.full_id(&repeat.id).into(),
            ends: ends(repeat).map(Box::from),
            rules: Arc::clone(rules),
            on: repeat.on,
            when: repeat.when.as_ref().map(|when| self.bound_when(when)),
            max_iterations: repeat.max_iterations,
            rounds: self.rounds(&repeat.graph),
        };
        let body = Body {
            region: &repeat.id,
            names: &[],
            has_rounds: true,
            last: Some(last),
        };
        self.region(body, &repeat.graph, 1, repeated)
    }

    /// A condition on what the rounds of a body have left, besides what else can be named.
    fn round_condition(&self, condition: &Condition, body: &Graph) -> BoundCondition {
        let mut names = self.names.clone();
        for id in ids_in(body) {
            names.kept.insert(id.into(), self.latest_of(id));
        }
        BoundCondition::new(condition, |roots| names.references(roots))
    }

    fn rounds(&self, body: &Graph) -> Rounds {
        let ids = ids_in(body).into_iter();
        Rounds(ids.map(|id| (id.into(), self.latest_of(id))).collect())
    }

    fn as_outer(&self) -> Outer<'_> {
        Outer {
            names: &self.names,
            latest: &self.latest,
            keys: &self.keys,
        }
    }

    fn region(
        &self,
        of: Body<'_>,
        body: &Graph,
        concurrency: u32,
        list: impl ListBody + 'static,
    ) -> Result<(NodeKind, Captures), FlowError> {
        let outer = Some(self.as_outer());
        let net = self.builder.net(body, Frame::Body(of), outer)?;
        let each = EachNode::of_document(net.graph, concurrency.max(1), Arc::new(list));
        Ok((NodeKind::Each(each), net.captures))
    }

    fn subflow(
        &self,
        node: &Node,
        name: &str,
        input: Option<&Template>,
    ) -> Result<(NodeKind, Captures), FlowError> {
        let Some(flow) = self.builder.registry.flow(name) else {
            let problem = format!("`{}` runs the subflow `{name}`, which is unknown", node.id);
            return Err(FlowError::BuildError(problem.into()));
        };
        let within = &self.builder.within;
        if within.contains(&name) {
            let problem = format!("the subflow `{name}` runs itself");
            return Err(FlowError::BuildError(problem.into()));
        }
        if within.len() >= MAX_SUBFLOWS {
            let problem = format!("subflows run subflows more than {MAX_SUBFLOWS} levels deep");
            return Err(FlowError::BuildError(problem.into()));
        }
        let builder = super::Builder {
            registry: self.builder.registry,
            fail_fast: flow.fail_fast,
            within: within.iter().copied().chain([name]).collect(),
            prefix: format!("{}::", node.id),
        };
        let (chain, _) = builder.flow(&flow.graph)?;
        let subflow = Subflow {
            id: node.id.as_str().into(),
            default: flow.input.clone(),
            input: input.map(|input| self.bound_template(input)),
        };
        let each = EachNode::of_document(chain, 1, Arc::new(subflow));
        Ok((NodeKind::Each(each), Captures::new()))
    }
}
