//! A flow whose runs are looked after.

use pravah_runtime::prelude::*;

#[state]
pub(crate) struct Ticket {
    pub(crate) text: String,
}
#[state]
struct Drafted {
    reply: String,
}
#[state]
pub(crate) struct Answered {
    reply: String,
}

/// Fails for what is nothing.
#[node]
fn draft(ticket: Ticket) -> Result<Drafted, FlowError> {
    match &*ticket.text {
        "" => Err("the ticket is empty".into()),
        text => Ok(Drafted {
            reply: format!("On {text}: sorry."),
        }),
    }
}

#[gate(prompt = format!("Send\n{:?}?", drafted.reply))]
fn approve(drafted: Drafted, yes: bool) -> Answered {
    Answered {
        reply: if yes { drafted.reply } else { "Later.".into() },
    }
}

#[flow(named)]
pub(crate) fn support(ticket: Ticket) -> Answered {
    flow! { draft -> approve }
}
