//! Stored forms of states with several fields of several cases.

use pravah_runtime::{FlowGraph, LoadOptions, prelude::*};

use crate::lock_problems;

/// A cup with four enums, of which the last has these cases.
macro_rules! cup_as {
    ($version:ident, $($last:ident),+) => {
        #[allow(dead_code, reason = "the versions are compared, and not run")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Order, Served);

            #[state]
            pub(crate) enum Size { Small, Medium, Large }

            #[state]
            pub(crate) enum Milk { None, Cow, Oat, Soy }

            #[state]
            pub(crate) enum Pay { Cash, Card, Credit }

            #[state]
            pub(crate) enum Extra { $($last),+ }

            #[state]
            pub(crate) struct Cup {
                size: Size,
                milk: Milk,
                pay: Pay,
                extra: Extra,
                note: Option<String>,
            }

            #[node]
            fn brew(_: Order) -> Cup {
                let (size, milk, pay) = (Size::Small, Milk::None, Pay::Cash);
                Cup { size, milk, pay, extra: Extra::Sugar, note: None }
            }

            #[node]
            fn serve(_: Cup) -> Served {
                Served { n: 1 }
            }

            #[flow(named)]
            pub(super) fn coffee(order: Order) -> Served {
                flow! { brew -> serve }
            }
        }
    };
}
cup_as!(three_cases, Sugar, Honey, Plain);
cup_as!(two_cases, Sugar, Honey);

/// A form with eight optional fields, or seven and this one.
macro_rules! form_as {
    ($version:ident, $last:ty) => {
        #[allow(dead_code, reason = "the versions are compared, and not run")]
        mod $version {
            use pravah_runtime::prelude::*;

            crate::states!(Order, Served);

            #[state]
            #[derive(Default)]
            pub(crate) struct Form {
                a: Option<String>,
                b: Option<String>,
                c: Option<String>,
                d: Option<String>,
                e: Option<String>,
                f: Option<String>,
                g: Option<String>,
                h: $last,
            }

            #[node]
            fn fill(_: Order) -> Form {
                Form::default()
            }

            #[node]
            fn serve(_: Form) -> Served {
                Served { n: 1 }
            }

            #[flow(named)]
            pub(super) fn desk(order: Order) -> Served {
                flow! { fill -> serve }
            }
        }
    };
}
form_as!(all_optional, Option<String>);
form_as!(one_required, String);

fn problems(old: Result<FlowGraph, FlowError>, new: Result<FlowGraph, FlowError>) -> String {
    lock_problems(("1", old), new, &LoadOptions::new()).join("; ")
}

#[test]
fn a_case_that_is_gone_is_found_in_whichever_field_it_is() {
    let problems = problems(three_cases::coffee::graph(), two_cases::coffee::graph());
    assert!(
        problems.contains("`Cup` that was stored cannot be read"),
        "{problems}"
    );
}

#[test]
fn a_field_that_is_optional_no_more_is_found_whichever_it_is() {
    let problems = problems(all_optional::desk::graph(), one_required::desk::graph());
    assert!(
        problems.contains("`Form` that was stored cannot be read"),
        "{problems}"
    );
}
