//! Which tools wait, and in which places of a flow.

use pravah_runtime::prelude::*;
use serde_json::json;

use super::{Claim, Done, Letter, approve, clerk, look};
use crate::macros_support::{output, restart, suspended};

macro_rules! agent {
    ($input:ident, $agent:ident, $flow:ident, [$($tool:ident),*], $approve:tt) => {
        #[state]
        struct $input {}

        #[agent(
            model = "openai://m",
            preamble = "",
            output = Letter,
            tools = [$($tool),*],
            approve = $approve,
        )]
        fn $agent(_: &$input) -> String {
            String::new()
        }

        #[flow]
        fn $flow(input: $input) -> Letter {
            flow! { $agent }
        }
    };
}

/// Deletes an account.
#[tool(destructive)]
async fn delete(ctx: Context) -> Result<(), ToolError> {
    Done::note(&ctx, "delete")
}

agent!(Careful, careful, carefully, [look, delete], destructive);
agent!(Strict, strict, strictly, [look, delete], all);
agent!(Named, named, by_name, [look, delete], [look]);

async fn asked_about<F: Flow>(input: F, agent: &str) -> Vec<String> {
    let calls = [("look", json!({ "order": 1 })), ("delete", json!(null))];
    let script = ScriptedModel::new().calls(agent, calls);
    let run = FlowRuntime::new(input).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    suspended(run.run(Done::default().ctx()).await);
    let questions = run.suspensions().into_iter();
    let questions = questions.map(|it| serde_json::from_value(it.value).unwrap());
    questions.map(|it: ApprovalQuestion| it.tool).collect()
}

// S5.23
#[tokio::test]
async fn an_agent_says_which_of_its_tools_wait() {
    assert_eq!(asked_about(Careful {}, "careful").await, ["delete"]);
    assert_eq!(asked_about(Strict {}, "strict").await, ["look", "delete"]);
    assert_eq!(asked_about(Named {}, "named").await, ["look"]);
}

#[state]
struct Claims {
    texts: Vec<String>,
}

#[node]
fn open(claims: Claims) -> Each<Claim> {
    let claims = claims.texts.into_iter().map(|text| Claim { text });
    claims.collect()
}

#[node]
fn file(letters: Each<Letter>) -> Filed {
    Filed {
        number: letters.len(),
    }
}

#[state]
struct Filed {
    number: usize,
}

#[flow]
fn desk(claims: Claims) -> Filed {
    flow! { open -> each(clerk) -> file }
}

// S5.23
#[tokio::test]
async fn the_items_of_a_list_ask_each_for_itself() {
    let done = Done::default();
    let script = ScriptedModel::new()
        .call("clerk", "pay", json!({ "euros": 1 }))
        .reply("clerk", json!({ "text": "" }));
    let claims = Claims {
        texts: vec!["late".into(), "broken".into()],
    };
    let factory = ClientFactory::new().with_scripted(script);
    let mut run = FlowRuntime::new(claims)
        .unwrap()
        .with_factory(factory.clone());
    suspended(run.run(done.ctx()).await);
    let mut run = restart(&run).with_factory(factory);
    let open = run.suspensions();
    assert_eq!(open[1].value["state"]["text"], "broken");
    assert_eq!(open[1].tool_id, "clerk::pay[1]");
    let reject = json!({ "verdict": "reject" });
    run.answer(done.ctx(), &open[1].tool_id, reject)
        .await
        .unwrap();
    run.answer(done.ctx(), &open[0].tool_id, approve())
        .await
        .unwrap();
    assert_eq!(output(run.run(done.ctx()).await).number, 2);
    assert_eq!(done.take(), ["pay 1"]);
}
