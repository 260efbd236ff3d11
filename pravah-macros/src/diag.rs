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

    /// What `syn` could not parse.
    pub(crate) fn syntax(&mut self, error: &syn::Error) {
        for error in error.clone() {
            self.0.push(Diagnostic {
                span: error.span(),
                message: error.to_string(),
            });
        }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a mistake was found since there were `before`.
    pub(crate) fn grew_since(&self, before: usize) -> bool {
        self.0.len() > before
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
