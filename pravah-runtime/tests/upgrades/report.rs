//! What is said of a run that was taken over.

use std::collections::BTreeSet;

use pravah_runtime::{FlowVersion, LoadOptions, prelude::*};

use crate::{done, refusal, refusal_without, steps, upgraded, upgraded_with};

/// A loop within a nested flow.
mod v1 {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Judged, Published);

    #[node]
    fn write(text: Text) -> Draft {
        Draft { n: text.n }
    }

    #[node]
    fn judge(draft: Draft) -> Either<Text, Judged> {
        match draft.n {
            0 => Either::Right(Judged { n: 0 }),
            n => Either::Left(Text { n: n - 1 }),
        }
    }

    #[flow(named)]
    fn revise(text: Text) -> Judged {
        flow! { write -> judge -> either(write, done) }
    }

    #[node]
    fn publish(judged: Judged) -> Published {
        Published { n: judged.n }
    }

    #[flow]
    pub(crate) fn paper(text: Text) -> Published {
        flow! { revise -> publish }
    }
}

/// No loop any more, and two nodes more: before and after.
mod v2 {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Plan, Judged, Printed, Published);

    #[node]
    fn plan(text: Text) -> Plan {
        Plan { n: text.n }
    }

    #[node]
    fn judge(plan: Plan) -> Judged {
        Judged { n: plan.n }
    }

    #[node]
    fn print(judged: Judged) -> Printed {
        Printed { n: judged.n }
    }

    #[node]
    fn publish(printed: Printed) -> Published {
        Published { n: printed.n }
    }

    #[flow]
    pub(crate) fn paper(text: Text) -> Published {
        flow! { plan -> judge -> print -> publish }
    }
}

/// A nested flow.
mod v3 {
    use pravah_runtime::prelude::*;

    crate::states!(Start, Draft, Edited, Published);

    #[node]
    fn start_draft(start: Start) -> Draft {
        Draft { n: start.n }
    }

    #[node]
    pub(crate) fn edit(draft: Draft) -> Edited {
        Edited { n: draft.n }
    }

    #[node]
    pub(crate) fn publish(edited: Edited) -> Result<Published, String> {
        Ok(Published { n: edited.n })
    }

    #[flow(named)]
    fn publishing(draft: Draft) -> Published {
        flow! { edit -> publish }
    }

    #[flow]
    pub(crate) fn paper(start: Start) -> Published {
        flow! { start_draft -> publishing }
    }
}

/// The same with a `catch` around it.
mod v4 {
    use pravah_runtime::prelude::*;

    crate::states!(Start, Draft, Edited, Published);

    #[node]
    fn start_draft(start: Start) -> Draft {
        Draft { n: start.n }
    }

    #[node]
    fn edit(draft: Draft) -> Edited {
        Edited { n: draft.n }
    }

    #[node]
    fn publish(edited: Edited) -> Result<Published, String> {
        Err(format!("{} is too long", edited.n))
    }

    #[flow(named)]
    fn publishing(draft: Draft) -> Published {
        flow! { edit -> publish }
    }

    #[node]
    fn give_up(failure: Failure<Draft>) -> Published {
        Published {
            n: 100 + failure.input.n,
        }
    }

    #[flow]
    pub(crate) fn paper(start: Start) -> Published {
        flow! { start_draft -> publishing; catch(publishing) -> give_up }
    }
}

fn keys<const N: usize>(keys: [&str; N]) -> BTreeSet<String> {
    keys.map(str::to_owned).into()
}

#[tokio::test]
async fn a_run_of_the_same_version_has_no_report() {
    let run = FlowRuntime::new(v1::Text { n: 2 }).unwrap();
    assert!(upgraded::<v1::Text, _>(&run).load_report().is_none());
    assert!(run.load_report().is_none());
}

#[tokio::test]
async fn the_visits_of_a_node_that_is_gone_are_kept() {
    let mut run = FlowRuntime::new(v1::Text { n: 2 }).unwrap();
    steps(&mut run, 5).await;
    let fingerprint = v1::paper::graph().unwrap().fingerprint().to_string();
    // It is about to judge for the third time.
    assert!(refusal::<v2::Text, _>(&run).contains("`revise::Draft`"));
    steps(&mut run, 1).await;
    let mut run = upgraded::<v2::Text, _>(&run);
    let report = run.load_report().unwrap();
    assert_eq!(report.fingerprint, fingerprint);
    // A later version may have the node again.
    assert_eq!(report.dropped, []);
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    assert_eq!(snapshot["visits"]["revise::Draft"], 3, "{snapshot}");
    // Nobody has said which nodes there were.
    assert!(report.added.is_empty() && report.removed.is_empty() && report.skipped.is_empty());
    assert_eq!(done(&mut run).await, v2::Published { n: 0 });
}

#[tokio::test]
async fn nodes_that_were_added_removed_and_skipped_are_named_where_the_version_is_known() {
    let version = serde_json::to_string(&v1::paper::graph().unwrap().version()).unwrap();
    let version: FlowVersion = serde_json::from_str(&version).unwrap();
    let other = v2::paper::graph().unwrap().version();
    let options = LoadOptions::new().with_version(other).with_version(version);
    let mut run = FlowRuntime::new(v1::Text { n: 0 }).unwrap();
    let before = upgraded_with::<v2::Text, _>(&run, &options).unwrap();
    let report = before.load_report().unwrap();
    assert_eq!(report.added, keys(["Plan", "Printed"]));
    assert_eq!(report.removed, keys(["revise::Draft"]));
    assert_eq!(report.skipped, keys([]));
    steps(&mut run, 2).await;
    let after = upgraded_with::<v2::Text, _>(&run, &options).unwrap();
    assert_eq!(after.load_report().unwrap().skipped, keys(["Plan"]));
    steps(&mut run, 1).await;
    let done = upgraded_with::<v2::Text, _>(&run, &options).unwrap();
    assert_eq!(
        done.load_report().unwrap().skipped,
        keys(["Plan", "Printed"])
    );
}

#[tokio::test]
async fn a_catch_around_a_flow_takes_the_input_of_a_run_that_started_without_it() {
    for after in 0..3 {
        let mut run = FlowRuntime::new(v3::Start { n: 1 }).unwrap();
        steps(&mut run, after).await;
        let mut run = upgraded::<v4::Start, _>(&run);
        assert_eq!(done(&mut run).await, v4::Published { n: 101 });
    }
}

#[tokio::test]
async fn a_flow_with_a_catch_whose_input_is_not_there_is_refused() {
    let mut run = FlowRuntime::new(v4::Start { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    assert_eq!(
        refusal_without(&run, "publishing::Draft"),
        "the snapshot could not be loaded: `publishing::publish` is in a flow with a `catch`, and the flow's \
         input `publishing::Draft` is not there"
    );
}

#[tokio::test]
async fn the_input_of_a_flow_in_which_nothing_waits_is_dropped() {
    let run = FlowRuntime::new(v3::Start { n: 1 }).unwrap();
    let mut json = serde_json::to_value(run.snapshot()).unwrap();
    json["inputs"] = serde_json::json!({ "publishing::Draft": { "n": 2 } });
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let mut run = FlowRuntime::<v4::Start>::from_snapshot(snapshot).unwrap();
    let dropped = &run.load_report().unwrap().dropped;
    assert_eq!(dropped[0].entry, "/inputs/publishing::Draft");
    assert_eq!(
        dropped[0].why,
        "nothing waits in the flow of `publishing::Draft`"
    );
    assert_eq!(done(&mut run).await, v4::Published { n: 101 });
}

/// The same net without the nested flow.
mod v5 {
    use pravah_runtime::prelude::*;

    crate::states!(Start, Draft, Published);

    #[node]
    fn start_draft(start: Start) -> Draft {
        Draft { n: start.n }
    }

    #[node]
    fn publish(draft: Draft) -> Published {
        Published { n: draft.n }
    }

    #[flow]
    pub(crate) fn paper(start: Start) -> Published {
        flow! { start_draft -> publish }
    }

    pub(crate) mod nested {
        use pravah_runtime::prelude::*;

        crate::states!(Start, Draft, Published);

        #[node]
        fn start_draft(start: Start) -> Draft {
            Draft { n: start.n }
        }

        #[node]
        fn publish(draft: Draft, ctx: Context) -> Result<Published, FlowError> {
            let n = ctx.input::<Draft>()?.n;
            assert_eq!(n, draft.n);
            Ok(Published { n })
        }

        #[flow(named)]
        fn publishing(draft: Draft) -> Published {
            flow! { publish }
        }

        #[flow]
        pub(crate) fn paper(start: Start) -> Published {
            flow! { start_draft -> publishing }
        }
    }
}

#[tokio::test]
async fn a_nested_flow_may_come_and_go_around_what_waits() {
    let mut flat = FlowRuntime::new(v5::Start { n: 1 }).unwrap();
    steps(&mut flat, 1).await;
    let mut nested = upgraded::<v5::nested::Start, _>(&flat);
    assert!(nested.load_report().is_some());
    assert_eq!(done(&mut nested).await, v5::nested::Published { n: 1 });
    let mut nested = FlowRuntime::new(v5::nested::Start { n: 1 }).unwrap();
    steps(&mut nested, 1).await;
    let mut flat = upgraded::<v5::Start, _>(&nested);
    assert_eq!(done(&mut flat).await, v5::Published { n: 1 });
}

#[tokio::test]
async fn an_input_that_is_still_needed_and_cannot_be_read_is_refused() {
    let mut run = FlowRuntime::new(v4::Start { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    let mut json = serde_json::to_value(run.snapshot()).unwrap();
    json["inputs"]["publishing::Draft"] = "no draft".into();
    json["fingerprint"] = "0".repeat(32).into();
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let error = FlowRuntime::<v4::Start>::from_snapshot(snapshot)
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("`Draft` cannot be read"),
        "{error}"
    );
}
