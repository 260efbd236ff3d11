//! The attributes above a state and its fields: what is derived, and what serde and schemars are told.

use syn::{Attribute, Meta, punctuated::Punctuated};

/// The derives by which a state is written as JSON.
pub(super) const DERIVES: [&str; 3] = ["JsonSchema", "Deserialize", "Serialize"];

/// Whether an attribute of serde or schemars, or an impl by hand, does more with a state than go through its fields.
pub(super) fn is_json_by_hand(attrs: &[Attribute], manual: &[String]) -> bool {
    let through_another = ["from", "try_from", "into", "remote", "with"];
    is_converted(attrs, &through_another)
        || DERIVES
            .into_iter()
            .any(|name| manual.iter().any(|manual| manual == name))
}

/// Whether an attribute says something of how a field or a variant is written as JSON.
pub(super) fn is_about_json(attr: &Attribute) -> bool {
    attr.path().is_ident("serde") || attr.path().is_ident("schemars")
}

/// Whether an attribute has one of these options, or may have it, since it cannot be read.
pub(super) fn is_converted(attrs: &[Attribute], by: &[&str]) -> bool {
    let is_one = |meta: &Meta| by.iter().any(|name| meta.path().is_ident(name));
    let mut attrs = attrs.iter().filter(|attr| is_about_json(attr));
    attrs.any(|attr| parsed_metas(attr).is_none_or(|metas| metas.iter().any(is_one)))
}

/// The names in a `#[derive(…)]`, without their paths.
pub(super) fn derived(attr: &Attribute) -> Vec<String> {
    if !attr.path().is_ident("derive") {
        return Vec::new();
    }
    let paths = attr.parse_args_with(Punctuated::<syn::Path, syn::Token![,]>::parse_terminated);
    let paths = paths.unwrap_or_default();
    paths
        .iter()
        .filter_map(|path| Some(path.segments.last()?.ident.to_string()))
        .collect()
}

/// What an attribute `#[by(…)]` says, if it can be read.
pub(super) fn metas(attr: &Attribute, by: &str) -> Option<Punctuated<Meta, syn::Token![,]>> {
    attr.path().is_ident(by).then(|| parsed_metas(attr))?
}

fn parsed_metas(attr: &Attribute) -> Option<Punctuated<Meta, syn::Token![,]>> {
    attr.parse_args_with(Punctuated::<Meta, syn::Token![,]>::parse_terminated)
        .ok()
}
