#!/usr/bin/env python3
"""The queue on SQLite and on PostgreSQL says the same (cli-C-19): one list of calls, both stores, answers compared but for
times, ids of processes and lease tokens. TAP. Skipped where no PostgreSQL server is installed.

Environment: KEDGE, the binary.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEDGE = os.environ.get("KEDGE", "kedge")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

# Calls in order; "@N" is the lease token of the pickup with that name, a number is a pause in seconds.
CALLS = [
    ("C-03: pickup on an empty queue", ["pickup"]),
    ("C-01: create", ["create", "--type", "t", "--description", "one é", "--payload", '{"n":9007199254740993,"s":[1.5,null]}']),
    ("C-04: priority", ["create", "--type", "t", "--description", "two", "--priority", "5", "--project", "/srv/a"]),
    ("C-04: equal", ["create", "--type", "u", "--description", "three", "--max-attempts", "1"]),
    ("C-02: blank type", ["create", "--type", " ", "--description", "x"]),
    ("C-02: payload", ["create", "--type", "t", "--description", "x", "--payload", "{"]),
    ("C-02: project", ["create", "--type", "t", "--description", "x", "--project", "rel"]),
    ("unknown dependency", ["create", "--type", "t", "--description", "x", "--depends-on", "99"]),
    ("C-13: block", ["create", "--type", "d", "--description", "after 1", "--depends-on", "1"]),
    ("C-13: cancel", ["create", "--type", "d", "--description", "after 3", "--depends-on", "3,1", "--on-dependency-failure", "cancel"]),
    ("C-13: in a chain", ["create", "--type", "d", "--description", "after 5", "--depends-on", "5", "--on-dependency-failure", "cancel"]),
    ("C-11: key", ["create", "--type", "k", "--description", "keyed", "--idempotency-key", "K", "--delay", "3600"]),
    ("C-11: again", ["create", "--type", "k", "--description", "keyed", "--idempotency-key", "K", "--delay", "3600"]),
    ("C-11: other input", ["create", "--type", "k", "--description", "other", "--idempotency-key", "K"]),
    ("C-11: other project", ["create", "--type", "k", "--description", "keyed", "--idempotency-key", "K", "--project", "/srv/b"]),
    ("list", ["list"]),
    ("list by status and type", ["list", "--status", "pending", "--type", "d", "--order", "desc", "--limit", "2"]),
    ("list blocked", ["list", "--blocked"]),
    ("list after", ["list", "--after", "6"]),
    ("list of a bad status", ["list", "--status", "done"]),
    ("stats", ["stats"]),
    ("C-14: by project", ["pickup", "--project", "/srv/a", "--worker", "w1"], "a"),
    ("C-14: none left there", ["pickup", "--project", "/srv/a"]),
    ("by type", ["pickup", "--type", "u", "--worker", "w2", "--lease", "1"], "b"),
    ("C-06: complete a pending task", ["complete", "--id", "1"]),
    ("C-06: get 999", ["get", "--id", "999"]),
    ("heartbeat", ["heartbeat", "--id", "2", "--lease-token", "@a", "--lease", "600"]),
    ("heartbeat with another token", ["heartbeat", "--id", "2", "--lease-token", "0" * 32]),
    ("release", ["release", "--id", "2", "--lease-token", "@a"]),
    ("and again", ["pickup", "--type", "t", "--worker", "w1"], "c"),
    ("complete", ["complete", "--id", "2", "--result", '{"ok":[1,2]}', "--lease-token", "@c"]),
    ("C-16: repeat", ["complete", "--id", "2", "--result", '{"ok":[1,2]}', "--lease-token", "@c"]),
    ("C-16: with another token", ["complete", "--id", "2", "--lease-token", "0" * 32]),
    ("C-06: fail a completed one", ["fail", "--id", "2"]),
    ("C-06: cancel a completed one", ["cancel", "--id", "2"]),
    1.3,
    ("C-08: the lease of 3 expires with no tries left", ["get", "--id", "3", "--history"]),
    ("C-07: its worker has lost it", ["complete", "--id", "3", "--lease-token", "@b"]),
    ("C-13: what depended on it", ["get", "--id", "5", "--history"]),
    ("C-13: transitively", ["get", "--id", "6"]),
    ("retry", ["retry", "--id", "3"]),
    ("retry of a pending one", ["retry", "--id", "3"]),
    ("pickup", ["pickup", "--type", "t", "--type", "nothing", "--worker", "w3"], "d"),
    ("C-10: fail with tries left", ["fail", "--id", "1", "--error", "no luck", "--lease-token", "@d"]),
    ("it is delayed", ["pickup", "--type", "t"]),
    ("C-18: cancel", ["cancel", "--id", "1", "--reason", "superseded"]),
    ("dependents of a cancelled one stay, with block", ["get", "--id", "4"]),
    ("pickup 3", ["pickup", "--type", "u", "--worker", "w4"], "e"),
    ("C-18: cancel while in progress", ["cancel", "--id", "3"]),
    ("C-18: the worker learns it", ["heartbeat", "--id", "3", "--lease-token", "@e"]),
    ("C-10: no retry", ["fail", "--id", "4", "--no-retry"]),
    ("include global", ["pickup", "--project", "/srv/b", "--include-global", "--worker", "w5"], "f"),
    ("C-10: --no-retry", ["fail", "--id", "8", "--no-retry", "--result", "text", "--lease-token", "@f"]),
    ("history", ["get", "--id", "8", "--history"]),
    ("--wait in vain", ["pickup", "--type", "nothing", "--wait", "1"]),
    ("prune nothing", ["prune", "--older-than", "1"]),
    ("hostile text", ["create", "--type", "';DROP TABLE task;--", "--description", "'\"$1 ? @task [x] %s\\"]),
    ("stats at the end", ["stats"]),
]


def call(home, store, words, tokens):
    words = [tokens.get(word[1:], word) if word.startswith("@") else word for word in words]
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "KEDGE_TASK_DB": store, "LC_ALL": "C.UTF-8",
                   **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
    done = subprocess.run([KEDGE, "agent-tools", "task", *words], cwd=home, env=environment, capture_output=True, text=True,
                          timeout=60, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout + done.stderr


def plain(text):
    text = re.sub(r'("leaseToken": )"[0-9a-f]{32}"', r'\1"TOKEN"', TIME.sub("TIME", text))
    text = re.sub(r'("owner": |"worker": )"[^"]*:\d+"', r'\1"HOST:PID"', text)
    return re.sub(r'("oldestPendingSeconds": )\d+', r"\1N", text)


def start_server(work):
    ready = work / "postgres.ready"
    server = subprocess.Popen([sys.executable, ROOT / "tests/servers/postgres.py", "--ready", ready, "--parent", str(os.getpid())])
    while not ready.exists():
        if server.poll() is not None:
            return None, None
        time.sleep(0.02)
    return server, json.loads(ready.read_text())


def compare(work, urls):
    tokens = [{}, {}]
    number = 0
    for step in CALLS:
        if isinstance(step, float):
            time.sleep(step)
            continue
        name, words, *label = step
        number += 1
        answers = [call(work, store, words, known) for store, known in zip(urls, tokens)]
        if label:
            for (_, text), known in zip(answers, tokens):
                known[label[0]] = json.loads(text)["data"]["leaseToken"]
        same = (answers[0][0], plain(answers[0][1])) == (answers[1][0], plain(answers[1][1]))
        print(f"{'ok' if same else 'not ok'} {number} cli-C-19: {name}", flush=True)
        for _, text in [] if same else answers:
            print("# " + text.replace("\n", "\n# "))
    return number


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="kedge-stores-"))
    server, ready = start_server(work)
    try:
        if not server:
            print("1..0 # SKIP no PostgreSQL server here")
            return
        number = compare(work, [f"sqlite:{work}/queue.db", ready["url"]])
        code, text = call(work, ready["bad_url"], ["stats"], {})
        answer = json.loads(text)
        good = code == 1 and answer["error_details"][0]["code"] == "unavailable" and "hunter2" not in text
        print(f"{'ok' if good else 'not ok'} {number + 1} cli-C-20: wrong password: unavailable, and not shown")
        print(f"1..{number + 1}")
    finally:
        if server:
            server.terminate()
            server.wait()
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
