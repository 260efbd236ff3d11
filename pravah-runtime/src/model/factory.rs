//! From model URLs to clients.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

#[cfg(feature = "openai")]
use super::http::{ApiKey, OpenAiClient, OpenAiConf};
use super::{ModelClient, ModelError, ModelErrorKind, ModelUrl, ScriptedModel, url};

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
    makers: BTreeMap<String, Maker>,
    kept: Arc<Mutex<BTreeMap<String, Client>>>,
    #[cfg(feature = "openai")]
    openai: OpenAiConf,
}

impl ClientFactory {
    /// The schemes that Pravah knows, set up from the environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a scheme, or replaces it. `make` runs once for each URL.
    #[must_use]
    pub fn register(
        mut self,
        scheme: impl Into<String>,
        make: impl Fn(&ModelUrl) -> Result<Client, ModelError> + Send + Sync + 'static,
    ) -> Self {
        self.makers.insert(scheme.into(), Arc::new(make));
        self.forget()
    }

    /// Uses `client` for every URL.
    #[must_use]
    pub fn with_client(mut self, client: Client) -> Self {
        self.only = Some(client);
        self
    }

    /// Uses a script for every URL: no key is needed, and nothing leaves the machine.
    #[must_use]
    pub fn with_scripted(self, script: ScriptedModel) -> Self {
        self.with_client(Arc::new(script))
    }

    /// The key for OpenAI, in place of `OPENAI_API_KEY`.
    #[cfg(feature = "openai")]
    #[must_use]
    pub fn with_openai_key(mut self, key: impl Into<String>) -> Self {
        self.openai.key = Some(ApiKey(key.into()));
        self.forget()
    }

    /// The address of a server that speaks like OpenAI, with the version (`http://HOST:PORT/v1`),
    /// in place of `OPENAI_BASE_URL`.
    #[cfg(feature = "openai")]
    #[must_use]
    pub fn with_openai_base_url(mut self, url: impl Into<String>) -> Self {
        self.openai.base_url = Some(url.into());
        self.forget()
    }

    /// The client for a model.
    ///
    /// # Errors
    ///
    /// [`ModelErrorKind::Config`] if the scheme is neither known nor registered, is not supported
    /// yet, or lacks its key.
    pub fn client(&self, url: &ModelUrl) -> Result<Client, ModelError> {
        if let Some(client) = &self.only {
            return Ok(Arc::clone(client));
        }
        // All models of OpenAI share one client, and so its connections.
        let key = match url.scheme() {
            "openai" if !self.makers.contains_key("openai") => "openai".to_owned(),
            _ => url.to_string(),
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = kept.get(&key) {
            return Ok(Arc::clone(client));
        }
        let client = self.make(url)?;
        kept.insert(key, Arc::clone(&client));
        Ok(client)
    }

    fn make(&self, url: &ModelUrl) -> Result<Client, ModelError> {
        if let Some(make) = self.makers.get(url.scheme()) {
            return make(url);
        }
        let registered = self.makers.keys().map(String::as_str);
        let known = url::KNOWN.into_iter().chain(registered);
        url.check_scheme(known).map_err(|error| {
            ModelError::new(ModelErrorKind::Config, error.to_string()).with_source(error)
        })?;
        match url.scheme() {
            #[cfg(feature = "openai")]
            "openai" => Ok(Arc::new(OpenAiClient::new(&self.openai)?)),
            scheme => Err(ModelError::new(
                ModelErrorKind::Config,
                format!("models of `{scheme}` are not supported yet"),
            )),
        }
    }

    /// Makes clients anew from here on, apart from earlier clones.
    fn forget(mut self) -> Self {
        self.kept = Arc::default();
        self
    }
}

impl fmt::Debug for ClientFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientFactory")
            .field("schemes", &self.makers.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
