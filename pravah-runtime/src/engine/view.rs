//! What a body may ask of the run it belongs to, through its context.

use std::sync::{Arc, OnceLock};

use super::state::{
    RunState,
    frame::{FlowInputs, Frame},
    path::NodePath,
    run_id::RunId,
};
use crate::{
    cancel::CancelToken,
    context::{RunView, step_key},
    graph::{NodeIx, Table},
    state::Live,
};

/// A run, or an item of a list within it, as its bodies see it.
pub(crate) struct View {
    kind: ViewKind,
    table: Arc<Table>,
    pub(super) inputs: FlowInputs,
    /// Made when somebody first asks for it.
    cancel: OnceLock<CancelToken>,
}

enum ViewKind {
    /// The flow itself, in a run of this id.
    Flow(RunId),
    /// An item of a list.
    Item {
        around: Arc<View>,
        /// The node of the list.
        list: NodeIx,
        /// Which visit of that node this is.
        visit: u32,
        /// What stands for the run's id in the step keys of the items, such as `run-7/each#1`; made when somebody first
        /// asks.
        item_run_id: OnceLock<Arc<str>>,
    },
}

impl View {
    /// What the bodies of the flow itself see.
    fn of_flow(
        run_id: &RunId,
        table: &Arc<Table>,
        inputs: &FlowInputs,
        cancel: Option<CancelToken>,
    ) -> Arc<Self> {
        Arc::new(Self {
            kind: ViewKind::Flow(run_id.clone()),
            table: Arc::clone(table),
            inputs: inputs.clone(),
            cancel: cancel.map_or_else(OnceLock::new, OnceLock::from),
        })
    }

    /// What the bodies of an item see. Its frame is `frame`, and its list is at the node `list` of `around`, in this visit.
    pub(super) fn of_item(around: Arc<Self>, list: NodeIx, visit: u32, frame: &Frame) -> Self {
        Self {
            table: Arc::clone(&frame.table),
            inputs: frame.flow_inputs.clone(),
            cancel: OnceLock::from(around.cancel().clone()),
            kind: ViewKind::Item {
                around,
                list,
                visit,
                item_run_id: OnceLock::new(),
            },
        }
    }
}

/// What the bodies of the flow itself see of the run, made when one first asks.
#[derive(Default)]
pub(super) struct LazyView {
    view: OnceLock<Arc<View>>,
    /// Of the views before it, which bodies in flight may still have.
    cancel: Option<CancelToken>,
}

impl LazyView {
    /// The view; what it is of is read the first time only.
    pub(super) fn get(&self, run_id: &RunId, table: &Arc<Table>, inputs: &FlowInputs) -> Arc<View> {
        let view = || View::of_flow(run_id, table, inputs, self.cancel.clone());
        Arc::clone(self.view.get_or_init(view))
    }

    /// Cancels the bodies that have seen it.
    pub(super) fn cancel(&self) {
        let shown = self.view.get().map(|view| view.cancel());
        if let Some(cancel) = shown.or(self.cancel.as_ref()) {
            cancel.cancel();
        }
    }

    /// Drops the view: what it shows is no longer so.
    pub(super) fn drop_view(&mut self) {
        if let Some(view) = self.view.take() {
            self.cancel = Some(view.cancel().clone());
        }
    }

    /// Drops the view if it shows other inputs than these.
    #[inline]
    pub(super) fn drop_outdated(&mut self, inputs: &FlowInputs) {
        let shown = self.view.get();
        // States are equal only if they are the same value: no payload is compared.
        if shown.is_some_and(|shown| shown.inputs != *inputs) {
            self.drop_view();
        }
    }
}

impl RunState {
    /// What names the step at `path` for those outside, in all its attempts.
    pub(super) fn step_key(&self, path: &NodePath) -> String {
        let Frame {
            table, flow_inputs, ..
        } = &self.root;
        let root = View::of_flow(&self.id, table, flow_inputs, None);
        let (view, frame) = self.view_at(path, root);
        let items: Vec<usize> = path.items().collect();
        step_key(&*view, path.node.0, &items, frame.visit(path.node))
    }

    /// What the node at `path` sees of the run: in a list, of the item that it is in. `root` is what the bodies of
    /// the flow itself see.
    pub(super) fn view_at(&self, path: &NodePath, root: Arc<View>) -> (Arc<View>, &Frame) {
        let (mut view, mut around) = (root, &self.root);
        for (depth, item) in (1..).zip(&path.frame) {
            let frame = self.frame(path.frame.get(..depth).unwrap_or_default());
            let visit = around.visit(item.list);
            view = Arc::new(View::of_item(view, item.list, visit, frame));
            around = frame;
        }
        (view, around)
    }
}

impl RunView for View {
    fn cancel(&self) -> &CancelToken {
        self.cancel.get_or_init(CancelToken::default)
    }

    fn run_id(&self) -> &str {
        match &self.kind {
            ViewKind::Flow(run_id) => run_id.get(),
            // Two lists may share a chain, and one may come again: their steps are not the same.
            ViewKind::Item {
                around,
                list,
                visit,
                item_run_id,
            } => item_run_id.get_or_init(|| {
                let list = around.table.step_name(*list);
                format!("{}/{list}#{visit}", around.run_id()).into()
            }),
        }
    }

    fn step_name(&self, node: u32) -> String {
        self.table.step_name(NodeIx(node))
    }

    fn input(&self, node: u32, name: &str) -> Option<Live> {
        let scope = self
            .table
            .scopes_of(NodeIx(node))
            .find(|(_, scope)| &*scope.input == name);
        if let Some((scope, _)) = scope {
            return self.inputs.get(&scope).cloned();
        }
        match &self.kind {
            ViewKind::Flow(_) => None,
            ViewKind::Item { around, list, .. } => around.input(list.0, name),
        }
    }

    fn inputs(&self, node: u32) -> Vec<String> {
        let scopes = self.table.scopes_of(NodeIx(node));
        let mut names: Vec<String> = scopes.map(|(_, scope)| scope.input.to_string()).collect();
        if let ViewKind::Item { around, list, .. } = &self.kind {
            // The chain of a list is no flow of its own.
            names.pop();
            names.extend(around.inputs(list.0));
        }
        names
    }
}
