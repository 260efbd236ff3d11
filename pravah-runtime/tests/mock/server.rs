//! The mock server, started once for each test.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::Duration,
};

use pravah_runtime::{ClientFactory, Provider};

pub(crate) struct Mock {
    process: Child,
    port: u16,
}

impl Mock {
    pub(crate) async fn start() -> Option<Self> {
        let program = std::env::var_os("PRAVAH_AIMOCK")?;
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mock/fixtures.json");
        let port = free_port();
        let process = Command::new(program)
            .args(["-p", &port.to_string(), "-h", "127.0.0.1", "-f", fixtures])
            .args(["--strict", "--validate-on-load", "--log-level", "silent"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mock = Self { process, port };
        for _ in 0..1_200 {
            if tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .is_ok()
            {
                return Some(mock);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the mock server does not listen");
    }

    /// Whoever can be asked for a model.
    pub(crate) fn targets(&self) -> Vec<Target> {
        let targets = Provider::ALL.map(|provider| Target {
            url: match provider {
                Provider::Ollama => format!("ollama://127.0.0.1:{}/test-model", self.port),
                provider => format!("{}://test-model", provider.scheme()),
            },
            factory: self.factory(provider),
        });
        let targets = targets.into_iter();
        #[cfg(feature = "genai")]
        let targets = targets.chain(self.genai_targets());
        targets.collect()
    }

    fn factory(&self, provider: Provider) -> ClientFactory {
        let base = format!("http://127.0.0.1:{}", self.port);
        let factory = ClientFactory::new().with_key(provider, "mock");
        match provider {
            Provider::OpenAi | Provider::OpenAiResponses => {
                factory.with_base_url(provider, format!("{base}/v1"))
            }
            Provider::Gemini => factory.with_base_url(provider, format!("{base}/v1beta")),
            Provider::Anthropic => factory.with_base_url(provider, base),
            _ => factory,
        }
    }

    /// The same models, through the crate `genai`.
    #[cfg(feature = "genai")]
    fn genai_targets(&self) -> Vec<Target> {
        use pravah_runtime::genai::{
            ModelIden, ServiceTarget,
            adapter::AdapterKind,
            resolver::{AuthData, Endpoint},
        };

        [
            (AdapterKind::OpenAI, "v1/"),
            (AdapterKind::OpenAIResp, "v1/"),
            (AdapterKind::Anthropic, "v1/"),
            (AdapterKind::Gemini, "v1beta/"),
            (AdapterKind::Ollama, ""),
        ]
        .into_iter()
        .map(|(kind, path)| {
            let base = format!("http://127.0.0.1:{}/{path}", self.port);
            let factory = ClientFactory::new().with_genai(move |client| {
                let base = base.clone();
                client.with_service_target_resolver_fn(move |_: ServiceTarget| {
                    Ok(ServiceTarget {
                        endpoint: Endpoint::from_owned(base.clone()),
                        auth: AuthData::from_single("mock"),
                        model: ModelIden::new(kind, "test-model"),
                    })
                })
            });
            let url = format!("genai://{}", kind.as_lower_str());
            Target { url, factory }
        })
        .collect()
    }
}

/// A model, and who asks it.
pub(crate) struct Target {
    pub(crate) url: String,
    pub(crate) factory: ClientFactory,
}

impl Drop for Mock {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
