use pravah_runtime::ModelText;

fn main() {
    let text = ModelText("as I like".into());
}
