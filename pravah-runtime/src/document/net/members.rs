//! The transitions of the nodes and regions of a graph.

use std::{collections::BTreeMap, sync::Arc};

use pravah_document::{Edge, Member, Node, Repeat, When};

use super::{
    LastMember, NetBuilder, ends, id, outcome_type, plain, policy::policy, roots::ids_in,
    token_type, work::needs_all,
};
use crate::{
    document::{
        bodies,
        bound::BoundWhen,
        ends::CloseRules,
        rules::{DocumentRules, Kept, OutEdge, Returns},
        scope::References,
    },
    error::FlowError,
    graph::{AssembledNode, AssembledOutput, LatestIx, NodeIx, NodeKind, NodeRules},
    node::Policy,
    state::StateType,
};

/// The edges of a graph by the members that they lead from and to.
struct Edges {
    from: Vec<Vec<usize>>,
    to: Vec<Vec<usize>>,
    /// Which of the edges to its target each is.
    params: Vec<usize>,
}

impl Edges {
    fn new(members: usize, edges: &[Edge]) -> Self {
        let mut sorted = Self {
            from: vec![Vec::new(); members],
            to: vec![Vec::new(); members],
            params: Vec::with_capacity(edges.len()),
        };
        for (index, edge) in edges.iter().enumerate() {
            if let (Some(from), Some(to)) =
                (sorted.from.get_mut(edge.from), sorted.to.get_mut(edge.to))
            {
                sorted.params.push(to.len());
                from.push(index);
                to.push(index);
            }
        }
        sorted
    }
}

impl NetBuilder<'_, '_> {
    pub(super) fn add_members(&mut self) -> Result<(), FlowError> {
        let edges = Edges::new(self.graph.members.len(), &self.graph.edges);
        let mut ends = 0..;
        for (number, member) in self.graph.members.iter().enumerate() {
            let merge = self.takes_first.get(number).copied().unwrap_or_default();
            let losers_end = merge.then(|| ends.next()).flatten();
            let incoming = edges.to.get(number).map_or(&[][..], Vec::as_slice);
            let takes = self.takes(member, incoming);
            let outgoing = edges.from.get(number).map_or(&[][..], Vec::as_slice);
            let to = self.targets(outgoing, &edges);
            let to = match to.is_empty() {
                true => vec![AssembledOutput::To {
                    node: self.end(),
                    param: ends.next().unwrap_or_default(),
                }],
                false => to,
            };
            let edges = self.out_edges(outgoing);
            let mut node = match member {
                Member::Node(node) => self.node(number, node, (takes, to, edges))?,
                Member::Repeat(repeat) => self.repeat(number, repeat, (takes, to, edges))?,
            };
            if let Some(param) = losers_end {
                self.close(number, id(member), std::mem::take(&mut node.takes), param);
                node.takes = vec![(format!("->{}", id(member)), token_type)];
                node.rules.is_held = true;
                node.rules.cancels = self.losers_of(number);
            }
            self.note(&node, member, outgoing);
            self.nodes.push(node);
        }
        Ok(())
    }

    /// The states that a member waits for.
    fn takes(&self, member: &Member, incoming: &[usize]) -> Vec<(String, fn() -> StateType)> {
        let target = id(member);
        if incoming.is_empty() {
            return vec![(format!("->{target}"), token_type)];
        }
        let mut edges_from = BTreeMap::new();
        let sources = incoming.iter().filter_map(|edge| {
            let edge = self.graph.edges.get(*edge)?;
            self.graph.members.get(edge.from)
        });
        let key = |source| {
            let source = id(source);
            let edges = edges_from.entry(source).or_insert(0);
            *edges += 1;
            // Two edges between the same nodes, for other outcomes or conditions, need a slot each.
            let key = match *edges {
                1 => format!("{source}->{target}"),
                number => format!("{source}->{target}#{number}"),
            };
            (key, token_type as _)
        };
        sources.map(key).collect()
    }

    fn targets(&self, outgoing: &[usize], edges: &Edges) -> Vec<AssembledOutput> {
        let targets = outgoing.iter().filter_map(|index| {
            let edge = self.graph.edges.get(*index)?;
            let node = self.members.get(edge.to)?.takes;
            let param = *edges.params.get(*index)?;
            Some(AssembledOutput::To { node, param })
        });
        targets.collect()
    }

    fn out_edges(&self, outgoing: &[usize]) -> Vec<OutEdge> {
        let edges = outgoing
            .iter()
            .filter_map(|index| self.graph.edges.get(*index));
        let edges: Vec<OutEdge> = edges
            .map(|edge| OutEdge {
                on: edge.on,
                is_to_end: false,
                when: edge.when.as_ref().map(|when| self.bound_when(when)),
            })
            .collect();
        match edges.is_empty() {
            // The end takes whatever comes.
            true => vec![OutEdge::to_end()],
            false => edges,
        }
    }

    pub(super) fn bound_when(&self, when: &When) -> BoundWhen {
        BoundWhen {
            references: self.references(when.roots()),
            when: when.clone(),
        }
    }

    pub(super) fn references<'n>(&self, roots: impl IntoIterator<Item = &'n str>) -> References {
        self.names.references(roots)
    }

    fn node(
        &mut self,
        number: usize,
        node: &Node,
        (takes, to, edges): MemberEdges,
    ) -> Result<AssembledNode, FlowError> {
        let latest = self.latest_of(&node.id);
        let (kind, captures) = self.work(node)?;
        let returns = bodies::returns(self.builder.registry, node, &kind);
        let rules = DocumentRules {
            needs_all: needs_all(node),
            when: node.when.as_ref().map(|when| self.bound_when(when)),
            edges,
            kept: Kept {
                name: node.id.as_str().into(),
                latest,
                others: Vec::new(),
                is_region: false,
            },
            returns,
            continue_on_error: node.policy.continue_on_error,
            fail_fast: self.builder.fail_fast,
            always_fails: node.type_name == "control.fail",
            hands_failure_on: self.hands_failure_on(number),
            cancelled_by: self.merges_over(number),
        };
        let kept = [kept(latest)];
        Ok(AssembledNode {
            id: self.builder.full_id(&node.id),
            takes,
            outputs: kept.into_iter().chain(to).collect(),
            kind,
            policy: self.policy(node),
            rules: plain(Arc::new(rules)),
            captures,
        })
    }

    /// How often and how long a node is tried: what the document says, and of the rest what its type does.
    fn policy(&self, node: &Node) -> Policy {
        let written = policy(node);
        let known = self.builder.registry.registered(&node.type_name);
        let of_type = known.and_then(|known| Some(known.implementation.typed()?.policy()));
        let Some(of_type) = of_type else {
            return written;
        };
        Policy {
            max_visits: of_type.max_visits,
            timeout: written.timeout.or(of_type.timeout),
            total_timeout: written.total_timeout.or(of_type.total_timeout),
            retry: written.retry.or(of_type.retry),
            is_pure: of_type.is_pure,
        }
    }

    fn repeat(
        &mut self,
        number: usize,
        repeat: &Repeat,
        (takes, to, edges): MemberEdges,
    ) -> Result<AssembledNode, FlowError> {
        let [_, source] = ends(repeat);
        let last = self.latest_of(source);
        let others = ids_in(&repeat.graph).into_iter();
        let others = others.filter(|id| *id != source);
        let others: Vec<LatestIx> = others.map(|id| self.latest_of(id)).collect();
        let outputs = [kept(last)]
            .into_iter()
            .chain(others.iter().map(|other| kept(*other)));
        let outputs = outputs.chain(to).collect();
        let rules = DocumentRules {
            needs_all: false,
            when: None,
            edges,
            kept: Kept {
                name: source.into(),
                latest: last,
                others,
                is_region: true,
            },
            returns: Returns::Outcome,
            continue_on_error: false,
            fail_fast: self.builder.fail_fast,
            always_fails: false,
            hands_failure_on: self.hands_failure_on(number),
            cancelled_by: self.merges_over(number),
        };
        let rules = Arc::new(rules);
        let (kind, captures) = self.repeated(repeat, &rules)?;
        Ok(AssembledNode {
            id: self.builder.full_id(&repeat.id),
            takes,
            outputs,
            kind,
            policy: Policy::new(),
            rules: plain(rules),
            captures,
        })
    }

    /// Whether the net around this one may handle a failure of the member.
    fn hands_failure_on(&self, number: usize) -> bool {
        let is_last = |last: &LastMember| last.member == number && last.may_be_handled;
        self.last.as_ref().is_some_and(is_last)
    }

    /// Where the edges to a merge end that takes the first of them.
    fn close(
        &mut self,
        number: usize,
        merge: &str,
        takes: Vec<(String, fn() -> StateType)>,
        param: usize,
    ) {
        let emits = self.members.get(number).map(|it| it.emits);
        let node = AssembledNode {
            id: format!("{merge}(losers)"),
            takes,
            outputs: vec![AssembledOutput::To {
                node: self.end(),
                param,
            }],
            kind: NodeKind::Broken("it does not run".into()),
            policy: Policy::new(),
            rules: NodeRules {
                releases: emits.map(node_ix),
                ..plain(Arc::new(CloseRules))
            },
            captures: Vec::new(),
        };
        self.nodes.push(node);
    }

    pub(super) fn latest_of(&self, id: &str) -> LatestIx {
        self.keys.get(id).copied().unwrap_or(LatestIx(0))
    }

    fn note(&mut self, node: &AssembledNode, member: &Member, outgoing: &[usize]) {
        let kind = match member {
            Member::Node(node) => &node.type_name,
            Member::Repeat(_) => "repeat",
        };
        let takes = node.takes.iter().map(|(key, _)| &**key);
        let mut single = super::roots::named_by(member);
        let edges = outgoing
            .iter()
            .filter_map(|edge| self.graph.edges.get(*edge));
        let conditions = edges.filter_map(|edge| edge.when.as_ref());
        single.extend(conditions.flat_map(When::roots));
        self.fingerprint.transition(kind, takes, [&*node.id]);
        self.fingerprint.transition("reads", single, []);
        if let NodeKind::Each(each) = &node.kind {
            self.fingerprint.nested(each.chain.fingerprint());
        }
    }
}

/// What a member waits for, where its tokens go, and its edges.
type MemberEdges = (
    Vec<(String, fn() -> StateType)>,
    Vec<AssembledOutput>,
    Vec<OutEdge>,
);

const fn kept(latest: LatestIx) -> AssembledOutput {
    AssembledOutput::Kept {
        latest,
        type_of: outcome_type,
    }
}

pub(super) fn node_ix(number: usize) -> NodeIx {
    NodeIx(u32::try_from(number).unwrap_or(u32::MAX))
}
