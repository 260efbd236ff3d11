//! Places in a value that is checked.

/// Where in a value a schema is checked. The path is written only for a reason.
pub(super) struct Place<'a> {
    above: Option<&'a Place<'a>>,
    step: Step<'a>,
    pub(super) depth: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    /// The same value, by another schema.
    Here,
    Field(&'a str),
    Item(usize),
}

impl<'a> Place<'a> {
    pub(super) const ROOT: Self = Self {
        above: None,
        step: Step::Here,
        depth: 0,
    };

    pub(super) fn below(&'a self, step: Step<'a>) -> Self {
        Self {
            above: Some(self),
            step,
            depth: self.depth + 1,
        }
    }

    fn path(&self) -> String {
        let path = self.above.map_or_else(String::new, Self::path);
        match self.step {
            Step::Here => path,
            Step::Item(index) => format!("{path}[{index}]"),
            Step::Field(name) if path.is_empty() => name.to_owned(),
            Step::Field(name) => format!("{path}.{name}"),
        }
    }

    pub(super) fn reject(&self, what: impl std::fmt::Display) -> Result<(), String> {
        Err(match self.path().as_str() {
            "" => format!("the value {what}"),
            path => format!("`{path}` {what}"),
        })
    }
}
