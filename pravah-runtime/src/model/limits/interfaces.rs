//! The interfaces of the providers, with what each takes and where its vendor says so.

use super::{
    Limits, Metadata,
    media::{Medium, PLAIN_TEXT, Types},
};
use crate::model::options::Setting;

const UNLIMITED: Limits = Limits {
    who: "",
    no_place: &[],
    temperature: None,
    stops: None,
    metadata: Metadata::Any,
    reasoning_tokens: 0,
    images: Some(Medium {
        types: Types::Any,
        by_address: true,
    }),
    files: Some(Medium {
        types: Types::Any,
        by_address: true,
    }),
};

/// Servers that speak chat completions: of theirs only the interface is known.
pub(in crate::model) const COMPATIBLE: Limits = Limits {
    who: "the interface of chat completions",
    no_place: &[Setting::ReasoningTokens],
    files: Some(Medium {
        types: Types::Any,
        by_address: false,
    }),
    ..UNLIMITED
};

/// <https://developers.openai.com/api/docs/guides/images-vision>
const OPENAI_IMAGES: Types = Types::Only(&["image/png", "image/jpeg", "image/webp", "image/gif"]);

/// Documents, presentations, spreadsheets, text and code.
/// <https://developers.openai.com/api/docs/guides/file-inputs>
const OPENAI_FILES: Types = Types::NotOf(&["image/", "audio/", "video/"]);

/// What both interfaces of OpenAI take.
const OPENAI: Limits = Limits {
    who: "OpenAI",
    temperature: Some(2.0),
    metadata: Metadata::UpTo {
        pairs: 16,
        key: 64,
        value: 512,
    },
    images: Some(Medium {
        types: OPENAI_IMAGES,
        by_address: true,
    }),
    files: Some(Medium {
        types: OPENAI_FILES,
        by_address: true,
    }),
    ..UNLIMITED
};

/// <https://platform.openai.com/docs/api-reference/chat/create>
pub(in crate::model) const CHAT: Limits = Limits {
    no_place: COMPATIBLE.no_place,
    stops: Some(4),
    files: Some(Medium {
        types: OPENAI_FILES,
        by_address: false,
    }),
    ..OPENAI
};

/// <https://platform.openai.com/docs/api-reference/responses/create>
pub(in crate::model) const RESPONSES: Limits = Limits {
    who: "OpenAI's Responses",
    no_place: &[Setting::ReasoningTokens, Setting::Seed, Setting::Stop],
    ..OPENAI
};

/// This version of the interface does not sample.
/// <https://platform.claude.com/docs/en/api/messages>,
/// <https://platform.claude.com/docs/en/build-with-claude/extended-thinking> for the reasoning,
/// <https://platform.claude.com/docs/en/build-with-claude/vision> and `/pdf-support` for the types.
pub(in crate::model) const ANTHROPIC: Limits = Limits {
    who: "Anthropic",
    no_place: &[Setting::Temperature, Setting::TopP, Setting::Seed],
    metadata: Metadata::Only(&["user_id"]),
    reasoning_tokens: 1_024,
    images: Some(Medium {
        types: Types::Only(&["image/jpeg", "image/png", "image/gif", "image/webp"]),
        by_address: true,
    }),
    files: Some(Medium {
        types: Types::Only(&["application/pdf", PLAIN_TEXT]),
        by_address: true,
    }),
    ..UNLIMITED
};

/// <https://ai.google.dev/api/generate-content#generationconfig>,
/// <https://ai.google.dev/gemini-api/docs/image-understanding> for the types.
pub(in crate::model) const GEMINI: Limits = Limits {
    who: "Gemini",
    no_place: &[Setting::Metadata],
    temperature: Some(2.0),
    stops: Some(5),
    images: Some(Medium {
        types: Types::Only(&[
            "image/png",
            "image/jpeg",
            "image/webp",
            "image/heic",
            "image/heif",
        ]),
        by_address: true,
    }),
    ..UNLIMITED
};

/// <https://docs.ollama.com/api/chat>
pub(in crate::model) const OLLAMA: Limits = Limits {
    who: "Ollama",
    no_place: &[
        Setting::ForcedTools,
        Setting::ReasoningTokens,
        Setting::Metadata,
    ],
    images: Some(Medium {
        types: Types::Any,
        by_address: false,
    }),
    files: None,
    ..UNLIMITED
};

#[cfg(feature = "genai")]
pub(in crate::model) const GENAI: Limits = Limits {
    who: "the crate `genai`",
    no_place: &[Setting::Metadata],
    ..UNLIMITED
};
