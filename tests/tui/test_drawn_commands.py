#!/usr/bin/env python3
"""What is typed with a slash in the drawn conversation, and the lists that it opens.

Environment: KEDGE, the binary. Needs tmux; says so and skips without one.
"""
import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rpc"))
import test_drawn  # noqa: E402
from client import RpcTest  # noqa: E402
from tmux_screen import HAS_TMUX  # noqa: E402

READY = test_drawn.READY


@unittest.skipUnless(HAS_TMUX, "tmux is not installed")
class DrawnCommands(RpcTest):
    open = test_drawn.Drawn.open
    said = test_drawn.Drawn.said

    def test_commands_are_looked_for(self):
        screen = self.open()
        screen.line("/help")
        screen.wait_for("❯ /help")
        screen.wait_for("  /model [NAME]                  show the model in use")
        screen.type("/copy")
        screen.wait_for("❯ /copy [last|code|all|cmd]")
        screen.keys("Enter")
        screen.wait_for("> /copy")
        screen.keys("C-c")
        screen.wait_gone("> /copy")
        screen.line("/modle")
        screen.wait_for("there is no /modle: did you mean /model? Enter again sends it")
        screen.wait_for("> /modle")

    def test_words_of_other_programs(self):
        """They do what is meant; a single word that nobody has goes to the model at the second Enter."""
        self.script({"text": "An answer."})
        screen = self.open(height=40)
        for word, shown, is_list in (("/cost", "Cost: $", False), ("/config", "Settings:", True), ("/Clear", "A new session has begun.", False)):
            screen.line(word)
            screen.wait_for(shown)
            if is_list:
                screen.keys("Escape")
                screen.wait_gone(shown)
        screen.line("/plam")
        screen.wait_for("Enter again sends it")
        screen.keys("C-c")
        screen.line("/frob")
        screen.wait_for("there is no command /frob.")
        screen.wait_for("> /frob")
        self.assertEqual(self.said(), [])
        screen.keys("Enter")
        screen.wait_for("An answer.")
        self.assertEqual(self.said(), ["/frob"])
        screen.line("/quit")
        self.assertEqual(screen.wait_end(), 0)

    def test_settings_are_looked_for_in_all_groups(self):
        screen = self.open(height=40)
        screen.line("/settings")
        screen.wait_for("❯ modelRoles = ")
        screen.type("tui.plain")
        screen.wait_for("❯ tui.plain = false")
        screen.keys("Enter")
        screen.wait_for("❯ tui.plain = true")  # the list stays where it was
        screen.keys("Tab")
        screen.wait_for("Settings: Models: ")

    def test_plan_mode_that_pauses(self):
        screen = self.open()
        screen.line("/plan")
        screen.wait_for("│ plan │")
        screen.line("/plan")
        screen.wait_for("│ plan paused │")

    def test_the_model_before(self):
        keys = pathlib.Path(self.root, ".kedge/agent/keybindings.json")
        keys.parent.mkdir(parents=True, exist_ok=True)
        keys.write_text(json.dumps({"app.model.cycleBackward": "alt+o"}), encoding="utf-8")
        screen = self.open()
        screen.wait_for("kedge │ claude-sonnet-5 ")
        screen.keys("C-p")
        screen.wait_gone("kedge │ claude-sonnet-5 ")
        screen.keys("M-o")
        screen.wait_for("kedge │ claude-sonnet-5 ")
        screen.keys("BTab")
        screen.wait_for("Thinking: ")

    def test_a_command_prints_while_it_runs(self):
        screen = self.open()
        screen.line("!echo first of it; until test -e go; do sleep 0.05; done; echo last")
        rows = screen.until(lambda rows: "  first of it" in rows, "what it has printed")
        self.assertIn("!echo first of it", "\n".join(rows))
        self.assertNotIn("✓", "\n".join(rows))
        pathlib.Path(screen.cwd, "go").touch()
        screen.wait_for("✓ ! echo first of it")
        screen.wait_for("  last")
        self.assertEqual(screen.everything().count("\n  first of it"), 1)

    def test_a_command_beside_another_stays_in_the_editor(self):
        screen = self.open()
        screen.line("!echo begun; until [ -e go ]; do sleep 0.05; done; echo done")
        screen.wait_for("begun")
        screen.line("!echo second")
        screen.wait_for("\nfirst.")  # said to its end
        screen.wait_for("> !echo second")
        pathlib.Path(self.root, "w/go").touch()
        screen.wait_for("✓ ! echo begun")
        screen.keys("Enter")
        screen.wait_for("✓ ! echo second")

    def test_commands_and_what_they_say(self):
        """Each is echoed above its result; /rename and /fast say how things are now, /retry speaks to a person."""
        self.script({"tool_calls": [{"name": "write", "arguments": {"path": "new.txt", "content": "".join(f"line {i}\n" for i in range(30))}}]},
                    {"tool_calls": [{"name": "bash", "arguments": {"command": "seq 100 140"}}]}, {"text": "Done."})
        screen = self.open(height=70)
        screen.line("go")
        screen.wait_for("Done.")
        rows = screen.wait_for("… 21 more lines (Ctrl+O)")  # of the new file, after its head
        self.assertIn("  + 1 line 0", rows)
        self.assertNotIn("  100", rows)  # the end of the command alone
        screen.wait_gone("esc to interrupt")
        screen.keys("M-o")
        screen.wait_for("  100\n")
        for line, said in (("/rename The tides", "• This session is called: The tides"), ("/fast on", "• Saved as the setting serviceTier: priority."),
                           ("/fast", "• Service tier: priority."), ("/fast off", "• Saved as the setting serviceTier: none."), ("/fast", "• Service tier: none."),
                           ("/retry", "✗ the last answer is complete")):
            screen.line(line)
            rows = screen.until(lambda rows, said=said: any(row.startswith(said) for row in rows), said)
            at = max(i for i, row in enumerate(rows) if row.startswith(said))
            self.assertEqual(rows[at - 1], f"❯ {line}")
        screen.wait_for("> /retry")

    def test_resume_without_a_value(self):
        """The list before anything else: what is chosen is gone on with, and without a choice it ends."""
        self.script({"text": "One."}, {"text": "Two."}, {"text": "Three."})
        screen = self.open("--resume", ready="No sessions found")
        self.assertEqual(screen.wait_end(), 0)
        for text, answer in (("first", "One."), ("second", "Two.")):
            screen = self.open(text)
            screen.wait_for(answer)
            screen.wait_gone("esc to interrupt")
            screen.keys("C-d")
            self.assertEqual(screen.wait_end(), 0)
        for key in ("Escape", "C-c"):
            screen = self.open("unsent", "-r", ready="Enter opens")
            screen.wait_for("❯ second")
            screen.keys(key)
            screen.wait_for("No session selected")
            self.assertEqual(screen.wait_end(), 0)
        screen = self.open("--session", ready="Enter opens")
        screen.wait_for("❯ second")
        screen.keys("C-d")
        screen.wait_for("1. Keep it")
        screen.keys("Enter")  # and the list is there again
        screen.wait_for("Enter opens")
        screen.keys("Down", "Enter")
        screen.wait_for("One.")
        screen.line("third")
        screen.wait_for("Three.")
        self.assertEqual(len(self.session_files()), 2)

    def test_the_tree_begins_where_the_session_stands(self):
        """Also when its last entry is none that is listed."""
        self.script({"text": "An answer."})
        screen = self.open()
        screen.line("hello")
        screen.wait_for("An answer.")
        screen.wait_gone("esc to interrupt")
        screen.line("!echo one")
        screen.wait_for("✓ ! echo one")
        screen.line("/rename Another name")
        screen.wait_for("Another name")
        screen.keys("BTab")  # thinks less or more from now on: an entry, too
        screen.line("/tree")
        screen.wait_for("❯ • bashExecution: echo one")


if __name__ == "__main__":
    unittest.main()
