//! When values are equal, and which is less.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// The whole number that a number is, also if it is written as `2.0`.
///
/// ```
/// use pravah_document::whole;
/// use serde_json::json;
///
/// assert_eq!(whole(&json!(2.0)), Some(2));
/// assert_eq!(whole(&json!(2.5)), None);
/// assert_eq!(whole(&json!(-2)), None);
/// ```
pub fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => whole_number(number),
        _ => None,
    }
}

pub(crate) fn whole_number(number: &Number) -> Option<u64> {
    /// The first number that has no 64 bits.
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    let float = || number.as_f64().filter(|it| it.fract() == 0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole, and within the range"
    )]
    let cast = |it: f64| it as u64;
    number
        .as_u64()
        .or_else(|| float().filter(|it| (0.0..BEYOND).contains(it)).map(cast))
}

/// Whether two values are the same: the order of keys does not count, and numbers count by their value.
///
/// ```
/// use pravah_document::equal;
/// use serde_json::json;
///
/// assert!(equal(&json!({ "a": 1, "b": [] }), &json!({ "b": [], "a": 1.0 })));
/// ```
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            numbers(left, right) == Some(Ordering::Equal)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| equal(a, b))
        }
        (Value::Object(left), Value::Object(right)) => {
            let same = |(key, a): (&String, &Value)| right.get(key).is_some_and(|b| equal(a, b));
            left.len() == right.len() && left.iter().all(same)
        }
        _ => left == right,
    }
}

/// The order of two numbers or of two strings; other values have none.
///
/// ```
/// use std::cmp::Ordering;
/// use pravah_document::order;
/// use serde_json::json;
///
/// assert_eq!(order(&json!(2), &json!(2.5)), Some(Ordering::Less));
/// assert_eq!(order(&json!("2"), &json!(2)), None);
/// ```
pub fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => numbers(left, right),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// The order of two numbers by their exact values: a large integer is not rounded to a float.
pub(crate) fn numbers(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        (Some(left), None) => whole_and_float(left, right.as_f64()?),
        (None, Some(right)) => whole_and_float(right, left.as_f64()?).map(Ordering::reverse),
        (None, None) => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// JSON has no integers beyond 64 bits, and every float within twice of that is a whole part that `i128` holds and a
/// fraction.
fn whole_and_float(whole: i128, float: f64) -> Option<Ordering> {
    const BEYOND: f64 = 3.7e19;
    if float.is_nan() {
        return None;
    }
    if float.abs() > BEYOND {
        return Some(if float > 0.0 {
            Ordering::Less
        } else {
            Ordering::Greater
        });
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is within the range")]
    let trunc = float.trunc() as i128;
    Some(
        whole
            .cmp(&trunc)
            .then_with(|| 0.0.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal)),
    )
}

/// Whether a number is a multiple of `step`, in exact decimal arithmetic: 0.3 is a multiple of 0.1. Every number counts as
/// a multiple of 0.
pub(crate) fn is_multiple(number: &Number, step: &Number) -> bool {
    let (Some(number), Some(step)) = (Decimal::of(number), Decimal::of(step)) else {
        return true;
    };
    if number.digits == 0 || step.digits == 0 {
        return true;
    }
    let Some(shift) = number.exponent.checked_sub(step.exponent) else {
        return true;
    };
    let times = shift.unsigned_abs();
    if shift >= 0 {
        let scale = power_of_ten(times, step.digits);
        return (number.digits % step.digits * scale).is_multiple_of(step.digits);
    }
    let step = 10_u128
        .checked_pow(times)
        .and_then(|scale| step.digits.checked_mul(scale));
    // A step that is too large for this is larger than the number.
    step.is_some_and(|step| number.digits.is_multiple_of(step))
}

/// A power of ten, modulo a number of at most 64 bits.
fn power_of_ten(mut exponent: u32, modulo: u128) -> u128 {
    let (mut power, mut base) = (1 % modulo, 10 % modulo);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power * base % modulo;
        }
        base = base * base % modulo;
        exponent /= 2;
    }
    power
}

/// A number without its sign: `digits` times ten to the power of `exponent`.
struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    fn of(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let text = text.trim_start_matches('-');
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits: u64 = format!("{whole}{fraction}").parse().ok()?;
        let exponent: i32 = exponent.parse().ok()?;
        Some(Self {
            digits: digits.into(),
            exponent: exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_equal_by_their_value() {
        for (left, right, is_equal) in [
            (json!(1), json!(1.0), true),
            (json!(-0.0), json!(0), true),
            (
                json!(9_007_199_254_740_993_i64),
                json!(9_007_199_254_740_992.0),
                false,
            ),
            (json!(u64::MAX), json!(-1), false),
            (json!(u64::MAX), json!(18_446_744_073_709_551_616.0), false),
            (
                json!([{ "a": 1, "b": null }]),
                json!([{ "b": null, "a": 1.0 }]),
                true,
            ),
            (json!([1, 2]), json!([1]), false),
            (json!({ "a": null }), json!({}), false),
            (json!("1"), json!(1), false),
        ] {
            assert_eq!(equal(&left, &right), is_equal, "{left} and {right}");
            assert_eq!(equal(&right, &left), is_equal, "{right} and {left}");
        }
    }

    #[test]
    fn multiples_are_told_by_the_decimals_that_are_written() {
        for (number, step, expected) in [
            ("0.3", "0.1", true),
            ("-0.3", "0.1", true),
            ("19.99", "0.01", true),
            ("0", "7", true),
            ("4.0", "2", true),
            ("1000000000000000.5", "1", false),
            ("12345678901234.567", "0.01", false),
            ("1e-300", "1", false),
            ("5e-15", "1", false),
            ("1e20", "3", false),
            ("9007199254740993", "2.0", false),
            ("1e308", "0.5", true),
            ("18446744073709551615", "5", true),
            ("18446744073709551615", "18446744073709551614", false),
        ] {
            let parsed = |text: &str| -> Number { serde_json::from_str(text).unwrap() };
            let found = is_multiple(&parsed(number), &parsed(step));
            assert_eq!(found, expected, "{number} and {step}");
        }
    }

    #[test]
    fn numbers_and_strings_have_an_order() {
        for (less, more) in [
            (json!(1), json!(1.5)),
            (json!(-1.5), json!(-1)),
            (json!(i64::MIN), json!(u64::MAX)),
            (json!(u64::MAX), json!(1e300)),
            (json!(-1e300), json!(i64::MIN)),
            (json!("a"), json!("b")),
            (json!(0.1), json!(0.2)),
        ] {
            assert_eq!(
                order(&less, &more),
                Some(Ordering::Less),
                "{less} and {more}"
            );
            assert_eq!(order(&more, &less), Some(Ordering::Greater));
        }
        for (left, right) in [
            (json!(1), json!("1")),
            (json!(true), json!(false)),
            (json!([]), json!([])),
        ] {
            assert_eq!(order(&left, &right), None);
        }
    }
}
