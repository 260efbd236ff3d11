use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
macro_rules! agent_with { ($($name:ident)*) => {
    $(/// Looks something up.
    #[tool] async fn $name() -> Result<String, ToolError> { Ok(String::new()) })*
    #[agent(model = "anthropic://claude", preamble = "P", output = B, tools = [$($name),*])]
    fn ask(_: &A) -> String { String::new() }
} }
agent_with!(a b c d e f g h i j k l m n o p q r s t);

fn main() {}
