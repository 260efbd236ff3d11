use pravah_runtime::Events;

fn steps(events: Events) -> Events {
    events.only(3)
}

fn main() {}
