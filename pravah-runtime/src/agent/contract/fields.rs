//! A contract as the fields of a node in a document, and back. All of them are scalars.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{Contract, ContractError};
use crate::{numbers::millis, quoted::nearest};

impl Contract {
    /// What the fields are called. All but the first are optional:
    ///
    /// | field | is |
    /// |---|---|
    /// | `contract` | whether there is one: `true` or `false` |
    /// | `suppressBelow`, `autoApproveAbove` | [`suppress_below`](Self::suppress_below) and [`auto_approve_above`](Self::auto_approve_above) |
    /// | `reviewLow`, `reviewHigh` | the ends of [`review`](Self::review) |
    /// | `confidenceType` | [`confidence`](Self::confidence): `verbalized`, `token_level` or `calibrated` |
    /// | `maxInferenceMs` | [`budget`](Self::budget), in milliseconds |
    /// | `contractVersion` | [`version`](Self::version) |
    pub const FIELDS: &[&str] = &[
        "contract",
        "suppressBelow",
        "reviewLow",
        "reviewHigh",
        "autoApproveAbove",
        "confidenceType",
        "maxInferenceMs",
        "contractVersion",
    ];

    /// Reads a contract from the fields of a node, as documents write them; nothing if `contract` is
    /// missing or `false`. What is left out is as in [`Contract::new`], and
    /// [other](Self::FIELDS) fields are the node's own, unless their names are nearly those of a contract's.
    ///
    /// # Errors
    ///
    /// [`ContractError::InvalidField`] for a field of the wrong type or out of range,
    /// [`ContractError::UnknownField`] for a misspelt one, and [`ContractError::InvalidThresholds`] for
    /// thresholds that do not rise.
    ///
    /// ```
    /// use pravah_runtime::Contract;
    /// use serde_json::json;
    ///
    /// let fields = json!({ "contract": true, "suppressBelow": 0.4, "autoApproveAbove": 0.9 });
    /// let contract = Contract::from_fields(fields.as_object().unwrap())?;
    /// assert_eq!(contract, Some(Contract::new().suppress_below(0.4).auto_approve_above(0.9)));
    ///
    /// let fields = json!({ "contract": true, "maxInferenceMs": 0 });
    /// let error = Contract::from_fields(fields.as_object().unwrap()).unwrap_err();
    /// let text = "`maxInferenceMs` of the contract: it is not a whole number above 0";
    /// assert_eq!(error.to_string(), text);
    /// # Ok::<(), pravah_runtime::ContractError>(())
    /// ```
    pub fn from_fields(fields: &Map<String, Value>) -> Result<Option<Self>, ContractError> {
        if !is_opted_in(fields.get("contract"))? {
            // Without `contract` the other fields have no meaning.
            return check_names(fields, &["contract"]).map(|()| None);
        }
        check_names(fields, Self::FIELDS)?;
        let mut contract = Self::new();
        if let Some(threshold) = threshold(fields, "suppressBelow")? {
            contract.suppress_below = threshold;
        }
        if let Some(threshold) = threshold(fields, "autoApproveAbove")? {
            contract.auto_approve_above = threshold;
        }
        let (low, high) = (
            threshold(fields, "reviewLow")?,
            threshold(fields, "reviewHigh")?,
        );
        if low.is_some() || high.is_some() {
            let (least, most) = contract.band();
            contract.review = Some((low.unwrap_or(least), high.unwrap_or(most)));
        }
        if let Some(source) = text(fields, "confidenceType")? {
            let unknown = |error| match error {
                ContractError::InvalidField { reason, .. } => {
                    ContractError::field("confidenceType", reason)
                }
                error => error,
            };
            contract.confidence = Some(source.parse().map_err(unknown)?);
        }
        if let Some(value) = fields.get("maxInferenceMs") {
            let millis = value.as_u64().filter(|millis| *millis > 0).ok_or_else(|| {
                ContractError::field("maxInferenceMs", "it is not a whole number above 0")
            })?;
            contract.budget = Some(Duration::from_millis(millis));
        }
        if let Some(version) = text(fields, "contractVersion")? {
            if version.trim().is_empty() {
                return Err(ContractError::field("contractVersion", "it is empty"));
            }
            contract.version = version.to_owned();
        }
        contract.validate()?;
        Ok(Some(contract))
    }

    /// The fields that [`from_fields`](Self::from_fields) reads as this contract, where it
    /// [validates](Self::validate). A budget is written in whole milliseconds.
    pub fn to_fields(&self) -> Map<String, Value> {
        let (low, high) = self.review.unzip();
        [
            ("contract", json!(true)),
            ("suppressBelow", json!(self.suppress_below)),
            ("reviewLow", json!(low)),
            ("reviewHigh", json!(high)),
            ("autoApproveAbove", json!(self.auto_approve_above)),
            ("confidenceType", json!(self.confidence)),
            ("maxInferenceMs", json!(self.budget.map(millis))),
            ("contractVersion", json!(self.version)),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(field, value)| (field.to_owned(), value))
        .collect()
    }
}

/// Whether there is to be a contract: a boolean, or its text.
fn is_opted_in(value: Option<&Value>) -> Result<bool, ContractError> {
    match value {
        None | Some(Value::Bool(false)) => Ok(false),
        Some(Value::Bool(true)) => Ok(true),
        Some(Value::String(text)) if text == "true" => Ok(true),
        Some(Value::String(text)) if text == "false" => Ok(false),
        Some(_) => Err(ContractError::field(
            "contract",
            "it is neither true nor false",
        )),
    }
}

/// Looks for a field whose name is nearly one of `known`.
fn check_names(fields: &Map<String, Value>, known: &[&'static str]) -> Result<(), ContractError> {
    for field in fields.keys() {
        if let Some(nearest) = nearest(field, known.iter().copied())
            && !known.contains(&field.as_str())
        {
            let field = field.clone();
            return Err(ContractError::UnknownField { field, nearest });
        }
    }
    Ok(())
}

fn threshold(
    fields: &Map<String, Value>,
    field: &'static str,
) -> Result<Option<f64>, ContractError> {
    let Some(value) = fields.get(field) else {
        return Ok(None);
    };
    match value.as_f64() {
        Some(number) if (0.0..=1.0).contains(&number) => Ok(Some(number)),
        Some(number) => Err(ContractError::field(
            field,
            format!("{number} is not from 0 to 1"),
        )),
        None => Err(ContractError::field(field, "it is not a number")),
    }
}

fn text<'a>(
    fields: &'a Map<String, Value>,
    field: &'static str,
) -> Result<Option<&'a str>, ContractError> {
    match fields.get(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ContractError::field(field, "it is not a text")),
    }
}
