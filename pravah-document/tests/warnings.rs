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
    let found = warnings(&PAGES.replace("READS", &format!("{reads:?}")));
    let problems = found.into_iter().flat_map(|found| {
        let problems: Vec<_> = found.iter().cloned().collect();
        problems
    });
    problems.map(|problem| problem.message).collect()
}

#[test]
fn reading_what_may_be_skipped_or_failed_is_warned_of() {
    let text = PAGES.replace("READS", r#""{{ page.text }}""#);
    let expected = r#"
warning[may-be-skipped]: `page` may be skipped where `close` runs: there is no `page.text` then
  --> doubtful.yaml:10:49
   |
10 |   - { id: close, type: echo, input: { text: "{{ page.text }}" } }
   |                                                 ^^^^^^^^^
   |
   = help: write `{{? page.text }}`, or give a default: `{{ page.text | default: … }}`"#;
    assert_eq!(warnings(&text).unwrap().to_string(), expected.trim_start());
    assert_eq!(
        warnings_of_reading("{{ flaky.ok }}{{ sorry.text }}"),
        [
            "`flaky.ok` names nothing: the output of `flaky` has no `ok`",
            "`flaky` may be skipped where `close` runs: there is no `flaky.ok` then",
            "`sorry` may be skipped where `close` runs: there is no `sorry.text` then",
        ]
    );
    let failing = PAGES.replace("{ from: mail, to: close }", "{ from: kind, to: mail }");
    let failing = failing.replace("READS", r#""{{ flaky.label }}""#);
    let found = warnings(&failing).unwrap();
    let found: Vec<_> = found.iter().map(|it| (it.code, &*it.message)).collect();
    let message = "`flaky` may have failed where `close` runs: there is no `flaky.label` then";
    assert_eq!(found, [("may-have-failed", message)]);
}

#[test]
fn reading_what_has_run_or_may_be_absent_is_not_warned_of() {
    let reads = "{{ kind.route }}{{? page.text }}{{ mail.text | default: null }}{{ flaky }}";
    assert_eq!(warnings_of_reading(reads), [""; 0]);
}
