#!/usr/bin/env python3
"""Plan mode (agent-core §7.12) through `kedge --mode rpc`: the dialog with the plan at the client, and what becomes of it.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import os
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import RpcTest, lines_of  # noqa: E402

WRITE = {"tool_calls": [{"name": "write", "arguments": {"path": "PLAN.md", "content": "1. Begin.\n"}}]}
SUBMIT = {"tool_calls": [{"name": "resolve", "arguments": {"action": "apply", "reason": "ready", "extra": {"title": "begin"}}}]}
TOUCH = {"tool_calls": [{"name": "write", "arguments": {"path": "made.txt", "content": "made\n"}}]}


class Plan(RpcTest):
    def answer(self, client, request, **fields):
        client.send({"type": "extension_ui_response", "id": request["id"], **fields})

    def end_both(self, client):
        """The run that planned, and the one that carries the plan out."""
        client.event("agent_end")
        client.event("agent_end")

    def modes(self):
        return [[entry["mode"] for entry in lines_of(path) if entry["type"] == "mode_change"] for path in sorted(self.session_files())]

    def names(self, client):
        return {tool["name"] for tool in client.get("get_state")["dumpTools"]}

    # core-101
    def test_a_plan_is_approved(self):
        self.script(TOUCH, WRITE, SUBMIT, TOUCH, {"text": "done"})
        client = self.client()
        before = self.names(client)
        self.assertEqual(client.get("set_plan_mode", enabled=True, prompt="begin")["mode"], "plan")
        self.assertEqual(client.event("mode_changed")["planFilePath"], "local://PLAN.md")
        refused = client.event("tool_execution_end")
        self.assertTrue(refused["isError"])
        self.assertEqual(refused["result"]["content"][0]["text"], "Plan mode: only the plan file may be modified (local://PLAN.md).")
        request = client.event("extension_ui_request")
        self.assertEqual((request["method"], request["tool"]), ("select", "resolve"))
        self.assertIn("1. Begin.", request["title"])
        self.assertEqual(len(request["options"]), 3)
        self.assertNotIn("bash", self.names(client))
        self.answer(client, request, value=request["options"][1])
        self.end_both(client)
        self.assertEqual(client.event("mode_changed")["mode"], "none")
        self.assertEqual(self.names(client), before)
        with open(os.path.join(client.cwd, "made.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "made\n")
        self.assertEqual(self.modes(), [["plan", "none"]])

    def test_in_a_fresh_context(self):
        self.script(WRITE, SUBMIT, {"text": "done"})
        client = self.client()
        client.get("set_plan_mode", enabled=True, prompt="begin")
        request = client.event("extension_ui_request")
        old = client.get("get_state")["sessionFile"]
        self.answer(client, request, value=request["options"][0])
        self.end_both(client)
        self.assertEqual(client.event("mode_changed", mode="none")["mode"], "none")
        state = client.get("get_state")
        self.assertNotEqual(state["sessionFile"], old)
        with open(state["sessionFile"][:-len(".jsonl")] + "/local/begin.md", encoding="utf-8") as file:
            self.assertEqual(file.read(), "1. Begin.\n")

    def test_words_of_the_person(self):
        self.script(WRITE, SUBMIT, {"text": "Like this?"})
        client = self.client()
        client.get("set_plan_mode", enabled=True, prompt="begin")
        self.answer(client, client.event("extension_ui_request"), value="shorter")
        client.event("agent_end")
        self.assertIn("shorter", str(client.get("get_messages")["messages"]))
        self.assertEqual(client.get("get_state")["mode"], "plan")

    def test_it_is_there_again(self):
        self.script({"text": "Which one?"})
        client = self.client()
        client.get("set_plan_mode", enabled=True, prompt="begin")
        client.event("agent_end")
        self.assertEqual(client.end(), 0)
        again = self.client("--continue")
        self.assertEqual(again.get("get_state")["mode"], "plan")
        self.assertEqual(again.get("set_plan_mode", enabled=False)["mode"], "plan_paused")


if __name__ == "__main__":
    if "KEDGE" not in os.environ:
        sys.exit("KEDGE is not set")
    unittest.main()
