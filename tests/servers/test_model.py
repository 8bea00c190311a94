"""Tests of the scripted model server (model.py): both wires, faults, captures, expectations.

    python3 tests/servers/test_model.py

Each test starts a server of its own, as a test in sh does, and talks HTTP to it. Answers are read
by a small client that knows of each wire only what a coding agent needs of it.
"""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = pathlib.Path(__file__).with_name("model.py")
ANTHROPIC, OPENAI = "/v1/messages", "/v1/chat/completions"
KEYS = {"x-api-key": "test-key", "authorization": "Bearer test-key", "anthropic-version": "2023-06-01"}


def start(folder, turns, *args):
    """A server that plays `turns`: (process, what its ready file says)."""
    script, ready = pathlib.Path(folder, "script.jsonl"), pathlib.Path(folder, "ready")
    lines = [turn if isinstance(turn, str) else json.dumps(turn) for turn in turns]
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, str(PROGRAM), "--ready", str(ready), "--script", str(script), *args]
    if "--parent" not in args:
        command += ["--parent", str(os.getpid())]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not ready.exists():
        if process.poll() is not None:
            return process, None
        time.sleep(0.01)
    return process, json.loads(ready.read_text())


def body(*messages, **fields):
    if not messages:
        messages = ({"role": "user", "content": "hi"},)
    return {"model": "m", "max_tokens": 100, "stream": True, "messages": list(messages)} | fields


def after_tools(wire, *results):
    """A conversation whose last words are the results of tool calls."""
    user = {"role": "user", "content": "go on"}
    ids = [f"t{i}" for i in range(len(results))]
    if wire == ANTHROPIC:
        calls = [{"type": "tool_use", "id": id_, "name": "bash", "input": {}} for id_ in ids]
        answers = [{"type": "tool_result", "tool_use_id": id_, "content": r} for id_, r in zip(ids, results)]
        return body(user, {"role": "assistant", "content": calls}, {"role": "user", "content": answers})
    calls = [{"id": id_, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for id_ in ids]
    answers = [{"role": "tool", "tool_call_id": id_, "content": r} for id_, r in zip(ids, results)]
    return body(user, {"role": "assistant", "content": None, "tool_calls": calls}, *answers)


def parse_sse(text):
    """[(event name or None, data)]"""
    out = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        fields = dict(line.split(": ", 1) for line in lines if ": " in line)
        if "data" in fields:
            out.append((fields.get("event"), fields["data"]))
    return out


def read_answer(wire, text):
    """What an agent makes of a stream."""
    got = {"text": "", "thinking": "", "signature": "", "calls": {}, "stop": None, "usage": {}, "ended": False}
    for name, data in parse_sse(text):
        if data == "[DONE]" or name == "message_stop":
            got["ended"] = True
            continue
        event = json.loads(data)
        (read_anthropic if wire == ANTHROPIC else read_openai)(event, got)
    got["calls"] = list(got["calls"].values())
    return got


def read_anthropic(event, got):
    match event["type"]:
        case "message_start":
            got["usage"] |= event["message"].get("usage", {})
        case "content_block_start" if event["content_block"]["type"] == "tool_use":
            block = event["content_block"]
            got["calls"][event["index"]] = [block["id"], block["name"], ""]
        case "content_block_delta":
            delta = event["delta"]
            for key in ("text", "thinking", "signature"):
                got[key] += delta.get(key, "")
            if "partial_json" in delta:
                got["calls"][event["index"]][2] += delta["partial_json"]
        case "message_delta":
            got["stop"] = event["delta"]["stop_reason"]
            got["usage"] |= event.get("usage", {})


def read_openai(event, got):
    got["usage"] |= event.get("usage", {})
    for choice in event.get("choices", []):
        delta = choice["delta"]
        got["text"] += delta.get("content") or ""
        got["thinking"] += delta.get("reasoning_content", "")
        for call in delta.get("tool_calls", []):
            state = got["calls"].setdefault(call["index"], [call.get("id"), "", ""])
            state[1] += call["function"].get("name", "")
            state[2] += call["function"]["arguments"]
        got["stop"] = choice["finish_reason"] or got["stop"]


class ModelTest(unittest.TestCase):
    def start(self, *turns, args=()):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.process, ready = start(folder.name, turns, *args)
        self.addCleanup(self.process.stderr.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.terminate)
        self.port = ready["port"]

    def connect(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        self.addCleanup(connection.close)
        return connection

    def post(self, path, request=None, headers=None):
        """(status, headers, text)"""
        connection = self.connect()
        connection.request("POST", path, json.dumps(request or body()), KEYS | (headers or {}))
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode("utf-8", "replace")

    def ask(self, wire, request=None):
        status, _, text = self.post(wire, request)
        self.assertEqual(status, 200, text)
        return read_answer(wire, text)

    def get(self, path):
        connection = self.connect()
        connection.request("GET", "/_model/" + path)
        return json.loads(connection.getresponse().read())

    def on_both_wires(self):
        for wire in (ANTHROPIC, OPENAI):
            with self.subTest(wire=wire):
                yield wire


class Wires(ModelTest):
    def test_text_thinking_and_calls(self):
        turn = {
            "thinking": "first the parser", "signature": "EqQB", "text": "Gleich: drei Wörter 🙂 und mehr", "chunk": 3,
            "tool_calls": [
                {"name": "bash", "arguments": {"command": "echo \"ä\""}},
                {"name": "read", "arguments": {}, "id": "mine"},
                {"name": "broken", "arguments_raw": '{"a": '},
            ],
        }  # fmt: skip
        self.start(turn | {"repeat": 2})
        for n, wire in enumerate(self.on_both_wires(), 1):
            got = self.ask(wire)
            self.assertEqual(got["text"], turn["text"])
            self.assertEqual(got["thinking"], turn["thinking"])
            prefix = "toolu" if wire == ANTHROPIC else "call"
            self.assertEqual(got["calls"][0], [f"{prefix}_{n}_1", "bash", '{"command":"echo \\"ä\\""}'])
            self.assertEqual(got["calls"][1][:2], ["mine", "read"])
            self.assertEqual(got["calls"][2][2], '{"a": ')
            self.assertEqual(got["stop"], "tool_use" if wire == ANTHROPIC else "tool_calls")
            self.assertTrue(got["ended"])
            self.assertEqual(got["signature"], "EqQB" if wire == ANTHROPIC else "")

    def test_anthropic_events_have_the_vendors_order(self):
        self.start({"text": "hello"})
        names = [name for name, _ in parse_sse(self.post(ANTHROPIC)[2])]
        self.assertEqual(
            names,
            ["message_start", "content_block_start", "ping", "content_block_delta", "content_block_stop"]
            + ["message_delta", "message_stop"],
        )

    def test_usage(self):
        usage = {"input": 7, "output": 3, "cacheRead": 100, "cacheWrite": 20}
        self.start({"text": "x", "usage": usage, "repeat": True})
        got = self.ask(ANTHROPIC)["usage"]
        want = {"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 100}
        self.assertEqual(got, want | {"cache_creation_input_tokens": 20})
        got = self.ask(OPENAI, body(stream_options={"include_usage": True}))["usage"]
        self.assertEqual((got["prompt_tokens"], got["completion_tokens"]), (127, 3))
        self.assertEqual(got["prompt_tokens_details"], {"cached_tokens": 100, "cache_write_tokens": 20})
        self.assertEqual(self.ask(OPENAI)["usage"], {}, "only when it is asked for")

    def test_stop_reasons(self):
        self.start(*[{"text": "x", "stop": stop} for stop in ("length", "length", "refusal", None)])
        self.assertEqual(self.ask(ANTHROPIC)["stop"], "max_tokens")
        self.assertEqual(self.ask(OPENAI)["stop"], "length")
        self.assertEqual(self.ask(ANTHROPIC)["stop"], "refusal")
        self.assertIsNone(self.ask(OPENAI)["stop"])

    def test_several_text_blocks_and_redacted_thinking(self):
        self.start({"text": ["a", "b"], "redacted_thinking": "opaque"})
        starts = [json.loads(data) for name, data in parse_sse(self.post(ANTHROPIC)[2]) if name == "content_block_start"]
        self.assertEqual([start["content_block"]["type"] for start in starts], ["redacted_thinking", "text", "text"])

    def test_without_stream(self):
        self.start({"thinking": "t", "text": "x", "tool_calls": [{"name": "n", "arguments": {"a": 1}}], "repeat": 2})
        message = json.loads(self.post(ANTHROPIC, body(stream=False))[2])
        self.assertEqual([b["type"] for b in message["content"]], ["thinking", "text", "tool_use"])
        self.assertEqual(message["content"][2]["input"], {"a": 1})
        self.assertEqual((message["stop_reason"], message["usage"]["output_tokens"]), ("tool_use", 5))
        choice = json.loads(self.post("/chat/completions", body(stream=False))[2])["choices"][0]
        self.assertEqual(choice["message"]["tool_calls"][0]["function"], {"name": "n", "arguments": '{"a":1}'})

    def test_the_connection_is_kept(self):
        self.start({"text": "x", "repeat": True})
        connection = self.connect()
        for path in (ANTHROPIC, OPENAI, "/v1/nothing"):
            connection.request("POST", path, json.dumps(body()), KEYS)
            sock = connection.sock
            connection.getresponse().read()
            self.assertIs(connection.sock, sock)


class Faults(ModelTest):
    def test_status(self):
        self.start(
            {"status": 429, "headers": {"Retry-After": "2"}},
            {"status": 529},
            {"status": 400, "error": {"message": "prompt is too long"}},
            {"status": 502, "headers": {"Content-Type": "text/html"}, "body": "<h1>no</h1>"},
            {"text": "at last"},
        )
        status, headers, text = self.post(ANTHROPIC)
        self.assertEqual((status, headers["retry-after"]), (429, "2"))
        self.assertEqual(json.loads(text)["error"]["type"], "rate_limit_error")
        self.assertEqual(json.loads(self.post(ANTHROPIC)[2])["error"]["message"], "Overloaded")
        self.assertEqual(json.loads(self.post(OPENAI)[2])["error"]["message"], "prompt is too long")
        status, headers, text = self.post(OPENAI)
        self.assertEqual((status, headers["content-type"], text), (502, "text/html", "<h1>no</h1>"))
        self.assertEqual(self.ask(OPENAI)["text"], "at last")
        self.assertEqual(self.get("failures"), [], "a fault is no failure")

    def test_drop(self):
        self.start({"text": "x", "drop_after": 2}, {"text": "x", "drop_after": 0}, {"text": "x", "drop_after": -1})
        with self.assertRaises(http.client.IncompleteRead) as caught:
            self.post(ANTHROPIC)
        self.assertEqual(len(parse_sse(caught.exception.partial.decode())), 3, "two events and a ping")
        with self.assertRaises(http.client.IncompleteRead):
            self.post(ANTHROPIC)
        with self.assertRaises(http.client.RemoteDisconnected):
            self.post(ANTHROPIC)
        self.assertEqual([e["status"] for e in self.get("journal")], [200, 200, 0])

    def test_truncate(self):
        turn = {"text": "some text", "truncate_before_stop": True}
        self.start(turn, turn, turn | {"truncate_before_stop": "last"}, turn | {"truncate_before_stop": "last"})
        for wire in self.on_both_wires():
            got = self.ask(wire)
            self.assertEqual((got["text"], got["stop"], got["ended"]), ("some text", None, False))
        for wire in self.on_both_wires():
            got = self.ask(wire)
            self.assertEqual((got["ended"], got["stop"]), (False, "end_turn" if wire == ANTHROPIC else "stop"))

    def test_error_in_the_stream(self):
        self.start({"text": "some text", "error_after": 3}, {"text": "x", "error_after": 99, "error": {"message": "m"}})
        events = parse_sse(self.post(ANTHROPIC)[2])
        self.assertEqual(events[-1][0], "error")
        self.assertEqual(json.loads(events[-1][1])["error"], {"type": "overloaded_error", "message": "Overloaded"})
        self.assertEqual(json.loads(parse_sse(self.post(OPENAI)[2])[-1][1])["error"]["message"], "m")

    def test_split_bytes_and_crlf(self):
        text = "ä€🙂 and so on"
        self.start({"text": text, "split_bytes": 1, "repeat": 2})
        for wire in self.on_both_wires():
            self.assertIn("\r\n\r\n", self.post(wire)[2])
        self.process.terminate()
        self.start({"text": text, "split_bytes": 3})
        with socket.create_connection(("127.0.0.1", self.port)) as sock:
            data = json.dumps(body()).encode()
            head = b"POST /chat/completions HTTP/1.1\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(data)
            sock.sendall(head + data)
            raw = b"".join(iter(lambda: sock.recv(65536), b""))
        rest, sizes = raw.split(b"\r\n\r\n", 1)[1], set()
        while rest:
            size, rest = rest.split(b"\r\n", 1)
            sizes.add(int(size, 16))
            rest = rest[int(size, 16) + 2 :]
        self.assertLessEqual(sizes, {0, 1, 2, 3}, "HTTP chunks of at most three bytes")

    def test_extra_events(self):
        turn = {"text": "a long enough text", "chunk": 2, "extra_events": True, "repeat": 2}
        self.start(turn, {"text": "x", "extra_events": [": mine\n\n"]})
        for wire in self.on_both_wires():
            self.assertIn("of_tomorrow", self.post(wire)[2])
        self.assertIn(": mine\n\n", self.post(OPENAI)[2])

    def test_malformed(self):
        self.start({"text": "x", "malformed": True}, {"text": "x", "malformed": "sse"}, {"text": "hello", "malformed": "utf8"})
        bad = 0
        for _, data in parse_sse(self.post(ANTHROPIC)[2]):
            try:
                json.loads(data)
            except ValueError:
                bad += 1
        self.assertEqual(bad, 1)
        self.assertIn("<h1>", self.post(ANTHROPIC)[2])
        self.assertIn("\ufffd", self.post(ANTHROPIC)[2])

    def test_stall_until_the_client_leaves(self):
        self.start({"text": "x", "stall_after": 2}, {"text": "y"})
        connection = self.connect()
        connection.request("POST", ANTHROPIC, json.dumps(body()), KEYS)
        response = connection.getresponse()
        self.assertTrue(self.get("wait?requests=1&events=2")["done"])
        self.assertFalse(self.get("wait?idle=1&timeout_ms=100")["done"])
        self.assertEqual(self.ask(OPENAI)["text"], "y", "others are answered meanwhile")
        response.close()
        connection.close()
        self.assertTrue(self.get("wait?idle=1&timeout_ms=3000")["done"])
        entry = self.get("journal")[0]
        self.assertEqual((entry["disconnected"], entry["events"]), (True, 2))

    def test_pace(self):
        self.start({"text": "abcd", "chunk": 1, "delay_ms": 30, "stall_ms": 100, "delay_headers_ms": 50})
        started = time.monotonic()
        self.ask(OPENAI)
        self.assertGreater(time.monotonic() - started, 0.05 + 0.1 + 6 * 0.03)


class Choice(ModelTest):
    def test_order_and_end(self):
        self.start("# a comment", {"text": "one"}, "", {"text": "two", "repeat": 2}, {"text": "three"})
        self.assertEqual([self.ask(OPENAI)["text"] for _ in range(4)], ["one", "two", "two", "three"])
        self.assertEqual(self.get("unused"), [])
        status, _, text = self.post(ANTHROPIC)
        self.assertEqual(status, 400)
        self.assertEqual(json.loads(text)["error"]["message"], "script exhausted")
        self.assertEqual(self.get("failures"), [{"n": 5, "turn": None, "message": "script exhausted"}])

    def test_when(self):
        self.start(
            {"text": "ordered"},
            {"text": "child", "when": {"last_user_contains": "sub"}, "repeat": True},
            {"text": "once", "when": [{"contains": "needle\nline"}, {"path": "model", "equals": "m"}]},
        )
        user = {"role": "user", "content": [{"type": "text", "text": "a subagent"}]}
        self.assertEqual(self.ask(ANTHROPIC, body(user))["text"], "child")
        self.assertEqual(self.ask(OPENAI, body(user))["text"], "child")
        self.assertEqual(self.get("unused"), [1, 3])
        self.assertEqual(self.ask(OPENAI, body({"role": "user", "content": "a needle\nline"}))["text"], "once")
        self.assertEqual(self.ask(OPENAI, body({"role": "user", "content": "a needle\nline"}))["text"], "ordered")

    def test_last_user_is_not_a_tool_result(self):
        self.start({"text": "yes", "when": {"last_user_contains": "go on"}, "repeat": True})
        for wire in self.on_both_wires():
            self.assertEqual(self.ask(wire, after_tools(wire, "result"))["text"], "yes")

    def test_captures(self):
        turns = [
            {"text": "x", "capture": {"pr": "pull/(\\d+)"}},
            {"text": "#${pr} ${HOME} ${given}", "tool_calls": [{"name": "gh", "arguments": {"n": "${pr:int}", "a": ["${pr}"]}}]},
        ]
        for wire in self.on_both_wires():
            self.start(*turns, args=("--var", "given=ö"))
            result = [{"type": "text", "text": "see /pull/41"}] if wire == ANTHROPIC else "see /pull/41"
            self.ask(wire, after_tools(wire, "nothing", result))
            got = self.ask(wire)
            self.assertEqual(got["text"], "#41 ${HOME} ö")
            self.assertEqual(json.loads(got["calls"][0][2]), {"n": 41, "a": ["41"]})

    def test_capture_that_finds_nothing(self):
        self.start({"text": "x", "capture": {"pr": "pull/(\\d+)"}}, {"text": "${pr}"})
        self.assertIn("capture pr", self.post(ANTHROPIC, after_tools(ANTHROPIC, "none"))[2])
        self.assertIn("${pr} has no value yet", self.post(ANTHROPIC)[2])

    def test_reset(self):
        self.start({"text": "one"})
        self.ask(OPENAI)
        connection = self.connect()
        for script, want in (("", "one"), ('{"text":"other"}', "other"), ("", "other")):
            connection.request("POST", "/_model/reset", script)
            self.assertEqual(connection.getresponse().read(), b'{"ok":true}')
            self.assertEqual(self.get("journal"), [])
            self.assertEqual(self.ask(OPENAI)["text"], want)
        connection.request("POST", "/_model/reset", '{"texd":"x"}')
        self.assertIn(b"unknown key 'texd'", connection.getresponse().read())


class Expectations(ModelTest):
    CASES = (
        ({"contains": 'say "hi"\nthere'}, True),
        ({"contains": '"stream":true'}, True),
        ({"contains": "absent"}, False),
        ({"not_contains": "say"}, False),
        ({"path": "messages.0.role", "equals": "user"}, True),
        ({"path": "messages.-1.content", "contains": "there"}, True),
        ({"path": "messages.0.role", "matches": "^us"}, True),
        ({"path": "messages.7.role", "equals": "user"}, False),
        ({"path": "tools", "exists": False}, True),
        ({"path": "messages", "count": 2}, False),
        ({"path": "max_tokens", "equals": 100}, True),
        ({"header": "X-Api-Key", "equals": "test-key"}, True),
        ({"header": "authorization", "matches": "^Bearer .{3}$"}, False),
        ({"last_user_contains": "there"}, True),
        ({"last_user": True, "equals": "there"}, False),
        ({"last_tool": True, "equals": ""}, True),
    )

    def test_each(self):
        self.start(*[{"text": "x", "expect": condition} for condition, _ in self.CASES])
        request = body({"role": "user", "content": 'say "hi"\nthere'})
        for condition, holds in self.CASES:
            with self.subTest(condition=condition):
                status, _, text = self.post(ANTHROPIC, request)
                self.assertEqual(status, 200 if holds else 400, text)
                if not holds:
                    self.assertIn("script expectation failed", json.loads(text)["error"]["message"])
        self.assertEqual(len(self.get("failures")), sum(not holds for _, holds in self.CASES))

    def test_a_failed_one_uses_its_turn(self):
        self.start({"text": "one", "expect": [{"contains": "absent"}, {"contains": "gone"}]}, {"text": "two"})
        self.assertEqual(self.post(OPENAI)[0], 400)
        self.assertEqual(self.ask(OPENAI)["text"], "two")
        self.assertEqual([f["turn"] for f in self.get("failures")], [1, 1])

    def test_what_the_vendor_refuses(self):
        cases = (
            (ANTHROPIC, body(max_tokens=None), "max_tokens"),
            (ANTHROPIC, body({"role": "user", "content": [{"type": "text", "text": " "}]}), "non-whitespace"),
            (ANTHROPIC, body({"role": "system", "content": "x"}), "role 'system'"),
            (ANTHROPIC, body(*after_tools(ANTHROPIC, "x")["messages"][:2]), "the last must be of the user"),
            (ANTHROPIC, body(*after_tools(ANTHROPIC, "x")["messages"][:2], {"role": "user", "content": "y"}), "without a tool_result"),
            (OPENAI, body(*after_tools(OPENAI, "x", "y")["messages"][:3]), "without a tool message"),
            (OPENAI, body({"role": "tool", "tool_call_id": "t", "content": "x"}), "no tool call before it"),
            (OPENAI, {"messages": []}, "messages"),
        )  # fmt: skip
        self.start({"text": "x", "repeat": True})
        for wire, request, want in cases:
            with self.subTest(want=want):
                status, _, text = self.post(wire, request)
                self.assertEqual(status, 400)
                self.assertIn(want, text)
        self.process.terminate()
        self.start({"text": "x", "repeat": True}, args=("--lax",))
        self.assertEqual(self.ask(*cases[0][:2])["text"], "x")


class Server(ModelTest):
    def test_journal(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "journal.jsonl")
        self.start({"text": "x", "repeat": True}, args=("--journal", str(path)))
        self.ask(ANTHROPIC)
        self.get("wait?idle=1")  # the file has them in the order of their ends
        self.assertEqual(self.post("/v1/nothing")[0], 404)
        self.get("wait?idle=1")
        entry, other = self.get("journal")
        self.assertEqual((entry["n"], entry["path"], entry["status"], entry["turn"]), (1, ANTHROPIC, 200, 1))
        self.assertEqual((entry["headers"]["x-api-key"], entry["headers"]["authorization"]), ("***", "Bearer ***"))
        self.assertEqual((entry["body"], entry["disconnected"]), (body(), False))
        self.assertEqual((other["status"], len(other["failed_expectations"])), (404, 1))
        text = path.read_text()
        self.assertEqual([json.loads(line) for line in text.splitlines()], [entry, other])
        self.assertNotIn("test-key", text)

    def test_many_at_once(self):
        self.start({"text": "x", "repeat": True, "delay_ms": 20})
        threads = [threading.Thread(target=self.ask, args=(OPENAI,)) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([e["n"] for e in self.get("journal")], list(range(1, 41)))

    def test_a_bad_script_is_refused_at_the_start(self):
        cases = (
            ({"texd": "x"}, "line 1: unknown key 'texd'"),
            ({"text": 1}, "line 1: 'text' cannot be 1"),
            ("{", "line 1: "),
            ({"tool_calls": [{"arguments": {}}]}, "a tool call has a name"),
            ({"capture": {"a": "("}}, "line 1: "),
            ({"expect": {"path": "x"}}, "bad condition"),
            ({"text": "x", "malformed": "how"}, "malformed"),
        )
        for turn, want in cases:
            with self.subTest(turn=turn), tempfile.TemporaryDirectory() as folder:
                process, ready = start(folder, [turn])
                if ready:
                    process.terminate()
                self.assertIsNone(ready)
                self.assertIn(want, process.communicate()[1])
                self.assertEqual(process.returncode, 1)
        with tempfile.TemporaryDirectory() as folder:
            process, _ = start(folder, [{"text": "x", "repeat": True}, {"text": "y"}])
            self.assertIn("line 2: never reached", process.communicate()[1])

    def test_it_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            process, _ = start(folder, [{"text": "x"}], "--ttl", "0.2")
            self.assertEqual(process.wait(5), 0)
            process.stderr.close()
        with tempfile.TemporaryDirectory() as folder, subprocess.Popen(["sleep", "60"]) as parent:
            process, _ = start(folder, [{"text": "x"}], "--parent", str(parent.pid))
            self.assertIsNone(process.poll())
            parent.kill()
            self.assertEqual(process.wait(5), 0)
            process.stderr.close()
        with tempfile.TemporaryDirectory() as folder:
            process, _ = start(folder, [{"text": "x"}])
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(5), 0)
            process.stderr.close()


if __name__ == "__main__":
    unittest.main()
