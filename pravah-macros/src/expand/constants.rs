//! Free constants that check something. rustc names the constant that failed, so each of a flow is named after what
//! it checks.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

use crate::root::private;

/// A free constant that calls `check`, labelled at `span` alone.
pub(crate) fn constant(check: &str, span: Span, arguments: &TokenStream) -> TokenStream {
    let nameless = Ident::new("_", Span::call_site());
    named_constant(&nameless, check, span, arguments)
}

/// The same under a name.
pub(crate) fn named_constant(
    name: &Ident,
    check: &str,
    span: Span,
    arguments: &TokenStream,
) -> TokenStream {
    let (import, call) = (import([check]), call(check, span, arguments));
    quote!(const #name: () = { #import #call };)
}

/// A call of `check`, which is imported. With the user's own span, rustc labels the user's token and does not
/// speak of the macro.
fn call(check: &str, span: Span, arguments: &TokenStream) -> TokenStream {
    let function = Ident::new(&format!("__pravah_{check}"), span);
    quote_spanned!(span=> #function(#arguments))
}

fn import<'a>(checks: impl IntoIterator<Item = &'a str>) -> TokenStream {
    let private = private();
    let checks = checks.into_iter().map(|check| {
        let [check, function] =
            [check, &format!("__pravah_{check}")].map(|name| Ident::new(name, Span::call_site()));
        quote!(#check as #function)
    });
    quote!(use #private::{#(#checks),*};)
}

/// The constants of one block, of which no two may have one name.
#[derive(Default)]
pub(super) struct Constants {
    written: TokenStream,
    names: BTreeMap<String, usize>,
    imports: BTreeSet<&'static str>,
}

/// A check with its arguments, and what it is labelled at.
pub(super) type Check<'a> = (&'static str, Span, &'a TokenStream);

impl Constants {
    /// Adds a constant that is named after `what` it checks.
    pub(super) fn check(
        &mut self,
        what: &str,
        check: &'static str,
        span: Span,
        arguments: &TokenStream,
    ) {
        self.checks(what, &[(check, span, arguments)]);
    }

    /// The same for several checks, of which the first that fails is reported. rustc takes a fifth of a
    /// millisecond for each constant, so that what is wrong at one token is found out by one.
    pub(super) fn checks(&mut self, what: &str, checks: &[Check<'_>]) {
        let name = self.name(what);
        let calls = checks
            .iter()
            .map(|(check, span, arguments)| call(check, *span, arguments));
        self.written
            .extend(quote!(const #name: () = { #(#calls;)* };));
        self.imports.extend(checks.iter().map(|(check, ..)| check));
    }

    /// Adds items that were written elsewhere.
    pub(super) fn extend(&mut self, constants: impl IntoIterator<Item = TokenStream>) {
        self.written.extend(constants);
    }

    /// A name that no other constant of the block has.
    pub(super) fn name(&mut self, what: &str) -> Ident {
        let mut name = constant_name(what);
        loop {
            let count = self.names.entry(name.clone()).or_default();
            *count += 1;
            if *count == 1 {
                break;
            }
            name = format!("{name}_{count}");
        }
        // A flow may be called by a keyword, such as `r#match`.
        let parsed = syn::parse_str::<Ident>(&name);
        let mut name = parsed.unwrap_or_else(|_| Ident::new_raw(&name, Span::mixed_site()));
        // With a span of the macro's own no lint asks for another case.
        name.set_span(Span::mixed_site());
        name
    }

    pub(super) fn written(self) -> TokenStream {
        let import = (!self.imports.is_empty()).then(|| import(self.imports));
        let written = self.written;
        quote!(#import #written)
    }
}

/// What is left of a text such as `edge_to_each(nodes::cook)` in an identifier.
fn constant_name(what: &str) -> String {
    let what = what.replace("r#", "").replace("::", "_").replace(')', "");
    let chars = what.chars();
    chars
        .map(|char| match char.is_alphanumeric() {
            true => char,
            false => '_',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Constants;

    #[test]
    fn constants_of_one_block_have_different_names() {
        let mut constants = Constants::default();
        let names = ["edge_to_a", "edge_to_a", "edge_to_a_2", "edge_to_a"];
        let names = names.map(|what| constants.name(what).to_string());
        assert_eq!(
            names,
            ["edge_to_a", "edge_to_a_2", "edge_to_a_2_2", "edge_to_a_3"]
        );
    }

    #[test]
    fn every_path_to_a_node_is_part_of_a_name() {
        let mut constants = Constants::default();
        let whats = [
            "edge_to_r#move",
            "edge_to_each(nodes::cook)",
            "edge_to_übung",
            "r#match",
        ];
        let names = whats.map(|what| constants.name(what).to_string());
        assert_eq!(
            names,
            [
                "edge_to_move",
                "edge_to_each_nodes_cook",
                "edge_to_übung",
                "r#match"
            ]
        );
    }
}
