use pravah_runtime::prelude::*;

mod limits {
    pub(crate) const MOST: u32 = 8;
}

macro_rules! story {
    ($name:ident, $limit:expr) => {
        #[flow(named)]
        fn $name(a: A) -> D { flow! { many -> each(one, limit = $limit) -> sum } }
    };
}

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: &B) -> C { C {} }
#[node] fn sum(_: &Each<C>) -> D { D {} }
#[node] fn none(_: Failure<Each<B>>) -> D { D {} }

story!(literal, 1);
story!(constant, limits::MOST);
story!(computed, limits::MOST / 2);

/// Called as what the macro calls something of its own.
const FAULTS: u32 = 2;
story!(called_alike, FAULTS);

#[flow(named)]
fn caught(a: A) -> D { flow! { many -> each(one, limit = 2,) -> sum; catch(many) -> nothing } }
#[node] fn nothing(_: Failure<A>) -> D { D {} }

pub fn main() { let _ = (literal, constant, computed, called_alike, caught, none); }
