//! Where the runtime is found: `::pravah_runtime`, or what `crate = path` says.

use std::cell::RefCell;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
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

/// The path of the runtime: labelled at `span`, or where the user wrote it.
pub(crate) fn root(span: Span) -> TokenStream {
    GIVEN.with_borrow(|given| match given {
        None => quote_spanned!(span=> ::pravah_runtime),
        Some(path) => path.to_token_stream().into_iter().map(emitted).collect(),
    })
}

/// The runtime's `__private`, at the call site.
pub(crate) fn private() -> TokenStream {
    private_at(Span::call_site())
}

/// The same, labelled at `span`.
pub(crate) fn private_at(span: Span) -> TokenStream {
    let root = root(span);
    quote_spanned!(span=> #root::__private)
}

/// A token of the user's as one that a macro wrote: no lint of the user's looks at it.
fn emitted(mut token: TokenTree) -> TokenTree {
    token.set_span(token.span().resolved_at(Span::call_site()));
    token
}

/// The path of something in the runtime as a text, for derives that take it as one.
pub(crate) fn text(inside: &str) -> syn::LitStr {
    let span = GIVEN.with_borrow(|given| given.as_ref().map(syn::spanned::Spanned::span));
    let root = root(Span::call_site()).to_string().replace(' ', "");
    syn::LitStr::new(
        &format!("{root}::{inside}"),
        span.unwrap_or_else(Span::call_site),
    )
}

/// The attribute `name` with these options, as it is written once more.
pub(crate) fn attribute(name: &str, options: &TokenStream) -> TokenStream {
    let (root, name) = (root(Span::call_site()), Ident::new(name, Span::call_site()));
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
    before.is_empty()
        || before
            .first()
            .is_some_and(|first| *first == "pravah_runtime")
        || is_given()
}
