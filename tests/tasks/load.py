#!/usr/bin/env python3
"""Many events through `kedge wm enqueue` and `kedge wm worker`: how fast, and is each run done once?

A repository of its own on this disk, an agent that writes its number down, the queue in SQLite unless told otherwise. Nothing is
asked of GitHub. As a program: load.py KEDGE [--events N] [--workers N] [--jobs N] [--enqueuers N] [--db STORE]; prints the figures
as JSON, and fails if a run was lost or done twice.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import time

REPO = "o/r"
TASK = "---\non: {issues: {types: [opened]}}\n---\nNote it.\n"
AGENT = '#!/bin/sh\necho "$WM_ISSUE_NUMBER" >>"$LOAD_DONE"\n'


@dataclasses.dataclass
class Load:
    kedge: str
    folder: str
    events: int = 10000
    workers: int = 4
    jobs: int = 2
    enqueuers: int = 4
    db: str = ""
    patience_s: int = 24 * 3600

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def env(self):
        env = {key: os.environ[key] for key in ("PATH", "LANG", "G_SLICE", "ASAN_OPTIONS", "TSAN_OPTIONS") if key in os.environ}
        home = self.path("home")
        return {**env, "HOME": home, "TMPDIR": self.path("tmp"), "GITHUB_REPOSITORY": REPO, "WM_AGENT_CMD": self.path("agent"), "LOAD_DONE": self.path("done"),
                "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A",
                "GIT_COMMITTER_EMAIL": "a@example.com"}

    def call(self, *argv, cwd=None):
        done = subprocess.run(argv, cwd=cwd or self.folder, env=self.env(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=self.patience_s)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(argv)}: {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def prepare(self):
        for name in ("home", "tmp", "events"):
            os.makedirs(self.path(name))
        self.db = self.db or self.path("queue.db")
        with open(self.path("agent"), "w", encoding="utf-8") as file:
            file.write(AGENT)
        os.chmod(self.path("agent"), 0o755)
        self.call("git", "init", "-q", "-b", "main", "--bare", "origin")
        self.call("git", "clone", "-q", "origin", "work")
        work = self.path("work")
        os.makedirs(os.path.join(work, ".wm/tasks"))
        for name, text in (("tasks/note.md", TASK), (".gitignore", "runs/\n")):
            with open(os.path.join(work, ".wm", name), "w", encoding="utf-8") as file:
                file.write(text)
        self.call("git", "checkout", "-q", "-B", "main", cwd=work)
        self.call("git", "add", "-A", cwd=work)
        self.call("git", "commit", "-qm", "A task", cwd=work)
        self.call("git", "push", "-q", "origin", "main", cwd=work)

    def enqueue(self, number):
        path = self.path("events", f"{number}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"action": "opened", "issue": {"number": number, "title": f"Number {number}"}, "sender": {"login": "alice", "type": "User"}}, file)
        rows = json.loads(self.call(self.kedge, "wm", "enqueue", "--event-name", "issues", "--payload", path, "--db", self.db, cwd=self.path("work")))
        if [row["created"] for row in rows] != [True]:
            raise RuntimeError(f"event {number}: {rows}")

    def work(self):
        """The ends of the workers. An error is told by what they said last."""
        processes = []
        for number in range(self.workers):
            with open(self.path(f"worker-{number}"), "w", encoding="utf-8") as log:
                argv = [self.kedge, "wm", "worker", "--jobs", str(self.jobs), "--idle", "0", "--db", self.db]
                processes.append(subprocess.Popen(argv, cwd=self.path("work"), env=self.env(), stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        try:
            return [process.wait(self.patience_s) for process in processes]
        finally:
            for process in processes:
                if process.poll() is None:
                    process.terminate()
                    process.wait()

    def said(self):
        return "".join(open(self.path(f"worker-{number}"), encoding="utf-8").read()[-2000:] for number in range(self.workers))

    def run(self):
        """The figures; `problem` is "" when each run was done just once."""
        self.prepare()
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.enqueuers) as pool:
            list(pool.map(self.enqueue, range(1, self.events + 1)))
        enqueued = time.monotonic()
        ends = self.work()
        worked = time.monotonic()
        stats = json.loads(self.call(self.kedge, "agent-tools", "task", "stats", "--db", self.db))["data"]
        with open(self.path("done"), encoding="utf-8") as file:
            numbers = [int(line) for line in file]
        twice, lost = len(numbers) - len(set(numbers)), self.events - len(set(numbers))
        is_good = not twice and not lost and not any(ends) and stats["completed"] == self.events and not any(
            stats[status] for status in ("pending", "in_progress", "failed"))
        return {"events": self.events, "workers": self.workers, "jobs": self.jobs, "enqueue_s": round(enqueued - begun, 1), "work_s": round(worked - enqueued, 1),
                "enqueued_per_s": round(self.events / (enqueued - begun), 1), "runs_per_s": round(self.events / (worked - enqueued), 2), "twice": twice,
                "lost": lost, "stats": stats, "problem": "" if is_good else f"exit codes {ends}; {self.said()}"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kedge", type=os.path.abspath)
    for name, value in (("events", 10000), ("workers", 4), ("jobs", 2), ("enqueuers", 4)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--db", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kedge-load-") as folder:
        figures = Load(folder=folder, **vars(options)).run()
    print(json.dumps(figures, indent=2))
    return 1 if figures["problem"] else 0


if __name__ == "__main__":
    sys.exit(main())
