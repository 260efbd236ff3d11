//! The options of the other attributes.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{Expr, Lit};

use super::{
    capabilities,
    entries::{self, Entry, OtherNames, Value, list, span_of},
    policy::Policy,
};
use crate::diag::Diagnostics;

const GATE_KEYS: [&str; 5] = ["prompt", "assignee", "metadata", "timeout", "max_visits"];
const NOT_OF_A_GATE: [OtherNames; 6] = [
    OtherNames {
        names: &["question", "message", "text", "title", "description", "ask"],
        help: "write `prompt = \"Publish this draft?\"`",
    },
    OtherNames {
        names: &[
            "assign",
            "assign_to",
            "assigned_to",
            "to",
            "who",
            "owner",
            "role",
            "user",
        ],
        help: "write `assignee = \"the desk\"`",
    },
    OtherNames {
        names: &["meta", "data", "labels", "tags", "extra", "payload"],
        help: "write `metadata = json!({ … })`, or any value that is `Serialize`",
    },
    OtherNames {
        names: &[
            "on_timeout",
            "escalate",
            "escalate_to",
            "fallback",
            "default",
        ],
        help: "write `timeout = \"24h\"`, and a `catch` after the gate in the flow: it goes on where nobody has answered in time",
    },
    OtherNames {
        names: &[
            "retry",
            "max_attempts",
            "attempts",
            "backoff",
            "retries",
            "max_retries",
        ],
        help: "leave it out: a gate waits for a person, who is asked once; `timeout = \"24h\"` ends the wait, and a `catch` goes on from there",
    },
    OtherNames {
        names: &["total_timeout", "deadline", "time_limit"],
        help: "write `timeout = \"24h\"`: a gate waits once",
    },
];

/// The options of `#[gate]`.
pub(crate) struct GateOptions {
    pub(crate) prompt: Expr,
    pub(crate) assignee: Option<Expr>,
    pub(crate) metadata: Option<Expr>,
    pub(crate) policy: Policy,
}

impl GateOptions {
    /// What is made anew for each question.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        [&self.prompt]
            .into_iter()
            .chain(&self.assignee)
            .chain(&self.metadata)
    }

    /// Parses the options of the gate whose name is at `name`.
    pub(crate) fn parse(tokens: TokenStream, name: Span, errors: &mut Diagnostics) -> Option<Self> {
        let before = errors.len();
        let (mut prompt, mut assignee, mut metadata) = (None, None, None);
        let mut policy = Policy::default();
        for entry in
            entries::parse_with_other_names(tokens, "gate", &GATE_KEYS, &NOT_OF_A_GATE, errors)
        {
            match entry.key.to_string().as_str() {
                "prompt" => prompt = text(entry, errors),
                "assignee" => assignee = text(entry, errors),
                "metadata" => metadata = entry.expr(errors),
                _ => policy.read(entry, errors),
            }
        }
        if prompt.is_none() && !errors.grew_since(before) {
            errors.error(
                name,
                "the gate has no prompt",
                "write `#[gate(prompt = \"…\")]`, with what the person is asked",
            );
        }
        Some(Self {
            prompt: prompt?,
            assignee,
            metadata,
            policy,
        })
    }
}

/// A text, or an expression that is to be one.
fn text(entry: Entry, errors: &mut Diagnostics) -> Option<Expr> {
    let key = entry.key.clone();
    let expr = entry.expr(errors)?;
    if let Expr::Lit(literal) = &expr
        && !matches!(literal.lit, Lit::Str(_))
    {
        errors.error(
            span_of(&expr),
            format!("`{key}` is not a text"),
            format!("write `{key} = \"…\"`, or `{key} = format!(\"… {{}}\", draft.title)` with a state of the gate"),
        );
        return None;
    }
    Some(expr)
}

/// `#[state(manual(Serialize, …))]`: what is not added to the state.
pub(crate) fn state_manual(tokens: TokenStream, errors: &mut Diagnostics) -> Vec<String> {
    let entries = entries::parse(tokens, "state", &["manual"], errors);
    let manual = entries.into_iter().next();
    manual.map_or_else(Vec::new, |entry| self::manual(entry, errors))
}

/// The names in a `manual(…)`.
pub(super) fn manual(entry: Entry, errors: &mut Diagnostics) -> Vec<String> {
    const DERIVES: [&str; 5] = ["Serialize", "Deserialize", "JsonSchema", "Debug", "Clone"];
    match entry.value {
        Value::List(tokens) if !tokens.is_empty() => {
            let named = entries::parse(tokens, "manual", &DERIVES, errors);
            named.iter().map(|entry| entry.key.to_string()).collect()
        }
        _ => {
            errors.error(
                entry.key.span(),
                "`manual` names no derive",
                format!("write `manual(…)` with some of {}", list(&DERIVES)),
            );
            Vec::new()
        }
    }
}

/// The options of `#[flow]`.
pub(crate) struct FlowOptions {
    /// Where `named` is.
    pub(crate) named: Option<Span>,
    pub(crate) fail_fast: bool,
    /// What its nodes may reach.
    pub(crate) only: Option<Vec<Ident>>,
}

const NOT_OF_A_FLOW: [OtherNames; 2] = [
    OtherNames {
        names: &["timeout", "total_timeout", "retry", "max_visits"],
        help: "write it in the `#[node(…)]` of a node in the flow",
    },
    OtherNames {
        names: &["continue_on_error", "keep_going", "fail_slow"],
        help: "write `fail_fast = false`",
    },
];

impl FlowOptions {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Diagnostics) -> Self {
        let mut options = Self {
            named: None,
            fail_fast: true,
            only: None,
        };
        let keys = ["named", "fail_fast", "only"];
        for entry in entries::parse_with_other_names(tokens, "flow", &keys, &NOT_OF_A_FLOW, errors)
        {
            if entry.key == "fail_fast" {
                options.fail_fast = entry.bool(errors).unwrap_or(true);
                continue;
            }
            if entry.key == "only" {
                options.only = capabilities::only(entry, errors);
                continue;
            }
            options.named = Some(entry.key.span());
            if !matches!(entry.value, Value::Flag) {
                errors.error(
                    entry.key.span(),
                    "`named` has a value",
                    "write `#[flow(named)]`",
                );
            }
        }
        options
    }
}

const EACH_OTHER_NAMES: [OtherNames; 2] = [
    OtherNames {
        names: &[
            "max",
            "concurrency",
            "max_concurrency",
            "parallel",
            "parallelism",
            "at_once",
            "buffered",
        ],
        help: "write `limit = 8`",
    },
    OtherNames {
        names: &["timeout", "total_timeout", "retry", "max_visits"],
        help: "write it in the `#[node(…)]` of a node in the chain",
    },
];

/// How many items of an `each(…)` are worked on at the same time, from what is after its chain.
pub(crate) fn list_limit(tokens: TokenStream, errors: &mut Diagnostics) -> Option<syn::Expr> {
    if let Some(TokenTree::Literal(value)) = tokens.clone().into_iter().next() {
        errors.error(
            value.span(),
            "an option of `each` has no name",
            "write `limit = 8`",
        );
        return None;
    }
    let keys = ["limit"];
    let options = entries::parse_with_other_names(tokens, "each", &keys, &EACH_OTHER_NAMES, errors);
    options.into_iter().next()?.const_count(1, errors)
}

/// An attribute without options.
pub(crate) fn nothing(tokens: TokenStream, attribute: &str, errors: &mut Diagnostics) {
    entries::parse(tokens, attribute, &[], errors);
}
