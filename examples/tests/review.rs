//! The three reviewers.

use std::process::Command;

const OUTPUT: &str = "\
the mean of two numbers
  1. write (model) -> Draft
  2. style (model) -> Review
  3. security (model) -> Review
  4. tests (model) -> Review
  5. decide -> Rejected
  6. rewrite (model) -> Draft
  7. style (model) -> Review
  8. security (model) -> Review
  9. tests (model) -> Review
  10. decide -> Accepted
  11. publish -> Report
  published: fn mean(a: u32, b: u32) -> u32 { a.midpoint(b) }
the number at an address
  1. write (model) -> Draft
  2. style (model) -> Review
  3. security (model) -> Review
  4. tests (model) -> Review
  5. decide -> Rejected
  6. rewrite (model) -> Draft
  7. style (model) -> Review
  8. security (model) -> Review
  9. tests (model) -> Review
  10. decide -> Rejected
  11. rewrite (model) -> Draft
  12. style (model) -> Review
  13. security (model) -> Review
  14. tests (model) -> Review
  15. decide -> Rejected
  16. rewrite (failed)
  17. give_up -> Report
  given up: unsafe { *p } (it is unsafe)
";

#[test]
fn a_draft_is_rewritten_until_all_accept_it_or_the_limit_is_reached() {
    let output = Command::new(env!("CARGO_BIN_EXE_review")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
