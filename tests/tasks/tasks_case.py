"""TasksCase: a clone of a repository on the forge, with tasks, in which `kedge wm` is called.

Environment: KEDGE, the binary.
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
from line_process import kept_variables  # noqa: E402

KEDGE = os.environ["KEDGE"]
REPO = "harbor/tidepool"
R = f"/repos/{REPO}"
WAIT = 120


class TasksCase(ForgeCase):
    config = "version: 1\nengine: kedge\nmodel: claude-sonnet-5\n"

    made = None  # a clone that a test began with, and the commit of main that it has
    of_tip = None

    def setUp(self):
        if self.tip() != self.of_tip:  # as the first test finds it, or one before has pushed
            self.work = tempfile.mkdtemp(prefix="clone-", dir=self.home)
            self.git("clone", "-q", "-c", "core.checkStat=minimal", "-c", "core.trustctime=false", f"{self.url}/{REPO}.git", self.work)
            self.begin()
            type(self).made, type(self).of_tip = self.work, self.tip()
        self.work = tempfile.mkdtemp(prefix="work-", dir=self.home)
        shutil.copytree(self.made, self.work, symlinks=True, dirs_exist_ok=True)

    def begin(self):
        """What each test of the class begins with in its clone."""
        shutil.rmtree(os.path.join(self.work, ".wm"), ignore_errors=True)  # of the test before
        os.makedirs(os.path.join(self.work, ".wm/tasks"))
        self.write(".wm/config.yml", self.config)
        self.write(".wm/.gitignore", "runs/\n")

    def tip(self):
        return self.ok("GET", f"/_forge/refs?repo={REPO}")["refs/heads/main"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = cls.of_tip = None
        cls.env["GIT_CONFIG_GLOBAL"] = os.path.join(cls.home, "gitconfig")
        with open(cls.env["GIT_CONFIG_GLOBAL"], "w", encoding="utf-8") as file:
            file.write(f"""[credential]\n\thelper = "!f() {{ echo username=x-access-token; echo password={ALICE}; }}; f"\n"""
                       "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")

    def write(self, path, text, mode=0o644):
        path = os.path.join(self.work, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def commit(self):
        self.git("add", "-A", cwd=self.work)
        self.git("commit", "-qm", "Tasks", "--allow-empty", cwd=self.work)

    def publish(self, **tasks):
        """The tasks are on the default branch, where workers find them."""
        for name, text in tasks.items():
            self.write(f".wm/tasks/{name}.md", text)
        self.commit()
        self.git("pull", "-q", "--rebase", "origin", "main", cwd=self.work)
        self.git("push", "-q", "origin", "HEAD:main", cwd=self.work)

    def environment(self, **variables):
        return {**self.env, "PATH": PATH, "GITHUB_API_URL": self.url, "GITHUB_SERVER_URL": self.url, "GITHUB_REPOSITORY": REPO, "GH_TOKEN": ALICE,
                **variables, **kept_variables()}

    def kedge(self, *words, code=None, **variables):
        done = subprocess.run([KEDGE, "wm", *words], cwd=self.work, env=self.environment(**variables), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=WAIT)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        return done

    def model(self, *turns):
        """Variables for a kedge whose model answers so."""
        server = Model(self.home, turns)
        self.addCleanup(server.close)
        return {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-ant-made-up-0123456789"}

    def agent(self, script):
        """Variables for runs whose agent is a program."""
        path = os.path.join(tempfile.mkdtemp(prefix="agent-", dir=self.home), "agent")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\nset -euo pipefail\n" + script)
        os.chmod(path, 0o755)
        return {"WM_AGENT_CMD": path}

    def event(self, event):
        """The path of a payload."""
        event = {"repository": self.ok("GET", R), "sender": self.ok("GET", "/user"), **event}
        return self.write(".wm/runs/github-event.json", json.dumps(event))

    def issue(self, number):
        return self.ok("GET", f"{R}/issues/{number}")

    def labels(self, number):
        return [row["name"] for row in self.issue(number)["labels"]]

    def comments(self, number, task):
        marker = f"\n\n<!-- wm-agent:{task} -->"
        rows = self.ok("GET", f"{R}/issues/{number}/comments?per_page=100")
        return [row["body"].removesuffix(marker) for row in rows if row["body"].endswith(marker)]

    def new_issue(self, title="Wrong tide", **fields):
        return self.ok("POST", f"{R}/issues", {"title": title, **fields})["number"]


__all__ = ["ALICE", "KEDGE", "R", "REPO", "ROOT", "TasksCase", "WAIT"]
