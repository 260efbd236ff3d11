use pravah_runtime::prelude::*;

#[state] struct Folder {}
#[state] struct File {}
#[state] struct Text {}
#[state] struct Book {}

#[node] fn list(_: Folder) -> Each<File> { vec![File {}].into() }
#[node] fn read(_: Each<File>) -> Text { Text {} }
#[node] fn bind(_: &Each<Text>) -> Book { Book {} }

#[flow] fn binding(folder: Folder) -> Book { flow! { list -> each(read) -> bind } }

fn main() {}
