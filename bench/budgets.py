"""The budgets of kedge's design, each measured the way its row says. A measurement is a function that yields rows."""

import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import time

import lab as bench_lab
import measure

CALLS = 10_000
TRIPS = 40  # further round trips; the first is not counted
PRINTED_BYTES = 200_000_000
SESSION_BYTES = 20_000_000
CONTEXT_BYTES = 800_000
TURNS = 2000
LINEAR_RATIO = 1.5  # quadratic work, however small at first, gives 2 and more
RESULT_MAX_BYTES = 51 * 1024  # the last 50 KiB of a command's output, and the notice that says so
IDLE_SECONDS = 5


@dataclasses.dataclass
class Row:
    what: str
    values: list  # of one figure per run
    unit: str
    budget: float | None = None  # None: shown for comparison only
    note: str = ""
    problem: str = ""  # beyond the figure: something that had to hold did not

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def verdict(self):
        if self.problem:
            return f"FAILED: {self.problem}"
        if self.budget is None:
            return ""
        return "within" if self.median <= self.budget else "over budget"


def start(lab, runs):
    wall = [lab.run_kedge("--version").wall_ms for _ in range(runs)]
    yield Row("kedge --version: wall", wall, "ms", 3)
    names = loaded_libraries(lab, "--version")
    curl = [name for name in names if "curl" in name]
    note = f"{len(names)} libraries, by the dynamic linker's own account"
    yield Row("kedge --version: libcurl loaded", [len(curl)], "", 0, note=note)
    peaks = [measure.peak_mb([lab.kedge, "--version"], lab.model_env()) for _ in range(5)]
    yield Row("kedge --version: memory", peaks, "MB", 6)


def loaded_libraries(lab, *arguments):
    """Whose initialisers the dynamic linker has run, dlopen() included."""
    log = lab.scratch("ld")
    lab.run_kedge(*arguments, env=lab.model_env() | {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": log})
    names = set()
    for path in pathlib.Path(log).parent.glob("ld.*"):
        names |= set(re.findall(r"calling init: \S*/(\S+)", path.read_text(errors="replace")))
        path.unlink()
    return names


def one_shot(lab, runs):
    lab.model.play({"text": "Hello.", "repeat": True})
    results = [lab.run_kedge(*bench_lab.ASK) for _ in range(runs)]
    lab.model.check_asked(runs)
    yield Row("one-shot prompt, no tools: own CPU", [run.cpu_ms for run in results], "ms", 15)
    children = statistics.median(run.children_ms for run in results)
    yield Row("one-shot prompt, no tools: CPU of children", [children], "ms")
    yield Row("one-shot prompt, no tools: wall", [run.wall_ms for run in results], "ms")
    peaks = [measure.peak_mb([lab.kedge, *bench_lab.ASK], lab.model_env()) for _ in range(3)]
    note = f"{len(loaded_libraries(lab, *bench_lab.ASK))} libraries"
    yield Row("one-shot prompt, no tools: memory", peaks, "MB", note=note)


def round_trip(lab, runs):
    call = {"tool_calls": [{"name": "bash", "arguments": {"command": "true"}}]}

    def run(trips):
        lab.model.play(call | {"repeat": trips}, {"text": "Done."})
        result = lab.run_kedge(*bench_lab.ASK)
        lab.model.check_asked(trips + 1)
        return result

    pairs = [(run(1), run(1 + TRIPS)) for _ in range(max(3, runs // 4))]

    def each(attribute):
        return [(getattr(many, attribute) - getattr(one, attribute)) / TRIPS for one, many in pairs]

    what = "further round trip (bash true)"
    yield Row(f"{what}: own CPU", each("cpu_ms"), "ms", 2)
    yield Row(f"{what}: CPU of bash", each("children_ms"), "ms")
    yield Row(f"{what}: wall", each("wall_ms"), "ms", note="the model server is in Python")


def long_context(lab, runs):
    """What a turn costs when much has been said before, and whether that grows with what was said."""
    call = {"tool_calls": [{"name": "read", "arguments": {"path": "notes.txt", "limit": 1}}]}
    original = lab.dir / "context.jsonl"
    bench_lab.write_session(original, lab.work, CONTEXT_BYTES, 0)
    path = lab.dir / "resumed.jsonl"

    def run(trips, *arguments):
        shutil.copyfile(original, path)
        lab.model.play(call | {"repeat": trips}, {"text": "Done."})
        return lab.run_kedge(*arguments, *bench_lab.ASK).cpu_ms

    resume = ("--resume", str(path))
    each = [(run(1 + TRIPS, *resume) - run(1, *resume)) / TRIPS for _ in range(max(3, runs // 7))]
    sent = int(lab.model.journal()[0]["headers"].get("content-length", 0))
    yield Row("turn at 800 KB of context: own CPU", each, "ms", 10, note=f"requests of {sent / 1000:.0f} KB")
    whole, part = run(TURNS), run(TURNS // 4)
    each_of_all, each_of_part = whole / TURNS, part / (TURNS // 4)
    note = f"per turn, {whole:.0f} ms in all; {each_of_part:.2f} ms in a quarter of them"
    yield Row("2,000 turns: own CPU", [each_of_all], "ms", note=note)
    note = "1 would be linear to the letter; the bytes to send grow with the conversation"
    yield Row("2,000 turns: a turn against one of the first 500", [each_of_all / each_of_part], "×", LINEAR_RATIO, note=note)


def many_calls(lab, runs):
    with lab.mcp("--tools", "read") as server:
        server.call("read", path="notes.txt")
        memory, cpu, began = measure.memory_mb(server.pid), measure.cpu_ms_of(server.pid), time.perf_counter()
        halfway = 0
        for i in range(CALLS):
            server.call("read", path="notes.txt")
            if i == CALLS // 2:
                halfway = measure.memory_mb(server.pid)
        wall = (time.perf_counter() - began) * 1000 / CALLS
        cpu = (measure.cpu_ms_of(server.pid) - cpu) / CALLS
        end = measure.memory_mb(server.pid)
    note = f"from {memory:.1f} MB; {end - halfway:+.1f} MB in the second half"
    yield Row("10,000 tool calls (read): growth", [end - memory], "MB", 5, note=note)
    yield Row("one of those calls: own CPU", [cpu], "ms", note=f"{wall:.2f} ms wall, client included")


def long_output(lab, runs):
    line = "the tide turns at noon and again at midnight, give or take"
    command = f"yes '{line}' | head -c {PRINTED_BYTES}"
    call = {"tool_calls": [{"name": "bash", "arguments": {"command": command, "timeout": 100}}]}
    sessions = lab.dir / "sessions"
    argv = [lab.kedge, "--session-dir", str(sessions), *bench_lab.ASK]
    peaks, wall, problem = [], [], ""
    for is_traced in (True, False):
        lab.model.play(call, {"text": "Done."})
        if is_traced:
            peaks.append(measure.peak_mb(argv, lab.model_env()))
        else:
            wall.append(measure.run(argv, lab.model_env()).wall_ms)
        problem = problem or fault_of_long_output(lab, sessions)
        shutil.rmtree(sessions, ignore_errors=True)
    what = "200 MB printed by a command"
    note = "result within limits, all of it in the artifact"
    yield Row(f"{what}: memory", peaks, "MB", 16, note=note, problem=problem)
    bare = bare_wall(["sh", "-c", f"{command} | cat >'{lab.scratch('copy')}'"])
    os.unlink(lab.scratch("copy"))
    yield Row(f"{what}: wall", wall, "ms", note=f"the command alone, into a file: {bare:.0f} ms")


def fault_of_long_output(lab, sessions):
    artifacts = list(sessions.rglob("*.bash.log"))
    if len(artifacts) != 1 or artifacts[0].stat().st_size < PRINTED_BYTES:
        return f"artifact: {[path.stat().st_size for path in artifacts]} bytes"
    content = lab.model.journal()[-1]["body"]["messages"][-1]["content"]
    size = sum(len(str(block.get("content", "")).encode()) for block in content)
    return f"{size} bytes of result" if size > RESULT_MAX_BYTES else ""


def resume(lab, runs):
    """From the start of the program to the arrival of its whole request at the model server."""
    path = lab.dir / "20mb.jsonl"
    for what, compact_every, budget in (("compacted", 150, 400), ("uncompacted", 0, None)):
        bench_lab.write_session(path, lab.work, SESSION_BYTES, compact_every)
        original = shutil.copyfile(path, lab.dir / "original.jsonl")
        wall, cpu = [], []
        for _ in range(5):
            shutil.copyfile(original, path)
            lab.model.play({"text": "Hello."})
            run = lab.run_kedge("--resume", str(path), *bench_lab.ASK)
            wall.append(lab.model.journal()[0]["at_ms"] - run.started_ms)
            cpu.append(run.cpu_ms)
        sent = lab.model.journal()[0]["headers"].get("content-length", "?")
        note = f"until the request ({int(sent) / 1e6:.1f} MB) has arrived"
        yield Row(f"resume of a 20 MB session, {what}: wall", wall, "ms", budget, note=note)
        yield Row(f"resume of a 20 MB session, {what}: own CPU", cpu, "ms", note="of the whole run")
        path.unlink()


def cancel(lab, runs):
    runs = max(5, runs // 4)
    stalls = {
        "before the answer": ({"delay_headers_ms": 60000, "text": "x"}, {"requests": 1}),
        "in mid-answer": ({"stall_after": 3, "text": "x"}, {"events": 3}),
    }
    for state, (turn, until) in stalls.items():
        figures = [cancel_request(lab, turn, until) for _ in range(runs)]
        closed, gone = zip(*figures)
        note = f"by the server's clock of whole ms; kedge has ended after {statistics.median(gone):.0f} ms"
        yield Row(f"SIGINT {state}: request closed", list(closed), "ms", 50, note=note)
    figures = [cancel_bash(lab) for _ in range(runs)]
    died, gone = zip(*figures)
    note = f"kedge has ended after {statistics.median(gone):.0f} ms"
    yield Row("SIGINT while bash sleeps: child ended", list(died), "ms", 50, note=note)
    yield Row("MCP cancel while bash sleeps: child ended", [cancel_mcp_bash(lab) for _ in range(runs)], "ms", 50)
    yield Row("MCP cancel while gh sleeps: child ended", [cancel_mcp_gh(lab) for _ in range(runs)], "ms", 50)


def cancel_request(lab, turn, until):
    lab.model.play(turn)
    process = lab.start_kedge(*bench_lab.ASK)
    lab.model.wait(**until)
    time.sleep(0.05)
    signalled_ms = time.time_ns() / 1e6
    os.kill(process.pid, signal.SIGINT)
    run = process.wait()
    gone_ms = time.time_ns() / 1e6 - signalled_ms
    lab.model.wait(idle=1)
    entry = lab.model.journal()[0]
    if not entry["disconnected"] or run.exit_code != 130:
        raise measure.BenchError(f"SIGINT: exit code {run.exit_code}, disconnected: {entry['disconnected']}")
    return max(0.0, entry["end_ms"] - signalled_ms), gone_ms  # the journal has whole milliseconds


def cancel_bash(lab):
    file, command = lab.sleeping_child()
    lab.model.play({"tool_calls": [{"name": "bash", "arguments": {"command": command}}]}, {"text": "Done."})
    process = lab.start_kedge(*bench_lab.ASK)
    with sleeper(file) as child:
        began = time.perf_counter()
        os.kill(process.pid, signal.SIGINT)
        died_ms = end_of(child, began)
        process.wait()
        return died_ms, (time.perf_counter() - began) * 1000


def cancel_mcp_bash(lab):
    file, command = lab.sleeping_child()
    with lab.mcp("--tools", "bash", "--allow-writes") as server:
        return cancel_mcp_call(server, file, "bash", {"command": command})


def cancel_mcp_gh(lab):
    directory, file = lab.stub_gh()
    with lab.mcp("--tools", "github", path=f"{directory}:{lab.path}") as server:
        return cancel_mcp_call(server, file, "github", {"op": "repo_view", "repo": "slow/slow"})


def cancel_mcp_call(server, file, tool, arguments):
    number = server.send_request("tools/call", {"name": tool, "arguments": arguments})
    with sleeper(file) as child:
        began = time.perf_counter()
        server.notify("notifications/cancelled", {"requestId": number})
        return end_of(child, began)


@contextlib.contextmanager
def sleeper(file):
    """A descriptor of the child that has written its process id to `file`; whatever happens, it ends."""
    bench_lab.wait_until(lambda: file.exists() and file.read_text().endswith("\n"), "the child to start")
    pid = int(file.read_text())
    with measure.pidfd(pid) as fd:
        try:
            time.sleep(0.05)
            yield fd
        finally:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(fd, signal.SIGKILL)


def end_of(fd, began):
    if not measure.readable(fd, 20):
        raise measure.BenchError("the child was not stopped")
    return (time.perf_counter() - began) * 1000


def tool_calls(lab, runs):
    """What a call costs beyond the program that it starts; the two are measured in turn."""
    with lab.mcp("--tools", "bash", "--allow-writes") as server:
        yield from compare_call("bash true", server, runs, ["bash", "-c", "true"], "bash", budget=1.3, command="true")
    yield from eval_cells(lab, runs)
    yield from reads(lab, runs)
    yield from edits(lab, runs)
    directory, _ = lab.stub_gh()
    with lab.mcp("--tools", "github", path=f"{directory}:{lab.path}") as server:
        bare = [f"{directory}/gh", "repo", "view", "harbor/tidepool"]
        question = {"op": "repo_view", "repo": "harbor/tidepool"}
        yield from compare_call("github repo_view (stub gh)", server, runs, bare, "github", **question)


def eval_cells(lab, runs):
    """A cell of a kernel that runs already."""
    with lab.mcp("--tools", "eval", "--allow-writes") as server:
        for language in ["python"] + ["js"] * bool(shutil.which("node")):
            arguments = {"cells": [{"code": "1 + 1"}], "language": language}
            figures = timed_calls(server, runs, "eval", **arguments)
            yield Row(f"eval of 1 + 1 ({language}) over MCP: wall", figures, "ms", 2)


def reads(lab, runs):
    """A small file, and an issue that is kept already."""
    file = lab.work / "1kb.txt"
    file.write_text("the tide turns at noon, and again.\n" * 29)
    with lab.mcp("--tools", "read") as server:
        figures = timed_calls(server, runs, "read", path=file.name)
        began = time.perf_counter()
        file.read_text()
        note = f"Python alone: {(time.perf_counter() - began) * 1000:.2f} ms"
        yield Row("read of 1 KB over MCP: wall", figures, "ms", 0.3, note=note)
    file.unlink()
    directory, _ = lab.stub_gh()
    with lab.mcp("--tools", "read", path=f"{directory}:{lab.path}", GH_TOKEN="bench") as server:
        address = "issue://harbor/tidepool/12"
        began = time.perf_counter()
        server.call("read", path=address)
        first = (time.perf_counter() - began) * 1000
        figures = timed_calls(server, runs, "read", path=address)
        problem = "" if "[Cached: " in json.dumps(server.call("read", path=address)) else "it was fetched again"
        note = f"the first one, with a stub of gh: {first:.1f} ms"
        yield Row("cached issue:// over MCP: wall", figures, "ms", 1, note=note, problem=problem)


def edits(lab, runs):
    """A line more in a small file each time; the bytes are on the disk when the call ends."""
    file, plain = lab.work / "edited.txt", lab.work / "plain.txt"
    file.write_text("the tide turns at noon, and again.\n" * 29)
    began = time.perf_counter()
    with plain.open("w") as written:
        written.write(file.read_text())
        written.flush()
        os.fsync(written.fileno())
    note = f"Python alone, without a rename: {(time.perf_counter() - began) * 1000:.2f} ms"
    with lab.mcp("--tools", "edit", "--allow-writes") as server:
        figures = timed_calls(server, runs, "edit", input=f"@@ {file.name}\n+ BOF\n~x")
    yield Row("edit of 1 KB over MCP: wall", figures, "ms", 1, note=note)
    file.unlink()
    plain.unlink()


def timed_calls(server, runs, tool, **arguments):
    """In ms; the first call, which opens what the others find open, does not count."""
    server.call(tool, **arguments)
    figures = []
    for _ in range(runs):
        began = time.perf_counter()
        server.call(tool, **arguments)
        figures.append((time.perf_counter() - began) * 1000)
    return figures


def compare_call(what, server, runs, bare_argv, tool, budget=None, **arguments):
    server.call(tool, **arguments)
    figures = collections.defaultdict(list)
    for _ in range(runs):
        figures["bare"].append(bare_wall(bare_argv))
        cpu, began = measure.cpu_ms_of(server.pid), time.perf_counter()
        server.call(tool, **arguments)
        figures["wall"].append((time.perf_counter() - began) * 1000)
        figures["cpu"].append(measure.cpu_ms_of(server.pid) - cpu)
    note = f"that program alone: {statistics.median(figures['bare']):.1f} ms"
    yield Row(f"{what} over MCP: wall", figures["wall"], "ms", budget, note=note)
    yield Row(f"{what} over MCP: own CPU", figures["cpu"], "ms")


def bare_wall(argv):
    began = time.perf_counter()
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000


def wakeups_of_idle(server):
    time.sleep(0.5)
    before = measure.wakeups(server.pid)
    time.sleep(IDLE_SECONDS)
    return measure.wakeups(server.pid) - before


def idle(lab, runs):
    with lab.mcp("--tools", "all") as server:
        server.call("read", path="notes.txt")
        yield Row(f"idle kedge mcp: wakeups in {IDLE_SECONDS} s", [wakeups_of_idle(server)], "", 0)
        yield Row("idle kedge mcp: memory", [measure.memory_mb(server.pid)], "MB", 15)


def rpc(lab, runs):
    ready = []
    for _ in range(runs):
        with lab.rpc() as server:
            ready.append(server.ready_ms)
    yield Row("--mode rpc: until it is ready", ready, "ms", 5)
    lab.model.play({"text": "Hello.", "repeat": True})
    with lab.rpc() as server:
        server.call("get_state")
        for when, prompts, budget in (("no prompt yet", 0, 12), ("3 prompts", 3, 15)):
            for _ in range(prompts):
                server.prompt("hi")
            yield Row(f"idle rpc, {when}: wakeups in {IDLE_SECONDS} s", [wakeups_of_idle(server)], "", 0)
            yield Row(f"idle rpc, {when}: memory", [measure.memory_mb(server.pid)], "MB", budget)


def context(lab, runs):
    """What every conversation pays before its first word: bytes of JSON, as they are sent."""
    lab.model.play({"text": "Hello."})
    lab.run_kedge(*bench_lab.ASK)
    body = lab.model.journal()[0]["body"]
    note = f"{len(body['tools'])} tools"
    yield Row("first request, all tools", [json_kb(body)], "KB", 12, note=note)
    with lab.mcp("--tools", "gh") as server:
        tools = server.request("tools/list", {})["tools"]
        yield Row("kedge mcp: the gh tools", [json_kb(tools)], "KB", 10, note=f"{len(tools)} tools")


def json_kb(value):
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()) / 1000


MEASUREMENTS = {
    "start": start,
    "context": context,
    "one-shot": one_shot,
    "round-trip": round_trip,
    "long-context": long_context,
    "calls": tool_calls,
    "many-calls": many_calls,
    "output": long_output,
    "resume": resume,
    "cancel": cancel,
    "idle": idle,
    "rpc": rpc,
}
