//! Free constants that check something. rustc says which of them failed, so that those of a flow are named
//! after what they check.

use std::collections::BTreeMap;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

use super::private;

/// A free constant that calls `check`, labelled at `span` alone.
pub(crate) fn constant(check: &str, span: Span, arguments: &TokenStream) -> TokenStream {
    let nameless = Ident::new("_", Span::call_site());
    named(&nameless, check, span, arguments)
}

fn named(name: &Ident, check: &str, span: Span, arguments: &TokenStream) -> TokenStream {
    let imported = Ident::new(check, Span::call_site());
    // With the user's own span, rustc labels the user's token and does not speak of the macro.
    let function = Ident::new(&format!("__pravah_{check}"), span);
    let call = quote_spanned!(span=> #function(#arguments));
    let private = private();
    quote! {
        const #name: () = {
            use #private::#imported as #function;
            #call
        };
    }
}

/// The constants of one block, of which no two may have one name.
#[derive(Default)]
pub(super) struct Constants {
    written: TokenStream,
    names: BTreeMap<String, usize>,
}

impl Constants {
    /// Adds a constant that is named after `what` it checks.
    pub(super) fn check(&mut self, what: &str, check: &str, span: Span, arguments: &TokenStream) {
        let name = self.name(what);
        self.written.extend(named(&name, check, span, arguments));
    }

    /// Adds a constant without a type of its own to check.
    pub(super) fn extend(&mut self, constants: impl IntoIterator<Item = TokenStream>) {
        self.written.extend(constants);
    }

    /// A name for a constant, of which there is none in the block.
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
        // With a span of the macro's own no lint asks for another case.
        Ident::new(&name, Span::mixed_site())
    }

    pub(super) fn written(self) -> TokenStream {
        self.written
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
        ];
        let names = whats.map(|what| constants.name(what).to_string());
        assert_eq!(
            names,
            ["edge_to_move", "edge_to_each_nodes_cook", "edge_to_übung"]
        );
    }
}
