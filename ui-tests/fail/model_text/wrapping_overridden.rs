use pravah_runtime::{ForModel, ModelText, ToModel};

struct Mine;

impl ForModel for Mine {
    fn for_model(&self) -> std::borrow::Cow<'_, str> { "mine".into() }
}

impl ToModel for Mine {
    fn to_model(&self) -> ModelText { todo!() }
}

fn main() {}
