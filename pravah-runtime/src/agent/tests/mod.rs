//! The steps of an agent, one after another, with scripted answers.

mod bound;
mod limits;
mod structured;
mod suspension;
mod tools;

use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentConfig, AgentProgress, AgentSpec, AgentStep, Model, OutputType, ToolBox, step};
use crate::{
    Context, FlowError, Tool, ToolError,
    graph::Data,
    model::{Message, ModelClient, ModelFuture, ModelRequest, ModelUrl, ScriptedModel, ToolResult},
    state::Live,
};

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Verdict {
    urgent: bool,
    topic: String,
}

/// Records what is asked, and lets a script answer.
struct Recorder {
    script: ScriptedModel,
    asked: Mutex<Vec<ModelRequest>>,
}

impl ModelClient for Recorder {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        self.script.complete(request)
    }
}

/// The names of the tools that ran, in order, as a dependency of the context.
#[derive(Clone, Default)]
struct Ran(Arc<Mutex<Vec<String>>>);

impl Ran {
    fn note(ctx: &Context, name: impl Into<String>) {
        if let Ok(ran) = ctx.dep::<Ran>() {
            ran.0.lock().unwrap().push(name.into());
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// An agent called `triage`, about to be stepped.
struct Bench {
    spec: Arc<AgentSpec>,
    client: Arc<Recorder>,
    ctx: Context,
    ran: Ran,
    progress: AgentProgress,
}

/// The model, where it is asked.
fn model(progress: &AgentProgress, client: Arc<dyn ModelClient>) -> Option<Model> {
    let url = ModelUrl::parse("openai://test").unwrap();
    progress.is_models_turn().then_some(Model {
        url,
        client,
        options: Default::default(),
        asked: vec![progress.spent().requests],
    })
}

impl Bench {
    fn new(script: ScriptedModel) -> Self {
        Self::with(script, |config| config)
    }

    fn with(script: ScriptedModel, set_up: impl FnOnce(AgentConfig) -> AgentConfig) -> Self {
        Self::of::<Verdict>(script, set_up)
    }

    fn of<O: Data>(script: ScriptedModel, set_up: impl FnOnce(AgentConfig) -> AgentConfig) -> Self {
        let config = set_up(AgentConfig::new("You triage.", "openai://test"));
        assert_eq!(config.check(), Ok(()));
        let ran = Ran::default();
        Self {
            spec: Arc::new(AgentSpec::new(
                config,
                OutputType {
                    name: O::schema_name().into_owned(),
                    is_text: false,
                    schema: schemars::schema_for!(O).to_value(),
                    within: Arc::new(Default::default),
                    read: Arc::new(|value| O::deserialize(value).map(Live::new)),
                },
            )),
            client: Arc::new(Recorder {
                script,
                asked: Mutex::default(),
            }),
            ctx: Context::default().with_dep(ran.clone()),
            ran,
            progress: AgentProgress::start(
                crate::Prompt::from("A ticket.").into_messages(),
                "Verdict".into(),
            ),
        }
    }

    /// Takes one step.
    async fn try_step(&self) -> Result<(AgentStep, Arc<AgentProgress>), FlowError> {
        fn is_send<T: Send>(value: T) -> T {
            value
        }
        is_send(step(
            Arc::clone(&self.spec),
            self.progress.clone().into(),
            model(&self.progress, Arc::clone(&self.client) as _),
            watch(),
            self.ctx.clone(),
        ))
        .await
        .map_err(|failed| *failed.error)
    }

    /// Takes one step and commits it, through JSON as a snapshot would.
    async fn step(&mut self) -> AgentStep {
        let (step, progress) = self.try_step().await.unwrap();
        let json = serde_json::to_string(&progress).unwrap();
        self.progress = serde_json::from_str(&json).unwrap();
        assert_eq!(self.progress, *progress);
        step
    }

    /// Hands a payload to the call that waits for it, if there is one.
    fn resume(&mut self, call_id: &str, payload: Value) -> bool {
        let taken = self.progress.resume(call_id, payload, (&self.spec, true));
        taken.unwrap()
    }

    /// Steps until the agent is done.
    async fn finish(&mut self) -> Value {
        for _ in 0..50 {
            match self.step().await {
                AgentStep::Done(output) => {
                    self.assert_answered();
                    return output.to_value().unwrap();
                }
                AgentStep::Asked | AgentStep::Ran => {}
                _ => panic!("it stands"),
            }
        }
        panic!("the agent goes on for ever");
    }

    /// Steps until an error comes.
    async fn fail(&mut self) -> FlowError {
        for _ in 0..50 {
            if let Err(error) = self.try_step().await {
                return error;
            }
            self.step().await;
        }
        panic!("no error came");
    }

    fn asked(&self) -> Vec<ModelRequest> {
        self.client.asked.lock().unwrap().clone()
    }

    fn last_message(&self) -> Message {
        self.progress.messages().last().unwrap().clone()
    }

    fn last_results(&self) -> Vec<ToolResult> {
        match self.last_message() {
            Message::Tool { results } => results,
            other => panic!("{other:?}"),
        }
    }

    /// Every call has one result, in order, under an id of its own.
    fn assert_answered(&self) {
        let messages = self.progress.messages();
        let mut seen = std::collections::BTreeSet::new();
        for (i, message) in messages.iter().enumerate() {
            let Message::Assistant { calls, .. } = message else {
                continue;
            };
            assert!(calls.iter().all(|call| seen.insert(&call.id)), "{calls:?}");
            let results = match messages.get(i + 1) {
                Some(Message::Tool { results }) => results.as_slice(),
                _ => &[],
            };
            let asked: Vec<_> = calls.iter().map(|call| &call.id).collect();
            let answered: Vec<_> = results.iter().map(|result| &result.call_id).collect();
            assert_eq!(asked, answered);
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Orders {
    email: String,
}

impl Tool for Orders {
    type Output = Vec<String>;

    fn name() -> &'static str {
        "orders"
    }

    fn description() -> &'static str {
        "Looks up orders."
    }

    async fn call(self, ctx: Context) -> Result<Vec<String>, ToolError> {
        Ran::note(&ctx, format!("orders {}", self.email));
        Ok(vec!["a lamp".to_owned()])
    }
}

/// Asks somebody before it does anything; asks twice for large amounts.
#[derive(Deserialize, JsonSchema)]
struct Refund {
    amount: u32,
}

impl Tool for Refund {
    type Output = String;

    fn name() -> &'static str {
        "refund"
    }

    fn description() -> &'static str {
        "Refunds."
    }

    async fn call(self, ctx: Context) -> Result<String, ToolError> {
        Ran::note(&ctx, format!("refund {}", self.amount));
        match ctx.resumed::<String>()?.as_deref() {
            None => Err(ToolError::suspend(format!("refund {}?", self.amount))),
            Some("sure") => Err(ToolError::suspend("really?")),
            Some(answer) => Ok(format!("{answer} {}", self.amount)),
        }
    }
}

/// Fails in the way that its argument names.
#[derive(Deserialize, JsonSchema)]
struct Fail {
    how: String,
}

impl Tool for Fail {
    type Output = ();

    fn name() -> &'static str {
        "fail"
    }

    fn description() -> &'static str {
        "Fails."
    }

    async fn call(self, ctx: Context) -> Result<(), ToolError> {
        Err(match self.how.as_str() {
            "fatal" => ToolError::fatal("the database is gone"),
            "message" => "no customer of this name".into(),
            "escape" => match ctx.resolve("../secret") {
                Err(error) => error,
                Ok(_) => panic!("resolved"),
            },
            _ => ToolError::other(std::fmt::Error),
        })
    }
}

fn with_tools(config: AgentConfig) -> AgentConfig {
    config.with_tools(
        ToolBox::new()
            .with::<Orders>()
            .with::<Refund>()
            .with::<Fail>(),
    )
}

fn watch() -> crate::events::Watch {
    crate::events::Watch::nobody("triage".into())
}
