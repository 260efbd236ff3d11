//! What the compiler is asked to check of a flow: types of edges in functions that are never
//! called, everything else in free constants.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, ext::IdentExt, spanned::Spanned};

use super::{as_trait, flow::Flow, hidden, private};
use crate::dsl::{Arc, From, Graph, Node, NodeRef, Successor, To, What, ast::GroupKind};

/// So many edges are checked in one function: inferring one large function is slower than many
/// small ones.
const CHUNK: usize = 25;

pub(crate) fn expand(flow: &Flow, graph: &Graph) -> TokenStream {
    let private = private();
    let scope = scope(flow, graph, Some(flow));
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use #private::{
                KnownEach as _, KnownEnd as _, KnownFailure as _, KnownInput as _,
                KnownOutput as _, KnownStart as _, KnownWay as _, NoInfo as _, UnknownEach as _,
                UnknownEnd as _, UnknownFailure as _, UnknownInput as _, UnknownOutput as _,
                UnknownStart as _, UnknownWay as _,
            };
            #scope
        };
    }
}

/// Aliases alone, for a flow that was reported.
pub(crate) fn aliases<'a>(nodes: impl Iterator<Item = &'a NodeRef>) -> TokenStream {
    let aliases = nodes.enumerate().map(|(index, node)| alias(index, node));
    quote! {
        const _: () = { #(#aliases)* };
    }
}

pub(super) fn alias(index: usize, node: &NodeRef) -> TokenStream {
    let (name, path) = (hidden("Node", index), &node.path);
    quote!(#[allow(dead_code)] type #name = #path;)
}

/// The checks of one net; a list's chain is a block of its own inside.
fn scope(flow: &Flow, graph: &Graph, outer: Option<&Flow>) -> TokenStream {
    let aliases = graph
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(index, node)| match &node.what {
            What::Node(name) => Some(alias(index, name)),
            What::Each(_) => None,
        });
    let are_nodes = graph
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(index, node)| is_node(index, node));
    let signatures = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| signature(flow, graph, index, node));
    let edges = chunked(
        graph
            .arcs
            .iter()
            .filter_map(|arc| edge(flow, graph, arc, outer))
            .collect(),
    );
    let ways = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| ways(flow, graph, index, node));
    let arcs = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| arcs(flow, graph, index, node, outer));
    let names = names(flow, graph, outer);
    quote! {
        #(#aliases)*
        #(#signatures)*
        #[allow(dead_code)]
        fn __pravah_nodes() { #(#are_nodes)* }
        #edges
        #(#ways)*
        #(#arcs)*
        #names
    }
}

fn is_node(index: usize, node: &Node) -> Option<TokenStream> {
    let What::Node(name) = &node.what else {
        return None;
    };
    let private = private();
    let span = name.span;
    let alias = Ident::new(
        &hidden("Node", index).to_string(),
        span.resolved_at(Span::mixed_site()),
    );
    Some(quote!(#private::is_node::<#alias>();))
}

/// `const __pravah_SIGNATURE0`, by which the other checks name the node.
fn signature(flow: &Flow, _: &Graph, index: usize, node: &Node) -> TokenStream {
    let private = private();
    let name = signature_name(index);
    match &node.what {
        What::Node(_) => {
            let alias = hidden("Node", index);
            quote!(const #name: #private::Signature = #private::Info::<#alias>::SIGNATURE;)
        }
        What::Each(inner) => {
            let scope = scope(flow, inner, None);
            let (entry, end) = (signature_name(0), inner_end(inner));
            let (end, way) = (signature_name(end.0), end.1);
            let names = hidden("EACH", index);
            let text = format!("each({})", inner.name(0));
            quote! {
                const #names: &#private::EachNames = {
                    #scope
                    &#private::EachNames::of(#entry, #end, #way)
                };
                const #name: #private::Signature = #private::Signature {
                    name: #text,
                    params: &[#names.param(&[#names.input()])],
                    shape: #private::Shape::new(#private::ShapeKind::One, &[#names.output()]),
                    failure: #names.failure(),
                    broken: #names.broken(),
                };
            }
        }
    }
}

fn signature_name(index: usize) -> Ident {
    hidden("SIGNATURE", index)
}

/// The first end of a list's chain: its node and way.
pub(super) fn inner_end(graph: &Graph) -> (usize, usize) {
    let end = graph.arcs.iter().find_map(|arc| match (arc.to, arc.from) {
        (To::Done, From::Way(node, way)) => Some((node, way)),
        _ => None,
    });
    end.unwrap_or_default()
}

/// What a node is asked for its types: `(&probe::<N>())`, or the same of a list.
fn takes(graph: &Graph, index: usize, span: Span) -> TokenStream {
    let private = private();
    match graph.nodes.get(index).map(|node| &node.what) {
        Some(What::Each(inner)) => {
            let first = takes_in_list(inner, index, span);
            quote_spanned!(span=> #first.each())
        }
        _ => {
            let alias = hidden("Node", index);
            quote_spanned!(span=> (&#private::probe::<#alias>()).takes())
        }
    }
}

/// In parentheses a path is a type, whatever it names, and rustc says once what is wrong with it.
fn parenthesised(node: &NodeRef) -> TokenStream {
    let path = &node.path;
    quote!((#path))
}

/// The same of the first node of a list's chain, by its path: its alias is in another scope.
fn takes_in_list(inner: &Graph, _: usize, span: Span) -> TokenStream {
    let private = private();
    match inner.nodes.first().map(|node| &node.what) {
        Some(What::Node(node)) => {
            let path = parenthesised(node);
            quote_spanned!(span=> (&#private::probe::<#path>()).takes())
        }
        Some(What::Each(inner)) => takes_in_list(inner, 0, span),
        None => quote!(),
    }
}

/// What an arc carries.
fn carries(flow: &Flow, graph: &Graph, from: From, span: Span) -> TokenStream {
    let private = private();
    match from {
        From::Input => {
            let input = &flow.input;
            quote_spanned!(span=> (&#private::input::<#input>()).state())
        }
        From::Way(node, way) => match graph.nodes.get(node).map(|node| &node.what) {
            Some(What::Each(inner)) => {
                let given = given_in_list(inner, span);
                quote_spanned!(span=> (&#given).each())
            }
            _ => {
                let alias = hidden("Node", node);
                let gives = quote_spanned!(span=> (&#private::probe::<#alias>()).gives());
                match graph.nodes.get(node).map(|node| &node.successor) {
                    Some(Successor::Group(..)) => {
                        let checked = hidden("CHECKED", node);
                        quote_spanned!(span=> (&#gives.at::<#way, { #way < #checked }>()).way())
                    }
                    _ => quote_spanned!(span=> (&#gives.one()).way()),
                }
            }
        },
        From::Failure(node) => match graph.nodes.get(node).map(|node| &node.what) {
            Some(What::Each(inner)) => {
                let first = takes_in_list(inner, 0, span);
                quote_spanned!(span=> #first.each().failure())
            }
            _ => {
                let alias = hidden("Node", node);
                quote_spanned!(span=> (&#private::probe::<#alias>()).failure())
            }
        },
    }
}

fn given_in_list(inner: &Graph, span: Span) -> TokenStream {
    let private = private();
    let (node, way) = inner_end(inner);
    match inner.nodes.get(node).map(|node| &node.what) {
        Some(What::Node(node)) => {
            let path = parenthesised(node);
            quote_spanned!(span=> (&(&#private::probe::<#path>()).gives().at::<#way, true>()).way())
        }
        Some(What::Each(inner)) => {
            let given = given_in_list(inner, span);
            quote_spanned!(span=> (&#given).each())
        }
        None => quote!(),
    }
}

/// One edge. Those into a `join` are checked by a constant.
fn edge(flow: &Flow, graph: &Graph, arc: &Arc, outer: Option<&Flow>) -> Option<TokenStream> {
    let private = private();
    let span = arc.span;
    match arc.to {
        To::Node(node) => {
            if graph.nodes.get(node).is_none_or(|node| node.join.is_some()) {
                return None;
            }
            let takes = takes(graph, node, span);
            if arc.from == From::Input {
                outer?;
                let input = carries(flow, graph, arc.from, span);
                return Some(quote_spanned!(span=> #takes.start(#input);));
            }
            let carried = carries(flow, graph, arc.from, span);
            Some(quote_spanned!(span=> #takes.edge(#carried);))
        }
        To::Done => {
            let carried = carries(flow, graph, arc.from, span);
            match outer {
                Some(flow) => {
                    let output = &flow.output;
                    Some(quote_spanned!(span=> (&#private::output::<#output>()).end(#carried);))
                }
                None => {
                    let first = inner_end(graph);
                    if arc.from == From::Way(first.0, first.1) {
                        return None;
                    }
                    let first = carries(flow, graph, From::Way(first.0, first.1), span);
                    Some(quote_spanned!(span=> #carried.same(&#first);))
                }
            }
        }
    }
}

fn chunked(edges: Vec<TokenStream>) -> TokenStream {
    let functions = edges.chunks(CHUNK).enumerate().map(|(index, edges)| {
        let name = hidden("edges", index);
        quote!(#[allow(dead_code)] fn #name() { #(#edges)* })
    });
    quote!(#(#functions)*)
}

/// As many branches as the node has ways.
fn ways(flow: &Flow, graph: &Graph, index: usize, node: &Node) -> TokenStream {
    let private = private();
    let signature = signature_name(index);
    let (check, kind, span, arcs) = match &node.successor {
        Successor::Group(GroupKind::Either, span, arcs) => {
            ("check_either", quote!(Choice), *span, arcs)
        }
        Successor::Group(GroupKind::Fork, span, arcs) => ("check_fork", quote!(Fork), *span, arcs),
        Successor::One(_) | Successor::End => return one_way(graph, index, node),
    };
    let branches = arcs
        .iter()
        .filter_map(|arc| match graph.arcs.get(*arc)?.to {
            To::Node(node) => {
                let signature = signature_name(node);
                Some(quote!(#private::Branch::Node(#signature)))
            }
            To::Done => {
                let output = state_ref(&flow.output);
                Some(quote!(#private::Branch::Done(#output)))
            }
        });
    let (checked, branches) = (hidden("CHECKED", index), quote!(&[#(#branches),*]));
    let check = constant(check, span, &quote!(#signature, #branches));
    quote! {
        const #checked: usize =
            #private::checked_ways(#signature, #private::ShapeKind::#kind, #branches);
        #check
    }
}

fn one_way(graph: &Graph, index: usize, node: &Node) -> TokenStream {
    let signature = signature_name(index);
    let arc = match &node.successor {
        Successor::One(arc) => graph.arcs.get(*arc),
        _ => None,
    };
    // Behind a node that is broken the group may be on its way.
    let broken = match arc.map(|arc| arc.to) {
        Some(To::Node(next)) => {
            let next = signature_name(next);
            quote!(#next.broken)
        }
        Some(To::Done) | None => quote!(false),
    };
    constant("check_one", node.span, &quote!(#signature, #broken))
}

/// `<ty as IsState>::REF`, spanned at the type.
fn state_ref(ty: &syn::Type) -> TokenStream {
    let (state, span) = (as_trait(ty, "IsState"), ty.span());
    quote_spanned!(span=> #state::REF)
}

/// A free constant that calls `check`, labelled at `span` alone.
fn constant(check: &str, span: Span, arguments: &TokenStream) -> TokenStream {
    let imported = Ident::new(check, Span::call_site());
    let name = Ident::new(
        &format!("__pravah_{check}"),
        span.resolved_at(Span::mixed_site()),
    );
    let call = quote_spanned!(span=> #name(#arguments));
    quote! {
        const _: () = {
            use ::pravah_runtime::__private::#imported as #name;
            #call
        };
    }
}

/// What follows a node: its kind, and how many ways.
fn follows(graph: &Graph, node: usize) -> (TokenStream, usize) {
    match graph.nodes.get(node).map(|node| &node.successor) {
        Some(Successor::Group(GroupKind::Either, _, arcs)) => (quote!(Choice), arcs.len()),
        Some(Successor::Group(GroupKind::Fork, _, arcs)) => (quote!(Fork), arcs.len()),
        _ => (quote!(One), 1),
    }
}

/// The arcs into a node against its parameters.
fn arcs(
    flow: &Flow,
    graph: &Graph,
    index: usize,
    node: &Node,
    outer: Option<&Flow>,
) -> TokenStream {
    let private = private();
    let signature = signature_name(index);
    let slots = node.slots.iter().map(|slot| {
        let arcs = slot.iter().filter_map(|arc| {
            Some(match graph.arcs.get(*arc)?.from {
                From::Input => match outer {
                    Some(_) => {
                        let input = state_ref(&flow.input);
                        quote!(#private::Brought::input(#input))
                    }
                    None => quote!(#private::Brought::item(#signature)),
                },
                From::Way(node, way) => {
                    let (from, (kind, ways)) = (signature_name(node), follows(graph, node));
                    quote!(#private::Brought::way(#from, #private::ShapeKind::#kind, #ways, #way))
                }
                From::Failure(node) => {
                    let from = signature_name(node);
                    quote!(#private::Brought::failure(#from))
                }
            })
        });
        quote!(&[#(#arcs),*])
    });
    let join = node.join.is_some();
    let span = node.join.unwrap_or(node.span);
    constant(
        "check_arcs",
        span,
        &quote!(#signature, #join, &[#(#slots),*]),
    )
}

/// One name for each type, one consumer for each state.
fn names(flow: &Flow, graph: &Graph, outer: Option<&Flow>) -> TokenStream {
    let private = private();
    let name = flow.name.unraw().to_string();
    let signatures = (0..graph.nodes.len()).map(signature_name);
    // A node mentions a handful of states; what does not fit is not checked, so be generous.
    let size = (graph.nodes.len() * 16).next_power_of_two().max(64);
    let ends = match outer {
        Some(flow) => {
            let (input, output) = (state_ref(&flow.input), state_ref(&flow.output));
            quote!(::core::option::Option::Some(#input), ::core::option::Option::Some(#output))
        }
        None => quote!(::core::option::Option::None, ::core::option::Option::None),
    };
    let arguments = quote!(#name, &[#(#signatures),*], #ends);
    let span = flow.name.span();
    let name = Ident::new("__pravah_check_names", span.resolved_at(Span::mixed_site()));
    let call = quote_spanned!(span=> #name::<#size>(#arguments));
    quote! {
        const _: () = {
            use #private::check_names as #name;
            #call
        };
    }
}
