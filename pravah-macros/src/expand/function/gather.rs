//! From what waits for a node, and what there is to ask for, to the arguments of its function.
//!
//! Every parameter is emitted alike, and its type says what it is. Which of a gate's parameters is the
//! answer, the one that asks for nothing and has none such behind it, is known to the compiler as well: a
//! *role* splits the type of each into what waits at the gate and what a person answers, one of which is
//! nothing.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Type, ext::IdentExt, parse_quote, spanned::Spanned};

use super::{
    Function, Param,
    kind::Kind,
    params::{is_name, param_trait, plain_name},
};
use crate::{
    expand::{as_trait, at, hidden, private, private_at},
    types::is_one_name,
};

impl Function {
    /// What the node is given for a parameter: its type, and of a gate the part that waits.
    pub(super) fn given(&self, index: usize, param: &Param) -> Type {
        match self.kind {
            Kind::Gate => role_of(param, "Given", index),
            Kind::Node | Kind::Agent => param.ty.clone(),
        }
    }

    /// `<ty as Param>`, or another trait of the same items with another message.
    pub(crate) fn as_param(&self, index: usize, param: &Param) -> TokenStream {
        let bound = match self.kind {
            Kind::Gate if is_name(&param.ty) => "GateParam",
            Kind::Gate => "Param",
            Kind::Node | Kind::Agent => param_trait(&param.ty),
        };
        as_trait(&self.given(index, param), bound)
    }

    /// What the node takes, as a list of types.
    pub(super) fn takes(&self) -> TokenStream {
        let types = self.params.iter().enumerate();
        let types = types.map(|(index, param)| self.given(index, param));
        types
            .rev()
            .fold(quote!(()), |rest, ty| quote!((#ty, #rest)))
    }

    /// The node's signature, which returns `shape`.
    pub(crate) fn signature(&self, shape: TokenStream) -> TokenStream {
        let private = private();
        let name = self.name().unraw().to_string();
        let params = self.params.iter().enumerate().map(|(index, param)| {
            let (bound, span) = (self.as_param(index, param), at(&param.ty));
            // Empty where the function takes the value apart.
            let called = plain_name(&param.pat).map(|name| name.unraw().to_string());
            let called = called.unwrap_or_default();
            let how = match param.by_ref {
                true => quote!(.called(#called)),
                false => quote!(.by_value_called(#called)),
            };
            quote_spanned!(span=> #bound::REF #how)
        });
        // Of at most two parameters, those that consume a state are always adjacent, so they are a slice of all.
        if self.params.len() <= 2 {
            return quote!(#private::Signature::of_function(#name, &[#(#params),*], #shape));
        }
        quote! {{
            const __PRAVAH_PARAMS: &[#private::ParamRef] = &[#(#params),*];
            const __PRAVAH_STATES: &[#private::ParamRef] = &#private::consumed::<
                { #private::slot_of(__PRAVAH_PARAMS, __PRAVAH_PARAMS.len()) },
            >(__PRAVAH_PARAMS);
            #private::Signature::new(#name, __PRAVAH_STATES, #shape).asking(__PRAVAH_PARAMS)
        }}
    }

    /// Statements that fill `__pravah_state0`, … from `__pravah_inputs`. What is moved out of it comes
    /// first, then what is looked at in its place.
    pub(crate) fn gather(&self) -> TokenStream {
        let is_async = self.item.sig.asyncness.is_some();
        let mut moved = TokenStream::new();
        let mut looked_at = TokenStream::new();
        for (index, param) in self.params.iter().enumerate() {
            let (state, bound) = (hidden("state", index), self.as_param(index, param));
            let (span, slot) = (at(&param.ty), slot(index));
            let fill = match (param.by_ref, is_async) {
                (true, false) => quote_spanned!(span=> #bound::held(__pravah_inputs, #slot)?),
                (true, true) => quote_spanned!(span=> #bound::shared(__pravah_inputs, #slot)?),
                (false, _) => quote_spanned!(span=> #bound::owned(__pravah_inputs, #slot)?),
            };
            moved.extend(quote_spanned!(span=> let #state = #fill;));
            if param.by_ref && !is_async {
                let fill = quote_spanned!(span=> #bound::borrowed(#state, __pravah_inputs, #slot)?);
                looked_at.extend(quote_spanned!(span=> let #state = #fill;));
            }
        }
        quote!(#moved #looked_at)
    }

    /// The arguments for the user's function, after [`gather`](Self::gather) and, of a gate,
    /// [`read_answer`](Self::read_answer).
    pub(crate) fn arguments(&self) -> TokenStream {
        let arguments = self.params.iter().enumerate().map(|(index, param)| {
            let state = hidden("state", index);
            let is_gate = self.kind == Kind::Gate;
            match (is_gate, param.by_ref) {
                (false, true) => quote!(&*#state),
                (false, false) => quote!(#state),
                (true, by_ref) => join(index, param, by_ref),
            }
        });
        quote!(#(#arguments),*)
    }

    /// How a function is run that takes one parameter, written as a name, which is moved into it.
    pub(crate) fn simple_spec(&self) -> Option<TokenStream> {
        let [param] = self.params.as_slice() else {
            return None;
        };
        if !is_name(&param.ty) || !is_one_name(&param.ty) {
            return None;
        }
        let take = match (param.by_ref, self.item.sig.asyncness) {
            (false, _) => "owned",
            (true, Some(_)) => "shared",
            (true, None) => return None,
        };
        let bound = self.as_param(0, param);
        // What is wrong with the parameter is said once, at its type.
        let span = param.ty.span();
        let (private, take) = (private_at(span), Ident::new(take, span));
        let take = quote_spanned!(at(&param.ty)=> #bound::#take);
        if let Some(emit) = self.async_emitter() {
            let (name, starting) = (self.name(), quote_spanned!(span=> #private::starting_async));
            return Some(quote!(#starting(Self::SIGNATURE, #take, #name, #emit)));
        }
        let (state, run) = (hidden("state", 0), self.run());
        let starting = quote_spanned!(span=> #private::starting);
        Some(quote!(#starting(Self::SIGNATURE, #take, |#state| #run)))
    }

    /// Runs the user's function and hands on what it returns.
    pub(crate) fn run(&self) -> TokenStream {
        let private = private();
        let (name, arguments) = (self.name(), self.arguments());
        if self.item.sig.asyncness.is_some() {
            let span = name.span();
            // A future that cannot be sent is reported at the function's name.
            let private = private_at(span);
            // Borrowed inputs have to outlive the function's future, and a `Dep<_>` that cannot be sent is
            // reported once only if the future is made here: so only owned states take the short form.
            let are_owned_states =
                (self.params.iter()).all(|param| !param.by_ref && is_name(&param.ty));
            if are_owned_states && let Some(emitting) = self.emitting(quote!(#name(#arguments))) {
                return emitting;
            }
            let given = self.emit(quote!(#name(#arguments).await));
            quote_spanned! {span=>
                #private::Running::later(async move { #given })
            }
        } else {
            let given = self.emit(quote!(#name(#arguments)));
            quote!(#private::Running::Ready(#given))
        }
    }

    /// Of a gate: which parameter is the answer, and the two parts of each.
    pub(super) fn roles(&self) -> TokenStream {
        let private = private();
        let asks = self.params.iter().map(|Param { ty, .. }| {
            let private = private_at(at(ty));
            quote_spanned!(at(ty)=> #private::Known::<#ty>::ASKS)
        });
        let roles = self.params.iter().enumerate().map(|(index, param)| {
            let ty = &param.ty;
            let [role, given, answer] = ["Role", "Given", "Answer"].map(|name| hidden(name, index));
            quote! {
                type #role = #private::Role<{ __PRAVAH_ANSWER == #index }>;
                type #given = <#role as #private::Split>::Given<#ty>;
                type #answer = <#role as #private::Split>::Answer<#ty>;
            }
        });
        quote! {
            #[allow(unused_imports)]
            use #private::UnknownAsks as _;
            const __PRAVAH_ANSWER: usize = #private::answer_of(&[#(#asks),*]);
            #(#roles)*
        }
    }

    /// `<ty as Answer>` of the part of each parameter that a person answers.
    pub(crate) fn as_answers(&self) -> impl Iterator<Item = (usize, TokenStream)> {
        let params = self.params.iter().enumerate();
        params.map(|(index, param)| {
            let answer = role_of(param, "Answer", index);
            (index, as_trait(&answer, "Answer"))
        })
    }
}

/// The slot of a parameter, if it consumes a state.
pub(crate) fn slot(index: usize) -> TokenStream {
    let private = private();
    match index {
        0 => quote!(0),
        index => quote!(const { #private::slot_of(Self::SIGNATURE.asks, #index) }),
    }
}

/// A part of the type of a gate's parameter, labelled at that type.
fn role_of(param: &Param, part: &str, index: usize) -> Type {
    let name = Ident::new(&hidden(part, index).to_string(), param.ty.span());
    parse_quote!(#name)
}

/// The argument of a gate, of the two parts of it.
fn join(index: usize, Param { ty, .. }: &Param, by_ref: bool) -> TokenStream {
    let private = private();
    let [role, state, answer] = ["Role", "state", "answer"].map(|name| hidden(name, index));
    match by_ref {
        true => quote!(<#role as #private::Split>::join_ref::<#ty>(&*#state, &#answer)),
        false => quote!(<#role as #private::Split>::join::<#ty>(#state, #answer)),
    }
}
