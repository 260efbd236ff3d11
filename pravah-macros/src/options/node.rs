//! The options of `#[node]`: its policy, and the agents that it calls.

use proc_macro2::TokenStream;
use syn::{Ident, Path, Signature};

use super::{
    Policy, delegation, policy,
    table::{CAPABILITIES, DESCRIPTIONS, ONLY_ON_THE_FLOW, TITLES, table},
};
use crate::diag::Diagnostics;

/// The options of `#[node]`.
#[derive(Default)]
pub(crate) struct NodeOptions {
    pub(crate) policy: Policy,
    /// The agents and flows that it calls.
    pub(crate) agents: Vec<Path>,
    /// What becomes of the detached tasks that it starts when the flow is done.
    pub(crate) on_done: Option<Ident>,
    /// Whether an option was refused.
    pub(crate) is_broken: bool,
}

table! {
    OPTIONS: NodeOptions = "node", |it, entry, errors| {
        policy::KEYS => it.policy.read(entry, errors),
        ["pure"] => it.policy.is_pure = entry.bool_or_flag(errors),
        ["agents"] => it.agents = delegation::agents(entry, errors),
        ["on_done"] => it.on_done = delegation::on_done(entry, errors),
    } else {
        TITLES => "leave it out: the node is called as its function",
        DESCRIPTIONS => "write it as a doc comment above the function",
        [
            "model", "output", "preamble", "system", "temperature", "tools", "max_turns", "max_tokens",
            "contract",
        ] => "write `#[agent(…)]` above a function that asks a model; a `#[node]` asks none",
        ["prompt", "question", "assignee"] =>
            "write `#[gate(prompt = \"…\")]` above a function that asks a person, `#[agent(…)]` above one that asks a model",
        ["event", "wait_for", "signal"] => "write `#[gate(event = \"…\")]` above a function that waits for an event",
        ["input", "inputs", "takes", "returns", "outputs"] =>
            "leave it out: the parameters of the function and its return type say it",
        CAPABILITIES => ONLY_ON_THE_FLOW,
        ["delegation"] =>
            "leave it out: `delegation` is for agents, and each agent in `agents = […]` has its own",
        delegation::OTHER_NAMES =>
            "write `agents = [researcher]` with the agents and flows that the node calls, and return an `Invoke`",
        ["idempotent", "deterministic", "cached", "memoize"] =>
            "write `pure` where the node has no effect outside and may run again at no cost",
        ["constraints"] => "constrain an agent, `#[agent(constraints(no_network))]`, or all nodes of a flow: `#[flow(only(deps))]`",
        ["catch", "rescue", "on_error", "on_failure", "fallback", "or_else"] =>
            "write it in the flow: `catch(node) -> rescue`, where `rescue` takes `Failure<_>`",
        ["limit", "loop_limit", "max_loops", "max_iterations", "visits"] =>
            "write `max_visits = 10`: the node runs at most so often in one run of the flow",
    } and policy::OTHER_NAMES
}

impl NodeOptions {
    /// Parses the options of a function with this signature.
    pub(crate) fn parse(
        tokens: TokenStream,
        function: &Signature,
        errors: &mut Diagnostics,
    ) -> Self {
        let mut options = Self::default();
        let given = errors.attempt(|errors| OPTIONS.read(tokens, &mut options, errors));
        options.is_broken = given.is_none();
        if let (Some(on_done), true) = (&options.on_done, options.agents.is_empty()) {
            errors.error(
                on_done.span(),
                "`on_done` is for detached tasks, and the node starts none",
                "name the agents in `agents = […]` and return an `Invoke<Tasks>`, or leave `on_done` out",
            );
        }
        let mut names = given.into_iter().flat_map(|given| given.names);
        let timeout = names.find(|name| name == "timeout");
        if let (Some(timeout), None) = (timeout, function.asyncness) {
            let name = &function.ident;
            let help = match options.agents.is_empty() {
                true => format!("write `async fn {name}`, and await in it what may take long, or leave `timeout` out"),
                false => "it does not limit the calls: write `timeout` on the agents, and leave it out here".to_owned(),
            };
            errors.error(
                timeout.span(),
                format!(
                    "`timeout` can only end an attempt at an `await`, and `{name}` is not `async`"
                ),
                help,
            );
        }
        options
    }
}
