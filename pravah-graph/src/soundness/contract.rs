//! Contracts loops: clusters that lead to one another in a circle.
//!
//! Where each cluster of a circle has a transition that marks exactly the next one's
//! places, a run that is at one of them can go to any other and change nothing else. So
//! one of them takes over all ways out, and the others keep a single transition, to it.
//! Both nets are related by the shortcut rule (the others' only transition, taken
//! through the first, gives them all ways out again) and the iteration rule (a
//! shortcut once around the circle).

use super::reduce::{Reducer, Unsound};

impl Reducer {
    /// Contracts every circle; answers whether there was one.
    pub(super) fn contract_circles(&mut self) -> Result<bool, Unsound> {
        let targets = |id| {
            let outcomes = self.clusters[id].outcomes.iter();
            outcomes
                .filter_map(|&(_, transition)| self.exact_target(transition))
                .collect()
        };
        let successors: Vec<Vec<usize>> = (0..self.done).map(targets).collect();
        let mut found = false;
        for circle in crate::strong_components(&successors) {
            if circle.len() > 1 {
                found = true;
                self.contract(&circle)?;
            }
        }
        Ok(found)
    }

    /// The cluster whose places are all that the transition marks.
    fn exact_target(&self, transition: u32) -> Option<usize> {
        let post = &self.transitions[transition].post;
        let owner = self.numbering.owner(*post.first()?);
        let cluster = &self.clusters[owner];
        let exact = cluster.fillers.contains(&transition) && post.len() == cluster.size as usize;
        (exact && owner != self.done).then_some(owner as usize)
    }

    fn contract(&mut self, circle: &[usize]) -> Result<(), Unsound> {
        let Some((&head, rest)) = circle.split_first() else {
            return Ok(());
        };
        let head = head as u32;
        for &member in circle {
            let member = member as u32;
            for (key, transition) in self.clusters[member].outcomes.clone() {
                let target = self.exact_target(transition);
                if target.is_some_and(|target| circle.binary_search(&target).is_ok()) {
                    self.clusters[member].outcomes.remove(&(key, transition));
                    self.unfeed(transition);
                } else if member != head {
                    self.clusters[member].outcomes.remove(&(key, transition));
                    self.transitions[transition].cluster = head;
                    self.settle(transition)?;
                }
            }
        }
        if self.clusters[head].outcomes.is_empty() {
            return Err(Unsound { cluster: head });
        }
        let places =
            self.clusters[head].first..self.clusters[head].first + self.clusters[head].size;
        for &member in rest {
            // Nothing but the circle itself led there otherwise.
            if !self.clusters[member as u32].feeders.is_empty() {
                self.add(member as u32, places.clone().collect())?;
            }
        }
        self.schedule(head);
        Ok(())
    }
}
