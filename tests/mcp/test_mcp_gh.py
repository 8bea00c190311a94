#!/usr/bin/env python3
"""The gh tools over `kedge mcp`: nothing reaches gh before somebody said yes, and every result says where it came from.

A stub stands for gh and writes down how it was started and when; where gh itself is installed, the test forge's log
says the same about the real one. Environment: KEDGE, the binary.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import Client, text_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "ghp_ForgeAlice00000000000000000000000001"
MERGE = {"args": ["pr", "merge", "7", "--squash"]}
CAN_ASK = {"elicitation": {}}
CLASS = "(?:read|write|destructive|blocked|unknown)"
# the four forms of gh-policy §11.1: run, failed, not run, not judged
HEADER = re.compile(rf"^\[gh (?:\S+ {CLASS} (?:ok|confirmed|truncated) \d+\.\dKB|\S+ {CLASS} error [a-z-]+|"
                    rf"\S+ [\w-]+ {CLASS} [a-z-]+|- - - [a-z-]+)\]\n")
STUB = """#!/bin/sh
if [ "$1" = --version ]; then echo "gh version 2.92.0 (2026-05-01)"; exit 0; fi
{ date +%s.%N; echo "host=$GH_HOST repo=$GH_REPO"; printf '%s\\n' "$@"; } >>"$HOME/started"
echo '{"state":"OPEN"}'
"""
# each of the 16, with arguments that it takes
CALLS = {
    "gh": {"args": ["pr", "view", "7"]},
    "gh_repo_view": {}, "gh_pr_view": {"number": 7}, "gh_pr_list": {}, "gh_pr_diff": {"number": 7},
    "gh_pr_checks": {"number": 7}, "gh_pr_files": {"number": 7}, "gh_pr_current": {},
    "gh_issue_view": {"number": 12}, "gh_issue_list": {}, "gh_run_view": {"run_id": 1}, "gh_run_list": {},
    "gh_run_logs_failed": {"run_id": 1}, "gh_search_prs": {"query": "x"}, "gh_search_issues": {"query": "x"},
    "gh_api_get": {"endpoint": "repos/harbor/tidepool"},
}


def approve(value, action="accept"):
    return lambda _: {"result": {"action": action, "content": {"approve": value}}}


FIELDS = 115  # that the sixteen tools have together


class GhTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="kedge-mcp-gh-")))
        self.addCleanup(shutil.rmtree, self.root)
        self.started = self.root / "started"
        self.agent = self.root / ".kedge/agent"
        self.agent.mkdir(parents=True)
        work = self.root / "w"
        work.mkdir()
        for command in (["init", "-q"], ["remote", "add", "origin", "https://github.com/harbor/tidepool.git"]):
            subprocess.run(["git", "-C", work, *command], check=True)
        self.stub()

    def settings(self, text):
        (self.agent / "config.yml").write_text(text)

    def stub(self, more=""):
        program = self.root / "stub-gh"
        program.write_text(STUB)
        program.chmod(0o755)
        self.settings(f"gh:\n  executable: {program}\n{more}")

    def client(self, *args, can_ask=True, answer=None, env=None):
        client = Client(str(self.root), args, capabilities=CAN_ASK if can_ask else {}, env=env)
        self.addCleanup(client.close)
        client.answer = answer
        return client

    def audit(self):
        return "".join(path.read_text() for path in sorted((self.agent / "gh-audit").glob("*.log")))

    def has_run(self):
        return self.started.exists()


class Question(GhTest):
    """gh-17.1-2: what would write waits for the answer."""

    def check_refused(self, client, kind):
        result = client.call("gh", MERGE)
        self.assertIs(result["isError"], True)
        self.assertRegex(text_of(result), rf"^\[gh github\.com/harbor/tidepool pr write {kind}\]\n")
        self.assertFalse(self.has_run(), text_of(result))
        self.assertIn(f"class=write policy=confirm exit=- duration=0ms bytes=0 tool=gh cmd=pr.merge ref=7 kind={kind}",
                      self.audit())

    def test_accepted(self):
        answered = []

        def answer(_):
            time.sleep(0.2)
            self.assertFalse(self.has_run())
            answered.append(time.time())
            return {"result": {"action": "accept", "content": {"approve": True}}}

        client = self.client(answer=answer)
        result = client.call("gh", MERGE)
        self.assertIs(result["isError"], False, text_of(result))
        lines = self.started.read_text().splitlines()
        self.assertEqual(lines[1:], ["host=github.com repo=github.com/harbor/tidepool", "pr", "merge", "7", "--squash"])
        self.assertGreaterEqual(float(lines[0]), answered[0])
        self.assertEqual(len(client.asked), 1)
        question = client.asked[0]
        self.assertTrue(question["message"].startswith("WRITE on github.com/harbor/tidepool: merges a pull request\n"
                                                       "  gh pr merge 7 --squash\n"), question["message"])
        self.assertEqual(question["requestedSchema"],
                         {"type": "object", "required": ["approve"],
                          "properties": {"approve": {"type": "boolean", "title": "Run this command?"}}})

    def test_answers_that_are_no_yes(self):
        for name, answer in (("no", approve(False)), ("decline", approve(True, "decline")),
                             ("cancel", approve(True, "cancel")), ("a word", approve("true")), ("one", approve(1)),
                             ("nothing", lambda _: {"result": {"action": "accept"}}),
                             ("no result", lambda _: {"result": {}}), ("null", approve(None))):
            with self.subTest(name):
                self.check_refused(self.client(answer=answer), "confirm-declined")

    def test_an_error_is_no_answer(self):
        client = self.client(answer=lambda _: {"error": {"code": -32601, "message": "no"}})
        client.call("gh", MERGE)
        self.assertFalse(self.has_run())

    def test_client_that_cannot_ask(self):
        client = self.client(can_ask=False)
        self.check_refused(client, "confirm-unavailable")
        self.assertEqual(client.asked, [])

    def test_cancelled_while_asked(self):
        client = self.client(answer=None)
        id_ = client.start_call("gh", MERGE)
        client.wait_for(lambda m: m.get("method") == "elicitation/create")
        client.notify("notifications/cancelled", {"requestId": id_})
        self.assertEqual(client.request("ping")["result"], {})
        self.assertEqual(client.end(), 0)
        self.assertFalse(self.has_run())

    def test_left_while_asked(self):
        client = self.client(answer=None)
        client.start_call("gh", MERGE)
        client.wait_for(lambda m: m.get("method") == "elicitation/create")
        self.assertEqual(client.end(), 0)
        self.assertFalse(self.has_run())

    def test_answer_to_another_question(self):
        client = self.client(answer=None)
        client.start_call("gh", MERGE)
        asked = client.wait_for(lambda m: m.get("method") == "elicitation/create")
        for id_ in ("kedge-999", asked["id"] + "0", 1, None):
            client.send({"jsonrpc": "2.0", "id": id_, **approve(True)(None)})
        client.request("ping")
        self.assertFalse(self.has_run())

    def test_what_is_never_asked(self):
        client = self.client(answer=approve(True))
        for args, kind in ((["repo", "delete", "o/r", "--yes"], "irreversible-blocked"),
                           (["api", "-X", "DELETE", "repos/o/r"], "irreversible-blocked"),
                           (["auth", "token"], "policy-blocked"), (["api", "x", "--input", "f"], "policy-blocked"),
                           (["pr", "list", "-R", "evil.example/o/r"], "policy-blocked")):
            with self.subTest(args):
                text = text_of(client.call("gh", {"args": args}))
                self.assertRegex(text, rf"^\[gh \S+ \w+ {CLASS} {kind}\]\n")
        self.assertEqual(client.asked, [])
        self.assertFalse(self.has_run())

    def test_allow_writes_allows_writes_alone(self):
        client = self.client("--allow-writes", can_ask=False)
        self.assertIs(client.call("gh", MERGE)["isError"], False)
        self.assertTrue(self.has_run())
        self.started.unlink()
        for args in (["frobnicate"], ["repo", "delete", "o/r"]):
            self.assertIs(client.call("gh", {"args": args})["isError"], True)
        self.assertFalse(self.has_run())

    def test_read_only_server(self):
        client = self.client("--read-only", "--allow-writes", answer=approve(True))
        self.assertNotIn("gh", [tool["name"] for tool in client.request("tools/list")["result"]["tools"]])
        id_ = client.start_call("gh", MERGE)
        self.assertIn("Unknown tool", client.response(id_)["error"]["message"])
        self.assertFalse(self.has_run())
        self.assertEqual(client.asked, [])

    def test_no_field_answers_for_the_person(self):
        """gh-14-24: a model's `yes` is an unknown field."""
        client = self.client(answer=approve(True))
        for field in ("yes", "confirm", "approve", "allow_writes"):
            result = client.call("gh", {**MERGE, field: True})
            self.assertIs(result["isError"], True)
        self.assertIn("kind=invalid-args", self.audit())
        self.assertFalse(self.has_run())

    def test_project_does_not_loosen(self):
        """gh-14-17: neither the policy, nor the program, nor the hosts come from the project."""
        evil = self.root / "w/evil"
        evil.write_text(f"#!/bin/sh\ntouch {self.started}\n")
        evil.chmod(0o755)
        (self.root / "w/.kedge").mkdir()
        (self.root / "w/.kedge/config.yml").write_text(
            f"gh:\n  policy: {{write: auto, destructive: confirm, blocked: auto}}\n  hostPolicy: {{'*': {{write: auto}}}}\n"
            f"  executable: {evil}\n  knownHosts: [evil.example]\n  profile: full\n  allowedRoots: [/]\n")
        client = self.client(can_ask=False)
        self.check_refused(client, "confirm-unavailable")
        for arguments in ({"args": ["pr", "list", "-R", "evil.example/o/r"]}, {"args": ["repo", "delete", "o/r"]},
                          {"args": ["pr", "list"], "cwd": "/"}, {"args": ["auth", "token"]}):
            self.assertIs(client.call("gh", arguments)["isError"], True)
        self.assertFalse(self.has_run())

    def test_ten_at_once(self):
        """Each question has its own call: every second one is answered with yes."""
        def answer(message):
            number = int(re.search(r"gh pr merge (\d+)", message["params"]["message"]).group(1))
            return approve(number % 2 == 0)(None)

        client = self.client(answer=answer)
        ids = {number: client.start_call("gh", {"args": ["pr", "merge", str(number)]}) for number in range(10)}
        results = {number: client.response(id_)["result"] for number, id_ in ids.items()}
        for number, result in results.items():
            self.assertIs(result["isError"], number % 2 == 1, text_of(result))
        merged = re.findall(r"^merge\n(\d+)$", self.started.read_text(), re.MULTILINE)
        self.assertEqual(sorted(merged), ["0", "2", "4", "6", "8"])
        self.assertEqual(len(client.asked), 10)


class Results(GhTest):
    def test_header_of_every_tool(self):
        """gh-17.1-4: also of what failed, and with the target that gh was given."""
        client = self.client(can_ask=False)
        self.assertEqual(len(CALLS), 16)
        for name, arguments in CALLS.items():
            with self.subTest(name):
                self.started.unlink(missing_ok=True)
                text = text_of(client.call(name, arguments))
                self.assertRegex(text, HEADER)
                target = re.match(r"\[gh (\S+) ", text).group(1)
                seen = self.started.read_text()
                self.assertIn("host=github.com ", seen)
                self.assertEqual(target.split("/")[0], "github.com")
                if "/" in target and name != "gh_pr_current":  # which gh finds by itself, on this host
                    self.assertIn("harbor/tidepool", seen)
            for what, wrong in (("unknown field", {**arguments, "frob": 1}), ("no such directory", {**arguments, "cwd": "/nope"}),
                                ("no arguments", {"number": "x"}), ("unknown host", {**arguments, "repo": "evil.example/o/r"})):
                with self.subTest(name, what=what):
                    result = client.call(name, wrong)
                    if result["isError"]:
                        self.assertRegex(text_of(result), HEADER)

    def test_annotations(self):
        listed = self.client().request("tools/list")["result"]["tools"]
        tools = {tool["name"]: tool["annotations"] for tool in listed if tool["name"] in CALLS}
        self.assertEqual(set(tools), set(CALLS))
        for name, annotations in tools.items():
            # no other hint: a client takes the world for open, and reads for harmless
            self.assertEqual(annotations, {"readOnlyHint": True} if name != "gh" else
                             {"readOnlyHint": False, "destructiveHint": True}, name)
        for tool in listed:
            if tool["name"] in CALLS:
                self.assertTrue(tool["title"].startswith("GitHub: "), tool["title"])

    def test_size_of_the_list(self):
        """It goes to the model with every request: at most 10 KB for the sixteen, and no field lost."""
        listed = self.client("--tools", "gh").request("tools/list")["result"]["tools"]
        self.assertEqual(len(listed), 16)
        size = len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False).encode())
        self.assertLessEqual(size, 10_000)
        self.assertEqual(sum(len(tool["inputSchema"]["properties"]) for tool in listed), FIELDS)

    def test_review_is_listed_where_it_is_named(self):
        """The list that nobody chose has no room for it; and gh.profile says whether it may be named."""
        for settings, args, is_listed in (
                ("", (), False), ("", ("--tools", "gh"), False), ("", ("--tools", "gh,gh_review"), True), ("", ("--tools", "all"), False),
                ("  profile: full\n", (), False), ("  profile: full\n", ("--tools", "gh_review"), True), ("  profile: read-only\n", ("--tools", "gh_review"), False),
                ("  profile: general\n", ("--tools", "gh_review"), False)):
            with self.subTest(settings, args=args):
                self.stub(settings)
                listed = {tool["name"]: tool for tool in self.client(*args).request("tools/list")["result"]["tools"]}
                self.assertEqual("gh_review" in listed, is_listed)
                if is_listed:
                    self.assertEqual(listed["gh_review"]["annotations"], {"readOnlyHint": False, "destructiveHint": False})
                    self.assertLess(len(json.dumps(listed["gh_review"]["inputSchema"], separators=(",", ":"))), 1500)

    def test_review_asks(self):
        answered = []

        def answer(_):
            answered.append(self.has_run())
            return approve(len(answered) > 1)(_)

        client = self.client("--tools", "gh_review", answer=answer)
        call = {"op": "submit", "number": 7, "event": "approve", "body": "Good."}
        result = client.call("gh_review", call)
        self.assertRegex(text_of(result), r"^\[gh github\.com/harbor/tidepool submit write confirm-declined\]\n")
        self.assertEqual(client.asked[0]["message"], "WRITE on github.com/harbor/tidepool: approves pull request 7\n    | Good.\n"
                         "  (context: origin)")
        self.assertFalse(self.has_run())
        result = client.call("gh_review", call)
        self.assertTrue(self.has_run(), text_of(result))
        self.assertEqual(answered, [False, False])
        for wrong in ({**call, "frob": 1}, {"op": "submit"}, {**call, "repo": "evil.example/o/r"}, {**call, "line": 3}):
            self.assertRegex(text_of(client.call("gh_review", wrong)), HEADER)
        reader = self.client("--tools", "gh_review", "--read-only", answer=approve(True))
        self.assertRegex(text_of(reader.call("gh_review", call)), r"^\[gh github\.com/harbor/tidepool submit write policy-blocked\]\n")
        self.assertEqual(reader.asked, [])

    def test_the_description_names_what_can_be_called(self):
        """github-T181"""
        names = ("gh_issue_view", "gh_pr_view", "gh_pr_diff")
        for tools, is_named in (("github,gh", True), ("github", False)):
            listed = self.client("--tools", tools).request("tools/list")["result"]["tools"]
            [text] = [tool["description"] for tool in listed if tool["name"] == "github"]
            self.assertEqual([name in text for name in names], [is_named] * 3)
            self.assertNotIn("://", text)
        [gh] = self.client("--tools", "gh").request("tools/list")["result"]["tools"][:1]
        self.assertIn("Prefer gh_pr_view", gh["description"])

    def test_canary(self):
        """gh-17.1-6: a secret of the arguments and of the environment is in no record and in no question."""
        canary = "REDACTED_TEST_SECRET"
        client = self.client(answer=approve(False), env={"GH_TOKEN": f"{canary}_token"})
        slots = (["secret", "set", "A", "--body", canary], ["secret", "set", "A", f"-b{canary}"],
                 ["api", "x", "-H", f"Authorization: {canary}"], ["api", "repos/harbor/tidepool/x", "-f", f"client_secret={canary}"],
                 ["api", f"x?access_token={canary}", "-f", "a=b"], ["frob", "--token", canary], ["frob", f"--token={canary}"],
                 ["pr", "merge", "7", "--password", canary], ["repo", "fork", f"https://u:{canary}@github.com/o/r"],
                 ["api", "x", "-X", "POST", "-f", f"a[private_key]={canary}"])
        texts = []
        for args in slots:
            texts.append(text_of(client.call("gh", {"args": args})))
        texts.append(json.dumps(client.asked))
        self.assertGreaterEqual(len(client.asked), 4)
        for path in self.root.rglob("*"):
            if path.is_file() and path != self.started and ".git" not in path.parts:
                texts.append(path.read_text(errors="replace"))
        client.end()
        client.threads[0].join(5)
        texts.append(client.stderr.decode())
        for text in texts:
            self.assertNotIn(canary, text)
        self.assertFalse(self.has_run())


    def test_canary_that_gh_repeats(self):
        """gh-17.1-6: gh prints its arguments and its environment; neither brings a secret back."""
        canary = "REDACTED_TEST_SECRET"
        program = self.root / "stub-gh"
        program.write_text(STUB + "echo \"$*\"; echo \"$* $GH_TOKEN\" >&2; echo \"$GH_TOKEN\"; exit 1\n")
        client = self.client("--allow-writes", env={"GH_TOKEN": f"{canary}_token"})
        for args in (["secret", "set", "A", "--body", canary], ["pr", "view", "7"],
                     ["api", "repos/harbor/tidepool/x", "-f", f"client_secret={canary}"]):
            result = client.call("gh", {"args": args})
            self.assertNotIn(canary, json.dumps(result))
            self.assertIn("[REDACTED]", text_of(result))
        for path in self.agent.rglob("*"):
            if path.is_file():
                self.assertNotIn(canary, path.read_text(errors="replace"), path)


@unittest.skipUnless(shutil.which("gh"), "no gh")
class RealGh(GhTest):
    """The same question before the real gh: the forge sees no request until it is answered."""

    def setUp(self):
        super().setUp()
        ready = self.root / "ready"
        command = [sys.executable, ROOT / "tests/servers/forge.py", "--ready", ready, "--parent", str(os.getpid()),
                   "--ttl", "300"]
        self.forge = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop)
        until = time.monotonic() + 20
        while not ready.exists() and time.monotonic() < until:
            time.sleep(0.05)
        self.url = json.loads(ready.read_text())["url"]
        self.settings("gh:\n  knownHosts: [github.localhost]\n")
        subprocess.run(["git", "-C", self.root / "w", "remote", "set-url", "origin",
                        "http://github.localhost/harbor/tidepool.git"], check=True)
        self.env = {"GH_TOKEN": TOKEN, "http_proxy": self.url, "HTTP_PROXY": self.url, "no_proxy": "127.0.0.1"}

    def stop(self):
        self.forge.terminate()
        self.forge.wait()

    def requests(self):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.url}/_forge/log") as answer:
            log = json.load(answer)
        return log if isinstance(log, list) else log["log"]

    def test_merge(self):
        for answer in (approve(False), approve(True, "decline"), approve(True, "cancel")):
            client = self.client(answer=answer, env=self.env)
            self.assertIs(client.call("gh", MERGE)["isError"], True)
            self.assertEqual(self.requests(), [])
        self.assertIs(self.client(can_ask=False, env=self.env).call("gh", MERGE)["isError"], True)
        self.assertEqual(self.requests(), [])

        def answer(_):
            self.assertEqual(self.requests(), [])
            return approve(True)(None)

        result = self.client(answer=answer, env=self.env).call("gh", MERGE)
        self.assertIs(result["isError"], False, text_of(result))
        self.assertTrue([entry for entry in self.requests() if "mergePullRequest" in json.dumps(entry.get("body", ""))])


if __name__ == "__main__":
    unittest.main()
