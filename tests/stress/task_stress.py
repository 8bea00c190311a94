#!/usr/bin/env python3
"""Many processes on one task queue, as TAP (agent-tools-cli C-05, C-12, C-17).

Uses the real binary, by single commands and by `kedge mcp` workers. Tasks of one run belong to a project of its own, so
any store will do, also one that is in use:

    tests/stress/task_stress.py --kedge build/kedge [--db sqlite:/path|postgres://…] [--processes 16] [--tasks 2000] [--kill 200]

FULL=1 in the environment makes the defaults those of the specification. Ends what it started, by process id.
"""
import argparse
import collections
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

WAIT = 60  # seconds until an answer counts as missing
LEASE = 1  # seconds, where workers are killed
IS_FULL = os.environ.get("FULL") == "1"


class Failure(Exception):
    """A claim that does not hold."""


class Place:
    """A private home, and the store under test."""

    def __init__(self, options):
        self.kedge = os.path.abspath(options.kedge)
        self.root = tempfile.mkdtemp(prefix="kedge-stress-")
        self.file = os.path.join(self.root, "queue.db")
        self.db = options.db or "sqlite:" + self.file
        self.run = f"/stress/{os.getpid()}-{random.randrange(1 << 32):08x}"
        self.env = {"HOME": self.root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "KEDGE_TASK_DB": self.db,
                    **{name: os.environ[name] for name in os.environ if name.startswith("PG") or name.endswith("SAN_OPTIONS")}}

    def start(self, *args, **more):
        return subprocess.Popen([self.kedge, *args], env=self.env, cwd=self.root, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)

    def command(self, operation, *args, env=None):
        """One command; its envelope."""
        done = subprocess.run([self.kedge, "agent-tools", "task", operation, *args], env={**self.env, **(env or {})},
                              cwd=self.root, capture_output=True, timeout=WAIT, check=False)
        envelope = json.loads(done.stdout)
        if envelope["success"] != (done.returncode == 0):
            raise Failure(f"{operation}: exit code {done.returncode}, {done.stdout!r}")
        return envelope

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)


class Worker:
    """One `kedge mcp` process, and the calls of one worker to it."""

    def __init__(self, place):
        self.process = place.start("mcp", "--tools", "agent-tools", stdin=subprocess.PIPE)
        self.next_id = 0
        self._request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                     "clientInfo": {"name": "stress", "version": "0"}})
        self._send({"method": "notifications/initialized"})

    def _send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def _request(self, method, params):
        self.next_id += 1
        self._send({"id": self.next_id, "method": method, "params": params})
        line = self.process.stdout.readline()
        if not line:
            raise EOFError  # it was killed
        return json.loads(line)

    def call(self, operation, **arguments):
        """The envelope of one operation."""
        answer = self._request("tools/call", {"name": "task_" + operation, "arguments": arguments})
        if "result" not in answer:
            raise Failure(f"task_{operation}: {answer}")
        return answer["result"]["structuredContent"]

    def data(self, operation, **arguments):
        """`data` of one that must succeed."""
        envelope = self.call(operation, **arguments)
        if not envelope["success"]:
            raise Failure(f"task_{operation} {arguments}: {envelope['errors']}")
        return envelope["data"]

    def kill(self):
        self.process.kill()

    def end(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait(WAIT)
        self.process.stdout.close()
        self.process.stderr.close()


def in_parallel(count, work):
    """Runs work(index) in so many threads; the first failure is raised here."""
    failures = []

    def guarded(index):
        try:
            work(index)
        except Exception as failure:  # noqa: BLE001: handed on
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def make_tasks(place, project, count, has_chains=True):
    """Every second task depends on the one before it."""
    worker = Worker(place)
    ids = []
    for number in range(count):
        more = {"dependsOn": [ids[-1]]} if has_chains and number % 2 else {}
        ids.append(worker.data("create", type="stress", description=f"task {number}", projectPath=project, maxAttempts=100,
                               **more)["id"])
    worker.end()
    return ids


def check_history(place, project, ids, is_once):
    """Every task is there, completed once, and was never with two workers at a time."""
    worker = Worker(place)
    listed = []
    while True:
        page = worker.data("list", projectPath=project, limit=1000, after=listed[-1]["id"] if listed else 0)
        listed += page
        if len(page) < 1000:
            break
    if [task["id"] for task in listed] != ids:
        raise Failure(f"{len(listed)} tasks are there, {len(ids)} were made")
    for task in listed:
        history = worker.data("get", id=task["id"], history=True)["history"]
        moves = [(event["from"], event["to"]) for event in history]
        counts = collections.Counter(move[1] for move in moves)
        is_chain = moves[0] == (None, "pending") and all(a[1] == b[0] for a, b in zip(moves, moves[1:]))
        if not is_chain:
            raise Failure(f"task {task['id']} was given twice: {history}")
        if task["status"] != "completed" or counts["completed"] != 1:
            raise Failure(f"task {task['id']} is {task['status']}: {history}")
        if is_once and counts["in_progress"] != 1:
            raise Failure(f"task {task['id']} was picked up {counts['in_progress']} times: {history}")
    stats = worker.data("stats", projectPath=project)
    if stats["completed"] != len(ids) or stats["pending"] or stats["in_progress"]:
        raise Failure(f"stats: {stats}")
    worker.end()


def check_file(place):
    """The database is whole."""
    if place.db.startswith("sqlite:"):
        with sqlite3.connect(place.db[len("sqlite:"):]) as db:
            found = db.execute("PRAGMA integrity_check").fetchall()
        db.close()
        if found != [("ok",)]:
            raise Failure(f"integrity_check: {found}")


def mcp_workers(place, options):
    """cli-C-05: long-lived workers."""
    project = place.run + "/mcp"
    ids = make_tasks(place, project, options.tasks)
    left = set(ids)
    given = collections.Counter()
    ends = []
    lock = threading.Lock()
    workers = []

    def work(index):
        worker = workers[index]
        while left:
            task = worker.data("pickup", projectPath=project, worker=f"w{index}", waitSeconds=1)
            if task is None:
                continue
            with lock:
                given[task["id"]] += 1
            worker.data("complete", id=task["id"], leaseToken=task["leaseToken"], result={"by": index})
            with lock:
                left.discard(task["id"])
                ends.append(time.monotonic())

    workers += [Worker(place) for _ in range(options.processes)]
    start = time.monotonic()
    in_parallel(options.processes, work)
    seconds = max(ends) - start
    for worker in workers:
        worker.end()
    if set(given.values()) != {1}:
        raise Failure(f"given more than once: {[id_ for id_, count in given.items() if count > 1]}")
    check_history(place, project, ids, is_once=True)
    print(f"# {options.tasks} tasks by {options.processes} processes in {seconds:.2f} s")


def command_workers(place, options):
    """cli-C-05: every call a process of its own."""
    project = place.run + "/commands"
    ids = make_tasks(place, project, max(options.tasks // 4, 2))
    left = set(ids)

    def work(index):
        while left:
            picked = place.command("pickup", "--project", project, "--worker", f"c{index}", "--wait", "2")
            if not picked["success"]:
                raise Failure(f"pickup: {picked['errors']}")
            task = picked["data"]
            if task is None:
                continue
            done = place.command("complete", "--id", str(task["id"]), "--lease-token", task["leaseToken"])
            if not done["success"]:
                raise Failure(f"complete: {done['errors']}")
            left.discard(task["id"])

    in_parallel(options.processes, work)
    check_history(place, project, ids, is_once=True)


def one_key(place, _options):
    """cli-C-12."""
    project = place.run + "/key"
    answers = []

    def create(_index):
        made = place.command("create", "--type", "t", "--description", "d", "--project", project, "--idempotency-key", "K")
        if not made["success"]:
            raise Failure(f"create: {made['errors']}")
        answers.append(made["data"])

    in_parallel(20, create)
    ids = {answer["id"] for answer in answers}
    if len(ids) != 1 or sum(answer["created"] for answer in answers) != 1:
        raise Failure(f"tasks {sorted(ids)}, created {sum(answer['created'] for answer in answers)} times")


def killed_pickups(place, options):
    """cli-C-17: workers die in the middle of pickup."""
    project = place.run + "/killed"
    ids = make_tasks(place, project, max(options.kill // 2, 4), has_chains=False)
    for _ in range(options.kill):
        process = place.start("agent-tools", "task", "pickup", "--project", project, "--lease", str(LEASE))
        time.sleep(random.uniform(0, 0.015))
        process.kill()
        process.communicate()
        check_file(place)
    finish(place, project, ids)


def killed_workers(place, options):
    """cli-C-17: workers die at any moment, while others go on."""
    project = place.run + "/workers"
    ids = make_tasks(place, project, max(options.tasks // 4, 4))
    deaths = max(options.kill // 4, 2)
    remaining = [deaths]
    lock = threading.Lock()

    def work(_index):
        while True:
            with lock:
                if remaining[0] == 0:
                    return
                remaining[0] -= 1
            worker = Worker(place)
            death = threading.Timer(random.uniform(0.02, 0.2), worker.kill)
            death.start()
            try:
                while True:
                    task = worker.data("pickup", projectPath=project, leaseSeconds=LEASE, waitSeconds=1)
                    if task is not None:
                        worker.call("complete", id=task["id"], leaseToken=task["leaseToken"])
            except (EOFError, BrokenPipeError):
                pass  # its time has come
            death.join()
            worker.end()

    in_parallel(min(options.processes, deaths), work)
    finish(place, project, ids)


def finish(place, project, ids):
    """Works off what is left, once the leases of the dead are over, and checks everything."""
    worker = Worker(place)
    until = time.monotonic() + LEASE + 15
    while time.monotonic() < until:
        task = worker.data("pickup", projectPath=project, waitSeconds=1)
        if task is not None:
            worker.data("complete", id=task["id"], leaseToken=task["leaseToken"])
            continue
        stats = worker.data("stats", projectPath=project)
        if stats["pending"] + stats["in_progress"] == 0:
            break
    worker.end()
    check_history(place, project, ids, is_once=False)
    check_file(place)


class BusyStore:
    """agent-tools-cli §3.6: somebody holds the lock for longer than the 10 s that are waited. Runs beside the other cases."""

    def __init__(self, place):
        self.path = os.path.join(place.root, "busy.db")
        self.place = place
        self.answer = None
        place.command("stats", env={"KEDGE_TASK_DB": self.path})
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        db = sqlite3.connect(self.path, isolation_level=None)
        db.execute("BEGIN IMMEDIATE")
        self.answer = self.place.command("pickup", env={"KEDGE_TASK_DB": self.path})
        db.execute("ROLLBACK")
        db.close()

    def check(self, _place, _options):
        """The refusal of a store that is locked."""
        self.thread.join()
        if self.answer is None or self.answer["success"]:
            raise Failure(f"{self.answer}")
        detail = self.answer["error_details"][0]
        if (detail["code"], detail["message"], detail.get("retryable")) != ("unavailable", "Task store is busy; try again", True):
            raise Failure(f"{detail}")


def main():
    """Plays every case once."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kedge", default=os.environ.get("KEDGE", "kedge"))
    parser.add_argument("--db", help="default: an SQLite file of its own")
    parser.add_argument("--processes", type=int, default=16 if IS_FULL else 4)
    parser.add_argument("--tasks", type=int, default=2000 if IS_FULL else 200)
    parser.add_argument("--kill", type=int, default=200 if IS_FULL else 12)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    options = parser.parse_args()
    place = Place(options)
    busy = BusyStore(place)
    cases = [
        ("cli-C-05 mcp workers: every task once, none given twice", mcp_workers),
        ("cli-C-05 commands: every task once, none given twice", command_workers),
        ("cli-C-12 twenty processes and one key: one task", one_key),
        ("cli-C-17 killed in the middle of pickup: nothing lost", killed_pickups),
        ("cli-C-17 killed workers: nothing lost", killed_workers),
        ("a locked store is busy, and that can be retried", busy.check),
    ]
    cases = [case for case in cases if options.only in case[0]]
    print(f"1..{len(cases)}", flush=True)
    has_failed = False
    for number, (name, case) in enumerate(cases, 1):
        start = time.monotonic()
        try:
            case(place, options)
            print(f"ok {number} {name} # {time.monotonic() - start:.1f} s", flush=True)
        except (Failure, EOFError, OSError, subprocess.TimeoutExpired) as failure:
            has_failed = True
            print(f"not ok {number} {name}\n# {type(failure).__name__}: {failure}", flush=True)
    busy.thread.join()
    place.remove()
    return 1 if has_failed else 0


if __name__ == "__main__":
    sys.exit(main())
