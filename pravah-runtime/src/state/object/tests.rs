use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
struct Order {
    count: u64,
    #[serde(default)]
    text: String,
    item: Option<Item>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Item {
    #[serde(rename = "the \"name\"", alias = "ä")]
    name: Value,
    #[serde(default, deserialize_with = "twice")]
    sizes: Vec<f64>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Flat {
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, PartialEq)]
enum Choice {
    None,
    Some { count: u64 },
}

fn twice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let mut list = Vec::deserialize(deserializer)?;
    list.extend_from_within(..);
    Ok(list)
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T, Error> {
    T::deserialize(Text(json))
}

fn reads_as_serde_json_does<T: DeserializeOwned + PartialEq + std::fmt::Debug>(json: &str) {
    let (ours, theirs) = (read::<T>(json), serde_json::from_str::<T>(json));
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{json}"),
        (Err(_), Err(_)) => {}
        (ours, theirs) => panic!("{json}: {ours:?}, and serde_json: {theirs:?}"),
    }
}

fn reads_all_types_as_serde_json_does(json: &str) {
    reads_as_serde_json_does::<Order>(json);
    reads_as_serde_json_does::<Item>(json);
    reads_as_serde_json_does::<Flat>(json);
    reads_as_serde_json_does::<Choice>(json);
    reads_as_serde_json_does::<(u64, String)>(json);
}

/// JSON, often that of an [`Order`].
fn json() -> impl Strategy<Value = String> {
    let order = |item| format!(r#"{{ "item":{item} , "count": 1 }}"#);
    let item = |name| format!(r#"{{"the \u0022name\"":{name}}}"#);
    prop_oneof![
        any_json(),
        any_json().prop_map(order),
        any_json().prop_map(item),
        any_json().prop_map(item).prop_map(order),
    ]
}

fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        (0..300_u64).prop_map(|number| number.to_string()),
        any::<f64>().prop_filter_map("JSON has no such number", |number| {
            number.is_finite().then(|| number.to_string())
        }),
        r#"[a-c\\"{}\[\],: ä\n]{0,4}"#.prop_map(|text| Value::from(text).to_string()),
    ];
    let blank = || r"[ \n\r\t]{0,2}";
    let name = prop_oneof![
        Just(r#""count""#),
        Just(r#""text""#),
        Just(r#""item""#),
        Just(r#""the \"name\"""#),
        Just(r#""the \u0022name\"""#),
        Just(r#""ä""#),
        Just(r#""sizes""#),
        Just(r#""""#),
        Just(r#""Some""#),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        let list = prop::collection::vec((blank(), inner.clone(), blank()), 0..4);
        let entry = (blank(), name.clone(), blank(), blank(), inner, blank());
        let object = prop::collection::vec(entry, 0..4);
        prop_oneof![
            list.prop_map(|list| {
                let items: Vec<_> = list.iter().map(|(a, b, c)| format!("{a}{b}{c}")).collect();
                format!("[{}]", items.join(","))
            }),
            object.prop_map(|object| {
                let fields = object
                    .iter()
                    .map(|(a, b, c, d, e, f)| format!("{a}{b}{c}:{d}{e}{f}"));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_json_is_read_as_serde_json_reads_it(json in json()) {
        reads_all_types_as_serde_json_does(&json);
    }

    #[test]
    fn what_is_cut_or_changed_is_refused_as_serde_json_refuses_it(
        json in json(),
        at in any::<prop::sample::Index>(),
        sign in r#"[\[\]{},:"0-9a ]?"#,
    ) {
        let mut signs: Vec<_> = json.chars().collect();
        let at = at.index(signs.len());
        signs.splice(at..=at, sign.chars());
        reads_all_types_as_serde_json_does(&signs.into_iter().collect::<String>());
    }
}

#[test]
fn an_error_names_the_field() {
    let error = |json| read::<Order>(json).unwrap_err().to_string();
    let texts = [
        (
            r#"{"count": "x"}"#,
            r#"field `count`: invalid type: string "x", expected u64"#,
        ),
        (
            r#"{"count": 1, "item": {"ä": 1, "b": 2}}"#,
            "field `item`: unknown field `b`",
        ),
        (r#"{"text": ""}"#, "missing field `count`"),
        (r#"{"count": 1, "count": 2}"#, "duplicate field `count`"),
        (
            "5",
            "invalid type: integer `5`, expected struct Order at line 1 column 1",
        ),
        (r#"["x"]"#, r#"invalid type: string "x", expected u64"#),
        (
            r#"{"count": 1} 2"#,
            "trailing characters at line 1 column 14",
        ),
        (
            r#"{"count": 1,}"#,
            "key must be a string at line 1 column 13",
        ),
        (r#"{"count" 1}"#, "expected `:` at line 1 column 10"),
    ];
    for (json, text) in texts {
        assert!(error(json).starts_with(text), "{}", error(json));
    }
}
