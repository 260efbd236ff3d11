//! `TOPOLOGY`: the flow as data.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::{checks::alias, flow::Flow, hidden, private};
use crate::dsl::{From, Graph, NodeBody, To};

pub(crate) fn expand(flow: &Flow, graph: &Graph) -> TokenStream {
    let name = flow.name.unraw().to_string();
    net(&name, graph)
}

fn net(name: &str, graph: &Graph) -> TokenStream {
    let private = private();
    let aliases = graph
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(index, node)| match &node.body {
            NodeBody::Node(name) => Some(alias(index, name)),
            NodeBody::Each { .. } => None,
        });
    let nodes = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| match &node.body {
            NodeBody::Node(name) => {
                let (alias, id) = (hidden("Node", index), &name.name);
                quote!(#private::TopologyNode::new(
                    #id,
                    #private::Info::<#alias>::TOPOLOGY,
                    #private::Info::<#alias>::SIGNATURE.shape.states,
                ))
            }
            NodeBody::Each { inner, .. } => {
                let id = graph.name(index);
                let inside = net(&id, inner);
                quote!(#private::TopologyNode::new(#id, ::core::option::Option::Some(#inside), &[]))
            }
        });
    let arcs = graph.arcs.iter().map(|arc| {
        let from = match arc.from {
            From::Input => quote!(#private::ArcFrom::Input),
            From::Way(node, way) => quote!(#private::ArcFrom::Output { node: #node, output: #way }),
            From::Failure(node) => quote!(#private::ArcFrom::Failure { node: #node }),
        };
        let to = match arc.to {
            To::Node(node) => quote!(#private::ArcTo::Node(#node)),
            To::Done => quote!(#private::ArcTo::Done),
        };
        quote!(#private::TopologyArc::new(#from, #to))
    });
    quote! {{
        #[allow(unused_imports)]
        use #private::NoInfo as _;
        #(#aliases)*
        const TOPOLOGY: &#private::Topology =
            &#private::Topology::new(#name, &[#(#nodes),*], &[#(#arcs),*]);
        TOPOLOGY
    }}
}
