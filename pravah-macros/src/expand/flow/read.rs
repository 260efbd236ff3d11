//! A flow, as it is read from the function or the `impl` that it is written as.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, FnArg, GenericParam, ItemFn, ItemImpl, PatType, ReturnType, Type, spanned::Spanned,
};

use super::signature::{refuse_foreign, refuse_input, refuse_unnamed};
use crate::{
    diag::Diagnostics,
    dsl::tokens::ungrouped,
    expand::{
        function::{plain_name, refuse_modifiers},
        private,
    },
    options::{FlowOptions, Upgrades},
    types::{holds_several, last_name, path_of, result_of, ungroup},
};

/// A flow, whatever it was written as.
pub(crate) struct Flow {
    /// What it is called in messages, and where.
    pub(crate) name: Ident,
    pub(crate) input: Type,
    pub(crate) output: Type,
    pub(super) attrs: Vec<Attribute>,
    pub(crate) fail_fast: bool,
    /// What its nodes may reach.
    pub(crate) only: Option<Vec<Ident>>,
    /// Whether it has a name of its own, and not that of its input.
    pub(crate) is_named: bool,
    /// What becomes of runs of earlier versions.
    pub(crate) upgrades: Upgrades,
    /// The type that stands for it as a node.
    pub(super) marker: TokenStream,
    /// The type that has its graph.
    pub(super) definition: TokenStream,
    /// What is between the braces of `flow! { … }`, and the word `flow`; nothing where the body is
    /// something else, which was reported.
    pub(super) body: Option<(TokenStream, Span)>,
}

impl Flow {
    /// What an impl may take as known, so that it is well-formed whatever the types are: a bound
    /// that is false is an error, one under a `for` is checked where the impl is used.
    pub(super) fn known(&self) -> TokenStream {
        let (private, Self { input, output, .. }) = (private(), self);
        quote! {
            for<'__pravah> #input: #private::State,
            for<'__pravah> #output: #private::State,
        }
    }

    /// What calling it asks for: that no node needs the input of another flow.
    pub(super) fn starts(&self) -> TokenStream {
        let (private, name, topology) = (private(), &self.name, self.topology());
        quote!(for<'__pravah> #name: #private::StartsByItself<{ #topology.needs_no_outer_input() }>,)
    }

    /// The constant that has the flow as data.
    pub(crate) fn topology(&self) -> TokenStream {
        let marker = &self.marker;
        quote!(<#marker>::TOPOLOGY)
    }

    /// The topology as a constant of an impl.
    pub(super) fn known_topology(&self) -> TokenStream {
        let (private, topology) = (private(), self.topology());
        // A constant named in an impl is evaluated again under the bounds of the impl; through a function it is not.
        quote! {
            const KNOWN_TOPOLOGY: &'static #private::Topology = {
                const fn __pravah_topology() -> &'static #private::Topology {
                    #topology
                }
                __pravah_topology()
            };
        }
    }
}

pub(super) fn of_function(
    item: &ItemFn,
    options: &FlowOptions,
    errors: &mut Diagnostics,
) -> Option<(Flow, Ident)> {
    let name = &item.sig.ident;
    let mut found = Diagnostics::default();
    check_head(item, &mut found);
    let argument = argument(item, &mut found);
    let output = output(item, &mut found);
    let is_fine = found.is_empty();
    errors.append(found);
    let output = output?;
    let body = body(&item.block, name, errors);
    let argument = argument?;
    let (input, is_borrowed) = input(name, argument, &output, options, errors)?;
    let input_name = plain_name(&argument.pat)
        .cloned()
        .unwrap_or_else(|| Ident::new("input", argument.pat.span()));
    let flow = Flow {
        marker: quote!(#name),
        definition: match options.named {
            Some(_) => quote!(#name),
            None => quote!(#input),
        },
        fail_fast: options.fail_fast,
        only: options.only.clone(),
        is_named: options.named.is_some(),
        upgrades: options.upgrades.clone(),
        body: body.filter(|_| is_fine && !is_borrowed),
        name: name.clone(),
        input,
        output,
        attrs: item.attrs.clone(),
    };
    Some((flow, input_name))
}

/// The state that a flow starts with, and whether it is borrowed, which is reported; nothing where it is refused.
fn input(
    name: &Ident,
    argument: &PatType,
    output: &Type,
    options: &FlowOptions,
    errors: &mut Diagnostics,
) -> Option<(Type, bool)> {
    let (input, borrow) = match ungroup(&argument.ty) {
        Type::Reference(ty) => (&*ty.elem, Some(ty.and_token.span)),
        _ => (&*argument.ty, None),
    };
    if refuse_unnamed(name, "starts with", input, errors)
        || refuse_foreign(name, input, errors)
        || refuse_input(name, input, options, errors)
    {
        return None;
    }
    if let Some(borrow) = borrow {
        errors.error(
            borrow,
            format!("the flow `{name}` borrows its input, and a run owns it"),
            "take it by value",
        );
        // Of others rustc would say more than that.
        if !is_plain_state(input) || borrows(output) {
            return None;
        }
    }
    Some((input.clone(), borrow.is_some()))
}

/// Whether a type can be a state of the user's, without a lifetime.
fn is_plain_state(ty: &Type) -> bool {
    path_of(ty).is_some_and(|path| !path.is_ident("String")) && !borrows(ty)
}

/// Whether a type has a reference or a lifetime in it.
fn borrows(ty: &Type) -> bool {
    let text = ty.to_token_stream().to_string();
    text.contains(['&', '\''])
}

/// A flow is a plain function of one state.
fn check_head(item: &ItemFn, errors: &mut Diagnostics) {
    let name = &item.sig.ident;
    if let Some(token) = &item.sig.asyncness {
        errors.error(
            token.span,
            format!("the flow `{name}` is written async"),
            "remove `async`: the function that it becomes is async",
        );
    }
    let mut params = item.sig.generics.params.iter();
    let is_reference = |arg: &FnArg| matches!(arg, FnArg::Typed(arg) if matches!(ungroup(&arg.ty), Type::Reference(_)));
    // The lifetime of a borrowed input goes when the `&` goes, and that is reported.
    let already_reported = |param: &GenericParam| {
        matches!(param, GenericParam::Lifetime(_)) && item.sig.inputs.iter().any(is_reference)
    };
    if let Some(param) = params.find(|param| !already_reported(param)) {
        errors.error(
            param.span(),
            format!("the flow `{name}` is generic, and its nodes take concrete states"),
            "write it for concrete states",
        );
    }
    refuse_modifiers(&item.sig, "flow", errors);
    if let Some(clause) = &item.sig.generics.where_clause {
        errors.error(
            clause.where_token.span,
            format!("the flow `{name}` has a `where` clause, and its nodes take concrete states"),
            "remove it",
        );
    }
}

fn argument<'a>(item: &'a ItemFn, errors: &mut Diagnostics) -> Option<&'a PatType> {
    let name = &item.sig.ident;
    let mut inputs = item.sig.inputs.iter();
    match (inputs.next(), inputs.next()) {
        (Some(FnArg::Typed(argument)), None) => Some(argument),
        (Some(FnArg::Receiver(receiver)), _) => {
            errors.error(
                receiver.self_token.span,
                format!("`{name}` is a method, and a flow is a function"),
                "move it out of the `impl`, and take a state instead of `self`",
            );
            None
        }
        (Some(FnArg::Typed(argument)), Some(FnArg::Typed(context)))
            if last_name(&context.ty).as_deref() == Some("Context") =>
        {
            errors.error(
                context.span(),
                format!("the flow `{name}` takes its context by itself"),
                format!("remove it: the function that it becomes is called `{name}(input, ctx)`"),
            );
            Some(argument)
        }
        (Some(FnArg::Typed(argument)), Some(other)) => {
            errors.error(
                other.span(),
                format!("the flow `{name}` takes more than one parameter"),
                "remove it: what a node needs besides its state, such as `Dep<_>`, is a parameter of the node; to start with several states, hold them in one `#[state]` struct",
            );
            Some(argument)
        }
        _ => {
            errors.error(
                name.span(),
                format!("the flow `{name}` does not take one state"),
                format!("write `fn {name}(input: In) -> Out`"),
            );
            None
        }
    }
}

fn output(item: &ItemFn, errors: &mut Diagnostics) -> Option<Type> {
    let name = &item.sig.ident;
    match &item.sig.output {
        ReturnType::Type(_, ty) if refuse_unnamed(name, "ends with", ty, errors) => None,
        ReturnType::Type(_, ty) => {
            if holds_several(ty) {
                let help = match last_name(ty).as_deref() {
                    Some("Result") => {
                        "write the state alone: the function that the flow becomes returns it in a `Result`"
                    }
                    Some("Vec") => {
                        "write `Each` instead of `Vec` for a list of states, or hold it in a field of a `#[state]` struct"
                    }
                    Some("Option") => {
                        "end it with one state: a `#[state]` enum has a variant for each outcome"
                    }
                    Some(_) => {
                        "end it with one state: a `#[state]` enum with a variant for each, which a node returns"
                    }
                    None if matches!(ungroup(ty), Type::Tuple(tuple) if tuple.elems.is_empty()) => {
                        "end it with a state, such as `#[state] struct Finished {}`, which the last node returns"
                    }
                    None => {
                        "end it with one state: a `#[state]` struct that holds them, which a node behind a `join` returns"
                    }
                };
                errors.error(
                    ty.span(),
                    format!("the flow `{name}` returns no state of its own"),
                    help,
                );
                return result_of(ty).map(|(output, _)| output.clone());
            }
            Some((**ty).clone())
        }
        ReturnType::Default => {
            errors.error(
                name.span(),
                format!("the flow `{name}` returns no state"),
                format!("write `fn {name}(input: In) -> Out`"),
            );
            None
        }
    }
}

pub(super) fn of_impl(
    item: &ItemImpl,
    options: &FlowOptions,
    errors: &mut Diagnostics,
) -> Option<Flow> {
    let is_flow = item.trait_.as_ref().is_some_and(|(path, ..)| {
        path.segments
            .last()
            .is_some_and(|last| last.ident == "Flow")
    });
    if !is_flow {
        errors.error(
            item.impl_token.span,
            "this is not an `impl Flow`",
            "put `#[flow]` above a function or an `impl Flow for …`",
        );
        return None;
    }
    let input = (*item.self_ty).clone();
    let Some(path) = path_of(&input) else {
        errors.error(
            input.span(),
            "a flow's input is a state",
            "implement `Flow` for the state that it starts with",
        );
        return None;
    };
    let name = path.segments.last()?.ident.clone();
    let mut output = None;
    let mut build = None;
    for member in &item.items {
        match member {
            syn::ImplItem::Type(member) if member.ident == "Output" => {
                output = Some(member.ty.clone())
            }
            syn::ImplItem::Fn(member) if member.sig.ident == "build" => build = Some(&member.block),
            _ => {}
        }
    }
    // What is missing of the trait is rustc's to say.
    let body = body(build?, &name, errors);
    Some(Flow {
        marker: quote!(#input),
        definition: quote!(#input),
        fail_fast: options.fail_fast,
        only: options.only.clone(),
        is_named: options.named.is_some(),
        upgrades: options.upgrades.clone(),
        body,
        name,
        input,
        output: output?,
        attrs: item.attrs.clone(),
    })
}

/// The one `flow! { … }` that is the body.
fn body(block: &syn::Block, name: &Ident, errors: &mut Diagnostics) -> Option<(TokenStream, Span)> {
    if let [only] = block.stmts.as_slice() {
        let mac = match only {
            syn::Stmt::Macro(stmt) => Some(&stmt.mac),
            syn::Stmt::Expr(syn::Expr::Macro(expr), _) => Some(&expr.mac),
            _ => None,
        };
        if let Some(mac) = mac
            && mac
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "flow")
        {
            return Some((ungrouped(mac.tokens.clone()), mac.path.span()));
        }
        if let syn::Stmt::Expr(syn::Expr::Path(node), None) = only {
            let text = node.to_token_stream().to_string().replace(' ', "");
            errors.error(
                node.span(),
                format!("the nodes of the flow `{name}` are not in `flow! {{ … }}`"),
                format!("write `flow! {{ {text} }}`"),
            );
            return None;
        }
    }
    let help = match has_flow(block.to_token_stream()) {
        true => {
            "write the `flow! { … }` alone: what is to be computed goes into nodes, and an attribute that changes the body, such as `#[tokio::main]`, belongs to another function"
        }
        false => {
            "write the flow and nothing else, `flow! { first -> second }`: what is to be computed goes into nodes"
        }
    };
    errors.error(
        block
            .stmts
            .first()
            .map_or_else(|| name.span(), Spanned::span),
        format!("the body of the flow `{name}` is not one `flow! {{ … }}`"),
        help,
    );
    None
}

/// Whether there is a `flow!` somewhere.
fn has_flow(tokens: TokenStream) -> bool {
    let mut is_flow = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) if has_flow(group.stream()) => return true,
            TokenTree::Punct(sign) if is_flow && sign.as_char() == '!' => return true,
            token => is_flow = matches!(token, TokenTree::Ident(ident) if ident == "flow"),
        }
    }
    false
}
