"""A workflow of 100 steps in DBOS, each of which is recorded in PostgreSQL."""

import os
import statistics
import time

from dbos import DBOS, DBOSConfig

STEPS = 100
RUNS = 5

DBOS(
    config=DBOSConfig(
        name="durable-steps",
        system_database_url=os.environ["URL"],
        log_level="ERROR",
        run_admin_server=False,
    )
)


@DBOS.step()
def count(number: int) -> int:
    return number + 1


@DBOS.workflow()
def chain() -> int:
    number = 0
    for _ in range(STEPS):
        number = count(number)
    return number


DBOS.launch()
times = []
for _ in range(RUNS):
    started = time.perf_counter()
    assert chain() == STEPS
    times.append((time.perf_counter() - started) * 1_000 / STEPS)
print(f"DBOS: {statistics.median(times):.2f} ms a step")
DBOS.destroy()
