//! A flow like the README's, end to end.

use pravah_runtime::prelude::*;

#[state]
#[derive(Clone, Debug)]
struct Ticket {
    subject: String,
    body: String,
}
#[state]
struct Verdict {
    urgent: bool,
    topic: String,
}
#[state]
struct Urgent {
    topic: String,
}
#[state]
struct Routine {
    topic: String,
}
#[state]
struct Paged {
    engineer: String,
}
#[state]
struct Answered {
    text: String,
}
#[state]
#[derive(Debug, PartialEq)]
struct Resolution {
    summary: String,
}

/// Looks up the customer's recent orders.
#[tool]
async fn recent_orders(
    /// The customer's e-mail address.
    email: String,
    ctx: Context,
) -> Result<Vec<String>, ToolError> {
    let _ = ctx;
    Ok(vec![format!("order of {email}")])
}

/// Reads a ticket and decides how urgent it is.
#[agent(
    model    = "openai://gpt-4o-mini",
    preamble = "You triage support tickets.",
    output   = Verdict,
    tools    = [recent_orders],
)]
fn triage(ticket: &Ticket) -> String {
    format!("{}\n\n{}", ticket.subject, ticket.body)
}

#[node]
fn route(v: Verdict) -> Either<Urgent, Routine> {
    if v.urgent {
        Either::Left(Urgent { topic: v.topic })
    } else {
        Either::Right(Routine { topic: v.topic })
    }
}

#[node]
async fn page(u: &Urgent, ctx: Context) -> Result<Paged, std::io::Error> {
    let ticket = ctx.input::<Ticket>().map_err(std::io::Error::other)?;
    Ok(Paged {
        engineer: format!("engineer for {} ({})", u.topic, ticket.subject),
    })
}

#[node]
async fn answer(r: &Routine) -> Answered {
    Answered {
        text: format!("about {}", r.topic),
    }
}

#[node]
fn close(outcome: Either<Paged, Answered>) -> Resolution {
    Resolution {
        summary: match outcome {
            Either::Left(paged) => paged.engineer,
            Either::Right(answered) => answered.text,
        },
    }
}

/// Handles one support ticket from arrival to resolution.
#[flow]
fn support(ticket: Ticket) -> Resolution {
    flow! { triage -> route -> either(page, answer) -> join(close) }
}

#[tokio::test]
async fn the_tour_runs() {
    let script = ScriptedModel::new()
        .call(
            "triage",
            "recent_orders",
            serde_json::json!({ "email": "a@b.c" }),
        )
        .call(
            "triage",
            "submit",
            serde_json::json!({ "urgent": true, "topic": "outage" }),
        );
    let ticket = Ticket {
        subject: "Down".into(),
        body: "Everything".into(),
    };
    let mut run = FlowRuntime::new(ticket)
        .unwrap()
        .with_factory(ClientFactory::new().with_scripted(script));
    let ctx = Context::default();
    let mut steps = Vec::new();
    let done = loop {
        match run.next(ctx.clone()).await.unwrap() {
            RunOut::Done(done) => break done,
            _ => steps.push(run.last_step().unwrap().to_string()),
        }
        let json = serde_json::to_string(&run.snapshot()).unwrap();
        let _: FlowSnapshot = serde_json::from_str(&json).unwrap();
    };
    assert_eq!(done.summary, "engineer for outage (Down)");
    assert_eq!(
        steps,
        [
            "1. triage (model)",
            "2. triage (tools)",
            "3. triage (model) -> Verdict",
            "4. route -> Urgent",
            "5. page -> Paged"
        ]
    );
    assert_eq!(support::TOPOLOGY.nodes.len(), 5);
}
