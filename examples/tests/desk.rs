//! The support desk with an approval, a gate that nobody answers in time, and what its flow asks for.

use std::process::Command;

const OUTPUT: &str = r#"order 1: The kettle leaks.
  the tool `price` of `clerk`: the context has no `dyn desk::Shop`: add one with `Context::with_dep_arc::<dyn desk::Shop>`
order 1: The kettle leaks.
  may `refund` run with {"euros":21,"order":1}?
  answer: {"verdict":"approve"}
  the shop pays 21 euros
  office, send "Your money is on its way."? ["Send", "Discard"] {"order":1}
  answer: "Send"
  sent about order 1: Your money is on its way.
order 2: The kettle came late.
  may `refund` run with {"euros":22,"order":2}?
  answer: {"output":{"euros":5,"order":2},"verdict":"edit"}
  the shop pays 5 euros
  office, send "We are sorry, and pay something back."? ["Send", "Discard"] {"order":2}
  a day passes
  boss, nobody else has answered: send it? ["Send", "Discard"] {"order":2}
  answer: "Send"
  sent about order 2: We are sorry, and pay something back.
order 3: The kettle is green.
  may `refund` run with {"euros":23,"order":3}?
  answer: {"reason":"it is as ordered","verdict":"reject"}
  office, send "We cannot pay for that."? ["Send", "Discard"] {"order":3}
  answer: "Discard"
  nothing was sent
"#;

#[test]
fn calls_wait_for_approval_letters_for_a_signature_and_nothing_starts_without_a_shop() {
    let output = Command::new(env!("CARGO_BIN_EXE_desk")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
