//! An annotated function, taken apart: what it takes and returns.

mod asks;
mod calls;
mod gather;
mod kind;
mod nested;
mod params;
mod returns;
mod types;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{FnArg, Generics, Ident, ItemFn, Pat, PatType, Type, ext::IdentExt, parse_quote};

pub(super) use self::asks::help_for_object;
use self::asks::refuse_pattern;
pub(crate) use self::gather::slot;
pub(crate) use self::kind::Kind;
use self::params::{param, param_of_gate, refuse_generics, refuse_test, return_type};
pub(crate) use self::params::{plain_name, refuse_modifiers};
pub(super) use self::types::{SELF_HELP, unnamed};
use super::{as_written, beside, callee, named_constant, own, private, private_at};
use crate::{diag::Diagnostics, doc_comment::doc_comment, types::ungroup};

pub(crate) struct Function {
    pub(crate) item: ItemFn,
    pub(crate) params: Vec<Param>,
    kind: Kind,
    pub(crate) returns: Type,
}

/// A parameter: a state, or something that the function asks for. Its type says which, to the compiler.
pub(crate) struct Param {
    pub(crate) pat: Pat,
    /// Without the `&`.
    pub(crate) ty: Type,
    pub(crate) by_ref: bool,
}

impl Function {
    /// Silences the compiler where the body does not use this parameter.
    pub(crate) fn allow_unused(&mut self, index: usize) {
        if let Some(FnArg::Typed(param)) = self.item.sig.inputs.get_mut(index) {
            param.attrs.push(parse_quote!(#[allow(unused_variables)]));
        }
    }

    /// Takes `item` apart; what a node cannot be is reported, and the item returned.
    pub(crate) fn parse(
        item: ItemFn,
        kind: Kind,
        errors: &mut Diagnostics,
    ) -> Result<Self, Box<ItemFn>> {
        let parts = errors.attempt(|errors| Self::parts(&item, kind, errors));
        match parts.flatten() {
            Some((params, returns)) => Ok(Self {
                params,
                kind,
                returns,
                item,
            }),
            None => Err(Box::new(item)),
        }
    }

    /// What a function takes and returns.
    fn parts(item: &ItemFn, kind: Kind, errors: &mut Diagnostics) -> Option<(Vec<Param>, Type)> {
        let name = &item.sig.ident;
        refuse_generics(item, errors);
        refuse_modifiers(&item.sig, "node", errors);
        refuse_test(item, errors);
        let mut params = Vec::new();
        for arg in &item.sig.inputs {
            match arg {
                FnArg::Typed(arg) => params.extend(Param::parse(name, arg, kind, errors)),
                FnArg::Receiver(receiver) => {
                    errors.error(
                        receiver.self_token.span,
                        format!("`{name}` is a method, and a node is a function"),
                        "move it out of the `impl`, and take a state instead of `self`",
                    );
                    return None;
                }
            }
        }
        if item.sig.inputs.is_empty() {
            errors.error(
                name.span(),
                format!("`{name}` takes no state"),
                "add a parameter for the state that it consumes",
            );
        }
        Some((params, return_type(item, kind, errors)?))
    }

    /// A parameter that is in braces in a text: `{draft}`, or `{draft.title}`; not one in two braces.
    pub(crate) fn param_in_braces(&self, text: &str) -> Option<&Ident> {
        let text = text.replace("{{", "");
        let mut names = self
            .params
            .iter()
            .filter_map(|param| plain_name(&param.pat));
        names.find(|name| {
            let name = name.unraw().to_string();
            let mut after = text.split('{').skip(1);
            after.any(|rest| {
                let rest = rest.strip_prefix(&name);
                let ends = ["}", ".", ":?", ":#"];
                rest.is_some_and(|rest| ends.iter().any(|end| rest.starts_with(end)))
            })
        })
    }

    pub(crate) fn name(&self) -> &Ident {
        &self.item.sig.ident
    }

    /// See [`broken`].
    pub(crate) fn broken(&self) -> TokenStream {
        broken(&self.item)
    }

    pub(crate) fn body(&self) -> TokenStream {
        self.item.block.to_token_stream()
    }

    /// Whether its body is empty, or only a block that is.
    pub(crate) fn has_empty_body(&self) -> bool {
        fn is_empty(tokens: TokenStream) -> bool {
            tokens.into_iter().all(|token| match token {
                TokenTree::Group(group) if group.delimiter() != Delimiter::Parenthesis => {
                    is_empty(group.stream())
                }
                _ => false,
            })
        }
        is_empty(self.body())
    }

    /// Replaces a body in which a mistake was reported, so that rustc does not report it again.
    pub(crate) fn drop_body(&mut self) {
        let unused = parse_quote!(#[allow(unused_variables, unused_mut)]);
        self.item.attrs.push(unused);
        *self.item.block = parse_quote!({ loop {} });
    }

    /// The hidden type that stands for the node, with what `flow!` asks of it; `checks` are those of a
    /// gate, which name its answer, and `others` what else is beside it.
    pub(crate) fn marker(
        &self,
        signature: TokenStream,
        returns: TokenStream,
        spec: TokenStream,
        checks: &[TokenStream],
        others: &TokenStream,
    ) -> TokenStream {
        let private = private();
        let Self { item, .. } = self;
        let (name, takes) = (self.name(), self.takes());
        let function = own(item, name);
        let about = about(name, doc_comment(&item.attrs));
        let node = quote! {
            impl #private::Node<#takes, #returns> for #name {}

            #[diagnostic::do_not_recommend]
            impl #private::NodeInfo for #name {
                const SIGNATURE: #private::Signature = #signature;

                fn spec() -> #private::NodeSpec {
                    #spec #about
                }
            }
        };
        if self.kind != Kind::Gate {
            let (visibility, check) = (&item.vis, signature_of(name));
            return quote! {
                #function
                #private::for_functions_outside_of_impl_and_trait! {
                    #visibility #name {} check { #check } #node #others
                }
            };
        }
        let (check, roles) = (check_signature(name), self.roles());
        let node = quote!(const _: () = { #roles #(#checks)* #node };);
        let others = quote!(#node #check #others);
        let marker = beside(&item.vis, name, &TokenStream::new(), &others);
        quote!(#function #marker)
    }
}

/// The check of a signature, as it is called where its name and the trait's are imported.
fn signature_of(name: &Ident) -> TokenStream {
    let (span, constant) = (name.span(), unused_constant());
    let check =
        quote_spanned!(span=> __pravah_check_signature(<#name as __PravahNodeInfo>::SIGNATURE));
    quote!(const #constant: () = { #check };)
}

/// The name of a constant that checks a signature. What it names is no less dead code, so that rustc says of a
/// function that is a node of no flow that it is never used.
fn unused_constant() -> Ident {
    Ident::new("SIGNATURE", Span::mixed_site())
}

impl Param {
    fn parse(name: &Ident, arg: &PatType, kind: Kind, errors: &mut Diagnostics) -> Option<Self> {
        let ty = ungroup(&arg.ty);
        if refuse_pattern(name, arg, errors) {
            return None;
        }
        let (ty, by_ref) = match kind {
            Kind::Gate => param_of_gate(name, ty, errors),
            Kind::Node | Kind::Agent => param(name, ty, errors),
        }?;
        Some(Self {
            pat: (*arg.pat).clone(),
            ty,
            by_ref,
        })
    }
}

/// Says of a node's spec where the node is defined, and how it is documented.
pub(crate) fn about(name: &Ident, doc: Option<String>) -> TokenStream {
    let name = name.unraw().to_string();
    let doc = doc.iter();
    quote!(.about(::core::concat!(::core::module_path!(), "::", #name), &[#(#doc)*]))
}

/// A function that was refused: it stays, and so does the node's name, of which no check speaks.
pub(crate) fn broken(item: &ItemFn) -> TokenStream {
    let (name, visibility) = (&item.sig.ident, &item.vis);
    if item.sig.receiver().is_some() {
        // In an `impl` there is no place for more.
        return as_written(item);
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

/// The name of a node with all that other items may ask of it, so that they report nothing.
fn broken_marker(visibility: &syn::Visibility, name: &Ident) -> TokenStream {
    let (private, node) = (private(), callee::broken_node(name, &Generics::default()));
    let node = quote! {
        #node

        impl #name {
            #[allow(dead_code)]
            #visibility fn invoke<Input, Output>(
                _: Input,
            ) -> #private::Invoke<Output> {
                loop {}
            }
        }
    };
    beside(visibility, name, &TokenStream::new(), &node)
}

/// Checks what a signature alone can show, labelled at the node's name.
pub(crate) fn check_signature(name: &Ident) -> TokenStream {
    let span = name.span();
    let private = private_at(span);
    let signature = quote_spanned!(span=> <#name as #private::NodeInfo>::SIGNATURE);
    let check = named_constant(&unused_constant(), "check_signature", span, &signature);
    quote!(const _: () = { #check };)
}
