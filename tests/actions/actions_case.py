"""ActionsCase: a repository on the forge with tasks, whose generated workflow runs as on GitHub (runner.mjs).

Environment: KEDGE, the binary; KEDGE_NPM, the folder that tools/npm-peers filled (default: npm beside the binary).
Without node or the packages every test is skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/servers"))
sys.path.insert(0, str(ROOT / "tests/rpc"))
from forge.testcase import ALICE, PATH, ForgeCase  # noqa: E402
from client import Model  # noqa: E402

KEDGE = os.environ["KEDGE"]
MODULES = str(pathlib.Path(os.environ.get("KEDGE_NPM", pathlib.Path(KEDGE).resolve().parent / "npm")) / "node_modules")
IS_POSSIBLE = shutil.which("node") is not None and os.path.isdir(os.path.join(MODULES, "@actions/workflow-parser"))
REPO = "harbor/tidepool"
RUN_SECONDS = 280
KEPT_VARIABLES = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "G_SLICE")


class ActionsCase(ForgeCase):
    """A forge for each class; `self.work` is a clone of the repository, made anew for each test."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = os.path.join(cls.home, "programs")
        os.makedirs(cls.programs)
        os.symlink(KEDGE, os.path.join(cls.programs, "kedge"))

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="work-", dir=self.home)
        self.git("clone", "-q", f"{self.url}/{REPO}.git", self.work)
        self.extra = {}
        self.smuggled = {}  # files that are in every artifact, by name

    # --- the repository

    def write(self, path, text, mode=0o644):
        full = os.path.join(self.work, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(full, mode)

    def kedge(self, *words, code=0):
        environment = {**self.env, "PATH": f"{self.programs}:{PATH}"}
        environment.update({name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ})
        done = subprocess.run([KEDGE, *words], cwd=self.work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def publish(self, config, **tasks):
        """Tasks and their workflow on the default branch, which is otherwise as it was."""
        shutil.rmtree(os.path.join(self.work, ".wm"), ignore_errors=True)
        self.write(".wm/config.yml", config)
        for name, text in tasks.items():
            self.write(f".wm/tasks/{name.replace('_', '-')}.md", text)
        return self.publish_more()

    def publish_more(self):
        """What stands in the clone, with the workflow that its tasks need."""
        self.kedge("wm", "compile")
        self.kedge("wm", "compile", "--check")
        self.git("add", "-A", cwd=self.work)
        self.git("commit", "-qm", "Tasks", "--allow-empty", cwd=self.work)
        self.git("push", "-q", "origin", "HEAD:main", cwd=self.work)
        return self.git("rev-parse", "HEAD", cwd=self.work).stdout.strip()

    # --- events

    def comment_event(self, number, body):
        comment = self.ok("POST", f"/repos/{REPO}/issues/{number}/comments", {"body": body})
        return "issue_comment", {"action": "created", "comment": comment, "issue": self.ok("GET", f"/repos/{REPO}/issues/{number}")}

    def run_workflow(self, sha, event_name, event):
        """What the runner says: {"result", "jobs": [{"name", "result", "steps", "log", …}], "summary"}."""
        folder = tempfile.mkdtemp(prefix="run-", dir=self.home)
        event = {**event, "repository": self.ok("GET", f"/repos/{REPO}"), "sender": self.ok("GET", "/user")}
        environment = {"PATH": f"{self.programs}:{PATH}", "LC_ALL": "C.UTF-8", "TZ": "UTC", "GIT_CONFIG_NOSYSTEM": "1", **self.extra}
        environment.update({name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ})
        plan = {
            "folder": folder, "forge": self.url, "repository": REPO, "repository_folder": self.work, "ref": "refs/heads/main", "sha": sha,
            "workflow": ".github/workflows/wm-agent.yml", "event_name": event_name, "event": event, "actor": "alice",
            "secrets": {"ANTHROPIC_API_KEY": "sk-ant-made-up-0123456789"}, "environment": environment, "actions": {"kedge-dev/kedge": str(ROOT)},
            "smuggled": self.smuggled,
        }
        path = os.path.join(folder, "plan.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(plan, file)
        done = subprocess.run(["node", str(ROOT / "tests/actions/runner.mjs"), path], env={"PATH": PATH, "HOME": self.home, "ACTIONS_MODULES": MODULES},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RUN_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def job(self, run, name):
        found = [job for job in run["jobs"] if job["name"] == name]
        self.assertEqual(len(found), 1, [job["name"] for job in run["jobs"]])
        return found[0]

    def outcomes(self, run):
        return {job["name"]: job["result"] for job in run["jobs"]}

    # --- agents

    def agent(self, script):
        """A program that is the agent of the runs to come; it gets the prompt as its argument."""
        path = os.path.join(tempfile.mkdtemp(prefix="agent-", dir=self.home), "agent")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\nset -euo pipefail\n" + script)
        os.chmod(path, 0o755)
        self.extra["WM_AGENT_CMD"] = path

    def model(self, *turns):
        server = Model(self.home, turns)
        self.addCleanup(server.close)
        self.extra["ANTHROPIC_BASE_URL"] = server.url
        return server

    # --- what became of it

    def comments(self, number):
        return [row for row in self.ok("GET", f"/repos/{REPO}/issues/{number}/comments?per_page=100") if "wm-agent:" in row["body"]]

    def pulls(self):
        return [row for row in self.ok("GET", f"/repos/{REPO}/pulls?state=all&per_page=100") if row["head"]["ref"].startswith("wm/")]


__all__ = ["ALICE", "ActionsCase", "IS_POSSIBLE", "KEDGE", "REPO"]
