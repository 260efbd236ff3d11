//! Invocations that cannot be read, or carried.

use super::*;

fn deep(depth: usize) -> Value {
    (0..depth).fold(json!(1), |value, _| json!([value]))
}

#[test]
fn data_that_no_snapshot_can_carry_is_refused() {
    let invoke = |depth| {
        let message = Message::data(deep(depth));
        registry().invoke(Invocation::single(Target::named("researcher", message)))
    };
    invoke(60).unwrap();
    let error = invoke(70).unwrap_err();
    assert!(matches!(error, InvokeError::Data { .. }), "{error}");
}

#[tokio::test]
async fn a_text_that_no_snapshot_can_carry_as_json_fails_its_target() {
    let model = Recorder::new(ScriptedModel::new());
    let target = Target::named("survey", deep(70).to_string());
    let result = output(run_by(Invocation::single(target), &model).run(ctx()).await);
    let [result] = result.results() else {
        panic!("one result")
    };
    assert_eq!(result.status, TaskStatus::Failed);
    assert!(
        result.content.as_str().unwrap().contains("nested"),
        "{}",
        result.content
    );
}

#[state]
struct Big {
    n: u128,
}

#[node]
fn grow(_: Topic) -> Big {
    Big { n: u128::MAX }
}

/// Grows.
#[flow(named)]
fn growing(topic: Topic) -> Big {
    flow! { grow }
}

#[tokio::test]
async fn a_result_that_json_cannot_hold_is_a_failure() {
    let registry = AgentRegistry::new().with_agent::<growing>();
    let message = Message::data(json!({ "name": "a" }));
    let mut run = registry
        .invoke(Invocation::single(Target::named("growing", message)))
        .unwrap();
    let result = output(run.run(ctx()).await);
    assert_eq!(result.results()[0].status, TaskStatus::Failed);
}

#[test]
fn json_that_is_no_invocation_says_what_is_expected() {
    let read = |json: &str| {
        serde_json::from_str::<Invocation>(json)
            .unwrap_err()
            .to_string()
    };
    let with_agent = |agent: &str| {
        let message = r#"{ "role": "user", "parts": [{ "text": "a" }] }"#;
        read(&format!(
            r#"{{ "targets": [{{ "agent": {agent}, "message": {message} }}] }}"#
        ))
    };
    for (error, expected) in [
        (with_agent(r#""researcher""#), "an agent as an object"),
        (
            with_agent(r#"{ "type": "named", "agent_id": "a", "model": "m" }"#),
            "unknown field `model`",
        ),
        (
            with_agent(r#"{ "type": "ad_hoc", "system_prompt": "a", "tool": {} }"#),
            "unknown field `tool`",
        ),
        (
            read(
                r#"{ "targets": [{ "agent": { "type": "named", "agent_id": "a" }, "message": "hi" }] }"#,
            ),
            "a message as an object",
        ),
        (
            read(r#""researcher""#),
            "an invocation, an object with `targets`",
        ),
        (
            read(r#"{ "targets": [], "tools": "none" }"#),
            "tools as an object",
        ),
        (
            read(r#"{ "targets": [], "executor": "local" }"#),
            "an executor as an object",
        ),
    ] {
        assert!(error.contains(expected), "{error}");
    }
}
