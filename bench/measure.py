"""Runs a program and measures it: wall time, its own CPU time, its greatest memory.

Linux only. Wall and CPU come from an undisturbed run. Memory comes from a run of its own, which is stopped by ptrace
just before it ends: what wait4() reports as the greatest memory of a child is at least that of the Python that
started it.
"""

import contextlib
import ctypes
import dataclasses
import os
import select
import signal
import time

MAX_SECONDS = 120  # of any one run

PTRACE_TRACEME, PTRACE_CONT, PTRACE_SETOPTIONS = 0, 7, 0x4200
PTRACE_O_TRACEEXEC, PTRACE_O_TRACEEXIT, PTRACE_O_EXITKILL = 0x10, 0x40, 0x100000
PTRACE_EVENT_EXIT = 6

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


class BenchError(Exception):
    """A run did not do what it was meant to, so there is no figure."""


@dataclasses.dataclass
class Run:
    """One run from start to end."""

    exit_code: int  # negative: ended by that signal
    wall_ms: float
    cpu_ms: float  # its own, all threads
    children_ms: float  # CPU of the children that it waited for
    started_ms: float  # on the clock of time.time_ns(), for comparing with another process's journal


class Process:
    """A program in a process group of its own, input empty, output in files or nowhere."""

    def __init__(self, argv, env, stdout=os.devnull, stderr=os.devnull):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        files = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, stdout, flags, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, stderr, flags, 0o600),
        ]
        defaults = [signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ]
        self.argv = argv
        self.started_ms = time.time_ns() / 1e6
        self.started = time.perf_counter_ns()
        self.pid = os.posix_spawnp(argv[0], argv, env, file_actions=files, setpgroup=0, setsigdef=defaults)
        self.run = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def wait(self, seconds=MAX_SECONDS):
        """Its figures, once it has ended."""
        with pidfd(self.pid) as fd:
            if not readable(fd, seconds):
                raise BenchError(f"{' '.join(self.argv)[:80]}: no end after {seconds} s")
        ended = time.perf_counter_ns()
        cpu_ms = cpu_ms_of(self.pid)
        _, status, usage = os.wait4(self.pid, 0)
        total_ms = (usage.ru_utime + usage.ru_stime) * 1000
        self.run = Run(
            exit_code=os.waitstatus_to_exitcode(status),
            wall_ms=(ended - self.started) / 1e6,
            cpu_ms=cpu_ms,
            children_ms=max(0.0, total_ms - cpu_ms),
            started_ms=self.started_ms,
        )
        return self.run

    def kill(self):
        """Does nothing once it was waited for."""
        if self.run is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.run = Run(-signal.SIGKILL, 0, 0, 0, self.started_ms)


def run(argv, env, stdout=os.devnull, stderr=os.devnull, wanted=0):
    """Runs to the end; `wanted` is the exit code without which the figures mean nothing (None: any)."""
    with Process(argv, env, stdout, stderr) as process:
        result = process.wait()
    if wanted is not None and result.exit_code != wanted:
        raise BenchError(f"{' '.join(argv)[:80]}: exit code {result.exit_code}{_last_line(stderr)}")
    return result


def peak_mb(argv, env):
    """The greatest resident set of a run, exactly. Raises BenchError where ptrace is not permitted."""
    pid = _start_traced(argv, env)
    greatest = None
    _, status = os.waitpid(pid, 0)  # the stop after exec
    if not os.WIFSTOPPED(status):
        raise BenchError("ptrace is not permitted here, so there is no figure of memory")
    with _deadline(pid):
        options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL
        _libc.ptrace(PTRACE_SETOPTIONS, pid, None, options)
        passed_on = 0
        while True:
            _libc.ptrace(PTRACE_CONT, pid, None, passed_on)
            _, status = os.waitpid(pid, 0)
            if not os.WIFSTOPPED(status):
                break
            event = status >> 16
            if event == PTRACE_EVENT_EXIT:
                greatest = _status_kb(pid, "VmHWM") / 1024
            passed_on = 0 if event else os.WSTOPSIG(status)
    code = os.waitstatus_to_exitcode(status)
    if greatest is None or code != 0:
        raise BenchError(f"{' '.join(argv)[:80]}: exit code {code} under ptrace")
    return greatest


def sampled_peak_mb(argv, env):
    """The greatest resident set that any process of a run had. Sampled: for programs that take tens of milliseconds,
    and of which the one that is started may only be a script that starts the real one."""
    greatest_kb, end = {}, time.monotonic() + MAX_SECONDS
    with Process(argv, env) as process, pidfd(process.pid) as fd:
        while not readable(fd, 0.002) and time.monotonic() < end:
            for pid in tree(process.pid):
                with contextlib.suppress(OSError, StopIteration):  # it has just ended
                    greatest_kb[pid] = _status_kb(pid, "VmHWM")
        run = process.wait(1)
    if run.exit_code != 0 or not greatest_kb:
        raise BenchError(f"{' '.join(argv)[:80]}: exit code {run.exit_code}")
    return max(greatest_kb.values()) / 1024


def memory_mb(pid):
    """Resident now."""
    return _status_kb(pid, "VmRSS") / 1024


def cpu_ms_of(pid):
    """CPU time of a process itself, all threads, in nanoseconds' precision; also of one not yet waited for."""
    return time.clock_gettime((~pid << 3) | 2) * 1000  # CPUCLOCK_SCHED of a process, see clock_getcpuclockid(3)


def wakeups(pid):
    """How often its threads have gone to sleep of their own accord so far."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as file:
            total += next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
    return total


@contextlib.contextmanager
def pidfd(pid):
    fd = os.pidfd_open(pid)
    try:
        yield fd
    finally:
        os.close(fd)


def readable(fd, seconds):
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _start_traced(argv, env):
    pid = os.fork()
    if pid != 0:
        return pid
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        _libc.ptrace(PTRACE_TRACEME, 0, None, None)
        os.execvpe(argv[0], argv, env)
    finally:
        os._exit(127)


@contextlib.contextmanager
def _deadline(pid):
    """Within, the process ends after MAX_SECONDS, and with whatever ends us."""

    def kill(*_):
        os.kill(pid, signal.SIGKILL)

    before = signal.signal(signal.SIGALRM, kill)
    signal.alarm(MAX_SECONDS)
    try:
        yield
    except BaseException:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            kill()
            os.waitpid(pid, 0)
        raise
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def tree(pid):
    """It and all that descend from it."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as file:
                    found += map(int, file.read().split())
    return found


def _status_kb(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))


def _last_line(path):
    if path == os.devnull:
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().strip().splitlines()
    return f": {lines[-1][:200]}" if lines else ""
