#!/usr/bin/env python3
"""Workers that share runs through a queue: each run is done once, by one of them, whoever dies.

Environment: KEDGE, the binary.
"""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tasks_case import ALICE, KEDGE, R, REPO, ROOT, TasksCase, WAIT  # noqa: E402

ANSWER = "---\non: {issues: {types: [opened]}}\nsafe-outputs: {add-comment: {max: 2}}\n---\nAnswer.\n"
FIX = "---\non: {slash_command: fix}\nsafe-outputs: {create-pull-request: }\n---\nFix.\n"
COMMENT = 'kedge wm emit add-comment --body "from $WM_ISSUE_NUMBER"\n'


class Worker(TasksCase):
    def setUp(self):
        super().setUp()
        self.db = os.path.join(tempfile.mkdtemp(prefix="queue-", dir=self.home), "queue.db")

    def begin(self):
        super().begin()
        self.publish(answer=ANSWER, fix=FIX)

    def enqueue(self, event_name, event, **variables):
        done = self.kedge("enqueue", "--event-name", event_name, "--payload", self.event(event), "--db", self.db, code=0, **variables)
        return json.loads(done.stdout)

    def opened(self, number):
        return "issues", {"action": "opened", "issue": self.issue(number)}

    def worker(self, *words, **variables):
        """One that goes on until it is ended."""
        log = tempfile.NamedTemporaryFile(mode="w+", prefix="worker-", dir=self.home, delete=False)
        self.addCleanup(log.close)
        process = subprocess.Popen([KEDGE, "wm", "worker", "--db", self.db, *words], cwd=self.work, env=self.environment(**variables),
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log, text=True)
        process.log = log.name
        self.addCleanup(self.end, process)
        return process

    def end(self, process, number=signal.SIGTERM):
        if process.poll() is None:
            process.send_signal(number)
        return process.wait(WAIT)

    def parent_of(self, process):
        """None: it has ended."""
        with contextlib.suppress(OSError), open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            state, parent = file.read().rpartition(")")[2].split()[:2]
            return None if state == "Z" else int(parent)

    def lives(self, process):
        return self.parent_of(process) is not None

    def children(self, parent):
        """Process ids of those that live."""
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and self.parent_of(name) == parent]

    def said(self, process):
        with open(process.log, encoding="utf-8") as file:
            return file.read()

    def until(self, condition, what, pause=0.05):
        end = time.monotonic() + WAIT
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(pause)

    def until_all_are(self, status, what):
        self.until(lambda: self.statuses() == [status], what, pause=0.3)  # a process each time

    def rows(self):
        done = subprocess.run([KEDGE, "agent-tools", "task", "list", "--type", f"wm:{REPO}", "--db", self.db, "--compact", "--limit", "100"], cwd=self.work,
                              env=self.environment(), capture_output=True, text=True, timeout=WAIT, check=True)
        return json.loads(done.stdout)["data"]

    def statuses(self):
        return sorted(row["status"] for row in self.rows())

    def run_dirs(self):
        return sorted(name for name in os.listdir(os.path.join(self.home, "tmp")) if name.startswith("kedge-run-"))

    # --- what comes in

    def test_an_event_that_comes_twice_is_added_once(self):
        number = self.new_issue()
        event = self.opened(number)
        first, second = self.enqueue(*event), self.enqueue(*event)
        self.assertEqual([row["created"] for row in first + second], [True, False])
        self.assertEqual(first[0]["id"], second[0]["id"])
        self.assertEqual(self.enqueue("push", {}), [])

    def test_what_has_the_same_payload_each_time(self):
        self.publish(nightly="---\non: {schedule: daily, workflow_dispatch: }\n---\nLook.\n")

        def created(event_name, *words, **variables):
            done = self.kedge("enqueue", "--event-name", event_name, "--payload", self.event({}), "--db", self.db, *words, code=0, **variables)
            return [row["created"] for row in json.loads(done.stdout)]

        for name in ("schedule", "workflow_dispatch"):
            self.assertEqual(created(name, GITHUB_RUN_ID="7001"), [True])
            self.assertEqual(created(name, GITHUB_RUN_ID="7001"), [False])
            self.assertEqual(created(name, GITHUB_RUN_ID="7002"), [True])
            self.assertEqual(created(name, "--delivery", f"of {name} 1"), [True])
            self.assertEqual(created(name, "--delivery", f"of {name} 1"), [False])
            self.assertEqual(created(name, "--issue", "12", GITHUB_RUN_ID="7001"), [True])

    def test_a_task_that_cannot_be_read_keeps_back_no_other(self):
        self.publish(broken="---\non: [\n---\nNever.\n")
        number = self.new_issue()
        (name, event) = self.opened(number)
        done = self.kedge("enqueue", "--event-name", name, "--payload", self.event(event), "--db", self.db, code=0)
        self.assertEqual([row["task"] for row in json.loads(done.stdout)], ["answer"])
        self.assertRegex(done.stderr, r"(?m)^wm: broken\.md: .*line \d.*; skipped$")
        os.unlink(os.path.join(self.work, ".wm/tasks/broken.md"))
        self.publish()

    # --- what is done

    def test_a_number_that_was_given(self):
        number = self.new_issue()
        self.kedge("enqueue", "--force-task", "answer", "--issue", str(number), "--event-name", "workflow_dispatch", "--payload",
                   self.event({"inputs": {"task_name": "answer"}}), "--db", self.db, code=0)
        done = self.worker("--idle", "0", **self.agent(COMMENT))
        self.assertEqual(done.wait(WAIT), 0, self.said(done))
        self.assertEqual(self.comments(number, "answer"), [f"from {number}"])

    def test_many_runs_and_two_workers(self):
        numbers = [self.new_issue(f"Number {i}") for i in range(6)]
        for number in numbers:
            self.enqueue(*self.opened(number))
        agent = self.agent(COMMENT)
        before = self.run_dirs()
        workers = [self.worker("--jobs", "2", "--idle", "1", **agent) for _ in range(2)]
        for process in workers:
            self.assertEqual(process.wait(WAIT), 0, self.said(process))
        for number in numbers:
            self.assertEqual(self.comments(number, "answer"), [f"from {number}"])
        self.assertEqual(self.statuses(), ["completed"] * 6)
        result = self.rows()[0]["result"]
        self.assertEqual([output["status"] for output in result["outputs"]], ["applied"])
        self.assertTrue(os.path.isfile(os.path.join(result["run_dir"], "result.json")))
        self.assertEqual(self.run_dirs(), before)

    def test_a_pull_request_from_clones(self):
        comment = self.ok("POST", f"{R}/issues/12/comments", {"body": "/fix"})
        self.enqueue("issue_comment", {"action": "created", "comment": comment, "issue": self.issue(12)})
        agent = self.agent("echo more >> README.md\ngit -c user.name=A -c user.email=a@example.com commit -qam 'Say more'\n"
                           "git config core.sshCommand false\nkedge wm emit create-pull-request --title 'Say more' --body B\n")
        before = self.git("rev-parse", "HEAD", cwd=self.work).stdout
        done = self.worker("--idle", "0", **agent)
        self.assertEqual(done.wait(WAIT), 0, self.said(done))
        (pull,) = [row for row in self.ok("GET", f"{R}/pulls") if row["title"] == "Say more"]
        self.assertRegex(pull["head"]["ref"], "^wm/fix-")
        self.assertEqual(self.git("rev-parse", "HEAD", cwd=self.work).stdout, before)
        self.assertEqual(self.git("config", "--get", "core.sshCommand", cwd=self.work, check=False).stdout, "")

    def test_commits_that_are_on_no_branch_of_their_own(self):
        """An agent that works on the default branch, or on none: what it committed is in its pull request all the same."""
        for how in ("main", "--detach"):
            comment = self.ok("POST", f"{R}/issues/12/comments", {"body": f"/fix {how}"})
            self.enqueue("issue_comment", {"action": "created", "comment": comment, "issue": self.issue(12)})
            agent = self.agent(f"git checkout -q {how}\necho more >> README.md\ngit -c user.name=A -c user.email=a@example.com commit -qam 'On {how}'\n"
                               f"kedge wm emit create-pull-request --title 'On {how}' --body B\n")
            done = self.worker("--idle", "0", **agent)
            self.assertEqual(done.wait(WAIT), 0, self.said(done))
            (pull,) = [row for row in self.ok("GET", f"{R}/pulls") if row["title"] == f"On {how}"]
            self.git("fetch", "-q", "origin", pull["head"]["ref"], cwd=self.work)
            self.assertEqual(self.git("log", "-1", "--format=%s", "FETCH_HEAD", cwd=self.work).stdout.strip(), f"On {how}")

    def test_a_default_branch_of_another_name(self):
        """Where the event does not tell it, the checkout does: commits go to a branch of their own, and from there into a pull request."""
        for words in (["branch", "-q", "-m", "trunk"], ["push", "-q", "-u", "origin", "trunk"], ["remote", "set-head", "origin", "trunk"]):
            self.git(*words, cwd=self.work)
        self.addCleanup(self.git, "push", "-q", "origin", ":trunk", cwd=self.work)
        comment = self.ok("POST", f"{R}/issues/12/comments", {"body": "/fix"})
        event = {"action": "created", "comment": comment, "issue": self.issue(12), "repository": {"full_name": REPO}}
        self.enqueue("issue_comment", event)
        agent = self.agent("echo more >> README.md\ngit -c user.name=A -c user.email=a@example.com commit -qam 'Say more'\n"
                           "kedge wm emit create-pull-request --title 'Of the trunk' --body B\n")
        done = self.worker("--idle", "0", **agent)
        self.assertEqual(done.wait(WAIT), 0, self.said(done))
        pulls = [row for row in self.ok("GET", f"{R}/pulls") if row["title"] == "Of the trunk"]
        self.assertEqual([row["base"]["ref"] for row in pulls], ["trunk"], self.said(done))

    def test_an_agent_that_would_choose_its_policy(self):
        """What lies around its clone, and what its run directory says, are no policy and no event."""
        wide = "---\\nsafe-outputs: {create-issue: , add-comment: {target: '*'}}\\n---\\nx\\n"
        self.publish(wide=wide.replace("\\n", "\n"))
        number, other = self.new_issue(), self.new_issue()
        self.enqueue(*self.opened(number))
        script = f"""
        for place in ../trusted ../policy; do
            mkdir -p $place/.wm/tasks
            for name in answer wide; do printf %b "{wide}" >$place/.wm/tasks/$name.md; done
            git -C $place add -A >/dev/null 2>&1 && git -C $place -c user.name=A -c user.email=a@b.c commit -qm Wide >/dev/null 2>&1 || true
        done
        printf '{{"action":"opened","issue":{{"number":{other}}}}}' >../event.json
        sed -i 's/"task_name": "answer"/"task_name": "wide"/' "$KEDGE_WM_RUN_DIR/meta.json"
        printf '%s\\n' '{{"type":"create_issue","title":"Mine"}}' '{{"type":"add_comment","body":"here"}}' >>"$WM_SAFE_OUTPUT_FILE"
        """
        before = len(self.ok("GET", f"{R}/issues?state=all&per_page=100"))
        done = self.worker("--idle", "0", **self.agent(script))
        done.wait(WAIT)
        self.assertEqual(len(self.ok("GET", f"{R}/issues?state=all&per_page=100")), before, self.said(done))
        self.assertEqual((self.comments(number, "answer"), self.comments(other, "answer")), (["here"], []), self.said(done))
        self.assertEqual(self.comments(other, "wide"), [])

    def test_an_agent_that_looked_at_another_commit(self):
        number = self.new_issue()
        self.enqueue(*self.opened(number))
        done = self.worker("--idle", "0", **self.agent("git checkout -q --detach\n" + COMMENT))
        self.assertEqual(done.wait(WAIT), 0, self.said(done))
        self.assertEqual(self.comments(number, "answer"), [f"from {number}"])

    def test_the_agent_has_a_token_of_its_own(self):
        number = self.new_issue()
        self.enqueue(*self.opened(number))
        agent = self.agent('[ "${GITHUB_TOKEN:-}" = "" ] && kedge wm emit add-comment --body "${GH_TOKEN:0:10} ${KEDGE_WM_AGENT_TOKEN:-none}"\n')
        done = self.worker("--idle", "0", KEDGE_WM_AGENT_TOKEN="readonly00" + "0" * 30, **agent)
        self.assertEqual(done.wait(WAIT), 0, self.said(done))
        self.assertEqual(self.comments(number, "answer"), ["readonly00 none"])

    def test_an_agent_that_fails(self):
        self.enqueue(*self.opened(self.new_issue()))
        done = self.worker("--idle", "0", **self.agent("exit 3\n"))
        self.assertEqual(done.wait(WAIT), 1, self.said(done))
        (row,) = self.rows()
        self.assertEqual((row["status"], row["attempts"]), ("failed", 1))
        self.assertIn("exit status 3", row["error"])

    def test_many_jobs_of_one_checkout_fetch_at_once(self):
        """Somebody pushes meanwhile, so that each fetch moves a branch of the checkout."""
        numbers = [self.new_issue() for _ in range(8)]
        for number in numbers:
            self.enqueue(*self.opened(number))
        other = tempfile.mkdtemp(prefix="other-", dir=self.home)
        self.git("clone", "-q", f"{self.url}/{REPO}.git", other)
        worker = self.worker("--jobs", "8", "--idle", "1", **self.agent(COMMENT))
        while worker.poll() is None:
            self.git("commit", "-q", "--allow-empty", "-m", "More", cwd=other)
            self.git("push", "-q", "origin", "HEAD:main", cwd=other)
        self.assertEqual(worker.wait(WAIT), 0, self.said(worker))
        self.assertEqual([(row["status"], row["attempts"]) for row in self.rows()], [("completed", 1)] * 8, self.said(worker))

    def test_rows_that_are_no_runs(self):
        for payload in ("{}", "[]", '{"task":"answer","event_name":"issues"}', '{"task":7,"event_name":"issues","event":{}}'):
            subprocess.run([KEDGE, "agent-tools", "task", "create", "--type", f"wm:{REPO}", "--description", "odd", "--payload", payload, "--db", self.db],
                           cwd=self.work, env=self.environment(), stdout=subprocess.DEVNULL, timeout=WAIT, check=True)
        number = self.new_issue()
        self.enqueue(*self.opened(number))
        done = self.worker("--idle", "0", **self.agent(COMMENT))
        self.assertEqual(done.wait(WAIT), 1, self.said(done))
        self.assertEqual(self.statuses(), ["completed"] + ["failed"] * 4)
        self.assertEqual(self.comments(number, "answer"), [f"from {number}"])

    def test_a_queue_that_does_not_answer_is_not_an_empty_one(self):
        done = subprocess.run([KEDGE, "wm", "worker", "--db", "/proc/none/at/all.db", "--idle", "0"], cwd=self.work,
                              env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no answer from the queue", done.stderr)

    def test_no_way_to_the_repository(self):
        """It is nobody's fault: the run loses none of its attempts, and is done when the way is there."""
        number = self.new_issue()
        self.enqueue(*self.opened(number))
        self.git("remote", "set-url", "origin", "http://127.0.0.1:1/none.git", cwd=self.work)
        done = self.worker("--idle", "0", **self.agent(COMMENT))
        self.assertEqual(done.wait(WAIT), 1, self.said(done))
        self.assertIn("0 done, 0 failed, 1 given back", self.said(done))
        (row,) = self.rows()
        self.assertEqual((row["status"], row["attempts"]), ("pending", 0))
        self.git("remote", "set-url", "origin", f"{self.url}/{REPO}.git", cwd=self.work)
        done = self.worker("--idle", "0", **self.agent(COMMENT))
        self.assertEqual(done.wait(WAIT), 0, self.said(done))
        self.assertEqual(self.comments(number, "answer"), [f"from {number}"])

    # --- who dies

    def test_an_agent_that_does_not_mind_ends_with_its_worker(self):
        self.enqueue(*self.opened(self.new_issue()))
        pid = os.path.join(self.home, f"pid-{self.id()}")
        agent = self.agent(f'trap "" TERM\necho $$ > {pid}.new && mv {pid}.new {pid}\nwhile :; do sleep 0.1; done\n')
        worker = self.worker(**agent)
        self.until(lambda: os.path.exists(pid), "the agent does not begin")
        self.assertEqual(self.end(worker), 143, self.said(worker))
        with open(pid, encoding="utf-8") as file:
            self.assertFalse(os.path.exists(f"/proc/{int(file.read())}"), "the agent lives on")
        (row,) = self.rows()
        self.assertEqual((row["status"], row["attempts"]), ("pending", 0))

    def test_a_run_that_somebody_else_has_by_now(self):
        """What a worker has lost it does not write, though it does not know of it until then."""
        number = self.new_issue()
        self.enqueue(*self.opened(number))
        gate, begun, agent = self.slow_agent()
        worker = self.worker("--lease", "3600", **agent)  # the lease is looked at every 20 minutes
        self.until(lambda: os.path.exists(begun), "the agent does not begin")
        (row,) = self.rows()
        subprocess.run([KEDGE, "agent-tools", "task", "cancel", "--id", str(row["id"]), "--db", self.db], cwd=self.work, env=self.environment(),
                       stdout=subprocess.DEVNULL, timeout=WAIT, check=True)
        open(gate, "w", encoding="utf-8").close()
        self.until(lambda: "taken away" in self.said(worker), "it goes on")
        self.end(worker)
        self.assertEqual(self.comments(number, "answer"), [])
        self.assertEqual(self.statuses(), ["cancelled"])

    def slow_agent(self):
        gate, begun = os.path.join(self.home, f"go-{self.id()}"), os.path.join(self.home, f"begun-{self.id()}")
        return gate, begun, self.agent(f'echo >> {begun}\nuntil [ -e {gate} ]; do sleep 0.05; done\n{COMMENT}')

    def test_a_worker_that_is_killed(self):
        number = self.new_issue()
        self.enqueue(*self.opened(number))
        gate, begun, agent = self.slow_agent()
        first = self.worker("--lease", "10", **agent)
        self.until(lambda: os.path.exists(begun), "the agent does not begin")
        runs = self.children(first.pid)
        self.assertTrue(runs)
        self.end(first, signal.SIGKILL)
        self.until(lambda: not any(map(self.lives, runs)), "its run goes on")
        open(gate, "w", encoding="utf-8").close()
        second = self.worker("--lease", "10", "--idle", "20", **agent)
        self.until_all_are("completed", "nobody takes it")
        self.end(second)
        self.assertEqual(self.comments(number, "answer"), [f"from {number}"])
        self.assertEqual(self.rows()[0]["attempts"], 2)

    def test_a_worker_that_is_killed_while_it_writes(self):
        number = self.new_issue()
        self.enqueue(*self.opened(number))
        self.ok("POST", "/_forge/faults", {"match": {"method": "POST", "path": f"issues/{number}/comments"}, "after": 1, "times": 1, "delay_ms": 60000})
        agent = self.agent(COMMENT + COMMENT.replace("from", "and from"))
        first = self.worker("--lease", "10", **agent)
        self.until(lambda: self.comments(number, "answer"), "nothing is written")
        os.kill(first.pid, signal.SIGSTOP)  # it sees none of them end
        for child in self.children(first.pid):
            os.kill(child, signal.SIGKILL)
        self.end(first, signal.SIGKILL)
        self.ok("DELETE", "/_forge/faults")
        second = self.worker("--lease", "10", "--idle", "20", **agent)
        self.until_all_are("failed", "nobody takes it")
        self.end(second)
        self.assertIn("died while it applied", self.rows()[0]["error"])
        self.assertEqual(self.comments(number, "answer")[0], f"from {number}")
        self.assertEqual(self.comments(number, "answer").count(f"from {number}"), 1)

    def test_a_queue_that_is_away_when_a_run_ends(self):
        if self.db.startswith("postgres"):
            self.skipTest("a file is easier to lock")
        number = self.new_issue()
        self.enqueue(*self.opened(number))
        gate, begun, agent = self.slow_agent()
        worker = self.worker("--lease", "3600", **agent)  # nobody else takes it meanwhile
        self.until(lambda: os.path.exists(begun), "the agent does not begin")
        away = sqlite3.connect(self.db, isolation_level=None)
        self.addCleanup(away.close)
        away.execute("BEGIN EXCLUSIVE")
        open(gate, "w", encoding="utf-8").close()
        self.until(lambda: "it is asked again" in self.said(worker), "it does not mind")
        away.execute("ROLLBACK")
        self.until_all_are("completed", "it is not done")
        self.end(worker)
        self.assertNotIn("was not updated", self.said(worker))
        self.assertEqual(self.comments(number, "answer"), [f"from {number}"])
        self.assertEqual(self.rows()[0]["attempts"], 1)
        with open(begun, encoding="utf-8") as file:
            self.assertEqual(file.read(), "\n")

    def test_a_worker_that_is_asked_to_end(self):
        number = self.new_issue()
        self.enqueue(*self.opened(number))
        gate, begun, agent = self.slow_agent()
        first = self.worker(**agent)
        self.until(lambda: os.path.exists(begun), "the agent does not begin")
        self.assertEqual(self.end(first), 143, self.said(first))
        (row,) = self.rows()
        self.assertEqual((row["status"], row["attempts"]), ("pending", 0))
        open(gate, "w", encoding="utf-8").close()
        second = self.worker("--idle", "0", **agent)
        self.assertEqual(second.wait(WAIT), 0, self.said(second))
        self.assertEqual(self.comments(number, "answer"), [f"from {number}"])


class OnPostgres(Worker):
    """The same with PostgreSQL, where there is one."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ready = os.path.join(cls.home, "postgres")
        server = subprocess.Popen([sys.executable, str(ROOT / "tests/servers/postgres.py"), "--ready", ready, "--parent", str(os.getpid())],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(lambda: (server.terminate(), server.wait()))
        while not os.path.exists(ready):
            if server.poll() is not None:
                raise unittest.SkipTest("no PostgreSQL here")
            time.sleep(0.05)
        with open(ready, encoding="utf-8") as file:
            cls.postgres = json.load(file)["url"]

    def setUp(self):
        super().setUp()
        self.db = self.postgres
        for row in self.rows():
            self.skip_row(row)

    def skip_row(self, row):
        if row["status"] == "pending":
            subprocess.run([KEDGE, "agent-tools", "task", "cancel", "--id", str(row["id"]), "--db", self.db], cwd=self.work, env=self.environment(),
                           stdout=subprocess.DEVNULL, timeout=WAIT, check=True)

    def rows(self):
        rows = super().rows()
        if not hasattr(self, "earlier"):
            self.earlier = {row["id"] for row in rows}
            return rows
        return [row for row in rows if row["id"] not in self.earlier]


if __name__ == "__main__":
    unittest.main(verbosity=2)
