//! A run as a trace: spans by OpenTelemetry's conventions for generative AI, printed, or sent to whatever takes OTLP
//! over HTTP. The run waits for a person in between, and is another trace after that, linked to the first.
//!
//! ```sh
//! cargo run -p pravah-examples --bin trace
//! cargo run -p pravah-examples --bin trace -- --otlp http://localhost:4318/v1/traces
//! ```

use std::error::Error;

use clap::Parser;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{SdkTracerProvider, SpanData},
};
use pravah_runtime::{ScriptedTurn, ToolError, Usage, prelude::*};
use serde_json::json;
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

#[derive(Parser)]
struct Options {
    /// Where to send the spans, as OTLP over HTTP; without it each is printed when it ends.
    #[arg(long)]
    otlp: Option<String>,
    /// Records prompts, answers, and the arguments and results of tools as well.
    #[arg(long)]
    content: bool,
}

#[state]
struct Claim {
    parcel: u32,
}

#[state]
struct Refund {
    euros: u32,
}

#[state]
struct Paid {
    euros: u32,
}

/// Says where a parcel is.
#[tool]
async fn track(parcel: u32) -> Result<String, ToolError> {
    tracing::info_span!(target: "shop", "query", table = "parcels")
        .in_scope(|| Ok(format!("Parcel {parcel} came three days late.")))
}

/// You decide on refunds for late parcels: 5 euros for each day, at most 50.
#[agent(model = "openai://gpt-4o-mini", output = Refund, tools = [track])]
fn judge(claim: &Claim) -> String {
    format!("Where is my parcel {}?", claim.parcel)
}

#[gate(prompt = "Pay this refund?")]
fn pay(refund: &Refund, yes: bool) -> Paid {
    Paid {
        euros: if yes { refund.euros } else { 0 },
    }
}

#[flow(named)]
fn refunds(claim: Claim) -> Paid {
    flow! { judge -> pay }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let exported = SdkTracerProvider::builder()
        .with_resource(Resource::builder().with_service_name("refunds").build());
    let exported = match &options.otlp {
        Some(url) => {
            // The exporter's HTTP client has `reqwest` without a provider of cryptography, as Pravah compiles it.
            let provider = rustls::crypto::ring::default_provider();
            provider.install_default().map_err(|_| "there is one")?;
            let exporter = SpanExporter::builder().with_http().with_endpoint(url);
            exported.with_batch_exporter(exporter.build()?)
        }
        None => exported.with_simple_exporter(Printer),
    };
    let exported = exported.build();
    subscribe(&exported);
    let outcome = answer_a_claim(options.content).await;
    exported.shutdown()?;
    println!("refund: {} euros", outcome?);
    Ok(())
}

/// Runs the flow, with a process that ends while a person is asked.
async fn answer_a_claim(with_content: bool) -> Result<u32, Box<dyn Error>> {
    let mut ctx = Context::default().with_dep(script());
    if with_content {
        ctx = ctx.with_traced_content();
    }
    let mut run = refunds::start(Claim { parcel: 7 })?;
    let RunOut::Suspend { tool_id, .. } = run.run(ctx.clone()).await? else {
        return Err("nobody was asked".into());
    };
    let saved = serde_json::to_string(&run)?;
    drop(run);

    let mut run = FlowRuntime::<refunds>::from_snapshot(serde_json::from_str(&saved)?)?;
    match run.answer(ctx, &tool_id, true).await? {
        RunOut::Done(paid) => Ok(paid.euros),
        other => Err(format!("the run is not done: {other:?}").into()),
    }
}

/// What the model says, so that no key is needed.
fn script() -> ScriptedModel {
    let question = ScriptedTurn::call("track", json!({ "parcel": 7 }));
    let answer = ScriptedTurn::reply(json!({ "euros": 15 }));
    ScriptedModel::new()
        .turn("judge", question.with_usage(Usage::new(120, 15)))
        .turn(
            "judge",
            answer.with_usage(Usage::new(160, 8).with_cached(128)),
        )
}

/// Exports the spans of Pravah and of this program.
fn subscribe(provider: &SdkTracerProvider) {
    let exported = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("refunds"))
        .with_location(false)
        .with_tracked_inactivity(false)
        .with_threads(false)
        .with_target(false)
        .with_level(false);
    let wanted = [("pravah", LevelFilter::INFO), ("shop", LevelFilter::INFO)];
    tracing_subscriber::registry()
        .with(exported.with_filter(Targets::new().with_targets(wanted)))
        .init();
}

/// Prints each span when it ends.
#[derive(Debug)]
struct Printer;

impl opentelemetry_sdk::trace::SpanExporter for Printer {
    async fn export(&self, spans: Vec<SpanData>) -> OTelSdkResult {
        for span in spans {
            println!("{} in {}", span.span_context.span_id(), span.parent_span_id);
            println!("  {}", span.name);
            for attribute in &span.attributes {
                println!("    {} = {}", attribute.key, attribute.value);
            }
            for link in &span.links.links {
                println!("    linked to {}", link.span_context.span_id());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn a_refund_is_the_same_wherever_its_run_is_broken_off() {
        for (yes, euros) in [(true, 15), (false, 0)] {
            let test = CrashTest::<refunds>::new(|| Claim { parcel: 7 })
                .with_context(|_| Context::default().with_dep(script()))
                .answering(move |_question| Some(json!(yes)));
            let report = test.check().await.unwrap();
            assert_eq!(report.output["euros"], euros);
        }
    }
}
