"""Holds the requests and answers in `pravah-runtime/tests/wire` against the types of the providers'
own SDKs, and against what no type says: that every call of a conversation is answered once."""

import json
import sys
import typing
from pathlib import Path

# pydantic reads `Iterable` lazily, and so would not look at what is in it.
typing.Iterable = typing.List

from anthropic import types as anthropic
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types as gemini
from ollama import _types as ollama
from openai.types import chat, responses
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

WIRE = Path(__file__).parent.parent / "pravah-runtime/tests/wire"


def strict(type_):
    """Reads a value of the type, in which nothing may stand that the type does not have."""
    adapter = TypeAdapter(type_)
    return lambda value: adapter.validate_json(json.dumps(value), extra="forbid")


def lenient(type_):
    """Reads a value that a provider sent: it may hold more than the SDK knows."""
    adapter = TypeAdapter(type_)
    return lambda value: adapter.validate_json(json.dumps(value))


def gemini_request(body):
    """The SDK has no type for the whole body; its parts have one each."""
    parts = {
        "contents": strict(list[gemini.Content]),
        "systemInstruction": strict(gemini.Content),
        "generationConfig": strict(gemini.GenerationConfig),
        "tools": strict(list[gemini.Tool]),
        "toolConfig": strict(gemini.ToolConfig),
    }
    for key, value in body.items():
        parts[key](value)


# For each provider: what is asked, what is answered, and one event of a stream.
TYPES = {
    "openai": (
        strict(CompletionCreateParamsNonStreaming),
        lenient(chat.ChatCompletion),
        lenient(chat.ChatCompletionChunk),
    ),
    "openai-responses": (
        strict(ResponseCreateParamsNonStreaming),
        lenient(responses.Response),
        lenient(responses.ResponseStreamEvent),
    ),
    "anthropic": (
        strict(MessageCreateParamsNonStreaming),
        lenient(anthropic.Message),
        lenient(anthropic.RawMessageStreamEvent),
    ),
    "gemini": (
        gemini_request,
        lenient(gemini.GenerateContentResponse),
        lenient(gemini.GenerateContentResponse),
    ),
    "ollama": (
        strict(ollama.ChatRequest),
        lenient(ollama.ChatResponse),
        lenient(ollama.ChatResponse),
    ),
}


def calls_and_results(provider, body):
    """The ids of the calls and of the results, in order; the names where there are no ids."""
    calls, results = [], []
    if provider == "openai":
        for message in body["messages"]:
            calls += [call["id"] for call in message.get("tool_calls", [])]
            results += [message["tool_call_id"]] if message["role"] == "tool" else []
    elif provider == "openai-responses":
        for item in body["input"]:
            kind = item.get("type")
            calls += [item["call_id"]] if kind == "function_call" else []
            results += [item["call_id"]] if kind == "function_call_output" else []
    elif provider == "anthropic":
        for message in body["messages"]:
            if isinstance(message["content"], list):
                for block in message["content"]:
                    calls += [block["id"]] if block["type"] == "tool_use" else []
                    results += [block["tool_use_id"]] if block["type"] == "tool_result" else []
    elif provider == "gemini":
        for content in body["contents"]:
            for part in content["parts"]:
                for key, ids in ("functionCall", calls), ("functionResponse", results):
                    if key in part:
                        ids.append(part[key].get("id", part[key]["name"]))
    else:
        for message in body["messages"]:
            calls += [call["function"]["name"] for call in message.get("tool_calls", [])]
            results += [message["tool_name"]] if message["role"] == "tool" else []
    return calls, results


def check_request(provider, check, body):
    check(body)
    calls, results = calls_and_results(provider, body)
    assert calls == results, f"calls {calls} are answered by {results}"


def events(text):
    """The JSON of each event, of server-sent events or of lines."""
    for line in text.splitlines():
        data = line.removeprefix("data: ")
        if data.startswith("{"):
            yield json.loads(data)


def check_stream(check, text):
    for event in events(text):
        if event.get("type") != "ping":
            check(event)


def main():
    wrong = 0
    for provider, (request, response, event) in TYPES.items():
        files = sorted((WIRE / provider).iterdir())
        assert len(files) > 10, f"{provider} has no cases"
        for file in files:
            text = file.read_text()
            try:
                if file.name.endswith(".request.json"):
                    check_request(provider, request, json.loads(text))
                elif file.name.endswith(".response.json"):
                    response(json.loads(text))
                else:
                    check_stream(event, text)
            except Exception as error:
                wrong += 1
                print(f"{file.relative_to(WIRE)}: {error}\n", file=sys.stderr)
    if wrong:
        sys.exit(f"{wrong} files do not fit the providers' types")
    print("all requests, answers and streams fit the providers' types")


if __name__ == "__main__":
    main()
