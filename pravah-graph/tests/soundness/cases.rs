//! How the property tests draw their nets.

use proptest::{prelude::ProptestConfig, test_runner::RngSeed};

/// So many cases, with the same nets on every run.
pub(crate) fn same_nets(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}
