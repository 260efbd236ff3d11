//! `pravah` 0.4.25, whose nodes cannot await: each branch asks the host, which waits and answers.

use pravah_04::{CompiledFlow, Flow, Step, compile};

use crate::call_time;

fn waiting(root: Flow<u64>) -> Flow<u64> {
    let (a, b, c, d, e, f, g, h) = root.split(|n: u64| (n, n, n, n, n, n, n, n));
    let a = a.suspend::<u64>();
    let others = (
        b.suspend::<u64>(),
        c.suspend::<u64>(),
        d.suspend::<u64>(),
        e.suspend::<u64>(),
        f.suspend::<u64>(),
        g.suspend::<u64>(),
        h.suspend::<u64>(),
    );
    a.merge(
        others,
        |(a, b, c, d, e, f, g, h): (u64, u64, u64, u64, u64, u64, u64, u64)| {
            [a, b, c, d, e, f, g, h].iter().sum::<u64>()
        },
    )
}

pub fn flow() -> CompiledFlow<u64, u64> {
    compile(waiting).expect("a flow")
}

pub async fn once(flow: &CompiledFlow<u64, u64>) {
    let mut run = flow.start(1, uuid::Uuid::nil()).expect("a run");
    loop {
        match run.next().expect("a step") {
            Step::Suspend(_) => {
                super::wait().await;
                run.resume(1_u64).expect("an answer");
            }
            Step::Done(_) => return,
            _ => {}
        }
    }
}

pub async fn fork() -> f64 {
    let flow = flow();
    call_time(async || once(&flow).await).await
}
