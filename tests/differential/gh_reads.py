#!/usr/bin/env python3
"""Does the real gh agree that a read is a read? A differential test of the classifier (gh-policy §17).

Makes argument vectors from the command table and from random words and flags, lets `kedge gh classify --stdin` judge
them, runs those that it calls reads with the real gh against the test forge, and looks into the forge's log for a
request that changes something. Prints one line of TAP per part.

    gh_reads.py --kedge build/kedge [--count N] [--seed S] [--jobs J]
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "ghp_ForgeAlice00000000000000000000000001"
WORDS = ["12", "7", "1", "main", "harbor/tidepool", "bug", "ci", "16045200302", "v2.1", "x", "@me", "--", "", "src/clock.c"]
API_WORDS = ["repos/harbor/tidepool", "repos/harbor/tidepool/issues", "user", "graphql", "/graphql",
             "repos/harbor/tidepool/issues/12", "repos/harbor/tidepool/labels/bug"]
API_FIELDS = ["title=x", "body=@x", "query={ viewer { login } }", "query=query { viewer { login } }",
              "query=mutation { addStar(input:{starrableId:\"R_1\"}) { clientMutationId } }",
              "query=query a { viewer { login } } mutation b { addStar(input:{starrableId:\"R_1\"}) { clientMutationId } }",
              "query=# mutation\n{ viewer { login } }", "state=closed"]
METHODS = ["GET", "get", "POST", "post", "PATCH", "DELETE", "HEAD", "PUT", ""]


def read_table(path):
    with open(path, encoding="utf-8", newline="") as source:
        return [row for row in csv.DictReader(source, delimiter="\t", quoting=csv.QUOTE_NONE) if row["path"] != "(root)"]


def flag_names(cell):
    return [name.rstrip("?") for group in (cell or "").split(",") for name in group.split("|") if name]


def spell(rng, flag, value):
    """One of the ways in which a flag and its value can be written."""
    if flag.startswith("--"):
        return rng.choice([[flag, value], [f"{flag}={value}"]])
    return rng.choice([[flag, value], [flag + value], [f"{flag}={value}"]])


def random_value(rng, path):
    if path == "api":
        return rng.choice(METHODS + API_FIELDS)
    return rng.choice(WORDS + ["open", "number,title", "1", ".", "id"])


def random_argv(rng, rows):
    row = rng.choice(rows)
    path = row["path"].split()
    if row["aliases"] and rng.random() < 0.2:
        path[-1] = rng.choice(row["aliases"].split(","))
    words = [rng.choice(API_WORDS if row["path"] == "api" else WORDS) for _ in range(rng.choice([0, 1, 1, 1, 2]))]
    flags = []
    values, booleans = flag_names(row["value_flags"]), flag_names(row["bool_flags"])
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        if values and rng.random() < 0.6:
            flags.append(spell(rng, rng.choice(values), random_value(rng, row["path"])))
        elif booleans:
            name = rng.choice(booleans)
            flags.append([rng.choice([name, name, f"{name}=false", f"{name}=true"])])
    if rng.random() < 0.1:
        flags.append([rng.choice(["--help", "-h", "--squash", "-X", "--frob", "-wX", "--help=false"])])
    parts = [[word] for word in path] + [[word] for word in words] + flags
    if rng.random() < 0.3:  # flags may stand anywhere, also before the command's words
        head, tail = parts[: len(path)], parts[len(path):]
        for part in tail[:]:
            if part in flags and rng.random() < 0.5:
                tail.remove(part)
                head.insert(rng.randrange(len(head) + 1), part)
        parts = head + tail
    return [word for part in parts for word in part]


def table_argvs(rows):
    """Every command through its path and its aliases, bare and with a word."""
    for row in rows:
        path = row["path"].split()
        for last in [path[-1], *[a for a in row["aliases"].split(",") if a]]:
            for words in ([], ["12"], ["harbor/tidepool"], ["bug"]):
                yield [*path[:-1], last, *words]


def classify(kedge, argvs, env):
    text = "".join(json.dumps(argv) + "\n" for argv in argvs)
    command = [kedge, "gh", "classify", "--known-host", "github.localhost", "--gh-version", "2.46.0", "--no-config", "--stdin"]
    out = subprocess.run(command, input=text, capture_output=True, text=True, env=env, timeout=300, check=True).stdout
    classes = [line.split("\t")[0] for line in out.splitlines()]
    assert len(classes) == len(argvs), f"{len(argvs)} vectors, {len(classes)} answers"
    return classes


class Forge:
    def __init__(self, folder):
        ready = folder / "ready"
        command = [sys.executable, ROOT / "tests/servers/forge.py", "--ready", ready, "--parent", str(os.getpid()), "--ttl", "3600"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            if ready.exists():
                break
            time.sleep(0.05)
        self.url = json.loads(ready.read_text())["url"]

    def mutations(self, since):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.url}/_forge/log?since={since}") as answer:
            log = json.load(answer)
        entries = log if isinstance(log, list) else log["log"]
        return [entry for entry in entries if is_mutation(entry)]

    def stop(self):
        self.process.terminate()
        self.process.wait()


def is_mutation(entry):
    if entry["method"] in ("GET", "HEAD", "OPTIONS"):
        return False
    if not entry["path"].rstrip("/").lower().endswith("graphql"):
        return entry.get("kind") != "git"
    body = entry.get("body") or {}
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            return True
    return "mutation" in str(body.get("query", "")).split("#")[-1].lstrip()[:9]


def gh_environment(forge, folder):
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "GH_HOST": "github.localhost", "GH_TOKEN": TOKEN,
        "GH_REPO": "github.localhost/harbor/tidepool", "http_proxy": forge.url, "HTTP_PROXY": forge.url, "no_proxy": "127.0.0.1",
        "GH_PROMPT_DISABLED": "1", "GH_PAGER": "cat", "NO_COLOR": "1", "GH_NO_UPDATE_NOTIFIER": "1", "GIT_TERMINAL_PROMPT": "0",
        "BROWSER": "false", "GH_BROWSER": "false", "EDITOR": "false", "TMPDIR": str(folder),
    }


def run_gh(argv, env, cwd):
    try:
        subprocess.run(["gh", *argv], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=env, cwd=cwd, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        pass  # a watch, say: what it asked for is in the log
    except ValueError:
        pass  # a NUL byte


def check(name, number, argvs, args, folder):
    """Runs in batches, so that a finding can be narrowed down to the vector that made it."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "KEDGE_AGENT_DIR": str(folder / "agent")}
    reads = [argv for argv, effect in zip(argvs, classify(args.kedge, argvs, env)) if effect == "read"]
    forge = Forge(pathlib.Path(tempfile.mkdtemp(dir=folder)))
    problems = []
    work = folder / f"work{number}"
    work.mkdir()
    try:
        gh_env = gh_environment(forge, folder)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            list(pool.map(lambda argv: run_gh(argv, gh_env, work), reads))
        if forge.mutations(0):
            problems = narrow(reads, forge, gh_env, work)
    finally:
        forge.stop()
    print(f"{'not ok' if problems else 'ok'} {number} {name}: {len(reads)} of {len(argvs)} classified as read, none changed anything")
    for problem in problems:
        print(f"# {problem}")
    sys.stdout.flush()
    return not problems


def narrow(reads, forge, env, work):
    found = []
    for argv in reads:
        before = len(forge.mutations(0))
        run_gh(argv, env, work)
        if len(forge.mutations(0)) > before:
            found.append(json.dumps(argv))
    return found or ["a mutating request was logged, but no single vector repeats it"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kedge", default=os.environ.get("KEDGE", ROOT / "build/kedge"))
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4)
    args = parser.parse_args()
    if not shutil.which("gh"):
        print("1..0 # SKIP no gh")
        return 0
    rows = read_table(ROOT / "src/github/gh-commands.tsv")
    rng = random.Random(args.seed)
    print("1..2")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        good = check("the whole table", 1, list(table_argvs(rows)), args, folder)
        good &= check(f"{args.count} generated, seed {args.seed}", 2, [random_argv(rng, rows) for _ in range(args.count)], args, folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
