//! What the builder refuses, in which words, and where a graph starts and ends.

use pravah_runtime::{
    Agent, AgentConfig, Context, Either, Failure, Flow, FlowError, FlowGraph, FlowGraphBuilder,
    FlowRuntime, Tool, ToolBox, ToolError,
};

use crate::engine_support::states;

states!(A, B, C, D, E, F, G);

fn problems(builder: FlowGraphBuilder) -> Vec<String> {
    match builder.build() {
        Err(FlowError::Invalid(problems)) => problems,
        Err(error) => vec![error.to_string()],
        Ok(_) => Vec::new(),
    }
}

macro_rules! work {
    ($builder:expr, $from:ident -> $out:ident) => {
        $builder.work::<$from, $out, _, _>(|from, _| async move { Ok($out { n: from.n }) })
    };
}

macro_rules! fork {
    ($builder:expr, $from:ident -> $a:ident, $b:ident) => {
        $builder.fork::<$from, $a, $b, _>(|from, _| Ok(($a { n: from.n }, $b { n: from.n })))
    };
}

macro_rules! either {
    ($builder:expr, $from:ident -> $a:ident, $b:ident) => {
        $builder.either::<$from, $a, $b, _>(|from, _| Ok(Either::<$a, $b>::Left($a { n: from.n })))
    };
}

macro_rules! join {
    ($builder:expr, $a:ident, $b:ident -> $out:ident) => {
        $builder.join::<$a, $b, $out, _>(|a, _, _| Ok($out { n: a.n }))
    };
}

fn new() -> FlowGraphBuilder {
    FlowGraph::builder()
}

#[test]
fn a_graph_starts_with_the_state_that_nothing_produces_wherever_it_is_declared() {
    let graph = work!(work!(new(), B -> C), A -> B).build().unwrap();
    assert_eq!((graph.input(), graph.output()), ("A", "C"));
}

#[test]
fn a_graph_whose_states_are_all_produced_starts_with_the_first_node() {
    let graph = either!(work!(new(), A -> B), B -> A, C).build().unwrap();
    assert_eq!((graph.input(), graph.output()), ("A", "C"));
}

#[test]
fn a_graph_without_nodes_is_refused() {
    assert_eq!(problems(new()), ["the graph has no nodes"]);
}

// S1.17
#[test]
fn a_choice_between_a_state_and_itself_is_refused() {
    assert_eq!(
        problems(work!(either!(new(), A -> B, B), B -> C)),
        ["`A` returns `B` twice: its outputs must be different states"]
    );
}

// S1.18
#[test]
fn a_fork_into_one_state_twice_is_refused() {
    assert_eq!(
        problems(work!(fork!(new(), A -> B, B), B -> C)),
        ["`A` returns `B` twice: its outputs must be different states"]
    );
}

// S1.18, S1.33
#[test]
fn a_branch_that_nobody_takes_is_refused() {
    assert_eq!(
        problems(work!(fork!(new(), A -> B, C), B -> D)),
        ["the states `C`, `D` are produced and never consumed: a flow ends in one state"]
    );
}

// S1.19
#[test]
fn branches_of_a_fork_that_do_not_meet_are_refused() {
    let problems = problems(work!(work!(fork!(new(), A -> B, C), B -> D), C -> D));
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("fork branches must meet in a join"),
        "{problems:?}"
    );
}

// S1.20
#[test]
fn a_join_of_two_ways_of_a_choice_is_refused_with_the_run_into_it() {
    assert_eq!(
        problems(join!(either!(new(), A -> B, C), B, C -> D)),
        [
            "`B` can wait forever: it joins 2 branches, and after the run `A` 1 of them can never arrive"
        ]
    );
}

// S1.20
#[test]
fn a_join_of_a_state_with_itself_is_refused() {
    let problems = problems(join!(work!(new(), A -> B), B, B -> C));
    assert_eq!(problems, ["`B` takes `B` twice"]);
}

// S1.20
#[test]
fn a_join_with_a_parent_that_nothing_produces_is_refused() {
    let problems = problems(join!(work!(new(), A -> B), B, C -> D));
    assert_eq!(
        problems,
        ["the join of `B`, `C` takes `C`, which nothing produces"]
    );
}

// S1.21
#[test]
fn a_join_into_one_of_its_parents_is_refused() {
    let problems = problems(work!(join!(fork!(new(), A -> B, C), B, C -> B), B -> D));
    assert!(
        problems.contains(&"the join of `B` returns `B`, which it also takes".to_owned()),
        "{problems:?}"
    );
}

// S1.19
#[test]
fn a_caught_failure_that_ends_the_flow_too_early_is_named_in_the_run() {
    let branches = work!(fork!(new(), A -> B, C), B -> D);
    let rescued = branches
        .work::<Failure<B>, E, _, _>(|failure, _| async move { Ok(E { n: failure.input.n }) });
    assert_eq!(
        problems(join!(rescued, D, C -> E)),
        [
            "`Failure_of_B` ends the flow while `D` still holds a state: the run `A -> catch(B) -> Failure_of_B`: \
             fork branches must meet in a join"
        ]
    );
}

// S1.3, S1.32
#[test]
fn a_state_with_two_consumers_is_refused_once_naming_both() {
    assert_eq!(
        problems(work!(join!(work!(work!(new(), A -> B), A -> C), B, C -> D), D -> E)),
        ["`A` has two consumers: the node that returns `B` and the node that returns `C`"]
    );
}

// S1.32
#[test]
fn two_consumers_that_return_the_same_are_told_once() {
    assert_eq!(
        problems(work!(work!(work!(new(), A -> B), B -> C), B -> C)),
        ["two nodes take `B`, and both return `C`"]
    );
}

mod other {
    crate::engine_support::states!(B);

    pub(crate) fn b() -> B {
        B { n: 1 }
    }

    pub(crate) type Other = B;
}

// S1.3
#[test]
fn two_types_of_one_name_are_refused_naming_both() {
    let builder = new()
        .work::<A, other::Other, _, _>(|_, _| async { Ok(other::b()) })
        .work::<B, C, _, _>(|b, _| async move { Ok(C { n: b.n }) });
    assert_eq!(
        problems(builder),
        [
            "two types are called `B`: `engine::builder_checks::other::B` and `engine::builder_checks::B`"
        ]
    );
}

// S1.33
#[test]
fn a_graph_that_never_ends_is_refused() {
    let problems = problems(work!(work!(new(), A -> B), B -> A));
    assert_eq!(
        problems[0],
        "every state that is produced is consumed: the flow never ends"
    );
}

// S1.32
#[test]
fn nodes_that_no_run_reaches_are_refused() {
    let problems = problems(work!(either!(work!(new(), A -> B), C -> D, B), D -> C));
    assert_eq!(problems, ["no run reaches `C`"]);
}

// S1.32
#[test]
fn a_loop_without_an_exit_is_refused() {
    let problems = problems(work!(work!(work!(either!(new(), A -> B, C), B -> D), D -> B), C -> E));
    assert_eq!(
        problems,
        ["`B` loops forever: no path leads from it to the end"]
    );
}

// S1.32: all at once.
#[test]
fn all_problems_are_reported_together() {
    // Two consumers of `A`, two ends, an unreachable loop, one name twice.
    let builder = work!(work!(work!(work!(new(), A -> B), A -> C), D -> E), E -> D)
        .work::<C, other::Other, _, _>(|_, _| async { Ok(other::b()) })
        .fork::<F, F, F, _>(|_, _| Err(FlowError::other("never")));
    let problems = problems(builder);
    for expected in [
        "`A` has two consumers",
        "two types are called `B`",
        "no run reaches `D`",
        "no run reaches `E`",
        "`F` returns `F` twice",
    ] {
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{expected}: {problems:#?}"
        );
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Submit {}

impl Tool for Submit {
    type Output = ();

    fn name() -> &'static str {
        "submit"
    }

    fn description() -> &'static str {
        "Takes the engine's own name."
    }

    async fn call(self, _: Context) -> Result<(), ToolError> {
        Ok(())
    }
}

impl Agent for G {
    type Output = A;

    fn build() -> AgentConfig {
        AgentConfig::new("", "nonsense").with_tools(ToolBox::new().with::<Submit>())
    }
}

// S1.8, S1.24
#[test]
fn all_problems_of_an_agent_are_reported_with_those_of_its_graph() {
    let problems = problems(work!(work!(new().agent::<G>(), A -> B), A -> C));
    for expected in [
        "agent `G`: `nonsense` has no scheme",
        "agent `G`: a tool may not be called `submit`",
        "two consumers",
    ] {
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{expected}: {problems:#?}"
        );
    }
}

// S1.33
#[test]
fn a_flow_whose_graph_ends_elsewhere_is_refused() {
    let error = FlowRuntime::new(E { n: 0 }).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the flow is not valid: the graph of `E` ends with `F`, and its output is `G`"
    );
}

// S1.33
#[test]
fn a_flow_whose_graph_starts_elsewhere_is_refused() {
    let error = FlowRuntime::new(C { n: 0 }).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the flow is not valid: the graph of `C` starts with `E`"
    );
}

#[test]
fn a_flow_within_itself_is_refused() {
    let error = FlowRuntime::new(D { n: 0 }).err().unwrap().to_string();
    assert!(error.contains("`D` contains itself"), "{error}");
}

#[test]
fn a_nested_flow_that_cannot_be_built_is_refused_with_its_own_problems() {
    let problems = problems(work!(new(), A -> B).flow::<B>());
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("`B` cannot run") && problems[0].contains("never ends"),
        "{problems:?}"
    );
}

#[test]
fn a_graph_can_be_drawn() {
    let graph = either!(work!(new(), A -> B), B -> A, C).build().unwrap();
    assert!(
        graph.to_mermaid().contains("|\"C\"|"),
        "{}",
        graph.to_mermaid()
    );
    assert!(graph.to_dot().starts_with("digraph"), "{}", graph.to_dot());
}

// S1.41: the fingerprint is that of the net.
#[test]
fn graphs_of_the_same_net_have_the_same_fingerprint_and_others_do_not() {
    let chain = || work!(work!(new(), A -> B), B -> C).build().unwrap();
    let other_body = work!(new(), A -> B).work::<B, C, _, _>(|_, _| async { Ok(C { n: 9 }) });
    assert_eq!(
        chain().fingerprint(),
        other_body.build().unwrap().fingerprint()
    );
    assert_ne!(
        chain().fingerprint(),
        work!(work!(new(), A -> B), B -> D)
            .build()
            .unwrap()
            .fingerprint()
    );
    assert_ne!(
        chain().fingerprint(),
        work!(work!(new(), B -> C), A -> B)
            .build()
            .unwrap()
            .fingerprint()
    );
}

// Flows that are wrong, each in its own way.

impl Flow for E {
    type Output = G;

    fn build() -> Result<FlowGraph, FlowError> {
        work!(FlowGraph::builder(), E -> F).build()
    }
}

impl Flow for C {
    type Output = F;

    fn build() -> Result<FlowGraph, FlowError> {
        work!(FlowGraph::builder(), E -> F).build()
    }
}

impl Flow for D {
    type Output = F;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder().flow::<D>().build()
    }
}

impl Flow for B {
    type Output = F;

    fn build() -> Result<FlowGraph, FlowError> {
        work!(work!(FlowGraph::builder(), B -> C), C -> B).build()
    }
}

mod elsewhere {
    /// Another type of the same name.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    pub(crate) struct Same {
        pub(crate) text: String,
    }
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Same {
    n: u64,
}

#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Begin {
    n: u64,
}

impl Flow for Begin {
    type Output = elsewhere::Same;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Begin, Same, _, _>(|begin, _| async move { Ok(Same { n: begin.n }) })
            .build()
    }
}

// S1.3
#[test]
fn a_graph_that_ends_with_another_type_of_the_outputs_name_is_refused() {
    let Err(FlowError::Invalid(problems)) = FlowRuntime::new(Begin { n: 1 }).map(drop) else {
        panic!("it was built");
    };
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("elsewhere::Same"), "{problems:?}");
}
