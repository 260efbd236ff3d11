//! Types that a provider cannot express are refused before anything is sent.

use std::sync::Arc;

use pravah_runtime::{ModelErrorKind, ModelRequest, OutputSpec, Provider, ToolSpec};
use serde_json::{Value, json};

use crate::{
    cases,
    server::{Server, json as answer},
};

/// The error for a schema of the output, and nothing was sent; or the schema as it was sent.
async fn sent(provider: Provider, schema: Value) -> Result<Value, String> {
    let body = cases::read(provider, "structured.response.json");
    let server = Server::start(provider, move || answer(200, body.clone())).await;
    let mut request = cases::structured();
    request.output = Some(OutputSpec::new("Verdict", schema));
    match server.client.complete(&request).await {
        Ok(_) => {
            let body = server.last().body;
            let pointer = match provider {
                Provider::OpenAi => "/response_format/json_schema/schema",
                Provider::OpenAiResponses => "/text/format/schema",
                Provider::Anthropic => "/output_config/format/schema",
                Provider::Gemini => "/generationConfig/responseJsonSchema",
                _ => "/format",
            };
            Ok(body.pointer(pointer).unwrap().clone())
        }
        Err(error) => {
            assert_eq!(error.kind(), ModelErrorKind::InvalidRequest);
            Err(error.to_string())
        }
    }
}

fn object(name: &str, schema: Value) -> Value {
    json!({ "type": "object", "properties": { name: schema }, "required": [name] })
}

fn tree(required: bool) -> Value {
    let node = json!({
        "type": "object",
        "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } },
        "required": if required { json!(["children"]) } else { json!([]) },
    });
    let mut whole = node.clone();
    whole["$defs"] = json!({ "Tree": node });
    whole
}

#[tokio::test]
async fn anthropic_takes_no_type_that_contains_itself() {
    assert_eq!(
        sent(Provider::Anthropic, tree(false)).await.unwrap_err(),
        "`Verdict` cannot be asked for: the field `children`: Anthropic takes no type that \
         contains itself"
    );
}

#[tokio::test]
async fn gemini_takes_a_type_that_contains_itself_where_it_may_be_left_out() {
    let error = sent(Provider::Gemini, tree(true)).await.unwrap_err();
    assert!(error.contains("the field `children`"), "{error}");
    assert!(sent(Provider::Gemini, tree(false)).await.is_ok());
}

#[tokio::test]
async fn anthropic_takes_no_map() {
    let schema = object(
        "counts",
        json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
    );
    let error = sent(Provider::Anthropic, schema.clone()).await.unwrap_err();
    assert!(error.contains("the field `counts`"), "{error}");
    for provider in [Provider::OpenAi, Provider::Gemini, Provider::Ollama] {
        assert!(sent(provider, schema.clone()).await.is_ok(), "{provider:?}");
    }
}

#[tokio::test]
async fn anthropic_takes_only_so_many_properties_that_may_be_left_out() {
    let properties = |count: usize| {
        let all = (0..count).map(|n| (format!("p{n}"), json!({ "type": "string" })));
        json!({ "type": "object", "properties": serde_json::Map::from_iter(all) })
    };
    assert!(sent(Provider::Anthropic, properties(24)).await.is_ok());
    let error = sent(Provider::Anthropic, properties(25)).await.unwrap_err();
    assert!(error.contains("at most 24"), "{error}");
}

#[tokio::test]
async fn what_a_dialect_does_not_know_is_said_in_the_description() {
    let schema = object(
        "code",
        json!({ "type": "string", "pattern": "^[A-Z]+$", "maxLength": 3, "description": "A code." }),
    );
    for provider in [Provider::Anthropic, Provider::Gemini] {
        let sent = sent(provider, schema.clone()).await.unwrap();
        let code = &sent["properties"]["code"];
        assert_eq!(code.get("pattern"), None);
        assert_eq!(
            code["description"],
            "A code. (maxLength: 3, pattern: \"^[A-Z]+$\")"
        );
    }
}

#[tokio::test]
async fn a_single_value_is_a_list_of_one_for_gemini() {
    let sent = sent(Provider::Gemini, object("kind", json!({ "const": "a" }))).await;
    assert_eq!(
        sent.unwrap()["properties"]["kind"],
        json!({ "enum": ["a"] })
    );
}

#[tokio::test]
async fn openai_gets_every_property_as_required_or_a_schema_that_is_not_strict() {
    for provider in [Provider::OpenAi, Provider::OpenAiResponses] {
        let schema = json!({ "type": "object", "properties": {
            "a": { "type": ["string", "null"] },
        } });
        let sent = sent(provider, schema).await.unwrap();
        assert_eq!(sent["required"], json!(["a"]));
        assert_eq!(sent["additionalProperties"], json!(false));
    }
}

#[tokio::test]
async fn what_openais_strict_mode_refuses_is_said_in_words() {
    let tags = json!({
        "type": "array",
        "items": { "type": "string", "minLength": 1 },
        "uniqueItems": true,
        "minItems": 1,
    });
    let sent = sent(Provider::OpenAi, object("tags", tags)).await.unwrap();
    let tags = json!({
        "description": "(uniqueItems: true)",
        "type": "array",
        "items": { "description": "(minLength: 1)", "type": "string" },
        "minItems": 1,
    });
    assert_eq!(sent["properties"]["tags"], tags);
}

#[tokio::test]
async fn ollama_reads_of_a_tools_arguments_what_is_plain_and_the_rest_is_told() {
    let body = cases::read(Provider::Ollama, "structured.response.json");
    let server = Server::start(Provider::Ollama, move || answer(200, body.clone())).await;
    let mut request = cases::tools();
    Arc::make_mut(&mut request.tools)[0].parameters = Arc::new(json!({
        "type": "object",
        "properties": {
            "size": { "type": "integer", "minimum": 1, "description": "How many." },
            "unit": { "const": "g" },
            "place": { "type": "object", "properties": { "x": { "type": "number" } } },
        },
        "required": ["size"],
        "additionalProperties": false,
    }));
    server.client.complete(&request).await.unwrap();
    assert_eq!(
        server.last().body["tools"][0]["function"]["parameters"],
        json!({
            "type": "object",
            "properties": {
                "size": { "type": "integer", "description": "How many. (minimum: 1)" },
                "unit": { "enum": ["g"] },
                "place": {
                    "type": "object",
                    "description": "(properties: {\"x\":{\"type\":\"number\"}})",
                },
            },
            "required": ["size"],
        })
    );
}

#[tokio::test]
async fn anthropic_takes_no_map_that_may_be_null_and_no_any_json_that_is_described() {
    let map = json!({ "type": ["object", "null"], "additionalProperties": { "type": "string" } });
    let error = sent(Provider::Anthropic, object("tags", map))
        .await
        .unwrap_err();
    assert!(
        error.contains("the field `tags`: Anthropic takes no map"),
        "{error}"
    );
    let any = json!({ "description": "Whatever comes to mind." });
    let error = sent(Provider::Anthropic, object("any", any))
        .await
        .unwrap_err();
    assert!(
        error.contains("the field `any`: Anthropic cannot be asked for any JSON"),
        "{error}"
    );
}

fn tools(schemas: impl IntoIterator<Item = Value>) -> ModelRequest {
    let tools = schemas
        .into_iter()
        .enumerate()
        .map(|(index, schema)| ToolSpec::new(format!("tool_{index}"), "A tool.", schema));
    let mut request = cases::structured();
    request.tools = tools.collect();
    request.output = None;
    request
}

/// Which tools of a request to Anthropic are strict.
async fn strict(request: ModelRequest) -> Vec<bool> {
    let body = cases::read(Provider::Anthropic, "structured.response.json");
    let server = Server::start(Provider::Anthropic, move || answer(200, body.clone())).await;
    server.client.complete(&request).await.unwrap();
    let sent = server.last().body;
    let tools = sent["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["strict"] == true).collect()
}

#[tokio::test]
async fn tools_beyond_what_anthropic_can_be_strict_about_are_not_strict() {
    let plain = || object("x", json!({ "type": "string" }));
    let many = strict(tools((0..22).map(|_| plain()))).await;
    assert_eq!(many, [[true; 20].as_slice(), &[false; 2]].concat());

    let union = || object("x", json!({ "type": ["string", "null"] }));
    let with_unions = strict(tools((0..18).map(|_| union()))).await;
    assert_eq!(with_unions, [[true; 16].as_slice(), &[false; 2]].concat());
    // What comes after them and has none is strict again.
    let mixed = strict(tools((0..17).map(|_| union()).chain([plain()]))).await;
    assert_eq!(mixed, [[true; 16].as_slice(), &[false, true]].concat());
}

#[tokio::test]
async fn an_output_with_too_many_forms_is_no_output_for_anthropic() {
    let fields = |count: usize| -> Value {
        let field = |index| (format!("f{index}"), json!({ "type": ["string", "null"] }));
        let properties: serde_json::Map<_, _> = (0..count).map(field).collect();
        let required: Vec<_> = properties.keys().cloned().collect();
        json!({ "type": "object", "properties": properties, "required": required })
    };
    sent(Provider::Anthropic, fields(16)).await.unwrap();
    let error = sent(Provider::Anthropic, fields(17)).await.unwrap_err();
    assert!(
        error.contains("at most 16 places with several forms"),
        "{error}"
    );
}
