#!/usr/bin/env python3
"""Clients that are not ours against `--mode rpc` and `kedge acp`: packages of npm, where tools/npm-peers has fetched them.

Environment: KEDGE, the binary; KEDGE_NPM, the folder with node_modules (default: npm beside the binary).
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import COMMENT, KEDGE, WAIT, RpcTest  # noqa: E402

PEERS = pathlib.Path(__file__).resolve().parent / "peers"
MODULES = pathlib.Path(os.environ.get("KEDGE_NPM", pathlib.Path(KEDGE).resolve().parent / "npm")) / "node_modules"


class Peers(RpcTest):
    def run_peer(self, program, script, module):
        path = MODULES / module
        if not shutil.which(program) or not path.exists():
            self.skipTest(f"no {program}, or no {path} (tools/npm-peers)")
        self.add_gh()
        environment = {"HOME": self.root, "PATH": f"{self.root}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TMPDIR": self.root, **self.environment()}
        done = subprocess.run([program, PEERS / script, path, KEDGE], env=environment, cwd=self.root, capture_output=True, text=True,
                              timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-4000:])

    def test_pi(self):
        wait = {"name": "bash", "arguments": {"command": "until [ -e \"$HOME/go\" ]; do sleep 0.05; done"}}
        self.script({"text": "one"}, {"tool_calls": [wait]}, {"text": "two"}, {"text": "three"},
                    {"when": {"last_user_contains": "slow"}, "text": "slow", "stall_after": 3}, {"text": "## Goal\nwords", "repeat": 5})
        self.run_peer("node", "pi.mjs", "@mariozechner/pi-coding-agent/dist/modes/rpc/rpc-client.js")

    def test_pi_opens_sessions(self):
        """However they end; it writes its page from all that is in them."""
        cli = MODULES / "@mariozechner/pi-coding-agent/dist/cli.js"
        if not shutil.which("node") or not cli.exists():
            self.skipTest(f"no node, or no {cli} (tools/npm-peers)")
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": "touch running; sleep 60"}}]},
                    {"status": 401}, {"text": "words of the third"})
        client = self.client("--allow-writes")
        client.get("prompt", message="one")
        client.wait_for_file("running")
        client.get("abort")
        client.event("agent_end")
        client.prompt("two")
        client.prompt("three")
        client.process.kill()
        client.process.wait()
        page = pathlib.Path(self.root, "page.html")
        done = subprocess.run(["node", cli, "--export", self.session_files()[0], page], env={"HOME": self.root, "PATH": os.environ["PATH"], "PI_OFFLINE": "1"},
                              capture_output=True, text=True, timeout=WAIT, check=False)
        self.assertEqual((done.returncode, page.exists()), (0, True), done.stderr)

    def test_acp(self):
        def when(words, **turn):
            return {"when": {"last_user_contains": words}, "repeat": True, **turn}
        self.script(when("think about it", thinking="hm", text="Hello there"),
                    when("again", text="once more"), when("slow", text="slow", stall_after=3),
                    when("fail", status=400, error={"type": "invalid_request_error", "message": "no such luck"}),
                    {"tool_calls": [{"name": "bash", "arguments": {"command": "echo made"}}]}, {"text": "ran"},
                    {"tool_calls": [COMMENT]}, {"text": "no"}, {"tool_calls": [COMMENT]}, {"text": "no"}, {"tool_calls": [COMMENT]}, {"text": "yes"})
        self.run_peer("node", "acp.mjs", "@agentclientprotocol/sdk/dist/v1/stable/acp.js")


if __name__ == "__main__":
    unittest.main()
