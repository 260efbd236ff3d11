//! What is known of models, by family: a provider does not say what each of its models takes.
//!
//! A family is known by the beginning of its models' names, up to a `-`; the longest beginning counts.
//! A model of no family is taken at the user's word, and asked for nothing that models are known to
//! refuse.

use super::{Effort, ModelRequest, Reasoning, ToolChoice, options::Setting};

/// What is known of the models of a family.
#[derive(Debug)]
pub(super) struct Family {
    /// What their names begin with; a `.` is written `-`.
    name: &'static str,
    /// Whether they can be made to call a tool. Unless that is known, they are not asked to.
    forced_tools: bool,
    /// Whether chat completions of these models take tools while they reason.
    chat_tools: bool,
    /// Whether chat completions of these models take a JSON Schema for the answer.
    pub(super) chat_schema: bool,
    /// Whether they reason at all.
    reasons: bool,
    /// The options that they refuse.
    refuses: &'static [Setting],
}

const UNKNOWN: Family = Family {
    name: "",
    forced_tools: false,
    chat_tools: true,
    chat_schema: true,
    reasons: true,
    refuses: &[],
};

const FORCED: Family = Family {
    forced_tools: true,
    ..UNKNOWN
};

/// OpenAI's models before reasoning.
/// <https://platform.openai.com/docs/guides/function-calling>
const PLAIN: Family = Family {
    reasons: false,
    refuses: &[
        Setting::NoReasoning,
        Setting::Effort,
        Setting::ReasoningTokens,
    ],
    ..FORCED
};

/// OpenAI's first reasoning models, which are not sampled.
/// <https://platform.openai.com/docs/guides/reasoning>
const REASONING: Family = Family {
    refuses: &[Setting::Temperature, Setting::TopP, Setting::Stop],
    ..FORCED
};

/// Chat completions say of them: "use /v1/responses or set reasoning_effort to 'none'".
const NO_CHAT_TOOLS: Family = Family {
    chat_tools: false,
    ..UNKNOWN
};

/// Anthropic's models of which users report that `tool_choice` `any` is "not supported for this model".
const NOT_FORCED: Family = Family {
    refuses: &[Setting::ForcedTools],
    ..UNKNOWN
};

const FAMILIES: &[Family] = &[
    Family {
        name: "gpt-3-5",
        ..PLAIN
    },
    Family {
        name: "gpt-4",
        ..PLAIN
    },
    Family {
        name: "gpt-4o",
        ..PLAIN
    },
    Family {
        name: "chatgpt-4o",
        ..PLAIN
    },
    Family {
        name: "o1",
        ..REASONING
    },
    Family {
        name: "o3",
        ..REASONING
    },
    Family {
        name: "o4",
        ..REASONING
    },
    Family {
        name: "gpt-5",
        ..REASONING
    },
    // From here on they are sampled where they do not reason.
    Family {
        name: "gpt-5-1",
        ..FORCED
    },
    Family {
        name: "gpt-5-2",
        ..FORCED
    },
    Family {
        name: "gpt-5-3",
        ..FORCED
    },
    Family {
        name: "gpt-5-4",
        ..FORCED
    },
    Family {
        name: "gpt-5-5",
        ..FORCED
    },
    Family {
        name: "gpt-5-6",
        ..NO_CHAT_TOOLS
    },
    Family {
        name: "gpt-6",
        ..NO_CHAT_TOOLS
    },
    // <https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use>
    Family {
        name: "claude-3",
        ..FORCED
    },
    Family {
        name: "claude-opus-4",
        ..FORCED
    },
    Family {
        name: "claude-sonnet-4",
        ..FORCED
    },
    Family {
        name: "claude-haiku-4",
        ..FORCED
    },
    // Its thinking cannot be turned off.
    Family {
        name: "claude-opus-5-5",
        refuses: &[Setting::ForcedTools, Setting::NoReasoning],
        ..NOT_FORCED
    },
    Family {
        name: "claude-sonnet-5-5",
        ..NOT_FORCED
    },
    Family {
        name: "claude-fable-5-1",
        ..NOT_FORCED
    },
    // <https://ai.google.dev/gemini-api/docs/function-calling>, and `thinkingBudget` before 3.
    Family {
        name: "gemini-1-5",
        ..FORCED
    },
    Family {
        name: "gemini-2",
        refuses: &[Setting::Effort],
        ..FORCED
    },
    Family {
        name: "gemini-3",
        ..FORCED
    },
    // It takes `json_object` alone; while it thinks it cannot be made to call a tool.
    // <https://api-docs.deepseek.com/guides/json_mode>
    Family {
        name: "deepseek",
        chat_schema: false,
        ..UNKNOWN
    },
    Family {
        name: "deepseek-v4",
        chat_schema: false,
        ..NOT_FORCED
    },
];

/// What is known of a model, by its name: with or without `VENDOR/`, `ADAPTER::` or `ft:` in front, as
/// resellers, the crate `genai` and fine-tuned models have it.
pub(super) fn family(model: &str) -> &'static Family {
    let name = model.rsplit('/').next().unwrap_or(model);
    let name = match name.split_once("::") {
        Some((adapter, name)) if !adapter.contains(':') => name,
        _ => name,
    };
    let name = name.strip_prefix("ft:").unwrap_or(name);
    let name = name.to_ascii_lowercase().replace('.', "-");
    let belongs = |family: &&Family| {
        name.strip_prefix(family.name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '@']))
    };
    let families = FAMILIES.iter().filter(belongs);
    let family = families.max_by_key(|family| family.name.len());
    family.unwrap_or(&UNKNOWN)
}

/// Whether a request can be sent to OpenAI's chat completions; it is one for Responses otherwise. A
/// reseller's `VENDOR/MODEL` is the reseller's business.
pub(super) fn takes_chat(request: &ModelRequest) -> bool {
    request.tools.is_empty()
        || request.model.contains('/')
        || family(&request.model).chat_tools
        || request.options.reasoning == Some(Reasoning::Effort(Effort::None))
}

/// Whether a model may reason. OpenAI's models that do not refuse to be asked for their reasoning, and
/// those that do tell no probabilities.
pub(super) fn reasons(model: &str) -> bool {
    family(model).reasons && !model.contains("-chat")
}

/// Whether the model is to be made to call a tool.
pub(super) fn forces_tools(request: &ModelRequest) -> bool {
    match request.options.tool_choice {
        Some(choice) => choice == ToolChoice::Required,
        None => family(&request.model).forced_tools,
    }
}

/// Whether the model is known not to take an option.
pub(super) fn refuses(model: &str, setting: Setting) -> bool {
    family(model).refuses.contains(&setting)
}

#[cfg(test)]
mod tests {
    use super::family;

    #[test]
    fn a_model_is_known_by_the_longest_beginning_of_its_name() {
        for (model, name) in [
            ("gpt-5-mini", "gpt-5"),
            ("gpt-5-2025-08-07", "gpt-5"),
            ("gpt-5.2-chat", "gpt-5-2"),
            ("gpt-5.6", "gpt-5-6"),
            ("gpt-6.1-sol", "gpt-6"),
            ("gpt-60", ""),
            ("ft:gpt-4o-mini:acme::1", "gpt-4o"),
            ("anthropic/claude-opus-5.5", "claude-opus-5-5"),
            ("claude-opus-4-8", "claude-opus-4"),
            ("deepseek::deepseek-chat", "deepseek"),
            ("DeepSeek-V4-Pro", "deepseek-v4"),
            ("llama3:8b", ""),
        ] {
            assert_eq!(family(model).name, name, "{model}");
        }
    }
}
