//! `each`: a list of states, of which every one runs through a chain.

use pravah_runtime::prelude::*;

use crate::macros_support::{done, states, through_restarts};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Text {
    text: String,
}

mod plain {
    use super::*;

    states!(Start, Item, Read, Seen);

    #[node]
    fn items(start: Start) -> Result<Each<Item>, FlowError> {
        Ok((0..start.n).map(|n| Item { n }).collect())
    }

    #[node]
    fn read(item: Item) -> Read {
        Read { n: item.n + 1 }
    }

    #[node]
    async fn see(read: &Read, ctx: Context) -> Result<Seen, FlowError> {
        // The input of the flow around the list.
        let start = ctx.input::<Start>()?;
        tokio::task::yield_now().await;
        Ok(Seen {
            n: read.n * start.n,
        })
    }

    #[node]
    fn list(seen: &Each<Seen>) -> Text {
        let numbers: Vec<String> = seen.iter().map(|seen| seen.n.to_string()).collect();
        Text {
            text: numbers.join(" "),
        }
    }

    #[flow]
    fn each(start: Start) -> Text {
        flow! { items -> each(read -> see) -> list }
    }

    #[tokio::test]
    async fn results_come_in_the_order_of_the_items() {
        assert_eq!(done(Start { n: 3 }).await.text, "3 6 9");
    }

    #[tokio::test]
    async fn an_empty_list_goes_straight_on() {
        let (text, steps) = through_restarts(FlowRuntime::new(Start { n: 0 }).unwrap()).await;
        assert_eq!(text.text, "");
        assert_eq!(steps.len(), 3);
    }

    #[tokio::test]
    async fn a_list_of_one_is_a_list() {
        assert_eq!(done(Start { n: 1 }).await.text, "1");
    }

    // S1.1
    #[tokio::test]
    async fn a_step_is_a_step_of_one_item() {
        let (text, steps) = through_restarts(FlowRuntime::new(Start { n: 2 }).unwrap()).await;
        assert_eq!(text.text, "2 4");
        assert_eq!(steps[0], "1. items -> Each_of_Item");
        let of_items: Vec<&str> = steps
            .iter()
            .filter(|step| step.contains('['))
            .map(String::as_str)
            .collect();
        assert_eq!(of_items.len(), 4, "{steps:?}");
        for part in ["read[0]", "see[0]", "read[1]", "see[1]"] {
            assert!(
                of_items.iter().any(|step| step.contains(part)),
                "{part}: {steps:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_thousand_items_run() {
        let text = done(Start { n: 1_000 }).await.text;
        assert!(text.ends_with(" 1000000"), "{}", &text[text.len() - 20..]);
        assert_eq!(text.split(' ').count(), 1_000);
    }
}

mod forked {
    use super::*;

    states!(Start, Item, One, Two, Big, Small, Sized, Sum);

    #[node]
    fn items(start: Start) -> Each<Item> {
        (0..start.n).map(|n| Item { n }).collect()
    }

    #[node]
    fn split(item: Item) -> (One, Two) {
        (One { n: item.n }, Two { n: item.n })
    }

    #[node]
    fn size(one: One) -> Either<Big, Small> {
        if one.n > 1 {
            Either::Left(Big { n: one.n })
        } else {
            Either::Right(Small { n: one.n })
        }
    }

    #[node]
    fn sized(size: Either<Big, Small>) -> Sized {
        match size {
            Either::Left(big) => Sized { n: big.n * 100 },
            Either::Right(small) => Sized { n: small.n },
        }
    }

    #[node]
    fn sum(sized: Sized, two: Two) -> Sum {
        Sum { n: sized.n + two.n }
    }

    #[node]
    fn total(sums: Each<Sum>) -> Text {
        Text {
            text: sums.iter().map(|sum| sum.n).sum::<u32>().to_string(),
        }
    }

    #[flow]
    fn each(start: Start) -> Text {
        flow! {
            items -> each(split -> fork(size -> either(join(sized), join(sized)) -> join(sum), join(sum))) -> total
        }
    }

    #[tokio::test]
    async fn a_chain_may_fork_choose_and_join() {
        let run = FlowRuntime::new(Start { n: 4 }).unwrap();
        // 0+0, 1+1, 200+2, 300+3
        assert_eq!(through_restarts(run).await.0.text, "507");
    }
}

mod two_ends {
    use super::*;

    states!(Start, Item, Even, Odd, Seen);

    #[node]
    fn items(start: Start) -> Each<Item> {
        (0..start.n).map(|n| Item { n }).collect()
    }

    #[node]
    fn sort(item: Item) -> Either<Even, Odd> {
        if item.n.is_multiple_of(2) {
            Either::Left(Even { n: item.n })
        } else {
            Either::Right(Odd { n: item.n })
        }
    }

    #[node]
    fn even(even: Even) -> Seen {
        Seen { n: even.n }
    }

    #[node]
    fn odd(odd: Odd) -> Seen {
        Seen { n: odd.n * 10 }
    }

    #[node]
    fn list(seen: Each<Seen>) -> Text {
        Text {
            text: format!("{:?}", seen.iter().map(|seen| seen.n).collect::<Vec<_>>()),
        }
    }

    #[flow]
    fn each(start: Start) -> Text {
        flow! { items -> each(sort -> either(even, odd)) -> list }
    }

    #[tokio::test]
    async fn the_ends_of_a_chain_give_one_state() {
        assert_eq!(done(Start { n: 4 }).await.text, "[0, 10, 2, 30]");
    }
}

mod in_a_fork {
    use super::*;

    states!(Start, Count, Item, Seen, Sum);

    #[node]
    fn split(start: Start) -> (Each<Item>, Count) {
        (
            (0..start.n).map(|n| Item { n }).collect(),
            Count { n: start.n },
        )
    }

    #[node]
    fn see(item: Item) -> Seen {
        Seen { n: item.n }
    }

    #[node]
    fn close(seen: Each<Seen>, count: Count) -> Sum {
        Sum {
            n: seen.iter().map(|seen| seen.n).sum::<u32>() * count.n,
        }
    }

    #[flow]
    fn each(start: Start) -> Sum {
        flow! { split -> fork(each(see) -> join(close), join(close)) }
    }

    #[tokio::test]
    async fn a_list_may_be_a_branch_and_a_parameter_of_a_join() {
        let run = FlowRuntime::new(Start { n: 3 }).unwrap();
        assert_eq!(through_restarts(run).await.0, Sum { n: 9 });
    }
}

mod at_the_ends {
    use super::*;

    states!(Item, Seen);

    #[node]
    fn see(item: Item) -> Seen {
        Seen { n: item.n + 1 }
    }

    #[flow]
    fn other(other: Other) -> Each<Seen> {
        flow! { items -> each(see) }
    }

    #[state]
    struct Other {
        n: u32,
    }

    #[node]
    fn items(other: Other) -> Each<Item> {
        (0..other.n).map(|n| Item { n }).collect()
    }

    #[tokio::test]
    async fn a_flow_may_end_with_a_list() {
        let seen = done(Other { n: 2 }).await;
        assert_eq!(seen, Each::from(vec![Seen { n: 1 }, Seen { n: 2 }]));
    }
}
