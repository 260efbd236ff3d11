//! Draws a problem with the line that it is in.

use std::{ops::Range, sync::Arc};

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use crate::{problem::Problem, tree::Span};

/// The line of a problem, and the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// Nothing where the line is too long to be shown.
    line: Option<Arc<str>>,
    place: Range<usize>,
}

/// Where a problem is.
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) excerpt: Excerpt,
}

/// Finds the lines of places that come in their order, so that a text is walked through once.
pub(crate) struct Lines<'a> {
    text: &'a str,
    /// The line that the last place was in.
    line: usize,
    /// Where it starts.
    start: usize,
    /// How far characters of the line are counted, and how many there were.
    counted: (usize, usize),
    /// The line, once a problem of it was found: the next one is often in the same line.
    shown: Option<Option<Arc<str>>>,
}

/// The longest line that is drawn, in bytes.
const MAX_LINE: usize = 2_000;

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            line: 1,
            start: 0,
            counted: (0, 0),
            shown: None,
        }
    }

    pub(crate) fn place(&mut self, span: Span) -> Place {
        let at = floor(self.text, span.start);
        let passed = self.text.get(self.start..at).unwrap_or_default();
        if let Some(last) = passed.rfind('\n') {
            self.line += passed.matches('\n').count();
            self.start += last + 1;
            self.counted = (self.start, 0);
            self.shown = None;
        }
        let (from, characters) = self.counted;
        let characters = characters + self.text.get(from..at).unwrap_or_default().chars().count();
        self.counted = (at, characters);
        Place {
            line: self.line,
            column: characters + 1,
            excerpt: self.excerpt(at, floor(self.text, span.end)),
        }
    }

    fn excerpt(&mut self, at: usize, end: usize) -> Excerpt {
        let line = self.line();
        let length = line.as_ref().map_or(0, |line| line.len());
        let from = (at - self.start).min(length);
        let to = end.saturating_sub(self.start).clamp(from, length);
        Excerpt {
            line,
            place: from..to,
        }
    }

    fn line(&mut self) -> Option<Arc<str>> {
        if let Some(line) = &self.shown {
            return line.clone();
        }
        let rest = self.text.get(self.start..).unwrap_or_default();
        let shown = rest.get(..floor(rest, MAX_LINE + 1)).unwrap_or_default();
        let line = shown.split(['\n', '\r']).next().unwrap_or_default();
        let line: Option<Arc<str>> = (line.len() <= MAX_LINE).then(|| line.into());
        self.shown = Some(line.clone());
        line
    }
}

/// The last boundary between characters that is not behind an offset.
fn floor(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or_default()
}

/// Draws a problem as rustc draws its own.
pub(crate) fn draw(name: &str, problem: &Problem, excerpt: &Excerpt, styled: bool) -> String {
    let level = match problem.is_warning {
        true => Level::WARNING,
        false => Level::ERROR,
    };
    let title = level
        .primary_title(problem.message.as_str())
        .id(problem.code);
    let report = if let Some(line) = &excerpt.line {
        let mark = AnnotationKind::Primary.span(excerpt.place.clone());
        let snippet = Snippet::source(&**line)
            .line_start(problem.line)
            .path(name)
            .annotation(mark.label(problem.label.as_deref()));
        title.element(snippet)
    } else {
        title.element(
            Origin::path(name)
                .line(problem.line)
                .char_column(problem.column),
        )
    };
    let help = problem.help.as_deref();
    let report = report.elements(help.map(|help| Level::HELP.message(help)));
    let renderer = if styled {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.render(&[report])
}
