"""The terminal interface from outside: what a pseudo-terminal gets, when, and what that costs.

The terminal is mute: it answers no query, as the slowest one would.
"""

import contextlib
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import termios
import time

import lab as bench_lab
import measure
import peers
from budgets import IDLE_SECONDS, SESSION_BYTES, Row

KEYS = 200
KEY_PAUSE = 0.03  # beyond the 16 ms in which a second frame would have to wait for the first
SETTLED = 0.4  # seconds without a byte
CHARS_PER_TOKEN = 4
TOKENS_PER_SECOND = 200
STREAM_SECONDS = 8
CLEARS = re.compile(rb"\x1b\[[23]J|\x1b\[\?(?:1049|1047|47)h|\x1bc")
MARKDOWN = """## Tides of the harbour

The *moon* pulls, the **sun** helps, and `tide_at()` adds both up, once for every minute of the day.

- high water at noon
- low water six hours later, as [the table](https://example.org/tides) says

| port | high | low |
|---|---|---|
| Harbour | 12:04 | 18:11 |

```c
static int tide_at(int minute) { return minute * 7 % 720; }
```

"""


class Terminal:
    """A program on a terminal of its own, 100 by 30."""

    def __init__(self, argv, env):
        self.argv, self.clears, self.tail = argv, 0, b""
        self.began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
                os.execvpe(argv[0], argv, env)
            finally:
                os._exit(127)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGTERM)
        with measure.pidfd(self.pid) as fd:
            end = time.monotonic() + 15
            while not measure.readable(fd, 0.02) and time.monotonic() < end:
                with contextlib.suppress(measure.BenchError):
                    self.read(0)
            if not measure.readable(fd, 0):
                os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def read(self, seconds):
        """What is there within that time; b"": nothing."""
        if not measure.readable(self.fd, seconds):
            return b""
        try:
            got = os.read(self.fd, 1 << 20)
        except OSError:
            got = b""
        if not got:
            raise measure.BenchError(f"{self.argv[0]} has left the terminal")
        text = self.tail + got  # a sequence may be cut
        self.clears += len(CLEARS.findall(text))
        self.tail = text[max(len(self.tail), len(text) - 7) :]
        return got

    def first_frame(self):
        """Milliseconds from exec to the first frame; words before it (a warning) are none."""
        got = b""
        while b"\x1b" not in got:
            more = self.read(10)
            got += more
            if not more:
                raise measure.BenchError(f"{self.argv[0]} draws nothing in a terminal: {got[:80]!r}")
        return (time.perf_counter() - self.began) * 1000

    def settle(self, quiet=SETTLED):
        """Reads until nothing has come for so long; how many bytes there were, and when the last came."""
        count, last = 0, time.perf_counter()
        while got := self.read(quiet):
            count, last = count + len(got), time.perf_counter()
            if last - self.began > 2 * measure.MAX_SECONDS:
                raise measure.BenchError(f"{self.argv[0]} does not stop drawing")
        return count, last

    def holders(self):
        """Every process that has it open: the guardian is no child."""
        name, found = os.readlink(f"/proc/{self.pid}/fd/0"), {self.pid}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                files = (os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd"))
                if name in files:
                    found.add(int(pid))
        return found

    def key(self, key):
        """Milliseconds until the screen changes, and the bytes of that."""
        began = time.perf_counter()
        os.write(self.fd, key)
        got = self.read(20)
        took = (time.perf_counter() - began) * 1000
        if not got:
            raise measure.BenchError(f"{self.argv[0]}: the key {key!r} shows nothing")
        return took, len(got) + self.settle(KEY_PAUSE)[0]

    def keys(self):
        letters = (b"%c" % letter for letter in b"the tide turns at noon and again " * KEYS)
        return [self.key(letter) for letter, _ in zip(letters, range(KEYS))]


def argv_of(lab, *more):
    return [lab.kedge, "--model", bench_lab.MODEL, *more]


def terminal_env(lab):
    env = lab.model_env() | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    del env["NO_COLOR"]
    return env


def p99(values):
    return sorted(values)[min(len(values) - 1, len(values) * 99 // 100)]


def key_rows(where, terminal):
    took, sizes = zip(*terminal.keys())
    yield Row(f"key → screen, {where}", list(took), "ms")
    yield Row(f"key → screen, {where}: p99 of {KEYS}", [p99(took)], "ms", 5)
    yield Row(f"bytes per key, {where}", list(sizes), "", 200, note=f"at most {max(sizes)}")


def idle_rows(terminal):
    """Of all that have the terminal open: the guardian must sleep as well."""
    terminal.settle(1)
    pids = terminal.holders()
    before = sum(map(measure.wakeups, pids))
    until, count = time.monotonic() + IDLE_SECONDS, 0
    while (left := until - time.monotonic()) > 0:
        count += len(terminal.read(left))
    woken = sum(map(measure.wakeups, pids)) - before
    note = f"of {len(pids)} process{'es' * (len(pids) > 1)}"
    yield Row(f"idle interactive: wakeups in {IDLE_SECONDS} s", [woken], "", 0, note=note)
    yield Row(f"idle interactive: bytes in {IDLE_SECONDS} s", [count], "", 0)
    yield Row("idle interactive: memory", [measure.memory_mb(terminal.pid)], "MB", 15)


def stream_row(lab, terminal):
    """The CPU of all tokens, scaled to the rate of the budget: the server's own pauses are longer than asked for."""
    chars = CHARS_PER_TOKEN * TOKENS_PER_SECOND * STREAM_SECONDS
    text = (MARKDOWN * (chars // len(MARKDOWN) + 1))[:chars]
    lab.model.play({"text": "Hello.", "repeat": True})
    os.write(terminal.fd, b"\x15hi\r")
    terminal.settle(2)  # the first prompt also asks for a name of the session
    lab.model.play({"text": text, "chunk": CHARS_PER_TOKEN, "delay_ms": 1000 // TOKENS_PER_SECOND})
    os.write(terminal.fd, b"hi")
    terminal.settle()
    cpu, began = measure.cpu_ms_of(terminal.pid), time.perf_counter()
    os.write(terminal.fd, b"\r")
    count, last = terminal.settle(2)
    cpu, seconds = measure.cpu_ms_of(terminal.pid) - cpu, last - began
    lab.model.check_asked(1)
    tokens = chars / CHARS_PER_TOKEN
    share = cpu / tokens * TOKENS_PER_SECOND / 10
    note = f"measured at {tokens / seconds:.0f}/s; {count / tokens:.0f} bytes for a token"
    return Row(f"{TOKENS_PER_SECOND} tokens/s of Markdown: one core", [share], "%", 3, note=note)


def interactive(lab, runs):
    clears, frames = 0, []
    env = terminal_env(lab)
    for _ in range(max(5, runs // 2)):
        with Terminal(argv_of(lab), env) as terminal:
            frames.append(terminal.first_frame())
            terminal.settle()
        clears += terminal.clears
    yield Row("exec → first frame", frames, "ms", 15)
    with Terminal(argv_of(lab), env) as terminal:
        terminal.first_frame()
        yield from idle_rows(terminal)
        yield from key_rows("empty", terminal)
        yield stream_row(lab, terminal)
    clears += terminal.clears
    clears += yield from large_session(lab, env)
    yield Row("clears of screen or scrollback in all of it", [clears], "", 0)


def large_session(lab, env):
    """Returns the clears."""
    path, original = lab.dir / "20mb.jsonl", lab.dir / "original.jsonl"
    bench_lab.write_session(original, lab.work, SESSION_BYTES, 0)  # never compacted: all of it is context
    with open(original, "rb") as file:
        entries = sum(1 for _ in file) - 1
    frames, settled, clears = [], [], 0
    for is_last in (False, False, True):
        shutil.copyfile(original, path)
        with Terminal(argv_of(lab, "--resume", str(path)), env) as terminal:
            frames.append(terminal.first_frame())
            count, last = terminal.settle(1)
            settled.append((last - terminal.began) * 1000)
            if is_last:
                note = f"{entries} entries"
                yield Row("exec → first frame, 20 MB session", frames, "ms", 400, note=note)
                note = f"{count / 1000:.0f} KB written"
                yield Row("exec → last byte of the resumed screen", settled, "ms", 400, note=note)
                yield Row("interactive with a 20 MB session: memory", [measure.memory_mb(terminal.pid)], "MB", 25)
                yield from key_rows("20 MB session", terminal)
        clears += terminal.clears
    path.unlink()
    original.unlink()
    return clears


def measure_terminals(lab, name, runs):
    """Of kedge and of the peer: the time of the first frame, and the memory of all processes then."""
    pairs = []
    for _ in range(max(3, runs // 7)):
        pair = []
        for argv in (argv_of(lab), [name]):
            with Terminal(argv, terminal_env(lab)) as terminal:
                frame = terminal.first_frame()
                terminal.settle(1)
                pair.append((frame, sum(map(measure.memory_mb, measure.tree(terminal.pid)))))
        pairs.append(pair)
    return pairs


def compare_terminals(lab, runs):
    """In a home of its own, without a login: what a peer shows then is its first frame, too."""
    (lab.home / ".claude.json").write_text('{"hasCompletedOnboarding": true}')  # else it asks its vendor's server, and ends without one
    for name in ("pi", "claude", "codex"):
        if not shutil.which(name):
            yield peers.Note("terminal interface", name, "not installed")
            continue
        try:
            pairs = measure_terminals(lab, name, runs)
        except measure.BenchError as error:
            yield peers.Note("terminal interface", name, str(error))
            continue
        for index, (what, unit) in enumerate((("exec → first frame", "ms"), ("idle: memory of all processes", "MB"))):
            ours, theirs = ([pair[who][index] for pair in pairs] for who in (0, 1))
            yield peers.Comparison(what, name, unit, ours, theirs)


MEASUREMENTS = {"interactive": interactive}
