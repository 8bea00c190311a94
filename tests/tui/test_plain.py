#!/usr/bin/env python3
"""A conversation in a terminal, line by line: `kedge` as a person has it.

Environment: KEDGE, the binary.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rpc"))
from client import COMMENT, KEDGE, WAIT, RpcTest, lines_of  # noqa: E402
from terminal import Terminal  # noqa: E402

EARLY = 1.5  # seconds in which a question takes no answer, and some more


class Plain(RpcTest):
    def open(self, *args, env=None):
        environment = {**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}", **(env or {})}
        terminal = Terminal(self.root, ("--plain", *args), {name: value for name, value in environment.items() if value is not None})
        self.addCleanup(terminal.close)
        terminal.wait_for("/help lists the commands")
        return terminal

    def messages(self, role):
        entries = [entry for path in self.session_files() for entry in lines_of(path)]
        return [entry["message"] for entry in entries if entry["type"] == "message" and entry["message"]["role"] == role]

    def said(self, role="user"):
        """The texts of the messages in the session files."""
        texts = []
        for message in self.messages(role):
            content = message["content"]
            texts.append(content if isinstance(content, str) else "".join(block.get("text", "") for block in content))
        return texts

    def test_a_conversation(self):
        self.script({"text": "First answer."}, {"tool_calls": [{"name": "bash", "arguments": {"command": "echo made"}}]}, {"text": "Second answer."})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("hello")
        terminal.wait_for("kedge: First answer.")
        terminal.wait_for("You: ")
        terminal.line("make it\\")
        terminal.line("in two lines")
        terminal.wait_for("Tool bash: echo made")
        terminal.wait_for("Done in ")
        terminal.wait_for("kedge: Second answer.")
        terminal.wait_for("You: ")
        terminal.line("/output")
        terminal.wait_for("made")
        terminal.wait_for("You: ")
        terminal.type("\x04")
        terminal.wait_for("Resume with: kedge --resume ")
        self.assertEqual(terminal.end(), 0)
        self.assertNotIn(b"\x1b", terminal.shown)  # nothing is drawn
        self.assertEqual(self.said(), ["hello", "make it\nin two lines"])
        self.assertTrue(os.path.exists(os.path.join(self.root, ".kedge/agent/history.db")))

    def test_prompts_of_the_command_line(self):
        self.script({"text": "One."}, {"text": "Two."})
        terminal = self.open("first words", "more words")
        terminal.wait_for("kedge: One.")
        terminal.wait_for("kedge: Two.")
        terminal.wait_for("You: ")
        terminal.line("/exit")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(self.said(), ["first words", "more words"])

    def ask(self, *turns):
        self.script({"tool_calls": [COMMENT]}, *turns)
        self.add_gh()
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("comment")
        terminal.wait_for("May this run?")
        terminal.wait_for("n and the reason.")
        return terminal

    def is_made(self):
        return os.path.exists(os.path.join(self.root, "w/made"))

    def test_a_question_is_answered(self):
        for answer, is_made in (("y", True), ("n", False), ("", False)):
            with self.subTest(answer):
                terminal = self.ask({"text": "So be it."})
                time.sleep(EARLY)
                terminal.line(answer)
                if answer == "":
                    terminal.wait_for("Answer y to run it this once")
                    terminal.line("n")
                terminal.wait_for("kedge: So be it.")
                self.assertEqual(self.is_made(), is_made)
                if is_made:
                    os.unlink(os.path.join(self.root, "w/made"))
                terminal.close()

    def test_a_reason_reaches_the_model(self):
        terminal = self.ask({"text": "I see."}, {"text": "I see."})
        time.sleep(EARLY)
        terminal.line("no, it is Sunday")
        terminal.wait_for("kedge: I see.")
        terminal.wait_for("You: ")
        self.assertFalse(self.is_made())
        self.assertIn("it is Sunday", self.said())

    def test_what_was_typed_before_answers_nothing(self):
        self.script({"tool_calls": [COMMENT]}, {"text": "Heard."}, {"text": "Heard."})
        self.add_gh()
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.type("comment\ny\ny\nye")
        terminal.wait_for("May this run?")
        terminal.wait_for("n and the reason.")
        terminal.wait_for("Kept of what you have begun: ye")
        time.sleep(EARLY)
        terminal.line("s")  # "yes", as the person does not mean it
        terminal.wait_for("That was typed before the question could be read.")
        terminal.wait_for("n and the reason.")
        self.assertFalse(self.is_made())
        terminal.line("n")
        terminal.wait_for("kedge: Heard.")
        self.assertFalse(self.is_made())

    def test_what_is_typed_behind_an_answer_is_edited(self):
        terminal = self.ask({"text": "So be it."}, {"text": "Good."})
        time.sleep(EARLY)
        terminal.type("n\nabc")
        terminal.wait_for("kedge: So be it.")
        terminal.wait_for("You: ")
        terminal.line("\x15hello")  # Ctrl+U
        terminal.wait_for("kedge: Good.")
        terminal.wait_for("You: ")
        self.assertEqual(self.said()[-1], "hello")

    def test_a_question_and_a_key(self):
        terminal = self.ask({"text": "So be it."})
        time.sleep(EARLY)
        terminal.line("/login anthropic")
        terminal.wait_for("Error: answer the question first.")
        self.assertTrue(terminal.echoes())
        terminal.line("y")
        terminal.wait_for("kedge: So be it.")
        self.assertTrue(self.is_made())
        terminal.wait_for("You: ")
        terminal.line("/login")
        terminal.wait_for("anthropic: environment (ANTHROPIC_API_KEY)")  # and not a stored one

    def test_a_choice(self):
        question = {"id": "q", "question": "Which colour?", "options": [{"label": "red"}, {"label": "blue"}]}
        self.script({"tool_calls": [{"name": "ask", "arguments": {"questions": [question]}}]}, {"text": "Good choice."})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("ask me")
        terminal.wait_for("Question: Which colour?")
        terminal.wait_for("2. blue")
        terminal.wait_for("/pass for no answer.")
        time.sleep(EARLY)
        terminal.line("7")
        terminal.wait_for("/pass for no answer.")
        terminal.line("!echo aside")
        terminal.wait_for("Exit 0.")
        terminal.line("/session")
        terminal.wait_for("Messages: ")
        terminal.line("2")
        terminal.wait_for("kedge: Good choice.")
        terminal.wait_for("You: ")
        self.assertIn("blue", "".join(self.said("toolResult")))
        self.assertEqual(self.said(), ["ask me"])

    # core-101
    def test_a_plan(self):
        self.script(
            {"tool_calls": [{"name": "write", "arguments": {"path": "PLAN.md", "content": "1. Begin.\n"}}]},
            {"tool_calls": [{"name": "resolve", "arguments": {"action": "apply", "reason": "ready", "extra": {"title": "begin"}}}]},
            {"tool_calls": [{"name": "write", "arguments": {"path": "made.txt", "content": "made\n"}}]},
            {"text": "Carried out."},
        )
        terminal = self.open()
        for line, shown in (("/plan", "Plan mode is on"), ("/status", "Mode: plan, kept in local://PLAN.md"), ("/plan", "Plan mode is off")):
            terminal.wait_for("You: ")
            terminal.line(line)
            terminal.wait_for(shown)
        terminal.wait_for("You: ")
        terminal.line("/plan begin")
        terminal.wait_for("Question: Plan \"begin\" is ready")
        terminal.wait_for("1. Begin.")
        terminal.wait_for("3. Keep planning")
        time.sleep(EARLY)
        terminal.line("2")
        terminal.wait_for("kedge: Carried out.")
        terminal.wait_for("You: ")
        self.assertTrue(pathlib.Path(terminal.cwd, "made.txt").exists())
        modes = [entry["mode"] for path in self.session_files() for entry in lines_of(path) if entry["type"] == "mode_change"]
        self.assertEqual(modes, ["plan", "plan_paused", "plan", "none"])

    def test_interrupts(self):
        self.script({"text": "slow answer", "stall_after": 3}, {"text": "Again."})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("go")
        self.model.wait(events=3)
        terminal.line("and listen")
        terminal.wait_for("The model hears it as soon as it can.")
        terminal.type("\x03")
        terminal.wait_for("Stopping. Ctrl+C again leaves.")
        terminal.wait_for("wait for your next one.")
        terminal.wait_for("You: ")
        time.sleep(2.1)  # not a second one
        terminal.type("half a line\x03")
        terminal.wait_for("Ctrl+C again, or Ctrl+D, leaves.")
        terminal.wait_for("You: ")
        terminal.line("again")
        terminal.wait_for("kedge: Again.")
        terminal.wait_for("You: ")
        self.assertEqual(self.said(), ["go", "again", "and listen"])
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0)

    def test_words_after_a_stop(self):
        command = "trap '' TERM; touch begun; sleep 1; exit 0"
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": command}}]}, {"text": "Instead."})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("go")
        self.wait_for_file("begun")
        terminal.type("\x03")
        terminal.wait_for("Stopping.")
        terminal.line("do this instead")
        terminal.wait_for("kedge: Instead.")
        terminal.wait_for("You: ")
        self.assertEqual(self.said(), ["go", "do this instead"])

    def test_a_stop_is_for_all_first_prompts(self):
        self.script({"text": "slow answer", "stall_after": 3}, {"text": "Never."})
        terminal = self.open("first", "second")
        self.model.wait(events=3)
        terminal.type("\x03")
        terminal.wait_for("Messages of the command line that were not sent: 1.")
        terminal.wait_for("You: ")
        self.assertEqual(self.said(), ["first"])

    def wait_for_file(self, name):
        until = time.monotonic() + WAIT
        while not os.path.exists(os.path.join(self.root, "w", name)):
            self.assertLess(time.monotonic(), until, f"{name} was not made")
            time.sleep(0.02)

    def test_it_stands_still(self):
        self.script({"text": "Here again."})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("/login anthropic")
        terminal.wait_for("which is not shown")
        terminal.type("\x1a")
        terminal.wait_for("No key was taken.")
        self.assertTrue(terminal.echoes())
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_for("You: ")
        terminal.line("hello")
        terminal.wait_for("kedge: Here again.")
        terminal.wait_for("You: ")
        terminal.type("\x1c")
        self.assertEqual(terminal.end(), 131)

    def test_a_line_that_the_terminal_cut(self):
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("x" * 5000)
        terminal.wait_for("The terminal cut that line")
        terminal.wait_for("You: ")
        self.assertEqual(self.said(), [])

    def test_the_end_from_outside(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                self.script({"text": "slow answer", "stall_after": 3})
                terminal = self.open()
                terminal.wait_for("You: ")
                terminal.line("go")
                self.model.wait(events=3)
                terminal.process.send_signal(number)
                self.assertEqual(terminal.end(), code)

    def test_a_terminal_that_goes_away(self):
        self.script({"text": "slow answer", "stall_after": 3})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("go")
        self.model.wait(events=3)
        terminal.hang_up()
        self.assertEqual(terminal.end(), 129)
        self.assertEqual(self.said(), ["go"])

    def test_slash_commands(self):
        self.script({"text": "One."}, {"text": "Two."}, {"text": "Three."})
        terminal = self.open()
        for line, shown in (
            ("/help", "/exit: leave"),
            ("/model", "In use: anthropic/"),
            ("/resume 1", "there is no 1 in the list; /resume shows it"),
            ("/model 99", "there is no 99 in the list; /model shows it"),
            ("/model 1", "from the next turn on."),
            ("/model no-such-model-anywhere", "Error: "),
            ("/thinking low", "Thinking: low."),
            ("/thinking lots", "not \"lots\""),
            ("/login", "anthropic: environment (ANTHROPIC_API_KEY)"),
            ("/login nobody", "there is no provider \"nobody\""),
            ("/status", "Key: environment (ANTHROPIC_API_KEY)"),
            ("/usage", "0 messages of yours"),
            ("/tools", "The model can use: read, "),
            ("/todo", "The list is empty."),
            ("/output", "Nothing yet."),
            ("/branch", "There is no message yet."),
            ("/resume", "There is no earlier session of this directory."),
            ("/resume nothing", "Session \"nothing\" not found."),
            ("/session now", "/session takes no argument"),
            ("/compact", "Error: "),
            ("first words", "kedge: One."),
            ("/rename A name", "This session is called: A name"),
            ("/export page.html", "Exported to: "),
            ("/new", "A new session has begun."),
            ("second words", "kedge: Two."),
            ("/resume", "1. A name ("),
            ("/resume 1", "You: first words"),
            ("/branch", "1. first words"),
            ("/branch 1", "up to before that message: first words"),
            ("third words", "kedge: Three."),
            ("/fork", "This is a copy of the session now."),
        ):
            with self.subTest(line):
                terminal.wait_for("You: ")
                terminal.line(line)
                terminal.wait_for(shown)
        terminal.wait_for("You: ")
        terminal.line("/quit")
        self.assertEqual(terminal.end(), 0)
        self.assertIn("<html", pathlib.Path(terminal.cwd, "page.html").read_text(encoding="utf-8"))
        self.assertEqual(len(self.session_files()), 4)

    def test_commands_of_the_person(self):
        self.script({"text": "Seen."})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("!echo shown; exit 3")
        terminal.wait_for("\r\nshown")
        terminal.wait_for("Exit 3.")
        terminal.wait_for("You: ")
        terminal.line("!!echo kept")
        terminal.wait_for("\r\nkept")
        terminal.wait_for("You: ")
        terminal.line("!touch begun; sleep 60")
        self.wait_for_file("begun")
        terminal.type("\x03")
        terminal.wait_for("Stopped.")
        terminal.wait_for("You: ")
        terminal.line("what was it?")
        terminal.wait_for("kedge: Seen.")
        request = json.dumps(self.model.ask("journal")[0]["body"])
        self.assertIn("shown", request)
        self.assertNotIn("kept", request)

    def test_python_of_the_person(self):
        """agent-core §7.4"""
        self.script({"text": "Seen."})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("$x = 6 * 7; print('is', x)")
        terminal.wait_for("\r\nis 42")
        terminal.wait_for("Exit 0.")
        terminal.wait_for("You: ")
        terminal.line("$$print(x - 1000)")
        terminal.wait_for("\r\n-958")
        terminal.wait_for("You: ")
        terminal.line("$open('begun', 'w').close(); import time; time.sleep(600)")
        self.wait_for_file("begun")
        terminal.line("!true")
        terminal.wait_for("Error: a command runs already")
        terminal.type("\x03")
        terminal.wait_for("Stopped.")
        terminal.wait_for("You: ")
        terminal.line("$")
        terminal.wait_for("Error: $ takes Python code after it")
        terminal.wait_for("You: ")
        terminal.line("what was it?")
        terminal.wait_for("kedge: Seen.")
        request = json.dumps(self.model.ask("journal")[0]["body"])
        self.assertIn("Ran Python:", request)
        self.assertIn("is 42", request)
        self.assertNotIn("-958", request)
        self.assertEqual([message["code"] for message in self.messages("pythonExecution")][1], "print(x - 1000)")

    def test_the_last_answer_once_more(self):
        """agent-core §3.1, §7.4"""
        self.script({"text": "slow answer", "stall_after": 3}, {"text": "Whole."}, {"text": "Here."})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("/retry")
        terminal.wait_for("Error: there is nothing to go on with yet")
        terminal.wait_for("You: ")
        terminal.line("go")
        self.model.wait(events=3)
        terminal.type("\x03")
        terminal.wait_for("Stopping.")
        terminal.wait_for("You: ")
        terminal.line("c")
        terminal.wait_for("kedge: Whole.")
        terminal.wait_for("You: ")
        terminal.line(".")
        terminal.wait_for("Error: the last answer is complete: there is nothing to ask for again")
        self.assertEqual(self.said(), ["go"])

    def test_resume_without_a_value(self):
        self.script({"text": "One."}, {"text": "Two."})
        terminal = self.open("first")
        terminal.wait_for("kedge: One.")
        terminal.wait_for("You: ")
        terminal.line("/exit")
        self.assertEqual(terminal.end(), 0)
        for line, shown in (("", "No session selected"), ("7", "Error: there is no 7"), ("1", "You: first")):
            terminal = self.open("--resume")
            terminal.wait_for("1. first")
            terminal.wait_for("Enter to leave: ")
            terminal.line(line)
            terminal.wait_for(shown)
        terminal.line("second")
        terminal.wait_for("kedge: Two.")
        self.assertEqual(len(self.session_files()), 1)

    def test_a_key_is_not_shown(self):
        """The message that was refused before waits."""
        self.script({"text": "Welcome."})
        terminal = self.open(env={"ANTHROPIC_API_KEY": None})
        terminal.wait_for("You: ")
        terminal.line("hello")
        terminal.wait_for("It was not sent. /retry sends it.")
        for key, told in (("sk-test-not-shown-1", "The model is anthropic/"), ("", "No key was taken.")):
            terminal.wait_for("You: ")
            terminal.line("/login anthropic")
            terminal.wait_for("which is not shown")
            until = time.monotonic() + WAIT
            while terminal.echoes() and time.monotonic() < until:
                time.sleep(0.02)
            self.assertFalse(terminal.echoes())
            terminal.line(key)
            terminal.wait_for(told)
            self.assertTrue(terminal.echoes())
        terminal.wait_for("You: ")
        terminal.line("/retry")
        terminal.wait_for("kedge: Welcome.")
        self.assertEqual(self.said(), ["hello"])
        terminal.wait_for("You: ")
        terminal.line("/login anthropic")
        terminal.wait_for("which is not shown")
        terminal.process.terminate()
        self.assertEqual(terminal.end(), 143)
        self.assertTrue(terminal.echoes())
        self.assertNotIn(b"sk-test-not-shown-1", terminal.shown)

    def test_hostile_text(self):
        command = "printf '\\033]0;evil\\007\\033[2J'"
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": command + "; echo '\x1b[2J'"}}]}, {"text": "\x1b]0;evil\x07\x1b[2Jclean\x9b2J"})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("go")
        terminal.wait_for("kedge: clean")
        terminal.wait_for("You: ")
        terminal.line("/output")
        terminal.wait_for("You: ")
        self.assertNotIn(b"\x1b", terminal.shown)
        self.assertNotIn(b"\x9b", terminal.shown.replace("…".encode(), b""))

    def test_it_goes_on(self):
        self.script({"text": "One."}, {"text": "Two."})
        terminal = self.open("first words")
        terminal.wait_for("kedge: One.")
        terminal.wait_for("You: ")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0)
        terminal = Terminal(self.root, ["--plain", "--continue"], self.environment())
        self.addCleanup(terminal.close)
        terminal.wait_for("You: first words")
        terminal.wait_for("kedge: One.")
        terminal.wait_for("You: ")
        terminal.line("second words")
        terminal.wait_for("kedge: Two.")
        terminal.wait_for("You: ")
        self.assertEqual(len(self.session_files()), 1)

    def test_no_terminal(self):
        environment = {"HOME": self.root, "PATH": os.environ["PATH"]}
        ended = subprocess.run([KEDGE], stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=WAIT, check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertIn(b"Interactive mode requires a terminal. Use -p for non-interactive runs.", ended.stderr)

    def test_the_page_names_every_command(self):
        page = pathlib.Path(__file__).resolve().parents[2].joinpath("docs/terminal.md").read_text(encoding="utf-8")
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("/help")
        shown = terminal.wait_for("!COMMAND")
        names = [line.split(":")[0].split()[0] for line in shown.splitlines() if line.startswith("/") and line != "/help"]
        self.assertGreater(len(names), 15)
        self.assertEqual([name for name in names if f"`{name}" not in page], [])


if __name__ == "__main__":
    unittest.main()
