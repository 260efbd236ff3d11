//! A flow in a flow.

use std::process::Command;

const OUTPUT: &str = r#"on its own: 48 euros
in another flow:
  1. read -> QuoteRequest
     states: {"QuoteRequest":{"item":"kettle","pieces":10}}
  2. quote::look_up -> quote::ListPrice
     states: {"quote::ListPrice":{"euros":24}}
  3. quote::discount -> Quote
     states: {"Quote":{"euros":216}}
  4. write -> Offer
Dear Ana, 10 x kettle cost 216 euros.
"#;

#[test]
fn the_inner_flow_runs_on_its_own_and_under_its_prefix() {
    let output = Command::new(env!("CARGO_BIN_EXE_nested")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
