use std::sync::Arc;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Unfit, check, from_str, object, value};

const RAW: &str = "$serde_json::private::RawValue";

/// Objects that `serde_json` reads as what is in a text, one within the other.
fn bomb(levels: usize) -> String {
    (0..levels).fold("1".to_owned(), |inner, _| {
        let inner = inner.replace('\\', "\\u005c").replace('"', "\\u0022");
        let (open, close) = ("[".repeat(60), "]".repeat(60));
        format!(r#"{open}{{"{RAW}":"{inner}"}}{close}"#)
    })
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn json_without_such_keys_is_read_as_serde_json_reads_it(json in any_json(), pretty: bool) {
        let text = if pretty { format!("{json:#}") } else { json.to_string() };
        let expected: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&from_str(&text).unwrap(), &expected);
        #[cfg(feature = "providers")]
        prop_assert_eq!(&super::from_slice(text.as_bytes()).unwrap(), &expected);
        prop_assert_eq!(&value::<_, Value>(&json).unwrap(), &json);
    }

    #[test]
    fn what_serde_json_refuses_is_refused_with_the_same_words(text in r#"[\[\]{}",:0-9eE.a\\ -]{0,12}"#) {
        let read = from_str(&text).map_err(|error| error.to_string());
        let expected = serde_json::from_str::<Value>(&text).map_err(|error| error.to_string());
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn what_is_read_is_what_was_written(key in "(\\$serde_json::private::(RawValue|Number|X))?", json in any_json()) {
        for json in [json!({ &key: json.to_string() }), json!([{ &key: json }])] {
            prop_assert_eq!(from_str(&json.to_string()).unwrap(), json);
        }
    }
}

#[test]
fn the_last_of_several_fields_of_one_name_counts() {
    assert_eq!(from_str(r#"{"a":1,"a":2}"#).unwrap(), json!({ "a": 2 }));
}

#[test]
fn nesting_is_limited_as_in_serde_json() {
    for depth in [126, 127, 128, 100_000] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let read = from_str(&text).map_err(|error| error.to_string());
        let expected = serde_json::from_str::<Value>(&text).map_err(|error| error.to_string());
        assert_eq!(read, expected, "{depth}");
    }
}

#[test]
fn a_text_is_not_read_within_a_text() {
    let text = bomb(12);
    let read = from_str(&text).unwrap();
    assert_eq!(from_str(&read.to_string()).unwrap(), read);
    assert!(read.pointer(&"/0".repeat(60)).unwrap()[RAW].is_string());
}

#[test]
fn a_field_of_a_type_is_read_literally_however_the_type_is_read() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "type")]
    enum Tagged {
        Of {
            #[serde(deserialize_with = "value")]
            owned: Value,
            #[serde(deserialize_with = "value")]
            shared: Arc<Value>,
            #[serde(default, deserialize_with = "value")]
            perhaps: Option<Value>,
            #[serde(flatten, deserialize_with = "object")]
            others: Map<String, Value>,
        },
    }
    let json = json!({ RAW: "[[[", "b": 1 });
    let of = Tagged::Of {
        owned: json.clone(),
        shared: json.clone().into(),
        perhaps: Some(json.clone()),
        others: [("more".to_owned(), json)].into_iter().collect(),
    };
    let text = serde_json::to_string(&of).unwrap();
    assert_eq!(serde_json::from_str::<Tagged>(&text).unwrap(), of);
    let of_value = serde_json::from_value::<Tagged>(from_str(&text).unwrap());
    assert_eq!(of_value.unwrap(), of);
}

#[test]
fn what_is_nested_deeply_is_unfit() {
    let nested = |depth| (1..depth).fold(json!("x"), |inner, _| json!([{ "a": inner }]));
    assert_eq!(check(&nested(32)), Ok(()));
    assert_eq!(check(&nested(33)), Err(Unfit::TooDeep));
}

#[test]
fn a_private_key_is_unfit_wherever_it_is() {
    for key in [
        RAW,
        "$serde_json::private::Number",
        "$serde_json::private::Other",
    ] {
        for json in [
            json!({ key: "1" }),
            json!({ "A": 1, key: 1 }),
            json!([{ "a": { key: [] } }]),
        ] {
            assert_eq!(check(&json), Err(Unfit::PrivateKey), "{json}");
        }
    }
    for key in [
        "$serde_json",
        "private::RawValue",
        "a$serde_json::private::RawValue",
    ] {
        assert_eq!(check(&json!({ key: RAW })), Ok(()));
    }
}

#[cfg(feature = "providers")]
#[test]
fn a_type_reads_no_private_key() {
    let typed = |json: &str| super::typed::<Value>(json.as_bytes()).map_err(|it| it.to_string());
    let refused = "it is JSON with a key that starts with `$serde_json::private::`";
    let raw = r#"{"$serde_json::private::RawValue":"1"}"#;
    let escaped = raw.replace('$', "\\u0024");
    let deep = format!("{}{raw}{}", "[".repeat(100), "]".repeat(100));
    for json in [raw, &escaped, &format!("[[{raw}]]"), &bomb(12), &deep] {
        assert_eq!(typed(json).unwrap_err(), refused, "{json}");
    }
    // Only as a key it is one.
    for json in [
        json!(raw),
        json!({ "a": "\u{1}", "b": RAW }),
        json!([1.5, null]),
    ] {
        assert_eq!(typed(&json.to_string()), Ok(json));
    }
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    assert!(typed(&deep).is_ok());
}
