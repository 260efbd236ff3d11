//! Checks a snapshot against the flow that it is to go on with, of whatever version of the flow it is. It
//! refuses what does not fit and says what differs; it never panics, whatever the bytes.
//!
//! States wait under their names, and nodes have the names of the first states that they take, so that what
//! is in a snapshot of another version finds its place by name. See `finish` for whether it can go on there.
//!
//! `frame` loads a net: `put` puts a state where it waits, `latest` loads the last states that were made, `inputs` the
//! inputs of flows (`starts` finds those that still wait), `progress` what nodes have done towards the ends of their
//! steps, `tasks` the tasks that they wait for, `passed` what the run has passed, and `ready` the ready queue. Of the
//! whole run, `output` loads what it has returned, `detached` the tasks in the background, `remote` those that are to
//! be cancelled, and `asked` how often models were asked. `state` reads states, and has those of an earlier form
//! migrated. `compare` says of another version what it added and removed.

mod asked;
mod compare;
mod detached;
mod end;
mod frame;
mod inputs;
mod latest;
mod output;
mod passed;
mod progress;
mod put;
mod ready;
mod remote;
mod starts;
mod state;
mod tasks;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    sync::Arc,
};

use pravah_graph::Fingerprint;

use self::end::set_end;
use super::{
    super::{
        load_report::{Dropped, LoadOptions, LoadReport},
        state::{
            End, RunState,
            rare::{Rare, empty},
            waits::WaitIndex,
        },
    },
    check,
    collect::enter,
    map::Map,
    migrate::Migrations,
    stored::{Loaded, Stored, StoredResults, VERSION, sections},
};
use crate::{
    error::ErrorText,
    graph::{Ambiguous, FlowVersion, NodeIx, Place, Table},
    hub::{MAX_COMMANDS, Queue, is_overfull},
    quoted::quoted,
    state::Live,
};

/// Puts what is stored where it belongs in the flow.
struct Loader<'a> {
    /// [`LoadOptions::drop_progress`].
    drop_progress: bool,
    /// Whether the snapshot may be of another version of the flow: then every state is read at once, what
    /// has lost its use is dropped, and which nodes are ready is found out anew.
    revalidates: bool,
    /// Whether the snapshot is of another version of the flow.
    is_other: bool,
    /// The number of the step that comes next.
    next_step: u64,
    /// The version that the snapshot is of, where it is another one and known.
    version: Option<&'a FlowVersion>,
    /// Of the frame that is being loaded. Each item of its lists replaces them, and comes after all who read them.
    notes: Rare<FrameNotes>,
    /// The lists around what is being loaded, as they precede the keys of `version`.
    lists: String,
    /// The key of the entry around what is being loaded.
    at: String,
    dropped: Vec<Dropped>,
    migrations: &'a Migrations,
    /// The keys of the entries that were migrated.
    migrated: Vec<String>,
    /// Whether the snapshot was refused for something that `drop_progress` would have dropped.
    drop_would_help: bool,
}

/// What is remembered of a frame while it is loaded, by the keys of the snapshot, which may be of another version.
/// It is empty in most loads.
struct FrameNotes {
    /// Where each state waits.
    places: BTreeMap<String, Place>,
    /// The states that a migration has moved, as they were.
    moved: BTreeMap<String, Live>,
    /// The keys of the inputs that were lost when another version loaded the run.
    unknown_inputs: BTreeSet<String>,
}

empty!(FrameNotes {
    places: BTreeMap::new(),
    moved: BTreeMap::new(),
    unknown_inputs: BTreeSet::new(),
});

/// What becomes of a snapshot with an entry that does not fit.
#[derive(Clone, Copy)]
enum OnError {
    /// The entry is dropped, and [reported](LoadReport::dropped), where the snapshot may be of another version.
    Drop,
    /// The snapshot is refused.
    Refuse,
}

/// Version and flow have to be the same.
fn check_origin(stored: &Stored<'_>, flow: &str) -> Loaded<()> {
    let (version, of) = (stored.head.version, &stored.head.flow);
    if version != VERSION {
        let why = "its layout has version";
        return Err(format!("{why} {version}, and this release reads version {VERSION}").into());
    }
    if of != flow {
        return Err(format!("it is of the flow `{of}`, and this is `{flow}`").into());
    }
    Ok(())
}

/// The run, and what became of it, if the snapshot is of another version of the flow or the caller allows
/// that something is lost.
pub(super) fn load(
    stored: Box<Stored<'_>>,
    table: &Arc<Table>,
    flow: &str,
    options: &LoadOptions,
) -> Loaded<(Box<RunState>, Option<Box<LoadReport>>)> {
    check_origin(&stored, flow)?;
    let fingerprint = stored.head.fingerprint.text();
    let is_other = fingerprint != table.fingerprint_text();
    if is_other && let Err(error) = fingerprint.parse::<Fingerprint>() {
        let problem = format!("`{fingerprint}` is not a fingerprint");
        return Err(ErrorText::new(problem, error));
    }
    let mut loader = Loader {
        drop_progress: options.drop_progress,
        revalidates: is_other || options.drop_progress || !options.migrations.is_empty(),
        is_other,
        next_step: stored.head.steps.saturating_add(1),
        version: options.version(fingerprint).filter(|_| is_other),
        notes: Rare::default(),
        lists: String::new(),
        at: String::new(),
        dropped: Vec::new(),
        migrations: &options.migrations,
        migrated: Vec::new(),
        drop_would_help: false,
    };
    let loaded = loader.run(stored, table, options);
    loaded.map_err(|mut why| {
        if loader.drop_would_help && !options.drop_progress {
            why = why.followed_by(format_args!(
                "; `LoadOptions::drop_progress` would let it start over"
            ));
        }
        match is_other {
            true => of_other_version(why, table),
            false => why,
        }
    })
}

/// Why a snapshot of another version does not fit, and what helps. What is written in Rust is no help with a document.
fn of_other_version(why: ErrorText, table: &Table) -> ErrorText {
    let help = why.help().filter(|_| !table.is_document());
    let help = help.map_or_else(String::new, |help| format!("; help: {help}"));
    why.followed_by(format_args!(
        " (the snapshot is of another version of the flow){help}"
    ))
}

impl Loader<'_> {
    fn run(
        &mut self,
        stored: Box<Stored<'_>>,
        table: &Arc<Table>,
        options: &LoadOptions,
    ) -> Loaded<(Box<RunState>, Option<Box<LoadReport>>)> {
        let Stored {
            head,
            results,
            frame,
        } = *stored;
        let open_tasks = match self.drop_progress {
            true => remote::open_tasks(&frame),
            false => Vec::new(),
        };
        let mut state = Box::new(RunState {
            id: head.run_id.into_owned(),
            root: self.frame(table, frame, None)?,
            waits: WaitIndex::default(),
            steps: head.steps,
            end: head.cancelled.map(End::Cancelled),
            is_paused: head.paused,
            questions_asked: head.questions_asked,
            remote_tasks: head.remote_tasks,
            traceparent: head.traceparent,
            spending: Rare::default(),
            detached: Rare::default(),
            remote_cancels: Rare::default(),
            values: Rare::default(),
            inbox: Queue::new(),
        });
        // To assign to what is rare makes it, also where nothing was spent.
        if head.calls > 0 || !head.budget.is_unlimited() {
            state.spending.calls = head.calls;
            state.spending.budget = head.budget;
        }
        let output = match results {
            Some(results) => self.results(&mut state, results)?,
            None => None,
        };
        set_end(&mut state, output, head.awaits_tasks)?;
        self.match_detached(&mut state)?;
        state.waits = WaitIndex::of(&state.root);
        remote::cancel_dropped(&mut state.remote_cancels, open_tasks, &state.waits);
        check::check_questions(&mut state)?;
        let fingerprint = head.fingerprint.text();
        let report = self.revalidates.then(|| {
            let report = self.report(fingerprint, options, &state.root);
            Box::new(report)
        });
        Ok((state, report))
    }

    /// Takes over what a run has besides its frame: its detached tasks, the commands that wait, what nodes of a document
    /// have kept, the remote tasks that are to be cancelled, and what models have cost. Returns the output of the flow.
    fn results(
        &mut self,
        state: &mut RunState,
        stored: Box<StoredResults<'_>>,
    ) -> Loaded<Option<Live>> {
        let table = Arc::clone(&state.root.table);
        let output = self.output(&table, stored.output)?;
        self.detached_records(state, stored.tasks, stored.child_counts)?;
        state.inbox = stored.inbox.into_iter().collect();
        if is_overfull(&state.inbox) {
            return Err(format!("more than {MAX_COMMANDS} commands wait").into());
        }
        for (name, value) in stored.values {
            let value = value.into_live().in_cell();
            state.values.insert(name.into(), value);
        }
        state.remote_cancels = remote::cancels(stored.remote_cancels)?;
        if !stored.usage.is_empty() {
            let usage = stored.usage.into_iter();
            state.spending.usage = usage.map(|(id, usage)| (id.into(), usage)).collect();
        }
        if !stored.asked.is_empty() {
            state.spending.asked = self.asked(&table, stored.asked)?;
        }
        Ok(output)
    }
}

impl Loader<'_> {
    /// What becomes of what nodes have done, where it does not fit.
    fn on_error_in_progress(&self) -> OnError {
        match self.drop_progress {
            true => OnError::Drop,
            false => OnError::Refuse,
        }
    }

    /// Takes over the entries of a section with `put`.
    #[inline]
    fn section<K: Display, V>(
        &mut self,
        (name, entries, on_error): (&str, Map<K, V>, OnError),
        put: impl FnMut(&mut Self, K, V) -> Loaded<()>,
    ) -> Loaded<()> {
        if entries.is_empty() {
            return Ok(());
        }
        match self.revalidates {
            true => self.put_revalidated((name, entries, on_error), put),
            false => self.put_all(entries, put),
        }
    }

    // Out of line, since most sections are empty.
    #[inline(never)]
    fn put_all<K, V>(
        &mut self,
        entries: Map<K, V>,
        mut put: impl FnMut(&mut Self, K, V) -> Loaded<()>,
    ) -> Loaded<()> {
        for (key, value) in entries {
            put(self, key, value)?;
        }
        Ok(())
    }

    /// The same, for entries that may not fit this version: each is dropped or refused, as `on_error` says.
    #[inline(never)]
    fn put_revalidated<K: Display, V>(
        &mut self,
        (name, entries, on_error): (&str, Map<K, V>, OnError),
        mut put: impl FnMut(&mut Self, K, V) -> Loaded<()>,
    ) -> Loaded<()> {
        for (key, value) in entries {
            let around = enter(&mut self.at, name, &key);
            let (own, dropped) = (self.at.len(), self.dropped.len());
            let migrated = self.migrated.len();
            if let Err(why) = put(self, key, value) {
                if let OnError::Refuse = on_error {
                    self.drop_would_help |= ![
                        sections::states,
                        sections::shared_states,
                        sections::latest_states,
                    ]
                    .contains(&name);
                    return Err(why);
                }
                self.at.truncate(own);
                // What was dropped within it goes with it.
                self.dropped.truncate(dropped);
                self.migrated.truncate(migrated);
                self.drop_current(why);
            }
            self.at.truncate(around);
        }
        Ok(())
    }

    /// Notes that the entry being loaded is dropped.
    fn drop_current(&mut self, why: ErrorText) {
        self.dropped.push(Dropped {
            entry: self.at.clone(),
            why: why.brief().to_string(),
        });
    }

    /// Notes that the entry of this key is dropped.
    fn drop_entry(&mut self, section: &str, key: &impl Display, why: ErrorText) {
        let around = enter(&mut self.at, section, key);
        self.drop_current(why);
        self.at.truncate(around);
    }

    /// The node of a stored name. In another version another state may be the first that it takes.
    fn node(&self, table: &Table, id: &str) -> Loaded<NodeIx> {
        if let Some(node) = table.node_by_key.get(id) {
            return Ok(*node);
        }
        if let Some(node) = self.node_of_tasks(table, id)? {
            return Ok(node);
        }
        match self.known_place(table, id)? {
            Some(place) if self.revalidates => Ok(table.slot(place.slot).node),
            _ => Err(format!("the flow has no node that takes `{id}` first").into()),
        }
    }

    /// Who takes the state of a key in the version that the snapshot is of.
    fn taker_of(&self, key: &str) -> Option<&str> {
        let taker = (self.version?.takers).get(&format!("{}{key}", self.lists))?;
        Some(taker)
    }

    /// The place that a key means, if there is one.
    fn known_place(&self, table: &Table, key: &str) -> Loaded<Option<Place>> {
        if !self.revalidates {
            return Ok(table.place_by_key.get(key).copied());
        }
        table
            .place_of(key, self.taker_of(key))
            .map_err(|Ambiguous { candidates }| {
                let candidates = quoted(&candidates);
                let hint = match self
                    .version
                    .is_some_and(|version| !version.takers.is_empty())
                {
                    true => "",
                    false => ": `LoadOptions::with_version` would tell",
                };
                format!("`{key}` may be any of {candidates}{hint}").into()
            })
    }
}
