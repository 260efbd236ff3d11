//! `#[gate]`: a node that waits for a person.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Lit};

use super::{
    at, constant,
    function::{Function, Param, plain_name, slot},
    hidden,
    node::{check_policy, limited, policy},
    private, private_at,
};
use crate::{diag::Diagnostics, options::GateOptions, types::short};

pub(crate) fn expand(
    function: &mut Function,
    options: &GateOptions,
    errors: &mut Diagnostics,
) -> TokenStream {
    let private = private();
    if function.params.len() == 1 && function.has_empty_body() {
        // The answer is missing, which the check of the signature reports: an empty body is no second mistake.
        function.drop_body();
    }
    let named = named(function, options);
    // What the question alone is made of is no variable that nobody uses.
    let in_question = named
        .iter()
        .enumerate()
        .filter(|(_, named)| named.is_some());
    for (index, _) in in_question {
        function.allow_unused(index);
    }
    let function = &*function;
    let questions = check_question(function, &named);
    let ask = ask(function, options, &named, errors);
    let schemas = answers(function, |_, bound| quote!(#bound::schema));
    let read = answers(function, |index, bound| {
        let answer = hidden("answer", index);
        quote!(let #answer = #bound::read(__pravah_answer).map_err(#private::unreadable_answer)?;)
    });
    let accepts = answers(function, |_, bound| quote!(#bound::read(__pravah_answer)?;));
    let (gather, run) = (function.gather(), function.run());
    let fns = quote! {
        #private::GateFns {
            ask: #ask,
            schema: || #private::schema_of_answer(__PRAVAH_ANSWER, &[#(#schemas),*]),
            accepts: |__pravah_answer| {
                #(#accepts)*
                ::core::result::Result::Ok(())
            },
            run: |__pravah_inputs, __pravah_answer| {
                #(#read)*
                #gather
                ::core::result::Result::Ok(#run)
            },
        }
    };
    let policy = policy(&options.policy);
    let spec = quote!(#private::NodeSpec::gate(Self::SIGNATURE, #policy, #fns));
    let (signature, limited) = (
        function.signature(function.shape()),
        limited(&options.policy),
    );
    let types = function.params.iter().map(|param| short(&param.ty));
    let answered = quote!(.answered_by(&[#(#types),*], __PRAVAH_ANSWER));
    let returns = &function.returns;
    function.marker(
        quote!(#signature #limited #answered),
        quote!(#returns),
        spec,
        &questions,
        &check_policy(&options.policy),
    )
}

/// Code for each part of the answer, labelled at the parameter's type.
fn answers(
    function: &Function,
    code: impl Fn(usize, TokenStream) -> TokenStream,
) -> Vec<TokenStream> {
    let answers = function.as_answers();
    let codes = answers.map(|(index, bound)| code(index, bound));
    codes.collect()
}

/// What makes the question, from the states that wait for the answer.
fn ask(
    function: &Function,
    options: &GateOptions,
    named: &[Option<Span>],
    errors: &mut Diagnostics,
) -> TokenStream {
    let private = private();
    if !options.is_broken {
        refuse_braces(function, options, errors);
    }
    let params = if options
        .expressions()
        .all(|expr| matches!(expr, Expr::Lit(_)))
    {
        // Nothing is read for a question that is always the same.
        quote!(let _ = __pravah_inputs;)
    } else {
        bind_params(function, named)
    };
    let text = |expr: &Expr| {
        let private = private_at(at(expr));
        quote_spanned!(at(expr)=> #private::Text::to_text(&#expr))
    };
    let (prompt, event) = (
        options.prompt.as_ref().map(text),
        options.event.as_ref().map(text),
    );
    let asked = match (prompt, event) {
        (Some(prompt), None) => quote!(#private::Asked::new(#prompt)),
        (None, event) => quote!(#private::Asked::for_event(#event)),
        (Some(prompt), Some(event)) => quote!(#private::Asked {
            prompt: #prompt,
            ..#private::Asked::for_event(#event)
        }),
    };
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
        |__pravah_inputs| {
            #params
            ::core::result::Result::Ok((|| -> ::core::result::Result<_, #private::BoxError> {
                #[allow(unused_mut)]
                let mut __pravah_asked = #asked;
                #assignee
                #metadata
                ::core::result::Result::Ok(__pravah_asked)
            })())
        }
    }
}

/// Where the question names what each parameter binds.
fn named(function: &Function, options: &GateOptions) -> Vec<Option<Span>> {
    let params = function.params.iter().map(|param| {
        let bound = identifiers(&param.pat);
        let mut names = options
            .expressions()
            .flat_map(|expr| bound.iter().map(move |name| names(expr, name)));
        names.find_map(|named| named)
    });
    params.collect()
}

/// The answer is the one parameter that is not there when the gate asks.
fn check_question(function: &Function, named: &[Option<Span>]) -> Vec<TokenStream> {
    let params = function.params.iter().zip(named).enumerate();
    let checks = params.filter_map(|(index, (param, named))| {
        let name = plain_name(&param.pat).map_or_else(String::new, ToString::to_string);
        let arguments = quote!(#name, __PRAVAH_ANSWER == #index);
        Some(constant("check_question", (*named)?, &arguments))
    });
    checks.collect()
}

/// A reference to each state, and to what the gate asks for, under the name that the function has for it.
fn bind_params(function: &Function, named: &[Option<Span>]) -> TokenStream {
    let params = function.params.iter().zip(named).enumerate();
    let bound = params.map(|(index, (param, named))| {
        let private = private();
        let [role, state] = ["Role", "state"].map(|name| hidden(name, index));
        let (bound, slot) = (function.as_param(index, param), slot(index));
        let Param { pat, ty, .. } = param;
        let (pattern, value) = match (plain_name(pat), named) {
            (None, None) => return TokenStream::new(),
            // What is bound by `ref` or `mut` cannot be bound through a reference.
            (None, Some(_)) if ["ref", "mut"].iter().any(|word| names(pat, word).is_some()) => {
                return TokenStream::new();
            }
            // It may be the answer, of which there is nothing but what stands for it.
            (Some(name), None) => (quote!(#name), quote!(&*#state)),
            (name, Some(_)) => (
                name.map_or_else(|| quote!(#pat), |name| quote!(#name)),
                quote!(<#role as #private::Split>::given::<#ty>(&*#state)?),
            ),
        };
        quote_spanned! {at(ty)=>
            let #state = #bound::shared(__pravah_inputs, #slot)?;
            #[allow(unused_variables)]
            let #pattern = #value;
        }
    });
    bound.collect()
}

/// The identifiers in a pattern, the names that it binds among them.
fn identifiers(pattern: &impl ToTokens) -> Vec<String> {
    let tokens = pattern.to_token_stream().into_iter();
    let found = tokens.flat_map(|token| match token {
        TokenTree::Ident(ident) => vec![ident.to_string()],
        TokenTree::Group(group) => identifiers(&group.stream()),
        _ => Vec::new(),
    });
    found.collect()
}

/// A text in which a parameter is in braces is meant to be filled in, and is not.
fn refuse_braces(function: &Function, options: &GateOptions, errors: &mut Diagnostics) {
    for expr in options.expressions() {
        let Expr::Lit(literal) = expr else { continue };
        let Lit::Str(text) = &literal.lit else {
            continue;
        };
        let value = text.value();
        if let Some(name) = function.param_in_braces(&value) {
            errors.error(
                text.span(),
                format!("`{{{name}…}}` appears in this text as it is"),
                "write `format!(\"…\")` around it; a field is a parameter of its own: `format!(\"Publish {}?\", draft.title)`",
            );
        } else if options.prompt.as_ref() == Some(expr) && value.replace("{{", "").contains("{}") {
            errors.error(
                text.span(),
                "`{}` is not filled in: this text is shown as it is",
                "write `format!(\"Publish {}?\", draft.title)`, with a value for each `{}`; a text that has it to the letter is `\"…\".to_owned()`",
            );
        }
    }
}

/// Where an identifier appears that is no field, no method and not the name of an argument, as in `a = b`;
/// or a text in which it is in braces, unless that names such an argument.
fn names(tokens: &impl ToTokens, name: &str) -> Option<Span> {
    let is =
        |token: &TokenTree, sign| matches!(token, TokenTree::Punct(it) if it.as_char() == sign);
    let (mut after_dot, mut is_argument, mut in_braces) = (false, false, None);
    let mut tokens = tokens.to_token_stream().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let before_equals = tokens.peek().is_some_and(|next| is(next, '='));
        let found = match &token {
            TokenTree::Ident(ident) if ident == name && !after_dot => {
                is_argument |= before_equals;
                (!before_equals).then(|| ident.span())
            }
            TokenTree::Group(group) => names(&group.stream(), name),
            TokenTree::Literal(text) if is_in_braces(&text.to_string(), name) => {
                in_braces = Some(text.span());
                None
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        after_dot = is(&token, '.');
    }
    in_braces.filter(|_| !is_argument)
}

/// Whether a format text names a variable.
fn is_in_braces(text: &str, name: &str) -> bool {
    let mut after = text.split('{').skip(1);
    after.any(|rest| {
        let rest = rest.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['}', ':']))
    })
}
