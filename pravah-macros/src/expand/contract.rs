//! The contract of an agent, and the checks of its thresholds that are no literals.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, Ident, spanned::Spanned};

use super::{constant, numbers, private};
use crate::options::{Contract, Threshold, number};

/// `.with_contract(…)`
pub(super) fn config(contract: &Contract) -> TokenStream {
    let private = private();
    let below = contract.suppress_below.as_ref().map(value);
    let below = below.map(|value| quote!(.suppress_below(#value)));
    let review = contract
        .review
        .as_ref()
        .map(|band| band.each_ref().map(value));
    let review = review.map(|[low, high]| quote!(.review(#low..=#high)));
    let above = contract.auto_approve_above.as_ref().map(value);
    let above = above.map(|value| quote!(.auto_approve_above(#value)));
    let confidence = contract.confidence.as_ref().map(|word| {
        let variant = match word.to_string().as_str() {
            "token_level" => quote!(TokenLevel),
            "calibrated" => quote!(Calibrated),
            _ => quote!(Verbalized),
        };
        quote!(.confidence(#private::ConfidenceType::#variant))
    });
    let budget = contract.budget.map(|budget| {
        let millis = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX);
        quote!(.budget(::core::time::Duration::from_millis(#millis)))
    });
    let version = contract.version.as_ref();
    let version = version.map(|version| quote!(.version(#version)));
    quote! {
        .with_contract(
            #private::Contract::new() #below #review #above #confidence #budget #version
        )
    }
}

/// Checks thresholds that are no literals, or are not written, against 0, 1 and each other.
pub(super) fn check(contract: &Contract) -> TokenStream {
    let thresholds = contract.thresholds();
    let ranges = thresholds.iter().filter(|it| it.value.is_none());
    let ranges = ranges.filter_map(|open| {
        Some(constant(
            "check_threshold",
            open.expr?.span(),
            &as_data(open),
        ))
    });
    // Each is labelled where it falls, or where it is too high for what is not written.
    let order = thresholds.windows(2).filter_map(|pair| match pair {
        [before, this] if before.value.is_none() || this.value.is_none() => {
            let at = this.expr.or(before.expr)?.span();
            let (before, this) = (as_data(before), as_data(this));
            Some(constant("check_rises", at, &quote!(#before, #this)))
        }
        _ => None,
    });
    quote!(#(#ranges)* #(#order)*)
}

fn as_data(threshold: &Threshold<'_>) -> TokenStream {
    let (private, key) = (private(), threshold.key);
    let Some(expr) = threshold.expr else {
        let name = Ident::new(&key.to_uppercase(), Span::call_site());
        return quote!(#private::Threshold::#name);
    };
    let value = value(expr);
    let text = expr.to_token_stream().to_string();
    let text = text.replace(" :: ", "::").replace("- ", "-");
    quote!(#private::Threshold::written(#key, #text, #value))
}

/// A threshold as a number of 64 bits.
fn value(expr: &Expr) -> TokenStream {
    match number(expr) {
        Some(value) => quote!(#value),
        None => numbers::number(expr, "f64"),
    }
}
