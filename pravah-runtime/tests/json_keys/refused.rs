//! What has such a key and comes from outside.

use pravah_runtime::{ContractError, Envelope, Message, prelude::*};
use serde_json::{Value, json};

use crate::{
    RAW, Ticket, asking, bomb, flat_bomb, headers,
    macros_support::{Recorder, output, restart, suspended},
    office, on_a_small_stack, writing,
};

const KEY: &str = "JSON with a key that starts with `$serde_json::private::`";

fn hidden() -> Vec<Value> {
    vec![
        json!({ RAW: "1" }),
        json!({ "A": 1, RAW: "[[[" }),
        json!([{ "a": { RAW: "{}" } }]),
        json!({ "$serde_json::private::Number": "1" }),
        flat_bomb(),
    ]
}

#[test]
fn an_output_goes_back_to_the_model() {
    on_a_small_stack(async || {
        for hidden in hidden() {
            let script = ScriptedModel::new()
                .reply("writer", json!({ "text": hidden }))
                .reply("writer", json!({ "text": "fine" }));
            let model = Recorder::new(script);
            let run = writing::start(Ticket {}).unwrap();
            let mut run = run.with_factory(model.factory());
            assert_eq!(output(run.run(Context::default()).await).text, "fine");
            let told = model.asked()[1].messages[2].user_text().unwrap();
            assert!(
                told.starts_with(&format!("the result is {KEY}. ")),
                "{told}"
            );
        }
    });
}

#[test]
fn the_text_of_a_model_overflows_no_stack() {
    on_a_small_stack(async || {
        let script = ScriptedModel::new()
            .text("writer", format!(r#"{{"text":{}}}"#, bomb()))
            .reply("writer", json!({ "text": "fine" }));
        let run = writing::start(Ticket {}).unwrap();
        let factory = ClientFactory::new().with_scripted(script);
        let mut run = run.with_factory(factory.clone());
        run.next(Context::default()).await.unwrap();
        let mut run = restart(&run).with_factory(factory);
        assert_eq!(output(run.run(Context::default()).await).text, "fine");
    });
}

#[test]
fn arguments_do_not_reach_a_tool() {
    on_a_small_stack(async || {
        for hidden in hidden() {
            for arguments in [json!({ "q": hidden }), hidden] {
                let script = ScriptedModel::new()
                    .call("clerk", "look", arguments.clone())
                    .call("clerk", "submit", arguments)
                    .reply("clerk", json!({ "text": "fine" }));
                let model = Recorder::new(script);
                let mut run = office::start(Ticket {})
                    .unwrap()
                    .with_factory(model.factory());
                for _ in 0..3 {
                    run.next(Context::default()).await.unwrap();
                    run = restart(&run).with_factory(model.factory());
                }
                assert_eq!(output(run.run(Context::default()).await).text, "fine");
                let Message::Tool { results, .. } = &model.asked()[1].messages[2] else {
                    panic!()
                };
                let told = "invalid input: the arguments are not JSON, are nested too deeply, \
                            or have a reserved key";
                assert_eq!(results[0].text.to_string(), told);
                let last = model.results();
                assert!(
                    last[0].text.to_string().contains("a reserved key"),
                    "{last:?}"
                );
            }
        }
    });
}

#[test]
fn answers_and_events_are_refused() {
    on_a_small_stack(async || {
        for hidden in hidden() {
            let mut run = asking::start(headers("")).unwrap();
            suspended(run.run(Context::default()).await);
            let before = serde_json::to_string(&run.snapshot()).unwrap();
            let hub = run.hub();
            for sent in [hub.reply("more", &hidden), hub.emit("any", &hidden)] {
                let refused = sent.await.unwrap_err();
                assert!(matches!(refused, FlowError::SerializeError(_)));
                assert!(refused.to_string().ends_with(KEY), "{refused}");
            }
            let answered = run.answer(Context::default(), "more", &hidden).await;
            let Err(FlowError::ResumePayload { source, .. }) = answered else {
                panic!("{answered:?}")
            };
            assert_eq!(source.to_string(), format!("it is {KEY}"));
            assert_eq!(serde_json::to_string(&run.snapshot()).unwrap(), before);
        }
    });
}

#[test]
fn an_envelope_is_refused() {
    on_a_small_stack(async || {
        for hidden in hidden() {
            let envelope = json!({
                "primary_output": hidden,
                "confidence": 1,
                "confidence_type": "verbalized",
                "escalate": false,
            });
            let read = Envelope::<Value>::from_value(&envelope);
            assert!(matches!(read, Err(ContractError::SchemaViolation { .. })));
        }
    });
}
