//! A run on a web page: the flow as a picture with what it is doing, and the question of its gate as a form that is
//! made from the schema of the answer.
//!
//! ```sh
//! cargo run -p pravah-examples --bin watch
//! ```

use std::{future::IntoFuture as _, net::SocketAddr, time::Duration};

use axum::{Router, response::Html, routing::get};
use clap::Parser;
use pravah_runtime::{ArcFrom, ArcTo, Channels, Topology, WebServer, prelude::*};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::oneshot,
    time::{sleep, timeout},
};

#[derive(Parser)]
struct Options {
    /// The port to listen on; any that is free, unless given.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// How long each node takes, in milliseconds.
    #[arg(long, default_value_t = 1_500)]
    pace: u64,
}

/// How long a node takes.
struct Pace(Duration);

#[state]
struct Claim {
    parcel: u32,
    days_late: u32,
}

#[state]
struct Tracked {
    days_late: u32,
}

#[state]
struct Worth {
    euros: u32,
}

#[state]
struct Proposal {
    euros: u32,
    text: String,
}

#[state]
struct Settled {
    text: String,
}

/// What a person decides.
#[state]
struct Decision {
    /// Whether the refund is paid.
    pay: bool,
    /// How much, in euros.
    euros: u32,
    method: PayoutMethod,
    /// What else the customer reads.
    note: Option<String>,
}

/// How it is paid.
#[state]
enum PayoutMethod {
    Card,
    Voucher,
}

#[node]
async fn track(claim: &Claim, pace: Dep<Pace>) -> Tracked {
    sleep(pace.0).await;
    Tracked {
        days_late: claim.days_late,
    }
}

#[node]
async fn appraise(claim: &Claim, pace: Dep<Pace>) -> Worth {
    sleep(pace.0 * 2).await;
    Worth {
        euros: 10 + claim.parcel,
    }
}

#[node]
async fn propose(tracked: &Tracked, value: &Worth, pace: Dep<Pace>) -> Proposal {
    sleep(pace.0).await;
    let euros = (5 * tracked.days_late).min(value.euros);
    Proposal {
        euros,
        text: format!(
            "{} days late, worth {} euros.",
            tracked.days_late, value.euros
        ),
    }
}

#[gate(prompt = "Shall this refund be paid?", assignee = "the desk")]
fn decide(_proposal: &Proposal, decision: Decision) -> Settled {
    let Decision {
        pay,
        euros,
        method,
        note,
    } = decision;
    let method = match method {
        PayoutMethod::Card => "to the card",
        PayoutMethod::Voucher => "as a voucher",
    };
    let text = match pay {
        true => format!("{euros} euros {method}"),
        false => "nothing".to_owned(),
    };
    Settled {
        text: match note {
            Some(note) => format!("{text} ({note})"),
            None => text,
        },
    }
}

#[flow(named)]
fn refunds(claim: Claim) -> Settled {
    flow! { fork(track, appraise) -> join(propose) -> decide }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    let server = WebServer::new();
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], options.port))).await?;
    let address = listener.local_addr()?;
    // The page is for everybody, and shows nothing without the token; browsers keep what follows `#` to themselves.
    let page = page();
    let page = Router::new().route("/", get(move || async { Html(page) }));
    let app = page.merge(server.router());
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async { drop(stopped.await) };
    let serving = axum::serve(listener, app).with_graceful_shutdown(stopped);
    let serving = tokio::spawn(serving.into_future());
    println!("open http://{address}/#{}", server.token());

    let pace = Pace(Duration::from_millis(options.pace));
    let mut run = refunds::start(Claim {
        parcel: 7,
        days_late: 3,
    })?
    .with_run_id("claim-7")
    .with_concurrency(2);
    let channels = Channels::new().with_required(server.channel());
    let out = run
        .serve_with(Context::default().with_dep(pace), channels)
        .await?;
    if let RunOut::Done(settled) = out {
        println!("settled: {}", settled.text);
    }
    // Whoever watches has the end of the run before the program ends.
    drop(stop);
    let _ = timeout(Duration::from_secs(5), serving).await;
    Ok(())
}

/// The page, with the flow that it draws.
fn page() -> String {
    let flow = drawing(refunds::TOPOLOGY).to_string();
    include_str!("page.html").replace("\"FLOW\"", &flow.replace('<', "\\u003c"))
}

/// The nodes of a flow by their names, and which leads to which.
fn drawing(flow: &Topology) -> Value {
    let name = |node: usize| flow.nodes.get(node).map_or("", |node| node.id);
    let arcs = flow.arcs.iter().filter_map(|arc| {
        let from = match arc.from {
            ArcFrom::Output { node, .. } => name(node),
            ArcFrom::Input => "start",
            _ => return None,
        };
        let to = match arc.to {
            ArcTo::Node(node) => name(node),
            _ => "done",
        };
        Some(json!([from, to]))
    });
    json!({ "name": flow.name, "arcs": arcs.collect::<Value>() })
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_claim_is_settled_in_the_same_way_wherever_its_run_is_broken_off() {
        let test = CrashTest::<refunds>::new(|| Claim {
            parcel: 7,
            days_late: 3,
        })
        .with_context(|_| Context::default().with_dep(Pace(Duration::from_secs(1))))
        .with_setup(|run| run.with_concurrency(2))
        .answering(|question| {
            Some(json!(Decision {
                pay: true,
                euros: question.value["state"]["euros"].as_u64()?.try_into().ok()?,
                method: PayoutMethod::Voucher,
                note: None,
            }))
        });
        let report = test.check().await.unwrap();
        assert_eq!(report.output["text"], "15 euros as a voucher");
    }
}
