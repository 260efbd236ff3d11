//! This program as a child process that can be killed, and where it writes its effects down.

use std::{
    env,
    ffi::OsStr,
    io::Write,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// How many times longer to wait for the next kill, one time more for each `period` that a test has taken: on a slow
/// machine nothing might be done between two kills.
pub(crate) fn patience(passed: Duration, period: Duration) -> u32 {
    let periods = passed.as_secs() / period.as_secs();
    1 + u32::try_from(periods).unwrap()
}

/// A child process that is killed when this is dropped.
pub(crate) struct ChildProcess(Child);

impl ChildProcess {
    /// Starts this program with an argument list and these variables.
    pub(crate) fn start(args: &[&str], variables: &[(&str, &OsStr)]) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(args)
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // SIGKILL, where there are signals.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The file in which effects are written down.
pub(crate) struct EffectLog(pub(crate) PathBuf);

impl EffectLog {
    pub(crate) fn write(&self, key: &str) {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.create(true).append(true).open(&self.0).unwrap();
        file.write_all(format!("{key}\n").as_bytes()).unwrap();
    }
}
