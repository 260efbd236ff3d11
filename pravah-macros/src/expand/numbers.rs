//! Numbers in options, which may be constants.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, spanned::Spanned};

use super::private;

/// A number that may be a constant. If it has another type rustc says so in the same words here and
/// in its check, and shows it once.
pub(super) fn number(number: &Expr, ty: &str) -> TokenStream {
    let ty = Ident::new(ty, Span::call_site());
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
    let [check, ty] = [check, ty].map(|name| Ident::new(name, Span::call_site()));
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
