#!/usr/bin/env python3
"""Large sessions, and sessions that several processes want at once, as TAP.

    tests/stress/session_sizes.py --kedge build/kedge [--megabytes 200] [--rounds 40] [--only two]

FULL=1 in the environment makes the defaults those of the specification.
"""
import argparse
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import answering
import harness
from harness import expect

IS_FULL = os.environ.get("FULL") == "1"
IS_SANITIZED = any(name.endswith("SAN_OPTIONS") for name in os.environ)
WAIT = 600  # seconds until something counts as hanging
SMALL_MIB = 40  # what reads a file line by line
WHOLE_PER_MIB, PAGE_PER_MIB = 3, 6.5  # what holds the conversation, or it and its page: of memory for a MiB of file
PROCESSES = 3


class Place:
    """A private home and a model."""

    def __init__(self, options):
        self.kedge = os.path.abspath(options.kedge)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="kedge-stress-"))
        self.work = self.root / "work"
        self.work.mkdir()
        self.model = answering.Model()
        self.env = {"HOME": str(self.root), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
                    "KEDGE_AGENT_DIR": str(self.root / "agent"), "ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": self.model.url,
                    **{name: os.environ[name] for name in os.environ if name.endswith("SAN_OPTIONS")}}
        self.sessions = self.root / "agent" / "sessions" / "-work"
        self.figures = []

    def remove(self):
        self.model.close()
        shutil.rmtree(self.root, ignore_errors=True)

    def start(self, arguments):
        return subprocess.Popen([self.kedge, *arguments], env=self.env, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def measure(self, what, arguments):
        """Its output; the peak of its memory in MiB and how long it took are kept."""
        began = time.monotonic()
        out, err = self.root / "out", self.root / "err"
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            process = subprocess.Popen([self.kedge, *arguments], env=self.env, cwd=self.work, stdin=subprocess.DEVNULL, stdout=out_file,
                                       stderr=err_file)
            guard = threading.Timer(WAIT, process.kill)
            guard.start()
            _, status, usage = os.wait4(process.pid, 0)
            guard.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        expect(process.returncode == 0, f"{what} ended with {process.returncode}: {err.read_text(errors='replace')[:300]}")
        peak = usage.ru_maxrss / 1024
        self.figures.append(f"{what} {time.monotonic() - began:.1f} s {peak:.0f} MiB")
        return out.read_text(), peak


def write_large(path, cwd, megabytes):
    """Questions, calls and results as months leave them. Written as text: only what kedge does is to cost something."""
    path.parent.mkdir(parents=True)
    usage = '"usage":{"input":1000,"output":100,"cacheRead":0,"cacheWrite":0,"totalTokens":1100,"cost":{"input":0.1,"output":0.1,"total":0.2}}'
    known = f'"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-5",{usage}'
    output = "".join(f"{line}\\tstatic int tide_{line}(void) {{ return {line}; }}\\n" for line in range(160))
    number, parent = 0, "null"
    with open(path, "w", encoding="utf-8") as file:
        def entry(kind, rest):
            nonlocal number, parent
            file.write(f'{{"type":"{kind}","id":"{number:08x}","parentId":{parent},"timestamp":"2026-03-04T05:06:07.000Z",{rest}}}\n')
            parent, number = f'"{number:08x}"', number + 1

        file.write(json.dumps({"type": "session", "version": 3, "id": "0195d2c4-8f10-7b3e-9a44-2f6c1d0e7a55",
                               "timestamp": "2026-03-04T05:06:07.000Z", "cwd": str(cwd)}) + "\n")
        turn = 0
        while file.tell() < megabytes << 20:
            turn += 1
            entry("message", f'"message":{{"role":"user","content":"question {turn} of many","timestamp":1}}')
            call = f'{{"type":"toolCall","id":"toolu_{turn}","name":"read","arguments":{{"path":"src/{turn}.c"}}}}'
            entry("message", f'"message":{{"role":"assistant","content":[{call}],{known},"stopReason":"toolUse","timestamp":1}}')
            entry("message", f'"message":{{"role":"toolResult","toolCallId":"toolu_{turn}","toolName":"read","content":[{{"type":"text",'
                             f'"text":"{output}"}}],"isError":false,"timestamp":1}}')
            entry("message", f'"message":{{"role":"assistant","content":[{{"type":"text","text":"said {turn}"}}],{known},"stopReason":"stop",'
                             '"timestamp":1}')
            if turn % 50 == 0:
                entry("compaction", f'"summary":"what was said up to {turn}","firstKeptEntryId":"{number - 8:08x}","tokensBefore":100000')
        entry("compaction", f'"summary":"what was said up to {turn}","firstKeptEntryId":"{number - 4:08x}","tokensBefore":100000')
    return turn


def large(place, options):
    """List, search, check, resume, export."""
    path = place.sessions / "2026-03-04T05-06-07-000Z_0195d2c4-8f10-7b3e-9a44-2f6c1d0e7a55.jsonl"
    turns = write_large(path, place.work, options.megabytes)
    size = path.stat().st_size
    small, whole, both = SMALL_MIB, SMALL_MIB + WHOLE_PER_MIB * (size >> 20), SMALL_MIB + PAGE_PER_MIB * (size >> 20)
    peaks = []

    def check(what, bound, arguments):
        out, peak = place.measure(what, arguments)
        peaks.append((what, peak, bound))
        return out

    listed = json.loads(check("list", small, ["sessions", "list", "--json"]))
    expect(len(listed) == 1 and listed[0]["size"] == size, f"listed: {str(listed)[:300]}")
    check("list again", small, ["sessions", "list"])
    found = check("search", small, ["sessions", "search", "question", f"{turns - 7}"])
    expect(f"question {turns - 7}" in found, f"found: {found[:300]}")
    check("check", whole, ["sessions", "check", str(path)])
    check("resume", whole, ["--resume", str(path), "-p", "go on"])
    said = json.dumps(place.model.last["messages"])
    expect(f"what was said up to {turns}" in said and f"said {turns}" in said and "go on" in said, f"sent: {said[:300]}")
    expect(path.stat().st_size > size and "answer 1" in path.read_bytes()[-3000:].decode(), "the turn was not appended")
    page = place.root / "page.html"
    check("export", both, ["sessions", "export", str(path), str(page)])
    expect(page.stat().st_size > size // 4, f"the page has {page.stat().st_size} bytes")
    if not IS_SANITIZED:
        over = [f"{what} took {peak:.0f} MiB of {bound:.0f}" for what, peak, bound in peaks if peak > bound]
        expect(not over, "; ".join(over) + " | " + ", ".join(place.figures))
    return f"{size >> 20} MiB: {', '.join(place.figures)}"


def together(place, options):
    """Of processes that want one session, one has it, the others go on in copies; no answer is lost, no line broken."""
    first = place.start(["-p", "first"])
    first.communicate()
    path = next(place.sessions.parent.rglob("*.jsonl"))
    copies = 0
    for number in range(options.rounds):
        processes = [place.start(["--resume", str(path), "-p", f"round {number} of process {index}"]) for index in range(PROCESSES)]
        for process in processes:
            _, errors = process.communicate(timeout=WAIT)
            expect(process.returncode == 0, f"round {number}: {process.returncode} {errors}")
            copies += "Continuing in a copy" in errors
        files = sorted(path.parent.glob("*.jsonl"))
        places = {}
        for file in files:
            for line in file.read_text().splitlines():
                message = json.loads(line).get("message", {})
                if message.get("role") == "user" and str(message["content"]).startswith(f"round {number} "):
                    places.setdefault(message["content"], []).append(file.name)  # a copy has the turns that were completed before it
        expect(sorted(places) == [f"round {number} of process {index}" for index in range(PROCESSES)] and
               all(len(names) == len(set(names)) for names in places.values()), f"round {number}: {places}")
        for file in files:
            if file != path:
                file.unlink()
    expect(copies > 0, "they never met")
    return f"{options.rounds} rounds of {PROCESSES}: {copies} copies"


def settings(place, options):
    """core-77: different keys, set at once, are all saved."""
    keys = ["steeringMode", "followUpMode", "interruptMode"]
    values = {"steeringMode": ("all", "one-at-a-time"), "followUpMode": ("all", "one-at-a-time"), "interruptMode": ("immediate", "wait")}
    for number in range(options.rounds):
        wanted = {key: values[key][(number + index) % 2] for index, key in enumerate(keys)}
        processes = [place.start(["config", "set", key, value]) for key, value in wanted.items()]
        for process in processes:
            _, errors = process.communicate(timeout=WAIT)
            expect(process.returncode == 0, f"round {number}: {process.returncode} {errors}")
        text = (place.root / "agent" / "config.yml").read_text()
        lost = [f"{key}: {value}" for key, value in wanted.items() if f"{key}: {value}" not in text]
        expect(not lost, f"round {number} has lost {lost}: {text}")
    return f"{options.rounds} rounds"


CASES = [("large", "a large session is listed, searched, checked, gone on with and exported within bounded memory", large),
         ("two", "processes that want one session at once lose nothing of it", together),
         ("settings", "core-77 processes that set different keys at once lose none", settings)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kedge", default=os.environ.get("KEDGE", "kedge"))
    parser.add_argument("--megabytes", type=int, default=200 if IS_FULL else 24)
    parser.add_argument("--rounds", type=int, default=200 if IS_FULL else 8)
    parser.add_argument("--only", default="", choices=["", *(name for name, _, _ in CASES)])
    options = parser.parse_args()
    cases = [case for case in CASES if options.only in ("", case[0])]
    return harness.run_cases([(title, functools.partial(case, options=options)) for _, title, case in cases], lambda: Place(options))


if __name__ == "__main__":
    sys.exit(main())
