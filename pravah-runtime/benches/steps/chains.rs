//! Chains of nodes that each count one up, as flows and as the same functions awaited by hand.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    reason = "not every chain is measured in every way, and a benchmark fails by panicking"
)]

use std::{any::Any, future::Future, pin::Pin, sync::Arc};

use pravah_runtime::prelude::*;

pub type Erased = Box<dyn Any + Send>;
pub type ErasedStep = Box<dyn Fn(Erased) -> Pin<Box<dyn Future<Output = Erased> + Send>> + Send>;

pub type Kept = Arc<dyn Any + Send + Sync>;
pub type KeepingStep = Box<
    dyn for<'a> Fn(&'a Kept, Context) -> Pin<Box<dyn Future<Output = Kept> + Send + 'a>> + Send,
>;

/// A node, written as `$form` says, and how it is called with a state.
macro_rules! node {
    (by_ref $node:ident $from:ident $to:ident) => {
        #[node]
        fn $node(s: &$from) -> $to {
            $to {
                n: s.n + 1,
                payload: s.payload.clone(),
            }
        }
    };
    (async_by_value $node:ident $from:ident $to:ident) => {
        #[node]
        async fn $node(s: $from) -> $to {
            $to {
                n: s.n + 1,
                payload: s.payload,
            }
        }
    };
    (@call by_ref $node:ident $state:ident) => {
        $node(&$state)
    };
    (@keep by_ref $state:ident) => {
        $state
    };
    (@keep async_by_value $state:ident) => {
        $state.clone()
    };
    (@call async_by_value $node:ident $state:ident) => {
        $node($state).await
    };
}

/// A flow of `$node`s from `$first` to `$last`, whose payload is a `$payload`.
macro_rules! chain {
    (
        mod $module:ident ($first:ident -> $last:ident, $payload:ty, $form:ident);
        flow! { $($flow:tt)* }
        $($node:ident $from:ident $to:ident),+ $(,)?
    ) => {
        pub mod $module {
            use super::*;

            $(
                #[state]
                #[derive(Clone)]
                pub struct $from { pub n: u64, pub payload: $payload }

                node!($form $node $from $to);
            )+

            #[state]
            #[derive(Clone)]
            pub struct $last { pub n: u64, pub payload: $payload }

            #[flow]
            pub fn chain(input: $first) -> $last { flow! { $($flow)* } }

            pub fn start(payload: $payload) -> $first { $first { n: 0, payload } }

            /// The same nodes behind `Box<dyn Any>` and a boxed future.
            pub fn erased() -> Vec<ErasedStep> {
                vec![$(
                    Box::new(|state: Erased| {
                        let state = *state.downcast::<$from>().unwrap();
                        Box::pin(async move { Box::new(node!(@call $form $node state)) as Erased })
                    }),
                )+]
            }

            /// The same, of which each leaves the state that it takes to the caller, and has a context.
            pub fn keeping() -> Vec<KeepingStep> {
                vec![$(
                    Box::new(|state: &Kept, ctx: Context| {
                        let state = state.downcast_ref::<$from>().unwrap();
                        let state = node!(@keep $form state);
                        Box::pin(async move {
                            let _ctx = ctx;
                            Arc::new(node!(@call $form $node state)) as Kept
                        })
                    }),
                )+]
            }

            /// The same functions, called.
            pub async fn direct(state: $first) -> $last {
                $(let state = node!(@call $form $node state);)+
                state
            }
        }
    };
}

chain! {
    mod ten (S00 -> S10, String, by_ref);
    flow! { s00 -> s01 -> s02 -> s03 -> s04 -> s05 -> s06 -> s07 -> s08 -> s09 }
    s00 S00 S01, s01 S01 S02, s02 S02 S03, s03 S03 S04, s04 S04 S05,
    s05 S05 S06, s06 S06 S07, s07 S07 S08, s08 S08 S09, s09 S09 S10,
}

chain! {
    mod ten_async (S00 -> S10, String, async_by_value);
    flow! { s00 -> s01 -> s02 -> s03 -> s04 -> s05 -> s06 -> s07 -> s08 -> s09 }
    s00 S00 S01, s01 S01 S02, s02 S02 S03, s03 S03 S04, s04 S04 S05,
    s05 S05 S06, s06 S06 S07, s07 S07 S08, s08 S08 S09, s09 S09 S10,
}

chain! {
    mod ten_shared (S00 -> S10, std::sync::Arc<str>, by_ref);
    flow! { s00 -> s01 -> s02 -> s03 -> s04 -> s05 -> s06 -> s07 -> s08 -> s09 }
    s00 S00 S01, s01 S01 S02, s02 S02 S03, s03 S03 S04, s04 S04 S05,
    s05 S05 S06, s06 S06 S07, s07 S07 S08, s08 S08 S09, s09 S09 S10,
}

chain! {
    mod hundred (S00 -> S100, String, by_ref);
    flow! {
        s00 -> s01 -> s02 -> s03 -> s04 -> s05 -> s06 -> s07 -> s08 -> s09 -> s10 -> s11 -> s12 -> s13 ->
        s14 -> s15 -> s16 -> s17 -> s18 -> s19 -> s20 -> s21 -> s22 -> s23 -> s24 -> s25 -> s26 -> s27 ->
        s28 -> s29 -> s30 -> s31 -> s32 -> s33 -> s34 -> s35 -> s36 -> s37 -> s38 -> s39 -> s40 -> s41 ->
        s42 -> s43 -> s44 -> s45 -> s46 -> s47 -> s48 -> s49 -> s50 -> s51 -> s52 -> s53 -> s54 -> s55 ->
        s56 -> s57 -> s58 -> s59 -> s60 -> s61 -> s62 -> s63 -> s64 -> s65 -> s66 -> s67 -> s68 -> s69 ->
        s70 -> s71 -> s72 -> s73 -> s74 -> s75 -> s76 -> s77 -> s78 -> s79 -> s80 -> s81 -> s82 -> s83 ->
        s84 -> s85 -> s86 -> s87 -> s88 -> s89 -> s90 -> s91 -> s92 -> s93 -> s94 -> s95 -> s96 -> s97 ->
        s98 -> s99
    }
    s00 S00 S01, s01 S01 S02, s02 S02 S03, s03 S03 S04, s04 S04 S05,
    s05 S05 S06, s06 S06 S07, s07 S07 S08, s08 S08 S09, s09 S09 S10,
    s10 S10 S11, s11 S11 S12, s12 S12 S13, s13 S13 S14, s14 S14 S15,
    s15 S15 S16, s16 S16 S17, s17 S17 S18, s18 S18 S19, s19 S19 S20,
    s20 S20 S21, s21 S21 S22, s22 S22 S23, s23 S23 S24, s24 S24 S25,
    s25 S25 S26, s26 S26 S27, s27 S27 S28, s28 S28 S29, s29 S29 S30,
    s30 S30 S31, s31 S31 S32, s32 S32 S33, s33 S33 S34, s34 S34 S35,
    s35 S35 S36, s36 S36 S37, s37 S37 S38, s38 S38 S39, s39 S39 S40,
    s40 S40 S41, s41 S41 S42, s42 S42 S43, s43 S43 S44, s44 S44 S45,
    s45 S45 S46, s46 S46 S47, s47 S47 S48, s48 S48 S49, s49 S49 S50,
    s50 S50 S51, s51 S51 S52, s52 S52 S53, s53 S53 S54, s54 S54 S55,
    s55 S55 S56, s56 S56 S57, s57 S57 S58, s58 S58 S59, s59 S59 S60,
    s60 S60 S61, s61 S61 S62, s62 S62 S63, s63 S63 S64, s64 S64 S65,
    s65 S65 S66, s66 S66 S67, s67 S67 S68, s68 S68 S69, s69 S69 S70,
    s70 S70 S71, s71 S71 S72, s72 S72 S73, s73 S73 S74, s74 S74 S75,
    s75 S75 S76, s76 S76 S77, s77 S77 S78, s78 S78 S79, s79 S79 S80,
    s80 S80 S81, s81 S81 S82, s82 S82 S83, s83 S83 S84, s84 S84 S85,
    s85 S85 S86, s86 S86 S87, s87 S87 S88, s88 S88 S89, s89 S89 S90,
    s90 S90 S91, s91 S91 S92, s92 S92 S93, s93 S93 S94, s94 S94 S95,
    s95 S95 S96, s96 S96 S97, s97 S97 S98, s98 S98 S99, s99 S99 S100,
}

/// A state of a chain too long to be written out; `N` is its place.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub struct Link<const N: usize> {
    pub n: u64,
    pub payload: String,
}

impl<const N: usize> schemars::JsonSchema for Link<N> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Link{N}").into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

/// Calls `$each!` for the numbers from 0 to 999.
macro_rules! thousand {
    ($each:ident $state:ident) => {
        thousand!(@hundreds $each $state 0 1 2 3 4 5 6 7 8 9)
    };
    (@hundreds $each:ident $state:ident $($h:literal)+) => { $(thousand!(@tens $each $state $h 0 1 2 3 4 5 6 7 8 9);)+ };
    (@tens $each:ident $state:ident $h:literal $($t:literal)+) => { $(thousand!(@ones $each $state $h $t 0 1 2 3 4 5 6 7 8 9);)+ };
    (@ones $each:ident $state:ident $h:literal $t:literal $($o:literal)+) => { $($each!($state { $h * 100 + $t * 10 + $o } { $h * 100 + $t * 10 + $o + 1 });)+ };
}

impl Flow for Link<0> {
    type Output = Link<1000>;

    fn build() -> Result<FlowGraph, FlowError> {
        let mut builder = FlowGraph::builder();
        macro_rules! add {
            ($builder:ident $from:block $to:block) => {
                $builder = $builder
                    .clones::<Link<$from>>()
                    .work::<Link<$from>, Link<$to>, _, _>(|state, _| async move {
                        Ok(Link {
                            n: state.n + 1,
                            payload: state.payload.clone(),
                        })
                    });
            };
        }
        thousand!(add builder);
        builder.build()
    }
}

/// The same closures behind `Box<dyn Any>` and a boxed future.
pub fn thousand_erased() -> Vec<ErasedStep> {
    let mut steps: Vec<ErasedStep> = Vec::new();
    macro_rules! add {
        ($steps:ident $from:block $to:block) => {
            $steps.push(Box::new(|state: Erased| {
                let state = *state.downcast::<Link<$from>>().unwrap();
                Box::pin(async move {
                    Box::new(Link::<$to> {
                        n: state.n + 1,
                        payload: state.payload.clone(),
                    }) as Erased
                })
            }));
        };
    }
    thousand!(add steps);
    steps
}

/// The same, of which each leaves the state that it takes to the caller, and has a context.
pub fn thousand_keeping() -> Vec<KeepingStep> {
    let mut steps: Vec<KeepingStep> = Vec::new();
    macro_rules! add {
        ($steps:ident $from:block $to:block) => {
            $steps.push(Box::new(|state: &Kept, ctx: Context| {
                let state = state.downcast_ref::<Link<$from>>().unwrap().clone();
                Box::pin(async move {
                    let _ctx = ctx;
                    Arc::new(Link::<$to> {
                        n: state.n + 1,
                        payload: state.payload.clone(),
                    }) as Kept
                })
            }));
        };
    }
    thousand!(add steps);
    steps
}

/// Counts to a million, and never awaits.
#[state]
pub struct Count {
    pub n: u32,
}

#[state]
pub struct More {
    pub n: u32,
}

#[state]
pub struct Counted {
    pub n: u32,
}

#[node(max_visits = 1_000_000)]
fn count(count: &Count) -> Either<More, Counted> {
    match count.n < 500_000 {
        true => Either::Left(More { n: count.n + 1 }),
        false => Either::Right(Counted { n: count.n }),
    }
}

#[node(max_visits = 1_000_000)]
fn more(more: &More) -> Count {
    Count { n: more.n }
}

/// A million steps.
#[flow]
pub fn counting(count: Count) -> Counted {
    flow! { count -> either(more -> count, done) }
}
