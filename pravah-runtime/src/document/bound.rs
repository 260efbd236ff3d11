//! Templates and conditions, bound to the places of what they name.

use pravah_document::{Condition, Template, When};
use serde_json::{Value, json};

use super::scope::References;
use crate::{error::NodeDataError, model::explain_untyped, node::LatestStates};

/// A template, with where it finds what it names.
pub(super) struct BoundTemplate {
    pub(super) template: Template,
    pub(super) references: References,
}

impl BoundTemplate {
    pub(super) fn resolve(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        Ok(self.template.resolve(&self.references.values(latest))?)
    }

    /// The same, if it fits a schema.
    pub(super) fn resolve_as(
        &self,
        schema: &Value,
        latest: &LatestStates,
    ) -> Result<Value, NodeDataError> {
        fitting(schema, self.resolve(latest)?)
    }
}

/// An input, if it fits the schema of its type.
pub(super) fn fitting(schema: &Value, input: Value) -> Result<Value, NodeDataError> {
    match explain_untyped(schema, &input) {
        Some(problem) => Err(NodeDataError::input(problem)),
        None => Ok(input),
    }
}

/// A condition that is an expression, with where it finds what it names.
pub(super) struct BoundWhen {
    pub(super) when: When,
    pub(super) references: References,
}

impl BoundWhen {
    pub(super) fn holds(&self, latest: &LatestStates) -> bool {
        self.when.holds(&self.references.values(latest))
    }
}

/// A condition that may be written as a template.
pub(super) enum BoundCondition {
    When(BoundWhen),
    Value(BoundTemplate),
}

impl BoundCondition {
    pub(super) fn new(condition: &Condition, references: impl Fn(Vec<&str>) -> References) -> Self {
        match condition {
            Condition::When(when) => Self::When(BoundWhen {
                references: references(when.roots()),
                when: when.clone(),
            }),
            Condition::Value(template) => Self::Value(BoundTemplate {
                references: references(template.roots()),
                template: template.clone(),
            }),
        }
    }

    pub(super) fn holds(&self, latest: &LatestStates) -> Result<bool, NodeDataError> {
        self.decide(latest, None)
    }

    /// Whether it holds after `done` rounds: `iteration` is that number.
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
        let references = match self {
            Self::When(when) => &when.references,
            Self::Value(template) => &template.references,
        };
        let values = references.values(latest);
        let values = match iteration {
            Some(iteration) => values.with("iteration", iteration),
            None => values,
        };
        match self {
            Self::When(when) => Ok(when.when.holds(&values)),
            Self::Value(template) => match template.template.resolve(&values)? {
                Value::Bool(holds) => Ok(holds),
                other => Err(NodeDataError::input(format!(
                    "the condition is neither true nor false: {other}"
                ))),
            },
        }
    }
}
