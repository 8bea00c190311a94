"""The task queue and the page of Arcade: what they sustain."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

import budgets

PICKUPS = 2000
PROCESSES, TASKS = 16, 2000
TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"


def pickups(lab, runs):
    """One process, one call after another; each pickup is a durable commit (synchronous=FULL)."""
    values, own = [], []
    for _ in range(max(1, runs // 7)):
        place = lab.dir / "queue"
        place.mkdir()
        with lab.mcp("--tools", "agent-tools", KEDGE_TASK_DB=str(place / "queue.db")) as server:
            for number in range(PICKUPS):
                server.call("task_create", type="bench", description=f"task {number}")
            cpu, began = budgets.measure.cpu_ms_of(server.pid), time.perf_counter()
            for _ in range(PICKUPS):
                server.call("task_pickup", worker="bench")
            values.append(1000 * (time.perf_counter() - began) / PICKUPS)
            own.append((budgets.measure.cpu_ms_of(server.pid) - cpu) / PICKUPS)
        shutil.rmtree(place)
    yield budgets.Row("queue, SQLite: one pickup of 2,000", values, "ms", 1, note="client included; 1 ms is 1,000 a second")
    yield budgets.Row("queue, SQLite: own CPU of a pickup", own, "ms")


def stress(lab, what, *command):
    """Seconds that the processes took for all tasks, by the stress test's own account; it fails when one is lost."""
    done = subprocess.run([sys.executable, *command, "--kedge", lab.kedge, "--processes", str(PROCESSES), "--tasks", str(TASKS),
                           "--only", "mcp workers"], capture_output=True, text=True, timeout=600, check=False)
    found = re.search(r"processes in ([\d.]+) s", done.stdout)
    problem = "" if done.returncode == 0 and "not ok" not in done.stdout else done.stdout[-400:]
    if not found:
        return
    yield budgets.Row(f"queue, {what}: 2,000 tasks, 16 processes", [float(found.group(1))], "s", problem=problem,
                      note="each done once, half of them depend on another")


def many_workers(lab, _runs):
    yield from stress(lab, "SQLite", TESTS / "stress/task_stress.py")
    yield from stress(lab, "PostgreSQL", TESTS / "stress/on_postgres.py", "task_stress.py")


def page(lab, _runs):
    """A 2 MB artifact in Chromium, from navigation to its text."""
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        return
    done = subprocess.run([sys.executable, TESTS / "browser/measure.py", "--kedge", lab.kedge], capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode != 0:
        raise budgets.measure.BenchError(done.stderr[-400:] or done.stdout[-400:])
    figures = json.loads(done.stdout.splitlines()[-1])
    yield budgets.Row("Arcade: 2 MB of source in Chromium", [figures["source_ms"]], "ms", 1000)
    yield budgets.Row("Arcade: 2 MB of Markdown in Chromium", [figures["rendered_ms"]], "ms", 1000)


MEASUREMENTS = {"pickups": pickups, "workers": many_workers, "page": page}
