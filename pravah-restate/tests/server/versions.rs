//! Runs that one version of a flow has written, and another one goes on with.

use pravah_restate::RestateFlows;
use pravah_runtime::LoadOptions;
use pravah_store::Status;

use crate::server::{Server, until};

/// The version that asks somebody.
mod first {
    use pravah_runtime::prelude::*;

    #[state]
    pub(super) struct Draft {
        pub(super) words: u32,
    }
    #[state]
    #[derive(Debug, PartialEq)]
    pub(super) struct Printed {
        pub(super) words: u32,
    }

    #[gate(prompt = "Approve?")]
    fn approve(draft: Draft, _yes: bool) -> Printed {
        Printed { words: draft.words }
    }

    #[flow]
    fn book(draft: Draft) -> Printed {
        flow! { approve }
    }
}

/// The version that asks nobody.
mod second {
    use pravah_runtime::prelude::*;

    #[state]
    pub(super) struct Draft {
        pub(super) words: u32,
    }
    #[state]
    #[derive(Debug, PartialEq)]
    pub(super) struct Printed {
        pub(super) words: u32,
    }

    #[node]
    fn shorten(draft: Draft) -> Either<Draft, Printed> {
        match draft.words {
            0..100 => Either::Right(Printed { words: draft.words }),
            words => Either::Left(Draft { words: words / 2 }),
        }
    }

    #[flow]
    fn book(draft: Draft) -> Printed {
        flow! { shorten -> either(shorten, done) }
    }
}

#[tokio::test]
async fn a_run_of_an_earlier_version_fails_as_it_is_or_goes_on_as_one_of_this() {
    let server = Server::start().await;
    let serving = server.serve(RestateFlows::new().serve::<first::Draft>());
    let serving = serving.await;
    let runs = server.runs();
    let start = runs.start::<first::Draft>(first::Draft { words: 300 });
    let id = start.await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    drop(serving);

    let flows = || RestateFlows::new().serve::<second::Draft>();
    let strict = LoadOptions::new();
    let serving = server.serve(flows().with_load_options::<second::Draft>(strict));
    let serving = serving.await;
    let before = server.state(&id).await;
    runs.emit(&id, "news", 1).await.unwrap();
    until(&runs, &id, Status::Failed).await;
    let after = server.state(&id).await;
    let entries = before.iter().filter(|(key, _)| key.starts_with("entry"));
    entries.for_each(|(key, json)| assert_eq!(after.get(key), Some(json)));
    drop(serving);

    let lenient = LoadOptions::new().drop_progress();
    let _serving = server
        .serve(flows().with_load_options::<second::Draft>(lenient))
        .await;
    runs.retry(&id).await.unwrap();
    let printed = runs.result::<second::Draft>(&id).await.unwrap();
    assert_eq!(printed, second::Printed { words: 75 });
}
