//! Asks the person at the terminal what a gate wants to know.

use std::io::{self, BufRead, IsTerminal, Write};

use pravah_runtime::Suspension;
use serde_json::Value;

use crate::flow::Decision;

/// Where answers come from.
#[derive(Clone, Copy)]
pub(crate) enum Person {
    /// The terminal; where there is none, every answer is no.
    AtTheTerminal,
    /// The command line said it already.
    Says(bool),
}

impl Person {
    /// Shows the question, and gets its answer.
    pub(crate) fn decide(self, question: &Suspension) -> io::Result<Decision> {
        let asked = question.value.get("prompt").and_then(Value::as_str);
        println!("  ? {}", asked.unwrap_or(&question.tool_id));
        if let Some(Value::Object(state)) = question.value.get("state") {
            for (name, value) in state {
                println!("      {name}: {value}");
            }
        }
        let approved = match self {
            Self::Says(approved) => say(approved, "as the command line says"),
            Self::AtTheTerminal if io::stdin().is_terminal() => ask(io::stdin().lock())?,
            // Nobody is there to say yes, and money is at stake.
            Self::AtTheTerminal => say(false, "stdin is not a terminal; --yes approves"),
        };
        Ok(Decision { approved })
    }
}

fn say(approved: bool, why: &str) -> bool {
    println!("    {} ({why})", if approved { "yes" } else { "no" });
    approved
}

/// Asks until the answer is yes or no.
fn ask(mut input: impl BufRead) -> io::Result<bool> {
    loop {
        print!("    yes or no? ");
        io::stdout().flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the question got no answer",
            ));
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ask;

    #[test]
    fn the_question_is_asked_until_it_is_answered() {
        assert!(ask("perhaps\n\nY\n".as_bytes()).unwrap());
        assert!(!ask(" no \nyes\n".as_bytes()).unwrap());
    }

    #[test]
    fn a_closed_terminal_is_no_answer() {
        assert_eq!(
            ask("perhaps\n".as_bytes()).unwrap_err().to_string(),
            "the question got no answer"
        );
    }
}
