//! Agents without tools.

use serde::Serialize;
use serde_json::json;

use super::*;
use crate::{
    model::{ModelResponse, StopReason},
    model_text::ToModel,
};

fn verdict() -> Value {
    json!({ "urgent": true, "topic": "delivery" })
}

// S1.15
#[tokio::test]
async fn without_tools_the_model_is_asked_for_json_of_the_output() {
    let mut agent = Bench::new(ScriptedModel::new().reply("triage", verdict()));
    assert_eq!(agent.finish().await, verdict());
    let [request] = &agent.asked()[..] else {
        panic!()
    };
    assert_eq!(request.system, "You triage.");
    assert_eq!(request.model, "test");
    assert_eq!(
        request.messages,
        [Message::user("A ticket.".to_model())].into()
    );
    assert!(request.tools.is_empty());
    let output = request.output.as_ref().unwrap();
    assert_eq!(output.name, "Verdict");
    assert_eq!(output.schema["required"], json!(["urgent", "topic"]));
}

#[tokio::test]
async fn an_answer_in_a_code_fence_is_taken() {
    let text = "```json\n{\"urgent\": true, \"topic\": \"delivery\"}\n```";
    let mut agent = Bench::new(ScriptedModel::new().text("triage", text));
    assert_eq!(agent.finish().await, verdict());
}

#[tokio::test]
async fn an_answer_that_does_not_fit_goes_back_with_what_was_wrong() {
    let script = ScriptedModel::new()
        .reply("triage", json!({ "urgent": "sesame" }))
        .reply("triage", verdict());
    let mut agent = Bench::new(script);
    agent.step().await;
    let text = agent.last_message().user_text().unwrap();
    assert!(text.contains("`topic` is missing"), "{text}");
    assert!(
        !text.contains("sesame") && !text.contains("Verdict"),
        "{text}"
    );
    assert_eq!(agent.finish().await, verdict());
}

#[tokio::test]
async fn plain_text_goes_back_with_what_was_wrong() {
    let script = ScriptedModel::new()
        .text("triage", "Urgent!")
        .reply("triage", verdict());
    let mut agent = Bench::new(script);
    agent.step().await;
    let text = agent.last_message().user_text().unwrap();
    assert!(text.contains("not JSON"), "{text}");
    assert_eq!(agent.finish().await, verdict());
}

#[tokio::test]
async fn after_max_repairs_the_agent_fails_and_can_be_retried() {
    let script = ScriptedModel::new()
        .text("triage", "1x")
        .text("triage", "2x")
        .text("triage", "3x");
    let mut agent = Bench::new(script.clone());
    let error = agent.fail().await;
    assert!(matches!(error, FlowError::AgentError(_)), "{error:?}");
    assert!(error.to_string().contains("`triage`"), "{error}");
    assert_eq!(agent.asked().len(), 3 + 2, "two steps were tried twice");
    // The step that failed left nothing behind.
    agent.client = Arc::new(Recorder {
        script: ScriptedModel::new()
            .text("triage", "")
            .text("triage", "")
            .reply("triage", verdict()),
        asked: Mutex::default(),
    });
    assert_eq!(agent.finish().await, verdict());
}

#[tokio::test]
async fn no_repairs_means_the_first_answer_counts() {
    let script = ScriptedModel::new().text("triage", "hm");
    let mut agent = Bench::with(script, |config| config.max_repairs(0));
    assert!(matches!(agent.fail().await, FlowError::AgentError(_)));
    assert_eq!(agent.asked().len(), 1);
}

#[tokio::test]
async fn an_output_that_is_no_object_travels_in_one() {
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    enum Route {
        Page { who: String },
        Drop,
    }

    let enveloped =
        ScriptedModel::new().reply("triage", json!({ "value": { "Page": { "who": "ann" } } }));
    let mut agent = Bench::of::<Route>(enveloped, |config| config);
    assert_eq!(agent.finish().await, json!({ "Page": { "who": "ann" } }));
    let schema = agent.asked()[0].output.clone().unwrap().schema;
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["value"]));

    let bare = ScriptedModel::new().reply("triage", json!("Drop"));
    let mut agent = Bench::of::<Route>(bare, |config| config);
    assert_eq!(agent.finish().await, json!("Drop"));
}

#[tokio::test]
async fn calls_that_nobody_offered_are_answered() {
    let script = ScriptedModel::new()
        .call("triage", "search", json!({}))
        .reply("triage", verdict());
    let mut agent = Bench::new(script);
    assert_eq!(agent.finish().await, verdict());
}

/// Gives one answer.
struct Once(ModelResponse);

impl ModelClient for Once {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

async fn step_with(response: ModelResponse) -> Result<(AgentStep, Arc<AgentProgress>), FlowError> {
    let agent = Bench::new(ScriptedModel::new());
    let model = model(&agent.progress, Arc::new(Once(response)));
    let step = step(agent.spec, agent.progress.into(), model, watch(), agent.ctx);
    step.await.map_err(|failed| *failed.error)
}

#[tokio::test]
async fn a_refusal_fails_the_agent_at_once() {
    let response = ModelResponse {
        text: Some("I cannot".to_owned()),
        stop: StopReason::Refusal,
        ..Default::default()
    };
    let error = step_with(response).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent `triage` failed: the model refused to answer"
    );
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_told_so() {
    let response = ModelResponse {
        text: Some("{\"urgent\": tr".to_owned()),
        stop: StopReason::MaxTokens,
        ..Default::default()
    };
    let (step, progress) = step_with(response).await.unwrap();
    assert!(matches!(step, AgentStep::Asked));
    let text = progress.messages().last().unwrap().user_text().unwrap();
    assert!(text.contains("cut off"), "{text}");
}
