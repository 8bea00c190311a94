"""A program in a pseudo-terminal, for tests: what it shows, what is typed, and how it ends.

Environment: KEDGE, the binary.
"""
import fcntl
import os
import pathlib
import pty
import select
import struct
import subprocess
import sys
import termios
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from line_process import KEDGE, WAIT, kept_variables  # noqa: E402


def own_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """kedge with a terminal as its standard streams, started in w/ of the HOME `root`."""

    def __init__(self, root, args=(), env=None, size=None, cwd=None, cell=(0, 0)):
        self.cwd = cwd or os.path.join(root, "w")
        os.makedirs(self.cwd, exist_ok=True)
        env = {"HOME": root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMPDIR": root, "TERM": "xterm", **(env or {}), **kept_variables()}
        self.master, slave = pty.openpty()
        if size:  # columns and rows; `cell` in pixels
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], size[0] * cell[0], size[1] * cell[1]))
        self.process = subprocess.Popen([KEDGE, *args], cwd=self.cwd, env=env, stdin=slave, stdout=slave, stderr=slave, preexec_fn=own_terminal)
        self.slave = slave  # kept, so that its settings can be looked at
        self.shown = b""
        self.looked_at = 0
        self.changed = threading.Condition()
        self.is_closed = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while not self.is_closed:
            if not select.select([self.master], [], [], 0.05)[0]:
                continue
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                piece = b""
            with self.changed:
                self.shown += piece
                self.changed.notify_all()
            if not piece:
                return

    def wait_for(self, text):
        """Until `text` was shown behind what was waited for before; what came in between."""
        mark, until = text.encode(), time.monotonic() + WAIT
        with self.changed:
            while (found := self.shown.find(mark, self.looked_at)) < 0:
                if not self.changed.wait(max(0, until - time.monotonic())):
                    raise AssertionError(f"{text!r} was not shown behind {self.shown[:self.looked_at][-200:]!r}, but {self.shown[self.looked_at:]!r}")
            between = self.shown[self.looked_at : found]
            self.looked_at = found + len(mark)
        return between.decode(errors="replace")

    def type(self, text):
        os.write(self.master, text.encode())

    def line(self, text):
        self.type(text + "\n")

    def echoes(self):
        return bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)

    def end(self):
        """The exit code, when it has ended by itself."""
        return self.process.wait(WAIT)

    def hang_up(self):
        """The terminal goes away."""
        self.is_closed = True
        self.reader.join()
        for fd in (self.slave, self.master):
            if fd is not None:
                os.close(fd)
        self.slave = self.master = None

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.hang_up()
