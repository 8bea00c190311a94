"""A client of `kedge --mode rpc` for tests, and the model server behind it.

Environment: KEDGE, the binary.
"""
import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from line_process import KEDGE, WAIT, LineProcess, kept_variables  # noqa: E402, F401

MODEL = pathlib.Path(__file__).resolve().parents[1] / "servers/model.py"

# a call that is asked about, and a gh that leaves a trace when it runs
COMMENT = {"name": "gh", "arguments": {"args": ["issue", "comment", "8", "-R", "harbor/tidepool", "--body", "yes"]}}
GH = """#!/bin/sh
case "$*" in
*--version*) echo "gh version 2.92.0 (2026-01-12)" ;;
*comment*) touch "$HOME/w/made" ;;
esac
"""


def lines_of(path):
    """Of a session, whole. One that is being written is read as far as the pages that are done: its end comes a moment later."""
    end = time.monotonic() + 2
    while not (data := path.read_bytes()).endswith(b"\n") and time.monotonic() < end:
        time.sleep(0.02)
    assert data.endswith(b"\n"), f"{path}: the last line has no end"
    return [json.loads(line) for line in data.splitlines()]


class Model:
    """The scripted model server. One that no test has any more takes the next script: a start costs as much as many a test."""

    idle = []  # (process, URL); they end with this process

    def __init__(self, root, turns):
        script = "".join(json.dumps(turn) + "\n" for turn in turns)
        if not Model.idle:
            Model.idle.append(self.start(root))
        self.process, self.url = Model.idle.pop()
        self.ask("reset", script.encode())

    @staticmethod
    def start(root):
        folder = tempfile.mkdtemp(prefix="model-", dir=root)
        script, ready = os.path.join(folder, "script.jsonl"), os.path.join(folder, "ready")
        pathlib.Path(script).touch()
        process = subprocess.Popen([sys.executable, MODEL, "--script", script, "--ready", ready, "--parent", str(os.getpid())], cwd="/",
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(Model.end, process)
        until = time.monotonic() + WAIT
        while not os.path.exists(ready):
            if time.monotonic() > until or process.poll() is not None:
                raise AssertionError("the model server did not start")
            time.sleep(0.02)
        with open(ready, encoding="utf-8") as file:
            return process, json.load(file)["url"]

    @staticmethod
    def end(process):
        process.terminate()
        process.wait()

    def ask(self, path, data=None):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.url}/_model/{path}", data, timeout=WAIT + 10) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def wait(self, **what):
        self.ask("wait?" + "&".join(f"{name}={value}" for name, value in {"timeout_ms": WAIT * 1000, **what}.items()))

    def close(self):
        Model.idle.append((self.process, self.url))


class Client(LineProcess):
    """`kedge --mode rpc`, or what `mode` says in its place."""

    def __init__(self, root, args=(), mode=("--mode", "rpc"), **options):
        super().__init__(root, [*mode, *args], **options)

    def start(self, type_, **fields):
        """Sends a command; its id."""
        id_ = f"r{self.next_id}"
        self.next_id += 1
        self.send({"id": id_, "type": type_, **fields})
        return id_

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
        return {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": url, "no_proxy": "127.0.0.1", "KEDGE_NO_TITLE": "1",
                **kept_variables()}

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
