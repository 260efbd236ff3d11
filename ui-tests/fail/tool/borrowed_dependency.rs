use pravah_runtime::prelude::*;

trait Prices: Send + Sync {
    fn cents(&self, item: &str) -> u32;
}

/// Says what an item costs.
#[tool]
async fn price(item: String, prices: &dyn Prices) -> Result<u32, ToolError> {
    Ok(prices.cents(&item))
}

fn main() {}
