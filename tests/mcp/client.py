"""A client of `kedge mcp` for tests: one server process, and what it said.

Environment: KEDGE, the binary.
"""
import json
import os
import queue
import subprocess
import threading
import time

KEDGE = os.environ.get("KEDGE", "kedge")
WAIT = 20  # seconds until a missing message counts as missing


class Client:
    """One server process, and what it said."""

    def __init__(self, root, args=(), capabilities=None, version="2025-06-18", roots=None, start=True,
                 is_deaf=False, env=None):
        self.cwd = os.path.join(root, "w")
        os.makedirs(self.cwd, exist_ok=True)
        env = {"HOME": root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(env or {})}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "G_SLICE"):
            if name in os.environ:
                env[name] = os.environ[name]
        self.deaf_ear, out = os.pipe() if is_deaf else (None, subprocess.PIPE)
        self.process = subprocess.Popen([KEDGE, "mcp", *args], cwd=self.cwd, env=env, stdin=subprocess.PIPE,
                                        stdout=out, stderr=subprocess.PIPE)
        if is_deaf:
            os.close(out)
        self.messages = queue.Queue()
        self.kept = []  # received while something else was waited for
        self.next_id = 1
        self.roots = roots
        self.answer = None  # of elicitations: message -> result, or None to leave it open
        self.asked = []
        self.stderr = b""
        self.reading = threading.Event()
        self.reading.set()
        readers = [self._read_stderr] if is_deaf else [self._read_stderr, self._read]
        self.threads = [threading.Thread(target=reader, daemon=True) for reader in readers]
        for thread in self.threads:
            thread.start()
        if start and not is_deaf:
            self.hello = self.initialize(version, capabilities or {})

    def _read(self):
        for line in self.process.stdout:
            self.reading.wait()
            if line.endswith(b"\n"):  # a server that was told to stop may end in the middle of a line
                self.messages.put(json.loads(line))
        self.messages.put(None)

    def _read_stderr(self):
        self.stderr = self.process.stderr.read()

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def initialize(self, version, capabilities):
        if self.roots is not None:
            capabilities = {**capabilities, "roots": {"listChanged": False}}
        result = self.request("initialize", {"protocolVersion": version, "capabilities": capabilities,
                                             "clientInfo": {"name": "test", "version": "0"}})
        self.notify("notifications/initialized")
        return result

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def start(self, method, params=None, id_=None):
        if id_ is None:
            id_ = self.next_id
            self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}})
        return id_

    def start_call(self, name, arguments=None, meta=None):
        params = {"name": name, "arguments": arguments or {}}
        if meta:
            params["_meta"] = meta
        return self.start("tools/call", params)

    def _serve(self, message):
        """Answers what the server asks of us; False when it was no request."""
        method = message.get("method")
        if method == "roots/list":
            if self.roots != "never":
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": self.roots}})
            return True
        if method == "elicitation/create":
            self.asked.append(message["params"])
            reply = self.answer(message) if self.answer else None
            if reply is not None:
                self.send({"jsonrpc": "2.0", "id": message["id"], **reply})
            return True
        return False

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
                raise AssertionError(f"no such message within {timeout} s; kept: {self.kept}") from None
            if message is None:
                self.messages.put(None)
                raise AssertionError(f"the server ended; kept: {self.kept}, stderr: {self.stderr!r}")
            served = self._serve(message)
            if wanted(message):
                return message
            if not served:
                self.kept.append(message)

    def response(self, id_, timeout=WAIT):
        return self.wait_for(lambda m: m.get("id") == id_ and "method" not in m, timeout)

    def request(self, method, params=None):
        return self.response(self.start(method, params))

    def call(self, name, arguments=None):
        return self.response(self.start_call(name, arguments))["result"]

    def wait_for_file(self, name):
        path = os.path.join(self.cwd, name)
        until = time.monotonic() + WAIT
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
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.reading.set()
        for thread in self.threads:
            thread.join(5)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()


def text_of(result):
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
