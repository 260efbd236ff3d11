//! `#[migrate]`: a function that makes a state of this version of an earlier one.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, Ident, ItemFn, ReturnType, Type, ext::IdentExt, spanned::Spanned};

use super::{as_written, associated, beside, function::refuse_modifiers, own, private};
use crate::{
    diag::Diagnostics,
    options::MovedSlot,
    types::{arguments, around, path_of, ungroup},
};

pub(crate) fn expand(
    item: &ItemFn,
    slot: Option<&MovedSlot>,
    errors: &mut Diagnostics,
) -> TokenStream {
    let mut found = Diagnostics::default();
    let migration = Migration::read(item, &mut found);
    let is_fine = found.is_empty();
    errors.append(found);
    match migration {
        // Flows that name it get no second error.
        Some(migration) => migration.expand(item, slot, is_fine),
        None => as_written(item),
    }
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
            new: one_state(name, inside.unwrap_or(ty), errors)?,
            may_fail: inside.is_some(),
        })
    }

    fn expand(&self, item: &ItemFn, slot: Option<&MovedSlot>, is_fine: bool) -> TokenStream {
        let private = private();
        let name = &item.sig.ident;
        let text = name.unraw().to_string();
        let (old, new) = (associated("Old", self.old), associated("New", self.new));
        let slot = match slot {
            None => quote!(::core::option::Option::None),
            Some(MovedSlot::OfState) => quote!(::core::option::Option::Some("")),
            Some(MovedSlot::Key(key)) => quote!(::core::option::Option::Some(#key)),
        };
        let migrate = match (is_fine, self.may_fail) {
            (false, _) => quote! {{
                let _ = old;
                ::core::result::Result::Err(#private::does_not_compile().into())
            }},
            (true, false) => quote!(::core::result::Result::Ok(#name(old))),
            (true, true) => quote!(#name(old).map_err(::core::convert::Into::into)),
        };
        let function = own(item, name);
        let items = quote! {
            // Taking the state by value is what is asked of it.
            #[allow(clippy::needless_pass_by_value)]
            #function

            #[automatically_derived]
            impl #private::Migrate for #name {
                #old
                #new

                const NAME: &'static str = #text;

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

/// The state that a migration makes, or the first of several.
fn one_state<'a>(name: &Ident, ty: &'a Type, errors: &mut Diagnostics) -> Option<&'a Type> {
    let ty = ungroup(ty);
    let (inside, fact, help) = match ty {
        Type::Tuple(states) => (
            states.elems.first(),
            format!("the migration `{name}` returns a tuple, and a migration makes one state"),
            "keep a node that takes the earlier state and returns the new ones",
        ),
        _ if around(ty, &["Option"]).is_some() => (
            path_of(ty)
                .and_then(|path| path.segments.last())
                .and_then(|last| arguments(last).first().copied()),
            format!(
                "the migration `{name}` returns an `Option<_>`, and a migration makes one state"
            ),
            "to refuse a state, return `Result<_, E>`: its run is not loaded then",
        ),
        _ => return Some(ty),
    };
    errors.error(ty.span(), fact, help);
    inside
}

/// What a `Result` holds if all is well, whichever `Result` it is.
fn inside_result(ty: &Type) -> Option<&Type> {
    let last = path_of(ty)?.segments.last();
    let last = last.filter(|last| last.ident == "Result")?;
    arguments(last).first().copied()
}
