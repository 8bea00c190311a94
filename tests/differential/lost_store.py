#!/usr/bin/env python3
"""`pickup --wait` outlives a PostgreSQL server that goes away (cli-C-22): a way to the server that a test cuts and opens again.
TAP. Skipped where no PostgreSQL server is installed.

Environment: KEDGE, the binary.
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from task_stores import KEDGE, call, start_server  # noqa: E402

GUARD_S = 60


class Way:
    """A port that leads to the server. Cut, it closes whoever comes."""

    def __init__(self, port):
        self.target = port
        self.is_open = True
        self.lock = threading.Lock()
        self.sockets = []
        self.seen = b""       # what clients said
        self.refused = 0      # who came while it was cut
        self.cuts_at = None   # what a client says last: the server gets it, the client never the answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if not self.is_open:
                self.refused += 1
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self.target))
            with self.lock:
                self.sockets += [client, server]
            for pair in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, sink, is_client):
        try:
            while data := source.recv(65536):
                if is_client:
                    self.seen += data
                    if self.cuts_at and self.cuts_at in data:
                        self.cuts_at = None
                        self.shut(source)  # the answer finds nobody
                        sink.sendall(data)
                        sink.settimeout(GUARD_S)
                        while sink.recv(65536):
                            pass
                        return
                sink.sendall(data)
        except OSError:
            pass
        finally:
            self.shut(source)
            self.shut(sink)

    @staticmethod
    def shut(end):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def cut(self):
        self.is_open = False
        with self.lock:
            for end in self.sockets:
                self.shut(end)
            self.sockets.clear()

    def open(self):
        self.is_open = True

    def wait_for(self, claim, what):
        until = time.monotonic() + GUARD_S
        while not claim():
            if time.monotonic() > until:
                raise AssertionError(f"in vain: {what}")
            time.sleep(0.01)


def start_pickup(home, url, seconds):
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "KEDGE_TASK_DB": url, "LC_ALL": "C.UTF-8",
                   **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
    return subprocess.Popen([KEDGE, "agent-tools", "task", "pickup", "--wait", str(seconds)], cwd=home, env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def answer(process):
    text, _ = process.communicate(timeout=GUARD_S)
    return process.returncode, json.loads(text)


def create(work, url):
    code, text = call(work, url, ["create", "--type", "t", "--description", "d"], {})
    assert code == 0, text
    return json.loads(text)["data"]["id"]


def waits(way, process):
    """Until it has looked once and listens."""
    way.wait_for(lambda: b"LISTEN kedge_task" in way.seen or process.poll() is not None, "LISTEN")
    assert process.poll() is None, process.stdout.read()


def restarted(work, way, through, url):
    process = start_pickup(work, through, 50)
    waits(way, process)
    way.cut()
    way.wait_for(lambda: way.refused >= 2, "another try")
    way.open()
    number = create(work, url)
    code, got = answer(process)
    assert code == 0 and got["data"]["id"] == number and got["data"]["attempts"] == 1, got


def unsure(work, way, through, url):
    process = start_pickup(work, through, 50)
    waits(way, process)
    way.cuts_at = b"COMMIT"
    numbers = [create(work, url), create(work, url)]
    code, got = answer(process)
    assert code == 0 and got["data"]["id"] in numbers and got["data"]["attempts"] == 1, got
    states = [json.loads(call(work, url, ["get", "--id", str(number), "--history"], {})[1])["data"] for number in numbers]
    assert sorted(state["status"] for state in states) == ["in_progress", "pending"], states
    held = next(state for state in states if state["status"] == "in_progress")
    assert held["id"] == got["data"]["id"], (held, got)
    code, text = call(work, url, ["complete", "--id", str(held["id"]), "--lease-token", got["data"]["leaseToken"]], {})
    assert code == 0, text
    call(work, url, ["cancel", "--id", str(next(number for number in numbers if number != held["id"]))], {})


def never_back(work, way, through, _url):
    process = start_pickup(work, through, 3)
    waits(way, process)
    way.cut()
    code, got = answer(process)
    assert code == 1 and got["error_details"][0]["code"] == "unavailable", got
    assert way.refused >= 2, f"tried {way.refused} times"


CASES = [("the server comes back: the task is given, once", restarted),
         ("lost while a commit was under way: the same task, no second one", unsure),
         ("the server stays away: unavailable, after it was tried again", never_back)]


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="kedge-lost-"))
    server, ready = start_server(work)
    try:
        if not server:
            print("1..0 # SKIP no PostgreSQL server here")
            return
        port = int(ready["url"].rsplit(":", 1)[1].split("/")[0])
        print(f"1..{len(CASES)}", flush=True)
        for number, (name, case) in enumerate(CASES, 1):
            way = Way(port)
            failure = ""
            try:
                case(work, way, ready["url"].replace(f":{port}/", f":{way.port}/"), ready["url"])
            except (AssertionError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                failure = "\n# " + str(error).replace("\n", "\n# ")
            print(f"{'not ok' if failure else 'ok'} {number} cli-C-22: {name}{failure}", flush=True)
            way.listener.close()
            way.cut()
    finally:
        if server:
            server.terminate()
            server.wait()
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
