//! Fork, join and choice.

use std::process::Command;

const OUTPUT: &str = "\
kettle
  1. accept -> Picking, Payment
  2. pick -> Picked
  3. charge -> Paid
  4. decide -> Parcel
  5. ship -> Shipped
  6. confirm -> Receipt
  shipped from shelf A3
toaster
  1. accept -> Picking, Payment
  2. pick -> Picked
  3. charge -> Paid
  4. decide -> Refund
  5. pay_back -> Refunded
  6. confirm -> Receipt
  not in stock, 24 euros paid back
in one go
  shipped from shelf A3
";

#[test]
fn both_orders_end_with_their_receipt() {
    let output = Command::new(env!("CARGO_BIN_EXE_order")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}
