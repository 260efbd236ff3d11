//! What an annotated function returns, as what goes on from the node.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Type, spanned::Spanned};

use super::{Function, params::output_trait};
use crate::{
    expand::{as_trait, at, private, private_at},
    types::{is_one_name, result_of},
};

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

    /// The call that runs a future and emits its output; nothing if the type of the output has to be probed.
    pub(super) fn emitting(&self, future: TokenStream) -> Option<TokenStream> {
        let (state, error) = self.state_and_error();
        let emit = self.emitter(state)?;
        let span = self.name().span();
        let private = private_at(span);
        let Some(error) = error else {
            return Some(quote_spanned!(span=> #private::Running::emitting(#future, #emit)));
        };
        let (boxed, error_span) = (as_trait(error, "NodeError"), at(error));
        let boxed = quote_spanned!(error_span=> #boxed::boxed);
        Some(quote_spanned!(span=> #private::Running::emitting_result(#future, #emit, #boxed)))
    }

    /// What emits the output of an async function that takes one state by value, and returns one without a `Result`.
    pub(super) fn async_emitter(&self) -> Option<TokenStream> {
        let takes_value = matches!(&*self.params, [param] if !param.by_ref);
        let is_async = self.item.sig.asyncness.is_some();
        match self.state_and_error() {
            (state, None) if is_async && takes_value => self.emitter(state),
            _ => None,
        }
    }

    /// What emits a state; nothing if its type has to be probed, or is written as more than a name.
    fn emitter(&self, state: &Type) -> Option<TokenStream> {
        if self.taken(state).is_some() || !is_one_name(state) {
            return None;
        }
        let (output, span) = (as_trait(state, output_trait(state)), at(state));
        Some(quote_spanned!(span=> #output::emit))
    }

    fn emit_state(&self, state: &Type, given: TokenStream) -> TokenStream {
        let private = private();
        if let Some(taken) = self.taken(state) {
            let span = state.span();
            let here = private_at(span);
            let check =
                quote_spanned!(span=> (&&&#here::same_as::<#state, #taken>()).check_return());
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
        let shape = if self.taken(state).is_some() {
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
        result_of(&self.returns)
            .map_or((&self.returns, None), |(state, error)| (state, Some(error)))
    }

    /// What the node is given for a parameter of the same type, which of the answer to a gate is nothing. If a
    /// type that it is given is no state, that is reported, and is enough.
    fn taken(&self, state: &Type) -> Option<Type> {
        let mut params = self.params.iter().enumerate();
        let (index, param) = params.find(|(_, param)| param.ty == *state)?;
        Some(self.given(index, param))
    }
}
