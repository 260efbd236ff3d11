//! What models answered once, to be answered again without them.

use std::{
    collections::BTreeMap,
    fmt, fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse, ModelUrl,
    OnText, ScriptedModel,
};
use crate::json;

const VERSION: u32 = 1;

/// The longest piece of a value that a difference shows, in characters.
const SHOWN: usize = 60;

/// Records what models answer into a file, and replays it: tests and demonstrations run offline, at no
/// cost, and the same every time.
///
/// An answer is found by what was asked: the model, the prompts, the conversation, the tools and the
/// schema. What was asked several times is answered in the order of the recording, and with the last of
/// its answers from then on. Keys are not part
/// of a request, so none is written; prompts and answers are.
///
/// ```
/// use pravah_runtime::{Cassette, ClientFactory};
///
/// let file = std::env::temp_dir().join("pravah-doc-cassette.json");
/// # let _ = std::fs::remove_file(&file);
/// // Once, with a key: what is not on the tape is asked for.
/// let factory = ClientFactory::new().with_cassette(Cassette::record(&file)?);
/// // From then on: what is not on the tape is an error that shows the difference.
/// # std::fs::write(&file, r#"{"version":1,"calls":[]}"#)?;
/// let factory = ClientFactory::new().with_cassette(Cassette::replay(&file)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Cassette {
    tape: Arc<Mutex<Tape>>,
    records: bool,
}

struct Tape {
    path: PathBuf,
    calls: Vec<Call>,
    /// How often each request was answered from the tape, by its JSON.
    played: BTreeMap<String, usize>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Call {
    #[serde(deserialize_with = "json::value")]
    request: Value,
    response: ModelResponse,
}

#[derive(Deserialize)]
struct Stored {
    version: u32,
    calls: Vec<Call>,
}

impl Cassette {
    /// Replays the file.
    ///
    /// # Errors
    ///
    /// [`ModelErrorKind::Config`] if the file cannot be read, or is no tape.
    pub fn replay(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
        let stored: Stored =
            serde_json::from_str(&text).map_err(|error| unreadable(path, error))?;
        if stored.version != VERSION {
            return Err(ModelError::new(
                ModelErrorKind::Config,
                format!(
                    "the tape {} has version {}, and this is version {VERSION}",
                    path.display(),
                    stored.version
                ),
            ));
        }
        Ok(Self::new(path, stored.calls, false))
    }

    /// Replays the file, if there is one, and records into it what is not there yet.
    ///
    /// # Errors
    ///
    /// Those of [`replay`](Self::replay), if there is a file.
    pub fn record(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        if !path.exists() {
            return Ok(Self::new(path, Vec::new(), true));
        }
        Ok(Self {
            records: true,
            ..Self::replay(path)?
        })
    }

    fn new(path: &Path, calls: Vec<Call>, records: bool) -> Self {
        let tape = Tape {
            path: path.to_owned(),
            calls,
            played: BTreeMap::new(),
        };
        Self {
            tape: Arc::new(Mutex::new(tape)),
            records,
        }
    }

    pub(super) fn records(&self) -> bool {
        self.records
    }

    /// A client for `url` that asks `inner` where nothing is on the tape.
    pub(super) fn client(
        &self,
        url: &ModelUrl,
        inner: Option<Arc<dyn ModelClient>>,
    ) -> Arc<dyn ModelClient> {
        Arc::new(Player {
            cassette: self.clone(),
            url: url.to_string(),
            inner,
        })
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cassette {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cassette")
            .field("path", &self.tape().path)
            .field("records", &self.records)
            .finish_non_exhaustive()
    }
}

impl Tape {
    /// The next answer to a request. The last one stands for all after it, where there is nobody to
    /// ask for more.
    fn play(&mut self, request: &Value, repeats: bool) -> Option<ModelResponse> {
        let mut answers = self.calls.iter().filter(|call| call.request == *request);
        let played = self.played.entry(request.to_string()).or_default();
        let last = answers.clone().count().checked_sub(1)?;
        let next = if repeats { last.min(*played) } else { *played };
        let response = answers.nth(next)?.response.clone();
        *played += 1;
        Some(response)
    }

    /// Adds a call, and writes the file so that a crash leaves the old one or the new one.
    fn add(&mut self, call: Call) -> Result<(), ModelError> {
        let request = call.request.to_string();
        self.calls.push(call);
        *self.played.entry(request).or_default() += 1;
        self.save().map_err(|error| {
            let what = format!("the tape {} could not be written", self.path.display());
            ModelError::new(ModelErrorKind::Config, what).with_source(error)
        })
    }

    fn save(&self) -> std::io::Result<()> {
        let mut name = self.path.clone().into_os_string();
        name.push(".new");
        let mut file = fs::File::create(&name)?;
        let tape = json!({ "version": VERSION, "calls": self.calls });
        serde_json::to_writer_pretty(&mut file, &tape)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&name, &self.path)
    }

    /// Why nothing on the tape answers a request.
    fn miss(&self, request: &Value) -> ModelError {
        let differences = |call: &Call| {
            let mut all = Vec::new();
            compare(&call.request, request, "", &mut all);
            all
        };
        let nearest = self.calls.iter().map(differences).min_by_key(Vec::len);
        let why = match nearest.as_deref() {
            None => "it is empty".to_owned(),
            Some([]) => "it was played".to_owned(),
            Some([first]) => format!("what is nearest differs in {first}"),
            Some([first, rest @ ..]) => {
                format!(
                    "what is nearest differs in {first}, and in {} more",
                    rest.len()
                )
            }
        };
        ModelError::new(
            ModelErrorKind::Config,
            format!(
                "the tape {} has no answer to this: {why}",
                self.path.display()
            ),
        )
    }
}

/// Answers from a tape.
struct Player {
    cassette: Cassette,
    url: String,
    /// Who is asked where nothing is on the tape.
    inner: Option<Arc<dyn ModelClient>>,
}

impl Player {
    async fn ask(
        &self,
        request: &ModelRequest,
        on_text: Option<OnText<'_>>,
    ) -> Result<ModelResponse, ModelError> {
        let asked = self.canonical(request)?;
        let repeats = self.inner.is_none();
        if let Some(response) = self.cassette.tape().play(&asked, repeats) {
            if let (Some(on_text), Some(text)) = (on_text, &response.text) {
                on_text(text);
            }
            return Ok(response);
        }
        let Some(inner) = &self.inner else {
            return Err(self.cassette.tape().miss(&asked));
        };
        let response = match on_text {
            Some(on_text) => inner.stream(request, on_text).await?,
            None => inner.complete(request).await?,
        };
        let call = Call {
            request: asked,
            response: response.clone(),
        };
        let added = self.cassette.tape().add(call);
        // The answer is paid for all the same.
        added.map_err(|error| error.with_usage(response.usage))?;
        Ok(response)
    }

    /// What is asked, without who asks.
    fn canonical(&self, request: &ModelRequest) -> Result<Value, ModelError> {
        let mut asked = serde_json::to_value(request).map_err(|error| {
            let what = "the request could not be written";
            ModelError::new(ModelErrorKind::InvalidRequest, what).with_source(error)
        })?;
        if let Value::Object(fields) = &mut asked {
            for not_sent in ["node", "items", "visit", "asked"] {
                fields.remove(not_sent);
            }
            fields.insert("model".to_owned(), json!(self.url));
        }
        Ok(asked)
    }
}

impl ModelClient for Player {
    fn check(&self, request: &ModelRequest) -> Result<(), ModelError> {
        self.inner
            .as_ref()
            .map_or(Ok(()), |inner| inner.check(request))
    }

    fn script(&self) -> Option<&ScriptedModel> {
        self.inner.as_ref()?.script()
    }

    fn wants_counts(&self) -> bool {
        self.inner
            .as_ref()
            .is_some_and(|inner| inner.wants_counts())
    }

    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(self.ask(request, None))
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest, on_text: OnText<'a>) -> ModelFuture<'a> {
        Box::pin(self.ask(request, Some(on_text)))
    }
}

/// Where two values differ: the places, with what is there in each.
fn compare(one: &Value, other: &Value, at: &str, all: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let keys = one
                .keys()
                .chain(other.keys().filter(|key| !one.contains_key(*key)));
            for key in keys {
                let at = format!("{at}/{key}");
                let part = |fields: &serde_json::Map<String, Value>| {
                    fields.get(key).cloned().unwrap_or_default()
                };
                compare(&part(one), &part(other), &at, all);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for i in 0..one.len().max(other.len()) {
                let part = |items: &[Value]| items.get(i).cloned().unwrap_or_default();
                compare(&part(one), &part(other), &format!("{at}/{i}"), all);
            }
        }
        (one, other) if one == other => {}
        (one, other) => all.push(format!(
            "`{at}`: {} on the tape, {} here",
            shown(one),
            shown(other)
        )),
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn unreadable(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> ModelError {
    let what = format!("{} is no tape", path.display());
    ModelError::new(ModelErrorKind::Config, what).with_source(error)
}
