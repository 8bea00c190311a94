#!/usr/bin/env python3
"""`kedge wm rehearse`: what a task would do, with nothing done.

Environment: KEDGE, the binary.
"""
import json
import os
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tasks_case import ALICE, R, REPO, TasksCase  # noqa: E402

FIX = """---
on:
  slash_command: fix
  issues: {types: [labeled], labels: [bug]}
safe-outputs:
  create-pull-request: {title-prefix: "[fix] "}
  add-comment: {max: 2}
  add-labels: {allowed: [bug]}
---
Fix #${{ github.event.issue.number }}: ${{ wm.sanitized.title }}
"""
SCRIPT = """
sed -i 's/sum > MINUTES_PER_DAY/sum >= MINUTES_PER_DAY/' src/clock.c
git commit -qam 'Wrap at midnight'
git push -q origin HEAD:refs/heads/mine 2>/dev/null && echo pushed
kedge wm emit create-pull-request --title 'Wrap at midnight' --body 'It **wraps**. <script>alert(1)</script>'
kedge wm emit add-comment --body "token: ${GH_TOKEN:-none} ${GITHUB_TOKEN:-none}"
kedge wm emit add-labels --labels bug
"""


class Rehearse(TasksCase):
    def rehearse(self, *words, code=0, script=SCRIPT, **variables):
        before = self.last_n()
        done = self.kedge("rehearse", *words, code=code, **self.agent(script), **variables)
        writes = [row for row in self.log(since=before) if row["method"] not in ("GET", "HEAD") and row["kind"] != "git"]
        self.assertEqual(writes, [])
        self.assertEqual([row for row in self.log(since=before) if "receive-pack" in row["path"]], [])
        return done

    def test_what_a_person_sees(self):
        self.write(".wm/tasks/fix.md", FIX)  # not committed: what is tried is what is being written
        done = self.rehearse("fix", "--issue", "12")
        for text in ("fix for issues #12: success in ", "It would write 3 things:", "* create_pull_request", "title: [fix] Wrap at midnight", "It **wraps**.",
                     "* add_comment → #12", "token: none none", "* add_labels → #12", "+    if (sum >= MINUTES_PER_DAY)", "Nothing was written to GitHub."):
            self.assertIn(text, done.stdout)
        self.assertNotIn(".wm/", done.stdout)
        status = self.git("status", "--porcelain", cwd=self.work).stdout
        self.assertEqual(status.split(), ["??", ".wm/"])
        self.assertEqual(self.git("branch", "--format=%(refname:short)", cwd=self.work).stdout.split(), ["main"])
        self.assertEqual([name for name in os.listdir(self.home + "/tmp") if name.startswith("kedge-run-")], [])

    def test_text_as_it_is_and_failures_as_such(self):
        """Tabs of a text stay; a server that cannot be asked is no policy that says no."""
        self.write(".wm/tasks/fix.md", FIX)
        script = """
kedge wm emit add-comment --body "$(printf 'all:\\n\\tmake\\n')"
printf '%s\\n' '{"type":"dance"}' '{"type":"create_issue","title":"x"}' >> "$WM_SAFE_OUTPUT_FILE"
""" + SCRIPT.split("kedge wm emit add-comment")[0]
        self.ok("POST", "/_forge/faults", {"match": {"method": "GET", "path": "/pulls"}, "times": None, "status": 401, "body": {"message": "out"}})
        self.addCleanup(self.ok, "DELETE", "/_forge/faults")
        done = self.rehearse("fix", "--issue", "12", code=1, script=script)
        self.assertIn("  all:\n  \tmake\n", done.stdout)
        for text in ("\n  skipped: create_issue: not permitted by safe-outputs:\n", "\n  failed: create_pull_request: "):
            self.assertIn(text, done.stdout)
        self.assertNotIn("not allowed", done.stdout)

    def test_where_only_the_clone_knows_the_repository(self):
        """As on a laptop: the origin of the checkout says what is asked, though that of the rehearsal's clone leads nowhere."""
        self.write(".wm/tasks/fix.md", FIX)
        script = 'kedge wm emit add-comment --body "$GITHUB_REPOSITORY $GH_REPO"\n' + SCRIPT
        before = self.last_n()
        done = self.rehearse("fix", "--issue", "12", "--json", script=script, GITHUB_REPOSITORY="")
        report = json.loads(done.stdout)
        self.assertEqual([write["kind"] for write in report["writes"]], ["add_comment", "create_pull_request", "add_comment", "add_labels"])
        self.assertIn(f"{REPO} {REPO}", json.dumps(report["writes"][0]))
        self.assertNotIn("nothing is looked up", done.stderr)
        self.assertTrue([row for row in self.log(since=before) if row["path"].endswith("/pulls")])

    def test_where_nobody_knows_the_repository(self):
        """What is planned is planned all the same."""
        self.write(".wm/tasks/fix.md", FIX)
        self.git("remote", "set-url", "origin", "file:///nowhere", cwd=self.work)
        event = self.event({"action": "labeled", "issue": self.issue(12), "label": {"name": "bug"}})
        script = SCRIPT.replace("kedge wm emit add-labels", "! kedge wm emit add-labels")  # that needs to know
        done = self.rehearse("fix", "--event-name", "issues", "--event", event, "--json", script=script, GITHUB_REPOSITORY="")
        self.assertEqual([write["kind"] for write in json.loads(done.stdout)["writes"]], ["create_pull_request", "add_comment"])
        self.assertIn("not checked: GET /repos/OWNER/REPO/pulls", done.stderr)

    def test_json_and_html(self):
        self.write(".wm/tasks/fix.md", FIX)
        page = os.path.join(self.home, "page.html")
        done = self.rehearse("fix", "--issue", "12", "--json", "--html", page)
        report = json.loads(done.stdout)
        self.assertEqual((report["task"], report["event"], report["number"], report["success"]), ("fix", "issues", 12, True))
        self.assertEqual([write["kind"] for write in report["writes"]], ["create_pull_request", "add_comment", "add_labels"])
        self.assertEqual(report["commits"], ["Wrap at midnight"])
        self.assertTrue(report["branch"].startswith("wm/fix-"))
        with open(page, encoding="utf-8") as file:
            html = file.read()
        self.assertIn("<strong>wraps</strong>", html)
        self.assertNotIn("<script>", html)
        self.assertIn("[fix] Wrap at midnight", html)

    def test_a_pull_request_a_file_and_nothing(self):
        self.write(".wm/tasks/look.md", "---\non: {pull_request: {types: [opened]}, schedule: daily}\nsafe-outputs: {add-comment: }\n---\nPR ${{ github.event.pull_request.number }}\n")
        report = json.loads(self.rehearse("look", "--pr", "7", "--json", script="kedge wm emit add-comment --body \"$1\"\n").stdout)
        self.assertEqual((report["event"], report["number"], report["diff"]), ("pull_request", 7, ""))
        self.assertIn("PR 7", report["writes"][0]["body"]["body"])
        path = self.event({"action": "opened", "issue": self.issue(2)})
        report = json.loads(self.rehearse("look", "--event", path, "--event-name", "issues", "--json", script="kedge wm emit noop\n").stdout)
        self.assertEqual((report["event"], report["number"], report["writes"]), ("issues", 2, []))
        report = json.loads(self.rehearse("look", "--json", script="true\n").stdout)
        self.assertEqual((report["event"], report["success"]), ("schedule", True))

    def test_one_that_fails(self):
        self.write(".wm/tasks/fix.md", FIX)
        done = self.rehearse("fix", "--issue", "12", code=1, script="echo half >> README.md\nexit 4\n")
        self.assertIn("fix for issues #12: failed", done.stdout)
        self.assertIn("exit status 4", done.stdout)
        self.assertIn("+half", done.stdout)

    def test_the_token_for_agents(self):
        self.write(".wm/tasks/fix.md", FIX)
        done = self.rehearse("fix", "--issue", "12", KEDGE_WM_AGENT_TOKEN="readonly00" + "0" * 30, script='kedge wm emit add-comment --body "${GH_TOKEN:0:10}"\n')
        self.assertIn("readonly00", done.stdout)
        self.assertNotIn(ALICE, done.stdout)

    def test_the_past(self):
        self.write(".wm/tasks/triage.md", "---\non: {issues: {types: [opened]}}\nsafe-outputs: {add-comment: }\n---\nTriage.\n")
        self.write(".wm/tasks/talk.md", "---\non: {issue_comment: {types: [created]}}\nsafe-outputs: {add-comment: }\n---\nTalk.\n")
        number = self.new_issue()
        self.ok("POST", f"{R}/issues/{number}/comments", {"body": "and more"})
        listed = self.rehearse("--replay", "2", "--list")
        lines = listed.stdout.splitlines()
        self.assertRegex(lines[0], rf"issue_comment +#{number} +alice +talk$")
        self.assertRegex(lines[1], rf"issues +#{number} +alice +triage$")
        report = json.loads(self.rehearse("--replay", "2", "--json", script='kedge wm emit add-comment --body "$WM_TASK"\n').stdout)
        self.assertEqual([row["tasks"] for row in report["events"]], [["talk"], ["triage"]])
        self.assertEqual([one["writes"][0]["number"] for one in report["reports"]], [number, number])

    def test_replay_asks_for_roles_and_bears_a_broken_file(self):
        self.write(".wm/tasks/mine.md", "---\non: {issues: {types: [opened]}, roles: [admin, write]}\n---\nMine.\n")
        self.write(".wm/tasks/nobodys.md", "---\non: {issues: {types: [opened]}, roles: [triage]}\n---\nNobody's.\n")
        self.write(".wm/tasks/broken.md", "---\non: [\n---\n")
        number = self.new_issue()
        done = self.rehearse("--replay", "1", "--list")
        self.assertRegex(done.stdout, rf"issues +#{number} +alice +mine\n")
        self.assertIn("wm: broken.md: yaml frontmatter: line", done.stderr)
        os.unlink(os.path.join(self.work, ".wm/tasks/broken.md"))

    def test_usage(self):
        for words, text in (((), "accepts 1 arg(s), received 0"), (("x", "--issue", "1", "--pr", "2"), "only one of"), (("x", "--event", "f"), "event-name"),
                            (("nobody",), "task not found: nobody")):
            done = self.kedge("rehearse", *words)
            self.assertIn(text, done.stderr)
            self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
