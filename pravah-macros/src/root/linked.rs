//! What the runtime is called in the crate that is compiled.
//!
//! rustc is told so where it is told what to link: `--extern flows=…/libpravah_runtime-….rmeta`. A macro runs
//! within rustc, and sees its arguments. `Cargo.toml` says the same only together with that of the workspace, and
//! finding and parsing both takes a crate for TOML and another process. Where there are no such arguments, as in an
//! editor that expands macros by itself, the runtime has its own name, and `crate = path` remains.

use std::{ffi::OsString, sync::OnceLock};

use syn::Ident;

const OWN: &str = "pravah_runtime";

/// The name of the runtime behind a `::`.
pub(super) fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let arguments = std::env::args_os().map(OsString::into_string);
        let arguments = arguments.filter_map(Result::ok).flat_map(in_file);
        renamed(arguments).unwrap_or_else(|| OWN.to_owned())
    })
}

/// What is in `@file`, an argument a line, as which `rustdoc` hands on those of a doc test.
fn in_file(argument: String) -> Vec<String> {
    match argument.strip_prefix('@').map(std::fs::read_to_string) {
        Some(Ok(text)) => text.lines().map(str::to_owned).collect(),
        Some(Err(_)) => Vec::new(),
        None => vec![argument],
    }
}

/// The one name that the runtime has instead of its own.
fn renamed(arguments: impl Iterator<Item = String>) -> Option<String> {
    let mut renamed = None;
    let mut is_extern = false;
    for argument in arguments {
        let follows = std::mem::replace(&mut is_extern, argument == "--extern");
        let given = match argument.strip_prefix("--extern=") {
            None if follows => &argument,
            None => continue,
            Some(given) => given,
        };
        let Some(name) = runtime(given) else { continue };
        let is_another = renamed.as_ref().is_some_and(|known| known != name);
        if name == OWN || is_another {
            return None;
        }
        renamed = Some(name.to_owned());
    }
    renamed
}

/// The name in `name=path`, if the path leads to the runtime.
fn runtime(given: &str) -> Option<&str> {
    let (name, path) = given.split_once('=')?;
    let file = path.rsplit(['/', '\\']).next()?;
    let file = file.strip_prefix("lib")?.strip_prefix(OWN)?;
    let is_runtime = file.starts_with(['-', '.']);
    let is_name = syn::parse_str::<Ident>(name).is_ok();
    (is_runtime && is_name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::renamed;

    fn of(arguments: &str) -> Option<String> {
        renamed(arguments.split(' ').map(str::to_owned))
    }

    #[test]
    fn the_name_is_that_which_rustc_links_the_runtime_by() {
        let name = of("rustc src/lib.rs --extern serde=/t/libserde-1.rmeta \
             --extern flows=/t/libpravah_runtime-2.rmeta -L dependency=/t");
        assert_eq!(name.as_deref(), Some("flows"));
        let name = of(r"rustc --extern=flows=C:\t\libpravah_runtime.rlib");
        assert_eq!(name.as_deref(), Some("flows"));
    }

    #[test]
    fn a_crate_of_two_files_has_one_name() {
        let name = of(
            "--extern flows=/t/libpravah_runtime-2.rlib --extern flows=/t/libpravah_runtime-2.rmeta",
        );
        assert_eq!(name.as_deref(), Some("flows"));
    }

    #[test]
    fn the_runtime_keeps_its_own_name_where_it_has_it_or_none_is_certain() {
        for arguments in [
            "rustc src/lib.rs",
            "--extern",
            "--extern flows",
            "--extern pravah_runtime=/t/libpravah_runtime-2.rmeta",
            "--extern flows=/t/libpravah_runtime-1.rmeta --extern pravah_runtime=/t/libpravah_runtime-2.rmeta",
            "--extern a=/t/libpravah_runtime-1.rmeta --extern b=/t/libpravah_runtime-2.rmeta",
            "--extern flows=/t/libpravah_runtime_tools-1.rmeta",
            "--extern noprelude:flows=/t/libpravah_runtime-1.rmeta",
            "-o flows=/t/libpravah_runtime-1.rmeta",
        ] {
            assert_eq!(of(arguments), None, "{arguments}");
        }
    }
}
