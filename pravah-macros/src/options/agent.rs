//! The options of `#[agent]`.

use proc_macro2::{Span, TokenStream};
use syn::{Expr, Path, Type, parse::Parser, punctuated::Punctuated};

use super::{
    approval::{self, Approval},
    capabilities::Constraints,
    contract::Contract,
    entries::{self, Entry, OtherNames, TITLES, span_of},
    flags,
    model::{self, Provider},
    policy::{self, Policy},
    request::{self, RequestOptions},
};
use crate::{diag::Diagnostics, expand::holds_several};

const KEYS: [&str; 13] = [
    "model",
    "fallback",
    "preamble",
    "output",
    "tools",
    "approve",
    "max_turns",
    "max_repairs",
    "max_retries",
    "visit_tokens",
    "contract",
    "constraints",
    "manual",
];

const NAMED_ELSEWHERE: [OtherNames; 10] = [
    OtherNames {
        names: &[
            "prompt",
            "system",
            "system_prompt",
            "system_message",
            "instruction",
            "instructions",
        ],
        help: "write the system prompt as `preamble = …`; the prompt is what the function returns, or the \
           struct",
    },
    OtherNames {
        names: &[
            "returns",
            "result",
            "response",
            "response_format",
            "response_schema",
            "schema",
            "output_type",
            "output_schema",
            "answer",
            "ty",
        ],
        help: "write `output = …`, with the state that the model gives",
    },
    OtherNames {
        names: &[
            "steps",
            "max_steps",
            "iterations",
            "max_iterations",
            "turns",
            "max_tool_calls",
        ],
        help: "write `max_turns = 8`",
    },
    OtherNames {
        names: &["max_output_tokens", "max_completion_tokens", "token_limit"],
        help: "write `max_tokens = 1024` for one answer, `visit_tokens = 20_000` for a whole visit of the agent",
    },
    OtherNames {
        names: TITLES,
        help: "leave it out: the agent is called as its function or struct",
    },
    OtherNames {
        names: &["description", "doc", "about", "role"],
        help: "write it as a doc comment above the agent, which is its preamble, or as `preamble = \"…\"`",
    },
    OtherNames {
        names: &["provider", "base_url", "url", "endpoint", "host"],
        help: "write it in the model's URL: `model = \"openai://MODEL\"`, or `model = \"openai://HOST:PORT/MODEL\"` for a server of your own",
    },
    OtherNames {
        names: &["api_key", "key", "token"],
        help: "leave it out: the key is read from the environment when the agent runs, such as `OPENAI_API_KEY`",
    },
    OtherNames {
        names: approval::OTHER_NAMES,
        help: "write `approve = [pay]` with the tools whose calls a person approves before they run, `approve = destructive` or `approve = all`",
    },
    OtherNames {
        names: &["input", "takes"],
        help: "leave it out: the agent takes the parameters of its function, or the struct that it is",
    },
];

pub(crate) struct AgentOptions {
    pub(crate) model: Model,
    /// The URLs of the models to go on with.
    pub(crate) fallback: Vec<Expr>,
    /// Without it the doc comment is the preamble.
    pub(crate) preamble: Option<Expr>,
    pub(crate) output: Type,
    pub(crate) tools: Vec<Path>,
    pub(crate) approval: Option<Approval>,
    /// Whole numbers, or expressions that are to be some.
    pub(crate) max_turns: Option<Expr>,
    pub(crate) max_repairs: Option<Expr>,
    pub(crate) max_retries: Option<Expr>,
    pub(crate) visit_tokens: Option<Expr>,
    pub(crate) contract: Option<Contract>,
    pub(crate) constraints: Option<Constraints>,
    pub(crate) request: RequestOptions,
    pub(crate) policy: Policy,
    /// What is not added to the state that a struct is.
    pub(crate) manual: Vec<String>,
}

/// Which model an agent asks.
pub(crate) struct Model {
    /// Its URL.
    pub(crate) url: Expr,
    /// Who serves it, where the URL is a literal.
    pub(crate) provider: Option<Provider>,
}

impl AgentOptions {
    /// Parses the options of the agent whose name is at `name`.
    pub(crate) fn parse(tokens: TokenStream, name: Span, errors: &mut Diagnostics) -> Option<Self> {
        let before = errors.len();
        let keys: Vec<&str> = KEYS
            .into_iter()
            .chain(request::KEYS)
            .chain(policy::KEYS)
            .collect();
        let (mut model, mut preamble, mut output) = (None, None, None);
        let (mut tools, mut fallback) = (Vec::new(), Vec::new());
        let (mut approve, mut approval) = (name, None);
        let mut request = RequestOptions::default();
        let (mut max_turns, mut max_repairs, mut visit_tokens) = (None, None, None);
        let (mut max_retries, mut contract, mut constraints) = (None, None, None);
        let mut policy = Policy::default();
        let mut manual = Vec::new();
        let other_names = [NAMED_ELSEWHERE.as_slice(), &policy::OTHER_NAMES].concat();
        for entry in entries::parse_with_other_names(tokens, "agent", &keys, &other_names, errors) {
            match entry.key.to_string().as_str() {
                "model" => model = self::model(entry, errors),
                "fallback" => fallback = self::fallback(entry, errors),
                "preamble" => preamble = entry.expr(errors),
                "output" => output = self::output(entry, errors),
                "tools" => tools = self::tools(entry, errors),
                "approve" => {
                    approve = entry.key.span();
                    approval = Approval::parse(entry, errors);
                }
                "max_turns" => max_turns = entry.const_count(1, errors),
                "max_repairs" => max_repairs = entry.const_count(0, errors),
                "max_retries" => max_retries = entry.const_count(0, errors),
                "visit_tokens" => visit_tokens = entry.const_count(1, errors),
                "contract" => contract = Contract::parse(entry, errors),
                "constraints" => constraints = Constraints::parse(entry, errors),
                "manual" => manual = flags::manual(entry, errors),
                key if request::KEYS.contains(&key) => request.read(entry, errors),
                _ => policy.read(entry, errors),
            }
        }
        if let (Some(contract), Some(model)) = (&contract, &model) {
            contract.check_source(model.provider, !tools.is_empty(), errors);
        }
        if errors.grew_since(before) {
            return None;
        }
        request.check_call_timeout(&policy, errors);
        if let Some(approval) = &approval {
            approval.check(approve, &tools, errors);
        }
        if let Some(required) = request.required.as_ref().filter(|_| tools.is_empty()) {
            errors.error(
                required.span(),
                "the agent must call a tool, and has none",
                "name them in `tools = […]`, or leave `tool_choice` out",
            );
        }
        match (&model, &output) {
            (Some(_), Some(_)) => {}
            (None, None) => errors.error(
                name,
                "the agent has no model and no output",
                "write `#[agent(model = \"openai://gpt-4o-mini\", output = …)]`, with the state that the model gives",
            ),
            (None, _) => errors.error(
                name,
                "the agent has no model",
                "write `model = \"openai://gpt-4o-mini\"` in its options",
            ),
            (_, None) => errors.error(
                name,
                "the agent has no output",
                "write `output = …` in its options, with the state that the model gives",
            ),
        }
        Some(Self {
            model: model?,
            fallback,
            preamble,
            output: output?,
            tools,
            approval,
            max_turns,
            max_repairs,
            max_retries,
            visit_tokens,
            contract,
            constraints,
            request,
            policy,
            manual,
        })
    }
}

fn model(entry: Entry, errors: &mut Diagnostics) -> Option<Model> {
    let expr = entry.expr(errors)?;
    model_of(expr, errors)
}

fn fallback(entry: Entry, errors: &mut Diagnostics) -> Vec<Expr> {
    let Some(expr) = entry.expr(errors) else {
        return Vec::new();
    };
    let Expr::Array(models) = expr else {
        errors.error(
            span_of(&expr),
            "`fallback` is not a list",
            "write `fallback = [\"anthropic://MODEL\"]`",
        );
        return Vec::new();
    };
    let models = models.elems.into_iter();
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
            "write the state that the model gives",
        ),
        Some(Type::Path(path))
            if let Some(last) = path.path.segments.last()
                && (last.ident == "Vec" || last.ident == "Option")
                && !last.arguments.is_empty() =>
        {
            errors.error(
                span,
                "`output` is not one state",
                format!("write a state around it, `#[state] struct Answer {{ content: {}<…> }}`, and `output = Answer`", last.ident),
            );
            return None;
        }
        Some(ty) if holds_several(ty) => {
            errors.error(
                span,
                "`output` is not one state",
                "let the model give a `#[state]` enum, and choose by it in a node after the agent",
            );
            return None;
        }
        Some(_) => {}
    }
    output
}

fn tools(entry: Entry, errors: &mut Diagnostics) -> Vec<Path> {
    use quote::ToTokens;

    let Some(expr) = entry.expr(errors) else {
        return Vec::new();
    };
    let Expr::Array(array) = &expr else {
        errors.error(
            span_of(&expr),
            "`tools` is not a list",
            "write `tools = [a, b]`",
        );
        return Vec::new();
    };
    let paths =
        Punctuated::<Path, syn::Token![,]>::parse_terminated.parse2(array.elems.to_token_stream());
    match paths {
        Ok(paths) => paths.into_iter().collect(),
        Err(error) => {
            errors.error(
                error.span(),
                "a tool is named by its path",
                "write `tools = [a, b]`",
            );
            Vec::new()
        }
    }
}
