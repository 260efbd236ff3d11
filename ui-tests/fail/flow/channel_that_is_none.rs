use pravah_runtime::{Channels, prelude::*};

#[state] struct Log {}

fn attach() -> Channels {
    Channels::new().with(Log {})
}

fn main() {}
