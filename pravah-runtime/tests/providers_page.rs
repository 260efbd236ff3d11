//! `docs/providers.md` says what the code says.
#![allow(clippy::unwrap_used, clippy::panic)]

use pravah_runtime::Provider;

const START: &str = "--test providers_page -->\n\n";
const END: &str = "\n<!-- end -->";

fn row(provider: Provider) -> String {
    let code = |text: Option<&str>| text.map_or("–".to_owned(), |text| format!("`{text}`"));
    let url = match provider {
        Provider::Ollama => "ollama://HOST:PORT/MODEL".to_owned(),
        provider => format!("{}://MODEL", provider.scheme()),
    };
    let structured = match provider {
        Provider::Ollama => "schema, also in the prompt",
        _ => "schema",
    };
    let opaque = match provider {
        Provider::OpenAi => "reasoning of compatible servers",
        Provider::OpenAiResponses => "encrypted reasoning",
        Provider::Anthropic => "thinking",
        Provider::Gemini => "thought signatures",
        _ => "thinking",
    };
    let streaming = match provider {
        Provider::Ollama => "lines",
        _ => "events",
    };
    let told = match provider.tells_token_probabilities() {
        true => "yes",
        false => "no",
    };
    format!(
        "| {provider} | `{url}` | {} | {} | {structured} | yes | yes | {streaming} | {opaque} | {told} |\n",
        code(provider.key_variable()),
        code(provider.base_url_variable()),
    )
}

#[test]
fn the_page_lists_every_provider() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/providers.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once(START).unwrap();
    let (table, after) = rest.split_once(END).unwrap();
    let head: String = table.split_inclusive('\n').take(2).collect();
    let rows: String = Provider::ALL.into_iter().map(row).collect();
    let wanted = format!("{before}{START}{head}{rows}{END}{after}");
    if std::env::var_os("PRAVAH_BLESS").is_some() {
        std::fs::write(path, &wanted).unwrap();
        return;
    }
    assert_eq!(page, wanted, "run with PRAVAH_BLESS=1");
}
