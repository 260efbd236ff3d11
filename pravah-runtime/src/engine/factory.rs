//! Where a run's agents find their models.

use std::sync::{Arc, OnceLock};

use crate::{
    context::Context,
    error::FlowError,
    graph::{NodeKind, Table},
    model::{ClientFactory, ScriptedModel},
};

/// Where a run's agents find their models.
#[derive(Default)]
pub(super) struct Factory {
    /// What the caller set for the run.
    of_run: Option<Arc<ClientFactory>>,
    /// What it takes where neither the caller nor the context brings one: most runs never need it.
    default: OnceLock<Arc<ClientFactory>>,
    /// Whether its script answers for no node that the flow does not have.
    is_checked: bool,
}

impl Factory {
    pub(super) fn of_run(factory: ClientFactory) -> Self {
        Self {
            of_run: Some(Arc::new(factory)),
            ..Self::default()
        }
    }

    /// The run's own clients come before those that the context brings.
    pub(super) fn get(&self, ctx: &Context) -> Arc<ClientFactory> {
        let default = || self.default.get_or_init(Arc::default);
        self.configured(ctx)
            .unwrap_or_else(|| Arc::clone(default()))
    }

    /// What the caller or the context brings.
    fn configured(&self, ctx: &Context) -> Option<Arc<ClientFactory>> {
        self.of_run.clone().or_else(|| in_context(ctx))
    }

    /// Fails where a script answers for nodes that the flow does not have. That is looked at before the
    /// first step, not at each.
    #[inline]
    pub(super) fn check_script(&mut self, ctx: &Context, table: &Table) -> Result<(), FlowError> {
        if self.is_checked {
            return Ok(());
        }
        // Nobody brings a script.
        if self.of_run.is_none() && !ctx.has_deps() {
            self.is_checked = true;
            return Ok(());
        }
        self.check_script_slow(ctx, table)
    }

    #[inline(never)]
    fn check_script_slow(&mut self, ctx: &Context, table: &Table) -> Result<(), FlowError> {
        let factory = self.configured(ctx);
        let script = factory.as_ref().and_then(|factory| factory.script());
        let unknown =
            script.map_or_else(Vec::new, |script| script.unknown(&agents_in_lists(table)));
        if !unknown.is_empty() {
            let agents = agents(table);
            return Err(FlowError::UnknownAgents { unknown, agents });
        }
        self.is_checked = true;
        Ok(())
    }
}

/// The factory in a context, or one that answers from the script in it.
fn in_context(ctx: &Context) -> Option<Arc<ClientFactory>> {
    let scripted = || {
        let script = ctx.find::<ScriptedModel>()?;
        Some(Arc::new(ClientFactory::from((*script).clone())))
    };
    ctx.find().or_else(scripted)
}

/// The ids of the agents of a flow and of the lists in it, and of those that they call.
pub(super) fn agents(table: &Table) -> Vec<String> {
    let mut agents: Vec<String> = Vec::new();
    for (agent, _) in agents_in_lists(table) {
        if !agents.iter().any(|known| known == agent) {
            agents.push(agent.to_owned());
        }
    }
    agents
}

/// The same, each with the number of lists and calls around it.
fn agents_in_lists(table: &Table) -> Vec<(&str, usize)> {
    let mut agents = Vec::new();
    add_agents(table, 0, &mut agents);
    for tasks in table.detached() {
        if let Some(team) = tasks.kind.team() {
            add_agents(&team.table, 1, &mut agents);
        }
    }
    agents
}

fn add_agents<'a>(table: &'a Table, lists: usize, agents: &mut Vec<(&'a str, usize)>) {
    for node in &table.nodes {
        match &node.kind {
            NodeKind::Agent(_) => agents.push((&*node.id, lists)),
            NodeKind::Each(each) => add_agents(&each.chain.table, lists + 1, agents),
            _ => {}
        }
        if let Some(team) = node.kind.team() {
            add_agents(&team.table, lists + 1, agents);
        }
    }
}
