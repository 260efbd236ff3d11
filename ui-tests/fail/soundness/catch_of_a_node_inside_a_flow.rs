use pravah_runtime::prelude::*;

#[state] struct Cart { cents: u32 }
#[state] struct Paid { cents: u32 }
#[state] struct Sent { text: String }
#[node] fn charge(cart: Cart) -> Paid { Paid { cents: cart.cents } }
#[node] fn ship(paid: Paid) -> Sent { Sent { text: paid.cents.to_string() } }
#[node] fn decline(failure: Failure<Cart>) -> Sent { Sent { text: failure.message } }

#[flow(named)] fn pay(cart: Cart) -> Paid { flow! { charge } }
#[flow] fn sell(cart: Cart) -> Sent { flow! { pay -> ship -> done; catch(charge) -> decline -> done } }

fn main() {}
