//! `#[tool(external)]`: a tool that is executed outside the run.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Type, spanned::Spanned};

use super::{Param, ToolFn};
use crate::{
    diag::Diagnostics,
    expand::{as_trait, at, constant, private},
    options::ToolOptions,
};

/// A tool has a body, or is external.
pub(super) fn check_body(tool: &ToolFn, options: &ToolOptions, errors: &mut Diagnostics) {
    let name = &tool.function.sig.ident;
    match (options.external, &tool.semicolon) {
        (true, None) => errors.error(
            tool.function.block.brace_token.span.open(),
            format!("the tool `{name}` is external, and has a body"),
            "write `;` instead of the body: whoever drives the run executes the tool; or remove `external`",
        ),
        (false, Some(_)) => errors.error(
            name.span(),
            format!("the tool `{name}` has no body"),
            "write `{ … }` instead of the `;`, or `#[tool(external)]` if whoever drives the run executes it",
        ),
        _ => {}
    }
}

/// Whoever executes the tool has the arguments, and nothing of this program.
pub(super) fn checks(tool: &str, params: &[Param]) -> TokenStream {
    let checks = params.iter().map(|Param { ty, .. }| {
        let param = as_trait(ty, "ToolParam");
        constant(
            "check_external_param",
            ty.span(),
            &quote!(#tool, #param::REF),
        )
    });
    quote!(#(#checks)*)
}

/// What the answer to a call has to be.
pub(super) fn answer(returns: &Type) -> TokenStream {
    let private = private();
    let (bound, span) = (as_trait(returns, "ExternalReturn"), at(returns));
    let answer = quote_spanned!(span=> #bound::ANSWER);
    quote! {
        const EXTERNAL_ANSWER: ::core::option::Option<#private::ExternalAnswer> =
            ::core::option::Option::Some(#answer);
    }
}

/// What the tool says where this program calls it.
pub(super) fn refusal(tool: &str) -> TokenStream {
    let private = private();
    quote!(::core::result::Result::Err(#private::called_inside(#tool)))
}
