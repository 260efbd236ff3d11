//! The providers that Pravah speaks to by itself.

use std::fmt;

/// A provider of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI's chat completions, and servers that speak the same: `openai://MODEL`.
    OpenAi,
    /// OpenAI's Responses: `openai-responses://MODEL`.
    OpenAiResponses,
    /// Anthropic's Messages: `anthropic://MODEL`.
    Anthropic,
    /// Gemini's `generateContent`: `gemini://MODEL`.
    Gemini,
    /// Ollama's chat: `ollama://HOST:PORT/MODEL`.
    Ollama,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
    ];

    /// The scheme of its model URLs.
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// The variable of the environment that its key is read from, if none is
    /// [set](crate::ClientFactory::with_key).
    pub const fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi | Self::OpenAiResponses => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Ollama => None,
        }
    }

    /// The variable of the environment that its address is read from, if none is
    /// [set](crate::ClientFactory::with_base_url). The address of Ollama is in its model URLs.
    pub const fn base_url_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi | Self::OpenAiResponses => Some("OPENAI_BASE_URL"),
            Self::Anthropic => Some("ANTHROPIC_BASE_URL"),
            Self::Gemini => Some("GEMINI_BASE_URL"),
            Self::Ollama => None,
        }
    }

    /// Whether it tells how probable the tokens of an answer are.
    pub const fn tells_token_probabilities(self) -> bool {
        !matches!(self, Self::Anthropic)
    }

    /// The other interface to the same account, if there is one.
    #[cfg(feature = "providers")]
    pub(super) const fn twin(self) -> Option<Self> {
        match self {
            Self::OpenAi => Some(Self::OpenAiResponses),
            Self::OpenAiResponses => Some(Self::OpenAi),
            _ => None,
        }
    }

    /// The provider's own address.
    #[cfg(feature = "providers")]
    pub(super) const fn base_url(self) -> &'static str {
        match self {
            Self::OpenAi | Self::OpenAiResponses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Self::Ollama => "http://localhost:11434",
        }
    }

    /// The provider of a scheme.
    pub fn of_scheme(scheme: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|provider| provider.scheme() == scheme)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenAi | Self::OpenAiResponses => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
            Self::Ollama => "Ollama",
        })
    }
}
