//! The attributes of spans, as `docs/watching.md` lists them.

use std::collections::BTreeSet;

const DOCS: &str = include_str!("../../../docs/watching.md");
const TABLE: &str = include_str!("../../src/trace/attributes.rs");

fn between(text: &str, quote: char) -> BTreeSet<&str> {
    let is_attribute = |word: &&str| {
        ["gen_ai.", "server.", "error.", "pravah."]
            .iter()
            .any(|start| word.starts_with(start))
    };
    text.split(quote).filter(is_attribute).collect()
}

#[test]
fn the_docs_list_every_attribute_and_no_other() {
    let (_, docs) = DOCS.split_once("## Traces").unwrap();
    assert_eq!(between(docs, '`'), between(TABLE, '"'));
}
