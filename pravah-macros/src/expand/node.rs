//! `#[node]`.

use proc_macro2::TokenStream;
use quote::quote;

use super::{function::Function, private};
use crate::options::Policy;

pub(crate) fn expand(function: &Function, policy: &Policy) -> TokenStream {
    let private = private();
    let (gather, context, run) = (function.gather(), function.context(), function.run(None));
    let policy = self::policy(policy);
    let spec = quote! {
        #private::NodeSpec::function(Self::SIGNATURE, #policy, |__pravah_inputs, __pravah_ctx| {
            #gather
            #context
            ::core::result::Result::Ok(#run)
        })
    };
    let signature = function.signature(function.shape());
    let gives = &function.gives;
    function.marker(signature, quote!(#gives), spec)
}

/// The policy as the runtime has it.
pub(super) fn policy(policy: &Policy) -> TokenStream {
    let private = private();
    let max_visits = match policy.max_visits {
        Some(visits) => quote!(::core::option::Option::Some(#visits)),
        None => quote!(::core::option::Option::None),
    };
    quote!(#private::Policy { max_visits: #max_visits })
}
