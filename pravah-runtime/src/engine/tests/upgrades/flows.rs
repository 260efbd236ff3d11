//! Random flows, and flows that differ from them a little.

use std::sync::{Arc, Mutex, OnceLock};

use super::super::{random::reads::with_reads, states};
use crate::{
    Each, FlowError, FlowGraph,
    flow::Known,
    graph::{About, CatchSpec, EachNode, NodeKind, NodeSpec},
    node::{Asked, Body, Emission, Emitted, GateFns, Inputs, Policy, Running, Started},
    state::{AsNoted, Live, OfState, StateFns},
    topology::ShapeKind,
};

states!(Number);

/// Numbers to decide by, drawn from a seed (xorshift64*).
pub(super) struct Dice(Mutex<u64>);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mutex::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    /// A number below `bound`, or zero.
    pub(super) fn below(&self, bound: usize) -> usize {
        let mut seed = self.0.lock().unwrap();
        *seed ^= *seed >> 12;
        *seed ^= *seed << 25;
        *seed ^= *seed >> 27;
        let bits = seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        bits as usize % bound.max(1)
    }
}

/// The keys of the steps that have been made.
#[derive(Default)]
pub(super) struct Keys(Mutex<Vec<String>>);

impl Keys {
    pub(super) fn taken(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(super) fn of(keys: Vec<String>) -> Self {
        Self(Mutex::new(keys))
    }
}

/// A part of a flow that takes one state and comes to one. Its number names the states within, and stays
/// when the flow around it changes.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Step(u32),
    Gate(u32),
    Sequence(Vec<Block>),
    Fork(u32, Vec<Block>),
    Choice(u32, Vec<Block>),
    Loop(u32, Box<Block>),
    List(u32, Box<Block>),
    /// A nested flow, with a `catch` around it.
    Caught(u32, Box<Block>),
}

/// Draws flows, with numbers that no other part has.
pub(super) struct Draw<'a> {
    pub(super) dice: &'a Dice,
    pub(super) next: u32,
}

impl Draw<'_> {
    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    pub(super) fn block(&mut self, depth: usize) -> Block {
        if depth == 0 {
            let number = self.number();
            return match self.dice.below(4) {
                0 => Block::Gate(number),
                _ => Block::Step(number),
            };
        }
        self.around(depth, |draw| draw.block(depth - 1))
    }

    /// A block around others, or a single one.
    fn around(&mut self, depth: usize, mut inner: impl FnMut(&mut Self) -> Block) -> Block {
        let number = self.number();
        match self.dice.below(9) {
            0 | 1 => Block::Fork(number, self.some(inner)),
            2 | 3 => Block::Choice(number, self.some(inner)),
            4 => Block::Loop(number, inner(self).into()),
            5 => Block::List(number, inner(self).into()),
            6 => Block::Caught(number, inner(self).into()),
            7 => self.block(depth.saturating_sub(1)),
            _ => Block::Sequence(self.some(inner)),
        }
    }

    fn some(&mut self, mut inner: impl FnMut(&mut Self) -> Block) -> Vec<Block> {
        (0..2 + self.dice.below(2)).map(|_| inner(self)).collect()
    }

    /// Changes something.
    pub(super) fn change(&mut self, block: &mut Block) {
        let deeper = self.dice.below(3) > 0;
        match block {
            Block::Sequence(blocks) | Block::Fork(_, blocks) | Block::Choice(_, blocks)
                if deeper =>
            {
                let at = self.dice.below(blocks.len());
                return self.change(&mut blocks[at]);
            }
            Block::Loop(_, inner) | Block::List(_, inner) | Block::Caught(_, inner) if deeper => {
                return self.change(inner);
            }
            _ => {}
        }
        let number = block.number();
        let old = std::mem::replace(block, Block::Step(0));
        *block = match (old, self.dice.below(6)) {
            (old, 0) => {
                let mut old = Some(old);
                self.around(0, |draw| old.take().unwrap_or_else(|| draw.block(0)))
            }
            (Block::Sequence(mut blocks), 1..4) if blocks.len() > 1 => {
                match self.dice.below(3) {
                    0 => drop(blocks.remove(self.dice.below(blocks.len()))),
                    1 => blocks.insert(self.dice.below(blocks.len() + 1), self.block(0)),
                    _ => blocks.rotate_left(1),
                }
                Block::Sequence(blocks)
            }
            (Block::Fork(number, mut blocks), 1 | 2) => {
                match self.dice.below(2) {
                    0 if blocks.len() > 1 => drop(blocks.remove(self.dice.below(blocks.len()))),
                    _ => blocks.insert(self.dice.below(blocks.len() + 1), self.block(0)),
                }
                Block::Fork(number, blocks)
            }
            (Block::Sequence(blocks), 5) if blocks.len() > 1 => Block::Fork(self.number(), blocks),
            (Block::Fork(_, blocks), 5) => Block::Sequence(blocks),
            (Block::Fork(number, blocks), 3) => Block::Choice(number, blocks),
            (Block::Choice(number, blocks), 1..4) => Block::Fork(number, blocks),
            (Block::Loop(_, inner) | Block::List(_, inner) | Block::Caught(_, inner), 1 | 2) => {
                *inner
            }
            (Block::Step(number), 1..4) => Block::Gate(number),
            (_, 4) => self.block(1),
            _ => Block::Step(number),
        };
    }
}

impl Block {
    fn number(&self) -> u32 {
        match self {
            Self::Step(number) | Self::Gate(number) => *number,
            Self::Sequence(blocks) => blocks[0].number(),
            Self::Loop(_, inner) | Self::Caught(_, inner) => inner.number(),
            Self::Fork(number, _) | Self::Choice(number, _) | Self::List(number, _) => *number,
        }
    }

    /// The state that it takes.
    fn entry(&self) -> String {
        format!("S{}", self.number())
    }

    /// Adds its nodes, the last of which return `exit`.
    fn add(&self, exit: &str, specs: &mut Vec<NodeSpec>) {
        let entry = self.entry();
        match self {
            Self::Step(_) => specs.push(node(&[entry], ShapeKind::One, &[exit.into()])),
            Self::Gate(_) => specs.push(gate(&entry, exit)),
            Self::Sequence(blocks) => {
                for (at, block) in blocks.iter().enumerate() {
                    let next = blocks.get(at + 1).map(Self::entry);
                    block.add(next.as_deref().unwrap_or(exit), specs);
                }
            }
            Self::Fork(number, blocks) => {
                let entries: Vec<String> = blocks.iter().map(Self::entry).collect();
                let joined = blocks
                    .iter()
                    .map(|block| format!("J{number}_{}", block.number()));
                let joined: Vec<String> = joined.collect();
                specs.push(node(&[entry], ShapeKind::Fork, &entries));
                for (block, exit) in blocks.iter().zip(&joined) {
                    block.add(exit, specs);
                }
                specs.push(node(&joined, ShapeKind::One, &[exit.into()]));
            }
            Self::Choice(_, blocks) => {
                let entries: Vec<String> = blocks.iter().map(Self::entry).collect();
                specs.push(node(&[entry], ShapeKind::Choice, &entries));
                for block in blocks {
                    block.add(exit, specs);
                }
            }
            Self::Loop(number, inner) => {
                let turn = format!("L{number}");
                inner.add(&turn, specs);
                specs.push(node(&[turn], ShapeKind::Choice, &[entry, exit.into()]));
            }
            Self::List(number, inner) => {
                let [items, results] = ["I", "O"].map(|it| format!("{it}{number}"));
                specs.push(node(&[entry], ShapeKind::One, std::slice::from_ref(&items)));
                specs.push(list(inner, &items, &results));
                specs.push(node(&[results], ShapeKind::One, &[exit.into()]));
            }
            Self::Caught(number, inner) => {
                let [result, failure] = ["X", "F"].map(|it| format!("{it}{number}"));
                specs.push(caught(inner, *number, &result, &failure));
                specs.push(node(&[result], ShapeKind::One, &[exit.into()]));
                specs.push(node(&[failure], ShapeKind::One, &[exit.into()]));
            }
        }
    }

    /// A flow that starts as every other does, and then goes on with this. Another seed lets other nodes read.
    pub(super) fn known(&self, seed: u64) -> Arc<Known> {
        let dice = Dice::new(seed);
        Self::known_as(with_reads(&mut |bound| dice.below(bound), &self.graph()))
    }

    /// The same, in which no node reads anything.
    pub(super) fn known_without_reads(&self) -> Arc<Known> {
        Self::known_as(self.graph())
    }

    fn graph(&self) -> FlowGraph {
        let mut specs = vec![node(&["Start".into()], ShapeKind::One, &[self.entry()])];
        self.add("End", &mut specs);
        graph("Start", "End", specs)
    }

    fn known_as(graph: FlowGraph) -> Arc<Known> {
        Arc::new(Known {
            graph,
            id: "Start".into(),
            name: "Start".into(),
            phase: None,
            output: Arc::new(AsNoted::<Number>::or(None)),
        })
    }
}

fn graph(entry: &str, exit: &str, specs: Vec<NodeSpec>) -> FlowGraph {
    FlowGraph::link_by_state(entry.to_owned(), exit.to_owned(), specs).unwrap()
}

/// Whether states of this name are lists.
fn is_list(name: &str) -> bool {
    let name = name.rsplit("::").next().unwrap_or(name);
    name.starts_with(['I', 'O'])
}

fn spec(params: &[String], shape: ShapeKind, outputs: &[String], kind: NodeKind) -> NodeSpec {
    let fns = |name: &String| match is_list(name) {
        true => StateFns::of::<Each<Number>>(),
        false => StateFns::of::<Number>(),
    };
    NodeSpec {
        id: format!("of_{}", params[0]).into(),
        params: params
            .iter()
            .map(|name| vec![name.clone().into()])
            .collect(),
        reads: Vec::new(),
        inputs: Vec::new(),
        shape,
        outputs: outputs.iter().map(|name| name.clone().into()).collect(),
        policy: Policy::default(),
        kind,
        catch: None,
        about: About {
            path: "".into(),
            description: None,
            params: params.iter().map(|name| vec![fns(name)]).collect(),
            outputs: outputs.iter().map(fns).collect(),
            asks: &[],
        },
    }
}

fn node(params: &[String], shape: ShapeKind, outputs: &[String]) -> NodeSpec {
    let lists: Vec<bool> = params.iter().map(|name| is_list(name)).collect();
    let returned: Vec<bool> = outputs.iter().map(|name| is_list(name)).collect();
    let body = move |inputs: &mut Inputs<'_>| -> Started {
        let dice = inputs.context().dep::<Dice>().map_err(FlowError::from)?;
        if dice.below(12) == 0 {
            return Ok(Running::Ready(Err("trouble".into())));
        }
        read(inputs)?;
        for (index, is_list) in lists.iter().enumerate() {
            match is_list {
                true => inputs.take::<Each<Number>>(index, &OfState).map(drop)?,
                false => inputs.take::<Number>(index, &OfState).map(|_| ())?,
            }
        }
        let value = |is_list: &bool| match is_list {
            true => {
                let items = 0..dice.below(4) as u64;
                Live::new(items.map(|n| Number { n }).collect::<Each<Number>>())
            }
            false => Live::new(Number { n: 1 }),
        };
        let emission = match shape {
            ShapeKind::Fork => Emission::All(returned.iter().map(value).collect()),
            ShapeKind::One | ShapeKind::Choice => {
                let branch = dice.below(returned.len());
                Emission::Branch(branch, value(&returned[branch]))
            }
        };
        if let (Ok(keys), Some(key)) = (inputs.context().dep::<Keys>(), inputs.context().step_key())
        {
            keys.0.lock().unwrap().push(key);
        }
        Ok(Running::Ready(Ok(Emitted(emission))))
    };
    let body: Arc<dyn Body> = Arc::new(body);
    spec(params, shape, outputs, NodeKind::Function(body))
}

/// Fails for good where something to be read is not there.
fn read(inputs: &Inputs<'_>) -> Result<(), FlowError> {
    let missing = inputs.reads().find(|(_, live)| live.is_none());
    missing.map_or(Ok(()), |(state, _)| {
        Err(FlowError::NotFound(state.to_owned().into()))
    })
}

fn gate(entry: &str, exit: &str) -> NodeSpec {
    let gate = GateFns {
        ask: |_| Ok(Ok(Asked::new("?"))),
        schema: <bool as crate::node::Answer>::schema,
        accepts: |answer| <bool as crate::node::Answer>::read(answer).map(drop),
        run: |inputs, _| {
            read(inputs)?;
            let number = inputs.take::<Number>(0, &OfState)?;
            let emission = Emission::Branch(0, Live::new(number));
            Ok(Running::Ready(Ok(Emitted(emission))))
        },
    };
    let kind = NodeKind::Gate(Arc::new(gate));
    spec(&[entry.into()], ShapeKind::One, &[exit.into()], kind)
}

fn list(inner: &Block, items: &str, results: &str) -> NodeSpec {
    let mut specs = Vec::new();
    inner.add("End", &mut specs);
    let chain = graph(&inner.entry(), "End", specs);
    let NodeKind::Each(each) = NodeSpec::each::<Number, Number>("", Ok(chain)).kind else {
        panic!("it is a list")
    };
    let limit = None;
    let kind = NodeKind::Each(EachNode { limit, ..each });
    spec(&[items.into()], ShapeKind::One, &[results.into()], kind)
}

fn caught(inner: &Block, number: u32, result: &str, failure: &str) -> NodeSpec {
    let mut specs = Vec::new();
    inner.add(result, &mut specs);
    let entry = inner.entry();
    let kind = NodeKind::Flow(graph(&entry, result, specs));
    let mut spec = spec(&[entry], ShapeKind::One, &[result.into()], kind);
    spec.id = format!("f{number}").into();
    spec.catch = Some(CatchSpec {
        name: failure.to_owned().into(),
        make: Arc::new(|inputs, _, _, _| Ok(Live::new(inputs.take::<Number>(0, &OfState)?))),
    });
    spec
}

/// One flow for all: a snapshot says what it is of.
pub(super) struct Any;

impl crate::FlowEnds for Any {
    type Input = Number;
    type Output = Number;
}

impl crate::FlowDef for Any {
    fn graph() -> Result<FlowGraph, FlowError> {
        static GRAPH: OnceLock<FlowGraph> = OnceLock::new();
        Ok(GRAPH
            .get_or_init(|| Block::Step(0).known(0).graph.clone())
            .clone())
    }

    fn node_id() -> String {
        "Start".into()
    }
}
