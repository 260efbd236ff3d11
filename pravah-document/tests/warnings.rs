//! What is probably a mistake, though the document runs.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use pravah_document::{Catalogue, Options, Problems, read};

fn warnings(text: &str) -> Option<Problems> {
    let catalogue = Catalogue::standard();
    let options = Options::new(&catalogue).model("openai://any");
    read("doubtful.yaml", text, &options).unwrap().warnings
}

#[test]
fn fields_that_no_output_has_are_warned_of() {
    let text = r#"
flow: { name: doubtful, input: { country: Benin } }
nodes:
  - { id: a, type: echo, input: { text: "{{ flow.input.contry }}" } }
  - { id: plan, type: agent.plan, input: { input: "{{ a.txt }}" } }
  - { id: b, type: echo, when: { exists: { var: a.value } }, input: { text: "{{ plan.result.steps.0.name }}" } }
edges: [{ from: a, to: plan }, { from: plan, to: b }]
"#;
    let expected = r#"
warning[unknown-field]: the input of the document has no `contry`
 --> doubtful.yaml:4:45
  |
4 |   - { id: a, type: echo, input: { text: "{{ flow.input.contry }}" } }
  |                                             ^^^^^^^^^^^^^^^^^
  |
  = help: did you mean `country`?

warning[unknown-field]: `a.txt` names nothing: the output of `a` has no `txt`
 --> doubtful.yaml:5:55
  |
5 |   - { id: plan, type: agent.plan, input: { input: "{{ a.txt }}" } }
  |                                                       ^^^^^
  |
  = help: did you mean `text`?

warning[unknown-field]: `a.value` names nothing: the output of `a` has no `value`
 --> doubtful.yaml:6:49
  |
6 |   - { id: b, type: echo, when: { exists: { var: a.value } }, input: { text: "{{ plan.result.steps.0.name }}" } }
  |                                                 ^^^^^^^
  |
  = help: its fields are `text`

warning[unknown-field]: `plan.result.steps.0.name` names nothing: the output of `plan` has no `name`
 --> doubtful.yaml:6:81
  |
6 |   - { id: b, type: echo, when: { exists: { var: a.value } }, input: { text: "{{ plan.result.steps.0.name }}" } }
  |                                                                                 ^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: see `pravah nodes agent.plan`"#;
    assert_eq!(warnings(text).unwrap().to_string(), expected.trim_start());
}

#[test]
fn values_of_the_wrong_type_are_warned_of() {
    let text = r#"
flow: { name: doubtful }
nodes:
  - { id: t, type: tutorial.delay, input: { ms: 1 } }
  - { id: e, type: echo, input: { text: "{{ t.ms }}" } }
  - { id: d, type: tutorial.delay, input: { ms: "{{ e.text | default: 1 }}" } }
  - { id: each, type: control.foreach, input: { list: "{{ e }}", body: [inner] } }
  - { id: inner, type: tutorial.delay, input: { ms: "{{ t.ms }}" } }
  - { id: fine, type: echo, input: { text: "{{ t.ms }} ms" } }
edges: [{ from: t, to: e }, { from: e, to: d }, { from: e, to: each }, { from: t, to: fine }]
"#;
    let found = warnings(text).unwrap();
    let found: Vec<_> = found.iter().map(|problem| &*problem.message).collect();
    assert_eq!(
        found,
        [
            "`t.ms` is a whole number, and has to be a string",
            "`e.text` is a string, and has to be a whole number",
            "`e` is an object, and has to be a list",
        ]
    );
}

#[test]
fn markers_lengths_and_what_is_not_described_are_not_warned_of() {
    let text = r#"
flow: { name: fine, input: { a: 1 } }
nodes:
  - { id: a, type: constant, input: { value: { x: [1] } } }
  - { id: b, type: data.map, input: { list: "{{ a.value.x }}" } }
  - { id: c, type: echo, input: { text: "{{ a.value.x.0 }}{{ a.failed | default: false }}{{? a.error.kind }}" } }
  - { id: d, type: echo, input: { text: "{{ b.list.length }}{{ b.list.0.y }}{{ c.text.length }}{{? c.reason }}" } }
  - { id: e, type: echo, input: { text: "{{ flow.input.entirely_different }}{{ flow.input.a }}" } }
edges: [{ from: a, to: b }, { from: b, to: c }, { from: c, to: d }]
"#;
    assert_eq!(warnings(text), None);
}

const PAGES: &str = r#"
flow: { name: pages, input: { urgent: true, ask: true } }
nodes:
  - { id: kind, type: control.switch, input: { value: "{{ flow.input.urgent }}", cases: [{ when: { equals: { var: value, value: true } }, route: page }] } }
  - { id: page, type: echo, input: { text: paged } }
  - { id: mail, type: echo, input: { text: mailed } }
  - { id: ask, type: echo, when: { equals: { var: flow.input.ask, value: true } }, input: { text: "{{ page.text }}" } }
  - { id: flaky, type: tutorial.flaky, input: { label: "{{ ask.text }}" } }
  - { id: sorry, type: echo, input: { text: "{{ flaky.error.message }}" } }
  - { id: close, type: echo, input: { text: READS } }
edges:
  - { from: kind, to: page, when: { equals: { var: kind.route, value: page } } }
  - { from: kind, to: mail, when: { equals: { var: kind.route, value: default } } }
  - { from: page, to: ask }
  - { from: ask, to: flaky }
  - { from: flaky, to: sorry, on: failure }
  - { from: flaky, to: close }
  - { from: mail, to: close }
  - { from: sorry, to: close }
"#;

fn warnings_of_reading(reads: &str) -> Vec<String> {
    messages(&PAGES.replace("READS", &format!("{reads:?}")))
}

#[test]
fn reading_what_may_be_skipped_is_warned_of() {
    assert_eq!(
        warnings_of_reading("{{ page.text }}{{ flaky.label }}{{ sorry.text }}"),
        [
            "`page` may be skipped where `close` runs: there is no `page.text` then",
            "`flaky` may be skipped where `close` runs: there is no `flaky.label` then",
            "`sorry` may be skipped where `close` runs: there is no `sorry.text` then",
        ]
    );
}

#[test]
fn reading_what_may_have_failed_is_warned_of() {
    let failing = PAGES.replace("{ from: mail, to: close }", "{ from: kind, to: mail }");
    let failing = failing.replace("READS", r#""{{ flaky.label }}""#);
    assert_eq!(messages(&failing), [HAS_FAILED]);
}

const HAS_FAILED: &str =
    "`flaky` may have failed where `close` runs: there is no `flaky.label` then";

fn messages(text: &str) -> Vec<String> {
    let found = warnings(text);
    let problems = found.iter().flat_map(|found| found.iter());
    problems.map(|problem| problem.message.clone()).collect()
}

/// A node that may be skipped, and others behind it and `start`.
fn behind_a_page(nodes: &str, edges: &str) -> Vec<String> {
    let when = "{ equals: { var: flow.input.urgent, value: true } }";
    messages(
        &format!(
            "
flow: {{ name: page, input: {{ urgent: true }} }}
nodes:
  - {{ id: start, type: constant, input: {{ value: 1 }} }}
  - {{ id: page, type: echo, when: {when}, input: {{ text: paged }} }}
{nodes}
edges:
  - {{ from: start, to: page }}
{edges}
"
        )
        .replace("WHEN", when),
    )
}

#[test]
fn a_condition_on_the_node_that_is_read_keeps_the_warning_away() {
    let log = "  - { id: log, type: echo, COND input: { text: '{{ page.text }}' } }";
    let edges = "  - { from: start, to: log }\n  - { from: page, to: log }";
    let unguarded = behind_a_page(&log.replace("COND", ""), edges);
    assert_eq!(unguarded.len(), 1);
    for guard in [
        "when: { exists: { var: page.text } },",
        "when: WHEN,",
        "when: { and: [{ and: [WHEN, { exists: { var: start.value } }] }] },",
    ] {
        assert_eq!(
            behind_a_page(&log.replace("COND", guard), edges),
            [""; 0],
            "{guard}"
        );
    }
    // Through a node before it, and through a `control.if`.
    let before = "  - { id: asked, type: control.if, input: { condition: { exists: { var: page.text } } } }
  - { id: yes, type: echo, input: { text: '{{ page.text }}' } }
  - { id: other, type: echo, when: { equals: { var: page.text, value: x } }, input: { text: other } }
  - { id: behind, type: echo, input: { text: '{{ page.text }}' } }";
    let edges = "  - { from: page, to: asked }
  - { from: start, to: asked }
  - { from: asked, to: yes, when: { equals: { var: asked.condition, value: true } } }
  - { from: page, to: other }
  - { from: start, to: other }
  - { from: other, to: behind }";
    assert_eq!(behind_a_page(before, edges), [""; 0]);
}

#[test]
fn a_body_is_checked_by_the_conditions_of_its_own_nodes() {
    let nodes = "  - { id: each, type: control.foreach, input: { list: [1], body: [one] } }
  - { id: one, type: echo, COND input: { text: '{{ page.text }}' } }";
    let edges = "  - { from: page, to: each }\n  - { from: start, to: each }";
    assert_eq!(
        behind_a_page(&nodes.replace("COND", "when: WHEN,"), edges),
        [""; 0]
    );
    assert_eq!(
        behind_a_page(&nodes.replace("COND", ""), edges),
        ["`page` may be skipped where `one` runs: there is no `page.text` then"]
    );
}

#[test]
fn without_fail_fast_any_node_may_have_failed() {
    let text = "
flow: { name: goes_on, policy: { failFast: POLICY } }
nodes:
  - { id: start, type: constant, input: { value: 1 } }
  - { id: flaky, type: tutorial.flaky, input: { label: x } }
  - { id: close, type: echo, input: { text: '{{ flaky.label }}' } }
edges:
  - { from: start, to: flaky }
  - { from: start, to: close }
  - { from: flaky, to: close }
";
    assert_eq!(messages(&text.replace("POLICY", "true")), [""; 0]);
    assert_eq!(messages(&text.replace("POLICY", "false")), [HAS_FAILED]);
}

#[test]
fn what_is_behind_a_node_that_always_fails_is_looked_at() {
    let nodes = "  - { id: stop, type: control.fail, input: { message: no } }
  - { id: log, type: echo, input: { text: '{{ page.text }}' } }";
    let edges = "  - { from: start, to: stop }
  - { from: stop, to: log, on: failure }
  - { from: page, to: log }";
    assert_eq!(behind_a_page(nodes, edges).len(), 1);
}

#[test]
fn reading_what_has_run_or_may_be_absent_is_not_warned_of() {
    let reads = "{{ kind.route }}{{? page.text }}{{ mail.text | default: null }}{{ flaky }}";
    assert_eq!(warnings_of_reading(reads), [""; 0]);
}
