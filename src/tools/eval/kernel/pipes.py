"""kedge's Python kernel: runs the cells of the eval tool, one after the other, in one namespace.

Its parts (pipes, values, helpers, magics, cells) are run in this order, in one namespace of their own. Standard library
only; Python 3.8 or later.

This part: requests come and answers go as lines of JSON on two private pipes, and every answer names the cell that it
belongs to. What cells print, what their children print, values and tracebacks go to standard output as they come. What
code of an earlier cell prints, such as a thread, is kept, up to a limit, and goes with the end of the next cell.
"""
import ast
import base64
import builtins
import collections
import contextvars
import fcntl
import functools
import io
import itertools
import json
import linecache
import os
import select
import signal
import sys
import threading
import time
import traceback
import types

_to_json, _from_json = json.dumps, json.loads  # whatever a cell does to the module
PID = os.getpid()
MAIN_THREAD = threading.get_ident()
KERNEL_FILE = "<kedge kernel>"
MAX_IMAGE_BYTES = 8 << 20
MAX_JSON_CHARS = 1 << 20
MAX_SHOWN_ITEMS = 1000
MAX_LATE_BYTES = 8192  # kept of what code of earlier cells prints
TICK_S = 0.02  # how late a cell that waits for a tool hears of an interruption


def _private(fd):
    """A copy of a descriptor that the user's code does not meet, nor its children."""
    copy = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 200)
    return copy


_requests = _private(3)
_answers = _private(4)
_output = _private(1)
_life = _private(20)  # PROC_LIFE_FD, kept open: kedge's end closes it, and that ends us
for _each in (3, 4, 20):
    os.close(_each)
_answer_lock = threading.Lock()
_output_lock = threading.Lock()  # of `cell`, the late text, and what other threads write


class _State:
    cwd = file = ""
    user = streams = None
    running = False
    count = 0
    loop = None
    names = frozenset()
    cell = ""  # the one that is open; "": none
    late = bytearray()
    late_dropped = 0
    # interruptions
    shields = 0
    is_due = False
    # requests
    unread = []  # pieces of the line that has not ended yet
    has_reader = False


def _standard(name):
    """A module of the standard library, though the directory has a file of its name."""
    import importlib
    if name in sys.modules:
        return sys.modules[name]
    path = sys.path[:]
    sys.path[:] = [entry for entry in path if entry and entry != _State.cwd]
    try:
        return importlib.import_module(name)
    finally:
        sys.path[:] = path


# ---- interruptions ----------------------------------------------------------


def _on_interrupt(number, frame):
    if not _State.running or os.getpid() != PID:
        return
    if _State.shields:
        _State.is_due = True
        return
    raise KeyboardInterrupt


def _raise_if_due():
    if _State.is_due and threading.get_ident() == MAIN_THREAD:
        _State.is_due = False
        if _State.running:
            raise KeyboardInterrupt


class _Shield:
    """Behind it an interruption waits, so that no line is sent or read by halves and no lock is kept."""

    def __enter__(self):
        if threading.get_ident() == MAIN_THREAD:
            _State.shields += 1

    def __exit__(self, *_):
        if threading.get_ident() == MAIN_THREAD:
            _State.shields -= 1
            if not _State.shields:
                _raise_if_due()


_shield = _Shield()


# ---- answers ----------------------------------------------------------------


def _write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def _send(frame):
    frame.setdefault("cell", _State.cell)
    if os.getpid() != PID or not (frame["cell"] or frame["type"] == "ready"):
        return  # nobody waits for it
    # a line of its own, whatever somebody has written there before
    data = ("\n" + _to_json(frame) + "\n").encode("ascii")
    with _shield, _answer_lock:
        _write_all(_answers, data)


def _status(op, **fields):
    _send({"type": "status", "event": {"op": op, **fields}})


# ---- what is printed --------------------------------------------------------

_context_cell = contextvars.ContextVar("cell", default=None)  # tasks of asyncio have it from where they were made
_start_thread = threading.Thread.start


@functools.wraps(_start_thread)
def _start(self):
    self._kedge_cell = _origin() or _State.cell
    return _start_thread(self)


threading.Thread.start = _start


def _origin():
    """The cell whose code is running; None: it cannot be said."""
    return _context_cell.get() or getattr(threading.current_thread(), "_kedge_cell", None)


def _keep_late(data):
    _State.late += data[-MAX_LATE_BYTES:]
    excess = len(_State.late) - MAX_LATE_BYTES
    _State.late_dropped += max(excess, 0) + max(len(data) - MAX_LATE_BYTES, 0)
    if excess > 0:
        del _State.late[:excess]


def _print(fd, data):
    is_main = threading.get_ident() == MAIN_THREAD
    if os.getpid() != PID or (is_main and _State.cell and _origin() in (None, _State.cell)):
        _write_all(fd, data)
        return
    origin = _origin()
    with _shield, _output_lock:
        if _State.cell and origin in (None, _State.cell):
            _write_all(fd, data)
        else:
            _keep_late(data)


def _close_cell():
    """Nothing is printed for it any more; what was kept meanwhile."""
    with _shield, _output_lock:
        late = {"late": _State.late.decode("utf-8", "replace"), "lateDropped": _State.late_dropped} if _State.late else {}
        _State.late.clear()
        _State.late_dropped = 0
        _State.cell = ""
    return late


def _show(text):
    """Text of the kernel, behind what the cell has printed so far."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    _write_all(_output, text.encode("utf-8", "backslashreplace"))


class _Direct(io.RawIOBase):
    """Unbuffered and whole, so that the output of children comes in its place."""

    def __init__(self, fd):
        super().__init__()
        self._fd = fd

    def writable(self):
        return True

    def fileno(self):
        return self._fd

    def write(self, data):
        data = bytes(data)
        _print(self._fd, data)
        return len(data)


def _open_stream(fd):
    return io.TextIOWrapper(_Direct(fd), encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)


# ---- requests ---------------------------------------------------------------

_inbox = threading.Condition()
_jobs = collections.deque()  # init, run
_replies = {}  # id of a call of a tool -> its reply
_call_ids = set()  # that are waited for
_numbers = itertools.count(1)


def _file(line):
    request = _from_json(line)
    kind = request.get("type")
    if kind == "exit":
        os._exit(0)
    if kind != "tool-reply":
        _jobs.append(request)
    elif request.get("id") in _call_ids:
        _replies[request["id"]] = request


def _read_more(timeout):
    poll = select.poll()
    poll.register(_requests, select.POLLIN)
    if not poll.poll(None if timeout is None else timeout * 1000):
        return
    data = os.read(_requests, 65536)
    if not data:
        os._exit(0)
    head, *rest = data.split(b"\n")
    _State.unread.append(head)
    for piece in rest:
        line = b"".join(_State.unread)
        _State.unread = [piece]
        if line:
            _file(line)


def _receive(take):
    """The first message for which take() has something. One thread reads at a time, and files what is for others."""
    is_main = threading.get_ident() == MAIN_THREAD
    with _shield, _inbox:
        while True:
            found = take()
            if found is not None:
                return found
            _raise_if_due()
            timeout = TICK_S if is_main and _State.running else None
            if _State.has_reader:
                _inbox.wait(timeout)
                continue
            _State.has_reader = True
            _inbox.release()
            try:
                _read_more(timeout)
            finally:
                _inbox.acquire()
                _State.has_reader = False
                _inbox.notify_all()
