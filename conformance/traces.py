"""Receives what the example `trace` exports, and holds it against OpenTelemetry's conventions for generative AI,
with a receiver and a table of the conventions that others wrote."""

import asyncio
import socket
import subprocess
import sys
from types import SimpleNamespace

from opentelemetry.proto.trace.v1.trace_pb2 import Span
from oteltap import OtelTapHttpProtobufReceiver, OtelTapHttpProtobufReceiverSettings
from pytest_genai_semconv.assertions import assert_genai_span_compliant

# Each span that the example exports, with the one that it is in.
TREE = [
    ("chat gpt-4o-mini", "invoke_agent judge"),
    ("chat gpt-4o-mini", "invoke_agent judge"),
    ("execute_tool track", "invoke_agent judge"),
    ("invoke_agent judge", "invoke_workflow refunds"),
    ("invoke_workflow refunds", None),
    ("invoke_workflow refunds", None),
    ("query", "execute_tool track"),
]

# What a prompt, an answer, an argument and a result say.
CONTENT = ["Where is my parcel", "three days late", "euros", '"parcel"']


def value(any_value):
    kind = any_value.WhichOneof("value")
    if kind == "array_value":
        return [value(entry) for entry in any_value.array_value.values]
    return getattr(any_value, kind)


def attributes(span):
    return {attribute.key: value(attribute.value) for attribute in span.attributes}


def check_conventions(span):
    kind = SimpleNamespace(name=Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"))
    assert_genai_span_compliant(SimpleNamespace(name=span.name, kind=kind, attributes=attributes(span)))


def check_tree(spans):
    names = {span.span_id: span.name for span in spans}
    tree = sorted((span.name, names.get(span.parent_span_id)) for span in spans)
    assert tree == TREE, tree


def check_link(spans):
    first, second = (span for span in spans if span.name.startswith("invoke_workflow"))
    if first.links:
        first, second = second, first
    assert not first.links
    (link,) = second.links
    assert (link.trace_id, link.span_id) == (first.trace_id, first.span_id)
    assert second.trace_id != first.trace_id
    assert attributes(first)["gen_ai.conversation.id"] == attributes(second)["gen_ai.conversation.id"]


def check_model_calls(spans):
    chats = sorted(
        (span for span in spans if span.name.startswith("chat")), key=lambda span: span.start_time_unix_nano
    )
    tokens = [(attributes(it)["gen_ai.usage.input_tokens"], attributes(it)["gen_ai.usage.output_tokens"]) for it in chats]
    assert tokens == [(120, 15), (160, 8)], tokens
    # The last answer is a call too: of the tool that takes the output.
    reasons = [attributes(it)["gen_ai.response.finish_reasons"] for it in chats]
    assert reasons == [["tool_call"], ["tool_call"]], reasons
    assert {attributes(it)["gen_ai.provider.name"] for it in chats} == {"openai"}


async def first(stream, count):
    return [await anext(stream) for _ in range(count)]


async def exported(trace, *options):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = OtelTapHttpProtobufReceiverSettings(http_port=port)
    async with OtelTapHttpProtobufReceiver(settings) as receiver:
        received = asyncio.create_task(first(receiver.stream_traces(), len(TREE)))
        url = f"http://127.0.0.1:{port}/v1/traces"
        await asyncio.to_thread(subprocess.run, [trace, "--otlp", url, *options], check=True, timeout=60)
        return await asyncio.wait_for(received, 10)


async def main(trace):
    spans = await exported(trace)
    for span in spans:
        if span.name != "query":
            check_conventions(span)
    check_tree(spans)
    check_link(spans)
    check_model_calls(spans)
    sent = "\n".join(map(str, spans))
    for said in CONTENT:
        assert said not in sent, said

    spans = await exported(trace, "--content")
    for span in spans:
        if span.name != "query":
            check_conventions(span)
    sent = "".join(str(attributes(span)) for span in spans)
    for said in CONTENT:
        assert said in sent, said
    print("the trace of a run is what the conventions say")


asyncio.run(main(sys.argv[1]))
