#!/usr/bin/env python3
"""`kedge acp` seen by an editor, where the SDK of the protocol is not needed (test_peers.py has it): signals, loading sessions.

Environment: KEDGE, the binary.
"""
import signal
import sys
import unittest

sys.dont_write_bytecode = True  # tests leave nothing behind
from client import WAIT, RpcTest  # noqa: E402


class Acp(RpcTest):
    def editor(self):
        editor = self.early_client(mode=("acp",))
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


if __name__ == "__main__":
    unittest.main()
