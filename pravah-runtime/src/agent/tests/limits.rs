//! Limits, usage and failing models.

use serde_json::json;

use super::*;
use crate::{
    error::Limit,
    model::{ScriptedCall, ScriptedTurn, Usage},
};

/// A script that calls a tool for ever, at 15 tokens a time.
fn endless() -> ScriptedModel {
    let usage = Usage {
        input: 10,
        output: 5,
        cached: 4,
        reasoning: 2,
    };
    let arguments = json!({ "email": "a" });
    let turn = ScriptedTurn {
        calls: vec![ScriptedCall {
            tool: "orders".to_owned(),
            arguments,
        }],
        usage: Some(usage),
        ..ScriptedTurn::default()
    };
    (0..50).fold(ScriptedModel::new(), |script, _| {
        script.turn("triage", turn.clone())
    })
}

#[tokio::test]
async fn max_turns_bounds_the_model_calls() {
    let mut agent = Bench::with(endless(), |config| with_tools(config).max_turns(3));
    let error = agent.fail().await;
    assert!(
        matches!(
            error,
            FlowError::Limit {
                limit: Limit::Turns(3),
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "agent `triage` reached its limit: max_turns = 3"
    );
    assert_eq!(agent.progress.turns, 3);
}

#[tokio::test]
async fn visit_tokens_bounds_what_is_used() {
    let mut agent = Bench::with(endless(), |config| with_tools(config).visit_tokens(40));
    let error = agent.fail().await;
    assert!(
        matches!(
            error,
            FlowError::Limit {
                limit: Limit::Tokens(40),
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(
        agent.progress.spent().usage,
        Usage {
            input: 30,
            output: 15,
            cached: 12,
            reasoning: 6
        }
    );
}

#[tokio::test]
async fn a_failing_model_fails_the_step_and_names_the_agent() {
    let agent = Bench::new(ScriptedModel::new().error("triage", "overloaded"));
    let error = agent.try_step().await.unwrap_err();
    let FlowError::Model { node, source } = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        (node.as_str(), source.to_string().as_str()),
        ("triage", "overloaded")
    );
    assert!(!source.is_retryable());
}

// S1.8, S1.10
#[test]
fn a_config_reports_all_its_mistakes() {
    #[derive(Deserialize, JsonSchema)]
    struct Submit {}

    impl Tool for Submit {
        type Output = ();

        fn name() -> &'static str {
            "submit"
        }

        fn description() -> &'static str {
            ""
        }

        async fn call(self, _: Context) -> Result<(), ToolError> {
            Ok(())
        }
    }

    let tools = ToolBox::new()
        .with::<Orders>()
        .with::<Orders>()
        .with::<Submit>();
    let config = AgentConfig::new("", "openai://")
        .with_tools(tools)
        .max_turns(0);
    assert_eq!(
        config.check().unwrap_err(),
        [
            "`openai://` names no model",
            "two tools are called `orders`",
            "a tool may not be called `submit`",
            "`max_turns` is 0: the model would never be asked",
        ]
    );
}
