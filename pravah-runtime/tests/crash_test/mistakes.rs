//! Planted mistakes.

use std::{
    sync::atomic::Ordering,
    time::{SystemTime, UNIX_EPOCH},
};

use pravah_runtime::{
    prelude::*,
    testing::{CrashTest, CrashTestError},
};

use super::{Begin, End, Service, context};

/// What a flow with a mistake in this node is told about it.
macro_rules! mistake {
    ($test:ident, $node:item, $expected:expr) => {
        #[tokio::test]
        async fn $test() {
            #[state]
            struct Begin {
                n: u32,
            }
            #[state]
            struct End {
                text: String,
            }

            $node

            #[flow]
            fn planted(begin: Begin) -> End {
                flow! { work }
            }

            let test = CrashTest::<Begin>::new(|| Begin { n: 1 }).with_context(context);
            let error = test.check().await.unwrap_err().to_string();
            let expected: &[&str] = &$expected;
            for part in expected {
                assert!(error.contains(part), "{error}");
            }
        }
    };
}

mistake!(
    an_effect_without_a_key_that_happens_twice_is_found,
    #[node]
    async fn work(begin: &Begin, service: Dep<Service>) -> End {
        service.effects.record_unkeyed("a mail to Ana");
        End {
            text: begin.n.to_string(),
        }
    },
    [
        "the result of `1. work -> End` was lost, and it ran again",
        "`a mail to Ana` happened 2 times, but 1 in the baseline run: give it a key"
    ]
);

mistake!(
    a_key_that_is_made_anew_for_each_attempt_is_found,
    #[node]
    async fn work(begin: &Begin, service: Dep<Service>) -> End {
        let attempt = service.calls.fetch_add(1, Ordering::SeqCst);
        service
            .effects
            .record(format!("attempt {attempt}"), begin.n);
        End {
            text: String::new(),
        }
    },
    [
        "was lost, and it ran again",
        "there is an effect under the key `attempt 1`, but none in the baseline run"
    ]
);

mistake!(
    another_effect_under_the_same_key_is_found,
    #[node]
    async fn work(_begin: &Begin, service: Dep<Service>, step: Step) -> End {
        let call = service.calls.fetch_add(1, Ordering::SeqCst);
        service.effects.record(step.key(), call);
        End {
            text: String::new(),
        }
    },
    [
        "what happened under the key `crash-test/work(Begin)#1` is 0 and 1, but 0 in the baseline run"
    ]
);

mistake!(
    a_body_that_depends_on_the_time_is_found,
    #[node]
    fn work(begin: Begin) -> End {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        End {
            text: format!("{} at {now:?}", begin.n),
        }
    },
    [
        "the run was restored before `1. work -> End`",
        "the output is {\"text\":\"1 at "
    ]
);

mistake!(
    a_body_that_depends_on_what_it_did_before_is_found,
    #[node]
    async fn work(begin: Begin, service: Dep<Service>) -> Result<End, std::io::Error> {
        match service.calls.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(End {
                text: begin.n.to_string(),
            }),
            _ => Err(std::io::Error::other("it has run before")),
        }
    },
    [
        "was lost, and it ran again",
        "the run fails: ",
        "it has run before"
    ]
);

#[tokio::test]
async fn a_step_is_broken_off_at_each_point_where_it_waits() {
    #[state]
    struct Begin {}
    #[state]
    struct End {}

    #[node]
    async fn work(_begin: &Begin, service: Dep<Service>, step: Step) -> End {
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        // Only a process that ends while it waits for the third time has this without what comes after it.
        service
            .effects
            .record(step.key(), service.calls.fetch_add(1, Ordering::SeqCst));
        tokio::task::yield_now().await;
        End {}
    }

    #[flow]
    fn waiting(begin: Begin) -> End {
        flow! { work }
    }

    let test = CrashTest::<Begin>::new(|| Begin {}).with_context(context);
    let Err(CrashTestError::Differs { difference, .. }) = test.check().await else {
        panic!("nothing was found")
    };
    assert!(difference.contains("is 0 and 1, but 0"), "{difference}");
}

#[node]
async fn charge_all(begin: &Begin, service: Dep<Service>) -> End {
    service.effects.record("charge", begin.n);
    service.effects.record("charge", begin.n + 1);
    End {
        text: String::new(),
    }
}

#[flow(named)]
fn charging(begin: Begin) -> End {
    flow! { charge_all }
}

#[tokio::test]
async fn two_effects_under_one_key_are_found_without_a_fault() {
    let test = CrashTest::<charging>::new(|| Begin { n: 1 }).with_context(context);
    let error = test.check().await.unwrap_err();
    assert!(matches!(error, CrashTestError::SharedKey { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "the effects 1 and 2 have one key, `charge`: the other side would take the second for a repetition"
    );
}
