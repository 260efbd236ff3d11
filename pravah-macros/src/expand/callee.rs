//! What others may call: a node of a flow, an agent or a flow, and what stands for one that was refused.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::Generics;

use super::private;

/// Lets agents call the agent or the flow of this marker.
pub(super) fn callable(marker: &impl ToTokens) -> TokenStream {
    let private = private();
    quote! {
        #[diagnostic::do_not_recommend]
        impl #private::CallableAgent for #marker {
            fn callee() -> #private::Callee {
                #private::Callee::of_node::<Self>()
            }
        }
    }
}

/// What stands for a node that was refused.
pub(crate) fn broken_node(name: &Ident, generics: &Generics) -> TokenStream {
    let private = private();
    let (params, arguments, bounds) = generics.split_for_impl();
    let callable = generics.params.is_empty().then(|| callable(name));
    quote! {
        #callable

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #params #private::NodeInfo for #name #arguments #bounds {
            const SIGNATURE: #private::Signature = #private::Signature::BROKEN;

            fn spec() -> #private::NodeSpec {
                #private::NodeSpec::broken()
            }
        }
    }
}
