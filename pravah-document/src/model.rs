//! A document that was read and checked: what a runtime makes a net of.
//!
//! Names are resolved as far as they can be: edges lead to members of their graph by index, regions hold the graph
//! inside them, and every binding has been checked to name something that it may read.

use std::time::Duration;

use serde_json::Value;

use crate::{problem::Problems, template::Template, when::When};

/// A flow document.
#[derive(Clone, Debug)]
pub struct Document {
    /// What the flow is called.
    pub name: String,
    /// Its version, as its author counts them: `1` where the document says nothing.
    pub version: String,
    /// What it is for.
    pub description: Option<String>,
    /// The input of a run that is started without one, and what a given input is merged into.
    pub input: Value,
    /// Whether the first failure that nothing handles stops a run.
    pub fail_fast: bool,
    /// Its nodes and edges.
    pub graph: Graph,
    /// What is probably a mistake, though the document runs.
    pub warnings: Option<Problems>,
}

/// Nodes and the edges among them, without cycles: the document itself, or the inside of a region.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// In the order of their declaration. A region appears where its first node is declared.
    pub members: Vec<Member>,
    /// In the order of their declaration. Edges within a region are in its own graph.
    pub edges: Vec<Edge>,
}

/// What edges lead from and to.
#[derive(Clone, Debug)]
pub enum Member {
    /// A node, with the body that it may have.
    Node(Box<Node>),
    /// What an edge of `type: loop` repeats.
    Repeat(Box<Repeat>),
}

/// The nodes between the target and the source of a loop edge.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// What the region is called: `target..source`.
    pub id: String,
    /// Its nodes. All edges into the region end at its first node, which is `target`; all that leave it start at
    /// `source`.
    pub graph: Graph,
    /// The member of `graph` that every round starts with.
    pub target: usize,
    /// The member of `graph` that every round ends with.
    pub source: usize,
    /// How many jumps back are allowed, at least 1.
    pub max_iterations: u32,
    /// When the loop edge is taken.
    pub on: Selector,
    /// The condition of the loop edge.
    pub when: Option<When>,
}

/// An edge that leads forward.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Index of a member of the same graph.
    pub from: usize,
    /// Index of a member of the same graph.
    pub to: usize,
    /// Which outcome of its source it is for.
    pub on: Selector,
    /// What must hold besides.
    pub when: Option<When>,
}

/// Which outcome of its source an edge is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// The source has succeeded.
    Success,
    /// It has failed. Such an edge handles the failure.
    Failure,
    /// It has succeeded or failed.
    Any,
}

/// A node of a document.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is called: the key of its output.
    pub id: String,
    /// Its type: `http.request`.
    pub type_name: String,
    /// What it does.
    pub work: Work,
    /// Its settings, which no binding is resolved in; an empty object where there are none.
    pub config: Value,
    /// What must hold for it to run, when it is its turn.
    pub when: Option<When>,
    /// How failures of it are dealt with.
    pub policy: Policy,
}

/// How failures of a node are dealt with, and how long it may take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// For each attempt.
    pub timeout: Option<Duration>,
    /// For all attempts with the waits between them.
    pub total_timeout: Option<Duration>,
    /// Further attempts.
    pub retry: Option<Retry>,
    /// Whether a failure that is left counts as an outcome with which the run goes on.
    pub continue_on_error: bool,
}

/// Further attempts at a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Retry {
    /// All attempts, the first among them: at least 1.
    pub max_attempts: u32,
    /// The wait before the second attempt.
    pub backoff: Duration,
    /// The factor by which each wait is longer than the one before: 1 unless set.
    pub factor: f64,
    /// The longest wait.
    pub max_backoff: Option<Duration>,
    /// Whether waits are varied at random.
    pub jitter: bool,
}

/// What a node does, with what it needs for that.
#[derive(Clone, Debug)]
pub enum Work {
    /// The body of its type runs with this input.
    Run(Template),
    /// `control.if`: says whether a condition holds.
    If(Condition),
    /// `control.switch`: chooses a route.
    Switch {
        /// What is compared: `value` in the conditions of the cases.
        value: Template,
        /// In their order.
        cases: Vec<Case>,
    },
    /// `control.merge`.
    Merge {
        /// Which of its edges it waits for.
        mode: MergeMode,
        /// Whether the nodes that only lead here are cancelled once it has run.
        cancel_losers: bool,
    },
    /// `control.foreach`: its body runs for each item of a list.
    Foreach {
        /// A list.
        list: Template,
        /// What the body calls an item.
        item: String,
        /// How many items are worked on at the same time.
        concurrency: u32,
        /// What runs for each.
        body: Graph,
    },
    /// `control.loop`: its body runs as long as a condition holds.
    Loop {
        /// It is looked at before every round, the first one too.
        condition: Condition,
        /// The most rounds.
        max_iterations: u32,
        /// Whether reaching that ends the loop, where it would otherwise fail.
        stops_at_cap: bool,
        /// What runs in a round.
        body: Graph,
    },
    /// `control.wait`.
    Wait {
        /// Milliseconds, and the event that ends it: `ms` and `until` of the input.
        input: Template,
    },
    /// `control.gate`: asks a person.
    Gate {
        /// `prompt`, `choices` and `allowText` of the input.
        input: Template,
    },
    /// `control.subflow`: runs another document.
    Subflow {
        /// What the host calls it.
        name: String,
        /// Its input, if any is given.
        input: Option<Template>,
    },
    /// `data.map`.
    Map {
        /// A list.
        list: Template,
        /// Rendered for each item, with `item` and `index`; nothing where the items stay as they are.
        template: Option<Template>,
    },
    /// `data.filter`.
    Filter {
        /// A list.
        list: Template,
        /// Which items stay: a condition on `item` and `index`.
        condition: When,
    },
    /// `data.template`.
    Template {
        /// A text. What it becomes is the output; anything but a string is written as JSON.
        template: Template,
        /// An object whose fields the template can name, before anything else of the same name.
        values: Option<Template>,
    },
    /// A node whose type runs an agent.
    Agent(Template),
}

/// A condition that is written as a binding, or as an expression.
#[derive(Clone, Debug)]
pub enum Condition {
    /// It has to become true or false.
    Value(Template),
    /// An expression.
    When(When),
}

/// A case of a `control.switch`.
#[derive(Clone, Debug)]
pub struct Case {
    /// What must hold.
    pub when: When,
    /// What is chosen then.
    pub route: String,
}

/// Which of its edges a `control.merge` waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeMode {
    /// All of them.
    All,
    /// The first that fires.
    Any,
}
