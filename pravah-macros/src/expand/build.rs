//! The body of `build`: the nodes, linked.

use proc_macro2::TokenStream;
use quote::quote;

use super::{flow::read::Flow, numbers::number, private};
use crate::dsl::{From, Graph, Node, NodeBody, NodeRef, To};

pub(crate) fn expand(flow: &Flow, graph: &Graph) -> TokenStream {
    let private = private();
    let topology = flow.topology();
    let nodes = specs(graph, &topology);
    let fail_fast = (!flow.fail_fast).then(|| quote!(.map(|graph| graph.with_fail_fast(false))));
    let upgrades = flow.upgrades.of_graph();
    quote! {
        #[allow(unused_imports)]
        use #private::{
            Info as __PravahInfo, KnownCatch as _, KnownEach as _, KnownInput as _, KnownList as _,
            KnownOutput as _, KnownBranch as _, NoInfo as _, UnknownCatch as _, UnknownEach as _,
            UnknownInput as _, UnknownList as _, UnknownOutput as _, UnknownBranch as _,
        };
        // In a function without the bounds of the impl, under which every constant would be evaluated again.
        fn __pravah_build() -> ::core::result::Result<#private::FlowGraph, #private::FlowError> {
            #private::graph_of_flow(#nodes, #topology) #fail_fast #upgrades
        }
        __pravah_build()
    }
}

/// The nodes, each made by a function of its own: one large function would compile slowly.
fn specs(graph: &Graph, topology: &TokenStream) -> TokenStream {
    let private = private();
    let nodes = graph.nodes.iter().enumerate();
    let nodes = nodes.map(|(index, node)| spec(index, node, topology));
    quote!(#private::specs(&[#(#nodes),*]))
}

/// What a node is called in this flow, if it is not its own name.
pub(super) fn renamed(node: &NodeRef) -> Option<&str> {
    node.is_renamed().then_some(node.name.as_str())
}

/// The function that makes a node.
fn spec(index: usize, node: &Node, topology: &TokenStream) -> TokenStream {
    let private = private();
    match &node.body {
        NodeBody::Node(name) => {
            // In parentheses it is a type, whatever it names, and rustc says so once.
            let path = &name.path;
            let spec = quote!(__PravahInfo::<(#path)>::SPEC);
            let named = renamed(name).map(|name| quote!(.named(#name)));
            match (&node.catch, &named) {
                (None, None) => spec,
                (None, Some(_)) => quote!(|| #spec() #named),
                (Some(_), _) => quote!(|| (&#private::probe::<(#path)>()).caught() #named),
            }
        }
        NodeBody::Each { inner, limit } => {
            let id = format!("each({})", inner.name(0));
            let takes = first(inner);
            let end = last(inner);
            let chain = quote!(#topology.chain(#index));
            let nodes = specs(inner, &chain);
            let limit = limit.as_ref().map(|limit| {
                let limit = number(limit, "u32");
                quote!(.limit(#limit))
            });
            let list = quote! {
                (&#takes).list(#end, #id, |input, output| {
                    #private::graph_of_chain(input, output, #nodes, #chain)
                }) #limit
            };
            match node.catch {
                Some(_) => quote!(|| #list.caught_list()),
                None => quote!(|| #list),
            }
        }
    }
}

/// What the first node of a list's chain takes.
fn first(inner: &Graph) -> TokenStream {
    let private = private();
    match inner.nodes.first().map(|node| &node.body) {
        Some(NodeBody::Node(node)) => {
            let path = &node.path;
            quote!((&#private::probe::<(#path)>()).takes())
        }
        Some(NodeBody::Each { inner, .. }) => {
            let first = first(inner);
            quote!(#first.each())
        }
        None => quote!(),
    }
}

/// What the chain's end returns.
fn last(inner: &Graph) -> TokenStream {
    let private = private();
    let (node, output) = inner_end(inner);
    match inner.nodes.get(node).map(|node| &node.body) {
        Some(NodeBody::Node(node)) => {
            let path = &node.path;
            quote!((&(&#private::probe::<(#path)>()).returns().at::<#output>()).branch())
        }
        Some(NodeBody::Each { inner, .. }) => {
            let last = last(inner);
            quote!((&#last).each())
        }
        None => quote!(),
    }
}

/// The first end of a list's chain: its node and which of its outputs.
fn inner_end(graph: &Graph) -> (usize, usize) {
    let end = graph.arcs.iter().find_map(|arc| match (arc.to, arc.from) {
        (To::Done, From::Output(node, output)) => Some((node, output)),
        _ => None,
    });
    end.unwrap_or_default()
}
