#!/usr/bin/env python3
"""kedge killed at any of its writes, and its disk full from any of them on, as TAP (core-70, core-71, settings and keys too).

    tests/stress/session_stress.py --kedge build/kedge --fault build/tests/stress/libfault.so [--trials 10000] [--only turn]

Each trial runs one command that writes, with fault.c preloaded, which ends it at a write of its own or takes the space away. What the
command had acknowledged by then must be there, what was there before too; the next run must work and leave no temporary file.
TRIALS in the environment says how many trials there are over all cases.
"""
import argparse
import functools
import json
import mmap
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading

import answering
import harness
from harness import Failure, expect

WAIT = 300  # seconds until something counts as hanging
MODES = ("before", "half", "after", "full")
TURNS_MOST = 25  # of one session, then a new one is begun
LONG_PROMPT = " word" * 110000
SEED_CONFIG = "# mine\nsteeringMode: all # kept\n\n# the end\n"
# what a home may hold, whatever happened; SQLite's own journals are what makes its files whole again
KNOWN = re.compile(
    r"agent/(config\.yml|(agent|sessions|history|stats|usage)\.db(-wal|-shm|-journal)?|blobs/[0-9a-f]{64}|terminal-sessions/[^/]+"
    r"|sessions/[^/]+/(\.trash/\d+-[^/]+/)?[^/]+(\.jsonl|/\d+\.[a-z]+\.log))|\.kedge/stats\.db(-wal|-shm|-journal)?|\.kedge/cache/no-gh/gh|work/.*")


class Place:
    """A private home, the library that makes faults, a model."""

    def __init__(self, options):
        self.kedge = os.path.abspath(options.kedge)
        self.fault = os.path.abspath(options.fault)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="kedge-stress-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
        (self.root / "work").mkdir()
        self.agent = self.root / "agent"
        self.model = answering.Model()
        count = self.root / ".count"
        count.write_bytes(bytes(8))
        with open(count, "r+b") as file:
            self.count = mmap.mmap(file.fileno(), 8)
        self.env = {"HOME": str(self.root), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC",
                    "KEDGE_AGENT_DIR": str(self.agent), "ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": self.model.url}

    def remove(self):
        self.model.close()
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, arguments, text="", fault=None, answers=0):
        """(exit status, standard output, standard error); with `answers`, standard input stays open until so many responses came."""
        env = self.env
        self.count[:] = bytes(8)
        if fault is not None:
            env = {**env, "LD_PRELOAD": self.fault, "KEDGE_FAULT": fault, "KEDGE_FAULT_COUNT": str(self.root / ".count")}
        process = subprocess.Popen([self.kedge, *arguments], env=env, cwd=self.root / "work", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        hangs = []
        guard = threading.Timer(WAIT, lambda: (hangs.append(True), process.kill()))
        guard.start()
        try:
            out = ""
            if answers:
                try:
                    process.stdin.write(text)
                    process.stdin.flush()
                except BrokenPipeError:
                    pass
                text = None
                for line in process.stdout:
                    out += line
                    answers -= '"type":"response"' in line
                    if answers == 0:
                        break
            rest, errors = process.communicate(text)
        finally:
            guard.cancel()
        expect(not hangs, f"kedge {' '.join(arguments)} hangs")
        return process.returncode, out + rest, errors

    def works(self, arguments, text=""):
        code, out, errors = self.run(arguments, text)
        expect(code == 0, f"kedge {' '.join(arguments)} afterwards: {code} {errors.strip()}")
        return out

    def writes(self):
        return struct.unpack("<Q", self.count[:])[0]

    def check_files(self):
        for path in self.root.rglob("*"):
            name = str(path.relative_to(self.root))
            expect(path.is_dir() or name == ".count" or KNOWN.fullmatch(name), f"left behind: {name}")


def sessions_of(place):
    return sorted(place.agent.glob("sessions/*/*.jsonl"))


def entries_of(path):
    """Of the whole lines; one that is torn may stand last, or before what was written after it."""
    entries, torn = [], 0
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            if line:
                entries.append(json.loads(line))
        except ValueError:
            torn += 1
    return entries, torn


def key_of(message):
    """What a message is known by."""
    role, content = message.get("role"), message.get("content")
    if role == "bashExecution":
        return f"bash {message['command']}"
    if role == "toolResult":
        return f"result {message['toolCallId']}"
    if LONG_PROMPT in str(content):
        return f"{role} "  # the text is elsewhere
    texts = [content] if isinstance(content, str) else [block.get("text") or block.get("id") or "" for block in content]
    return f"{role} {' '.join(texts)[:40]}"


def acknowledged(out, is_new):
    """The messages that a run said are finished. Before the first answer nothing of a new session is kept."""
    keys, has_answer = [], not is_new
    for line in out.split("\n"):
        if '"type":"message_end"' not in line:
            continue
        try:
            message = json.loads(line)["message"]
        except ValueError:
            continue  # the last line, cut off
        keys.append(key_of(message))
        has_answer = has_answer or message["role"] == "assistant"
    return keys if has_answer else []


class Session:
    """Turns of one session, which is begun anew now and then."""

    def __init__(self, place, prompt, arguments=()):
        self.place, self.prompt, self.arguments = place, prompt, arguments
        self.begin()

    def begin(self):
        self.path, self.turns, self.kept = None, 0, []
        for name in ("sessions", "blobs"):
            shutil.rmtree(self.place.agent / name, ignore_errors=True)

    def check(self, code, out, is_killed):
        now = acknowledged(out, self.path is None)
        if self.path is None:
            found = [path for path in sessions_of(self.place) if path not in self.known]
            expect(len(found) <= 1, f"{len(found)} new sessions")
            expect(found or not now or not (is_killed or code == 0), "what was acknowledged is in no session")
            self.path = found[0] if found else None
        if self.path is None:
            return
        if b"\n" not in self.path.read_bytes():  # it ended within the first line: there is no session yet
            expect(not now or code == 1, "what was acknowledged is in no session")
            self.path.unlink()
            self.begin()
            self.place.works(["--continue", "-p", "whatever there is"])
            return
        entries, torn = entries_of(self.path)
        there = {key_of(entry["message"]) for entry in entries if "message" in entry}
        wanted = self.kept + (now if is_killed or code == 0 else [])
        lost = [key for key in wanted if key not in there]
        expect(not lost, f"{self.path.name} has lost {lost[:3]}, it has {sorted(there)[-3:]}")
        expect(torn <= self.turns + 1, f"{torn} broken lines after {self.turns} turns")
        self.kept = wanted

    def trial(self, number, fault):
        if self.turns >= TURNS_MOST:
            self.begin()
        self.known = sessions_of(self.place)
        self.turns += 1
        resume = ["--resume", str(self.path)] if self.path else []
        arguments = ["--allow-writes", "--mode", "json", *self.arguments, *resume, "-p"]
        code, out, errors = self.place.run(arguments, self.prompt.format(number), fault)
        is_killed = code == -signal.SIGKILL
        expect(is_killed or code in (0, 1), f"ended with {code}: {errors}")
        expect(code != 1 or errors.strip(), "ended with 1, and said nothing")
        self.check(code, out, is_killed)
        return is_killed, code

    def follow_up(self, number):
        """The next run goes on with the session; the model is sent all that was acknowledged."""
        if self.path is None:
            return
        self.place.works(["--resume", str(self.path), "-p", f"more {number}"])
        said = json.dumps(self.place.model.last["messages"])
        lost = [key for key in self.kept if key.startswith("user ") and key.split(" ", 1)[1] not in said]
        expect(not lost, f"the model is not told of {lost[:3]}")
        self.kept += [f"user more {number}"]


class LongPrompt(Session):
    """Prompts that are kept in files of their own."""

    def __init__(self, place):
        super().__init__(place, "long {}" + LONG_PROMPT)

    def trial(self, number, fault):
        if self.turns >= 4:
            self.begin()
        return super().trial(number, fault)

    def check(self, code, out, is_killed):
        super().check(code, out, is_killed)
        self.asked += re.findall(r'^{"type":"message_end".*?long (\d+) word', out, re.MULTILINE) if self.kept and (is_killed or code == 0) else []

    def begin(self):
        super().begin()
        self.asked = []

    def follow_up(self, number):
        super().follow_up(number)
        if self.path is None:
            self.asked = []
            return
        said = json.dumps(self.place.model.last["messages"])
        lost = [number for number in self.asked if f"long {number} word word" not in said]
        expect(not lost, f"the model is not told of {lost}")


class Commands:
    """A session that an RPC client renames, and adds to."""

    def __init__(self, place):
        self.place = place
        place.works(["-p", "first"])
        self.path = sessions_of(place)[-1]
        self.kept, self.names = ["user first"], [None]

    def trial(self, number, fault):
        lines = [{"id": "1", "type": "set_session_name", "name": f"name {number}"}, {"id": "2", "type": "bash", "command": f": {number}"}]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        code, out, errors = self.place.run(["--mode", "rpc", "--resume", str(self.path)], text, fault, answers=2)
        is_killed = code == -signal.SIGKILL
        expect(is_killed or code in (0, 1), f"ended with {code}: {errors}")
        entries, _ = entries_of(self.path)
        there = {key_of(entry["message"]) for entry in entries if "message" in entry}
        is_said = '"id":"2"' in out and '"success":true' in out.split('"id":"2"')[1].split("\n")[0]
        full = not is_killed and fault.endswith("full")
        self.kept += [f"bash : {number}"] if is_said and not full else []
        lost = [key for key in self.kept if key not in there]
        expect(not lost, f"lost {lost[:3]}")
        expect(entries and entries[0].get("type") == "session", "the header is gone")
        self.names.append(f"name {number}")
        expect(entries[0].get("title") in self.names, f"the name is {entries[0].get('title')!r}")
        self.names = [entries[0].get("title")]
        return is_killed, code

    def follow_up(self, number):
        self.place.works(["--resume", str(self.path), "-p", f"more {number}"])
        self.kept.append(f"user more {number}")
        line = json.dumps({"id": "2", "type": "set_session_name", "name": f"more {number}"}) + "\n"
        code, _, errors = self.place.run(["--mode", "rpc", "--resume", str(self.path)], line, answers=1)
        expect(code == 0, f"renaming afterwards: {code} {errors}")
        self.names = [f"more {number}"]
        if len(self.kept) > 2 * TURNS_MOST:
            self.__init__(self.place)


class Settings:
    """A value of config.yml; its comments and other values stay."""

    values = ("all", "one-at-a-time")

    def __init__(self, place):
        self.place = place
        place.agent.mkdir(exist_ok=True)
        self.file = place.agent / "config.yml"
        self.file.write_text(SEED_CONFIG)
        self.now = "all"

    def text(self, value):
        return SEED_CONFIG.replace("all #", f"{value} #")

    def trial(self, number, fault):
        new = self.values[1 - self.values.index(self.now)]
        code, _, errors = self.place.run(["config", "set", "steeringMode", new], fault=fault)
        text = self.file.read_text()
        is_killed = code == -signal.SIGKILL
        expect(text in (self.text(self.now), self.text(new)), f"config.yml is {text!r}")
        expect(code != 0 or text == self.text(new), "not saved")
        expect(is_killed or code == 0 or errors.strip(), f"ended with {code}, and said nothing")
        self.now = new if text == self.text(new) else self.now
        return is_killed, code

    def follow_up(self, number):
        expect(self.place.works(["config", "get", "steeringMode"]).strip() == self.now, "another value is read")
        for value in reversed(self.values) if self.now == "all" else self.values:
            self.place.works(["config", "set", "steeringMode", value])


class Keys:
    """API keys in the agent database."""

    def __init__(self, place):
        self.place = place
        place.works(["login", "groq"], "first-key-of-groq\n")
        self.kept = {"first-key-of-groq"}

    def stored(self):
        with sqlite3.connect(self.place.agent / "agent.db") as db:
            expect(db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the database is damaged")
            rows = db.execute("SELECT data FROM auth_credentials").fetchall()
        db.close()
        return " ".join(row[0] for row in rows)

    def trial(self, number, fault):
        key = f"key-{number}-of-openai"
        code, _, errors = self.place.run(["login", "openai"], key + "\n", fault)
        is_killed = code == -signal.SIGKILL
        expect(is_killed or code == 0 or errors.strip(), f"ended with {code}, and said nothing")
        if code == 0:
            self.kept.add(key)
        stored = self.stored()
        lost = [key for key in self.kept if key not in stored]
        expect(not lost, f"lost {lost[:3]}")
        return is_killed, code

    def follow_up(self, number):
        expect(re.search(r"^groq +[^- ]", self.place.works(["login"]), re.MULTILINE), "the first key is not known")
        if len(self.kept) > TURNS_MOST:
            self.place.works(["logout", "openai"])
            self.kept = {"first-key-of-groq"}


class Index:
    """Indexes that are made of the sessions, and sessions that are deleted."""

    def __init__(self, place):
        self.place = place
        self.here = 0
        self.more()

    def more(self):
        while len(sessions_of(self.place)) < 4:
            self.place.works(["--allow-writes", "-p", "BIG artifact"])

    def trial(self, number, fault):
        paths = sessions_of(self.place)
        kind = number % 3
        ident = paths[0].stem.split("_", 1)[1]
        arguments = (["sessions", "list", "--all"], ["stats", "--json"], ["sessions", "delete", "--yes", ident])[kind]
        code, _, errors = self.place.run(arguments, fault=fault)
        is_killed = code == -signal.SIGKILL
        expect(is_killed or code == 0 or errors.strip(), f"ended with {code}, and said nothing")
        left = sessions_of(self.place)
        expect(paths[1:] == left[-len(paths) + 1:] and len(left) >= len(paths) - (kind == 2), "another session is gone")
        expect(kind != 2 or code != 0 or (len(left) < len(paths) and not paths[0].with_suffix("").exists()), "not deleted")
        return is_killed, code

    def follow_up(self, number):
        listed = self.place.works(["sessions", "list", "--all", "--json"])
        count = len(json.loads(listed)) if listed.lstrip().startswith("[") else listed.count('"path"')
        expect(count == len(sessions_of(self.place)), f"{count} sessions are listed of {len(sessions_of(self.place))}")
        json.loads(self.place.works(["stats", "--json"]))
        self.more()


CASES = {  # name: (what is done, a share of the trials)
    "turn": ("core-70 a turn with a tool call", lambda place: Session(place, "CALL prompt {}"), 8),
    "artifact": ("a turn whose output becomes an artifact", lambda place: Session(place, "BIG prompt {}"), 2),
    "blob": ("a prompt that becomes a blob", LongPrompt, 1),
    "commands": ("core-71 a session that is renamed, and written anew", Commands, 3),
    "settings": ("a setting is saved", Settings, 3),
    "keys": ("a key is stored", Keys, 2),
    "index": ("sessions are indexed, counted and deleted", Index, 3),
}


def run_case(place, name, trials):
    subject = CASES[name][1](place)
    chance = random.Random(name)
    subject.trial(0, "0 none")
    most = first = place.writes()
    expect(most > 0, "the library sees no write")
    killed = full = untouched = 0
    for number in range(1, trials + 1):
        # each write of it in turn, in each of the ways; later ones are rarer when a run is short
        at, mode = 1 + (number // len(MODES)) % most, MODES[number % len(MODES)]
        if chance.random() < 0.3:
            at = chance.randint(1, first)
        try:
            is_killed, code = subject.trial(number, f"{at} {mode}")
            is_reached = place.writes() >= at
            killed += is_killed
            full += mode == "full" and is_reached
            untouched += not is_reached
            if not is_killed and mode != "full":
                most = place.writes()  # a later turn has fewer than the first
            expect(is_killed or mode == "full" or not is_reached, f"not killed, but ended with {code}")
            subject.follow_up(number)
            place.check_files()
        except Failure as failure:
            raise Failure(f"trial {number}, write {at} {mode}: {failure}") from failure
    return f"{name}: {trials} trials at up to {max(most, first)} writes: {killed} killed, {full} without space, {untouched} ended before"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kedge", default=os.environ.get("KEDGE", "kedge"))
    parser.add_argument("--fault", default=os.environ.get("KEDGE_FAULT_LIBRARY"))
    parser.add_argument("--trials", type=int, default=int(os.environ.get("TRIALS", "10000" if os.environ.get("FULL") == "1" else "330")))
    parser.add_argument("--only", default="", choices=["", *CASES])
    options = parser.parse_args()
    if any(name.endswith("SAN_OPTIONS") for name in os.environ):
        print("1..0 # SKIP a sanitizer's library has to be the first one")
        return 0
    cases = {name: case for name, case in CASES.items() if options.only in ("", name)}
    shares = sum(case[2] for case in cases.values())
    runs = [(title, functools.partial(run_case, name=name, trials=max(1, options.trials * share // shares)))
            for name, (title, _, share) in cases.items()]
    return harness.run_cases(runs, lambda: Place(options))


if __name__ == "__main__":
    sys.exit(main())
