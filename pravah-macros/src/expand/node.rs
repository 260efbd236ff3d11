//! `#[node]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, spanned::Spanned};

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
    let (signature, limited) = (function.signature(function.shape()), limited(policy));
    let gives = &function.gives;
    let marker = function.marker(quote!(#signature #limited), quote!(#gives), spec);
    let check = check_policy(policy);
    quote!(#marker #check)
}

/// The policy as the runtime has it.
pub(super) fn policy(policy: &Policy) -> TokenStream {
    let private = private();
    let max_visits = policy.max_visits.as_ref().map(|visits| {
        let visits = number(visits, "u32");
        quote!(.max_visits(#visits))
    });
    quote!(#private::Policy::new() #max_visits)
}

/// Says of a signature that its node may run only so often.
pub(super) fn limited(policy: &Policy) -> Option<TokenStream> {
    policy.max_visits.is_some().then(|| quote!(.limited()))
}

pub(super) fn check_policy(policy: &Policy) -> Option<TokenStream> {
    check_number(policy.max_visits.as_ref()?, "check_visits", "u32")
}

/// A number that may be a constant. If it has another type rustc says so in the same words here and
/// in its check, and shows it once.
pub(super) fn number(number: &Expr, ty: &str) -> TokenStream {
    let ty = ident(ty);
    match number {
        Expr::Lit(_) => quote!(#number),
        _ => {
            quote!({ #[allow(unused_braces, unused_parens)] const __PRAVAH_NUMBER: #ty = #number; __PRAVAH_NUMBER })
        }
    }
}

/// Checks a number that no token shows.
pub(super) fn check_number(number: &Expr, check: &str, ty: &str) -> Option<TokenStream> {
    if matches!(number, Expr::Lit(_)) {
        return None;
    }
    let span = number.span();
    let (check, ty) = (ident(check), ident(ty));
    let name = Ident::new("__pravah_check", span);
    let call = quote_spanned!(span=> #name(__PRAVAH_NUMBER));
    let private = private();
    Some(quote! {
        const _: () = {
            use #private::#check as #name;
            #[allow(unused_braces, unused_parens)]
            const __PRAVAH_NUMBER: #ty = #number;
            #call
        };
    })
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
