use proptest::prelude::*;
use serde_json::json;

use super::*;

fn resolve(template: Value, scope: &Value) -> Result<Value, BindingError> {
    Template::parse(&template).unwrap().resolve(scope)
}

/// B22.
#[test]
fn bindings_read_the_input_and_outputs() {
    let scope = json!({ "flow": { "input": { "country": "Benin" } }, "facts": { "capital": "Porto-Novo" } });
    for (template, expected) in [
        ("{{flow.input.country}}", json!("Benin")),
        ("Capital: {{facts.capital}}", json!("Capital: Porto-Novo")),
        ("{{?missing}}", json!(null)),
        ("a{{?missing}}b", json!("ab")),
        (r#"{{missing | default:"Unknown"}}"#, json!("Unknown")),
        (
            r#"{{ missing |default : {"a": {"b": [1]}}}}"#,
            json!({ "a": { "b": [1] } }),
        ),
        ("{{facts}}!", json!(r#"{"capital":"Porto-Novo"}!"#)),
        ("{{ facts.capital | default: 1 }}", json!("Porto-Novo")),
        ("{{{{facts}} }}", json!("{{facts}} }}")),
        ("{{{{{{{{{{facts.capital}}", json!("{{{{Porto-Novo")),
        ("{ {{facts.capital}} }", json!("{ Porto-Novo }")),
        ("", json!("")),
    ] {
        assert_eq!(
            resolve(json!(template), &scope).unwrap(),
            expected,
            "{template}"
        );
    }
    let error = resolve(json!({ "a": ["{{facts.city.name}}"] }), &scope).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the binding `facts.city.name` names nothing: there is only `facts`"
    );
    let error = resolve(json!("x {{missing}}"), &scope).unwrap_err();
    assert_eq!(error.to_string(), "the binding `missing` names nothing");
}

#[test]
fn a_binding_that_is_the_whole_string_keeps_its_type() {
    let scope = json!({ "a": { "list": [1, "x"], "nothing": null } });
    let template = json!({ "list": "{{ a.list }}", "text": "{{a.list}} {{a.list.1}}", "nothing": "{{a.nothing | default: 1}}" });
    let expected = json!({ "list": [1, "x"], "text": r#"[1,"x"] x"#, "nothing": null });
    assert_eq!(resolve(template, &scope).unwrap(), expected);
}

#[test]
fn what_comes_out_of_a_binding_is_not_read_again() {
    let scope = json!({ "a": "{{b}}", "b": "secret", "c": { "{{b}}": ["{{b}}"] } });
    assert_eq!(
        resolve(json!(["{{a}}", "x{{a}}", "{{c}}"]), &scope).unwrap(),
        json!(["{{b}}", "x{{b}}", { "{{b}}": ["{{b}}"] }])
    );
}

#[test]
fn roots_come_once_in_order_of_mention() {
    let template =
        Template::parse(&json!(["{{b.x}} {{?a}}", { "k": "{{flow.input.b}}{{b}}" }])).unwrap();
    assert_eq!(template.roots(), ["b", "a", "flow"]);
}

#[test]
fn what_opens_a_binding_has_to_be_one() {
    for (text, message) in [
        ("{{", "a binding has no end"),
        ("{{a", "a binding has no end"),
        ("{{a}", "a binding has no end"),
        ("{{}}", "a path is missing"),
        ("{{ ? }}", "a path is missing"),
        ("{{{a}}}", "the path `{a` contains `{`"),
        ("{{a b}}", "the path `a b` contains ` `"),
        (
            "{{a | upper}}",
            "what follows `|` in a binding is not a default",
        ),
        ("{{a | default 1}}", "`:` is missing behind `default`"),
        (
            "{{a | default: none}}",
            "the default of a binding is not JSON",
        ),
        (
            "{{a | default: [1}}",
            "the default of a binding is not JSON: `,` or `]` is expected here",
        ),
        (
            "{{a | default: 1 2}}",
            "something other than `}}` follows the default of a binding",
        ),
        (
            "{{?a | default: 1}}",
            "the binding `a` has both `?` and a default",
        ),
    ] {
        assert_eq!(
            Template::parse(&json!([text])).unwrap_err().message,
            message,
            "{text}"
        );
    }
}

#[test]
fn a_default_is_not_read_as_what_serde_json_keeps_for_itself() {
    let key = "$serde_json::private::RawValue";
    let template = Template::parse(&json!(format!(
        r#"{{{{a | default: {{"{key}": "[1]"}}}}}}"#
    )))
    .unwrap();
    assert_eq!(template.resolve(&json!({})).unwrap()[key], json!("[1]"));
}

fn any_template() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        r"[a{} ]{0,8}",
        r#"(\{\{ ?\??[a-c](\.[a-c0-9])? ?\}\}|\{\{\{\{|[a-c {}]|\{\{a \| default: (1|"x"|\{"a":\[\]\}) ?\}\}){0,6}"#,
    ];
    let leaf = prop_oneof![
        text.prop_map(Value::from),
        any::<i64>().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c{]{0,3}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_template_is_read_as_it_is_written(value in any_template()) {
        if let Ok(template) = Template::parse(&value) {
            prop_assert_eq!(Template::parse(&template.source()).unwrap(), template);
        }
    }

    #[test]
    fn a_plain_value_is_written_so_that_it_is_read_as_itself(text in r"[a{}]{0,8}") {
        let source = Template::plain(json!([text])).source();
        let read = Template::parse(&source).unwrap();
        prop_assert_eq!(read.as_value(), Some(&json!([text])));
    }

    #[test]
    fn no_text_makes_a_template_panic(text in r"([{}|?.]|default:|\PC){0,12}") {
        if let Ok(template) = Template::parse(&json!(text)) {
            let _ = template.resolve(&json!({ "a": 1 }));
        }
    }
}
