//! The loop and its limit.

use std::process::Command;

const OUTPUT: &str = "\
Kettle leaks on its very first day
  shortened: Kettle leaks on its very first
  shortened: Kettle leaks on its very
  headline: Kettle leaks on its very
Donaudampfschifffahrtsgesellschaft
  shortened: Donaudampfschifffahrtsgesellschaft
  shortened: Donaudampfschifffahrtsgesellschaft
  shortened: Donaudampfschifffahrtsgesellschaft
  shortened: Donaudampfschifffahrtsgesellschaft
  shortened: Donaudampfschifffahrtsgesellschaft
  error: node `review` ran 5 times, as often as `max_visits` allows, on the loop `review -> shorten -> review`
  still waiting: Donaudampfschifffahrtsgesellschaft
";

#[test]
fn a_headline_is_shortened_until_it_fits_or_the_limit_is_reached() {
    let output = Command::new(env!("CARGO_BIN_EXE_loop")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
