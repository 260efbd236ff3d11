//! What of a prompt an interface does not take is an error before anything is sent, which names the model,
//! the part, and what is taken.

use Provider::{Anthropic, Gemini, Ollama, OpenAi, OpenAiResponses as Responses};
use pravah_runtime::{Media, Message, ModelRequest, Part, Provider, ToModel as _};
use serde_json::json;

use crate::{
    cases,
    limits::{refusal, start, takes},
};

/// The common types of images.
const IMAGES: [&str; 5] = [
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/gif",
    "image/PNG",
];

const WEB: &str = "https://example.com/a";

fn showing(part: Part) -> ModelRequest {
    cases::media([Some(part), None])
}

fn image(media_type: &str) -> Part {
    Part::Image(Media::new(media_type, [0]))
}

fn file(media_type: &str) -> Part {
    Part::File(Media::new(media_type, "a,b"))
}

fn image_at(address: &str) -> Part {
    Part::Image(Media::url(address))
}

fn file_at(address: &str) -> Part {
    Part::File(Media::url(address))
}

/// Checks that a part is refused: what it is called, and why.
async fn refuses(provider: Provider, part: Part, what: &str, why: &str) {
    let error = refusal(provider, &showing(part)).await;
    assert_eq!(error, format!("`test-model` cannot be sent {what}: {why}"));
}

#[tokio::test]
async fn the_documented_types_of_images_are_taken() {
    let gemini = [
        "image/png",
        "image/jpeg",
        "image/webp",
        "image/heic",
        "image/heif",
    ];
    for (provider, types) in [
        (OpenAi, IMAGES),
        (Responses, IMAGES),
        (Anthropic, IMAGES),
        (Gemini, gemini),
        (Ollama, IMAGES),
    ] {
        for media_type in types {
            takes(provider, &showing(image(media_type))).await;
        }
    }
}

#[tokio::test]
async fn the_documented_types_of_files_are_taken() {
    for (provider, types) in [
        (OpenAi, ["application/pdf", "text/csv", "application/json"]),
        (
            Responses,
            ["application/pdf", "text/csv; charset=utf-8", "text/plain"],
        ),
        (
            Anthropic,
            ["application/pdf", "text/plain", "text/plain; charset=utf-8"],
        ),
        (Gemini, ["application/pdf", "text/plain", "video/mp4"]),
    ] {
        for media_type in types {
            takes(provider, &showing(file(media_type))).await;
        }
    }
}

#[tokio::test]
async fn an_image_of_another_type_is_refused() {
    let four = "takes `image/png`, `image/jpeg`, `image/webp`, `image/gif`";
    let no_type = "it is not a media type such as `image/png`";
    for (provider, media_type, why) in [
        (OpenAi, "image/tiff", &*format!("OpenAI {four}")),
        (
            Responses,
            "image/heic",
            &*format!("OpenAI's Responses {four}"),
        ),
        (
            Anthropic,
            "image/tiff",
            "Anthropic takes `image/jpeg`, `image/png`, `image/gif`, `image/webp`",
        ),
        (
            Gemini,
            "image/gif",
            "Gemini takes `image/png`, `image/jpeg`, `image/webp`, `image/heic`, `image/heif`",
        ),
        (Gemini, "png", no_type),
        (Ollama, "text/plain", "it is not an image"),
    ] {
        let what = format!("an image of the type `{media_type}`");
        refuses(provider, image(media_type), &what, why).await;
    }
}

#[tokio::test]
async fn a_file_of_another_type_is_refused() {
    let two = "Anthropic takes `application/pdf`, `text/plain`";
    let html = Media::url(WEB).with_media_type("text/html");
    let latin = Media::new("text/plain", [0xE9]);
    let no_type = "it is not a media type such as `image/png`";
    let no_such = "OpenAI takes no such files";
    for (provider, part, media_type, why) in [
        (OpenAi, file("image/png"), "image/png", no_such),
        (Anthropic, file("text/csv"), "text/csv", two),
        (Anthropic, Part::File(html), "text/html", two),
        (
            Anthropic,
            Part::File(latin),
            "text/plain",
            "it is not UTF-8",
        ),
        (OpenAi, file(""), "", no_type),
    ] {
        let what = format!("a file of the type `{media_type}`");
        refuses(provider, part, &what, why).await;
    }
    refuses(Ollama, cases::pdf(), "a file", "Ollama has no place for it").await;
}

#[tokio::test]
async fn an_address_that_a_provider_does_not_fetch_is_refused() {
    let bytes = "takes only bytes, not addresses";
    let web = "fetches only `http:` and `https:` addresses";
    for (provider, part, what, why) in [
        (
            Ollama,
            image_at(WEB),
            "an image by its address",
            format!("Ollama {bytes}"),
        ),
        (
            OpenAi,
            file_at(WEB),
            "a file by its address",
            format!("OpenAI {bytes}"),
        ),
        (
            OpenAi,
            image_at("gs://bucket/a.png"),
            "an image at a `gs:` address",
            format!("OpenAI {web}"),
        ),
        (
            OpenAi,
            image_at(" https://example.com/a.png"),
            "an image at a ` https:` address",
            format!("OpenAI {web}"),
        ),
        (
            Gemini,
            file_at("file:///etc/passwd"),
            "a file at a `file:` address",
            format!("Gemini {web}"),
        ),
        (
            Anthropic,
            image_at("data:image/png;base64,AAAA"),
            "an image at a `data:` address",
            format!("Anthropic {web}"),
        ),
        (
            Responses,
            image_at("a.png"),
            "an image whose address is not a web address",
            format!("OpenAI's Responses {web}"),
        ),
    ] {
        refuses(provider, part, what, &why).await;
    }
}

#[tokio::test]
async fn a_prompt_that_says_nothing_is_refused() {
    for provider in Provider::ALL {
        for messages in [
            vec![],
            vec![Message::parts([])],
            vec![Message::user("".to_model())],
            vec![Message::user(" \n".to_model())],
        ] {
            let mut request = cases::structured();
            request.messages = messages.into();
            let error = refusal(provider, &request).await;
            let text = "`test-model` cannot be sent an empty prompt: it says nothing";
            assert_eq!(error, text, "{provider:?}");
        }
    }
}

#[tokio::test]
async fn a_part_of_a_prompt_that_is_empty_is_refused() {
    let empty = |media_type| Media::new(media_type, []);
    for provider in Provider::ALL {
        let text = Part::Text("\t".to_model());
        let what = "a prompt with an empty text";
        refuses(provider, text, what, "leave that part out").await;
        let image = Part::Image(empty("image/png"));
        refuses(provider, image, "an empty image", "it has no bytes").await;
        if provider != Ollama {
            let file = Part::File(empty("application/pdf"));
            refuses(provider, file, "an empty file", "it has no bytes").await;
        }
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
