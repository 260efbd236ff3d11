//! The item below `#[agent]`: which options it still lacks, and that its function returns a prompt.

use syn::{
    Attribute, Ident, ItemFn, ItemStruct, ReturnType, Type, ext::IdentExt, spanned::Spanned,
};

use super::table::Given;
use crate::{
    diag::Diagnostics,
    doc_comment::doc_comment,
    types::{is_type_name, path_of, short},
};

/// The function or struct that `#[agent]` is written above.
pub(crate) struct AgentItem<'a> {
    name: &'a Ident,
    attrs: &'a [Attribute],
    /// What its function returns.
    returns: Option<&'a Type>,
}

impl<'a> From<&'a ItemFn> for AgentItem<'a> {
    fn from(item: &'a ItemFn) -> Self {
        let returns = match &item.sig.output {
            ReturnType::Type(_, ty) => Some(&**ty),
            ReturnType::Default => None,
        };
        Self {
            name: &item.sig.ident,
            attrs: &item.attrs,
            returns,
        }
    }
}

impl<'a> From<&'a ItemStruct> for AgentItem<'a> {
    fn from(item: &'a ItemStruct) -> Self {
        Self {
            name: &item.ident,
            attrs: &item.attrs,
            returns: None,
        }
    }
}

impl AgentItem<'_> {
    /// Reports what is not among the options that are `given`.
    pub(super) fn report_missing(&self, given: &Given, errors: &mut Diagnostics) {
        let (has_model, has_runner) = (given.has("model"), given.has("runner"));
        self.report_model_and_output(has_model || has_runner, given.has("output"), errors);
        let has_preamble = given.has("preamble") || doc_comment(self.attrs).is_some();
        if has_model && !has_runner && !has_preamble {
            errors.error(
                self.name.span(),
                format!("the agent `{}` has no preamble", self.name),
                "write a doc comment above it, or `preamble = \"…\"` in its options: it tells the model what to do",
            );
        }
    }

    fn report_model_and_output(
        &self,
        has_model_or_runner: bool,
        has_output: bool,
        errors: &mut Diagnostics,
    ) {
        let state = self.returns.filter(|_| self.returns_a_state()).map(short);
        let output = state.as_deref().unwrap_or("…");
        let (what, help) = match (has_model_or_runner, has_output) {
            (true, true) => return,
            (false, false) => (
                "model and no output",
                format!(
                    "write `#[agent(model = \"openai://gpt-4o-mini\", output = {output})]`, with the state that the model returns"
                ),
            ),
            (false, true) => (
                "model",
                "write `model = \"openai://gpt-4o-mini\"` in its options".to_owned(),
            ),
            (true, false) => (
                "output",
                format!(
                    "write `output = {output}` in its options, with the state that the model returns"
                ),
            ),
        };
        let prompt = if state.is_some() && !has_output {
            "; the function itself returns the prompt, such as a `String`"
        } else {
            ""
        };
        errors.error(
            self.name.span(),
            format!("the agent has no {what}"),
            format!("{help}{prompt}"),
        );
    }

    /// Refuses a function that returns what the model is to return.
    pub(super) fn check_return(&self, output: Option<&Type>, errors: &mut Diagnostics) {
        let (Some(returns), Some(output)) = (self.returns, output) else {
            return;
        };
        let (name, state) = (self.name, short(output));
        if self.returns_a_state() && short(returns) == state {
            errors.error(
                returns.span(),
                format!("the function of the agent `{name}` returns its output, `{state}`, and not the prompt"),
                format!("return the prompt, such as a `String`: the model makes the `{state}` from it"),
            );
        }
    }

    /// Whether its function is written to return a state, as that of a node does, in place of the prompt.
    pub(crate) fn returns_a_state(&self) -> bool {
        let path = self.returns.and_then(path_of);
        path.and_then(|path| path.segments.last())
            .is_some_and(|last| {
                let name = last.ident.unraw().to_string();
                let is_prompt = name == "String" || name == "Prompt";
                last.arguments.is_empty() && is_type_name(&name) && !is_prompt
            })
    }
}
