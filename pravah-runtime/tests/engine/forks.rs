//! A node of the builder that follows two forks.

use pravah_runtime::{Either, Flow, FlowError, FlowGraph, FlowRuntime, RunOut};

use crate::engine_support::{Log, restart, states};

states!(
    Start, Short, Long, Draft, Words, Letters, Note, Count, Finished
);

impl Flow for Start {
    type Output = Finished;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .either::<Start, Short, Long, _>(|Start { n }, _| {
                Ok(match n < 5 {
                    true => Either::Left(Short { n }),
                    false => Either::Right(Long { n }),
                })
            })
            .fork::<Short, Draft, Words, _>(|Short { n }, _| Ok((Draft { n }, Words { n })))
            .fork::<Long, Letters, Draft, _>(|Long { n }, _| Ok((Letters { n }, Draft { n })))
            .work::<Draft, Note, _, _>(|Draft { n }, _| async move { Ok(Note { n }) })
            .work::<Words, Count, _, _>(|Words { n }, _| async move { Ok(Count { n }) })
            .work::<Letters, Count, _, _>(|Letters { n }, _| async move { Ok(Count { n: 6 * n }) })
            .join::<Note, Count, Finished, _>(|note, count, _| {
                Ok(Finished {
                    n: note.n * 100 + count.n,
                })
            })
            .build()
    }
}

// S1.18, S1.20
#[tokio::test]
async fn a_node_that_two_forks_lead_to_joins_what_comes_beside_it_from_either() {
    for (n, expected) in [(2, 202), (7, 742)] {
        let log = Log::default();
        let mut run = FlowRuntime::new(Start { n }).unwrap();
        let finished = loop {
            match run.next(log.ctx()).await.unwrap() {
                RunOut::Continue => run = restart(&run),
                RunOut::Done(finished) => break finished,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(finished, Finished { n: expected });
    }
}
