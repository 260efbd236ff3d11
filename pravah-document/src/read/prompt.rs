//! Prompts that are in files beside the document.

use std::borrow::Cow;

use super::{Context, Name, node};
use crate::{
    catalogue::{NodeType, Role},
    options::FileError,
    tree::{Data, Tree},
};

const KEY: &str = "promptFile";

/// Puts what is in a file in the place of `promptFile`: at `prompt`, or at `input` where an agent has no prompt.
pub(super) fn read(
    id: Name<'_>,
    node_type: &NodeType,
    input: &mut Cow<'_, Tree>,
    context: &mut Context<'_, '_>,
) {
    if node_type.input.pointer("/properties/promptFile").is_some() {
        return;
    }
    let has_prompt = node_type.input.pointer("/properties/prompt").is_some();
    if !has_prompt && node_type.role != Role::Agent {
        return;
    }
    let Some(file) = input.get(KEY).cloned() else {
        return;
    };
    if let Data::Map(entries) = &mut input.to_mut().data {
        entries.retain(|entry| entry.key != KEY);
    }
    let target = if has_prompt { "prompt" } else { "input" };
    let data = if input.get(target).is_some() {
        let message = format!("the node `{}` has both `{target}` and `{KEY}`", id.text);
        context
            .sink
            .push("prompt-file", file.span, message)
            .help("leave one of them out");
        return;
    } else {
        load(id, &file, context).map_or(Data::Invalid, Data::String)
    };
    let span = file.span;
    node::add(input, target, Tree { span, data });
}

fn load(id: Name<'_>, file: &Tree, context: &mut Context<'_, '_>) -> Option<String> {
    let fault = match file.as_str() {
        None => Err(format!("it is {}, and has to be a string", file.kind())),
        Some("") => Err("its path is empty".to_owned()),
        Some(path) => match (normal(path), context.options.files) {
            (None, _) => Err(FileError::Outside.to_string()),
            (Some(_), None) => Err("the document was read without its folder".to_owned()),
            (Some(path), Some(files)) => files.read(&path).map_err(|error| error.to_string()),
        },
    };
    match fault {
        Ok(text) => Some(text),
        Err(_) if file.is_invalid() => None,
        Err(reason) => {
            let message = format!(
                "the prompt of the node `{}` cannot be read: {reason}",
                id.text
            );
            let problem = context.sink.push("prompt-file", file.span, message);
            if context.options.files.is_some() {
                problem.help("name a file beside the document, or in a folder beside it");
            }
            None
        }
    }
}

/// The same path without `.` and `..`; nothing if it leads out of the folder.
fn normal(path: &str) -> Option<String> {
    let is_absolute = path.starts_with(['/', '\\']) || path.get(1..2) == Some(":");
    if is_absolute || path.contains('\0') {
        return None;
    }
    let mut parts = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_does_not_lead_out_of_the_folder() {
        for (path, expected) in [
            ("./prompts/test.md", Some("prompts/test.md")),
            ("prompts/../a.md", Some("a.md")),
            ("../a.md", None),
            ("prompts/../../a.md", None),
            ("/etc/passwd", None),
            ("C:\\a.md", None),
            ("..\\a.md", None),
        ] {
            assert_eq!(normal(path).as_deref(), expected, "{path}");
        }
    }
}
