#!/usr/bin/env python3
"""The bytes that the drawn conversation writes to its terminal: what outsiders wrote commands nothing, and slow, deaf and dead terminals are borne.

Environment: KEDGE, the binary.
"""
import json
import os
import pathlib
import re
import signal as signals
import subprocess
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rpc"))
from client import COMMENT, KEDGE, WAIT, RpcTest, lines_of  # noqa: E402
from terminal import Terminal  # noqa: E402

READY = "ctx "
EVIL = "\x1b]0;evil\x07\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b[3J\x1b[?1049h\x1b[1;5r\x1bc\x9b2J\x9d0;evil\x9c\x1bP+q\x1b\\\x1b_evil\x1b\\\x08\x0e\x7f"
NAP = f"sleep 87.{os.getpid()}"  # nobody else sleeps that long

# all that kedge itself ever says: colours, moves, wiping to the right and below, modes, questions, keyboards, titles, links, marks
OWN = re.compile(
    rb"\x1b(?:\[[0-9;:]*m|\[[0-9]*[ABCDG]|\[K|\[J|\[\?(?:25|7|2004|1004|2026|2027|2031)[hl]|\[\?(?:2026|2027|2004)\$p|\[c|\[>q|\[\?u"
    rb"|\[[<>=][0-9;]*u|\[>4;?[0-9]*m|\[2[23];[0-9]t|\]11;\?\x1b\\|\]2;[^\x00-\x1f\x7f]*\x1b\\|\]8;[^\x00-\x1f\x7f]*\x1b\\|\]133;[ABCD][^\x00-\x1f\x7f]*\x1b\\|P\$qm\x1b\\|\\)"
)


def strange(shown):
    """The control characters that are none of ours, with what follows."""
    rest = OWN.sub(b"", shown)
    return re.findall(rb"[\x00-\x07\x0b-\x0c\x0e-\x1f\x7f].{0,20}|\xc2[\x80-\x9f].{0,20}", rest, re.S)


class Ear(Terminal):
    """A terminal of a size, that can be told to be deaf."""

    def __init__(self, root, args=(), env=None, width=80, height=24):
        self.hears = threading.Event()
        self.hears.set()
        self.bytes_per_read, self.pause = 65536, 0
        super().__init__(root, args, env, (width, height))

    def _read(self):
        while not self.is_closed:
            if not self.hears.wait(0.05):
                continue
            time.sleep(self.pause)
            try:
                os.set_blocking(self.master, False)
                piece = os.read(self.master, self.bytes_per_read)
            except BlockingIOError:
                time.sleep(0.005)
                continue
            except OSError:
                return
            with self.changed:
                self.shown += piece
                self.changed.notify_all()

    def send(self, data):
        """Though it takes its time to read."""
        end = time.monotonic() + WAIT
        while data and time.monotonic() < end:
            try:
                data = data[os.write(self.master, data) :]
            except BlockingIOError:
                time.sleep(0.005)

    def enter(self, text):
        """Letter by letter, so that it is no paste."""
        for letter in text:
            self.type(letter)
        self.type("\r")

    def leave(self):
        self.type("\x04")
        self.wait_for("Resume with")
        assert self.end() == 0

    def cpu(self):
        """Seconds that it has computed."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Bytes(RpcTest):
    def open(self, *args, env=None, mark=READY, **options):
        environment = {**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}", **(env or {})}
        ear = Ear(self.root, args, environment, **options)
        self.addCleanup(ear.close)
        ear.wait_for(mark)
        return ear

    def until(self, claim, what):
        end = time.monotonic() + WAIT
        while not claim():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.03)

    def end_naps(self):
        for path in self.naps():
            os.kill(int(path.parent.name), signals.SIGKILL)

    def naps(self):
        """The processes of NAP."""
        words = NAP.replace(" ", "\0").encode() + b"\0"
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                found += [path] if path.read_bytes() == words else []
            except OSError:
                pass
        return found

    # --- outsiders

    def is_clean(self, ear):
        self.assertEqual(strange(ear.shown), [])

    def test_hostile_model_and_tools(self):
        os.makedirs(os.path.join(self.root, "w"))
        with open(os.path.join(self.root, "w/bytes"), "wb") as file:
            file.write(EVIL.encode("latin-1") + EVIL.encode() + b"\nsafe\n")
        self.script(
            {"text": f"Model {EVIL} text.\n\n```{EVIL}\ncode {EVIL}\n```\n\n| a{EVIL} | b |\n|---|---|\n| {EVIL} | d |\n\n[link](http://x/{EVIL}) **{EVIL}**\n"},
            {"tool_calls": [{"name": "bash", "arguments": {"command": f"cat bytes # {EVIL}"}}, {"name": "read", "arguments": {"path": f"no{EVIL}file"}}, {"name": f"no{EVIL}tool", "arguments": {}}]},
            {"text": "Done."},
        )
        ear = self.open()
        ear.enter("go")
        ear.wait_for("d")
        ear.wait_for("text.")
        time.sleep(0.3)
        ear.enter("on")
        ear.wait_for("Done.")
        ear.leave()
        self.is_clean(ear)
        self.assertIn(b"safe", ear.shown)

    def test_hostile_branch_folder_session_and_paste(self):
        home = os.path.join(self.root, "w", "evil" + EVIL.replace("/", ""))
        os.makedirs(os.path.join(self.root, "w/.git/objects"))
        os.makedirs(os.path.join(self.root, "w/.git/refs/heads"))
        os.makedirs(home)
        with open(os.path.join(self.root, "w/.git/HEAD"), "w", encoding="utf-8") as file:
            file.write(f"ref: refs/heads/evil{EVIL}\n")
        self.script({"text": "An answer.", "repeat": True})
        environment = {**self.environment(), "HOME": self.root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        subprocess.run([KEDGE, "-p", f"about{EVIL}it"], cwd=os.path.join(self.root, "w"), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=WAIT, check=True)
        (path,) = self.session_files()
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines[0]["title"] = f"title {EVIL}"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        ear = self.open(env={"KEDGE_NO_TITLE": ""})
        ear.send(b"\x1b[200~pasted " + EVIL.encode() + b"\r\nmore\x1b[201~")
        ear.wait_for("pasted")
        ear.type("\x03")
        ear.enter("/resume")
        ear.wait_for("2 messages")  # of the one that is there
        ear.type("\r")
        ear.wait_for("An answer.")
        ear.enter("!ls; echo 4$((1+1))2")
        ear.wait_for("evil")
        ear.wait_for("422")
        ear.leave()
        self.is_clean(ear)

    def test_scripts_of_the_world_and_very_long_lines(self):
        text = "日本語テキスト 👩‍👩‍👧‍👦 👍🏽 🇩🇪 שלום עולם مرحبا e\u0301\u0301\u0301 \u202eabc\u202c a\u200bb"
        self.script({"text": text + "\n\nbegin" + "x" * 1_000_000 + "end\n", "chunk": 50000}, {"tool_calls": [{"name": "bash", "arguments": {"command": "head -c 1000000 /dev/zero | tr '\\0' y"}}]}, {"text": "Done."})
        ear = self.open(width=61)
        ear.enter("go")
        ear.wait_for("end")
        self.assertIn("日本語".encode(), ear.shown)
        self.assertNotIn("\u202e".encode(), ear.shown)
        self.assertGreaterEqual(ear.shown.count(b"x"), 1_000_000)
        time.sleep(0.3)
        ear.enter("on")
        ear.wait_for("Done.")
        ear.send(b"\x1b[200~" + b"z" * 1_000_000 + b"\x1b[201~")
        ear.wait_for("[paste #1")
        ear.type("\x03")
        ear.leave()
        self.assertEqual(strange(ear.shown), [])

    # --- the terminal

    def rests(self, ear):
        """It computes for less than a tenth of three seconds."""
        before = ear.cpu()
        time.sleep(3)
        return ear.cpu() - before < 0.3

    def test_a_terminal_that_does_not_read(self):
        words = [f"word{i:04d}" for i in range(4000)]
        self.script({"text": " ".join(words), "chunk": 400, "delay_ms": 2})
        ear = self.open()
        ear.enter("go")
        ear.wait_for("word0010")
        ear.hears.clear()
        self.model.wait(requests=1, idle=1)
        self.until(lambda: self.rests(ear), "rest: it goes on computing")  # when what has come is worked off
        ear.hears.set()
        ear.wait_for("word3999")
        time.sleep(0.2)
        ear.leave()
        self.assertEqual([word for word in words if word.encode() not in ear.shown], [])
        self.assertEqual(strange(ear.shown), [])

    def test_a_terminal_that_reads_slowly(self):
        words = [f"word{i:04d}" for i in range(600)]
        self.script({"text": " ".join(words), "chunk": 40, "delay_ms": 5})
        ear = self.open()
        ear.bytes_per_read, ear.pause = 200, 0.02
        ear.enter("go")
        self.model.wait(requests=1, idle=1)
        before = ear.cpu()
        ear.wait_for("word0599")
        self.assertLess(ear.cpu() - before, 1)
        ear.bytes_per_read, ear.pause = 65536, 0
        time.sleep(0.2)
        ear.leave()
        self.assertEqual([word for word in words if word.encode() not in ear.shown], [])

    def test_a_terminal_that_is_gone(self):
        self.addCleanup(self.end_naps)
        for what in ("go", f"!{NAP}", ""):
            for is_deaf in (False, True):
                with self.subTest(what=what, is_deaf=is_deaf):
                    self.script({"text": " ".join(f"slow{i:04d}" for i in range(3000)), "chunk": 200, "delay_ms": 20})
                    ear = self.open()
                    if what:
                        ear.enter(what)
                    else:
                        ear.type("a draft")
                    if what == "go":
                        ear.wait_for("slow0010")
                    elif what:
                        self.until(self.naps, "the command")
                    if is_deaf:
                        ear.hears.clear()
                        time.sleep(0.5)
                    ear.hang_up()
                    self.assertEqual(ear.end(), 129)
                    self.until(lambda: not self.naps(), "the end of the command")
                    for path in self.session_files():
                        lines_of(path)

    # --- kinds of terminals

    def test_no_color(self):
        self.script({"text": "**bold** `code`\n\n```c\nint x = 1; // no\n```\n"}, {"tool_calls": [COMMENT]})
        ear = self.open(env={"NO_COLOR": "1", "COLORTERM": "truecolor"})
        ear.enter("go")
        ear.wait_for("// no")
        ear.wait_for(READY)
        ear.leave()
        for numbers in re.findall(rb"\x1b\[([0-9;:]*)m", ear.shown):
            for number in re.split(rb"[;:]", numbers):
                self.assertFalse(number and (30 <= int(number) <= 38 or 40 <= int(number) <= 48 or int(number) >= 90), numbers)
        self.assertRegex(ear.shown, rb"\x1b\[[0-9;]*1m")

    def test_the_console_of_linux(self):
        self.script({"text": "- **bold** [link](https://example.org)\n"})
        ear = self.open(env={"TERM": "linux", "KEDGE_NO_TITLE": ""})
        ear.enter("go")
        ear.wait_for("bold")
        ear.wait_for(READY)
        ear.leave()
        self.assertNotRegex(ear.shown, rb"\x1b\]|\x1bP|\x1b\[\?2026|\x1b\[c|\x1b\[>|38[;:][25]|48[;:][25]")
        conversation = ear.shown[: ear.shown.index(b"Resume with")]
        self.assertLessEqual(set(re.findall(r"[^\x00-\x7f]", conversation.decode())), set("·…"))  # its font has these

    def test_what_chooses_the_plain_mode(self):
        for args, env in (((), {"TERM": "dumb"}), ((), {"TERM": ""}), ((), {"ACCESSIBLE": "1"}), (("--plain",), {})):
            with self.subTest(args=args, env=env):
                ear = self.open(*args, env=env, mark="You: ")
                ear.line("/quit")
                self.assertEqual(ear.end(), 0)
                self.assertNotIn(b"\x1b", ear.shown)
        ear = self.open(env={"ACCESSIBLE": "0"})
        self.assertIn(b"\x1b", ear.shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
