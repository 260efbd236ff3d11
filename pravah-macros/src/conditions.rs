//! `#[cfg]` and `#[cfg_attr]` inside an item.
//!
//! rustc hands an attribute its item before it looks at what is conditional inside, and no macro can
//! ask whether a condition holds. So the first condition is moved out: the item is written twice, as
//! it is where the condition holds and as it is where not, each under the same attribute, and rustc
//! keeps one of them. What is left conditional in that one is moved out when its turn comes.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, Fields, FnArg, ImplItem, Item, ItemEnum, ItemFn, Meta, Token, parse_quote,
    punctuated::Punctuated,
};

/// An item with parts that may be conditional.
pub(crate) trait Conditional: ToTokens + Clone {
    /// Shows `keep` the attributes of each part, and drops those that it does not keep.
    fn retain(&mut self, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool);
}

/// The item in both its versions under `attribute`, if a part of it is conditional.
pub(crate) fn move_out(
    item: &mut impl Conditional,
    attribute: impl FnOnce() -> TokenStream,
) -> Option<TokenStream> {
    let (condition, attribute) = (first_condition(item)?, attribute());
    let [with, without] = [true, false].map(|holds| {
        let mut item = item.clone();
        item.retain(&mut |attrs| decide(attrs, &condition, holds));
        item.into_token_stream()
    });
    Some(quote! {
        #[cfg(#condition)]
        #attribute
        #with

        #[cfg(not(#condition))]
        #attribute
        #without
    })
}

fn first_condition(item: &mut impl Conditional) -> Option<TokenStream> {
    let mut found = None;
    item.retain(&mut |attrs| {
        if found.is_none() {
            found = attrs.iter().find_map(condition);
        }
        true
    });
    found
}

/// The condition of a `#[cfg(…)]`, or of a `#[cfg_attr(…, …)]`.
fn condition(attr: &Attribute) -> Option<TokenStream> {
    let Meta::List(list) = &attr.meta else {
        return None;
    };
    if list.path.is_ident("cfg") {
        return Some(list.tokens.clone());
    }
    Some(parts_of(attr)?.first()?.to_token_stream())
}

/// What is in a `#[cfg_attr(…)]`.
fn parts_of(attr: &Attribute) -> Option<Punctuated<Meta, Token![,]>> {
    if !attr.path().is_ident("cfg_attr") {
        return None;
    }
    attr.parse_args_with(Punctuated::parse_terminated).ok()
}

/// The attributes of a part where it is known whether `condition` holds, and whether the part stays.
fn decide(attrs: &mut Vec<Attribute>, known: &TokenStream, holds: bool) -> bool {
    let known = known.to_string();
    let mut stays = true;
    for attr in std::mem::take(attrs) {
        if condition(&attr).is_none_or(|condition| condition.to_string() != known) {
            attrs.push(attr);
        } else if let Some(parts) = parts_of(&attr) {
            let parts = parts.into_iter().skip(1).filter(|_| holds);
            attrs.extend(parts.map(|part| -> Attribute { parse_quote!(#[#part]) }));
        } else {
            stays &= holds;
        }
    }
    stays
}

impl Conditional for ItemFn {
    fn retain(&mut self, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool) {
        retain_parts(&mut self.sig.inputs, |input| {
            keep(match input {
                FnArg::Receiver(receiver) => &mut receiver.attrs,
                FnArg::Typed(param) => &mut param.attrs,
            })
        });
    }
}

impl Conditional for ItemEnum {
    fn retain(&mut self, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool) {
        retain_parts(&mut self.variants, |variant| {
            let stays = keep(&mut variant.attrs);
            retain_fields(&mut variant.fields, keep);
            stays
        });
    }
}

impl Conditional for Item {
    fn retain(&mut self, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool) {
        match self {
            Item::Fn(item) => item.retain(keep),
            Item::Enum(item) => item.retain(keep),
            Item::Struct(item) => retain_fields(&mut item.fields, keep),
            Item::Impl(item) => item.items.retain_mut(|member| match member {
                ImplItem::Const(member) => keep(&mut member.attrs),
                ImplItem::Fn(member) => keep(&mut member.attrs),
                ImplItem::Type(member) => keep(&mut member.attrs),
                _ => true,
            }),
            _ => {}
        }
    }
}

fn retain_fields(fields: &mut Fields, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool) {
    match fields {
        Fields::Named(fields) => retain_parts(&mut fields.named, |field| keep(&mut field.attrs)),
        Fields::Unnamed(fields) => {
            retain_parts(&mut fields.unnamed, |field| keep(&mut field.attrs));
        }
        Fields::Unit => {}
    }
}

fn retain_parts<T, P: Default>(parts: &mut Punctuated<T, P>, mut keep: impl FnMut(&mut T) -> bool) {
    let kept: Vec<bool> = parts.iter_mut().map(&mut keep).collect();
    if kept.iter().all(|kept| *kept) {
        return;
    }
    let all = std::mem::take(parts).into_iter().zip(kept);
    *parts = all
        .filter_map(|(part, kept)| kept.then_some(part))
        .collect();
}
