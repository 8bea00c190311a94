#!/usr/bin/env python3
"""The slash commands of a terminal that work beside the conversation, or with GitHub.

Environment: KEDGE, the binary.
"""
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rpc"))
from client import RpcTest, lines_of  # noqa: E402
from terminal import Terminal  # noqa: E402

GH = """#!/bin/sh
echo "$*" >> "$HOME/gh.log"
case "$*" in
*--version*) echo "gh version 2.92.0 (2026-01-12)" ;;
*"repo view"*) echo harbor/tidepool ;;
*"issue list"*closed*) echo '[]' ;;
*"issue list"*) echo '[{"number":88,"title":"Clock drifts","state":"OPEN","author":{"login":"m"},"labels":[{"name":"bug"},{"name":"clock"}],"updatedAt":"2026-04-28T07:01:44Z"},'
                echo '{"number":87,"title":"A title \\u001b]0;x\\u0007\\u001b[2Jof zinc","state":"OPEN","author":null,"labels":[],"updatedAt":7}]' ;;
*"pr list"*) echo '[{"number":93,"title":"Fix it","state":"OPEN","author":{"login":"o"},"labels":[],"isDraft":true,"updatedAt":"2026-04-28T07:01:44Z"}]' ;;
*search/issues*) echo '{"total_count":0,"items":[]}' ;;
*"run list"*) [ -e "$HOME/going" ] && echo '[{"databaseId":7,"workflowName":"ci\\u001b[2J","event":"push","status":"in_progress","conclusion":""}]' && exit
              [ -e "$HOME/over" ] && echo '[{"databaseId":5,"workflowName":"ci","event":"push","status":"completed","conclusion":"failure"}]' && exit
              echo '[{"databaseId":6,"workflowName":"lint","event":"push","status":"in_progress","conclusion":""},{"databaseId":5,"workflowName":"ci","event":"push","status":"completed","conclusion":"failure"}]' ;;
*"run view 7"*) echo '{"jobs":[{"databaseId":70,"name":"test","status":"in_progress","conclusion":"","steps":[{"name":"Set up","status":"completed","conclusion":"success"},'
                echo '{"name":"make test","status":"in_progress","conclusion":""},{"name":"End","status":"pending","conclusion":""}]}]}' ;;
*"run view 5"*) echo '{"jobs":[{"databaseId":61,"name":"lint","status":"completed","conclusion":"success","steps":[]},{"databaseId":62,"name":"test","status":"completed","conclusion":"failure",'
                echo '"steps":[{"name":"Set up","status":"completed","conclusion":"success"},{"name":"make test","status":"completed","conclusion":"failure"}]}]}' ;;
*actions/runs/5/jobs*) echo '{"total_count":1,"jobs":[{"id":62,"name":"test","status":"completed","conclusion":"failure"}]}' ;;
*actions/runs/5*) echo '{"id":5,"name":"ci","display_title":"Fix it","status":"completed","conclusion":"failure","head_branch":"main","head_sha":"a1b2c3d4e5f60718293a4b5c6d7e8f9001122334","html_url":"https://x/runs/5"}' ;;
*actions/jobs/62/logs*) printf 'cc a.c\\n##[error]Process completed with exit code 2.\\n' ;;
*actions/jobs/62*) echo '{"steps":[{"number":4,"name":"make test","conclusion":"failure"}]}' ;;
*annotations*) echo '[]' ;;
*) echo "gh: not expected: $*" >&2; exit 1 ;;
esac
"""


def add_repository(test):
    """In w/ of the HOME of a test, with a gh that knows it."""
    work = os.path.join(test.root, "w")
    os.makedirs(work, exist_ok=True)
    for args in (["init", "-q"], ["remote", "add", "origin", "https://github.com/harbor/tidepool"],
                 ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run(["git", "-C", work, *args], check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})
    test.add_gh()
    pathlib.Path(test.root, "bin/gh").write_text(GH, encoding="utf-8")


FINDINGS = json.dumps({"summary": "One line is wrong.", "findings": [{"severity": "major", "file": "a.c", "line": 2, "title": "Two is \x1b[2Jtoo much"}]})
PULL = {"/repos/harbor/tidepool/pulls/93": {"head": {"sha": "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"}},
        "/repos/harbor/tidepool/pulls/93/files": [{"filename": "a.c", "patch": "@@ -1,1 +1,2 @@\n one\n+two"}]}


class PullRequest(http.server.BaseHTTPRequestHandler):
    """What GitHub says of #93; it only reads."""

    def do_GET(self):
        answer = PULL.get(self.path.split("?")[0])
        body = json.dumps(answer or {"message": "Not Found"}).encode()
        self.send_response(200 if answer else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def serve_pull_request(test):
    """The environment in which it is found."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PullRequest)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    test.addCleanup(server.server_close)
    test.addCleanup(server.shutdown)
    return {"GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}", "GH_TOKEN": "ghp_0123456789abcdefghijABCDEFGHIJ012345"}


class Slash(RpcTest):
    def open(self, *args, env=None):
        environment = {**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": "/dev/null", **(env or {})}
        terminal = Terminal(self.root, ("--plain", *args), environment)
        self.addCleanup(terminal.close)
        terminal.wait_for("/help lists the commands")
        return terminal

    def say(self, terminal, *steps):
        """What is typed, and what is shown then."""
        for line, shown in steps:
            with self.subTest(line):
                terminal.wait_for("You: ")
                terminal.line(line)
                terminal.wait_for(shown)

    def gh_calls(self):
        return pathlib.Path(self.root, "gh.log").read_text(encoding="utf-8")

    def sent(self, number):
        return json.dumps(self.model.ask("journal")[number]["body"])

    def test_github(self):
        self.script({"text": "It drifts."}, {"text": FINDINGS}, {"text": "Two."})
        add_repository(self)
        terminal = self.open(env=serve_pull_request(self))
        self.say(terminal,
                 ("/issues", "Clock drifts"),
                 ("/issues closed", "/issues NUMBER opens one."),
                 ("/issues clock label:bug", "No issues found."),
                 ("/prs", "Fix it"),
                 ("/ci", "ci (push): failure, run://5"),
                 ("/ci soon", "/ci takes nothing, watch or the number of a run, not \"soon\""),
                 ("/ci 5/job/62", "For the model it is run://5/job/62."),
                 ("/ci 5x", "Error: Invalid run:// number: 5x"),
                 ("/pr", "/pr takes checkout and the number of a pull request"),
                 ("/pr checkout it", "not \"checkout it\"; /prs lists them"),
                 ("/pr checkout 93", "Error: "),  # this gh does not show it
                 ("/review it", "no commit it that HEAD has something in common with"),
                 ("/review HEAD", "0 findings. Nothing has changed."),
                 ("/gh what", "/gh takes doctor or last-error"),
                 ("/gh last-error", "gh run view 5 "),
                 ("/gh doctor", "PASS  version"),
                 ("/issues 88", "kedge: It drifts."),
                 ("/review 94", "Error: "),
                 ("/review #93", "For the model they are local://review.md"),
                 ("/prs 93", "kedge: Two."))
        terminal.wait_for("You: ")
        shown = terminal.shown.decode()
        self.assertIn("Step: 4. make test [failure]", shown)  # of /ci
        self.assertIn("lint (push): in_progress", shown)
        self.assertIn("pr view 93", self.gh_calls())
        self.assertIn("is:open clock label:bug repo:harbor/tidepool is:issue", self.gh_calls())
        self.assertIn("Read issue://88", self.sent(0))
        self.assertNotIn("gh_review", self.sent(0))
        self.assertIn("a.c:2: major: Two is", shown)
        self.assertIn("1 finding. One line is wrong.", shown)
        self.assertIn("2 +two", self.sent(1))  # the diff, with numbers
        self.assertNotIn("It drifts.", self.sent(1))
        self.assertIn('"name": "gh_review"', self.sent(2))
        self.assertNotIn("too much", self.sent(2))  # until the model reads it

    def test_no_repository(self):
        self.script()
        add_repository(self)
        os.rename(os.path.join(self.root, "w/.git"), os.path.join(self.root, "w/not-git"))
        os.unlink(os.path.join(self.root, "bin/gh"))
        pathlib.Path(self.root, "bin/gh").write_text("#!/bin/sh\ncase \"$*\" in *--version*) echo 'gh version 2.92.0 (2026-01-12)';; "
                                                     "*) echo 'not logged in to any hosts' >&2; exit 4;; esac\n", encoding="utf-8")
        os.chmod(os.path.join(self.root, "bin/gh"), 0o755)
        terminal = self.open()
        self.say(terminal,
                 ("/ci", "is no git repository with a commit"),
                 ("/issues", "Error: "),
                 ("/prs words", "Error: "))
        terminal.wait_for("You: ")

    def test_a_repository_that_is_elsewhere(self):
        self.script()
        add_repository(self)
        subprocess.run(["git", "-C", os.path.join(self.root, "w"), "remote", "set-url", "origin", "https://git.example.org/a/b"], check=True)
        terminal = self.open()
        self.say(terminal, ("/ci", "Error: "))
        self.assertTrue(terminal.wait_for("You: ").startswith("No repository: "))  # nothing for models before it

    def test_a_stop(self):
        self.script({"text": "Never whole", "stall_after": 3}, {"text": "Here."})
        terminal = self.open()
        terminal.wait_for("You: ")
        terminal.line("/btw how far are we?")
        self.model.wait(events=3)
        terminal.line("/btw and now?")
        terminal.wait_for("another one of these is at work")
        terminal.type("\x03")
        terminal.wait_for("Stopping.")
        terminal.wait_for("Error: ")
        self.say(terminal, ("hello", "kedge: Here."))

    def test_a_question_beside(self):
        self.script({"text": "First."}, {"text": "Nearly done."}, {"text": "Second."})
        terminal = self.open()
        self.say(terminal, ("/btw", "/btw takes a question"), ("begin the work", "kedge: First."),
                 ("/btw how far are we?", "Nearly done."), ("go on", "kedge: Second."))
        terminal.wait_for("You: ")
        self.assertIn("begin the work", self.sent(1))
        self.assertNotIn("how far", self.sent(2))
        self.assertNotIn("Nearly", self.sent(2))
        entries = "".join(json.dumps(entry) for path in self.session_files() for entry in lines_of(path))
        self.assertNotIn("how far", entries)

    def test_a_session_is_dropped(self):
        self.script({"text": "One."})
        terminal = self.open()
        self.say(terminal, ("/drop", "/drop yes deletes this session"), ("/drop yes", "Nothing of the old session was stored."),
                 ("keep this", "kedge: One."))
        terminal.wait_for("You: ")
        self.assertEqual(len(self.session_files()), 1)
        self.say_at_once(terminal, "/drop", "/drop yes deletes this session")
        terminal.wait_for("You: ")
        self.assertEqual(len(self.session_files()), 1)
        self.say_at_once(terminal, "/drop yes", "Deleted: ")
        terminal.wait_for("You: ")
        self.assertEqual([path for path in self.session_files() if ".trash" not in str(path)], [])

    def say_at_once(self, terminal, line, shown):
        terminal.line(line)
        terminal.wait_for(shown)

    def test_a_tool_is_forced(self):
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": "echo made"}}]}, {"text": "One."}, {"text": "Two."})
        terminal = self.open()
        self.say(terminal, ("/force", "/force takes the name of a tool"), ("/force nothing", "is not offered a tool \"nothing\""),
                 ("/force bash", "The next answer is a call of bash."), ("/force bash say something", "kedge: One."), ("and more", "kedge: Two."))
        terminal.wait_for("You: ")
        choices = [entry["body"].get("tool_choice") for entry in self.model.ask("journal")]
        self.assertEqual(choices, [{"type": "tool", "name": "bash"}, None, None])
        self.assertNotIn("thinking", self.model.ask("journal")[0]["body"])
        self.assertIn("say something", self.sent(0))

    def test_records(self):
        self.script({"text": "One."})
        terminal = self.open()
        self.say(terminal, ("/changelog", "## Not released yet"), ("/changelog full", "## 0.1.0"), ("/changelog some", "/changelog takes nothing, or full"),
                 ("/changelg", "there is no /changelg: did you mean /changelog? The same line again sends it"), ("/cost", "Cost: $"),
                 ("/init", "there is no /init: ask in words"),
                 ("keep this", "kedge: One."), ("/repair", "Nothing of this session needs to be repaired."), ("/share", "  gh gist create '"))
        terminal.wait_for("You: ")
        session = self.session_files()[0]
        page = session.with_suffix("") / "kedge-session.html"
        self.assertIn(f"gh gist create '{page}'".encode(), terminal.shown)
        self.assertTrue(page.exists())
        self.assertEqual(os.listdir(os.path.join(self.root, "w")), [])
        lines = session.read_text(encoding="utf-8").splitlines(keepends=True)
        session.write_text("".join(lines[:1] + ["no JSON\n"] + lines[1:]), encoding="utf-8")
        self.say_at_once(terminal, "/repair", "line 2")

    def test_a_session_moves(self):
        self.script({"text": "One."}, {"text": "Two."})
        other = os.path.join(self.root, "it's elsewhere")
        os.makedirs(other)
        terminal = self.open()
        self.say(terminal, ("/move", "/move takes a directory"), ("/move nowhere", "is no directory"), ("/move .", "belongs to"),
                 ("/move ../it's elsewhere", "Nothing of the old one was stored"), ("keep this", "kedge: One."))
        terminal.wait_for("You: ")  # stored, too
        (before,) = self.session_files()
        before.with_suffix("").mkdir()
        before.with_suffix("").joinpath("1.bash.log").write_text("kept")
        self.say_at_once(terminal, "/move ../it's elsewhere", "The session belongs to")
        terminal.wait_for("You: ")
        (after,) = self.session_files()
        self.assertNotEqual(after.parent, before.parent)
        lines = lines_of(after)
        self.assertEqual(lines[0]["cwd"], other)
        self.assertEqual([line["type"] for line in lines].count("message"), 2)
        self.assertEqual(after.with_suffix("").joinpath("1.bash.log").read_text(), "kept")
        self.assertFalse(before.with_suffix("").exists())
        self.assertIn(f"--resume {lines[0]['id']}".encode(), terminal.shown)
        resumed = Terminal(self.root, ("--plain", "--resume", lines[0]["id"]), self.environment(), cwd=other)
        self.addCleanup(resumed.close)
        resumed.wait_for("keep this")
        self.say(resumed, ("go on", "kedge: Two."))

    def test_records_in_memory(self):
        terminal = self.open("--no-session")
        self.say(terminal, ("/repair", "this session is in memory only"), ("/share", "this session is in memory only"))

    def test_a_loop(self):
        self.script({"text": "One."}, {"text": "Two."}, {"text": "Three."}, {"text": "Four", "stall_after": 3}, {"text": "Five."}, {"text": "Six."})
        terminal = self.open()
        self.say(terminal, ("/loop many", "/loop takes a number of runs"), ("/loop off", "There is no loop."), ("/loop 9999", "/loop takes"),
                 ("/loop 2", "Your next message is sent again"), ("look again", "Once more: look again"))
        terminal.wait_for("kedge: Two.")
        terminal.wait_for("The loop has ended after 2 runs.")
        self.say(terminal, ("/loop 1h", "for 1h"), ("and again", "kedge: Three."))
        self.model.wait(requests=4, events=15)
        terminal.type("\x03")
        terminal.wait_for("The loop is paused.")
        self.say(terminal, ("/loop", "kedge: Five."))
        terminal.wait_for("kedge: Six.")

    def test_how_it_stands(self):
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": "touch begun; sleep 600", "async": True}}]}, {"text": "It runs."})
        self.settings("async:\n  enabled: true\n")
        terminal = self.open()
        self.say(terminal,
                 ("/jobs", "There are no background jobs."),
                 ("/jobs stop 1", "/jobs takes nothing, or cancel and a job"),
                 ("/jobs cancel nothing", "there is no background job \"nothing\""),
                 ("/fast", "Service tier: none."),
                 ("/fast on", "Saved as the setting serviceTier: priority."),
                 ("/fast very", "/fast takes on, off or status"),
                 ("/debug", "Agent directory: "),
                 ("start it", "kedge: It runs."),
                 ("/fast status", "Service tier: priority."),
                 ("/jobs", "sleep 600"),
                 ("/jobs cancel 1", "is being ended."))
        terminal.wait_for("You: ")
        self.assertNotIn(b"test-key", terminal.shown)

    def test_a_new_session_ends_jobs(self):
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": "trap '' TERM; touch begun; sleep 600", "async": True}}]}, {"text": "It runs."},
                    {"text": "Here."})
        self.settings("async:\n  enabled: true\n")
        terminal = self.open()
        self.say(terminal, ("start it", "kedge: It runs."), ("/jobs", "sleep 600"), ("/new", "A new session has begun."))
        terminal.wait_for("Warning: background jobs end with their session; ended: bg_1 (trap '' TERM; touch begun; sleep 600)")
        self.say(terminal, ("/jobs", "There are no background jobs."), ("and now", "kedge: Here."))


if __name__ == "__main__":
    unittest.main()
