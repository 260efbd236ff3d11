//! `file.read` and `file.write`.

use std::io::Read as _;

use pravah_document::whole;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::failed;
use crate::{
    Context,
    context::Files,
    document::catalogue::{field, refused, text},
    error::BoxError,
};

/// The longest file that is read unless the node says otherwise, in bytes.
const DEFAULT_MAX_BYTES: u64 = 1 << 20;

pub(super) async fn read(input: Value, ctx: Context) -> Result<Value, BoxError> {
    let path = text(&input, "path").to_owned();
    let most = whole(field(&input, "maxBytes")).unwrap_or(DEFAULT_MAX_BYTES);
    let files = ctx.files();
    let content = spawn_blocking(move || content(&files, &path, most)).await??;
    Ok(json!({ "content": content }))
}

fn content(files: &Files, path: &str, most: u64) -> Result<String, BoxError> {
    let file = files.open(path).map_err(failed)?;
    let mut content = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut content);
    read.map_err(|error| format!("`{path}` cannot be read: {error}"))?;
    if content.len() as u64 > most {
        return Err(refused(format!("`{path}` is longer than {most} bytes")));
    }
    String::from_utf8(content).map_err(|_| refused(format!("`{path}` is not valid UTF-8")))
}

pub(super) async fn write(input: Value, ctx: Context) -> Result<Value, BoxError> {
    let path = text(&input, "path").to_owned();
    let content = text(&input, "content").to_owned();
    let (files, bytes) = (ctx.files(), content.len());
    spawn_blocking(move || files.write(path, content))
        .await?
        .map_err(failed)?;
    Ok(json!({ "bytes": bytes }))
}
