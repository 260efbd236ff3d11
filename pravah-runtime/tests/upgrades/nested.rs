//! Nested flows that are put around nodes, renamed and change places, and their inputs.

use pravah_runtime::{FlowGraph, FlowLock, FlowRuntime, prelude::*};

use crate::{done, refusal, steps, upgraded};

/// A text is judged until it is good.
mod v1 {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Judged, Done);

    #[node]
    fn judge(text: Text) -> Judged {
        Judged { n: text.n }
    }

    #[node]
    fn check(judged: Judged) -> Either<Text, Done> {
        match judged.n {
            0..10 => Either::Left(Text { n: judged.n + 12 }),
            n => Either::Right(Done { n }),
        }
    }

    #[flow]
    fn desk(text: Text) -> Done {
        flow! { judge -> check -> either(judge, done) }
    }
}

/// The same, with a nested flow that also writes, and fails.
mod v2 {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Judged, Done);

    #[node]
    fn write(text: Text) -> Draft {
        Draft { n: text.n }
    }

    #[node]
    fn judge(draft: Draft) -> Result<Judged, String> {
        Err(format!("{} is no text", draft.n))
    }

    #[flow(named)]
    fn revise(text: Text) -> Judged {
        flow! { write -> judge }
    }

    #[node]
    fn check(judged: Judged) -> Either<Text, Done> {
        match judged.n {
            0 => Either::Left(Text { n: 1 }),
            n => Either::Right(Done { n }),
        }
    }

    #[node]
    fn rescue(failure: Failure<Text>) -> Done {
        Done {
            n: 1000 + failure.input.n,
        }
    }

    #[flow]
    fn desk(text: Text) -> Done {
        flow! {
            revise -> check -> either(revise, done);
            catch(revise) -> rescue -> done
        }
    }
}

/// A nested flow without states of its own.
macro_rules! nested_as {
    ($version:ident, $nested:ident) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Judged, Done);

            /// Judges a text twice.
            #[node]
            fn judge(text: Text) -> Either<Text, Judged> {
                match text.n % 2 {
                    0 => Either::Left(Text { n: text.n + 1 }),
                    _ => Either::Right(Judged { n: text.n }),
                }
            }

            #[flow(named)]
            fn $nested(text: Text) -> Judged {
                flow! { judge -> either(judge, done) }
            }

            #[node]
            fn check(judged: Judged) -> Either<Text, Done> {
                match judged.n {
                    0..10 => Either::Left(Text { n: judged.n + 9 }),
                    n => Either::Right(Done { n }),
                }
            }

            #[flow]
            fn desk(text: Text) -> Done {
                flow! { $nested -> check -> either($nested, done) }
            }
        }
    };
}
nested_as!(v3, revise);
nested_as!(v4, improve);

#[tokio::test]
async fn a_flow_put_around_what_waits_has_that_for_its_input() {
    let mut run = FlowRuntime::new(v1::Text { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    let mut run = upgraded::<v2::Text, _>(&run);
    assert_eq!(done(&mut run).await.n, 1013);
}

#[tokio::test]
async fn a_nested_flow_of_another_name_makes_another_version() {
    let mut run = FlowRuntime::new(v3::Text { n: 0 }).unwrap();
    // It has started a second time, and come back to its start.
    steps(&mut run, 4).await;
    let mut run = upgraded::<v4::Text, _>(&run);
    let report = run.load_report().unwrap();
    let dropped = report.dropped.iter().map(|it| &*it.entry);
    assert_eq!(dropped.collect::<Vec<_>>(), ["/inputs/revise::Text"]);
    assert_eq!(done(&mut run).await.n, 11);
}

/// Two nested flows that start with a part of their own, in either order.
macro_rules! halves_as {
    ($version:ident, ($($state:ident),+) from $split:expr, $order:tt) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Whole, Part, Rest, Cut, Left, Right, Both);

            #[node]
            fn split(whole: Whole) -> ($($state),+) {
                ($split)(whole.n)
            }

            #[node]
            fn prepare(rest: Rest) -> Part {
                Part { n: rest.n * 100 }
            }

            #[node]
            fn cut(part: Part) -> Cut {
                Cut { n: part.n }
            }

            #[node]
            fn tell_left(_: Cut, part: Input<Part>) -> Left {
                Left { n: part.n }
            }

            #[node]
            fn tell_right(_: Cut, part: Input<Part>) -> Right {
                Right { n: part.n }
            }

            #[flow(named)]
            fn left(part: Part) -> Left {
                flow! { cut -> tell_left }
            }

            #[flow(named)]
            fn right(part: Part) -> Right {
                flow! { cut -> tell_right }
            }

            #[node]
            fn sum(left: Left, right: Right) -> Both {
                Both { n: left.n + 3 * right.n }
            }

            halves_as! { $order }
        }
    };
    ((left, right)) => {
        #[flow]
        fn desk(whole: Whole) -> Both {
            flow! { split -> fork(left -> join(sum), prepare -> right -> join(sum)) }
        }
    };
    ((right, left)) => {
        #[flow]
        fn desk(whole: Whole) -> Both {
            flow! { split -> fork(prepare -> right -> join(sum), left -> join(sum)) }
        }
    };
}
halves_as!(v5, (Part, Rest) from |n| (Part { n }, Rest { n: n + 1 }), (left, right));
halves_as!(v6, (Rest, Part) from |n| (Rest { n: n + 1 }, Part { n }), (right, left));

/// A nested flow that starts with what has been drafted, or drafts itself and asks for what it was given.
macro_rules! revised_as {
    ($version:ident, $input:ident, ($($asked:ident: $of:ty)?), $($flow:tt)*) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Draft, Judged, Done);

            #[node]
            fn write(text: Text) -> Draft {
                Draft { n: text.n + 1 }
            }

            #[node]
            fn judge(draft: Draft) -> Judged {
                Judged { n: draft.n }
            }

            #[node]
            fn check(judged: Judged $(, $asked: Input<$of>)?) -> Either<$input, Done> {
                let n = judged.n $(* 10 + $asked.n)?;
                match n {
                    0..10 => Either::Left($input { n: n + 20 }),
                    n => Either::Right(Done { n }),
                }
            }

            $($flow)*
        }
    };
}
revised_as! { v7, Draft, (),
    #[flow(named)]
    fn revise(draft: Draft) -> Done {
        flow! { judge -> check -> either(judge, done) }
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { write -> revise }
    }
}
revised_as! { v8, Text, (text: Text),
    #[flow(named)]
    fn revise(text: Text) -> Done {
        flow! { write -> judge -> check -> either(write, done) }
    }

    #[node]
    fn take(text: Text) -> Text {
        text
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { take -> revise }
    }
}

#[tokio::test]
async fn nested_flows_that_change_places_keep_their_inputs() {
    let mut run = FlowRuntime::new(v5::Whole { n: 1 }).unwrap();
    let mut steps_made = 0;
    while run.output().unwrap().is_none() {
        let mut after = upgraded::<v6::Whole, _>(&run);
        assert_eq!(done(&mut after).await.n, 601, "after {steps_made} steps");
        steps(&mut run, 1).await;
        steps_made += 1;
    }
    assert_eq!(run.output().unwrap().unwrap().n, 601);
}

#[tokio::test]
async fn a_node_that_asks_for_an_input_that_was_not_kept_refuses_the_run() {
    let mut run = FlowRuntime::new(v7::Text { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    assert_eq!(
        refusal::<v8::Text, _>(&run),
        "`revise::check` asks for `Input<Text>`, and the flow's input `revise::Text` is not there"
    );
}

fn lock_problems(
    old: Result<FlowGraph, FlowError>,
    new: Result<FlowGraph, FlowError>,
) -> Vec<String> {
    let mut lock = FlowLock::new("Text");
    lock.add("1.0.0", &old.unwrap());
    let problems = lock.check(&new.unwrap()).problems;
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_lock_reports_an_input_that_was_not_kept_and_is_asked_for() {
    let problems = lock_problems(v7::desk::graph(), v8::desk::graph());
    let missing = "version 1.0.0: in this version a `revise::Judged` that waits is inside a flow whose input \
                   `revise::Text` was not kept, and a `catch` or an `Input<_>` needs it";
    assert!(problems.iter().any(|it| it == missing), "{problems:#?}");
}

/// A flow whose items ask for its input, in another one.
mod v9 {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Line, Judged, Done);

    #[node]
    fn write(text: Text) -> Draft {
        Draft { n: text.n }
    }

    #[node]
    fn lines(_: &Draft) -> Each<Line> {
        [Line { n: 1 }, Line { n: 2 }].into_iter().collect()
    }

    #[node]
    fn judge(line: Line, draft: Input<Draft>) -> Judged {
        Judged {
            n: line.n + draft.n,
        }
    }

    #[node]
    fn sum(judged: Each<Judged>) -> Done {
        Done {
            n: judged.iter().map(|it| it.n).sum(),
        }
    }

    #[flow(named)]
    fn revise(draft: Draft) -> Done {
        flow! { lines -> each(judge) -> sum }
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { write -> revise }
    }
}

#[tokio::test]
async fn items_that_ask_for_an_input_that_is_not_there_refuse_the_run() {
    let mut run = FlowRuntime::new(v9::Text { n: 5 }).unwrap();
    steps(&mut run, 2).await;
    let mut json = serde_json::to_value(run.snapshot()).unwrap();
    json["inputs"]
        .as_object_mut()
        .unwrap()
        .remove("revise::Draft")
        .unwrap();
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let error = FlowRuntime::<v9::Text>::from_snapshot(snapshot)
        .map(drop)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("asks for `Input<Draft>`, and the flow's input `revise::Draft` is not there"),
        "{error}"
    );
    assert_eq!(done(&mut run).await.n, 13);
}

/// The same as `revised_as`, where a join asks for the input.
macro_rules! joined_as {
    ($version:ident, ($($asked:ident: $of:ty)?), $($flow:tt)*) => {
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Text, Draft, Left, Right, Done);

            #[node]
            fn write(text: Text) -> Draft {
                Draft { n: text.n + 1 }
            }

            #[node]
            fn split(draft: Draft) -> (Left, Right) {
                (Left { n: draft.n }, Right { n: draft.n })
            }

            #[node]
            fn meet(left: Left, right: Right $(, $asked: Input<$of>)?) -> Done {
                Done { n: left.n + right.n $(+ $asked.n)? }
            }

            $($flow)*
        }
    };
}
joined_as! { v10, (),
    #[flow(named)]
    fn revise(draft: Draft) -> Done {
        flow! { split -> fork(join(meet), join(meet)) }
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { write -> revise }
    }
}
joined_as! { v11, (text: Text),
    #[flow(named)]
    fn revise(text: Text) -> Done {
        flow! { write -> split -> fork(join(meet), join(meet)) }
    }

    #[node]
    fn take(text: Text) -> Text {
        text
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Done {
        flow! { take -> revise }
    }
}

#[tokio::test]
async fn a_join_that_asks_for_an_input_that_was_not_kept_refuses_the_run() {
    let mut run = FlowRuntime::new(v10::Text { n: 1 }).unwrap();
    steps(&mut run, 2).await;
    let refused = refusal::<v11::Text, _>(&run);
    let expected =
        "`revise::meet` asks for `Input<Text>`, and the flow's input `revise::Text` is not there";
    assert_eq!(refused, expected);
    let problems = lock_problems(v10::desk::graph(), v11::desk::graph());
    let mut missing = problems
        .iter()
        .filter(|it| it.contains("`revise::Text` was not kept"));
    assert!(
        missing.any(|it| it.contains("a `revise::Left` that waits")),
        "{problems:#?}"
    );
}

/// An agent that may call another one, whose tool asks for the input of the flow around it.
mod v12 {
    use pravah_runtime::prelude::*;

    crate::states!(Text, Draft, Brief, Found);

    #[node]
    fn write(text: Text) -> Draft {
        Draft { n: text.n + 1 }
    }

    #[node]
    fn note(draft: Draft) -> Brief {
        Brief { n: draft.n }
    }

    /// Says what is researched.
    #[tool]
    async fn topic(draft: Input<Draft>) -> Result<u64, ToolError> {
        Ok(draft.n)
    }

    /// You look things up.
    #[agent(model = "openai://m", output = Found, tools = [topic])]
    fn researcher(brief: &Brief) -> String {
        brief.n.to_string()
    }

    /// You have things looked up.
    #[agent(model = "openai://m", output = Found, agents = [researcher])]
    fn editor(brief: &Brief) -> String {
        brief.n.to_string()
    }

    #[flow(named)]
    fn research(draft: Draft) -> Found {
        flow! { note -> editor }
    }

    #[flow]
    pub(super) fn desk(text: Text) -> Found {
        flow! { write -> research }
    }
}

#[tokio::test]
async fn what_an_agent_may_call_needs_the_input_that_it_asks_for() {
    let mut run = FlowRuntime::new(v12::Text { n: 5 }).unwrap();
    steps(&mut run, 2).await;
    let mut json = serde_json::to_value(run.snapshot()).unwrap();
    FlowRuntime::<v12::Text>::from_snapshot(run.snapshot()).unwrap();
    let inputs = json["inputs"].as_object_mut().unwrap();
    inputs.remove("research::Draft").unwrap();
    let snapshot: FlowSnapshot = serde_json::from_value(json).unwrap();
    let error = FlowRuntime::<v12::Text>::from_snapshot(snapshot).map(drop);
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("`research::editor` asks for `Input<Draft>`"),
        "{error}"
    );
}
