//! What a function may take and return, and what is wrong with the rest.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{
    GenericParam, ItemFn, Pat, PathSegment, ReturnType, Type, TypeReference, spanned::Spanned,
};

use super::{
    asks::{is_error_object, refuse_array, refuse_borrowed, refuse_object},
    calls::refuse_calls,
    kind::{Kind, Side},
    types::{refuse_stateless, refuse_unnamed, state_of_host},
};
use crate::{
    diag::Diagnostics,
    expand::owned::{borrowed, owned_text},
    types::{around, last_name, path_of, short, ungroup},
};

pub(super) fn refuse_generics(item: &ItemFn, errors: &mut Diagnostics) {
    let Some(param) = item.sig.generics.params.first() else {
        return;
    };
    let what = match param {
        GenericParam::Lifetime(_) => "has lifetime parameters",
        GenericParam::Type(_) | GenericParam::Const(_) => "is generic",
    };
    errors.error(
        param.span(),
        format!(
            "`{}` {what}, and a node takes concrete states",
            item.sig.ident
        ),
        "write it for the states of the flow; `&A` needs no lifetime",
    );
}

/// Reports an attribute that makes a test or a program of a node.
pub(super) fn refuse_test(item: &ItemFn, errors: &mut Diagnostics) {
    let name = &item.sig.ident;
    for attr in &item.attrs {
        let path = attr.path();
        let Some(last) = path.segments.last() else {
            continue;
        };
        if last.ident == "test" || (last.ident == "main" && path.segments.len() > 1) {
            let written = path.to_token_stream().to_string().replace(' ', "");
            errors.error(
                last.ident.span(),
                format!("`#[{written}]` takes the function `{name}` for itself, and a node is called by its flow"),
                format!("write it above another function, which calls `{name}` or runs the flow"),
            );
        }
    }
}

/// Reports what is before `fn` and would be lost; `kind` is what the function is.
pub(crate) fn refuse_modifiers(sig: &syn::Signature, kind: &str, errors: &mut Diagnostics) {
    if sig.generics.params.first().is_some() {
        return;
    }
    let name = &sig.ident;
    let mut refuse = |span: Span, what: &str| {
        errors.error(
            span,
            format!("`{name}` is {what}, and a {kind} is a plain function"),
            format!("remove `{what}`"),
        );
    };
    if let Some(token) = &sig.constness {
        refuse(token.span, "const");
    }
    if let syn::Safety::Unsafe(token) = &sig.safety {
        refuse(token.span, "unsafe");
    }
    if let Some(abi) = &sig.abi {
        refuse(abi.extern_token.span, "extern");
    }
}

/// What a gate takes, one of which is what a person answers.
pub(super) fn param_of_gate(
    name: &Ident,
    ty: &Type,
    errors: &mut Diagnostics,
) -> Option<(Type, bool)> {
    let (inner, by_ref) = without_reference(name, ty, errors)?;
    if refuse_unnamed(name, inner, Side::Takes, errors)
        || refuse_borrowed(name, inner, errors)
        || refuse_object(name, ty, errors)
    {
        return None;
    }
    let owned = match inner {
        Type::Path(path) if path.path.is_ident("str") => "String".to_owned(),
        Type::Slice(_) => "Vec<…>".to_owned(),
        inner => match borrowed(inner) {
            Some(reference) => owned_text(reference),
            None => return Some((inner.clone(), by_ref)),
        },
    };
    errors.error(
        ty.span(),
        format!("`{name}` borrows its answer from something that is not there"),
        format!("write `{owned}`: what the person says is read into a value of its own"),
    );
    None
}

/// What is behind a `&`, and whether there is one.
fn without_reference<'a>(
    name: &Ident,
    ty: &'a Type,
    errors: &mut Diagnostics,
) -> Option<(&'a Type, bool)> {
    let Type::Reference(reference) = ty else {
        return Some((ty, false));
    };
    if let Some(token) = &reference.mutability {
        let (message, help) = match last_name(&reference.elem).as_deref() {
            Some("Context") => (
                format!("`{name}` takes `&mut Context`, and a node does not change its context"),
                "take `Context` or `&Context`",
            ),
            Some("Dep") => (
                format!("`{name}` takes `&mut Dep<_>`, and nodes share their dependencies"),
                "take `Dep<_>`, with a lock around what changes: `Dep<Mutex<_>>`",
            ),
            _ => (
                format!(
                    "`{name}` changes its input, and a state stays until the step is committed"
                ),
                "take it by value, or by `&`, and return a new state",
            ),
        };
        errors.error(token.span, message, help);
        return None;
    }
    let inner = ungroup(&reference.elem);
    // Of a text and a slice there is more to say than how long they are borrowed.
    let is_unsized = matches!(inner, Type::Slice(_))
        || matches!(inner, Type::Path(path) if path.path.is_ident("str"));
    (is_unsized || !refuse_static(name, reference, errors)).then_some((inner, true))
}

/// What any other node takes: its type, and whether it is borrowed.
pub(super) fn param(name: &Ident, ty: &Type, errors: &mut Diagnostics) -> Option<(Type, bool)> {
    let (inner, by_ref) = without_reference(name, ty, errors)?;
    if refuse_unnamed(name, inner, Side::Takes, errors)
        || refuse_borrowed(name, inner, errors)
        || refuse_object(name, ty, errors)
        || refuse_calls(name, inner, Side::Takes, errors)
    {
        return None;
    }
    match inner {
        Type::Tuple(ty) => {
            errors.error(
                ty.span(),
                format!("`{name}` takes a tuple"),
                "take each state as a parameter of its own: the node waits for all of them",
            );
            None
        }
        Type::Path(path) if path.path.is_ident("str") => unsized_param(name, ty, errors),
        Type::Slice(slice) if by_ref => {
            slice_param(name, ty, &slice.elem, errors);
            None
        }
        Type::Array(array) => {
            refuse_array(name, array, errors);
            None
        }
        inner if refuse_caught(name, inner, errors) || refuse_host(name, inner, errors) => None,
        Type::Slice(_) => unsized_param(name, ty, errors),
        inner if refuse_stateless(name, inner, Side::Takes, errors) => None,
        ty => Some((ty.clone(), by_ref)),
    }
}

/// Reports a reference that would outlive the step.
fn refuse_static(name: &Ident, ty: &TypeReference, errors: &mut Diagnostics) -> bool {
    let lifetime = ty.lifetime.as_ref();
    let Some(lifetime) = lifetime.filter(|lifetime| lifetime.ident == "static") else {
        return false;
    };
    errors.error(
        lifetime.span(),
        format!("`{name}` borrows for `'static`, and a state is lent for one step"),
        format!("write `&{}`", short(&ty.elem)),
    );
    true
}

/// Reports an error of the standard library, which is what one expects behind a `catch`.
fn refuse_caught(name: &Ident, ty: &Type, errors: &mut Diagnostics) -> bool {
    if !(is_error_object(ty) || is_error_of_std(ty)) {
        return false;
    }
    errors.error(
        ty.span(),
        format!("`{name}` takes `{}`, which is not a flow state", short(ty)),
        "behind `catch(node)` take `Failure<A>`, where `A` is what `node` takes: it has the `message` and the `input`",
    );
    true
}

fn refuse_host(name: &Ident, ty: &Type, errors: &mut Diagnostics) -> bool {
    let Some(value) = state_of_host(ty) else {
        return false;
    };
    let value = short(value);
    errors.error(
        ty.span(),
        format!("`{name}` takes `State<{value}>`, which is not a flow state"),
        format!(
            "write `Dep<{value}>` for a value that the host provides; a state is taken by its own type"
        ),
    );
    true
}

fn is_error_of_std(ty: &Type) -> bool {
    let first = path_of(ty).and_then(|path| path.segments.first());
    let is_of_std =
        |first: &PathSegment| ["std", "core", "alloc"].iter().any(|of| first.ident == of);
    first.is_some_and(is_of_std) && last_name(ty).is_some_and(|name| is_error_name(&name))
}

fn slice_param(name: &Ident, ty: &Type, item: &Type, errors: &mut Diagnostics) {
    let item = short(item);
    errors.error(
        ty.span(),
        format!("`{name}` takes `&[{item}]`, which is not a flow state"),
        format!(
            "write `&Each<{item}>`, the list that an `each(…)` returns; of several branches that meet each has a parameter of its own"
        ),
    );
}

fn unsized_param(name: &Ident, ty: &Type, errors: &mut Diagnostics) -> Option<(Type, bool)> {
    let text = ty.to_token_stream().to_string().replace("& ", "&");
    errors.error(
        ty.span(),
        format!("`{name}` takes `{text}`, which is not a flow state"),
        "wrap it in a state that owns it, such as `#[state] struct Text { text: String }`",
    );
    None
}

pub(super) fn return_type(item: &ItemFn, kind: Kind, errors: &mut Diagnostics) -> Option<Type> {
    let name = &item.sig.ident;
    let nothing = |errors: &mut Diagnostics, span| {
        match kind {
            Kind::Agent => errors.error(
                span,
                format!("the agent `{name}` returns no prompt"),
                "return the prompt, a `String`: what the model returns goes on from the agent",
            ),
            Kind::Node | Kind::Gate => errors.error(
                span,
                format!("`{name}` returns no state"),
                "return the state that goes on from it",
            ),
        }
        None
    };
    match &item.sig.output {
        ReturnType::Default => nothing(errors, name.span()),
        ReturnType::Type(_, ty) => match &**ty {
            Type::Tuple(tuple) if tuple.elems.is_empty() => nothing(errors, ty.span()),
            ty if refuse_unnamed(name, ty, Side::Returns, errors) => None,
            ty if kind != Kind::Agent && refuse_calls(name, ty, Side::Returns, errors) => None,
            ty if kind != Kind::Agent && refuse_stateless(name, ty, Side::Returns, errors) => None,
            ty => Some(ty.clone()),
        },
    }
}

/// Whether a type is not written as something around a state: then rustc can say all of it that there is to
/// say without a list of what else there is.
pub(super) fn is_name(ty: &Type) -> bool {
    const AROUND: [&str; 7] = [
        "Dep", "Each", "Either", "Failure", "Input", "Latest", "Result",
    ];
    path_of(ty).is_some() && around(ty, &AROUND).is_none()
}

/// What a parameter has to be: the same under several names, each with the help for types that are called so.
pub(super) fn param_trait(ty: &Type) -> &'static str {
    match last_name(ty) {
        Some(name) if is_error_name(&name) => "ErrorParam",
        Some(name) if name == "Resumed" => "ResumedParam",
        Some(name) if name == "String" => "TextParam",
        _ if is_name(ty) => "NamedParam",
        _ => "Param",
    }
}

/// Whether a type has the name of an error, which is what one expects behind a `catch`.
fn is_error_name(name: &str) -> bool {
    name.ends_with("Error")
}

/// What the type that a function returns has to be: the same under several names, as for parameters.
pub(super) fn output_trait(ty: &Type) -> &'static str {
    match last_name(ty) {
        Some(name) if name == "Invoke" => "InvokeOutput",
        _ if is_name(ty) => "NamedOutput",
        _ => "Output",
    }
}

/// The name of a parameter, if it has a plain one.
pub(crate) fn plain_name(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(&pat.ident),
        _ => None,
    }
}
