//! Lists whose chains have changed.

use pravah_runtime::{LoadOptions, prelude::*};

use crate::{done, refusal, steps, upgraded, upgraded_with};

macro_rules! version {
    ($name:ident, [$($state:ident),*], $($flow:tt)+) => {
        mod $name {
            use pravah_runtime::prelude::*;

            crate::states!(Book, Page, Read, Report $(, $state)*);

            #[node]
            fn split(book: Book) -> Each<Page> {
                (0..book.n).map(|n| Page { n }).collect()
            }

            #[node]
            fn sum(read: Each<Read>) -> Report {
                Report { n: read.iter().fold(0, |sum, read| 10 * sum + read.n) }
            }

            $($flow)+
        }
    };
}

version! { v1, [Half],
    #[node]
    fn open(page: Page) -> Half {
        Half { n: page.n }
    }

    #[node]
    fn read(half: Half) -> Read {
        Read { n: half.n }
    }

    #[flow]
    pub(crate) fn reading(book: Book) -> Report {
        flow! { split -> each(open -> read) -> sum }
    }
}

version! { v2, [Half, Noted],
    #[node]
    fn open(page: Page) -> Half {
        Half { n: page.n }
    }

    #[node]
    fn note(half: Half) -> Noted {
        Noted { n: half.n + 5 }
    }

    #[node]
    fn read(noted: Noted) -> Read {
        Read { n: noted.n }
    }

    #[flow]
    pub(crate) fn reading(book: Book) -> Report {
        flow! { split -> each(open -> note -> read) -> sum }
    }
}

version! { v3, [],
    #[node]
    fn read(page: Page) -> Read {
        Read { n: page.n + 2 }
    }

    #[flow]
    pub(crate) fn reading(book: Book) -> Report {
        flow! { split -> each(read) -> sum }
    }
}

version! { v4, [],
    #[node]
    fn read(pages: Each<Page>) -> Each<Read> {
        pages.iter().map(|page| Read { n: page.n + 3 }).collect()
    }

    #[flow]
    pub(crate) fn reading(book: Book) -> Report {
        flow! { split -> read -> sum }
    }
}

/// The first item is done, the second half done, the third not started.
async fn half_read() -> FlowRuntime<v1::Book> {
    let mut run = FlowRuntime::new(v1::Book { n: 3 }).unwrap();
    steps(&mut run, 4).await;
    run
}

#[tokio::test]
async fn every_item_goes_on_where_it_is() {
    let run = half_read().await;
    let version = v1::reading::graph().unwrap().version();
    let options = LoadOptions::new().with_version(version);
    let mut run = upgraded_with::<v2::Book, _>(&run, &options).unwrap();
    let report = run.load_report().unwrap();
    let noted = "Each_of_Page/Noted";
    assert!(report.added.iter().eq([noted]) && report.skipped.iter().eq([noted]));
    assert!(report.dropped.is_empty());
    assert_eq!(done(&mut run).await, v2::Report { n: 67 });
}

#[tokio::test]
async fn an_item_that_cannot_go_on_is_refused_or_starts_over() {
    let run = half_read().await;
    assert_eq!(
        refusal::<v3::Book, _>(&run),
        "the flow has no state `Half` (item 1 of `Each_of_Page`); `LoadOptions::drop_progress` would let it \
         start over"
    );
    let options = LoadOptions::new().drop_progress();
    let mut again = upgraded_with::<v3::Book, _>(&run, &options).unwrap();
    let dropped = &again.load_report().unwrap().dropped;
    assert_eq!(dropped.len(), 1);
    assert_eq!(dropped[0].entry, "/lists/Each_of_Page/items/1");
    assert_eq!(done(&mut again).await, v3::Report { n: 34 });
}

#[tokio::test]
async fn what_is_no_list_any_more_is_refused_or_starts_over() {
    let run = half_read().await;
    assert!(refusal::<v4::Book, _>(&run).starts_with("`Each_of_Page` is not a list; "));
    let options = LoadOptions::new().drop_progress();
    let mut again = upgraded_with::<v4::Book, _>(&run, &options).unwrap();
    assert_eq!(
        again.load_report().unwrap().dropped[0].entry,
        "/lists/Each_of_Page"
    );
    assert_eq!(done(&mut again).await, v4::Report { n: 345 });
}

#[tokio::test]
async fn a_list_that_has_not_started_may_become_anything() {
    let mut run = FlowRuntime::new(v1::Book { n: 2 }).unwrap();
    steps(&mut run, 1).await;
    assert_eq!(
        done(&mut upgraded::<v3::Book, _>(&run)).await,
        v3::Report { n: 23 }
    );
    assert_eq!(
        done(&mut upgraded::<v4::Book, _>(&run)).await,
        v4::Report { n: 34 }
    );
}
