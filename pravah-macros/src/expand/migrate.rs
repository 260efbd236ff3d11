//! `#[migrate]`: a function that makes a state of this version of an earlier one.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{FnArg, ItemFn, ReturnType, Type, spanned::Spanned};

use super::{associated, beside, function::refuse_modifiers, private};
use crate::{
    diag::Diagnostics,
    options::MovedSlot,
    types::{arguments, path_of, ungroup},
};

pub(crate) fn expand(
    item: &ItemFn,
    slot: Option<&MovedSlot>,
    errors: &mut Diagnostics,
) -> TokenStream {
    let code = errors.attempt(|errors| {
        let migration = Migration::read(item, errors)?;
        Some(migration.expand(item, slot))
    });
    code.flatten().unwrap_or_else(|| item.to_token_stream())
}

struct Migration<'a> {
    old: &'a Type,
    new: &'a Type,
    may_fail: bool,
}

impl<'a> Migration<'a> {
    fn read(item: &'a ItemFn, errors: &mut Diagnostics) -> Option<Self> {
        let name = &item.sig.ident;
        refuse_modifiers(&item.sig, "migration", errors);
        if let Some(token) = &item.sig.asyncness {
            errors.error(
                token.span,
                format!("the migration `{name}` is async, and a run is loaded without waiting"),
                "remove `async`: what has to be fetched is for a node to fetch",
            );
        }
        if let Some(param) = item.sig.generics.params.first() {
            errors.error(
                param.span(),
                format!("the migration `{name}` is generic, and the states of a flow are concrete"),
                "write one for each state",
            );
        }
        let old = match item.sig.inputs.iter().collect::<Vec<_>>().as_slice() {
            [FnArg::Typed(old)] => match ungroup(&old.ty) {
                Type::Reference(ty) => {
                    errors.error(
                        ty.and_token.span,
                        format!("the migration `{name}` borrows the earlier state"),
                        "take it by value",
                    );
                    None
                }
                _ => Some(&*old.ty),
            },
            _ => {
                errors.error(
                    name.span(),
                    format!("the migration `{name}` does not take one state"),
                    format!("write `fn {name}(old: v1::State) -> State`"),
                );
                None
            }
        };
        let ReturnType::Type(_, ty) = &item.sig.output else {
            errors.error(
                name.span(),
                format!("the migration `{name}` returns no state"),
                format!("write `fn {name}(old: v1::State) -> State`"),
            );
            return None;
        };
        let inside = inside_result(ty);
        Some(Self {
            old: old?,
            new: inside.unwrap_or(ty),
            may_fail: inside.is_some(),
        })
    }

    fn expand(&self, item: &ItemFn, slot: Option<&MovedSlot>) -> TokenStream {
        let private = private();
        let name = &item.sig.ident;
        let (old, new) = (associated("Old", self.old), associated("New", self.new));
        let slot = match slot {
            None => quote!(::core::option::Option::None),
            Some(MovedSlot::OfState) => quote!(::core::option::Option::Some("")),
            Some(MovedSlot::Key(key)) => quote!(::core::option::Option::Some(#key)),
        };
        let migrate = match self.may_fail {
            false => quote!(::core::result::Result::Ok(#name(old))),
            true => quote!(#name(old).map_err(::core::convert::Into::into)),
        };
        let items = quote! {
            #item

            #[automatically_derived]
            impl #private::Migrate for #name {
                #old
                #new

                const SLOT: ::core::option::Option<&'static str> = #slot;

                fn migrate(
                    old: Self::Old,
                ) -> ::core::result::Result<Self::New, #private::BoxError> {
                    #migrate
                }
            }
        };
        beside(&item.vis, name, &TokenStream::new(), &items)
    }
}

/// What a `Result` holds if all is well, whichever `Result` it is.
fn inside_result(ty: &Type) -> Option<&Type> {
    let last = path_of(ty)?.segments.last();
    let last = last.filter(|last| last.ident == "Result")?;
    arguments(last).first().copied()
}
