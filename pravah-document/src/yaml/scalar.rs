//! What a scalar without quotes is, by the core schema of YAML 1.2.

use serde_json::Number;

use crate::tree::Data;

/// Reads a scalar; nothing for a number that JSON does not have.
pub(super) fn plain(text: &str) -> Option<Data> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" => Data::Bool(true),
        "false" | "False" | "FALSE" => Data::Bool(false),
        _ if is_special(text) => return None,
        _ => match number(text) {
            Some(number) => Data::Number(number?),
            None => Data::String(text.to_owned()),
        },
    })
}

fn is_special(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// The number that a text is, if it is one; it may be one that JSON does not have.
fn number(text: &str) -> Option<Option<Number>> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|digit| digit.is_digit(radix))
        {
            return Some(u64::from_str_radix(digits, radix).ok().map(Number::from));
        }
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !is_decimal(unsigned) {
        return None;
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Some(whole.into()));
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(Some(whole.into()));
    }
    Some(text.parse().ok().and_then(Number::from_f64))
}

/// Whether it is digits with a point somewhere, and an exponent behind.
fn is_decimal(text: &str) -> bool {
    let is_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    has_digits && is_digits(whole) && is_digits(fraction) && exponent_fits
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::tree::{Span, Tree};

    fn value(text: &str) -> Option<Value> {
        let data = plain(text)?;
        let span = Span::default();
        Some(Tree { span, data }.value())
    }

    #[test]
    fn scalars_are_those_of_the_core_schema() {
        for (text, expected) in [
            ("no", json!("no")),
            ("yes", json!("yes")),
            ("~", json!(null)),
            ("True", json!(true)),
            ("007", json!(7)),
            ("+12", json!(12)),
            ("-3", json!(-3)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            (".5", json!(0.5)),
            ("1.", json!(1.0)),
            ("1e3", json!(1000.0)),
            ("18446744073709551615", json!(u64::MAX)),
            ("1_000", json!("1_000")),
            ("12:30", json!("12:30")),
            ("2026-01-01", json!("2026-01-01")),
            ("1e", json!("1e")),
            (".", json!(".")),
            ("+", json!("+")),
            ("0x", json!("0x")),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        for text in [".inf", "-.inf", ".nan", "1e999", "0xFFFFFFFFFFFFFFFFF"] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
