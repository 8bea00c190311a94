#!/usr/bin/env python3
"""The ten tasks of docs/tasks.md: each is taken out of the page, started by its event, done by a scripted model, and what it wanted
written is on the forge.

Environment: KEDGE, the binary.
"""
import json
import os
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tasks_case import R, ROOT, TasksCase  # noqa: E402

PAGE = (ROOT / "docs/tasks.md").read_text(encoding="utf-8")
TASKS = dict(re.findall(r"^```markdown (\S+)\.md\n(.*?)^```$", PAGE, re.M | re.S))
COMMIT = "git -c user.name=Agent -c user.email=agent@example.com commit -qam"


class Examples(TasksCase):
    def do(self, name, event_name, event, command, **variables):
        """Resolves the event, runs the task with a model that gives one command; what the prompt was."""
        self.publish(**{name: TASKS[name]})
        payload = self.event(event)
        found = self.kedge("resolve", "--event-name", event_name, "--payload", payload, "--explain", **variables)
        self.assertEqual((found.returncode, found.stdout), (0, json.dumps([name]) + "\n"), found.stderr)
        model = self.model({"tool_calls": [{"name": "bash", "arguments": {"command": "set -e\n" + command}}]}, {"text": "Done."})
        done = self.kedge("run", "--task", name, "--event-name", event_name, "--payload", payload, **model)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("[result] success", done.stderr)
        (run,) = [path for path in pathlib.Path(self.work, ".wm/runs").iterdir() if path.is_dir()]
        result = json.loads((run / "result.json").read_text())
        self.assertEqual((result["phase"], result["success"]), ("safe-outputs", True))
        return (run / "prompt.md").read_text()

    def newest(self):
        return self.ok("GET", f"{R}/issues?state=all&per_page=1")[0]

    # --- one each

    def test_there_are_ten(self):
        self.assertEqual(len(TASKS), 10)
        for name, text in TASKS.items():
            self.write(f".wm/tasks/{name}.md", text)
        checked = self.kedge("validate")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn("wm validate: ok", checked.stdout + checked.stderr)
        compiled = self.kedge("compile")
        self.assertEqual(compiled.returncode, 0, compiled.stderr)

    def test_triage(self):
        number = self.ok("POST", f"{R}/issues", {"title": "Wrong tide", "body": "It says 24:00 <!-- hidden -->"})["number"]
        prompt = self.do("triage", "issues", {"action": "opened", "issue": self.issue(number)}, """
kedge wm emit add-labels --labels bug,'area: clock'
kedge wm emit add-labels --labels urgent && exit 1
kedge wm emit add-comment --body 'Which version, and what did you type?'
""")
        self.assertIn("A new issue: Wrong tide\n\nIt says 24:00", prompt)
        self.assertNotIn("hidden", prompt)
        self.assertEqual(self.labels(number), ["bug", "area: clock"])
        self.assertEqual(self.comments(number, "triage"), ["Which version, and what did you type?"])

    def test_fix(self):
        comment = self.ok("POST", f"{R}/issues/12/comments", {"body": "/fix, please"})
        comment["body"] = "/fix please"
        prompt = self.do("fix", "issue_comment", {"action": "created", "comment": comment, "issue": self.issue(12)}, f"""
sed -i 's/sum > MINUTES_PER_DAY/sum >= MINUTES_PER_DAY/' src/clock.c
{COMMIT} 'Wrap at midnight'
kedge wm emit create-pull-request --title 'Wrap at midnight' --body 'Mends #12.'
""")
        self.assertIn("Issue #12, ", prompt)
        (pull,) = [row for row in self.ok("GET", f"{R}/pulls?state=open") if row["head"]["ref"].startswith("wm/fix-")]
        self.assertEqual((pull["title"], pull["draft"], pull["body"]), ("[fix] Wrap at midnight", True, "Mends #12.\n\n<!-- wm-agent:fix -->"))

    def test_review(self):
        pull = self.ok("GET", f"{R}/pulls/7")
        self.do("review", "pull_request", {"action": "review_requested", "pull_request": pull}, f"""
kedge wm emit create-pull-request-review-comment --path README.md --line 1 --commit-id {pull['head']['sha']} --body 'Which wind?' || true
kedge wm emit submit-pull-request-review --event APPROVE && exit 1
kedge wm emit submit-pull-request-review --event comment --body 'One question.'
""".replace("--line 1", f"--line {self.changed_line(7, 'README.md')}"))
        reviews = self.ok("GET", f"{R}/pulls/7/reviews")
        self.assertIn("One question.\n\n<!-- wm-agent:review -->", [row["body"] for row in reviews])
        self.assertIn("Which wind?\n\n<!-- wm-agent:review -->", [row["body"] for row in self.ok("GET", f"{R}/pulls/7/comments")])

    def changed_line(self, number, path):
        (file,) = [row for row in self.ok("GET", f"{R}/pulls/{number}/files") if row["filename"] == path]
        line = 0
        for text in file["patch"].split("\n"):
            hunk = re.match(r"@@ -\S+ \+(\d+)", text)
            line = int(hunk[1]) - 1 if hunk else line + (not text.startswith("-"))
            if text.startswith("+"):
                return line
        raise AssertionError("nothing was added")

    def test_changelog(self):
        head = self.git("rev-parse", "origin/main", cwd=self.work).stdout.strip()
        prompt = self.do("changelog", "push", {"ref": "refs/heads/main", "before": "0" * 40, "after": head}, f"""
echo '- Tides wrap at midnight.' > CHANGELOG.md
git add CHANGELOG.md
{COMMIT} 'Changelog: midnight'
kedge wm emit create-pull-request --title 'midnight' --body 'One line.'
""")
        self.assertIn(f"Commits {'0' * 40}..{head}", prompt)
        (pull,) = [row for row in self.ok("GET", f"{R}/pulls?state=open") if row["head"]["ref"].startswith("wm/changelog-")]
        self.assertEqual((pull["title"], pull["draft"]), ("changelog: midnight", False))

    def test_dependencies(self):
        self.do("dependencies", "schedule", {"schedule": "x"}, "kedge wm emit create-issue --title 'two are behind' --body '| what | from | to |'")
        issue = self.newest()
        self.assertEqual((issue["title"], [row["name"] for row in issue["labels"]]), ("[deps] two are behind", ["dependencies"]))

    def test_dependencies_are_asked_about_once(self):
        self.ok("POST", f"{R}/issues", {"title": "[deps] there is one", "labels": ["dependencies"]})
        self.write(".wm/tasks/dependencies.md", TASKS["dependencies"])
        found = self.kedge("resolve", "--event-name", "schedule")
        self.assertEqual((found.returncode, found.stdout), (0, "[]\n"), found.stderr)

    def test_docs_drift(self):
        self.do("docs-drift", "schedule", {}, f"""
echo 'One more line.' >> README.md
{COMMIT} 'docs: one more line'
kedge wm emit create-pull-request --title 'one claim' --body '- a line'
""")
        (pull,) = [row for row in self.ok("GET", f"{R}/pulls?state=open") if row["head"]["ref"].startswith("wm/docs-drift-")]
        self.assertEqual((pull["title"], [row["name"] for row in pull["labels"]]), ("docs: one claim", ["documentation"]))

    def test_flaky(self):
        run = {"id": 16045200302, "conclusion": "failure", "head_branch": "main"}
        prompt = self.do("flaky", "workflow_run", {"action": "completed", "workflow_run": run}, "kedge wm emit create-issue --title 'test_clock' --body '3 of 20'")
        self.assertIn("Workflow run 16045200302 ended with failure on main.", prompt)
        self.assertEqual(self.newest()["title"], "flaky: test_clock")

    def test_release_notes(self):
        prompt = self.do("release-notes", "release", {"action": "published", "release": {"tag_name": "v2.1"}}, "kedge wm emit create-issue --title v2.1 --body 'What is new.'")
        self.assertIn("Release v2.1 was made.", prompt)
        self.assertEqual(self.newest()["title"], "Notes: v2.1")

    def test_stale(self):
        old = self.ok("POST", f"{R}/issues", {"title": "Old", "labels": ["stale"]})["number"]
        other = self.ok("POST", f"{R}/issues", {"title": "Older"})["number"]
        self.do("stale", "schedule", {}, f"""
kedge wm emit close-issue --target {old} --comment 'Nobody said anything.'
kedge wm emit add-comment --target {other} --body 'Does this still matter?'
kedge wm emit add-labels --target {other} --labels stale
""")
        self.assertEqual((self.issue(old)["state"], self.issue(old)["state_reason"]), ("closed", "not_planned"))
        self.assertEqual(self.labels(other), ["stale"])
        self.assertEqual(self.comments(other, "stale"), ["Does this still matter?"])

    def test_security(self):
        pull = self.ok("GET", f"{R}/pulls/7")
        prompt = self.do("security", "pull_request", {"action": "opened", "pull_request": pull}, """
kedge wm emit add-comment --body 'README.md:3 says nothing of the wind.'
kedge wm emit add-labels --labels security
""")
        self.assertIn("Read the diff of pull request #7", prompt)
        self.assertEqual(self.comments(7, "security"), ["README.md:3 says nothing of the wind."])
        self.assertIn("security", self.labels(7))


if __name__ == "__main__":
    unittest.main(verbosity=2)
