//! Where an `Invoke` may appear: as all that a node returns, and nowhere else.

use proc_macro2::Ident;
use syn::{Type, spanned::Spanned};

use super::kind::Side;
use crate::{
    diag::Diagnostics,
    types::{arguments, invoke_in, last_name, path_of, result_of, short, ungroup},
};

/// Reports an `Invoke` that is misplaced, or whose type no call returns; returns whether it does.
pub(super) fn refuse_calls(name: &Ident, ty: &Type, side: Side, errors: &mut Diagnostics) -> bool {
    let Some(invoke) = invoke_in(ty) else {
        return false;
    };
    let result = result_in(invoke).map_or_else(|| "Finding".to_owned(), short);
    if side == Side::Takes {
        errors.error(
            invoke.span(),
            format!("`{name}` takes an `Invoke`, but the next node receives the result of a call"),
            format!("take `{result}`"),
        );
        return true;
    }
    let returned = ungroup(result_of(ty).map_or(ty, |(state, _)| state));
    if last_name(returned).as_deref() == Some("Invoke") {
        return refuse_result(name, invoke, errors);
    }
    let (fact, help) = match last_name(returned).as_deref() {
        Some("Vec" | "Each") => (
            format!("`{name}` returns a list of calls"),
            format!("return `Invoke<Each<{result}>>`, as `Invoke::all(calls)` is"),
        ),
        _ => (
            format!(
                "`{name}` returns an `Invoke` within `{}`, and a node that makes calls returns nothing else",
                short(returned)
            ),
            "let a node before it choose between two states with `Either<A, B>`, and this one call in its branch; calls of two kinds are made by two nodes".to_owned(),
        ),
    };
    errors.error(invoke.span(), fact, help);
    true
}

/// Reports an `Invoke` of what no call returns.
fn refuse_result(name: &Ident, invoke: &Type, errors: &mut Diagnostics) -> bool {
    let Some(result) = result_in(invoke) else {
        return false;
    };
    // What goes on of several calls is in an `Each`.
    let each = match last_name(result).as_deref() {
        Some("Each") => path_of(result)
            .and_then(|path| path.segments.last())
            .and_then(|last| arguments(last).first().copied()),
        _ => None,
    };
    let one = each.unwrap_or(result);
    let inner = path_of(one).and_then(|path| path.segments.last());
    let inner = inner.and_then(|last| arguments(last).first().copied());
    let inner = inner.map_or_else(|| short(one), short);
    let help = match (last_name(one).as_deref(), one) {
        (Some("Vec"), _) => format!("write `Invoke<Each<{inner}>>`, as `Invoke::all(calls)` is"),
        (Some("Result"), _) => format!(
            "a call that fails fails the node, which `catch({name})` takes; with `Invoke::settled(calls)`, an `Invoke<Each<TaskResult<{inner}>>>`, each says how it ended"
        ),
        (Some("Option" | "Either"), _) | (_, Type::Tuple(_)) => {
            "write the one state that the called agent returns".to_owned()
        }
        _ => return false,
    };
    let fact = format!("`{name}` waits for `{}`, which no call returns", short(one));
    errors.error(one.span(), fact, help);
    true
}

/// What an `Invoke` brings, as it is written.
fn result_in(invoke: &Type) -> Option<&Type> {
    let last = path_of(invoke)?.segments.last()?;
    arguments(last).first().copied()
}
