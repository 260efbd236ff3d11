//! From the text of a document to a tree: YAML, or JSON.

use std::collections::BTreeSet;

use crate::{
    json,
    problem::Sink,
    tree::{Data, Span, Tree},
    yaml,
};

/// The longest document, in bytes.
pub(crate) const MAX_BYTES: usize = 16 << 20;

/// What `serde_json` keeps for itself: it reads an object with such a key as something else.
const PRIVATE: &str = "$serde_json::private::";

/// Reads a text; nothing if a problem stops the reading.
pub(crate) fn read(name: &str, text: &str, sink: &mut Sink) -> Option<Tree> {
    if text.len() > MAX_BYTES {
        let message = format!("a document has {} MiB at most", MAX_BYTES >> 20);
        sink.push("too-large", Span::default(), message);
        return None;
    }
    let mut tree = parse(name, text, sink)?;
    check_keys(&mut tree, sink);
    Some(tree)
}

/// A text that starts as JSON does may still be YAML, unless its name says JSON.
fn parse(name: &str, text: &str, sink: &mut Sink) -> Option<Tree> {
    let is_json = name.to_ascii_lowercase().ends_with(".json");
    if !is_json
        && !text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('{')
    {
        return yaml::read(text, sink);
    }
    match json::read(text) {
        Ok(tree) => Some(tree),
        Err(error) if is_json => {
            let start = error.at;
            let span = Span { start, end: start };
            sink.push(
                "json",
                span,
                format!("this is not valid JSON: {}", error.message),
            );
            None
        }
        Err(_) => yaml::read(text, sink),
    }
}

/// Reports keys that come twice, and drops all but the first of them.
fn check_keys(tree: &mut Tree, sink: &mut Sink) {
    match &mut tree.data {
        Data::List(items) => items.iter_mut().for_each(|item| check_keys(item, sink)),
        Data::Map(entries) => {
            let mut seen = BTreeSet::new();
            entries.retain(|entry| {
                let is_new = seen.insert(entry.key.clone());
                if !is_new {
                    let message = format!("the key `{}` comes twice", entry.key);
                    sink.push("duplicate-key", entry.key_span, message);
                }
                if entry.key.starts_with(PRIVATE) {
                    let message = format!("no key may start with `{PRIVATE}`");
                    sink.push("key", entry.key_span, message);
                }
                is_new && !entry.key.starts_with(PRIVATE)
            });
            entries
                .iter_mut()
                .for_each(|entry| check_keys(&mut entry.value, sink));
        }
        _ => {}
    }
}
