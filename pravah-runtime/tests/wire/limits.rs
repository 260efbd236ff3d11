//! What an interface does not take is an error before anything is sent, which names the model, what it
//! is, and what is taken.

use std::sync::atomic::Ordering;

use pravah_runtime::{
    ClientFactory, Media, ModelErrorKind, ModelOptions, ModelRequest, ModelUrl, Part, Provider,
    Server as Remote,
};
use serde_json::json;

use crate::{
    cases,
    server::{Server, json as answer},
};

use Provider::{Anthropic, Gemini, Ollama, OpenAi, OpenAiResponses as Responses};

async fn start(provider: Provider) -> Server {
    let body = cases::read(provider, "structured.response.json");
    Server::start(provider, move || answer(200, body.clone())).await
}

/// The words in which a request is refused that is not sent.
async fn refusal(provider: Provider, request: &ModelRequest) -> String {
    let server = start(provider).await;
    let error = server.client.complete(request).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::InvalidRequest, "{error}");
    assert_eq!(error.usage(), None);
    assert_eq!(server.connections.load(Ordering::Relaxed), 0, "{error}");
    error.to_string()
}

async fn takes(provider: Provider, request: &ModelRequest) {
    let server = start(provider).await;
    let answer = server.client.complete(request).await;
    assert!(answer.is_ok(), "{provider:?}: {answer:?}");
}

fn with(options: ModelOptions) -> ModelRequest {
    let mut request = cases::structured();
    request.options = options;
    request
}

fn stops(count: usize) -> ModelOptions {
    (0..count).fold(ModelOptions::new(), |options, i| {
        options.stop(format!("END {i}"))
    })
}

fn pairs(count: usize) -> ModelOptions {
    let pair = |options: ModelOptions, i| options.metadata(format!("key {i}"), "value");
    (0..count).fold(ModelOptions::new(), pair)
}

#[tokio::test]
async fn the_ends_of_every_documented_range_are_taken() {
    let long = |key, value| ModelOptions::new().metadata("k".repeat(key), "v".repeat(value));
    for (provider, options) in [
        (OpenAi, stops(4).temperature(2.0).top_p(1.0)),
        (OpenAi, pairs(16)),
        (OpenAi, long(64, 512)),
        (Responses, pairs(16).temperature(2.0)),
        (Responses, long(64, 512)),
        (
            Anthropic,
            ModelOptions::new().reasoning(1_024).max_tokens(1_025),
        ),
        (
            Anthropic,
            ModelOptions::new().metadata("user_id", "v".repeat(200)),
        ),
        (Gemini, stops(5).temperature(2.0).top_p(0.0)),
        (Ollama, stops(20).temperature(9.0)),
    ] {
        takes(provider, &with(options)).await;
    }
}

#[tokio::test]
async fn a_value_beyond_its_range_is_an_error_that_names_option_model_and_limit() {
    let long = |key, value| ModelOptions::new().metadata("k".repeat(key), "v".repeat(value));
    let key = "k".repeat(3);
    for (provider, options, option, takes) in [
        (
            OpenAi,
            stops(5),
            "`stop` with 5 texts",
            "OpenAI takes at most 4",
        ),
        (
            OpenAi,
            ModelOptions::new().temperature(2.5),
            "`temperature = 2.5`",
            "OpenAI takes 0 to 2",
        ),
        (
            OpenAi,
            pairs(17),
            "`metadata` with 17 keys",
            "OpenAI takes at most 16",
        ),
        (
            OpenAi,
            long(65, 1),
            "a key of `metadata` with 65 characters",
            "OpenAI takes at most 64",
        ),
        (
            Responses,
            long(3, 513),
            &*format!("`{key}` of `metadata` with 513 characters"),
            "OpenAI's Responses takes at most 512",
        ),
        (
            Responses,
            ModelOptions::new().temperature(2.01),
            "`temperature = 2.01`",
            "OpenAI's Responses takes 0 to 2",
        ),
        (
            Anthropic,
            ModelOptions::new().reasoning(1_023),
            "`reasoning = 1023`",
            "Anthropic takes at least 1024 tokens",
        ),
        (
            Anthropic,
            ModelOptions::new().reasoning(1_024).max_tokens(1_024),
            "`max_tokens = 1024`",
            "it leaves nothing beside 1024 tokens of reasoning",
        ),
        (
            Anthropic,
            ModelOptions::new().metadata("team", "support"),
            "`team` of `metadata`",
            "Anthropic takes only `user_id`",
        ),
        (
            Gemini,
            stops(6),
            "`stop` with 6 texts",
            "Gemini takes at most 5",
        ),
        (
            Gemini,
            ModelOptions::new().temperature(2.1),
            "`temperature = 2.1`",
            "Gemini takes 0 to 2",
        ),
    ] {
        let error = refusal(provider, &with(options)).await;
        assert_eq!(
            error,
            format!("{option} cannot be set for `test-model`: {takes}")
        );
    }
}

/// Of somebody else's server nobody knows where its ranges end.
#[tokio::test]
async fn a_compatible_server_decides_about_values_itself() {
    let server = start(OpenAi).await;
    let address = format!("http://{}/v1", server.address);
    let factory = ClientFactory::new().with_server("acme", Remote::openai_compatible(address));
    let client = factory
        .client(&ModelUrl::custom("acme://m").unwrap())
        .unwrap();
    let mut request = with(stops(9).temperature(3.0));
    client.complete(&request).await.unwrap();
    request = cases::media([Some(Part::Image(Media::new("image/bmp", [0]))), None]);
    client.complete(&request).await.unwrap();
}

fn showing(part: Part) -> ModelRequest {
    cases::media([Some(part), None])
}

fn image(media_type: &str) -> Part {
    Part::Image(Media::new(media_type, [0]))
}

fn file(media_type: &str) -> Part {
    Part::File(Media::new(media_type, "a,b"))
}

#[tokio::test]
async fn the_documented_types_of_images_and_files_are_taken() {
    let common = [
        "image/png",
        "image/jpeg",
        "image/webp",
        "image/gif",
        "image/PNG",
    ];
    for (provider, images, files) in [
        (
            OpenAi,
            &common[..],
            &["application/pdf", "text/csv", "application/json"][..],
        ),
        (
            Responses,
            &common[..],
            &["application/pdf", "text/csv; charset=utf-8"][..],
        ),
        (
            Anthropic,
            &common[..],
            &["application/pdf", "text/plain"][..],
        ),
        (
            Gemini,
            &[
                "image/png",
                "image/jpeg",
                "image/webp",
                "image/heic",
                "image/heif",
            ][..],
            &["application/pdf", "text/plain", "video/mp4"][..],
        ),
        (Ollama, &common[..], &[][..]),
    ] {
        for media_type in images {
            takes(provider, &showing(image(media_type))).await;
        }
        for media_type in files {
            takes(provider, &showing(file(media_type))).await;
        }
    }
}

#[tokio::test]
async fn an_image_or_a_file_that_is_not_taken_is_an_error_that_says_what_is() {
    let at = |address: &'static str| Media::url(address);
    let web = "https://example.com/a";
    let latin = Part::File(Media::new("text/plain", [0xE9]));
    let openai = "OpenAI";
    let addresses = "fetches only `http:` and `https:` addresses";
    let four = "takes `image/png`, `image/jpeg`, `image/webp`, `image/gif`";
    for (provider, part, what, takes) in [
        (
            Ollama,
            cases::pdf(),
            "a file",
            "Ollama has no place for it".to_owned(),
        ),
        (
            Ollama,
            Part::Image(at(web)),
            "an image by its address",
            "Ollama takes only bytes, not addresses".to_owned(),
        ),
        (
            OpenAi,
            Part::File(at(web)),
            "a file by its address",
            format!("{openai} takes only bytes, not addresses"),
        ),
        (
            OpenAi,
            Part::Image(at("gs://bucket/a.png")),
            "an image at a `gs:` address",
            format!("{openai} {addresses}"),
        ),
        (
            OpenAi,
            Part::Image(at(" https://example.com/a.png")),
            "an image at a ` https:` address",
            format!("{openai} {addresses}"),
        ),
        (
            Gemini,
            Part::File(at("file:///etc/passwd")),
            "a file at a `file:` address",
            format!("Gemini {addresses}"),
        ),
        (
            Anthropic,
            Part::Image(at("data:image/png;base64,AAAA")),
            "an image at a `data:` address",
            format!("Anthropic {addresses}"),
        ),
        (
            Responses,
            Part::Image(at("a.png")),
            "an image at no web address",
            format!("OpenAI's Responses {addresses}"),
        ),
        (
            OpenAi,
            image("image/tiff"),
            "an image of the type `image/tiff`",
            format!("{openai} {four}"),
        ),
        (
            Responses,
            image("image/heic"),
            "an image of the type `image/heic`",
            format!("OpenAI's Responses {four}"),
        ),
        (
            Anthropic,
            image("image/tiff"),
            "an image of the type `image/tiff`",
            "Anthropic takes `image/jpeg`, `image/png`, `image/gif`, `image/webp`".to_owned(),
        ),
        (
            Gemini,
            image("image/gif"),
            "an image of the type `image/gif`",
            "Gemini takes `image/png`, `image/jpeg`, `image/webp`, `image/heic`, `image/heif`"
                .to_owned(),
        ),
        (
            Ollama,
            image("text/plain"),
            "an image of the type `text/plain`",
            "that is no image".to_owned(),
        ),
        (
            OpenAi,
            file("image/png"),
            "a file of the type `image/png`",
            format!("{openai} takes no such files"),
        ),
        (
            Anthropic,
            file("text/csv"),
            "a file of the type `text/csv`",
            "Anthropic takes `application/pdf`, `text/plain`".to_owned(),
        ),
        (
            Anthropic,
            Part::File(at(web).with_media_type("text/html")),
            "a file of the type `text/html`",
            "Anthropic takes `application/pdf`, `text/plain`".to_owned(),
        ),
        (
            Anthropic,
            latin,
            "a file of the type `text/plain`",
            "it is not UTF-8".to_owned(),
        ),
        (
            Gemini,
            image("png"),
            "an image of the type `png`",
            "it is not a media type such as `image/png`".to_owned(),
        ),
        (
            OpenAi,
            file(""),
            "a file of the type ``",
            "it is not a media type such as `image/png`".to_owned(),
        ),
    ] {
        let error = refusal(provider, &showing(part)).await;
        assert_eq!(
            error,
            format!("`test-model` cannot be sent {what}: {takes}")
        );
    }
}

#[tokio::test]
async fn anthropic_gets_a_plain_text_as_a_text() {
    let server = start(Anthropic).await;
    let file = Media::new("text/plain; charset=utf-8", "caf\u{e9}").with_name("menu");
    server
        .client
        .complete(&showing(Part::File(file)))
        .await
        .unwrap();
    let sent = &server.last().body["messages"][0]["content"][1];
    let source = json!({ "type": "text", "media_type": "text/plain", "data": "caf\u{e9}" });
    assert_eq!(
        *sent,
        json!({ "type": "document", "source": source, "title": "menu" })
    );
}
