use std::collections::HashMap;

use pravah_runtime::prelude::*;

#[state] struct Board { cells: Option<HashMap<(u32, u32), String>> }
#[state] struct Won {}
#[node] fn play(_: Board) -> Won { Won {} }
#[flow] fn game(board: Board) -> Won { flow! { play } }

fn main() {}
