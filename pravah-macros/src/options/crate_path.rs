//! `crate = path`, which every attribute takes.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Path, parse::Parser, spanned::Spanned};

use super::entries;
use crate::diag::Diagnostics;

const HELP: &str = "write where the runtime is, such as `crate = my_crate::pravah`";

/// Takes `crate = path` out of the options of an attribute; what is left are the attribute's own.
pub(crate) fn take_crate(
    tokens: TokenStream,
    errors: &mut Diagnostics,
) -> (TokenStream, Option<Path>) {
    let (about_crate, others): (Vec<_>, Vec<_>) = entries::split(tokens.clone())
        .into_iter()
        .partition(is_crate);
    if about_crate.is_empty() {
        return (tokens, None);
    }
    let mut given = None;
    let mut seen = false;
    for part in about_crate {
        if seen {
            errors.error(start(&part), "`crate` is given twice", "keep one of them");
            continue;
        }
        seen = true;
        given = path(part, errors);
    }
    (quote!(#(#others),*), given)
}

fn is_crate(part: &TokenStream) -> bool {
    let first = part.clone().into_iter().next();
    matches!(first, Some(TokenTree::Ident(key)) if key == "crate")
}

fn start(part: &TokenStream) -> Span {
    let first = part.clone().into_iter().next();
    first.map_or_else(Span::call_site, |token| token.span())
}

fn path(part: TokenStream, errors: &mut Diagnostics) -> Option<Path> {
    let at = start(&part);
    let mut tokens = part.into_iter().skip(1);
    let value: TokenStream = match tokens.next() {
        Some(TokenTree::Punct(sign)) if sign.as_char() == '=' => tokens.collect(),
        _ => TokenStream::new(),
    };
    if value.is_empty() {
        errors.error(at, "`crate` has no value", HELP);
        return None;
    }
    if let Ok(text) = syn::parse2::<syn::LitStr>(value.clone()) {
        let help = format!("write it without quotes: `crate = {}`", text.value());
        errors.error(text.span(), "`crate` is a text", help);
        return None;
    }
    let Ok(path) = Path::parse_mod_style.parse2(value.clone()) else {
        errors.error(value.span(), "`crate` is not a path", HELP);
        return None;
    };
    // Derives take the path as a text, in which `$crate` means nothing.
    if path
        .segments
        .iter()
        .any(|segment| segment.ident == "$crate")
    {
        errors.error(
            path.span(),
            "`crate` starts with `$crate`",
            "write the path from the crate's name on, such as `::my_crate::pravah`",
        );
        return None;
    }
    Some(path)
}
