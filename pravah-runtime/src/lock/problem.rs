//! Why runs of an earlier version cannot go on.

use std::{collections::BTreeSet, fmt};

use crate::{engine::load_help, quoted::quoted};

/// What becomes of the runs of the versions in a [`FlowLock`](crate::FlowLock).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockReport {
    /// What runs cannot go on from, wherever they come to it.
    pub problems: Vec<LockProblem>,
    /// For each version the nodes that it did not have, by their keys. Runs that are past them skip them.
    pub added: Vec<(String, BTreeSet<String>)>,
}

impl LockReport {
    /// Whether the runs of all versions can go on, wherever they are.
    pub fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }
}

impl fmt::Display for LockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "{problem}\n  help: {}", problem.help())?;
        }
        for (release, nodes) in self.added.iter().filter(|(_, nodes)| !nodes.is_empty()) {
            writeln!(
                f,
                "version {release}: the new nodes at {} are skipped by runs that are past them",
                quoted(nodes)
            )?;
        }
        Ok(())
    }
}

/// Why runs of an earlier version that come to some place cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockProblem {
    /// No node takes a state of this name any more.
    #[non_exhaustive]
    Gone {
        /// The release.
        release: String,
        /// The key under which the state waits.
        state: String,
        /// The nodes on the way to it, from the start of the flow: the last one leaves it.
        run: Vec<String>,
    },
    /// Several nodes take the state, and none of them is the one that took it.
    #[non_exhaustive]
    Ambiguous {
        /// The release.
        release: String,
        /// The key under which the state waits.
        state: String,
        /// The keys that it may have in this version.
        candidates: Vec<String>,
    },
    /// A run can go on before it makes a step, and not after it: something would wait for ever, or be left behind.
    #[non_exhaustive]
    Stranded {
        /// The release.
        release: String,
        /// The nodes on the way there, from the start of the flow: the last one makes the step.
        run: Vec<String>,
        /// What the step leaves, by the keys.
        states: Vec<String>,
    },
    /// A state comes to wait inside a flow whose input was not kept, and a `catch` hands that input on or a node may ask for
    /// it.
    #[non_exhaustive]
    NoInput {
        /// The release.
        release: String,
        /// The key of the state.
        state: String,
        /// The key of the input.
        input: String,
    },
    /// What a node has done before the end of its step is of no use to the node that has its place.
    #[non_exhaustive]
    Progress {
        /// The release.
        release: String,
        /// The id of the node.
        node: String,
        /// What it was, and returned.
        was: String,
        /// What has its place, and returns.
        is: String,
    },
    /// A state that was stored cannot be read as the type that it has now.
    #[non_exhaustive]
    Unreadable {
        /// The release.
        release: String,
        /// The key of the state.
        state: String,
        /// Why.
        why: String,
    },
    /// The lock is of another flow.
    #[non_exhaustive]
    OtherFlow {
        /// The id of the flow in the lock.
        locked: String,
        /// The id of this one.
        flow: String,
    },
}

impl LockProblem {
    /// What lets the runs go on.
    pub fn help(&self) -> String {
        match self {
            Self::Gone { state, .. } => load_help::where_gone(state),
            Self::Ambiguous { candidates, .. } => {
                format!(
                    "let one of {} be taken by the node that took it before, under the name that it had",
                    quoted(candidates)
                )
            }
            Self::Stranded { .. } => {
                "keep the earlier nodes beside the new ones until those runs have ended".to_owned()
            }
            Self::NoInput { .. } => {
                "keep the earlier nodes beside that flow until those runs have ended".to_owned()
            }
            Self::Progress { .. } => {
                "keep the node as it was until those runs have ended, or remove the version from the lock file and load its runs with `LoadOptions::drop_progress`: the node starts over".to_owned()
            }
            Self::Unreadable { state, .. } => load_help::where_unreadable(state),
            Self::OtherFlow { locked, .. } => format!(
                "name a file of its own for each flow; where this one was called `{locked}`, its runs are of another flow now: give it its earlier name"
            ),
        }
    }
}

impl fmt::Display for LockProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone {
                release,
                state,
                run,
            } => {
                let after = After(run);
                write!(
                    f,
                    "version {release}: {after}, a `{state}` waits, and no node of this version takes it"
                )
            }
            Self::Ambiguous {
                release,
                state,
                candidates,
            } => write!(
                f,
                "version {release}: a `{state}` that waits may be any of {} in this version",
                quoted(candidates)
            ),
            Self::Stranded {
                release,
                run,
                states,
            } => {
                let after = After(run);
                match states.is_empty() {
                    true => write!(
                        f,
                        "version {release}: {after}, the flow ends, and in this version a state would be left behind"
                    ),
                    false => write!(
                        f,
                        "version {release}: {after}, {} {}, and in this version a run cannot finish from there",
                        all_of(states),
                        if states.len() == 1 { "waits" } else { "wait" }
                    ),
                }
            }
            Self::NoInput {
                release,
                state,
                input,
            } => write!(
                f,
                "version {release}: in this version a `{state}` that waits is inside a flow whose input `{input}` was not kept, and a `catch` or an `Input<_>` needs it"
            ),
            Self::Progress {
                release,
                node,
                was,
                is,
            } => write!(
                f,
                "version {release}: a run inside `{node}` cannot go on there: it was {was}, and is {is}"
            ),
            Self::Unreadable {
                release,
                state,
                why,
            } => write!(
                f,
                "version {release}: a `{state}` that was stored cannot be read: {why}"
            ),
            Self::OtherFlow { locked, flow } => {
                write!(
                    f,
                    "the lock file is of the flow `{locked}`, and this is `{flow}`"
                )
            }
        }
    }
}

/// Names as a sentence has them: `` `a`, `b` and `c` ``.
fn all_of(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and `{last}`", quoted(rest)),
        _ => quoted(names),
    }
}

/// The nodes that a run has passed, from the first to the last.
struct After<'a>(&'a [String]);

impl fmt::Display for After<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("at the start"),
            nodes => {
                let nodes: Vec<String> = nodes.iter().map(|node| format!("`{node}`")).collect();
                write!(f, "after {}", nodes.join(" -> "))
            }
        }
    }
}
