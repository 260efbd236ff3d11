use pravah_runtime::{ModelText, ToModel};

struct Mine;

impl ToModel for Mine {
    fn to_model(&self) -> ModelText { todo!() }
}

fn main() {}
