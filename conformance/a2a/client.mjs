// Drives an A2A 1.0 server with the client of the official JavaScript SDK, over both bindings: `client.mjs BASE`.
//
// The server under test serves the agents `greet`, `publish`, `slow` and `fail`, each with a card of its own at
// `BASE/agents/NAME/.well-known/agent-card.json`. With `A2A_TOKEN` every request has the header
// `Authorization: Bearer $A2A_TOKEN`. Prints one line and exits with 0, or prints what failed and exits with 1.
//
// Needs `@a2a-js/sdk`.
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { A2A_PROTOCOL_VERSION, ListTasksRequest, Message, Part, Role, TaskState } from "@a2a-js/sdk";
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  ServiceParameters,
  createAuthenticatingFetchWithRetry,
  withA2AVersion,
} from "@a2a-js/sdk/client";
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";

const BASE = process.argv[2].replace(/\/+$/, "");
const TOKEN = process.env.A2A_TOKEN;
const BINDINGS = ["HTTP+JSON", "JSONRPC"];
const ADA = { data: { name: "Ada" } };
const [GREETING, PUBLISHED] = [[[{ text: "Hello, Ada" }]], [[{ published: true }]]];

const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
  headers: async () => (TOKEN ? { Authorization: `Bearer ${TOKEN}` } : {}),
  shouldRetryWithHeaders: async () => undefined,
});
const cardResolver = new DefaultAgentCardResolver({ fetchImpl });
const transports = {
  JSONRPC: new JsonRpcTransportFactory({ fetchImpl }),
  "HTTP+JSON": new RestTransportFactory({ fetchImpl }),
};

let count = 0;
let scenario = "";
const failures = [];

function fail(what) {
  failures.push(`${scenario}: ${what}`);
}

function equal(what, actual, expected) {
  count += 1;
  if (!isDeepStrictEqual(actual, expected)) {
    fail(`${what} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
}

function state(what, task, ...expected) {
  const actual = TaskState[task?.status?.state]?.replace("TASK_STATE_", "");
  equal(`the state of ${what}`, actual, expected.includes(actual) ? actual : expected.at(-1));
}

async function raises(what, error, call) {
  const refused = (raised) => (raised instanceof error ? error.name : String(raised));
  const outcome = await call().then(() => "no error", refused);
  equal(what, outcome, error.name);
}

/** A message to the agent: a new one, or one to a task. */
function request(part, task, { contextId = task?.contextId, ...configuration } = {}) {
  const value = { messageId: randomUUID(), role: Role.ROLE_USER, parts: [part], taskId: task?.id, contextId };
  return { message: Message.fromJSON(value), configuration };
}

async function collect(stream) {
  const events = [];
  for await (const event of stream) events.push(event.payload);
  return events;
}

const values = ({ parts }) => parts.map((part) => part.content.value);
const reason = (task) => values(task.status.message ?? { parts: [] }).join("");
const output = (artifacts) => artifacts.map(values);

async function cards() {
  for (const name of ["greet", "publish", "slow", "fail"]) {
    const card = await cardResolver.resolve(`${BASE}/agents/${name}/`);
    equal("the name", card.name, name);
    equal("the bindings", card.supportedInterfaces.map((it) => it.protocolBinding).sort(), BINDINGS);
    equal("the versions", card.supportedInterfaces.map((it) => it.protocolVersion), ["1.0", "1.0"]);
    equal("streaming", card.capabilities.streaming, true);
  }
}

async function blockingSend(connect) {
  const greet = await connect("greet");
  for (const part of [ADA, { text: '{"name": "Ada"}' }, { data: { name: "Ada", age: 36 } }]) {
    const task = await greet.sendMessage(request(part));
    state("the greeting", task, "COMPLETED");
    equal("the output", output(task.artifacts), GREETING);
    for (const message of task.history.filter((it) => it.role === Role.ROLE_USER)) {
      equal("the input in the history", message.parts.map(Part.toJSON), [part]);
    }
  }
  let task = await greet.sendMessage(request({ data: { nome: "Ada" } }));
  state("an input that does not fit", task, "FAILED");
  equal("that a reason is given", reason(task) !== "", true);
  task = await (await connect("fail")).sendMessage(request({ data: { name: "x" } }));
  state("a failure", task, "FAILED");
  equal("that the reason is given", reason(task).includes("out of paper"), true);
}

async function streamingSend(connect) {
  const [first, ...updates] = await collect((await connect("greet")).sendMessageStream(request(ADA)));
  const last = updates.pop();
  equal("the first event", first.$case, "task");
  equal("the other kinds of events", updates.filter((it) => !/^(status|artifact)Update$/.test(it.$case)), []);
  state("the last event", last.value, "COMPLETED");
  const artifacts = updates.filter((it) => it.$case === "artifactUpdate").map((it) => it.value);
  equal("the output", output(artifacts.map((it) => it.artifact)), GREETING);
  for (const { taskId, contextId } of [...artifacts, last.value]) {
    equal("the ids of an update", { taskId, contextId }, { taskId: first.value.id, contextId: first.value.contextId });
  }
}

async function cancellation(connect) {
  const slow = await connect("slow");
  let task = await slow.sendMessage(request({ data: { name: "x" } }, undefined, { returnImmediately: true }));
  const { id } = task;
  state("a task that has started", task, "SUBMITTED", "WORKING");
  while ((task = await slow.getTask({ id })).status.state === TaskState.TASK_STATE_SUBMITTED) await setTimeout(50);
  state("a running task", task, "WORKING");
  const subscription = slow.resubscribeTask({ id });
  const first = (await subscription.next()).value?.payload;
  equal("the first event of a subscription", [first?.$case, first?.value.id], ["task", id]);
  state("a cancelled task", await slow.cancelTask({ id }), "CANCELED");
  state("the last event of a subscription", (await collect(subscription)).at(-1)?.value, "CANCELED");
  state("a cancelled task, read again", await slow.getTask({ id }), "CANCELED");
}

async function refusals(connect) {
  const greet = await connect("greet");
  const task = await greet.sendMessage(request(ADA));
  const { id } = task;
  state("an ended task, read again", await greet.getTask({ id }), "COMPLETED");
  await raises("cancelling an ended task", TaskNotCancelableError, () => greet.cancelTask({ id }));
  await raises("a message to an ended task", UnsupportedOperationError, () => greet.sendMessage(request(ADA, task)));
  await raises("an unknown task", TaskNotFoundError, () => greet.getTask({ id: randomUUID() }));
  // The client itself would not ask, as the card says that there are none.
  const config = { taskId: id, url: "http://127.0.0.1:9/" };
  const options = { serviceParameters: ServiceParameters.create(withA2AVersion(A2A_PROTOCOL_VERSION)) };
  const push = () => greet.transport.createTaskPushNotificationConfig(config, options);
  await raises("a push notification", PushNotificationNotSupportedError, push);
}

async function listByContext(connect) {
  const greet = await connect("greet");
  const [first] = [await greet.sendMessage(request(ADA)), await greet.sendMessage(request(ADA))];
  const { contextId } = first;
  const second = await greet.sendMessage(request(ADA, undefined, { contextId }));
  equal("the context of the second task", second.contextId, contextId);
  const page = await greet.listTasks(ListTasksRequest.fromJSON({ contextId }));
  equal("the tasks of a context", page.tasks.map((it) => it.id).sort(), [first.id, second.id].sort());
  equal("the number of the tasks", page.totalSize, 2);
}

async function question(connect) {
  const publish = await connect("publish");
  const trains = { data: { topic: "trains" } };
  const asks = (task) => {
    state("a question", task, "INPUT_REQUIRED");
    equal("the question", values(task.status.message)[0], "Publish trains?");
  };

  let task = await publish.sendMessage(request(trains));
  asks(task);
  const perhaps = () => publish.sendMessage(request({ text: "perhaps" }, task));
  await raises("an answer that does not fit", RequestMalformedError, perhaps);
  asks(await publish.getTask({ id: task.id }));
  task = await publish.sendMessage(request({ text: "true" }, task));
  state("an answered task", task, "COMPLETED");
  equal("the output", output(task.artifacts), PUBLISHED);

  let events = await collect(publish.sendMessageStream(request(trains)));
  task = events[0].value;
  asks(events.at(-1).value);
  const streamed = () => collect(publish.sendMessageStream(request({ text: "perhaps" }, task)));
  await raises("a wrong answer, streamed", RequestMalformedError, streamed);
  events = await collect(publish.sendMessageStream(request({ data: true }, task)));
  state("an answered task, streamed", events.at(-1).value, "COMPLETED");
  equal("the output, streamed", output((await publish.getTask({ id: task.id })).artifacts), PUBLISHED);
}

for (const binding of BINDINGS) {
  const factory = new ClientFactory({ transports: [transports[binding]], cardResolver });
  const connect = (name) => factory.createFromUrl(`${BASE}/agents/${name}/`);
  for (const run of [cards, blockingSend, streamingSend, cancellation, refusals, listByContext, question]) {
    scenario = `${binding}, ${run.name}`;
    const timeout = setTimeout(30_000).then(() => Promise.reject(new Error("took too long")));
    await Promise.race([run(connect), timeout]).catch(fail);
  }
}
if (failures.length) console.error(failures.join("\n"));
else console.log(`ok: ${count} checks`);
process.exit(failures.length ? 1 : 0);
