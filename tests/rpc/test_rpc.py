#!/usr/bin/env python3
"""`kedge --mode rpc` seen by a program: framing, commands, events, dialogs, the end. Rows of agent-core §10 are named core-N.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # tests leave nothing behind
from client import KEDGE, WAIT, RpcTest  # noqa: E402

MIB = 1024 * 1024
COMMENT = {"name": "gh", "arguments": {"args": ["issue", "comment", "8", "-R", "harbor/tidepool", "--body", "yes"]}}
GH = """#!/bin/sh
case "$*" in
*--version*) echo "gh version 2.92.0 (2026-01-12)" ;;
*comment*) touch "$HOME/w/made" ;;
esac
"""


def lines_of(path):
    data = path.read_bytes()
    assert data.endswith(b"\n"), f"{path}: the last line has no end"
    return [json.loads(line) for line in data.splitlines()]


class Framing(RpcTest):
    def test_ready_comes_first(self):
        """core-84"""
        client = self.client()
        self.assertEqual(client.seen[0]["type"], "ready")
        self.assertEqual(client.seen[0]["protocolVersion"], 1)
        self.assertEqual(client.seen[0]["supportedProtocolVersions"], [1])
        self.assertEqual(client.end(), 0)
        self.assertEqual(client.stderr, b"")

    def test_without_a_key_a_prompt_says_what_is_missing(self):
        client = self.client(env={})
        id_ = client.start("prompt", message="hi")
        self.assertTrue(client.response(id_)["success"])
        failure = client.response(id_)
        self.assertFalse(failure["success"])
        self.assertIn("No API key found", failure["error"])

    def test_bad_lines_are_answered_and_the_next_is_read(self):
        """core-85"""
        client = self.client()
        for line, problem in ((b"{bad", "line 1"), (b"[1]", "a JSON object"), (b"7", ""), (b"\xff\xfe", ""), (b'"x', ""),
                              (b"[" * 10000, ""), (b'{"a":' * 10000, ""), (b'{"type":7}', '"type" must be a string'), (b"{}", "")):
            with self.subTest(line[:20]):
                client.raw(line + b"\n")
                answer = client.event("response")
                self.assertEqual((answer["command"], answer["success"]), ("parse", False))
                self.assertTrue(answer["error"].startswith("Failed to parse command: "), answer)
                self.assertIn(problem, answer["error"])
                self.assertNotIn("id", answer)
        client.raw(b"\n  \r\n\t\n")
        self.assertEqual(client.get("get_state")["messageCount"], 0)
        self.assertEqual(len(client.kept), 0)

    def test_ids_are_echoed_as_they_are(self):
        client = self.client()
        for id_ in ("a", "a", 7, "é\n", ""):
            client.send({"type": "get_last_assistant_text", "id": id_})
            self.assertEqual(client.event("response")["id"], id_)
        client.send({"type": "get_last_assistant_text"})
        self.assertEqual(client.event("response"), {"type": "response", "command": "get_last_assistant_text", "success": True,
                                                    "data": {"text": None}})

    def test_unknown_and_wrong_commands_echo_their_id(self):
        client = self.client()
        for command, problem in (({"type": "bogus"}, "Unknown command: bogus"), ({"type": "prompt"}, 'prompt: "message" must be a string'),
                                 ({"type": "prompt", "message": 7}, 'prompt: "message" must be a string'),
                                 ({"type": "set_thinking_level", "level": "huge"}, '"level" must be'),
                                 ({"type": "set_steering_mode", "mode": "most"}, '"mode" must be'),
                                 ({"type": "set_model", "provider": "openai", "modelId": "nope"}, "Model not found: openai/nope"),
                                 ({"type": "switch_session", "sessionPath": "/etc/passwd"}, "/etc/passwd")):
            with self.subTest(command):
                client.send({**command, "id": "x"})
                answer = client.event("response")
                self.assertEqual((answer["id"], answer["command"], answer["success"]), ("x", command["type"], False))
                self.assertIn(problem, answer["error"])

    def test_fields_that_are_not_known_are_passed_over(self):
        client = self.client()
        self.assertTrue(client.call("get_state", colour="red")["success"])

    def test_a_line_may_be_large_and_come_in_pieces(self):
        self.script({"text": "ok"})
        client = self.client()
        text = "x" * (8 * MIB)
        line = json.dumps({"type": "steer", "message": text, "id": "big"}).encode() + b"\n"
        for start in range(0, len(line), MIB + 7):
            client.raw(line[start:start + MIB + 7])
        self.assertTrue(client.response("big")["success"])

    def test_a_line_that_is_too_large_is_refused_and_costs_nothing(self):
        client = self.client()
        for _ in range(100):
            client.raw(b"x" * MIB)
        client.raw(b"\n")
        answer = client.event("response")
        self.assertEqual(answer["error"], "Failed to parse command: a line is larger than 64 MiB")
        self.assertEqual(client.get("get_state")["messageCount"], 0)

    def test_half_a_line_at_the_end_is_told_of(self):
        client = self.client()
        client.raw(b'{"type":"get_sta')
        self.assertEqual(client.end(), 0)
        self.assertIn("in the middle of a line, after 16 bytes", client.rest()[-1]["error"])

    def test_commands_that_are_piped_in_are_all_answered(self):
        commands = "".join(json.dumps({"type": "get_state", "id": str(i)}) + "\n" for i in range(200))
        done = subprocess.run([KEDGE, "--mode", "rpc", "--no-session"], input=commands, capture_output=True, text=True, check=False,
                              env={"HOME": self.root, "PATH": os.environ["PATH"], **self.environment()}, cwd=self.root, timeout=WAIT)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([answer.get("id") for answer in answers], [None, *map(str, range(200))])
        self.assertEqual(done.returncode, 0)

    def test_arguments_that_rpc_does_not_take(self):
        """core-13"""
        for argument, problem in (("@a.txt", "Error: @file arguments are not supported in RPC mode\n"), ("hello", "messages are not taken")):
            done = subprocess.run([KEDGE, "--mode", "rpc", argument], capture_output=True, text=True, check=False, cwd=self.root,
                                  env={"HOME": self.root, "PATH": os.environ["PATH"]}, stdin=subprocess.DEVNULL, timeout=WAIT)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(problem, done.stderr)


class Prompts(RpcTest):
    def test_a_prompt_is_acknowledged_and_ends_with_agent_end(self):
        self.script({"text": "Hello there"})
        client = self.client()
        client.get("prompt", message="hi")
        end = client.event("agent_end")
        types = [message["type"] for message in client.seen]
        self.assertLess(types.index("response"), types.index("agent_start"))
        self.assertEqual([m["role"] for m in end["messages"]], ["user", "assistant"])
        self.assertEqual(client.get("get_last_assistant_text"), {"text": "Hello there"})
        self.assertEqual(len(client.get("get_messages")["messages"]), 2)
        self.assertFalse(client.get("get_state")["isStreaming"])

    def test_a_second_prompt_while_busy_fails_once(self):
        """core-87 (§6.9: one answer)"""
        self.script({"text": "slow", "stall_after": 2})
        client = self.client()
        client.get("prompt", message="one")
        self.model.wait(events=2)
        answer = client.call("prompt", message="two")
        self.assertFalse(answer["success"])
        self.assertIn("already processing", answer["error"])
        self.assertTrue(client.get("get_state")["isStreaming"])
        client.get("prompt", message="three", streamingBehavior="followUp")
        state = client.get("get_state")
        self.assertEqual((state["queuedMessageCount"], state["pendingMessageCount"]), (1, 1))
        self.assertTrue(client.call("abort")["success"])
        client.event("agent_end")
        self.assertEqual([m for m in client.kept if m["type"] == "response"], [])

    def test_abort_answers_when_idle(self):
        self.script({"text": "slow", "stall_after": 2}, {"text": "again"})
        client = self.client()
        self.assertTrue(client.call("abort")["success"])  # nothing runs
        client.get("prompt", message="one")
        self.model.wait(events=2)
        client.get("abort")
        self.assertFalse(client.get("get_state")["isStreaming"])
        end = client.event("agent_end")
        self.assertEqual(end["messages"][-1]["stopReason"], "aborted")
        client.prompt("two")
        self.assertEqual(client.get("get_last_assistant_text")["text"], "again")

    def test_images_go_to_the_model(self):
        self.script({"text": "a dot", "expect": {"path": "messages.-1.content.1.source.media_type", "equals": "image/png"}})
        client = self.client()
        pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        client.prompt("what is it?", images=[{"type": "image", "data": pixel, "mimeType": "image/png"}])
        self.assertEqual(client.get("get_last_assistant_text")["text"], "a dot")

    def test_new_session_and_back(self):
        self.script({"text": "first"}, {"text": "second"})
        client = self.client()
        client.prompt("one")
        before = client.get("get_state")
        ids = [client.start("new_session"), client.start("get_messages")]  # in order, though the first takes its time
        self.assertEqual(client.response(ids[0])["data"], {"cancelled": False})
        self.assertEqual(client.response(ids[1])["data"], {"messages": []})
        self.assertNotEqual(client.get("get_state")["sessionId"], before["sessionId"])
        client.prompt("two")
        self.assertEqual(client.get("switch_session", sessionPath=before["sessionFile"]), {"cancelled": False})
        self.assertEqual(client.get("get_state")["sessionId"], before["sessionId"])
        self.assertEqual(client.get("get_last_assistant_text")["text"], "first")
        points = client.get("get_branch_messages")["messages"]
        self.assertEqual([point["text"] for point in points], ["one"])
        self.assertEqual(client.get("branch", entryId=points[0]["entryId"]), {"text": "one", "cancelled": False})
        self.assertEqual(client.get("get_messages"), {"messages": []})
        self.assertEqual(client.end(), 0)
        self.assertGreaterEqual(len(self.session_files()), 2)


class Dialogs(RpcTest):
    def begin(self):
        """A client whose model wants to write a comment, and the question."""
        self.script({"tool_calls": [COMMENT]}, {"text": "done"})
        os.makedirs(os.path.join(self.root, "bin"), exist_ok=True)
        path = os.path.join(self.root, "bin/gh")
        with open(path, "w", encoding="utf-8") as file:
            file.write(GH)
        os.chmod(path, 0o755)
        client = self.client("--tools", "gh", env={**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        client.get("prompt", message="make it")
        return client, client.event("extension_ui_request")

    def ask(self, **reply):
        client, request = self.begin()
        self.assertEqual((request["method"], request["tool"], request["effect"]), ("confirm", "gh", "write"))
        self.assertIn("harbor/tidepool", request["message"])
        client.send({"type": "extension_ui_response", "id": "another", "confirmed": True})  # passed over
        client.send({"type": "extension_ui_response", "id": request["id"], **reply})
        client.event("agent_end")
        return client, request

    def test_yes(self):
        client, request = self.ask(confirmed=True)
        self.assertTrue(os.path.exists(os.path.join(client.cwd, "made")))
        client.send({"type": "extension_ui_response", "id": request["id"], "confirmed": False})  # too late
        self.assertTrue(client.call("get_state")["success"])

    def test_no(self):
        for reply in ({"confirmed": False}, {"cancelled": True}, {}):
            with self.subTest(reply):
                client, _ = self.ask(**reply)
                self.assertFalse(os.path.exists(os.path.join(client.cwd, "made")))

    def test_a_dialog_that_is_no_longer_wanted_is_withdrawn(self):
        client, request = self.begin()
        client.get("abort")
        self.assertEqual(client.event("extension_ui_request")["targetId"], request["id"])


class End(RpcTest):
    def test_end_of_input_while_streaming(self):
        """core-90"""
        self.script({"text": "slow", "stall_after": 3})
        client = self.client()
        client.get("prompt", message="one")
        self.model.wait(events=3)
        self.assertEqual(client.end(), 0)
        self.assertEqual(client.rest()[-1]["type"], "agent_end")
        entries = lines_of(self.session_files()[0])
        self.assertEqual(entries[-1]["message"]["stopReason"], "aborted")

    def test_end_of_input_while_a_command_ignores_the_end(self):
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": "trap '' TERM INT; touch running; sleep 600"}}]})
        client = self.client("--allow-writes")
        client.get("prompt", message="one")
        client.wait_for_file("running")
        begin = time.monotonic()
        self.assertEqual(client.end(), 0)
        self.assertLess(time.monotonic() - begin, 60)  # a guard only: it would sleep for ten minutes
        lines_of(self.session_files()[0])

    def test_wait_on_eof(self):
        self.script({"text": "all of it", "delay_ms": 20, "chunk": 1})
        client = self.client("--wait-on-eof")
        client.start("prompt", message="one")
        self.assertEqual(client.end(), 0)
        self.assertEqual(client.rest()[-1]["messages"][-1]["content"][0]["text"], "all of it")

    def test_signals(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                self.script({"text": "slow", "stall_after": 3})
                client = self.client()
                client.get("prompt", message="one")
                self.model.wait(events=3)
                client.process.send_signal(number)
                self.assertEqual(client.process.wait(WAIT), code)

    def test_a_reader_that_never_reads(self):
        self.script({"text": "x" * 4000000, "chunk": 1000, "repeat": 2})
        client = self.early_client(is_deaf=True)
        client.send({"type": "set_event_detail", "fullUpdates": False})
        client.send({"type": "prompt", "message": "one"})
        self.model.wait(idle=1, requests=1)
        with open(f"/proc/{client.process.pid}/status", encoding="utf-8") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        if "ASAN_OPTIONS" not in os.environ and "TSAN_OPTIONS" not in os.environ:
            self.assertLess(peak, 120 * 1024)
        client.process.send_signal(signal.SIGTERM)
        self.assertEqual(client.process.wait(WAIT), 143)

    def test_a_reader_that_is_gone(self):
        self.script({"text": "slow", "delay_ms": 5, "chunk": 1, "repeat": True})
        client = self.early_client(is_deaf=True)
        client.send({"type": "prompt", "message": "one"})
        self.model.wait(events=3)
        os.close(client.deaf_ear)
        self.assertEqual(client.process.wait(WAIT), 0)


if __name__ == "__main__":
    unittest.main()
