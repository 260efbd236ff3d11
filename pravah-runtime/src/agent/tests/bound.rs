//! Opaque items go back only where their model reads what it had read when it made them.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{Orders, Verdict, watch};
use crate::{
    Context, ToolBox,
    agent::{AgentConfig, AgentProgress, AgentSpec, AgentStep, Model, OutputType, step},
    model::{
        Arguments, Message, ModelClient, ModelFuture, ModelRequest, ModelResponse, ModelUrl,
        Opaque, StopReason, ToolCall,
    },
    state::Live,
};

/// Thinks, and calls the tool.
#[derive(Default)]
struct Thinker(Mutex<Vec<ModelRequest>>);

impl ModelClient for Thinker {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.0.lock().unwrap().push(request.clone());
        Box::pin(async {
            Ok(ModelResponse {
                calls: vec![ToolCall {
                    id: String::new(),
                    name: "orders".to_owned(),
                    arguments: Arguments::Json(json!({ "email": "a@example.com" })),
                }],
                stop: StopReason::ToolCalls,
                opaque: Some(Opaque::new("openai", "test", json!(["thought"]))),
                ..Default::default()
            })
        })
    }
}

fn spec(preamble: &str, tools: ToolBox) -> Arc<AgentSpec> {
    let config = AgentConfig::new(preamble, "openai://test").with_tools(tools);
    Arc::new(AgentSpec::new(
        config,
        OutputType {
            name: "Verdict".to_owned(),
            is_text: false,
            schema: schemars::schema_for!(Verdict).to_value(),
            within: Arc::new(Default::default),
            read: Arc::new(|value| Ok(Live::new(value.clone()))),
        },
    ))
}

fn tools() -> ToolBox {
    ToolBox::new().with::<Orders>()
}

async fn next(spec: &Arc<AgentSpec>, thinker: &Arc<Thinker>, progress: &mut AgentProgress) {
    next_at("openai://test", spec, thinker, progress).await;
}

async fn next_at(
    url: &str,
    spec: &Arc<AgentSpec>,
    thinker: &Arc<Thinker>,
    progress: &mut AgentProgress,
) {
    let url = ModelUrl::custom(url).unwrap();
    let client: Arc<dyn ModelClient> = thinker.clone();
    let model = progress.is_models_turn().then_some(Model {
        url,
        client,
        options: Default::default(),
        asked: vec![progress.spent().requests],
    });
    let ctx = Context::default();
    let before = progress.clone().into();
    let (step, after) = step(Arc::clone(spec), before, model, watch(), ctx)
        .await
        .unwrap();
    assert!(matches!(step, AgentStep::Asked | AgentStep::Ran));
    *progress = (*after).clone();
}

/// An agent that has thought twice under its first prompt.
async fn thought_twice() -> (AgentProgress, Arc<Thinker>) {
    let (spec, thinker) = (spec("You triage.", tools()), Arc::<Thinker>::default());
    let mut progress = AgentProgress::start(
        crate::Prompt::from("A ticket.").into_messages(),
        "Verdict".into(),
    );
    for _ in 0..4 {
        next(&spec, &thinker, &mut progress).await;
    }
    (progress, thinker)
}

/// Which answers of the conversation go with their thoughts in the next request.
async fn thoughts_sent(spec: &Arc<AgentSpec>, mut progress: AgentProgress) -> Vec<bool> {
    let thinker = Arc::<Thinker>::default();
    next(spec, &thinker, &mut progress).await;
    let asked = thinker.0.lock().unwrap();
    let thoughts = asked[0]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Assistant { opaque, .. } => Some(opaque.is_some()),
            _ => None,
        });
    thoughts.collect()
}

#[tokio::test]
async fn thoughts_go_back_to_whoever_reads_the_same_as_before() {
    let (progress, _) = thought_twice().await;
    let json = serde_json::to_string(&progress).unwrap();
    let restored: AgentProgress = serde_json::from_str(&json).unwrap();
    let spec = spec("You triage.", tools());
    assert_eq!(thoughts_sent(&spec, restored).await, [true, true]);
}

#[tokio::test]
async fn thoughts_stay_behind_where_the_prompt_or_the_tools_are_new() {
    let (progress, _) = thought_twice().await;
    let prompt = spec("You triage with care.", tools());
    assert_eq!(
        thoughts_sent(&prompt, progress.clone()).await,
        [false, false]
    );
    let fewer = spec("You triage.", tools().with::<super::Fail>());
    assert_eq!(thoughts_sent(&fewer, progress).await, [false, false]);
}

#[tokio::test]
async fn thoughts_stay_behind_where_a_message_before_them_is_new() {
    let (progress, _) = thought_twice().await;
    let mut json: Value = serde_json::to_value(&progress).unwrap();
    json["conversation"][2]["results"][0]["text"] = json!("another result");
    let changed: AgentProgress = serde_json::from_value(json).unwrap();
    let spec = spec("You triage.", tools());
    assert_eq!(thoughts_sent(&spec, changed).await, [true, false]);
}

#[tokio::test]
async fn what_is_known_of_the_rest_of_a_conversation_stays() {
    let (progress, _) = thought_twice().await;
    let spec = spec("You triage with care.", tools());
    let thinker = Arc::<Thinker>::default();
    let mut after = progress.clone();
    next(&spec, &thinker, &mut after).await;
    // The conversation itself keeps them: the old prompt may come back.
    let before = progress.messages().iter();
    assert!(before.eq(after.messages().iter().take(progress.messages().len())));
}

#[tokio::test]
async fn thoughts_stay_behind_where_another_server_is_asked() {
    let (progress, _) = thought_twice().await;
    let spec = spec("You triage.", tools());
    let thinker = Arc::<Thinker>::default();
    next_at("west://test", &spec, &thinker, &mut progress.clone()).await;
    let asked = thinker.0.lock().unwrap();
    assert!(!asked[0].messages.iter().any(|message| {
        matches!(
            message,
            Message::Assistant {
                opaque: Some(_),
                ..
            }
        )
    }));
}
