//! Durations as texts: `"200ms"`, `"30s"`, `"5m"`, `"1h"`, `"7d"`.

use std::time::Duration;

use proc_macro2::Span;

use crate::diag::Diagnostics;

/// Reads a duration, which is longer than nothing; what is wrong is reported at `span`.
pub(crate) fn parse(
    key: &str,
    text: &str,
    span: Span,
    errors: &mut Diagnostics,
) -> Option<Duration> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let millis: Option<u64> = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        "d" => Some(86_400_000),
        _ => None,
    };
    let (Some(millis), false) = (millis, number.is_empty()) else {
        errors.error(
            span,
            format!("`{text}` is not a duration"),
            format!(
                "write a whole number and a unit, `ms`, `s`, `m`, `h` or `d`: `{key} = \"30s\"`"
            ),
        );
        return None;
    };
    match number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(millis))
    {
        Some(0) => {
            errors.error(
                span,
                format!("`{key}` is zero"),
                "write a duration longer than nothing",
            );
            None
        }
        Some(millis) => Some(Duration::from_millis(millis)),
        None => {
            errors.error(
                span,
                format!("`{text}` is too long"),
                "write a shorter duration",
            );
            None
        }
    }
}
