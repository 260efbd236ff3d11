//! Reads YAML and keeps the places.

mod build;
mod scalar;

use granit_parser::{ErrorKind, Options, Parser, ScanError};

use self::build::{Builder, Stop};
use crate::{
    json::MAX_DEPTH,
    problem::Sink,
    tree::{Span, Tree},
};

/// Reads a text that is one YAML document.
pub(crate) fn read(text: &str, sink: &mut Sink) -> Option<Tree> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    // Keys of JSON may be long; the size of a document is limited by itself.
    options.simple_key_max_lookahead = 1 << 20;
    options.flow_nesting_limit = MAX_DEPTH + 1;
    options.block_nesting_limit = MAX_DEPTH + 1;
    let mut builder = Builder::new(text, sink);
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                unreadable(text, &error, sink);
                return None;
            }
        };
        let range = span.byte_range().unwrap_or_default();
        let span = Span {
            start: range.start,
            end: range.end.max(range.start),
        };
        if builder.event(event, span) == Err(Stop) {
            return None;
        }
    }
    builder.finish()
}

fn unreadable(text: &str, error: &ScanError, sink: &mut Sink) {
    let start = error
        .marker()
        .byte_offset()
        .unwrap_or_default()
        .min(text.len());
    let span = Span { start, end: start };
    let before = text.get(..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        let message = format!("values are nested more than {MAX_DEPTH} levels deep");
        sink.push("too-deep", span, message);
        return;
    }
    let problem = sink.push(
        "yaml",
        span,
        format!("this is not valid YAML: {}", error.info()),
    );
    if line.contains("{{") {
        problem.help("quote what holds a binding: `text: \"Hello, {{ flow.input.name }}\"`");
    }
}
