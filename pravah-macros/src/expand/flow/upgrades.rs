//! What becomes of runs of earlier versions: the lock of a flow, and its migrations.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Path, ext::IdentExt, spanned::Spanned};

use super::read::Flow;
use crate::{
    lock::Lock,
    options::Upgrades,
    root::{private, private_at},
};

impl Upgrades {
    /// The same graph, which knows them.
    pub(crate) fn of_graph(&self) -> Option<TokenStream> {
        if self.lock.is_none() && self.migrations.is_empty() {
            return None;
        }
        let text = match &self.lock {
            Some(Lock { file, .. }) => quote!(::core::include_str!(#file)),
            None => quote!(""),
        };
        let migrations = self.migrations.iter().map(of_migration);
        Some(quote!(.map(|graph| graph.with_upgrades(#text, &[#(#migrations::add_to),*]))))
    }

    /// That all runs of the versions in the lock file can go on.
    pub(crate) fn check(&self, net: &Ident, name: &Ident, is_named: bool) -> Option<TokenStream> {
        let Lock {
            path,
            flow,
            versions,
            ..
        } = self.lock.as_ref()?;
        let private = private();
        let check = Ident::new("__pravah_check_lock", path.span());
        let moved = self.migrations.iter().map(of_migration);
        let call = quote_spanned!(path.span()=> #check::<SIZE>(#net, LOCK, MOVED));
        Some(quote! {
            #[allow(long_running_const_eval)]
            const #name: () = {
                use #private::check_lock as #check;
                const SIZE: usize = #private::lock_size(#net);
                const LOCK: &#private::FlowLock = &#private::FlowLock {
                    flow: #flow, is_named: #is_named, versions: #versions,
                };
                const MOVED: &[#private::MovedState] = &[#(#moved::MOVED),*];
                #call
            };
        })
    }
}

/// A migration by its path, labelled there.
fn of_migration(path: &Path) -> TokenStream {
    let private = private_at(path.span());
    let migration = Ident::new("Migrate", path.span());
    quote_spanned!(path.span()=> <#path as #private::#migration>)
}

/// The test that checks the lock as far as the compiler cannot, and writes it.
pub(super) fn test(flow: &Flow) -> Option<TokenStream> {
    let Lock { file, .. } = flow.upgrades.lock.as_ref()?;
    let (private, definition) = (private(), &flow.definition);
    let name = format_ident!(
        "pravah_lock_of_{}",
        flow.name.unraw(),
        span = Span::call_site()
    );
    let definition = definition.to_token_stream();
    Some(quote! {
        #[cfg(test)]
        #[::core::prelude::v1::test]
        fn #name() {
            #private::check_lock_file(
                (#file, ::core::include_str!(#file)),
                ::core::env!("CARGO_PKG_VERSION"),
                &<#definition as #private::FlowDef>::node_id(),
                <#definition as #private::FlowDef>::graph(),
            );
        }
    })
}
