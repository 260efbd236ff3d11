//! `#[node]`: every form that a signature can have.

use std::{error::Error, fmt, num::ParseIntError};

use pravah_runtime::prelude::*;

use crate::macros_support::{done, failed, states, through_restarts};

states!(End, Next, One, Two, Three, Left, Right);

#[derive(Debug)]
struct OwnError;

impl fmt::Display for OwnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("my own error")
    }
}

impl Error for OwnError {}

mod one_state {
    use super::*;

    states!(Start);

    #[node]
    fn owned(start: Start) -> Next {
        Next { n: start.n + 1 }
    }

    #[node]
    async fn borrowed(next: &Next) -> One {
        One { n: next.n + 1 }
    }

    #[node]
    fn with_context(one: &One, ctx: Context) -> Result<Two, FlowError> {
        assert!(ctx.step_key().is_some());
        Ok(Two {
            n: one.n + ctx.input::<Start>()?.n,
        })
    }

    #[node]
    async fn all_at_once(two: Two, _: Context) -> Result<End, Box<dyn Error + Send + Sync>> {
        tokio::task::yield_now().await;
        Ok(End { n: two.n })
    }

    #[flow]
    fn chain(start: Start) -> End {
        flow! { owned -> borrowed -> with_context -> all_at_once }
    }

    #[tokio::test]
    async fn a_node_may_own_or_borrow_wait_and_ask_for_the_context() {
        assert_eq!(done(Start { n: 1 }).await, End { n: 4 });
    }

    #[tokio::test]
    async fn a_node_stays_a_function() {
        assert_eq!(owned(Start { n: 1 }), Next { n: 2 });
        assert_eq!(borrowed(&Next { n: 1 }).await, One { n: 2 });
        let end = all_at_once(Two { n: 1 }, Context::default()).await;
        assert_eq!(end.unwrap(), End { n: 1 });
    }

    #[tokio::test]
    async fn a_flow_stays_a_function() {
        let end = chain(Start { n: 1 }, Context::default()).await;
        assert_eq!(end.unwrap(), End { n: 4 });
    }
}

mod errors {
    use super::*;

    #[state]
    struct Input {
        text: String,
    }

    #[node]
    fn parse(input: &Input) -> Result<Next, ParseIntError> {
        Ok(Next {
            n: input.text.parse()?,
        })
    }

    #[node]
    fn own(next: Next) -> Result<One, OwnError> {
        if next.n == 1 {
            Err(OwnError)
        } else {
            Ok(One { n: next.n })
        }
    }

    #[node]
    fn boxed(one: One) -> Result<Two, Box<dyn Error + Send + Sync>> {
        if one.n == 2 {
            return Err("a text".into());
        }
        let n: u32 = "7".parse()?;
        Ok(Two { n })
    }

    #[node]
    fn text(two: Two, ctx: Context) -> Result<Three, String> {
        let input = ctx.input::<Input>().map_err(|error| error.to_string())?;
        if input.text == "3" {
            Err("only a text".into())
        } else {
            Ok(Three { n: two.n })
        }
    }

    #[node]
    fn of_the_flow(_: &Three, ctx: Context) -> Result<End, FlowError> {
        if ctx.input::<Input>()?.text == "4" {
            return Err("a text of the flow".into());
        }
        let number = ctx.dep::<u32>()?;
        Ok(End { n: *number })
    }

    #[flow]
    fn chain(input: Input) -> End {
        flow! { parse -> own -> boxed -> text -> of_the_flow }
    }

    fn input(text: &str) -> Input {
        Input { text: text.into() }
    }

    #[tokio::test]
    async fn every_error_of_a_body_names_its_node() {
        for (text, error) in [
            ("no", "node `parse` failed: invalid digit found in string"),
            ("1", "node `own` failed: my own error"),
            ("2", "node `boxed` failed: a text"),
            ("3", "node `text` failed: only a text"),
            ("4", "node `of_the_flow` failed: a text of the flow"),
        ] {
            assert_eq!(failed(input(text)).await.to_string(), error);
        }
        let error = failed(input("5")).await.to_string();
        assert!(
            error.starts_with("node `of_the_flow` failed: the context has no `u32`"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn the_error_of_a_body_keeps_its_type() {
        let FlowError::Node { source, .. } = failed(input("1")).await else {
            panic!("another error");
        };
        assert!(source.downcast_ref::<OwnError>().is_some());
    }
}

mod names {
    use super::*;

    states!(Start);

    pub(super) mod nodes {
        use super::*;

        #[node]
        pub(super) fn plan(start: Start) -> Next {
            Next { n: start.n }
        }

        pub(crate) mod deeper {
            use super::*;

            #[node]
            pub(crate) fn plan(next: Next) -> One {
                One { n: next.n }
            }
        }
    }

    #[node]
    fn done(one: One) -> Two {
        Two { n: one.n }
    }

    // Words of the language and names that the macro uses itself.
    #[node]
    fn either(two: Two) -> Three {
        Three { n: two.n }
    }

    #[node]
    fn inputs(three: Three) -> Left {
        Left { n: three.n }
    }

    #[node]
    fn ctx(left: Left, _: Context) -> Right {
        Right { n: left.n }
    }

    #[node]
    fn r#type(right: Right) -> End {
        End { n: right.n }
    }

    use nodes::plan;

    #[flow]
    fn paths(start: Start) -> End {
        flow! { plan -> nodes::deeper::plan -> self::done -> either -> inputs -> ctx -> r#type }
    }

    #[tokio::test]
    async fn a_use_brings_the_node_and_the_function() {
        assert_eq!(plan(Start { n: 1 }), Next { n: 1 });
        assert_eq!(
            crate::macros_support::done(Start { n: 1 }).await,
            End { n: 1 }
        );
    }

    #[tokio::test]
    async fn nodes_of_one_name_have_different_ids() {
        let (_, steps) = through_restarts(FlowRuntime::new(Start { n: 1 }).unwrap()).await;
        let names: Vec<&str> = steps
            .iter()
            .filter_map(|step| step.split(' ').nth(1))
            .collect();
        let expected = [
            "plan",
            "nodes::deeper::plan",
            "done",
            "either",
            "inputs",
            "ctx",
            "type",
        ];
        assert_eq!(names, expected);
        let ids: Vec<&str> = paths::TOPOLOGY.nodes.iter().map(|node| node.id).collect();
        assert_eq!(ids, expected);
    }
}

mod visibility {
    use super::*;

    states!(Start);

    mod inner {
        use super::*;

        #[state]
        pub(super) struct Private {
            pub(super) n: u32,
        }

        #[node]
        #[allow(unreachable_pub, private_interfaces)]
        pub fn open(start: Start) -> Private {
            Private { n: start.n }
        }

        #[node]
        #[allow(unreachable_pub, private_interfaces)]
        pub fn close(private: Private) -> End {
            End { n: private.n }
        }
    }

    #[flow]
    fn over_private(start: Start) -> End {
        flow! { inner::open -> inner::close }
    }

    #[tokio::test]
    async fn a_public_node_may_stand_over_private_states() {
        assert_eq!(done(Start { n: 3 }).await, End { n: 3 });
    }
}

mod in_a_function {
    use super::*;

    #[tokio::test]
    async fn a_whole_flow_may_stand_in_a_function() {
        #[state]
        struct Local {
            n: u32,
        }

        #[node]
        fn double(local: Local) -> End {
            End { n: local.n * 2 }
        }

        #[flow]
        fn twice(local: Local) -> End {
            flow! { double }
        }

        assert_eq!(done(Local { n: 4 }).await, End { n: 8 });
        assert_eq!(twice::TOPOLOGY.nodes.len(), 1);
    }
}

mod consumers {
    use super::*;

    states!(Start);

    #[node]
    fn first(start: Start) -> Either<Start, End> {
        match start.n {
            0 => Either::Right(End { n: 9 }),
            n => Either::Left(Start { n: n - 1 }),
        }
    }

    #[flow]
    fn countdown(start: Start) -> End {
        flow! { first -> either(first, done) }
    }

    #[tokio::test]
    async fn a_node_may_lead_back_to_itself() {
        assert_eq!(done(Start { n: 5 }).await, End { n: 9 });
    }
}

mod bodies {
    use pravah_runtime::Tool;

    use super::*;

    states!(Start, Middle, Later);

    #[node]
    fn with_attributes(start: Start) -> Middle {
        #![expect(unused_variables, reason = "an attribute of the body is kept")]
        let unused = 1;
        Middle { n: start.n }
    }

    #[node]
    fn with_a_block(middle: Middle) -> Later {
        'block: {
            if middle.n > 0 {
                break 'block Later { n: middle.n + 1 };
            }
            Later { n: 0 }
        }
    }

    macro_rules! node {
        ($name:ident, $later:ident, $body:block) => {
            #[node]
            fn $name($later: Later) -> End $body
        };
    }
    node!(from_a_macro, later, { End { n: later.n + 1 } });

    #[flow]
    fn bodies(start: Start) -> End {
        flow! { with_attributes -> with_a_block -> from_a_macro }
    }

    #[tokio::test]
    async fn a_body_is_compiled_as_it_is_written() {
        assert_eq!(done(Start { n: 3 }).await, End { n: 5 });
    }

    #[tool]
    async fn search(text: String) -> Result<String, ToolError> {
        //! Searches.
        Ok(text)
    }

    #[test]
    fn a_comment_inside_a_function_documents_it() {
        assert_eq!(<search as Tool>::description(), "Searches.");
    }
}
