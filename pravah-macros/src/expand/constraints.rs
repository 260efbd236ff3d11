//! What an agent and its tools must not reach.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, ext::IdentExt, spanned::Spanned};

use super::{
    constants::Constants,
    delegation, private, private_at,
    tool::{tool_name, tool_ref},
};
use crate::options::{AgentOptions, Constraints};

/// `.with_constraints(…)`
pub(super) fn config(constraints: &Constraints) -> TokenStream {
    let private = private();
    let Constraints {
        refusals,
        max_duration,
    } = constraints;
    let max_duration = max_duration.map(|time| {
        let (seconds, nanos) = (time.as_secs(), time.subsec_nanos());
        quote!(.max_duration(::core::time::Duration::new(#seconds, #nanos)))
    });
    quote! {
        .with_constraints(#private::Constraints::new() #(.#refusals())* #max_duration)
    }
}

/// Checks an agent and its tools, each labelled at its name.
pub(super) fn check_constraints(agent: &Ident, options: &AgentOptions, constants: &mut Constants) {
    let constraints = options.settings.constraints.as_ref();
    let Some(constraints) = constraints.filter(|it| !it.refusals.is_empty()) else {
        return;
    };
    let private = private();
    let name = agent.unraw().to_string();
    let refusals = constraints.refusals.iter().map(|word| {
        let word = Ident::new(&word.to_string().to_uppercase(), word.span());
        quote!(#private::Refusal::#word)
    });
    let refusals = quote!(&[#(#refusals),*]);
    let here = private_at(agent.span());
    let own = quote_spanned!(agent.span()=> <#agent as #here::NodeInfo>::SIGNATURE);
    let own = quote!(#own, #refusals);
    constants.check(
        &format!("prompt_of_{name}"),
        "check_prompt",
        agent.span(),
        &own,
    );
    for tool in &options.settings.tools {
        let what = format!("reach_of_{}", tool_name(tool));
        let tool_ref = tool_ref(tool);
        let arguments = quote!(#name, #tool_ref, #refusals);
        constants.check(&what, "check_constraints", tool.span(), &arguments);
    }
    for called in options.settings.callees() {
        let what = format!("reach_of_called_{}", tool_name(called));
        let signature = delegation::signature(called);
        let arguments = quote!(#name, #signature, #refusals);
        constants.check(&what, "check_called", called.span(), &arguments);
    }
}
