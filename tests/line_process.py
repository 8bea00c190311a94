"""A program that is spoken to in lines of JSON, for tests: one process, and what it said.

Environment: KEDGE, the binary.
"""
import json
import os
import queue
import subprocess
import threading
import time

KEDGE = os.environ.get("KEDGE", "kedge")
WAIT = 60  # seconds until a missing message counts as missing: a guard, also for sanitizers on a busy machine
KEPT_VARIABLES = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "G_SLICE")


def kept_variables():
    """What a program under a sanitizer needs of our environment."""
    return {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}


def brief(messages):
    return [json.dumps(message)[:120] for message in messages[-8:]]


class LineProcess:
    """Started in w/ of the HOME `root`. `is_deaf`: nobody reads what it says; its pipe is at `deaf_ear`."""

    def __init__(self, root, args, env=None, is_deaf=False):
        self.cwd = os.path.join(root, "w")
        os.makedirs(self.cwd, exist_ok=True)
        env = {"HOME": root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMPDIR": root, **(env or {}), **kept_variables()}
        self.deaf_ear, out = os.pipe() if is_deaf else (None, subprocess.PIPE)
        self.process = subprocess.Popen([KEDGE, *args], cwd=self.cwd, env=env, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE)
        if is_deaf:
            os.close(out)
        self.messages = queue.Queue()
        self.kept = []  # received while something else was waited for
        self.seen = []  # everything, in order
        self.next_id = 1
        self.stderr = b""
        self.reading = threading.Event()  # cleared: nothing is read for a while
        self.reading.set()
        readers = [self._read_stderr] if is_deaf else [self._read_stderr, self._read]
        self.threads = [threading.Thread(target=reader, daemon=True) for reader in readers]
        for thread in self.threads:
            thread.start()

    def _read(self):
        for line in self.process.stdout:
            self.reading.wait()
            if line.endswith(b"\n"):  # one that was told to stop may end in the middle of a line
                self.messages.put(json.loads(line))
        self.messages.put(None)

    def _read_stderr(self):
        self.stderr = self.process.stderr.read()

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def serve(self, message):  # pylint: disable=unused-argument
        """Answers what is asked of us; false when it was nothing of that kind."""
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
                raise AssertionError(f"no such message within {timeout} s; kept: {brief(self.kept)}") from None
            if message is None:
                self.messages.put(None)
                raise AssertionError(f"the program ended; kept: {brief(self.kept)}, stderr: {self.stderr!r}")
            self.seen.append(message)
            served = self.serve(message)
            if wanted(message):
                return message
            if not served:
                self.kept.append(message)

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
        self.reading.set()
        for thread in self.threads:
            thread.join(5)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
