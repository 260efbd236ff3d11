//! From the events of a YAML parser to a tree.

use std::collections::BTreeMap;

use granit_parser::{Event, ScalarStyle};

use super::scalar;
use crate::{
    json::MAX_DEPTH,
    problem::Sink,
    tree::{Data, Entry, Span, Tree},
};

/// Reading does not go on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stop;

/// What aliases may add to a document: values, and pieces of 64 bytes.
const MOST_REPEATED: usize = 1_000_000;

pub(super) struct Builder<'a> {
    text: &'a str,
    sink: &'a mut Sink,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Tree>,
    repeated: usize,
    documents: usize,
    root: Option<Tree>,
}

/// A list or an object that has not ended.
struct Open {
    start: usize,
    anchor: usize,
    content: Content,
    /// Whether one of its keys was not a string.
    is_invalid: bool,
}

enum Content {
    List(Vec<Tree>),
    Map(Vec<Entry>, Option<Key>),
}

/// A key that waits for its value.
enum Key {
    Is(String, Span),
    /// It was not a string, which is reported already.
    Invalid,
}

impl<'a> Builder<'a> {
    pub(super) fn new(text: &'a str, sink: &'a mut Sink) -> Self {
        Self {
            text,
            sink,
            open: Vec::new(),
            anchors: BTreeMap::new(),
            repeated: 0,
            documents: 0,
            root: None,
        }
    }

    pub(super) fn finish(self) -> Option<Tree> {
        if self.root.is_none() {
            self.sink
                .push("empty", Span::default(), "the document is empty");
        }
        self.root
    }

    pub(super) fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Stop> {
        match event {
            Event::DocumentStart(..) => self.document(span),
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(tag.is_some(), span);
                let data = if style == ScalarStyle::Plain {
                    self.plain(&text, span)
                } else {
                    Data::String(text.into_owned())
                };
                self.value(Tree { span, data }, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.refuse_tag(tag.is_some(), span);
                self.open(span, anchor, Content::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.refuse_tag(tag.is_some(), span);
                self.open(span, anchor, Content::Map(Vec::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => self.alias(anchor, span),
            // The stream itself says nothing.
            _ => Ok(()),
        }
    }

    fn document(&mut self, span: Span) -> Result<(), Stop> {
        self.documents += 1;
        if self.documents > 1 {
            let message = "there is more than one YAML document in this text";
            self.sink
                .push("several-documents", span, message)
                .help("put each flow into a file of its own");
            return Err(Stop);
        }
        Ok(())
    }

    fn plain(&mut self, text: &str, span: Span) -> Data {
        scalar::plain(text).unwrap_or_else(|| {
            let message = format!("`{text}` is a number that JSON does not have");
            self.sink
                .push("number", span, message)
                .help("quote it where it is a text");
            Data::Invalid
        })
    }

    fn refuse_tag(&mut self, is_tagged: bool, span: Span) {
        if is_tagged {
            let help = "leave it out; quotes make a string of anything";
            self.sink
                .push("tag", span, "a tag has no meaning in a flow document")
                .help(help);
        }
    }

    fn open(&mut self, span: Span, anchor: usize, content: Content) -> Result<(), Stop> {
        if self.open.len() >= MAX_DEPTH {
            let message = format!("values are nested more than {MAX_DEPTH} levels deep");
            self.sink.push("too-deep", span, message);
            return Err(Stop);
        }
        let start = span.start;
        self.open.push(Open {
            start,
            anchor,
            content,
            is_invalid: false,
        });
        Ok(())
    }

    fn close(&mut self, span: Span) -> Result<(), Stop> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let data = match open.content {
            Content::List(items) => Data::List(items),
            Content::Map(entries, _) if entries.is_empty() && open.is_invalid => Data::Invalid,
            Content::Map(entries, _) => Data::Map(entries),
        };
        let start = open.start;
        // Blocks end where what follows them starts.
        let end = self
            .text
            .get(start..span.end)
            .map_or(start, |text| start + text.trim_end().len());
        let span = Span { start, end };
        self.value(Tree { span, data }, open.anchor)
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Stop> {
        let Some(target) = self.anchors.get(&anchor) else {
            self.sink.push(
                "alias",
                span,
                "this alias repeats a value that it is part of",
            );
            let data = Data::Invalid;
            return self.value(Tree { span, data }, 0);
        };
        let (weight, depth) = measure(target);
        self.repeated += weight;
        if self.repeated > MOST_REPEATED || self.open.len() + depth > MAX_DEPTH {
            self.sink.push(
                "alias",
                span,
                "the aliases of this document repeat too much",
            );
            return Err(Stop);
        }
        let data = target.data.clone();
        self.value(Tree { span, data }, 0)
    }

    /// Puts a value where it belongs: into the list or the object that is open, or at the top.
    fn value(&mut self, tree: Tree, anchor: usize) -> Result<(), Stop> {
        if anchor != 0 {
            let (weight, _) = measure(&tree);
            self.repeated += weight;
            if self.repeated > MOST_REPEATED {
                self.sink.push(
                    "alias",
                    tree.span,
                    "the anchors of this document repeat too much",
                );
                return Err(Stop);
            }
            self.anchors.insert(anchor, tree.clone());
        }
        match self.open.last_mut() {
            None => self.root = Some(tree),
            Some(open) => match &mut open.content {
                Content::List(items) => items.push(tree),
                Content::Map(entries, key) => match key.take() {
                    None => {
                        let read = read_key(tree, open.start, self.text, self.sink);
                        open.is_invalid |= matches!(read, Key::Invalid);
                        *key = Some(read);
                    }
                    Some(Key::Is(text, span)) => entries.push(Entry {
                        key: text,
                        key_span: span,
                        value: tree,
                    }),
                    Some(Key::Invalid) => {}
                },
            },
        }
        Ok(())
    }
}

/// Reads a key of the object that starts at `start`.
fn read_key(tree: Tree, start: usize, text: &str, sink: &mut Sink) -> Key {
    let span = tree.span;
    let kind = tree.kind();
    match tree.data {
        Data::String(text) => return Key::Is(text, span),
        Data::Invalid => {}
        Data::Map(_) if text.get(start..).is_some_and(|text| text.starts_with("{{")) => {
            let end =
                span.end + usize::from(text.get(span.end..).is_some_and(|it| it.starts_with('}')));
            let binding = text.get(start..end).unwrap_or_default();
            let span = Span { start, end };
            let message = "a binding without quotes is an object of YAML";
            let problem = sink.push("unquoted-binding", span, message);
            // What is longer is not a good example.
            let is_short = binding.len() < 80 && !binding.contains(['"', '\n', '\'']);
            let example = if is_short { binding } else { "{{ path }}" };
            problem.help(format!("quote the binding: `\"{example}\"`"));
        }
        _ => {
            let message = format!("a key has to be a string, and this is {kind}");
            sink.push("key", span, message)
                .help("quote it where it is a text");
        }
    }
    Key::Invalid
}

/// How large a value is, and how deeply nested.
fn measure(tree: &Tree) -> (usize, usize) {
    let text = |text: &str| text.len() / 64;
    match &tree.data {
        Data::String(value) => (1 + text(value), 0),
        Data::List(items) => items.iter().map(measure).fold((1, 1), add),
        Data::Map(entries) => {
            let measured = entries.iter().map(|entry| {
                let (weight, depth) = measure(&entry.value);
                (weight + text(&entry.key), depth)
            });
            measured.fold((1, 1), add)
        }
        _ => (1, 0),
    }
}

fn add(whole: (usize, usize), part: (usize, usize)) -> (usize, usize) {
    (whole.0 + part.0, whole.1.max(part.1 + 1))
}
