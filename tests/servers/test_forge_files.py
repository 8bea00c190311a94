#!/usr/bin/env python3
"""Tests of the forge's files: artifacts of runs, assets of releases, images.

Run with `python3 tests/servers/test_forge_files.py [-v] [TestName]`.
"""

import sys

sys.dont_write_bytecode = not sys.pycache_prefix

import hashlib
import unittest

from forge.testcase import ForgeCase

REPO = "/repos/harbor/tidepool"


class TestFiles(ForgeCase):
    def test_files_are_behind_a_redirect(self):
        run = self.marks["runs"]["main-failed"]["id"]
        rows = self.ok("GET", f"{REPO}/actions/runs/{run}/artifacts")
        self.assertEqual([row["name"] for row in rows["artifacts"]], ["logs", "old", "../evil"])
        self.assertEqual(rows["total_count"], 3)
        one = self.ok("GET", f"{REPO}/actions/runs/{run}/artifacts?name=old")
        self.assertEqual([row["expired"] for row in one["artifacts"]], [True])
        assets = self.ok("GET", f"{REPO}/releases/latest")["assets"]
        self.assertEqual([row["name"] for row in assets], ["tidepool.tar", "notes.txt", "broken.bin"])
        kept = rows["artifacts"][0]
        paths = [(f"{REPO}/actions/artifacts/{kept['id']}/zip", None, kept),
            (f"{REPO}/releases/assets/{assets[0]['id']}", "application/octet-stream", assets[0])]
        for path, accept, row in paths:
            reply = self.call("GET", path, headers={"Accept": accept} if accept else None)
            self.assertEqual(reply.status, 302)
            self.assertEqual(self.call("GET", reply.headers["Location"]).status, 400)
            data = self.call("GET", reply.headers["Location"], token=None).data
            self.assertEqual("sha256:" + hashlib.sha256(data).hexdigest(), row["digest"])
        self.assertEqual(self.get(f"{REPO}/actions/artifacts/{kept['id'] + 1}/zip").status, 410)
        self.assertEqual(self.get(f"{REPO}/actions/artifacts/{kept['id']}/zip", token=None).status, 401)
        self.assertEqual(self.ok("GET", f"{REPO}/releases/assets/{assets[0]['id']}")["name"], "tidepool.tar")

    def test_images_need_a_login(self):
        self.assertEqual(self.get("/user-attachments/assets/moon", token=None).status, 401)
        reply = self.get("/user-attachments/assets/moon")
        self.assertEqual(reply.status, 302)
        self.assertTrue(self.get(reply.headers["Location"], token=None).data.startswith(b"\x89PNG"))


if __name__ == "__main__":
    unittest.main()
