//! What the compiler is asked to check of a flow: that its nodes are nodes, in a function that is
//! never called, and everything else in free constants.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Ident, ext::IdentExt, spanned::Spanned};

use super::{
    capabilities::check_only,
    constant,
    flow::Flow,
    hidden,
    node::check_number,
    private, private_at,
    topology::{alias, aliases},
};
use crate::dsl::{Arc, From, Graph, Node, NodeBody, NodeRef, Successor, To, ast::GroupKind};

/// The checks, and `node`, the flow as a node of others.
pub(crate) fn expand(flow: &Flow, graph: &Graph, node: &TokenStream) -> TokenStream {
    let topology = flow.topology();
    let scope = scope(flow, graph, &topology, 0);
    quote! {
        const _: () = {
            #scope
            #node
        };
    }
}

/// Aliases and the node alone, for a flow that was reported.
pub(crate) fn broken<'a>(
    nodes: impl Iterator<Item = &'a NodeRef>,
    node: &TokenStream,
) -> TokenStream {
    let aliases = nodes.enumerate().map(|(index, node)| alias(index, node));
    quote! {
        const _: () = { #(#aliases)* };
        #node
    }
}

/// The checks of one net: the flow's, or that of a list's chain, which is a block inside.
fn scope(flow: &Flow, graph: &Graph, topology: &TokenStream, depth: usize) -> TokenStream {
    let private = private();
    let (net, diagnosis) = (net_name(), diagnosis_name());
    let (node_count, arc_count) = (graph.nodes.len(), graph.arcs.len());
    let aliases = aliases(graph);
    let nodes = || graph.nodes.iter().enumerate();
    let are_nodes = nodes().filter_map(|(index, node)| is_node(index, node));
    let lists = nodes().filter_map(|(index, node)| list(flow, index, node, depth));
    let branches = nodes().map(|(index, node)| branches(index, node));
    let arcs = graph.arcs.iter().enumerate();
    let edges = arcs.filter_map(|(index, arc)| edge(graph, index, arc, depth > 0));
    let shared = shared(graph);
    let joins = nodes().map(|(index, node)| {
        let span = node.join.unwrap_or(node.span);
        constant("check_arcs", span, &quote!(#diagnosis, #index))
    });
    let limits = limits(graph);
    let only = check_only(flow, graph);
    let names = (depth == 0).then(|| names(flow));
    let ends = (depth == 0).then(|| ends(flow, graph));
    quote! {
        #(#aliases)*
        #[allow(dead_code)]
        fn __pravah_nodes() { #(#are_nodes)* }
        const #net: &#private::Topology = { #ends #topology };
        const #diagnosis: &#private::Diagnosis = &{
            const FAULTS: &#private::Faults<#node_count, #arc_count> = &#private::Faults::of(#net);
            FAULTS.diagnosis(#net)
        };
        #(#lists)*
        #(#branches)*
        #(#edges)*
        #(#shared)*
        #(#joins)*
        #(#limits)*
        #(#only)*
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
            let net = net_name();
            constant("check_no_limit", node.span, &quote!(#net, #index))
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

/// That the flow starts and ends with states, where no node at that end has been told so. In a closure,
/// which nobody calls, the check is part of the constant that it is in: that has no value if it fails, and
/// what is found out from it stays unsaid.
fn ends(flow: &Flow, graph: &Graph) -> TokenStream {
    let private = private();
    let first = graph.arcs.iter().find_map(|arc| match (arc.from, arc.to) {
        (From::Input, To::Node(node)) => Some(node),
        _ => None,
    });
    let last = graph.arcs.iter().find_map(|arc| match (arc.from, arc.to) {
        (From::Way(node, _), To::Done) => Some(node),
        _ => None,
    });
    let [start, end] =
        [(&flow.input, "start", first), (&flow.output, "end", last)].map(|(ty, end, node)| {
            let node = match node.map(|node| (node, graph.nodes.get(node).map(|node| &node.body))) {
                Some((node, Some(NodeBody::Node(_)))) => hidden("Node", node).to_token_stream(),
                _ => quote!(#private::Missing),
            };
            let (span, end) = (ty.span(), Ident::new(end, ty.span()));
            let private = private_at(span);
            quote_spanned!(span=> (&&&#private::#end::<#ty, #node>()).check();)
        });
    quote! {
        #[allow(unused_imports)]
        use #private::{KnownState as _, ReportedAtNode as _, ReportHere as _};
        let _ = || {
            #start
            #end
        };
    }
}

/// The checks of a list, and of the chain in it.
fn list(flow: &Flow, index: usize, node: &Node, depth: usize) -> Option<TokenStream> {
    let NodeBody::Each { inner, limit } = &node.body else {
        return None;
    };
    let net = net_name();
    let chain = quote!(#net.chain(#index));
    let start = inner.nodes.first();
    let start = start.map(|first| constant("check_list_start", first.span, &chain));
    let limit = limit.as_ref();
    let limit = limit.and_then(|limit| check_number(limit, "check_list_limit", "u32"));
    // Inside, the chain is the net.
    let around = hidden(&format!("CHAIN{depth}_"), index);
    let private = private();
    let inside = scope(flow, inner, &quote!(#around), depth + 1);
    Some(quote! {
        #start
        #limit
        const #around: &#private::Topology = #chain;
        const _: () = { #inside };
    })
}

/// The constant that the checks of a net look things up in.
pub(super) fn net_name() -> Ident {
    Ident::new("__pravah_NET", Span::mixed_site())
}

/// The constant that has what is wrong with a net.
fn diagnosis_name() -> Ident {
    Ident::new("__pravah_DIAGNOSIS", Span::mixed_site())
}

/// One edge, labelled at the token that it leads to. Those into a `join` are checked there.
fn edge(graph: &Graph, index: usize, arc: &Arc, is_list: bool) -> Option<TokenStream> {
    let check = match (arc.to, is_list) {
        (To::Node(node), _) if graph.nodes.get(node)?.join.is_some() => return None,
        (To::Node(_), _) => "check_edge",
        (To::Done, false) => "check_end",
        (To::Done, true) => "check_list_end",
    };
    let diagnosis = diagnosis_name();
    Some(constant(check, arc.span, &quote!(#diagnosis, #index)))
}

/// The first arcs of branches that may all get one state.
fn shared(graph: &Graph) -> impl Iterator<Item = TokenStream> {
    let is_forked_input = graph.inputs().len() > 1;
    let arcs = graph.arcs.iter().enumerate();
    let arcs = arcs.filter(move |(_, arc)| match arc.from {
        From::Input => is_forked_input,
        From::Way(node, _) => graph
            .nodes
            .get(node)
            .is_some_and(|node| matches!(node.successor, Successor::Group(GroupKind::Fork, ..))),
        From::Failure(_) => false,
    });
    arcs.map(|(index, arc)| {
        let net = net_name();
        constant("check_shared", arc.span, &quote!(#net, #index))
    })
}

/// As many branches as the node has outputs.
fn branches(index: usize, node: &Node) -> TokenStream {
    let diagnosis = diagnosis_name();
    let (check, span) = match &node.successor {
        Successor::Group(GroupKind::Either, span, _) => ("check_either", *span),
        Successor::Group(GroupKind::Fork, span, _) => ("check_fork", *span),
        Successor::One(_) | Successor::End => ("check_one", node.span),
    };
    constant(check, span, &quote!(#diagnosis, #index))
}

/// One type for each name.
fn names(flow: &Flow) -> TokenStream {
    let private = private();
    let name = flow.name.unraw().to_string();
    let net = net_name();
    let span = flow.name.span();
    let check = Ident::new("__pravah_check_names", span);
    let size = quote!({ #private::names_size(#net) });
    let call = quote_spanned!(span=> #check::<#size>(#name, #net));
    quote! {
        const _: () = {
            use #private::check_names as #check;
            #call
        };
    }
}
