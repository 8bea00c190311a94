#!/usr/bin/env python3
"""What goes wrong around the drawn conversation, in each of its states: signals, Ctrl+Z, sizes, a crowd of questions, other processes.

Environment: KEDGE, the binary. Needs tmux; says so and skips without one.
"""
import fcntl
import json
import os
import pathlib
import random
import signal as signals
import subprocess
import sys
import termios
import time
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rpc"))
import test_drawn  # noqa: E402
from client import COMMENT, KEDGE, WAIT, RpcTest, lines_of  # noqa: E402
from tmux_screen import HAS_TMUX, is_alive  # noqa: E402

READY = test_drawn.READY
SLOW = {"text": " ".join(f"slow{i:04d}" for i in range(2000)), "chunk": 10, "delay_ms": 50, "repeat": True}
ASKS = {"tool_calls": [COMMENT], "repeat": True}
NAP = f"sleep 86.{os.getpid()}"  # nobody else sleeps that long


def settle(screen):
    """The terminal answers what kedge asks at its start before it hands on a key. A kedge that is killed earlier leaves the answers to
    the shell, which takes them for keys."""
    screen.type("x")
    screen.wait_for("> x")
    screen.keys("BSpace")
    screen.wait_gone("> x")


# state: what is typed, what is seen in it, and how the model answers
STATES = {
    "idle": (settle, READY, SLOW),
    "draft": (lambda screen: screen.type("a draft"), "> a draft", SLOW),
    "streaming": (lambda screen: screen.line("go"), "slow0001", SLOW),
    "question": (lambda screen: screen.line("go"), "[y] once", ASKS),
    "selector": (lambda screen: screen.line("/settings"), "Settings", SLOW),
    "viewer": (lambda screen: screen.keys("C-o"), "q closes", SLOW),
    "command": (lambda screen: screen.line(f"!{NAP}"), "Running…", SLOW),
}


def naps():
    """The processes of NAP."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == NAP.replace(" ", "\0").encode() + b"\0":
                found.append(int(path.parent.name))
        except OSError:
            pass
    return [pid for pid in found if is_alive(pid)]


@unittest.skipUnless(HAS_TMUX, "tmux is not installed")
class Trouble(RpcTest):
    open = test_drawn.Drawn.open
    said = test_drawn.Drawn.said
    shell = test_drawn.Drawn.shell
    is_usable = test_drawn.Drawn.is_usable
    wait_shell = test_drawn.Drawn.wait_shell
    wait_prompt = test_drawn.Drawn.wait_prompt
    process_of = test_drawn.Drawn.process_of

    def until(self, claim, what):
        end = time.monotonic() + WAIT
        while not claim():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.03)

    def end_naps(self):
        for pid in naps():
            os.kill(pid, signals.SIGKILL)

    def guardian_of(self, screen):
        """No child of kedge or of the shell: it is known by its terminal."""
        tty = screen.tmux("display-message", "-p", "#{pane_tty}").strip()
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            for path in pathlib.Path("/proc").glob("[0-9]*/comm"):
                try:
                    if path.read_text() == "kedge-guard\n" and os.readlink(path.parent / "fd/0") == tty:
                        return int(path.parent.name)
                except OSError:
                    continue
            time.sleep(0.02)
        raise AssertionError("there is no guardian")

    def prepare(self, state):
        """The model of the state; what brings it about, and how it looks."""
        reach, seen, turn = STATES[state]
        self.script(turn)
        self.add_gh()
        root = pathlib.Path(self.root)
        for draft in [*root.rglob("draft.txt"), *root.glob(".kedge/agent/drafts/*")]:
            draft.unlink()  # of the state before: it would be seen at once
        self.addCleanup(self.end_naps)
        return reach, seen

    def looks_cooked(self, screen):
        """As the shell behind has it: settings, screen, cursor, and no brackets around a paste."""
        tty = os.open(screen.tmux("display-message", "-p", "#{pane_tty}").strip(), os.O_RDWR | os.O_NOCTTY)
        try:
            wanted = termios.ICANON | termios.ECHO | termios.ISIG
            self.until(lambda: termios.tcgetattr(tty)[3] & wanted == wanted and termios.tcgetattr(tty)[1] & termios.OPOST, "the settings of before")
        finally:
            os.close(tty)
        self.until(lambda: screen.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{wrap_flag}").strip() == "0 1 1", "the screen of before")
        screen.paste("pasted\n")
        rows = screen.wait_for("pasted")
        self.assertNotIn("[200~", "\n".join(rows))

    # --- signals and job control, in each state

    def test_a_session_is_deleted_on_purpose_only(self):
        self.script({"text": "First answer."})
        screen = self.open()
        screen.line("hello")
        screen.wait_for("First answer.")
        screen.type("/dr")
        screen.wait_for("[yes]")
        screen.keys("Enter")  # takes the completion, and runs nothing
        screen.wait_gone("[yes]")
        screen.keys("Enter")
        screen.wait_for("Keep it")
        screen.keys("Enter")
        screen.wait_gone("Keep it")
        self.assertEqual([".trash" in str(path) for path in self.session_files()], [False])
        screen.line("/drop")
        screen.wait_for("Keep it")
        screen.keys("Down", "Enter")
        screen.wait_for("Deleted:")
        self.assertEqual([".trash" in str(path) for path in self.session_files()], [True])

    def test_killed_in_each_state(self):
        for state in STATES:
            reach, seen = self.prepare(state)
            for signal in ("KILL", "SEGV", "TERM"):
                with self.subTest(state=state, signal=signal):
                    screen = self.open()
                    reach(screen)
                    screen.wait_for(seen)
                    pid = self.process_of(screen)
                    os.kill(pid, getattr(signals, "SIG" + signal))
                    self.until(lambda pid=pid: not is_alive(pid), "the end")
                    if signal != "KILL":  # then it is said while the guardian still works, maybe on the viewer's screen
                        screen.wait_for(f"ended {128 + getattr(signals, 'SIG' + signal)}")
                    self.looks_cooked(screen)
                    for path in self.session_files():
                        lines_of(path)  # whole lines, each of them
                    if signal == "TERM":
                        self.until(lambda: not naps(), "the end of the command")
                    self.end_naps()
                    screen.close()

    def test_core_93_the_shell_is_quicker_than_the_guardian(self):
        """Its prompt stands in what kedge left then, and the guardian goes to a new row."""
        screen = self.shell()
        screen.line("kedge")
        screen.wait_for(READY)
        settle(screen)
        guardian = self.guardian_of(screen)
        os.kill(guardian, signals.SIGSTOP)
        os.kill(self.process_of(screen), signals.SIGKILL)
        self.wait_shell(screen)
        os.kill(guardian, signals.SIGCONT)
        self.until(lambda: not is_alive(guardian), "the end of the guardian")
        self.is_usable(screen)

    def test_stopped_and_continued_in_each_state(self):
        for state in STATES:
            for how in ("C-z", "STOP"):
                reach, seen = self.prepare(state)
                with self.subTest(state=state, how=how):
                    screen = self.shell()
                    screen.line("kedge")
                    screen.wait_for(READY)
                    reach(screen)
                    screen.wait_for(seen)
                    pid = self.process_of(screen)
                    if how == "C-z":
                        screen.keys("C-z")
                    else:
                        os.kill(pid, signals.SIGSTOP)
                    self.wait_prompt(screen, "Stopped")
                    if how == "C-z":
                        self.assertEqual(screen.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").strip(), "0 1")
                    self.is_usable(screen)
                    screen.line("clear; fg")
                    screen.wait_gone("422")
                    screen.wait_for(READY if how == "C-z" and state == "viewer" else seen[:4] if state == "streaming" else seen)
                    os.kill(pid, signals.SIGTERM)
                    screen.until(lambda rows: any(row.endswith("shell>") for row in rows), "the shell")
                    self.is_usable(screen)
                    self.until(lambda: not naps(), "the end of the command")
                    screen.close()

    # --- sizes

    # tmux changes its grid before it tells: between the two a frame is drawn for the old one, the longer the slower the program is
    @unittest.skipIf("TSAN_OPTIONS" in os.environ, "under ThreadSanitizer the program cannot keep up with the window")
    def storm(self, words, text, seed):
        """Each of the words is there once, whatever the sizes of the window while the text comes."""
        self.script({"text": text, "chunk": 30, "delay_ms": 12})
        chance = random.Random(seed)
        screen = self.open(width=100, height=30)
        screen.line("go")
        screen.wait_for(words[5])
        for _ in range(25):
            screen.resize(chance.randint(60, 160), chance.randint(12, 50))
            time.sleep(chance.random() * 0.12)
        screen.resize(100, 30)
        screen.wait_for(words[-1])
        screen.wait_gone("esc to interrupt")
        everything = "".join(screen.everything().split())
        wrong = {word: everything.count(word) for word in words if everything.count(word) != 1}
        self.assertEqual(wrong, {})
        self.assertEqual(everything.count(READY.strip()), 1)  # no piece of a live area is left

    def test_a_storm_of_sizes_while_it_streams(self):
        words = [f"word{i:04d}" for i in range(600)]
        self.storm(words, "\n\n".join(" ".join(words[i : i + 6]) for i in range(0, 600, 6)), 11)

    def test_a_storm_of_sizes_while_wide_text_streams(self):
        words = [f"\u7b2c{i:04d}\u884c" for i in range(120)]
        self.storm(words, "\n\n".join(word + "\u6e2f\u53e3\u6f6e" * 12 for word in words), 7)

    def test_the_welcome_follows_the_window(self):
        screen = self.open(width=100, height=30)
        for width in (44, 57, 100, 30):
            screen.resize(width, 30)
            wide = min(width - 1, 60)
            screen.until(lambda rows, wide=wide: {len(row) for row in rows if row.startswith(("╭", "│", "╰"))} == {wide}, f"a box of {wide}")
        screen.type("a draft")
        screen.wait_for("> a draft")
        screen.resize(100, 30)  # what has become history stays as it is
        screen.type("!")
        screen.wait_for("> a draft!")

    # --- questions

    def test_what_is_typed_ahead_answers_nothing(self):
        self.script({"tool_calls": [COMMENT], "delay_headers_ms": 700}, {"text": "So be it."})
        self.add_gh()
        screen = self.open()
        screen.line("go")
        screen.wait_for("esc to interrupt")
        screen.type("y")
        screen.wait_for("[y] once")
        screen.type("y")
        screen.keys("Enter")
        screen.type("1")
        screen.paste("y")
        screen.paste("y\n")
        screen.wait_for("a question waits")
        screen.until(lambda rows: any(row.startswith("> yy1y") for row in rows), "what was typed")
        time.sleep(0.6)  # from now on keys are no longer too early
        screen.wait_for("[y] once")
        self.assertFalse(os.path.exists(os.path.join(self.root, "w/made")))
        screen.keys("Escape")
        screen.wait_gone("[y] once")
        self.assertFalse(os.path.exists(os.path.join(self.root, "w/made")))

    def test_a_paste_without_brackets(self):
        """Three short lines that come at once are one text in the editor, not three messages."""
        self.script({"text": "Got three lines."})
        screen = self.open()
        pid = self.process_of(screen)
        tty = os.open(screen.tmux("display-message", "-p", "#{pane_tty}").strip(), os.O_RDONLY | os.O_NOCTTY)
        screen.type("z")  # what the terminal answered at the start was read before it
        screen.wait_for("> z")
        screen.keys("BSpace")
        screen.wait_gone("> z")
        os.kill(pid, signals.SIGSTOP)  # so that all of it is there when it reads
        screen.type("a\rb\rc\r")
        self.until(lambda: int.from_bytes(fcntl.ioctl(tty, termios.FIONREAD, bytes(4)), sys.byteorder) == 6, "the keys")
        os.kill(pid, signals.SIGCONT)
        os.close(tty)
        screen.until(lambda rows: "> a" in rows and "  b" in rows and "  c" in rows, "the three lines in the editor")
        self.assertEqual(self.session_files(), [])
        screen.keys("Enter")
        screen.wait_for("Got three lines.")
        screen.wait_gone("Working")
        self.assertIn('"a\\nb\\nc\\n"', pathlib.Path(self.session_files()[0]).read_text())

    def test_vim_keys(self):
        self.script({"text": "Gone."})
        self.settings("editor:\n  mode: vim\n")
        screen = self.open()
        screen.wait_for("INSERT")
        screen.type("one brave two")
        screen.keys("C-j")
        screen.type("three")
        screen.wait_for("  three")
        screen.keys("Escape")
        screen.wait_for("NORMAL")
        screen.type("ggw2d")
        screen.wait_for("NORMAL 2d")
        screen.type("w")
        screen.wait_gone("brave")
        screen.type("u")
        screen.wait_for("> one brave two")
        screen.type("wvj")
        screen.wait_for("VISUAL")
        screen.until(lambda _: "\x1b[7m" in screen.styled(), "the selection")
        screen.keys("Escape")
        screen.wait_for("NORMAL")
        screen.type("ggdaw")
        screen.wait_for("> brave two")
        screen.keys("Enter")
        screen.wait_for("Gone.")
        screen.wait_for("INSERT")
        self.assertIn('"brave two\\nthree"', pathlib.Path(self.session_files()[0]).read_text())

    def test_a_paste_answers_nothing(self):
        self.script({"tool_calls": [COMMENT]}, {"text": "So be it."})
        self.add_gh()
        screen = self.open()
        screen.line("go")
        screen.wait_for("[y] once")
        time.sleep(0.6)  # from now on keys are no longer too early
        for text in ("y", "1\n", "y\n"):
            screen.paste(text)
        screen.wait_for("> y1")
        screen.wait_for("[y] once")
        self.assertFalse(os.path.exists(os.path.join(self.root, "w/made")))

    def test_ten_questions(self):
        calls = [json.loads(json.dumps(COMMENT).replace('"yes"', f'"body-{i}-"')) for i in range(10)]
        self.script({"tool_calls": calls}, {"text": "All ten."})
        self.add_gh()
        screen = self.open(height=40)
        screen.line("go")
        asked = []

        def new(rows):
            """Rows of a question that was not there before: indented, other than those of the calls that wait."""
            return [row for row in rows if row.startswith("  gh issue comment") and row not in asked]

        for i in range(10):  # calls run at the same time, so their order is not known
            asked += new(screen.until(new, f"question {i + 1}"))
            self.assertEqual(len(asked), i + 1)
            screen.answer("y" if i % 2 else "n", asked[-1])
        screen.wait_for("All ten.")

    # --- others

    def test_going_elsewhere_while_jobs_run(self):
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": "until test -e go; do sleep 0.1; done; echo built", "async": True}}]},
                    {"text": "It runs."}, {"text": "It is built."})
        self.settings("async:\n  enabled: true\n")
        screen = self.open()
        screen.line("start it")
        screen.wait_for("It runs.")
        screen.wait_gone("Working")
        screen.line("/tree")
        screen.wait_for("user: start it")
        screen.keys("Home", "Enter")
        screen.wait_for("still running in the background: bg_1")
        screen.keys("C-u")
        pathlib.Path(self.root, "w/go").touch()
        screen.wait_for("It is built.")
        screen.wait_gone("Working")
        screen.line("/new")
        screen.wait_for("A new session has begun.")
        self.assertNotIn("background jobs end", screen.everything())

    def test_the_session_is_removed_and_changed_by_another(self):
        self.script({"text": "First answer."}, {"text": "Second answer."}, {"text": "Third answer."})
        screen = self.open()
        screen.line("one")
        screen.wait_for("First answer.")
        (path,) = self.session_files()
        with open(path, "ab") as file:
            file.write(b'{"type":"custom","id":"zzzzzzzz","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","customType":"x"}\n{"torn')
        screen.line("two")
        screen.wait_for("Second answer.")
        path.unlink()
        screen.line("three")
        screen.wait_for("Third answer.")
        screen.keys("C-d")
        self.assertIn(screen.wait_end(), (0, 1))
        self.looks_cooked(screen)

    def test_two_thousand_sessions(self):
        self.script({"text": "An answer."})
        environment = {**self.environment(), "HOME": self.root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        os.makedirs(os.path.join(self.root, "w"), exist_ok=True)
        subprocess.run([KEDGE, "-p", "the first of all"], cwd=os.path.join(self.root, "w"), env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=WAIT, check=True)
        (path,) = self.session_files()
        text = path.read_text()
        id_ = json.loads(text.splitlines()[0])["id"]
        for i in range(2000):
            other = id_[:-6] + f"{i:06d}"
            copy = text.replace(id_, other).replace("the first of all", f"needle {i:04d}")
            path.with_name(path.name.replace(id_, other)).write_text(copy)
        screen = self.open(height=30)
        screen.wait_for("Recent sessions")  # all are in the index
        screen.line("/resume")
        screen.wait_for("Sessions of this directory")
        screen.type("needle 1234")
        screen.until(lambda rows: sum("needle" in row and "messages" in row for row in rows) == 1, "the one")
        screen.keys("Enter")
        screen.wait_for("❯ needle 1234")

    def test_fifty_thousand_files(self):
        """Those of a repository, whose index names them: on the disk they would take a minute."""
        where = os.path.join(self.root, "w")
        os.makedirs(where)
        names = "".join(f"100644 {'1' * 40}\tfolder{i // 1000:02d}/file{i % 1000:03d}.txt\n" for i in range(50_000))
        environment = {"PATH": os.environ["PATH"], "HOME": self.root}
        for words, data in ((["init", "-q"], ""), (["update-index", "--index-info"], names)):
            subprocess.run(["git", *words], cwd=where, env=environment, input=data.encode(), timeout=WAIT, check=True)
        screen = self.open()
        screen.type("see @folder37/file99")
        screen.wait_for("file993.txt")
        screen.type(" and more")
        screen.wait_for("and more")

    def test_a_full_disk(self):
        """Nothing can be written any more: the draft stays, and it is said."""
        self.script({"text": "An answer."})
        ignore = "trap '' XFSZ; " if "TSAN_OPTIONS" in os.environ else ""  # ThreadSanitizer writes a file before main()
        screen = self.open(command=["sh", "-c", ignore + 'ulimit -f 0; exec "$0"', KEDGE])
        screen.type("x" * 300)
        screen.wait_for("the draft could not be kept")
        screen.type("more")
        screen.until(lambda rows: "more" in "".join(rows), "what is typed")
        screen.keys("C-c", "C-d")
        self.assertIn(screen.wait_end(), (0, 1))
        self.looks_cooked(screen)


if __name__ == "__main__":
    unittest.main(verbosity=2)
