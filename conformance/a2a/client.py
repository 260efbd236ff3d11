"""Drives an A2A 1.0 server with the client of the official Python SDK, over both bindings: `client.py BASE`.

The server under test serves the agents `greet`, `publish`, `slow` and `fail`, each with a card of its own at
`BASE/agents/NAME/.well-known/agent-card.json`. With `A2A_TOKEN` every request has the header
`Authorization: Bearer $A2A_TOKEN`. Prints one line and exits with 0, or prints what failed and exits with 1.

Needs `a2a-sdk`."""

import asyncio
import os
import sys
import uuid

import httpx
from a2a import types
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import get_data_parts, get_text_parts, new_data_part, new_message, new_text_part
from a2a.utils import errors

BASE = sys.argv[1].rstrip("/")
BINDINGS = ["JSONRPC", "HTTP+JSON"]
ADA = new_data_part({"name": "Ada"})
GREETING, PUBLISHED = [[{"text": "Hello, Ada"}]], [[{"published": True}]]


class Agent:
    """One agent of the server, over one binding."""

    def __init__(self, http, card, binding):
        def client(streaming):
            config = ClientConfig(httpx_client=http, streaming=streaming, supported_protocol_bindings=[binding])
            return ClientFactory(config).create(card)

        self.card = card
        self.client = client(streaming=True)
        self.blocking = client(streaming=False)

    async def send(self, part, task=None, context_id=None, at_once=False):
        """Sends a message, and returns the task that answers it."""
        request = self.request(part, task, context_id)
        request.configuration.return_immediately = at_once
        [response] = [response async for response in self.blocking.send_message(request)]
        return response.task

    async def stream(self, part, task=None):
        """Sends a message, and returns the events that answer it."""
        return [event async for event in self.client.send_message(self.request(part, task))]

    def request(self, part, task=None, context_id=None):
        context_id = task.context_id if task else context_id
        message = new_message([part], context_id, task.id if task else None, types.Role.ROLE_USER)
        return types.SendMessageRequest(message=message)

    async def get(self, task):
        return await self.client.get_task(types.GetTaskRequest(id=task.id))

    async def cancel(self, task):
        return await self.client.cancel_task(types.CancelTaskRequest(id=task.id))


class Test:
    """Counts checks, and collects failures, over one binding."""

    def __init__(self, http, binding):
        self.http, self.binding, self.scenario = http, binding, ""
        self.count, self.failures = 0, []

    async def connect(self, name):
        card = await A2ACardResolver(self.http, f"{BASE}/agents/{name}").get_agent_card()
        return Agent(self.http, card, self.binding)

    def fail(self, what):
        self.failures.append(f"{self.binding}, {self.scenario}: {what}")

    def equal(self, what, actual, expected):
        self.count += 1
        if actual != expected:
            self.fail(f"{what} is {actual!r} instead of {expected!r}")

    def state(self, what, task, *expected):
        state = types.TaskState.Name(task.status.state).removeprefix("TASK_STATE_")
        self.equal(f"the state of {what}", state, state if state in expected else expected[-1])

    async def raises(self, what, error, call):
        outcome = "no error"
        try:
            await call
        except Exception as raised:
            outcome = type(raised).__name__ if isinstance(raised, error) else repr(raised)
        self.equal(what, outcome, error.__name__)


def kinds(events):
    return [event.WhichOneof("payload") for event in events]


def output(artifacts):
    return [get_data_parts(artifact.parts) + get_text_parts(artifact.parts) for artifact in artifacts]


def reason(task):
    return "".join(get_text_parts(task.status.message.parts))


async def cards(test):
    for name in ["greet", "publish", "slow", "fail"]:
        card = (await test.connect(name)).card
        test.equal("the name", card.name, name)
        test.equal("the bindings", sorted(it.protocol_binding for it in card.supported_interfaces), sorted(BINDINGS))
        test.equal("the versions", {it.protocol_version for it in card.supported_interfaces}, {"1.0"})
        test.equal("streaming", card.capabilities.streaming, True)


async def blocking_send(test):
    greet = await test.connect("greet")
    # The SDK writes every number of a data part as a float: the server reads 36.0.
    for part in [ADA, new_text_part('{"name": "Ada"}'), new_data_part({"name": "Ada", "age": 36})]:
        task = await greet.send(part)
        test.state("the greeting", task, "COMPLETED")
        test.equal("the output", output(task.artifacts), GREETING)
        for message in [message for message in task.history if message.role == types.Role.ROLE_USER]:
            test.equal("the input in the history", list(message.parts), [part])
    task = await greet.send(new_data_part({"nome": "Ada"}))
    test.state("an input that does not fit", task, "FAILED")
    test.equal("that a reason is given", reason(task) != "", True)
    task = await (await test.connect("fail")).send(new_data_part({"name": "x"}))
    test.state("a failure", task, "FAILED")
    test.equal("that the reason is given", "out of paper" in reason(task), True)


async def streaming_send(test):
    first, *updates, last = await (await test.connect("greet")).stream(ADA)
    test.equal("the first event", kinds([first]), ["task"])
    test.equal("the other kinds of events", set(kinds(updates)) - {"status_update", "artifact_update"}, set())
    test.state("the last event", last.status_update, "COMPLETED")
    artifacts = [event.artifact_update for event in updates if event.HasField("artifact_update")]
    test.equal("the output", output(event.artifact for event in artifacts), GREETING)
    ids = {(event.task_id, event.context_id) for event in [*artifacts, last.status_update]}
    test.equal("the ids of the updates", ids, {(first.task.id, first.task.context_id)})


async def cancellation(test):
    slow = await test.connect("slow")
    task = await slow.send(new_data_part({"name": "x"}), at_once=True)
    test.state("a task that has started", task, "SUBMITTED", "WORKING")
    while (task := await slow.get(task)).status.state == types.TaskState.TASK_STATE_SUBMITTED:
        await asyncio.sleep(0.05)
    test.state("a running task", task, "WORKING")
    subscription = slow.client.subscribe(types.SubscribeToTaskRequest(id=task.id))
    test.equal("the first event of a subscription", (await anext(subscription)).task.id, task.id)
    test.state("a cancelled task", await slow.cancel(task), "CANCELED")
    *_, last = [event async for event in subscription]
    test.state("the last event of a subscription", last.status_update, "CANCELED")
    test.state("a cancelled task, read again", await slow.get(task), "CANCELED")


async def refusals(test):
    greet = await test.connect("greet")
    task = await greet.send(ADA)
    test.state("an ended task, read again", await greet.get(task), "COMPLETED")
    await test.raises("cancelling an ended task", errors.TaskNotCancelableError, greet.cancel(task))
    await test.raises("a message to an ended task", errors.UnsupportedOperationError, greet.send(ADA, task))
    await test.raises("an unknown task", errors.TaskNotFoundError, greet.get(types.Task(id=str(uuid.uuid4()))))
    config = types.TaskPushNotificationConfig(task_id=task.id, url="http://127.0.0.1:9/")
    push = greet.client.create_task_push_notification_config(config)
    await test.raises("a push notification", errors.PushNotificationNotSupportedError, push)


async def list_by_context(test):
    greet = await test.connect("greet")
    first, _ = await greet.send(ADA), await greet.send(ADA)
    second = await greet.send(ADA, context_id=first.context_id)
    test.equal("the context of the second task", second.context_id, first.context_id)
    page = await greet.client.list_tasks(types.ListTasksRequest(context_id=first.context_id))
    test.equal("the tasks of a context", {task.id for task in page.tasks}, {first.id, second.id})
    test.equal("the number of the tasks", page.total_size, 2)


async def question(test):
    publish = await test.connect("publish")
    trains, perhaps = new_data_part({"topic": "trains"}), new_text_part("perhaps")

    def asks(task):
        test.state("a question", task, "INPUT_REQUIRED")
        test.equal("the question", get_text_parts(task.status.message.parts)[:1], ["Publish trains?"])

    asks(task := await publish.send(trains))
    await test.raises("an answer that does not fit", errors.InvalidParamsError, publish.send(perhaps, task))
    asks(await publish.get(task))
    task = await publish.send(new_text_part("true"), task)
    test.state("an answered task", task, "COMPLETED")
    test.equal("the output", output(task.artifacts), PUBLISHED)

    first, *_, last = await publish.stream(trains)
    asks(last.status_update)
    await test.raises("a wrong answer, streamed", errors.InvalidParamsError, publish.stream(perhaps, first.task))
    *_, last = await publish.stream(new_data_part(True), first.task)
    test.state("an answered task, streamed", last.status_update, "COMPLETED")
    test.equal("the output, streamed", output((await publish.get(first.task)).artifacts), PUBLISHED)


async def main():
    headers = {"Authorization": f"Bearer {os.environ['A2A_TOKEN']}"} if "A2A_TOKEN" in os.environ else {}
    async with httpx.AsyncClient(headers=headers, timeout=30) as http:
        tests = [Test(http, binding) for binding in BINDINGS]
        for test in tests:
            for scenario in [cards, blocking_send, streaming_send, cancellation, refusals, list_by_context, question]:
                test.scenario = scenario.__name__
                try:
                    await asyncio.wait_for(scenario(test), 30)
                except Exception as error:
                    test.fail(repr(error))
    if failures := [failure for test in tests for failure in test.failures]:
        sys.exit("\n".join(failures))
    print(f"ok: {sum(test.count for test in tests)} checks")


asyncio.run(main())
