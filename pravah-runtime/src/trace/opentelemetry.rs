//! What `tracing` has no word for, through the crate `tracing-opentelemetry`: lists, and links to spans that have
//! ended, of whatever process. A link is kept as a `traceparent` of W3C's Trace Context
//! (<https://www.w3.org/TR/trace-context/#traceparent-header>).

use opentelemetry::{
    Array, StringValue, Value,
    trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState},
};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Records a list of one entry.
pub(super) fn record_list(span: &Span, name: &'static str, entry: &str) {
    let list = vec![StringValue::from(entry.to_owned())];
    span.set_attribute(name, Value::Array(Array::String(list)));
}

/// Links a span to an earlier one. One that cannot be read is left out: it says nothing about the run.
pub(crate) fn link(span: &Span, traceparent: &str) {
    if let Some(earlier) = parse(traceparent) {
        span.add_link(earlier);
    }
}

/// What a later span is linked to this one by, if it is exported.
pub(crate) fn traceparent(span: &Span) -> Option<String> {
    let context = span.context();
    let context = context.span().span_context().clone();
    let (trace, span) = (context.trace_id(), context.span_id());
    let flags = context.trace_flags().to_u8();
    context
        .is_valid()
        .then(|| format!("00-{trace}-{span}-{flags:02x}"))
}

fn parse(traceparent: &str) -> Option<SpanContext> {
    let is_hex = |part: &&str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = traceparent.split('-').collect();
    let ["00", trace, span, flags] = parts[..] else {
        return None;
    };
    if [trace.len(), span.len(), flags.len()] != [32, 16, 2] || !parts.iter().all(is_hex) {
        return None;
    }
    let context = SpanContext::new(
        TraceId::from_hex(trace).ok()?,
        SpanId::from_hex(span).ok()?,
        TraceFlags::new(u8::from_str_radix(flags, 16).ok()?),
        true,
        TraceState::default(),
    );
    context.is_valid().then_some(context)
}

#[cfg(test)]
mod tests {
    use super::parse;

    const EXAMPLE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_traceparent_is_read() {
        let context = parse(EXAMPLE).expect("it is the example of the standard");
        assert_eq!(
            context.trace_id().to_string(),
            "4bf92f3577b34da6a3ce929d0e0e4736"
        );
        assert_eq!(context.span_id().to_string(), "00f067aa0ba902b7");
        assert!(context.is_sampled() && context.is_remote());
    }

    #[test]
    fn what_is_no_traceparent_is_no_link() {
        let cut = EXAMPLE.get(..40).unwrap_or_default();
        let longer = format!("{EXAMPLE}-00");
        let unknown = EXAMPLE.replacen("00", "01", 1);
        let not_hex = EXAMPLE.replace("4bf9", "4bg9");
        let nothing = format!("00-{}-{}-01", "0".repeat(32), "0".repeat(16));
        let signed = EXAMPLE.replace("-01", "-+1");
        for wrong in [
            "",
            "-",
            "----",
            cut,
            &longer,
            &unknown,
            &not_hex,
            &signed,
            &nothing,
            "00-ä-b-c",
        ] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
