use pravah_runtime::prelude::*;

#[state] struct Folder {}
#[state] struct File {}
#[state] struct Link {}

#[node]
fn list(_: Folder) -> Each<Either<File, Link>> { Each::default() }

fn main() {}
