// An A2A 1.0 server made with the official JavaScript SDK, for tests of a client: `server.mjs PORT`.
//
// It serves one agent over both bindings, JSON-RPC at `/jsonrpc` and HTTP+JSON at `/rest`. What the agent does depends
// on the text of the message, see `Agent.run`. With `A2A_BINDING=rest` the card lists HTTP+JSON only, with
// `A2A_STREAMING=no` it says that there is no streaming. `GET /executions` returns how often the agent ran, and
// `GET /authorizations` the distinct `Authorization` headers it has seen.
//
// Needs `@a2a-js/sdk` and `express`.
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import {
  AGENT_CARD_PATH,
  AgentCard,
  Message,
  Role,
  Task,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatusUpdateEvent,
} from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from "@a2a-js/sdk/server/express";
import express from "express";

/** The first text part, or else the JSON of the first data part. */
function textOf(message) {
  const contents = message.parts.map((part) => part.content);
  const text = contents.find((content) => content?.$case === "text");
  return text ? text.value : JSON.stringify(contents.find((content) => content?.$case === "data").value);
}

/** What one execution publishes. */
class Publisher {
  constructor(bus, taskId, contextId, signal) {
    this.bus = bus;
    this.ids = { taskId, contextId };
    this.signal = signal;
  }

  message(text) {
    const value = { messageId: randomUUID(), role: Role.ROLE_AGENT, parts: [{ text }] };
    return Message.fromJSON({ ...this.ids, ...value });
  }

  task(state, history) {
    const { taskId: id, contextId } = this.ids;
    const status = { state, timestamp: new Date().toISOString() };
    this.bus.publish(AgentEvent.task({ ...Task.fromJSON({ id, contextId, status }), history }));
  }

  status(state, text) {
    const message = text && Message.toJSON(this.message(text));
    const status = { state, message, timestamp: new Date().toISOString() };
    this.bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...this.ids, status })));
  }

  artifact(part, { artifactId = randomUUID(), append = false, lastChunk = true } = {}) {
    const event = { ...this.ids, artifact: { artifactId, parts: [part] }, append, lastChunk };
    this.bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(event)));
  }

  complete(part) {
    this.artifact(part);
    this.status(TaskState.TASK_STATE_COMPLETED);
  }

  sleep(milliseconds) {
    return setTimeout(milliseconds, undefined, { signal: this.signal });
  }
}

class Agent {
  executions = 0;
  /** By task: its context, and what stops its execution. */
  tasks = new Map();

  execute = async ({ task, taskId, contextId, userMessage }, bus) => {
    this.executions += 1;
    const text = textOf(userMessage);
    const controller = new AbortController();
    const publisher = new Publisher(bus, taskId, contextId, controller.signal);
    if (!task && text === "message") {
      bus.publish(AgentEvent.message({ ...publisher.message("just a message"), taskId: "" }));
      return;
    }
    this.tasks.set(taskId, { contextId, controller });
    try {
      if (task) {
        // The SDK wants every stream to start with a task.
        publisher.task(TaskState.TASK_STATE_WORKING, task.history);
        publisher.complete({ text: `answered: ${text}` });
      } else {
        publisher.task(TaskState.TASK_STATE_SUBMITTED, [userMessage]);
        await this.run(publisher, text);
      }
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  };

  async run(publisher, text) {
    if (text === "reject") return publisher.status(TaskState.TASK_STATE_REJECTED, "not today");
    publisher.status(TaskState.TASK_STATE_WORKING);
    switch (text) {
      case "json":
        return publisher.complete({ data: { n: 3, name: "x", list: [1, 2.5] } });
      case "chunks":
        for (const [index, chunk] of ["one ", "two ", "three"].entries()) {
          publisher.artifact({ text: chunk }, { artifactId: "a", append: index > 0, lastChunk: index === 2 });
          await publisher.sleep(100);
        }
        return publisher.status(TaskState.TASK_STATE_COMPLETED);
      case "ask":
        return publisher.status(TaskState.TASK_STATE_INPUT_REQUIRED, "Which city?");
      case "auth":
        // The credentials arrive by another way, so that the agent goes on by itself.
        publisher.status(TaskState.TASK_STATE_AUTH_REQUIRED, "Please sign in.");
        await publisher.sleep(500);
        return publisher.complete({ text: "authorised" });
      case "fail":
        return publisher.status(TaskState.TASK_STATE_FAILED, "no such archive");
      case "slow":
        await publisher.sleep(60_000);
        return publisher.status(TaskState.TASK_STATE_COMPLETED);
      case "soon":
        await publisher.sleep(1_000);
        return publisher.complete({ text: "soon done" });
      default:
        return publisher.complete({ text: text.replace(/^echo /, "") });
    }
  }

  cancelTask = async (taskId, bus) => {
    const { contextId, controller } = this.tasks.get(taskId);
    controller.abort();
    new Publisher(bus, taskId, contextId).status(TaskState.TASK_STATE_CANCELED);
  };
}

const port = Number(process.argv[2]);
const base = `http://127.0.0.1:${port}`;
const interfaces = [
  { url: `${base}/jsonrpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  { url: `${base}/rest`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
];
const modes = ["text/plain", "application/json"];
const agentCard = AgentCard.fromJSON({
  name: "JavaScript peer",
  description: "Does what the text of the message says.",
  version: "1.0.0",
  supportedInterfaces: process.env.A2A_BINDING === "rest" ? interfaces.slice(1) : interfaces,
  capabilities: { streaming: process.env.A2A_STREAMING !== "no", pushNotifications: false },
  defaultInputModes: modes,
  defaultOutputModes: modes,
  skills: [{ id: "obey", name: "Obey", description: "Does what it is told.", tags: ["test"] }],
});

const agent = new Agent();
const authorizations = new Set();
const requestHandler = new DefaultRequestHandler(agentCard, new InMemoryTaskStore(), agent);
const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
const app = express();
app.use((request, _, next) => {
  if (request.headers.authorization) authorizations.add(request.headers.authorization);
  next();
});
app.get("/executions", (_, response) => response.json(agent.executions));
app.get("/authorizations", (_, response) => response.json([...authorizations]));
app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
app.use("/jsonrpc", jsonRpcHandler(options));
app.use("/rest", restHandler(options));
app.listen(port, "127.0.0.1");
