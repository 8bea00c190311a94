#!/usr/bin/env python3
"""The agent-tools operations over `kedge mcp`, and that flags, schemas, help and MCP say the same (agent-tools-cli §1).

Needs jsonschema (Debian: python3-jsonschema). Environment: KEDGE, the binary.
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import jsonschema

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import KEDGE, Client  # noqa: E402

NAMES = [
    "emit", "emit_resume_run", "emit_end_run", "emit_get_run", "emit_list_runs", "emit_events", "emit_workflow",
    "feedback_read", "feedback_resolve", "feedback_reply", "feedback_accept_edit", "feedback_reopen", "feedback_reject_edit",
    "github_pr_submit_review", "github_pr_add_reaction", "github_pr_reply_comment", "github_pr_fetch_comments",
    "task_create", "task_list", "task_pickup", "task_complete", "task_fail", "task_cancel", "task_get",
    "task_heartbeat", "task_release", "task_retry", "task_stats", "task_prune",
    "rp1_root_dir", "comment_extract", "mmd_validate",
]
BEYOND = ["emit_export"]
WRITES = {"github_pr_submit_review", "github_pr_add_reaction", "github_pr_reply_comment", "feedback_accept_edit", "feedback_reject_edit"}
READ_ONLY = {"emit_get_run", "emit_list_runs", "emit_events", "emit_workflow", "emit_export", "feedback_read", "github_pr_fetch_comments",
             "task_list", "task_get", "task_stats", "rp1_root_dir", "comment_extract", "mmd_validate"}
DESTROY = {"task_cancel", "feedback_accept_edit", "feedback_reject_edit", "task_prune"}
IDEMPOTENT = {"github_pr_add_reaction", "feedback_resolve", "task_heartbeat"}


class AgentToolsTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="kedge-mcp-tools-")))
        self.addCleanup(shutil.rmtree, self.root)

    def client(self, *args):
        client = Client(str(self.root), ["--tools", "agent-tools", *args])
        self.addCleanup(client.close)
        return client

    def cli(self, *words, stdin=b""):
        """(exit code, envelope) of `kedge agent-tools …`."""
        environment = {"HOME": str(self.root), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
                       **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
        (self.root / "w").mkdir(exist_ok=True)
        done = subprocess.run([KEDGE, "agent-tools", *words], cwd=self.root / "w", env=environment, input=stdin,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.stderr, b"", words)
        envelope = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if envelope["success"] else 1, envelope)
        return envelope

    def operations(self):
        return self.cli("--list")["data"]["tools"]

    def test_a15_names_and_annotations(self):
        listed = {tool["name"]: tool for tool in self.client().request("tools/list")["result"]["tools"]}
        self.assertEqual(sorted(listed), sorted(NAMES + BEYOND))
        for name, tool in listed.items():
            hints = tool["annotations"]
            with self.subTest(name):
                self.assertEqual(hints["readOnlyHint"], name in READ_ONLY)
                # what a hint is when it is left out: the protocol's default
                self.assertEqual(hints.get("openWorldHint", True), name.startswith("github_pr_"))
                if name in READ_ONLY:  # the other two mean nothing here
                    continue
                self.assertEqual(hints["destructiveHint"], name in DESTROY)
                self.assertEqual(hints.get("idempotentHint", False), name in IDEMPOTENT)

    def test_order_of_the_list(self):
        names = [(tool["name"] + ("_" + tool["operation"] if tool["operation"] else "")).replace("-", "_") for tool in self.operations()]
        self.assertEqual([name for name in names if name in NAMES], NAMES)

    def test_a14_schemas_examples_and_mcp_agree(self):
        listed = {tool["name"]: tool for tool in self.client().request("tools/list")["result"]["tools"]}
        for tool in self.operations():
            words = [tool["name"]] + ([tool["operation"]] if tool["operation"] else [])
            with self.subTest(" ".join(words)):
                schema = self.cli(*words, "--schema")["data"]
                self.assertEqual(schema["description"], tool["description"])
                self.assertEqual(schema["mutates"], tool["mutates"])
                self.assertEqual(schema["schema_version"], 1)
                for part in ("input", "output"):
                    jsonschema.Draft202012Validator.check_schema(schema[part])
                self.assertGreaterEqual(len(schema["examples"]), 1)
                for example in schema["examples"]:
                    jsonschema.validate(example["input"], schema["input"])
                    if "output" in example:
                        jsonschema.validate(example["output"], schema["output"])
                served = listed[schema["mcp"]["name"]]
                own = {key: value for key, value in schema["input"].items() if key != "$schema"}
                self.assertEqual(served["inputSchema"], own)
                jsonschema.Draft202012Validator.check_schema(served["outputSchema"])
                text = self.help_of(*words)
                for field in schema["input"]["properties"]:
                    self.assertIn(field, text)

    def help_of(self, *words):
        """A-13: no HOME, no git, nothing on standard input."""
        done = subprocess.run([KEDGE, "agent-tools", *words, "--help"], cwd="/", env={"PATH": "/nonexistent"}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_a13_help_names_everything(self):
        root = self.help_of()
        for tool in self.operations():
            self.assertIn(" ".join(filter(None, (tool["name"], tool["operation"]))), root)
            self.assertIn("Examples:", self.help_of(*filter(None, (tool["name"], tool["operation"]))))
            self.assertIn("--timeout", self.help_of(tool["name"]))

    def test_a15_calls(self):
        client = self.client()
        bad = client.call("task_create", {"type": " "})
        self.assertTrue(bad["isError"])
        self.assertEqual(bad["structuredContent"], json.loads(bad["content"][0]["text"]))
        self.assertEqual(bad["structuredContent"]["errors"][0], "Task type must be a non-empty string")
        good = client.call("task_create", {"type": "t", "description": "d", "payload": {"n": 9007199254740993}})
        self.assertFalse(good["isError"], good)
        schema = next(tool for tool in client.request("tools/list")["result"]["tools"] if tool["name"] == "task_create")["outputSchema"]
        jsonschema.validate(good["structuredContent"], schema)
        self.assertEqual(good["structuredContent"]["data"]["payload"]["n"], 9007199254740993)
        # the envelope is that of the command line
        mine = client.call("task_get", {"id": 1})["structuredContent"]
        self.assertEqual(mine, self.cli("task", "get", "--id", "1"))
        refused = client.call("task_create", {"type": "t"})["structuredContent"]
        self.assertEqual(refused, self.cli("task", "create", "--type", "t"))

    def test_a16_read_only(self):
        client = self.client("--read-only")
        names = {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}
        self.assertEqual(names, READ_ONLY)
        answer = client.response(client.start_call("task_create", {"type": "t", "description": "d"}))
        self.assertIn("error", answer)
        self.assertEqual(self.cli("task", "list")["data"], [])

    def test_writes_are_asked_for(self):
        answer = self.client().call("feedback_accept_edit", {"runId": "R", "docId": "d"})
        self.assertTrue(answer["isError"])
        self.assertIn("nobody can be asked", answer["structuredContent"]["errors"][0])
        self.assertEqual(answer["structuredContent"]["error_details"][0]["code"], "permission")

    def test_s10_a_model_names_no_port_of_this_machine(self):
        """common-S10: a token goes to loopback only when the user's environment names that address."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(0)
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            arguments = {"owner": "o", "repo": "r", "pr_number": 1, "api_url": url}
            client = Client(str(self.root), ["--tools", "agent-tools"], env={"GH_TOKEN": "secret"})
            self.addCleanup(client.close)
            answer = client.call("github_pr_fetch_comments", arguments)
            self.assertTrue(answer["isError"])
            self.assertIn("is an address of this machine that no one named", answer["structuredContent"]["errors"][0])
            with self.assertRaises(BlockingIOError):
                server.accept()


if __name__ == "__main__":
    unittest.main()
