use pravah_runtime::ModelText;

fn main() {
    let text: ModelText = String::from("as I like").into();
}
