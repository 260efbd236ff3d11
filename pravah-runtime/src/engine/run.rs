//! One run of a flow, whatever its types: choose a step, perform it, commit it.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use super::{
    RunOut,
    budget::Budget,
    each::{ItemStep, NextItem, chain, next_item},
    factory::Factory,
    last_step::LastStep,
    marking::{Marking, Progress},
    outcome::{StepOutcome, guard, kind_of},
    questions::Questions,
    suspension::Open,
    timers::Timer,
    view::LazyView,
};
use crate::{
    agent::{ClientHistory, Failed},
    error::{ErrorText, FlowError, Stuck},
    events::{EventKind, FlowEvent, Observers},
    graph::{NodeIx, Table},
    model::{ModelOptions, ModelUrl, Usage},
    node::NodeKind,
    quoted::quoted,
    state::Live,
};

/// What a step came to, with its output not read yet.
pub(super) type Out = RunOut<Live>;

pub(crate) struct Run {
    pub(super) table: Arc<Table>,
    pub(super) flow: Arc<str>,
    pub(super) state: RunState,
    pub(super) options: Options,
    pub(super) view: LazyView,
    pub(super) last: Option<LastStep>,
    pub(super) history: ClientHistory,
    /// Until when the run's waits were slept out, in milliseconds since 1970.
    pub(super) slept_until: u64,
    /// The last step that observers were told of.
    pub(super) told: u64,
    /// How many steps it made without a pause.
    pub(super) steps_in_a_row: u32,
}

/// What a snapshot holds of a run.
#[derive(Clone)]
pub(super) struct RunState {
    pub(super) id: Arc<str>,
    pub(super) marking: Marking,
    pub(super) suspensions: Vec<Open>,
    /// By their times.
    pub(super) timers: Vec<Timer>,
    pub(super) steps: u64,
    pub(super) finished: bool,
    pub(super) usage: BTreeMap<String, Usage>,
    /// How many model calls were paid for.
    pub(super) calls: u64,
    pub(super) budget: Budget,
    pub(super) questions: Questions,
}

/// How the caller wants the run to go; not part of its snapshot.
#[derive(Default)]
pub(super) struct Options {
    pub(super) factory: Factory,
    pub(super) models: BTreeMap<String, ModelUrl>,
    pub(super) model_options: BTreeMap<String, ModelOptions>,
    pub(super) max_steps: Option<u64>,
    pub(super) observers: Observers,
}

/// What comes next.
pub(super) enum Chosen {
    Node(NodePath),
    /// A list that no item can be taken from.
    Unreadable(NodePath, FlowError),
    Nothing,
}

/// Where a node is: in the flow itself, or in an item of a list in it, or of a list in that.
pub(super) struct NodePath {
    /// From each list to the item, outermost first.
    pub(super) items_path: Vec<ItemStep>,
    pub(super) node: NodeIx,
}

impl NodePath {
    /// A node of the flow itself.
    pub(super) fn of(node: NodeIx) -> Self {
        Self {
            items_path: Vec::new(),
            node,
        }
    }

    /// A node within items that have started.
    pub(super) fn through(items: &[(NodeIx, usize)], node: NodeIx) -> Self {
        let items_path = items.iter().map(|&(each, item)| ItemStep {
            each,
            item,
            new_item: None,
        });
        Self {
            items_path: items_path.collect(),
            node,
        }
    }

    /// The lists and items around the node, outermost first.
    pub(super) fn items(&self) -> impl Iterator<Item = (NodeIx, usize)> {
        self.items_path
            .iter()
            .map(|item_step| (item_step.each, item_step.item))
    }

    /// Whether it leads to `node` within these items.
    pub(super) fn is(&self, items: &[(NodeIx, usize)], node: NodeIx) -> bool {
        self.node == node && self.items().eq(items.iter().copied())
    }

    /// A name with the items that the path is in: `name[0]`.
    pub(super) fn within_items(&self, name: &str) -> String {
        let mut name = name.to_owned();
        for item_step in &self.items_path {
            // Writing to a string does not fail.
            let _ = write!(name, "[{}]", item_step.item);
        }
        name
    }
}

impl Run {
    pub(super) fn new(table: Arc<Table>, flow: Arc<str>, state: RunState) -> Self {
        let told = state.steps;
        Self {
            table,
            flow,
            state,
            options: Options::default(),
            view: LazyView::default(),
            last: None,
            history: ClientHistory::default(),
            slept_until: 0,
            told,
            steps_in_a_row: 0,
        }
    }

    /// The node that became ready first; where it is a list, the node of the item whose turn it is.
    pub(super) fn choose(&self) -> Result<Chosen, FlowError> {
        if self.state.finished {
            return Err(FlowError::Finished);
        }
        let Some(&node) = self.state.marking.ready.front() else {
            let Some(path) = self.next_due_timer() else {
                return Ok(Chosen::Nothing);
            };
            self.within_max_steps()?;
            return Ok(Chosen::Node(path));
        };
        self.within_max_steps()?;
        let mut path = NodePath::of(node);
        let entered = guard(self.table.node_id(node), || {
            into_list(&self.table, &self.state.marking, &mut path)
        });
        Ok(match entered.and_then(|entered| entered) {
            Ok(()) => Chosen::Node(path),
            Err(error) => Chosen::Unreadable(path, error),
        })
    }

    /// Commits what the step at `path` came to, or hands its error to a `catch`. Until here the
    /// run's snapshot has not changed, so a future that was dropped leaves it as it was, and an error
    /// leaves it with what was paid for and no other change.
    pub(super) fn commit_or_catch(
        &mut self,
        path: &mut NodePath,
        outcome: Result<StepOutcome, Failed>,
    ) -> Result<Out, FlowError> {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(Failed { error, spent }) => {
                let failed = EventKind::failed(kind_of(&error), error.to_string());
                if let Some(spent) = spent {
                    self.count_usage(path, &self.node_id(path)?, spent)?;
                }
                let caught = match (self.catch(path, *error), spent) {
                    (Err(error), Some(spent)) => {
                        self.count_lost(path, spent)?;
                        return Err(error);
                    }
                    (caught, _) => caught?,
                };
                let items = path.items().map(|(_, item)| item).collect();
                self.tell(self.node_id(path)?.to_string(), items, failed);
                caught
            }
        };
        self.commit(path, outcome)
    }

    pub(super) fn within_max_steps(&self) -> Result<(), FlowError> {
        match self.options.max_steps {
            Some(limit) if self.state.steps >= limit => Err(FlowError::MaxSteps { limit }),
            _ => Ok(()),
        }
    }

    /// Fails if neither the flow nor a list in it has an agent of this id.
    pub(super) fn has_agent(&self, id: &str) -> Result<(), FlowError> {
        let agents = self.agents();
        if agents.iter().any(|agent| agent == id) {
            return Ok(());
        }
        Err(FlowError::NotFound(ErrorText::unknown(id, agents)))
    }

    /// The ids of the agents of the flow and of the lists in it.
    pub(super) fn agents(&self) -> Vec<String> {
        let agents = self.agents_in_lists().into_iter();
        agents.map(|(agent, _)| agent).collect()
    }

    /// The same, each with the number of lists around it.
    pub(super) fn agents_in_lists(&self) -> Vec<(String, usize)> {
        let mut agents = Vec::new();
        add_agents(&self.table, 0, &mut agents);
        agents
    }

    /// Gives the run another id.
    pub(super) fn set_id(&mut self, id: &str) {
        self.state.id = id.into();
        self.view = LazyView::default();
    }

    /// Lets the next body that asks see the inputs of flows that have started since.
    #[inline]
    pub(super) fn refresh_view(&mut self) {
        self.view.drop_outdated(&self.state.marking.inputs);
    }

    /// Tells those who watch of a step that was committed since.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_step(&mut self) {
        if self.told >= self.state.steps {
            return;
        }
        self.told = self.state.steps;
        let Some(step) = self.last_step() else { return };
        let (node, items) = (step.node.clone(), step.items.clone());
        self.tell(node, items, EventKind::Step(step));
    }

    fn tell(&self, node: String, items: Vec<usize>, kind: EventKind) {
        let event = FlowEvent::new(Arc::clone(&self.state.id), node, kind);
        self.options.observers.tell(&event.with_items(items));
    }

    /// What to answer when no node is ready.
    pub(super) fn idle(&mut self) -> Result<Out, FlowError> {
        if let Some(open) = self
            .state
            .suspensions
            .iter_mut()
            .find(|open| !open.announced)
        {
            open.announced = true;
            return Ok(open.out());
        }
        if let Some(until) = self.next_time() {
            return Ok(Out::Waiting { until });
        }
        if let Some(open) = self.state.suspensions.first() {
            return Err(FlowError::ResumeRequired(open.id.clone()));
        }
        let tokens = self.state.marking.tokens().iter();
        let states: Vec<&str> = tokens
            .map(|token| self.table.state_key(token.state))
            .collect();
        let reason = format!("{} wait and no node can take them", quoted(&states));
        Err(FlowError::Deadlock(Stuck::new(reason, states)))
    }

    /// The table and marking that hold `path`'s node.
    pub(super) fn locate<'a>(
        &'a self,
        items_path: &'a [ItemStep],
    ) -> Result<(&'a Arc<Table>, &'a Marking), FlowError> {
        let mut table = &self.table;
        let mut marking = &self.state.marking;
        for item_step in items_path {
            marking = item_marking(table, marking, item_step)?;
            table = chain(table, item_step.each)?;
        }
        Ok((table, marking))
    }
}

/// The marking that holds the node at the end of `items_path`, to be changed.
pub(super) fn marking_mut<'a>(
    table: &Table,
    marking: &'a mut Marking,
    items_path: &'a mut [ItemStep],
) -> Result<&'a mut Marking, FlowError> {
    let Some((item_step, inner)) = items_path.split_first_mut() else {
        return Ok(marking);
    };
    let lost = item_step.lost(table);
    let item = match &mut item_step.new_item {
        Some(new_item) => &mut new_item.marking,
        None => {
            let each = marking.started_each_mut(item_step.each);
            let item = each.and_then(|each| each.items.get_mut(&item_step.item));
            item.ok_or(lost)?
        }
    };
    marking_mut(chain(table, item_step.each)?, item, inner)
}

/// Follows lists down to the node whose turn it is; where one cannot be read `path` leads to it.
fn into_list(table: &Table, marking: &Marking, path: &mut NodePath) -> Result<(), FlowError> {
    let node = path.node;
    let NodeKind::Each(each) = &table.node(node)?.kind else {
        return Ok(());
    };
    let NextItem::Item(item_step) = next_item(table, marking, node, each)? else {
        return Ok(());
    };
    let item = item_marking(table, marking, &item_step)?;
    path.node = *item.ready.front().ok_or_else(|| item_step.lost(table))?;
    path.items_path.push(item_step.clone());
    into_list(&each.chain.table, item, path)
}

/// The marking of the item that `item_step` leads to.
fn item_marking<'a>(
    table: &Table,
    marking: &'a Marking,
    item_step: &'a ItemStep,
) -> Result<&'a Marking, FlowError> {
    let item = match (&item_step.new_item, marking.progress(item_step.each)) {
        (Some(new_item), _) => Some(&new_item.marking),
        (None, Some(Progress::Each(each))) => each.items.get(&item_step.item),
        _ => None,
    };
    item.ok_or_else(|| item_step.lost(table))
}

fn add_agents(table: &Table, lists: usize, agents: &mut Vec<(String, usize)>) {
    for node in &table.nodes {
        match &node.kind {
            NodeKind::Agent(_) => agents.push((node.id.to_string(), lists)),
            NodeKind::Each(each) => add_agents(&each.chain.table, lists + 1, agents),
            _ => {}
        }
    }
}
