//! What the attributes and the language say of how a flow is run.

use pravah_runtime::{Fingerprint, prelude::*};

use crate::macros_support::states;

states!(Job, Done, Sum);

#[node]
fn work(job: Job) -> Done {
    Done { n: job.n }
}

#[node]
fn sum(done: &Done) -> Sum {
    Sum { n: done.n }
}

mod failing {
    use super::*;

    #[flow(named)]
    fn fast(job: Job) -> Done {
        flow! { work }
    }

    #[flow(named, fail_fast = false)]
    fn slow(job: Job) -> Done {
        flow! { work }
    }

    #[flow(fail_fast = true)]
    fn said(done: Done) -> Sum {
        flow! { sum }
    }

    #[flow(fail_fast = false)]
    impl Flow for Job {
        type Output = Sum;

        fn build() -> Result<FlowGraph, FlowError> {
            flow! { work -> sum }
        }
    }

    #[flow(named)]
    fn around(job: Job) -> Sum {
        flow! { slow -> said }
    }

    #[test]
    fn a_flow_fails_fast_unless_it_says_otherwise() {
        assert!(fast::graph().unwrap().fail_fast());
        assert!(said::graph().unwrap().fail_fast());
        assert!(!slow::graph().unwrap().fail_fast());
        assert!(!Job::build().unwrap().fail_fast());
    }

    #[test]
    fn the_setting_of_the_outermost_flow_counts() {
        assert!(around::graph().unwrap().fail_fast());
    }

    #[test]
    fn a_snapshot_fits_whatever_the_setting_is() {
        let [fast, slow]: [Fingerprint; 2] =
            [fast::graph(), slow::graph()].map(|graph| graph.unwrap().fingerprint());
        assert_eq!(fast, slow);
    }
}
