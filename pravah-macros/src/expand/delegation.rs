//! The agents that an agent or a node may call.

mod body;

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, Path, ext::IdentExt, spanned::Spanned};

pub(super) use self::body::refuse_call_in_body;
use super::{
    as_trait,
    constants::Constants,
    hidden,
    numbers::{check_number, number},
    private,
    tool::tool_name,
};
use crate::{
    diag::Diagnostics,
    options::{AgentOptions, Delegation, InheritedTools, NodeOptions, Settings},
};

/// `.with_delegation(…)`
pub(super) fn config(settings: &Settings) -> Option<TokenStream> {
    settings.callees().next()?;
    let private = private();
    let with = |method: &str, agent: &Path| {
        let (span, method) = (agent.span(), format_ident!("{method}"));
        // In parentheses it is a type, whatever it names, and rustc says so once.
        let agent = quote!((#agent));
        quote_spanned!(span=> .#method::<#agent>())
    };
    let agents = settings.agents.iter().map(|it| with("with_agent", it));
    let ad_hoc = settings.ad_hoc().map(|it| with("with_ad_hoc", it));
    let skills = settings.skills.iter().map(|it| with("with_skill", it));
    let agents = agents.chain(ad_hoc).chain(skills);
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
    let contexts = delegation.and_then(contexts);
    let tools = delegation.and_then(|it| it.tools.as_ref()).map(tools);
    let joins = delegation.and_then(joins);
    Some(quote! {
        .with_delegation(
            #private::Delegation::new() #(#agents)* #depth #children #contexts #tools #joins
        )
    })
}

/// `.contexts([…])`
fn contexts(delegation: &Delegation) -> Option<TokenStream> {
    if delegation.contexts.is_empty() {
        return None;
    }
    let private = private();
    let contexts = delegation.contexts.iter().map(|context| {
        let variant = match context.to_string().as_str() {
            "inherited" => quote!(Inherited),
            "shared" => quote!(Shared),
            _ => quote!(Independent),
        };
        quote!(#private::ContextScope::#variant)
    });
    Some(quote!(.contexts([#(#contexts),*])))
}

/// `.joins([…]).on_done(…)`
fn joins(delegation: &Delegation) -> Option<TokenStream> {
    if delegation.joins.is_empty() {
        return None;
    }
    let private = private();
    let joins = delegation.joins.iter().map(|join| {
        let variant = match join.to_string().as_str() {
            "all" => quote!(All),
            "detached" => quote!(Detached),
            _ => quote!(Single),
        };
        quote!(#private::Join::#variant)
    });
    let waits = delegation
        .on_done
        .as_ref()
        .is_some_and(|on_done| on_done == "wait");
    let on_done = waits.then(|| quote!(.on_done(#private::OnDone::Wait)));
    Some(quote!(.joins([#(#joins),*]) #on_done))
}

/// `.tools(…)`
fn tools(tools: &InheritedTools) -> TokenStream {
    let private = private();
    let policy = match tools {
        InheritedTools::All => quote!(#private::ToolPolicy::Inherit),
        InheritedTools::None => quote!(#private::ToolPolicy::None),
        InheritedTools::These(tools) => {
            quote!(#private::ToolPolicy::exact([#(<(#tools) as #private::Tool>::name()),*]))
        }
    };
    quote!(.tools(#policy))
}

/// Whether a caller is among those that it may call, which is reported.
pub(super) fn refuse_itself<'a>(
    name: &Ident,
    agents: impl IntoIterator<Item = &'a Path>,
    errors: &mut Diagnostics,
) -> bool {
    let mut agents = agents.into_iter();
    let itself = agents.find(|agent| agent.is_ident(name));
    if let Some(itself) = itself {
        errors.error(
            itself.span(),
            format!("`{name}` lists itself among those that it may call"),
            "remove it: a node or an agent cannot call itself",
        );
    }
    itself.is_some()
}

/// The signature of an agent that may be called.
pub(super) fn signature(agent: &Path) -> TokenStream {
    let private = private();
    quote! {{
        #[allow(unused_imports)]
        use #private::UnknownCallee as _;
        #private::CalleeSignature::<(#agent)>::SIGNATURE
    }}
}

/// Says of a signature that its node calls these.
pub(super) fn called_by_node(agents: &[Path]) -> Option<TokenStream> {
    let (private, signatures) = (private(), agents.iter().map(signature));
    (!agents.is_empty()).then(|| quote!(.with_inside(#private::Inside::Calls(&[#(#signatures),*]))))
}

/// Checks what a node calls that returns `shape`, each agent at its path, and whether it starts detached tasks.
pub(super) fn check_calls(
    node: &Ident,
    options: &NodeOptions,
    shape: &TokenStream,
) -> Option<TokenStream> {
    let agents = &options.agents;
    if agents.is_empty() {
        return None;
    }
    let (private, name) = (private(), node.unraw().to_string());
    let mut constants = Constants::default();
    for agent in agents {
        let what = format!("call_of_{}", tool_name(agent));
        let signature = signature(agent);
        let arguments = quote!(#name, #shape, #signature);
        constants.check(&what, "check_call", agent.span(), &arguments);
    }
    if let Some(on_done) = &options.on_done {
        let arguments = quote!(#name, #shape);
        let span = on_done.span();
        constants.check("on_done_of_tasks", "check_on_done", span, &arguments);
    }
    let constants = constants.written();
    Some(quote! {
        // rustc takes a named constant that nobody uses for dead code, with all that is in it.
        #[allow(dead_code)]
        const _: () = {
            #[allow(unused_imports)]
            use #private::UnknownCallee as _;
            #constants
        };
    })
}

/// Checks the names of tools beside those of the engine, what those return that may take over, and what has to have a
/// model.
pub(super) fn check(agent: &Ident, options: &AgentOptions, constants: &mut Constants) {
    let (private, settings) = (private(), &options.settings);
    if settings.callees().next().is_none() {
        return;
    }
    check_handoff(agent, options, constants);
    let name = agent.unraw().to_string();
    for (bases, what) in [
        (
            settings.ad_hoc().into_iter().collect(),
            "the base of ad-hoc agents",
        ),
        (settings.skills.iter().collect::<Vec<_>>(), "a skill"),
    ] {
        for base in bases {
            let signature = signature(base);
            let constant = format!("{}_of_{name}", tool_name(base));
            let arguments = quote!(#signature, #what);
            constants.check(&constant, "check_has_model", base.span(), &arguments);
        }
    }
    let calls = !settings.agents.is_empty() || settings.ad_hoc().is_some();
    let has_skills = !settings.skills.is_empty();
    let manages_tasks = settings.allows_detached();
    for (index, tool) in settings.tools.iter().enumerate() {
        let this = hidden("Tool", index);
        let what = format!("tool_{}_beside_agents", tool_name(tool));
        let arguments = quote! {
            #name, #private::ToolName::<#this>::NAME, #calls, #manages_tasks, #has_skills
        };
        constants.check(&what, "check_beside_call_agent", tool.span(), &arguments);
    }
}

fn check_handoff(agent: &Ident, options: &AgentOptions, constants: &mut Constants) {
    let settings = &options.settings;
    let contexts = settings.delegation.as_ref().map(|it| &*it.contexts);
    let contexts = contexts.unwrap_or_default();
    if !contexts.iter().any(|context| context == "shared") {
        return;
    }
    let (name, always) = (agent.unraw().to_string(), contexts.len() == 1);
    let output = as_trait(&options.output, "StateOfAgent");
    for called in settings.agents.iter().chain(settings.ad_hoc()) {
        let what = format!("handoff_to_{}", tool_name(called));
        let signature = signature(called);
        let arguments = quote!(#name, #output::REF, #signature, #always);
        constants.check(&what, "check_handoff", called.span(), &arguments);
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
