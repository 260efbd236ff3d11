//! A flow as a node of another: written, run and tested on its own, then named like any node. In
//! a snapshot its inner states are under its prefix.

use pravah_runtime::prelude::*;

#[state]
#[derive(Clone)]
struct Inquiry {
    customer: String,
    item: String,
    pieces: u32,
}

#[state]
#[derive(Clone)]
struct QuoteRequest {
    item: String,
    pieces: u32,
}

#[state]
struct ListPrice {
    euros: u32,
}

#[state]
struct Quote {
    euros: u32,
}

#[state]
struct Offer {
    text: String,
}

#[node]
fn look_up(request: &QuoteRequest) -> ListPrice {
    ListPrice {
        euros: if request.item == "kettle" { 24 } else { 9 },
    }
}

/// Reads the input of the flow that it is in, which no state has to carry this far.
#[node]
fn discount(price: ListPrice, request: Input<QuoteRequest>) -> Quote {
    let full = price.euros * request.pieces;
    let euros = match request.pieces {
        10.. => full * 9 / 10,
        _ => full,
    };
    Quote { euros }
}

/// The inner flow.
#[flow]
fn quote(request: QuoteRequest) -> Quote {
    flow! { look_up -> discount }
}

#[node]
fn read(inquiry: Inquiry) -> QuoteRequest {
    QuoteRequest {
        item: inquiry.item,
        pieces: inquiry.pieces,
    }
}

#[node]
fn write(quote: Quote, inquiry: Input<Inquiry>) -> Offer {
    let Inquiry {
        customer,
        item,
        pieces,
    } = &*inquiry;
    Offer {
        text: format!(
            "Dear {customer}, {pieces} x {item} cost {} euros.",
            quote.euros
        ),
    }
}

/// The outer flow.
#[flow]
fn sell(inquiry: Inquiry) -> Offer {
    flow! { read -> quote -> write }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = Context::default();
    let request = QuoteRequest {
        item: "kettle".to_owned(),
        pieces: 2,
    };
    println!(
        "on its own: {} euros",
        quote(request, ctx.clone()).await?.euros
    );

    println!("in another flow:");
    let inquiry = Inquiry {
        customer: "Ana".to_owned(),
        item: "kettle".to_owned(),
        pieces: 10,
    };
    let mut run = FlowRuntime::new(inquiry)?;
    loop {
        let out = run.next(ctx.clone()).await?;
        if let Some(step) = run.last_step() {
            println!("  {step}");
        }
        if let RunOut::Done(offer) = out {
            println!("{}", offer.text);
            return Ok(());
        }
        let snapshot = serde_json::to_value(&run)?;
        if let Some(states) = snapshot.get("states") {
            println!("     states: {states}");
        }
    }
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn an_offer_is_the_same_wherever_its_run_is_broken_off() {
        let test = CrashTest::<Inquiry>::new(|| Inquiry {
            customer: "Ana".to_owned(),
            item: "kettle".to_owned(),
            pieces: 10,
        });
        let report = test.check().await.unwrap();
        assert_eq!(
            report.output["text"],
            "Dear Ana, 10 x kettle cost 216 euros."
        );
    }
}
