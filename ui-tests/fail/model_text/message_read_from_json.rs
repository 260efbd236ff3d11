use pravah_runtime::Message;

fn main() {
    let message: Message = serde_json::from_str("{}").unwrap();
}
