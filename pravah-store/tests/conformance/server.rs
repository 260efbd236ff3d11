//! A real PostgreSQL server, which ends with this process.

use std::{
    fs::{self, Permissions},
    io::Write,
    net::TcpListener,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use pravah_store::{PostgresOptions, PostgresStore};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, Config, NoTls};

/// Where the programs of the server are, if not where Debian has them.
const PROGRAMS: &str = "PRAVAH_POSTGRES_BIN";

/// The server runs until its input ends, with the process that holds the other end. Its folder goes with it.
const RUN: &str = r#"
"$1/postgres" -D "$2/data" -k "$2" -p "$3" -c listen_addresses=127.0.0.1 -c max_connections=200 \
    -c shared_buffers=32MB -c fsync="$4" >>"$2/log" 2>&1 &
server=$!
read -r how
kill -"${how:-QUIT}" "$server"
wait "$server"
[ -n "$how" ] || rm -rf "$2"
"#;

pub(crate) struct Server {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    shell: Option<Child>,
}

impl Server {
    /// The server that all tests of this process share, each in a schema of its own.
    pub(crate) fn shared() -> &'static Self {
        static SERVER: OnceLock<Server> = OnceLock::new();
        SERVER.get_or_init(Self::start)
    }

    /// A server of its own, with an empty database.
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// The same, which takes encrypted connections too.
    pub(crate) fn start_with_tls(certificate: &str, key: &str) -> Self {
        Self::start_with(|data| {
            write_for_server(&data.join("server.crt"), certificate);
            write_for_server(&data.join("server.key"), key);
            let settings = fs::OpenOptions::new()
                .append(true)
                .open(data.join("postgresql.conf"));
            settings.unwrap().write_all(b"ssl = on\n").unwrap();
        })
    }

    /// The same, whose data `set_up` may change.
    fn start_with(set_up: impl FnOnce(&Path)) -> Self {
        let programs = programs();
        let folder = tempfile::Builder::new()
            .prefix("pravah-postgres-")
            .tempdir();
        let folder = folder.unwrap().keep();
        if let Some((uid, gid)) = other_user() {
            chown(&folder, Some(uid), Some(gid)).unwrap();
        }
        let data = folder.join("data");
        let init = unprivileged(programs.join("initdb"))
            .args(["--encoding=UTF8", "--locale=C", "--auth=trust"])
            .args(["--username=postgres", "--no-sync", "-D"])
            .arg(&data)
            .output();
        let init = init.unwrap();
        assert!(
            init.status.success(),
            "{}",
            String::from_utf8_lossy(&init.stderr)
        );
        set_up(&data);
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut server = Self {
            programs,
            folder,
            port,
            shell: None,
        };
        server.resume();
        server
    }

    /// Starts it where it was stopped.
    pub(crate) fn resume(&mut self) {
        // `PRAVAH_POSTGRES_FSYNC=off` is for slow disks.
        let fsync = std::env::var("PRAVAH_POSTGRES_FSYNC").unwrap_or_else(|_| "on".to_owned());
        let shell = unprivileged("/bin/sh")
            .args(["-c", RUN, "sh"])
            .arg(&self.programs)
            .arg(&self.folder)
            .args([self.port.to_string(), fsync])
            .stdin(Stdio::piped())
            // What ends the tests from outside leaves it time to clean up.
            .process_group(0)
            .spawn();
        self.shell = Some(shell.unwrap());
        self.wait_until_it_answers();
    }

    /// Ends it at once, as a crash would (`immediate`).
    pub(crate) fn crash(&mut self) {
        let mut shell = self.shell.take().unwrap();
        shell.stdin.take().unwrap().write_all(b"QUIT\n").unwrap();
        shell.wait().unwrap();
    }

    fn wait_until_it_answers(&self) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let connected = on_other_thread(self.client_of("postgres"));
            match connected {
                Ok(_) => return,
                Err(error) if Instant::now() > end => {
                    let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                    panic!("the server does not start: {error}\n{log}");
                }
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    pub(crate) fn url(&self) -> String {
        self.url_of("postgres")
    }

    pub(crate) fn url_of(&self, database: &str) -> String {
        url(self.port, database)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// A connection of the test's own.
    pub(crate) fn client(&self) -> Client {
        on_other_thread(self.client_of("postgres")).unwrap()
    }

    fn client_of(
        &self,
        database: &str,
    ) -> impl Future<Output = Result<Client, tokio_postgres::Error>> + Send + 'static {
        let config: Config = self.url_of(database).parse().unwrap();
        async move {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            Ok(client)
        }
    }

    /// A store in this schema.
    pub(crate) fn open(&self, schema: &str) -> PostgresStore {
        let url = self.url();
        let options = PostgresOptions::new()
            .with_schema(schema)
            .with_max_connections(4);
        on_other_thread(async move { options.connect(&url).await.unwrap() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut shell) = self.shell.take() {
            drop(shell.stdin.take());
            let _ = shell.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Where a database is reached at a port on this machine.
pub(crate) fn url(port: u16, database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/{database}")
}

/// The name of a schema that no other test has.
pub(crate) fn new_schema() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("test {}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Waits for something on a runtime whose time is real, and whose connections last as long as the process.
pub(crate) fn on_other_thread<T: Send + 'static>(
    done: impl Future<Output = T> + Send + 'static,
) -> T {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| Runtime::new().unwrap());
    thread::spawn(|| runtime.block_on(done)).join().unwrap()
}

/// The folder with `postgres` and `initdb`.
fn programs() -> PathBuf {
    if let Some(folder) = std::env::var_os(PROGRAMS) {
        return folder.into();
    }
    let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let installed = installed.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let newest = installed.filter_map(|it| it.parse::<u32>().ok()).max();
    let newest = newest.unwrap_or_else(|| {
        panic!(
            "the tests of `PostgresStore` need a PostgreSQL server: install one (`apt-get install postgresql`), or set \
             {PROGRAMS} to the folder that has `postgres` and `initdb`"
        )
    });
    Path::new("/usr/lib/postgresql")
        .join(newest.to_string())
        .join("bin")
}

/// Writes a file that nobody but the server may read.
fn write_for_server(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    if let Some((uid, gid)) = other_user() {
        chown(path, Some(uid), Some(gid)).unwrap();
    }
}

/// A command of a user without rights: the server refuses to be run by root.
fn unprivileged(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("LC_ALL", "C").current_dir("/");
    if let Some((uid, gid)) = other_user() {
        command.uid(uid).gid(gid);
    }
    command
}

/// The user in whose name root runs the server.
fn other_user() -> Option<(u32, u32)> {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let of = |name: &str| {
        let mut users = users
            .lines()
            .map(|line| line.split(':').collect::<Vec<_>>());
        let user = users.find(|user| user[0] == name)?;
        Some((user[2].parse().unwrap(), user[3].parse().unwrap()))
    };
    of("postgres").or_else(|| of("nobody"))
}
