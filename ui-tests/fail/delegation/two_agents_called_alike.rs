use pravah_runtime::prelude::*;

#[state] struct Question { text: String }
#[state] struct Report { text: String }

mod desk {
    /// You look things up at the desk.
    #[pravah_runtime::agent(model = "openai://m", output = super::Report)]
    pub fn researcher(question: &super::Question) -> String { question.text.clone() }
}
/// You look things up.
#[agent(model = "openai://m", output = Report)]
fn researcher(question: &Question) -> String { question.text.clone() }
/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [researcher, desk::researcher])]
fn lead(question: &Question) -> String { question.text.clone() }

fn main() {}
