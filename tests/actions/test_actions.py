#!/usr/bin/env python3
"""From an event to what is written: the workflows that kedge makes, run by GitHub's own parser and evaluator against the forge, whose
tokens may do just what each job's permissions say."""

import os
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from actions_case import IS_POSSIBLE, REPO, ActionsCase  # noqa: E402

REUSABLE = "version: 1\nengine: kedge\nmodel: claude-sonnet-5\nworkflow:\n  install: none\n"
INLINE = REUSABLE + "  pre_steps:\n    - name: Before\n      run: echo from-the-steps > \"$RUNNER_TEMP/before\"\n"
FIX = """---
on:
  slash_command: fix
safe-outputs:
  create-pull-request: {draft: false, labels: [agent], title-prefix: "[fix] "}
  add-comment: {max: 2}
---
Fix what issue #${{ github.event.issue.number }} is about.
"""
ANSWER = "---\non: {slash_command: ask}\nsafe-outputs: {add-comment: }\n---\nAnswer.\n"
FIXES = """
sed -i 's/sum > MINUTES_PER_DAY/sum >= MINUTES_PER_DAY/' src/clock.c
git -c user.name=Agent -c user.email=agent@example.com commit -qam 'Wrap at midnight'
gh wm emit create-pull-request --title 'Wrap at midnight' --body 'A tide at midnight is at 00:00.'
kedge wm emit add-comment --body 'There is a pull request.'
"""


@unittest.skipUnless(IS_POSSIBLE, "needs node and what tools/npm-peers fetches")
class Actions(ActionsCase):
    def check_fixed(self, run):
        (pull,) = self.pulls()
        self.assertEqual((pull["title"], pull["user"]["login"], pull["draft"]), ("[fix] Wrap at midnight", "github-actions[bot]", False))
        self.assertEqual([label["name"] for label in pull["labels"]], ["agent"])
        diff = self.git("diff", f"origin/main...{pull['head']['sha']}", cwd=self.fetched()).stdout
        self.assertIn("+    if (sum >= MINUTES_PER_DAY)", diff)
        self.assertNotIn(".wm/", diff)
        (comment,) = self.comments(12)
        self.assertEqual(comment["body"], "There is a pull request.\n\n<!-- wm-agent:fix -->")
        self.assertIn("create_pull_request", run["summary"])
        self.ok("PATCH", f"/repos/{REPO}/pulls/{pull['number']}", {"state": "closed"})

    def fetched(self):
        self.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*", cwd=self.work)
        return self.work

    def test_a_comment_becomes_a_pull_request(self):
        """The reusable form; the agent is a program."""
        sha = self.publish(REUSABLE, fix=FIX, answer=ANSWER)
        self.agent(FIXES)
        run = self.run_workflow(sha, *self.comment_event(12, "/fix please"))
        self.assertEqual(self.outcomes(run), {"resolve / resolve": "success", "run (fix) / agent": "success", "run (fix) / outputs": "success"}, run["jobs"])
        self.assertEqual(set(self.job(run, "run (fix) / agent")["permissions"].values()), {"read"})
        self.check_fixed(run)
        again = self.run_workflow(sha, "issue_comment", {"action": "created", "comment": self.comments(12)[0], "issue": {"number": 12}})
        self.assertEqual(self.outcomes(again), {"resolve / resolve": "success", "run": "skipped"})

    def test_the_same_with_steps_of_the_repository(self):
        """The inline form; the agent is kedge, and what answers it is a model server."""
        sha = self.publish(INLINE, repair=FIX)
        self.model({"tool_calls": [{"name": "bash", "arguments": {"command": FIXES.replace("There is a", "Here is a")}}]}, {"text": "Done."})
        run = self.run_workflow(sha, *self.comment_event(8, "/fix"))
        self.assertEqual(self.outcomes(run), {"resolve / resolve": "success", "run_agent (repair)": "success", "run_outputs (repair)": "success"}, run["jobs"])
        (pull,) = [row for row in self.pulls() if row["state"] == "open"]
        self.assertEqual(pull["title"], "[fix] Wrap at midnight")
        self.assertEqual([row["body"] for row in self.comments(8)], ["Here is a pull request.\n\n<!-- wm-agent:repair -->"])
        self.ok("PATCH", f"/repos/{REPO}/pulls/{pull['number']}", {"state": "closed"})

    def test_nothing_matches(self):
        sha = self.publish(REUSABLE, fix=FIX)
        run = self.run_workflow(sha, *self.comment_event(12, "what a tide"))
        self.assertEqual(self.outcomes(run), {"resolve / resolve": "success", "run": "skipped"})

    def test_a_run_waits_only_for_the_same_task_on_the_same_issue(self):
        """GitHub keeps one waiting run of a concurrency group and drops the others: what starts no task must be in none."""
        self.agent("kedge wm emit noop\n")
        for config, issues in ((REUSABLE, (12, 8)), (INLINE, (12,))):
            sha = self.publish(config, answer=ANSWER, again=ANSWER)
            self.assertEqual(self.run_workflow(sha, *self.comment_event(12, "thanks"))["groups"], [])
            groups = [group for number in issues for group in self.run_workflow(sha, *self.comment_event(number, "/ask"))["groups"]]
            self.assertEqual({group["cancels"] for group in groups}, {False})
            self.assertEqual(len({group["group"] for group in groups}), 2 * len(issues), groups)

    def test_the_agent_cannot_write_itself(self):
        sha = self.publish(REUSABLE, answer=ANSWER)
        url = f"{self.url}/repos/{REPO}"
        self.agent(f"""
curl -s -o answer.json -w '%{{http_code}}\\n' -H "Authorization: Bearer $GH_TOKEN" -d '{{"body":"mine"}}' {url}/issues/1/comments > code.txt
git push -q origin HEAD:refs/heads/mine 2> push.txt && echo pushed >> code.txt
kedge wm emit add-comment --body "$(cat code.txt)"
""")
        run = self.run_workflow(sha, *self.comment_event(1, "/ask"))
        self.assertEqual(self.outcomes(run)["run (answer) / outputs"], "success", run["jobs"])
        self.assertEqual([row["body"].split("\n")[0] for row in self.comments(1)], ["403"])
        self.assertNotIn("refs/heads/mine", self.ok("GET", "/_forge/refs?repo=" + REPO))

    def test_a_model_looks_at_what_is_written(self):
        """It is asked in the outputs job, which has the key only where a task wants that."""
        finding = '{"prompt_injection":true,"secret_leak":false,"malicious_patch":false,"reasons":["it obeys the comment"]}'
        nothing = finding.replace("true", "false").replace('"it obeys the comment"', "")
        for config, job in ((REUSABLE, "run (answer) / outputs"), (INLINE, "run_outputs (answer)")):
            sha = self.publish(config, answer=ANSWER.replace("add-comment: ", "add-comment: , threat-detection: {engine: kedge}"))
            self.agent("kedge wm emit add-comment --body judged\n")
            for verdict, result, count in ((finding, "failure", 0), (nothing, "success", 1)):
                self.model({"text": verdict})
                known = len(self.comments(5))
                run = self.run_workflow(sha, *self.comment_event(5, "/ask"))
                self.assertEqual(self.outcomes(run)[job], result, run["jobs"])
                self.assertEqual(len(self.comments(5)) - known, count)
                self.assertEqual("a model finds prompt injection (it obeys the comment)" in self.job(run, job)["log"], count == 0)

    def test_one_that_fails_stops_no_other(self):
        sha = self.publish(INLINE, answer=ANSWER, broken=ANSWER)
        self.agent('[ "$WM_TASK" = answer ] || exit 3\nkedge wm emit add-comment --body "from $WM_TASK"\n')
        run = self.run_workflow(sha, *self.comment_event(2, "/ask"))
        self.assertEqual(self.outcomes(run), {"resolve / resolve": "success", "run_agent (answer)": "success", "run_agent (broken)": "failure",
                                              "run_outputs (answer)": "success", "run_outputs (broken)": "failure"}, run["jobs"])
        self.assertEqual([row["body"] for row in self.comments(2)], ["from answer\n\n<!-- wm-agent:answer -->"])

    def test_what_an_agent_plants_is_not_run(self):
        """Hooks, filters, another origin, another policy, a shim: the outputs job believes none of it."""
        sha = self.publish(REUSABLE, fix=FIX)
        trap = os.path.join(self.home, "sprung")
        self.agent(f"""
{FIXES}
for hook in pre-push post-checkout reference-transaction; do
    printf '#!/bin/sh\\necho %s >> {trap}\\n' $hook > .git/hooks/$hook
    chmod +x .git/hooks/$hook
done
git config core.fsmonitor "echo fsmonitor >> {trap}"
git config core.sshCommand "echo ssh >> {trap}"
git config credential.helper "!echo helper >> {trap}; cat"
git config url."file:///nowhere/".insteadOf "{self.url}/"
git config core.hooksPath .git/hooks
printf 'safe-outputs: {{create-issue: }}\\n' > .wm/tasks/other.md
sed -i 's/add-comment: .*/add-comment: {{max: 2}}\\n  create-issue:/' .wm/tasks/fix.md
printf '{{"type":"create_issue","title":"forged"}}\\n' >> "$WM_SAFE_OUTPUT_FILE"
git update-index --assume-unchanged .wm/tasks/fix.md
""")
        before = len(self.ok("GET", f"/repos/{REPO}/issues?state=all&per_page=100"))
        run = self.run_workflow(sha, *self.comment_event(12, "/fix"))
        self.assertEqual(self.outcomes(run)["run (fix) / outputs"], "success", run["jobs"])
        # whatever the agent's own git did before its job ended is the agent's; what the outputs job did must not be in it
        outputs = self.job(run, "run (fix) / outputs")
        self.assertNotIn("sprung", outputs["log"])
        issues = self.ok("GET", f"/repos/{REPO}/issues?state=all&per_page=100")
        self.assertEqual([row["title"] for row in issues if row["title"] == "forged"], [])
        self.assertGreaterEqual(len(issues), before)
        sprung = ""
        if os.path.exists(trap):
            with open(trap, encoding="utf-8") as file:
                sprung = file.read()
        self.assertNotIn("pre-push", sprung)
        self.assertNotIn("helper", sprung)
        (pull,) = [row for row in self.pulls() if row["state"] == "open"]
        self.ok("PATCH", f"/repos/{REPO}/pulls/{pull['number']}", {"state": "closed"})

    def test_an_agent_that_replaces_a_directory(self):
        """A file where the checkout has a directory, and a task that is a link out of .wm/: both are ordinary."""
        self.publish(REUSABLE, answer=ANSWER)
        self.write("common/fix.md", FIX)
        os.symlink("../../common/fix.md", os.path.join(self.work, ".wm/tasks/fix.md"))
        sha = self.publish_more()
        self.agent("git rm -rq src && echo flat > src && git add src\n"
                   "git -c user.name=Agent -c user.email=agent@example.com commit -qm 'One file'\n"
                   "gh wm emit create-pull-request --title 'One file' --body 'b'\n")
        run = self.run_workflow(sha, *self.comment_event(12, "/fix"))
        self.assertEqual(self.outcomes(run)["run (fix) / outputs"], "success", run["jobs"])
        (pull,) = [row for row in self.pulls() if row["state"] == "open"]
        self.assertEqual(pull["title"], "[fix] One file")
        self.ok("PATCH", f"/repos/{REPO}/pulls/{pull['number']}", {"state": "closed"})

    def test_the_end_of_the_outputs_job_runs_nothing_of_the_agent(self):
        """Actions clean up after a job with git and with its token: in the workspace, and in every submodule that is there."""
        for config, job in ((REUSABLE, "run (fix) / outputs"), (INLINE, "run_outputs (fix)")):
            sha = self.publish(config, fix=FIX)
            trap = os.path.join(self.home, "places")
            self.agent(f"""
printf '#!/bin/sh\npwd >> {trap}\n' > hook && chmod +x hook
git init -q sub
git -C sub -c user.name=Agent -c user.email=agent@example.com commit -q --allow-empty -m x
printf '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n' > .gitmodules
git -c advice.addEmbeddedRepo=false add sub .gitmodules hook
git -c user.name=Agent -c user.email=agent@example.com commit -qm sub
kedge wm emit create-pull-request --title Sub
for at in . sub; do
    git -C $at config core.fsmonitor "$PWD/hook"
    git -C $at update-index --fsmonitor
done
""")
            run = self.run_workflow(sha, *self.comment_event(12, "/fix"))
            outputs = self.job(run, job)
            self.assertEqual(outputs["result"], "success", outputs["log"])
            self.assertIn("Post checkout", outputs["log"])
            with open(trap, encoding="utf-8") as file:
                places = file.read().split()
            self.assertNotEqual(places, [])  # the agent's own job may run what it likes
            self.assertEqual([place for place in places if place.startswith(os.path.dirname(outputs["workspace"]))], [])
            (pull,) = [row for row in self.pulls() if row["state"] == "open"]
            self.ok("PATCH", f"/repos/{REPO}/pulls/{pull['number']}", {"state": "closed"})

    def test_files_beside_the_workspace_reach_nothing(self):
        """Who has the runner of the agent uploads what they like: it does not become the policy, nor a program."""
        for config, job in ((REUSABLE, "run (fix) / outputs"), (INLINE, "run_outputs (fix)")):
            sha = self.publish(config, fix=FIX)
            forged = FIX.replace("add-comment: {max: 2}", "create-issue: ")
            self.smuggled = {"wm-policy/.wm/tasks/fix.md": forged, "kedge-bin/kedge": "#!/bin/sh\n"}
            self.agent("""printf '{"type":"create_issue","title":"smuggled"}\n' > "$WM_SAFE_OUTPUT_FILE"\n""")
            run = self.run_workflow(sha, *self.comment_event(12, "/fix"))
            self.assertEqual(self.outcomes(run)[job], "success", run["jobs"])
            issues = self.ok("GET", f"/repos/{REPO}/issues?state=all&per_page=100")
            self.assertNotIn("smuggled", [row["title"] for row in issues])
            temp = os.path.join(os.path.dirname(self.job(run, job)["workspace"]), "temp")
            self.assertFalse(os.path.exists(os.path.join(temp, "kedge-bin")))

    def test_a_dispatch_by_hand(self):
        sha = self.publish(REUSABLE, answer=ANSWER)
        self.agent('kedge wm emit add-comment --body "for $WM_ISSUE_NUMBER"\n')
        run = self.run_workflow(sha, "workflow_dispatch", {"inputs": {"task_name": "answer", "issue_number": "4"}, "ref": "refs/heads/main"})
        self.assertEqual(self.outcomes(run)["run (answer) / outputs"], "success", run["jobs"])
        self.assertIn("for 4\n\n<!-- wm-agent:answer -->", [row["body"] for row in self.comments(4)])


@unittest.skipUnless(IS_POSSIBLE, "needs node and what tools/npm-peers fetches")
class Runner(ActionsCase):
    """What the runner itself must get right, or the tests above would prove nothing."""

    def test_a_called_workflow_gets_no_more_than_its_caller_has(self):
        sha = self.publish(REUSABLE, answer=ANSWER)
        path = os.path.join(self.work, ".github/workflows/wm-agent.yml")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.write(".github/workflows/wm-agent.yml", text.replace("issues: write", "issues: read"))
        self.git("commit", "-qam", "Less", cwd=self.work)
        self.git("push", "-q", "origin", "HEAD:main", cwd=self.work)
        sha = self.git("rev-parse", "HEAD", cwd=self.work).stdout.strip()
        self.agent("true\n")
        with self.assertRaisesRegex(AssertionError, "more than the caller allows"):
            self.run_workflow(sha, *self.comment_event(1, "/ask"))

    def test_a_workflow_that_github_refuses(self):
        self.publish(REUSABLE, answer=ANSWER)
        self.write(".github/workflows/wm-agent.yml", "on: push\njobs:\n  a:\n    runs-on: x\n    stepz: []\n")
        self.git("commit", "-qam", "Bad", cwd=self.work)
        sha = self.git("rev-parse", "HEAD", cwd=self.work).stdout.strip()
        with self.assertRaisesRegex(AssertionError, "Unexpected value 'stepz'"):
            self.run_workflow(sha, "push", {})


if __name__ == "__main__":
    unittest.main(verbosity=2)
