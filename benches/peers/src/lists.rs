//! M10: a list whose items count one up, in nanoseconds an item.

pub mod ours {
    use pravah_runtime::prelude::*;

    use crate::step_time;

    #[state]
    struct All {
        numbers: Vec<u64>,
    }

    #[state]
    struct Item {
        n: u64,
    }

    #[state]
    struct Counted {
        n: u64,
    }

    #[state]
    struct Sum {
        n: u64,
    }

    #[node]
    fn part(all: &All) -> Each<Item> {
        all.numbers.iter().map(|&n| Item { n }).collect()
    }

    #[node]
    fn count(item: &Item) -> Counted {
        Counted { n: item.n + 1 }
    }

    #[node]
    fn add(counted: &Each<Counted>) -> Sum {
        Sum {
            n: counted.iter().map(|counted| counted.n).sum(),
        }
    }

    #[flow]
    fn counting(all: All) -> Sum {
        flow! { part -> each(count) -> add }
    }

    pub async fn item(items: u64) -> f64 {
        let start = || {
            let numbers = (0..items).collect();
            FlowRuntime::new(All { numbers }).expect("a run")
        };
        let ctx = Context::default();
        let drive = async |run: &mut FlowRuntime<All>| {
            loop {
                if let RunOut::Done(sum) = run.next(ctx.clone()).await.expect("a step") {
                    return sum;
                }
            }
        };
        step_time(items, start, drive).await
    }
}

pub mod pravah_04 {
    use pravah_04::{Flow, Step, compile};

    use crate::step_time;

    fn count(n: u64) -> u64 {
        n + 1
    }

    fn counting(root: Flow<Vec<u64>>) -> Flow<u64> {
        root.each(|item| item.map(count))
            .map(|counted: Vec<u64>| counted.iter().sum::<u64>())
    }

    pub async fn item(items: u64) -> f64 {
        let flow = compile(counting).expect("a flow");
        let start = || {
            let numbers = (0..items).collect();
            flow.start(numbers, uuid::Uuid::nil()).expect("a run")
        };
        step_time(items, start, async |run| {
            loop {
                if let Step::Done(value) = run.next().expect("a step") {
                    return flow.decode_output(value).expect("an output");
                }
            }
        })
        .await
    }
}
