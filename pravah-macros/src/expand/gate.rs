//! `#[gate]`: a node that waits for a person.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{
    as_trait, at,
    function::{Function, Param},
    node::{check_policy, limited, policy},
    private,
};
use crate::{diag::Diagnostics, options::GateOptions};

pub(crate) fn expand(
    mut function: Function,
    options: &GateOptions,
    errors: &mut Diagnostics,
) -> TokenStream {
    // The last parameter is the answer; what is before it are the states.
    let Some(answer) = function
        .params
        .pop()
        .filter(|_| !function.params.is_empty())
    else {
        let name = function.name();
        errors.error(
            name.span(),
            format!("the gate `{name}` takes no answer"),
            "add a parameter after the state for what the person says, such as `answer: Decision`",
        );
        let item = &function.item;
        return quote!(#item);
    };
    let private = private();
    let prompt = &options.prompt;
    let (gather, context) = (function.gather(), function.context());
    let (bound, span) = (as_trait(&answer.ty, "Answer"), at(&answer.ty));
    let Param { ty, by_ref } = &answer;
    let argument = match by_ref {
        true => quote!(&__pravah_answer),
        false => quote!(__pravah_answer),
    };
    let run = function.run(Some(argument));
    let policy = policy(&options.policy);
    let fns = quote_spanned! {span=>
        #private::GateFns {
            schema: || #bound::schema(),
            accepts: |__pravah_answer| #bound::read(__pravah_answer).map(|_| ()),
            run: |__pravah_inputs, __pravah_answer, __pravah_ctx| {
                let __pravah_answer: #ty = #bound::read(__pravah_answer).map_err(#private::unreadable_answer)?;
                #gather
                #context
                ::core::result::Result::Ok(#run)
            },
        }
    };
    let spec = quote!(#private::NodeSpec::gate(Self::SIGNATURE, #policy, #prompt, #fns));
    let (signature, limited) = (
        function.signature(function.shape()),
        limited(&options.policy),
    );
    let gives = &function.gives;
    let marker = function.marker(quote!(#signature #limited), quote!(#gives), spec);
    let check = check_policy(&options.policy);
    quote!(#marker #check)
}
