//! Prompts of text, images and files.

use std::sync::{Arc, Mutex};

use pravah_runtime::{Message, ModelClient, ModelFuture, ModelRequest, Part, prelude::*};
use serde_json::json;

#[state]
#[derive(Debug)]
struct Receipt {
    photo: Vec<u8>,
}

#[state]
#[derive(Debug, PartialEq)]
struct Total {
    cents: u32,
}

/// Asks for more.
#[tool]
async fn wait_for(what: String) -> Result<String, ToolError> {
    Ok(what)
}

#[agent(model = "openai://m", preamble = "You read.", output = Total, tools = [wait_for])]
fn read(receipt: &Receipt) -> Result<Prompt, FlowError> {
    Ok(Prompt::new()
        .text("What is the total?")
        .image(Media::new("image/png", &receipt.photo))
        .file(Media::url("https://example.com/terms.pdf").with_name("terms"))
        .text("In cents."))
}

#[flow(named)]
fn reading(receipt: Receipt) -> Total {
    flow! { read }
}

#[derive(Clone)]
struct Recorder {
    script: ScriptedModel,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl ModelClient for Recorder {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        self.script.complete(request)
    }
}

#[tokio::test]
async fn a_prompt_reaches_the_model_part_by_part_also_after_a_restart() {
    let model = Recorder {
        script: ScriptedModel::new()
            .call("read", "wait_for", json!({ "what": "light" }))
            .reply("read", json!({ "cents": 250 })),
        asked: Arc::default(),
    };
    let factory = ClientFactory::new().with_client(Arc::new(model.clone()));
    let mut run = reading::start(Receipt {
        photo: vec![1, 2, 3],
    })
    .unwrap()
    .with_factory(factory.clone());
    let total = loop {
        match run.next(Context::default()).await.unwrap() {
            RunOut::Done(total) => break total,
            RunOut::Continue => {
                let json = serde_json::to_string(&run.snapshot()).unwrap();
                run = FlowRuntime::from_snapshot(serde_json::from_str(&json).unwrap())
                    .unwrap()
                    .with_factory(factory.clone());
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(total, Total { cents: 250 });
    let asked = model.asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    for request in asked.iter() {
        let Message::User { parts, .. } = &request.messages[0] else {
            panic!("{:?}", request.messages)
        };
        let [
            Part::Text(question),
            Part::Image(photo),
            Part::File(terms),
            Part::Text(unit),
        ] = &parts[..]
        else {
            panic!("{parts:?}")
        };
        assert_eq!(
            (question.as_str(), unit.as_str()),
            ("What is the total?", "In cents.")
        );
        assert_eq!(photo.media_type(), Some("image/png"));
        assert_eq!(photo.base64(), Some("AQID"));
        assert_eq!(terms.address(), Some("https://example.com/terms.pdf"));
        assert_eq!(terms.name(), Some("terms"));
    }
    assert_eq!(
        asked[0].messages[0].user_text().unwrap(),
        "What is the total?\n\nIn cents."
    );
}

#[test]
fn media_show_their_size_and_not_their_bytes() {
    let media = Media::new("image/png", [0; 300]);
    let text = format!("{media:?}");
    assert!(text.contains("400") && text.len() < 100, "{text}");
}
