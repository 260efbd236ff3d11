//! The contract of an agent, and the checks of its thresholds that are no literals.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, spanned::Spanned};

use super::{constant, node, private};
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

/// Holds thresholds that rustc evaluates against 0, 1 and each other.
pub(super) fn check(contract: &Contract) -> Option<TokenStream> {
    let thresholds = contract.thresholds();
    let open: Vec<_> = thresholds
        .iter()
        .filter(|threshold| number(threshold.expr).is_none())
        .collect();
    let private = private();
    let as_data = |threshold: &Threshold<'_>| {
        let (key, value) = (threshold.key, value(threshold.expr));
        let text = threshold.expr.to_token_stream().to_string();
        let text = text.replace(" :: ", "::").replace("- ", "-");
        quote!(#private::Threshold { key: #key, text: #text, value: #value })
    };
    open.first()?;
    let ranges = open.iter().map(|threshold| {
        let one = as_data(threshold);
        constant("check_threshold", threshold.expr.span(), &one)
    });
    // Each is labelled where it falls, or where it is too high for what is not written.
    let mut before = match &contract.suppress_below {
        None => Some(quote!(#private::Threshold::SUPPRESS_BELOW)),
        Some(_) => None,
    };
    let mut order = Vec::new();
    for threshold in &thresholds {
        let this = as_data(threshold);
        if let Some(before) = before.replace(this.clone()) {
            let pair = quote!(#before, #this);
            order.push(constant("check_rises", threshold.expr.span(), &pair));
        }
    }
    if let (None, Some(last)) = (&contract.auto_approve_above, thresholds.last()) {
        let pair = quote!(#before, #private::Threshold::AUTO_APPROVE_ABOVE);
        order.push(constant("check_rises", last.expr.span(), &pair));
    }
    Some(quote!(#(#ranges)* #(#order)*))
}

/// A threshold as a number of 64 bits.
fn value(expr: &Expr) -> TokenStream {
    match number(expr) {
        Some(value) => quote!(#value),
        None => node::number(expr, "f64"),
    }
}
