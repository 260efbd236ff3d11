//! Tool calls that wait for approval, in a version that says otherwise.

use pravah_runtime::{ClientFactory, ScriptedModel, prelude::*};
use serde_json::json;

use crate::{done, refusal, steps, upgraded};

macro_rules! version {
    ($name:ident, [$($tool:ident),*] $(, approve = $approve:tt)?) => {
        mod $name {
            #![allow(dead_code, reason = "no version uses every tool")]

            use pravah_runtime::prelude::*;

            crate::states!(Claim, Closed);

            #[tool]
            /// Pays a customer.
            async fn pay(euros: u32) -> Result<u32, ToolError> {
                Ok(euros)
            }

            #[tool]
            /// Looks something up.
            async fn look() -> Result<(), ToolError> {
                Ok(())
            }

            #[agent(
                model = "openai://m",
                preamble = "",
                output = Closed,
                tools = [$($tool),*],
                $(approve = $approve)?
            )]
            fn settle(claim: &Claim) -> String {
                claim.n.to_string()
            }

            #[flow]
            fn claims(claim: Claim) -> Closed {
                flow! { settle }
            }
        }
    };
}

version! { freely, [pay, look] }
version! { carefully, [pay, look], approve = [pay] }
version! { without, [look] }

fn factory() -> ClientFactory {
    let script = ScriptedModel::new()
        .call("settle", "pay", json!({ "euros": 5 }))
        .reply("settle", json!({ "n": 1 }))
        .for_several_flows();
    ClientFactory::new().with_scripted(script)
}

/// A run that has made these steps: the model has called the tool, then it has run or waits.
async fn after<F: Flow>(input: F, number: usize) -> FlowRuntime<F> {
    let mut run = FlowRuntime::new(input).unwrap().with_factory(factory());
    steps(&mut run, number).await;
    run
}

// S5.23
#[tokio::test]
async fn a_call_that_has_not_run_waits_where_the_new_version_wants_approval() {
    let run = after(freely::Claim { n: 1 }, 1).await;
    let mut run = upgraded::<carefully::Claim, _>(&run).with_factory(factory());
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "settle::pay"));
}

// S5.23
#[tokio::test]
async fn a_question_that_was_asked_is_answered_where_the_new_version_would_not_ask() {
    let run = after(carefully::Claim { n: 1 }, 2).await;
    let mut run = upgraded::<freely::Claim, _>(&run).with_factory(factory());
    let approve = json!({ "verdict": "approve" });
    run.answer(Context::default(), "settle::pay", approve)
        .await
        .unwrap();
    assert_eq!(done(&mut run).await, freely::Closed { n: 1 });
}

// S5.23
#[tokio::test]
async fn a_question_about_a_tool_that_is_gone_is_refused() {
    let run = after(carefully::Claim { n: 1 }, 2).await;
    let why = refusal::<without::Claim, _>(&run);
    assert!(
        why.starts_with("`Claim` waits for its tool `pay`, which it does not have"),
        "{why}"
    );
}
