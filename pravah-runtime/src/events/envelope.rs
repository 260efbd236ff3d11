//! The JSON of an event: where and when it happened, around what happened.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, IntoDeserializer as _},
};
use serde_json::Value;

use super::{EventKind, FlowEvent};
use crate::json;

impl Serialize for EventKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Other(fields) => fields.serialize(serializer),
            known => Self::serialize(known, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for EventKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = json::object(deserializer)?;
        let Some(name) = fields.get("type").and_then(Value::as_str) else {
            return Err(D::Error::missing_field("type"));
        };
        if !Self::TYPES.contains(&name) {
            return Ok(Self::Other(fields));
        }
        Self::deserialize(Value::Object(fields).into_deserializer()).map_err(D::Error::custom)
    }
}

impl Serialize for FlowEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for FlowEvent {
    /// Where a step was is written once, in the envelope.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut event = Self::deserialize(deserializer)?;
        if let EventKind::Step(step) = &mut event.kind {
            step.step = event.step;
            let node = event.node.clone();
            step.node = node.ok_or_else(|| D::Error::missing_field("node"))?;
            step.items.clone_from(&event.items);
        }
        Ok(event)
    }
}

/// A time in milliseconds since 1970.
pub(crate) mod millis {
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

    use crate::engine::since_epoch;

    pub(crate) fn serialize<S: Serializer>(
        time: &SystemTime,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        since_epoch(*time).serialize(serializer)
    }

    pub(in crate::events) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<SystemTime, D::Error> {
        let since = Duration::from_millis(u64::deserialize(deserializer)?);
        let time = UNIX_EPOCH.checked_add(since);
        time.ok_or_else(|| D::Error::custom("a time that is too far away"))
    }
}

/// A duration in milliseconds.
pub(super) mod duration {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::numbers::millis;

    pub(in crate::events) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        millis(*duration).serialize(serializer)
    }

    pub(in crate::events) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

/// A step without what the envelope says already.
pub(super) mod step {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::engine::{StepInfo, StepKind};

    #[derive(Serialize, Deserialize)]
    struct Fields {
        kind: StepKind,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outputs: Vec<String>,
    }

    pub(in crate::events) fn serialize<S: Serializer>(
        step: &StepInfo,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let (kind, outputs) = (step.kind, step.outputs.clone());
        Fields { kind, outputs }.serialize(serializer)
    }

    pub(in crate::events) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<StepInfo, D::Error> {
        let Fields { kind, outputs } = Fields::deserialize(deserializer)?;
        Ok(StepInfo::new(0, "", kind).with_outputs(outputs))
    }
}
