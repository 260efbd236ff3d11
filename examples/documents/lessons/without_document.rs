//! 10: the same runtime without a document.

use pravah_runtime::prelude::*;

use crate::Done;

#[state]
struct Name {
    name: String,
}

#[state]
struct Greeting {
    text: String,
}

#[state]
struct Shout {
    text: String,
}

#[node]
fn greet(name: &Name) -> Greeting {
    Greeting {
        text: format!("Hello, {}!", name.name),
    }
}

#[node]
fn shout(greeting: &Greeting) -> Shout {
    Shout {
        text: greeting.text.to_uppercase(),
    }
}

#[flow]
fn greeting(name: Name) -> Shout {
    flow! { greet -> shout }
}

pub(crate) async fn run() -> Done {
    let mut run = FlowRuntime::new(Name {
        name: "Ada".to_owned(),
    })?;
    while let RunOut::Continue = run.next(Context::default()).await? {
        println!(
            "{}",
            run.last_step()
                .map(|step| step.to_string())
                .unwrap_or_default()
        );
    }
    println!(
        "{}",
        run.output()?
            .map(|shout| shout.text.clone())
            .unwrap_or_default()
    );
    Ok(())
}
