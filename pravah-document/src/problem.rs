//! What is wrong with a document.

use std::{error::Error, fmt, ops::Range};

use crate::{draw, error::SyntaxError, tree::Span};

/// Something that is wrong with a document, or probably is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// A short name for what is wrong, which does not change with the words: `unknown-node`.
    pub code: &'static str,
    /// Whether the document runs all the same.
    pub is_warning: bool,
    /// What is wrong.
    pub message: String,
    /// What the place has to do with it, in a few words.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The line of the place, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The place in bytes.
    pub span: Range<usize>,
}

/// All that is wrong with a document, in the order of the places; of very many problems some are left out.
///
/// Its `Display` draws each problem with its line.
///
/// ```
/// use pravah_document::{Catalogue, Options, read};
///
/// let text = "flow: { name: greeting }\nnodes: []\nedges: [{ from: a, to: b }]\n";
/// let problems = read("greeting.yaml", text, &Options::new(&Catalogue::standard())).unwrap_err();
/// let first = problems.iter().next().unwrap();
/// assert_eq!((first.code, first.line, first.column), ("unknown-node", 3, 17));
/// assert!(problems.to_string().starts_with("error[unknown-node]: there is no node `a`\n"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    name: String,
    problems: Vec<Problem>,
    /// The lines of each problem's place, and the number of the first.
    excerpts: Vec<draw::Excerpt>,
    left_out: usize,
}

impl Problems {
    /// Each of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.problems.iter()
    }

    /// How many are kept, at least one. Of very many some are left out and not counted.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.problems.len()
    }

    /// The document, as [`read`](crate::read) was told.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Each problem drawn by itself, with colours for a terminal if `styled`.
    pub fn drawings(&self, styled: bool) -> impl Iterator<Item = String> {
        let pairs = self.problems.iter().zip(&self.excerpts);
        pairs.map(move |(problem, excerpt)| draw::draw(&self.name, problem, excerpt, styled))
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The most problems that `Display` draws.
const MAX_DRAWN: usize = 100;

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, drawing) in self.drawings(false).take(MAX_DRAWN).enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{drawing}")?;
        }
        match self.len().saturating_sub(MAX_DRAWN) + self.left_out {
            0 => Ok(()),
            more => write!(f, "\n\nand {more} further problems"),
        }
    }
}

impl Error for Problems {}

/// Where problems are collected while a document is read and checked.
#[derive(Default)]
pub(crate) struct Sink {
    found: Vec<Found>,
    /// How many of them are not warnings.
    errors: usize,
    /// How many there were beyond what is kept, and the last of them.
    left_out: usize,
    last: Option<Found>,
}

/// The most problems that are kept.
const MAX_KEPT: usize = 10_000;

/// A problem whose line is not yet known.
pub(crate) struct Found {
    code: &'static str,
    is_warning: bool,
    span: Span,
    message: String,
    label: Option<String>,
    help: Option<String>,
}

impl Found {
    pub(crate) fn label(&mut self, label: impl Into<String>) -> &mut Self {
        self.label = Some(label.into());
        self
    }

    pub(crate) fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// The same where there may be none.
    pub(crate) fn set_help(&mut self, help: Option<String>) {
        self.help = help;
    }

    /// A help that says what was probably meant.
    pub(crate) fn did_you_mean(&mut self, nearest: Option<&str>) -> &mut Self {
        if let Some(nearest) = nearest {
            self.help = Some(format!("did you mean `{nearest}`?"));
        }
        self
    }
}

impl Sink {
    /// Adds a problem.
    pub(crate) fn push(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Found {
        self.errors = self.errors.saturating_add(1);
        self.add(code, span, message.into(), false)
    }

    /// Adds what does not keep a document from running, and is probably a mistake.
    pub(crate) fn warn(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Found {
        self.add(code, span, message.into(), true)
    }

    fn add(
        &mut self,
        code: &'static str,
        span: Span,
        message: String,
        is_warning: bool,
    ) -> &mut Found {
        let found = Found {
            code,
            is_warning,
            span,
            message,
            label: None,
            help: None,
        };
        if self.found.len() < MAX_KEPT {
            return self.found.push_mut(found);
        }
        self.left_out += 1;
        self.last.insert(found)
    }

    /// Adds what is wrong with a binding or a condition by itself.
    pub(crate) fn faults(&mut self, code: &'static str, faults: Vec<(SyntaxError, Span)>) {
        for (error, span) in faults {
            self.push(code, span, error.message).help = error.help;
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The value of the document with the warnings that there are, or all of its problems.
    pub(crate) fn finish<T>(
        mut self,
        name: &str,
        text: &str,
        value: Option<T>,
    ) -> Result<(T, Option<Problems>), Problems> {
        match value {
            Some(value) if !self.has_errors() => {
                let has_warnings = !self.found.is_empty();
                let warnings = has_warnings.then(|| self.problems(name, text));
                return Ok((value, warnings));
            }
            None if !self.has_errors() => {
                self.push("invalid", Span::default(), "this is not a document");
            }
            _ => {}
        }
        Err(self.problems(name, text))
    }

    fn problems(mut self, name: &str, text: &str) -> Problems {
        self.found.sort_by_key(|found| found.span);
        // A part that an alias repeats is wrong once.
        self.found
            .dedup_by(|a, b| a.span == b.span && a.message == b.message);
        let mut lines = draw::Lines::new(text);
        let (mut problems, mut excerpts) = (Vec::new(), Vec::new());
        for found in self.found {
            let place = lines.place(found.span);
            excerpts.push(place.excerpt);
            problems.push(Problem {
                code: found.code,
                is_warning: found.is_warning,
                message: found.message,
                label: found.label,
                help: found.help,
                line: place.line,
                column: place.column,
                span: found.span.start..found.span.end,
            });
        }
        Problems {
            name: name.to_owned(),
            problems,
            excerpts,
            left_out: self.left_out,
        }
    }
}
