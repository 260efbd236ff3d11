//! Runs that one version of a flow has stored, and another one resumes.

use std::{sync::Arc, time::Duration};

use pravah_runtime::{FlowDef, LoadOptions, prelude::*};
use pravah_store::{Command, RunInfo, RunStore, Runs, Status, Worker};

use crate::{
    faults::Faulty,
    flows::{Working, until},
    support::TestStore,
};

crate::over_every_store! {
    a_run_of_an_earlier_version_resumes_and_is_stored_as_one_of_this,
    what_a_version_has_no_use_for_is_dropped_where_that_is_allowed,
    a_process_that_ends_right_after_an_upgrade_leaves_a_run_of_the_new_version,
}

/// A version of the flow that takes a `Draft`, with the node that makes an `Approved` of it.
macro_rules! version {
    ($name:ident, { $($approval:tt)+ } $flow:tt) => {
        mod $name {
            use pravah_runtime::prelude::*;

            #[state]
            pub(super) struct Draft {
                pub(super) words: u32,
            }
            #[state]
            pub(super) struct Approved {
                words: u32,
            }
            #[state]
            #[derive(Debug, PartialEq)]
            pub(super) struct Printed {
                pub(super) words: u32,
            }

            $($approval)+

            #[node]
            fn print(approved: Approved) -> Printed {
                Printed { words: approved.words }
            }

            #[flow]
            fn book(draft: Draft) -> Printed {
                flow! $flow
            }
        }
    };
}

version! { v1,
    {
        #[gate(prompt = "Approve?")]
        fn approve(draft: Draft, _yes: bool) -> Approved {
            Approved { words: draft.words }
        }
    }
    { approve -> print }
}

// The gate wants words.
version! { v2,
    {
        #[gate(prompt = "Approve?")]
        fn approve(draft: Draft, _why: String) -> Approved {
            Approved { words: draft.words }
        }
    }
    { approve -> print }
}

// Nobody is asked any more.
version! { v3,
    {
        #[node]
        fn shorten(draft: Draft) -> Either<Draft, Approved> {
            match draft.words {
                0..100 => Either::Right(Approved { words: draft.words }),
                words => Either::Left(Draft { words: words / 2 }),
            }
        }
    }
    { shorten -> either(shorten, print) }
}

fn with_version<F: FlowDef>(store: Arc<dyn RunStore>, options: LoadOptions) -> Working {
    let worker = Worker::new(store).serve::<F>();
    Working::start(worker.with_load_options::<F>(options))
}

/// A run that waits for its gate, of the first version.
async fn waiting(it: &TestStore, runs: &Runs) -> String {
    let working = with_version::<v1::Draft>(it.reopen(), LoadOptions::new());
    let start = runs.start::<v1::Draft>(v1::Draft { words: 300 });
    let id = start.await.unwrap();
    until(runs, &id, Status::Suspended).await;
    working.kill().await;
    id
}

async fn a_run_of_an_earlier_version_resumes_and_is_stored_as_one_of_this(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = waiting(&it, &runs).await;
    let options = LoadOptions::new().with_version(v1::Draft::graph().unwrap().version());
    let working = with_version::<v3::Draft>(it.reopen(), options.drop_progress());
    // A run that waits is claimed when it is told something.
    runs.send(&id, Command::Unpause).await.unwrap();
    until(&runs, &id, Status::Done).await;
    working.kill().await;
    let output = runs.output::<v3::Draft>(&id).await.unwrap();
    assert_eq!(output, Some(v3::Printed { words: 75 }));
    // What the version has no use for is gone, and what is stored is all of it.
    let entries = runs.entries_at(&id, 2).await.unwrap();
    let snapshot = FlowSnapshot::from_entries(&entries).unwrap();
    let run = FlowRuntime::<v3::Draft>::from_snapshot(snapshot).unwrap();
    assert!(run.load_report().is_none() && run.suspensions().is_empty());
}

async fn what_a_version_has_no_use_for_is_dropped_where_that_is_allowed(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = waiting(&it, &runs).await;
    let refused = with_version::<v2::Draft>(it.reopen(), LoadOptions::new());
    runs.answer(&id, "approve", "very good").await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let info = runs.status(&id).await.unwrap();
    assert_eq!(info.step, 1);
    assert!(info.error.unwrap().contains("drop_progress"));
    refused.kill().await;

    let options = LoadOptions::new().drop_progress();
    let _allowed = with_version::<v2::Draft>(it.reopen(), options);
    let asked = |info: RunInfo| info.questions.first().map(|question| question.number);
    while asked(runs.status(&id).await.unwrap()) != Some(1) {
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    runs.answer(&id, "approve", "very good").await.unwrap();
    until(&runs, &id, Status::Done).await;
}

async fn a_process_that_ends_right_after_an_upgrade_leaves_a_run_of_the_new_version(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = waiting(&it, &runs).await;
    let mut store = Faulty::new(it.reopen()).with_commits(1);
    store.answers_last = false;
    let options = LoadOptions::new().drop_progress();
    let working = with_version::<v3::Draft>(Arc::new(store.clone()), options);
    runs.cancel(&id, "too long").await.unwrap();
    while store.commits_left() > 0 {
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    working.kill().await;
    let info = runs.status(&id).await.unwrap();
    assert_eq!(
        (info.step, info.status, info.questions),
        (2, Status::Ready, vec![])
    );
    // No options are needed any more, and what it was told is not lost.
    let _next = with_version::<v3::Draft>(it.reopen(), LoadOptions::new());
    until(&runs, &id, Status::Cancelled).await;
}
