use pravah_runtime::ModelText;

fn main() {
    let text: ModelText = serde_json::from_str("\"as I like\"").unwrap();
}
