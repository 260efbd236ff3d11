//! The verdict: reduces a net until one transition is left, which succeeds if and only
//! if the net is sound.
//!
//! A *cluster* is what a node is here: places, and the transitions that take them. A
//! transition *feeds* a cluster if it marks one of its places, and *fills* it if it
//! marks all of them. Every step is made of the rules of Esparza and Hoffmann, which
//! keep sound nets sound and unsound ones unsound:
//!
//! - **merge**: of two transitions of a cluster that mark the same places, one goes;
//! - **iteration**: a transition that marks exactly its own cluster's places goes;
//! - **shortcut**: a transition that fills a cluster takes that cluster's transitions
//!   along, and a cluster that nothing feeds any more goes.
//!
//! What keeps it polynomial is where shortcuts are taken. Through a cluster with one
//! transition they only lengthen, and add none: without loops that is enough. Clusters
//! that lead to one another in a circle are contracted, so that every loop becomes an
//! iteration, innermost first (`contract.rs`).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::dense::Dense;
use crate::numbering::{Numbering, hash};
use crate::{Net, NodeId};

/// Decides the net. The error names the nodes that were left.
pub(super) fn reduce(net: &Net) -> Result<(), Vec<NodeId>> {
    let mut reducer = Reducer::new(net);
    let left = match reducer.run(net) {
        Err(Unsound { cluster }) if cluster < reducer.done => vec![NodeId(cluster as usize)],
        Err(_) => reducer.left(),
        Ok(()) => {
            let left = reducer.left();
            // Without clusters the start's transition has nothing to mark but done.
            if left.is_empty() {
                return Ok(());
            }
            left
        }
    };
    Err(left)
}

/// There is a transition that no sound net has; the cluster is where it starts.
pub(super) struct Unsound {
    pub(super) cluster: u32,
}

/// A transition of the net under reduction.
pub(super) struct Transition {
    pub(super) cluster: u32,
    /// The places it marks, ascending.
    pub(super) post: Vec<u32>,
    /// A hash of `post`: the sum over its places of [`hash`].
    key: u64,
    /// How many shortcuts it took.
    shortcuts: usize,
}

/// A cluster of the net under reduction. Its places are `first..first + size`.
#[derive(Default)]
pub(super) struct Cluster {
    pub(super) first: u32,
    pub(super) size: u32,
    /// Its transitions by key, so that equal ones are neighbours.
    pub(super) outcomes: BTreeSet<(u64, u32)>,
    /// How many of its places each transition marks, where it marks any.
    pub(super) feeders: BTreeMap<u32, u32>,
    /// The transitions that mark all of them.
    pub(super) fillers: BTreeSet<u32>,
}

pub(super) struct Reducer {
    pub(super) numbering: Numbering,
    /// The nodes' clusters, then that of done, then the start, which has no places.
    pub(super) clusters: Dense<Cluster>,
    pub(super) transitions: Dense<Transition>,
    /// The number of done's cluster.
    pub(super) done: u32,
    /// Clusters to pass through, those with few feeders first: what a cluster leads to
    /// is then shortened before many transitions pass through it.
    work: BinaryHeap<Reverse<(usize, u32)>>,
}

impl Reducer {
    fn new(net: &Net) -> Self {
        let numbering = Numbering::new(net);
        let done = net.node_count() as u32;
        let cluster = |id| {
            let size = if id == done {
                1
            } else {
                net.slots(NodeId(id as usize)) as u32
            };
            Cluster {
                first: numbering.first(id),
                size,
                ..Cluster::default()
            }
        };
        let mut clusters: Dense<Cluster> = (0..=done).map(cluster).collect();
        clusters.push(Cluster::default());
        Self {
            numbering,
            clusters,
            transitions: Dense::default(),
            done,
            work: BinaryHeap::new(),
        }
    }

    fn run(&mut self, net: &Net) -> Result<(), Unsound> {
        for node in net.ids() {
            for outputs in net.outcomes(node) {
                let post = outputs
                    .iter()
                    .map(|&place| self.numbering.number(place))
                    .collect();
                self.add(node.0 as u32, post)?;
            }
        }
        let entry = net.entry().map(|place| self.numbering.number(place));
        self.add(self.done + 1, entry.into_iter().collect())?;
        loop {
            while let Some(Reverse((feeders, cluster))) = self.work.pop() {
                let now = self.clusters[cluster].feeders.len();
                if now > feeders {
                    self.work.push(Reverse((now, cluster)));
                } else {
                    self.pass_through(cluster)?;
                }
            }
            if !self.contract_circles()? {
                return Ok(());
            }
        }
    }

    fn left(&self) -> Vec<NodeId> {
        let alive = (0..self.done).filter(|&id| !self.clusters[id].outcomes.is_empty());
        alive.map(|id| NodeId(id as usize)).collect()
    }

    pub(super) fn add(&mut self, cluster: u32, mut post: Vec<u32>) -> Result<(), Unsound> {
        post.sort_unstable();
        let twice = post.iter().zip(post.iter().skip(1)).any(|(a, b)| a == b);
        let key = post
            .iter()
            .fold(0, |key: u64, &place| key.wrapping_add(hash(place)));
        let places = post.clone();
        let id = self.transitions.push(Transition {
            cluster,
            post,
            key,
            shortcuts: 0,
        });
        if twice || self.goes_on_after_done(id) {
            return Err(Unsound { cluster });
        }
        for place in places {
            self.feed(id, place);
        }
        self.settle(id)
    }

    /// Every transition that fills the cluster takes its only transition along.
    fn pass_through(&mut self, cluster: u32) -> Result<(), Unsound> {
        let Some(only) = self.clusters[cluster].only() else {
            return Ok(());
        };
        while let Some(&filler) = self.clusters[cluster].fillers.first() {
            self.shortcut(filler, only)?;
        }
        if self.clusters[cluster].feeders.is_empty() {
            self.clusters[cluster].outcomes.clear();
            self.unfeed(only);
        }
        Ok(())
    }

    /// `id`, which fills the cluster of `via`, fires that as well.
    fn shortcut(&mut self, id: u32, via: u32) -> Result<(), Unsound> {
        let through = self.transitions[via].cluster;
        let added = self.transitions[via].post.clone();
        let transition = &mut self.transitions[id];
        let home = transition.cluster;
        self.clusters[home].outcomes.remove(&(transition.key, id));
        // In a sound net no transition passes through a cluster twice: that would be a
        // circle without a way out of it.
        transition.shortcuts += 1;
        if transition.shortcuts > self.clusters.len() {
            return Err(Unsound { cluster: home });
        }

        let Cluster { first, size, .. } = self.clusters[through];
        let start = transition.post.partition_point(|&place| place < first);
        for place in transition.post.drain(start..start + size as usize) {
            transition.key = transition.key.wrapping_sub(hash(place));
        }
        self.clusters[through].feeders.remove(&id);
        self.clusters[through].fillers.remove(&id);
        for place in added {
            let transition = &mut self.transitions[id];
            let Err(at) = transition.post.binary_search(&place) else {
                return Err(Unsound { cluster: home });
            };
            transition.post.insert(at, place);
            transition.key = transition.key.wrapping_add(hash(place));
            self.feed(id, place);
        }

        self.settle(id)?;
        if self.goes_on_after_done(id) || self.clusters[home].outcomes.is_empty() {
            return Err(Unsound { cluster: home });
        }
        Ok(())
    }

    /// Puts a transition into its cluster, unless the iteration or the merge rule
    /// removes it.
    pub(super) fn settle(&mut self, id: u32) -> Result<(), Unsound> {
        let Transition {
            cluster,
            key,
            ref post,
            ..
        } = self.transitions[id];
        let home = &self.clusters[cluster];
        let circles = home.fillers.contains(&id);
        if circles && post.len() > home.size as usize {
            return Err(Unsound { cluster });
        }
        let mut alike = home.outcomes.range((key, 0)..=(key, u32::MAX));
        if circles || alike.any(|&(_, other)| self.transitions[other].post == *post) {
            self.unfeed(id);
        } else {
            self.clusters[cluster].outcomes.insert((key, id));
        }
        self.schedule(cluster);
        Ok(())
    }

    fn goes_on_after_done(&self, id: u32) -> bool {
        let post = &self.transitions[id].post;
        post.len() > 1 && post.last() == Some(&self.numbering.done())
    }

    fn feed(&mut self, id: u32, place: u32) {
        let owner = self.numbering.owner(place);
        let cluster = &mut self.clusters[owner];
        let marks = cluster.feeders.entry(id).or_default();
        *marks += 1;
        if *marks == cluster.size {
            cluster.fillers.insert(id);
            self.schedule(owner);
        }
    }

    /// Takes a transition out of every cluster that it feeds.
    pub(super) fn unfeed(&mut self, id: u32) {
        for place in std::mem::take(&mut self.transitions[id].post) {
            let cluster = &mut self.clusters[self.numbering.owner(place)];
            cluster.feeders.remove(&id);
            cluster.fillers.remove(&id);
        }
    }

    pub(super) fn schedule(&mut self, id: u32) {
        let cluster = &self.clusters[id];
        if cluster.outcomes.len() == 1 && !cluster.fillers.is_empty() {
            self.work.push(Reverse((cluster.feeders.len(), id)));
        }
    }
}

impl Cluster {
    /// The cluster's transition, if it has just one.
    fn only(&self) -> Option<u32> {
        let first = self.outcomes.first().filter(|_| self.outcomes.len() == 1);
        first.map(|&(_, transition)| transition)
    }
}
