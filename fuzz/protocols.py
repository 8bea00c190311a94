#!/usr/bin/env python3
"""Feeds the doors of kedge (mcp, rpc, acp) with lines that are nearly right, and `gh` with answers that are, for as long as it is told.

  fuzz/protocols.py BINARY [--seconds N] [--seed N] [mcp|rpc|acp|forge]…

BINARY is best one of tools/check asan. A finding is a report of a sanitizer, a crash, an end that does not come, or a server that no longer
answers. It is printed with the seed of its round, which brings it about again, and the exit status is 1. No tool that runs commands is offered.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
WAIT = 120  # seconds for an answer or an end
LINES = 150  # of one round
TOOLS = "read,find,grep,ls,edit,write,ast_grep,ast_edit,calc,todo_write,checkpoint,search_tool_bm25,github,gh"
NOT_RUN = {"bash", "login", "export_html", "share"}  # commands of rpc that start programs or wait for a person

ODD = [None, True, False, 0, -1, 1, 0.5, -0.0, 2**31, 2**53 + 1, -2**63, 10**400, 1e308, "", " ", "\0", "a\0b", "\n", "\r\n", "\x1b[31m", "\u202e", "\U000e0041",
       "\ud800", "é", "e\u0301", "👩‍👩‍👧", "a" * 70000, "../../etc/passwd", "/dev/zero", "/dev/stdin", "/proc/self/environ", ".", "..", "/", "~", "~root", "file:///etc/hostname",
       "issue://1", "pr://0/diff/9999999", "run://x", "history://", "local://../../x", "a.txt:0-", "a.txt:9999999999999999999", "x.zip:../../y", "%s%n", "${HOME}", "--help",
       "-1", "[", "(", "(?=", "\\", "*" * 300, "{a,b}" * 40, [], {}, [[]], [None], [{}], {"": None}, {"a": {"a": {"a": []}}}, "2024-13-45", "1h", "today"]


class Finding(Exception):
    """What a round has found, in words."""


class Maker:
    """Values for a schema: mostly what it wants."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, part):
        return self.random.random() < part

    def odd(self):
        value = self.random.choice(ODD)
        if self.chance(0.03):
            for _ in range(self.random.choice((10, 200, 800))):
                value = [value] if self.chance(0.5) else {"a": value}
        return value

    def text(self):
        return self.random.choice(["a.txt", "b/c.py", "one", "needle", "pull request", "1", "x.zip", "x.zip:in.txt", "main", "acme/widget", "*.py", "."])

    def make(self, schema, depth=0):
        if self.chance(0.08) or not isinstance(schema, dict) or depth > 8:
            return self.odd()
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                return self.make(self.random.choice(schema[key]), depth + 1)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self.random.choice(schema["enum"])
        kind = schema.get("type")
        kind = self.random.choice(kind) if isinstance(kind, list) else kind
        if kind == "object" or "properties" in schema:
            return self.make_object(schema, depth)
        if kind == "array":
            return [self.make(schema.get("items", {}), depth + 1) for _ in range(self.random.choice((0, 1, 1, 2, 3, 30)))]
        simple = {"string": self.text, "boolean": lambda: self.chance(0.5), "integer": lambda: self.random.choice((0, 1, 2, 10, 1000)),
                  "number": lambda: self.random.choice((0.5, 1, 99)), "null": lambda: None}
        return simple.get(kind, self.odd)()

    def make_object(self, schema, depth):
        required = schema.get("required", [])
        made = {}
        for name, part in schema.get("properties", {}).items():
            if self.chance(0.97 if name in required else 0.4):
                made[name] = self.make(part, depth + 1)
        if self.chance(0.05):
            made[self.text()] = self.odd()
        return made

    def bend(self, value, part=0.1):
        """A value as it is, but for some of its parts."""
        if self.chance(part):
            return self.odd()
        if isinstance(value, dict):
            return {key: self.bend(each, part) for key, each in value.items() if not self.chance(part / 4)}
        if isinstance(value, list):
            return [self.bend(each, part) for each in value] * (50 if self.chance(part / 8) else 1)
        return value

    def encode(self, value):
        data = json.dumps(value, ensure_ascii=self.chance(0.5)).encode(errors="surrogatepass")
        if self.chance(0.06):
            data = bytearray(data)
            for _ in range(self.random.choice((1, 3, 20))):
                at = self.random.randrange(len(data) + 1)
                data[at:at + self.random.randrange(3)] = self.random.randbytes(self.random.randrange(3))
            data = bytes(data)
        return data.replace(b"\n", b" ") + b"\n" * (0 if self.chance(0.01) else 1)


class Server:
    """One process in a HOME of its own."""

    def __init__(self, binary, home, args):
        self.work = os.path.join(home, "w")
        env = {"HOME": home, "PATH": f"{home}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TMPDIR": home, "ANTHROPIC_API_KEY": "sk-none", "GH_TOKEN": "ghp_none",
               "HTTPS_PROXY": "http://127.0.0.1:9", "KEDGE_NO_TITLE": "1", "ASAN_OPTIONS": "detect_stack_use_after_return=1:abort_on_error=0",
               "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([binary, *args], cwd=self.work, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.lines, self.changed = [], threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line)
                self.changed.notify_all()

    def send(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise Finding("it does not read any more") from error

    def wait_answer(self, id_):
        """The answer with this id."""
        end, at = time.monotonic() + WAIT, 0
        with self.changed:
            while True:
                for line in self.lines[at:]:
                    message = json.loads(line)
                    if isinstance(message, dict) and message.get("id") == id_ and "method" not in message:
                        return message
                at = len(self.lines)
                if not self.changed.wait(1) and (time.monotonic() > end or self.process.poll() is not None):
                    raise Finding(f"{id_!r} was not answered")

    def end(self):
        self.process.stdin.close()
        try:
            status = self.process.wait(WAIT)
        except subprocess.TimeoutExpired as error:
            raise Finding("it does not end") from error
        if status not in (0, 1, 2):
            raise Finding(f"its exit status is {status}")

    def close(self):
        """What it said on standard error."""
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace")
        self.errors.close()
        return said


def prepare(home, maker):
    """Files to work on, and a gh that answers with the files of `answers` in turn."""
    work, answers = pathlib.Path(home, "w"), pathlib.Path(home, "answers")
    for path in (work / "b", answers, pathlib.Path(home, "bin"), pathlib.Path(home, ".config/gh")):
        path.mkdir(parents=True)
    (work / "a.txt").write_text("one\nneedle\nthree\n" * 20)
    (work / "b/c.py").write_text("def f(x):\n    return x\n")
    shutil.make_archive(str(work / "x"), "zip", work / "b")
    subprocess.run(["git", "init", "-q", "."], cwd=work, check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://github.com/acme/widget"], cwd=work, check=True)
    seeds = [json.loads(path.read_text()) for path in sorted((ROOT / "tests/data/github").glob("*.json"))]
    seeds += [[seed] for seed in seeds] + [{"items": seeds, "total_count": 3, "incomplete_results": False}, {"data": {"repository": {"pullRequest": seeds[-1]}}},
              {"workflow_runs": [{"id": 1, "status": "completed", "conclusion": "failure", "name": "ci", "head_branch": "main"}], "jobs": [{"id": 2, "steps": [{"name": "x"}]}]}]
    for number in range(200):
        (answers / str(number)).write_bytes(maker.encode(maker.bend(maker.random.choice(seeds), 0.06)))
    gh = pathlib.Path(home, "bin/gh")
    gh.write_text(f"""#!/bin/sh
case $1 in --version|version) echo "gh version 2.60.0 (2024-11-01)"; exit ;; esac
exec cat "{answers}/$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')"
""")
    gh.chmod(0o755)


def hello(server, version="2025-06-18"):
    server.send(json.dumps({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params":
                            {"protocolVersion": version, "capabilities": {"elicitation": {}}, "clientInfo": {"name": "f", "version": "0"}}}).encode() + b"\n")
    server.wait_answer("hello")


def play_mcp(binary, home, maker, tools=TOOLS):
    server = Server(binary, home, ["mcp", "--tools", tools])
    try:
        hello(server)
        server.send(b'{"jsonrpc":"2.0","id":"tools","method":"tools/list"}\n')
        offered = server.wait_answer("tools")["result"]["tools"]
        methods = ["tools/list", "ping", "resources/list", "prompts/list", "notifications/cancelled", "notifications/initialized", "initialize", "logging/setLevel"]
        for number in range(LINES):
            tool = maker.random.choice(offered)
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool["name"], "arguments": maker.make(tool["inputSchema"])}}
            if maker.chance(0.15):
                message = {"jsonrpc": "2.0", "id": maker.odd() if maker.chance(0.3) else number, "method": maker.random.choice(methods),
                           "params": maker.random.choice([{}, {"requestId": number - 1}, {"cursor": "x"}, maker.odd()])}
            server.send(maker.encode(maker.bend(message, 0.01)))
        server.send(b'\n{"jsonrpc":"2.0","id":"last","method":"ping"}\n')
        server.wait_answer("last")
        server.end()
    finally:
        check(server.close())


def play_forge(binary, home, maker):
    play_mcp(binary, home, maker, "github,gh,read")


def play_rpc(binary, home, maker):
    schema = json.loads(subprocess.run([binary, "rpc", "--schema"], capture_output=True, check=True, env={"HOME": home, "PATH": os.environ["PATH"]}).stdout)
    commands = [part for part in schema["oneOf"] if part["properties"]["type"].get("const") not in NOT_RUN]
    server = Server(binary, home, ["--mode", "rpc", "--tools", "read,grep"])
    try:
        for number in range(LINES):
            message = maker.make_object(maker.random.choice(commands), 0)
            if str(message.get("type")) in NOT_RUN:
                continue
            message["id"] = maker.odd() if maker.chance(0.05) else str(number)
            server.send(maker.encode(maker.bend(message, 0.01)))
        server.send(b'\n{"type":"get_state","id":"last"}\n')
        server.wait_answer("last")
        server.end()
    finally:
        check(server.close())


def play_acp(binary, home, maker):
    server = Server(binary, home, ["acp"])
    try:
        server.send(b'{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}\n')
        server.wait_answer("hello")
        new = json.dumps({"jsonrpc": "2.0", "id": "new", "method": "session/new", "params": {"cwd": server.work, "mcpServers": []}})
        server.send(new.encode() + b"\n")
        session = server.wait_answer("new").get("result", {}).get("sessionId", "none")
        text = {"type": "text", "text": "/usage"}
        blocks = [text, {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}, {"type": "resource_link", "uri": "file:///etc/hostname", "name": "x"},
                  {"type": "resource", "resource": {"uri": "file:///x", "text": "y"}}]
        calls = [("session/prompt", {"sessionId": session, "prompt": [text]}), ("session/prompt", {"sessionId": session, "prompt": blocks}),
                 ("session/cancel", {"sessionId": session}), ("session/load", {"sessionId": session, "cwd": server.work, "mcpServers": []}),
                 ("session/set_mode", {"sessionId": session, "modeId": "x"}), ("session/set_model", {"sessionId": session, "modelId": "claude-sonnet-5"}),
                 ("session/list", {}), ("session/new", {"cwd": server.work, "mcpServers": []}), ("authenticate", {"methodId": "x"})]
        for number in range(LINES):
            method, params = maker.random.choice(calls)
            if method == "session/new" and maker.chance(0.8):
                continue
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": maker.bend(params, 0.08)}
            server.send(maker.encode(maker.bend(message, 0.01)))
        server.send(b'\n{"jsonrpc":"2.0","id":"last","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}\n')
        server.wait_answer("last")
        server.end()
    finally:
        check(server.close())


def check(said):
    for mark in ("ERROR: AddressSanitizer", "runtime error:", "ERROR: LeakSanitizer", "WARNING: ThreadSanitizer", "assertion failed", "GLib-CRITICAL"):
        if mark in said:
            raise Finding(said[-6000:])


PLAYS = {"mcp": play_mcp, "rpc": play_rpc, "acp": play_acp, "forge": play_forge}


def play(name, binary, seed):
    maker = Maker(f"{name} {seed}")
    with tempfile.TemporaryDirectory(prefix="kedge-fuzz.") as home:
        prepare(home, maker)
        try:
            PLAYS[name](binary, home, maker)
        except Finding as found:
            print(f"not ok {name} --seed {seed}: {found}", flush=True)
            return False
    return True


def main():
    sys.setrecursionlimit(20000)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=60, help="for each of the doors; 0: one round")
    parser.add_argument("--seed", type=int, help="of the first round; default: by the clock")
    parser.add_argument("doors", nargs="*", default=[], metavar="mcp|rpc|acp|forge", help="default: all")
    options = parser.parse_intermixed_args()
    first = options.seed if options.seed is not None else int(time.time())
    failed = 0
    for name in options.doors or PLAYS:
        end, rounds, bad = time.monotonic() + options.seconds, 0, 0
        while rounds == 0 or time.monotonic() < end:
            bad += not play(name, os.path.abspath(options.binary), first + rounds)
            rounds += 1
        print(f"{'not ok' if bad else 'ok'} {name}: {rounds} rounds of {LINES} lines, {bad} findings", flush=True)
        failed += bad
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
