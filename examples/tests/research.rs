//! Agents that call agents and a flow, stored in the middle.

use std::process::Command;

const OUTPUT: &str = "\
the lead calls two researchers, then has a claim checked:
  1. lead (model)
  2. lead (tools)
  3. researcher[0] (model)
  4. researcher[0] (tools)
  5. researcher[0] (model) -> Finding
  6. researcher[1] (model)
  7. researcher[1] (tools)
  8. researcher[1] (model) -> Finding
  9. lead (tools)
  10. lead (model)
  11. lead (tools)
  12. check::ask[2] (asks)
`check::ask[2]` asks: Is it so that no train goes to Benin today?
in another process:
  14. lead (tools)
  15. lead (model) -> Report
Take the ferry to Cotonou: no train goes to Benin, as Ada says.
7 model calls, none of them twice
";

#[test]
fn the_lead_gets_its_answers_through_a_restart_and_asks_no_model_twice() {
    let output = Command::new(env!("CARGO_BIN_EXE_research"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
