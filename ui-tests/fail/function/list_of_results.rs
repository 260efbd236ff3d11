use pravah_runtime::prelude::*;

#[state] struct Folder {}
#[state] struct File {}

#[node]
fn list(_: Folder) -> Each<Result<File, String>> { [Ok(File {})].into_iter().collect() }

fn main() {}
