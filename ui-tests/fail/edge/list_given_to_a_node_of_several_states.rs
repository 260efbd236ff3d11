use pravah_runtime::prelude::*;

#[state] struct Inbox {}
#[state] struct Letter {}
#[state] struct Parcel {}
#[state] struct Reply {}
#[state] struct Day {}

#[node] fn open(_: Inbox) -> Each<Letter> { todo!() }
#[node] fn answer(_: Either<Letter, Parcel>) -> Reply { Reply {} }
#[node] fn close(_: &Each<Reply>) -> Day { Day {} }

#[flow] fn morning(inbox: Inbox) -> Day { flow! { open -> each(answer) -> close } }

fn main() {}
