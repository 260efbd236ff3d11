//! Agents that call agents, here and over A2A, and a flow: stored in the middle.

use std::process::Command;

const OUTPUT: &str = "\
the lead starts a sceptic, calls two researchers, then has a claim checked:
  lead (model)
  lead (tools)
  researcher[0] (model)
  sceptic[1] (model)
  researcher[0] (tools)
  sceptic[1] (tools)
  researcher[0] (model) -> Finding
  sceptic[1] (model) -> Finding
  harbours[1] (runner) -> Finding
  lead (tools)
  lead (model)
  lead (tools)
  check::ask[2] (asks)
`check::ask[2]` asks: Is it so that no train goes to Benin today?
in another process:
  lead (tools)
  lead (model)
  lead (tools)
  lead (tools)
  lead (model) -> Report
Take the ferry to Cotonou: no train goes to Benin, as Ada says.
task_1 of `sceptic`: {\"sources\":[],\"text\":\"Nothing.\"}
8 model calls, none of them twice
";

/// The lines in an order of their own: when the other server has news is up to it.
fn sorted(output: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = output.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn the_lead_gets_its_answers_through_a_restart_and_asks_no_model_twice() {
    let output = Command::new(env!("CARGO_BIN_EXE_research"))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(sorted(&printed), sorted(OUTPUT), "{printed}");
    assert!(output.status.success());
}
