//! `TOPOLOGY`: the flow as data, from which its checks and its graph are made.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use syn::{Type, ext::IdentExt};

use super::{build::renamed, flow::read::Flow, hidden, private};
use crate::dsl::{
    Fork, From, Graph, Node, NodeBody, NodeRef, Successor, To,
    ast::GroupKind,
    order::{self, UnclearOrder},
    sound,
};

pub(crate) fn expand(flow: &Flow, graph: &Graph) -> TokenStream {
    let private = private();
    let name = flow.name.unraw().to_string();
    let (input, output) = (state_ref(&flow.input), state_ref(&flow.output));
    net(&name, graph, &quote!(#private::Ends::of(#input, #output)))
}

/// What is known of a type that is to be a state.
pub(super) fn state_ref(ty: &Type) -> TokenStream {
    let private = private();
    quote! {{
        #[allow(unused_imports)]
        use #private::NoState as _;
        #private::StateOf::<#ty>::REF
    }}
}

/// A type's own name for each node, by which everything else names it.
pub(super) fn aliases(graph: &Graph) -> impl Iterator<Item = TokenStream> {
    let nodes = graph.nodes.iter().enumerate();
    nodes.filter_map(|(index, node)| match &node.body {
        NodeBody::Node(name) => Some(alias(index, name)),
        NodeBody::Each { .. } => None,
    })
}

pub(super) fn alias(index: usize, node: &NodeRef) -> TokenStream {
    let (name, path) = (hidden("Node", index), &node.path);
    quote!(#[allow(dead_code)] type #name = #path;)
}

/// One net, with those of its lists inside.
fn net(name: &str, graph: &Graph, ends: &TokenStream) -> TokenStream {
    let private = private();
    let aliases = aliases(graph);
    let indices = 0..graph.nodes.len();
    let lists = indices.clone().filter_map(|index| list(graph, index));
    let failures = indices.filter_map(|index| failure(graph, index));
    let nodes = graph.nodes.iter().enumerate();
    let nodes = nodes.map(|(index, node)| self::node(graph, index, node));
    let arcs = graph.arcs.iter().map(|arc| {
        let from = match arc.from {
            From::Input => quote!(Input),
            From::Output(node, output) => quote!(Output { node: #node, output: #output }),
            From::Failure(node) => quote!(Failure { node: #node }),
        };
        let to = match arc.to {
            To::Node(node) => quote!(Node(#node)),
            To::Done => quote!(Done),
        };
        quote!(__PravahArc::new(__PravahFrom::#from, __PravahTo::#to))
    });
    let (node_count, arc_count) = (graph.nodes.len(), graph.arcs.len());
    let arcs_of = arcs_of(graph);
    let concurrency = sound::concurrency(graph);
    let forking = (!concurrency.is_empty()).then(|| {
        let concurrency = Literal::byte_string(&concurrency);
        quote!(.with_concurrency(#concurrency))
    });
    // Statics: rustc walks all that a constant refers to again for each constant that uses it.
    quote! {{
        // A long path to each of these costs rustc more than to import them once.
        #[allow(unused_imports)]
        use #private::{
            ArcFrom as __PravahFrom, ArcTo as __PravahTo, Info as __PravahInfo, NoInfo as _,
            ShapeKind as __PravahShape, TopologyArc as __PravahArc, TopologyNode as __PravahNode,
        };
        #(#aliases)*
        #(#lists)*
        #(#failures)*
        #arcs_of
        static NODES: [#private::TopologyNode; #node_count] = [#(#nodes),*];
        static ARCS: [#private::TopologyArc; #arc_count] = [#(#arcs),*];
        const ENDS: #private::Ends = #ends;
        static CARRIED: [#private::Carried; #arc_count] = #private::carried(&NODES, &ARCS, ENDS);
        static NET: #private::Topology =
            #private::Topology::new(#name, &NODES, &ARCS, &CARRIED, ENDS) #forking;
        &NET
    }}
}

/// `ARCS_OF`: the arcs of each node, whose numbers are written as bytes.
fn arcs_of(graph: &Graph) -> TokenStream {
    let private = private();
    let node_count = graph.nodes.len();
    let slots: Vec<&Vec<usize>> = graph.nodes.iter().flat_map(|node| &node.slots).collect();
    let branches: Vec<&[usize]> = graph.nodes.iter().map(branches).collect();
    let into: Vec<usize> = slots.iter().copied().flatten().copied().collect();
    let from: Vec<usize> = branches.iter().copied().flatten().copied().collect();
    let (slot_count, into_count, from_count) = (slots.len(), into.len(), from.len());
    let slot_lengths = bytes(slots.iter().map(|slot| slot.len()));
    let slots_per_node = bytes(graph.nodes.iter().map(|node| node.slots.len()));
    let branches_per_node = bytes(branches.iter().map(|arcs| arcs.len()));
    let [into, from] = [into, from].map(|arcs| bytes(arcs.into_iter()));
    quote! {
        static ARCS_INTO: [usize; #into_count] = #private::numbers_from_bytes(#into);
        static SLOTS: [&[usize]; #slot_count] =
            #private::split_by_lengths(&ARCS_INTO, #private::numbers_from_bytes(#slot_lengths));
        static SLOTS_OF: [&[&[usize]]; #node_count] =
            #private::split_by_lengths(&SLOTS, #private::numbers_from_bytes(#slots_per_node));
        static ARCS_FROM: [usize; #from_count] = #private::numbers_from_bytes(#from);
        static BRANCHES_OF: [&[usize]; #node_count] =
            #private::split_by_lengths(&ARCS_FROM, #private::numbers_from_bytes(#branches_per_node));
        const ARCS_OF: #private::ArcsOf = #private::ArcsOf {
            slots: &SLOTS_OF,
            branches: &BRANCHES_OF,
        };
    }
}

/// Numbers below 2^32, four bytes each, the lowest first.
fn bytes(numbers: impl Iterator<Item = usize>) -> Literal {
    let bytes: Vec<u8> = numbers
        .flat_map(|number| (number as u32).to_le_bytes())
        .collect();
    Literal::byte_string(&bytes)
}

fn node(graph: &Graph, index: usize, node: &Node) -> TokenStream {
    let signature = signature(graph, index);
    let follows = match &node.successor {
        Successor::Group(GroupKind::Either, ..) => quote!(Choice),
        Successor::Group(GroupKind::Fork, ..) => quote!(Fork),
        Successor::One(_) | Successor::End => quote!(One),
    };
    let id = graph.name(index);
    let written = match &node.body {
        NodeBody::Node(node) => &*node.key,
        NodeBody::Each { .. } => "",
    };
    let joined = node.join.is_some().then(|| quote!(.joined()));
    let caught = node.catch.is_some().then(|| {
        let failure = failure_name(index);
        quote!(.caught(#failure))
    });
    let unclear = unclear_orders(graph, index);
    let renamed_use = match is_last(graph, node) {
        true => graph.renamed_use(index),
        false => None,
    };
    let renamed_use = renamed_use.map(|name| quote!(.with_renamed_use(#name)));
    let alias_of = match &node.body {
        NodeBody::Node(node) if node.alias.is_some() => Some(node.path_text()),
        _ => None,
    };
    let alias_of = alias_of.map(|path| quote!(.alias_of(#path)));
    quote! {
        __PravahNode::new(
            [#id, #written],
            #signature,
            __PravahShape::#follows,
            ARCS_OF,
            #index,
        )
        #joined #unclear #caught #renamed_use #alias_of
    }
}

/// Whether nothing follows a node.
fn is_last(graph: &Graph, node: &Node) -> bool {
    match node.successor {
        Successor::End => true,
        Successor::One(arc) => graph.arcs.get(arc).is_some_and(|arc| arc.to == To::Done),
        Successor::Group(..) => false,
    }
}

/// The arcs of the branches of a node, or the one that leads on.
fn branches(node: &Node) -> &[usize] {
    match &node.successor {
        Successor::Group(_, _, arcs) => arcs,
        Successor::One(arc) => std::slice::from_ref(arc),
        Successor::End => &[],
    }
}

/// The slots of a node that forks fill in different orders.
fn unclear_orders(graph: &Graph, node: usize) -> Option<TokenStream> {
    let private = private();
    let unclear = order::unclear_orders(graph, node);
    let orders = unclear.iter().map(|UnclearOrder { slots, orders }| {
        let orders = orders.map(|order| {
            let fork = match order.fork {
                Fork::Input => quote!(::core::option::Option::None),
                Fork::After(node) => quote!(::core::option::Option::Some(#node)),
            };
            let [before, after] = order.arcs;
            quote!((#fork, [#before, #after]))
        });
        let ([one, other], [first, second]) = (slots, orders);
        quote!(#private::UnclearOrder::new([#one, #other], [#first, #second]))
    });
    (!unclear.is_empty()).then(|| quote!(.of_unclear_order(&[#(#orders),*])))
}

/// The signature of a node, as this net calls it.
fn signature(graph: &Graph, index: usize) -> TokenStream {
    let private = private();
    match graph.nodes.get(index).map(|node| &node.body) {
        Some(NodeBody::Node(node)) => {
            let alias = hidden("Node", index);
            let called = renamed(node).map(|name| quote!(.called(#name)));
            quote!(__PravahInfo::<#alias>::SIGNATURE #called)
        }
        Some(NodeBody::Each { .. }) => {
            let (list, name) = (list_name(index), graph.name(index));
            quote! {
                #list.signature(#name, &[#list.param(&[#list.input()])], &[#list.output()])
            }
        }
        None => quote!(#private::Signature::BROKEN),
    }
}

/// The chain of a list, and the names of what the list takes and returns.
fn list(graph: &Graph, index: usize) -> Option<TokenStream> {
    let NodeBody::Each { inner, .. } = &graph.nodes.get(index)?.body else {
        return None;
    };
    let private = private();
    let (chain, list) = (chain_name(index), list_name(index));
    let net = net(&graph.name(index), inner, &quote!(#private::Ends::NONE));
    Some(quote! {
        const #chain: &#private::Topology = #net;
        const #list: &#private::EachNames = &#private::EachNames::of(#chain);
    })
}

/// The failure of a node that a `catch` follows.
fn failure(graph: &Graph, index: usize) -> Option<TokenStream> {
    graph.nodes.get(index)?.catch?;
    let private = private();
    let (name, signature) = (failure_name(index), signature(graph, index));
    Some(quote! {
        const #name: &#private::FailureName = &#private::FailureName::of(#signature);
    })
}

fn chain_name(index: usize) -> Ident {
    hidden("CHAIN", index)
}

fn list_name(index: usize) -> Ident {
    hidden("LIST", index)
}

fn failure_name(index: usize) -> Ident {
    hidden("FAILURE", index)
}
