#!/usr/bin/env python3
"""Tests of the forge's reviews, their comments and reactions, on the seed `rp1` (forge/rp1.py).

Run with `python3 tests/servers/test_forge_reviews.py [-v] [TestName]`.
"""

import sys

sys.dont_write_bytecode = not sys.pycache_prefix

import unittest

from forge.testcase import ForgeCase

OKORO = "ghp_ForgeOkoro00000000000000000000000002"
LINDQ = "ghp_ForgeLindq00000000000000000000000003"
READ_ONLY = "github_pat_ForgeReadOnly000000000_" + "0" * 58 + "4"
REPO = "/repos/rp1-run/rp1"
PULL = REPO + "/pulls/42"
PENDING = "User can only have one pending review per pull request"


class ReviewCase(ForgeCase):
    arguments = ["--seed", "rp1"]

    def refusal(self, path, body, **kwargs):
        """The errors of a POST that must be refused with 422, as text."""
        reply = self.call("POST", path, body, **kwargs)
        self.assertEqual(reply.status, 422, reply.data)
        return [row if isinstance(row, str) else row.get("message", row["code"]) for row in reply.json["errors"]]


class TestExamples(ReviewCase):
    """What the documented calls send and get."""

    def test_comments(self):
        comment, = self.ok("GET", PULL + "/comments?per_page=100&sort=created&direction=asc")
        self.assertEqual([comment[key] for key in ("id", "path", "line", "created_at", "side", "subject_type")],
            [123456, "src/auth.ts", 67, "2026-01-11T10:30:00Z", "RIGHT", "line"])
        self.assertEqual(comment["user"]["login"], "reviewer")
        issue, = self.ok("GET", REPO + "/issues/42/comments?per_page=100")
        self.assertEqual((issue["id"], issue["user"]["login"], issue["body"]), (789012, "contributor", "Ready for review!"))
        self.assertEqual(self.ok("GET", REPO + "/pulls/comments/123456")["pull_request_url"].rsplit("/", 1)[1], "42")
        self.assertEqual(self.get(REPO + "/pulls/comments/789012").status, 404)
        self.assertEqual(self.ok("GET", REPO + "/issues/comments/789012")["id"], 789012)

    def test_review(self):
        body = {"body": "Looks good", "event": "COMMENT", "comments": [
            {"path": "src/auth.ts", "line": 67, "side": "RIGHT", "body": "Consider validating input here."}]}
        made = self.ok("POST", PULL + "/reviews", body)
        self.assertEqual((made["state"], made["html_url"].rsplit("#", 1)[1]), ("COMMENTED", f"pullrequestreview-{made['id']}"))
        rows = self.ok("GET", f"{PULL}/reviews/{made['id']}/comments")
        self.assertEqual([row["line"] for row in rows], [67])

    def test_reaction(self):
        path = REPO + "/pulls/comments/123456/reactions"
        first = self.call("POST", path, {"content": "+1"})
        again = self.call("POST", path, {"content": "+1"})
        self.assertEqual((first.status, again.status, first.json["id"]), (201, 200, again.json["id"]))
        self.assertEqual([row["content"] for row in self.ok("GET", path)], ["+1"])
        self.assertEqual(self.call("POST", REPO + "/issues/comments/123456/reactions", {"content": "+1"}).status, 404)
        self.assertEqual(self.call("POST", REPO + "/issues/comments/789012/reactions", {"content": "eyes"}).status, 201)
        self.refusal(path, {"content": "thumbsup"})

    def test_reply(self):
        reply = self.ok("POST", PULL + "/comments/123456/replies", {"body": "More context"})
        self.assertEqual((reply["in_reply_to_id"], reply["html_url"].rsplit("#", 1)[1]), (123456, f"discussion_r{reply['id']}"))
        self.refusal(f"{PULL}/comments/{reply['id']}/replies", {"body": "and more"})
        self.assertEqual(self.call("POST", PULL + "/comments/789012/replies", {"body": "x"}).status, 404)
        since = self.ok("GET", PULL + "/comments?since=" + reply["created_at"])
        self.assertIn(reply["id"], [row["id"] for row in since])
        self.assertNotIn(123456, [row["id"] for row in self.ok("GET", PULL + "/comments?since=2999-01-01T00:00:00Z")])

    def test_files(self):
        rows = {row["filename"]: row for row in self.ok("GET", PULL + "/files?per_page=100")}
        self.assertEqual(rows["src/auth.ts"]["patch"].count("@@ -"), 2)
        self.assertNotIn("patch", rows["logo.bin"])
        self.assertEqual(rows["src/units.ts"]["previous_filename"], "src/util.ts")


class TestPlaces(ReviewCase):
    """Which lines may carry a comment, and how others are refused."""

    def review(self, **comment):
        return {"body": "b", "event": "COMMENT", "comments": [{"path": "src/auth.ts", "body": "c", **comment}]}

    def test_reviews(self):
        cases = [
            ({"line": 9}, None), ({"line": 12}, None), ({"line": 12, "side": "LEFT"}, None), ({"line": 70}, None),
            ({"line": 8}, "Line could not be resolved"), ({"line": 20}, "Line could not be resolved"),
            ({"line": 72}, "Line could not be resolved"), ({"path": "src/none.ts", "line": 1}, "Path could not be resolved"),
            ({"path": "logo.bin", "line": 1}, "Line could not be resolved"),
            ({"path": "src/units.ts", "line": 20}, None),
            ({"line": 67, "start_line": 65, "start_side": "RIGHT"}, None),
            ({"line": 67, "start_line": 12}, "Start line must be part of the same hunk as the line."),
            ({"line": 67, "start_line": 67}, "Start line must be part of the same hunk as the line."),
        ]
        for comment, error in cases:
            with self.subTest(comment=comment):
                before = len(self.ok("GET", PULL + "/reviews?per_page=100"))
                body = self.review(**comment)
                if error:
                    self.assertEqual(self.refusal(PULL + "/reviews", body), [error])
                else:
                    self.ok("POST", PULL + "/reviews", body)
                self.assertEqual(len(self.ok("GET", PULL + "/reviews?per_page=100")), before + (error is None))

    def test_one_bad_line_refuses_all(self):
        before = len(self.ok("GET", PULL + "/comments"))
        body = self.review(line=67)
        body["comments"].append({"path": "src/auth.ts", "line": 900, "body": "c"})
        self.refusal(PULL + "/reviews", body)
        self.assertEqual(len(self.ok("GET", PULL + "/comments")), before)

    def test_single_comments(self):
        head = self.ok("GET", PULL)["head"]["sha"]
        base = {"commit_id": head, "path": "src/auth.ts", "body": "c"}
        made = self.ok("POST", PULL + "/comments", {**base, "line": 67, "side": "RIGHT"})
        self.assertEqual((made["line"], made["subject_type"]), (67, "line"))
        made = self.ok("POST", PULL + "/comments", {**base, "subject_type": "file"})
        self.assertEqual((made["line"], made["subject_type"]), (None, "file"))
        made = self.ok("POST", PULL + "/comments", {**base, "path": "logo.bin", "subject_type": "file"})
        self.assertEqual(made["path"], "logo.bin")
        self.assertEqual(self.refusal(PULL + "/comments", {**base, "line": 900}),
            ["pull_request_review_thread.line must be part of the diff"])
        self.assertEqual(self.refusal(PULL + "/comments", {**base, "line": 67, "commit_id": "0" * 40}),
            ["commit_id is not part of the pull request"])
        self.assertEqual(self.refusal(PULL + "/comments", base), ["missing_field"])

    def test_other_refusals(self):
        self.assertEqual(self.refusal(PULL + "/reviews", {"event": "COMMENT"}), ["Review Body can't be blank"])
        self.assertEqual(self.refusal(PULL + "/reviews", {"event": "SHOUT", "body": "x"}), ["invalid"])
        self.assertEqual(self.refusal(PULL + "/reviews", {"event": "COMMENT", "body": "x" * 65537}),
            ["Body is too long (maximum is 65536 characters)"])
        self.assertEqual(self.call("POST", PULL + "/reviews", {"event": "APPROVE"}, token=READ_ONLY).status, 403)
        self.assertEqual(self.ok("POST", PULL + "/reviews", {"event": "APPROVE"}, token=LINDQ)["body"], "")
        control = {"token": "contributors", "login": "contributor"}
        self.ok("POST", "/_forge/token", control, token=None)
        self.assertEqual(self.refusal(PULL + "/reviews", {"event": "APPROVE"}, token="contributors"),
            ["Review Can not approve your own pull request"])


class TestPending(ReviewCase):
    def test_pending_review(self):
        body = {"body": "draft", "comments": [{"path": "src/auth.ts", "line": 66, "body": "not sent"}]}
        pending = self.ok("POST", PULL + "/reviews", body)
        self.assertEqual(pending["state"], "PENDING")
        self.assertNotIn("submitted_at", pending)
        ids = lambda **kwargs: [row["id"] for row in self.ok("GET", PULL + "/reviews", **kwargs)]
        self.assertIn(pending["id"], ids())
        self.assertNotIn(pending["id"], ids(token=OKORO))
        self.assertEqual(self.get(f"{PULL}/reviews/{pending['id']}", token=OKORO).status, 404)
        self.assertNotIn("not sent", [row["body"] for row in self.ok("GET", PULL + "/comments")])
        comments = self.ok("GET", f"{PULL}/reviews/{pending['id']}/comments")
        self.assertEqual([row["body"] for row in comments], ["not sent"])

        self.assertEqual(self.refusal(PULL + "/reviews", {"event": "COMMENT", "body": "x"}), [PENDING])
        text = "user_id can only have one pending review per pull request"
        self.assertEqual(self.refusal(PULL + "/comments/123456/replies", {"body": "x"}), [text])
        self.assertEqual(self.refusal(PULL + "/comments", {"path": "src/auth.ts", "line": 67, "body": "x"}), [text])
        self.ok("POST", PULL + "/reviews", {"event": "COMMENT", "body": "x"}, token=OKORO)

        self.assertEqual(self.call("DELETE", f"{PULL}/reviews/{pending['id']}", token=OKORO).status, 404)
        self.ok("DELETE", f"{PULL}/reviews/{pending['id']}")
        self.assertNotIn(pending["id"], ids())
        sent = self.ok("POST", PULL + "/reviews", {"event": "COMMENT", "body": "x"})
        self.assertEqual(self.call("DELETE", f"{PULL}/reviews/{sent['id']}").status, 422)

    def test_sent_later(self):
        pending = self.ok("POST", PULL + "/reviews", {"body": "draft"}, token=LINDQ)
        path = f"{PULL}/reviews/{pending['id']}/events"
        sent = self.ok("POST", path, {"event": "APPROVE", "body": "fine"}, token=LINDQ)
        self.assertEqual((sent["state"], sent["body"], "submitted_at" in sent), ("APPROVED", "fine", True))
        self.assertEqual(self.refusal(path, {"event": "COMMENT"}, token=LINDQ), ["Can not submit a review that is not pending"])

    def test_edit_and_delete(self):
        review = self.ok("POST", PULL + "/reviews", {"event": "COMMENT", "body": "x"}, token=OKORO)
        self.assertEqual(self.ok("PUT", f"{PULL}/reviews/{review['id']}", {"body": "y"}, token=OKORO)["body"], "y")
        self.assertEqual(self.call("PUT", f"{PULL}/reviews/{review['id']}", {"body": "z"}, token=LINDQ).status, 403)
        comment = self.ok("POST", PULL + "/comments/123456/replies", {"body": "x"}, token=OKORO)
        path = f"{REPO}/pulls/comments/{comment['id']}"
        self.assertEqual(self.ok("PATCH", path, {"body": "y"}, token=OKORO)["body"], "y")
        self.assertEqual(self.call("DELETE", path, token=LINDQ).status, 403)
        self.assertEqual(self.call("DELETE", path, token=OKORO).status, 204)
        self.assertEqual(self.get(path).status, 404)


class TestGraphql(ReviewCase):
    """The mutations of reviews: what is begun, added to, sent, resolved, and by whom."""

    def setUp(self):
        super().setUp()
        for row in self.ok("GET", PULL + "/reviews?per_page=100"):
            if row["state"] == "PENDING":
                self.ok("DELETE", f"{PULL}/reviews/{row['id']}")

    def pull(self, **kwargs):
        query = """query($n: Int!) { repository(owner: "rp1-run", name: "rp1") { pullRequest(number: $n) { id headRefOid viewerDidAuthor
            reviews(first: 10, states: [PENDING]) { nodes { id body state viewerDidAuthor comments(first: 5) { totalCount nodes { body path } } } }
            reviewThreads(first: 20) { nodes { id isResolved path line startLine diffSide startDiffSide subjectType viewerCanResolve
                viewerCanUnresolve pullRequest { id } comments(first: 10) { totalCount nodes { body state isMinimized } } } } } } }"""
        return self.graphql(query, n=42, **kwargs)["data"]["repository"]["pullRequest"]

    def mutate(self, name, payload, token=None, **given):
        query = "mutation($input: %sInput!) { %s(input: $input) { %s } }" % (name[0].upper() + name[1:], name, payload)
        kwargs = {"token": token} if token else {}
        return self.graphql(query, input=given, **kwargs)

    def refused(self, text, name, payload, token=None, **given):
        answer = self.mutate(name, payload, token, **given)
        self.assertIsNone(answer["data"][name])
        self.assertIn(text, answer["errors"][0]["message"])

    def pending(self, **kwargs):
        self.ok("POST", PULL + "/reviews", {"body": "draft"}, **kwargs)
        review, = self.pull(**kwargs)["reviews"]["nodes"]
        return review

    def test_thread_of_a_pending_review(self):
        review = self.pending()
        payload = "thread { id path line startLine diffSide startDiffSide subjectType comments(first: 5) { nodes { body state } } }"
        made = self.mutate("addPullRequestReviewThread", payload, pullRequestReviewId=review["id"], path="src/auth.ts", body="c",
            line=67, side="RIGHT", startLine=65, startSide="RIGHT")["data"]["addPullRequestReviewThread"]["thread"]
        self.assertEqual((made["line"], made["startLine"], made["startDiffSide"], made["comments"]["nodes"]),
            (67, 65, "RIGHT", [{"body": "c", "state": "PENDING"}]))
        file = self.mutate("addPullRequestReviewThread", payload, pullRequestReviewId=review["id"], path="logo.bin", body="c",
            subjectType="FILE")["data"]["addPullRequestReviewThread"]["thread"]
        self.assertEqual((file["line"], file["subjectType"]), (None, "FILE"))
        self.assertEqual(self.pull()["reviews"]["nodes"][0]["comments"]["totalCount"], 2)
        self.assertNotIn(made["id"], [row["id"] for row in self.pull(token=OKORO)["reviewThreads"]["nodes"]])
        outside = self.mutate("addPullRequestReviewThread", payload, pullRequestReviewId=review["id"], path="src/auth.ts", body="c", line=900)
        self.assertEqual(outside["data"]["addPullRequestReviewThread"], {"thread": None})

        self.refused("global id", "submitPullRequestReview", "pullRequestReview { id }", OKORO, pullRequestReviewId=review["id"], event="COMMENT")
        sent = self.mutate("submitPullRequestReview", "pullRequestReview { state body comments(first: 5) { totalCount } }",
            pullRequestReviewId=review["id"], event="REQUEST_CHANGES", body="no")["data"]["submitPullRequestReview"]["pullRequestReview"]
        self.assertEqual(sent, {"state": "CHANGES_REQUESTED", "body": "no", "comments": {"totalCount": 2}})
        self.assertEqual(self.pull()["reviews"]["nodes"], [])
        self.assertIn(made["id"], [row["id"] for row in self.pull(token=OKORO)["reviewThreads"]["nodes"]])
        self.refused("not pending", "submitPullRequestReview", "pullRequestReview { id }", pullRequestReviewId=review["id"], event="COMMENT")

    def test_without_a_review_one_is_begun(self):
        self.mutate("addPullRequestReviewThread", "thread { id }", pullRequestId=self.pull()["id"], path="src/auth.ts", body="c", line=67)
        self.assertEqual([row["comments"]["totalCount"] for row in self.pull()["reviews"]["nodes"]], [1])
        self.mutate("submitPullRequestReview", "pullRequestReview { id }", pullRequestId=self.pull()["id"], event="COMMENT")
        self.assertEqual(self.pull()["reviews"]["nodes"], [])
        self.refused("pending review", "submitPullRequestReview", "pullRequestReview { id }", pullRequestId=self.pull()["id"], event="COMMENT")

    def test_replies(self):
        thread = self.pull()["reviewThreads"]["nodes"][0]
        count = thread["comments"]["totalCount"]
        reply = self.mutate("addPullRequestReviewThreadReply", "comment { body state }", pullRequestReviewThreadId=thread["id"], body="yes")
        self.assertEqual(reply["data"]["addPullRequestReviewThreadReply"]["comment"], {"body": "yes", "state": "SUBMITTED"})
        self.refused("blank", "addPullRequestReviewThreadReply", "comment { id }", pullRequestReviewThreadId=thread["id"], body=" ")
        self.refused("too long", "addPullRequestReviewThreadReply", "comment { id }", pullRequestReviewThreadId=thread["id"], body="x" * 65537)

        review = self.pending()  # beside it, named or not, a reply is not sent
        for body, named in (("one", {"pullRequestReviewId": review["id"]}), ("two", {})):
            reply = self.mutate("addPullRequestReviewThreadReply", "comment { state }", pullRequestReviewThreadId=thread["id"], body=body, **named)
            self.assertEqual(reply["data"]["addPullRequestReviewThreadReply"]["comment"]["state"], "PENDING")
        self.assertEqual(self.pull()["reviewThreads"]["nodes"][0]["comments"]["totalCount"], count + 3)
        self.assertEqual(self.pull(token=OKORO)["reviewThreads"]["nodes"][0]["comments"]["totalCount"], count + 1)

    def test_resolving(self):
        thread = self.pull()["reviewThreads"]["nodes"][0]
        self.assertEqual((thread["isResolved"], thread["viewerCanResolve"], thread["viewerCanUnresolve"]), (False, True, False))
        self.refused("correct permissions", "resolveReviewThread", "thread { id }", LINDQ, threadId=thread["id"])
        done = self.mutate("resolveReviewThread", "thread { isResolved resolvedBy { login } pullRequest { number } }", threadId=thread["id"])
        self.assertEqual(done["data"]["resolveReviewThread"]["thread"],
            {"isResolved": True, "resolvedBy": {"login": "alice"}, "pullRequest": {"number": 42}})
        self.assertTrue(self.pull()["reviewThreads"]["nodes"][0]["viewerCanUnresolve"])
        self.mutate("unresolveReviewThread", "thread { id }", threadId=thread["id"])
        self.assertFalse(self.pull()["reviewThreads"]["nodes"][0]["isResolved"])

    def test_review(self):
        self.ok("POST", "/_forge/token", {"token": "contributors", "login": "contributor"}, token=None)
        pull = self.pull(token="contributors")
        self.assertTrue(pull["viewerDidAuthor"])
        self.refused("your own", "addPullRequestReview", "pullRequestReview { id }", "contributors", pullRequestId=pull["id"], event="APPROVE")
        self.pending()
        self.refused("one pending review", "addPullRequestReview", "pullRequestReview { id }", pullRequestId=pull["id"], event="APPROVE")

    def test_minimized(self):
        self.ok("POST", "/_forge/minimize", {"repo": "rp1-run/rp1", "id": 123456}, token=None)
        self.assertTrue(self.pull()["reviewThreads"]["nodes"][0]["comments"]["nodes"][0]["isMinimized"])


if __name__ == "__main__":
    unittest.main()
