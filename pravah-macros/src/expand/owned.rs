//! Fields that no state has: what borrows, has no size, or changes behind a reference.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, GenericArgument, Item, PathArguments, PathSegment, Type, parse_quote,
    spanned::Spanned,
};

use super::{attributes, state::item_attrs};
use crate::{
    diag::Diagnostics,
    types::{arguments, last_name, path_of, short, ungroup},
};

/// All fields of a struct, or of an enum's variants.
pub(super) fn fields(item: &Item) -> Vec<&syn::Field> {
    match item {
        Item::Struct(item) => item.fields.iter().collect(),
        Item::Enum(item) => item
            .variants
            .iter()
            .flat_map(|variant| &variant.fields)
            .collect(),
        _ => Vec::new(),
    }
}

/// The same, to be changed.
pub(super) fn fields_mut(item: &mut Item) -> Vec<&mut syn::Field> {
    match item {
        Item::Struct(item) => item.fields.iter_mut().collect(),
        Item::Enum(item) => item
            .variants
            .iter_mut()
            .flat_map(|variant| &mut variant.fields)
            .collect(),
        _ => Vec::new(),
    }
}

/// A state is read from JSON that is gone afterwards: no field borrows, and each has a size. And what is stored of it stays
/// true: no field changes behind a reference.
pub(super) fn check(item: &Item, errors: &mut Diagnostics) -> bool {
    let has_default = has_serde_option(item_attrs(item), &["default"]);
    let check = |errors: &mut Diagnostics| {
        for field in fields(item) {
            if !has_serde_option(&field.attrs, &["skip"]) {
                check_unchanging(field, errors);
            }
            if !has_own_json(field) {
                check_owned(field, errors);
            }
            if !has_default {
                check_written(field, errors);
            }
        }
    };
    errors.attempt(check).is_some()
}

/// Whether no derive reads the field as it is.
fn has_own_json(field: &syn::Field) -> bool {
    has_serde_option(
        &field.attrs,
        &["skip", "skip_deserializing", "with", "deserialize_with"],
    )
}

fn has_serde_option(attrs: &[Attribute], names: &[&str]) -> bool {
    let metas = attrs
        .iter()
        .filter_map(|attr| attributes::metas(attr, "serde"));
    let is_named = |meta: &syn::Meta| names.iter().any(|name| meta.path().is_ident(name));
    metas.flatten().any(|meta| is_named(&meta))
}

/// What is not written is missing when the state is read again.
fn check_written(field: &syn::Field, errors: &mut Diagnostics) {
    let is_left_out = has_serde_option(&field.attrs, &["skip_serializing", "skip_serializing_if"]);
    let is_filled = has_serde_option(&field.attrs, &["default", "skip_deserializing"])
        || last_name(&field.ty).as_deref() == Some("Option");
    if let Some(name) = field.ident.as_ref().filter(|_| is_left_out && !is_filled) {
        errors.error(
            name.span(),
            format!("the field `{name}` is left out of what is stored, and missing when the state is read again"),
            "write `default` beside it, in `#[serde(…)]`: the field is then read as its default",
        );
    }
}

fn check_owned(field: &syn::Field, errors: &mut Diagnostics) {
    if let Some(cow) = cow_without_lifetime(&field.ty) {
        errors.error(
            cow.ident.span(),
            "a `Cow` borrows, and a state owns its data",
            "write the owned type, such as `String` for `Cow<str>`",
        );
    }
    if let Some(reference) = borrowed(&field.ty) {
        errors.error(
            reference.span(),
            format!("{} borrows, and a state owns its data", called(field)),
            format!("write `{}`", owned_text(reference)),
        );
    }
    if let Some((map, key)) = map_without_names(&field.ty) {
        errors.error(
            key.span(),
            format!(
                "{} holds a `{}`, whose keys are no names in JSON",
                called(field),
                short(map)
            ),
            help_for_names(key),
        );
    }
    if let Some(ty) = unsized_type(&field.ty) {
        let help = match ty {
            Type::TraitObject(_) => {
                "name the concrete type, or write an enum of those that it may be".to_owned()
            }
            Type::Slice(slice) => format!("write `Vec<{}>`", short(&slice.elem)),
            _ => "write `String`".to_owned(),
        };
        errors.error(
            ty.span(),
            format!("{} is `{}`, which has no size", called(field), short(ty)),
            help,
        );
    }
}

/// The first map in a type whose keys JSON cannot hold, as it is written, and its key.
pub(super) fn map_without_names(ty: &Type) -> Option<(&Type, &Type)> {
    first_in(ty, &|ty| {
        let last = path_of(ty)?.segments.last()?;
        let is_map = ["HashMap", "BTreeMap", "IndexMap"]
            .iter()
            .any(|map| last.ident == map);
        let key = is_map
            .then(|| arguments(last))
            .and_then(|arguments| arguments.first().copied())?;
        let is_no_name = match ungroup(key) {
            Type::Tuple(_) | Type::Array(_) => true,
            key => last_name(key).as_deref() == Some("Vec"),
        };
        is_no_name.then_some((ty, key))
    })
}

/// What to write for such a map.
pub(super) fn help_for_names(key: &Type) -> String {
    let key = short(key);
    format!(
        "write a list of pairs, such as `Vec<({key}, …)>`, or make one text of each key: `String`"
    )
}

/// What a field is called in a message.
fn called(field: &syn::Field) -> String {
    match &field.ident {
        Some(field) => format!("the field `{field}`"),
        None => "a field of the state".to_owned(),
    }
}

/// No lock and no atomic in it: what a run keeps of a state would change with them.
fn check_unchanging(field: &syn::Field, errors: &mut Diagnostics) {
    let found = first_in(&field.ty, &|ty| {
        let Type::Path(path) = ty else {
            return None;
        };
        let last = path.path.segments.last()?;
        Some((ty, &last.ident, held_by(last)?))
    });
    if let Some((ty, name, held)) = found {
        errors.error(
            name.span(),
            format!("{} can change behind a reference, and what a run keeps of the state with it", called(field)),
            format!("write `{held}`, and return a state with the new value; what several nodes change is a `Dep<{}>`", short(ty)),
        );
    }
}

/// The type of what a lock or an atomic holds.
fn held_by(segment: &PathSegment) -> Option<String> {
    let name = segment.ident.to_string();
    if let Some(held) = name.strip_prefix("Atomic") {
        let is_atomic = matches!(
            held,
            "Bool"
                | "I8"
                | "I16"
                | "I32"
                | "I64"
                | "Isize"
                | "U8"
                | "U16"
                | "U32"
                | "U64"
                | "Usize"
        );
        return (is_atomic && segment.arguments.is_none()).then(|| held.to_lowercase());
    }
    match (&*name, &segment.arguments) {
        ("Mutex" | "RwLock", PathArguments::AngleBracketed(arguments)) => {
            match arguments.args.last()? {
                GenericArgument::Type(ty) => Some(short(ty)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A type that has no size, by how it is written.
fn unsized_type(ty: &Type) -> Option<&Type> {
    match ungroup(ty) {
        ty @ (Type::Slice(_) | Type::TraitObject(_)) => Some(ty),
        ty @ Type::Path(path) if path.path.is_ident("str") => Some(ty),
        _ => None,
    }
}

/// The owned type in place of a reference.
pub(super) fn owned_text(reference: &syn::TypeReference) -> String {
    match &*reference.elem {
        Type::Path(path) if path.path.is_ident("str") => "String".to_owned(),
        Type::Path(path)
            if path
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "Path") =>
        {
            "PathBuf".to_owned()
        }
        Type::Slice(slice) => format!("Vec<{}>", short(&slice.elem)),
        other => short(other),
    }
}

/// Gives a lifetime to each reference and `Cow` in a field, of which rustc would report that it has none, and a size to
/// what has none.
pub(super) fn make_sized_and_static(item: &mut Item) {
    for field in fields_mut(item) {
        match ungroup(&field.ty) {
            Type::Slice(slice) => {
                let item = &slice.elem;
                field.ty = parse_quote!(::std::vec::Vec<#item>);
            }
            Type::Path(path) if path.path.is_ident("str") => {
                field.ty = parse_quote!(::std::string::String);
            }
            ty @ Type::TraitObject(_) => field.ty = parse_quote!(::std::boxed::Box<#ty>),
            _ => {}
        }
        if let Ok(ty) = syn::parse2(with_lifetimes(field.ty.to_token_stream())) {
            field.ty = ty;
        }
    }
}

/// Writes `'static` for these lifetimes in the fields.
pub(super) fn make_static(item: &mut Item, lifetimes: &[Ident]) {
    for field in fields_mut(item) {
        let tokens = field.ty.to_token_stream();
        if let Ok(ty) = syn::parse2(with_static(tokens, lifetimes)) {
            field.ty = ty;
        }
    }
}

fn with_static(tokens: TokenStream, lifetimes: &[Ident]) -> TokenStream {
    let mut after_quote = false;
    let tokens = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let inner = with_static(group.stream(), lifetimes);
            TokenTree::Group(with_inner(&group, inner))
        }
        TokenTree::Ident(name) if after_quote && lifetimes.contains(&name) => {
            TokenTree::Ident(Ident::new("static", name.span()))
        }
        token => {
            after_quote = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '\'');
            token
        }
    });
    tokens.collect()
}

fn with_inner(group: &Group, inner: TokenStream) -> Group {
    let mut with = Group::new(group.delimiter(), inner);
    with.set_span(group.span());
    with
}

fn with_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut named = TokenStream::new();
    let mut after_cow = false;
    while let Some(token) = tokens.next() {
        let is_reference = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '&');
        let opens_cow =
            after_cow && matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '<');
        after_cow = matches!(&token, TokenTree::Ident(ident) if ident == "Cow");
        match token {
            TokenTree::Group(group) => {
                let inner = with_lifetimes(group.stream());
                with_inner(&group, inner).to_tokens(&mut named);
            }
            token => token.to_tokens(&mut named),
        }
        let has_lifetime =
            matches!(tokens.peek(), Some(TokenTree::Punct(sign)) if sign.as_char() == '\'');
        if is_reference && !has_lifetime {
            named.extend(quote!('static));
        }
        if opens_cow && !has_lifetime {
            named.extend(quote!('static,));
        }
    }
    named
}

/// The first reference in a type.
pub(super) fn borrowed(ty: &Type) -> Option<&syn::TypeReference> {
    first_in(ty, &|ty| match ty {
        Type::Reference(reference) => Some(reference),
        _ => None,
    })
}

/// The first `Cow` in a type that has no lifetime.
fn cow_without_lifetime(ty: &Type) -> Option<&PathSegment> {
    first_in(ty, &|ty| {
        let Type::Path(path) = ty else {
            return None;
        };
        let last = path.path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        let has_lifetime = matches!(arguments.args.first(), Some(GenericArgument::Lifetime(_)));
        (last.ident == "Cow" && !has_lifetime).then_some(last)
    })
}

/// What `pick` returns of the first type for which it returns something: the type itself, or one in it.
fn first_in<'a, T>(ty: &'a Type, pick: &impl Fn(&'a Type) -> Option<T>) -> Option<T> {
    pick(ty).or_else(|| match ty {
        Type::Reference(reference) => first_in(&reference.elem, pick),
        Type::Group(group) => first_in(&group.elem, pick),
        Type::Paren(paren) => first_in(&paren.elem, pick),
        Type::Array(array) => first_in(&array.elem, pick),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(|ty| first_in(ty, pick)),
        Type::Path(path) => path.path.segments.iter().find_map(|segment| {
            let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                return None;
            };
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => first_in(ty, pick),
                _ => None,
            })
        }),
        _ => None,
    })
}
