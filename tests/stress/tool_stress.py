#!/usr/bin/env python3
"""Coding tools under force, as TAP: an artifact far over its cap (tools-T154), writers killed at any moment (tools-T162).

    tests/stress/tool_stress.py --kedge build/kedge [--megabytes 400] [--kill 1000] [--only T162]

FULL=1 in the environment makes the defaults those of the specification. Ends what it started, by process id.
"""
import argparse
import functools
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

import harness
from harness import expect

ROOT = pathlib.Path(__file__).resolve().parents[2]
IS_FULL = os.environ.get("FULL") == "1"
WAIT = 300  # seconds until something counts as hanging
ARTIFACT_BYTES = 256 << 20  # LIMIT_ARTIFACT_BYTES
MEMORY_KIB = 20 << 10
IS_SANITIZED = any(name.endswith("SAN_OPTIONS") for name in os.environ)


class Place:
    """A private home with a work directory."""

    def __init__(self, options):
        self.kedge = os.path.abspath(options.kedge)
        self.root = tempfile.mkdtemp(prefix="kedge-stress-")
        self.work = os.path.join(self.root, "w")
        self.sessions = os.path.join(self.root, "sessions")
        os.mkdir(self.work)
        self.env = {"HOME": self.root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "KEDGE_EDIT_VARIANT": "replace",
                    "KEDGE_AGENT_DIR": os.path.join(self.root, "agent"), "ANTHROPIC_API_KEY": "test-key",
                    **{name: os.environ[name] for name in os.environ if name.endswith("SAN_OPTIONS")}}

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)


# ---- artifacts --------------------------------------------------------------


def run_agent(place, calls, *flags):
    """A session in which the model makes these calls; returns its peak memory in KiB."""
    script, ready = os.path.join(place.root, "script.jsonl"), os.path.join(place.root, "ready.json")
    with open(script, "w", encoding="utf-8") as file:
        for name, arguments in calls:
            print(json.dumps({"tool_calls": [{"name": name, "arguments": arguments}]}), file=file)
        print(json.dumps({"text": "done"}), file=file)
    server = subprocess.Popen([sys.executable, str(ROOT / "tests/servers/model.py"), "--script", script, "--ready", ready,
                               "--parent", str(os.getpid()), "--ttl", str(2 * WAIT)], stdout=subprocess.DEVNULL)
    try:
        while not os.path.exists(ready):
            expect(server.poll() is None, "the model server ended")
            time.sleep(0.02)
        with open(ready, encoding="utf-8") as file:
            url = json.load(file)["url"]
        agent = subprocess.Popen([place.kedge, "--allow-writes", "--session-dir", place.sessions, "--cwd", place.work, *flags, "-p", "go"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=place.work,
                                 env={**place.env, "ANTHROPIC_BASE_URL": url})
        _, status, usage = os.wait4(agent.pid, 0)
        agent.returncode = os.waitstatus_to_exitcode(status)
        expect(agent.returncode == 0, f"kedge ended with {agent.returncode}")
        return usage.ru_maxrss
    finally:
        server.terminate()
        server.wait()
        os.unlink(ready)


def results_of(place):
    """The texts of all tool results of the session, in order."""
    path = next(pathlib.Path(place.sessions).glob("*.jsonl"))
    texts = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            message = json.loads(line).get("message", {})
            if message.get("role") == "toolResult":
                texts.append("\n".join(block.get("text", "") for block in message["content"]))
    return texts


def expect_sequence(path, cutter, first, last):
    """What `cutter` leaves of the file is the numbers from `first` to `last`, one a line. Not read into memory: it would count as ours, and
    so as the memory of what we start."""
    script = f'cmp <({cutter} "$0") <(seq {first} {last})'
    done = subprocess.run(["bash", "-c", script, path], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{cutter} is not {first} to {last}: {done.stdout}{done.stderr}")


def look_at(path, first, count):
    """(line number of the cut, its line, all lines); what stands before and behind it is whole."""
    found = subprocess.run(["grep", "-abn", r"^\[", path], capture_output=True, text=True, check=False).stdout.splitlines()
    expect(len(found) == 1, f"{len(found)} lines about a cut")
    line, offset, text = found[0].split(":", 2)
    gap = re.fullmatch(r"\[(\d+) bytes, lines (\d+)-(\d+), were cut here: an artifact keeps 256 MiB\]", text)
    expect(gap is not None, f"the cut is {text!r}")
    cut_bytes, cut_from, cut_to = (int(number) for number in gap.groups())
    line, offset, behind = int(line), int(offset), int(offset) + len(text) + 1
    expect(path.stat().st_size - len(text) - 1 <= ARTIFACT_BYTES, f"{path.stat().st_size} bytes were kept")
    expect(cut_from == line and cut_bytes == (cut_to - cut_from + 1) * 10, f"line {line}: {text}")
    expect_sequence(path, f"head -c {offset}", first, first + cut_from - 2)
    expect_sequence(path, f"tail -c +{behind + 1}", first + cut_to, first + count - 1)
    return line, text, line + count - cut_to


def read_ranges(place, options):
    """tools-T154"""
    first, count = 100000000, options.megabytes * 100000  # numbers of nine digits
    small = run_agent(place, [("bash", {"command": "seq 1 10"})])
    shutil.rmtree(place.sessions)
    peak = run_agent(place, [("bash", {"command": f"seq {first} {first + count - 1}", "timeout": WAIT})])
    path = next(pathlib.Path(place.sessions).rglob("0.bash.log"))
    cut, cut_line, total = look_at(path, first, count)
    reading = run_agent(place, [("read", {"path": f"artifact://0:{total - 9}-{total}"}), ("read", {"path": f"artifact://0:{cut - 3}-{cut + 3}"})],
                        "--continue")
    end, middle = results_of(place)[-2:]
    shown = [line.rsplit("|", 1)[-1] for line in end.split("\n")]
    expect([str(number) for number in range(first + count - 10, first + count)] == [line for line in shown if re.fullmatch(r"\d{9}", line)][-10:],
           f"the end is not {end!r}")
    expect(f"{first + cut - 2}\n" in middle and cut_line in middle, f"the cut is not {middle!r}")
    if not IS_SANITIZED:
        for name, grown in (("writing", peak - small), ("reading", reading - small)):
            expect(grown < MEMORY_KIB, f"{name} took {grown} KiB more than a small call")
    return f"{path.stat().st_size} bytes kept, cut at line {cut} of {total}, {peak - small} and {reading - small} KiB more"


# ---- killed writers ---------------------------------------------------------


def text_of(number):
    return "".join(f"{number} line {line}\n" for line in range(700))


def listing(work):
    return sorted(str(path.relative_to(work)) for path in pathlib.Path(work).rglob("*") if ".git" not in path.relative_to(work).parts)


class Writer:
    """One call at a time in a git work tree, the old and the new text of its target known."""

    def __init__(self, place):
        self.place = place
        self.count = 0
        subprocess.run(["git", "init", "-q", place.work], check=True, env=place.env)
        for name in ("edited.txt", "sub/kept.txt"):
            path = os.path.join(place.work, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write(text_of(0))
        with open(os.path.join(place.work, "ignored.txt"), "w", encoding="ascii") as file:
            file.write(text_of(0))
        with open(os.path.join(place.work, ".gitignore"), "w", encoding="ascii") as file:
            file.write("ignored.txt\n*.tmp\n")
        self.known = listing(place.work)

    def text(self, name):
        try:
            with open(os.path.join(self.place.work, name), encoding="ascii") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def next_call(self):
        """(tool, arguments, target, old text, new text)"""
        self.count += 1
        kind = self.count % 4
        if kind == 0:
            old = self.text("edited.txt")
            line = old.split("\n", 1)[0]
            edit = {"old_text": line + "\n", "new_text": f"{self.count} edited\n"}
            return "edit", {"path": "edited.txt", "edits": [edit]}, "edited.txt", old, old.replace(line, f"{self.count} edited", 1)
        name = ("", "sub/kept.txt", "ignored.txt", f"new-{self.count}.txt")[kind]
        return "write", {"path": name, "content": text_of(self.count)}, name, self.text(name), text_of(self.count)

    def start(self, tool, arguments):
        return subprocess.Popen([self.place.kedge, "tool", "run", "--yes", "--cwd", self.place.work, tool, json.dumps(arguments)],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.place.env,
                                cwd=self.place.root)

    def check(self, name, old, new, is_killed):
        now = self.text(name)
        expect(now in (old, new), f"{name}, call {self.count}: {len(now or '')} characters that are neither the old nor the new text")
        expect(is_killed or now == new, f"{name}, call {self.count}: not written")
        if now is not None and name not in self.known:
            self.known = sorted([*self.known, name])
        found = listing(self.place.work)
        expect(found == self.known, f"call {self.count} left {sorted(set(found) ^ set(self.known))}")
        return now == new


def typical_seconds(writer):
    times = []
    for _ in range(8):
        tool, arguments, name, old, new = writer.next_call()
        start = time.monotonic()
        code = writer.start(tool, arguments).wait(WAIT)
        times.append(time.monotonic() - start)
        expect(code == 0, f"{tool} ended with {code}")
        writer.check(name, old, new, False)
    return sorted(times)[len(times) // 2]


def killed_writers(place, options):
    """tools-T162"""
    writer = Writer(place)
    span = 1.2 * typical_seconds(writer)
    chance = random.Random(162)
    killed = written = 0
    for _ in range(options.kill):
        tool, arguments, name, old, new = writer.next_call()
        process = writer.start(tool, arguments)
        time.sleep(chance.uniform(0, span))
        process.kill()
        is_killed = process.wait(WAIT) != 0
        span *= 1.05 if is_killed else 0.9  # the machine may be busier or less so than at first
        killed += is_killed
        written += writer.check(name, old, new, is_killed) and is_killed
    expect(killed > options.kill // 4, f"only {killed} of {options.kill} were killed in time")
    status = subprocess.run(["git", "-C", place.work, "status", "--porcelain", "--ignored", "-uall"], capture_output=True, text=True, check=True,
                            env=place.env).stdout
    shown = sorted(line[3:] for line in status.splitlines())
    wanted = [name for name in writer.known if os.path.isfile(os.path.join(place.work, name))]
    expect(shown == wanted, f"git status shows {sorted(set(shown) ^ set(wanted))}")
    for _ in range(4):  # what dead processes left in .git goes with the next write
        tool, arguments, name, old, new = writer.next_call()
        expect(writer.start(tool, arguments).wait(WAIT) == 0, f"{tool} fails afterwards")
        writer.check(name, old, new, False)
    left = list(pathlib.Path(place.work, ".git", "kedge-tmp").glob("*"))
    expect(not left, f"{len(left)} files are left in .git/kedge-tmp")
    return f"{killed} of {options.kill} killed, {written} of them after the new text was there"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kedge", default=os.environ.get("KEDGE", "kedge"))
    parser.add_argument("--megabytes", type=int, default=400 if IS_FULL else 280)
    parser.add_argument("--kill", type=int, default=1000 if IS_FULL else 100)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    options = parser.parse_args()
    cases = [("tools-T154 an artifact over its cap is bounded, whole at both ends, and read by range", read_ranges),
             ("tools-T162 killed writers leave the old text or the new, and nothing else", killed_writers)]
    cases = [case for case in cases if options.only in case[0]]
    return harness.run_cases([(name, functools.partial(case, options=options)) for name, case in cases], lambda: Place(options))


if __name__ == "__main__":
    sys.exit(main())
