use serde_json::json;

use super::*;

fn holds(when: Value) -> bool {
    let scope = json!({ "n": { "int": 3, "text": "b", "nothing": null, "map": { "a": 1, "b": [2] }, "large": u64::MAX } });
    When::parse(&when).unwrap().holds(&scope)
}

fn compare(operator: &str, var: &str, value: Value) -> bool {
    holds(json!({ operator: { "var": var, "value": value } }))
}

/// B22.
#[test]
fn equality_is_structural() {
    assert!(compare("equals", "n.int", json!(3.0)));
    assert!(compare("equals", "n.map", json!({ "b": [2.0], "a": 1 })));
    assert!(compare("equals", "n.nothing", json!(null)));
    assert!(!compare("equals", "n.int", json!("3")));
    assert!(!compare(
        "equals",
        "n.large",
        json!(18_446_744_073_709_551_616.0)
    ));
}

#[test]
fn what_is_missing_makes_a_comparison_false() {
    for operator in ["equals", "gt", "gte", "lt", "lte"] {
        assert!(!compare(operator, "n.missing", json!(null)), "{operator}");
        assert!(holds(
            json!({ "not": { operator: { "var": "missing", "value": 1 } } })
        ));
        assert!(!compare(operator, "n.int", json!("{{ n.missing }}")));
    }
    assert!(!holds(
        json!({ "in": { "var": "n.missing", "values": [null] } })
    ));
    assert!(!holds(json!({ "exists": { "var": "n.missing" } })));
    assert!(holds(json!({ "exists": { "var": "n.nothing" } })));
}

#[test]
fn numbers_and_strings_are_ordered_and_mixed_values_are_not() {
    assert!(compare("gt", "n.int", json!(2.5)) && !compare("gt", "n.int", json!(3)));
    assert!(compare("gte", "n.int", json!(3)) && compare("lte", "n.int", json!(3)));
    assert!(compare("lt", "n.text", json!("c")) && compare("gt", "n.text", json!("B")));
    assert!(!compare("lt", "n.text", json!(9)) && !compare("gte", "n.nothing", json!(null)));
}

#[test]
fn values_are_among_others_and_may_be_bindings() {
    assert!(holds(
        json!({ "in": { "var": "n.int", "values": [1, 3.0] } })
    ));
    assert!(holds(json!({ "in": { "var": "n.int", "value": [3] } })));
    assert!(!holds(json!({ "in": { "var": "n.int", "values": [] } })));
    assert!(holds(
        json!({ "equals": { "var": "n.int", "value": "{{ n.int }}" } })
    ));
}

#[test]
fn nothing_is_true_of_all_and_of_none() {
    assert!(holds(json!({ "and": [] })) && !holds(json!({ "or": [] })));
    assert!(holds(
        json!({ "or": [{ "and": [{ "or": [] }] }, { "not": { "or": [] } }] })
    ));
}

#[test]
fn what_is_wrong_with_a_condition_is_said() {
    for (when, message) in [
        (
            json!(true),
            "a condition is an object, and this is a boolean",
        ),
        (json!({}), "this condition has no operator"),
        (
            json!({ "and": [], "or": [] }),
            "this condition has more than one operator",
        ),
        (
            json!({ "equal": {} }),
            "a condition has no operator `equal`",
        ),
        (
            json!({ "equals": { "value": 1 } }),
            "`equals` without `var`",
        ),
        (
            json!({ "equals": { "var": "a" } }),
            "`equals` without `value`",
        ),
        (
            json!({ "gt": { "var": "a", "value": 1, "than": 2 } }),
            "`gt` has no field `than`",
        ),
        (
            json!({ "exists": "a" }),
            "`exists` takes an object with `var`",
        ),
        (
            json!({ "and": { "equals": 1 } }),
            "`and` takes a list of conditions",
        ),
        (
            json!({ "in": { "var": "a", "values": 1 } }),
            "`in` takes a list of values, and this is a number",
        ),
        (
            json!({ "exists": { "var": "{{a}}" } }),
            "`var` is a path, not a binding",
        ),
        (
            json!({ "exists": { "var": 1 } }),
            "`var` is a path, and this is a number",
        ),
        (
            json!({ "not": [] }),
            "a condition is an object, and this is a list",
        ),
        (
            json!({ "equals": { "var": "a", "value": "{{" } }),
            "a binding has no end",
        ),
    ] {
        assert_eq!(When::parse(&when).unwrap_err().message, message, "{when}");
    }
    let help = When::parse(&json!({ "equal": {} })).unwrap_err().help;
    assert_eq!(help.unwrap(), "did you mean `equals`?");
}

#[test]
fn a_condition_is_read_as_it_is_written() {
    for when in [
        json!({ "and": [{ "or": [] }, { "not": { "exists": { "var": "a.b" } } }] }),
        json!({ "in": { "var": "a", "values": ["{{ b }}", "{{{{"] } }),
        json!({ "lte": { "var": "b", "value": 1 } }),
    ] {
        assert_eq!(When::parse(&when).unwrap().source(), when);
    }
    let when = json!({ "and": [{ "equals": { "var": "b.x", "value": "{{ a }}" } }, { "exists": { "var": "b" } }] });
    assert_eq!(When::parse(&when).unwrap().roots(), ["b", "a"]);
}
