//! Reading answers: whole, or event by event.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt};
use reqwest::Response;
use serde_json::Value;
use sse_stream::SseStream;
use tokio_util::{
    codec::{FramedRead, LinesCodec, LinesCodecError},
    io::StreamReader,
};

use super::{MAX_BODY, MAX_STREAM, deadline::Deadline, transport};
use crate::{
    error::BoxError,
    json,
    model::{
        ModelError, ModelErrorKind, OnText,
        wire::{Framing, Wire, start_of},
    },
};

/// The part of an answer's body that is still to come.
pub(super) struct Body {
    response: Response,
    /// How long it may be silent.
    silence: Duration,
    /// When it has to be complete.
    deadline: Deadline,
}

impl Body {
    pub(super) fn new(response: Response, silence: Duration, deadline: Deadline) -> Self {
        Self {
            response,
            silence,
            deadline,
        }
    }

    pub(super) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, ModelError> {
        let silence = self.silence;
        let silent = || {
            ModelError::timed_out(format!(
                "the answer stopped coming: nothing came for {silence:?}"
            ))
        };
        let chunk = self.response.chunk();
        let chunk = self.deadline.within(silence, silent, chunk).await?;
        chunk.map_err(transport)
    }
}

/// Reads an answer that comes in one piece.
pub(super) async fn whole(from: Body) -> Result<Value, ModelError> {
    let body = read(from).await?;
    json::from_slice(&body).map_err(|error| {
        // Within JSON it may be the model that is quoted.
        let is_other = (error.line(), error.column()) <= (1, 1) && !error.is_eof();
        match start_of(&body).filter(|_| is_other) {
            Some(start) => foreign("JSON", &start),
            None => not_json("the answer", error),
        }
    })
}

/// Reads the body, up to a limit.
pub(super) async fn read(mut from: Body) -> Result<Vec<u8>, ModelError> {
    let mut body = Vec::new();
    while let Some(chunk) = from.chunk().await? {
        if body.len() + chunk.len() > MAX_BODY {
            return Err(too_long(MAX_BODY));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Puts the events of a stream together to the body that would have come in one piece. After an error
/// `body` holds what came until then.
pub(super) async fn collect(
    wire: &dyn Wire,
    from: Body,
    body: &mut Value,
    on_text: OnText<'_>,
) -> Result<(), ModelError> {
    let events = match wire.framing() {
        Framing::Sse => sse(from).boxed(),
        Framing::Lines => lines(from).boxed(),
    };
    let mut events = events.enumerate();
    let mut count = 0;
    // What comes first and is no part of an answer.
    let mut foreign = None;
    while let Some((number, data)) = events.next().await {
        count = number + 1;
        let event = parse(&data?, count)?;
        foreign = (count == 1 && !is_of_answer(&event)).then(|| event.clone());
        let merged = wire.merge(body, event)?;
        if let Some(text) = merged.text {
            on_text(&text);
        }
        if merged.is_last {
            return Ok(());
        }
    }
    if wire.is_whole(body) {
        return Ok(());
    }
    if let Some(foreign) = foreign {
        // It is judged as it is where nobody listens.
        *body = foreign;
        return Ok(());
    }
    let events = if count == 1 { "event" } else { "events" };
    Err(ModelError::new(
        ModelErrorKind::Transport,
        format!("the answer broke off after {count} {events}"),
    ))
}

/// Whether JSON is an event of a provider's stream: it has one of the fields that one of them starts with.
fn is_of_answer(event: &Value) -> bool {
    let fields = [
        "type",
        "choices",
        "candidates",
        "message",
        "done",
        "id",
        "model",
        "usage",
        "usageMetadata",
        "promptFeedback",
    ];
    event.is_string() || fields.iter().any(|field| event.get(field).is_some())
}

/// The data of an event: JSON, but for the word that ends some streams.
fn parse(data: &str, number: usize) -> Result<Value, ModelError> {
    if data.trim() == "[DONE]" {
        return Ok(Value::String("[DONE]".to_owned()));
    }
    json::from_str(data).map_err(|error| not_json(&format!("event {number} of the answer"), error))
}

/// Why `what` cannot be read. JSON that ends too early was cut off.
fn not_json(what: &str, error: serde_json::Error) -> ModelError {
    let (kind, problem) = match error.is_eof() {
        true => (ModelErrorKind::Transport, "broke off"),
        false => (ModelErrorKind::Malformed, "is not JSON"),
    };
    // The error's own text may quote the answer.
    let (line, column) = (error.line(), error.column());
    let message = format!("{what} {problem}: line {line}, column {column}");
    ModelError::new(kind, message).with_told_source(error)
}

/// The bytes of an answer, up to a limit.
fn bytes(from: Body) -> impl Stream<Item = io::Result<Bytes>> + Send {
    futures_util::stream::try_unfold((from, 0), |(mut from, length)| async move {
        let chunk = from.chunk().await.map_err(io::Error::other)?;
        let length = length + chunk.as_ref().map_or(0, Bytes::len);
        match length > MAX_STREAM {
            true => Err(io::Error::other(too_long(MAX_STREAM))),
            false => Ok(chunk.map(|chunk| (chunk, (from, length)))),
        }
    })
}

fn sse(from: Body) -> impl Stream<Item = Result<String, ModelError>> + Send {
    let plain = Arc::new(Mutex::new(PlainJson::default()));
    let tail = Arc::clone(&plain);
    let stream = Box::pin(bytes(from)).map_ok(move |chunk| {
        let mut plain = plain.lock().unwrap_or_else(PoisonError::into_inner);
        plain.take_from(chunk)
    });
    SseStream::from_bytes_stream(stream)
        .map_err(|error| match error {
            sse_stream::Error::Body(error) => broken(error),
            error => broken(error.into()),
        })
        .try_filter_map(|event| async move { Ok(event.data.filter(|data| !data.is_empty())) })
        .chain(futures_util::stream::once(async move {
            let mut plain = tail.lock().unwrap_or_else(PoisonError::into_inner);
            plain.finish()
        }))
        .try_filter(|data| std::future::ready(!data.is_empty()))
}

/// What comes in a stream of events and is no event.
///
/// Some errors come as plain JSON: everything belongs to it from the line on that starts with a bracket,
/// since no field of an event starts like that. Whatever else comes instead of events is no answer.
#[derive(Default)]
struct PlainJson {
    within_line: bool,
    json: Vec<u8>,
    /// How the stream starts: as much as is shown where it is something else.
    start: Vec<u8>,
}

/// How the lines of a stream of events start.
/// <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>
const FIELDS: [&[u8]; 5] = [b":", b"data", b"event", b"id", b"retry"];

/// How much is kept of how a stream starts, in bytes.
const MAX_KEPT: usize = 1_024;

/// Bytes before the first line that say nothing: white space and a byte order mark.
const BLANK: &[u8] = b" \t\r\n\xEF\xBB\xBF";

impl PlainJson {
    /// What is left at the end: JSON, or nothing.
    fn finish(&mut self) -> Result<String, ModelError> {
        let is_field =
            |field: &&[u8]| field.starts_with(&self.start) || self.start.starts_with(field);
        if self.json.is_empty() && !FIELDS.iter().any(is_field) {
            return Err(match start_of(&self.start) {
                Some(start) => foreign("a stream of events", &start),
                None => no_events(),
            });
        }
        Ok(String::from_utf8_lossy(&std::mem::take(&mut self.json)).into_owned())
    }

    fn note_start(&mut self, chunk: &[u8]) {
        for byte in chunk {
            let is_blank = self.start.is_empty() && BLANK.contains(byte);
            if self.start.len() < MAX_KEPT && !is_blank {
                self.start.push(*byte);
            }
        }
    }

    /// Takes its part of a chunk, and returns the rest.
    fn take_from(&mut self, mut chunk: Bytes) -> Bytes {
        if self.start.len() < MAX_KEPT {
            self.note_start(&chunk);
        }
        let begins = |index: &usize| {
            let before = index.checked_sub(1).and_then(|before| chunk.get(before));
            let at_line = before.map_or(!self.within_line, |byte| matches!(byte, b'\n' | b'\r'));
            at_line && matches!(chunk.get(*index), Some(b'{' | b'['))
        };
        let start = match self.json.is_empty() {
            true => (0..chunk.len()).find(begins),
            false => Some(0),
        };
        if let Some(last) = chunk.last() {
            self.within_line = !matches!(last, b'\n' | b'\r');
        }
        if let Some(start) = start {
            self.json.extend_from_slice(&chunk.split_off(start));
        }
        chunk
    }
}

fn lines(from: Body) -> impl Stream<Item = Result<String, ModelError>> + Send {
    let stream = Box::pin(bytes(from));
    let codec = LinesCodec::new_with_max_length(MAX_BODY);
    FramedRead::new(StreamReader::new(stream), codec)
        .map_err(|error| match error {
            LinesCodecError::MaxLineLengthExceeded => too_long(MAX_BODY),
            LinesCodecError::Io(error) => broken(error.into()),
        })
        .try_filter(|line| std::future::ready(!line.trim().is_empty()))
}

/// The error that a layer between wrapped, or one of that layer's own.
fn broken(error: BoxError) -> ModelError {
    let error = match error.downcast::<io::Error>() {
        Ok(error) => error
            .into_inner()
            .unwrap_or_else(|| "nothing to read".into()),
        Err(error) => error,
    };
    match error.downcast::<ModelError>() {
        Ok(error) => *error,
        Err(error) => no_events().with_source(error),
    }
}

/// The error of an answer that is something else than it should be, by how its text starts.
fn foreign(wanted: &str, start: &str) -> ModelError {
    let what = format!("the answer is not {wanted}: the server said: {start}");
    ModelError::new(ModelErrorKind::Malformed, what)
}

fn no_events() -> ModelError {
    let what = "the answer is not a stream of events";
    ModelError::new(ModelErrorKind::Malformed, what)
}

fn too_long(most: usize) -> ModelError {
    ModelError::new(
        ModelErrorKind::Malformed,
        format!("the answer is longer than {} MiB", most >> 20),
    )
}
