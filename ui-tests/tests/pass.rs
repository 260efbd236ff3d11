//! What the compiler has nothing against: every form of the grammar, and of nodes. The cases are
//! modules of this one crate, so that they are compiled together.

mod files;

/// Each case as a module, and the list of their files.
macro_rules! cases {
    ($($file:literal $name:ident)*) => {
        $(
            #[path = $file]
            #[allow(
                dead_code,
                private_interfaces,
                unreachable_pub,
                reason = "a case is written as a crate of its own"
            )]
            mod $name;
        )*

        const FILES: &[(&str, fn())] = &[$(($file, $name::main)),*];
    };
}

cases! {
    "../pass/flow/impl_through_macro_rules.rs" impl_through_macro_rules
    "../pass/flow/private_states_behind_a_public_flow.rs" private_states_behind_a_public_flow
    "../pass/grammar/branch_that_ends_in_the_join_behind.rs" branch_that_ends_in_the_join_behind
    "../pass/grammar/branches_at_the_start.rs" branches_at_the_start
    "../pass/grammar/catch.rs" catch
    "../pass/grammar/catch_that_ends_the_flow.rs" catch_that_ends_the_flow
    "../pass/grammar/chain.rs" chain
    "../pass/grammar/choice_inside_a_fork.rs" choice_inside_a_fork
    "../pass/grammar/each.rs" each
    "../pass/grammar/each_around_a_choice.rs" each_around_a_choice
    "../pass/grammar/each_with_a_limit.rs" each_with_a_limit
    "../pass/grammar/either.rs" either
    "../pass/grammar/either_into_a_join.rs" either_into_a_join
    "../pass/grammar/either_into_a_plain_node.rs" either_into_a_plain_node
    "../pass/grammar/either_of_three.rs" either_of_three
    "../pass/grammar/fork_and_join.rs" fork_and_join
    "../pass/grammar/impl_flow.rs" impl_flow
    "../pass/grammar/input_that_is_the_output.rs" input_that_is_the_output
    "../pass/grammar/join_that_chooses.rs" join_that_chooses
    "../pass/grammar/list_at_the_start.rs" list_at_the_start
    "../pass/grammar/loop_with_a_way_out.rs" loop_with_a_way_out
    "../pass/grammar/nested_flow.rs" nested_flow
    "../pass/grammar/node_under_another_name.rs" node_under_another_name
    "../pass/grammar/one_node.rs" one_node
    "../pass/grammar/one_state_to_every_branch.rs" one_state_to_every_branch
    "../pass/grammar/one_state_with_two_consumers.rs" one_state_with_two_consumers
    "../pass/grammar/paths.rs" paths
    "../pass/grammar/raw_names.rs" raw_names
    "../pass/grammar/statements.rs" statements
    "../pass/grammar/through_macro_rules.rs" through_macro_rules
    "../pass/grammar/two_flows_of_one_input.rs" two_flows_of_one_input
    "../pass/grammar/two_of_three_branches_meet_first.rs" two_of_three_branches_meet_first
    "../pass/grammar/words_as_node_names.rs" words_as_node_names
    "../pass/node/agent_and_tool.rs" agent_and_tool
    "../pass/node/answers.rs" answers
    "../pass/node/contract.rs" contract
    "../pass/node/field_that_is_a_trait_object.rs" field_that_is_a_trait_object
    "../pass/node/fields_of_every_kind.rs" fields_of_every_kind
    "../pass/node/gate.rs" gate
    "../pass/node/invoke_under_another_name.rs" invoke_under_another_name
    "../pass/node/kinds_of_functions.rs" kinds_of_functions
    "../pass/node/merge_as_one_parameter_of_a_join.rs" merge_as_one_parameter_of_a_join
    "../pass/node/policies.rs" policies
    "../pass/node/private_states_behind_a_public_node.rs" private_states_behind_a_public_node
    "../pass/node/states_named_as_in_std.rs" states_named_as_in_std
    "../pass/node/states_of_every_kind.rs" states_of_every_kind
    "../pass/reads/aliases_and_choices.rs" reads_aliases_and_choices
    "../pass/reads/catches.rs" reads_catches
    "../pass/reads/choice_inside_a_fork.rs" reads_choice_inside_a_fork
    "../pass/reads/forks.rs" reads_forks
    "../pass/reads/loops_and_choices.rs" reads_loops_and_choices
    "../pass/reads/nested_flows.rs" reads_nested_flows
}

#[test]
fn every_case_is_compiled_and_runs() -> std::io::Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("pass");
    let files: Vec<String> = files::files(&root)?
        .into_iter()
        .map(|(name, _)| format!("../pass/{name}.rs"))
        .collect();
    let compiled: Vec<&str> = FILES.iter().map(|(file, _)| *file).collect();
    assert_eq!(files, compiled);
    for (_, main) in FILES {
        main();
    }
    Ok(())
}
