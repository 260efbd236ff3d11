//! From a text to a document that was checked.

mod agent;
mod config;
mod contract;
mod control;
mod draft;
mod edge;
mod fields;
mod flow;
mod node;
mod policy;
mod prompt;
mod references;

use serde_json::Value;

pub(crate) use self::{
    draft::{Draft, DraftEdge, Mode, Name, Names, Place, Reference},
    fields::list_of,
    node::MAX_ID_LENGTH,
    policy::MAX_FACTOR,
};
use self::{flow::Flow, node::NodeReader};
use crate::{
    model::Document,
    nearest::nearest,
    net,
    options::Options,
    problem::{Problems, Sink},
    source,
    tree::{Span, Tree},
};

/// Reads and checks a flow document: YAML, or JSON.
///
/// `name` is the path that problems show; one that ends in `.json` is read as JSON only.
///
/// # Errors
///
/// All problems of the document together.
///
/// ```
/// use pravah_document::{Catalogue, Options, read};
///
/// let text = r#"
/// flow: { name: greeting, input: { name: World } }
/// nodes:
///   - { id: hello, type: echo, input: { text: "Hello, {{ flow.input.name }}!" } }
/// edges: []
/// "#;
/// let catalogue = Catalogue::standard();
/// let document = read("greeting.yaml", text, &Options::new(&catalogue))?;
/// assert_eq!((document.name.as_str(), document.version.as_str()), ("greeting", "1"));
/// assert_eq!(document.graph.members.len(), 1);
/// # Ok::<(), pravah_document::Problems>(())
/// ```
pub fn read(name: &str, text: &str, options: &Options<'_>) -> Result<Document, Problems> {
    let mut sink = Sink::default();
    let tree = source::read(name, text, &mut sink);
    let document = tree.and_then(|tree| check(&tree, text, options, &mut sink));
    let (document, warnings) = sink.finish(name, text, document)?;
    Ok(Document {
        warnings,
        ..document
    })
}

/// The same for bytes that may not be text.
///
/// # Errors
///
/// All problems of the document together.
pub fn read_bytes(name: &str, bytes: &[u8], options: &Options<'_>) -> Result<Document, Problems> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(name, text, options),
        Err(error) => {
            let start = error.valid_up_to();
            let valid = bytes.get(..start).unwrap_or_default();
            let mut sink = Sink::default();
            let span = Span { start, end: start };
            sink.push("not-utf8", span, "this is not valid UTF-8");
            let read = sink.finish(name, &String::from_utf8_lossy(valid), None);
            read.map(|(document, _)| document)
        }
    }
}

/// What the readers of the parts of a document share.
pub(crate) struct Context<'a, 'o> {
    pub(crate) options: &'o Options<'o>,
    pub(crate) sink: &'a mut Sink,
    /// The document.
    text: &'a str,
    /// How many more words may be compared in search of what was meant.
    comparisons: usize,
}

impl Context<'_, '_> {
    /// The nearest of some words, as long as there was little to search through.
    pub(crate) fn nearest<'w>(
        &mut self,
        word: &str,
        words: impl ExactSizeIterator<Item = &'w str>,
    ) -> Option<&'w str> {
        self.comparisons = self.comparisons.checked_sub(words.len())?;
        nearest(word, words)
    }

    /// The place of a path within the string that it is in, where it can be told.
    pub(crate) fn narrow(&self, span: Span, path: &str) -> Span {
        const LONGEST: usize = 10_000;
        let written = self
            .text
            .get(span.start..span.end)
            .filter(|text| text.len() <= LONGEST);
        match written.and_then(|text| place_of(text, path)) {
            Some(at) => {
                let start = span.start + at;
                Span {
                    start,
                    end: start + path.len(),
                }
            }
            None => span,
        }
    }
}

/// Where a path is in a text: in a binding, or else anywhere.
fn place_of(text: &str, path: &str) -> Option<usize> {
    let braces = text
        .match_indices("{{")
        .map(|(at, braces)| at + braces.len());
    let mut bound = braces.filter_map(|at| {
        let rest = text.get(at..)?;
        let trimmed = rest.trim_start_matches([' ', '?']);
        let is_path = trimmed
            .strip_prefix(path)
            .is_some_and(|rest| rest.starts_with([' ', '|', '}']));
        is_path.then(|| at + rest.len() - trimmed.len())
    });
    bound.next().or_else(|| text.find(path))
}

/// Enough for twenty slips in the largest document, and for any number in one that people write.
const COMPARISONS: usize = 2_000_000;

const KEYS: [&str; 3] = ["flow", "nodes", "edges"];

fn check(tree: &Tree, text: &str, options: &Options<'_>, sink: &mut Sink) -> Option<Document> {
    let mut context = Context {
        options,
        sink,
        text,
        comparisons: COMPARISONS,
    };
    fields::object(tree, "a flow document", &KEYS, &mut context)?;
    let flow = match tree.get("flow") {
        Some(tree) => Flow::read(tree, &mut context),
        None => fields::missing(tree.span, "the document", "flow", &mut context),
    };
    let packs = flow.as_ref().and_then(|flow| flow.packs.clone());
    let drafts = match tree.get("nodes") {
        Some(tree) => NodeReader::new(packs).read(tree, &mut context),
        None => fields::missing(tree.span, "the document", "nodes", &mut context),
    };
    // Without nodes every edge would be reported as well.
    let are_unknown = drafts.is_none();
    let drafts = drafts.unwrap_or_default();
    let names = Names::of(&drafts, &mut context);
    let edges = match tree.get("edges") {
        Some(_) if are_unknown => Vec::new(),
        Some(tree) => edge::read(tree, &drafts, &names, &mut context),
        None => {
            let problem = context.sink.push(
                "missing-key",
                flow_span(tree),
                "the document has no `edges`",
            );
            problem.help("edges are never inferred: write `edges: []` where there are none");
            Vec::new()
        }
    };
    let input = flow.as_ref().and_then(|flow| flow.input.as_ref());
    let fail_fast = flow.as_ref().is_none_or(|flow| flow.fail_fast);
    let graph = net::build(input, fail_fast, drafts, edges, &names, &mut context);
    let (flow, graph) = (flow?, graph?);
    (!context.sink.has_errors()).then(|| Document {
        name: flow.name.unwrap_or_default(),
        version: flow.version,
        description: flow.description,
        input: flow
            .input
            .unwrap_or_else(|| Value::Object(serde_json::Map::new())),
        fail_fast: flow.fail_fast,
        graph,
        warnings: None,
    })
}

/// A place for what the document as a whole lacks: its first key.
fn flow_span(tree: &Tree) -> Span {
    let first = tree.as_map().and_then(<[_]>::first);
    first.map_or(tree.span, |entry| entry.key_span)
}
