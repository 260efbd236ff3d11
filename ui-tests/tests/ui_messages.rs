//! Each mistake is said once, and `docs/errors.md` lists what is said.

mod cases;
mod files;

use std::{fmt::Write, fs, io, path::Path};

use cases::Case;

/// Cases in which rustc counts more errors than one, and why.
const MORE: [(&str, &str); 16] = [
    (
        "agent/approve_without_tools_and_no_preamble",
        "it has two mistakes, and each is said",
    ),
    (
        "agent/model_without_a_scheme_and_nothing_else",
        "it has three mistakes, and each is said",
    ),
    (
        "delegation/wrong_setting_and_missing_output",
        "it has two mistakes, and each is said",
    ),
    (
        "delegation/node_returns_what_an_agent_returns",
        "rustc says of the body that it is no such state, and Pravah of the signature that it calls nobody",
    ),
    (
        "flow/nodes_without_flow",
        "rustc parses the function first, and proposes a `.` at each `->`",
    ),
    (
        "flow/nodes_without_flow_recovers",
        "rustc parses the function first, and expects the fields of a struct",
    ),
    (
        "names/two_nodes_of_one_name",
        "rustc says it of the function, and of each thing that `#[node]` adds to it",
    ),
    (
        "state/field_cannot_be_written_as_json",
        "each derive of serde and schemars speaks for itself, after `#[state]`",
    ),
    (
        "state/field_with_the_name_of_a_standard_type",
        "each derive of serde and schemars speaks for itself, after `#[state]`",
    ),
    (
        "state/field_without_derives_beside_a_derive",
        "each derive of serde and schemars speaks for itself, after `#[state]`",
    ),
    (
        "state/field_is_a_trait_object",
        "each derive of serde and schemars speaks for itself, after `#[state]`",
    ),
    (
        "state/map_with_a_state_as_key",
        "each derive of serde and schemars speaks for itself, after `#[state]`",
    ),
    (
        "state/set_of_states",
        "each derive of serde and schemars speaks for itself, after `#[state]`",
    ),
    (
        "state/optional_field_without_derives",
        "each derive of serde and schemars speaks for itself, after `#[state]`",
    ),
    (
        "state/type_named_by_a_path",
        "it has four mistakes, and each is said",
    ),
    (
        "state/field_that_is_not_send",
        "rustc says of `Send` and of `Sync` each for itself that the type lacks it",
    ),
];

/// The areas in the order of the document.
const AREAS: [(&str, &str, &str); 25] = [
    (
        "syntax",
        "The words of a flow",
        "Found in the tokens of `flow! { … }`.",
    ),
    (
        "node",
        "What a flow names",
        "Names are ordinary paths, so rustc says what it cannot find; what it finds has to be a node.",
    ),
    (
        "edge",
        "What an edge carries",
        "The state that comes and the state that is taken have to be one type.",
    ),
    (
        "shape",
        "How many ways go on",
        "`either` follows a choice, with a branch for each case; `fork` a tuple, with a branch for each state, or one state, which every branch gets.",
    ),
    (
        "reads",
        "What a node reads",
        "`Latest<_>` is the last state that the flow has made: every run that comes to the reader has made one, and never may chance decide which.",
    ),
    (
        "join",
        "What arrives at a node",
        "Alternatives share a parameter of the node, parallel branches have one each; those of one type in the order of the branches.",
    ),
    (
        "soundness",
        "Whether every run can end",
        "From wherever a run can get it has to be able to end, with nothing left over and nothing overwritten.",
    ),
    (
        "names",
        "Names",
        "A flow tells states apart by name, and nodes too.",
    ),
    (
        "flow",
        "`#[flow]`",
        "A function with one state in, one state out, and one `flow! { … }` between; or an `impl Flow`.",
    ),
    (
        "upgrades",
        "Runs of earlier versions",
        "What a lock says of released versions, and `#[migrate]`. The lock of the first cases has `brew -> serve`, with an `Order`, a `Brewed` and a `Served`; that of `run_that_cannot_finish` has `split -> fork(join(meet), join(meet))`.",
    ),
    ("state", "`#[state]`", "What a node takes and gives."),
    (
        "choice",
        "`#[choice]`",
        "An enum with one state in each variant.",
    ),
    (
        "function",
        "`#[node]`",
        "A plain function from states to states.",
    ),
    (
        "params",
        "What a node or a tool asks for",
        "Beside its states a node takes what it asks for, in any order; the types tell which is which.",
    ),
    (
        "capabilities",
        "What may be reached",
        "`only(…)` of a flow and `constraints(…)` of an agent, nested flows, lists and tools included.",
    ),
    ("gate", "`#[gate]`", "A function that waits for a person."),
    (
        "agent",
        "`#[agent]`",
        "A function or a struct that is a prompt.",
    ),
    (
        "contract",
        "`contract(…)`",
        "When an agent's answer goes on by itself, and when a person looks at it.",
    ),
    (
        "model",
        "Model URLs",
        "A literal URL is checked; others are checked when the flow runs.",
    ),
    (
        "tool",
        "`#[tool]`",
        "An async function that a model may call.",
    ),
    (
        "delegation",
        "`agents = […]`",
        "The agents and flows that an agent may call.",
    ),
    (
        "runner",
        "Remote agents",
        "What a remote agent cannot have, and who cannot call it.",
    ),
    (
        "policy",
        "Options of a node",
        "Checked where they are written.",
    ),
    (
        "reexport",
        "`crate = …`",
        "Where the runtime is, if the crate has it through another crate: an option of every attribute.",
    ),
    (
        "model_text",
        "Texts for a model",
        "What a model reads is wrapped by `ToModel`, and in no other way.",
    ),
];

/// Where a broken item is used elsewhere, and nothing more is said.
const RECOVERY: &str = "recovery";

#[test]
fn every_mistake_is_said_once() -> io::Result<()> {
    for case in cases::all()? {
        let is_more = MORE.iter().any(|(name, _)| *name == case.name);
        assert_eq!(
            case.errors() > 1,
            is_more,
            "{}: {} errors",
            case.name,
            case.errors()
        );
        assert_ne!(case.errors(), 0, "{}", case.name);
    }
    Ok(())
}

#[test]
fn no_message_names_what_users_never_see() -> io::Result<()> {
    let ours = |case: &Case| MORE.iter().all(|(name, _)| *name != case.name);
    for case in cases::all()?.into_iter().filter(ours) {
        let message = case.message();
        for hidden in ["__pravah", "Brought", "Accepts", "IsState", "Param"] {
            assert!(!message.contains(hidden), "{}: {message}", case.name);
        }
    }
    Ok(())
}

/// The macros check model URLs that are literals, and know no types of the runtime.
#[test]
fn the_macros_know_the_scheme_of_every_provider() -> io::Result<()> {
    let case = cases::all()?;
    let case = case.iter().find(|case| case.name == "model/unknown_scheme");
    let help = case.and_then(Case::help).unwrap_or_default();
    for provider in pravah_runtime::Provider::ALL {
        let scheme = format!("`{}`", provider.scheme());
        assert!(help.contains(&scheme), "{scheme}: {help}");
    }
    Ok(())
}

#[test]
fn every_case_is_at_most_twenty_lines() -> io::Result<()> {
    for case in cases::all()? {
        assert!(case.source.lines().count() <= 20, "{}", case.name);
    }
    Ok(())
}

/// `TRYBUILD=overwrite` writes the document anew.
#[test]
fn the_document_lists_every_message() -> io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors.md");
    let document = document(&cases::all()?);
    if std::env::var_os("TRYBUILD").is_some_and(|mode| mode == "overwrite") {
        return fs::write(&path, document);
    }
    let written = fs::read_to_string(&path)?;
    assert!(
        written == document,
        "docs/errors.md is not what the cases say: run `just ui-bless`"
    );
    Ok(())
}

#[test]
fn every_area_has_a_section() -> io::Result<()> {
    for case in cases::all()? {
        let known = AREAS.iter().any(|(area, ..)| *area == case.area());
        assert!(known || case.area() == RECOVERY, "{}", case.name);
    }
    Ok(())
}

fn document(cases: &[Case]) -> String {
    let mut text = String::from(
        "# Errors\n\nWhat the compiler says about each mistake, with the code that causes it and the \
         help. Each entry is a case in `ui-tests/fail`, where the whole file and the compiler's \
         whole answer stand; a test keeps this page and the cases in step.\n",
    );
    for (area, title, about) in AREAS {
        let _ = write!(text, "\n## {title}\n\n{about}\n");
        for case in cases.iter().filter(|case| case.area() == area) {
            entry(&mut text, case);
        }
    }
    text.push_str(
        "\n## One mistake, one error\n\nA broken item is still defined, so that what uses it \
         elsewhere stays silent. These cases show it:\n\n",
    );
    for case in cases.iter().filter(|case| case.area() == RECOVERY) {
        let _ = writeln!(text, "- `{}`: {}", case.name, case.message());
    }
    text.push_str("\nWhere the compiler says more than one thing:\n\n");
    for (name, reason) in MORE {
        let _ = writeln!(text, "- `{name}`: {reason}");
    }
    text
}

fn entry(text: &mut String, case: &Case) {
    let (name, item, message) = (&case.name, case.flow(), case.message());
    let _ = write!(
        text,
        "\n### `{name}`\n\n```rust\n{item}\n```\n\n> {message}\n"
    );
    if let Some(help) = case.help() {
        let _ = write!(text, ">\n> **help:** {help}\n");
    }
}
