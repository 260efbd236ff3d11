//! Workflow nets: the one soundness checker behind every front end of Pravah, with the
//! runs that explain its findings, fingerprints and drawings.
//!
//! The crate is pure: it has no dependencies and works on dense ids. Front ends build a
//! [`Net`], ask it to [`check`](Net::check) itself, and report each [`Finding`] at a place of
//! their own, in the [words](Finding::fact) that all of them share.
//!
//! # Nets
//!
//! A flow is a Petri net. A state waits in a [`Place`], which is an input slot of a
//! node. A node *fires* by taking what waits in all its slots and marking the places of
//! one of its outcomes:
//!
//! | in a flow | in the net |
//! |---|---|
//! | work | one slot, one outcome with one output |
//! | choice | one outcome for each branch |
//! | fork | one outcome with several outputs |
//! | join | several slots |
//! | merge | one slot that several outcomes mark |
//! | caught failure | one more outcome |
//! | nested flow, `each` | one node: what is inside is a net of its own |
//!
//! A net is a *workflow net* as it starts with one marked place and ends with
//! [`Place::Done`]. It is *free-choice* since a slot feeds one node only, whose outcomes
//! share its slots.
//!
//! # Soundness
//!
//! A net is *sound* if
//!
//! 1. from every marking that a run can reach, done can still be reached;
//! 2. when done is marked, nothing else is;
//! 3. no place is ever marked twice;
//! 4. every node can fire in some run.
//!
//! [`Net::check`] decides this completely and in polynomial time, by reduction rather
//! than by visiting markings, of which there are exponentially many. Only for a net that
//! is not sound, markings are searched for a run that shows it.
//!
//! ```
//! use pravah_graph::{Finding, Net, Place};
//!
//! // route -> either(page, answer) -> both(…), but `both` wants two states.
//! let mut net = Net::new();
//! let [route, page, answer] = [(); 3].map(|()| net.add_node(1));
//! let both = net.add_node(2);
//! net.set_entry(Place::Slot { node: route, slot: 0 });
//! net.add_outcome(route, vec![Place::Slot { node: page, slot: 0 }]);
//! net.add_outcome(route, vec![Place::Slot { node: answer, slot: 0 }]);
//! net.add_outcome(page, vec![Place::Slot { node: both, slot: 0 }]);
//! net.add_outcome(answer, vec![Place::Slot { node: both, slot: 1 }]);
//! net.add_outcome(both, vec![Place::Done]);
//!
//! let findings = net.check();
//! let [Finding::Deadlock { run, marked }] = findings.as_slice() else { panic!() };
//! assert_eq!(run.iter().map(|firing| firing.node).collect::<Vec<_>>(), [route, page]);
//! assert_eq!(*marked, [Place::Slot { node: both, slot: 0 }]);
//! ```
//!
//! # Markings
//!
//! A run that was stored may be loaded into another version of its net, or after somebody has edited it.
//! [`WayOut`] decides whether it can still finish, at a cost that depends on what is marked and not on the
//! net, and says why not, and what would let it. It also decides whether all runs of one net can go on in
//! another.
//!
//! # Sources
//!
//! - W. M. P. van der Aalst: *The application of Petri nets to workflow management*,
//!   Journal of Circuits, Systems and Computers 8(1), 1998: workflow nets and soundness.
//! - J. Desel, J. Esparza: *Free Choice Petri Nets*, Cambridge University Press, 1995:
//!   clusters, and why free-choice nets can be decided in polynomial time.
//! - J. Esparza, P. Hoffmann: *Reduction Rules for Colored Workflow Nets*, FASE 2016: the
//!   merge, iteration and shortcut rules, which reduce all sound free-choice workflow
//!   nets, and only them, to a single transition.
//! - Which markings can finish is a result of our own: the theorem and its proof are in
//!   `src/way_out/mod.rs`. It is also a second decision of soundness, which tests compare with reduction.

mod components;
mod concurrency;
mod cycles;
mod dense;
mod diagram;
mod fingerprint;
mod net;
mod numbering;
mod paths;
mod reach;
mod soundness;
mod way_out;

pub use components::strong_components;
pub use concurrency::Concurrency;
pub use cycles::on_cycle;
pub use diagram::{Diagram, DiagramNode, NodeKind};
pub use fingerprint::{Fingerprint, FingerprintBuilder, ParseFingerprintError};
pub use net::{Firing, Net, NodeId, Place};
pub use paths::leading_to;
pub use soundness::{Finding, Malformed, Names};
pub use way_out::{CannotFinish, Cause, Incompatibility, Repair, WayOut};
