//! The three reviewers.

use std::process::Command;

const OUTPUT: &str = "\
the mean of two numbers
  1. write (model) -> Draft
  2. style (model) -> Review
  3. security (model) -> Review
  4. tests (model) -> Review
  5. keep -> Draft
  6. decide -> Rejected
  7. rewrite (model) -> Draft
  8. style (model) -> Review
  9. security (model) -> Review
  10. tests (model) -> Review
  11. keep -> Draft
  12. decide -> Accepted
  13. publish -> Report
  published: fn mean(a: u32, b: u32) -> u32 { a.midpoint(b) }
the number at an address
  1. write (model) -> Draft
  2. style (model) -> Review
  3. security (model) -> Review
  4. tests (model) -> Review
  5. keep -> Draft
  6. decide -> Rejected
  7. rewrite (model) -> Draft
  8. style (model) -> Review
  9. security (model) -> Review
  10. tests (model) -> Review
  11. keep -> Draft
  12. decide -> Rejected
  13. rewrite (model) -> Draft
  14. style (model) -> Review
  15. security (model) -> Review
  16. tests (model) -> Review
  17. keep -> Draft
  18. decide -> Rejected
  19. rewrite (failed)
  20. give_up -> Report
  given up: unsafe { *p } (it is unsafe)
";

#[test]
fn a_draft_is_rewritten_until_all_accept_it_or_the_limit_is_reached() {
    let output = Command::new(env!("CARGO_BIN_EXE_review")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
