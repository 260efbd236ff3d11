//! Rows in columns.

use super::values::line;

/// A table that is as wide as what is in it.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings, and no row yet.
    pub(super) fn new(headings: &[&str]) -> Self {
        let headings = headings.iter().map(|heading| (*heading).to_owned());
        Self {
            rows: vec![headings.collect()],
        }
    }

    /// Adds a row, in which each value is one line.
    pub(super) fn add<const N: usize>(&mut self, values: [String; N]) {
        self.rows
            .push(values.iter().map(|value| line(value)).collect());
    }

    /// The table as lines.
    pub(super) fn text(&self) -> String {
        let widths = self.widths();
        let lines = self.rows.iter().map(|row| {
            let values = row.iter().zip(&widths);
            let values = values.map(|(value, width)| format!("{value:width$}"));
            let line = values.collect::<Vec<_>>().join("  ");
            line.trim_end().to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, value) in widths.iter_mut().zip(row) {
                *width = value.chars().count().max(*width);
            }
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_values() {
        let mut table = Table::new(&["ID", "STATUS"]);
        table.add(["café-1".to_owned(), "done".to_owned()]);
        table.add(["b".to_owned(), String::new()]);
        assert_eq!(table.text(), "ID      STATUS\ncafé-1  done\nb");
    }
}
