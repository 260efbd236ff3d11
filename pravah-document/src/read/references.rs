//! Templates and conditions, with what they refer to.

use super::{Context, Mode, Place, Reference};
use crate::{
    schema::ExpectedTypes,
    template::{Absent, Template, Use},
    tree::Tree,
    when::{Found, When},
};

/// Reads the parts of a node or an edge in which names are used.
pub(super) struct ReferenceReader<'a> {
    pub(super) references: Vec<Reference>,
    pub(super) place: Place,
    /// Names that the part defines itself: `item` and `index` of `data.map`.
    pub(super) locals: &'a [&'a str],
    /// References to those.
    pub(super) local_references: Vec<Reference>,
}

impl<'a> ReferenceReader<'a> {
    pub(super) fn new() -> Self {
        Self {
            references: Vec::new(),
            place: Place::Before,
            locals: &[],
            local_references: Vec::new(),
        }
    }

    /// Does something with these names defined.
    pub(super) fn with<T>(&mut self, locals: &'a [&'a str], act: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.locals, locals);
        let result = act(self);
        self.locals = before;
        result
    }

    pub(super) fn template(&mut self, tree: &Tree, context: &mut Context<'_, '_>) -> Template {
        let (mut uses, mut faults) = (Vec::new(), Vec::new());
        let template = Template::of_tree(tree, &mut uses, &mut faults);
        context.sink.faults("binding", faults);
        self.add_uses(uses);
        template
    }

    pub(super) fn when(&mut self, tree: &Tree, context: &mut Context<'_, '_>) -> Option<When> {
        let mut found = Found::default();
        let when = When::of_tree(tree, &mut found);
        let is_faultless = found.faults.is_empty();
        context.sink.faults("condition", found.faults);
        // A value that a condition compares with is as good as absent if its binding is.
        let uses = found
            .uses
            .into_iter()
            .map(|(binding, span)| (binding.path, span));
        for (path, span) in found.variables.into_iter().chain(uses) {
            self.add(Reference {
                path: path.to_string(),
                span,
                mode: Mode::Variable,
                place: self.place,
                may_be_local: false,
                expected_types: Vec::new(),
            });
        }
        when.filter(|_| is_faultless)
    }

    fn add_uses(&mut self, uses: Vec<Use>) {
        for found in uses {
            let reference = of_use(found);
            self.add(Reference {
                place: self.place,
                ..reference
            });
        }
    }

    /// Notes of which types the values of bindings have to be.
    pub(super) fn expect_types(&mut self, expected: &ExpectedTypes<'_>) {
        for reference in &mut self.references {
            if let Some(types) = expected.get(&reference.span) {
                reference.expected_types = types.iter().map(ToString::to_string).collect();
            }
        }
    }

    fn add(&mut self, reference: Reference) {
        if self.locals.contains(&reference.root()) {
            self.local_references.push(reference);
        } else {
            self.references.push(reference);
        }
    }
}

/// What a binding refers to.
pub(super) fn of_use((binding, span): Use) -> Reference {
    let mode = match binding.absent {
        Absent::Fails => Mode::Strict,
        Absent::IsEmpty => Mode::Optional,
        Absent::Is(_) => Mode::Default,
    };
    Reference {
        path: binding.path.to_string(),
        span,
        mode,
        place: Place::Before,
        may_be_local: false,
        expected_types: Vec::new(),
    }
}
