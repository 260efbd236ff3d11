//! `#[state]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Attribute, GenericParam, Generics, Ident, Item, ItemStruct, ItemType, LitStr, Meta, Type,
    ext::IdentExt, parse_quote, punctuated::Punctuated, spanned::Spanned,
};

use super::{
    attributes::{DERIVES, derived, is_about_json, is_converted, metas},
    callable, own, owned, plain, private,
};
use crate::{conditions::Conditional, diag::Diagnostics, root, types};

/// `manual` names what is not added: the user writes it by hand, or goes without.
pub(crate) fn expand(mut item: Item, manual: &[String], errors: &mut Diagnostics) -> TokenStream {
    if !is_plain(&item, manual, errors) {
        if let Item::Type(alias) = item {
            item = Item::Struct(struct_for(alias));
        }
        drop_lifetimes(&mut item);
        owned::make_sized_and_static(&mut item);
        callable::share(&mut item);
        let refused = match &item {
            Item::Struct(item) => refused(&item.attrs, &item.ident, &item.generics, manual),
            Item::Enum(item) => refused(&item.attrs, &item.ident, &item.generics, manual),
            Item::Union(item) => refused(&item.attrs, &item.ident, &item.generics, manual),
            _ => TokenStream::new(),
        };
        leave_out_json(&mut item);
        return quote!(#item #refused);
    }
    let (attrs, ident) = match &mut item {
        Item::Struct(item) => (&mut item.attrs, item.ident.clone()),
        Item::Enum(item) => (&mut item.attrs, item.ident.clone()),
        _ => return quote!(#item),
    };
    name_transparent(attrs, &ident, manual);
    check_name(attrs, &ident, errors);
    let plain = plain::missing(attrs, manual);
    let derives = derives(attrs, manual, Some(&ident));
    let clone = plain.clone;
    let plain = plain::expand(&item, plain);
    let state = implement(item_attrs(&item), &of_one_thread(&item, &ident), clone);
    let item = own(&item, &ident);
    quote!(#plain #derives #item #state)
}

/// Leaves out the lifetimes of a state, which were reported: its uses without them are no second error, and rustc says
/// of those with them what to remove.
fn drop_lifetimes(item: &mut Item) {
    let generics = match item {
        Item::Struct(item) => &mut item.generics,
        Item::Enum(item) => &mut item.generics,
        _ => return,
    };
    let lifetimes: Vec<_> = generics
        .lifetimes()
        .map(|param| param.lifetime.ident.clone())
        .collect();
    if lifetimes.is_empty() {
        return;
    }
    let params = std::mem::take(&mut generics.params).into_iter();
    generics.params = params
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .collect();
    generics.where_clause = None;
    owned::make_static(item, &lifetimes);
}

/// The struct to write in place of an alias, so that its uses are no second error.
fn struct_for(alias: ItemType) -> ItemStruct {
    let ItemType {
        attrs,
        vis,
        ident,
        generics,
        ty,
        ..
    } = alias;
    parse_quote!(#(#attrs)* #vis struct #ident #generics (#vis #ty);)
}

pub(super) fn item_attrs(item: &Item) -> &[Attribute] {
    match item {
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        _ => &[],
    }
}

/// The name of a state at what one thread alone can have, if a field is called so: what a state lacks that threads
/// cannot share is then labelled there. It is no more than a label, as a name may be that of another type.
fn of_one_thread(item: &Item, ident: &Ident) -> Ident {
    let name = owned::fields(item).into_iter().find_map(|field| {
        let name = types::path_of(&field.ty)?.segments.last()?.ident.clone();
        ["Cell", "Rc", "RefCell"]
            .iter()
            .any(|one| name == one)
            .then_some(name)
    });
    let mut ident = ident.clone();
    if let Some(name) = name {
        ident.set_span(name.span().resolved_at(ident.span()));
    }
    ident
}

/// What a state is after all that was refused where it is written: a state, or what no check speaks of, where it
/// is more than one type.
fn refused(
    attrs: &[Attribute],
    ident: &Ident,
    generics: &Generics,
    manual: &[String],
) -> TokenStream {
    if !generics.params.is_empty() {
        return broken(ident, generics);
    }
    let derived: Vec<String> = attrs.iter().flat_map(derived).collect();
    let added = DERIVES.into_iter().chain(["Clone", "Debug"]);
    let added = added.filter(|name| !derived.iter().chain(manual).any(|known| known == name));
    let added = added.map(|name| Ident::new(name, Span::call_site()));
    let private = private();
    let state = implement(attrs, ident, plain::missing(attrs, manual).clone);
    quote! {
        #(#private::refused_state! { #added #ident })*
        #state
    }
}

/// The impls that make a type with these attributes a state. It is known to be `Clone`, or that is found out.
fn implement(attrs: &[Attribute], ident: &Ident, is_clone: bool) -> TokenStream {
    let private = private();
    let name = schema_name(attrs, ident);
    let copying = match is_clone {
        true => quote!(ByClone),
        false => quote! {
            CloneIf<{
                #[allow(unused_imports)]
                use #private::NoClone as _;
                #private::CloneProbe::<#ident>::IS_CLONE
            }>
        },
    };
    quote! {
        impl #private::State for #ident {}
        #private::implement_state! { impl #ident, #name, #copying }
    }
}

/// What nodes may take and return after all: a type that was refused where it is written, of which
/// no check speaks.
pub(crate) fn broken(ident: &Ident, generics: &Generics) -> TokenStream {
    let private = private();
    let (params, arguments, bounds) = generics.split_for_impl();
    let mut with_state = generics.clone();
    with_state
        .params
        .push(parse_quote!(__PravahState: #private::State));
    let (with_state, ..) = with_state.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #params #private::Param for #ident #arguments #bounds {
            type Receive = #private::Refused;
        }

        #[automatically_derived]
        impl #params #private::Output for #ident #arguments #bounds {
            type Emit = #private::Refused;
        }

        #[automatically_derived]
        impl #with_state #private::HasBranch<0, __PravahState> for #ident #arguments #bounds {}
    }
}

/// A state is one type: a struct or enum without parameters.
fn is_plain(item: &Item, manual: &[String], errors: &mut Diagnostics) -> bool {
    let (ident, generics) = match item {
        Item::Struct(item) => (&item.ident, &item.generics),
        Item::Enum(item) => (&item.ident, &item.generics),
        Item::Type(alias) => {
            let (name, ty) = (&alias.ident, types::short(&alias.ty));
            let is_owned = alias.generics.params.is_empty()
                && !matches!(*alias.ty, Type::Reference(_))
                && ty != "str";
            errors.error(
                alias.type_token.span,
                "a type alias is another name of a type, and no state of its own",
                match is_owned {
                    true => format!("write `#[state] struct {name}({ty});`"),
                    false => format!(
                        "write a struct with fields that it owns: `#[state] struct {name} {{ … }}`"
                    ),
                },
            );
            return false;
        }
        item => {
            errors.error(
                item.span(),
                "a state is a struct or an enum",
                "put `#[state]` above one",
            );
            return false;
        }
    };
    let Some(param) = generics.params.first() else {
        return is_read_by_hand(item, manual)
            || (owned::check(item, errors) && callable::check(item, errors));
    };
    let (what, help) = match param {
        syn::GenericParam::Lifetime(_) => (
            "borrows",
            "write `String` for `&str`, `Vec<T>` for `&[T]`, `T` for `&T`, and no lifetime"
                .to_owned(),
        ),
        syn::GenericParam::Type(_) | syn::GenericParam::Const(_) => (
            "is generic",
            format!(
                "write the concrete type in place of the parameter; or, without the attribute, derive `Serialize`, `Deserialize`, `JsonSchema`, `Clone` and `Debug` for `{ident}`, and wrap it: `#[state] struct My{ident}({ident}<…>);`"
            ),
        ),
    };
    errors.error(
        param.span(),
        format!("the state `{ident}` {what}, and a state is one concrete type that owns its data"),
        help,
    );
    false
}

/// Whether no derive reads the fields of a state: then they may be anything.
fn is_read_by_hand(item: &Item, manual: &[String]) -> bool {
    let attrs = match item {
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        _ => return false,
    };
    is_converted(attrs, &["from", "try_from"]) || manual.iter().any(|name| name == "Deserialize")
}

/// Removes the attributes of serde and schemars from an item for which neither derives anything: rustc would not know
/// them.
fn leave_out_json(item: &mut Item) {
    let attrs = match item {
        Item::Struct(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        _ => return,
    };
    let mut derived = attrs.iter().flat_map(derived);
    if derived.any(|name| DERIVES.contains(&name.as_str())) {
        return;
    }
    let mut leave_out = |attrs: &mut Vec<Attribute>| {
        attrs.retain(|attr| !is_about_json(attr));
        true
    };
    leave_out(attrs);
    item.retain(&mut leave_out);
}

/// The derives that are neither written below the attribute nor by hand. They come first: `#[serde(…)]` has to
/// be below the derive that introduces it. With `state`, making the schema also notes how the state is cloned, for
/// the builder, which is generic and could not find out.
pub(crate) fn derives(
    attrs: &mut Vec<Attribute>,
    manual: &[String],
    state: Option<&Ident>,
) -> TokenStream {
    let written: Vec<String> = attrs.iter().flat_map(derived).collect();
    let missing = |name: &str| !written.iter().chain(manual).any(|known| known == name);
    let private = private();
    let note_clone = state.map(|state| quote!(transform = #private::note_clone::<#state>()));
    let added = DERIVES.into_iter().filter(|name| missing(name));
    let added = added.map(|name| {
        let derive = Ident::new(name, Span::call_site());
        match name {
            "JsonSchema" => quote!(#private::schemars::#derive),
            _ => quote!(#private::serde::#derive),
        }
    });
    // In the order in which a field is to be reported that lacks them.
    let added = quote!(#(#added),*);
    let added = (!added.is_empty()).then(|| quote!(#[derive(#added)]));
    let serde = (missing("Serialize") || missing("Deserialize")).then(|| {
        let path = root::text("__private::serde");
        quote!(#[serde(crate = #path)])
    });
    let schemars = missing("JsonSchema").then(|| {
        let path = root::text("__private::schemars");
        let note_clone = note_clone.iter();
        quote!(#[schemars(crate = #path #(, #note_clone)*)])
    });
    let derives = quote!(#added #serde #schemars);
    if written.iter().any(|name| name == "JsonSchema")
        && let Some(note_clone) = &note_clone
    {
        attrs.push(parse_quote!(#[schemars(#note_clone)]));
    }
    derives
}

/// What `schemars` calls a type: `#[schemars(rename)]`, else `#[serde(rename)]`, else its own name.
/// Of two names it takes the one for reading.
pub(crate) fn schema_name(attrs: &[Attribute], ident: &Ident) -> String {
    match rename(attrs) {
        Some(name) => name.value(),
        None => ident.unraw().to_string(),
    }
}

/// The other name that a type has been given.
fn rename(attrs: &[Attribute]) -> Option<LitStr> {
    let renamed = |by| attrs.iter().find_map(|attr| renamed(attr, by));
    renamed("schemars").or_else(|| renamed("serde"))
}

/// Refuses a name with which the keys of a snapshot could not be told apart: in them names are
/// joined by `::`, and `@` is kept for the node that takes a state.
pub(crate) fn check_name(attrs: &[Attribute], ident: &Ident, errors: &mut Diagnostics) {
    let Some(name) = rename(attrs) else { return };
    let (text, span) = (name.value(), name.span());
    if text.is_empty() {
        errors.error(
            span,
            format!("`{ident}` has an empty name, and a snapshot identifies a state by its name"),
            "write a name",
        );
        return;
    }
    let at_an_end = text.starts_with(':') || text.ends_with(':');
    let sign = match text.contains("::") || at_an_end {
        true => "::",
        false if text.contains('@') => "@",
        false => return,
    };
    let parts = text.split([':', '@']).filter(|part| !part.is_empty());
    let other = parts.collect::<Vec<_>>().join(".");
    errors.error(
        span,
        format!("`{ident}` is named `{text}`, and `{sign}` separates names in a snapshot"),
        match other.is_empty() {
            true => "write another name".to_owned(),
            false => format!("write another name, such as `{other}`"),
        },
    );
}

/// `#[by(rename = "…")]`, or `#[by(rename(deserialize = "…"))]`.
fn renamed(attr: &Attribute, by: &str) -> Option<LitStr> {
    metas(attr, by)?.iter().find_map(|meta| match meta {
        Meta::NameValue(pair) if pair.path.is_ident("rename") => text(&pair.value),
        Meta::List(list) if list.path.is_ident("rename") => {
            let parts = list.parse_args_with(Punctuated::<Meta, syn::Token![,]>::parse_terminated);
            parts
                .unwrap_or_default()
                .iter()
                .find_map(|meta| match meta {
                    Meta::NameValue(pair) if pair.path.is_ident("deserialize") => text(&pair.value),
                    _ => None,
                })
        }
        _ => None,
    })
}

fn text(value: &syn::Expr) -> Option<LitStr> {
    match value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(text.clone()),
        _ => None,
    }
}

/// `schemars` calls a transparent type, and one that borrows the schema of another, by the name of
/// what is inside, which is not known here; with a title it keeps its own name.
fn name_transparent(attrs: &mut Vec<Attribute>, ident: &Ident, manual: &[String]) {
    let has = |by: &str, what: &str| {
        let metas = attrs.iter().filter_map(|attr| metas(attr, by));
        metas.flatten().any(|meta| meta.path().is_ident(what))
    };
    let transparent =
        has("serde", "transparent") || has("schemars", "transparent") || has("schemars", "with");
    let named = has("schemars", "title") || manual.iter().any(|name| name == "JsonSchema");
    if transparent && !named {
        let name = schema_name(attrs, ident);
        let span = ident.span();
        let attr: TokenStream = quote_spanned!(span=> schemars(title = #name));
        attrs.push(parse_quote!(#[#attr]));
    }
}
