use std::collections::HashMap;

use pravah_runtime::prelude::*;

/// Draws a board.
#[tool] async fn draw(cells: HashMap<(u32, u32), String>) -> Result<usize, ToolError> { Ok(cells.len()) }

fn main() {}
