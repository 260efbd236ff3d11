use pravah_runtime::prelude::*;

#[state] struct OldOrder {}
#[state] struct Order {}
#[state] struct Served {}

#[migrate]
fn order(_: OldOrder) -> Option<Order> { None }

#[node]
fn serve(_: &Order) -> Served { Served {} }

#[flow(migrate(order))]
fn coffee(order: Order) -> Served { flow! { serve } }

fn main() {}
