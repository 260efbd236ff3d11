//! Servers of models, as a user sets them up.

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use secrecy::SecretString;

use super::{ModelOptions, Provider};
use crate::error::BoxError;

/// A server of models: where it is, how a request shows that it may ask, and what it takes.
///
/// With [`ClientFactory::with_server`] it gets a scheme of its own, so a run may use several.
/// [`ClientFactory::with_provider`] changes the server of a provider.
///
/// ```
/// use pravah_runtime::{ClientFactory, ModelUrl, OutputMode, Server};
///
/// let large = Server::openai_compatible("http://localhost:8000/v1").header("x-team", "support");
/// let small = Server::openai_compatible("http://localhost:8001/v1")
///     .output(OutputMode::ObjectSchema)
///     .string_content();
/// let factory = ClientFactory::new().with_server("large", large).with_server("small", small);
///
/// assert!(factory.client(&ModelUrl::custom("large://qwen3")?).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`ClientFactory::with_server`]: super::ClientFactory::with_server
/// [`ClientFactory::with_provider`]: super::ClientFactory::with_provider
#[derive(Clone)]
pub struct Server {
    pub(super) provider: Provider,
    /// Whether it is the provider itself, whose key and address the environment may name.
    pub(super) is_provider: bool,
    /// Whether it only speaks like the provider, and knows nothing of what came later.
    pub(super) is_compatible: bool,
    pub(super) base_url: Option<String>,
    pub(super) key: Option<Key>,
    pub(super) headers: Vec<(String, SecretString)>,
    pub(super) output: Option<OutputMode>,
    pub(super) string_content: bool,
    pub(super) timeouts: Timeouts,
    pub(super) options: ModelOptions,
    #[cfg(feature = "reqwest")]
    pub(super) http_client: Option<reqwest::Client>,
}

/// What a request shows.
#[derive(Clone)]
pub(super) enum Key {
    Fixed(SecretString),
    /// Asked for before each request.
    Token(TokenSource),
}

type TokenFuture = Pin<Box<dyn Future<Output = Result<String, BoxError>> + Send>>;
pub(super) type TokenSource = Arc<dyn Fn() -> TokenFuture + Send + Sync>;

/// How a server is asked for JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutputMode {
    /// By its schema: `{"type": "json_schema", …}`, as OpenAI does.
    Schema,
    /// By `{"type": "json_object"}`; the schema is in the prompt. DeepSeek's models get this unless
    /// another mode is set.
    Object,
    /// By `{"type": "json_object", "schema": …}`, as llama-cpp-python does; the schema is also in the
    /// prompt.
    ObjectSchema,
    /// In the prompt alone.
    Prompt,
}

/// How long a server may take.
///
/// ```
/// use std::time::Duration;
/// use pravah_runtime::Timeouts;
///
/// let patient = Timeouts::new().first_byte(Duration::from_secs(1_200));
/// assert_eq!(patient.connect, Duration::from_secs(10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// To obtain a [token](Server::token): 30 seconds unless set.
    pub token: Duration,
    /// To take the connection: 10 seconds unless set. Not obeyed by an HTTP client of your own.
    pub connect: Duration,
    /// From the request to the first byte of the answer: ten minutes unless set. A model may think for
    /// that long.
    pub first_byte: Duration,
    /// Between two pieces of an answer: five minutes unless set.
    pub silence: Duration,
    /// From the request to the end of the answer: thirty minutes unless set.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            token: Duration::from_secs(30),
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(600),
            silence: Duration::from_secs(300),
            total: Duration::from_secs(1_800),
        }
    }
}

impl Timeouts {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long a token may take.
    #[must_use]
    pub fn token(mut self, time: Duration) -> Self {
        self.token = time;
        self
    }

    /// Sets how long the connection may take.
    #[must_use]
    pub fn connect(mut self, time: Duration) -> Self {
        self.connect = time;
        self
    }

    /// Sets how long the first byte of an answer may take.
    #[must_use]
    pub fn first_byte(mut self, time: Duration) -> Self {
        self.first_byte = time;
        self
    }

    /// Sets how long an answer may be silent.
    #[must_use]
    pub fn silence(mut self, time: Duration) -> Self {
        self.silence = time;
        self
    }

    /// Sets how long the whole answer may take.
    #[must_use]
    pub fn total(mut self, time: Duration) -> Self {
        self.total = time;
        self
    }
}

impl Server {
    /// A second account or another address of `provider`, asked with every feature of that provider's
    /// interface: `http://HOST:PORT/v1` for OpenAI, `http://HOST:PORT` for Anthropic and Ollama,
    /// `http://HOST:PORT/v1beta` for Gemini. A query of the address, such as `?api-version=…`, is part of
    /// every request. Nothing is read from the environment.
    pub fn new(provider: Provider, base_url: impl Into<String>) -> Self {
        Self {
            is_provider: false,
            base_url: Some(base_url.into()),
            ..Self::of(provider)
        }
    }

    /// Somebody else's server that speaks chat completions as OpenAI did first, and nothing else:
    /// neither Responses nor newer names of fields.
    pub fn openai_compatible(base_url: impl Into<String>) -> Self {
        Self {
            is_compatible: true,
            ..Self::new(Provider::OpenAi, base_url)
        }
    }

    /// The provider itself.
    pub(super) fn of(provider: Provider) -> Self {
        Self {
            provider,
            is_provider: true,
            is_compatible: false,
            base_url: None,
            key: None,
            headers: Vec::new(),
            output: None,
            string_content: false,
            timeouts: Timeouts::default(),
            options: ModelOptions::default(),
            #[cfg(feature = "reqwest")]
            http_client: None,
        }
    }

    /// The address, in place of the provider's own.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The key, sent as the provider wants it.
    ///
    /// # Errors
    ///
    /// White space around the key is dropped. One that is blank, or has characters that no key has, is a
    /// [`Config`] error when the client is made.
    ///
    /// [`Config`]: super::ModelErrorKind::Config
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(Key::Fixed(SecretString::from(key.into())));
        self
    }

    /// A token that expires: `token` is asked for one before each request, and may keep it for as long
    /// as it is valid. It is sent as a key is.
    ///
    /// ```
    /// use pravah_runtime::Server;
    ///
    /// let server = Server::openai_compatible("https://models.example/v1")
    ///     .token(|| async { Ok(std::fs::read_to_string("/var/run/token")?) });
    /// ```
    ///
    /// # Errors
    ///
    /// White space around a token is dropped. One that is blank, or has characters that no token has, is a
    /// [`Config`] error of the request that it is for.
    ///
    /// [`Config`]: super::ModelErrorKind::Config
    #[must_use]
    pub fn token<F, T>(mut self, token: F) -> Self
    where
        F: Fn() -> T + Send + Sync + 'static,
        T: Future<Output = Result<String, BoxError>> + Send + 'static,
    {
        self.key = Some(Key::Token(Arc::new(move || Box::pin(token()))));
        self
    }

    /// Adds a header to every request, in place of one of that name. Its value is treated as a secret.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let value = SecretString::from(value.into());
        self.headers.push((name.into(), value));
        self
    }

    /// How the server is asked for JSON; only chat completions have more than one mode.
    #[must_use]
    pub fn output(mut self, mode: OutputMode) -> Self {
        self.output = Some(mode);
        self
    }

    /// Sends an empty text where a model said nothing besides its tool calls, for servers of chat
    /// completions that do not take `null`.
    #[must_use]
    pub fn string_content(mut self) -> Self {
        self.string_content = true;
        self
    }

    /// How long the server may take.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// What requests to this server say, where neither run nor agent says otherwise. Fields of the
    /// server's own are added with [`ModelOptions::extra`].
    #[must_use]
    pub fn options(mut self, options: ModelOptions) -> Self {
        self.options = options;
        self
    }

    /// The HTTP client to use: with its own proxy, certificates or connection limits.
    ///
    /// `reqwest` is used without a cryptography of its own here: install one for the process, such as
    /// `rustls::crypto::ring::default_provider().install_default()`, before you build a client.
    #[cfg(feature = "reqwest")]
    #[must_use]
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http_client = Some(client);
        self
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Server")
            .field("provider", &self.provider)
            .field("headers", &headers)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}
