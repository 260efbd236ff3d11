//! An annotated function, taken apart: what it takes and returns.

mod params;
mod types;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{FnArg, Ident, ItemFn, Type, ext::IdentExt, spanned::Spanned};

use self::params::{
    answer, gives, is_name, output_trait, param, refuse_generics, result_of, ungroup,
};
pub(crate) use self::params::{doc_comment, is_context, plain_name, refuse_modifiers};
use super::{as_trait, at, hidden, own, private, private_at};
use crate::diag::Diagnostics;

/// The most parameters that a node can have, and outputs that it can choose among.
const MOST: usize = 12;

pub(crate) struct Function {
    pub(crate) item: ItemFn,
    pub(crate) params: Vec<Param>,
    is_gate: bool,
    pub(crate) takes_context: bool,
    pub(crate) gives: Type,
}

/// What the function becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Node,
    /// Its last parameter is what a person answers, and no state.
    Gate,
    /// It returns a prompt, and no state.
    Agent,
}

pub(crate) struct Param {
    /// Without the `&`.
    pub(crate) ty: Type,
    pub(crate) by_ref: bool,
}

impl Function {
    /// Takes `item` apart; what a node cannot be is reported.
    pub(crate) fn parse(item: ItemFn, kind: Kind, errors: &mut Diagnostics) -> Option<Self> {
        let before = errors.len();
        let name = &item.sig.ident;
        refuse_generics(&item, errors);
        refuse_modifiers(&item.sig, "node", errors);
        let mut params = Vec::new();
        let mut takes_context = false;
        let count = item.sig.inputs.len();
        let ends_in_context = matches!(
            item.sig.inputs.last(),
            Some(FnArg::Typed(last)) if is_context(&last.ty)
        );
        for (index, arg) in item.sig.inputs.iter().enumerate() {
            let arg = match arg {
                FnArg::Typed(arg) => arg,
                FnArg::Receiver(receiver) => {
                    errors.error(
                        receiver.self_token.span,
                        format!("`{name}` is a method, and a node is a function"),
                        "move it out of the `impl`, and take a state instead of `self`",
                    );
                    return None;
                }
            };
            if is_context(&arg.ty) {
                if index + 1 == count {
                    takes_context = true;
                } else {
                    errors.error(
                        arg.ty.span(),
                        format!("the context of `{name}` is not its last parameter"),
                        "move `ctx: Context` to the end",
                    );
                }
                continue;
            }
            let ty = ungroup(&arg.ty);
            if let Type::Reference(reference) = ty
                && is_context(&reference.elem)
            {
                errors.error(
                    ty.span(),
                    format!("`{name}` borrows its context"),
                    "take it by value, as the last parameter: `ctx: Context`",
                );
                continue;
            }
            let comes_last = index + 1 + usize::from(ends_in_context) == count;
            if kind == Kind::Gate && comes_last && !params.is_empty() {
                params.extend(answer(name, ty, errors));
            } else {
                params.extend(param(name, ty, errors));
            }
        }
        if params.is_empty() && !errors.grew_since(before) {
            errors.error(
                name.span(),
                format!("`{name}` takes no state"),
                match takes_context {
                    true => "add a parameter for the state that it consumes; `Context` is the context of the step, and a state has another name",
                    false => "add a parameter for the state that it consumes",
                },
            );
        }
        if params.len() > MOST {
            errors.error(
                name.span(),
                format!(
                    "`{name}` takes {} states, and {MOST} is the most",
                    params.len()
                ),
                "join them in two steps",
            );
        }
        let gives = gives(&item, kind, errors);
        if errors.grew_since(before) {
            return None;
        }
        Some(Self {
            params,
            is_gate: kind == Kind::Gate,
            takes_context,
            gives: gives?,
            item,
        })
    }

    pub(crate) fn name(&self) -> &Ident {
        &self.item.sig.ident
    }

    /// What the type of a parameter has to be. It is another trait for a gate, with another message.
    fn param_trait(&self, ty: &Type) -> &'static str {
        match self.is_gate {
            true => "GateParam",
            false if is_name(ty) => "NamedParam",
            false => "Param",
        }
    }

    /// See [`broken`].
    pub(crate) fn broken(&self) -> TokenStream {
        broken(&self.item)
    }

    /// What the node takes: the parameter's type, or the tuple of several.
    pub(crate) fn input(&self) -> TokenStream {
        let types = self.params.iter().map(|param| &param.ty);
        match self.params.as_slice() {
            [param] => {
                let ty = &param.ty;
                quote!(#ty)
            }
            _ => quote!((#(#types,)*)),
        }
    }

    /// Statements that fill `__pravah_state0`, … from `__pravah_inputs`. What is moved out of it comes
    /// first, then what is looked at in its place.
    pub(crate) fn gather(&self) -> TokenStream {
        let is_async = self.item.sig.asyncness.is_some();
        let mut moved = TokenStream::new();
        let mut looked_at = TokenStream::new();
        for (index, param) in self.params.iter().enumerate() {
            let (state, bound) = (
                hidden("state", index),
                as_trait(&param.ty, self.param_trait(&param.ty)),
            );
            let span = at(&param.ty);
            let fill = match (param.by_ref, is_async) {
                (true, false) => quote_spanned!(span=> #bound::held(__pravah_inputs, #index)?),
                (true, true) => quote_spanned!(span=> #bound::shared(__pravah_inputs, #index)?),
                (false, _) => quote_spanned!(span=> #bound::owned(__pravah_inputs, #index)?),
            };
            moved.extend(quote_spanned!(span=> let #state = #fill;));
            if param.by_ref && !is_async {
                let fill =
                    quote_spanned!(span=> #bound::borrowed(#state, __pravah_inputs, #index)?);
                looked_at.extend(quote_spanned!(span=> let #state = #fill;));
            }
        }
        quote!(#moved #looked_at)
    }

    /// The arguments for the user's function, after [`gather`](Self::gather); `extra` goes before
    /// the context.
    pub(crate) fn arguments(&self, extra: Option<TokenStream>) -> TokenStream {
        let states = self.params.iter().enumerate().map(|(index, param)| {
            let state = hidden("state", index);
            if param.by_ref {
                quote!(&*#state)
            } else {
                quote!(#state)
            }
        });
        let context = self.takes_context.then(|| quote!(__pravah_ctx));
        let all = states.chain(extra).chain(context);
        quote!(#(#all),*)
    }

    /// `let ctx = …;`, where the function wants it.
    pub(crate) fn context(&self) -> TokenStream {
        match self.takes_context {
            true => {
                let last = self.item.sig.inputs.last();
                let ty = last.and_then(|last| match last {
                    FnArg::Typed(last) => Some(&*last.ty),
                    FnArg::Receiver(_) => None,
                });
                // It is known by its name alone, and a type of the user's may have that name.
                let context = ty.map_or_else(
                    || quote!(__pravah_ctx.get()?),
                    |ty| {
                        let (context, span) = (as_trait(ty, "IsContext"), at(ty));
                        quote_spanned!(span=> #context::from_context(__pravah_ctx.get()?))
                    },
                );
                quote!(let __pravah_ctx = #context;)
            }
            false => quote!(let _ = __pravah_ctx;),
        }
    }

    /// Runs the user's function and hands on what it returns.
    pub(crate) fn run(&self, extra: Option<TokenStream>) -> TokenStream {
        let private = private();
        let (name, arguments) = (self.name(), self.arguments(extra));
        if self.item.sig.asyncness.is_some() {
            let given = self.emit(quote!(#name(#arguments).await));
            let span = name.span();
            // A future that cannot be sent is reported at the function's name.
            let private = private_at(span);
            quote_spanned! {span=>
                #private::Running::later(async move { #given })
            }
        } else {
            let given = self.emit(quote!(#name(#arguments)));
            quote!(#private::Running::Ready(#given))
        }
    }

    fn emit(&self, given: TokenStream) -> TokenStream {
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
            return quote! {{
                #[allow(unused_imports)]
                use #private::{KnownEmit as _, UnknownEmit as _};
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

    /// The node's signature, of which `gives` is the output.
    pub(crate) fn signature(&self, shape: TokenStream) -> TokenStream {
        let private = private();
        let name = self.name().unraw().to_string();
        let params = self.params.iter().map(|param| {
            let bound = as_trait(&param.ty, self.param_trait(&param.ty));
            let span = at(&param.ty);
            quote_spanned!(span=> #bound::REF)
        });
        quote!(#private::Signature::new(#name, &[#(#params),*], #shape))
    }

    /// The hidden type that stands for the node, with what `flow!` asks of it.
    pub(crate) fn marker(
        &self,
        signature: TokenStream,
        gives: TokenStream,
        spec: TokenStream,
    ) -> TokenStream {
        let private = private();
        let Self { item, .. } = self;
        let (name, visibility, input) = (self.name(), &item.vis, self.input());
        let (check, function) = (check_signature(name), own(item, name));
        let about = about(name, doc_comment(&item.attrs));
        quote! {
            #function

            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            #visibility struct #name {}

            #[automatically_derived]
            impl #private::Node<#input, #gives> for #name {}

            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #private::NodeInfo for #name {
                const SIGNATURE: #private::Signature = #signature;

                fn spec() -> #private::NodeSpec {
                    #spec #about
                }
            }

            #check
        }
    }
}

/// Says of a node's spec where the node is defined, and how it is documented.
pub(crate) fn about(name: &Ident, doc: Option<String>) -> TokenStream {
    let name = name.unraw().to_string();
    let doc = match doc {
        Some(doc) => quote!(::core::option::Option::Some(#doc)),
        None => quote!(::core::option::Option::None),
    };
    quote!(.about(::core::concat!(::core::module_path!(), "::", #name), #doc))
}

/// A function that was refused: it stays, and so does the node's name, of which no check speaks.
pub(crate) fn broken(item: &ItemFn) -> TokenStream {
    let (name, visibility) = (&item.sig.ident, &item.vis);
    if item.sig.receiver().is_some() {
        // In an `impl` there is no place for more.
        return quote!(#item);
    }
    let function = types::stub(item).unwrap_or_else(|| own(item, name));
    if types::says_self(item) {
        return function;
    }
    let marker = broken_marker(visibility, name);
    quote!(#function #marker)
}

/// The name of a function that does not parse.
pub(crate) fn broken_node(name: &Ident) -> TokenStream {
    broken_marker(&syn::Visibility::Inherited, name)
}

fn broken_marker(visibility: &syn::Visibility, name: &Ident) -> TokenStream {
    let private = private();
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #visibility struct #name {}

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #private::NodeInfo for #name {
            const SIGNATURE: #private::Signature = #private::Signature::BROKEN;

            fn spec() -> #private::NodeSpec {
                #private::NodeSpec::broken()
            }
        }
    }
}

/// Checks what a signature alone can show, labelled at the node's name.
pub(crate) fn check_signature(name: &Ident) -> TokenStream {
    let span = name.span();
    let check = Ident::new("__pravah_check_signature", span);
    let (here, private) = (private_at(span), private());
    let call = quote_spanned!(span=> #check(<#name as #here::NodeInfo>::SIGNATURE));
    quote! {
        const _: () = {
            use #private::check_signature as #check;
            #call
        };
    }
}
