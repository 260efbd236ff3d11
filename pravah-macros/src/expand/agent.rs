//! `#[agent]`, on a function that writes the prompt and on a struct that is its own prompt.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, ItemStruct, Path, Type, ext::IdentExt, spanned::Spanned};

use super::{
    as_trait, as_written, associated, at, callee,
    constants::Constants,
    constraints, contract, delegation,
    function::{Function, about, check_signature},
    hidden,
    node::{check_policy, limited, policy},
    numbers::{check_number, number},
    private, state,
    tool::{tool_name, tool_ref},
};
use crate::{
    diag::Diagnostics,
    doc_comment::doc_comment,
    options::{AgentItem, AgentOptions, Approval, Policy, Provider, RunsOn, Settings, Turns},
};

pub(crate) fn function(
    function: &Function,
    options: &AgentOptions,
    errors: &mut Diagnostics,
) -> TokenStream {
    let settings = &options.settings;
    if let Some(token) = &function.item.sig.asyncness {
        errors.error(
            token.span,
            format!(
                "the agent `{}` is async, and its function only writes the prompt",
                function.name()
            ),
            "remove `async`; what it has to fetch is fetched by a node before it",
        );
        return as_written(&function.item);
    }
    refuse_braces(function, options, errors);
    if delegation::refuse_itself(function.name(), settings.callees(), errors) {
        return function.broken();
    }
    let private = private();
    let (name, gather, arguments) = (function.name(), function.gather(), function.arguments());
    let prompt = as_trait(&function.returns, "IntoPrompt");
    let span = at(&function.returns);
    let written = quote_spanned!(span=> #prompt::into_prompt(#name(#arguments)));
    let config = config(options, &function.item.attrs);
    let policy = policy(&settings.policy);
    let output = as_trait(&options.output, "StateOfAgent");
    let span = at(&options.output);
    let agent_output = quote_spanned!(span=> #output::agent_output());
    let name_text = name.unraw().to_string();
    let spec = quote! {
        #private::NodeSpec::agent(Self::SIGNATURE, #policy, #config, #agent_output, |__pravah_inputs| {
            #gather
            #written.map_err(|error| #private::failed(#name_text, error))
        })
    };
    let shape = shape(&options.output);
    let returns = &options.output;
    let (signature, contracted) = (function.signature(shape), signature_flags(options));
    let (tools, limits) = (check_tools(name, options), check_limits(settings));
    let callable = callee::callable(name);
    function.marker(
        quote!(#signature #contracted),
        quote!(#returns),
        spec,
        &[],
        &quote!(#callable #tools #limits),
    )
}

pub(crate) fn structure(
    mut item: ItemStruct,
    options: &AgentOptions,
    errors: &mut Diagnostics,
) -> TokenStream {
    let settings = &options.settings;
    if delegation::refuse_itself(&item.ident, settings.callees(), errors) {
        return broken_structure(item, errors);
    }
    let private = private();
    let config = config(options, &item.attrs);
    let name = item.ident.clone();
    let about = about(&name, doc_comment(&item.attrs));
    let structure = syn::Item::Struct(std::mem::replace(&mut item, bare(&name)));
    let mut found = Diagnostics::default();
    let state = state::expand(structure, &settings.manual, &mut found);
    let is_broken = !found.is_empty();
    errors.append(found);
    if is_broken {
        return state;
    }
    let returns = &options.output;
    let text = name.unraw().to_string();
    let policy = (settings.policy != Policy::default()).then(|| {
        let policy = policy(&settings.policy);
        quote!(fn policy() -> #private::Policy { #policy })
    });
    let shape = shape(returns);
    let (check, tools) = (check_signature(&name), check_tools(&name, options));
    let output_type = associated("Output", returns);
    let (limits, contracted) = (check_limits(settings), signature_flags(options));
    quote! {
        #state

        #[automatically_derived]
        impl #private::Agent for #name where for<'__pravah> #returns: #private::State {
            #output_type

            fn build() -> #private::AgentConfig {
                #config
            }

            #policy
        }

        #[automatically_derived]
        impl #private::Node<(#name, ()), #returns> for #name {}

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #private::NodeInfo for #name {
            const SIGNATURE: #private::Signature =
                #private::Signature::new(#text, &[<#name as #private::Param>::REF], #shape) #contracted;

            fn spec() -> #private::NodeSpec {
                #[allow(unused_imports)]
                use #private::{KnownAgent as _, UnknownAgent as _};
                (&#private::agent_state::<#name>()).spec(Self::SIGNATURE) #about
            }
        }

        #check
        #tools
        #limits
    }
}

/// The one state that a model returns.
fn shape(output: &Type) -> TokenStream {
    let private = private();
    let (output, span) = (as_trait(output, "StateOfAgent"), at(output));
    quote_spanned! {span=>
        #private::Shape::new(#private::ShapeKind::One, &[#output::REF])
    }
}

/// A preamble is sent as it is: a parameter in braces is meant to be filled in, and is not.
fn refuse_braces(function: &Function, options: &AgentOptions, errors: &mut Diagnostics) {
    let text = match &options.settings.preamble {
        Some(syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        })) => Some((text.value(), text.span())),
        Some(_) => None,
        None => doc_comment(&function.item.attrs).map(|text| (text, function.name().span())),
    };
    let Some((text, span)) = text else { return };
    if let Some(name) = function.param_in_braces(&text) {
        errors.error(
            span,
            format!("`{{{name}…}}` appears in the preamble of `{}` as it is", function.name()),
            format!("a preamble is the same for every run: what depends on `{name}` goes into the prompt, `format!(\"… {{}}\", {name}…)`"),
        );
    }
}

/// Says of a signature that its node has a contract, a limit, tools, or other agents to call, or that it is remote.
fn signature_flags(options: &AgentOptions) -> TokenStream {
    let settings = &options.settings;
    let contracted = settings.contract.as_ref().map(|_| quote!(.contracted()));
    let limited = limited(&settings.policy);
    let is_alone = settings.tools.is_empty() && settings.callees().next().is_none();
    let inside = (!is_alone).then(|| {
        let (private, tools) = (private(), settings.tools.iter().map(tool_ref));
        let agents = settings.callees().map(delegation::signature);
        let detached = settings.allows_detached();
        quote! {
            .with_inside(#private::Inside::Agent {
                tools: &[#(#tools),*],
                agents: &[#(#agents),*],
                detached: #detached,
            })
        }
    });
    let remote = matches!(options.runs_on, RunsOn::Runner(_)).then(|| {
        let private = private();
        quote!(.with_inside(#private::Inside::Remote))
    });
    quote!(#contracted #limited #inside #remote)
}

/// Checks the limits that are no literals.
fn check_limits(settings: &Settings) -> TokenStream {
    let policy = check_policy(&settings.policy);
    let turns = settings.max_turns.as_ref();
    let turns = turns.and_then(|turns| check_number(turns, "check_turns", "u32"));
    let tokens = settings.visit_tokens.as_ref();
    let tokens = tokens.and_then(|tokens| check_number(tokens, "check_tokens", "u64"));
    let contract = settings.contract.as_ref().map(contract::check);
    let max = settings.turns.as_ref().and_then(|turns| turns.max.as_ref());
    let max = max.and_then(|max| check_number(max, "check_max_of_turns", "u32"));
    let delegation = delegation::check_limits(settings);
    quote!(#policy #turns #tokens #max #contract #delegation)
}

/// A function whose options were refused; rustc would say of a body that returns the prompt that it is no state.
pub(crate) fn broken(function: &mut Function) -> TokenStream {
    if AgentItem::from(&function.item).returns_a_state() {
        function.drop_body();
    }
    function.broken()
}

/// A struct whose options were refused: it is still a state and a node, of which no check speaks.
pub(crate) fn broken_structure(item: ItemStruct, errors: &mut Diagnostics) -> TokenStream {
    let node = callee::broken_node(&item.ident, &item.generics);
    let state = state::expand(syn::Item::Struct(item), &[], errors);
    quote!(#state #node)
}

fn bare(name: &Ident) -> ItemStruct {
    syn::parse_quote!(struct #name {})
}

/// The agent's configuration, as the runtime has it.
fn config(options: &AgentOptions, attrs: &[syn::Attribute]) -> TokenStream {
    let (private, settings) = (private(), &options.settings);
    let preamble = match &settings.preamble {
        Some(preamble) => quote!(#preamble),
        None => {
            let text = doc_comment(attrs).unwrap_or_default();
            quote!(#text)
        }
    };
    let url = match &options.runs_on {
        RunsOn::Model(model) => &model.url,
        RunsOn::Runner(runner) => {
            return quote!(#private::AgentConfig::remote(#preamble, #runner));
        }
    };
    let tools = (!settings.tools.is_empty()).then(|| {
        let tools = settings.tools.iter().map(|tool| {
            let span = tool.span();
            let is_approved = settings.approval.as_ref().is_some_and(|it| it.names(tool));
            // In parentheses it is a type, whatever it names, and rustc says so once.
            let tool = quote!((#tool));
            match is_approved {
                true => quote_spanned!(span=> .with_approval::<#tool>()),
                false => quote_spanned!(span=> .with::<#tool>()),
            }
        });
        let approved = match &settings.approval {
            Some(Approval::Destructive(_)) => Some(quote!(.approve_destructive())),
            Some(Approval::All) => Some(quote!(.approve_all())),
            Some(Approval::Of(_)) | None => None,
        };
        quote!(.with_tools(#private::ToolBox::new()#(#tools)*#approved))
    });
    let delegation = delegation::config(settings);
    let turns = settings.max_turns.as_ref().map(|turns| {
        let turns = number(turns, "u32");
        quote!(.max_turns(#turns))
    });
    let repairs = settings.max_repairs.as_ref();
    let repairs = repairs.map(|repairs| quote!(.max_repairs(#repairs)));
    let retries = settings.max_retries.as_ref();
    let retries = retries.map(|retries| quote!(.max_retries(#retries)));
    let tokens = settings.visit_tokens.as_ref().map(|tokens| {
        let tokens = number(tokens, "u64");
        quote!(.visit_tokens(#tokens))
    });
    let contract = settings.contract.as_ref().map(contract::config);
    let constraints = settings.constraints.as_ref().map(constraints::config);
    let multi_turn = settings.turns.as_ref().map(with_turns);
    let fallback = settings
        .fallback
        .iter()
        .map(|url| quote!(.with_fallback(#url)));
    let set = &settings.request.setters;
    let request =
        (!set.is_empty()).then(|| quote!(.with_options(#private::ModelOptions::new()#(#set)*)));
    quote! {
        #private::AgentConfig::new(#preamble, #url)
            #(#fallback)* #tools #delegation #turns #repairs #retries #tokens #request #contract
            #multi_turn #constraints
    }
}

/// `.with_turns(…)`
fn with_turns(turns: &Turns) -> TokenStream {
    let private = private();
    let max = turns.max.as_ref().map(|max| {
        let max = number(max, "u32");
        quote!(.max(#max))
    });
    let idle = turns.idle.map(|idle| {
        let millis = u64::try_from(idle.as_millis()).unwrap_or(u64::MAX);
        quote!(.idle(::core::time::Duration::from_millis(#millis)))
    });
    quote!(.with_turns(#private::Turns::new() #max #idle))
}

/// Checks the names of the tools, each labelled at its path.
fn check_tools(agent: &Ident, options: &AgentOptions) -> TokenStream {
    let (private, settings) = (private(), &options.settings);
    let agent_name = agent.to_string();
    let limits = match options.runs_on.provider() {
        Some(Provider::OpenAi) => quote!(#private::ToolLimits::OPENAI),
        Some(Provider::Anthropic) => quote!(#private::ToolLimits::ANTHROPIC),
        Some(Provider::Gemini) => quote!(#private::ToolLimits::GEMINI),
        Some(Provider::Ollama | Provider::Genai) | None => quote!(#private::ToolLimits::NONE),
    };
    let aliases = settings
        .tools
        .iter()
        .enumerate()
        .map(|(index, tool)| alias(index, tool));
    let mut constants = Constants::default();
    for (index, tool) in settings.tools.iter().enumerate() {
        let span = tool.span();
        let check = Ident::new("__pravah_check_tool", span);
        let before = (0..index).map(|other| hidden("Tool", other));
        let this = hidden("Tool", index);
        let call = quote_spanned! {span=>
            #check(
                #agent_name,
                #private::ToolName::<#this>::NAME,
                &[#(#private::ToolName::<#before>::NAME),*],
                #limits,
            )
        };
        let name = constants.name(&format!("tool_{}", tool_name(tool)));
        constants.extend([quote!(const #name: () = #call;)]);
    }
    delegation::check(agent, options, &mut constants);
    if let Some(Approval::Destructive(span)) = &settings.approval {
        let this = (0..settings.tools.len()).map(|index| hidden("Tool", index));
        let arguments = quote!(#agent_name, &[#(#private::ToolName::<#this>::IS_DESTRUCTIVE),*]);
        constants.check("approval", "check_destructive", *span, &arguments);
    }
    constraints::check_constraints(agent, options, &mut constants);
    let constants = constants.written();
    quote! {
        // rustc takes a named constant that nobody uses for dead code, with all that is in it.
        #[allow(dead_code)]
        const _: () = {
            #[allow(unused_imports)]
            use #private::{
                NoToolName as _, UnknownCallee as _, check_tool as __pravah_check_tool,
            };
            #(#aliases)*
            #constants
        };
    }
}

fn alias(index: usize, tool: &Path) -> TokenStream {
    let (name, span) = (hidden("Tool", index), tool.span());
    quote_spanned!(span=> type #name = #tool;)
}
