//! Runs of earlier versions that have made calls.

use pravah_runtime::prelude::*;
use serde_json::json;

use super::ctx;

macro_rules! version {
    ($version:ident, [$($field:ident)*], { $($nodes:tt)* }, $($chain:tt)*) => {
        mod $version {
            use pravah_runtime::prelude::*;

            #[state]
            pub(super) struct Plan {
                pub(super) topics: Vec<String>,
            }
            #[state]
            pub(super) struct Topic {
                pub(super) name: String,
            }
            #[state]
            pub(super) struct Finding {
                $(pub(super) $field: String),*
            }
            #[state]
            pub(super) struct Text {
                pub(super) text: String,
            }

            /// You look things up.
            #[agent(model = "openai://m", output = Finding)]
            fn researcher(topic: &Topic) -> String {
                topic.name.clone()
            }

            #[node(agents = [researcher])]
            fn look_up(plan: &Plan) -> Invoke<Each<Finding>> {
                let topics = plan.topics.iter().map(|name| Topic { name: name.clone() });
                Invoke::all(topics.map(researcher::invoke))
            }

            $($nodes)*

            #[flow(named)]
            #[allow(dead_code)]
            pub(super) fn reporting(plan: Plan) -> Text {
                flow! { look_up -> $($chain)* }
            }
        }
    };
}

version!(
    v1,
    [text],
    {
        #[node]
        fn write(all: Each<Finding>) -> Text {
            Text {
                text: all.iter().map(|it| &*it.text).collect(),
            }
        }
    },
    write
);

version!(v2, [text source], {
    #[node]
    fn join(all: Each<Finding>) -> Topic {
        Topic { name: all.iter().map(|it| it.text.clone() + &it.source).collect() }
    }
    #[node]
    fn write(topic: Topic) -> Text {
        Text { text: topic.name }
    }
}, join -> write);

#[tokio::test]
async fn a_result_that_the_new_version_cannot_read_is_refused_or_dropped() {
    let script = ScriptedModel::new().reply("researcher", json!({ "text": "A." }));
    let topics = vec!["a".into(), "b".into()];
    let run = v1::reporting::start(v1::Plan { topics }).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    let stored = serde_json::to_string(&run).unwrap();
    let load = |options: &LoadOptions| {
        let snapshot = serde_json::from_str(&stored).unwrap();
        FlowRuntime::<v2::reporting>::from_snapshot_with(snapshot, options)
    };
    let error = load(&LoadOptions::new()).unwrap_err().to_string();
    assert!(error.contains("missing field `source`"), "{error}");
    let run = load(&LoadOptions::new().drop_progress()).unwrap();
    assert!(!run.load_report().unwrap().dropped.is_empty());
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    assert_eq!(snapshot.get("lists"), None, "the node starts over");
}
