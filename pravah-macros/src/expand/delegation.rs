//! The agents that an agent may call.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Ident, Path, ext::IdentExt, spanned::Spanned};

use super::{
    constants::Constants,
    hidden,
    node::{check_number, number},
    private,
    tool::tool_name,
};
use crate::{diag::Diagnostics, options::Settings};

/// `.with_delegation(…)`
pub(super) fn config(settings: &Settings) -> Option<TokenStream> {
    if settings.agents.is_empty() {
        return None;
    }
    let private = private();
    let agents = settings.agents.iter().map(|agent| {
        let span = agent.span();
        // In parentheses it is a type, whatever it names, and rustc says so once.
        let agent = quote!((#agent));
        quote_spanned!(span=> .with_agent::<#agent>())
    });
    let delegation = settings.delegation.as_ref();
    let depth = delegation
        .and_then(|it| it.max_depth.as_ref())
        .map(|depth| {
            let depth = number(depth, "u32");
            quote!(.max_depth(#depth))
        });
    let children = delegation.and_then(|it| it.max_children.as_ref());
    let children = children.map(|children| {
        let children = number(children, "u32");
        quote!(.max_children(#children))
    });
    Some(quote!(.with_delegation(#private::Delegation::new() #(#agents)* #depth #children)))
}

/// Whether an agent is among those that it may call, which is reported.
pub(super) fn refuse_itself(name: &Ident, settings: &Settings, errors: &mut Diagnostics) -> bool {
    let itself = settings.agents.iter().find(|agent| agent.is_ident(name));
    if let Some(itself) = itself {
        errors.error(
            itself.span(),
            format!("the agent `{name}` is among those that it may call"),
            "take it out: an agent calls others",
        );
    }
    itself.is_some()
}

/// Lets agents call what stands for an agent or a flow.
pub(super) fn callable(marker: &impl ToTokens) -> TokenStream {
    let private = private();
    quote! {
        #[diagnostic::do_not_recommend]
        impl #private::CallableAgent for #marker {
            fn callee() -> #private::Callee {
                #private::Callee::of_node::<Self>()
            }
        }
    }
}

/// The signature of an agent that may be called.
pub(super) fn signature(agent: &Path) -> TokenStream {
    let private = private();
    quote! {{
        #[allow(unused_imports)]
        use #private::UnknownCalledAgent as _;
        #private::CalledAgent::<(#agent)>::SIGNATURE
    }}
}

/// Checks the limits that are no literals, and the names of tools beside those of agents.
pub(super) fn check(agent: &Ident, settings: &Settings, constants: &mut Constants) {
    let private = private();
    if settings.agents.is_empty() {
        return;
    }
    let name = agent.unraw().to_string();
    for (index, tool) in settings.tools.iter().enumerate() {
        let this = hidden("Tool", index);
        let what = format!("tool_{}_beside_agents", tool_name(tool));
        let arguments = quote!(#name, #private::ToolName::<#this>::NAME);
        constants.check(&what, "check_beside_call_agent", tool.span(), &arguments);
    }
}

/// Checks the limits that are no literals.
pub(super) fn check_limits(settings: &Settings) -> TokenStream {
    let delegation = settings.delegation.as_ref();
    let depth = delegation.and_then(|it| it.max_depth.as_ref());
    let depth = depth.and_then(|depth| check_number(depth, "check_depth", "u32"));
    let children = delegation.and_then(|it| it.max_children.as_ref());
    let children = children.and_then(|it| check_number(it, "check_children", "u32"));
    quote!(#depth #children)
}
