//! Nodes that fork, join, choose and merge.

use std::{error::Error, fmt};

use pravah_runtime::prelude::*;

use crate::macros_support::{done, states, through_restarts};

states!(End, One, Two, Three, Left, Right);

#[derive(Debug)]
struct OwnError;

impl fmt::Display for OwnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("my own error")
    }
}

impl Error for OwnError {}

mod forks {
    use super::*;

    states!(Start);

    #[node]
    fn split(start: Start) -> (One, Two, Three) {
        (
            One { n: start.n },
            Two { n: start.n + 1 },
            Three { n: start.n + 2 },
        )
    }

    #[node]
    fn left(one: &One) -> Left {
        Left { n: one.n }
    }

    // The order of the parameters is not that of the branches.
    #[node]
    async fn sum(three: &Three, left: Left, two: Two) -> Result<End, OwnError> {
        Ok(End {
            n: left.n * 100 + two.n * 10 + three.n,
        })
    }

    #[flow]
    fn fork(start: Start) -> End {
        flow! { split -> fork(left, join(sum), join(sum)); left -> join(sum) }
    }

    // S1.18, S1.20
    #[tokio::test]
    async fn a_join_takes_its_states_by_type() {
        let run = FlowRuntime::new(Start { n: 1 }).unwrap();
        let (end, steps) = through_restarts(run).await;
        assert_eq!(end, End { n: 123 });
        assert_eq!(
            steps,
            [
                "1. split -> One, Two, Three",
                "2. left -> Left",
                "3. sum -> End"
            ]
        );
    }
}

mod twelve {
    use super::*;

    states!(Start, A, B, C, D, E, F, G, H, I, J, K, L);

    #[node]
    #[rustfmt::skip]
    #[expect(clippy::type_complexity, reason = "as many states as a fork can give")]
    fn split(start: Start) -> Result<(A, B, C, D, E, F, G, H, I, J, K, L), OwnError> {
        let n = start.n;
        Ok((A { n }, B { n }, C { n }, D { n }, E { n }, F { n }, G { n }, H { n }, I { n }, J { n }, K { n }, L { n }))
    }

    #[node]
    #[allow(clippy::too_many_arguments, clippy::many_single_char_names)]
    #[rustfmt::skip]
    fn sum(a: A, b: &B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K, l: &L, ctx: Context) -> Result<End, FlowError> {
        let sum = a.n + b.n + c.n + d.n + e.n + f.n + g.n + h.n + i.n + j.n + k.n + l.n;
        Ok(End { n: sum + ctx.input::<Start>()?.n })
    }

    #[flow]
    #[rustfmt::skip]
    fn wide(start: Start) -> End {
        flow! {
            split -> fork(join(sum), join(sum), join(sum), join(sum), join(sum), join(sum),
                          join(sum), join(sum), join(sum), join(sum), join(sum), join(sum))
        }
    }

    #[tokio::test]
    async fn twelve_states_fork_and_join() {
        assert_eq!(done(Start { n: 2 }).await, End { n: 26 });
    }
}

mod choices {
    use super::*;

    states!(Start);

    #[choice]
    #[derive(Debug)]
    enum Way {
        One(One),
        Two(Two),
        Three(Three),
    }

    #[node]
    fn choose(start: &Start) -> Result<Way, OwnError> {
        Ok(match start.n {
            1 => Way::One(One { n: 10 }),
            2 => Way::Two(Two { n: 20 }),
            _ => Way::Three(Three { n: 30 }),
        })
    }

    #[node]
    fn one(one: One) -> Left {
        Left { n: one.n }
    }

    #[choice]
    enum Came {
        Left(Left),
        Two(Two),
        Three(Three),
    }

    #[node]
    async fn merge(came: &Came, ctx: Context) -> Result<End, FlowError> {
        let start = ctx.input::<Start>()?.n;
        Ok(match came {
            Came::Left(state) => End { n: state.n + start },
            Came::Two(state) => End { n: state.n + start },
            Came::Three(state) => End { n: state.n + start },
        })
    }

    #[flow]
    fn choice(start: Start) -> End {
        flow! { choose -> either(one, join(merge), join(merge)); one -> join(merge) }
    }

    #[tokio::test]
    async fn a_choice_goes_one_way_and_a_merge_takes_whichever_comes() {
        for (start, end) in [(1, 11), (2, 22), (3, 33)] {
            let run = FlowRuntime::new(Start { n: start }).unwrap();
            assert_eq!(through_restarts(run).await.0, End { n: end });
        }
    }
}

mod merge_in_a_join {
    use super::*;

    #[state]
    #[derive(Clone)]
    struct Input {
        left: bool,
    }

    #[node]
    fn split(input: Input) -> (One, Two) {
        (
            One {
                n: u32::from(input.left),
            },
            Two { n: 5 },
        )
    }

    #[node]
    fn choose(one: One) -> Either<Left, Right> {
        match one.n {
            1 => Either::Left(Left { n: 1 }),
            _ => Either::Right(Right { n: 2 }),
        }
    }

    #[choice]
    enum Side {
        Left(Left),
        Right(Right),
    }

    // A join may end in a choice, and a merge may be one of its parameters.
    #[node]
    fn close(side: Side, two: &Two) -> Either<Three, End> {
        match side {
            Side::Left(left) => Either::Left(Three { n: left.n + two.n }),
            Side::Right(right) => Either::Right(End { n: right.n + two.n }),
        }
    }

    #[node]
    fn last(three: Three) -> End {
        End { n: three.n * 100 }
    }

    #[flow]
    fn merged(input: Input) -> End {
        flow! { split -> fork(choose -> either(join(close), join(close)), join(close)); close -> either(last, done) }
    }

    #[tokio::test]
    async fn a_merge_may_be_one_parameter_of_a_join() {
        assert_eq!(done(Input { left: true }).await, End { n: 600 });
        assert_eq!(done(Input { left: false }).await, End { n: 7 });
    }
}

mod branches_of_one_state {
    use super::*;

    states!(Start);

    #[node]
    fn choose(start: &Start) -> Either<One, One> {
        match start.n {
            1 => Either::Left(One { n: 10 }),
            n => Either::Right(One { n }),
        }
    }

    #[node]
    fn first(one: One) -> End {
        End { n: one.n + 1 }
    }

    #[node]
    fn second(one: One) -> End {
        End { n: one.n + 2 }
    }

    #[flow]
    fn by_position(start: Start) -> End {
        flow! { choose -> either(first, second) }
    }

    #[tokio::test]
    async fn a_choice_between_two_branches_of_one_state_goes_by_their_position() {
        for (start, end) in [(1, 11), (20, 22)] {
            let run = FlowRuntime::new(Start { n: start }).unwrap();
            assert_eq!(through_restarts(run).await.0, End { n: end });
        }
    }
}
