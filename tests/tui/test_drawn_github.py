#!/usr/bin/env python3
"""GitHub in the drawn conversation: what is chosen from, and what is watched.

Environment: KEDGE, the binary. Needs tmux; says so and skips without one.
"""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rpc"))
import test_drawn  # noqa: E402
import test_slash  # noqa: E402
from client import RpcTest  # noqa: E402
from tmux_screen import HAS_TMUX  # noqa: E402


@unittest.skipUnless(HAS_TMUX, "tmux is not installed")
class DrawnGitHub(RpcTest):
    open = test_drawn.Drawn.open

    def test_issues_and_pull_requests_are_chosen_from(self):
        self.script({"text": test_slash.FINDINGS})
        test_slash.add_repository(self)
        screen = self.open(width=100, env=test_slash.serve_pull_request(self))
        screen.line("/issues")
        screen.wait_for("Issues (open):   1/2")
        screen.wait_for("#88 Clock drifts")
        screen.wait_for("m · bug, clock · ")
        screen.type("zinc")
        screen.wait_for("❯ #87 A title of zinc")  # what a title commands is nothing
        screen.keys("Enter")
        screen.wait_for("> Read issue://87 and")
        screen.keys("C-u")
        screen.line("/prs")
        screen.wait_for("Pull requests (open):   1/1")
        screen.wait_for("o · draft · ")
        screen.keys("Escape")
        screen.wait_gone("Pull requests (open)")
        screen.line("/issues closed")
        screen.wait_for("/issues NUMBER opens one.")  # there is none
        screen.line("/review 93")
        screen.wait_for("a.c:2: major: Two is")
        screen.wait_for("1 finding. One line is wrong.")

    def test_a_review_says_how_far_it_is_and_is_stopped(self):
        self.script({"text": "slow", "delay_ms": 600000}, {"text": "Here."})
        test_slash.add_repository(self)
        screen = self.open(width=100, env=test_slash.serve_pull_request(self))
        screen.line("/review 93")
        screen.wait_for("Review: claude-sonnet-5 reviews 1 file")  # in the status line
        self.model.wait(requests=1)
        screen.keys("Escape")
        screen.wait_gone("reviews 1 file")
        screen.wait_gone("esc to interrupt")
        screen.line("hello")
        screen.wait_for("Here.")

    def test_ci_is_watched(self):
        self.script({"text": "Here."})
        test_slash.add_repository(self)
        going = pathlib.Path(self.root, "going")
        going.touch()
        pathlib.Path(self.root, "over").touch()  # once that is gone
        screen = self.open(width=100)
        screen.line("/ci watch")
        screen.wait_for("\nCI 0/1: ci in_progress │")  # in the status line
        screen.wait_for("\n  • ci: test  make test (2/3)\n")  # above the editor
        screen.wait_for("\nCI of ")
        screen.line("hello")  # nothing waits for it
        screen.wait_for("Here.")
        screen.line("!echo beside")
        screen.wait_for("✓ ! echo beside")
        going.unlink()
        screen.wait_for("Failed steps:   1/1")
        screen.wait_for("❯ test: make test (2/2)")
        screen.wait_for("ci (push): failure, run://5")  # what they came to is in the history
        screen.wait_gone("CI of")
        self.assertNotIn("Step: 4.", screen.everything())
        screen.keys("Enter")
        screen.wait_for("Step: 4. make test [failure]")
        screen.wait_for("For the model it is run://5/job/62.")
        going.touch()
        screen.line("/ci watch")
        screen.wait_for("CI 0/1")
        screen.keys("Escape")
        screen.wait_gone("CI 0/1")
        screen.wait_gone("CI of")
        screen.wait_gone("esc to interrupt")

    def test_ci_is_told_to_who_writes(self):
        """What is being written gets no list above it: the reason is said at once."""
        self.script({"text": "Here."})
        test_slash.add_repository(self)
        going = pathlib.Path(self.root, "going")
        going.touch()
        pathlib.Path(self.root, "over").touch()
        screen = self.open(width=100)
        screen.line("/ci watch")
        screen.wait_for("CI 0/1")
        screen.type("half a sentence")
        going.unlink()
        screen.wait_for("Step: 4. make test [failure]")
        screen.wait_for("> half a sentence")
        self.assertNotIn("Failed steps", screen.everything())


if __name__ == "__main__":
    unittest.main(verbosity=2)
