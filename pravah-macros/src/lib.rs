//! The attributes and the flow language of Pravah.

mod diag;
mod dsl;
mod expand;
mod options;

use proc_macro::TokenStream;
use quote::{ToTokens, quote};
use syn::{Item, ItemEnum, ItemFn, parse_macro_input};

use crate::{diag::Diagnostics, expand::function::Function};

/// Makes a struct or enum a flow state.
#[proc_macro_attribute]
pub fn state(options: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as Item);
    let mut errors = Diagnostics::default();
    let manual = options::state_manual(options.into(), &mut errors);
    let code = expand::state::expand(item, &manual, &mut errors);
    finish(code, errors)
}

/// Makes an enum of states what a node chooses between.
#[proc_macro_attribute]
pub fn choice(options: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as ItemEnum);
    let mut errors = Diagnostics::default();
    options::nothing(options.into(), "choice", &mut errors);
    let code = expand::choice::expand(item, &mut errors);
    finish(code, errors)
}

/// Makes a function a node.
#[proc_macro_attribute]
pub fn node(options: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as ItemFn);
    let mut errors = Diagnostics::default();
    let policy = options::NodeOptions::parse(options.into(), &mut errors);
    let code = of_function(item, &mut errors, |function, _| {
        expand::node::expand(&function, &policy)
    });
    finish(code, errors)
}

/// Makes a function a gate.
#[proc_macro_attribute]
pub fn gate(options: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as ItemFn);
    let mut errors = Diagnostics::default();
    let options = options::GateOptions::parse(options.into(), item.sig.ident.span(), &mut errors);
    let code = of_function(item, &mut errors, |function, errors| match &options {
        Some(options) => expand::gate::expand(function, options, errors),
        None => function.broken(),
    });
    finish(code, errors)
}

/// Makes a function or a struct an agent.
#[proc_macro_attribute]
pub fn agent(options: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as Item);
    let mut errors = Diagnostics::default();
    let code = match item {
        Item::Fn(item) => {
            let options =
                options::AgentOptions::parse(options.into(), item.sig.ident.span(), &mut errors);
            of_function(item, &mut errors, |function, errors| match &options {
                Some(options) => expand::agent::function(&function, options, errors),
                None => function.broken(),
            })
        }
        Item::Struct(item) => {
            match options::AgentOptions::parse(options.into(), item.ident.span(), &mut errors) {
                Some(options) => expand::agent::structure(item, &options, &mut errors),
                None => expand::state::expand(Item::Struct(item), &[], &mut errors),
            }
        }
        item => {
            errors.error(
                syn::spanned::Spanned::span(&item),
                "an agent is a function or a struct",
                "put `#[agent]` above the function that writes the prompt, or the struct that is it",
            );
            item.to_token_stream()
        }
    };
    finish(code, errors)
}

/// Makes a function a tool.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as ItemFn);
    let mut errors = Diagnostics::default();
    options::nothing(options.into(), "tool", &mut errors);
    let code = expand::tool::expand(item, &mut errors);
    finish(code, errors)
}

/// Makes a function a flow.
#[proc_macro_attribute]
pub fn flow(options: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as Item);
    let mut errors = Diagnostics::default();
    let named = options::flow_is_named(options.into(), &mut errors);
    let code = match &item {
        Item::Fn(item) => expand::flow::function(item, named, &mut errors),
        Item::Impl(item) => expand::flow::implementation(item, &mut errors),
        item => {
            errors.error(
                syn::spanned::Spanned::span(item),
                "a flow is a function or an `impl Flow`",
                "write `#[flow] fn name(input: In) -> Out { flow! { … } }`",
            );
            item.to_token_stream()
        }
    };
    finish(code, errors)
}

/// Expands a function that is in order; one that is not keeps its name, so that the flows that
/// name it say nothing.
fn of_function(
    item: ItemFn,
    errors: &mut Diagnostics,
    expand: impl FnOnce(Function, &mut Diagnostics) -> proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    let broken = expand::function::broken(&item);
    let before = errors.len();
    match Function::parse(item, errors) {
        Some(function) if errors.len() == before => {
            let code = expand(function, errors);
            if errors.len() == before { code } else { broken }
        }
        _ => broken,
    }
}

/// What was emitted, and the mistakes.
fn finish(code: proc_macro2::TokenStream, errors: Diagnostics) -> TokenStream {
    let errors = errors.into_tokens();
    quote!(#code #errors).into()
}
