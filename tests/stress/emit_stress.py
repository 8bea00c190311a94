#!/usr/bin/env python3
"""Many processes on one run of emit, as TAP (agent-tools-cli D-17, D-18, D-19).

Uses the real binary, by single commands and by `kedge mcp` workers, in a private HOME:

    tests/stress/emit_stress.py --kedge build/kedge [--processes 8] [--events 200] [--commands 5]

Ends what it started, by process id.
"""
import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

WAIT = 60  # seconds until an answer counts as missing
RUN = {"runId": "R", "workflow": "build"}


class Failure(Exception):
    """A claim that does not hold."""


class Place:
    """A private home with a project, and the database."""

    def __init__(self, options):
        self.kedge = os.path.abspath(options.kedge)
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # it is about processes, not about the disk
        self.root = tempfile.mkdtemp(prefix="kedge-emit-", dir=memory)
        self.project = os.path.join(self.root, "project")
        os.makedirs(os.path.join(self.project, ".rp1", "work"))
        self.db = os.path.join(self.root, "state.db")
        self.env = {"HOME": self.root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "KEDGE_STATE_DB": self.db,
                    **{name: os.environ[name] for name in os.environ if name.endswith("SAN_OPTIONS")}}

    def command(self, *args, fields=None):
        """One command, its input as JSON when `fields` is given; `data` of its envelope."""
        done = subprocess.run([self.kedge, "agent-tools", "emit", *args, *(["--json"] if fields else [])],
                              input=json.dumps(fields or {}).encode(), env=self.env, cwd=self.project,
                              capture_output=True, timeout=WAIT, check=False)
        envelope = json.loads(done.stdout)
        if envelope["success"] != (done.returncode == 0):
            raise Failure(f"exit code {done.returncode}, {done.stdout!r}")
        if not envelope["success"]:
            raise Failure(f"{args} {fields}: {envelope['errors']}")
        return envelope["data"]

    def count(self, sql):
        """The one number that the database answers."""
        with sqlite3.connect(self.db) as db:
            number = db.execute(sql).fetchone()[0]
        db.close()
        return number

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)


class Worker:
    """One `kedge mcp` process."""

    def __init__(self, place):
        self.process = subprocess.Popen([place.kedge, "mcp", "--tools", "agent-tools"], env=place.env, cwd=place.project,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
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
        return json.loads(self.process.stdout.readline())

    def emit(self, **fields):
        """`data` of one event, which must be recorded."""
        answer = self._request("tools/call", {"name": "emit", "arguments": {**RUN, **fields}})
        envelope = answer.get("result", {}).get("structuredContent", {"success": False, "errors": answer})
        if not envelope["success"]:
            raise Failure(f"{fields}: {envelope['errors']}")
        return envelope["data"]

    def end(self):
        self.process.stdin.close()
        self.process.wait(WAIT)
        self.process.stdout.close()


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


def event_of(index, number):
    """What worker `index` emits as its `number`-th event: its unit at work, notes, artifacts."""
    kind = number % 4
    if kind == 0:
        return {"type": "status_change", "step": "build", "unit": f"W{index}", "data": {"status": "running"}}
    if kind == 1:
        return {"type": "artifact_registered", "step": "build", "data": {"path": f"W{index}.md", "feature": "f"}}
    if kind == 2:
        return {"type": "status_change", "step": "task-builder:building", "unit": f"W{index}",
                "data": {"status": "running"}}
    return {"type": "btw_update", "data": {"message": f"{index}: {number}"}}


def all_events(place, run_id):
    """Every event of the run, page by page."""
    events = []
    while True:
        page = place.command("events", "--run-id", run_id, "--after", str(events[-1]["id"] if events else 0),
                             "--limit", "1000")["events"]
        events += page
        if len(page) < 1000:
            return events


def many_events(place, options):
    """cli-D-17: long-lived workers on one run."""
    place.command(fields={**RUN, "type": "status_change", "step": "build", "allowSkip": True, "data": {"status": "running"}})
    before = len(all_events(place, "R"))
    workers = [Worker(place) for _ in range(options.processes)]
    given = [[] for _ in range(options.processes)]
    start = time.monotonic()
    in_parallel(options.processes,
                lambda index: given[index].extend(workers[index].emit(**event_of(index, number))["eventId"]
                                                  for number in range(options.events)))
    seconds = time.monotonic() - start
    for worker in workers:
        worker.end()
    for ids in given:
        if ids != sorted(ids):
            raise Failure("ids given to one worker do not ascend")
    everything = sorted(sum(given, []))
    events = [event["id"] for event in all_events(place, "R")][before:]
    if events != everything or len(set(events)) != options.processes * options.events:
        raise Failure(f"{len(events)} events in the log, {len(set(everything))} were answered")
    steps = place.command("get-run", "--run-id", "R")["state"]["units"]
    if steps != {f"W{index}": "running" for index in range(options.processes)}:
        raise Failure(f"units: {steps}")
    if place.count("SELECT count(*) FROM artifact") != options.processes:
        raise Failure("a document for each path")
    if place.count("SELECT count(*) FROM feed WHERE type = 'event' AND run_id = 'R'") != before + len(events):
        raise Failure("the feed lacks events")
    print(f"# {len(events)} events by {options.processes} processes in {seconds:.2f} s")


def many_commands(place, options):
    """cli-D-17: every event a process of its own."""
    before = len(all_events(place, "R"))
    in_parallel(options.processes,
                lambda index: [place.command(fields={**RUN, **event_of(index, number)}) for number in range(options.commands)])
    after = len(all_events(place, "R"))
    if after - before != options.processes * options.commands:
        raise Failure(f"{after - before} events")


def one_key(place, options):
    """cli-D-18: one event, however many say it."""
    answers = []
    in_parallel(options.processes,
                lambda _index: answers.append(place.command(fields={**RUN, "type": "btw_update", "eventKey": "K",
                                                                    "data": {"message": "once"}})))
    ids = {answer["eventId"] for answer in answers}
    repeats = sum(answer.get("duplicate", False) for answer in answers)
    if len(ids) != 1 or repeats != options.processes - 1:
        raise Failure(f"events {sorted(ids)}, {repeats} repeats")


def one_run(place, options):
    """cli-D-19: all get the same run."""
    answers = []
    in_parallel(options.processes,
                lambda _index: answers.append(place.command("resume-run", "--feature", "auth", "--workflow", "build")))
    ids = {answer["runId"] for answer in answers}
    fresh = sum(not answer["resumed"] for answer in answers)
    if len(ids) != 1 or fresh != 1:
        raise Failure(f"runs {sorted(ids)}, {fresh} new")


def first_event(place, options):
    """Runs that several processes begin at once are one run."""
    in_parallel(options.processes,
                lambda index: place.command(fields={"runId": "new", "workflow": "build", "type": "btw_update",
                                                    "data": {"message": str(index)}}))
    if len(all_events(place, "new")) != options.processes:
        raise Failure("events are missing")


def whole_file(place, _options):
    """The database is whole."""
    with sqlite3.connect(place.db) as db:
        found = db.execute("PRAGMA integrity_check").fetchall() + db.execute("PRAGMA foreign_key_check").fetchall()
    db.close()
    if found != [("ok",)]:
        raise Failure(f"{found}")


def main():
    """Plays every case once."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kedge", default=os.environ.get("KEDGE", "kedge"))
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--events", type=int, default=200)
    parser.add_argument("--commands", type=int, default=5)
    options = parser.parse_args()
    place = Place(options)
    cases = [
        ("a run that all begin at once is one run", first_event),
        ("cli-D-17 workers on one run: every event once, ids ascend", many_events),
        ("cli-D-17 commands on one run", many_commands),
        ("cli-D-18 one key: one event", one_key),
        ("cli-D-19 resume-run at once: one run", one_run),
        ("the database is whole", whole_file),
    ]
    print(f"1..{len(cases)}", flush=True)
    has_failed = False
    for number, (name, case) in enumerate(cases, 1):
        start = time.monotonic()
        try:
            case(place, options)
            print(f"ok {number} {name} # {time.monotonic() - start:.1f} s", flush=True)
        except (Failure, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as failure:
            has_failed = True
            print(f"not ok {number} {name}\n# {type(failure).__name__}: {failure}", flush=True)
    place.remove()
    return 1 if has_failed else 0


if __name__ == "__main__":
    sys.exit(main())
