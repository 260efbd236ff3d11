//! How the property tests draw their nets.

use proptest::prelude::ProptestConfig;

/// So many cases.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
