//! Limits hold for each node, item and body by itself, however many of them are in flight.

use pravah_runtime::{RunStatus, prelude::*};

use crate::support::{Act::*, Play, body, json, ms, states, taking};

/// Loops in the items of a list, and beside each other.
mod visits {
    use super::*;

    states!(Start, Draft, Notes, Good, Fine, End);

    #[node]
    fn open(start: Start) -> Each<Draft> {
        (0..start.n).map(|n| Draft { n }).collect()
    }

    /// As often as the number says, and once more.
    #[node(max_visits = 4)]
    async fn review(draft: Draft, ctx: Context) -> Result<Either<Good, Notes>, String> {
        body(&ctx, "review").await?;
        tokio::time::sleep(ms(10)).await;
        Ok(match draft.n {
            0 => Either::Left(Good { n: 0 }),
            n => Either::Right(Notes { n: n - 1 }),
        })
    }

    #[node]
    fn finish(good: Good) -> Fine {
        Fine { n: good.n }
    }

    #[node]
    fn revise(notes: Notes) -> Draft {
        Draft { n: notes.n }
    }

    #[node]
    fn close(fine: Each<Fine>) -> End {
        End {
            n: fine.len() as u64,
        }
    }

    #[flow(named, fail_fast = false)]
    fn looped(start: Start) -> End {
        flow! { open -> each(review -> either(finish, revise -> review)) -> close }
    }

    #[tokio::test(start_paused = true)]
    async fn each_item_visits_a_node_as_often_as_max_visits_says() {
        for (concurrency, time) in [(1, 100), (2, 60), (8, 40)] {
            let play = Play::default();
            let run = looped::start(Start { n: 4 }).unwrap();
            let mut run = run.with_concurrency(concurrency);
            let (out, took) = taking(run.run(play.ctx())).await;
            assert_eq!(out.unwrap(), RunOut::Done(End { n: 4 }));
            // Ten milliseconds for each visit of the items 0 to 3.
            assert_eq!((took, play.count("review")), (time, 1 + 2 + 3 + 4));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_item_that_loops_too_often_fails_alone() {
        let mut stuck = Vec::new();
        for concurrency in [1, 2, 8] {
            let play = Play::default();
            let run = looped::start(Start { n: 6 }).unwrap();
            let mut run = run.with_run_id("r").with_concurrency(concurrency);
            let error = run.run(play.ctx()).await.unwrap_err();
            assert!(
                matches!(&error, FlowError::MaxVisits { limit: 4, .. }),
                "{error}"
            );
            // The items 4 and 5 ran four times each, and were refused the fifth time.
            assert_eq!(play.count("review"), 1 + 2 + 3 + 4 + 4 + 4);
            assert!(matches!(
                run.status(),
                RunStatus::Failed {
                    kind: FailureKind::Limit,
                    attempts: 1,
                    ..
                }
            ));
            let list = json(&run)["lists"]["Each_of_Draft"].clone();
            let keys = |part: &str| -> Vec<String> {
                let items = list[part].as_object().unwrap();
                items.keys().cloned().collect()
            };
            assert_eq!(keys("done"), ["0", "1", "2", "3"]);
            assert_eq!(keys("items"), ["4", "5"]);
            for (item, left) in [("4", 0), ("5", 1)] {
                let item = &list["items"][item];
                assert_eq!(
                    item["visits"],
                    serde_json::json!({ "Draft": 4, "Notes": 4 })
                );
                assert_eq!(item["states"]["Draft"]["n"], left);
            }
            stuck.push(list["items"]["5"]["states"].clone());
        }
        assert!(stuck.iter().all(|states| *states == stuck[0]));
    }
}

/// Flows that bodies start: how deep they are in each other counts, and not how many there are.
mod depth {
    use super::*;

    states!(Jobs, Job, Worked, All, Task, Report);

    #[node]
    fn jobs(jobs: Jobs) -> Each<Job> {
        (0..jobs.n).map(|n| Job { n }).collect()
    }

    /// Starts a flow, which starts another, and so on, as often as the number says.
    #[node]
    async fn work(job: Job, ctx: Context) -> Result<Worked, FlowError> {
        body(&ctx, "work").await.map_err(FlowError::other)?;
        let report = task(Task { n: job.n }, ctx).await?;
        Ok(Worked { n: report.n })
    }

    #[node]
    fn gather(worked: Each<Worked>) -> All {
        All {
            n: worked.iter().map(|worked| worked.n).sum(),
        }
    }

    #[node]
    async fn delegate(task: Task, ctx: Context) -> Result<Report, FlowError> {
        tokio::time::sleep(ms(10)).await;
        let again: std::pin::Pin<Box<dyn Future<Output = _> + Send>> = match task.n {
            0 => return Ok(Report { n: 1 }),
            n => Box::pin(self::task(Task { n: n - 1 }, ctx)),
        };
        Ok(Report {
            n: 1 + again.await?.n,
        })
    }

    #[flow]
    fn task(task: Task) -> Report {
        flow! { delegate }
    }

    #[flow(named, fail_fast = false)]
    fn all(jobs: Jobs) -> All {
        flow! { jobs -> each(work) -> gather }
    }

    #[tokio::test(start_paused = true)]
    async fn nesting_depth_does_not_add_up_over_concurrent_flows() {
        for concurrency in [1, 2, 40] {
            let run = all::start(Jobs { n: 10 }).unwrap();
            let mut run = run.with_concurrency(concurrency);
            let out = run.run(Play::default().ctx()).await.unwrap();
            // Within the run there are up to ten in each other, and 55 in all.
            assert_eq!(out, RunOut::Done(All { n: 55 }));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_flow_that_is_too_deep_fails_and_those_beside_it_do_not() {
        for concurrency in [1, 2, 40] {
            let play = Play::default().with("work", [Takes(1), Takes(30), Takes(5)]);
            let run = all::start(Jobs { n: 17 }).unwrap();
            let mut run = run.with_concurrency(concurrency);
            let error = run.run(play.ctx()).await.unwrap_err();
            let mut deepest = &error;
            while let Some(cause) = deepest.get_ref().and_then(|it| it.downcast_ref()) {
                deepest = cause;
            }
            assert!(
                matches!(deepest, FlowError::TooDeep { limit: 16, .. }),
                "{error}"
            );
            let list = json(&run)["lists"]["Each_of_Job"].clone();
            let done = list["done"].as_object().unwrap();
            let items = list["items"].as_object().unwrap();
            let failed: Vec<&str> = items.keys().map(String::as_str).collect();
            assert_eq!((done.len(), failed), (15, vec!["15", "16"]));
        }
    }
}
