use pravah_runtime::Message;

fn main() {
    let message: Message = Message::user(String::from("as I like"));
}
