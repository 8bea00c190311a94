#!/usr/bin/env python3
"""The tool `ask` (agent-tools §3.20) over `kedge mcp`: its questions are elicitations.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import os
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import Client, text_of  # noqa: E402


class Ask(unittest.TestCase):
    """The tool `ask`, which a client has to name."""
    QUESTIONS = {"questions": [{"id": "q", "question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]}

    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="kedge-mcp-"))
        self.addCleanup(shutil.rmtree, self.root)

    def client(self, *args, **options):
        client = Client(self.root, args, **options)
        self.addCleanup(client.close)
        return client

    def asking(self, answer):
        client = self.client("--tools", "ask", capabilities={"elicitation": {}})
        client.answer = answer
        return client

    def test_a_choice(self):
        client = self.asking(lambda m: {"result": {"action": "accept", "content": {"choice": "B"}}})
        answer = client.call("ask", self.QUESTIONS)
        self.assertEqual((text_of(answer), answer["isError"]), ("User selected: B", False))
        self.assertEqual(client.asked[0]["message"], "Which?")
        field = client.asked[0]["requestedSchema"]["properties"]["choice"]
        self.assertEqual((field["type"], field["enum"]), ("string", ["A", "B", "Other (type your own)"]))

    def test_words_of_ones_own(self):
        replies = iter(["Other (type your own)", "neither"])
        client = self.asking(lambda m: {"result": {"action": "accept", "content": {"choice": next(replies)}}})
        self.assertEqual(text_of(client.call("ask", self.QUESTIONS)), "User provided custom input: neither")
        self.assertNotIn("enum", client.asked[1]["requestedSchema"]["properties"]["choice"])

    def test_everything_else_is_no_answer(self):
        for result in ({"action": "decline"}, {"action": "cancel"}, {"action": "accept"}, {"action": "accept", "content": {"choice": 7}}, {}):
            with self.subTest(result):
                client = self.asking(lambda m, r=result: {"result": r})
                answer = client.call("ask", self.QUESTIONS)
                self.assertEqual((text_of(answer), answer["isError"]), ("Ask tool was cancelled by the user", True))

    def test_silence(self):
        folder = os.path.join(self.root, ".kedge", "agent")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.yml"), "w", encoding="utf-8") as file:
            file.write("ask: { timeout: 0.1 }\n")
        client = self.asking(None)
        answer = client.call("ask", self.QUESTIONS)
        self.assertEqual(text_of(answer).split("\n")[0], "User selected: A")
        self.assertEqual(client.wait_for(lambda m: m.get("method") == "notifications/cancelled")["params"]["requestId"], "kedge-0")

    def test_a_client_that_cannot_ask(self):
        """tools-T84"""
        client = self.client("--tools", "ask")
        self.assertEqual(client.request("tools/list")["result"]["tools"], [])
        self.assertEqual(client.request("tools/call", {"name": "ask", "arguments": self.QUESTIONS})["error"]["message"], "Unknown tool: ask")


if __name__ == "__main__":
    if "KEDGE" not in os.environ:
        sys.exit("KEDGE is not set")
    unittest.main()
