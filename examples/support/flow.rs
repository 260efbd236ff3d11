//! The flow: what a ticket goes through from its arrival to its resolution.

use pravah_runtime::prelude::*;

/// A customer's message, one line of `tickets.jsonl`.
#[state]
#[derive(Clone)]
pub(crate) struct Ticket {
    pub(crate) id: String,
    pub(crate) from: String,
    pub(crate) subject: String,
    pub(crate) body: String,
}

/// What the agent makes of a ticket.
#[state]
pub(crate) struct Verdict {
    /// The answer to the customer, one or two sentences.
    reply: String,
    /// The whole euros that the customer asks back, 0 if none.
    refund: u32,
}

/// A ticket that an answer settles.
#[state]
pub(crate) struct Question {
    reply: String,
}

/// A ticket that asks for money.
#[state]
pub(crate) struct Claim {
    customer: String,
    subject: String,
    euros: u32,
    reply: String,
}

/// A claim that somebody approved.
#[state]
pub(crate) struct Approved;

/// A claim that somebody refused.
#[state]
pub(crate) struct Refused;

/// How a ticket ended.
#[state]
#[derive(Clone)]
pub(crate) struct Resolution {
    pub(crate) ticket: String,
    pub(crate) outcome: String,
}

impl Ticket {
    fn ends(&self, outcome: String) -> Resolution {
        let ticket = self.id.clone();
        Resolution { ticket, outcome }
    }
}

/// What a person says to a refund.
#[state]
pub(crate) struct Decision {
    pub(crate) approved: bool,
}

/// An article as the model gets it.
#[state]
pub(crate) struct Article {
    file: String,
    text: String,
}

/// Searches the help articles. Gives at most two, the best first.
#[tool]
async fn search_articles(
    /// What to look for: a few words.
    words: String,
    files: Files,
) -> Result<Vec<Article>, ToolError> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let mut found = Vec::new();
    // Paths are relative to the working directory, and cannot leave it.
    for file in files.read_dir(".")? {
        let text = files.read_to_string(&file)?;
        let lower = text.to_lowercase();
        let hits = words.iter().filter(|word| lower.contains(*word)).count();
        if hits > 0 {
            found.push((hits, Article { file, text }));
        }
    }
    // The sort keeps the order of the names among equals.
    found.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    Ok(found
        .into_iter()
        .take(2)
        .map(|(_, article)| article)
        .collect())
}

/// Reads a ticket, and looks up what the articles say about it.
#[agent(
    model = "openai://gpt-4o-mini",
    preamble = "You triage support tickets. Search the articles before you answer, and promise \
                nothing that they do not say.",
    output = Verdict,
    tools = [search_articles],
)]
fn triage(ticket: &Ticket) -> String {
    format!("{}\n\n{}", ticket.subject, ticket.body)
}

#[node]
fn route(verdict: Verdict, ticket: Input<Ticket>) -> Either<Question, Claim> {
    let Verdict { reply, refund } = verdict;
    if refund == 0 {
        return Either::Left(Question { reply });
    }
    Either::Right(Claim {
        customer: ticket.from.clone(),
        subject: ticket.subject.clone(),
        euros: refund,
        reply,
    })
}

#[node]
fn answer(question: Question, ticket: Input<Ticket>) -> Resolution {
    ticket.ends(format!("answered: {}", question.reply))
}

/// Suspends the run until a person has decided.
#[gate(prompt = "Pay this refund?")]
fn approve(_: Claim, decision: Decision) -> Either<Approved, Refused> {
    match decision.approved {
        true => Either::Left(Approved),
        false => Either::Right(Refused),
    }
}

#[node]
async fn pay(_: Approved, claim: Latest<Claim>, ticket: Input<Ticket>, step: Step) -> Resolution {
    // A step that was cut off runs again: the bank would know the second attempt by this key.
    let receipt = bank_transfer(&step.key(), claim.euros).await;
    ticket.ends(format!("refunded: {} ({receipt})", claim.reply))
}

/// Where an application would call its bank.
async fn bank_transfer(_idempotency_key: &str, euros: u32) -> String {
    format!("{euros} euros paid back")
}

#[node]
fn decline(_: Refused, claim: Latest<Claim>, ticket: Input<Ticket>) -> Resolution {
    ticket.ends(format!("declined: {} We cannot pay a refund.", claim.reply))
}

/// Handles one support ticket. Nothing in it runs a command or asks a server but for its model.
#[flow(only(files))]
pub(crate) fn support(ticket: Ticket) -> Resolution {
    flow! { triage -> route -> either(answer, approve -> either(pay, decline)) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use pravah_runtime::{FlowConf, testing::CrashTest};
    use serde_json::json;

    use super::*;
    use crate::{model::Models, tickets};

    #[tokio::test]
    async fn a_ticket_comes_to_the_same_resolution_wherever_its_run_is_broken_off() {
        let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/support/data"));
        let tickets = tickets::read(&data.join("tickets.jsonl")).unwrap();
        for (id, approved, outcome) in [
            ("T-1", true, "answered: Choose \"Forgot password\""),
            ("T-2", true, "refunded: We are sorry"),
            ("T-2", false, "declined: We are sorry"),
            ("T-3", true, "answered: Delivery takes"),
        ] {
            let ticket = tickets.iter().find(|ticket| ticket.id == id);
            let ticket = ticket.unwrap().clone();
            let models = Models::scripted(&data.join("script.json")).unwrap();
            let articles = data.join("articles");
            let test = CrashTest::<Ticket>::new(move || ticket.clone())
                .with_context(move |_| {
                    Context::new(FlowConf {
                        working_dir: articles.clone(),
                        ..FlowConf::default()
                    })
                })
                .with_setup(move |run| models.serve(run, id).unwrap())
                .answering(move |_question| Some(json!(Decision { approved })));
            let report = test.check().await.unwrap();
            let ended = report.output["outcome"].as_str().unwrap();
            assert!(ended.starts_with(outcome), "{ended}");
        }
    }
}
