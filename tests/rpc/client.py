"""A client of `kedge --mode rpc` for tests, and the model server behind it.

Environment: KEDGE, the binary.
"""
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

KEDGE = os.environ.get("KEDGE", "kedge")
MODEL = pathlib.Path(__file__).resolve().parents[1] / "servers/model.py"
WAIT = 20  # seconds until a missing message counts as missing
KEPT_VARIABLES = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "G_SLICE")

# a call that is asked about, and a gh that leaves a trace when it runs
COMMENT = {"name": "gh", "arguments": {"args": ["issue", "comment", "8", "-R", "harbor/tidepool", "--body", "yes"]}}
GH = """#!/bin/sh
case "$*" in
*--version*) echo "gh version 2.92.0 (2026-01-12)" ;;
*comment*) touch "$HOME/w/made" ;;
esac
"""


def brief(messages):
    return [json.dumps(message)[:120] for message in messages[-8:]]


def lines_of(path):
    data = path.read_bytes()
    assert data.endswith(b"\n"), f"{path}: the last line has no end"
    return [json.loads(line) for line in data.splitlines()]


class Model:
    """The scripted model server."""

    def __init__(self, root, turns):
        folder = tempfile.mkdtemp(prefix="model-", dir=root)
        script, ready = os.path.join(folder, "script.jsonl"), os.path.join(folder, "ready")
        with open(script, "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(turn) + "\n" for turn in turns))
        self.process = subprocess.Popen([sys.executable, MODEL, "--script", script, "--ready", ready, "--parent", str(os.getpid())],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + WAIT
        while not os.path.exists(ready):
            if time.monotonic() > until or self.process.poll() is not None:
                raise AssertionError("the model server did not start")
            time.sleep(0.02)
        with open(ready, encoding="utf-8") as file:
            self.url = json.load(file)["url"]

    def ask(self, path):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.url}/_model/{path}", timeout=WAIT) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def wait(self, **what):
        self.ask("wait?" + "&".join(f"{name}={value}" for name, value in what.items()))

    def close(self):
        self.process.terminate()
        self.process.wait()


class Client:
    """One process, and what it said."""

    def __init__(self, root, args=(), env=None, is_deaf=False, mode=("--mode", "rpc")):
        self.cwd = os.path.join(root, "w")
        os.makedirs(self.cwd, exist_ok=True)
        env = {"HOME": root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMPDIR": root, **(env or {})}
        env.update({name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ})
        self.deaf_ear, out = os.pipe() if is_deaf else (None, subprocess.PIPE)
        self.process = subprocess.Popen([KEDGE, *mode, *args], cwd=self.cwd, env=env, stdin=subprocess.PIPE, stdout=out,
                                        stderr=subprocess.PIPE)
        if is_deaf:
            os.close(out)
        self.messages, self.kept, self.next_id, self.stderr = queue.Queue(), [], 1, b""
        self.seen = []  # everything, in order
        readers = [self._read_stderr] if is_deaf else [self._read_stderr, self._read]
        self.threads = [threading.Thread(target=reader, daemon=True) for reader in readers]
        for thread in self.threads:
            thread.start()

    def _read(self):
        for line in self.process.stdout:
            self.messages.put(json.loads(line))
        self.messages.put(None)

    def _read_stderr(self):
        self.stderr = self.process.stderr.read()

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def start(self, type_, **fields):
        """Sends a command; its id."""
        id_ = f"r{self.next_id}"
        self.next_id += 1
        self.send({"id": id_, "type": type_, **fields})
        return id_

    def wait_for(self, wanted, timeout=WAIT):
        """The first message for which `wanted` holds; those before it are kept."""
        for i, message in enumerate(self.kept):
            if wanted(message):
                return self.kept.pop(i)
        until = time.monotonic() + timeout
        while True:
            try:
                message = self.messages.get(timeout=max(until - time.monotonic(), 0))
            except queue.Empty:
                raise AssertionError(f"no such message within {timeout} s; kept: {brief(self.kept)}") from None
            if message is None:
                self.messages.put(None)
                raise AssertionError(f"the program ended; kept: {brief(self.kept)}, stderr: {self.stderr!r}")
            self.seen.append(message)
            if wanted(message):
                return message
            self.kept.append(message)

    def event(self, type_, **fields):
        return self.wait_for(lambda m: m["type"] == type_ and all(m.get(key) == value for key, value in fields.items()))

    def response(self, id_):
        return self.wait_for(lambda m: m["type"] == "response" and m.get("id") == id_)

    def call(self, type_, **fields):
        """The whole response."""
        return self.response(self.start(type_, **fields))

    def get(self, type_, **fields):
        """The data of a response that is a success."""
        response = self.call(type_, **fields)
        assert response["success"], response
        return response.get("data")

    def prompt(self, message, **fields):
        """Sends it and waits for the end of the run; its events."""
        self.get("prompt", message=message, **fields)
        begin = len(self.seen)
        self.event("agent_end")
        return self.seen[begin:]

    def rest(self):
        """What is still said, to the end of the program."""
        found = self.kept
        self.kept = []
        while (message := self.messages.get(timeout=WAIT)) is not None:
            found.append(message)
        self.messages.put(None)
        return found

    def wait_for_file(self, name):
        path, until = os.path.join(self.cwd, name), time.monotonic() + WAIT
        while not os.path.exists(path):
            if time.monotonic() > until:
                raise AssertionError(f"{name} was not made")
            time.sleep(0.02)

    def end(self, timeout=WAIT):
        """Closes our end; the exit code."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        return self.process.wait(timeout)

    def close(self):
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for thread in self.threads:
            thread.join(5)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()


class RpcTest(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="kedge-rpc-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.model = None

    def script(self, *turns):
        """The model's turns, in order."""
        self.model = Model(self.root, turns)
        self.addCleanup(self.model.close)

    def settings(self, text):
        folder = os.path.join(self.root, ".kedge/agent")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.yml"), "w", encoding="utf-8") as file:
            file.write(text)

    def add_gh(self):
        """Puts a gh into bin/ of the HOME."""
        os.makedirs(os.path.join(self.root, "bin"), exist_ok=True)
        path = os.path.join(self.root, "bin/gh")
        with open(path, "w", encoding="utf-8") as file:
            file.write(GH)
        os.chmod(path, 0o755)

    def environment(self):
        url = self.model.url if self.model else "http://127.0.0.1:9"
        return {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": url, "no_proxy": "127.0.0.1", "KEDGE_NO_TITLE": "1"}

    def client(self, *args, **options):
        """A client that has read `ready`."""
        client = self.early_client(*args, **options)
        self.ready = client.event("ready")
        return client

    def early_client(self, *args, env=None, **options):
        client = Client(self.root, args, env=self.environment() if env is None else env, **options)
        self.addCleanup(client.close)
        return client

    def session_files(self):
        return sorted(pathlib.Path(self.root, ".kedge/agent/sessions").rglob("*.jsonl"))
