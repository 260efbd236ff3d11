//! `#[node]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{function::Function, private};
use crate::options::Policy;

pub(crate) fn expand(function: &Function, policy: &Policy) -> TokenStream {
    let private = private();
    let (gather, context, run) = (function.gather(), function.context(), function.run(None));
    let as_code = self::policy(policy);
    let spec = quote! {
        #private::NodeSpec::function(Self::SIGNATURE, #as_code, |__pravah_inputs, __pravah_ctx| {
            #gather
            #context
            ::core::result::Result::Ok(#run)
        })
    };
    let signature = function.signature(function.shape());
    let gives = &function.gives;
    let marker = function.marker(signature, quote!(#gives), spec);
    let visits = check_visits(policy);
    quote!(#marker #visits)
}

/// The policy as the runtime has it.
pub(super) fn policy(policy: &Policy) -> TokenStream {
    let private = private();
    let max_visits = match &policy.max_visits {
        Some(visits) => quote!(::core::option::Option::Some(#visits)),
        None => quote!(::core::option::Option::None),
    };
    quote!(#private::Policy { max_visits: #max_visits })
}

/// Checks what no token shows: a `max_visits` that is no literal.
pub(super) fn check_visits(policy: &Policy) -> Option<TokenStream> {
    let visits = policy.max_visits.as_ref()?;
    if matches!(visits, syn::Expr::Lit(_)) {
        return None;
    }
    let span = syn::spanned::Spanned::span(visits);
    let check = proc_macro2::Ident::new("__pravah_check_visits", span);
    let call = quote_spanned!(span=> #check(#visits));
    Some(quote! {
        const _: () = {
            use ::pravah_runtime::__private::check_visits as #check;
            #call
        };
    })
}
