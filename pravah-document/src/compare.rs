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
