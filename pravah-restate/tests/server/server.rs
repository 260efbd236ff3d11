//! A Restate server for one test, and flows that are served to it.

use std::{
    collections::BTreeMap,
    env,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    time::{Duration, Instant},
};

use pravah_restate::{RestateFlows, RestateRuns};
use pravah_store::{RunInfo, Status};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// Where the binary of the server is.
const BINARY: &str = "PRAVAH_RESTATE_SERVER";

/// A server on loopback, with its data in a folder of its own. It is killed when this is dropped.
pub(crate) struct Server {
    process: Child,
    folder: TempDir,
    node: Node,
}

/// What a server is started with.
#[derive(Clone)]
struct Node {
    name: String,
    ingress: u16,
    admin: u16,
    /// Where other servers reach it.
    port: u16,
    /// Further settings.
    settings: Vec<(&'static str, String)>,
}

impl Node {
    fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ingress: free_port(),
            admin: free_port(),
            port: free_port(),
            settings: Vec::new(),
        }
    }
}

impl Server {
    pub(crate) async fn start() -> Self {
        let server = Self::spawn(Node::new("one"));
        server.is_up().await;
        server
    }

    /// Three servers that keep everything twice.
    pub(crate) async fn start_three() -> [Self; 3] {
        let nodes = ["one", "two", "three"].map(Node::new);
        let addresses = nodes
            .each_ref()
            .map(|node| format!("http://127.0.0.1:{}", node.port));
        let servers = nodes.map(|mut node| {
            node.settings = vec![
                ("RESTATE_AUTO_PROVISION", (node.name == "one").to_string()),
                ("RESTATE_CLUSTER_NAME", "tests".to_owned()),
                ("RESTATE_DEFAULT_REPLICATION", "2".to_owned()),
                (
                    "RESTATE_METADATA_CLIENT__ADDRESSES",
                    json!(addresses).to_string(),
                ),
            ];
            Self::spawn(node)
        });
        for server in &servers {
            server.is_up().await;
        }
        servers
    }

    fn spawn(node: Node) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            process: spawn(folder.path(), &node),
            folder,
            node,
        }
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) async fn restart(&mut self) {
        self.process = spawn(self.folder.path(), &self.node);
        self.is_up().await;
    }

    /// Kills the server with SIGKILL and starts it again over the same data.
    pub(crate) async fn kill_and_restart(&mut self) {
        self.kill();
        self.restart().await;
    }

    /// Ends the server in good order and starts it again over the same data.
    pub(crate) async fn end_and_restart(&mut self) {
        let id = self.process.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.unwrap().success());
        self.process.wait().unwrap();
        self.restart().await;
    }

    /// Cancels or kills the call that makes a step of a run.
    pub(crate) async fn end_step(&self, id: &str, how: &str) {
        let target = format!("PravahRun/{id}/tick");
        let query = format!(
            "SELECT id FROM sys_invocation WHERE target = '{target}' AND status = 'running'"
        );
        let call = eventually(async || {
            let rows = self.query(&query).await;
            rows.first()
                .map(|row| row["id"].as_str().unwrap().to_owned())
        });
        let call = call.await;
        let request = http_client().patch(self.admin(&format!("invocations/{call}/{how}")));
        let response = request.send().await.unwrap();
        assert!(response.status().is_success(), "{response:?}");
    }

    /// Waits until no call of a run is to be made any more.
    pub(crate) async fn is_idle(&self, id: &str) {
        let query = format!(
            "SELECT id FROM sys_invocation WHERE target_service_key = '{id}' AND status != 'completed'"
        );
        eventually(async || self.query(&query).await.is_empty().then_some(())).await;
    }

    pub(crate) fn runs(&self) -> RestateRuns {
        RestateRuns::new(format!("http://127.0.0.1:{}", self.node.ingress))
    }

    pub(crate) fn ingress(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.node.ingress)
    }

    fn admin(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.node.admin)
    }

    /// Serves flows in this process.
    pub(crate) async fn serve(&self, flows: RestateFlows) -> Serving {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let listening = flows.listen(listener, std::future::pending());
        let serving = Serving(tokio::spawn(async move { listening.await.unwrap() }));
        self.register(at).await;
        serving
    }

    /// Tells the server where flows are served.
    pub(crate) async fn register(&self, at: SocketAddr) {
        let deployment = json!({ "uri": format!("http://{at}"), "force": true });
        let request = http_client().post(self.admin("deployments"));
        let response = request.json(&deployment).send().await.unwrap();
        let status = response.status();
        assert!(status.is_success(), "{}", response.text().await.unwrap());
    }

    /// The rows of a query over what the server knows.
    pub(crate) async fn query(&self, query: &str) -> Vec<Value> {
        let request = http_client().post(self.admin("query"));
        let request = request.header("accept", "application/json");
        let response = request
            .json(&json!({ "query": query }))
            .send()
            .await
            .unwrap();
        let rows: Value = response.json().await.unwrap();
        rows["rows"].as_array().unwrap().clone()
    }

    /// The state of a run, as texts.
    pub(crate) async fn state(&self, id: &str) -> BTreeMap<String, String> {
        let query = format!("SELECT key, value_utf8 FROM state WHERE service_key = '{id}'");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let rows = self.query(&query).await.into_iter();
        rows.map(|row| (text(&row["key"]), text(&row["value_utf8"])))
            .collect()
    }

    /// Replaces the state of a run.
    pub(crate) async fn set_state(&self, id: &str, state: &BTreeMap<String, String>) {
        let new: BTreeMap<_, _> = state
            .iter()
            .map(|(key, text)| (key, text.as_bytes()))
            .collect();
        let change = json!({ "object_key": id, "new_state": new });
        let request = http_client().post(self.admin("services/PravahRun/state"));
        let response = request.json(&change).send().await.unwrap();
        assert!(response.status().is_success(), "{response:?}");
        // It is an object's turn like any other.
        eventually(async || (self.state(id).await == *state).then_some(())).await;
    }

    async fn is_up(&self) {
        let health = [self.admin("health"), self.ingress("restate/health")];
        let client = http_client();
        for _ in 0..1_200 {
            let mut is_up = true;
            for url in &health {
                let response = client.get(url).send().await;
                is_up &= response.is_ok_and(|response| response.status().is_success());
            }
            if is_up {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let log = std::fs::read_to_string(self.folder.path().join("log"));
        panic!("the server does not start: {}", log.unwrap_or_default());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Flows that are served until this is dropped.
pub(crate) struct Serving(JoinHandle<()>);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn spawn(folder: &Path, node: &Node) -> Child {
    let binary = env::var_os(BINARY).map(PathBuf::from).unwrap_or_else(|| {
        panic!("{BINARY} names no Restate server: `conformance/restate/run` fetches one and runs these tests")
    });
    let log = std::fs::File::options();
    let log = log
        .clone()
        .create(true)
        .append(true)
        .open(folder.join("log"))
        .unwrap();
    let address = |port| format!("127.0.0.1:{port}");
    let mut server = Command::new(&binary);
    server
        .args(["--node-name", &node.name, "--bind-ip", "127.0.0.1"])
        .args(["--advertised-host", "127.0.0.1", "--listen-mode", "tcp"])
        .args(["--no-logo", "--log-disable-ansi-codes", "true"])
        .arg("--base-dir")
        .arg(folder.join("data"))
        .current_dir(folder)
        .env("DO_NOT_TRACK", "1")
        .env("RESTATE_DISABLE_TELEMETRY", "true")
        .env("RESTATE_INGRESS__BIND_ADDRESS", address(node.ingress))
        .env("RESTATE_ADMIN__BIND_ADDRESS", address(node.admin))
        .env("RESTATE_BIND_ADDRESS", address(node.port))
        .env("RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE", "128MiB")
        .env("RESTATE_DEFAULT_NUM_PARTITIONS", "2")
        // Steps have to outlast what is said here.
        .env("RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT", "1s")
        .env("RESTATE_WORKER__INVOKER__ABORT_TIMEOUT", "1s")
        .envs(node.settings.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log);
    let spawned = server.spawn();
    spawned.unwrap_or_else(|error| panic!("{}: {error}", binary.display()))
}

/// The last port that was handed out.
static PORT: AtomicU16 = AtomicU16::new(0);

/// A client of HTTP on loopback.
pub(crate) fn http_client() -> reqwest::Client {
    let loopback = "http://127.0.0.1".parse().unwrap();
    pravah_runtime::__private::http_client(&loopback).unwrap()
}

/// A port that nobody has, below those that systems give to clients: while nobody listens on one of theirs, a client that
/// tries to connect to it may come to have it, and is connected to itself.
pub(crate) fn free_port() -> u16 {
    // Test programs that run at the same time start at different ones.
    let first = 10_000 + u16::try_from(std::process::id() % 200).unwrap() * 100;
    loop {
        let port = first + PORT.fetch_add(1, Ordering::Relaxed) % 2_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Waits until a run has this status, for a minute at most.
pub(crate) async fn until(runs: &RestateRuns, id: &str, status: Status) -> RunInfo {
    until_info(runs, id, |info| info.status == status).await
}

/// Waits until this holds of a run, for a minute at most.
pub(crate) async fn until_info(
    runs: &RestateRuns,
    id: &str,
    holds: impl Fn(&RunInfo) -> bool,
) -> RunInfo {
    let info = eventually(async || {
        let info = runs.status(id).await.unwrap();
        holds(&info).then_some(info)
    });
    info.await
}

/// Waits until something is there, for a minute at most.
pub(crate) async fn eventually<T>(find: impl AsyncFn() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = find().await {
            return found;
        }
        assert!(Instant::now() < end, "it does not come");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
