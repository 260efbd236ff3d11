use pravah_runtime::prelude::*;
use std::rc::Rc;

#[state] struct A { text: Rc<str> }
#[state] struct B {}
#[node] fn read(_: &A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read } }

fn main() {}
