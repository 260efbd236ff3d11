//! What the parts of messages and artifacts say, as JSON, and the other way round.

use a2a::{Part, PartContent};
use serde_json::{Number, Value};

/// The media types of data and of texts.
pub(crate) const JSON: &str = "application/json";
#[cfg(feature = "server")]
pub(crate) const TEXT: &str = "text/plain";

/// In the metadata of a question, by when it has to be answered, in milliseconds since 1970.
pub(crate) const UNTIL: &str = "pravah/until";

/// In the metadata of an answer, the question that it is for: its `messageId`, for an `A2aServer`.
pub(crate) const QUESTION: &str = "pravah/question";

/// The parts that say `value`: a text, or data.
pub(crate) fn parts_of(value: Value) -> Vec<Part> {
    vec![match value {
        Value::String(text) => Part::text(text),
        data => Part::data(data).with_media_type(JSON),
    }]
}

/// What the parts of one message say.
pub(crate) fn value_of(parts: &[Part]) -> Value {
    content_of([parts])
}

/// What parts say that come in groups, as those of several artifacts do. It is their data where there are any: the value
/// itself, or a list of several. Otherwise it is their text, with a line for each group. Where there are files it is the
/// list of all parts, as the protocol writes them.
pub(crate) fn content_of<'a>(groups: impl IntoIterator<Item = &'a [Part]>) -> Value {
    let groups: Vec<&[Part]> = groups.into_iter().collect();
    let parts = || groups.iter().copied().flatten();
    if parts().any(is_file) {
        return parts().map(as_json).collect();
    }
    let mut data = parts().filter_map(data_of);
    match (data.next(), data.next()) {
        (None, _) => text_of(&groups).into(),
        (Some(one), None) => one,
        (Some(first), Some(second)) => [first, second].into_iter().chain(data).collect(),
    }
}

fn text_of(groups: &[&[Part]]) -> String {
    let lines = groups.iter().map(|parts| {
        let texts = parts.iter().filter_map(Part::as_text);
        texts.collect::<String>()
    });
    lines.collect::<Vec<_>>().join("\n")
}

const fn is_file(part: &Part) -> bool {
    matches!(part.content, PartContent::Raw(_) | PartContent::Url(_))
}

fn as_json(part: &Part) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

fn data_of(part: &Part) -> Option<Value> {
    match &part.content {
        PartContent::Data(data) => Some(with_integers(data.clone())),
        _ => None,
    }
}

/// The largest number up to which a `f64` holds every integer.
const MAX_SAFE: f64 = 9_007_199_254_740_992.0;

/// The same with `3` in place of `3.0`. Peers that keep data as protocol buffers, as the Python SDK does, have no integers,
/// and a state that has some could not be read from what they send.
fn with_integers(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(with_integer(number)),
        Value::Array(items) => items.into_iter().map(with_integers).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields.map(|(key, it)| (key, with_integers(it))).collect()
        }
        value => value,
    }
}

fn with_integer(number: Number) -> Number {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < MAX_SAFE => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it is a whole number below 2^53"
            )]
            let integer = float as i64;
            integer.into()
        }
        _ => number,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_is_what_is_said_where_there_is_some() {
        let parts = [Part::text("Here it is:"), Part::data(json!({ "n": 3 }))];
        assert_eq!(value_of(&parts), json!({ "n": 3 }));
    }

    #[test]
    fn several_data_parts_are_a_list() {
        let parts = [Part::data(json!(1)), Part::data(json!([2]))];
        assert_eq!(value_of(&parts), json!([1, [2]]));
    }

    #[test]
    fn chunks_of_a_text_are_put_together_and_artifacts_are_lines() {
        let chunks = [Part::text("one "), Part::text("two")];
        let next = [Part::text("three")];
        assert_eq!(content_of([&chunks[..], &next]), json!("one two\nthree"));
    }

    #[test]
    fn nothing_said_is_an_empty_text() {
        assert_eq!(value_of(&[]), json!(""));
    }

    #[test]
    fn files_keep_all_parts_as_they_are() {
        let parts = [Part::text("See:"), Part::url("https://example.org/a.png")];
        let expected = json!([{ "text": "See:" }, { "url": "https://example.org/a.png" }]);
        assert_eq!(value_of(&parts), expected);
    }

    #[test]
    fn whole_numbers_of_peers_without_integers_are_integers_again() {
        let data = json!({ "n": 3.0, "half": 2.5, "list": [1.0, -4.0], "huge": 1e300 });
        let expected = json!({ "n": 3, "half": 2.5, "list": [1, -4], "huge": 1e300 });
        assert_eq!(value_of(&[Part::data(data)]), expected);
    }

    #[test]
    fn integers_that_no_double_holds_stay_as_they_are() {
        let data = json!(9_007_199_254_740_993_u64);
        assert_eq!(value_of(&[Part::data(data.clone())]), data);
    }

    #[test]
    fn a_text_and_data_are_said_as_they_are() {
        for value in [json!("hello"), json!({ "a": [1] }), json!(null)] {
            assert_eq!(value_of(&parts_of(value.clone())), value);
        }
    }
}
