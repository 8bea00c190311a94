#!/usr/bin/env python3
"""`kedge acp` seen by an editor, where the SDK of the protocol is not needed (test_peers.py has it): signals, loading sessions.

Environment: KEDGE, the binary.
"""
import json
import os
import signal
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import COMMENT, WAIT, RpcTest, lines_of  # noqa: E402


class Acp(RpcTest):
    def editor(self, environment=None):
        environment = {**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}", **(environment or {})}
        editor = self.early_client(mode=("acp",), env=environment)
        self.ask(editor, "initialize", protocolVersion=1, clientCapabilities={})
        return editor

    def start(self, editor, method, **params):
        id_ = editor.next_id
        editor.next_id += 1
        editor.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        return id_

    def ask(self, editor, method, **params):
        id_ = self.start(editor, method, **params)
        return editor.wait_for(lambda message: message.get("id") == id_ and "method" not in message)["result"]

    def open(self, editor, **params):
        return self.ask(editor, "session/new", cwd=editor.cwd, mcpServers=[], **params)["sessionId"]

    def prompt(self, editor, session_id, text):
        return self.ask(editor, "session/prompt", sessionId=session_id, prompt=[{"type": "text", "text": text}])

    def test_signals(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                self.script({"text": "slow", "stall_after": 3})
                editor = self.editor()
                self.start(editor, "session/prompt", sessionId=self.open(editor), prompt=[{"type": "text", "text": "one"}])
                self.model.wait(events=3)
                editor.process.send_signal(number)
                self.assertEqual(editor.process.wait(WAIT), code)
                self.assertTrue(self.session_files())  # what was said is kept

    def test_a_session_gets_a_name(self):
        self.script({"text": "first"}, {"text": "Repair the harbour"})
        editor = self.editor({"KEDGE_NO_TITLE": ""})
        session_id = self.open(editor)
        self.prompt(editor, session_id, "one")
        told = editor.wait_for(lambda message: message.get("params", {}).get("update", {}).get("sessionUpdate") == "session_info_update")
        self.assertEqual(told["params"]["sessionId"], session_id)
        self.assertEqual(told["params"]["update"]["title"], "Repair the harbour")
        self.assertEqual(lines_of(self.session_files()[0])[0]["title"], "Repair the harbour")

    def updates(self, editor, kind):
        chosen = [message["params"] for message in editor.kept if message.get("method") == "session/update"]
        return [(params["sessionId"], params["update"]["content"]["text"]) for params in chosen if params["update"]["sessionUpdate"] == kind]

    def test_a_session_that_is_copied_keeps_the_id_it_was_asked_for_by(self):
        self.script({"text": "first"}, {"text": "second"}, {"tool_calls": [COMMENT]}, {"text": "third"})
        self.add_gh()
        first = self.editor()
        session_id = self.open(first)
        self.prompt(first, session_id, "one")
        for name in (session_id, session_id[:-4]):  # open in the other process; and by the beginning of its id
            with self.subTest(name):
                second = self.editor()
                self.assertEqual(self.ask(second, "session/load", sessionId=name, cwd=second.cwd, mcpServers=[]), {})
                said = self.updates(second, "agent_message_chunk")
                self.assertEqual(said[0], (name, "first"))
                self.assertIn("open", said[1][1])
                if name == session_id:
                    self.assertEqual(self.prompt(second, name, "two"), {"stopReason": "end_turn"})
                    answer = self.updates(second, "agent_message_chunk")[len(said):]  # in as many pieces as came
                    self.assertEqual({id_ for id_, _ in answer}, {name})
                    self.assertEqual("".join(text for _, text in answer), "second")
                    continue
                prompt = self.start(second, "session/prompt", sessionId=name, prompt=[{"type": "text", "text": "comment"}])
                request = second.wait_for(lambda message: message.get("method") == "session/request_permission")
                self.assertEqual(request["params"]["sessionId"], name)
                second.send({"jsonrpc": "2.0", "id": request["id"], "result": {"outcome": {"outcome": "selected", "optionId": "reject"}}})
                self.assertEqual(second.wait_for(lambda message: message.get("id") == prompt)["result"], {"stopReason": "end_turn"})

    def test_allowed_for_the_session(self):
        self.script({"tool_calls": [COMMENT]}, {"text": "first"}, {"tool_calls": [COMMENT]}, {"text": "second"})
        self.add_gh()
        editor = self.editor()
        session_id = self.open(editor)
        prompt = self.start(editor, "session/prompt", sessionId=session_id, prompt=[{"type": "text", "text": "comment"}])
        request = editor.wait_for(lambda message: message.get("method") == "session/request_permission")
        self.assertEqual([(option["kind"], option["name"]) for option in request["params"]["options"]],
                         [("allow_once", "Allow"), ("allow_always", "Allow for this session: gh issue comment on github.com/harbor/tidepool"),
                          ("reject_once", "Reject")])
        told = [message["params"]["update"] for message in editor.kept if message.get("method") == "session/update"]
        self.assertIn("gh issue comment 8 -R harbor/tidepool --body yes", [update.get("title") for update in told if update["sessionUpdate"] == "tool_call"])
        editor.send({"jsonrpc": "2.0", "id": request["id"], "result": {"outcome": {"outcome": "selected", "optionId": "allow_session"}}})
        self.assertEqual(editor.wait_for(lambda message: message.get("id") == prompt)["result"], {"stopReason": "end_turn"})
        made = os.path.join(self.root, "w/made")
        os.unlink(made)
        self.assertEqual(self.prompt(editor, session_id, "and again"), {"stopReason": "end_turn"})
        self.assertTrue(os.path.exists(made))

    def offered(self, editor, session_id):
        told = editor.wait_for(lambda message: message.get("params", {}).get("update", {}).get("sessionUpdate") == "available_commands_update")
        self.assertEqual(told["params"]["sessionId"], session_id)
        return told["params"]["update"]["availableCommands"]

    def test_commands(self):
        self.script({"text": "first"}, {"text": "a summary"}, {"text": "second"}, {"text": "third"})
        editor = self.editor()
        session_id = self.open(editor)
        offered = {command["name"]: command for command in self.offered(editor, session_id)}
        self.assertEqual(offered["compact"]["input"], {"hint": "[FOCUS]"})
        self.assertNotIn("input", offered["retry"])
        self.assertTrue(all(command["description"] for command in offered.values()))
        self.assertEqual({"new", "fork", "handoff", "help", "settings"} & offered.keys(), set())  # another session; a terminal
        self.assertEqual(self.prompt(editor, session_id, "/rename The harbour"), {"stopReason": "end_turn"})
        self.assertEqual(self.prompt(editor, session_id, "one"), {"stopReason": "end_turn"})
        self.assertEqual(lines_of(self.session_files()[0])[0]["title"], "The harbour")
        id_ = self.start(editor, "session/prompt", sessionId=session_id, prompt=[{"type": "text", "text": "/retry at once"}])
        answer = editor.wait_for(lambda message: message.get("id") == id_)
        self.assertEqual(answer["error"]["message"], "/retry takes no argument, not \"at once\"")
        self.assertEqual(self.prompt(editor, session_id, "/nothing of ours"), {"stopReason": "end_turn"})  # a message
        for line, said in (("/clear", "/new is a command of kedge's own terminal"), ("/cost", "/usage is a command of"), ("/nothing", "there is no command /nothing")):
            self.assertEqual(self.prompt(editor, session_id, line), {"stopReason": "end_turn"})
            editor.wait_for(lambda message, said=said: said in json.dumps(message))
        self.assertEqual(self.prompt(editor, session_id, "/nothing"), {"stopReason": "end_turn"})  # a message now
        second = self.editor()
        self.ask(second, "session/load", sessionId=session_id, cwd=second.cwd, mcpServers=[])
        self.assertEqual(self.offered(second, session_id), list(offered.values()))


if __name__ == "__main__":
    unittest.main()
