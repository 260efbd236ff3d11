"""An A2A 1.0 server made with the official Python SDK, for tests of a client: `server.py PORT`.

It serves one agent over both bindings, JSON-RPC at `/jsonrpc` and HTTP+JSON at `/rest`. What the agent does
depends on the text of the message, see `Agent.run`. With `A2A_BINDING=rest` the card lists HTTP+JSON only, with
`A2A_STREAMING=no` it says that there is no streaming. `GET /executions` returns how often the agent ran, and
`GET /authorizations` the distinct `Authorization` headers it has seen.

Needs `a2a-sdk[http-server]` and `uvicorn`."""

import asyncio
import json
import logging
import os
import sys

import uvicorn
from a2a.helpers import (
    get_data_parts,
    get_text_parts,
    new_data_part,
    new_task_from_user_message,
    new_text_message,
    new_text_part,
)
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route


def narrow(number):
    """The SDK reads every number of a data part as a float."""
    return int(float(number)) if float(number).is_integer() else float(number)


def text_of(message):
    """The first text part, or else the JSON of the first data part."""
    if texts := get_text_parts(message.parts):
        return texts[0]
    data = json.loads(json.dumps(get_data_parts(message.parts)[0]), parse_float=narrow)
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Agent(AgentExecutor):
    def __init__(self):
        self.executions = 0

    async def execute(self, context, event_queue):
        self.executions += 1
        text = text_of(context.message)
        task = TaskUpdater(event_queue, context.task_id, context.context_id)
        if context.current_task is not None:
            await task.start_work()
            await self.complete(task, new_text_part(f"answered: {text}"))
        elif text == "message":
            await event_queue.enqueue_event(new_text_message("just a message", context_id=context.context_id))
        else:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
            await self.run(task, text)

    async def run(self, task, text):
        def say(words):
            return task.new_agent_message([new_text_part(words)])

        if text == "reject":
            await task.reject(say("not today"))
            return
        await task.start_work()
        match text:
            case "json":
                await self.complete(task, new_data_part({"n": 3, "name": "x", "list": [1, 2.5]}))
            case "chunks":
                chunks = ["one ", "two ", "three"]
                for index, chunk in enumerate(chunks):
                    await task.add_artifact(
                        [new_text_part(chunk)],
                        artifact_id="a",
                        append=index > 0,
                        last_chunk=index == len(chunks) - 1,
                    )
                    await asyncio.sleep(0.1)
                await task.complete()
            case "ask":
                await task.requires_input(say("Which city?"))
            case "auth":
                # The credentials arrive by another way, so that the agent goes on by itself.
                await task.requires_auth(say("Please sign in."))
                await asyncio.sleep(0.5)
                await self.complete(task, new_text_part("authorised"))
            case "fail":
                await task.failed(say("no such archive"))
            case "slow":
                await asyncio.sleep(60)
                await task.complete()
            case "soon":
                await asyncio.sleep(1)
                await self.complete(task, new_text_part("soon done"))
            case _:
                await self.complete(task, new_text_part(text.removeprefix("echo ")))

    async def complete(self, task, part):
        await task.add_artifact([part], last_chunk=True)
        await task.complete()

    async def cancel(self, context, event_queue):
        # The SDK ends the execution itself.
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


class RememberAuthorizations:
    """Middleware that collects the distinct `Authorization` headers."""

    def __init__(self, app, seen):
        self.app = app
        self.seen = seen

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http" and (value := Headers(scope=scope).get("authorization")):
            if value not in self.seen:
                self.seen.append(value)
        await self.app(scope, receive, send)


def card(base):
    interfaces = [
        AgentInterface(url=f"{base}/jsonrpc", protocol_binding="JSONRPC", protocol_version="1.0"),
        AgentInterface(url=f"{base}/rest", protocol_binding="HTTP+JSON", protocol_version="1.0"),
    ]
    modes = ["text/plain", "application/json"]
    return AgentCard(
        name="Python peer",
        description="Does what the text of the message says.",
        version="1.0.0",
        supported_interfaces=interfaces[1:] if os.environ.get("A2A_BINDING") == "rest" else interfaces,
        capabilities=AgentCapabilities(streaming=os.environ.get("A2A_STREAMING") != "no", push_notifications=False),
        default_input_modes=modes,
        default_output_modes=modes,
        skills=[AgentSkill(id="obey", name="Obey", description="Does what it is told.", tags=["test"])],
    )


def main():
    port = int(sys.argv[1])
    logging.getLogger("a2a").setLevel(logging.ERROR)
    agent = Agent()
    authorizations = []
    agent_card = card(f"http://127.0.0.1:{port}")
    handler = DefaultRequestHandler(agent, InMemoryTaskStore(), agent_card)
    app = Starlette(
        routes=[
            Route("/executions", lambda _: JSONResponse(agent.executions)),
            Route("/authorizations", lambda _: JSONResponse(authorizations)),
            *create_agent_card_routes(agent_card),
            *create_jsonrpc_routes(handler, "/jsonrpc"),
            Mount("/rest", routes=create_rest_routes(handler)),
        ],
        middleware=[Middleware(RememberAuthorizations, seen=authorizations)],
    )
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main()
