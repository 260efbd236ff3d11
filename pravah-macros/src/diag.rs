//! Compile errors: collected while a macro runs, written out together.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The mistakes found so far, in the order in which they were found.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct Diagnostics(Vec<Diagnostic>);

#[derive(Debug)]
pub(crate) struct Diagnostic {
    pub(crate) span: Span,
    pub(crate) message: String,
}

impl Diagnostics {
    /// A mistake: the fact, and the help.
    pub(crate) fn error(&mut self, span: Span, fact: impl Into<String>, help: impl AsRef<str>) {
        let message = format!("{}\n  help: {}", fact.into(), help.as_ref());
        self.0.push(Diagnostic { span, message });
    }

    /// A mistake that says itself what to do about it.
    #[cfg(feature = "documents")]
    pub(crate) fn plain(&mut self, span: Span, message: String) {
        self.0.push(Diagnostic { span, message });
    }

    /// What `syn` could not parse.
    pub(crate) fn syntax(&mut self, error: &syn::Error) {
        for error in error.clone() {
            self.0.push(Diagnostic {
                span: error.span(),
                message: error.to_string(),
            });
        }
    }

    /// What comes of a part of the work; nothing where the part reports a mistake.
    pub(crate) fn attempt<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let mut found = Self::default();
        let made = part(&mut found);
        let is_fine = found.is_empty();
        self.append(found);
        is_fine.then_some(made)
    }

    pub(crate) fn append(&mut self, mut found: Self) {
        self.0.append(&mut found.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each mistake behind the text that it is labelled at.
    #[cfg(test)]
    pub(crate) fn shown(&self) -> Vec<String> {
        let shown = |error: &Diagnostic| {
            format!(
                "{}: {}",
                error.span.source_text().unwrap_or_default(),
                error.message
            )
        };
        self.0.iter().map(shown).collect()
    }

    /// A `compile_error!` for each, labelled at its token.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0
            .into_iter()
            .map(|Diagnostic { span, message }| quote_spanned!(span=> ::core::compile_error!(#message);))
            .collect()
    }
}
