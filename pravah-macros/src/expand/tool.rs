//! `#[tool]`: a function that a model may call.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Attribute, FnArg, Ident, ItemFn, ReturnType, Type, ext::IdentExt, spanned::Spanned};

use super::{
    as_trait, at,
    function::{doc_comment, plain_name},
    own, private,
};
use crate::{diag::Diagnostics, options::ToolOptions, root};

/// An argument, with the attributes that its field takes over.
struct Argument {
    attrs: Vec<Attribute>,
    name: Ident,
    ty: Type,
}

/// Writes the tool; `options` are none where they were refused.
pub(crate) fn expand(
    mut item: ItemFn,
    options: Option<&ToolOptions>,
    errors: &mut Diagnostics,
) -> TokenStream {
    let before = errors.len();
    let parsed = parse(&item, errors);
    // What describes an argument belongs to the hidden struct: rustc refuses it on a parameter.
    for arg in &mut item.sig.inputs {
        if let FnArg::Typed(arg) = arg {
            arg.attrs.retain(|attr| !describes(attr));
        }
    }
    let parsed = parsed.filter(|_| !errors.grew_since(before));
    let (Some((arguments, takes_context, description, gives)), Some(options)) = (parsed, options)
    else {
        return broken(&item);
    };
    let private = private();
    let name = &item.sig.ident;
    let text = name.unraw().to_string();
    let fields = arguments
        .iter()
        .map(|Argument { attrs, name, ty }| quote!(#(#attrs)* #name: #ty));
    let arguments_type = arguments_type(&item, &quote!(#(#fields),*));
    let names: Vec<&Ident> = arguments.iter().map(|argument| &argument.name).collect();
    let context = takes_context.then(|| quote!(__pravah_ctx));
    let (bound, span) = (as_trait(&gives, "ToolReturn"), at(&gives));
    let given = quote_spanned!(span=> #bound::given(#name(#(self.#names,)* #context).await));
    let function = own(&item, name);
    let effects = effects(options);
    quote! {
        #function

        #arguments_type

        #[automatically_derived]
        impl #private::Tool for #name {
            type Output = #private::serde_json::Value;

            #effects

            fn name() -> &'static str {
                #text
            }

            fn description() -> &'static str {
                #description
            }

            async fn call(self, __pravah_ctx: #private::Context)
                -> ::core::result::Result<Self::Output, #private::ToolError>
            {
                let _ = &__pravah_ctx;
                #given
            }
        }

        #[automatically_derived]
        impl #private::NamedTool for #name {
            const NAME: &'static str = #text;
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

/// The hidden type of a tool's name, which its arguments are read as.
fn arguments_type(item: &ItemFn, fields: &TokenStream) -> TokenStream {
    let private = private();
    let (name, visibility) = (&item.sig.ident, &item.vis);
    let (serde, schemars) = (
        root::text("__private::serde"),
        root::text("__private::schemars"),
    );
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #[derive(#private::serde::Deserialize, #private::schemars::JsonSchema)]
        #[serde(crate = #serde)]
        #[schemars(crate = #schemars)]
        #visibility struct #name<> { #fields }
    }
}

/// A tool that was refused: its name stays, so that the agents that name it say nothing.
fn broken(item: &ItemFn) -> TokenStream {
    let private = private();
    let name = &item.sig.ident;
    let arguments_type = arguments_type(item, &quote!());
    if item.sig.receiver().is_some() {
        // In an `impl` there is no place for more.
        return quote!(#item);
    }
    let function = own(&item, name);
    quote! {
        #function

        #arguments_type

        #[automatically_derived]
        impl #private::Tool for #name {
            type Output = ();

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
    }
}

type Parsed = (Vec<Argument>, bool, String, Type);

fn parse(item: &ItemFn, errors: &mut Diagnostics) -> Option<Parsed> {
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
    if description.is_none() {
        errors.error(
            name.span(),
            format!("the tool `{name}` has no description"),
            "write a doc comment above it: it tells the model what the tool is for",
        );
    }
    let mut arguments = Vec::new();
    let mut takes_context = false;
    let count = item.sig.inputs.len();
    for (index, arg) in item.sig.inputs.iter().enumerate() {
        match arg {
            FnArg::Receiver(receiver) => errors.error(
                receiver.self_token.span,
                format!("`{name}` is a method, and a tool is a function"),
                "move it out of the `impl`; `ctx.dep::<T>()` hands it what it needs",
            ),
            FnArg::Typed(arg) if index + 1 == count && super::function::is_context(&arg.ty) => {
                takes_context = true;
            }
            FnArg::Typed(arg) if super::function::is_context(&arg.ty) => errors.error(
                arg.ty.span(),
                format!("the context of the tool `{name}` is not its last parameter"),
                "move `ctx: Context` to the end",
            ),
            FnArg::Typed(arg) => arguments.extend(argument(name, arg, errors)),
        }
    }
    let gives = match &item.sig.output {
        ReturnType::Type(_, ty) => Some((**ty).clone()),
        ReturnType::Default => {
            errors.error(
                name.span(),
                format!("the tool `{name}` gives nothing"),
                "return a `Result<_, ToolError>`: the model reads what is in it",
            );
            None
        }
    };
    Some((arguments, takes_context, description?, gives?))
}

fn argument(tool: &Ident, arg: &syn::PatType, errors: &mut Diagnostics) -> Option<Argument> {
    if let Type::Reference(ty) = &*arg.ty
        && super::function::is_context(&ty.elem)
    {
        errors.error(
            ty.elem.span(),
            format!("the tool `{tool}` borrows its context"),
            "take it by value, as the last parameter: `ctx: Context`",
        );
        return None;
    }
    if let Type::Reference(ty) = &*arg.ty {
        errors.error(
            ty.span(),
            format!("an argument of the tool `{tool}` is a reference, and arguments come as JSON"),
            "take it by value, such as `String` for `&str`",
        );
        return None;
    }
    let Some(name) = plain_name(&arg.pat) else {
        errors.error(
            arg.pat.span(),
            format!("an argument of the tool `{tool}` has no name"),
            "write `name: Type`: the model names its arguments",
        );
        return None;
    };
    Some(Argument {
        attrs: arg
            .attrs
            .iter()
            .filter(|attr| describes(attr))
            .cloned()
            .collect(),
        name: name.clone(),
        ty: (*arg.ty).clone(),
    })
}

/// Whether an attribute on a parameter says something about its field in the arguments.
fn describes(attr: &Attribute) -> bool {
    ["doc", "serde", "schemars"]
        .iter()
        .any(|name| attr.path().is_ident(name))
}
