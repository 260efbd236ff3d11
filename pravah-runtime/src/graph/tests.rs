//! What the attributes say, as the engine reads it.

use std::time::Duration;

use super::{NodeInfo, NodeKind};
use crate::{
    node::{Policy, Retry},
    prelude::*,
};

#[state]
struct Address {}

#[state]
struct Page {}

const TRIES: u32 = 4;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn policy_of<N: NodeInfo>() -> Policy {
    N::spec().policy
}

// S4.21
#[test]
fn the_policy_of_a_function_is_what_its_attribute_says() {
    #[node]
    fn plain(_: Address) -> Page {
        Page {}
    }

    #[node(
        timeout = "30s",
        retry(
            max_attempts = 3,
            backoff = "200ms",
            factor = 2.5,
            max_backoff = "5s",
            jitter
        ),
        max_visits = 10,
        total_timeout = "5m"
    )]
    async fn whole(_: Address) -> Page {
        Page {}
    }

    #[node(retry(max_attempts = TRIES))]
    fn by_a_constant(_: Address) -> Page {
        Page {}
    }

    assert_eq!(policy_of::<plain>(), Policy::new());
    let retry = Retry::attempts(3)
        .backoff(Duration::from_millis(200))
        .factor(2.5)
        .max_backoff(seconds(5))
        .jitter();
    assert_eq!(
        policy_of::<whole>(),
        Policy::new()
            .timeout(seconds(30))
            .total_timeout(seconds(300))
            .max_visits(10)
            .retry(retry)
    );
    let retry = Retry::attempts(4);
    assert_eq!(policy_of::<by_a_constant>(), Policy::new().retry(retry));
}

// S4.21
#[test]
fn the_policy_of_an_agent_is_what_its_attribute_says_on_a_function_and_on_a_struct() {
    #[agent(model = "openai://m", preamble = "P", output = Page, timeout = "2m", retry(max_attempts = 2))]
    fn read(_: &Address) -> String {
        String::new()
    }

    #[agent(model = "openai://m", preamble = "P", output = Page, timeout = "2m", retry(max_attempts = 2))]
    struct Question {}

    #[agent(model = "openai://m", preamble = "P", output = Page)]
    struct Plain {}

    let policy = Policy::new()
        .timeout(seconds(120))
        .retry(Retry::attempts(2));
    assert_eq!(policy_of::<read>(), policy);
    assert_eq!(policy_of::<Question>(), policy);
    assert_eq!(Question::policy(), policy);
    assert_eq!(policy_of::<Plain>(), Policy::new());
}

#[test]
fn the_policy_of_a_gate_is_what_its_attribute_says() {
    #[gate(prompt = "Go on?", timeout = "2d", max_visits = 2)]
    fn ask(_: Address, _answer: bool) -> Page {
        Page {}
    }

    let policy = Policy::new().timeout(seconds(2 * 86_400)).max_visits(2);
    assert_eq!(policy_of::<ask>(), policy);
}

#[test]
fn the_limit_of_a_list_is_what_the_flow_says() {
    const MOST: u32 = 2;

    #[node]
    fn split(_: Address) -> Each<Address> {
        Each::from(Vec::new())
    }

    #[node]
    fn fetch(_: Address) -> Page {
        Page {}
    }

    #[node]
    fn join(_: Each<Page>) -> Page {
        Page {}
    }

    #[flow(named)]
    fn plain(address: Address) -> Page {
        flow! { split -> each(fetch) -> join }
    }

    #[flow(named)]
    fn literal(address: Address) -> Page {
        flow! { split -> each(fetch, limit = 8) -> join }
    }

    #[flow(named)]
    fn constant(address: Address) -> Page {
        flow! { split -> each(fetch, limit = MOST) -> join }
    }

    let graphs = [plain::graph(), literal::graph(), constant::graph()].map(Result::unwrap);
    let limits = graphs.each_ref().map(|graph| {
        let lists = graph.specs.iter().filter_map(|spec| match &spec.kind {
            NodeKind::Each(each) => Some(each.limit),
            _ => None,
        });
        lists.collect::<Vec<_>>()
    });
    assert_eq!(limits, [[None], [Some(8)], [Some(MOST)]]);
    let fingerprints = graphs.each_ref().map(FlowGraph::fingerprint);
    assert_eq!(fingerprints, [fingerprints[0]; 3]);
}
