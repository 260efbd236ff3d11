//! What a flow is under its name: a flow beside another one of the same input, or one that is not started so.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Visibility, ext::IdentExt};

use super::read::Flow;
use crate::expand::{associated, private};

/// A flow beside another one of the same input.
pub(super) fn named_definition(
    flow: &Flow,
    visibility: &Visibility,
    graph: &TokenStream,
) -> TokenStream {
    let private = private();
    let Flow { name, input, .. } = flow;
    let (text, known, starts) = (name.unraw().to_string(), flow.known(), flow.starts());
    let known_topology = flow.known_topology();
    let ends = ends(flow);
    quote! {
        #ends

        #[automatically_derived]
        impl #private::FlowDef for #name where #known {
            #known_topology

            fn graph() -> ::core::result::Result<#private::FlowGraph, #private::FlowError> {
                #graph
            }

            fn node_id() -> ::std::string::String {
                ::std::string::String::from(#text)
            }
        }

        impl #name {
            /// A run that is about to start with `input`.
            #[allow(dead_code)]
            #visibility fn start(input: #input)
                -> ::core::result::Result<#private::FlowRuntime<#name>, #private::FlowError>
            where #known #starts
            {
                #private::FlowRuntime::start_unchecked(input)
            }
        }
    }
}

/// What is found where a flow that is not named is started by its name, so that rustc says what to do.
pub(super) fn start_by_name(flow: &Flow, visibility: &Visibility) -> TokenStream {
    let (private, Flow { name, input, .. }) = (private(), flow);
    // Where the flow is seen by more than its states, rustc refuses an impl that names them (E0446).
    let ends = matches!(visibility, Visibility::Inherited).then(|| ends(flow));
    quote! {
        #ends

        impl #name {
            #[doc(hidden)]
            #[allow(dead_code, private_interfaces)]
            #visibility fn start(_: #input)
                -> ::core::result::Result<#private::FlowRuntime<#name>, #private::FlowError>
            where
                for<'__pravah> #name: #private::FlowDef,
            {
                ::core::result::Result::Err(#private::does_not_compile())
            }
        }
    }
}

/// What the flow starts and ends with, under its name.
fn ends(flow: &Flow) -> TokenStream {
    let private = private();
    let Flow {
        name,
        input,
        output,
        ..
    } = flow;
    let (input_type, output_type) = (associated("Input", input), associated("Output", output));
    let known = flow.known();
    quote! {
        #[automatically_derived]
        impl #private::FlowEnds for #name where #known {
            #input_type
            #output_type
        }
    }
}
