//! What documents mean: their graphs, regions and settings.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use std::time::Duration;

use pravah_document::{
    Catalogue, Condition, Document, Graph, Member, MergeMode, Node, NodeType, Options, Repeat,
    Retry, Selector, Work, read, read_bytes,
};
use serde_json::json;

#[path = "documents/prompt_files.rs"]
mod prompt_files;
#[path = "documents/reading.rs"]
mod reading;

fn load(text: &str) -> Document {
    let catalogue = Catalogue::standard();
    read(
        "flow.yaml",
        text,
        &Options::new(&catalogue).model("openai://m"),
    )
    .unwrap_or_else(|problems| panic!("{problems}"))
}

fn codes(text: &str) -> Vec<&'static str> {
    let catalogue = Catalogue::standard();
    let problems = read(
        "flow.yaml",
        text,
        &Options::new(&catalogue).model("openai://m"),
    );
    problems.map_or_else(
        |problems| problems.iter().map(|it| it.code).collect(),
        |_| Vec::new(),
    )
}

fn node(graph: &Graph, index: usize) -> &Node {
    match &graph.members[index] {
        Member::Node(node) => node,
        Member::Repeat(repeat) => panic!("{} is a region", repeat.id),
    }
}

fn repeat(graph: &Graph, index: usize) -> &Repeat {
    match &graph.members[index] {
        Member::Repeat(repeat) => repeat,
        Member::Node(node) => panic!("{} is a node", node.id),
    }
}

/// The graph in a line: members, and edges by their indices.
fn outline(graph: &Graph) -> String {
    let member = |member: &Member| match member {
        Member::Repeat(repeat) => format!("{}({})", repeat.id, outline(&repeat.graph)),
        Member::Node(node) => match &node.work {
            Work::Foreach { body, .. } | Work::Loop { body, .. } => {
                format!("{}[{}]", node.id, outline(body))
            }
            _ => node.id.clone(),
        },
    };
    let members: Vec<_> = graph.members.iter().map(member).collect();
    let edges: Vec<_> = graph
        .edges
        .iter()
        .map(|edge| format!("{}>{}", edge.from, edge.to))
        .collect();
    format!("{}; {}", members.join(" "), edges.join(" "))
}

/// The document that the guide starts with.
const HEALTH: &str = r#"
flow:
  name: health
  input: { services: { auth: { enabled: true } } }
nodes:
  - id: auth_enabled
    type: condition.equals
    input: { left: "{{ flow.input.services.auth.enabled }}", right: true }
  - id: ping_auth
    type: http.request
    when: { equals: { var: auth_enabled.value, value: true } }
    policy: { timeoutMs: 2000, retry: { maxAttempts: 3, backoffMs: 100 }, continueOnError: true }
    input: { method: GET, url: "https://auth.internal/health" }
  - id: report
    type: echo
    input: { text: "auth failed: {{ ping_auth.failed | default: false }}" }
edges:
  - { from: auth_enabled, to: ping_auth }
  - { from: auth_enabled, to: report }
  - { from: ping_auth, to: report }
"#;

/// P1.3, S4.21, S4.29, S4.48.
#[test]
fn the_first_document_of_the_guide_is_read() {
    let document = load(HEALTH);
    assert_eq!(
        (
            document.name.as_str(),
            document.version.as_str(),
            document.fail_fast
        ),
        ("health", "1", true)
    );
    assert_eq!(document.input["services"]["auth"]["enabled"], json!(true));
    assert_eq!(
        outline(&document.graph),
        "auth_enabled ping_auth report; 0>1 0>2 1>2"
    );
    let ping = node(&document.graph, 1);
    let retry = Retry {
        max_attempts: 3,
        backoff: Duration::from_millis(100),
        factor: 1.0,
        max_backoff: None,
        jitter: false,
    };
    assert_eq!(ping.policy.timeout, Some(Duration::from_secs(2)));
    assert_eq!(ping.policy.retry, Some(retry));
    assert_eq!(ping.when.as_ref().unwrap().roots(), ["auth_enabled"]);
    // What goes on after an error leads on whatever comes of it.
    let selectors: Vec<_> = document.graph.edges.iter().map(|edge| edge.on).collect();
    assert_eq!(
        selectors,
        [Selector::Success, Selector::Success, Selector::Any]
    );
}

/// B1, S4.30.
#[test]
fn a_switch_has_cases_and_its_edges_test_routes() {
    let text = r#"
flow: { name: f }
nodes:
  - id: route
    type: control.switch
    input:
      value: "{{ flow.input.kind }}"
      cases:
        - { when: bug, route: bug }
        - { when: { in: { var: value, values: [feature, idea] } }, route: feature }
  - { id: bugFlow, type: echo, input: { text: bug } }
  - { id: featureFlow, type: echo, input: { text: feature } }
  - { id: rest, type: echo, input: { text: rest } }
  - { id: join, type: control.merge, input: { mode: any, cancelLosers: true } }
edges:
  - { from: route, to: bugFlow, when: { equals: { var: route.route, value: bug } } }
  - { from: route, to: featureFlow, when: { equals: { var: route.route, value: feature } } }
  - { from: route, to: rest, when: { equals: { var: route.route, value: default } } }
  - { from: bugFlow, to: join }
  - { from: featureFlow, to: join }
"#;
    let document = load(text);
    let Work::Switch { cases, .. } = &node(&document.graph, 0).work else {
        panic!("{document:?}");
    };
    assert!(
        cases[0].when.holds(&json!({ "value": "bug" }))
            && !cases[0].when.holds(&json!({ "value": "idea" }))
    );
    assert!(cases[1].when.holds(&json!({ "value": "idea" })));
    let Work::Merge {
        mode,
        cancel_losers,
    } = &node(&document.graph, 4).work
    else {
        panic!("{document:?}");
    };
    assert_eq!((*mode, *cancel_losers), (MergeMode::Any, true));
}

/// B8, P10: a body without edges runs in the order in which it is listed.
#[test]
fn a_body_runs_as_listed_or_along_its_edges() {
    let text = |edges: &str| {
        format!(
            r#"
flow: {{ name: f }}
nodes:
  - {{ id: two, type: echo, input: {{ text: "{{{{ one.text }}}} {{{{ file.name }}}} {{{{ $last }}}} {{{{ before.text }}}}" }} }}
  - {{ id: one, type: echo, input: {{ text: "{{{{ index }}}} of {{{{ count }}}}" }}, policy: {{ continueOnError: true }} }}
  - {{ id: before, type: echo, input: {{ text: x }} }}
  - {{ id: each, type: control.foreach, input: {{ items: "{{{{ flow.input.files }}}}", as: file, concurrency: 4, body: [one, two] }} }}
  - {{ id: after, type: echo, input: {{ text: "{{{{ each.count }}}}" }} }}
edges: [{{ from: before, to: each }}, {{ from: each, to: after }}{edges}]
"#
        )
    };
    let document = load(&text(""));
    assert_eq!(
        outline(&document.graph),
        "before each[two one; 1>0] after; 0>1 1>2"
    );
    let Work::Foreach {
        item,
        concurrency,
        body,
        ..
    } = &node(&document.graph, 1).work
    else {
        panic!("{document:?}");
    };
    assert_eq!(
        (item.as_str(), *concurrency, body.edges[0].on),
        ("file", 4, Selector::Any)
    );
    let document = load(&text(", { from: one, to: two, on: success }"));
    assert_eq!(
        outline(&document.graph),
        "before each[two one; 1>0] after; 0>1 1>2"
    );
}

/// P10: the condition of a loop is looked at between its rounds, and may read the last one.
#[test]
fn bodies_may_be_within_bodies() {
    let text = r#"
flow: { name: f }
nodes:
  - { id: draft, type: echo, input: { text: "{{ iteration }} {{ ?review.text }}" } }
  - { id: show, type: echo, input: { text: "{{ item }} {{ draft.text }} {{ iteration }}" } }
  - { id: each, type: control.foreach, body: [show], input: { list: [1, 2] } }
  - { id: review, type: echo, input: { text: "{{ each.count }}" } }
  - id: again
    type: control.loop
    input:
      while: { not: { equals: { var: review.text, value: "2" } } }
      onCap: stop
      body: [draft, each, review]
edges: []
"#;
    let document = load(text);
    assert_eq!(
        outline(&document.graph),
        "again[draft each[show; ] review; 0>1 1>2]; "
    );
    let Work::Loop {
        condition,
        max_iterations,
        stops_at_cap,
        ..
    } = &node(&document.graph, 0).work
    else {
        panic!("{document:?}");
    };
    assert!(matches!(condition, Condition::When(_)));
    assert_eq!((*max_iterations, *stops_at_cap), (100, true));
}

/// P1.7.
#[test]
fn a_loop_edge_makes_a_region_of_what_is_between_its_ends() {
    let text = r#"
flow: { name: f }
nodes:
  - { id: start, type: echo, input: { text: x } }
  - { id: draft, type: echo, input: { text: "{{ ?check.text }} {{ start.text }}" } }
  - { id: left, type: echo, input: { text: x } }
  - { id: right, type: echo, input: { text: x } }
  - { id: check, type: echo, input: { text: "{{ left.text }}{{ right.text }}" } }
  - { id: end, type: echo, input: { text: "{{ draft.text }} {{ left.text }}" } }
edges:
  - { from: start, to: draft }
  - { from: draft, to: left }
  - { from: draft, to: right }
  - { from: left, to: check }
  - { from: right, to: check }
  - { from: check, to: draft, type: loop, maxIterations: 3, when: { equals: { var: left.text, value: again } } }
  - { from: left, to: left, type: loop, maxIterations: 1 }
  - { from: check, to: end }
"#;
    let document = load(text);
    assert_eq!(
        outline(&document.graph),
        "start draft..check(draft left..left(left; ) right check; 0>1 0>2 1>3 2>3) end; 0>1 1>2"
    );
    let region = repeat(&document.graph, 1);
    assert_eq!(
        (
            region.target,
            region.source,
            region.max_iterations,
            region.on
        ),
        (0, 3, 3, Selector::Success)
    );
    assert_eq!(region.when.as_ref().unwrap().roots(), ["left"]);
}

/// P9: what surely runs before a merge of any is there behind it.
#[test]
fn what_every_branch_has_run_after_is_there_behind_a_merge_of_any() {
    let text = |name: &str| {
        format!(
            r#"
flow: {{ name: f }}
nodes:
  - {{ id: start, type: echo, input: {{ text: x }} }}
  - {{ id: left, type: echo, input: {{ text: x }} }}
  - {{ id: right, type: echo, input: {{ text: x }} }}
  - {{ id: join, type: control.merge, input: {{ mode: any }} }}
  - {{ id: end, type: echo, input: {{ text: "{{{{ {name}.text }}}}" }}, when: {{ exists: {{ var: left }} }} }}
edges:
  - {{ from: start, to: left }}
  - {{ from: start, to: right }}
  - {{ from: left, to: join }}
  - {{ from: right, to: join }}
  - {{ from: join, to: end }}
"#
        )
    };
    assert_eq!(codes(&text("start")), [""; 0]);
    assert_eq!(codes(&text("join")), [""; 0]);
    assert_eq!(codes(&text("?left")), [""; 0]);
    assert_eq!(codes(&text("left")), ["may-be-absent"]);
}

/// S4.56: a host's types are checked as those of the catalogue are.
#[test]
fn types_of_a_host_are_checked() {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    let catalogue = Catalogue::standard()
        .with(NodeType::new("words.count", "words", "Counts words.").input(schema));
    let text = |input: &str| {
        format!(
            "flow: {{ name: f, nodePacks: [words] }}\nnodes: [{{ id: a, type: words.count, input: {input} }}]\nedges: []"
        )
    };
    let check = |input: &str| read("f.yaml", &text(input), &Options::new(&catalogue)).is_ok();
    assert!(
        check("{ text: x }")
            && check("{ text: \"{{ flow.input }}\" }")
            && check("\"{{ flow.input }}\"")
    );
    assert!(!check("{ text: 1 }") && !check("{}"));
}

/// `data.map`, `data.filter` and `data.template` define names of their own.
#[test]
fn some_inputs_have_names_of_their_own() {
    let text = r#"
flow: { name: f }
nodes:
  - { id: map, type: data.map, input: { list: "{{ flow.input.list }}", template: "{{ index }} {{ item.name }}" } }
  - { id: filter, type: data.filter, input: { list: "{{ map.list }}", when: { gt: { var: item, value: "{{ index }}" } } } }
  - { id: text, type: data.template, input: { template: "{{ name }} {{ map.list }}", values: { name: Ada } } }
  - { id: open, type: data.template, input: { template: "{{ name }}", values: "{{ flow.input }}" } }
  - { id: wrong, type: data.template, input: { template: "{{ nam }} {{ item }}", values: { name: Ada } } }
edges: [{ from: map, to: filter }, { from: map, to: text }]
"#;
    assert_eq!(codes(text), ["unknown-name", "unknown-name"]);
}
