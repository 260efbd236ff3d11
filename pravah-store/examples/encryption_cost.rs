//! What encryption costs a step: `cargo run --release -p pravah-store --features encryption --example encryption_cost --
//! plain|encrypted STEPS BYTES` runs a flow of so many steps, whose state has a text of so many bytes, in a SQLite file,
//! and prints the bytes that a step stores. Run it under `valgrind --tool=callgrind` with two numbers of steps: the
//! difference is what the steps between them take.

use std::{env, error::Error, sync::Arc};

use pravah_runtime::prelude::*;
use pravah_store::{EncryptedStore, KeyRing, RunStore, Runs, SqliteOptions, Status, Worker};

#[state]
struct Counted {
    left: u32,
    text: String,
}
#[state]
struct Over {
    text: String,
}

#[node]
fn count(counted: Counted) -> Either<Counted, Over> {
    let Counted { left, text } = counted;
    match left.checked_sub(1) {
        Some(left) => Either::Left(Counted { left, text }),
        None => Either::Right(Over { text }),
    }
}

#[flow]
fn counting(counted: Counted) -> Over {
    flow! { count -> either(count, done) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [kind, steps, bytes] = &args[..] else {
        return Err("say `plain` or `encrypted`, how many steps, and how many bytes".into());
    };
    let steps: u32 = steps.parse()?;
    let folder = tempfile::tempdir()?;
    let file = SqliteOptions::new()
        .without_sync()
        .open(folder.path().join("runs.db"))?;
    let store: Arc<dyn RunStore> = match &**kind {
        "plain" => Arc::new(file.clone()),
        _ => Arc::new(EncryptedStore::new(
            file.clone(),
            KeyRing::new("2026", [6; 32])?,
        )),
    };
    let runs = Runs::new(store.clone());
    let start = Counted {
        left: steps.saturating_sub(1),
        text: "x".repeat(bytes.parse()?),
    };
    let id = runs.start::<Counted>(start).await?;
    let worker = Worker::new(store).serve_with::<Counted>(move |run, _| {
        let run = run.with_max_steps(u64::from(steps) + 1);
        Ok(run)
    });
    let mut events = runs.events(&id);
    let finished = async { while events.next().await.is_some() {} };
    worker.run(finished).await;
    let info = runs.status(&id).await?;
    if info.status != Status::Done {
        return Err(format!("it is {}: {:?}", info.status, info.error).into());
    }
    let raw = rusqlite::Connection::open(folder.path().join("runs.db"))?;
    let stored: i64 = raw.query_row("SELECT SUM(LENGTH(changes)) FROM history", [], |row| {
        row.get(0)
    })?;
    println!("{} bytes a step", stored / i64::from(steps));
    Ok(())
}
