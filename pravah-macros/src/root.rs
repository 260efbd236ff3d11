//! Where the runtime is found: what `crate = path` says, or the name that it has in the user's crate.

mod linked;

use std::cell::RefCell;

use proc_macro2::{Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::Path;

thread_local! {
    /// The path of the attribute that is being expanded. Nearly every function that writes code
    /// needs it, and none of them decides it.
    static GIVEN: RefCell<Option<Path>> = const { RefCell::new(None) };
}

/// Expands one attribute, whose runtime is at `path`.
pub(crate) fn with<T>(path: Option<Path>, expand: impl FnOnce() -> T) -> T {
    /// Tokens are not valid after the expansion that they came with.
    struct Forget;
    impl Drop for Forget {
        fn drop(&mut self) {
            GIVEN.set(None);
        }
    }
    GIVEN.set(path);
    let _forget = Forget;
    expand()
}

/// The path of the runtime, labelled at a token, or where the user wrote it; and its `__private`. It is in all
/// that is written, many times, so that it is no stream of tokens, which rustc would be asked to copy each time.
#[derive(Clone, Copy)]
pub(crate) struct Root {
    span: Span,
    private: bool,
}

impl ToTokens for Root {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        GIVEN.with_borrow(|given| match given {
            None => self.segment(linked::name(), tokens),
            Some(path) => tokens.extend(path.to_token_stream().into_iter().map(emitted)),
        });
        if self.private {
            self.segment("__private", tokens);
        }
    }
}

impl Root {
    fn segment(self, name: &str, tokens: &mut TokenStream) {
        for spacing in [Spacing::Joint, Spacing::Alone] {
            let mut colon = Punct::new(':', spacing);
            colon.set_span(self.span);
            tokens.append(colon);
        }
        tokens.append(Ident::new(name, self.span));
    }
}

/// The runtime's `__private`, at the call site.
pub(crate) fn private() -> Root {
    private_at(Span::call_site())
}

/// The same, labelled at `span`.
pub(crate) fn private_at(span: Span) -> Root {
    Root {
        span,
        private: true,
    }
}

/// The runtime itself, labelled at `span`.
pub(crate) fn root(span: Span) -> Root {
    Root {
        span,
        private: false,
    }
}

/// A token of the user's as one that a macro wrote: no lint of the user's looks at it.
fn emitted(mut token: TokenTree) -> TokenTree {
    token.set_span(token.span().resolved_at(Span::call_site()));
    token
}

/// The path of something in the runtime as a text, for derives that take it as one.
pub(crate) fn text(inside: &str) -> syn::LitStr {
    let span = GIVEN.with_borrow(|given| given.as_ref().map(syn::spanned::Spanned::span));
    let root = match span {
        None => format!("::{}", linked::name()),
        Some(_) => root(Span::call_site())
            .to_token_stream()
            .to_string()
            .replace(' ', ""),
    };
    syn::LitStr::new(
        &format!("{root}::{inside}"),
        span.unwrap_or_else(Span::call_site),
    )
}

/// The attribute `name` with these options, as it is written once more.
pub(crate) fn attribute(name: &str, options: &TokenStream) -> TokenStream {
    let here = Span::call_site();
    let (root, name) = (root(here), Ident::new(name, here));
    let path = GIVEN.with_borrow(|given| given.as_ref().map(|path| quote!(crate = #path,)));
    quote!(#[#root::#name(#path #options)])
}

/// Whether a path leads to an item of the runtime, by name or from the runtime's own path.
pub(crate) fn is_ours(path: &Path) -> bool {
    let before: Vec<_> = path.segments.iter().map(|segment| &segment.ident).collect();
    let Some((_, before)) = before.split_last() else {
        return false;
    };
    let is_given = || {
        GIVEN.with_borrow(|given| {
            given.as_ref().is_some_and(|given| {
                given.segments.len() == before.len()
                    && given
                        .segments
                        .iter()
                        .zip(before)
                        .all(|(a, b)| a.ident == **b)
            })
        })
    };
    before.is_empty() || before.first().is_some_and(|first| *first == linked::name()) || is_given()
}
