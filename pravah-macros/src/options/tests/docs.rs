//! What the documentation says of options.

use super::super::{agent, capabilities, contract, flow, gate, node, table::Table, tool};

/// The documentation of the attribute.
fn docs_of(attribute: &str) -> &'static str {
    let name = format!("{attribute}(");
    let mut before = "";
    for item in include_str!("../../lib.rs").split("pub fn ") {
        if item.starts_with(&name) {
            return before;
        }
        before = item;
    }
    panic!("there is no attribute `{attribute}`")
}

#[track_caller]
fn assert_documented<T>(table: &Table<'_, T>, attribute: &str) {
    let docs = docs_of(attribute);
    for name in table.names() {
        let written = [format!("`{name}"), format!("({name}")];
        let is_named = written.iter().any(|name| docs.contains(name));
        assert!(is_named, "`{name}` of `{attribute}`");
    }
}

#[test]
fn every_option_is_in_the_documentation_of_its_attribute() {
    assert_documented(&agent::OPTIONS, "agent");
    assert_documented(&contract::OPTIONS, "agent");
    assert_documented(&capabilities::CONSTRAINTS, "agent");
    assert_documented(&gate::OPTIONS, "gate");
    assert_documented(&node::OPTIONS, "node");
    assert_documented(&tool::OPTIONS, "tool");
    assert_documented(&flow::OPTIONS, "flow");
    assert_documented(&capabilities::CAPABILITIES, "flow");
}
