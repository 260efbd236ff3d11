//! A subscriber that keeps what it receives.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, Mutex},
};

use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};
use tracing_subscriber::{
    layer::{Context, Layer, SubscriberExt as _},
    registry::LookupSpan,
    util::SubscriberInitExt as _,
};

use super::subscribers;

/// A span as it was received.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) name: String,
    pub(crate) fields: BTreeMap<String, String>,
    /// Its number in the order in which spans started.
    pub(crate) number: usize,
    /// The number of the span that it is in.
    pub(crate) parent: Option<usize>,
    pub(crate) is_closed: bool,
}

impl Recorded {
    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

/// What was received so far, on this thread.
pub(crate) struct Spans {
    spans: Arc<Mutex<Vec<Recorded>>>,
    _guard: DefaultGuard,
}

impl Spans {
    /// Listens until it is dropped.
    pub(crate) fn listen() -> Self {
        subscribers::ask_every_subscriber();
        let spans = Arc::default();
        let layer = Recorder(Arc::clone(&spans));
        let guard = tracing_subscriber::registry().with(layer).set_default();
        Self {
            spans,
            _guard: guard,
        }
    }

    /// Those of Pravah.
    pub(crate) fn all(&self) -> Vec<Recorded> {
        self.spans.lock().unwrap().clone()
    }

    pub(crate) fn named(&self, name: &str) -> Vec<Recorded> {
        self.all()
            .into_iter()
            .filter(|it| it.name == name)
            .collect()
    }

    /// Each span on a line, within the one that it is in, with a `*` if it is still open and with its error.
    pub(crate) fn tree(&self) -> String {
        let all = self.all();
        let mut lines = String::new();
        all.iter()
            .filter(|it| it.parent.is_none())
            .for_each(|it| write(&all, it, 0, &mut lines));
        lines
    }
}

fn write(all: &[Recorded], span: &Recorded, depth: usize, lines: &mut String) {
    let name = match span.field("otel.name") {
        "" => &span.name,
        name => name,
    };
    lines.push_str(&"  ".repeat(depth));
    lines.push_str(name);
    match span.field("error.type") {
        "" => {}
        error => lines.push_str(&format!(": {error}")),
    }
    lines.push_str(if span.is_closed { "\n" } else { " *\n" });
    all.iter()
        .filter(|it| it.parent == Some(span.number))
        .for_each(|it| write(all, it, depth + 1, lines));
}

struct Recorder(Arc<Mutex<Vec<Recorded>>>);

/// The number of a span.
struct Number(usize);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, ctx: Context<'_, S>) {
        let span = ctx.span(id).unwrap();
        let parent = span.parent();
        let parent = parent.and_then(|it| it.extensions().get::<Number>().map(|it| it.0));
        let mut spans = self.0.lock().unwrap();
        let number = spans.len();
        let mut recorded = Recorded {
            name: attributes.metadata().name().to_owned(),
            fields: BTreeMap::new(),
            number,
            parent,
            is_closed: false,
        };
        attributes.record(&mut Fields(&mut recorded));
        spans.push(recorded);
        span.extensions_mut().insert(Number(number));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, ctx: Context<'_, S>) {
        let span = ctx.span(id).unwrap();
        let number = span.extensions().get::<Number>().unwrap().0;
        values.record(&mut Fields(&mut self.0.lock().unwrap()[number]));
    }

    fn on_close(&self, id: Id, ctx: Context<'_, S>) {
        let span = ctx.span(&id).unwrap();
        let number = span.extensions().get::<Number>().unwrap().0;
        self.0.lock().unwrap()[number].is_closed = true;
    }
}

struct Fields<'a>(&'a mut Recorded);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        self.0.fields.insert(field.name().to_owned(), value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0
            .fields
            .insert(field.name().to_owned(), value.to_owned());
    }
}
