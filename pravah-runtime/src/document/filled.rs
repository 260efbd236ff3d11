//! Templates and conditions, with where they find what they name.

use pravah_document::{Condition as ConditionOf, Template};
use serde_json::{Value, json};

use super::{rules::Condition, scope::Reads};
use crate::{error::NodeDataError, node::LatestStates};

/// A template, with where it finds what it names.
pub(super) struct Filled {
    pub(super) template: Template,
    pub(super) reads: Reads,
}

impl Filled {
    pub(super) fn resolve(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        Ok(self.template.resolve(&self.reads.values(latest))?)
    }
}

/// A condition that may be written as a template.
pub(super) enum Decision {
    When(Condition),
    Value(Filled),
}

impl Decision {
    pub(super) fn new(condition: &ConditionOf, reads: impl Fn(Vec<&str>) -> Reads) -> Self {
        match condition {
            ConditionOf::When(when) => Self::When(Condition {
                reads: reads(when.roots()),
                when: when.clone(),
            }),
            ConditionOf::Value(template) => Self::Value(Filled {
                reads: reads(template.roots()),
                template: template.clone(),
            }),
        }
    }

    pub(super) fn holds(&self, latest: &LatestStates) -> Result<bool, NodeDataError> {
        self.decide(latest, None)
    }

    /// The same before a round, where so many are done.
    pub(super) fn holds_after(
        &self,
        done: usize,
        latest: &LatestStates,
    ) -> Result<bool, NodeDataError> {
        self.decide(latest, Some(&json!(done)))
    }

    fn decide(
        &self,
        latest: &LatestStates,
        iteration: Option<&Value>,
    ) -> Result<bool, NodeDataError> {
        let reads = match self {
            Self::When(condition) => &condition.reads,
            Self::Value(filled) => &filled.reads,
        };
        let values = reads.values(latest);
        let values = match iteration {
            Some(iteration) => values.with("iteration", iteration),
            None => values,
        };
        match self {
            Self::When(condition) => Ok(condition.when.holds(&values)),
            Self::Value(filled) => match filled.template.resolve(&values)? {
                Value::Bool(holds) => Ok(holds),
                other => Err(NodeDataError::input(format!(
                    "the condition is neither true nor false: {other}"
                ))),
            },
        }
    }
}
