//! States that come to have several takers, or one again.

use pravah_runtime::{LoadOptions, prelude::*};
use serde_json::json;

use crate::{done, refusal, upgraded, upgraded_with};

mod v1 {
    use pravah_runtime::prelude::*;

    crate::states!(Topic, Draft, Printed);

    #[node]
    fn write(topic: Topic) -> Draft {
        Draft { n: topic.n }
    }

    #[node]
    fn print(draft: Draft) -> Printed {
        Printed { n: draft.n + 1 }
    }

    #[flow]
    pub(crate) fn paper(topic: Topic) -> Printed {
        flow! { write -> print }
    }
}

/// A draft is polished before it is printed, and is a draft all the same.
mod v2 {
    use pravah_runtime::prelude::*;

    crate::states!(Topic, Draft, Printed);

    #[node]
    fn write(topic: Topic) -> Draft {
        Draft { n: topic.n }
    }

    #[node]
    fn polish(draft: &Draft) -> Draft {
        Draft { n: draft.n * 10 }
    }

    #[node]
    fn print(draft: Draft) -> Printed {
        Printed { n: draft.n + 1 }
    }

    #[flow]
    pub(crate) fn paper(topic: Topic) -> Printed {
        flow! { write -> polish -> print }
    }
}

/// A run in which a draft waits.
async fn drafted() -> FlowRuntime<v1::Topic> {
    let mut run = FlowRuntime::new(v1::Topic { n: 4 }).unwrap();
    run.next(Context::default()).await.unwrap();
    run
}

#[tokio::test]
async fn a_state_goes_to_the_node_that_took_it_in_the_known_version() {
    let version = v1::paper::graph().unwrap().version();
    assert_eq!(version.takers["Draft"], "print");
    let options = LoadOptions::new().with_version(version);
    let mut run = upgraded_with::<v2::Topic, _>(&drafted().await, &options).unwrap();
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    assert_eq!(snapshot["states"], json!({ "Draft@print": { "n": 4 } }));
    assert_eq!(done(&mut run).await.n, 5);
}

#[tokio::test]
async fn a_state_that_may_wait_in_several_places_is_refused_with_their_names() {
    assert_eq!(
        refusal::<v2::Topic, _>(&drafted().await),
        "`Draft` may be any of `Draft@polish`, `Draft@print`: `LoadOptions::with_version` would tell"
    );
}

#[tokio::test]
async fn a_state_with_one_taker_left_goes_there() {
    let mut run = FlowRuntime::new(v2::Topic { n: 4 }).unwrap();
    run.next(Context::default()).await.unwrap();
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    assert_eq!(snapshot["states"], json!({ "Draft@polish": { "n": 4 } }));
    let mut run = upgraded::<v1::Topic, _>(&run);
    assert_eq!(done(&mut run).await.n, 5);
}
