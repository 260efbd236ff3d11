//! Encrypted connections to a PostgreSQL server.

use std::sync::Arc;

use pravah_store::{PostgresOptions, PostgresStore, Runs, Status, StoreError};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::CertificateDer};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    flows::{Effects, Order, Served, Working, until, worker},
    server::Server,
};

/// A certificate for `localhost`, signed by itself, and its key; both as PEM, and the former as it is sent.
struct Certificate {
    der: CertificateDer<'static>,
    pem: String,
    key: String,
}

impl Certificate {
    fn new() -> Self {
        let made = generate_simple_self_signed(["localhost".to_owned()]);
        let CertifiedKey { cert, signing_key } = made.unwrap();
        Self {
            der: cert.der().clone(),
            pem: cert.pem(),
            key: signing_key.serialize_pem(),
        }
    }

    /// Connects to whom this certificate is of.
    fn connector(&self) -> MakeRustlsConnect {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        MakeRustlsConnect::new(config)
    }
}

fn encrypted_url(server: &Server) -> String {
    let url = server.url().replace("127.0.0.1", "localhost");
    format!("{url}?sslmode=require&hostaddr=127.0.0.1")
}

async fn open(server: &Server, trusted: &Certificate) -> Result<PostgresStore, StoreError> {
    let options = PostgresOptions::new().with_max_connections(2);
    let url = encrypted_url(server);
    options.connect_with_tls(&url, trusted.connector()).await
}

#[tokio::test]
async fn every_connection_of_a_store_with_a_connector_is_encrypted() {
    let certificate = Certificate::new();
    let server = Server::start_with_tls(&certificate.pem, &certificate.key);
    let store = Arc::new(open(&server, &certificate).await.unwrap());
    let _worker = Working::start(worker(store.clone(), &Effects::default()));
    let runs = Runs::new(store);
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Order>(&id).await.unwrap();
    assert_eq!(output, Some(Served { cups: 2 }));

    let connections = "SELECT COUNT(*) FILTER (WHERE ssl), COUNT(*) FILTER (WHERE NOT ssl) FROM pg_stat_ssl \
                       JOIN pg_stat_activity USING (pid) \
                       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    let row = server.client().query_one(connections, &[]).await.unwrap();
    let (encrypted, plain): (i64, i64) = (row.get(0), row.get(1));
    assert!(encrypted >= 2, "{encrypted}");
    assert_eq!(plain, 0);
}

#[tokio::test]
async fn a_server_that_is_not_trusted_or_not_encrypted_is_refused() {
    let certificate = Certificate::new();
    let server = Server::start_with_tls(&certificate.pem, &certificate.key);
    let refused = open(&server, &Certificate::new()).await.map(drop);
    let error = full(&refused.unwrap_err());
    assert!(error.contains("certificate"), "{error}");

    let refused = open(Server::shared(), &certificate).await.map(drop);
    let error = full(&refused.unwrap_err());
    assert!(error.contains("server does not support TLS"), "{error}");

    let plain = PostgresOptions::new()
        .connect(&encrypted_url(&server))
        .await;
    let error = full(&plain.map(drop).unwrap_err());
    assert!(error.contains("TLS"), "{error}");
}

/// An error with its sources.
fn full(error: &StoreError) -> String {
    format!("{error:?}")
}
