"""ForgeCase: a unittest.TestCase that starts a forge for its class and talks to it.

Used by ../test_forge.py; any other test in Python may use it. Each class gets a
private HOME in a temporary directory, which is gone at the end, as is the server.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

SERVERS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ALICE = "ghp_ForgeAlice00000000000000000000000001"
PATH = os.environ.get("PATH", "/usr/bin:/bin")


class Reply:
    def __init__(self, status, headers, data):
        self.status, self.headers, self.data = status, headers, data

    @property
    def json(self):
        return json.loads(self.data)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


class ForgeCase(unittest.TestCase):
    """Starts a forge for the class; `self.get` and friends talk to it as alice."""

    arguments = []

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="test-forge-")
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        os.makedirs(os.path.join(cls.home, "tmp"))
        cls.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect)
        cls.env = {
            "PATH": PATH, "HOME": cls.home, "TMPDIR": os.path.join(cls.home, "tmp"), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": "Alice Forge", "GIT_AUTHOR_EMAIL": "alice@example.com",
            "GIT_COMMITTER_NAME": "Alice Forge", "GIT_COMMITTER_EMAIL": "alice@example.com",
        }
        cls.server, cls.url = cls.start(*cls.arguments)
        cls.marks = json.loads(cls.opener.open(cls.url + "/_forge/marks", timeout=10).read())

    @classmethod
    def start(cls, *arguments):
        ready = os.path.join(cls.home, f"ready-{time.monotonic_ns()}")
        command = [sys.executable, os.path.join(SERVERS, "forge.py"), "--ready", ready, "--parent", str(os.getpid()), *arguments]
        kept = {"PYTHONPYCACHEPREFIX": sys.pycache_prefix} if sys.pycache_prefix else {}
        server = subprocess.Popen(command, env={**cls.env, **kept}, stdin=subprocess.DEVNULL)
        cls.addClassCleanup(cls.stop, server)
        for _ in range(600):
            if os.path.exists(ready):
                with open(ready, encoding="utf-8") as file:
                    row = json.load(file)
                assert row["ready"] and row["pid"] == server.pid
                return server, row["url"]
            if server.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError("the forge did not start")

    @staticmethod
    def stop(server):
        if server.poll() is None:
            server.terminate()
            server.wait(60)  # it deletes its repositories first, which takes its time on a busy disk

    def call(self, method, path, body=None, token=ALICE, headers=None):
        url = path if "://" in path else self.url + path
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = "Bearer " + token
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with self.opener.open(request, timeout=20) as reply:
                return Reply(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            return Reply(error.code, error.headers, error.read())

    def get(self, path, **kwargs):
        return self.call("GET", path, **kwargs)

    def ok(self, method, path, body=None, **kwargs):
        reply = self.call(method, path, body, **kwargs)
        self.assertLess(reply.status, 300, reply.data)
        return reply.json if reply.data else None

    def graphql(self, query, token=ALICE, **variables):
        return self.ok("POST", "/graphql", {"query": query, "variables": variables}, token=token)

    def log(self, since=0, **filters):
        return self.ok("GET", f"/_forge/log?since={since}&" + urllib.parse.urlencode(filters))

    def last_n(self):
        return max((row["n"] for row in self.log()), default=0)

    def git(self, *arguments, cwd=None, check=True, token=ALICE):
        helper = "!f() { echo username=x-access-token; echo password=%s; }; f" % token
        command = ["git", "-c", "credential.helper=", "-c", "credential.helper=" + helper, *arguments]
        done = subprocess.run(command, cwd=cwd or self.home, env=self.env, capture_output=True, text=True, timeout=60)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done
