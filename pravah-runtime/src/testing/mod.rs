//! Crash tests of flows: whatever happens to the processes that run it, a flow ends with the same output and effects.

mod difference;
mod driver;
mod effects;
mod error;
mod fault;

use std::{fmt, sync::Arc, time::Duration};

use serde_json::Value;

use self::{
    difference::{Finished, check_keys},
    driver::{Driver, StepResult},
    fault::FaultSite,
};
pub use self::{
    effects::Effects,
    error::{CrashTestError, Fault},
};
use crate::{
    Context, FlowDef, FlowEnds, FlowError, FlowRuntime, FlowSnapshot, LoadOptions, LoadedFlow,
    Suspension,
};

/// After so many steps without an end a run counts as one that never ends, unless set.
const MAX_STEPS: usize = 1_000;

/// When runs start. It is no round time, so that a body that rounds times shows it.
const START: Duration = Duration::from_millis(1_767_323_045_678);

/// What answers the questions of a flow.
type Answer = dyn Fn(&Suspension) -> Option<Value>;

/// What starts a run.
type Start<F> = dyn Fn() -> Result<FlowRuntime<F>, FlowError>;

/// What restores a run that was stored.
type Restore<F> = dyn Fn(FlowSnapshot) -> Result<FlowRuntime<F>, FlowError>;

/// Runs a flow to its end, which is the baseline, and then once more for each step and each kind of fault: the run is
/// restored from JSON before the step; the result of the step is lost, and it runs again; two processes resume the run and
/// take turns; the step's future is dropped at each of the first 16 times that it is pending, with and without a restore.
/// Each of these runs has one fault, and has to end with the output and the [`Effects`] of the baseline.
///
/// Times are those of a [`ManualClock`](crate::ManualClock), which is set forward where a run waits, and stands still while a
/// body runs: the time limit of a body never passes. Bodies that sleep by themselves take that long: use tokio's paused
/// clock, as in `#[tokio::test(start_paused = true)]`.
///
/// ```
/// use pravah_runtime::{prelude::*, testing::{CrashTest, Effects}};
/// use serde_json::json;
///
/// /// Stands for the service of a bank.
/// struct Bank { effects: Effects }
///
/// impl Bank {
///     fn charge(&self, key: &str, cents: u32) {
///         self.effects.record(key, json!({ "charged": cents }));
///     }
/// }
///
/// #[state] struct Order { cents: u32 }
/// #[state] struct Paid { cents: u32 }
/// #[state] struct Receipt { text: String }
///
/// #[node]
/// async fn charge(order: &Order, bank: Dep<Bank>, step: Step) -> Paid {
///     bank.charge(&step.key(), order.cents);
///     Paid { cents: order.cents }
/// }
///
/// #[gate(prompt = "Send a receipt?")]
/// fn confirm(paid: Paid, yes: bool) -> Receipt {
///     Receipt { text: if yes { format!("{} cents", paid.cents) } else { String::new() } }
/// }
///
/// #[flow]
/// fn buy(order: Order) -> Receipt { flow! { charge -> confirm } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let report = CrashTest::<Order>::new(|| Order { cents: 250 })
///     .with_context(|effects| Context::default().with_dep(Bank { effects: effects.clone() }))
///     .answering(|_question| Some(json!(true)))
///     .check()
///     .await?;
/// assert_eq!(report.output, json!({ "text": "250 cents" }));
/// # Ok(()) }
/// ```
#[must_use = "it runs nothing until `check` is awaited"]
pub struct CrashTest<F> {
    flow_id: String,
    start: Box<Start<F>>,
    restore: Box<Restore<F>>,
    context: Box<dyn Fn(&Effects) -> Context>,
    set_up: Box<dyn Fn(FlowRuntime<F>) -> FlowRuntime<F>>,
    answer: Box<Answer>,
    max_steps: usize,
}

impl<F> fmt::Debug for CrashTest<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrashTest")
            .field("flow", &self.flow_id)
            .field("max_steps", &self.max_steps)
            .finish_non_exhaustive()
    }
}

/// The run without faults.
struct Baseline {
    /// What its steps are called.
    steps: Vec<String>,
    result: Finished,
}

/// The result of a crash test.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CrashTestReport {
    /// The output of the flow, as JSON.
    pub output: Value,
    /// How many steps the baseline run takes, answers included.
    pub steps: usize,
    /// How many runs with a fault there were.
    pub faulted_runs: usize,
}

impl<F> CrashTest<F> {
    /// A test of the flow `F`, which starts with what `input` returns.
    // `F: FlowDef` is here and not on the `impl`, so that rustc names the missing trait and not a missing function.
    pub fn new(input: impl Fn() -> F::Input + 'static) -> Self
    where
        F: FlowDef,
    {
        Self::of(
            F::node_id(),
            move || FlowRuntime::start(input()),
            FlowRuntime::from_snapshot,
        )
    }
}

impl<F: LoadedFlow> CrashTest<F> {
    /// A test of a flow that was read from a document, which starts with what `input` returns.
    ///
    /// ```
    /// # #[cfg(feature = "documents")]
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use pravah_runtime::{document::{DocumentFlow, NodeRegistry}, testing::CrashTest};
    /// use serde_json::json;
    ///
    /// let text = "
    /// flow: { name: greet }
    /// nodes: [{ id: hello, type: echo, input: { text: Hello } }]
    /// edges: []
    /// ";
    /// let flow = DocumentFlow::read("greet.yaml", text, &NodeRegistry::standard())?;
    /// let report = CrashTest::of_document(flow, || json!({})).check().await?;
    /// assert_eq!(report.output["outputs"]["hello"], json!({ "text": "Hello" }));
    /// # Ok(()) }
    /// # #[cfg(not(feature = "documents"))] fn main() {}
    /// ```
    pub fn of_document(flow: F, input: impl Fn() -> F::Input + 'static) -> Self {
        let flow = Arc::new(flow);
        let restored = Arc::clone(&flow);
        Self::of(
            flow.flow_id().to_owned(),
            move || flow.start_run(input()),
            move |snapshot| restored.restore_run(snapshot, &LoadOptions::new()),
        )
    }
}

impl<F: FlowEnds> CrashTest<F> {
    fn of(
        flow_id: String,
        start: impl Fn() -> Result<FlowRuntime<F>, FlowError> + 'static,
        restore: impl Fn(FlowSnapshot) -> Result<FlowRuntime<F>, FlowError> + 'static,
    ) -> Self {
        Self {
            flow_id,
            start: Box::new(start),
            restore: Box::new(restore),
            context: Box::new(|_| Context::default()),
            set_up: Box::new(|run| run),
            answer: Box::new(|_| None),
            max_steps: MAX_STEPS,
        }
    }

    /// What the nodes of each run may reach, built anew for each run: what stands for a service outside records what it is
    /// asked to do in the [`Effects`]. A process that resumes a run gets the same context, which is the world
    /// outside: what a dependency keeps in memory is not lost, and a node that relies on that is not found.
    pub fn with_context(mut self, context: impl Fn(&Effects) -> Context + 'static) -> Self {
        self.context = Box::new(context);
        self
    }

    /// Sets up each run, and again after each restore, with the functions of [`FlowRuntime`]: models, the number of bodies
    /// that may run at the same time. The run's id and its clock are those of the test.
    ///
    /// ```
    /// # use pravah_runtime::{prelude::*, testing::CrashTest};
    /// # use serde_json::json;
    /// # #[state] struct Question { text: String }
    /// # #[state] struct Report { text: String }
    /// # /// You write reports.
    /// # #[agent(model = "openai://gpt-4o", output = Report)]
    /// # fn writer(question: &Question) -> String { question.text.clone() }
    /// # #[flow]
    /// # fn writing(question: Question) -> Report { flow! { writer } }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let script = ScriptedModel::new().reply("writer", json!({ "text": "Done." }));
    /// let models = ClientFactory::new().with_scripted(script);
    /// CrashTest::<Question>::new(|| Question { text: "?".into() })
    ///     .with_setup(move |run| run.with_factory(models.clone()).with_concurrency(8))
    ///     .check()
    ///     .await?;
    /// # Ok(()) }
    /// ```
    pub fn with_setup(
        mut self,
        set_up: impl Fn(FlowRuntime<F>) -> FlowRuntime<F> + 'static,
    ) -> Self {
        self.set_up = Box::new(set_up);
        self
    }

    /// Answers the questions of the flow. A question without an answer waits until its time is over. The same question
    /// is asked again where a step is lost: it has to get the same answer.
    pub fn answering(mut self, answer: impl Fn(&Suspension) -> Option<Value> + 'static) -> Self {
        self.answer = Box::new(answer);
        self
    }

    /// How many steps a run may take: 1,000 unless set.
    pub fn with_max_steps(mut self, steps: usize) -> Self {
        self.max_steps = steps;
        self
    }

    /// Runs the flow without faults, and then with each of them. For a flow of `n` steps there are between `3n` and `35n` runs,
    /// each of up to `2n` steps.
    ///
    /// # Errors
    ///
    /// [`CrashTestError::Run`] if the baseline fails, and otherwise the first difference between that and a run with a fault.
    pub async fn check(&self) -> Result<CrashTestReport, CrashTestError> {
        let baseline = self.baseline().await?;
        let mut faulted_runs = 0;
        for (index, step) in baseline.steps.iter().enumerate() {
            let (test, baseline) = (self, &baseline.result);
            let site = FaultSite {
                test,
                baseline,
                index,
                step,
            };
            faulted_runs += site.inject().await?;
        }
        Ok(CrashTestReport {
            output: baseline.result.output,
            steps: baseline.steps.len(),
            faulted_runs,
        })
    }

    /// Runs to the end without faults.
    async fn baseline(&self) -> Result<Baseline, CrashTestError> {
        let mut driver = Driver::start(self)?;
        let mut steps = Vec::new();
        loop {
            let result = driver.step().await?;
            steps.push(driver.last_step());
            if let StepResult::Finished(output) = result {
                let effects = driver.effects();
                check_keys(&effects)?;
                return Ok(Baseline {
                    steps,
                    result: Finished { output, effects },
                });
            }
            if steps.len() >= self.max_steps {
                return Err(CrashTestError::NoEnd { steps: steps.len() });
            }
        }
    }
}
