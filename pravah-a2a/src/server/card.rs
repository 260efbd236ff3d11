//! What an agent says of itself.

use a2a::{
    AgentCapabilities, AgentCard, AgentInterface, AgentSkill, HttpAuthSecurityScheme,
    SecurityScheme, TRANSPORT_PROTOCOL_HTTP_JSON, TRANSPORT_PROTOCOL_JSONRPC,
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Server;
use crate::content::{JSON, TEXT};

/// What the security scheme is called.
const BEARER: &str = "bearer";

/// What is written otherwise in a part of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

impl Server {
    pub(super) fn card(&self, agent: &str) -> AgentCard {
        let url = format!(
            "{}/agents/{}",
            self.url,
            utf8_percent_encode(agent, SEGMENT)
        );
        let about = self.registry.describe(agent).unwrap_or_default();
        let description = match about.input_schema {
            Some(schema) => {
                let about = about.description;
                format!("{about}\n\nIts input is JSON of this schema: {schema}")
            }
            None => about.description,
        };
        let has_bearer = self.authenticate.is_some();
        let modes = || vec![TEXT.to_owned(), JSON.to_owned()];
        AgentCard {
            name: agent.to_owned(),
            description: description.trim().to_owned(),
            version: self.version.clone(),
            supported_interfaces: vec![
                AgentInterface::new(&*url, TRANSPORT_PROTOCOL_JSONRPC),
                AgentInterface::new(&*url, TRANSPORT_PROTOCOL_HTTP_JSON),
            ],
            capabilities: AgentCapabilities {
                streaming: Some(true),
                push_notifications: Some(false),
                extensions: None,
                extended_agent_card: Some(false),
            },
            default_input_modes: modes(),
            default_output_modes: modes(),
            skills: vec![AgentSkill {
                id: agent.to_owned(),
                name: agent.to_owned(),
                description: description.trim().to_owned(),
                tags: vec![agent.to_owned()],
                examples: None,
                input_modes: None,
                output_modes: None,
                security_requirements: None,
            }],
            provider: None,
            documentation_url: None,
            icon_url: None,
            security_schemes: has_bearer.then(|| [(BEARER.to_owned(), scheme())].into()),
            security_requirements: has_bearer.then(|| vec![[(BEARER.to_owned(), vec![])].into()]),
            signatures: None,
        }
    }
}

fn scheme() -> SecurityScheme {
    SecurityScheme::HttpAuth(HttpAuthSecurityScheme {
        scheme: "Bearer".to_owned(),
        description: None,
        bearer_format: None,
    })
}
