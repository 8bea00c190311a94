#!/usr/bin/env python3
"""Does the real gh agree that a read is a read? A differential test of the classifier (gh-policy §17).

Makes argument vectors from the command table and from random words and flags, lets `kedge gh classify --stdin` judge
them, runs those that it calls reads with the real gh against the test forge, and looks into the forge's log for a
request that changes something, and into the directories for a file that was made. Before that it shows that it would
see a write, and after it asks gh's own usage texts which command an argument vector leads to. Prints one line of TAP
per part.

    gh_reads.py --kedge build/kedge [--count N] [--seed S] [--jobs J]

The whole of the command table from --count 300 on, of it fewer.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import random
import re
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
# what a classifier that is wrong would call a read
WRITES = [["issue", "close", "12"], ["pr", "--comment", "view", "close", "7"], ["label", "create", "x1"],
          ["api", "-XPATCH", "repos/harbor/tidepool/issues/12", "-f", "title=x"],
          ["api", "graphql", "-f", "query={viewer{login}} mutation m{addStar(input:{starrableId:\"R_1\"}){clientMutationId}}",
           "-f", "operationName=m"]]
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


def tricky_argv(rng, rows):
    """A read's and a write's words side by side, with flags between them that may swallow one."""
    groups = [row for row in rows if row["kind"] == "group"]
    group = rng.choice(groups)["path"]
    leaves = [row["path"].split()[-1] for row in rows if row["path"].rpartition(" ")[0] == group]
    parts = group.split() + rng.sample(leaves, min(2, len(leaves))) + [rng.choice(WORDS)]
    for _ in range(rng.choice([1, 1, 2, 3])):
        flag = rng.choice(["--help", "-h", "--help=false", "-h=false", "--squash", "-s", "-R", "--repo", "-Ro/r", "--", "-",
                           "", "--repo=harbor/tidepool", "-w", "-X", "--body", "-bx", "--json", "-q", "--yes", "-y", "-dh"])
        parts.insert(rng.randrange(len(parts) + 1), flag)
    return parts


def random_argv(rng, rows):
    if rng.random() < 0.25:
        return tricky_argv(rng, rows)
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
    """(class, command) of each."""
    text = "".join(json.dumps(argv) + "\n" for argv in argvs)
    command = [kedge, "gh", "classify", "--json", "--known-host", "github.localhost", "--gh-version", "2.46.0", "--no-config",
               "--stdin"]
    out = subprocess.run(command, input=text, capture_output=True, text=True, env=env, timeout=300, check=False).stdout
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == len(argvs), f"{len(argvs)} vectors, {len(answers)} answers"
    return [(answer["class"], answer["command"]) for answer in answers]


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

    def requests(self):
        return len(self.entries(0))

    def mutations(self, since):
        return [entry for entry in self.entries(since) if is_mutation(entry)]

    def entries(self, since):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.url}/_forge/log?since={since}") as answer:
            log = json.load(answer)
        return log if isinstance(log, list) else log["log"]

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
    # what is left without strings and comments has the word only where an operation begins
    document = re.sub(r'"""(?:\\"""|.)*?"""|"(?:\\.|[^"\\\n])*"|#[^\r\n]*', " ", str(body.get("query", "")), flags=re.DOTALL)
    return re.search(r"\b(mutation|subscription)\b", document) is not None


def gh_environment(forge, folder):
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "GH_HOST": "github.localhost", "GH_TOKEN": TOKEN,
        "GH_REPO": "github.localhost/harbor/tidepool", "http_proxy": forge.url, "HTTP_PROXY": forge.url, "no_proxy": "127.0.0.1",
        "GH_PROMPT_DISABLED": "1", "GH_PAGER": "cat", "NO_COLOR": "1", "GH_NO_UPDATE_NOTIFIER": "1", "GIT_TERMINAL_PROMPT": "0",
        "BROWSER": "false", "GH_BROWSER": "false", "EDITOR": "false", "TMPDIR": str(folder), "GOGC": "off",  # its life is short
    }


def run_gh(argv, env, cwd):
    """What gh printed, on either stream."""
    try:
        done = subprocess.run(["gh", *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=env, cwd=cwd, timeout=20, check=False)
        return done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return ""  # a watch, say: what it asked for is in the log


class Place:
    """A forge, a home and a working directory of their own."""

    def __init__(self, folder, jobs):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.jobs = jobs
        self.work = self.folder / "work"
        self.work.mkdir()
        self.forge = Forge(self.folder)
        self.env = gh_environment(self.forge, self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.forge.stop()

    def run_all(self, argvs):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(lambda argv: run_gh(argv, self.env, self.work), argvs))

    def left_behind(self):
        """Files in the working directory, and any but the cache and state that gh keeps for itself."""
        config = self.folder / "home/.config"
        return [str(path.relative_to(self.folder)) for top in (self.work, config) for path in top.rglob("*") if path.is_file()]


def report(number, name, problems):
    print(f"{'not ok' if problems else 'ok'} {number} {name}")
    for problem in problems[:50]:
        print(f"# {problem}")
    sys.stdout.flush()
    return not problems


def check_reads(name, number, argvs, args, folder):
    """Runs all reads at once; when one wrote, each again alone, so that a finding names the vector that made it."""
    reads = [argv for argv, (effect, _) in zip(argvs, classify(args.kedge, argvs, args.env)) if effect == "read"]
    with Place(folder, args.jobs) as place:
        place.run_all(reads)
        problems = narrow(reads, place) if place.forge.mutations(0) else []
        problems += [f"left behind: {file}" for file in place.left_behind()]
        if place.forge.requests() < len(reads) / 10:
            problems.append(f"only {place.forge.requests()} requests: gh does not reach the forge")
    return report(number, f"{name}: {len(reads)} of {len(argvs)} classified as read, none changed anything", problems)


def narrow(reads, place):
    found = []
    for argv in reads:
        before = len(place.forge.mutations(0))
        run_gh(argv, place.env, place.work)
        if len(place.forge.mutations(0)) > before:
            found.append(json.dumps(argv))
    return found or ["a mutating request was logged, but no single vector repeats it"]


def check_writes(number, args, folder):
    """The test can fail: each of these is no read to kedge, and is seen when it is run as one."""
    problems = [f"a read to kedge: {argv}" for argv, (effect, _) in zip(WRITES, classify(args.kedge, WRITES, args.env))
                if effect == "read"]
    with Place(folder, args.jobs) as place:
        seen = narrow(WRITES, place)
        problems += [f"not seen: {json.dumps(argv)}" for argv in WRITES if json.dumps(argv) not in seen]
    return report(number, "a write that is called a read is seen", problems)


def check_commands(number, argvs, args, folder, names):
    """An unknown flag makes gh print the usage of the command that it found."""
    argvs = [[*argv, "--no-such-flag"] for argv in argvs]
    judged = classify(args.kedge, argvs, args.env)
    problems, compared = [], 0
    with Place(folder, args.jobs) as place:
        for argv, (effect, command), text in zip(argvs, judged, place.run_all(argvs)):
            found = re.search(r"^(?:Usage:|USAGE\n) +gh +([a-z -]+)", text, re.MULTILINE)
            words = found.group(1).split() if found else []
            while words and " ".join(words) not in names:
                words.pop()  # "<command> [flags]" and the like
            # api is shown with its method, and an unknown word behind the command that it followed
            if not words or effect == "invalid-args":
                continue
            compared += 1
            if f"{command} ".find(f"{' '.join(words)} ") != 0:
                problems.append(f"{json.dumps(argv)}: gh found {' '.join(words)}, kedge {command}")
    if compared < len(argvs) / 4:
        problems.append(f"only {compared} of {len(argvs)} could be compared")
    return report(number, f"gh and kedge find the same command in {compared} vectors", problems)


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
    rows = read_table(ROOT / "src/github/classify/gh-commands.tsv")
    rng = random.Random(args.seed)
    print("1..4")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        args.env = {"PATH": os.environ["PATH"], "HOME": name, "KEDGE_AGENT_DIR": str(folder / "agent")}
        table = list(table_argvs(rows))
        shown = rng.sample(table, min(len(table), args.count * 4))
        generated = [random_argv(rng, rows) for _ in range(args.count)]
        tricky = [tricky_argv(rng, rows) for _ in range(min(args.count // 2, 500))]
        good = [
            check_writes(1, args, folder),
            check_reads("the whole table" if len(shown) == len(table) else "of the table", 2, shown, args, folder),
            check_reads(f"{args.count} generated, seed {args.seed}", 3, generated, args, folder),
            check_commands(4, tricky, args, folder, {row["path"] for row in rows}),
        ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
