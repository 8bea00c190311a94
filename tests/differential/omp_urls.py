#!/usr/bin/env python3
"""issue:// and pr:// against recorded reads of another agent, with the real gh and the lab's forge.

Each record of `github-urls.jsonl` is a read: the address, what came back. It is replayed by the real binary with a
home of its own; the notes that kedge puts behind a text are compared with nothing, since the recorded agent shows its
own to people only. A difference must be named below with its reason; one that is not fails, and so does an entry that
no longer differs.

    omp_urls.py KEDGE SHARED [--only PATTERN] [--show]

Prints TAP: one line for the file of records.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOKEN = "ghp_LabAvery00000000000000000000000000000001"
NOTES = re.compile(r"(?:\n*\[(?:Fetched live|Cached: |Cache disabled|Comments disabled|Diff: pr://|File listing for "
                   r"|Showing file |Read all: |Full diff for |Live listing for )[^\n]*\])+\Z")
CALL_TIMEOUT = 60

DIFFERENCES = {
    "ghread-host-form": "an address may name its host",
    "ghread-pr-54": "a range is what was asked for, without the line that closes a bracket",
}


def start_forge(shared, place):
    """The lab's forge, copied and installed in `place`; its process and port."""
    folder = place / "forge"
    shutil.copytree(shared / "lab/forge", folder, ignore=shutil.ignore_patterns("node_modules"))
    subprocess.run(["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    ready = place / "ready.json"
    server = subprocess.Popen(["node", folder / "server.mjs", "--ready", ready, "--parent", str(os.getpid()), "--log",
                               place / "log.jsonl", "--web", "https://github.com", "--api", "https://api.github.com"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not ready.exists():
        if server.poll() is not None:
            sys.exit("omp_urls.py: the forge did not start")
        time.sleep(0.05)
    return server, json.loads(ready.read_text(encoding="utf-8"))["url"]


def environment(home, url, forge):
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "TMPDIR": str(home),
           "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "http_proxy": url, "HTTP_PROXY": url,
           "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1", "GH_HOST": "github.localhost", "GH_TOKEN": TOKEN}
    for name, value in forge.items():
        if value is None:
            del env[name]
    return env


def read(kedge, arguments, cwd, env):
    done = subprocess.run([kedge, "tool", "run", "--json", "--cwd", cwd, "read", "-"], input=json.dumps(arguments).encode(),
                          capture_output=True, cwd=cwd, env=env, timeout=CALL_TIMEOUT, check=False)
    result = json.loads(done.stdout)
    return "\n".join(block["text"] for block in result["content"]), result["isError"]


def replay(kedge, record, url):
    """Lines that say what differs."""
    with tempfile.TemporaryDirectory(prefix="kedge-omp-urls-") as place:
        home, cwd = pathlib.Path(place, "home"), pathlib.Path(place, "w")
        (home / ".kedge/agent").mkdir(parents=True)
        cwd.mkdir()
        env = environment(home, url, record["forge"])
        for step in record.get("before", []):
            if "sh" in step:
                subprocess.run(["sh", "-c", step["sh"]], cwd=cwd, env=env, check=True, stdin=subprocess.DEVNULL)
            else:
                read(kedge, step["args"], cwd, env)
        got, is_error = read(kedge, record["args"], cwd, env)
    got = NOTES.sub("", got)
    want = record["content"][0]["text"]
    lines = [] if got.rstrip("\n") == want.rstrip("\n") else [f"text: want {want[:900]!r}\n           got  {got[:900]!r}"]
    if is_error != record["isError"]:
        lines.append(f"isError: want {record['isError']}, got {is_error}")
    return lines


def check(kedge, records, url, is_shown):
    """How many differ on purpose, and the problems."""
    problems, on_purpose = [], 0
    for record in records:
        lines = replay(kedge, record, url)
        entry = DIFFERENCES.get(record["id"])
        on_purpose += bool(entry and lines)
        if lines and (not entry or is_shown):
            problems += [f"{record['id']}: {line}" for line in lines]
        if entry and not lines:
            problems.append(f"{record['id']}: differs no longer; take it out of the table")
    return on_purpose, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kedge")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("--only", default="*", help="record ids, as a shell pattern")
    parser.add_argument("--show", action="store_true", help="also print the differences that are on purpose")
    options = parser.parse_args()
    print("1..1")
    for program in ("gh", "node", "npm"):
        if not shutil.which(program):
            print(f"ok 1 - github-urls # SKIP {program} is not installed")
            return
    lines = (options.shared / "data/omp/github-urls.jsonl").read_text(encoding="utf-8").splitlines()
    records = [record for record in map(json.loads, lines) if fnmatch.fnmatchcase(record["id"], options.only)]
    with tempfile.TemporaryDirectory(prefix="kedge-omp-forge-") as place:
        server, url = start_forge(options.shared, pathlib.Path(place))
        try:
            on_purpose, problems = check(os.path.abspath(options.kedge), records, url, options.show)
        finally:
            server.terminate()
            server.wait()
    for line in problems:
        print("# " + line.replace("\n", "\n# "))
    print(f"{'not ok' if problems else 'ok'} 1 - github-urls: {len(records)} replayed, {on_purpose} differ on purpose")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
