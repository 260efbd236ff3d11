//! `catch`: what a node that failed leaves, wherever it is.

use pravah_runtime::prelude::*;

use crate::macros_support::{Report, done, report, states, through_restarts};

mod one_state {
    use super::*;

    states!(Start, Next);

    #[node]
    fn fragile(start: Start) -> Result<Next, String> {
        match start.n {
            0 => Err("nothing there".into()),
            1 => panic!("one is too few"),
            n => Ok(Next { n }),
        }
    }

    #[node]
    fn praise(next: Next) -> Report {
        Report {
            text: format!("fine {}", next.n),
        }
    }

    #[node]
    fn rescue(failure: Failure<Start>) -> Report {
        report(&failure)
    }

    #[flow]
    fn caught(start: Start) -> Report {
        flow! { fragile -> praise -> done; catch(fragile) -> rescue -> done }
    }

    #[tokio::test]
    async fn an_error_is_caught_with_the_input() {
        let run = FlowRuntime::new(Start { n: 0 }).unwrap();
        let (report, steps) = through_restarts(run).await;
        assert_eq!(report.text, "Start { n: 0 } Error nothing there");
        assert_eq!(steps, ["1. fragile (failed)", "2. rescue -> Report"]);
    }

    #[tokio::test]
    async fn a_panic_is_caught() {
        let report = done(Start { n: 1 }).await;
        assert!(
            report.text.starts_with("Start { n: 1 } Panic"),
            "{report:?}"
        );
        assert!(report.text.contains("one is too few"), "{report:?}");
    }

    #[tokio::test]
    async fn what_does_not_fail_goes_its_way() {
        assert_eq!(done(Start { n: 2 }).await.text, "fine 2");
    }
}

mod limits {
    use super::*;

    states!(Start, Turn);

    #[node(max_visits = 3)]
    fn turn(start: Start) -> Either<Report, Turn> {
        if start.n == 0 {
            Either::Left(Report { text: "out".into() })
        } else {
            Either::Right(Turn { n: start.n - 1 })
        }
    }

    #[node]
    fn back(turn: Turn) -> Start {
        Start { n: turn.n }
    }

    #[node]
    fn rescue(failure: &Failure<Start>) -> Report {
        assert_eq!(failure.kind, FailureKind::Limit);
        report(failure)
    }

    #[flow]
    fn limited(start: Start) -> Report {
        flow! { turn -> either(done, back -> turn); catch(turn) -> rescue }
    }

    #[tokio::test]
    async fn a_limit_is_caught() {
        assert_eq!(done(Start { n: 2 }).await.text, "out");
        let report = done(Start { n: 9 }).await;
        assert!(
            report.text.starts_with("Start { n: 6 } Limit"),
            "{report:?}"
        );
    }
}

mod joins {
    use super::*;

    states!(Start, One, Two);

    #[node]
    fn split(start: Start) -> (One, Two) {
        (One { n: start.n }, Two { n: start.n })
    }

    #[node]
    fn sum(one: One, two: &Two) -> Result<Report, String> {
        Err(format!("{} {}", one.n, two.n))
    }

    #[node]
    fn rescue(failure: Failure<(One, Two)>) -> Report {
        let (one, two) = &failure.input;
        assert_eq!((one.n, two.n), (4, 4));
        report(&failure)
    }

    #[flow]
    fn joined(start: Start) -> Report {
        flow! { split -> fork(join(sum), join(sum)); catch(sum) -> rescue }
    }

    #[tokio::test]
    async fn the_failure_of_a_join_holds_the_tuple() {
        let run = FlowRuntime::new(Start { n: 4 }).unwrap();
        assert_eq!(
            through_restarts(run).await.0.text,
            "(One { n: 4 }, Two { n: 4 }) Error 4 4"
        );
    }
}

mod merges {
    use super::*;

    states!(Start, One, Two);

    #[choice]
    #[derive(Debug)]
    enum Came {
        One(One),
        Two(Two),
    }

    #[node]
    fn choose(start: Start) -> Came {
        if start.n == 1 {
            Came::One(One { n: 1 })
        } else {
            Came::Two(Two { n: 2 })
        }
    }

    #[node]
    fn merge(came: Came) -> Result<Report, String> {
        let _ = came;
        Err("no".into())
    }

    #[node]
    fn rescue(failure: &Failure<Came>) -> Report {
        report(failure)
    }

    #[flow]
    fn merged(start: Start) -> Report {
        flow! { choose -> either(join(merge), join(merge)); catch(merge) -> rescue }
    }

    #[tokio::test]
    async fn the_failure_of_a_merge_holds_the_choice() {
        for (n, text) in [
            (1, "One(One { n: 1 }) Error no"),
            (2, "Two(Two { n: 2 }) Error no"),
        ] {
            let run = FlowRuntime::new(Start { n }).unwrap();
            assert_eq!(through_restarts(run).await.0.text, text);
        }
    }

    states!(Other);

    #[node]
    fn decide(other: Other) -> Either<One, Two> {
        if other.n == 1 {
            Either::Left(One { n: 1 })
        } else {
            Either::Right(Two { n: 2 })
        }
    }

    #[node]
    fn either_of(came: Either<One, Two>) -> Result<Report, String> {
        let _ = came;
        Err("no".into())
    }

    #[node]
    fn rescue_either(failure: Failure<Either<One, Two>>) -> Report {
        report(&failure)
    }

    #[flow]
    fn merged_either(other: Other) -> Report {
        flow! { decide -> either(join(either_of), join(either_of)); catch(either_of) -> rescue_either }
    }

    #[tokio::test]
    async fn the_failure_of_a_merge_may_hold_an_either() {
        let run = FlowRuntime::new(Other { n: 1 }).unwrap();
        assert_eq!(
            through_restarts(run).await.0.text,
            "Left(One { n: 1 }) Error no"
        );
    }
}
