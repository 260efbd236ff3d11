//! What the compiler is asked to check of a flow: that its nodes are nodes, in a function that is
//! never called, and everything else in free constants.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, ext::IdentExt, spanned::Spanned};

use super::{as_trait, build::renamed, constant, flow::Flow, hidden, node::check_number, private};
use crate::dsl::{Arc, From, Graph, Node, NodeBody, NodeRef, Successor, To, ast::GroupKind};

/// The checks, and `node`, the flow as a node of others, which may name the net.
pub(crate) fn expand(flow: &Flow, graph: &Graph, node: &TokenStream) -> TokenStream {
    let private = private();
    let scope = scope(flow, graph, Some(flow));
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use #private::NoInfo as _;
            #scope
            #node
        };
    }
}

/// Aliases and the node alone, for a flow that was reported.
pub(crate) fn aliases<'a>(
    nodes: impl Iterator<Item = &'a NodeRef>,
    node: &TokenStream,
) -> TokenStream {
    let aliases = nodes.enumerate().map(|(index, node)| alias(index, node));
    quote! {
        const _: () = { #(#aliases)* };
        #node
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
        .filter_map(|(index, node)| match &node.body {
            NodeBody::Node(name) => Some(alias(index, name)),
            NodeBody::Each { .. } => None,
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
        .map(|(index, node)| signature(flow, index, node));
    let failures = (0..graph.nodes.len()).filter_map(|index| failure(graph, index));
    let net = net(flow, graph, outer);
    let edges = graph
        .arcs
        .iter()
        .enumerate()
        .filter_map(|(index, arc)| edge(graph, index, arc, outer));
    let ways = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| ways(flow, graph, index, node));
    let arcs = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| arcs(index, node));
    let limits = limits(graph);
    let names = names(flow, outer);
    quote! {
        #(#aliases)*
        #(#signatures)*
        #(#failures)*
        #[allow(dead_code)]
        fn __pravah_nodes() { #(#are_nodes)* }
        #net
        #(#ways)*
        #(#edges)*
        #(#arcs)*
        #(#limits)*
        #names
    }
}

/// The nodes that run once at most, which have no use for `max_visits`.
fn limits(graph: &Graph) -> impl Iterator<Item = TokenStream> {
    let on_loop = graph.on_loop();
    let nodes = graph.nodes.iter().enumerate().zip(on_loop);
    nodes
        .filter(|((_, node), on_loop)| !on_loop && matches!(node.body, NodeBody::Node(_)))
        .map(|((index, node), _)| {
            let signature = signature_name(index);
            constant("check_no_limit", node.span, &quote!(#signature))
        })
}

fn is_node(index: usize, node: &Node) -> Option<TokenStream> {
    let NodeBody::Node(name) = &node.body else {
        return None;
    };
    let private = private();
    let span = name.span;
    let alias = Ident::new(&hidden("Node", index).to_string(), span);
    Some(quote!(#private::is_node::<#alias>();))
}

/// `const __pravah_SIGNATURE0`, by which the other checks name the node.
fn signature(flow: &Flow, index: usize, node: &Node) -> TokenStream {
    let private = private();
    let name = signature_name(index);
    match &node.body {
        NodeBody::Node(node) => {
            let alias = hidden("Node", index);
            let called = renamed(node).map(|name| quote!(.called(#name)));
            quote!(const #name: #private::Signature = #private::Info::<#alias>::SIGNATURE #called;)
        }
        NodeBody::Each { inner, limit } => {
            let scope = scope(flow, inner, None);
            let (entry, end) = (signature_name(0), inner_end(inner));
            let (end, way) = (signature_name(end.0), end.1);
            let names = hidden("EACH", index);
            let text = format!("each({})", inner.name(0));
            let net = net_name();
            let first = inner.nodes.first().map(|first| {
                let alias = match &first.body {
                    NodeBody::Node(node) => Some(&node.path),
                    NodeBody::Each { .. } => None,
                };
                alias.map(|path| {
                    let signature = quote!(#private::Info::<#path>::SIGNATURE);
                    constant("check_list_start", first.span, &signature)
                })
            });
            let limit = limit.as_ref();
            let limit = limit.and_then(|limit| check_number(limit, "check_list_limit", "u32"));
            quote! {
                #limit
                const #names: &#private::EachNames = {
                    #scope
                    &#private::EachNames::of(#net, #entry, #end, #way)
                };
                #first
                const #name: #private::Signature = #private::Signature {
                    name: #text,
                    params: &[#names.param(&[#names.input()])],
                    shape: #private::Shape::new(#private::ShapeKind::One, &[#names.output()]),
                    broken: #names.broken(),
                    contract: false,
                    limited: false,
                };
            }
        }
    }
}

/// `const __pravah_FAILURE0`, for a node that a `catch` follows.
fn failure(graph: &Graph, index: usize) -> Option<TokenStream> {
    let private = private();
    graph.nodes.get(index)?.catch?;
    let (name, signature) = (failure_name(index), signature_name(index));
    Some(quote! {
        const #name: &#private::FailureName = &#private::FailureName::of(#signature);
    })
}

fn failure_name(index: usize) -> Ident {
    hidden("FAILURE", index)
}

fn signature_name(index: usize) -> Ident {
    hidden("SIGNATURE", index)
}

/// The first end of a list's chain: its node and which of its outputs.
pub(super) fn inner_end(graph: &Graph) -> (usize, usize) {
    let end = graph.arcs.iter().find_map(|arc| match (arc.to, arc.from) {
        (To::Done, From::Way(node, way)) => Some((node, way)),
        _ => None,
    });
    end.unwrap_or_default()
}

/// `const __pravah_NET`, which the other checks look things up in.
fn net(flow: &Flow, graph: &Graph, outer: Option<&Flow>) -> TokenStream {
    let private = private();
    let nodes = graph.nodes.iter().enumerate().map(|(index, node)| {
        let (signature, (kind, ways)) = (signature_name(index), follows(graph, index));
        let (join, caught) = (node.join.is_some(), node.catch.is_some());
        let written = match &node.body {
            NodeBody::Node(node) => &*node.key,
            NodeBody::Each { .. } => "",
        };
        quote!(#private::NetNode {
            signature: #signature,
            written: #written,
            follows: #private::ShapeKind::#kind,
            ways: #ways,
            join: #join,
            caught: #caught,
        })
    });
    let arcs = graph.arcs.iter().map(|arc| {
        let carried = carried(flow, graph, arc, outer);
        let from = match arc.from {
            From::Input => quote!(::core::option::Option::None),
            From::Way(node, _) | From::Failure(node) => {
                quote!(::core::option::Option::Some(#node))
            }
        };
        let to = match (arc.to, outer) {
            (To::Node(node), _) => quote!(Node(#node)),
            (To::Done, Some(flow)) => {
                let output = state_ref(&flow.output);
                quote!(Done(#output))
            }
            (To::Done, None) => {
                let first = graph.arcs.iter().find(|arc| arc.to == To::Done);
                let first = first.map(|first| self::carried(flow, graph, first, outer));
                quote!(List(#first))
            }
        };
        quote!(#private::NetArc { carried: #carried, from: #from, to: #private::ArcEnd::#to })
    });
    let name = net_name();
    quote! {
        const #name: &#private::Net = &#private::Net { nodes: &[#(#nodes),*], arcs: &[#(#arcs),*] };
    }
}

/// The constant that `net` makes.
pub(super) fn net_name() -> Ident {
    Ident::new("__pravah_NET", Span::mixed_site())
}

/// One edge, labelled at the token that it leads to. Those into a `join` are checked there.
fn edge(graph: &Graph, index: usize, arc: &Arc, outer: Option<&Flow>) -> Option<TokenStream> {
    let check = match (arc.to, outer) {
        (To::Node(node), _) if graph.nodes.get(node)?.join.is_some() => return None,
        (To::Node(_), _) => "check_edge",
        (To::Done, Some(_)) => "check_end",
        (To::Done, None) => "check_list_end",
    };
    let net = net_name();
    Some(constant(check, arc.span, &quote!(#net, #index)))
}

fn is_group(graph: &Graph, node: usize) -> bool {
    matches!(
        graph.nodes.get(node).map(|node| &node.successor),
        Some(Successor::Group(..))
    )
}

/// What an arc brings.
fn carried(flow: &Flow, graph: &Graph, arc: &Arc, outer: Option<&Flow>) -> TokenStream {
    let private = private();
    match (arc.from, arc.to, outer) {
        (From::Input, _, Some(_)) => {
            let input = state_ref(&flow.input);
            quote!(#private::Carried::input(#input))
        }
        (From::Input, To::Node(node), None) => {
            let signature = signature_name(node);
            quote!(#private::Carried::item(#signature))
        }
        (From::Input, To::Done, None) => quote!(#private::Carried::NOTHING),
        (From::Way(node, way), ..) => {
            let (from, (kind, ways)) = (signature_name(node), follows(graph, node));
            let checked = is_group(graph, node).then(|| {
                let checked = hidden("CHECKED", node);
                quote!(.checked(#way, #checked))
            });
            quote!(#private::Carried::way(#from, #private::ShapeKind::#kind, #ways, #way) #checked)
        }
        (From::Failure(node), ..) => {
            let (from, name) = (signature_name(node), failure_name(node));
            quote!(#private::Carried::failure(#from, #name))
        }
    }
}

/// As many branches as the node has outputs.
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
    let net = net_name();
    let check = constant(check, span, &quote!(#net, #index, #branches));
    quote! {
        const #checked: usize =
            #private::checked_ways(#signature, #private::ShapeKind::#kind, #branches);
        #check
    }
}

fn one_way(graph: &Graph, index: usize, node: &Node) -> TokenStream {
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
    let net = net_name();
    constant("check_one", node.span, &quote!(#net, #index, #broken))
}

/// `<ty as IsState>::REF`, spanned at the type.
fn state_ref(ty: &syn::Type) -> TokenStream {
    let (state, span) = (as_trait(ty, "IsState"), ty.span());
    quote_spanned!(span=> #state::REF)
}

/// What follows a node: its kind, and how many branches.
fn follows(graph: &Graph, node: usize) -> (TokenStream, usize) {
    match graph.nodes.get(node).map(|node| &node.successor) {
        Some(Successor::Group(GroupKind::Either, _, arcs)) => (quote!(Choice), arcs.len()),
        Some(Successor::Group(GroupKind::Fork, _, arcs)) => (quote!(Fork), arcs.len()),
        _ => (quote!(One), 1),
    }
}

/// The arcs into a node against its parameters.
fn arcs(index: usize, node: &Node) -> TokenStream {
    let net = net_name();
    let slots = node.slots.iter().map(|slot| {
        let arcs = slot.iter().map(|arc| quote!(#net.carried(#arc)));
        quote!(&[#(#arcs),*])
    });
    let span = node.join.unwrap_or(node.span);
    constant("check_arcs", span, &quote!(#net, #index, &[#(#slots),*]))
}

/// One name for each type, one consumer for each state.
fn names(flow: &Flow, outer: Option<&Flow>) -> TokenStream {
    let private = private();
    let name = flow.name.unraw().to_string();
    let net = net_name();
    let ends = match outer {
        Some(flow) => {
            let (input, output) = (state_ref(&flow.input), state_ref(&flow.output));
            quote!(::core::option::Option::Some(#input), ::core::option::Option::Some(#output))
        }
        None => quote!(::core::option::Option::None, ::core::option::Option::None),
    };
    let arguments = quote!(#name, #net, #ends);
    let span = flow.name.span();
    let name = Ident::new("__pravah_check_names", span);
    let size = quote!({ #private::names_size(#net) });
    let call = quote_spanned!(span=> #name::<#size>(#arguments));
    quote! {
        const _: () = {
            use #private::check_names as #name;
            #call
        };
    }
}
