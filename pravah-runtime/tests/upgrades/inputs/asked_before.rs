//! Inputs that a flow asks for only before the places where runs wait.

use pravah_runtime::{LoadOptions, prelude::*};

use crate::problems_as_loaded;

macro_rules! version {
    ($version:ident, $($flow:tt)*) => {
        #[allow(dead_code, reason = "not every version has every node")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Draft, Left, Right, Read, Heard, Done);

            #[node]
            fn write(text: Text) -> Draft {
                Draft { n: text.n }
            }

            #[node]
            fn read(_: Draft) -> Read {
                Read { n: 1 }
            }

            #[node]
            fn read_twice(_: Draft, draft: Input<Draft>) -> Read {
                Read { n: draft.n }
            }

            #[node]
            fn print(read: Read) -> Done {
                Done { n: read.n }
            }

            #[node]
            fn split(draft: Draft) -> (Left, Right) {
                (Left { n: draft.n }, Right { n: draft.n })
            }

            #[node]
            fn see(left: Left) -> Read {
                Read { n: left.n }
            }

            #[node]
            fn see_all(left: Left, draft: Input<Draft>) -> Read {
                Read { n: left.n + draft.n }
            }

            #[node]
            fn hear(right: Right) -> Heard {
                Heard { n: right.n }
            }

            #[node]
            fn join(read: Read, heard: Heard) -> Done {
                Done { n: read.n + heard.n }
            }

            $($flow)*
        }
    };
}

version! { from_text,
    #[flow(named)]
    pub(super) fn desk(text: Text) -> Done {
        flow! { write -> read -> print }
    }
}
version! { from_draft,
    #[flow(named)]
    pub(super) fn desk(draft: Draft) -> Done {
        flow! { read_twice -> print }
    }
}

#[tokio::test]
async fn a_run_that_is_past_the_only_node_that_asks_for_an_input_needs_none() {
    let run = FlowRuntime::<from_text::desk>::start(from_text::Text { n: 5 }).unwrap();
    let draft = |text: from_text::Text| from_draft::Draft { n: text.n };
    let options = LoadOptions::new().with_moved_state("Text", draft);
    let problems = problems_as_loaded::<_, from_draft::desk>(run, &options).await;
    assert_eq!(problems, [""; 0]);
}

version! { split_from_text,
    #[flow(named)]
    pub(super) fn desk(text: Text) -> Done {
        flow! { write -> split -> fork(see -> join(join), hear -> join(join)) }
    }
}
version! { split_from_draft,
    #[flow(named)]
    pub(super) fn desk(draft: Draft) -> Done {
        flow! { split -> fork(see_all -> join(join), hear -> join(join)) }
    }
}

#[tokio::test]
async fn the_branch_that_asks_for_an_input_needs_it_and_not_the_other_one() {
    let run = FlowRuntime::<split_from_text::desk>::start(split_from_text::Text { n: 5 }).unwrap();
    let draft = |text: split_from_text::Text| split_from_draft::Draft { n: text.n };
    let options = LoadOptions::new().with_moved_state("Text", draft);
    let problems = problems_as_loaded::<_, split_from_draft::desk>(run, &options).await;
    let [problem] = &problems[..] else {
        panic!("{problems:#?}")
    };
    assert!(problem.contains("`Left`"), "{problem}");
}
