//! What an annotated function returns, as what goes on from the node.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;

use super::{
    Function,
    params::{output_trait, result_of},
};
use crate::expand::{as_trait, at, private, private_at};

impl Function {
    /// What `given` is returned as.
    pub(super) fn emit(&self, given: TokenStream) -> TokenStream {
        let (state, error) = self.state_and_error();
        let Some(error) = error else {
            return self.emit_state(state, given);
        };
        let returned = self.emit_state(state, quote!(__pravah_given));
        let (boxed, span) = (as_trait(error, "NodeError"), at(error));
        let refused = quote_spanned!(span=> #boxed::boxed(__pravah_error));
        quote! {
            match #given {
                ::core::result::Result::Ok(__pravah_given) => #returned,
                ::core::result::Result::Err(__pravah_error) => ::core::result::Result::Err(#refused),
            }
        }
    }

    fn emit_state(&self, state: &Type, given: TokenStream) -> TokenStream {
        let private = private();
        if self.is_taken(state) {
            let span = at(state);
            let here = private_at(span);
            let check = quote_spanned!(span=> (&&&#here::same::<#state>()).check_return());
            return quote! {{
                #[allow(unused_imports)]
                use #private::{
                    KnownEmit as _, KnownReturn as _, TakenReturn as _, UnknownEmit as _,
                    UnknownReturn as _,
                };
                #check;
                (&#private::same::<#state>()).emit(#given)
            }};
        }
        let (output, span) = (as_trait(state, output_trait(state)), at(state));
        quote_spanned!(span=> #output::emit(#given))
    }

    /// The shape of what the function returns.
    pub(crate) fn shape(&self) -> TokenStream {
        let (private, (state, error)) = (private(), self.state_and_error());
        let shape = if self.is_taken(state) {
            quote! {{
                #[allow(unused_imports)]
                use #private::NoShape as _;
                #private::Same::<#state>::SHAPE
            }}
        } else {
            let (output, span) = (as_trait(state, output_trait(state)), at(state));
            quote_spanned!(span=> #output::SHAPE)
        };
        let Some(error) = error else { return shape };
        let (boxed, span) = (as_trait(error, "NodeError"), at(error));
        let is_error = quote_spanned!(span=> #boxed::boxed);
        quote!({ let _ = #is_error; #shape })
    }

    /// What the function returns, and the error of a `Result` that is written with one.
    fn state_and_error(&self) -> (&Type, Option<&Type>) {
        result_of(&self.gives).map_or((&self.gives, None), |(state, error)| (state, Some(error)))
    }

    /// If such a type is no state, what the function takes is reported, and that is enough.
    fn is_taken(&self, state: &Type) -> bool {
        self.params.iter().any(|param| param.ty == *state)
    }
}
