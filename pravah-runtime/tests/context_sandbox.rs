//! The working directory as a sandbox, the command allowlist, typed dependencies.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{fs, os::unix::fs::symlink, path::Path, path::PathBuf};

use pravah_runtime::{Context, FlowConf, ToolError};
use tempfile::TempDir;

/// A directory `work` that is the sandbox, beside a directory `out` that is not.
struct Place {
    _keep: TempDir,
    top: PathBuf,
    ctx: Context,
}

impl Place {
    fn new() -> Self {
        let keep = TempDir::new().unwrap();
        let top = keep.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("work/sub")).unwrap();
        fs::create_dir(top.join("out")).unwrap();
        fs::write(top.join("work/in.txt"), "in").unwrap();
        fs::write(top.join("out/secret.txt"), "secret").unwrap();
        let ctx = context(top.join("work"));
        Self {
            _keep: keep,
            top,
            ctx,
        }
    }

    fn work(&self, path: &str) -> PathBuf {
        self.top.join("work").join(path)
    }

    fn out(&self, path: &str) -> PathBuf {
        self.top.join("out").join(path)
    }

    #[track_caller]
    fn escapes(&self, path: impl AsRef<Path>) {
        let path = path.as_ref();
        let answer = self.ctx.resolve(path);
        assert!(
            matches!(answer, Err(ToolError::PathEscape(_))),
            "{answer:?}"
        );
        let answer = self.ctx.read_to_string(path);
        assert!(
            matches!(answer, Err(ToolError::PathEscape(_))),
            "{answer:?}"
        );
        let answer = self.ctx.write(path, "x");
        assert!(
            matches!(answer, Err(ToolError::PathEscape(_))),
            "{answer:?}"
        );
    }
}

fn context(working_dir: PathBuf) -> Context {
    Context::new(FlowConf {
        working_dir,
        commands: vec!["git".into(), "ls -l".into()],
        ..FlowConf::default()
    })
}

// S1.35
#[test]
fn a_relative_path_starts_at_the_working_directory() {
    let place = Place::new();
    assert_eq!(
        place.ctx.resolve("sub/../in.txt").unwrap(),
        place.work("in.txt")
    );
    assert_eq!(place.ctx.read_to_string("./in.txt").unwrap(), "in");
    assert_eq!(place.ctx.resolve(".").unwrap(), place.work(""));
}

// S1.36
#[test]
fn dots_do_not_lead_out() {
    let place = Place::new();
    for path in [
        "..",
        "../out/secret.txt",
        "sub/../../out",
        "missing/../../out",
        "../work/in.txt",
    ] {
        place.escapes(path);
    }
}

// S1.36
#[test]
fn an_absolute_path_inside_is_allowed_and_one_outside_is_not() {
    let place = Place::new();
    assert_eq!(
        place.ctx.resolve(place.work("in.txt")).unwrap(),
        place.work("in.txt")
    );
    assert_eq!(
        place.ctx.read_to_string(place.work("in.txt")).unwrap(),
        "in"
    );
    place.escapes(place.out("secret.txt"));
    place.escapes("/etc/passwd");
    place.escapes(place.work("../out/secret.txt"));
}

// S1.36
#[test]
fn a_directory_whose_name_begins_alike_is_outside() {
    let place = Place::new();
    fs::create_dir(place.top.join("work2")).unwrap();
    place.escapes(place.top.join("work2/x"));
}

// S1.36
#[test]
fn a_symbolic_link_out_is_an_escape() {
    let place = Place::new();
    symlink(place.out(""), place.work("abs")).unwrap();
    symlink("../out", place.work("rel")).unwrap();
    symlink("rel", place.work("chain")).unwrap();
    symlink(place.out("secret.txt"), place.work("file")).unwrap();
    for path in [
        "abs/secret.txt",
        "rel/secret.txt",
        "chain/new.txt",
        "file",
        "sub/../rel/x",
    ] {
        place.escapes(path);
    }
}

// S1.36
#[test]
fn dots_after_a_link_are_counted_from_its_target() {
    let place = Place::new();
    fs::create_dir_all(place.work("a/b")).unwrap();
    symlink("a/b", place.work("deep")).unwrap();
    assert_eq!(place.ctx.resolve("deep/../x").unwrap(), place.work("a/x"));
    symlink(".", place.work("here")).unwrap();
    place.escapes("here/../out/secret.txt");
}

// S1.36
#[test]
fn a_symbolic_link_that_stays_inside_is_followed() {
    let place = Place::new();
    symlink(place.work("in.txt"), place.work("abs")).unwrap();
    symlink("../in.txt", place.work("sub/rel")).unwrap();
    for path in ["abs", "sub/rel"] {
        assert_eq!(place.ctx.resolve(path).unwrap(), place.work("in.txt"));
        assert_eq!(place.ctx.read_to_string(path).unwrap(), "in");
    }
}

// S1.36
#[test]
fn a_dangling_link_out_creates_nothing_outside() {
    let place = Place::new();
    symlink(place.out("new.txt"), place.work("dangling")).unwrap();
    place.escapes("dangling");
    assert!(!place.out("new.txt").exists());
}

#[test]
fn a_dangling_link_inside_is_written_through() {
    let place = Place::new();
    symlink("sub/new.txt", place.work("dangling")).unwrap();
    place.ctx.write("dangling", "x").unwrap();
    assert_eq!(fs::read_to_string(place.work("sub/new.txt")).unwrap(), "x");
}

#[test]
fn a_circle_of_links_is_an_error() {
    let place = Place::new();
    symlink("b", place.work("a")).unwrap();
    symlink("a", place.work("b")).unwrap();
    assert!(matches!(place.ctx.resolve("a"), Err(ToolError::Io(_))));
}

#[test]
fn a_path_need_not_exist_to_be_resolved() {
    let place = Place::new();
    assert_eq!(
        place.ctx.resolve("new/er/file").unwrap(),
        place.work("new/er/file")
    );
    assert!(matches!(
        place.ctx.read_to_string("new/er/file"),
        Err(ToolError::Io(_))
    ));
}

#[test]
fn new_files_can_be_made_in_new_directories() {
    let place = Place::new();
    place.ctx.create_dir_all("new/er").unwrap();
    place.ctx.write("new/er/b", "2").unwrap();
    place.ctx.write("new/er/a", "1").unwrap();
    assert_eq!(place.ctx.read_dir("new/er").unwrap(), ["a", "b"]);
    assert_eq!(place.ctx.read_dir("").unwrap(), ["in.txt", "new", "sub"]);
}

#[test]
fn a_path_with_a_nul_is_refused() {
    let place = Place::new();
    assert!(matches!(
        place.ctx.resolve("in.txt\0"),
        Err(ToolError::Io(_))
    ));
}

#[test]
fn the_working_directory_may_itself_be_a_link() {
    let place = Place::new();
    symlink("work", place.top.join("alias")).unwrap();
    let ctx = context(place.top.join("alias"));
    assert_eq!(ctx.resolve("in.txt").unwrap(), place.work("in.txt"));
    assert_eq!(
        ctx.resolve(place.top.join("alias/in.txt")).unwrap(),
        place.work("in.txt")
    );
}

#[test]
fn a_missing_working_directory_is_an_error_until_it_is_there() {
    let place = Place::new();
    let ctx = context(place.top.join("later"));
    assert!(matches!(ctx.resolve("x"), Err(ToolError::Io(_))));
    fs::create_dir(place.top.join("later")).unwrap();
    assert!(ctx.resolve("x").is_ok());
}

// S1.37
#[test]
fn only_listed_commands_are_allowed() {
    let place = Place::new();
    assert!(place.ctx.check_command("git").is_ok());
    assert!(place.ctx.check_command("ls -l").is_ok());
    for command in [
        "rm",
        "/usr/bin/git",
        "./git",
        "git push",
        "ls",
        "GIT",
        "git ",
        "",
    ] {
        let answer = place.ctx.check_command(command);
        assert!(
            matches!(answer, Err(ToolError::ForbiddenCommand(_))),
            "{command}"
        );
    }
}

#[test]
fn no_command_is_allowed_by_default() {
    assert!(Context::default().check_command("ls").is_err());
}

#[test]
fn a_dependency_is_found_by_its_type() {
    let ctx = Context::default()
        .with_dep(1_u32)
        .with_dep("text")
        .with_dep(2_u32);
    assert_eq!(*ctx.dep::<u32>().unwrap(), 2);
    assert_eq!(*ctx.dep::<&str>().unwrap(), "text");
}

#[test]
fn a_value_that_is_put_in_shared_is_found_by_its_own_type() {
    let shared = std::sync::Arc::new(String::from("pool"));
    let ctx = Context::default().with_dep(shared.clone());
    assert!(std::sync::Arc::ptr_eq(
        &ctx.dep::<String>().unwrap(),
        &shared
    ));
    assert!(ctx.dep::<std::sync::Arc<String>>().is_ok());
    // What was put in as such comes first.
    let ctx = ctx.with_dep(String::from("own"));
    assert_eq!(*ctx.dep::<String>().unwrap(), "own");
}

#[test]
fn a_missing_dependency_is_named() {
    let error = Context::default().dep::<Vec<u8>>().unwrap_err();
    assert!(error.to_string().contains("Vec<u8>"), "{error}");
}

#[test]
fn a_clone_does_not_see_later_dependencies() {
    let first = Context::default();
    let second = first.clone().with_dep(1_u32);
    assert!(first.dep::<u32>().is_err());
    assert!(second.dep::<u32>().is_ok());
}

#[test]
fn outside_a_run_there_is_no_step() {
    let ctx = Context::default();
    assert_eq!(ctx.step_key(), None);
    assert_eq!(ctx.call_id(), None);
    assert!(ctx.input::<u32>().is_err());
    assert_eq!(ctx.resumed::<u32>().unwrap(), None);
}
