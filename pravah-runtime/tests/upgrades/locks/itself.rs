//! Flows whose own version is in their lock files: that they compile is the test.

use pravah_runtime::FlowLock;

/// A list in a nested flow, whose nodes are called by it.
mod list_in_a_flow {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Page, Sum, Served);

    #[node]
    fn split(order: Order) -> Each<Page> {
        (0..order.n).map(|n| Page { n }).collect()
    }
    #[node]
    fn tidy(page: Page) -> Page {
        page
    }
    #[node]
    fn read(page: Page) -> Sum {
        Sum { n: page.n }
    }
    #[node]
    fn add(sums: Each<Sum>) -> Served {
        let sums = sums.into_iter();
        Served {
            n: sums.map(|sum| sum.n).sum(),
        }
    }
    #[flow(named)]
    fn reading(order: Order) -> Served {
        flow! { split -> each(tidy -> read) -> add }
    }
    #[node]
    fn serve(served: Served) -> Served {
        served
    }
    #[flow(lock = "tests/upgrades/locks/list_in_a_flow.lock")]
    pub(super) fn shop(order: Order) -> Served {
        flow! { reading -> serve }
    }
}

/// Two parameters of one type, of which one gets only one of its states.
mod equal_alternatives {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Left, Right, First, Second, Served);

    #[node]
    fn write(order: Order) -> (Left, Right) {
        (Left { n: order.n }, Right { n: order.n })
    }
    #[node]
    fn x(left: Left) -> Either<First, Second> {
        Either::Left(First { n: left.n })
    }
    #[node]
    fn y(right: Right) -> First {
        First { n: right.n }
    }
    #[node]
    fn decide(one: Either<First, Second>, two: Either<First, Second>) -> Served {
        let n = |either: Either<First, Second>| match either {
            Either::Left(first) => first.n,
            Either::Right(second) => second.n,
        };
        Served { n: n(one) + n(two) }
    }
    #[flow(lock = "tests/upgrades/locks/equal_alternatives.lock")]
    pub(super) fn shop(order: Order) -> Served {
        flow! { write -> fork(x -> either(join(decide), join(decide)), y -> join(decide)) }
    }
}

/// A file that begins as some editors begin texts.
mod byte_order_mark {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Brewed, Served);

    #[node]
    fn brew(order: Order) -> Brewed {
        Brewed { n: order.n }
    }
    #[node]
    fn serve(brewed: Brewed) -> Served {
        Served { n: brewed.n }
    }
    #[flow(lock = "tests/upgrades/locks/byte_order_mark.lock")]
    pub(super) fn coffee(order: Order) -> Served {
        flow! { brew -> serve }
    }
}

/// A file that such an editor has created empty.
mod only_a_byte_order_mark {
    use pravah_runtime::prelude::*;

    crate::states!(Order, Served);

    #[node]
    fn serve(order: Order) -> Served {
        Served { n: order.n }
    }
    #[flow(lock = "tests/upgrades/locks/only_a_byte_order_mark.lock")]
    pub(super) fn coffee(order: Order) -> Served {
        flow! { serve }
    }
}

#[test]
fn a_file_with_nothing_but_a_byte_order_mark_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("empty.lock");
    std::fs::write(&file, "\u{feff}\n").unwrap();
    assert_eq!(FlowLock::read(&file).unwrap(), None);
    assert!(only_a_byte_order_mark::coffee::graph().is_ok());
}

#[test]
fn each_is_in_its_lock_file() {
    for (flow, graph) in [
        ("list_in_a_flow", list_in_a_flow::shop::graph()),
        ("equal_alternatives", equal_alternatives::shop::graph()),
        ("byte_order_mark", byte_order_mark::coffee::graph()),
    ] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/upgrades/locks");
        let lock = FlowLock::read(format!("{folder}/{flow}.lock")).unwrap();
        let mut lock = lock.unwrap();
        let graph = graph.unwrap();
        assert!(lock.check(&graph).is_ok());
        assert!(!lock.add("1", &graph), "{flow}");
    }
}
