//! `#[gate]`: a node that waits for a person.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, FnArg, Lit, PatType};

use super::{
    as_trait, at,
    function::{Function, Param, is_context, plain_name},
    hidden,
    node::{check_policy, limited, policy},
    private, private_at,
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
    let (gather, context) = (function.gather(), function.context());
    let (bound, span) = (as_trait(&answer.ty, "Answer"), at(&answer.ty));
    let Param { ty, by_ref } = &answer;
    let argument = match by_ref {
        true => quote!(&__pravah_answer),
        false => quote!(__pravah_answer),
    };
    let run = function.run(Some(argument));
    let policy = policy(&options.policy);
    let ask = ask(&function, options, errors);
    let fns = quote_spanned! {span=>
        #private::GateFns {
            ask: #ask,
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
    let spec = quote!(#private::NodeSpec::gate(Self::SIGNATURE, #policy, #fns));
    let (signature, limited) = (
        function.signature(function.shape()),
        limited(&options.policy),
    );
    let gives = &function.gives;
    let marker = function.marker(quote!(#signature #limited), quote!(#gives), spec);
    let check = check_policy(&options.policy);
    quote!(#marker #check)
}

/// What makes the question, from the states that wait for the answer.
fn ask(function: &Function, options: &GateOptions, errors: &mut Diagnostics) -> TokenStream {
    let private = private();
    refuse_answer(function, options, errors);
    refuse_braces(function, options, errors);
    let states = if options
        .expressions()
        .all(|expr| matches!(expr, Expr::Lit(_)))
    {
        // Nothing is read for a question that is always the same.
        quote!(let _ = (__pravah_inputs, __pravah_ctx);)
    } else {
        let (states, context) = (bind_states(function), bind_context(function));
        quote!(#states #context)
    };
    let text = |expr: &Expr| {
        let private = private_at(at(expr));
        quote_spanned!(at(expr)=> #private::Text::to_text(&#expr))
    };
    let prompt = text(&options.prompt);
    let assignee = options.assignee.as_ref().map(|expr| {
        let assignee = text(expr);
        quote!(__pravah_asked.assignee = ::core::option::Option::Some(#assignee);)
    });
    let metadata = options.metadata.as_ref().map(|expr| {
        let private = private_at(at(expr));
        let metadata = quote_spanned!(at(expr)=> #private::Metadata::to_json(&#expr)?);
        quote!(__pravah_asked.metadata = #metadata;)
    });
    quote! {
        |__pravah_inputs, __pravah_ctx| {
            #states
            ::core::result::Result::Ok((|| -> ::core::result::Result<_, #private::BoxError> {
                #[allow(unused_mut)]
                let mut __pravah_asked = #private::Asked::new(#prompt);
                #assignee
                #metadata
                ::core::result::Result::Ok(__pravah_asked)
            })())
        }
    }
}

/// The parameters of the function, as they are written.
fn written(function: &Function) -> impl DoubleEndedIterator<Item = &PatType> {
    let args = function.item.sig.inputs.iter();
    args.filter_map(|arg| match arg {
        FnArg::Typed(arg) => Some(arg),
        FnArg::Receiver(_) => None,
    })
}

/// A reference to each state, under the name that the function has for it.
fn bind_states(function: &Function) -> TokenStream {
    let params = function.params.iter().zip(written(function)).enumerate();
    let states = params.map(|(index, (param, arg))| {
        let (state, bound) = (hidden("state", index), as_trait(&param.ty, "GateParam"));
        let pattern = match plain_name(&arg.pat) {
            Some(name) => quote!(#name),
            // What is bound by `ref` or `mut` cannot be bound through a reference.
            None if names(&arg.pat, "ref").or(names(&arg.pat, "mut")).is_some() => quote!(_),
            None => arg.pat.to_token_stream(),
        };
        quote_spanned! {at(&param.ty)=>
            let #state = #bound::shared(__pravah_inputs, #index)?;
            #[allow(unused_variables)]
            let #pattern = &*#state;
        }
    });
    states.collect()
}

fn bind_context(function: &Function) -> TokenStream {
    let last = written(function).next_back();
    match last
        .filter(|last| is_context(&last.ty))
        .map(|last| plain_name(&last.pat))
    {
        Some(Some(name)) => quote! {
            let __pravah_ctx = __pravah_ctx.get()?;
            #[allow(unused_variables)]
            let #name = &__pravah_ctx;
        },
        _ => quote!(let _ = __pravah_ctx;),
    }
}

/// The answer is the one parameter that is not there when the gate asks.
fn refuse_answer(function: &Function, options: &GateOptions, errors: &mut Diagnostics) {
    let mut params = written(function).filter(|arg| !is_context(&arg.ty));
    let Some(answer) = params.next_back().and_then(|arg| plain_name(&arg.pat)) else {
        return;
    };
    let named = options
        .expressions()
        .find_map(|expr| names(expr, &answer.to_string()));
    if let Some(span) = named {
        errors.error(
            span,
            format!("`{answer}` is the answer, and is not there when the gate asks"),
            "use the states that wait at the gate: its parameters before the answer",
        );
    }
}

/// A text in which a parameter stands in braces is meant to be filled in, and is not.
fn refuse_braces(function: &Function, options: &GateOptions, errors: &mut Diagnostics) {
    let names = written(function).filter_map(|arg| plain_name(&arg.pat));
    let names: Vec<String> = names.map(|name| format!("{{{name}")).collect();
    for expr in options.expressions() {
        let Expr::Lit(literal) = expr else { continue };
        let Lit::Str(text) = &literal.lit else {
            continue;
        };
        let value = text.value();
        if let Some(name) = names.iter().find(|name| value.contains(*name)) {
            errors.error(
                text.span(),
                format!("`{name}…}}` stands in this text as it is"),
                "write `format!(\"…\")` around it; a field is a parameter of its own: `format!(\"Publish {}?\", draft.title)`",
            );
        }
    }
}

/// Where an identifier appears that is no field, no method and not the name of an argument, as in `a = b`.
fn names(tokens: &impl ToTokens, name: &str) -> Option<Span> {
    let is =
        |token: &TokenTree, sign| matches!(token, TokenTree::Punct(it) if it.as_char() == sign);
    let mut after_dot = false;
    let mut tokens = tokens.to_token_stream().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let before_equals = tokens.peek().is_some_and(|next| is(next, '='));
        let found = match &token {
            TokenTree::Ident(ident) if ident == name && !after_dot && !before_equals => {
                Some(ident.span())
            }
            TokenTree::Group(group) => names(&group.stream(), name),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        after_dot = is(&token, '.');
    }
    None
}
