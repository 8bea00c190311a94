#!/usr/bin/env python3
"""Tests of the forge (forge.py): REST, GraphQL, git, the real gh, faults, the clock.

Run with `python3 tests/servers/test_forge.py [-v] [TestName]`. Every class starts
its own forge on a free port with a private HOME in a temporary directory, which is
removed at the end. Tests of gh are skipped where gh is not installed.
"""

import sys

sys.dont_write_bytecode = not sys.pycache_prefix

import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from forge.testcase import ALICE, ForgeCase

OKORO = "ghp_ForgeOkoro00000000000000000000000002"
LINDQ = "ghp_ForgeLindq00000000000000000000000003"
READ_ONLY = "github_pat_ForgeReadOnly000000000_" + "0" * 58 + "4"
REPO = "/repos/harbor/tidepool"
# What the default seed must give, on every machine and every start.
SEED_MAIN = "101358bba270045038dcb6c94564c64f10057805"
SEED_MOON = "789ee183d34b7fc27dc3bf6504e93d1ef916fe2a"


class TestRest(ForgeCase):
    def test_commit_ids_are_the_same_on_every_start(self):
        self.assertEqual(self.marks["branches"]["harbor/tidepool"]["refs/heads/main"], SEED_MAIN)
        self.assertEqual(self.marks["branches"]["lindq/tidepool"]["refs/heads/moon"], SEED_MOON)

    def test_who_may_what(self):
        cases = [
            (None, "GET", "/user", 401), ("nonsense", "GET", REPO, 401), (ALICE, "GET", "/user", 200), (None, "GET", REPO, 200),
            (None, "GET", "/repos/harbor/vault", 404), (LINDQ, "GET", "/repos/harbor/vault", 404),
            (ALICE, "GET", "/repos/harbor/vault", 200),
            (READ_ONLY, "GET", "/repos/harbor/vault", 200), (READ_ONLY, "POST", REPO + "/issues/12/comments", 403),
            (None, "POST", REPO + "/issues/12/comments", 401), (LINDQ, "POST", REPO + "/labels", 403),
            (LINDQ, "PATCH", REPO + "/issues/12", 403),
            (ALICE, "POST", "/repos/harbor/attic/issues", 403), (LINDQ, "POST", REPO + "/issues/6/comments", 403),
            (None, "GET", "/search/code?q=clock", 401), (ALICE, "GET", "/repos/harbor/none", 404), (ALICE, "GET", "/nonsense", 404),
        ]
        for token, method, path, status in cases:
            with self.subTest(path=path, token=token):
                reply = self.call(method, path, {"body": "x", "name": "y"} if method != "GET" else None, token=token)
                self.assertEqual(reply.status, status, reply.data)
                if status >= 400:
                    self.assertIn("documentation_url", reply.json)

    def test_every_read_answers(self):
        run, job = self.marks["runs"]["main-failed"]["id"], self.marks["runs"]["main-failed"]["jobs"]["test"]
        sha = self.marks["commits"]["midnight-test"]
        paths = [
            "/", "/meta", "/rate_limit", "/user", "/user/repos", "/users/lindq", "/users/tide-bot[bot]", "/orgs/harbor",
            "/users/lindq/repos",
            "/orgs/harbor/repos", "/notifications", "/search/repositories?q=tide", "/search/commits?q=midnight", "/search/issues?q=tide",
            "/search/code?q=clock_add", *[REPO + path for path in (
                "", "/forks", "/topics", "/languages", "/collaborators/okoro/permission", "/branches", "/branches/docs%2Fusage",
                "/branches/docs/usage",
                "/branches/feat%2F%C3%BC", "/tags", "/git/ref/heads/main", f"/git/trees/{sha}?recursive=1", "/commits",
                "/commits?path=src/main.c",
                "/commits/main", f"/commits/{sha}/check-runs", f"/commits/{sha}/status", "/compare/main...docs%2Fusage", "/readme",
                "/contents/src", "/contents/src/clock.c", "/releases", "/releases/latest", "/releases/tags/v2.1", "/issues?state=all",
                "/issues/12", "/issues/12/comments", "/issues/comments", "/issues/12/labels", "/issues/12/timeline", "/issues/8/reactions",
                "/labels", "/labels/bug",
                "/labels/area:%20clock", "/milestones", "/pulls?state=all", "/pulls/9", "/pulls/9/files", "/pulls/9/commits",
                "/pulls/9/reviews",
                "/pulls/9/comments", "/pulls/9/requested_reviewers", "/actions/runs", f"/actions/runs/{run}", f"/actions/runs/{run}/jobs",
                f"/actions/runs/{run}/artifacts", f"/actions/jobs/{job}", "/actions/workflows", "/actions/workflows/ci.yml",
                "/actions/workflows/ci.yml/runs", f"/check-runs/{job}", f"/check-runs/{job}/annotations")]]
        for path in paths:
            with self.subTest(path=path):
                self.assertEqual(self.get(path).status, 200, self.get(path).data)

    def test_pages_and_links(self):
        first = self.get(REPO + "/issues/4/comments?per_page=20")
        self.assertEqual(len(first.json), 20)
        rels = {part.split("; ")[1]: part.split("; ")[0].strip("<> ") for part in first.headers["Link"].split(", ")}
        self.assertEqual(set(rels), {'rel="next"', 'rel="last"'})
        last = self.get(rels['rel="last"'])
        self.assertEqual([row["body"] for row in last.json][-1], "Harbour number 45.")
        self.assertIn('rel="prev"', last.headers["Link"])
        self.assertIn("/repositories/", first.headers["Link"])
        self.assertEqual(len(self.get(REPO + "/issues/4/comments?per_page=500").json), 45)

    def test_etags_and_quota_headers(self):
        first = self.get(REPO + "/issues/12")
        self.assertTrue(first.headers["ETag"].startswith('W/"'))
        again = self.get(REPO + "/issues/12", headers={"If-None-Match": first.headers["ETag"]})
        self.assertEqual((again.status, again.data), (304, b""))
        self.assertEqual(first.headers["X-RateLimit-Remaining"], again.headers["X-RateLimit-Remaining"])
        self.assertEqual(first.headers["X-RateLimit-Resource"], "core")

    def test_urls_follow_the_way_in(self):
        self.assertEqual(self.get("/api/v3" + REPO).json["url"], self.url + "/api/v3" + REPO)
        proxy = urllib.request.build_opener(urllib.request.ProxyHandler({"http": self.url}))
        request = urllib.request.Request("http://api.github.localhost" + REPO, headers={"Authorization": "token " + ALICE})
        row = json.loads(proxy.open(request, timeout=10).read())
        self.assertEqual((row["url"], row["html_url"]), ("http://api.github.localhost" + REPO, "http://github.localhost/harbor/tidepool"))
        with self.assertRaises(urllib.error.HTTPError) as caught:
            proxy.open("http://127.0.0.1:1/x", timeout=10)
        self.assertEqual(caught.exception.code, 502)

    def test_issues_and_comments(self):
        issue = self.ok("POST", REPO + "/issues", {"title": "New \U0001f600 <b>", "body": "a\r\nb", "labels": ["bug", "made"],
            "assignees": ["okoro"]})
        path = f"{REPO}/issues/{issue['number']}"
        self.assertEqual(self.ok("GET", path)["title"], "New \U0001f600 <b>")
        comment = self.ok("POST", path + "/comments", {"body": "hello"}, token=LINDQ)
        self.assertEqual(comment["author_association"], "CONTRIBUTOR")
        self.assertEqual(self.ok("PATCH", f"{REPO}/issues/comments/{comment['id']}", {"body": "changed"}, token=LINDQ)["body"], "changed")
        self.assertEqual(self.call("POST", path + "/comments", {"body": " "}).status, 422)
        closed = self.ok("PATCH", path, {"state": "closed", "state_reason": "not_planned"})
        self.assertEqual((closed["state"], closed["state_reason"]), ("closed", "not_planned"))
        self.assertEqual([label["name"] for label in self.ok("DELETE", path + "/labels/made")], ["bug"])
        self.assertEqual(self.call("POST", path + "/reactions", {"content": "+1"}).status, 201)
        self.assertEqual(self.call("POST", path + "/reactions", {"content": "+1"}).status, 200)
        self.assertEqual(self.call("POST", REPO + "/issues", {"body": "no title"}).json["errors"][0]["code"], "missing_field")

    def test_pull_requests_and_reviews(self):
        pull = self.ok("GET", REPO + "/pulls/9")
        self.assertEqual((pull["head"]["label"], pull["mergeable"], pull["mergeable_state"]), ("lindq:moon", True, "unstable"))
        self.assertEqual(self.ok("GET", REPO + "/pulls/13")["mergeable"], False)
        self.assertTrue(self.get(REPO + "/pulls/9",
            headers={"Accept": "application/vnd.github.v3.diff"}).data.startswith(b"diff --git a/README.md"))
        body = {"event": "COMMENT", "body": "see", "comments": [{"path": "src/moon.c", "line": 8, "body": "here"}]}
        self.assertEqual(self.ok("POST", REPO + "/pulls/9/reviews", body)["state"], "COMMENTED")
        body["comments"][0]["line"] = 900
        self.assertEqual(self.call("POST", REPO + "/pulls/9/reviews", body).json["errors"], ["Line could not be resolved"])
        self.assertEqual(self.call("POST", REPO + "/pulls/9/reviews", {"event": "APPROVE"}, token=LINDQ).status, 422)
        first = self.ok("GET", REPO + "/pulls/9/comments")[0]
        reply = self.ok("POST", f"{REPO}/pulls/9/comments/{first['id']}/replies", {"body": "yes"})
        self.assertEqual(reply["in_reply_to_id"], first["id"])
        self.assertEqual(self.call("POST", f"{REPO}/pulls/9/comments/{reply['id']}/replies", {"body": "no"}).status, 422)
        self.assertEqual(self.call("POST", REPO + "/pulls",
            {"title": "x", "head": "docs/usage", "base": "main"}).json["errors"][0]["message"],
                         "A pull request already exists for harbor:docs/usage.")

    def test_search(self):
        found = lambda kind, q: [row.get("number") or row.get("path") or row.get("full_name") or row["sha"]
                                 for row in self.ok("GET", f"/search/{kind}?" + urllib.parse.urlencode({"q": q}))["items"]]
        cases = [
            ("issues", "repo:harbor/tidepool is:issue is:open label:bug", [12]),
            ("issues", 'repo:harbor/tidepool label:"area: clock"', [12]),
            ("issues", "midnight created:>=2025-04-01 is:issue", [12]), ("issues", "org:harbor is:pr is:merged", [3]),
            ("issues", "repo:harbor/tidepool is:pr is:open author:lindq", [9]),
            ("issues", "repo:harbor/tidepool is:issue created:2025-03-01..2025-03-02", [2, 1]),
            ("issues", "repo:harbor/tidepool is:issue -label:bug is:open comments:>=45", [4]), ("issues", '"wrong as well" is:issue', [12]),
            ("issues", "repo:harbor/tidepool is:pr draft:true", [11]), ("issues", "user:lindq is:issue", []),
            ("code", "clock_add repo:harbor/tidepool path:tests", ["tests/test_clock.c"]), ("code", "moon_age repo:lindq/tidepool", []),
            ("repositories", "tide in:name", ["harbor/tidepool"]),
            ("repositories", "tide fork:true", ["harbor/tidepool", "lindq/tidepool"]),
            ("commits", "midnight repo:harbor/tidepool", [self.marks["commits"]["midnight-test"]]),
            ("commits", "repo:harbor/tidepool committer-date:>=2025-04-01", [self.marks["commits"]["midnight-test"]]),
        ]
        for kind, q, want in cases:
            with self.subTest(q=q):
                self.assertEqual(found(kind, q), want)
        for q in ("", "repo:no/where x", "created:yesterday x", "x " * 200):
            with self.subTest(q=q):
                reply = self.get("/search/issues?" + urllib.parse.urlencode({"q": q}))
                self.assertEqual((reply.status, reply.json["message"]), (422, "Validation Failed"))
        row = self.ok("GET", "/search/code?q=clock_add+path:clock.h",
            headers={"Accept": "application/vnd.github.text-match+json"})["items"][0]
        match = row["text_matches"][0]
        start, end = match["matches"][0]["indices"]
        self.assertEqual(match["fragment"][start:end], "clock_add")

    def test_job_logs_are_behind_a_redirect(self):
        job = self.marks["runs"]["moon-failed"]["jobs"]["test"]
        reply = self.get(f"{REPO}/actions/jobs/{job}/logs")
        self.assertEqual(reply.status, 302)
        text = self.get(reply.headers["Location"], token=None)
        self.assertTrue(text.data.startswith(b"\xef\xbb\xbf2025-04-12T"))
        self.assertIn(b"want 00:00\r\n", text.data)
        self.assertEqual(self.get(reply.headers["Location"]).status, 400)
        self.assertTrue(self.log(kind="blob")[-1]["leaked_auth"])
        self.assertEqual(self.get(reply.headers["Location"] + "0", token=None).status, 403)
        self.assertGreater(job, 1 << 32)


class TestGraphql(ForgeCase):
    def test_fragments_aliases_directives(self):
        answer = self.graphql(
            """query Q($o: String!, $yes: Boolean!) { r: repository(owner: $o, name: "tidepool") { ...f  pullRequest(number: 9) { ... on Comment { body }
               author { __typename login ... on User { name } } title @skip(if: $yes) url @include(if: $yes) } } }
               fragment f on Repository { nameWithOwner issues(first: 2, states: [OPEN], orderBy: {field: CREATED_AT, direction: DESC}) {
               totalCount nodes { number } pageInfo { hasNextPage endCursor } } }""", o="harbor", yes=True)
        row = answer["data"]["r"]
        self.assertEqual(row["issues"]["nodes"], [{"number": 12}, {"number": 8}])
        self.assertEqual(row["pullRequest"]["author"], {"__typename": "User", "login": "lindq", "name": "Lin Dq"})
        self.assertEqual(set(row["pullRequest"]), {"body", "author", "url"})
        after = self.graphql('query($c: String) { repository(owner: "harbor", name: "tidepool") { issues(first: 2, after: $c, states: OPEN) { nodes { number } } } }',
                             c=row["issues"]["pageInfo"]["endCursor"])
        self.assertEqual(len(after["data"]["repository"]["issues"]["nodes"]), 2)

    def test_errors(self):
        repo = 'repository(owner: "harbor", name: "tidepool")'
        cases = [
            ('{ repository(owner: "a", name: "b") { id } }', "Could not resolve to a Repository with the name 'a/b'.", "NOT_FOUND"),
            ("{ %s { pullRequest(number: 999) { id } } }" % repo, "Could not resolve to a PullRequest with the number of 999.",
                "NOT_FOUND"),
            ("{ %s { issues { nodes { id } } } }" % repo,
                "You must provide a `first` or `last` value to properly paginate the `issues` connection.",
                "MISSING_PAGINATION_BOUNDARIES"),
            ("{ %s { issues(first: 101) { nodes { id } } } }" % repo,
                "Requesting 101 records on the `issues` connection exceeds the `first` limit of 100 records.", "EXCESSIVE_PAGINATION"),
            ("{ %s { nonsense } }" % repo, "Field 'nonsense' doesn't exist on type 'Repository'", None),
            ("{ viewer { login(x: 1) } }", "Field 'login' doesn't accept argument 'x'", None),
            ("query($n: Int!) { %s { issue(number: $n) { id } } }" % repo, "Variable $n of type Int! was provided invalid value", None),
            ("{ viewer { login }", "Unexpected end of document", None),
            ("{ viewer }", "Field must have selections (field 'viewer' returns User but has no selections. Did you mean 'viewer { ... }'?)",
                None),
        ]
        for query, message, kind in cases:
            with self.subTest(query=query):
                error = self.graphql(query)["errors"][0]
                self.assertEqual((error["message"], error.get("type")), (message, kind))
        self.assertEqual(self.call("POST", "/graphql", {"query": "{viewer{login}}"}, token=None).status, 401)
        read_only = self.graphql("mutation($i: AddCommentInput!) { addComment(input: $i) { subject { id } } }", token=READ_ONLY,
                                 i={"subjectId": self.node_of(12), "body": "x"})
        self.assertEqual(read_only["errors"][0]["type"], "FORBIDDEN")

    def node_of(self, number):
        return self.ok("GET", f"{REPO}/issues/{number}")["node_id"]

    def test_introspection(self):
        answer = self.graphql('{ __type(name: "WorkflowRun") { fields(includeDeprecated: true) { name } } none: __type(name: "Nothing") { name } }')
        self.assertIn({"name": "event"}, answer["data"]["__type"]["fields"])
        self.assertIsNone(answer["data"]["none"])

    def test_review_threads(self):
        answer = self.graphql('{ repository(owner: "harbor", name: "tidepool") { pullRequest(number: 9) { reviewThreads(first: 10) { nodes { id isResolved path line comments(first: 5) { nodes { fullDatabaseId body replyTo { id } } } } } } } }')
        threads = answer["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"]
        self.assertEqual([len(thread["comments"]["nodes"]) for thread in threads], [2, 1])
        done = self.graphql("mutation($i: ResolveReviewThreadInput!) { resolveReviewThread(input: $i) { thread { isResolved } } }",
            i={"threadId": threads[0]["id"]})
        self.assertTrue(done["data"]["resolveReviewThread"]["thread"]["isResolved"])


class TestGit(ForgeCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(dir=self.home)

    def clone(self, full_name="harbor/tidepool", **kwargs):
        path = os.path.join(self.work, full_name.replace("/", "-"))
        self.git("clone", "--quiet", f"{self.url}/{full_name}.git", path, **kwargs)
        return path

    def test_the_bug_and_its_fix(self):
        if not shutil.which("make") or not shutil.which("cc"):
            self.skipTest("no compiler")
        path, bug = self.clone(), self.marks["bug"]
        make = lambda: subprocess.run(["make", "--silent", "test"], cwd=path, env=self.env, capture_output=True, text=True)
        before = make()
        self.assertNotEqual(before.returncode, 0)
        self.assertIn("got 24:00, want 00:00", before.stdout)
        source = os.path.join(path, bug["path"])
        with open(source, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count(bug["old"]), 1)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text.replace(bug["old"], bug["new"]))
        after = make()
        self.assertEqual((after.returncode, after.stdout), (0, "ok\n"))

    def test_a_push_moves_its_pull_request_and_starts_a_run(self):
        path, since = self.clone(), self.last_n()
        self.git("switch", "--quiet", "docs/usage", cwd=path)
        self.git("commit", "--quiet", "--allow-empty", "-m", "Once more", cwd=path)
        self.git("push", "--quiet", cwd=path)
        sha = self.git("rev-parse", "HEAD", cwd=path).stdout.strip()
        self.assertEqual(self.ok("GET", REPO + "/pulls/7")["head"]["sha"], sha)
        self.assertEqual(self.ok("GET", "/_forge/refs?repo=harbor/tidepool")["refs/pull/7/head"], sha)
        pushed = [row["pushed"] for row in self.log(since, kind="git") if row.get("pushed")]
        self.assertEqual([(row["ref"], row["after"]) for row in pushed[0]], [("refs/heads/docs/usage", sha)])
        run = self.ok("GET", f"{REPO}/actions/runs?head_sha={sha}")["workflow_runs"][0]
        self.assertEqual((run["event"], run["head_branch"]), ("push", "docs/usage"))
        self.assertGreater(run["id"], 1 << 32)

    def test_a_push_to_a_fork_starts_a_run_in_its_parent(self):
        path = self.clone("lindq/tidepool", token=LINDQ)
        self.git("switch", "--quiet", "moon", cwd=path)
        self.git("commit", "--quiet", "--allow-empty", "-m", "Phases", cwd=path)
        self.git("push", "--quiet", cwd=path, token=OKORO)  # maintainers may modify
        sha = self.git("rev-parse", "HEAD", cwd=path).stdout.strip()
        self.assertEqual(self.ok("GET", REPO + "/pulls/9")["head"]["sha"], sha)
        run = self.ok("GET", f"{REPO}/actions/runs?head_sha={sha}")["workflow_runs"][0]
        self.assertEqual((run["event"], run["head_repository"]["full_name"]), ("pull_request", "lindq/tidepool"))

    def test_who_may_push(self):
        path = self.clone()
        self.git("commit", "--quiet", "--allow-empty", "-m", "No", cwd=path)
        for token, words in ((LINDQ, "denied to lindq"), (READ_ONLY, "not granted")):
            done = self.git("push", "origin", "HEAD:refs/heads/no", cwd=path, check=False, token=token)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
        self.assertNotEqual(self.git("push", "origin", "HEAD:refs/pull/7/head", cwd=path, check=False).returncode, 0)
        self.assertNotEqual(self.git("ls-remote", self.url + "/harbor/vault.git", check=False, token=LINDQ).returncode, 0)
        self.git("ls-remote", self.url + "/harbor/vault.git")

    def test_pull_request_from_the_outside(self):
        self.ok("POST", "/repos/harbor/tidepool/git/refs", {"ref": "refs/heads/topic", "sha": self.marks["commits"]["usage"]})
        self.assertEqual(self.call("POST", REPO + "/pulls", {"title": "x", "head": "topic", "base": "main"}, token=LINDQ).status, 403)
        path = self.clone("lindq/tidepool", token=LINDQ)
        self.git("switch", "--quiet", "-c", "stars", cwd=path)
        self.git("commit", "--quiet", "--allow-empty", "-m", "Stars", cwd=path)
        self.git("push", "--quiet", "origin", "stars", cwd=path, token=LINDQ)
        pull = self.ok("POST", REPO + "/pulls", {"title": "Stars", "head": "lindq:stars", "base": "main", "body": "Fixes #12"}, token=LINDQ)
        merged = self.ok("PUT", f"{REPO}/pulls/{pull['number']}/merge", {"merge_method": "squash"})
        self.assertTrue(merged["merged"])
        self.assertEqual(self.ok("GET", REPO + "/issues/12")["state"], "closed")
        self.assertEqual(self.ok("GET", REPO + "/branches/main")["commit"]["sha"], merged["sha"])


class TestRuns(ForgeCase):
    def state(self, run):
        row = self.ok("GET", f"{REPO}/actions/runs/{run}")
        return row["status"], row["conclusion"]

    def advance(self, ms):
        self.ok("POST", "/_forge/clock", {"advance_ms": ms})

    def test_runs_follow_the_clock(self):
        jobs = [{"name": "a", "start_ms": 60000, "end_ms": 120000, "conclusion": "success"},
            {"name": "b", "start_ms": 60000, "end_ms": 180000, "conclusion": "failure"}]
        run = self.ok("POST", "/_forge/run", {"repo": "harbor/tidepool", "branch": "main", "jobs": jobs})["id"]
        self.assertEqual(self.state(run), ("queued", None))
        self.advance(61000)
        self.assertEqual(self.state(run), ("in_progress", None))
        self.advance(60000)
        rows = self.ok("GET", f"{REPO}/actions/runs/{run}/jobs?per_page=1&page=2")
        self.assertEqual((rows["total_count"], [row["status"] for row in rows["jobs"]]), (2, ["in_progress"]))
        self.advance(60000)
        self.assertEqual(self.state(run), ("completed", "failure"))
        self.assertEqual(self.call("POST", f"{REPO}/actions/runs/{run}/rerun").status, 201)
        self.assertEqual(self.state(run)[0], "queued")

    def test_an_endless_job_ends_when_told(self):
        mark = self.marks["runs"]["json-endless"]
        self.assertEqual(self.state(mark["id"]), ("in_progress", None))
        self.assertEqual(self.get(f"{REPO}/actions/jobs/{mark['jobs']['test']}/logs").status, 404)
        self.ok("POST", "/_forge/job", {"id": mark["jobs"]["test"], "conclusion": "failure"})
        self.assertEqual(self.state(mark["id"]), ("completed", "failure"))
        checks = self.ok("GET", f"{REPO}/commits/{mark['sha']}/check-runs")["check_runs"]
        self.assertEqual([row["conclusion"] for row in checks], ["success", "failure"])


class TestFaults(ForgeCase):
    def tearDown(self):
        self.ok("DELETE", "/_forge/faults")

    def fault(self, **fault):
        self.ok("POST", "/_forge/faults", fault)

    def test_status_after_and_times(self):
        self.fault(match={"method": "GET", "path": "/issues/12$"}, after=1, times=2, status=502, body={"message": "oops"},
            headers={"X-Test": "1"})
        replies = [self.get(REPO + "/issues/12") for _ in range(4)]
        self.assertEqual([reply.status for reply in replies], [200, 502, 502, 200])
        self.assertEqual((replies[1].headers["X-Test"], replies[1].json), ("1", {"message": "oops"}))

    def test_by_graphql_operation(self):
        self.fault(match={"op": "PullRequestByNumber"}, status=500)
        self.assertEqual(self.call("POST", "/graphql", {"query": "query Other{viewer{login}}"}).status, 200)
        self.assertEqual(self.call("POST", "/graphql", {"query": "query PullRequestByNumber{viewer{login}}"}).status, 500)

    def test_limits(self):
        self.fault(match={"kind": "rest"}, kind_of="secondary", retry_after=2)
        reply = self.get(REPO)
        self.assertEqual((reply.status, reply.headers["Retry-After"]), (403, "2"))
        self.assertIn("secondary rate limit", reply.json["message"])
        self.fault(match={"kind": "rest"}, kind_of="primary", reset_in=5)
        reply = self.get(REPO)
        self.assertEqual((reply.status, reply.headers["X-RateLimit-Remaining"]), (403, "0"))
        self.assertLessEqual(int(reply.headers["X-RateLimit-Reset"]) - time.time(), 6)
        self.ok("POST", "/_forge/ratelimit", {"who": "alice", "resource": "core", "remaining": 0, "reset_in": 600})
        self.assertEqual(self.get(REPO).status, 403)
        self.ok("POST", "/_forge/clock", {"advance_ms": 601000})
        self.assertEqual(self.get(REPO).status, 200)

    def test_delays_drops_and_cuts(self):
        self.fault(match={"path": "/labels"}, delay_ms=300)
        start = time.monotonic()
        self.get(REPO + "/labels")
        self.assertGreaterEqual(time.monotonic() - start, 0.3)
        for where in ("before", "mid"):
            self.fault(match={"path": "/labels"}, drop=where)
            with self.assertRaises((urllib.error.URLError, ConnectionError, OSError, http.client.HTTPException)):
                self.get(REPO + "/labels")
        self.fault(match={"path": "/labels"}, truncate=10)
        self.assertEqual(len(self.get(REPO + "/labels").data), 10)

    def test_git(self):
        self.fault(match={"kind": "git"}, status=503, times=None)
        self.assertNotEqual(self.git("ls-remote", self.url + "/harbor/tidepool.git", check=False).returncode, 0)

    def test_the_log_has_no_tokens(self):
        self.get("/user", headers={"X-Mark": "here"})
        row = self.log(path="^/user$")[-1]
        self.assertEqual((row["auth"], row["login"], row["status"], row["headers"]["x-mark"]), ("bearer", "alice", 200, "here"))
        self.assertNotIn(ALICE, json.dumps(self.log()))


@unittest.skipUnless(shutil.which("gh"), "gh is not installed")
class TestGh(ForgeCase):
    """The real gh, through the forge's port as a proxy."""

    arguments = ["--web", "https://github.com"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        config = os.path.join(cls.home, "gitconfig")
        with open(config, "w", encoding="utf-8") as file:
            file.write(
                '[url "http://github.localhost/"]\n\tinsteadOf = https://github.com/\n'
                '[credential "http://github.localhost"]\n\thelper =\n\thelper = "!f() { echo username=x-access-token; echo password=$GH_TOKEN; }; f"\n')
        cls.env = {
            **cls.env, "http_proxy": cls.url, "HTTP_PROXY": cls.url, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1",
            "GH_HOST": "github.localhost", "GH_TOKEN": ALICE, "GH_CONFIG_DIR": os.path.join(cls.home, "gh"), "GH_NO_UPDATE_NOTIFIER": "1",
            "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1", "GIT_CONFIG_GLOBAL": config, "GOGC": "off",
        }
        cls.work = os.path.join(cls.home, "tidepool")
        subprocess.run(["git", "clone", "--quiet", "http://github.localhost/harbor/tidepool.git", cls.work], env=cls.env, check=True,
            timeout=30)

    def gh(self, *arguments, status=0, token=ALICE):
        done = subprocess.run(["gh", *arguments], cwd=self.work, env={**self.env, "GH_TOKEN": token}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        return done.stdout if status == 0 else done.stdout + done.stderr

    def gh_json(self, *arguments):
        return json.loads(self.gh(*arguments))

    def test_reading(self):
        fields = "nameWithOwner,description,url,defaultBranchRef,homepageUrl,forkCount,isArchived,isFork,primaryLanguage,repositoryTopics,stargazerCount,updatedAt,viewerPermission,visibility,sshUrl"
        repo = self.gh_json("repo", "view", "--json", fields)
        self.assertEqual((repo["nameWithOwner"], repo["url"], repo["viewerPermission"]),
            ("harbor/tidepool", "https://github.com/harbor/tidepool", "ADMIN"))
        self.assertIn("Tide tables", self.gh("repo", "view", "harbor/tidepool"))
        self.assertIn("alice", self.gh("auth", "status", "--hostname", "github.localhost"))
        fields = (
            "author,baseRefName,body,comments,createdAt,files,headRefName,headRefOid,headRepository,headRepositoryOwner,isCrossRepository,maintainerCanModify,"
            "isDraft,labels,mergeStateStatus,number,reviews,reviewDecision,state,title,updatedAt,url")
        pull = self.gh_json("pr", "view", "9", "--json", fields)
        self.assertEqual((pull["headRefName"], pull["headRepositoryOwner"]["login"], pull["reviewDecision"]),
            ("moon", "lindq", "CHANGES_REQUESTED"))
        self.assertEqual(self.gh_json("pr", "view", "docs/usage", "--json", "number,author")["number"], 7)
        self.assertIn("Add moon phases", self.gh("pr", "view", "9"))
        self.assertIn("Please test it.", self.gh("pr", "view", "9", "--comments"))
        self.assertIn("diff --git a/src/moon.c", self.gh("pr", "diff", "9"))
        self.assertIn("lindq:moon", self.gh("pr", "list"))
        self.assertEqual(self.gh_json("pr", "list", "--state", "merged", "--json", "number"), [{"number": 3}])
        self.assertEqual(self.gh_json("pr", "list", "--search", "moon", "--json", "number"), [{"number": 9}])
        self.assertIn("test\tfail\t1m30s\t", self.gh("pr", "checks", "9", status=1))
        self.assertIn("pending", self.gh("pr", "checks", "11", status=8))
        self.assertIn("Created by you", self.gh("pr", "status"))
        self.assertIn("24:00", self.gh("issue", "view", "12"))
        self.assertIn("tide-bot", self.gh("issue", "view", "12", "--comments"))
        self.assertEqual(len(self.gh_json("issue", "view", "4", "--json", "comments")["comments"]), 45)
        self.assertEqual(self.gh_json("issue", "list", "--label", "bug", "--author", "mara-v", "--json", "number"), [{"number": 12}])
        self.assertIn("number of 999", self.gh("issue", "view", "999", status=1))
        self.assertIn("Could not resolve to a PullRequest with the number of 999.", self.gh("pr", "view", "999", status=1))
        self.assertIn("Could not resolve to a Repository with the name 'harbor/none'.", self.gh("repo", "view", "harbor/none", status=1))

    def test_runs(self):
        run = self.marks["runs"]["moon-failed"]["id"]
        self.assertIn(str(run), self.gh("run", "list"))
        self.assertIn("X test in 1m30s", self.gh("run", "view", str(run)))
        self.assertIn("got 24:00, want 00:00", self.gh("run", "view", str(run), "--log-failed"))
        self.assertIn("Run make", self.gh("run", "view", str(run), "--log"))
        self.assertIn("want 00:00", self.gh("api",
            f"/repos/harbor/tidepool/actions/jobs/{self.marks['runs']['moon-failed']['jobs']['test']}/logs"))
        self.assertFalse([row for row in self.log(kind="blob") if row.get("leaked_auth")])

    def test_api_and_search(self):
        self.assertEqual(self.gh("api", "user", "-q", ".login"), "alice\n")
        found = self.gh("api", "-X", "GET", "/search/issues", "-f", "q=repo:harbor/tidepool is:issue is:open label:bug", "-q",
            ".items[].number")
        self.assertEqual(found, "12\n")
        pages = self.gh("api", "graphql", "--paginate", "-q", ".data.repository.issues.nodes[].number", "-f",
            "query=query($endCursor:String){repository(owner:\"harbor\",name:\"tidepool\"){issues(first:3,after:$endCursor){nodes{number} pageInfo{hasNextPage endCursor}}}}")
        self.assertEqual(pages.split()[:7], ["1", "2", "4", "5", "6", "8", "12"])
        self.assertEqual(len(self.gh("api", "--paginate", "repos/harbor/tidepool/issues/4/comments?per_page=10", "-q", ".[].id").split()),
            45)
        self.assertIn("harbor/tidepool", self.gh("search", "repos", "tide"))
        self.assertIn("src/clock.c", self.gh("search", "code", "clock_add"))
        self.assertIn("midnight", self.gh("search", "commits", "midnight"))
        self.assertIn("Not Found", self.gh("api", "repos/harbor/tidepool/issues/999", status=1))

    def test_writing(self):
        git = lambda *arguments: subprocess.run(["git", *arguments], cwd=self.work, env=self.env, check=True, capture_output=True,
            timeout=30)
        git("switch", "--quiet", "-c", "topic", "origin/main")
        git("commit", "--quiet", "--allow-empty", "-m", "Do it\n\nFor real.")
        git("push", "--quiet", "-u", "origin", "topic")
        url = self.gh("pr", "create", "--fill").strip()
        self.assertTrue(url.startswith("https://github.com/harbor/tidepool/pull/"), url)
        pull = self.gh_json("pr", "view", url.rsplit("/", 1)[1], "--json", "title,body,isDraft")
        self.assertEqual((pull["title"], pull["body"].strip(), pull["isDraft"]), ("Do it", "For real.", False))
        self.assertIn("already exists", self.gh("pr", "create", "--fill", status=1))
        git("switch", "--quiet", "-c", "topic2")
        git("commit", "--quiet", "--allow-empty", "-m", "More")
        git("push", "--quiet", "-u", "origin", "topic2")
        body = os.path.join(self.home, "body.md")
        with open(body, "w", encoding="utf-8") as file:
            file.write("From a file\n")
        number = self.gh("pr", "create", "--repo", "harbor/tidepool", "--title", "T", "--body-file", body, "--base", "main", "--head",
            "topic2", "--draft",
                         "--reviewer", "okoro", "--assignee", "alice", "--label", "bug").strip().rsplit("/", 1)[1]
        pull = self.gh_json("pr", "view", number, "--json", "body,isDraft,labels,assignees,reviewRequests")
        self.assertEqual((pull["body"], pull["isDraft"], pull["labels"][0]["name"], pull["assignees"][0]["login"],
            pull["reviewRequests"][0]["login"]),
                         ("From a file\n", True, "bug", "alice", "okoro"))
        self.gh("pr", "edit", number, "--title", "T2", "--add-label", "enhancement", "--add-reviewer", "okoro")
        self.gh("pr", "ready", number)
        self.gh("pr", "review", number, "--approve", token=OKORO)
        self.gh("pr", "comment", number, "--body", "hi")
        self.gh("pr", "merge", number, "--squash")
        self.assertEqual(self.gh_json("pr", "view", number, "--json", "state,title"), {"state": "MERGED", "title": "T2"})
        issue = self.gh("issue", "create", "--title", "a", "--body", "b", "--label", "bug", "--assignee", "@me").strip()
        self.assertIn("https://github.com/harbor/tidepool/issues/", issue)
        issue = issue.rsplit("/", 1)[1]
        self.assertIn("#issuecomment-", self.gh("issue", "comment", issue, "--body", "hi"))
        self.gh("issue", "edit", issue, "--title", "a2", "--remove-label", "bug")
        self.gh("issue", "close", issue)
        self.assertEqual(self.gh_json("issue", "view", issue, "--json", "state,title,labels"),
            {"state": "CLOSED", "title": "a2", "labels": []})
        self.assertIn("Resource not accessible", self.gh("issue", "comment", "12", "--body", "no", status=1, token=READ_ONLY))
        clone = os.path.join(self.home, "clone")
        self.gh("repo", "clone", "harbor/tidepool", clone)
        self.assertTrue(os.path.exists(os.path.join(clone, "Makefile")))


class TestLife(ForgeCase):
    """Starting and ending; what is left behind."""

    def folders(self):
        return [name for name in os.listdir(self.env["TMPDIR"]) if name.startswith("kedge-forge-")]

    def test_ends_on_sigterm_with_its_parent_and_in_time(self):
        base = len(self.folders())
        log = os.path.join(self.home, "log.jsonl")
        server, url = self.start("--log", log)
        self.opener.open(url + "/repos/harbor/tidepool", timeout=10).read()
        self.assertEqual(len(self.folders()), base + 1)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(5), 0)
        self.assertEqual(len(self.folders()), base)
        with open(log, encoding="utf-8") as file:
            self.assertEqual(json.loads(file.readline())["path"], "/repos/harbor/tidepool")
        parent = subprocess.Popen(["sleep", "60"])
        server, _ = self.start("--parent", str(parent.pid))
        parent.kill()
        parent.wait()
        self.assertEqual(server.wait(5), 0)
        server, _ = self.start("--ttl", "0.3")
        self.assertEqual(server.wait(5), 0)
        self.assertEqual(len(self.folders()), base)
        self.assertEqual(sorted(name for name in os.listdir(self.home) if not name.startswith(("ready-", "log"))), ["tmp"])

    def test_seeds(self):
        _, url = self.start("--seed", "small")
        marks = json.loads(self.opener.open(url + "/_forge/marks", timeout=10).read())
        self.assertEqual(list(marks["branches"]), ["harbor/tidepool"])
        seed = {
            "users": [{"login": "zed"}], "tokens": [{"token": "t", "login": "zed"}],
            "repos": [{"full_name": "zed/z", "created": "2025-01-01T00:00:00Z", "issues": [
                {"number": 3, "title": "t", "body": "b", "author": "zed", "created": "2025-01-01T00:00:00Z"}]}],
        }
        path = os.path.join(self.home, "ready-seed.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(seed, file)
        _, url = self.start("--seed", path)
        self.assertEqual(json.loads(self.opener.open(url + "/repos/zed/z/issues/3", timeout=10).read())["title"], "t")


if __name__ == "__main__":
    unittest.main()
