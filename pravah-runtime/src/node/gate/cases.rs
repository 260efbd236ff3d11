//! The cases of an enum that a gate is answered with, by the schema of the answer.

use serde_json::Value;

/// The names of an enum's cases, from its schema; none where it is no enum, or one whose cases have no names.
pub(super) fn cases(schema: &Value) -> Vec<String> {
    if let Some(names) = names_without_data(schema) {
        return names;
    }
    let cases = schema.get("oneOf").and_then(Value::as_array);
    let names = cases.map(|cases| cases.iter().map(names_of).collect::<Option<Vec<_>>>());
    names.flatten().unwrap_or_default().concat()
}

fn names_without_data(schema: &Value) -> Option<Vec<String>> {
    if let Some(name) = schema.get("const") {
        return Some(vec![text(name)?]);
    }
    schema.get("enum")?.as_array()?.iter().map(text).collect()
}

/// The names that one part of such a schema has: several cases without data are in one part.
fn names_of(part: &Value) -> Option<Vec<String>> {
    if let Some(names) = names_without_data(part) {
        return Some(names);
    }
    let properties = part.get("properties")?.as_object()?;
    let required = part.get("required")?.as_array()?;
    let tag = properties
        .values()
        .find_map(|property| text(property.get("const")?));
    match (tag, required.as_slice()) {
        (Some(tag), _) => Some(vec![tag]),
        (None, [only]) => Some(vec![text(only)?]),
        (None, _) => None,
    }
}

fn text(name: &Value) -> Option<String> {
    name.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::cases;
    use crate::node::gate::Answer;

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Plain {
        Publish,
        /// A case with a comment has a part of its own.
        SendBack,
        Drop,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum WithData {
        Publish,
        Edit { title: String, text: String },
        Drop(String),
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "what")]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Tagged {
        Publish,
        Edit { title: String },
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "what", content = "with")]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Adjacent {
        Publish,
        Edit(String),
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Untagged {
        Title { title: String, text: String },
        Number(u32),
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    struct Plainly {
        title: String,
    }

    #[test]
    fn the_cases_of_an_enum_have_the_names_of_its_json() {
        assert_eq!(cases(&Plain::schema()), ["publish", "drop", "send_back"]);
        assert_eq!(cases(&WithData::schema()), ["Publish", "Edit", "Drop"]);
        assert_eq!(cases(&Tagged::schema()), ["Publish", "Edit"]);
        assert_eq!(cases(&Adjacent::schema()), ["Publish", "Edit"]);
    }

    #[test]
    fn what_is_no_enum_or_has_no_names_has_no_cases() {
        assert!(cases(&Untagged::schema()).is_empty());
        assert!(cases(&Plainly::schema()).is_empty());
        assert!(cases(&String::schema()).is_empty());
        assert!(cases(&bool::schema()).is_empty());
        assert!(cases(&Option::<Plain>::schema()).is_empty());
    }
}
