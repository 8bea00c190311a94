"""kedge in a tmux of its own, for tests: what is on the screen, what has scrolled away, keys and sizes.

Environment: KEDGE, the binary.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from line_process import KEDGE, WAIT, kept_variables  # noqa: E402

HAS_TMUX = shutil.which("tmux") is not None
QUOTED = str.maketrans({"\\": "\\\\", '"': '\\"', "$": "\\$", "~": "\\~", "\n": "\\n", "\r": "\\r", "\t": "\\t"})  # between tmux's quotes


def stat_of(pid):
    """State and parent; None: there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[:2]
    except OSError:
        return None


def is_alive(pid):
    return (stat_of(pid) or "Z")[0] not in "ZX"


def family_of(pids):
    """They, their children, and the children of these."""
    stats = {int(path.name): stat_of(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")}
    parents = {pid: int(stat[1]) for pid, stat in stats.items() if stat}
    found, new = set(), set(pids)
    while new:
        found |= new
        new = {pid for pid, parent in parents.items() if parent in new} - found
    return found


class TmuxScreen:
    """A window of `width` × `height` cells in which kedge runs, started in w/ of the HOME `root`."""

    def __init__(self, root, args=(), env=None, width=80, height=24, command=None):
        self.root = root
        self.cwd = os.path.join(root, "w")
        os.makedirs(self.cwd, exist_ok=True)
        self.socket = os.path.join(tempfile.mkdtemp(prefix="tmux-", dir=root), "s")
        env = {"HOME": root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMPDIR": root, **(env or {}), **kept_variables()}
        words = command or [KEDGE, *args]
        variables = [word for name, value in env.items() for word in ("-e", f"{name}={value}")]
        self.base = {"HOME": root, "PATH": env["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/sh"}
        new = ["-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height), "-c", self.cwd, *variables, "--",
               "sh", "-c", "\"$@\"; echo \"ended $?\"; exec cat", "sh", *words]
        subprocess.run(["tmux", "-S", self.socket, *new, ";", "set-option", "-g", "history-limit", "50000", ";",
                        "set-option", "-g", "window-size", "manual"], env=self.base, capture_output=True, timeout=WAIT, check=True)
        # one client for all commands, in tmux's control mode; a start for each would be most of what a test computes
        self.client = subprocess.Popen(["tmux", "-S", self.socket, "-C", "attach-session", "-f", "no-output,ignore-size"], env=self.base,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answer_of("attach-session")

    def tmux(self, *words):
        """What the command prints."""
        quoted = ['"' + word.translate(QUOTED) + '"' for word in words]
        self.client.stdin.write((" ".join(quoted) + "\n").encode())
        self.client.stdin.flush()
        return self.answer_of(words)

    def answer_of(self, words):
        """The next block between %begin and %end; beside it are only notices."""
        lines = None
        for line in self.client.stdout:
            text = line.decode(errors="replace")
            if lines is None:
                if text.startswith("%begin "):
                    name, lines = text[len("%begin "):], []
            elif text == "%end " + name:
                return "".join(lines)
            elif text == "%error " + name:
                raise AssertionError(f"tmux {words[:3]}: {''.join(lines)}")
            else:
                lines.append(text)
        raise AssertionError(f"tmux {words[:3]}: it has ended")

    def keys(self, *names):
        """Keys by tmux's names: Enter, Escape, C-c, M-Up…"""
        self.tmux("send-keys", *names)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def line(self, text):
        """Enter comes when the text is there: both at once could be a paste, where the terminal does not say."""
        self.type(text)
        end = "".join(text.split())[-12:]
        self.until(lambda rows: end in "".join("".join(rows).split()), f"the echo of {text!r}")
        self.keys("Enter")

    def answer(self, key, question):
        """Answers the question that shows the row `question` with a letter. What comes too early for an answer
        goes to the editor: it is taken back there, and after a longer while tried again."""
        pause = 0.6
        while True:
            time.sleep(pause)
            self.type(key)
            rows = self.until(lambda rows: question not in rows or f"> {key}" in rows, f"what {key!r} does")
            if question not in rows:
                return
            self.keys("C-u")
            self.wait_gone(f"> {key}")
            pause *= 2
            if pause > WAIT:
                raise AssertionError(f"{key!r} never answered {question!r}")

    def paste(self, text):
        """As a terminal pastes: in brackets where the program has asked for them."""
        with tempfile.NamedTemporaryFile(dir=self.root) as file:
            file.write(text.encode() if isinstance(text, str) else text)
            file.flush()
            self.tmux("load-buffer", file.name)
        self.tmux("paste-buffer", "-p", "-r")

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def screen(self):
        """The rows of the window, without the blanks at their ends."""
        return [row.rstrip() for row in self.tmux("capture-pane", "-p").split("\n")[:-1]]

    def everything(self):
        """What has scrolled away, too; rows that the terminal has wrapped are joined."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-")

    def styled(self):
        return self.tmux("capture-pane", "-p", "-e")

    def cursor(self):
        column, row = self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()
        return int(row), int(column)

    def title(self):
        return self.tmux("display-message", "-p", "#{pane_title}").rstrip("\n")

    def until(self, claim, what):
        """Waits until `claim(rows)` holds; the rows."""
        end = time.monotonic() + WAIT
        while True:
            rows = self.screen()
            if claim(rows):
                return rows
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not come; the screen:\n" + "\n".join(rows))
            time.sleep(0.03)

    def wait_for(self, text):
        return self.until(lambda rows: text in "\n".join(rows), repr(text))

    def wait_gone(self, text):
        return self.until(lambda rows: text not in "\n".join(rows), f"the end of {text!r}")

    def wait_end(self):
        """The exit code."""
        rows = self.until(lambda rows: any(row.startswith("ended ") for row in rows), "the end")
        return int([row for row in rows if row.startswith("ended ")][-1].split()[1])

    def close(self):
        """Ends what runs in the window, and waits for that: kedge keeps its history and its session as long as it lives."""
        words = ["tmux", "-S", self.socket]
        panes = subprocess.run([*words, "list-panes", "-a", "-F", "#{pane_pid}"], env=self.base, capture_output=True, timeout=WAIT, check=False)
        pids = family_of(int(pid) for pid in panes.stdout.split())
        subprocess.run([*words, "kill-server"], env=self.base, capture_output=True, timeout=WAIT, check=False)
        self.client.kill()
        self.client.communicate()
        end = time.monotonic() + 5
        while any(map(is_alive, pids)):
            if time.monotonic() > end:
                for pid in filter(is_alive, pids):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
