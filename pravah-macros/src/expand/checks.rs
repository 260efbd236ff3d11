//! What the compiler is asked to check of a flow: that its nodes are nodes, in a function that is
//! never called, and everything else in free constants.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Ident, ext::IdentExt, spanned::Spanned};

use super::{
    constants::{Check, Constants},
    flow::read::Flow,
    hidden,
    numbers::check_number,
    private, private_at,
    topology::{alias, aliases},
};
use crate::dsl::{Arc, From, Graph, Node, NodeBody, NodeRef, Successor, To, ast::GroupKind};

/// The checks, and `node`, the flow as a node of others.
pub(crate) fn expand(flow: &Flow, graph: &Graph, node: &TokenStream) -> TokenStream {
    let topology = flow.topology();
    let scope = scope(flow, graph, &topology, 0);
    let name = Constants::default().name(&flow.name.to_string());
    quote! {
        const _: () = {
            // rustc takes a named constant that nobody uses for dead code, with all that is in it.
            #[allow(dead_code)]
            const #name: () = { #scope };
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
    let (net, faults, diagnosis) = (net_name(), faults_name(), diagnosis_name());
    let (node_count, arc_count) = (graph.nodes.len(), graph.arcs.len());
    let aliases = aliases(graph);
    let nodes = || graph.nodes.iter().enumerate();
    let are_nodes = nodes().filter_map(|(index, node)| is_node(index, node));
    let mut constants = Constants::default();
    for (index, node) in nodes() {
        list(flow, graph, index, node, depth, &mut constants);
    }
    let (on_loop, spelled_alike) = (graph.on_loop(), graph.spelled_alike());
    for (((index, node), on_loop), earlier) in nodes().zip(on_loop).zip(spelled_alike) {
        let pairs: Vec<_> = earlier.iter().map(|it| pair(*it, index)).collect();
        self::node(graph, (index, node), on_loop, &pairs, &mut constants);
    }
    for (index, arc) in graph.arcs.iter().enumerate() {
        edge(flow, graph, index, arc, depth > 0, &mut constants);
    }
    shared(graph, &mut constants);
    reach(flow, graph, &mut constants);
    if depth == 0 {
        names(flow, &mut constants);
        let what = format!("detached_tasks_of_{}", flow.name);
        constants.check(
            &what,
            "check_detached",
            flow.name.span(),
            &net.to_token_stream(),
        );
        let name = constants.name(&format!("lock_of_{}", flow.name));
        constants.extend(flow.upgrades.check(&net, &name, flow.is_named));
    }
    let ends = (depth == 0).then(|| ends(flow, graph));
    let constants = constants.written();
    quote! {
        #(#aliases)*
        #[allow(dead_code)]
        fn __pravah_nodes() {
            #[allow(unused_imports)]
            use #private::is_node as __pravah_is_node;
            #(#are_nodes)*
        }
        // Statics, for the reason in `topology::net`.
        static #net: &#private::Topology = { #ends #topology };
        static #faults: #private::Faults<#node_count, #arc_count> = #private::Faults::of(#net);
        static #diagnosis: &#private::Diagnosis = &#faults.diagnosis(#net);
        #constants
    }
}

fn is_node(index: usize, node: &Node) -> Option<TokenStream> {
    let NodeBody::Node(name) = &node.body else {
        return None;
    };
    let span = name.span;
    let alias = Ident::new(&hidden("Node", index).to_string(), span);
    Some(quote!(__pravah_is_node::<#alias>();))
}

/// That the flow starts and ends with states, where no node at that end is reported for it. In a closure,
/// which nobody calls, the check is part of the constant that it is in: that has no value if it fails, and
/// what is found out from it stays unsaid.
fn ends(flow: &Flow, graph: &Graph) -> TokenStream {
    let private = private();
    let first = graph.arcs.iter().find_map(|arc| match (arc.from, arc.to) {
        (From::Input, To::Node(node)) => Some(node),
        _ => None,
    });
    let last = graph.arcs.iter().find_map(|arc| match (arc.from, arc.to) {
        (From::Output(node, _), To::Done) => Some(node),
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
fn list(
    flow: &Flow,
    graph: &Graph,
    index: usize,
    node: &Node,
    depth: usize,
    constants: &mut Constants,
) {
    let NodeBody::Each { inner, limit } = &node.body else {
        return;
    };
    let net = net_name();
    let chain = quote!(#net.chain(#index));
    if let Some(first) = inner.nodes.first() {
        let what = format!("item_of_{}", inner.name(0));
        constants.check(&what, "check_list_start", first.span, &chain);
    }
    let limit = limit.as_ref();
    constants.extend(limit.and_then(|limit| check_number(limit, "check_list_limit", "u32")));
    // Inside, the chain is the net.
    let around = hidden(&format!("CHAIN{depth}_"), index);
    let private = private();
    let inside = scope(flow, inner, &quote!(#around), depth + 1);
    let name = constants.name(&graph.name(index));
    constants.extend([quote! {
        const #around: &#private::Topology = #chain;
        const #name: () = { #inside };
    }]);
}

/// The static that the checks of a net read.
fn net_name() -> Ident {
    Ident::new("__pravah_NET", Span::mixed_site())
}

/// The static that holds what is wrong with the arcs and nodes of a net.
fn faults_name() -> Ident {
    Ident::new("__pravah_FAULTS", Span::mixed_site())
}

/// The static that holds what is wrong with a net.
fn diagnosis_name() -> Ident {
    Ident::new("__pravah_DIAGNOSIS", Span::mixed_site())
}

/// One edge, labelled at the token that it leads to. The first edge into a node is checked in the node's constant, since
/// each constant costs rustc time; edges into a `join` are checked with the `join`.
fn edge(
    flow: &Flow,
    graph: &Graph,
    index: usize,
    arc: &Arc,
    is_list: bool,
    constants: &mut Constants,
) {
    let (what, check) = match (arc.to, is_list) {
        (To::Node(node), _) => match graph.nodes.get(node) {
            Some(to @ Node { join: None, .. })
                if first_edge(graph, to).is_none_or(|(first, _)| first != index) =>
            {
                (format!("edge_to_{}", graph.name(node)), "check_edge")
            }
            Some(_) | None => return,
        },
        (To::Done, false) => {
            let check = match arc.says_done {
                true => "check_done",
                false => "check_end",
            };
            (format!("end_of_{}", flow.name), check)
        }
        (To::Done, true) => ("end_of_the_list".to_owned(), "check_list_end"),
    };
    let diagnosis = diagnosis_name();
    constants.check(&what, check, arc.span, &quote!(#diagnosis, #index));
}

/// The first arc into a node that is in no `join`, with the token that it leads to.
fn first_edge(graph: &Graph, node: &Node) -> Option<(usize, Span)> {
    let mut arcs = node.slots.iter().flatten().filter(|_| node.join.is_none());
    let index = *arcs.next()?;
    Some((index, graph.arcs.get(index)?.span))
}

/// The first arcs of branches that may all get one state.
fn shared(graph: &Graph, constants: &mut Constants) {
    let net = net_name();
    let is_forked_input = graph.inputs().len() > 1;
    for (index, arc) in graph.arcs.iter().enumerate() {
        let is_shared = match arc.from {
            From::Input => is_forked_input,
            From::Output(node, _) => graph.nodes.get(node).is_some_and(|node| {
                matches!(node.successor, Successor::Group(GroupKind::Fork, ..))
            }),
            From::Failure(_) => false,
        };
        if is_shared {
            let what = match arc.to {
                To::Node(node) => format!("branch_to_{}", graph.name(node)),
                To::Done => "branch_to_done".to_owned(),
            };
            constants.check(&what, "check_shared", arc.span, &quote!(#net, #index));
        }
    }
}

/// One node: what leads to it, what it takes and what follows it. A `join` and a group of branches have tokens, and so
/// constants, of their own. The edge comes first: while it is wrong, what else is wrong with the node is not reported.
/// Before it `pairs` say of the node whether it is an earlier one too.
fn node(
    graph: &Graph,
    (index, node): (usize, &Node),
    on_loop: bool,
    pairs: &[TokenStream],
    constants: &mut Constants,
) {
    let (name, span) = (graph.name(index), node.span);
    let (net, diagnosis) = (net_name(), diagnosis_name());
    let (of_net, of_node) = (quote!(#net, #index), quote!(#diagnosis, #index));
    let edge = first_edge(graph, node);
    let edge = edge.map(|(arc, span)| (span, quote!(#diagnosis, #arc)));
    let edge = edge
        .as_ref()
        .map(|(span, of_arc)| ("check_edge", *span, of_arc));
    let pairs = pairs.iter().map(|pair| ("check_spelling", span, pair));
    let mut at_name: Vec<Check<'_>> = pairs.chain(edge).collect();
    // A node that runs once at most has no use for `max_visits`.
    let must_have_no_limit = !on_loop && matches!(node.body, NodeBody::Node(_));
    let sides = [successor(node), arcs(node)];
    if must_have_no_limit && sides.iter().all(|(_, own)| own.is_none()) {
        at_name.push(("check_node", span, &of_node));
    } else {
        for (check, own) in sides {
            match own {
                Some((what, span)) => {
                    constants.check(&format!("{what}_{name}"), check, span, &of_node);
                }
                None => at_name.push((check, span, &of_node)),
            }
        }
        if must_have_no_limit {
            at_name.push(("check_no_limit", span, &of_net));
        }
    }
    if !at_name.is_empty() {
        constants.checks(&format!("node_{name}"), &at_name);
    }
}

/// What says of two nodes whether they are one, and which they are.
fn pair(earlier: usize, index: usize) -> TokenStream {
    let (private, net) = (private(), net_name());
    let (one, other) = (hidden("Node", earlier), hidden("Node", index));
    let is_one = quote!({
        #[allow(unused_imports)]
        use #private::TwoNodes as _;
        #private::NodePair::<#one, #other>::IS_ONE
    });
    quote!(#is_one, #net, #earlier, #index)
}

/// The check of one side of a node; where that has a token of its own also this, and what the constant at it is called.
type Side = (&'static str, Option<(&'static str, Span)>);

/// What follows a node: a group has a token of its own.
fn successor(node: &Node) -> Side {
    match &node.successor {
        Successor::Group(GroupKind::Either, span, _) => {
            ("check_either", Some(("either_after", *span)))
        }
        Successor::Group(GroupKind::Fork, span, _) => ("check_fork", Some(("fork_after", *span))),
        Successor::One(_) | Successor::End => ("check_one", None),
    }
}

/// What leads to a node: a `join` has a token of its own.
fn arcs(node: &Node) -> Side {
    ("check_arcs", node.join.map(|span| ("join_of", span)))
}

/// What each node reaches, in a flow that says `only(…)`, labelled where the flow names it; what is in a list
/// is checked there.
fn reach(flow: &Flow, graph: &Graph, constants: &mut Constants) {
    let Some(only) = &flow.only else {
        return;
    };
    let private = private();
    let name = flow.name.unraw().to_string();
    let words: Vec<String> = only.iter().map(ToString::to_string).collect();
    let words = words.join(", ");
    let all = only.iter().map(|word| {
        let word = Ident::new(&word.to_string().to_uppercase(), word.span());
        quote!(.and(#private::Capabilities::#word))
    });
    let all = quote!(#private::Capabilities::NONE #(#all)*);
    let net = net_name();
    for (index, node) in graph.nodes.iter().enumerate() {
        if matches!(node.body, NodeBody::Node(_)) {
            let what = format!("reach_of_{}", graph.name(index));
            let arguments = quote!(#name, #net, #index, #all, #words);
            constants.check(&what, "check_only", node.span, &arguments);
        }
    }
}

/// One type for each name.
fn names(flow: &Flow, constants: &mut Constants) {
    let private = private();
    let name = flow.name.unraw().to_string();
    let net = net_name();
    let span = flow.name.span();
    let check = Ident::new("__pravah_check_names", span);
    let size = quote!({ #private::names_size(#net) });
    let call = quote_spanned!(span=> #check::<#size>(#name, #net));
    let constant = constants.name(&format!("names_in_{name}"));
    constants.extend([quote! {
        const #constant: () = {
            use #private::check_names as #check;
            #call
        };
    }]);
}
