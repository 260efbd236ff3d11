//! What is said of a script that its agents cannot use.

use pravah_runtime::prelude::*;
use serde_json::json;

#[state]
struct Ticket {}
#[state]
#[derive(Debug)]
struct Verdict {
    urgent: bool,
}
#[state]
struct Question {}
#[state]
struct Claim {}
#[state]
struct Complaint {}
#[state]
#[derive(Debug)]
struct Refund {
    euros: u32,
}

#[state]
struct Survey {}
#[state]
#[derive(Debug)]
struct Estimate {
    primary_output: String,
    confidence: f64,
}

/// Looks up orders.
#[tool]
async fn orders(email: String) -> Result<String, ToolError> {
    Ok(email)
}

#[agent(model = "openai://m", preamble = "Sort.", tools = [orders], output = Verdict)]
fn triage(_: &Ticket) -> String {
    String::new()
}

#[agent(model = "openai://m", preamble = "Sort.", output = Verdict)]
fn guess(_: &Question) -> String {
    String::new()
}

#[agent(
    model = "openai://m",
    preamble = "Decide.",
    output = Refund,
    contract(auto_approve_above = 0.9)
)]
fn judge(_: &Claim) -> String {
    String::new()
}

#[agent(
    model = "openai://m",
    preamble = "Decide.",
    output = Refund,
    tools = [orders],
    max_repairs = 0,
    contract(auto_approve_above = 0.9)
)]
fn settle(_: &Complaint) -> String {
    String::new()
}

#[agent(model = "openai://m", preamble = "Estimate.", output = Estimate)]
fn estimate(_: &Survey) -> String {
    String::new()
}

#[flow]
fn estimates(survey: Survey) -> Estimate {
    flow! { estimate }
}

#[flow]
fn tickets(ticket: Ticket) -> Verdict {
    flow! { triage }
}

#[flow]
fn questions(question: Question) -> Verdict {
    flow! { guess }
}

#[node]
fn tell_of_claim(failure: &Failure<Claim>) -> Result<Refund, String> {
    Err(failure.message.clone())
}

#[node]
fn tell_of_complaint(failure: &Failure<Complaint>) -> Result<Refund, String> {
    Err(failure.message.clone())
}

#[flow]
fn claims(claim: Claim) -> Refund {
    flow! { judge -> done; catch(judge) -> tell_of_claim -> done }
}

#[flow]
fn complaints(complaint: Complaint) -> Refund {
    flow! { settle -> done; catch(settle) -> tell_of_complaint -> done }
}

fn with(script: ScriptedModel) -> Context {
    Context::default().with_dep(script)
}

#[tokio::test]
async fn a_call_of_a_tool_that_the_agent_does_not_have_names_those_it_has() {
    let script = ScriptedModel::new().call("triage", "order", json!({}));
    let error = tickets(Ticket {}, with(script)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model of agent `triage` failed: the script is wrong: it calls `order` for `triage`, whose \
         tools are `orders`, `submit`; the script has no answer 2 for `triage`: it has 1"
    );
}

#[tokio::test]
async fn a_call_for_an_agent_without_tools_says_that_there_are_none() {
    let script = ScriptedModel::new().call("guess", "orders", json!({}));
    let error = questions(Question {}, with(script)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model of agent `guess` failed: the script is wrong: it calls `orders` for `guess`, which \
         has no tools; the script has no answer 2 for `guess`: it has 1"
    );
}

#[tokio::test]
async fn a_submit_for_an_agent_without_tools_says_what_its_output_is() {
    let script = ScriptedModel::new().call("guess", "submit", json!({}));
    let error = questions(Question {}, with(script)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model of agent `guess` failed: the script is wrong: it calls `submit` for `guess`, which \
         has no tools: write its output as a `reply`; the script has no answer 2 for `guess`: it has 1"
    );
}

#[tokio::test]
async fn a_call_for_an_agent_without_tools_is_explained_after_the_last_repair() {
    let mut script = ScriptedModel::new();
    for _ in 0..4 {
        script = script.call("guess", "orders", json!({}));
    }
    let error = questions(Question {}, with(script)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent `guess` returned no result after 2 repairs: the answer calls a tool, and there are none; the script is wrong: \
         it calls `orders` for `guess`, which has no tools"
    );
}

#[tokio::test]
async fn a_reply_that_does_not_fit_names_the_shape() {
    let script = ScriptedModel::new().reply("triage", json!({ "urgent": "very" }));
    let error = tickets(Ticket {}, with(script)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model of agent `triage` failed: the script is wrong: its reply for `triage` does not fit: \
         `urgent` is not of type boolean; it must be an object with `urgent`; \
         the script has no answer 2 for `triage`: it has 1"
    );
}

#[tokio::test]
async fn a_reply_without_the_envelope_of_a_contract_names_the_envelope() {
    let script = ScriptedModel::new().reply("judge", json!({ "euros": 20 }));
    let error = claims(Claim {}, with(script)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `tell_of_claim` failed: the model of agent `judge` failed: the script is wrong: its reply for \
         `judge` does not fit: `primary_output` is missing; under a contract it must be an envelope: an object with \
         `primary_output`, `confidence`, `confidence_type`, `escalate`; \
         the script has no answer 2 for `judge`: it has 1"
    );
}

#[tokio::test]
async fn a_missing_envelope_is_explained_without_repairs() {
    let script = ScriptedModel::new().reply("settle", json!({ "euros": 20 }));
    let error = complaints(Complaint {}, with(script)).await.unwrap_err();
    let text = error.to_string();
    let says = "the script is wrong: its reply for `settle` does not fit: `primary_output` is missing; \
                under a contract it must be an envelope: an object with `primary_output`";
    assert!(text.contains(says), "{text}");
}

#[tokio::test]
async fn an_output_with_fields_like_an_envelope_is_called_an_object() {
    let script = ScriptedModel::new().reply("estimate", json!({ "confidence": 0.5 }));
    let error = estimates(Survey {}, with(script)).await.unwrap_err();
    let text = error.to_string();
    let says =
        "`primary_output` is missing; it must be an object with `primary_output`, `confidence`";
    assert!(text.contains(says), "{text}");
}

#[tokio::test]
async fn a_script_may_say_what_a_model_does_wrong_and_go_on() {
    let script = ScriptedModel::new()
        .call("triage", "order", json!({}))
        .reply("triage", json!({ "urgent": "very" }))
        .reply("triage", json!({ "urgent": true }));
    let verdict = tickets(Ticket {}, with(script.clone())).await.unwrap();
    assert!(verdict.urgent);
    assert!(script.unused().is_empty());
}

/// What `assert_used` panics with after a run that is done.
async fn found_after_the_run(script: ScriptedModel) -> String {
    let ctx = Context::default().with_dep(script.clone());
    tickets(Ticket {}, ctx).await.unwrap();
    assert!(script.unused().is_empty());
    let panic = std::panic::catch_unwind(|| script.assert_used()).unwrap_err();
    *panic.downcast().unwrap()
}

#[tokio::test]
async fn a_call_that_the_agent_could_not_run_is_found_by_assert_used() {
    let reply = json!({ "urgent": true });
    let unknown = ScriptedModel::new()
        .call("triage", "order", json!({}))
        .reply("triage", reply.clone());
    assert_eq!(
        found_after_the_run(unknown).await,
        "the script is wrong: it calls `order` for `triage`, whose tools are `orders`, `submit`"
    );
    let unfit = ScriptedModel::new()
        .call("triage", "orders", json!({ "mail": "a@example.com" }))
        .reply("triage", reply);
    assert_eq!(
        found_after_the_run(unfit).await,
        "the script is wrong: its arguments of `orders` for `triage` do not fit: `email` is missing"
    );
}

#[tokio::test]
async fn a_script_that_ends_with_an_error_says_so_and_repeats_no_prompt() {
    let script = ScriptedModel::new().error("triage", "down");
    let factory = ClientFactory::new().with_scripted(script);
    let mut run = FlowRuntime::new(Ticket {}).unwrap().with_factory(factory);
    run.run(Context::default()).await.unwrap_err();
    assert_eq!(
        run.run(Context::default()).await.unwrap_err().to_string(),
        "the model of agent `triage` failed: the script has no answer 2 for `triage`: it has 1, and the \
         last one was an error: down"
    );
}
