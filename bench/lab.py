"""What kedge and its peers meet while they are measured: a private home, a scripted model, a stub of gh, old sessions.

All of it is below one temporary directory; leaving the `Lab` context removes it and ends what was started.
"""

import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import measure

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = "anthropic/claude-sonnet-4-5"
ASK = ["--model", MODEL, "-p", "hi"]

REPO_JSON = {
    "nameWithOwner": "harbor/tidepool", "description": "Tide tables for small boats",
    "url": "https://github.com/harbor/tidepool", "defaultBranchRef": {"name": "main"}, "homepageUrl": "",
    "forkCount": 3, "isArchived": False, "isFork": False, "primaryLanguage": {"name": "C"},
    "repositoryTopics": [{"name": "tides"}], "stargazerCount": 41, "updatedAt": "2026-03-04T05:06:07Z",
    "viewerPermission": "WRITE", "visibility": "PUBLIC",
}  # fmt: skip
ISSUE_JSON = {
    "number": 12, "title": "Tide table prints 24:00 at midnight", "state": "OPEN", "author": {"login": "mara-v"},
    "createdAt": "2025-04-02T08:00:00Z", "updatedAt": "2025-04-03T08:00:00Z", "labels": [{"name": "bug"}],
    "url": "https://github.com/harbor/tidepool/issues/12", "body": "At midnight it prints 24:00.\n" * 20,
    "comments": [{"author": {"login": "okoro"}, "body": "Seen.", "createdAt": "2025-04-03T08:00:00Z"}],
}  # fmt: skip
STUB_GH = """#!/bin/sh
# A gh that answers at once; for the repository slow/slow it says its process id and sleeps.
case $* in
*slow/slow*) echo $$ >'{pid_file}'; exec sleep 600 ;;
--version) echo 'gh version 2.60.0 (2024-11-01)' ;;
'issue view'*) cat '{issue}' ;;
*) cat '{answer}' ;;
esac
"""


class Lab:
    def __init__(self, kedge):
        self.kedge = os.path.realpath(kedge)
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="kedge-bench."))
        self.home = self.dir / "home"
        self.work = self.home / "work"
        self.work.mkdir(parents=True)
        self.processes = []
        self.model = None
        self.path = os.environ.get("PATH", "/usr/bin:/bin")

    def __enter__(self):
        (self.work / "notes.txt").write_text("".join(f"line {i}: the tide turns at noon\n" for i in range(1, 41)))
        agent = self.home / ".kedge" / "agent"
        agent.mkdir(parents=True)
        (agent / "config.yml").write_text("loop:\n  enabled: false # the model makes one call again and again\n")
        os.chdir(self.work)
        self.model = ModelServer(self)
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
        self.end_daemons()
        if self.model:
            self.model.close()
        os.chdir("/")
        shutil.rmtree(self.dir, ignore_errors=True)

    def end_daemons(self):
        """What a peer has installed in its home here, and left running."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if path.read_bytes().startswith(os.fsencode(self.dir)):
                    os.kill(int(path.parent.name), signal.SIGKILL)

    def env(self, **more):
        """Nothing of the caller's but PATH: no credentials, no settings, no proxy."""
        home = str(self.home)
        env = {
            "PATH": self.path, "HOME": home, "TMPDIR": str(self.dir), "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb",
            "NO_COLOR": "1", "XDG_CONFIG_HOME": f"{home}/.config", "XDG_DATA_HOME": f"{home}/.local/share",
            "XDG_CACHE_HOME": f"{home}/.cache", "XDG_STATE_HOME": f"{home}/.local/state",
            "GH_NO_UPDATE_NOTIFIER": "1", "GH_TELEMETRY": "0", "DO_NOT_TRACK": "1",
        }  # fmt: skip
        return env | more

    def model_env(self):
        return self.env(ANTHROPIC_BASE_URL=self.model.url, ANTHROPIC_API_KEY="bench-key")

    def scratch(self, name):
        return str(self.dir / name)

    def run_kedge(self, *arguments, env=None, wanted=0):
        argv = [self.kedge, *arguments]
        return measure.run(argv, env or self.model_env(), stderr=self.scratch("stderr"), wanted=wanted)

    def start_kedge(self, *arguments):
        process = measure.Process([self.kedge, *arguments], self.model_env(), stderr=self.scratch("stderr"))
        self.processes.append(process)
        return process

    @contextlib.contextmanager
    def mcp(self, *arguments, path=None, **variables):
        env = self.env(PATH=path or self.path, **variables)
        server = McpServer([self.kedge, "mcp", *arguments], env)
        try:
            yield server
        finally:
            server.close()

    @contextlib.contextmanager
    def rpc(self, *arguments):
        server = RpcServer([self.kedge, "--mode", "rpc", "--model", MODEL, *arguments], self.model_env())
        try:
            yield server
        finally:
            server.close()

    def sleeping_child(self):
        """Where a command is to write its process id, and that command."""
        file = pathlib.Path(self.scratch("sleeper"))
        file.unlink(missing_ok=True)
        return file, f"echo $$ >'{file}'; exec sleep 600"

    def stub_gh(self):
        """A directory for the front of PATH, and the file in which the sleeping stub writes its process id."""
        directory = self.dir / "stub"
        directory.mkdir(exist_ok=True)
        answer, pid_file = self.dir / "repo.json", self.dir / "gh-sleeper"
        pid_file.unlink(missing_ok=True)
        answer.write_text(json.dumps(REPO_JSON))
        issue = self.dir / "issue.json"
        issue.write_text(json.dumps(ISSUE_JSON))
        (directory / "gh").write_text(STUB_GH.format(answer=answer, pid_file=pid_file, issue=issue))
        (directory / "gh").chmod(0o755)
        return str(directory), pid_file


class ModelServer:
    """tests/servers/model.py, whose script changes from one measurement to the next."""

    def __init__(self, lab):
        ready = lab.dir / "model.json"
        script = lab.dir / "empty.jsonl"
        script.write_text("")
        program = ROOT / "tests/servers/model.py"
        argv = [sys.executable, str(program), "--script", str(script), "--ready", str(ready)]
        # lax: peers are measured with it too, and how well they speak the wire is not asked here
        argv += ["--lax", "--parent", str(os.getpid())]
        self.process = subprocess.Popen(argv, env=lab.env(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait_until(lambda: ready.exists() or self.process.poll() is not None, "the model server to start")
        if not ready.exists():
            raise measure.BenchError("the model server did not start")
        self.port = json.loads(ready.read_text())["port"]
        self.url = f"http://127.0.0.1:{self.port}"

    def play(self, *turns):
        self.ask("POST", "/_model/reset", "\n".join(json.dumps(turn) for turn in turns))

    def journal(self):
        return self.ask("GET", "/_model/journal")

    def check_asked(self, wanted):
        """Raises unless there were so many requests since play(), and no tool call failed in them."""
        requests = self.journal()
        if len(requests) != wanted:
            raise measure.BenchError(f"{len(requests)} requests instead of {wanted}")
        if '"is_error": true' in json.dumps(requests[-1]["body"]):
            raise measure.BenchError("a tool call failed")

    def wait(self, **query):
        words = "&".join(f"{key}={value}" for key, value in query.items())
        self.ask("GET", f"/_model/wait?{words}")

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body.encode() if body is not None else None)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise measure.BenchError(f"model server: {method} {path}: {answer.status} {text[:200]!r}")
        return json.loads(text)

    def close(self):
        self.process.terminate()
        self.process.wait()


class LineProcess:
    """A program that is spoken to in lines of JSON."""

    def __init__(self, argv, env):
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self.name = " ".join(argv[1:3])
        self.process = subprocess.Popen(argv, env=env, stdin=pipe, stdout=pipe, stderr=nowhere, start_new_session=True)
        self.pid = self.process.pid
        self.input = b""

    def read(self):
        return json.loads(self._line())

    def _line(self):
        fd = self.process.stdout.fileno()
        while b"\n" not in self.input:
            if not measure.readable(fd, measure.MAX_SECONDS):
                raise measure.BenchError(f"kedge {self.name} does not answer")
            got = os.read(fd, 65536)
            if not got:
                raise measure.BenchError(f"kedge {self.name} has ended")
            self.input += got
        line, _, self.input = self.input.partition(b"\n")
        return line

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise measure.BenchError(f"kedge {self.name} has ended") from None

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()


class RpcServer(LineProcess):
    """A client of `kedge --mode rpc`; it has read `ready`."""

    def __init__(self, argv, env):
        began = time.perf_counter()
        super().__init__(argv, env)
        self.read_to("ready")
        self.ready_ms = (time.perf_counter() - began) * 1000

    def read_to(self, kind):
        while (message := self.read())["type"] != kind:
            pass
        return message

    def call(self, kind, **fields):
        self.send({"type": kind, **fields})
        answer = self.read_to("response")
        if not answer["success"]:
            raise measure.BenchError(f"{kind}: {answer['error']}")
        return answer.get("data")

    def prompt(self, message):
        self.call("prompt", message=message)
        self.read_to("prompt_result")


class McpServer(LineProcess):
    """A client of `kedge mcp` that asks one thing at a time."""

    def __init__(self, argv, env):
        super().__init__(argv, env)
        self.last_id = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.request("initialize", client)
        self.notify("notifications/initialized", {})

    def request(self, method, params):
        sent = self.send_request(method, params)
        return self.receive(sent)

    def call(self, tool, **arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result["isError"]:
            raise measure.BenchError(f"{tool}: {result['content'][0]['text'][:200]}")
        return result

    def send_request(self, method, params):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        return self.last_id

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def receive(self, wanted_id):
        while True:
            message = self.read()
            if message.get("id") == wanted_id and "method" not in message:
                if "error" in message:
                    raise measure.BenchError(f"kedge mcp: {message['error']['message']}")
                return message["result"]


def wait_until(is_so, what, seconds=20):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise measure.BenchError(f"waited {seconds} s for {what}")
        time.sleep(0.005)


def write_session(path, cwd, size_bytes, compact_every):
    """A session file as months of work leave it: questions, tool calls, outputs, and compactions (0: none)."""
    dice = random.Random(7)
    names = ("table", "moon", "clock", "harbour", "parse", "print", "minutes", "tide")
    size, parent, count = 0, None, 0
    file = open(path, "w", encoding="utf-8")

    def add(entry):
        nonlocal size, parent, count
        head = {"type": entry.pop("type"), "id": f"{count:08x}", "parentId": parent, "timestamp": stamp(count)}
        line = json.dumps(head | entry, ensure_ascii=False, separators=(",", ":")) + "\n"
        file.write(line)
        size += len(line.encode())
        parent, count = head["id"], count + 1

    def message(role, content, **more):
        message = {"role": role, "content": content} | more | {"timestamp": 1772600000000 + count * 1000}
        add({"type": "message", "message": message})

    def source(line_count):
        return "".join(
            f'{i:4}\tstatic int {dice.choice(names)}_{i}(const char *{dice.choice(names)}) {{ return f("é{i}"); }}\n'
            for i in range(line_count)
        )

    header = {"type": "session", "version": 3, "id": "0195d2c4-8f10-7b3e-9a44-2f6c1d0e7a55", "timestamp": stamp(0)}
    file.write(json.dumps(header | {"cwd": str(cwd)}) + "\n")
    turn = 0
    while size < size_bytes:
        turn += 1
        message("user", [{"type": "text", "text": f"Look at module {turn} and say what is wrong with it. " * 4}])
        call = {"type": "toolCall", "id": f"toolu_{turn}", "name": "read", "arguments": {"path": f"src/{turn}.c"}}
        thought = {"type": "thinking", "thinking": "First the table, then its users. " * 12}
        thought["thinkingSignature"] = f"{dice.getrandbits(2000):x}"
        message("assistant", [thought, call], **answered("toolUse"))
        output = [{"type": "text", "text": source(dice.randint(20, 180))}]
        message("toolResult", output, toolCallId=f"toolu_{turn}", toolName="read", isError=False)
        message("assistant", [{"type": "text", "text": "The bound is off by one. " * 20}], **answered("stop"))
        if compact_every and turn % compact_every == 0:
            summary = {"summary": "## Goal\n\nFind the bugs.\n\n" * 40, "firstKeptEntryId": f"{count - 8:08x}"}
            add({"type": "compaction"} | summary | {"tokensBefore": 171000})
    file.close()


def answered(reason):
    cost = {"input": 0.002436, "output": 0.00066, "cacheRead": 0.0045, "cacheWrite": 0, "total": 0.007596}
    usage = {"input": 812, "output": 44, "cacheRead": 15000, "cacheWrite": 0, "totalTokens": 15856, "cost": cost}
    provider, model = MODEL.split("/")
    return {"api": "anthropic-messages", "provider": provider, "model": model, "usage": usage, "stopReason": reason}


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(1772600000 + seconds)) + ".000Z"
