#!/usr/bin/env python3
"""The tool `ask` (agent-tools §3.20) through `kedge --mode rpc`: its dialogs at the client.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import os
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import RpcTest  # noqa: E402

OTHER = "Other (type your own)"
WHICH = {"id": "q", "question": "Which?", "options": [{"label": "A"}, {"label": "B"}], "recommended": 1}


class Ask(RpcTest):
    def begin(self, *questions):
        self.script({"tool_calls": [{"name": "ask", "arguments": {"questions": list(questions or [WHICH])}}]}, {"text": "well"})
        client = self.client()
        client.get("prompt", message="do it")
        return client, client.event("extension_ui_request")

    def answer(self, client, request, **fields):
        client.send({"type": "extension_ui_response", "id": request["id"], **fields})

    def told(self, client):
        """Text and kind of the call's result."""
        ended = client.event("tool_execution_end")
        client.event("agent_end")
        return ended["result"]["content"][0]["text"], ended["isError"]

    def test_a_choice(self):
        client, request = self.begin()
        self.assertEqual((request["method"], request["title"], request["tool"]), ("select", "Which?", "ask"))
        self.assertEqual(request["options"], ["A", "B (Recommended)", OTHER])
        self.assertNotIn("timeout", request)
        self.assertEqual(client.get("get_state")["questions"][0]["options"], request["options"])
        self.answer(client, {"id": "another"}, value="A")  # passed over
        self.answer(client, request, value="B (Recommended)")
        self.assertEqual(self.told(client), ("User selected: B", False))
        self.answer(client, request, value="A")  # too late
        self.assertEqual(client.get("get_state")["questions"], [])

    def test_words_of_ones_own(self):
        client, request = self.begin()
        self.answer(client, request, value=OTHER)
        editor = client.event("extension_ui_request")
        self.assertEqual((editor["method"], editor["title"]), ("editor", "Which?"))
        self.assertNotIn("options", editor)
        self.answer(client, editor, value="neither")
        self.assertEqual(self.told(client), ("User provided custom input: neither", False))

    def test_several(self):
        many = {"id": "m", "question": "Some?", "options": [{"label": "M"}, {"label": "N"}], "multi": True}
        client, request = self.begin(WHICH, many)
        self.assertEqual(request["title"], "Which? (1/2)")
        self.answer(client, request, value="A")
        for value in ("☐ N", "✔ Done selecting"):
            request = client.event("extension_ui_request")
            self.assertIn(value, request["options"])
            self.answer(client, request, value=value)
        self.assertEqual(self.told(client), ("User answers:\nq: A\nm: [N]", False))

    def test_no_answer(self):
        for reply in ({"cancelled": True}, {"confirmed": True}, {"value": ""}, {}):
            with self.subTest(reply):
                client, request = self.begin()
                self.answer(client, request, **reply)
                self.assertEqual(self.told(client), ("Ask tool was cancelled by the user", True))

    def test_silence_takes_the_recommended_option(self):
        """Here and at the client, who counts, too."""
        for timeout, reply in ((0.1, None), (1000, {"cancelled": True, "timedOut": True})):
            with self.subTest(timeout):
                self.settings(f"ask: {{ timeout: {timeout} }}\n")
                client, request = self.begin()
                self.assertEqual(request["timeout"], timeout * 1000)
                if reply:
                    self.answer(client, request, **reply)
                text, is_error = self.told(client)
                self.assertEqual(text.split("\n")[0], "User selected: B")
                self.assertIn("Nobody answered in time", text)
                self.assertFalse(is_error)

    def test_an_abort_withdraws_it(self):
        client, request = self.begin()
        client.get("abort")
        withdrawn = client.event("extension_ui_request")
        self.assertEqual((withdrawn["method"], withdrawn["targetId"]), ("cancel", request["id"]))
        client.event("agent_end")

    def test_the_end_of_the_client_ends_it(self):
        client, _ = self.begin()
        self.assertEqual(client.end(), 0)


if __name__ == "__main__":
    if "KEDGE" not in os.environ:
        sys.exit("KEDGE is not set")
    unittest.main()
