//! `#[tool]`: a function that a model may call.

mod arguments;
mod external;
mod item;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Attribute, FnArg, Ident, ItemFn, Lifetime, Path, ReturnType, Type, ext::IdentExt,
    spanned::Spanned,
};

use self::arguments::Param;
pub(crate) use self::item::ToolFn;
use super::{
    as_trait, as_written, at, constant,
    function::{help_for_object, plain_name, unnamed},
    hidden, own,
    owned::{borrowed, help_for_names, map_without_names, owned_text},
    private,
};
use crate::{
    diag::Diagnostics,
    doc_comment::doc_comment,
    options::ToolOptions,
    types::{invoke_in, short, ungroup},
};

/// Writes the tool; `options` are none where they were refused.
pub(crate) fn expand(
    tool: ToolFn,
    options: Option<&ToolOptions>,
    errors: &mut Diagnostics,
) -> TokenStream {
    let parsed = errors.attempt(|errors| {
        if let Some(options) = options {
            external::check_body(&tool, options, errors);
        }
        parse(&tool.function, options, errors)
    });
    let (parsed, mut item) = (parsed.flatten(), tool.function);
    // What describes an argument belongs to the hidden struct: rustc refuses it on a parameter.
    for arg in &mut item.sig.inputs {
        if let FnArg::Typed(arg) = arg {
            arg.attrs.retain(|attr| !describes(attr));
        }
    }
    let (Some((params, description, returns)), Some(options)) = (parsed, options) else {
        return broken(&item);
    };
    let private = private();
    let name = &item.sig.ident;
    let text = name.unraw().to_string();
    let arguments = params.iter().map(|Param { ty, .. }| {
        let (param, span) = (as_trait(ty, "ToolParam"), at(ty));
        quote_spanned!(span=> #param::take(__pravah_arguments.next(), &__pravah_ctx)?)
    });
    let refs = params.iter().map(|Param { ty, .. }| {
        let (param, span) = (as_trait(ty, "ToolParam"), at(ty));
        quote_spanned!(span=> #param::REF)
    });
    let checks = params.iter().map(|param| check_name(&text, param));
    let (effects, as_node) = (effects(options), as_node(name));
    let (function, external, result) = if options.external {
        let external = (external::checks(&text, &params), external::answer(&returns));
        (quote!(), external, external::refusal(&text))
    } else {
        let (bound, span) = (as_trait(&returns, "ToolReturn"), at(&returns));
        let result = quote_spanned!(span=> #bound::into_result(#name(#(#arguments),*).await));
        (own(&item, name), Default::default(), result)
    };
    let (external_checks, external_answer) = external;
    let tool = quote! {
        #(#checks)*
        #external_checks

        #[automatically_derived]
        impl #private::Tool for #name {
            type Output = #private::serde_json::Value;
            const PARAMS: &'static [#private::ParamRef] = &[#(#refs),*];

            #effects

            #external_answer

            fn name() -> &'static str {
                #text
            }

            fn description() -> &'static str {
                #description
            }

            async fn call(self, __pravah_ctx: #private::Context)
                -> ::core::result::Result<Self::Output, #private::ToolError>
            {
                #[allow(unused_mut, unused_variables)]
                let mut __pravah_arguments = self.__pravah_arguments.into_iter();
                let _ = &__pravah_ctx;
                #result
            }
        }

        #[automatically_derived]
        impl #private::NamedTool for #name {
            const NAME: &'static str = #text;
        }

        #as_node
    };
    let tool = arguments::expand(&item, &params, &tool);
    quote!(#function #tool)
}

/// The tool as a node of a flow, so that the checks can say that it is none.
fn as_node(name: &Ident) -> TokenStream {
    let (private, text) = (private(), name.unraw().to_string());
    quote! {
        #[automatically_derived]
        impl #private::NodeInfo for #name {
            const SIGNATURE: #private::Signature = #private::Signature::of_tool(#text);

            fn spec() -> #private::NodeSpec {
                #private::NodeSpec::broken()
            }
        }
    }
}

/// What the tool says of its effects, and whether its calls wait for a person.
fn effects(options: &ToolOptions) -> TokenStream {
    let private = private();
    let said = [
        options.read_only.map(|is| quote!(.read_only(#is))),
        options.destructive.map(|is| quote!(.destructive(#is))),
        options.idempotent.map(|is| quote!(.idempotent(#is))),
        options.open_world.map(|is| quote!(.open_world(#is))),
    ];
    let said: Vec<_> = said.into_iter().flatten().collect();
    let annotations = (!said.is_empty()).then(|| {
        quote! {
            const ANNOTATIONS: #private::ToolAnnotations =
                #private::ToolAnnotations::new() #(#said)*;
        }
    });
    let approval = options.approve.then(|| {
        quote!(
            const NEEDS_APPROVAL: bool = true;
        )
    });
    quote!(#annotations #approval)
}

/// An argument that the model writes has a name.
fn check_name(tool: &str, Param { ty, nameless, .. }: &Param) -> Option<TokenStream> {
    let (param, at) = (as_trait(ty, "ToolParam"), (*nameless)?);
    Some(constant("check_argument", at, &quote!(#tool, #param::REF)))
}

/// A tool that was refused: its name stays, so that the agents that name it say nothing.
fn broken(item: &ItemFn) -> TokenStream {
    let private = private();
    let name = &item.sig.ident;
    if item.sig.receiver().is_some() {
        // In an `impl` there is no place for more.
        return as_written(item);
    }
    let function = own(item, name);
    let tool = quote! {
        #[automatically_derived]
        impl #private::Tool for #name {
            type Output = ();
            const PARAMS: &'static [#private::ParamRef] = &[];

            // What it says is not known: an agent with `approve = destructive` says nothing of it.
            const ANNOTATIONS: #private::ToolAnnotations =
                #private::ToolAnnotations::new().destructive(true);

            fn name() -> &'static str {
                ""
            }

            fn description() -> &'static str {
                ""
            }

            async fn call(self, _: #private::Context)
                -> ::core::result::Result<(), #private::ToolError>
            {
                ::core::result::Result::Ok(())
            }
        }
    };
    let tool = arguments::expand(item, &[], &tool);
    quote!(#[allow(unused)] #function #tool)
}

type Parsed = (Vec<Param>, String, Type);

fn parse(item: &ItemFn, options: Option<&ToolOptions>, errors: &mut Diagnostics) -> Option<Parsed> {
    let name = &item.sig.ident;
    if item.sig.asyncness.is_none() {
        errors.error(
            item.sig.fn_token.span,
            format!("the tool `{name}` is not async"),
            "write `async fn`: a tool may wait",
        );
    }
    if let Some(param) = item.sig.generics.params.first() {
        errors.error(
            param.span(),
            format!("the tool `{name}` is generic, and a model sends concrete arguments"),
            "write it for concrete types",
        );
    }
    let description = doc_comment(&item.attrs);
    // Where the options were refused, one of them may have been meant as the description.
    if description.is_none() && options.is_some() {
        errors.error(
            name.span(),
            format!("the tool `{name}` has no description"),
            "write a doc comment above it: it tells the model what the tool is for",
        );
    }
    let mut params = Vec::new();
    for (index, arg) in item.sig.inputs.iter().enumerate() {
        match arg {
            FnArg::Receiver(receiver) => errors.error(
                receiver.self_token.span,
                format!("`{name}` is a method, and a tool is a function"),
                "move it out of the `impl`; a parameter `Dep<T>` hands it what it needs",
            ),
            FnArg::Typed(arg) => params.extend(param(name, index, arg, errors)),
        }
    }
    let returns = match &item.sig.output {
        ReturnType::Type(_, ty) => match invoke_in(ty) {
            None => Some((**ty).clone()),
            Some(invoke) => {
                errors.error(
                    invoke.span(),
                    format!("the tool `{name}` returns an `Invoke`, and a tool calls no agents"),
                    "write `agents = [researcher]` in the options of the agent that has the tool: its model calls them",
                );
                None
            }
        },
        ReturnType::Default => {
            errors.error(
                name.span(),
                format!("the tool `{name}` returns nothing"),
                match options.is_some_and(|it| it.external) {
                    true => "return what is answered: the model reads it",
                    false => "return a `Result<_, ToolError>`: the model reads what is in it",
                },
            );
            None
        }
    };
    Some((params, description?, returns?))
}

fn param(
    tool: &Ident,
    index: usize,
    arg: &syn::PatType,
    errors: &mut Diagnostics,
) -> Option<Param> {
    if refuse_object(tool, &arg.ty, errors)
        || refuse_reference(tool, ungroup(&arg.ty), errors)
        || refuse_impl_trait(tool, &arg.ty, errors)
        || refuse_keys(tool, &arg.ty, errors)
    {
        return None;
    }
    let name = plain_name(&arg.pat);
    let attrs = arg.attrs.iter().filter(|attr| describes(attr));
    Some(Param {
        attrs: attrs.cloned().collect(),
        name: name.cloned().unwrap_or_else(|| hidden("param", index)),
        ty: (*arg.ty).clone(),
        nameless: name.is_none().then(|| arg.pat.span()),
    })
}

/// Reports a trait object that is meant to be given by the host.
fn refuse_object(tool: &Ident, ty: &Type, errors: &mut Diagnostics) -> bool {
    let Some(help) = help_for_object(ty) else {
        return false;
    };
    let fact = format!(
        "the tool `{tool}` takes `{}`, which no model can write",
        short(ty)
    );
    errors.error(ty.span(), fact, help);
    true
}

/// Reports a type that is a reference, or has one in it that does not live as long as the program.
fn refuse_reference(tool: &Ident, ty: &Type, errors: &mut Diagnostics) -> bool {
    let Some(reference) = borrowed(ty) else {
        return false;
    };
    let is_static = |it: &Lifetime| it.ident == "static";
    let (is_itself, lifetime) = (matches!(ty, Type::Reference(_)), &reference.lifetime);
    if !is_itself && lifetime.as_ref().is_some_and(is_static) {
        return false;
    }
    let what = if is_itself { "is" } else { "holds" };
    errors.error(
        reference.span(),
        format!(
            "a parameter of the tool `{tool}` {what} a reference, and a tool owns what it takes"
        ),
        format!("write `{}`", owned_text(reference)),
    );
    true
}

/// Reports an `impl Trait` in the type of a parameter.
fn refuse_impl_trait(tool: &Ident, ty: &Type, errors: &mut Diagnostics) -> bool {
    let Some((at, text)) = unnamed(ty.to_token_stream()) else {
        return false;
    };
    // rustc says of the others that they are no types here.
    if text != "impl Trait" {
        return false;
    }
    errors.error(
        at,
        format!(
            "a parameter of the tool `{tool}` is `impl Trait`, and a model sends concrete values"
        ),
        "write its type, such as `String`; what the host gives is `Dep<dyn Trait>`",
    );
    true
}

/// Reports a map whose keys are no names in JSON.
fn refuse_keys(tool: &Ident, ty: &Type, errors: &mut Diagnostics) -> bool {
    let Some((map, key)) = map_without_names(ty) else {
        return false;
    };
    errors.error(
        key.span(),
        format!(
            "the tool `{tool}` takes a `{}`, whose keys are no names in JSON",
            short(map)
        ),
        help_for_names(key),
    );
    true
}

/// Whether an attribute on a parameter says something about its field in the arguments.
fn describes(attr: &Attribute) -> bool {
    ["doc", "serde", "schemars"]
        .iter()
        .any(|name| attr.path().is_ident(name))
}

/// What a tool is called and asks for, by its path.
pub(super) fn tool_ref(tool: &Path) -> TokenStream {
    let private = private();
    let name = tool_name(tool);
    quote! {{
        #[allow(unused_imports)]
        use #private::NoToolName as _;
        #private::ToolRef { name: #name, asks: #private::ToolName::<(#tool)>::ASKS }
    }}
}

/// What a tool is called by its path.
pub(super) fn tool_name(tool: &Path) -> String {
    let last = tool.segments.last();
    last.map_or_else(String::new, |last| last.ident.unraw().to_string())
}
