#!/usr/bin/env python3
"""The drawn conversation in a real terminal emulator: `kedge` as a person has it. Rows of agent-core §10.6.

Environment: KEDGE, the binary. Needs tmux; says so and skips without one.
"""
import contextlib
import json
import os
import pathlib
import signal as signals
import sys
import time
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rpc"))
from client import COMMENT, KEDGE, WAIT, RpcTest, lines_of  # noqa: E402
from tmux_screen import HAS_TMUX, TmuxScreen, family_of  # noqa: E402

READY = "ctx "


@unittest.skipUnless(HAS_TMUX, "tmux is not installed")
class Drawn(RpcTest):
    def open(self, *args, env=None, ready=READY, **options):
        environment = {**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}", **(env or {})}
        screen = TmuxScreen(self.root, args, environment, **options)
        self.addCleanup(screen.close)
        screen.wait_for(ready)
        return screen

    def said(self, role="user"):
        """The texts of the messages in the session files."""
        entries = [entry for path in self.session_files() for entry in lines_of(path)]
        texts = []
        for entry in entries:
            message = entry.get("message", {})
            if entry["type"] == "message" and message["role"] == role:
                content = message["content"]
                texts.append(content if isinstance(content, str) else "".join(block.get("text", "") for block in content))
        return texts

    def test_a_conversation(self):
        self.script({"text": "First **answer**.\n\n- one\n- two\n"}, {"tool_calls": [{"name": "bash", "arguments": {"command": "echo made"}}]}, {"text": "Second answer."})
        screen = self.open()
        screen.line("hello")
        screen.wait_for("First answer.")
        screen.line("make it")
        screen.wait_for("Second answer.")
        screen.wait_for("made")
        screen.keys("C-d")
        self.assertEqual(screen.wait_end(), 0)
        self.assertIn("Resume with: kedge --resume ", screen.everything())
        self.assertEqual(self.said(), ["hello", "make it"])

    def test_core_92_ctrl_c_twice(self):
        screen = self.open()
        screen.keys("C-c")
        screen.wait_for("Ctrl+C again leaves.")
        screen.keys("C-c", "C-c")
        self.assertEqual(screen.wait_end(), 0)
        screen.type("echoed")  # by the terminal, as before
        screen.wait_for("echoed")

    def test_core_94_paste(self):
        self.script({"text": "Got it."})
        screen = self.open()
        text = "".join(f"line {i}\n" for i in range(20))
        screen.paste(text)
        screen.wait_for("[paste #1 +20 lines]")
        self.assertEqual(self.said(), [])
        screen.keys("Enter")
        screen.wait_for("Got it.")
        screen.wait_gone("Working")
        self.assertEqual([said.strip() for said in self.said()], [text.strip()])

    def test_core_96_narrower_while_it_streams(self):
        """Down to 60 columns each word is there once (tui §1 rule 3); below that no row is wider than the window."""
        words = " ".join(f"word{i:04d}" for i in range(400))
        for width in (60, 40):
            with self.subTest(width):
                self.script({"text": words, "chunk": 20, "delay_ms": 5})
                screen = self.open(width=120, height=30)
                screen.line("go")
                screen.wait_for("word0030")
                screen.resize(width, 30)
                screen.wait_for("word0399")
                everything = "".join(screen.everything().split())  # rows of before are the terminal's to wrap again
                counts = {everything.count(f"word{i:04d}") for i in range(400)}
                self.assertTrue(width < 60 or counts == {1}, counts)
                self.assertTrue(all(len(row) <= width for row in screen.screen()))
                screen.close()

    def test_core_98_escape_brings_back_what_waits(self):
        self.script({"text": "slow", "delay_ms": 600000}, {"text": "later"})
        screen = self.open()
        screen.line("go")
        self.model.wait(requests=1)  # what waits before would come along in it
        screen.line("and this")
        screen.wait_for("steer: and this")
        screen.keys("Escape")
        screen.wait_for("Operation aborted")
        screen.wait_for("> and this")

    def test_after_a_handoff_that_was_stopped(self):
        """What is said in the next run steers it, and does not stop it."""
        self.settings("interruptMode: wait\n")
        waits = {"tool_calls": [{"name": "bash", "arguments": {"command": "until [ -e go ]; do sleep 0.05; done"}}]}
        self.script({"text": "Here."}, {"text": "slow", "delay_ms": 600000}, waits, {"text": "Steered."})
        screen = self.open()
        screen.line("go")
        screen.wait_for("Here.")
        screen.wait_gone("esc to interrupt")
        screen.line("/handoff")
        screen.wait_for("esc to interrupt")
        self.model.wait(requests=2)
        screen.keys("Escape")
        screen.wait_for("Stopped; this is the same session.")
        screen.line("again")
        self.model.wait(requests=3)
        screen.line("and this")
        screen.wait_for("steer: and this")
        open(os.path.join(screen.cwd, "go"), "w", encoding="utf-8").close()
        screen.wait_for("Steered.")

    def test_core_99_output_of_a_tool_commands_nothing(self):
        command = "printf '\\033]0;evil\\007\\033[2Jsafe\\n'"
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": command}}]}, {"text": "Done."})
        screen = self.open()
        screen.line("go")
        screen.wait_for("Done.")
        self.assertNotIn("evil", screen.title())
        self.assertIn("safe", screen.everything())

    def test_core_103_clusters_in_the_editor(self):
        screen = self.open()
        screen.type("日本語👍🏽e\u0301x")
        screen.wait_for("x")
        screen.keys("Left", "Left", "Left", "BSpace")  # before the thumb goes the last ideograph
        screen.wait_for("日本👍")
        screen.keys("C-e")
        screen.type("!")
        screen.wait_for("x!")

    def test_a_question(self):
        for key, is_made in (("y", True), ("n", False)):
            with self.subTest(key):
                self.script({"tool_calls": [COMMENT]}, {"text": "So be it."})
                self.add_gh()
                screen = self.open()
                screen.line("comment")
                rows = screen.wait_for("[y] once")
                screen.answer(key, next(row for row in rows if "[y] once" in row))
                screen.wait_for("So be it.")
                made = os.path.join(self.root, "w/made")
                self.assertEqual(os.path.exists(made), is_made)
                if is_made:
                    os.unlink(made)
                screen.close()

    def test_a_body_is_edited(self):
        """It is shown as lines; what the person makes of it is asked about again, and only that runs."""
        call = json.loads(json.dumps(COMMENT).replace('"yes"', '"first\\nsecond\\n"'))
        self.script({"tool_calls": [call]}, {"text": "So be it."})
        self.add_gh()
        editor = pathlib.Path(self.root, "change")
        editor.write_text('#!/bin/sh\nsed -i s/second/changed/ "$1"\n', encoding="utf-8")
        editor.chmod(0o755)
        screen = self.open(env={"VISUAL": str(editor)})
        screen.line("comment")
        rows = screen.wait_for("[e] edit")
        self.assertTrue(any(row.startswith("  gh issue comment 8 ") and row.endswith("--body <1>") for row in rows))
        at = rows.index("  | first")
        self.assertEqual(rows[at + 1:at + 3], ["  | second", "  |"])
        screen.answer("e", "  | second")
        screen.wait_for("  | changed")
        self.assertFalse(os.path.exists(os.path.join(self.root, "w/made")))
        screen.answer("y", "  | changed")
        screen.wait_for("So be it.")
        self.assertTrue(os.path.exists(os.path.join(self.root, "w/made")))
        sent = json.dumps(self.model.ask("journal")[1]["body"])
        self.assertIn("The person changed the arguments", sent)

    def test_allowed_for_the_session(self):
        """Of ten questions the first answer is that for all that are alike; /permissions takes it back."""
        other = json.loads(json.dumps(COMMENT).replace("harbor/tidepool", "harbor/other"))
        self.script({"tool_calls": [COMMENT] * 10}, {"text": "All ten."}, {"tool_calls": [COMMENT]}, {"text": "Unasked."},
                    {"tool_calls": [other]}, {"text": "Asked."}, {"tool_calls": [COMMENT]}, {"text": "Asked again."})
        self.add_gh()
        made = os.path.join(self.root, "w/made")
        screen = self.open(height=40)
        screen.line("ten comments")
        rows = screen.wait_for("[s] allows until this session ends: gh issue comment on\ngithub.com/harbor/tidepool")
        screen.answer("s", next(row for row in rows if "[y] once" in row))
        screen.wait_for("All ten.")
        screen.wait_for("Allowed for this session: gh issue comment on github.com/harbor/tidepool")
        os.unlink(made)
        screen.line("one more")
        screen.wait_for("Unasked.")
        os.unlink(made)
        screen.line("elsewhere")
        rows = screen.wait_for("gh issue comment on github.com/harbor/other")
        screen.answer("n", next(row for row in rows if "[y] once" in row))
        screen.wait_for("Asked.")
        screen.line("/permissions reset")
        screen.wait_for("No longer allowed: gh issue comment on github.com/harbor/tidepool")
        screen.line("again")
        rows = screen.wait_for("[s] this session")
        screen.answer("n", next(row for row in rows if "[y] once" in row))
        screen.wait_for("Asked again.")
        self.assertFalse(os.path.exists(made))

    def test_a_question_is_whole_in_a_small_window(self):
        """Beside a draft of several rows, which gives way."""
        ask = {"tool_calls": [{"name": "ask", "arguments": {"questions": [
            {"id": "q", "question": "Which database should the service use for its main store?", "options": [{"label": "PostgreSQL"}, {"label": "SQLite"}]}]}}]}
        self.script(ask, {"text": "Noted."})
        screen = self.open(height=12)
        screen.resize(40, 14)
        screen.line("go")
        screen.wait_for("a question waits")
        screen.paste("a draft of many words that takes " * 4)
        screen.wait_for("You are writing")
        rows = screen.until(lambda rows: "for its main store?" in "\n".join(rows), "the end of the question")
        for text in ("Which database", "1. PostgreSQL", "2. SQLite"):
            self.assertIn(text, "\n".join(rows))

    def test_boxes_are_checked_one_after_the_other(self):
        """Each answer brings the question again: nobody has to wait, or to find the place again."""
        labels = [{"label": label} for label in ("Apple", "Pear", "Plum", "Cherry")]
        ask = {"tool_calls": [{"name": "ask", "arguments": {"questions": [{"id": "q", "question": "Which?", "multi": True, "options": labels}]}}]}
        self.script(ask, {"text": "Noted."})
        screen = self.open()
        screen.line("go")
        screen.wait_for("a question waits")
        time.sleep(0.6)  # from now on keys are no longer too early
        for key, seen in (("Down", "❯ 2."), ("Enter", "❯ 2. ☑ Pear"), ("Down", "❯ 3."), ("Enter", "❯ 3. ☑ Plum"), ("Up", "❯ 2."), ("Enter", "❯ 2. ☐ Pear"), ("5", "Noted.")):
            screen.keys(key)
            screen.wait_for(seen)

    def test_core_100_another_branch_of_the_tree(self):
        self.script({"text": "Answer to one."}, {"text": "Answer to two."}, {"text": "Answer to three."})
        screen = self.open()
        screen.line("question one")
        screen.wait_for("Answer to one.")
        screen.line("question two")
        screen.wait_for("Answer to two.")
        screen.line("/tree")
        screen.wait_for("user: question one")
        screen.keys("Home", "Enter")
        screen.wait_for("> question one")
        screen.keys("C-u")
        screen.line("question three")
        screen.wait_for("Answer to three.")
        screen.wait_gone("Working")
        (path,) = self.session_files()
        entries = lines_of(path)
        first = next(entry for entry in entries if entry.get("message", {}).get("role") == "user")
        children = [entry for entry in entries if entry.get("parentId", "") == first["parentId"]]
        self.assertEqual(len(children), 2)
        self.assertIn("now at: the beginning", screen.everything())

    def test_going_elsewhere_keeps_what_is_written(self):
        os.makedirs(f"{self.root}/.kedge/agent", exist_ok=True)
        with open(f"{self.root}/.kedge/agent/keybindings.json", "w", encoding="utf-8") as file:
            file.write('{"app.session.tree": "alt+t"}')
        self.script({"text": "Answer to one."})
        screen = self.open()
        screen.line("question one")
        screen.wait_for("Answer to one.")
        screen.type("a draft")
        screen.keys("M-t")
        screen.wait_for("user: question one")
        screen.keys("Home", "Enter")
        screen.wait_for("> question one")
        screen.wait_for("  a draft")

    def shell(self):
        """An interactive shell in the window, in which kedge is called kedge."""
        environment = {**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}", "PS1": "shell> ", "BASH_SILENCE_DEPRECATION_WARNING": "1"}
        os.makedirs(os.path.join(self.root, "bin"), exist_ok=True)
        if not os.path.exists(os.path.join(self.root, "bin/kedge")):
            os.symlink(KEDGE, os.path.join(self.root, "bin/kedge"))
        screen = TmuxScreen(self.root, env=environment, command=["bash", "--norc", "--noprofile", "-i"])
        self.addCleanup(screen.close)
        screen.wait_for("shell>")
        return screen

    def is_usable(self, screen):
        """The shell's prompt is there, and what is typed is echoed and run."""
        screen.line("stty -a | grep -o ' echo \\| icanon' | tr -d '\\n'; echo 4$((1+1))2")
        self.wait_prompt(screen, " icanon echo 422")

    def test_core_102_stopped_and_brought_back(self):
        screen = self.shell()
        screen.line("kedge")
        screen.wait_for(READY)
        screen.type("a draft")
        screen.keys("C-z")
        self.wait_prompt(screen, "Stopped")
        self.is_usable(screen)
        screen.line("clear; fg")
        screen.wait_for("> a draft")
        screen.type("!")
        screen.wait_for("> a draft!")

    def test_core_93_a_crash_leaves_a_usable_terminal(self):
        for signal in ("SEGV", "ABRT", "KILL", "TERM", "HUP"):
            with self.subTest(signal):
                screen = self.shell()
                screen.line("kedge")
                screen.wait_for(READY)
                screen.type("something")
                screen.wait_for("> something")
                pid = self.process_of(screen)
                os.kill(pid, getattr(signals, "SIG" + signal))
                self.wait_shell(screen)
                self.is_usable(screen)
                screen.close()

    def wait_shell(self, screen):
        """Its second prompt, which may come before the guardian has cleared what stood in its row."""
        screen.until(lambda rows: sum(row.startswith("shell>") for row in rows) == 2, "the shell")

    def wait_prompt(self, screen, text):
        """The shell's, below a text: what is typed earlier is echoed by the terminal, anywhere, and maybe once more."""
        def claim(rows):
            said = [number for number, row in enumerate(rows) if text in row]
            return said and any(row.startswith("shell>") for row in rows[said[-1] + 1:])
        screen.until(claim, f"a prompt below {text!r}")

    def process_of(self, screen):
        """kedge, the child of the window's shell."""
        shell = int(screen.tmux("display-message", "-p", "#{pane_pid}"))
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            for pid in family_of([shell]):
                with contextlib.suppress(OSError):  # it has just ended
                    if pathlib.Path(f"/proc/{pid}/comm").read_text() == "kedge\n":
                        return pid
            time.sleep(0.02)
        raise AssertionError("kedge does not run")

    def test_core_128_status_and_context(self):
        os.makedirs(os.path.join(self.root, "w"), exist_ok=True)
        for name in ("AGENTS.md", "CLAUDE.md"):
            with open(os.path.join(self.root, "w", name), "w", encoding="utf-8") as file:
                file.write(f"Be kind, says {name}.\n")
        screen = self.open(height=40)
        screen.line("/status")
        screen.wait_for("environment (ANTHROPIC_API_KEY)")
        screen.line("/context")
        screen.wait_for("AGENTS.md (25 bytes)")
        screen.wait_for("CLAUDE.md (25 bytes)")

    def test_first_run_asks_for_a_key(self):
        environment = {name: "" for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")}
        screen = self.open(env=environment)
        screen.wait_for("Whose models?")
        screen.type("anthropic")
        screen.keys("Enter")
        screen.wait_for("(not shown)")
        screen.paste("sk-ant-made-up-0123456789")
        screen.wait_for("*****")
        self.assertNotIn("made-up", screen.everything())
        screen.keys("Enter")
        rows = screen.wait_for("The key for anthropic is stored.")
        self.assertIn("claude-sonnet-5", "\n".join(rows))  # its usual model, not the first of its list

    def test_the_welcome_of_a_first_run_is_whole(self):
        """Beside the list of providers, in a window of the usual size."""
        screen = TmuxScreen(self.root, height=24)
        self.addCleanup(screen.close)
        rows = screen.wait_for("Whose models?")
        box = [row for row in rows if row.startswith(("╭", "│", "╰"))]
        self.assertIn("kedge v", box[0])
        self.assertIn("No key for", "".join(box))
        self.assertTrue(box[-1].startswith("╰"))
        screen.keys("Escape")
        screen.wait_for("shortcuts")  # all of it where there is room

    def test_up_brings_back_what_was_asked(self):
        self.script({"text": "An answer."}, {"text": "An answer."})
        screen = self.open()
        screen.line("asked before")
        screen.wait_for("An answer.")
        screen.keys("C-d")
        screen.wait_end()
        screen.close()
        screen = self.open()
        screen.wait_for("asked before")  # among the sessions of before
        screen.keys("Up")
        screen.wait_for("> asked before")

    def test_messages_of_the_command_line(self):
        self.script({"text": "First answer."}, {"text": "Second answer."})
        screen = self.open("one", "two")
        screen.wait_for("Second answer.")
        self.assertEqual(self.said(), ["one", "two"])

    def test_a_theme_that_was_taken_stays(self):
        screen = self.open()
        screen.line("/theme")
        screen.wait_for("kedge-dark ✓")
        screen.keys("Down", "Enter")
        screen.wait_gone("Enter takes it")
        screen.line("/theme")
        screen.wait_for("kedge-light ✓")

    def test_a_theme_that_is_not_there_is_said_once(self):
        self.settings("theme:\n  dark: nowhere\n  light: nowhere\n")
        screen = self.open()
        screen.wait_for("is used until that is fixed")
        screen.line("!echo later")
        screen.wait_for("✓ ! echo later")
        self.assertEqual(screen.everything().count('theme "nowhere"'), 1)

    def test_repairs_are_said_once(self):
        """Turns without thinking come and go in between."""
        write = {"tool_calls": [{"name": "write", "arguments": {"path": "a.txt", "content": "a \x1b[2J b"}}]}
        again = {"tool_calls": [{"name": "bash", "arguments": {"command": "echo again"}}]}
        self.script(write, {"text": "One."}, again, {"text": "Two."})
        screen = self.open()
        screen.line("go")
        screen.wait_for("One.")
        screen.wait_gone("esc to interrupt")
        screen.line("on")
        screen.wait_for("Two.")
        self.assertEqual(screen.everything().count("Repaired 1 entry"), 1)

    def test_what_the_viewer_shows_in_the_editor(self):
        editor = pathlib.Path(self.root, "editor")
        editor.write_text('#!/bin/sh\ncp "$1" "$HOME/half"\nmv "$HOME/half" "$HOME/seen"\necho changed >"$1"\n', encoding="utf-8")
        editor.chmod(0o755)
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": "seq 1000 1100"}}]}, {"text": "Counted."})
        screen = self.open(env={"VISUAL": str(editor)})
        screen.line("count")
        screen.wait_for("Counted.")
        screen.wait_gone("Working")
        screen.type("a draft")
        screen.keys("C-o")
        screen.wait_for("e edits")
        screen.keys("e")
        path = pathlib.Path(self.root, "seen")
        screen.until(lambda _: path.exists(), "the editor")
        seen = path.read_text(encoding="utf-8")
        for line in ("1000", "1050", "1100"):  # also what had scrolled away
            self.assertIn(f"\n  {line}\n", seen)
        screen.wait_for("> a draft")
        self.assertNotIn("changed", screen.everything())
        screen.keys("C-c")
        screen.wait_gone("> a draft")
        screen.keys("C-d")
        self.assertEqual(screen.wait_end(), 0)

    def write_theme(self, border):
        """Beside it and then in its place, as editors do."""
        source = pathlib.Path(__file__).resolve().parents[2] / "src/tui/text/kedge_dark.json"
        theme = json.loads(source.read_text(encoding="utf-8"))
        theme["name"] = "dusk"
        theme["colors"]["border"] = border
        folder = pathlib.Path(self.root, ".kedge/agent/themes")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "new").write_text(json.dumps(theme), encoding="utf-8")
        os.rename(folder / "new", folder / "dusk.json")

    def test_a_theme_is_read_again(self):
        self.settings("theme:\n  dark: dusk\n")
        screen = self.open(env={"COLORTERM": "truecolor"}, height=40)
        screen.wait_for("dusk")  # there is none yet, which is said
        for border, shown in (("#010203", "38;2;1;2;3"), ("#040506", "38;2;4;5;6")):
            self.write_theme(border)
            screen.until(lambda _, shown=shown: shown in screen.styled(), shown)
        for _ in range(2):  # which is said once
            self.write_theme("no colour")
            screen.wait_for("the colours stay as they were")
        self.assertIn("38;2;4;5;6", screen.styled())
        self.write_theme("#070809")
        screen.until(lambda _: "38;2;7;8;9" in screen.styled(), "the theme that is whole again")
        self.assertEqual(screen.everything().count("the colours stay as they were"), 1)

    def test_a_pause_makes_no_prompt(self):
        """What is being written comes to the prompts of before when it is left, and once."""
        screen = self.open()
        for text in ("a long draft " * 20, "and its end"):
            screen.type(text)
            screen.wait_for(text[-13:].strip())
            time.sleep(1.2)  # a pause, for kedge
        screen.keys("C-r")
        screen.wait_for("Nothing was asked yet.")

    def test_ended_while_the_editor_is_open(self):
        """The editor ends, too, and what was saved in it is the draft."""
        editor = os.path.join(self.root, "editor")
        with open(editor, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho and saved >>\"$1\"\necho EDITING\nexec sleep 600\n")
        os.chmod(editor, 0o755)
        self.script({"text": "An answer."})
        screen = self.open(env={"VISUAL": editor})
        screen.line("first")
        screen.wait_for("An answer.")
        screen.type("not sent yet ")
        screen.keys("C-g")
        screen.wait_for("EDITING")
        os.kill(self.process_of(screen), signals.SIGTERM)
        self.assertEqual(screen.wait_end(), 143)
        screen.close()
        screen = self.open("--continue")
        screen.wait_for("> not sent yet and saved")

    def test_sizes(self):
        """From very small to very wide nothing is lost, and no row is wider than the window."""
        self.script({"text": "An answer that is long enough to be wrapped in a small window, " * 3})
        screen = self.open()
        for width, height in ((20, 5), (10, 3), (3, 2), (500, 60), (40, 10), (80, 24)):
            screen.resize(width, height)
            time.sleep(0.1)
        screen.line("go")
        screen.wait_for("small window")

    def killed(self, screen, signal, draft):
        """Ends the program when the draft is in a file."""
        end = time.monotonic() + WAIT
        while not any(draft in path.read_text(encoding="utf-8") for path in self.drafts()):
            self.assertLess(time.monotonic(), end, "no draft was written")
            time.sleep(0.03)
        os.kill(self.process_of(screen), signal)
        screen.wait_for(f"ended {128 + signal}")
        screen.close()

    def drafts(self):
        agent = pathlib.Path(self.root, ".kedge/agent")
        return [*agent.glob("drafts/*"), *agent.glob("sessions/*/*/draft.txt")]

    def test_a_draft_is_kept(self):
        """However the program ends, with a session and before there is one; until it was sent."""
        self.script({"text": "An answer."})
        screen = self.open()
        screen.type("first")
        other = self.open()  # whose draft the next one is not to take
        other.type("elsewhere")
        other.wait_for("> elsewhere")
        self.killed(screen, signals.SIGKILL, "first")
        screen = self.open()
        screen.wait_for("> first")
        screen.keys("Enter")
        screen.wait_for("An answer.")
        text = ""
        for signal, more in ((signals.SIGKILL, "not"), (signals.SIGTERM, " sent"), (signals.SIGKILL, " yet")):
            text += more
            screen.type(more)
            screen.wait_for(f"> {text}")
            self.killed(screen, signal, text)
            screen = self.open("--continue")
            screen.wait_for(f"> {text}")
        screen.keys("C-c")
        screen.keys("C-d")
        self.assertEqual(screen.wait_end(), 0)
        self.assertEqual([path.read_text(encoding="utf-8").splitlines()[1] for path in self.drafts()], ["elsewhere"])

    def test_a_message_that_is_refused_stays(self):
        """Typed, and of the command line, one before the other."""
        screen = self.open("of the command line", env={"ANTHROPIC_API_KEY": ""})
        screen.wait_for("Enter takes it")  # the list of providers
        screen.keys("Escape")
        screen.wait_for("> of the command line")
        screen.keys("C-c")
        screen.line("typed")
        screen.wait_for("It was not sent.")
        screen.wait_for("> typed")
        self.assertEqual(self.said(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
