//! `http.request`.

use reqwest::Url;
use serde_json::{Map, Value, json};

use super::failed;
use crate::{
    Context,
    context::HttpRequest,
    document::catalogue::{field, refused, text},
    error::BoxError,
    json as literal,
};

/// Headers go out and none comes back: they hold credentials and cookies.
pub(super) async fn request(input: Value, ctx: Context) -> Result<Value, BoxError> {
    let request = HttpRequest::new(text(&input, "method"), url(&input)?);
    let response = ctx.http().send(with_body(request, &input)).await;
    let response = response.map_err(failed)?;
    let mut output = json!({ "status": response.status, "body": response.text() });
    let read = literal::from_slice(&response.body);
    if let Ok(value) = read
        && literal::check(&value).is_ok()
        && let Some(fields) = output.as_object_mut()
    {
        fields.insert("json".to_owned(), value);
    }
    Ok(output)
}

fn url(input: &Value) -> Result<String, BoxError> {
    let mut url = Url::parse(text(input, "url"));
    if let (Ok(url), Some(query)) = (&mut url, fields(input, "query")) {
        let pairs = query.iter().map(|(name, value)| (name, plain(value)));
        url.query_pairs_mut().extend_pairs(pairs);
    }
    match url {
        Ok(url) => Ok(url.into()),
        Err(error) => Err(refused(format!("`url` is not valid: {error}"))),
    }
}

fn with_body(mut request: HttpRequest, input: &Value) -> HttpRequest {
    let headers = fields(input, "headers");
    for (name, value) in headers.into_iter().flatten() {
        request = request.header(name, plain(value));
    }
    let is_typed = headers.is_some_and(|it| it.keys().any(is_content_type));
    let (body, content_type) = match field(input, "body") {
        Value::Null => return request,
        Value::String(text) => (text.clone(), "text/plain; charset=utf-8"),
        value => (value.to_string(), "application/json"),
    };
    let request = request.body(body);
    match is_typed {
        true => request,
        false => request.header("content-type", content_type),
    }
}

fn is_content_type(name: &String) -> bool {
    name.eq_ignore_ascii_case("content-type")
}

fn fields<'a>(input: &'a Value, name: &str) -> Option<&'a Map<String, Value>> {
    field(input, name).as_object()
}

/// A text as it is, and what else a header or a query can hold as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
