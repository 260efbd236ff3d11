//! What a body may ask of the run it belongs to, through its context.

use std::sync::{Arc, OnceLock};

use super::state::{
    frame::{FlowInputs, Frame},
    run_id::RunId,
};
use crate::{
    cancel::CancelToken,
    context::RunView,
    graph::{NodeIx, Table},
    state::Live,
};

/// A run, or an item of a list within it, as its bodies see it.
pub(crate) struct View {
    /// The run's id; in a list also which list of the run it is.
    run_id: RunId,
    table: Arc<Table>,
    pub(super) inputs: Arc<FlowInputs>,
    /// Made when somebody first asks for it.
    cancel: OnceLock<CancelToken>,
    /// What is around the list, and the node of the list there.
    around: Option<(Arc<View>, NodeIx)>,
}

impl View {
    /// What the bodies of an item in `frame` see, whose list is at the node `owner` of `around`.
    pub(super) fn of_item(view: Arc<Self>, owner: NodeIx, around: &Frame, frame: &Frame) -> Self {
        // Two lists may share a chain, and one may come again: their steps are not the same.
        let (list, visit) = (around.table.step_name(owner), around.visit(owner));
        Self {
            run_id: RunId::Known(format!("{}/{list}#{visit}", view.run_id.get()).into()),
            table: Arc::clone(&frame.table),
            inputs: Arc::clone(&frame.flow_inputs),
            cancel: OnceLock::from(view.cancel().clone()),
            around: Some((view, owner)),
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
    pub(super) fn get(
        &self,
        run_id: &RunId,
        table: &Arc<Table>,
        inputs: &Arc<FlowInputs>,
    ) -> Arc<View> {
        let view = || {
            Arc::new(View {
                run_id: run_id.clone(),
                table: Arc::clone(table),
                inputs: Arc::clone(inputs),
                cancel: self
                    .cancel
                    .clone()
                    .map_or_else(OnceLock::new, OnceLock::from),
                around: None,
            })
        };
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
    pub(super) fn drop_outdated(&mut self, inputs: &Arc<FlowInputs>) {
        let shown = self.view.get();
        if shown.is_some_and(|shown| !Arc::ptr_eq(&shown.inputs, inputs)) {
            self.drop_view();
        }
    }
}

impl RunView for View {
    fn cancel(&self) -> &CancelToken {
        self.cancel.get_or_init(CancelToken::default)
    }

    fn run_id(&self) -> &str {
        self.run_id.get()
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
        let (around, each) = self.around.as_ref()?;
        around.input(each.0, name)
    }

    fn inputs(&self, node: u32) -> Vec<String> {
        let scopes = self.table.scopes_of(NodeIx(node));
        let mut names: Vec<String> = scopes.map(|(_, scope)| scope.input.to_string()).collect();
        if let Some((around, each)) = &self.around {
            // The chain of a list is no flow of its own.
            names.pop();
            names.extend(around.inputs(each.0));
        }
        names
    }
}
