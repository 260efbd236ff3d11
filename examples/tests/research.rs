//! Agents that call agents and a flow, stored in the middle.

use std::process::Command;

const OUTPUT: &str = "\
the lead starts a sceptic, calls two researchers, then has a claim checked:
  1. lead (model)
  2. lead (tools)
  3. researcher[0] (model)
  4. sceptic[1] (model)
  5. researcher[0] (tools)
  6. sceptic[1] (tools)
  7. researcher[0] (model) -> Finding
  8. sceptic[1] (model) -> Finding
  9. researcher[1] (model)
  10. researcher[1] (tools)
  11. researcher[1] (model) -> Finding
  12. lead (tools)
  13. lead (model)
  14. lead (tools)
  15. check::ask[2] (asks)
`check::ask[2]` asks: Is it so that no train goes to Benin today?
in another process:
  17. lead (tools)
  18. lead (model)
  19. lead (tools)
  20. lead (tools)
  21. lead (model) -> Report
Take the ferry to Cotonou: no train goes to Benin, as Ada says.
task_1 of `sceptic`: {\"sources\":[],\"text\":\"Nothing.\"}
10 model calls, none of them twice
";

#[test]
fn the_lead_gets_its_answers_through_a_restart_and_asks_no_model_twice() {
    let output = Command::new(env!("CARGO_BIN_EXE_research"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
