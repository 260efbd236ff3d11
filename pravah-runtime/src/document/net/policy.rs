//! From the policy of a node of a document to the engine's.

use pravah_document::Policy as Written;

use crate::node::{Policy, Retry};

pub(super) fn policy(written: &Written) -> Policy {
    let mut policy = Policy::new();
    policy.timeout = written.timeout;
    policy.total_timeout = written.total_timeout;
    policy.retry = written.retry.as_ref().map(|written| {
        let mut retry = Retry::attempts(written.max_attempts).backoff(written.backoff);
        if written.factor > 1.0 {
            retry = retry.factor(written.factor);
        }
        if let Some(longest) = written.max_backoff {
            retry = retry.max_backoff(longest);
        }
        match written.jitter {
            true => retry.jitter(),
            false => retry,
        }
    });
    policy
}
