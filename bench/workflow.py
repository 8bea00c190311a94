"""Tasks of a repository: what it takes to compile many of them, to find those that an event starts, and to work off a queue of runs."""

import contextlib
import os
import pathlib
import sys

import budgets
import measure

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/tasks"))
from load import Load  # noqa: E402

TASKS = 1000
EVENTS = int(os.environ.get("EVENTS", "300"))  # EVENTS=10000: a busy repository's day, which takes an hour
TASK = """---
description: Task {0}
on:
  issues:
    types: [labeled]
    labels: [label-{0}]
  slash_command: command-{0}
  schedule: daily
safe-outputs:
  add-comment: {{max: 2}}
---
# Do it

Issue #${{{{ github.event.issue.number }}}}: ${{{{ wm.sanitized.text }}}}

{1}
"""


def repository(lab):
    folder = lab.dir / "repository/.wm/tasks"
    if not folder.exists():
        folder.mkdir(parents=True)
        for number in range(TASKS):
            (folder / f"task-{number}.md").write_text(TASK.format(number, "Do it well. " * 100))
    return folder.parents[1]


def run_there(lab, arguments, runs):
    """In the repository: what starts it is not measured with it."""
    argv = [os.path.abspath(lab.kedge), *arguments]
    with contextlib.chdir(repository(lab)):
        return [measure.run(argv, lab.env()) for _ in range(runs)]


def compile_tasks(lab, runs):
    done = run_there(lab, ["wm", "compile"], runs)
    yield budgets.Row("kedge wm compile, 1,000 tasks: wall", [run.wall_ms for run in done], "ms", 50)
    yield budgets.Row("kedge wm compile, 1,000 tasks: own CPU", [run.cpu_ms for run in done], "ms")


def resolve_event(lab, runs):
    payload = lab.dir / "event.json"
    payload.write_text('{"action": "labeled", "label": {"name": "label-7"}, "issue": {"number": 1}}')
    done = run_there(lab, ["wm", "resolve", "--event-name", "issues", "--payload", str(payload)], runs)
    note = "files are parsed by up to four threads"
    yield budgets.Row("kedge wm resolve, 1,000 tasks: wall", [run.wall_ms for run in done], "ms", 20, note=note)
    yield budgets.Row("kedge wm resolve, 1,000 tasks: own CPU", [run.cpu_ms for run in done], "ms")


def work_off(lab, runs):
    folder = lab.dir / "queue"
    folder.mkdir()
    done = Load(os.path.abspath(lab.kedge), str(folder), events=EVENTS, workers=os.cpu_count() or 1).run()
    note = f"{done['workers']} workers, {done['jobs']} runs at once each; {done['twice']} done twice, {done['lost']} lost"
    yield budgets.Row(f"kedge wm enqueue, {EVENTS} events: each", [1000 / done["enqueued_per_s"]], "ms")
    yield budgets.Row(f"kedge wm worker, {EVENTS} runs: each", [1000 / done["runs_per_s"]], "ms", 2000, note=note, problem=done["problem"])


MEASUREMENTS = {"wm-compile": compile_tasks, "wm-resolve": resolve_event, "wm-queue": work_off}
