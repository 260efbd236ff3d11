//! Fork, join and choice, without a model: stock and payment are looked after side by side, and
//! where both have ended the order ships or the money goes back.

use pravah_runtime::prelude::*;

#[state]
#[derive(Clone)]
struct Order {
    item: String,
    euros: u32,
}

#[state]
struct Picking {
    item: String,
}

#[state]
struct Payment {
    euros: u32,
}

#[state]
struct Picked {
    shelf: Option<String>,
}

#[state]
struct Paid {
    euros: u32,
}

#[state]
struct Parcel {
    shelf: String,
}

#[state]
struct Refund {
    euros: u32,
}

#[state]
struct Shipped {
    shelf: String,
}

#[state]
struct Refunded {
    euros: u32,
}

#[state]
struct Receipt {
    text: String,
}

/// A tuple is a fork: both go on.
#[node]
fn accept(order: Order) -> (Picking, Payment) {
    (Picking { item: order.item }, Payment { euros: order.euros })
}

#[node]
async fn pick(picking: Picking) -> Picked {
    let shelf = (picking.item == "kettle").then(|| "A3".to_owned());
    Picked { shelf }
}

#[node]
async fn charge(payment: Payment) -> Paid {
    Paid {
        euros: payment.euros,
    }
}

/// Two parameters are a join: it waits for both. An `Either` is a choice: one branch goes on.
#[node]
fn decide(picked: Picked, paid: Paid) -> Either<Parcel, Refund> {
    match picked.shelf {
        Some(shelf) => Either::Left(Parcel { shelf }),
        None => Either::Right(Refund { euros: paid.euros }),
    }
}

#[node]
async fn ship(parcel: Parcel) -> Shipped {
    Shipped {
        shelf: parcel.shelf,
    }
}

#[node]
async fn pay_back(refund: Refund) -> Refunded {
    Refunded {
        euros: refund.euros,
    }
}

/// An `Either` as a parameter is a merge: it takes what either branch returned.
#[node]
fn confirm(end: Either<Shipped, Refunded>) -> Receipt {
    let text = match end {
        Either::Left(Shipped { shelf }) => format!("shipped from shelf {shelf}"),
        Either::Right(Refunded { euros }) => format!("not in stock, {euros} euros paid back"),
    };
    Receipt { text }
}

/// Handles an order from its arrival to the receipt.
#[flow]
fn order(order: Order) -> Receipt {
    flow! {
        accept -> fork(pick, charge) -> join(decide);
        decide -> either(ship, pay_back) -> join(confirm)
    }
}

#[tokio::main]
async fn main() -> Result<(), FlowError> {
    for item in ["kettle", "toaster"] {
        println!("{item}");
        let mut run = FlowRuntime::new(Order {
            item: item.to_owned(),
            euros: 24,
        })?;
        loop {
            let out = run.next(Context::default()).await?;
            if let Some(step) = run.last_step() {
                println!("  {step}");
            }
            if let RunOut::Done(receipt) = out {
                println!("  {}", receipt.text);
                break;
            }
        }
    }

    // In one go: an annotated flow is an async function.
    let receipt = order(
        Order {
            item: "kettle".to_owned(),
            euros: 24,
        },
        Context::default(),
    )
    .await?;
    println!("in one go\n  {}", receipt.text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn an_order_comes_to_the_same_end_wherever_it_is_broken_off() {
        for (item, text) in [
            ("kettle", "shipped from shelf A3"),
            ("toaster", "not in stock, 24 euros paid back"),
        ] {
            let test = CrashTest::<Order>::new(move || Order {
                item: item.to_owned(),
                euros: 24,
            });
            let report = test.check().await.unwrap();
            assert_eq!(report.output["text"], text);
        }
    }
}
