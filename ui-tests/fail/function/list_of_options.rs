use pravah_runtime::prelude::*;

#[state] struct Folder {}
#[state] struct File {}

#[node]
fn list(_: Folder) -> Each<Option<File>> { Each::default() }

fn main() {}
