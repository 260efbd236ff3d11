//! From the policy of a node of a document to the engine's.

use pravah_document::{Node, Policy as Written, Work};

use crate::node::{Policy, Retry};

pub(super) fn policy(node: &Node) -> Policy {
    let mut policy = of_written(&node.policy);
    if let Work::Wait { .. } = node.work {
        // The engine has one limit for what waits.
        let timeouts = policy.timeout.into_iter().chain(policy.total_timeout);
        policy.timeout = timeouts.min();
        policy.total_timeout = None;
    }
    policy
}

fn of_written(written: &Written) -> Policy {
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
