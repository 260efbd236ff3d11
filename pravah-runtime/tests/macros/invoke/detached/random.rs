//! Random detached tasks of nodes in the items of a list: whatever interrupts a run, and whichever of them are cancelled or
//! fail, each node that waits gets what its own tasks came to.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::FutureExt as _;
use pravah_runtime::{invocation::TaskStatus, prelude::*};
use proptest::prelude::*;

use crate::{
    delegation::random::{Interruption, interruptions},
    macros_support::restart,
};

#[state]
#[derive(Clone, Debug)]
struct Work {
    /// The lists of jobs, each of which an item starts.
    jobs: Vec<Vec<Job>>,
}

#[state]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Returns,
    Fails,
    Asks,
    Pauses,
}

#[state]
#[derive(Clone, Debug)]
struct Job {
    kind: Kind,
    number: usize,
}

#[state]
#[derive(Clone, Debug)]
struct Jobs {
    jobs: Vec<Job>,
}

#[state]
#[derive(Clone, Debug)]
struct Asked {
    number: usize,
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Product {
    number: usize,
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Outcomes {
    texts: Vec<String>,
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct All {
    lists: Vec<Vec<String>>,
}

#[node]
fn sort_out(job: &Job) -> Either<Asked, Product> {
    match job.kind {
        Kind::Asks => Either::Left(Asked { number: job.number }),
        _ => Either::Right(Product { number: job.number }),
    }
}

#[gate(prompt = "Go on?")]
fn ask(asked: &Asked, yes: bool) -> Product {
    assert!(yes);
    Product {
        number: asked.number,
    }
}

#[node]
async fn make(
    product: &Product,
    job: Input<Job>,
    counter: Dep<AtomicUsize>,
) -> Result<Product, FlowError> {
    match job.kind {
        Kind::Fails => return Err("it broke".into()),
        Kind::Pauses => tokio::task::yield_now().await,
        Kind::Returns | Kind::Asks => {}
    }
    counter.fetch_add(1, Ordering::SeqCst);
    Ok(product.clone())
}

/// Does one job.
#[flow]
fn labour(job: Job) -> Product {
    flow! { sort_out -> either(ask, join(make)); ask -> join(make) }
}

#[node]
fn split(work: Work) -> Each<Jobs> {
    work.jobs.into_iter().map(|jobs| Jobs { jobs }).collect()
}

#[node(agents = [labour])]
fn start(jobs: &Jobs) -> Invoke<Tasks> {
    Invoke::detached(jobs.jobs.iter().cloned().map(labour::invoke))
}

#[node(agents = [labour])]
fn collect(tasks: &Tasks) -> Invoke<Each<TaskResult<Product>>> {
    tasks.wait_settled()
}

#[node]
fn note(products: Each<TaskResult<Product>>) -> Outcomes {
    let texts = products.into_iter().map(|it| match it {
        TaskResult::Completed { output } => format!("made {}", output.number),
        TaskResult::Failed { kind, .. } => format!("{kind:?}"),
    });
    Outcomes {
        texts: texts.collect(),
    }
}

#[node]
fn gather(lists: Each<Outcomes>) -> All {
    All {
        lists: lists.into_iter().map(|it| it.texts).collect(),
    }
}

#[flow(named)]
fn working(work: Work) -> All {
    flow! { split -> each(start -> collect -> note) -> gather }
}

fn work() -> impl Strategy<Value = Work> {
    let kind = prop_oneof![
        3 => Just(Kind::Returns),
        1 => Just(Kind::Fails),
        1 => Just(Kind::Asks),
        2 => Just(Kind::Pauses),
    ];
    let lists = prop::collection::vec(prop::collection::vec(kind, 0..4), 1..4);
    lists.prop_map(|lists| {
        let mut number = 0;
        let job = |kind| {
            number += 1;
            Job { kind, number }
        };
        let mut job = job;
        let jobs = lists
            .into_iter()
            .map(|kinds| kinds.into_iter().map(&mut job).collect());
        Work {
            jobs: jobs.collect(),
        }
    })
}

/// What comes of the work without anything in between, where those that ask are answered.
fn expected(work: &Work, is_cancelled: impl Fn(&Job) -> bool) -> Vec<Vec<String>> {
    let text = |job: &Job| match job.kind {
        Kind::Asks if is_cancelled(job) => "Cancelled".to_owned(),
        Kind::Fails => "Error".to_owned(),
        _ => format!("made {}", job.number),
    };
    let lists = work.jobs.iter();
    lists.map(|jobs| jobs.iter().map(text).collect()).collect()
}

/// Runs the work; those that ask are answered, or cancelled.
async fn outcome(
    work: &Work,
    cancels: bool,
    by: &[Interruption],
    counter: &Arc<AtomicUsize>,
) -> All {
    let ctx = || Context::default().with_dep_arc(Arc::clone(counter));
    let mut run = working::start(work.clone()).unwrap();
    let mut interruptions = by.iter().cycle();
    let mut announced = 0;
    for _ in 0..5_000 {
        let settles = match run.next(ctx()).await {
            Ok(RunOut::Done(all)) => {
                assert!(run.tasks().iter().all(|task| task.status.has_ended()));
                return all;
            }
            // A run that was restored announces its questions anew.
            Ok(RunOut::Suspend { .. }) => {
                announced += 1;
                announced % 3 == 0
            }
            Ok(RunOut::Continue) => false,
            Ok(RunOut::Waiting { .. }) | Err(FlowError::ResumeRequired(_)) => true,
            Err(error) => panic!("{error}"),
        };
        let question = run.suspensions().into_iter().next().filter(|_| settles);
        match question {
            Some(_) if cancels => {
                let tasks = run.tasks().into_iter();
                let mut asking = tasks.filter(|it| it.status == TaskStatus::Suspended);
                run.cancel_task(&asking.next().unwrap().task_id).unwrap();
            }
            Some(question) => drop(run.answer(ctx(), &question.tool_id, true).await.unwrap()),
            None => {}
        }
        match interruptions.next().unwrap() {
            Interruption::Nothing => {}
            Interruption::Restart => run = restart(&run),
            Interruption::Drop(polls) => {
                let mut step = Box::pin(run.next(ctx()));
                let mut polls = (0..*polls).filter_map(|_| step.as_mut().now_or_never());
                if let Some(Ok(RunOut::Done(all))) = polls.next() {
                    return all;
                }
            }
            Interruption::Bodies(bodies) => run = run.with_concurrency(*bodies),
        }
    }
    panic!("it loops forever");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_interrupts_a_run_each_node_gets_what_its_own_tasks_came_to(
        work in work(),
        cancels in any::<bool>(),
        by in interruptions(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let counter = Arc::default();
        let all = runtime.block_on(outcome(&work, cancels, &by, &counter));
        let expected = expected(&work, |_| cancels);
        let made = expected.iter().flatten().filter(|text| text.starts_with("made")).count();
        prop_assert_eq!(all.lists, expected);
        // What is dropped before its commit is made again: a step, or with a restart those beside it.
        let drops = |it: &Interruption| matches!(it, Interruption::Drop(_) | Interruption::Bodies(_));
        let is_repeated = by.iter().any(drops);
        let count = counter.load(Ordering::SeqCst);
        prop_assert!(count == made || (is_repeated && count > made));
    }
}
