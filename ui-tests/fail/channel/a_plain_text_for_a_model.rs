use pravah_runtime::{Message, Part};

fn main() {
    let message: Message = Message::User { parts: vec![Part::Text(String::from("as I like"))] };
}
