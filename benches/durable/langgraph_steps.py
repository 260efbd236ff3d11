"""A chain of 100 nodes in LangGraph, with a checkpoint in PostgreSQL after each."""

import os
import statistics
import time
import uuid
from typing import TypedDict

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph

STEPS = 100
RUNS = 5


class State(TypedDict):
    count: int


def chain(saver):
    names = [f"node_{number}" for number in range(STEPS)]
    graph = StateGraph(State)
    for name in names:
        graph.add_node(name, lambda state: {"count": state["count"] + 1})
    for before, after in zip([START, *names], [*names, END]):
        graph.add_edge(before, after)
    return graph.compile(checkpointer=saver)


with PostgresSaver.from_conn_string(os.environ["URL"]) as saver:
    saver.setup()
    app = chain(saver)
    times = []
    for _ in range(RUNS):
        thread = {"configurable": {"thread_id": uuid.uuid4().hex}, "recursion_limit": 2 * STEPS}
        started = time.perf_counter()
        result = app.invoke({"count": 0}, thread, durability="sync")
        times.append((time.perf_counter() - started) * 1_000 / STEPS)
        assert result["count"] == STEPS
print(f"LangGraph, PostgresSaver, durability sync: {statistics.median(times):.2f} ms a step")
