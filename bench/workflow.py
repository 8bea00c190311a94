"""Tasks of a repository: what compiling many of them takes."""

import budgets
import measure

TASKS = 1000
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


def compile_tasks(lab, runs):
    folder = lab.dir / "repository/.wm/tasks"
    folder.mkdir(parents=True)
    for number in range(TASKS):
        (folder / f"task-{number}.md").write_text(TASK.format(number, "Do it well. " * 100))
    argv = ["env", "-C", str(folder.parents[1]), lab.kedge, "wm", "compile"]
    done = [measure.run(argv, lab.env()) for _ in range(runs)]
    yield budgets.Row("kedge wm compile, 1,000 tasks: wall", [run.wall_ms for run in done], "ms", 50)
    yield budgets.Row("kedge wm compile, 1,000 tasks: own CPU", [run.cpu_ms for run in done], "ms")


MEASUREMENTS = {"wm-compile": compile_tasks}
