#!/usr/bin/env python3
"""The tokens of jobs: each writes what its permissions say, as github-actions, and nothing else."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from forge.testcase import ForgeCase

REPO = "/repos/harbor/tidepool"


class Jobs(ForgeCase):
    def token(self, **permissions):
        token = "ghs_Forge" + "-".join(f"{key}{value}" for key, value in sorted(permissions.items())).ljust(30, "0")
        permissions = {key.replace("_", "-"): value for key, value in permissions.items()}
        self.ok("POST", "/_forge/token", {"token": token, "login": "github-actions", "permissions": permissions}, token=None)
        return token

    def status(self, token, method, path, body=None):
        return self.call(method, REPO + path, body, token=token).status

    def test_reading_only(self):
        token = self.token(contents="read", issues="read")
        self.assertEqual(self.status(token, "GET", "/issues/12"), 200)
        for method, path, body in (("POST", "/issues/12/comments", {"body": "x"}), ("POST", "/issues", {"title": "x"}), ("POST", "/labels", {"name": "x"}),
                                   ("PATCH", "/pulls/7", {"title": "x"}), ("POST", "/issues/12/reactions", {"content": "eyes"})):
            reply = self.call(method, REPO + path, body, token=token)
            self.assertEqual((reply.status, reply.json["message"]), (403, "Resource not accessible by integration"), path)

    def test_each_permission_is_its_own(self):
        issues, pulls = self.token(issues="write"), self.token(pull_requests="write")
        self.assertEqual(self.status(issues, "POST", "/issues/12/comments", {"body": "x"}), 201)
        self.assertEqual(self.status(pulls, "POST", "/issues/12/comments", {"body": "x"}), 403)
        self.assertEqual(self.status(pulls, "POST", "/issues/7/comments", {"body": "x"}), 201)
        self.assertEqual(self.status(issues, "PATCH", "/pulls/7", {"title": "x"}), 403)
        self.assertEqual(self.status(pulls, "PATCH", "/pulls/7", {"title": "Say what the table means"}), 200)

    def test_who_speaks(self):
        comment = self.ok("POST", REPO + "/issues/12/comments", {"body": "x"}, token=self.token(issues="write"))
        self.assertEqual((comment["user"]["login"], comment["user"]["type"]), ("github-actions[bot]", "Bot"))

    def test_pushes(self):
        self.git("clone", "-q", self.url + "/harbor/tidepool.git", "work")
        work = os.path.join(self.home, "work")
        for permissions, code in (({"contents": "read"}, 128), ({"pull_requests": "write"}, 128), ({"contents": "write"}, 0)):
            done = self.git("push", "-q", "origin", "HEAD:refs/heads/by-a-job", cwd=work, check=False, token=self.token(**permissions))
            self.assertEqual(done.returncode, code, done.stderr)


if __name__ == "__main__":
    unittest.main()
