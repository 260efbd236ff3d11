//! A web service whose runs outlive it. Start it, kill it, start it again: every run resumes after its last step.
//!
//! ```sh
//! cargo run -p pravah-examples --bin service
//! curl --json '{ "id": "claim-7", "claim": { "euros": 120, "reason": "it broke" } }' localhost:8080/runs
//! curl 'localhost:8080/runs?status=suspended'
//! curl localhost:8080/runs/claim-7
//! curl --json true localhost:8080/runs/claim-7/answers/approve
//! curl --no-buffer localhost:8080/runs/claim-7/events
//! ```
//!
//! There is no authentication: a real service identifies its callers, and gives each of them a tenant.

mod flow;
mod shutdown;
mod web;

use std::{future::IntoFuture as _, net::SocketAddr, path::PathBuf, time::Duration};

use clap::Parser;
use pravah_runtime::prelude::*;
use pravah_store::{Runs, SqliteStore, Worker};
use tokio::net::TcpListener;

use crate::{
    flow::{Pace, refund},
    shutdown::Shutdown,
};

#[derive(Parser)]
struct Options {
    /// The port to listen on; 0 for any that is free.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The file that runs are kept in.
    #[arg(long, default_value = "runs.db")]
    store: PathBuf,
    /// How long each node takes, in milliseconds.
    #[arg(long, default_value_t = 1_000)]
    pace: u64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    let store = SqliteStore::open(&options.store)?;
    let shutdown = Shutdown::on_signal();

    let pace = Pace(Duration::from_millis(options.pace));
    let worker = Worker::new(store.clone())
        .serve_with::<refund>(|run, _| Ok(run.with_max_steps(100)))
        .with_context(Context::default().with_dep(pace))
        .with_slots(8)
        // After a crash the next process waits for this long.
        .with_lease(Duration::from_secs(5));
    let worker = tokio::spawn(worker.run(shutdown.clone().requested()));

    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], options.port))).await?;
    println!("listening on http://{}", listener.local_addr()?);
    let app = web::router(Runs::new(store), shutdown.clone());
    let server = axum::serve(listener, app).with_graceful_shutdown(shutdown.requested());
    server.into_future().await?;
    worker.await?;
    Ok(())
}
