//! Nodes whose work is done elsewhere.

use serde_json::Value;

use super::{
    NodeKind, NodeSpec,
    data::{spec, state},
};
use crate::{
    invocation::{REMOTE, RemoteCall, Runners},
    topology::ShapeKind,
};

/// A node that lets a runner do its work.
#[derive(Clone)]
pub(crate) struct RemoteNode {
    pub(crate) runners: Runners,
}

impl NodeSpec {
    /// What all agents share that run elsewhere: each takes a [`RemoteCall`], and returns JSON.
    pub(super) fn remote(runners: Runners) -> Self {
        let (takes, returns) = ([state::<RemoteCall>()], [state::<Value>()]);
        let kind = NodeKind::Remote(RemoteNode { runners });
        spec(REMOTE.into(), &takes, ShapeKind::One, &returns, kind)
    }
}
