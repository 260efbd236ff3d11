//! What stands beside a flow in its file, and what of that does not go with it.

use proc_macro2::Span;
use syn::{FnArg, ItemFn, ReturnType, Type, Visibility, ext::IdentExt, spanned::Spanned};

use crate::{diag::Diagnostics, options::FlowOptions, source};

/// Reports a flow that another one has the input of. It goes on as one with a name, beside which there is
/// place.
pub(crate) fn refuse_same_input(
    item: &ItemFn,
    options: &mut FlowOptions,
    errors: &mut Diagnostics,
) {
    let name = &item.sig.ident;
    if options.named.is_some() {
        return;
    }
    let Some(other) = source::flow_of_same_input(name.span()) else {
        return;
    };
    errors.error(
        name.span(),
        format!(
            "the flow `{name}` starts with the state of the flow `{other}`, and a state starts one flow"
        ),
        format!(
            "write `#[flow(named)]` above it: it is then started by its name, `{name}::start(input)`"
        ),
    );
    options.named = Some(name.span());
}

/// Reports the private states of a public flow, which rustc reports one by one where the flow has a name
/// of its own. It goes on as a private one.
pub(crate) fn refuse_private_states(
    item: &mut ItemFn,
    options: &FlowOptions,
    errors: &mut Diagnostics,
) {
    let name = &item.sig.ident;
    if options.named.is_none() || !matches!(item.vis, Visibility::Public(_)) {
        return;
    }
    let mut private: Vec<(String, Span)> = states(item)
        .filter_map(|ty| {
            let Type::Path(path) = ty else { return None };
            let text = path.path.get_ident()?.unraw().to_string();
            source::is_private_type(name.span(), &text).then(|| (text, ty.span()))
        })
        .collect();
    private.dedup_by(|one, other| one.0 == other.0);
    let (fact, at) = match private.as_slice() {
        [] => return,
        [(one, at)] => (format!("its state `{one}` is private"), *at),
        [(one, at), (two, _), ..] => (format!("its states `{one}` and `{two}` are private"), *at),
    };
    errors.error(
        at,
        format!("the flow `{name}` is public, and {fact}"),
        "write `pub` before the state too, or remove that of the flow",
    );
    item.vis = Visibility::Inherited;
}

/// What the flow starts and ends with.
fn states(item: &ItemFn) -> impl Iterator<Item = &Type> {
    let inputs = item.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(&*input.ty),
        FnArg::Receiver(_) => None,
    });
    let output = match &item.sig.output {
        ReturnType::Type(_, output) => Some(&**output),
        ReturnType::Default => None,
    };
    inputs.chain(output)
}
