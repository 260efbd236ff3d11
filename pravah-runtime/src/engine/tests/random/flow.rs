//! Random flows: a random sound net, whose nodes are bodies, gates, agents, lists and nested flows, with
//! catches around some of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use pravah_graph::{NodeId, Place};

use super::{
    bodies::{Body, Number, Returns, agent, gate, hash, mix},
    reads::with_reads,
};
use crate::{
    Agent, AgentConfig, FlowGraph, Policy, Retry,
    graph::{About, CatchSpec, InvokeNode, Name, NodeKind, NodeSpec, TypedResults},
    random_nets::{Dice, Draft, DraftNode},
    state::{Live, OfState},
    topology::ShapeKind,
};

/// How flows within flows may be nested.
const DEPTH: usize = 2;

/// Which kinds of nodes a flow may have beside functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds {
    /// One in so many that could be an agent is one.
    pub(super) agents: usize,
    /// Whether bodies may fail for good without a `catch`.
    pub(super) failures: bool,
    /// Whether functions have no time limits and read no `Latest`: more of them can take the fast path.
    pub(super) plain: bool,
}

/// A flow with about `size` nodes, not counting those within it, from `Start` to `End`.
pub(super) fn draw(seed: u64, size: usize, kinds: Kinds) -> FlowGraph {
    let mut dice = Dice::new(seed);
    let graph = graph(&mut dice, size, kinds, DEPTH, ["Start", "End"]);
    match kinds.plain {
        true => graph,
        false => with_reads(&mut |bound| dice.below(bound), &graph),
    }
}

fn graph(
    dice: &mut Dice,
    size: usize,
    kinds: Kinds,
    depth: usize,
    [input, output]: [&str; 2],
) -> FlowGraph {
    let mut draft = Draft::sound(dice, size);
    fill_branches(&mut draft, dice);
    let mut drawing = Drawing {
        dice,
        kinds,
        depth,
        specs: Vec::new(),
        arcs: BTreeMap::new(),
    };
    drawing.arc(draft.entry, input.to_owned());
    let nodes = draft.nodes.iter().enumerate();
    nodes.for_each(|(index, node)| drawing.node(index, node));
    let Drawing {
        mut specs,
        mut arcs,
        ..
    } = drawing;
    for (index, node) in draft.nodes.iter().enumerate() {
        let id = id(depth, index);
        let spec = specs.iter_mut().find(|spec| spec.id == id).unwrap();
        let slots = (0..node.slots).map(|slot| Place::Slot {
            node: NodeId(index),
            slot,
        });
        spec.params = slots.map(|slot| arcs.remove(&slot).unwrap()).collect();
    }
    // Whatever ends the net ends the flow.
    let body = Body::new("end", 1, Returns::One);
    let mut end = spec(
        "end",
        Vec::new(),
        ShapeKind::One,
        vec![output.to_owned()],
        body.into_kind(),
    );
    end.params = vec![arcs.remove(&Place::Done).unwrap()];
    specs.push(end);
    let mut own: BTreeSet<String> = [input, output].map(str::to_owned).into();
    for spec in &specs {
        // What is in them names the states too.
        if matches!(
            spec.kind,
            NodeKind::Flow(_) | NodeKind::Each(_) | NodeKind::Invoke(_)
        ) {
            let states = spec.params.iter().flatten().chain(&spec.outputs);
            own.extend(states.map(|state| state.to_string()));
        }
    }
    if kinds.plain {
        let functions = specs.iter_mut();
        for function in functions.filter(|spec| matches!(spec.kind, NodeKind::Function(_))) {
            function.policy = Policy::new().retry(Retry::attempts(4));
        }
    }
    let kinds_of_states = 1 + dice.below(8);
    let rename = |state: &str| match own.contains(state) || dice.below(3) == 0 {
        true => state.to_owned(),
        false => format!("shared{depth}_{}", dice.below(kinds_of_states)),
    };
    let graph = FlowGraph::link_shared(input, output, specs, rename).unwrap();
    graph.with_fail_fast(!kinds.failures)
}

/// A nested flow's ends keep their names, so it says how deep it is.
fn id(depth: usize, index: usize) -> String {
    format!("n{depth}_{index}")
}

/// Puts a node into most branches of forks: many lead straight to a join, and nothing runs side by side.
fn fill_branches(draft: &mut Draft, dice: &mut Dice) {
    let mut added = Vec::new();
    let first = draft.nodes.len();
    let outcomes = draft.nodes.iter_mut().flat_map(|node| &mut node.outcomes);
    for place in outcomes.filter(|places| places.len() > 1).flatten() {
        if dice.below(4) > 0 {
            let branch = Place::Slot {
                node: NodeId(first + added.len()),
                slot: 0,
            };
            added.push(DraftNode {
                slots: 1,
                outcomes: vec![vec![std::mem::replace(place, branch)]],
            });
        }
    }
    draft.nodes.extend(added);
}

struct Drawing<'a> {
    dice: &'a mut Dice,
    kinds: Kinds,
    depth: usize,
    specs: Vec<NodeSpec>,
    /// The states that lead to each place.
    arcs: BTreeMap<Place, Vec<Name>>,
}

impl Drawing<'_> {
    fn one_in(&mut self, sides: usize) -> bool {
        self.dice.below(sides) == 0
    }

    fn arc(&mut self, to: Place, state: String) {
        self.arcs.entry(to).or_default().push(state.into());
    }

    /// The node of this number, with what is in it and behind it. What it takes is not known yet.
    fn node(&mut self, index: usize, node: &DraftNode) {
        let id = id(self.depth, index);
        let is_caught = self.one_in(6);
        let mut kind = None;
        if let [outputs] = node.outcomes.as_slice()
            && node.slots == 1
            && outputs.len() == 1
        {
            kind = match self.dice.below(12) {
                0 => Some(NodeKind::Gate(Arc::new(gate()))),
                1 if self.depth > 0 => return self.list(&id, outputs[0]),
                2 if self.depth > 0 => return self.nested(&id, outputs[0]),
                3 if self.depth > 0 => return self.invoke(&id, outputs[0]),
                _ if self.one_in(self.kinds.agents) => Some(NodeKind::Agent(agent())),
                _ => None,
            };
        }
        let (shape, returns, outputs) = self.outputs(&id, &node.outcomes);
        let mut body = Body::new(&id, node.slots, returns);
        body.awaits = !self.one_in(3);
        body.fails_for_good = is_caught || self.kinds.failures && self.one_in(8);
        let has_plain_retry = kind.is_none() && !body.awaits && self.one_in(2);
        let kind = kind.unwrap_or_else(|| body.into_kind());
        let mut spec = spec(&id, Vec::new(), shape, outputs, kind);
        if has_plain_retry {
            spec.policy = Policy::new().retry(Retry::attempts(4));
        }
        // A budget that is used up is no failure to go on after.
        if is_caught && !matches!(spec.kind, NodeKind::Agent(_)) {
            spec.catch = Some(self.catch(&id, node));
        }
        self.specs.push(spec);
    }

    /// The states that lead to the places of the outcomes. A choice between several places each is made by a
    /// node of its own.
    fn outputs(&mut self, id: &str, outcomes: &[Vec<Place>]) -> (ShapeKind, Returns, Vec<String>) {
        if let [places] = outcomes {
            return self.fork(id, places);
        }
        let names = outcomes.iter().enumerate().map(|(number, places)| {
            let name = format!("{id}_{number}");
            if let [place] = places.as_slice() {
                self.arc(*place, name.clone());
                return name;
            }
            let (shape, returns, outputs) = self.fork(&name, places);
            let body = Body::new(&name, 1, returns);
            let takes = vec![name.clone()];
            self.specs
                .push(spec(&name, takes, shape, outputs, body.into_kind()));
            name
        });
        let names: Vec<String> = names.collect();
        (ShapeKind::Choice, Returns::Choice(names.len()), names)
    }

    fn fork(&mut self, id: &str, places: &[Place]) -> (ShapeKind, Returns, Vec<String>) {
        let names: Vec<String> = (0..places.len())
            .map(|at| format!("{id}_to_{at}"))
            .collect();
        for (place, name) in places.iter().zip(&names) {
            self.arc(*place, name.clone());
        }
        match names.len() {
            1 => (ShapeKind::One, Returns::One, names),
            // One state for all of them.
            _ if self.one_in(2) => (ShapeKind::One, Returns::One, names),
            count => (ShapeKind::Fork, Returns::Fork(count), names),
        }
    }

    /// A node that takes a failure, and goes on as the node that failed might have.
    fn catch(&mut self, id: &str, node: &DraftNode) -> CatchSpec {
        let failure = format!("{id}_failed");
        let rescue = format!("{id}_rescue");
        let choice = self.dice.below(node.outcomes.len());
        let (shape, returns, outputs) = self.fork(&rescue, &node.outcomes[choice]);
        let body = Body::new(&rescue, 1, returns);
        let takes = vec![failure.clone()];
        self.specs
            .push(spec(&rescue, takes, shape, outputs, body.into_kind()));
        let slots = node.slots;
        let salt = hash(&failure);
        CatchSpec {
            name: failure.into(),
            make: Arc::new(move |inputs, _, _, attempts| {
                let n = mix(salt, Number::sum(inputs, slots)?);
                Ok(Live::new(Number {
                    n: mix(n, attempts.into()),
                }))
            }),
        }
    }

    /// A node that makes a list, what is done with its items, and a node that puts them together.
    fn list(&mut self, id: &str, to: Place) {
        let [each, list, done] = ["each", "list", "done"].map(|part| format!("{id}_{part}"));
        let chain = self.inner(["Item", "Finished"]);
        let limit = 1 + self.dice.below(4);
        let body = Body::new(id, 1, Returns::List).into_kind();
        let first = spec(id, Vec::new(), ShapeKind::One, vec![list.clone()], body);
        let mut items = NodeSpec::each::<Number, Number>("", Ok(chain)).limit(limit as u32);
        items.id = each.into();
        items.params = vec![vec![list.into()]];
        items.outputs = vec![done.clone().into()];
        self.specs.extend([first, items]);
        let mut body = Body::new(&done, 1, Returns::One);
        body.takes_list = true;
        self.last(&done, to, body);
    }

    /// A node that calls two others, some of which are agents, and a node that puts together what they return. What
    /// goes on beside a node that fails for good depends on what is faster, so that none is in what is called.
    fn invoke(&mut self, id: &str, to: Place) {
        let failures = std::mem::replace(&mut self.kinds.failures, false);
        let called = |number: usize| format!("{id}_called{number}");
        let callees = (0..2).map(|number| {
            let kind = match self.one_in(2) && self.one_in(self.kinds.agents) {
                true => NodeKind::Agent(agent()),
                false => NodeKind::Flow(self.inner(["Item", "Finished"])),
            };
            let one = |state: &str| vec![state.to_owned()];
            spec(
                &called(number),
                one("Item"),
                ShapeKind::One,
                one("Finished"),
                kind,
            )
        });
        let callees: Vec<NodeSpec> = callees.collect();
        self.kinds.failures = failures;
        let done = format!("{id}_done");
        let calls = Body::new(id, 1, Returns::Calls([0, 1].map(called)));
        let kind = NodeKind::Invoke(InvokeNode::of_specs(
            calls.into_body(),
            callees,
            Arc::new(TypedResults::all::<Number, OfState>()),
        ));
        let mut node = spec(id, Vec::new(), ShapeKind::One, vec![done.clone()], kind);
        node.policy = policy();
        self.specs.push(node);
        let mut body = Body::new(&done, 1, Returns::One);
        body.takes_list = true;
        self.last(&done, to, body);
    }

    /// A nested flow, with a node before it and one after.
    fn nested(&mut self, id: &str, to: Place) {
        let [inner, before, after] =
            ["inner", "before", "after"].map(|part| format!("{id}_{part}"));
        let ends = [&*before, &*after];
        let flow = match self.dice.below(4) {
            levels @ 0..3 => self.repeated(levels, ends),
            _ => self.inner(ends),
        };
        let flow = NodeKind::Flow(flow);
        let body = Body::new(id, 1, Returns::One).into_kind();
        self.specs.extend([
            spec(id, Vec::new(), ShapeKind::One, vec![before.clone()], body),
            spec(
                &inner,
                vec![before],
                ShapeKind::One,
                vec![after.clone()],
                flow,
            ),
        ]);
        self.last(&after, to, Body::new(&after, 1, Returns::One));
    }

    /// A flow that may come back to its start, where it has a function or another flow of the same input, and
    /// in that another one, so many of them.
    fn repeated(&mut self, levels: usize, [input, output]: [&str; 2]) -> FlowGraph {
        let [first, last] = ["first", "last"].map(|part| format!("{input}_{part}{levels}"));
        let ends = [input, &*last];
        let kind = match levels {
            0 if self.one_in(2) => Body::new(&first, 1, Returns::One).into_kind(),
            0 => NodeKind::Flow(self.inner(ends)),
            _ => NodeKind::Flow(self.repeated(levels - 1, ends)),
        };
        let again = Body::new(&last, 1, Returns::Choice(2)).into_kind();
        let one = |state: &str| vec![state.to_owned()];
        let either = vec![input.to_owned(), output.to_owned()];
        let specs = vec![
            spec(&first, one(input), ShapeKind::One, one(&last), kind),
            spec(&last, one(&last), ShapeKind::Choice, either, again),
        ];
        FlowGraph::link_by_state(input.to_owned(), output.to_owned(), specs).unwrap()
    }

    /// The node that takes this state, and leads to this place.
    fn last(&mut self, takes: &str, to: Place, body: Body) {
        let (shape, _, outputs) = self.fork(takes, &[to]);
        let takes_it = vec![takes.to_owned()];
        self.specs
            .push(spec(takes, takes_it, shape, outputs, body.into_kind()));
    }

    fn inner(&mut self, ends: [&str; 2]) -> FlowGraph {
        let size = 1 + self.dice.below(4);
        graph(self.dice, size, self.kinds, self.depth - 1, ends)
    }
}

fn spec(
    id: &str,
    takes: Vec<String>,
    shape: ShapeKind,
    outputs: Vec<String>,
    kind: NodeKind,
) -> NodeSpec {
    let policy = match &kind {
        NodeKind::Function(_) | NodeKind::Agent(_) => policy(),
        _ => Policy::new(),
    };
    NodeSpec {
        id: id.to_owned().into(),
        params: takes.into_iter().map(|state| vec![state.into()]).collect(),
        reads: Vec::new(),
        inputs: Vec::new(),
        shape,
        outputs: outputs.into_iter().map(Name::from).collect(),
        policy,
        kind,
        catch: None,
        about: About {
            path: "".into(),
            description: None,
            params: Vec::new(),
            outputs: Vec::new(),
            asks: &[],
        },
    }
}

fn policy() -> Policy {
    let ms = Duration::from_millis;
    let retry = Retry::attempts(4).backoff(ms(3)).factor(2.0).jitter();
    Policy::new().timeout(ms(60)).retry(retry)
}

impl Agent for Number {
    type Output = Number;

    fn build() -> AgentConfig {
        AgentConfig::new("You count.", "openai://m")
    }
}
