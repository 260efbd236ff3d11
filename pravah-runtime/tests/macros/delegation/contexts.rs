//! What agents that are called know of the conversation, and which tools of the caller they have.

use pravah_runtime::{Message, ModelRequest, Part, prelude::*};
use serde_json::{Value, json};

use super::{Finding, Question, Report, ctx, of, question, text};
use crate::macros_support::{Recorder, output, restart};

/// Searches.
#[tool]
async fn search(text: String) -> Result<String, ToolError> {
    Ok(format!("found {text}"))
}

/// Pays.
#[tool(destructive)]
async fn pay(euros: u32) -> Result<String, ToolError> {
    Ok(format!("paid {euros}"))
}

/// Notes something of the researcher's own.
#[tool]
async fn note(text: String) -> Result<String, ToolError> {
    Ok(text)
}

/// You look things up.
#[agent(model = "openai://m", output = Finding, tools = [note])]
fn researcher(question: &Question) -> String {
    question.text.clone()
}

/// You write in another way.
#[agent(model = "openai://m", output = Report, tools = [note])]
fn writer(question: &Question) -> String {
    question.text.clone()
}

macro_rules! leads {
    ($($name:ident $flow:ident ($agents:tt, $($delegation:tt)*);)*) => {$(
        /// You write reports.
        #[agent(
            model = "openai://m",
            output = Report,
            tools = [search, pay],
            approve = destructive,
            agents = $agents,
            delegation($($delegation)*),
        )]
        fn $name(question: &Question) -> String {
            question.text.clone()
        }

        #[flow(named)]
        fn $flow(question: Question) -> Report {
            flow! { $name }
        }
    )*};
}

leads! {
    all all_tools ([researcher], tools = inherit);
    some some_tools ([researcher], tools = [search]);
    none no_tools ([researcher], tools = none);
    heir inheriting ([researcher], context = inherited);
    either choosing ([researcher], context = [inherited, independent]);
    host handing_over ([writer], context = [independent, shared]);
}

/// The request of the agent that `flow` calls once, after a search.
async fn called_by<F: pravah_runtime::FlowDef<Output = Report>>(
    run: FlowRuntime<F>,
    caller: &str,
    arguments: Value,
) -> (ModelRequest, Recorder) {
    let script = ScriptedModel::new()
        .call(caller, "search", json!({ "text": "trains" }))
        .calls(
            caller,
            [
                ("call_agent", arguments),
                ("search", json!({ "text": "buses" })),
            ],
        )
        .call("researcher", "submit", text("Found."))
        .call(caller, "submit", text("Done."));
    let model = Recorder::new(script);
    let mut run = run.with_factory(model.factory());
    loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Continue => run = restart(&run).with_factory(model.factory()),
            out => break assert_eq!(output(Ok(out)).text, "Done."),
        }
    }
    let request = of(&model.asked(), "researcher").remove(0).clone();
    (request, model)
}

fn tools(request: &ModelRequest) -> Vec<&str> {
    request.tools.iter().map(|tool| &*tool.name).collect()
}

fn told() -> Value {
    super::told("researcher", "Look.")
}

/// What was said, in short.
fn said(request: &ModelRequest) -> Vec<String> {
    let messages = request.messages.iter();
    let brief = messages.map(|message| match message {
        Message::User { parts, .. } => match &parts[0] {
            Part::Text(text) => format!("user: {}", &**text),
            _ => "user".to_owned(),
        },
        Message::Assistant { calls, .. } => {
            let names: Vec<&str> = calls.iter().map(|call| &*call.name).collect();
            format!("calls: {}", names.join(", "))
        }
        Message::Tool { results, .. } => format!("result: {}", &*results[0].text),
        _ => "?".to_owned(),
    });
    brief.collect()
}

// A16, S2.18
#[tokio::test]
async fn the_agents_have_the_tools_of_the_caller_that_its_policy_says_beside_their_own() {
    let run = all_tools::start(question()).unwrap();
    let (request, _) = called_by(run, "all", told()).await;
    assert_eq!(tools(&request), ["note", "search", "pay", "submit"]);
    let run = some_tools::start(question()).unwrap();
    let (request, _) = called_by(run, "some", told()).await;
    assert_eq!(tools(&request), ["note", "search", "submit"]);
    let run = no_tools::start(question()).unwrap();
    let (request, _) = called_by(run, "none", told()).await;
    assert_eq!(tools(&request), ["note", "submit"]);
}

#[tokio::test]
async fn a_tool_that_waits_for_approval_at_the_caller_waits_for_it_at_the_agent_too() {
    let script = ScriptedModel::new().call("all", "call_agent", told()).call(
        "researcher",
        "pay",
        json!({ "euros": 7 }),
    );
    let run = all_tools::start(question()).unwrap();
    let mut run = run.with_factory(Recorder::new(script).factory());
    let (id, _) = crate::macros_support::suspended(run.run(ctx()).await);
    assert_eq!(id, "researcher::pay[0]");
}

// A14, S2.5
#[tokio::test]
async fn an_agent_that_inherits_reads_what_was_said_before_without_calls_that_have_no_result() {
    let run = inheriting::start(question()).unwrap();
    let (request, model) = called_by(run, "heir", told()).await;
    assert_eq!(request.system, "You look things up.");
    let before = [
        "user: Which trains go to Benin?",
        "calls: search",
        "result: found trains",
        "user: Look.",
    ];
    assert_eq!(said(&request), before);
    let asked = model.asked();
    assert!(!asked[0].tools[2].parameters.to_string().contains("context"));
}

#[tokio::test]
async fn of_several_contexts_the_model_chooses() {
    for (context, messages) in [
        (json!("independent"), 1),
        (json!("inherited"), 4),
        (json!(null), 1),
    ] {
        let mut arguments = told();
        arguments["context"] = context;
        let run = choosing::start(question()).unwrap();
        let (request, model) = called_by(run, "either", arguments).await;
        assert_eq!(request.messages.len(), messages);
        let parameters = &model.asked()[0].tools[2].parameters;
        let contexts = &parameters["properties"]["context"]["enum"];
        assert_eq!(*contexts, json!(["independent", "inherited"]));
    }
}

/// A run in which an agent takes over after a search.
fn taking_over(
    ends: impl FnOnce(ScriptedModel) -> ScriptedModel,
) -> (FlowRuntime<handing_over>, Recorder) {
    let mut arguments = super::told("writer", "Take over.");
    arguments["context"] = json!("shared");
    let script = ScriptedModel::new()
        .call("host", "search", json!({ "text": "trains" }))
        .call("host", "call_agent", arguments);
    let model = Recorder::new(ends(script));
    let run = handing_over::start(question()).unwrap();
    (run.with_factory(model.factory()), model)
}

// A15, S2.5, S2.26
#[tokio::test]
async fn an_agent_that_takes_over_answers_for_the_caller_whose_model_is_asked_no_more() {
    let (mut run, model) =
        taking_over(|script| script.call("writer", "submit", text("By the writer.")));
    let report = loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Continue => run = restart(&run).with_factory(model.factory()),
            out => break output(Ok(out)),
        }
    };
    assert_eq!(report.text, "By the writer.");
    let asked = model.asked();
    assert_eq!(of(&asked, "host").len(), 2);
    assert_eq!(said(of(&asked, "writer")[0]).len(), 4);
    assert_eq!(
        run.last_step().unwrap().to_string(),
        "6. host (tools) -> Report"
    );
}

#[tokio::test]
async fn where_an_agent_that_has_taken_over_fails_so_does_the_caller() {
    let (mut run, _) = taking_over(|script| {
        let wrong = |script: ScriptedModel| script.call("writer", "submit", json!(7));
        wrong(wrong(wrong(script)))
    });
    let error = run.run(ctx()).await.unwrap_err().to_string();
    assert!(
        error.starts_with("node `host` failed: the call failed: "),
        "{error}"
    );
}

#[tokio::test]
async fn an_agent_takes_over_with_the_only_call_of_an_answer() {
    let mut arguments = super::told("writer", "Take over.");
    arguments["context"] = json!("shared");
    let script = ScriptedModel::new()
        .calls(
            "host",
            [
                ("call_agent", arguments),
                ("search", json!({ "text": "trains" })),
            ],
        )
        .call("host", "submit", text("By the host."));
    let model = Recorder::new(script);
    let mut run = handing_over::start(question())
        .unwrap()
        .with_factory(model.factory());
    assert_eq!(output(run.run(ctx()).await).text, "By the host.");
    let result = model.results().remove(0);
    assert!(
        result.is_error && result.text.starts_with("not called: "),
        "{}",
        &*result.text
    );
}
