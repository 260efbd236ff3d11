//! Why runs of an earlier version cannot go on.

use std::{collections::BTreeSet, fmt};

use crate::{
    engine::load_help,
    quoted::{one, quoted},
};

/// What becomes of the runs of the versions in a [`FlowLock`](crate::FlowLock).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockReport {
    /// What runs cannot go on from, wherever they come to it.
    pub problems: Vec<LockProblem>,
    /// The nodes that earlier versions did not have.
    pub new_nodes: Vec<NewNodes>,
    /// The migrations that no run of any of the versions needs.
    pub unused_migrations: Vec<UnusedMigration>,
}

/// The nodes that a version did not have. Its runs that are past them skip them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewNodes {
    /// The release.
    pub release: String,
    /// The keys of the nodes, as in [`FlowVersion::nodes`](crate::FlowVersion::nodes).
    pub nodes: BTreeSet<String>,
}

/// A migration that no run of any version in a lock needs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedMigration {
    /// What it is called: ``the migration `brewed` ``.
    pub migration: String,
    /// Why it is not needed.
    pub why: String,
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
        for UnusedMigration { migration, why } in &self.unused_migrations {
            writeln!(f, "note: {migration} is not used: {why}")?;
        }
        let new_nodes = self.new_nodes.iter().filter(|new| !new.nodes.is_empty());
        for NewNodes { release, nodes } in new_nodes {
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
        path: Vec<String>,
        /// Why migrations that look as if they were for it do not move it.
        migrations: Vec<String>,
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
        path: Vec<String>,
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
        before: String,
        /// What has its place, and returns.
        now: String,
    },
    /// The flow returned another state. A run that has returned it and waits for detached tasks cannot end.
    #[non_exhaustive]
    Returned {
        /// The release.
        release: String,
        /// What it returned.
        before: String,
        /// What this version returns.
        now: String,
        /// Why migrations that look as if they were for it do not help.
        migrations: Vec<String>,
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
        /// Why migrations that look as if they were for it do not help.
        migrations: Vec<String>,
        /// What lets it be read.
        help: String,
    },
    /// The lock is of another flow.
    #[non_exhaustive]
    OtherFlow {
        /// The id of the flow in the lock.
        locked: String,
        /// The id of this one.
        flow: String,
        /// The name of its input.
        input: String,
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
            Self::Returned { before, now, .. } => load_help::where_output_differs(before, now),
            Self::Unreadable { help, .. } => help.clone(),
            Self::OtherFlow { locked, input, .. } if locked == input => {
                "remove `named` from `#[flow(…)]`, or name a file of its own for each flow".to_owned()
            }
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
                path,
                migrations,
            } => {
                let after = After(path);
                write!(
                    f,
                    "version {release}: {after}, {} waits, and no node of this version takes it",
                    one(state)
                )?;
                list(f, migrations)
            }
            Self::Ambiguous {
                release,
                state,
                candidates,
            } => write!(
                f,
                "version {release}: {} that waits may be any of {} in this version",
                one(state),
                quoted(candidates)
            ),
            Self::Stranded {
                release,
                path,
                states,
            } => {
                let after = After(path);
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
                "version {release}: in this version {} that waits is inside a flow whose input `{input}` was not kept, and a `catch` or an `Input<_>` needs it",
                one(state)
            ),
            Self::Progress {
                release,
                node,
                before,
                now,
            } => write!(
                f,
                "version {release}: a run inside `{node}` cannot go on there: it was {before}, and is {now}"
            ),
            Self::Returned {
                release,
                before,
                now,
                migrations,
            } => {
                write!(
                    f,
                    "version {release}: a run that has returned {} and waits for its detached tasks cannot end: this version returns `{now}`",
                    one(before)
                )?;
                list(f, migrations)
            }
            Self::Unreadable {
                release,
                state,
                why,
                migrations,
                ..
            } => {
                let state = one(state);
                write!(
                    f,
                    "version {release}: {state} that was stored cannot be read: {why}"
                )?;
                list(f, migrations)
            }
            Self::OtherFlow { locked, flow, .. } => {
                write!(
                    f,
                    "the lock file is of the flow `{locked}`, and this is `{flow}`"
                )
            }
        }
    }
}

/// More reasons, behind the first.
fn list(f: &mut fmt::Formatter<'_>, reasons: &[String]) -> fmt::Result {
    reasons
        .iter()
        .try_for_each(|reason| write!(f, "; {reason}"))
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
