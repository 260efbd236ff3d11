//! Contracts of agents: thresholds that have to rise.

use super::Context;
use crate::{
    catalogue::{AUTO_APPROVE_ABOVE, SUPPRESS_BELOW},
    tree::{Data, Tree},
};

/// Whether settings ask for a contract.
pub(crate) fn is_asked_for(config: &Tree) -> bool {
    match config.get("contract").map(|tree| &tree.data) {
        Some(Data::Bool(asked)) => *asked,
        Some(Data::String(asked)) => asked == "true",
        _ => false,
    }
}

/// Checks what the schema of the settings cannot: the thresholds against each other, and a version that is there.
pub(super) fn check(config: &Tree, context: &mut Context<'_, '_>) {
    if !is_asked_for(config) {
        return;
    }
    let suppress = share(config, "suppressBelow").unwrap_or(SUPPRESS_BELOW);
    let approve = share(config, "autoApproveAbove").unwrap_or(AUTO_APPROVE_ABOVE);
    let low = share(config, "reviewLow").unwrap_or(suppress);
    let high = share(config, "reviewHigh").unwrap_or(approve);
    if !(suppress <= low && low <= high && high <= approve) {
        let message = format!(
            "the thresholds do not rise: suppressBelow = {suppress}, reviewLow = {low}, reviewHigh = {high}, \
             autoApproveAbove = {approve}"
        );
        let fields = [
            "suppressBelow",
            "reviewLow",
            "reviewHigh",
            "autoApproveAbove",
            "contract",
        ];
        let span = fields
            .iter()
            .find_map(|field| config.get(field))
            .map_or(config.span, |tree| tree.span);
        context.sink.push("thresholds", span, message);
    }
    if let Some(version) = config.get("contractVersion")
        && version
            .as_str()
            .is_some_and(|text| !text.is_empty() && text.trim().is_empty())
    {
        context.sink.push(
            "invalid-config",
            version.span,
            "`config.contractVersion` is empty",
        );
    }
}

fn share(config: &Tree, field: &str) -> Option<f64> {
    match &config.get(field)?.data {
        Data::Number(number) => number.as_f64(),
        _ => None,
    }
}
