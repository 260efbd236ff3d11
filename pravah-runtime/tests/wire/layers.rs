//! The options of run, agent, server and factory: which comes first, for each option and each pair.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use pravah_runtime::{
    Arguments, Effort, ModelClient, ModelFuture, ModelOptions, ModelRequest, ModelResponse,
    Server as Remote, ToolCall, ToolChoice, prelude::*,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Who sets options, the first to be heard first.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Layer {
    Run,
    Agent,
    Server,
    Factory,
}

use Layer::{Agent as OfAgent, Factory as OfFactory, Run as OfRun, Server as OfServer};

const LAYERS: [Layer; 4] = [OfRun, OfAgent, OfServer, OfFactory];

const OPTIONS: [&str; 11] = [
    "tool_choice",
    "max_tokens",
    "reasoning",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "metadata",
    "timeout",
    "prompt_cache",
    "extra",
];

/// One option, with a value that shows who set it.
fn set(option: &str, by: Layer) -> ModelOptions {
    let options = ModelOptions::new();
    let number = by as u8 + 1;
    let is_odd = number % 2 == 1;
    let own = format!("own of {by:?}");
    match option {
        "tool_choice" => options.tool_choice(match is_odd {
            true => ToolChoice::Auto,
            false => ToolChoice::Required,
        }),
        "max_tokens" => options.max_tokens(number.into()),
        "reasoning" => match by {
            OfRun => options.reasoning(Effort::Low),
            OfAgent => options.reasoning(2_000),
            OfServer => options.reasoning(Effort::High),
            OfFactory => options.reasoning(3_000),
        },
        "temperature" => options.temperature(f64::from(number) / 8.0),
        "top_p" => options.top_p(f64::from(number) / 8.0),
        "seed" => options.seed(number.into()),
        "stop" => options.stop(own),
        "metadata" => options
            .metadata("shared", format!("{by:?}"))
            .metadata(own, "yes"),
        "timeout" => options.timeout(Duration::from_secs(number.into())),
        "prompt_cache" => options.prompt_cache(is_odd),
        "extra" => options.extra("flat", number).extra(
            "nested",
            json!({ "shared": number, "list": [number], "deeper": { own: number } }),
        ),
        other => panic!("{other}"),
    }
}

/// What is to come of an option that both set.
fn taken_together(option: &str, first: Layer, second: Layer) -> ModelOptions {
    let mut options = set(option, first);
    match option {
        "metadata" => options.metadata(format!("own of {second:?}"), "yes"),
        "extra" => {
            let deeper = &mut options.extra["nested"]["deeper"];
            deeper[format!("own of {second:?}")] = json!(second as u8 + 1);
            options
        }
        _ => options,
    }
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Answer {}

/// Keeps what it is asked with.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Option<ModelOptions>>>);

impl ModelClient for Asked {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        *self.0.lock().unwrap() = Some(request.options.clone());
        let answer = Arguments::Json(json!({}));
        let answer = ModelResponse::calls([ToolCall::new("c", "submit", answer)]);
        Box::pin(async { Ok(answer) })
    }
}

/// Looks things up.
#[tool]
async fn look(what: String) -> Result<String, ToolError> {
    Ok(what)
}

async fn sent<F: Flow>(flow: F, of: impl Fn(Layer) -> ModelOptions) -> ModelOptions {
    let asked = Asked::default();
    let server = Remote::openai_compatible("http://127.0.0.1:1").options(of(OfServer));
    let factory = ClientFactory::new()
        .with_client(Arc::new(asked.clone()))
        .with_server("acme", server)
        .with_options(of(OfFactory));
    let run = FlowRuntime::new(flow).unwrap().with_factory(factory);
    let mut run = run.with_options(F::node_id(), of(OfRun)).unwrap();
    run.run(Context::default()).await.unwrap();
    asked.0.lock().unwrap().take().unwrap()
}

macro_rules! agents {
    ($($name:ident: $options:expr,)*) => {$(
        #[derive(Clone, Serialize, Deserialize, JsonSchema)]
        struct $name {}

        impl Agent for $name {
            type Output = Answer;

            fn build() -> AgentConfig {
                AgentConfig::new("You answer.", "acme://m")
                    .with_tools(ToolBox::new().with::<look>())
                    .with_options($options)
            }
        }

        impl Flow for $name {
            type Output = Answer;

            fn build() -> Result<FlowGraph, FlowError> {
                FlowGraph::builder().agent::<Self>().build()
            }
        }
    )*};
}

agents! {
    Plain: ModelOptions::new(),
    WithToolChoice: set("tool_choice", OfAgent),
    WithMaxTokens: set("max_tokens", OfAgent),
    WithReasoning: set("reasoning", OfAgent),
    WithTemperature: set("temperature", OfAgent),
    WithTopP: set("top_p", OfAgent),
    WithSeed: set("seed", OfAgent),
    WithStop: set("stop", OfAgent),
    WithMetadata: set("metadata", OfAgent),
    WithTimeout: set("timeout", OfAgent),
    WithPromptCache: set("prompt_cache", OfAgent),
    WithExtra: set("extra", OfAgent),
}

/// What is sent where exactly these set an option.
async fn sent_by(option: &str, who: &[Layer]) -> ModelOptions {
    let of = |layer: Layer| match who.contains(&layer) {
        true => set(option, layer),
        false => ModelOptions::new(),
    };
    if !who.contains(&OfAgent) {
        return sent(Plain {}, of).await;
    }
    match option {
        "tool_choice" => sent(WithToolChoice {}, of).await,
        "max_tokens" => sent(WithMaxTokens {}, of).await,
        "reasoning" => sent(WithReasoning {}, of).await,
        "temperature" => sent(WithTemperature {}, of).await,
        "top_p" => sent(WithTopP {}, of).await,
        "seed" => sent(WithSeed {}, of).await,
        "stop" => sent(WithStop {}, of).await,
        "metadata" => sent(WithMetadata {}, of).await,
        "timeout" => sent(WithTimeout {}, of).await,
        "prompt_cache" => sent(WithPromptCache {}, of).await,
        "extra" => sent(WithExtra {}, of).await,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn each_option_is_taken_from_whoever_comes_first() {
    for option in OPTIONS {
        for first in LAYERS {
            assert_eq!(sent_by(option, &[first]).await, set(option, first));
            for second in LAYERS.into_iter().filter(|second| *second > first) {
                assert_eq!(
                    sent_by(option, &[first, second]).await,
                    taken_together(option, first, second),
                    "{option} of {first:?} and {second:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn an_option_of_one_does_not_hide_the_other_options_of_another() {
    for option in OPTIONS {
        for other in OPTIONS.into_iter().filter(|other| *other != option) {
            let options = sent(Plain {}, |layer| match layer {
                OfRun => set(option, OfRun),
                OfFactory => set(other, OfFactory),
                _ => ModelOptions::new(),
            });
            let both = set(option, OfRun).or(&set(other, OfFactory));
            assert_eq!(options.await, both);
            assert_ne!(both, set(option, OfRun));
        }
    }
}
