//! `#[agent]`: models, limits, tools.

use std::sync::Arc;

use pravah_runtime::{Limit, ModelClient, ScriptedTurn, Usage, prelude::*};
use serde_json::json;

use crate::macros_support::{Recorder, output, restart, suspended};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    text: String,
}

fn answers(node: &str) -> Recorder {
    Recorder::new(ScriptedModel::new().reply(node, json!({ "text": "yes" })))
}

async fn ask<F: Flow<Output = Answer>>(input: F, model: &Recorder) -> Answer {
    let run = FlowRuntime::new(input).unwrap();
    output(
        run.with_factory(model.factory())
            .run(Context::default())
            .await,
    )
}

mod models {
    use super::*;

    #[state]
    struct Custom {}

    #[agent(model = custom("acme://m1"), preamble = "", output = Answer)]
    fn of_acme(_: &Custom) -> String {
        "hi".into()
    }

    #[flow]
    fn custom_scheme(input: Custom) -> Answer {
        flow! { of_acme }
    }

    #[tokio::test]
    async fn a_model_may_have_a_scheme_that_is_registered() {
        let script = ScriptedModel::new().reply("of_acme", json!({ "text": "from acme" }));
        let factory = ClientFactory::new().register("acme", move |url| {
            assert_eq!(url.model(), "m1");
            Ok(Arc::new(script.clone()) as Arc<dyn ModelClient>)
        });
        let mut run = FlowRuntime::new(Custom {}).unwrap().with_factory(factory);
        assert_eq!(output(run.run(Context::default()).await).text, "from acme");
    }

    #[state]
    struct Computed {}

    const PREAMBLE: &str = "From a constant.";

    fn model() -> String {
        format!("openai://gpt-{}", 4)
    }

    #[agent(model = model(), preamble = PREAMBLE, output = Answer)]
    fn computed(_: Computed) -> String {
        String::new()
    }

    #[flow]
    fn expression(input: Computed) -> Answer {
        flow! { computed }
    }

    #[tokio::test]
    async fn model_and_preamble_may_be_expressions() {
        let model = answers("computed");
        ask(Computed {}, &model).await;
        assert_eq!(model.asked()[0].model, "gpt-4");
        assert_eq!(model.asked()[0].system, "From a constant.");
    }

    #[tokio::test]
    async fn a_model_is_swapped_for_one_run() {
        let model = answers("computed");
        let run = FlowRuntime::new(Computed {})
            .unwrap()
            .with_factory(model.factory());
        let mut run = run
            .with_model("computed", "ollama://localhost:11434/llama3")
            .unwrap();
        output(run.run(Context::default()).await);
        assert_eq!(model.asked()[0].model, "llama3");
    }
}

mod limits {
    use super::*;

    #[state]
    struct Turns {}

    /// Pings.
    #[tool]
    async fn ping() -> Result<String, ToolError> {
        Ok("pong".into())
    }

    #[agent(model = "openai://m", preamble = "", output = Answer, tools = [ping], max_turns = 2)]
    fn turner(_: &Turns) -> String {
        String::new()
    }

    #[flow]
    fn turning(input: Turns) -> Answer {
        flow! { turner }
    }

    #[tokio::test]
    async fn an_agent_stops_at_its_turns() {
        let mut script = ScriptedModel::new();
        for _ in 0..3 {
            script = script.call("turner", "ping", json!({}));
        }
        let model = Recorder::new(script);
        let mut run = FlowRuntime::new(Turns {})
            .unwrap()
            .with_factory(model.factory());
        let error = run.run(Context::default()).await.unwrap_err();
        assert!(
            matches!(&error, FlowError::Limit { node, limit: Limit::Turns(2), .. } if node == "turner"),
            "{error}"
        );
        assert_eq!(model.asked().len(), 2);
    }

    #[state]
    struct Tokens {}

    #[agent(model = "openai://m", preamble = "", output = Answer, visit_tokens = 10, max_repairs = 5)]
    fn spender(_: &Tokens) -> String {
        String::new()
    }

    #[flow]
    fn spending(input: Tokens) -> Answer {
        flow! { spender }
    }

    #[tokio::test]
    async fn an_agent_stops_at_its_tokens() {
        let turn = ScriptedTurn::text("no JSON").with_usage(Usage::new(6, 6));
        let model = Recorder::new(
            ScriptedModel::new()
                .turn("spender", turn.clone())
                .turn("spender", turn),
        );
        let mut run = FlowRuntime::new(Tokens {})
            .unwrap()
            .with_factory(model.factory());
        let error = run.run(Context::default()).await.unwrap_err();
        assert!(
            matches!(
                &error,
                FlowError::Limit {
                    limit: Limit::Tokens(10),
                    ..
                }
            ),
            "{error}"
        );
        assert_eq!(model.asked().len(), 1);
    }

    #[state]
    struct Repairs {}

    #[agent(model = "openai://m", preamble = "", output = Answer, max_repairs = 1)]
    fn repairer(_: &Repairs) -> String {
        String::new()
    }

    #[flow]
    fn repairing(input: Repairs) -> Answer {
        flow! { repairer }
    }

    #[tokio::test]
    async fn an_agent_is_told_what_was_wrong_as_often_as_it_says() {
        let wrong = ScriptedModel::new()
            .text("repairer", "a")
            .text("repairer", "b");
        let model = Recorder::new(wrong);
        let mut run = FlowRuntime::new(Repairs {})
            .unwrap()
            .with_factory(model.factory());
        let error = run.run(Context::default()).await.unwrap_err();
        assert!(matches!(&error, FlowError::AgentError(_)), "{error}");
        assert_eq!(model.asked().len(), 2);
    }
}

mod tools {
    use super::*;

    #[state]
    struct Input {
        n: u32,
    }

    /// Asks a person.
    #[tool]
    async fn approve(
        /// What it is about.
        about: String,
        ctx: Context,
    ) -> Result<String, ToolError> {
        match ctx.resumed::<bool>()? {
            None => Err(ToolError::suspend(json!({ "approve": about }))),
            Some(yes) => Ok(format!("{about}: {yes}")),
        }
    }

    #[agent(model = "openai://m", preamble = "", output = Answer, tools = [approve])]
    fn clerk(input: &Input) -> String {
        input.n.to_string()
    }

    #[flow]
    fn asking(input: Input) -> Answer {
        flow! { clerk }
    }

    // S1.11, S1.16, S1.27, S1.31
    #[tokio::test]
    async fn a_tool_suspends_and_is_resumed_in_another_process() {
        let script = ScriptedModel::new()
            .call("clerk", "approve", json!({ "about": "rain" }))
            .reply("clerk", json!({ "text": "done" }));
        let model = Recorder::new(script);
        let ctx = Context::default();
        let mut run = FlowRuntime::new(Input { n: 1 })
            .unwrap()
            .with_factory(model.factory());
        let (id, asked) = suspended(run.run(ctx.clone()).await);
        assert_eq!(
            (&*id, asked),
            ("clerk::approve", json!({ "approve": "rain" }))
        );
        let mut run = restart(&run).with_factory(model.factory());
        run.resume(ctx.clone(), (id, true)).await.unwrap();
        assert_eq!(output(run.run(ctx).await).text, "done");
        let results = model.results();
        assert_eq!(results.len(), 1);
        assert!(results[0].text.contains("rain: true"), "{results:?}");
    }
}
