//! What attributes accept, and what they say of the rest.

mod agent;
mod docs;
mod entries;
mod node;
mod tool;

use proc_macro2::{Span, TokenStream};

use super::{AgentOptions, GateOptions, NodeOptions, Policy};
use crate::diag::Diagnostics;

fn tokens(options: &str) -> TokenStream {
    options.parse().expect("options are Rust tokens")
}

/// Reads options that are in order.
#[track_caller]
fn read<T>(options: &str, parse: impl Fn(TokenStream, &mut Diagnostics) -> T) -> T {
    let mut errors = Diagnostics::default();
    let read = parse(tokens(options), &mut errors);
    assert_eq!(errors.shown(), Vec::<String>::new(), "{options}");
    read
}

/// Reads options with one mistake: labelled at `label`, saying `fact`.
#[track_caller]
fn refuses<T>(
    options: &str,
    label: &str,
    fact: &str,
    parse: impl Fn(TokenStream, &mut Diagnostics) -> T,
) -> String {
    let mut errors = Diagnostics::default();
    parse(tokens(options), &mut errors);
    let shown = errors.shown();
    let [one] = shown.as_slice() else {
        panic!("{options}: {shown:#?}")
    };
    assert!(
        one.starts_with(&format!("{label}: {fact}")),
        "{options}: {one:?}"
    );
    one.clone()
}

fn node(options: TokenStream, errors: &mut Diagnostics) -> Policy {
    let function = syn::parse_quote!(async fn fetch(url: Url) -> Page);
    NodeOptions::parse(options, &function, errors).policy
}

fn node_without_async(options: TokenStream, errors: &mut Diagnostics) -> Policy {
    let function = syn::parse_quote!(fn fetch(url: Url) -> Page);
    NodeOptions::parse(options, &function, errors).policy
}

fn agent(options: TokenStream, errors: &mut Diagnostics) -> Option<AgentOptions> {
    let function: syn::ItemFn = syn::parse_quote! {
        #[doc = "You triage."]
        fn triage(ticket: &Ticket) -> String { ticket.text.clone() }
    };
    AgentOptions::parse(options, &function, errors)
}

fn gate(options: TokenStream, errors: &mut Diagnostics) -> Option<GateOptions> {
    GateOptions::parse(options, Span::call_site(), errors)
}
