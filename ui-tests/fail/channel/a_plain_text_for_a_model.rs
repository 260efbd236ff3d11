use pravah_runtime::Message;

fn main() {
    let message = Message::User { text: String::from("as I like") };
}
