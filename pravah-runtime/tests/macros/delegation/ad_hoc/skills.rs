//! Skills: agents that read the conversation.

use pravah_runtime::prelude::*;
use serde_json::json;

use super::{
    super::{of, text},
    finish, run_by,
};

// A20, S2.30
#[tokio::test]
async fn a_skill_reads_the_conversation_unless_it_is_to_know_nothing() {
    for (context, expected) in [(None, 2), (Some("inherited"), 2), (Some("independent"), 1)] {
        let mut call = json!({ "skill": "summary", "prompt": "Sum up." });
        if let Some(context) = context {
            call["context"] = json!(context);
        }
        let script = ScriptedModel::new()
            .call("lead", "run_skill", call)
            .reply("summary", text("Short."))
            .call("lead", "submit", text("Done."));
        let (run, model) = run_by(script);
        finish(run).await;
        let asked = model.asked();
        let skill = of(&asked, "summary").remove(0);
        assert_eq!(skill.system, "You sum up.");
        assert_eq!(skill.messages.len(), expected, "{context:?}");
        assert_eq!(
            skill.messages.last().unwrap().user_text().unwrap(),
            "Sum up."
        );
        assert_eq!(&*model.results()[0].text, r#"{"text":"Short."}"#);
    }
}

#[tokio::test]
async fn calls_of_skills_that_there_are_not_are_explained_to_the_model() {
    for (arguments, expected) in [
        (
            json!({ "skill": "researcher", "prompt": "x" }),
            "there is no skill `researcher`",
        ),
        (
            json!({ "skill": "summary", "prompt": "" }),
            "the prompt is empty",
        ),
        (
            json!({ "skill": "summary", "prompt": "x", "context": "shared" }),
            "`inherited` or `independent`",
        ),
        (json!({ "skill": "summary" }), "prompt"),
    ] {
        let script = ScriptedModel::new()
            .call("lead", "run_skill", arguments.clone())
            .call("lead", "submit", text("Done."));
        let (run, model) = run_by(script);
        finish(run).await;
        let result = &model.results()[0];
        assert!(result.is_error, "{arguments}");
        assert!(
            result.text.contains(expected),
            "{arguments}: {}",
            result.text
        );
    }
}
