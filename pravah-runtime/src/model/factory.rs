//! From model URLs to clients.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

#[cfg(feature = "genai")]
use super::genai::{self, GenaiClient};
use super::{
    Cassette, ModelClient, ModelError, ModelErrorKind, ModelOptions, ModelUrl, Provider,
    ScriptedModel, time_limit::TimeLimited, url,
};
#[cfg(feature = "providers")]
use super::{Server, http::HttpClient};

type Client = Arc<dyn ModelClient>;
type Maker = Arc<dyn Fn(&ModelUrl) -> Result<Client, ModelError> + Send + Sync>;

/// Makes clients for model URLs and keeps them. Cheap to clone; clones share what they keep.
///
/// ```
/// use std::sync::Arc;
/// use pravah_runtime::{ClientFactory, ModelUrl, ScriptedModel};
///
/// let factory = ClientFactory::default()
///     .register("acme", |url| Ok(Arc::new(ScriptedModel::new().text("n", url.model()))));
///
/// assert!(factory.client(&ModelUrl::custom("acme://m")?).is_ok());
/// assert!(factory.client(&ModelUrl::custom("acne://m")?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct ClientFactory {
    /// Answers for every URL.
    only: Option<Client>,
    /// The script that `only` is, if it is one.
    script: Option<ScriptedModel>,
    cassette: Option<Cassette>,
    makers: BTreeMap<String, Maker>,
    kept: Arc<Mutex<Kept>>,
    /// By the scheme of their model URLs.
    #[cfg(feature = "providers")]
    servers: BTreeMap<String, Server>,
    options: ModelOptions,
    /// The first mistake of the set-up; with one no client is made.
    problem: Option<String>,
    #[cfg(feature = "genai")]
    genai: Option<genai::SetUp>,
}

/// The clients that have been made.
#[derive(Default)]
struct Kept {
    by_server: BTreeMap<String, Client>,
    /// The same ones, found without writing a URL.
    by_url: BTreeMap<ModelUrl, Client>,
}

impl ClientFactory {
    /// The schemes that Pravah knows, set up from the environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a scheme, or takes the place of Pravah's own client for it. `make` runs once for each URL.
    ///
    /// A name that cannot be a scheme, and one that is set up already, by this method,
    /// [`with_server`](Self::with_server), [`with_provider`](Self::with_provider),
    /// [`with_key`](Self::with_key) or [`with_base_url`](Self::with_base_url), is the error of every
    /// [`client`](Self::client).
    #[must_use]
    pub fn register(
        mut self,
        scheme: impl Into<String>,
        make: impl Fn(&ModelUrl) -> Result<Client, ModelError> + Send + Sync + 'static,
    ) -> Self {
        let scheme = scheme.into();
        self.check_new_scheme(&scheme);
        self.makers.insert(scheme, Arc::new(make));
        self.forget()
    }

    /// Notes why a scheme cannot be added.
    fn check_new_scheme(&mut self, scheme: &str) {
        let problem = match url::check_scheme_name(scheme) {
            Err(error) => Some(error.to_string()),
            Ok(()) if self.schemes().any(|there| there == scheme) => Some(format!(
                "the scheme `{scheme}` is set up twice: one of the two needs another name"
            )),
            Ok(()) => None,
        };
        self.problem = self.problem.take().or(problem);
    }

    /// Uses `client` for every URL, in place of all others; the last one set is used.
    #[must_use]
    pub fn with_client(mut self, client: Client) -> Self {
        self.only = Some(Arc::new(TimeLimited(client)));
        self.script = None;
        self
    }

    /// Answers from a tape, and, if it records, asks the models for what is not on it.
    #[must_use]
    pub fn with_cassette(mut self, cassette: Cassette) -> Self {
        self.cassette = Some(cassette);
        self.forget()
    }

    /// Uses a script for every URL: no key is needed, and nothing leaves the machine. A run that starts
    /// with it has to have every node that it answers for.
    #[must_use]
    pub fn with_scripted(mut self, script: ScriptedModel) -> Self {
        self = self.with_client(Arc::new(script.clone()));
        self.script = Some(script);
        self
    }

    /// The script that answers for every URL, if one does.
    pub(crate) fn script(&self) -> Option<&ScriptedModel> {
        self.script.as_ref()
    }

    /// Adds a server under a scheme of its own: `with_server("local", …)` makes `local://MODEL` a model
    /// URL, written `custom("local://MODEL")` in `#[agent]`. There may be several. Under the scheme of a
    /// provider it takes the place of that provider.
    ///
    /// A name that cannot be a scheme, and one that is set up already, by this method,
    /// [`register`](Self::register), [`with_provider`](Self::with_provider), [`with_key`](Self::with_key)
    /// or [`with_base_url`](Self::with_base_url), is the error of every [`client`](Self::client).
    #[cfg(feature = "providers")]
    #[must_use]
    pub fn with_server(mut self, scheme: impl Into<String>, server: Server) -> Self {
        let scheme = scheme.into();
        self.check_new_scheme(&scheme);
        self.servers.insert(scheme, server);
        self.forget()
    }

    /// Changes how a provider is asked: its headers, timeouts, options and the like. If its scheme was
    /// [registered](Self::register) before, that is the error of every [`client`](Self::client).
    ///
    /// ```
    /// use pravah_runtime::{ClientFactory, Provider};
    ///
    /// let factory = ClientFactory::new().with_provider(Provider::Anthropic, |server| {
    ///     server.header("anthropic-beta", "context-1m-2025-08-07")
    /// });
    /// ```
    #[cfg(feature = "providers")]
    #[must_use]
    pub fn with_provider(
        mut self,
        provider: Provider,
        change: impl FnOnce(Server) -> Server,
    ) -> Self {
        if self.makers.contains_key(provider.scheme()) {
            self.check_new_scheme(provider.scheme());
        }
        let server = self.servers.remove(provider.scheme());
        let server = change(server.unwrap_or_else(|| Server::of(provider)));
        self.servers.insert(provider.scheme().to_owned(), server);
        self.forget()
    }

    /// The key for a provider, in place of its [variable](Provider::key_variable). OpenAI's two
    /// interfaces share one, unless each has its own.
    ///
    /// # Errors
    ///
    /// White space around the key is dropped. One that is blank, or has characters that no key has, is the
    /// [`Config`](ModelErrorKind::Config) error of [`client`](Self::client).
    #[cfg(feature = "providers")]
    #[must_use]
    pub fn with_key(self, provider: Provider, key: impl Into<String>) -> Self {
        self.with_provider(provider, |server| server.key(key))
    }

    /// The address of a server that speaks like a provider, in place of its
    /// [variable](Provider::base_url_variable): `http://HOST:PORT/v1` for OpenAI,
    /// `http://HOST:PORT` for Anthropic, `http://HOST:PORT/v1beta` for Gemini. OpenAI's two interfaces
    /// share one, unless each has its own.
    #[cfg(feature = "providers")]
    #[must_use]
    pub fn with_base_url(self, provider: Provider, url: impl Into<String>) -> Self {
        self.with_provider(provider, |server| server.base_url(url))
    }

    /// What all requests say, where neither run, agent nor server says otherwise.
    #[must_use]
    pub fn with_options(mut self, options: ModelOptions) -> Self {
        self.options = options;
        self
    }

    /// What requests to a model say, where neither run nor agent says otherwise: its server's options,
    /// then the factory's.
    pub(crate) fn options(&self, url: &ModelUrl) -> impl Iterator<Item = &ModelOptions> {
        #[cfg(feature = "providers")]
        let of_server = self.servers.get(url.scheme()).map(|server| &server.options);
        #[cfg(not(feature = "providers"))]
        let (of_server, _) = (None, url);
        of_server.into_iter().chain([&self.options])
    }

    /// Sets up the client of `genai`, which asks the models of `genai://MODEL`: where keys come from,
    /// which address to use. Unless set up it reads keys from the environment, as that crate does.
    ///
    /// ```
    /// use pravah_runtime::{ClientFactory, genai::resolver::AuthData};
    ///
    /// let factory = ClientFactory::new().with_genai(|client| {
    ///     client.with_auth_resolver_fn(|_model| Ok(Some(AuthData::from_env("MY_KEY"))))
    /// });
    /// ```
    #[cfg(feature = "genai")]
    #[must_use]
    pub fn with_genai(
        mut self,
        set_up: impl Fn(::genai::ClientBuilder) -> ::genai::ClientBuilder + Send + Sync + 'static,
    ) -> Self {
        self.genai = Some(Arc::new(set_up));
        self.forget()
    }

    /// The client for a model.
    ///
    /// # Errors
    ///
    /// [`ModelErrorKind::Config`] if the scheme is neither known nor registered, or lacks its key, and if
    /// the factory was set up wrongly.
    pub fn client(&self, url: &ModelUrl) -> Result<Client, ModelError> {
        if let Some(problem) = &self.problem {
            return Err(ModelError::new(ModelErrorKind::Config, problem.clone()));
        }
        match &self.cassette {
            Some(cassette) => {
                // What is replayed needs no key.
                let inner = cassette.records().then(|| self.model(url)).transpose()?;
                Ok(cassette.client(url, inner))
            }
            None => self.model(url),
        }
    }

    /// The client that asks the model itself.
    fn model(&self, url: &ModelUrl) -> Result<Client, ModelError> {
        if let Some(client) = &self.only {
            return Ok(Arc::clone(client));
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = kept.by_url.get(url) {
            return Ok(Arc::clone(client));
        }
        let server = self.kept_as(url);
        let client = match kept.by_server.get(&server) {
            Some(client) => Arc::clone(client),
            None => self.make(url)?,
        };
        kept.by_server.insert(server, Arc::clone(&client));
        kept.by_url.insert(url.clone(), Arc::clone(&client));
        Ok(client)
    }

    fn make(&self, url: &ModelUrl) -> Result<Client, ModelError> {
        if let Some(make) = self.makers.get(url.scheme()) {
            return Ok(Arc::new(TimeLimited(make(url)?)));
        }
        #[cfg(feature = "providers")]
        if url.scheme() == url::GENAI && self.servers.contains_key(url::GENAI) {
            let what = "models of `genai` are asked by the crate of that name, which takes no `Server`: \
                        set its client up with `ClientFactory::with_genai`, or choose another scheme";
            return Err(ModelError::new(ModelErrorKind::Config, what));
        }
        #[cfg(feature = "providers")]
        if let Some(server) = self.server(url.scheme()) {
            return Ok(Arc::new(HttpClient::new(&server, url)?));
        }
        let known = url::known().chain(self.schemes());
        url.check_scheme(known).map_err(|error| {
            let what = format!(
                "{error}; `ClientFactory::with_server` adds one for a server, and `register` one for \
                 a client"
            );
            ModelError::new(ModelErrorKind::Config, what).with_told_source(error)
        })?;
        match Provider::of_scheme(url.scheme()) {
            Some(_) => Err(needs_feature(url, "providers")),
            #[cfg(feature = "genai")]
            None => {
                let client = GenaiClient::new(self.genai.as_ref())?;
                Ok(Arc::new(TimeLimited(Arc::new(client))))
            }
            #[cfg(not(feature = "genai"))]
            None => Err(needs_feature(url, "genai")),
        }
    }

    /// The server of a scheme.
    #[cfg(feature = "providers")]
    fn server(&self, scheme: &str) -> Option<Server> {
        let known = || Provider::of_scheme(scheme).map(Server::of);
        let mut server = self.servers.get(scheme).cloned().or_else(known)?;
        let twin = server.provider.twin().filter(|_| server.is_provider);
        let twin = twin.and_then(|twin| self.servers.get(twin.scheme()));
        if let Some(twin) = twin.filter(|twin| twin.is_provider) {
            server.key = server.key.or_else(|| twin.key.clone());
            server.base_url = server.base_url.or_else(|| twin.base_url.clone());
        }
        Some(server)
    }

    /// The schemes that the user added.
    fn schemes(&self) -> impl Iterator<Item = &str> {
        let registered = self.makers.keys();
        #[cfg(feature = "providers")]
        let registered = registered.chain(self.servers.keys());
        registered.map(String::as_str)
    }

    /// What a client is kept under: all models of a server share one, and so its connections.
    fn kept_as(&self, url: &ModelUrl) -> String {
        let scheme = url.scheme();
        let is_known = url::known().any(|known| known == scheme);
        #[cfg(feature = "providers")]
        let is_known = is_known || self.servers.contains_key(scheme);
        let is_ours = is_known && !self.makers.contains_key(scheme);
        match url.host() {
            _ if !is_ours => url.to_string(),
            Some((host, port)) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://"),
        }
    }

    /// Makes clients anew from here on, apart from earlier clones.
    fn forget(mut self) -> Self {
        self.kept = Arc::default();
        self
    }
}

fn needs_feature(url: &ModelUrl, feature: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Config,
        format!("models of `{}` need the feature `{feature}`", url.scheme()),
    )
}

impl From<ScriptedModel> for ClientFactory {
    /// A factory whose models all answer from `script`.
    fn from(script: ScriptedModel) -> Self {
        Self::new().with_scripted(script)
    }
}

impl fmt::Debug for ClientFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientFactory")
            .field("schemes", &self.schemes().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
