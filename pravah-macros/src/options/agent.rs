//! The options of `#[agent]`.

use proc_macro2::TokenStream;
use syn::{Expr, Ident, Path, Type};

use super::{
    agent_item::AgentItem,
    approval::{self, Approval},
    capabilities::Constraints,
    contract::Contract,
    delegation::{self, Delegation},
    entries::{Entry, span_of},
    model::{self, Provider},
    paths,
    policy::{self, Policy},
    request::{self, RequestOptions},
    runner, state,
    table::{CAPABILITIES, DESCRIPTIONS, Given, TITLES, table},
    turns::Turns,
};
use crate::{
    diag::Diagnostics,
    types::{around, holds_several},
};

pub(crate) struct AgentOptions {
    pub(crate) runs_on: RunsOn,
    pub(crate) output: Type,
    pub(crate) settings: Settings,
}

/// What may be left out.
#[derive(Default)]
pub(crate) struct Settings {
    /// The URLs of the models to go on with.
    pub(crate) fallback: Vec<Expr>,
    /// Without it the doc comment is the preamble.
    pub(crate) preamble: Option<Expr>,
    pub(crate) tools: Vec<Path>,
    pub(crate) approval: Option<Approval>,
    /// The other agents that it may call.
    pub(crate) agents: Vec<Path>,
    /// Those that its model may run as skills.
    pub(crate) skills: Vec<Path>,
    pub(crate) delegation: Option<Delegation>,
    /// Whole numbers, or expressions that are to be some.
    pub(crate) max_turns: Option<Expr>,
    pub(crate) max_repairs: Option<Expr>,
    pub(crate) max_retries: Option<Expr>,
    pub(crate) visit_tokens: Option<Expr>,
    pub(crate) contract: Option<Contract>,
    pub(crate) turns: Option<Turns>,
    pub(crate) constraints: Option<Constraints>,
    pub(crate) request: RequestOptions,
    pub(crate) policy: Policy,
    /// What is not added to the state that a struct is.
    pub(crate) manual: Vec<String>,
}

/// The options as they are written.
#[derive(Default)]
pub(super) struct Written {
    model: Option<Model>,
    runner: Option<Expr>,
    output: Option<Type>,
    settings: Settings,
}

table! {
    OPTIONS: Written = "agent", unnamed "model", |it, entry, errors| {
        ["model"] => it.model = model(entry, errors),
        ["runner"] => it.runner = runner::parse(entry, errors),
        ["fallback"] => it.settings.fallback = fallback(entry, errors),
        ["preamble"] => it.settings.preamble = entry.expr(errors),
        ["output"] => it.output = output(entry, errors),
        ["tools"] => it.settings.tools = tools(entry, errors),
        ["agents"] => it.settings.agents = delegation::agents(entry, errors),
        ["skills"] => it.settings.skills = delegation::skills(entry, errors),
        ["delegation"] => it.settings.delegation = Delegation::parse(entry, errors),
        ["approve"] => it.settings.approval = Approval::parse(entry, errors),
        ["max_turns"] => it.settings.max_turns = entry.const_count(1, errors),
        ["max_repairs"] => it.settings.max_repairs = entry.const_count(0, errors),
        ["max_retries"] => it.settings.max_retries = entry.const_count(0, errors),
        ["visit_tokens"] => it.settings.visit_tokens = entry.const_count(1, errors),
        ["contract"] => it.settings.contract = Contract::parse(entry, errors),
        ["turns"] => it.settings.turns = Turns::parse(entry, errors),
        ["constraints"] => it.settings.constraints = Constraints::parse(entry, errors),
        ["manual"] => it.settings.manual = state::manual(entry, errors),
        request::KEYS => it.settings.request.read(entry, errors),
        policy::KEYS => it.settings.policy.read(entry, errors),
    } else {
        ["prompt", "system", "system_prompt", "system_message", "instruction", "instructions", "role", "user", "user_prompt"] =>
            "write the system prompt as `preamble = …`; the prompt is what the function returns, or the struct",
        [
            "returns", "result", "response", "response_format", "response_schema", "schema", "output_type",
            "output_schema", "answer", "ty",
        ] => "write `output = …`, with the state that the model returns",
        ["steps", "max_steps", "iterations", "max_iterations", "max_tool_calls"] => "write `max_turns = 8`",
        ["multi_turn", "turn", "chat", "conversation", "dialog", "interactive"] =>
            "write `turns(max = 5, idle = \"30s\")` for an agent that waits for messages after its answers",
        ["max_output_tokens", "max_completion_tokens", "token_limit"] =>
            "write `max_tokens = 1024` for one answer, `visit_tokens = 20_000` for a whole visit of the agent",
        TITLES => "leave it out: the agent is called as its function or struct",
        DESCRIPTIONS => "write it as a doc comment above the agent, which is its preamble, or as `preamble = \"…\"`",
        ["provider", "base_url", "url", "endpoint", "host"] =>
            "write it in the model's URL: `model = \"openai://MODEL\"`, or `model = \"openai://HOST:PORT/MODEL\"` for a server of your own",
        ["api_key", "key", "token"] =>
            "leave it out: the key is read from the environment when the agent runs, such as `OPENAI_API_KEY`",
        approval::OTHER_NAMES =>
            "write `approve = [pay]` with the tools whose calls a person approves before they run, `approve = destructive` or `approve = all`",
        CAPABILITIES => "write it on the flow, `#[flow(only(deps))]`; what the tools of one agent may reach is `constraints(…)`",
        ["ad_hoc"] => "write `delegation(ad_hoc = assistant)`, with the agent that is the base of ad-hoc agents",
        ["max_depth", "max_children", "context", "join", "on_done"] =>
            "write it in `delegation(…)`, such as `delegation(max_depth = 2, context = inherited)`",
        delegation::OTHER_NAMES =>
            "write `agents = [researcher]` with the other agents that it may call",
        ["executor", "remote", "remote_agent", "runs_on", "where", "a2a"] =>
            "write `runner = \"a2a\"`, with the kind of the runner of a remote agent, in place of `model`",
        ["input", "takes"] =>
            "leave it out: the agent takes the parameters of its function, or the struct that it is",
    } and policy::OTHER_NAMES
}

/// What does the work of an agent.
pub(crate) enum RunsOn {
    Model(Model),
    /// The runner of a remote agent.
    Runner(Expr),
}

impl RunsOn {
    /// Who serves its model, where a literal URL says so.
    pub(crate) fn provider(&self) -> Option<Provider> {
        match self {
            Self::Model(model) => model.provider,
            Self::Runner(_) => None,
        }
    }
}

/// Which model an agent asks.
pub(crate) struct Model {
    /// Its URL.
    pub(crate) url: Expr,
    /// Who serves it, where the URL is a literal.
    pub(crate) provider: Option<Provider>,
}

impl AgentOptions {
    /// Parses the options that are above `item`, and reports which of those it needs are missing.
    pub(crate) fn parse<'a>(
        tokens: TokenStream,
        item: impl Into<AgentItem<'a>>,
        errors: &mut Diagnostics,
    ) -> Option<Self> {
        let mut written = Written::default();
        let mut given = Given::default();
        let read = errors.attempt(|errors| {
            given = OPTIONS.read(tokens, &mut written, errors);
            if let (Some(contract), Some(model)) = (&written.settings.contract, &written.model) {
                let has_tools = written.settings.has_tools();
                contract.check_source(model.provider, has_tools, errors);
            }
        });
        let item = item.into();
        if given.are_all_known {
            item.report_missing(&given, errors);
        }
        let output = written.output.as_ref();
        let returns = errors.attempt(|errors| item.check_return(output, errors));
        read.and(returns)?;
        let Written {
            model,
            runner,
            output,
            settings,
        } = written;
        let runs_on = match runner {
            Some(expr) => {
                errors.attempt(|errors| runner::check(&given.names, errors))?;
                RunsOn::Runner(expr)
            }
            None => {
                settings.check(&given.names, errors);
                RunsOn::Model(model?)
            }
        };
        Some(Self {
            runs_on,
            output: output?,
            settings,
        })
    }
}

impl Settings {
    /// Whether its model may call anything.
    fn has_tools(&self) -> bool {
        !self.tools.is_empty() || self.callees().next().is_some()
    }

    /// What ad-hoc agents are made of, if its model may make some.
    pub(crate) fn ad_hoc(&self) -> Option<&Path> {
        self.delegation.as_ref()?.ad_hoc.as_ref()
    }

    /// All agents and flows that may run for it.
    pub(crate) fn callees(&self) -> impl Iterator<Item = &Path> {
        self.agents.iter().chain(self.ad_hoc()).chain(&self.skills)
    }

    /// Whether it may call agents as detached tasks.
    pub(crate) fn allows_detached(&self) -> bool {
        self.delegation
            .as_ref()
            .is_some_and(Delegation::allows_detached)
    }

    /// Whether the options that are called so, each of which is in order, fit together.
    fn check(&self, names: &[Ident], errors: &mut Diagnostics) {
        self.request.check_call_timeout(&self.policy, errors);
        let approve = names.iter().find(|name| *name == "approve");
        if let (Some(approval), Some(approve)) = (&self.approval, approve) {
            approval.check(approve.span(), &self.tools, errors);
        }
        let key = names.iter().find(|name| *name == "delegation");
        if let (Some(delegation), Some(key)) = (&self.delegation, key) {
            delegation.check(key.span(), self, errors);
        }
        delegation::check_skills(self, errors);
        let turns = names.iter().find(|name| *name == "turns");
        if let (Some(turns), Some(_)) = (turns, &self.contract) {
            errors.error(
                turns.span(),
                "a contract decides about one answer, and an agent with `turns` has several",
                "leave `turns` or `contract` out; a `#[gate]` after the agent asks a person about its last answer",
            );
        }
        let required = self.request.required.as_ref();
        if let Some(required) = required.filter(|_| !self.has_tools()) {
            errors.error(
                required.span(),
                "the agent must call a tool, and has none",
                "name them in `tools = […]`, or leave `tool_choice` out",
            );
        }
    }
}

fn model(entry: Entry, errors: &mut Diagnostics) -> Option<Model> {
    let expr = entry.expr(errors)?;
    if let Expr::Array(models) = &expr {
        errors.error(
            models.bracket_token.span.join(),
            "`model` is one URL",
            "write the first as `model = \"openai://MODEL\"`, and the others as `fallback = [\"anthropic://MODEL\"]`, in the order in which they are tried",
        );
        return None;
    }
    model_of(expr, errors)
}

fn fallback(entry: Entry, errors: &mut Diagnostics) -> Vec<Expr> {
    let models = entry.array("[\"anthropic://MODEL\"]", errors);
    let models = models.into_iter().flat_map(|models| models.elems);
    models
        .filter_map(|model| Some(model_of(model, errors)?.url))
        .collect()
}

/// A literal URL, which is checked, `custom(URL)`, or any other expression.
fn model_of(expr: Expr, errors: &mut Diagnostics) -> Option<Model> {
    if let Expr::Lit(lit) = &expr
        && let syn::Lit::Str(url) = &lit.lit
    {
        let provider = model::check(&url.value(), url.span(), errors)?;
        return Some(Model {
            url: expr,
            provider: Some(provider),
        });
    }
    if let Expr::Lit(lit) = &expr {
        errors.error(
            lit.lit.span(),
            "a model is named by a URL",
            "write `model = \"openai://gpt-4o-mini\"`",
        );
        return None;
    }
    // `custom("acme://m")`: the scheme is registered when the flow runs.
    if let Expr::Call(call) = &expr
        && let Expr::Path(path) = &*call.func
        && path.path.is_ident("custom")
    {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let [url] = arguments.as_slice() else {
            errors.error(
                span_of(&expr),
                "`custom` takes one model URL",
                "write `custom(\"acme://model\")`",
            );
            return None;
        };
        return Some(Model {
            url: (*url).clone(),
            provider: None,
        });
    }
    Some(Model {
        url: expr,
        provider: None,
    })
}

fn output(entry: Entry, errors: &mut Diagnostics) -> Option<Type> {
    let tokens = entry.given(errors)?;
    let span = syn::spanned::Spanned::span(&tokens);
    let output = syn::parse2(tokens).ok();
    match &output {
        None => errors.error(
            span,
            "`output` is not a type",
            "write the state that the model returns, without quotes: `output = Verdict`",
        ),
        Some(ty) if around(ty, &["Result"]).is_some() => {
            errors.error(
                span,
                "`output` is not one state",
                "write the state alone: an agent may fail without saying so, and `catch(agent)` takes its failure",
            );
            return None;
        }
        Some(ty) if let Some(name) = around(ty, &["Vec", "Option"]) => {
            errors.error(
                span,
                "`output` is not one state",
                format!("write a state around it, `#[state] struct Answer {{ content: {name}<…> }}`, and `output = Answer`"),
            );
            return None;
        }
        Some(ty) if holds_several(ty) => {
            errors.error(
                span,
                "`output` is not one state",
                "let the model answer with a `#[state]` enum, and choose by it in a node after the agent",
            );
            return None;
        }
        Some(_) => {}
    }
    output
}

fn tools(entry: Entry, errors: &mut Diagnostics) -> Vec<Path> {
    let tools = entry.array("[a, b]", errors);
    let tools = tools.into_iter().flat_map(|tools| tools.elems);
    let tools = tools.map(|expr| paths::path(&expr, ("tools", "a tool"), errors));
    tools.collect::<Option<_>>().unwrap_or_default()
}
