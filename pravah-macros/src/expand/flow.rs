//! `#[flow]`, on a function and on an `impl Flow`.

mod named;
pub(super) mod read;
mod signature;
mod upgrades;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, ItemFn, ItemImpl, Visibility, ext::IdentExt};

use self::{
    named::{named_definition, start_by_name},
    read::{Flow, of_function, of_impl},
};
use super::{associated, beside, build, callee, checks, function::about, private, topology};
use crate::{
    diag::Diagnostics,
    doc_comment::doc_comment,
    dsl::{self, Graph, NodeRef},
    options::FlowOptions,
    root::root,
    types::last_name,
};

/// A flow that was read as far as it goes.
enum Read {
    Sound(Graph),
    /// Reported; its paths are emitted again, so that they complete and lead somewhere.
    Broken(Vec<NodeRef>),
}

impl Flow {
    fn read(&self, errors: &mut Diagnostics) -> Read {
        let Some((tokens, at)) = &self.body else {
            return Read::Broken(Vec::new());
        };
        let mut paths = dsl::tokens::paths(tokens.clone());
        let statements = errors.attempt(|errors| {
            let statements = dsl::parse::parse(tokens.clone(), *at, errors);
            self.refuse_itself(&paths, errors);
            refuse_inner_nodes(&mut paths, errors);
            statements
        });
        let graph = statements.and_then(|statements| dsl::lower::lower(&statements, errors));
        let sound = graph.and_then(|graph| {
            let proof = errors.attempt(|errors| dsl::sound::check(&graph, errors));
            proof.map(|()| graph)
        });
        sound.map_or(Read::Broken(paths), Read::Sound)
    }

    fn refuse_itself(&self, paths: &[NodeRef], errors: &mut Diagnostics) {
        if let Some(itself) = paths.iter().find(|node| self.name == node.key) {
            errors.error(
                itself.span,
                format!("the flow `{}` names itself, and would never end", self.name),
                "to loop, lead back to one of its nodes; in `catch(…)`, name one of them; a node cannot have the name of its flow",
            );
        }
    }

    /// The checks and the node, the body of `build`, and the topology.
    fn expand(&self, read: &Read) -> (TokenStream, TokenStream, TokenStream) {
        let node = node(self, matches!(read, Read::Sound(_)));
        match read {
            Read::Sound(graph) => (
                checks::expand(self, graph, &node),
                build::expand(self, graph),
                topology::expand(self, graph),
            ),
            Read::Broken(paths) => {
                let private = private();
                let name = self.name.unraw().to_string();
                (
                    checks::broken(paths.iter(), &node),
                    quote!(#private::broken_flow(#name)),
                    quote!(#private::Topology::BROKEN),
                )
            }
        }
    }
}

/// Refuses a path into a flow that is a node here, such as `inner::read` beside `inner`: rustc would look for a trait.
fn refuse_inner_nodes(paths: &mut Vec<NodeRef>, errors: &mut Diagnostics) {
    let nodes: Vec<String> = paths.iter().map(|node| node.key.clone()).collect();
    paths.retain(|node| {
        let around = node.key.rsplit_once("::").map(|(around, _)| around);
        let Some(flow) = around.filter(|around| nodes.iter().any(|node| node == around)) else {
            return true;
        };
        errors.error(
            node.span,
            format!("`{}` is inside `{flow}`, which is a node here", node.key),
            format!("name the whole flow: `{flow}`, or `catch({flow})` for its failures"),
        );
        false
    });
}

pub(crate) fn function(
    item: &ItemFn,
    options: &FlowOptions,
    errors: &mut Diagnostics,
) -> TokenStream {
    let Some((flow, argument)) = of_function(item, options, errors) else {
        // What it takes and returns is not known, so that nothing can stand for it.
        return quote!();
    };
    let read = flow.read(errors);
    let (checks, graph, topology) = flow.expand(&read);
    let visibility = &item.vis;
    let definition = match options.named {
        Some(_) => named_definition(&flow, visibility, &graph),
        None => {
            let start_by_name = start_by_name(&flow, visibility);
            let definition = definition(&flow, &graph);
            quote!(#definition #start_by_name)
        }
    };
    let (function, known) = (
        callable(&flow, item, &argument),
        inherent(&flow, visibility, &topology),
    );
    let items = quote!(#function #known #definition #checks);
    let (items, test) = (
        beside(visibility, &flow.name, &TokenStream::new(), &items),
        upgrades::test(&flow),
    );
    quote!(#items #test)
}

/// The async function that the flow becomes.
fn callable(flow: &Flow, item: &ItemFn, argument: &Ident) -> TokenStream {
    let private = private();
    let Flow {
        name,
        input,
        output,
        definition,
        ..
    } = flow;
    let (visibility, attrs, starts) = (&item.vis, &item.attrs, flow.starts());
    let context = Ident::new(
        if argument == "ctx" { "context" } else { "ctx" },
        Span::call_site(),
    );
    // An input that threads cannot share is no state, which is reported at the state.
    let sent = quote!(for<'__pravah> #input: ::core::marker::Send,);
    // In these words other attributes know an async function; they would be those of an input that is called `Box`.
    let (imported, boxed) = match last_name(input).as_deref() {
        Some("Box") => (None, quote!(::std::boxed::Box)),
        _ => (
            Some(quote!(
                use ::std::boxed::Box;
            )),
            quote!(Box),
        ),
    };
    quote! {
        #(#attrs)*
        // Often unused: a flow is also started by `name::start` or by its input. rustc warns only where a user's macro
        // has written it.
        #[allow(dead_code)]
        #visibility fn #name<>(#argument: #input, #context: #private::Context)
            -> #private::FlowFuture<#output>
        where #sent #starts
        {
            #imported
            #boxed::pin(async move {
                #[allow(unused_imports)]
                use #private::{KnownFlow as _, UnknownFlow as _};
                (&#private::definition::<#definition>()).call(#argument, #context).await
            })
        }
    }
}

/// What is known of the flow by its name.
fn inherent(flow: &Flow, visibility: &Visibility, topology: &TokenStream) -> TokenStream {
    let private = private();
    let Flow {
        name, definition, ..
    } = flow;
    quote! {
        impl #name {
            /// The nodes of the flow and the arcs between them.
            #[allow(dead_code)]
            #visibility const TOPOLOGY: &'static #private::Topology = #topology;

            /// The graph of the flow, to be drawn or compared.
            ///
            /// # Errors
            ///
            /// What no compiler sees of a flow, such as a model URL that is computed.
            // A named flow has the method of the hidden trait as well.
            #[allow(dead_code, clippy::same_name_method)]
            #visibility fn graph()
                -> ::core::result::Result<#private::FlowGraph, #private::FlowError>
            {
                #[allow(unused_imports)]
                use #private::{KnownFlow as _, UnknownFlow as _};
                (&#private::definition::<#definition>()).graph()
            }
        }
    }
}

/// The flow as that of its input.
fn definition(flow: &Flow, graph: &TokenStream) -> TokenStream {
    let private = private();
    let Flow {
        name,
        input,
        output,
        ..
    } = flow;
    let (known, known_topology) = (flow.known(), flow.known_topology());
    let output_type = associated("Output", output);
    let body = quote! {
        #output_type

        #known_topology

        fn build() -> ::core::result::Result<#private::FlowGraph, #private::FlowError> {
            #graph
        }
    };
    // Of two flows with one input rustc labels both, each at its name; where it cannot find a node
    // it proposes no parameter of the impl, see `own`.
    let span = name.span();
    let (here, no_params) = (root(span), quote!(<>));
    quote_spanned! {span=>
        #[automatically_derived]
        impl #no_params #here::two_flows_of_one_input::WriteFlowNamedAboveOne for #input where #known { #body }
    }
}

pub(crate) fn implementation(
    item: &ItemImpl,
    options: &FlowOptions,
    errors: &mut Diagnostics,
) -> TokenStream {
    if let Some(named) = options.named {
        errors.error(
            named,
            "`named` is for flows that are functions",
            "write `#[flow]` above an `impl Flow`, or a function `name(input: In) -> Out`",
        );
    }
    let Some(flow) = of_impl(item, options, errors) else {
        let private = private();
        let item = with_body(item, &quote!(#private::broken_flow("")));
        return quote!(#item);
    };
    let read = flow.read(errors);
    let (checks, graph, topology) = flow.expand(&read);
    let private = private();
    let mut item = with_body(item, &graph);
    let (input, output) = (&flow.input, &flow.output);
    let (known, test) = (flow.known_topology(), upgrades::test(&flow));
    item.items.push(syn::parse_quote!(#known));
    item.generics.where_clause = Some(syn::parse_quote! {
        where for<'__pravah> Self: #private::State, for<'__pravah> #output: #private::State,
    });
    quote! {
        #item

        impl #input {
            /// The nodes of the flow and the arcs between them.
            #[allow(dead_code)]
            pub const TOPOLOGY: &'static #private::Topology = #topology;
        }

        #checks

        #test
    }
}

/// The impl with another body of `build`.
fn with_body(item: &ItemImpl, graph: &TokenStream) -> ItemImpl {
    let mut item = item.clone();
    for member in &mut item.items {
        if let syn::ImplItem::Fn(build) = member
            && build.sig.ident == "build"
        {
            build.block = syn::parse_quote!({ #graph });
        }
    }
    item
}

/// The flow as a node of other flows.
fn node(flow: &Flow, sound: bool) -> TokenStream {
    let private = private();
    let Flow {
        name,
        input,
        output,
        marker,
        definition,
        attrs,
        ..
    } = flow;
    let text = name.unraw().to_string();
    let about = about(name, doc_comment(attrs));
    let (takes, returns) = (topology::state_ref(input), topology::state_ref(output));
    let topology = flow.topology();
    let callable = callee::callable(marker);
    let signature = if sound {
        quote! {{
            const INPUT: ::core::option::Option<#private::StateRef> = #takes;
            const OUTPUT: ::core::option::Option<#private::StateRef> = #returns;
            const PARAMS: &[#private::ParamRef] = &[#topology.input_param(INPUT.as_slice())];
            const SHAPE: #private::Shape =
                #private::Shape::new(#private::ShapeKind::One, OUTPUT.as_slice());
            if INPUT.is_some() && OUTPUT.is_some() {
                #topology.signature_of(#private::Signature::new(#text, PARAMS, SHAPE))
            } else {
                #private::Signature::BROKEN
            }
        }}
    } else {
        quote!(#private::Signature::BROKEN)
    };
    quote! {
        #[automatically_derived]
        impl #private::Node<(#input, ()), #output> for #marker {}

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #private::NodeInfo for #marker {
            const SIGNATURE: #private::Signature = #signature;

            fn spec() -> #private::NodeSpec {
                #[allow(unused_imports)]
                use #private::{KnownFlow as _, UnknownFlow as _};
                #private::NodeSpec::flow(
                    Self::SIGNATURE,
                    (&#private::definition::<#definition>()).graph(),
                )
                #about
            }
        }

        #callable
    }
}
