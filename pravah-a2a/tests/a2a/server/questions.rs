//! Questions of agents, and answers.

use super::{for_task, send, task};
use crate::support::{message, serve, serve_agents};
use pravah_runtime::{invocation::AgentRegistry, prelude::*};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_in_the_order_of_what_was_said() {
    #[state]
    struct Start {
        name: String,
    }
    #[state]
    struct First {
        text: String,
    }
    #[state]
    struct Second {
        text: String,
    }
    #[gate(prompt = "one?")]
    fn one(_start: &Start, text: String) -> First {
        First { text }
    }
    #[gate(prompt = "two?")]
    fn two(first: &First, text: String) -> Second {
        let text = format!("{} {text}", first.text);
        Second { text }
    }
    #[flow]
    fn twice(start: Start) -> Second {
        flow! { one -> two }
    }

    let served = serve_agents(AgentRegistry::new().with_agent::<twice>(), |it| it).await;
    for n in 0..20 {
        let start = message(&format!("{n}"), json!({ "data": { "name": "x" } }));
        let mut asked = task(&served, "twice", start).await;
        for answer in ["A1", "A2"] {
            let message = message(&format!("{n} {answer}"), json!({ "text": answer }));
            asked = task(&served, "twice", for_task(message, &asked)).await;
        }
        let texts = asked["history"].as_array().unwrap().iter();
        let texts: Vec<&str> = texts
            .filter_map(|it| it["parts"][0]["text"].as_str())
            .collect();
        assert_eq!(texts, ["one?", "A1", "two?", "A2"]);
    }
}

#[tokio::test]
async fn a_question_is_answered_with_data_a_text_or_json_in_a_text() {
    let served = serve().await;
    for (id, part) in [
        ("a", json!({ "data": true })),
        ("b", json!({ "text": "true" })),
    ] {
        let draft = message(id, json!({ "data": { "topic": "trains" } }));
        let asked = task(&served, "publish", draft).await;
        assert_eq!(asked["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
        let question = &asked["status"]["message"];
        assert_eq!(question["parts"][0]["text"], "Publish trains?");
        assert_eq!(question["parts"][1]["data"]["prompt"], "Publish trains?");

        let busy = send(
            &served,
            "publish",
            for_task(message("no", json!({ "text": "perhaps" })), &asked),
        )
        .await;
        assert_eq!(busy["error"]["code"], -32602, "{busy}");
        let mut elsewhere = for_task(message("no", part.clone()), &asked);
        elsewhere["message"]["contextId"] = json!("another");
        assert_eq!(
            send(&served, "publish", elsewhere).await["error"]["code"],
            -32602
        );

        let answer = for_task(message("yes", part), &asked);
        let done = task(&served, "publish", answer.clone()).await;
        assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
        assert_eq!(
            done["artifacts"][0]["parts"][0]["data"],
            json!({ "published": true })
        );
        let roles = done["history"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["role"]);
        assert_eq!(
            roles.collect::<Vec<_>>(),
            ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"]
        );

        let again = task(&served, "publish", answer).await;
        assert_eq!(again, done, "it was sent twice");
        let late = send(
            &served,
            "publish",
            for_task(message("late", json!({ "text": "no" })), &asked),
        )
        .await;
        assert_eq!(late["error"]["code"], -32004, "{late}");
    }
}

#[tokio::test]
async fn questions_that_are_open_at_the_same_time_are_asked_one_after_the_other() {
    #[state]
    struct Plan {
        name: String,
    }
    #[state]
    struct Cost {
        cents: u32,
    }
    #[state]
    struct Day {
        name: String,
    }
    #[state]
    struct Booked {
        text: String,
    }
    #[gate(prompt = "What may it cost?")]
    fn cost(_plan: &Plan, cents: u32) -> Cost {
        Cost { cents }
    }
    #[gate(prompt = "On which day?")]
    fn day(_plan: &Plan, name: String) -> Day {
        Day { name }
    }
    #[node]
    fn book(cost: Cost, day: Day) -> Booked {
        let text = format!("{} for {} cents", day.name, cost.cents);
        Booked { text }
    }
    #[flow]
    fn booking(plan: Plan) -> Booked {
        flow! { fork(cost, day) -> join(book) }
    }

    let served = serve_agents(AgentRegistry::new().with_agent::<booking>(), |it| it).await;
    let plan = message("m", json!({ "data": { "name": "Benin" } }));
    let mut asked = task(&served, "booking", plan).await;
    let mut questions = Vec::new();
    for index in 0..2 {
        let question = asked["status"]["message"]["parts"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned();
        let text = match question.as_str() {
            "What may it cost?" => "12",
            _ => "7", // a text, although it is JSON as well
        };
        questions.push(question);
        let answer = message(&format!("answer {index}"), json!({ "text": text }));
        asked = task(&served, "booking", for_task(answer, &asked)).await;
    }
    questions.sort();
    assert_eq!(questions, ["On which day?", "What may it cost?"]);
    let expected = json!({ "text": "7 for 12 cents" });
    assert_eq!(
        asked["artifacts"][0]["parts"][0]["data"], expected,
        "{asked}"
    );
}

#[tokio::test]
async fn a_question_says_by_when_it_has_to_be_answered() {
    #[state]
    struct Draft {
        topic: String,
    }
    #[state]
    struct Decided {
        published: bool,
    }
    #[gate(prompt = "Publish?", timeout = "24h")]
    fn approve(_draft: &Draft, yes: bool) -> Decided {
        Decided { published: yes }
    }
    #[flow]
    fn release(draft: Draft) -> Decided {
        flow! { approve }
    }

    let agents = AgentRegistry::new().with_agent::<release>();
    let served = serve_agents(agents, |it| it).await;
    let runner = pravah_a2a::A2aRunner::new().with_agent("release", &served.url);
    let here = AgentRegistry::new()
        .with_runner(runner)
        .with_remote_agent("release", "a2a");
    let mut run = crate::support::invoke(&here, "release", json!({ "topic": "trains" }));
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { .. }), "{out:?}");
    let until = run.suspensions()[0].until.unwrap();
    let left = until.duration_since(std::time::SystemTime::now()).unwrap();
    assert!(left.as_secs() / 3_600 == 23, "{left:?}");
}
