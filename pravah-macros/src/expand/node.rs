//! `#[node]`.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{
    delegation,
    function::Function,
    numbers::{check_number, number},
    private,
};
use crate::{
    diag::Diagnostics,
    options::{NodeOptions, Policy, Retry},
    types::invoke_in,
};

pub(crate) fn expand(
    function: &mut Function,
    options: &NodeOptions,
    errors: &mut Diagnostics,
) -> TokenStream {
    let (policy, agents) = (&options.policy, &options.agents);
    let makes_calls = invoke_in(&function.returns).is_some();
    // `agents` may be missing only because its options were refused: one error is enough.
    if (options.is_broken && makes_calls)
        || delegation::refuse_itself(function.name(), agents, errors)
    {
        return function.broken();
    }
    if !makes_calls
        && !agents.is_empty()
        && delegation::refuse_call_in_body(function.name(), function.body(), agents, errors)
    {
        function.drop_body();
        return function.broken();
    }
    let shape = function.shape();
    let spec = spec(function, policy);
    let calling = calling(options, &shape);
    let (limited, inside) = (limited(policy), delegation::called_by_node(agents));
    let signature = function.signature(shape.clone());
    let calls = delegation::check_calls(function.name(), options, &shape);
    let policy = check_policy(policy);
    function.marker(
        quote!(#signature #limited #inside),
        function.returns.to_token_stream(),
        quote!(#spec #calling),
        &[],
        &quote!(#policy #calls),
    )
}

/// The function as it runs.
fn spec(function: &Function, policy: &Policy) -> TokenStream {
    let private = private();
    let spec = function.simple_spec().map(|spec| {
        let under = (*policy != Policy::default()).then(|| {
            let policy = self::policy(policy);
            quote!(.under(#policy))
        });
        quote!(#spec #under)
    });
    spec.unwrap_or_else(|| {
        let (gather, run) = (function.gather(), function.run());
        let policy = self::policy(policy);
        quote! {
            #private::NodeSpec::function(Self::SIGNATURE, #policy, |__pravah_inputs| {
                #gather
                ::core::result::Result::Ok(#run)
            })
        }
    })
}

/// `.calling(…)`, of a node that calls agents.
fn calling(options: &NodeOptions, shape: &TokenStream) -> Option<TokenStream> {
    let agents = &options.agents;
    let waits = options
        .on_done
        .as_ref()
        .is_some_and(|on_done| on_done == "wait");
    let private = private();
    let waiting = waits.then(|| quote!(.on_done(#private::OnDone::Wait)));
    let callees = agents.iter().map(|agent| {
        let span = agent.span();
        // In parentheses it is a type, whatever it names, and rustc says so once.
        let agent = quote!((#agent));
        quote_spanned!(span=> <#agent as #private::CallableAgent>::callee())
    });
    (!agents.is_empty()).then(|| quote!(.calling(#shape, &[#(#callees),*]) #waiting))
}

/// The policy as the runtime has it.
pub(super) fn policy(policy: &Policy) -> TokenStream {
    let private = private();
    let max_visits = policy.max_visits.as_ref().map(|visits| {
        let visits = number(visits, "u32");
        quote!(.max_visits(#visits))
    });
    let timeout = setter("timeout", policy.timeout);
    let total_timeout = setter("total_timeout", policy.total_timeout);
    let retry = policy.retry.as_ref().map(|retry| {
        let retry = self::retry(retry);
        quote!(.retry(#retry))
    });
    let pure = policy.is_pure.then(|| quote!(.pure()));
    quote!(#private::Policy::new() #max_visits #timeout #total_timeout #retry #pure)
}

fn retry(retry: &Retry) -> TokenStream {
    let private = private();
    let attempts = number(&retry.max_attempts, "u32");
    let backoff = setter("backoff", retry.backoff);
    let factor = retry.factor.map(|factor| quote!(.factor(#factor)));
    let max_backoff = setter("max_backoff", retry.max_backoff);
    let jitter = retry.jitter.then(|| quote!(.jitter()));
    quote!(#private::Retry::attempts(#attempts) #backoff #factor #max_backoff #jitter)
}

/// A call of the setter `name` with a time.
fn setter(name: &str, time: Option<Duration>) -> Option<TokenStream> {
    let (name, time) = (Ident::new(name, Span::call_site()), time?);
    let (seconds, nanos) = (time.as_secs(), time.subsec_nanos());
    Some(quote!(.#name(::core::time::Duration::new(#seconds, #nanos))))
}

/// Says of a signature that its node may run only so often.
pub(super) fn limited(policy: &Policy) -> Option<TokenStream> {
    policy.max_visits.is_some().then(|| quote!(.limited()))
}

/// Checks the numbers of a policy that no token shows.
pub(super) fn check_policy(policy: &Policy) -> TokenStream {
    let visits = policy.max_visits.as_ref();
    let visits = visits.and_then(|visits| check_number(visits, "check_visits", "u32"));
    let attempts = policy.retry.as_ref().map(|retry| &retry.max_attempts);
    let attempts = attempts.and_then(|attempts| check_number(attempts, "check_attempts", "u32"));
    quote!(#visits #attempts)
}
