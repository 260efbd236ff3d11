//! What the compiler says about each mistake, and that it says nothing about what is right.

#[test]
fn every_mistake_gets_its_message() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("fail/*/*.rs");
}
