//! Policies of nodes, and of the whole flow.

use super::FlowGraphBuilder;
use crate::{
    graph::{NodeKind, problems::Problem},
    node::Policy,
};

impl FlowGraphBuilder {
    /// Sets how often and how long the node before is tried, in place of an agent's own
    /// [`Agent::policy`](crate::Agent::policy).
    ///
    /// [`build`](Self::build) refuses a policy before the first node, of a nested flow, whose nodes have
    /// their own, a second one of the same node, and one with [`problems`](Policy::problems).
    ///
    /// ```
    /// use std::time::Duration;
    /// use pravah_runtime::prelude::*;
    ///
    /// #[state] struct Address { url: String }
    /// #[state] struct Page { text: String }
    ///
    /// let graph = FlowGraph::builder()
    ///     .work::<Address, Page, _, _>(|address, _ctx| async move {
    ///         Ok(Page { text: format!("what {} says", address.url) })
    ///     })
    ///     .policy(
    ///         Policy::new()
    ///             .timeout(Duration::from_secs(10))
    ///             .retry(Retry::attempts(3).backoff(Duration::from_millis(200)).factor(2.0)),
    ///     )
    ///     .build()?;
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn policy(mut self, policy: Policy) -> Self {
        let last = self.nodes.len().checked_sub(1);
        let Some(node) = self.nodes.last_mut() else {
            self.problems.push(Problem::PolicyOfNothing);
            return self;
        };
        let name = node.id.clone();
        if matches!(node.kind, NodeKind::Flow(_)) {
            self.problems.push(Problem::PolicyOfFlow { node: name });
        } else if self.has_policy == last {
            self.problems.push(Problem::TwoPolicies { node: name });
        } else {
            node.policy = policy;
            self.has_policy = last;
        }
        self
    }

    /// Whether the run ends where a node fails, with nothing left to try, which it does unless this says
    /// `false`: see [`FlowGraph::fail_fast`](crate::FlowGraph::fail_fast).
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// # #[state] struct Text { text: String }
    /// # #[state] struct Words { count: usize }
    /// let graph = FlowGraph::builder()
    ///     .work::<Text, Words, _, _>(|text, _ctx| async move {
    ///         Ok(Words { count: text.text.split_whitespace().count() })
    ///     })
    ///     .fail_fast(false)
    ///     .build()?;
    /// assert!(!graph.fail_fast());
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn fail_fast(mut self, fail_fast: bool) -> Self {
        self.goes_on_after_failures = !fail_fast;
        self
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::{
        Agent, AgentConfig, Flow, FlowError, FlowGraph, ModelOptions, Policy, Retry, State, state,
    };

    #[state]
    struct Address {}

    #[state]
    struct Page {}

    #[state]
    struct Summary {}

    impl Agent for Page {
        type Output = Summary;

        fn build() -> AgentConfig {
            AgentConfig::new("You sum up.", "openai://m")
        }

        fn policy() -> Policy {
            Policy::new().retry(Retry::attempts(2))
        }
    }

    impl Flow for Address {
        type Output = Page;

        fn build() -> Result<FlowGraph, FlowError> {
            fetched(FlowGraph::builder()).fail_fast(false).build()
        }
    }

    fn fetched(builder: super::FlowGraphBuilder) -> super::FlowGraphBuilder {
        builder.work::<Address, Page, _, _>(|_, _| async { Ok(Page {}) })
    }

    fn minute() -> Policy {
        Policy::new().timeout(Duration::from_secs(60))
    }

    fn problems(builder: super::FlowGraphBuilder) -> Vec<String> {
        match builder.build() {
            Err(FlowError::Invalid(problems)) => problems,
            Err(error) => vec![error.to_string()],
            Ok(_) => Vec::new(),
        }
    }

    fn policies(graph: &FlowGraph) -> Vec<Policy> {
        graph.specs.iter().map(|spec| spec.policy).collect()
    }

    // S4.21
    #[test]
    fn a_policy_is_that_of_the_node_before_it() {
        let graph = fetched(FlowGraph::builder()).policy(minute());
        let graph = graph.agent::<Page>().build().unwrap();
        assert_eq!(policies(&graph), [minute(), Page::policy()]);
        let graph = fetched(FlowGraph::builder()).agent::<Page>();
        let graph = graph.policy(minute()).build().unwrap();
        assert_eq!(policies(&graph), [Policy::new(), minute()]);
    }

    #[test]
    fn a_policy_of_no_node_is_refused() {
        assert_eq!(
            problems(fetched(FlowGraph::builder().policy(minute()))),
            ["a policy is set before the first node: `policy` is that of the node before it"]
        );
    }

    #[test]
    fn a_second_policy_of_a_node_is_refused() {
        let twice = fetched(FlowGraph::builder())
            .policy(minute())
            .policy(Policy::new());
        assert_eq!(
            problems(twice),
            ["`Address` has two policies: set everything in one"]
        );
    }

    #[test]
    fn a_policy_of_a_nested_flow_is_refused() {
        let nested = FlowGraph::builder().flow::<Address>().policy(minute());
        assert_eq!(
            problems(nested),
            ["the flow `Address` has a policy, and is tried node by node: set it at its nodes"]
        );
    }

    // S4.21
    #[test]
    fn every_problem_of_every_policy_is_reported() {
        let zero = Policy::new()
            .timeout(Duration::ZERO)
            .retry(Retry::attempts(0));
        let graph = fetched(FlowGraph::builder()).policy(zero);
        let graph = graph.agent::<Page>().policy(Policy::new().max_visits(0));
        assert_eq!(
            problems(graph),
            [
                "the policy of `Address`: `timeout` is zero, and every attempt would be too slow",
                "the policy of `Address`: `max_attempts` is 0, and a node is tried at least once",
                "the policy of `Page`: `max_visits` is 0, and a node runs at least once",
            ]
        );
    }

    #[test]
    fn a_model_has_no_more_time_for_a_call_than_its_agent_for_all() {
        #[state]
        struct Question {}

        impl Agent for Question {
            type Output = Summary;

            fn build() -> AgentConfig {
                let options = ModelOptions::new().timeout(Duration::from_secs(61));
                AgentConfig::new("You answer.", "openai://m").with_options(options)
            }
        }

        let agent = || FlowGraph::builder().agent::<Question>();
        assert_eq!(problems(agent()), [""; 0]);
        assert_eq!(
            problems(agent().policy(minute())),
            [
                "agent `Question`: one call of its model may take longer than all of them together: \
                 `ModelOptions::timeout` is longer than its policy allows"
            ]
        );
    }

    #[test]
    fn a_flow_fails_fast_unless_it_says_otherwise() {
        assert!(
            fetched(FlowGraph::builder())
                .agent::<Page>()
                .build()
                .unwrap()
                .fail_fast()
        );
        assert!(!Address::build().unwrap().fail_fast());
        let outer = FlowGraph::builder().flow::<Address>().agent::<Page>();
        assert!(outer.build().unwrap().fail_fast());
        assert_eq!(Address::NAME, "Address");
    }
}
