#!/usr/bin/env python3
"""`kedge mcp` seen by a client: a real process, driven over its standard input and output.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import base64
import os
import shutil
import signal
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import WAIT, Client, text_of  # noqa: E402

MIB = 1024 * 1024
# a command that ends when it is told to, and says in a file that it runs
SLEEP = "touch running; sleep 60"


class McpTest(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="kedge-mcp-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.put("../.kedge/agent/config.yml", "edit: {mode: replace}\n")  # what is read is the text alone

    def write(self, text):
        path = os.path.join(self.root, ".kedge", "agent", "config.yml")
        self.put("../.kedge/agent/new.yml", text)
        os.replace(os.path.join(os.path.dirname(path), "new.yml"), path)

    def client(self, *args, **options):
        client = Client(self.root, args, **options)
        self.addCleanup(client.close)
        return client

    def coding(self, *args, **options):
        return self.client("--tools", "coding", *args, **options)

    def put(self, name, data):
        path = os.path.join(self.root, "w", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path


class Handshake(McpTest):
    def test_versions(self):
        for asked, answered in (("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-03-26"),
                                ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-06-18"),
                                ("2099-01-01", "2025-06-18")):
            with self.subTest(asked):
                client = self.client(version=asked)
                result = client.hello["result"]
                self.assertEqual(result["protocolVersion"], answered)
                self.assertEqual(result["serverInfo"]["name"], "kedge")
                self.assertEqual(result["capabilities"], {"tools": {"listChanged": False}})
                self.assertIn("data, not instructions", result["instructions"])
                self.assertEqual(client.end(), 0)

    def test_no_version_at_all(self):
        client = self.client(start=False)
        self.assertEqual(client.request("initialize")["result"]["protocolVersion"], "2025-06-18")

    def test_ping(self):
        client = self.client(start=False)  # allowed before initialize
        self.assertEqual(client.request("ping"), {"jsonrpc": "2.0", "id": 1, "result": {}})
        id_ = client.start("ping", id_="a word")
        self.assertEqual(client.response(id_)["result"], {})

    def test_unknown_method(self):
        error = self.client().request("resources/list")["error"]
        self.assertEqual(error, {"code": -32601, "message": "Method not found: resources/list"})

    def test_unknown_notification_is_ignored(self):
        client = self.client()
        client.notify("notifications/whatever")
        client.notify("notifications/cancelled", {"requestId": 4711})
        client.notify("notifications/cancelled")
        self.assertEqual(client.request("ping")["result"], {})
        self.assertEqual(client.kept, [])


class Listing(McpTest):
    def tools(self, *args):
        return {tool["name"]: tool for tool in self.client(*args).request("tools/list")["result"]["tools"]}

    def test_coding_tools(self):
        tools = self.tools("--tools", "coding")
        self.assertEqual(set(tools), {"read", "bash", "edit", "eval", "find", "grep", "write"})  # calc, job: off by default
        read = tools["read"]
        self.assertEqual(read["inputSchema"]["type"], "object")
        self.assertEqual(read["inputSchema"]["required"], ["path"])
        self.assertIs(read["inputSchema"]["additionalProperties"], False)
        self.assertEqual(set(read["inputSchema"]["properties"]), {"path"})  # hidden fields stay hidden
        self.assertEqual(read["annotations"], {"readOnlyHint": True, "openWorldHint": False})
        # what a client takes for granted is not said: the open world, and that a repeat may do more
        self.assertEqual(tools["bash"]["annotations"], {"readOnlyHint": False, "destructiveHint": True})
        for tool in tools.values():
            self.assertTrue(tool["title"] and tool["description"], tool["name"])

    def test_titles_where_the_client_looks_for_them(self):
        for version, is_old in (("2025-06-18", False), ("2025-03-26", True)):
            client = self.client("--tools", "read", version=version)
            [read] = client.request("tools/list")["result"]["tools"]
            self.assertEqual((read["annotations"] if is_old else read)["title"], "Read")
            self.assertNotIn("title", read if is_old else read["annotations"])

    def test_default_is_github_and_gh(self):
        names = set(self.tools())
        self.assertLess({"github", "gh", "gh_pr_view", "gh_api_get"}, names)
        self.assertEqual(len(names), 17)  # github, gh and the fifteen typed reads

    def test_names_and_groups(self):
        self.assertEqual(set(self.tools("--tools", "grep,github")), {"grep", "github"})
        self.assertIn("bash", self.tools("--tools", "all"))

    def test_read_only(self):
        tools = self.tools("--tools", "coding", "--read-only")
        self.assertIn("read", tools)
        self.assertNotIn("write", tools)
        self.assertTrue(all(tool["annotations"]["readOnlyHint"] for tool in tools.values()))

    def test_unknown_tool_is_a_usage_error(self):
        client = self.client("--tools", "nope", start=False)
        self.assertEqual(client.end(), 2)
        client.threads[0].join(WAIT)
        self.assertIn(b"nope", client.stderr)


GIF = b"GIF89a\x10\x00\x10\x00\x00\x00\x00"  # of 16 x 16 pixels, as far as its head says


class Calls(McpTest):
    def test_read(self):
        self.put("a.txt", "one\ntwo\n")
        result = self.coding().call("read", {"path": "a.txt"})
        self.assertEqual(result["content"], [{"type": "text", "text": "one\ntwo\n"}])
        self.assertIs(result["isError"], False)
        self.assertEqual(result["_meta"]["kedge/details"]["resolvedPath"],
                         os.path.join(self.root, "w", "a.txt"))

    def test_image(self):
        data = GIF + bytes(20)
        self.put("a.gif", data)
        result = self.coding().call("read", {"path": "a.gif"})
        self.assertEqual(result["content"][1], {"type": "image", "data": base64.b64encode(data).decode(),
                                                "mimeType": "image/gif"})

    def test_large_answer_to_a_slow_client(self):
        data = GIF + bytes(400 * 1024)  # far more than a pipe holds
        self.put("a.gif", data)
        client = self.coding()
        client.reading.clear()
        id_ = client.start_call("read", {"path": "a.gif"})
        for _ in range(50):
            client.start("ping")
        client.reading.set()
        self.assertEqual(base64.b64decode(client.response(id_)["result"]["content"][1]["data"]), data)

    def test_tool_error_is_a_result(self):
        result = self.coding().call("read", {"path": "nope"})
        self.assertIs(result["isError"], True)
        self.assertEqual(text_of(result), "Path 'nope' not found")

    def test_bad_arguments_are_a_result(self):
        result = self.coding().call("read", {"pth": 1})
        self.assertIs(result["isError"], True)
        self.assertIn('Validation failed for tool "read":', text_of(result))
        self.assertIn("path: must have required property 'path'", text_of(result))
        self.assertIn('did you mean "path"', text_of(result))

    def test_bad_params_are_protocol_errors(self):
        client = self.coding()
        for params, message in (({"name": "nope"}, "Unknown tool: nope"), ({}, "Unknown tool: (none named)"),
                                ({"name": 5}, "Unknown tool: (none named)"),
                                ({"name": "github"}, "Unknown tool: github"),
                                ({"name": "read", "arguments": [1]}, "arguments must be an object"),
                                ({"name": "read", "arguments": "x"}, "arguments must be an object")):
            with self.subTest(params):
                self.assertEqual(client.request("tools/call", params)["error"],
                                 {"code": -32602, "message": message})

    def test_params_of_odd_types(self):
        client = self.coding()
        for params in ([], "x", 5, None):
            client.send({"jsonrpc": "2.0", "id": "odd", "method": "tools/call", "params": params})
            self.assertEqual(client.response("odd")["error"]["code"], -32602)

    def test_ten_at_once(self):
        client = self.coding()
        for i in range(10):
            self.put(f"f{i}", str(i))
        ids = {client.start_call("read", {"path": f"f{i}"}): str(i) for i in range(10)}
        for id_, text in ids.items():
            self.assertEqual(text_of(client.response(id_)["result"]), text)
        self.assertEqual(client.end(), 0)

    def test_reads_do_not_wait_for_a_command(self):
        self.put("a.txt", "here")
        client = self.coding("--allow-writes")
        slow = client.start_call("bash", {"command": SLEEP})
        client.wait_for_file("running")
        self.assertEqual(text_of(client.call("read", {"path": "a.txt"})), "here")
        client.notify("notifications/cancelled", {"requestId": slow})

    def test_same_id_twice(self):
        client = self.coding("--allow-writes")
        client.start("tools/call", {"name": "bash", "arguments": {"command": SLEEP}}, id_="twin")
        client.wait_for_file("running")
        client.start("tools/call", {"name": "bash", "arguments": {"command": "true"}}, id_="twin")
        self.assertEqual(client.response("twin")["error"]["code"], -32600)

    def test_too_many(self):
        client = self.coding("--allow-writes")
        client.start_call("bash", {"command": SLEEP})
        ids = [client.start_call("bash", {"command": "true"}) for _ in range(64)]
        self.assertIn("too many calls at once", client.response(ids[-1])["error"]["message"])

    def test_long_text_is_cut(self):
        client = self.coding("--allow-writes")
        text = text_of(client.call("bash", {"command": "seq 1 20000"}))
        self.assertTrue(text.endswith("[Showing lines 11467-20001 of 20001 (50.0KB limit)]"), text[-100:])
        self.assertNotIn("artifact://", text)


class Framing(McpTest):
    def error(self, client):
        return client.wait_for(lambda m: "error" in m)

    def test_malformed_lines(self):
        client = self.client()
        for line in (b"{", b"not json", b'{"a":1}}', b"\xff\xfe", b"[" * 100000):
            client.raw(line + b"\n")
            message = self.error(client)
            self.assertIsNone(message["id"])
            self.assertEqual(message["error"]["code"], -32700)
            self.assertTrue(message["error"]["message"].startswith("Parse error: "))
        self.assertEqual(client.request("ping")["result"], {})

    def test_invalid_messages(self):
        client = self.client()
        for text, id_ in ((b"5", None), (b'"x"', None), (b"{}", None), (b"[]", None), (b"null", None),
                          (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
                          (b'{"id":"mine","method":"ping"}', "mine"),
                          (b'{"jsonrpc":"2.0","id":3,"method":7}', 3)):
            with self.subTest(text):
                client.raw(text + b"\n")
                message = self.error(client)
                self.assertEqual((message["id"], message["error"]["code"]), (id_, -32600))

    def test_answers_that_fit_nothing_are_passed_over(self):
        client = self.client()
        for message in ({"jsonrpc": "2.0", "id": "kedge-99", "result": {}},
                        {"jsonrpc": "2.0", "id": None, "error": {"code": -1, "message": "x"}},
                        {"jsonrpc": "2.0", "id": "kedge-roots", "error": {"code": -1, "message": "x"}},
                        {"jsonrpc": "2.0", "id": 5, "result": []}):
            client.send(message)
        self.assertEqual(client.request("ping")["result"], {})
        self.assertEqual(client.kept, [])

    def test_blank_lines_and_carriage_returns(self):
        client = self.client()
        client.raw(b"\n\r\n")
        client.raw(b'{"jsonrpc":"2.0","id":"cr","method":"ping"}\r\n')
        self.assertEqual(client.response("cr")["result"], {})
        self.assertEqual(client.kept, [])

    def test_pieces(self):
        client = self.client()
        for byte in b'{"jsonrpc":"2.0","id":"slow","method":"ping"}\n{"jsonrpc":"2.0","id":"n':
            client.raw(bytes([byte]))
        self.assertEqual(client.response("slow")["result"], {})
        client.raw(b'ext","method":"ping"}\n')
        self.assertEqual(client.response("next")["result"], {})

    def test_batch(self):
        self.put("a.txt", "text")
        client = self.coding(version="2025-03-26")
        client.send([{"jsonrpc": "2.0", "id": "b1", "method": "ping"},
                     {"jsonrpc": "2.0", "method": "notifications/whatever"},
                     {"jsonrpc": "2.0", "id": "b2", "method": "tools/call",
                      "params": {"name": "read", "arguments": {"path": "a.txt"}}}, 5])
        self.assertEqual(client.response("b1")["result"], {})
        self.assertEqual(text_of(client.response("b2")["result"]), "text")
        self.assertEqual(self.error(client)["error"]["code"], -32600)

    def test_batch_of_50_and_of_51(self):  # common-S13
        client = self.client(version="2025-03-26")
        ping = [{"jsonrpc": "2.0", "id": f"p{i}", "method": "ping"} for i in range(51)]
        client.send(ping[:50])
        for i in range(50):
            self.assertEqual(client.response(f"p{i}")["result"], {})
        for batch, count in ((ping, 51), ([], 0)):
            client.send(batch)
            error = self.error(client)["error"]
            self.assertEqual(error["code"], -32600)
            self.assertEqual(error["message"], f"a batch has 1 to 50 messages, this one has {count}")
        self.assertEqual(client.request("ping")["result"], {})
        self.assertEqual(client.kept, [])  # none of them ran, nothing was answered twice

    def test_line_of_65_mib(self):
        client = self.client()
        head = b'{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"'
        client.raw(head)
        for _ in range(65):
            client.raw(b"x" * MIB)
        self.assertIn("64 MiB", self.error(client)["error"]["message"])
        for _ in range(65):  # the rest of it is dropped without another word
            client.raw(b"x" * MIB)
        client.raw(b'"}}\n')
        self.assertEqual(client.request("ping")["result"], {})
        self.assertEqual(client.kept, [])

    def test_line_of_60_mib(self):
        client = self.client()
        client.raw(b'{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"')
        for _ in range(60):
            client.raw(b"x" * MIB)
        client.raw(b'"}}\n')
        self.assertEqual(client.response("big")["result"], {})


class Progress(McpTest):
    def test_progress(self):
        client = self.coding("--allow-writes")
        command = "for i in 1 2 3 4 5; do echo step $i; sleep 0.2; done"
        id_ = client.start_call("bash", {"command": command}, {"progressToken": "tok"})
        self.assertIn("step 5", text_of(client.response(id_)["result"]))
        steps = [m["params"] for m in client.kept if m.get("method") == "notifications/progress"]
        self.assertGreaterEqual(len(steps), 2)
        self.assertTrue(all(step["progressToken"] == "tok" for step in steps))
        self.assertEqual([step["progress"] for step in steps], list(range(1, len(steps) + 1)))
        self.assertIn("step 1", steps[0]["message"])

    def test_no_token_no_progress(self):
        client = self.coding("--allow-writes")
        client.call("bash", {"command": "for i in 1 2 3; do echo $i; sleep 0.1; done"})
        self.assertEqual(client.kept, [])
        id_ = client.start_call("bash", {"command": "echo a; sleep 0.2"}, {"progressToken": None})
        client.response(id_)
        self.assertEqual(client.kept, [])


class Cancelling(McpTest):
    def test_long_call(self):
        client = self.coding("--allow-writes")
        id_ = client.start_call("bash", {"command": SLEEP + "; echo late > late"})
        client.wait_for_file("running")
        started = time.monotonic()
        client.notify("notifications/cancelled", {"requestId": id_, "reason": "test"})
        # the next command waits for the one before: it runs as soon as that is gone
        self.assertEqual(text_of(client.call("bash", {"command": "echo next"})).strip(), "next")
        self.assertLess(time.monotonic() - started, 15)
        self.assertEqual([m for m in client.kept if m.get("id") == id_], [])  # no answer is wanted
        self.assertFalse(os.path.exists(os.path.join(client.cwd, "late")))
        self.assertEqual(client.end(), 0)

    def test_waiting_call(self):
        client = self.coding("--allow-writes")
        first = client.start_call("bash", {"command": SLEEP})
        client.wait_for_file("running")
        second = client.start_call("bash", {"command": "touch second"})
        client.notify("notifications/cancelled", {"requestId": second})
        client.notify("notifications/cancelled", {"requestId": first})
        client.call("bash", {"command": "true"})
        self.assertFalse(os.path.exists(os.path.join(client.cwd, "second")))


class Approval(McpTest):
    WRITE = {"path": "new.txt", "content": "x"}

    def asking(self, answer, *args):
        client = self.coding(*args, capabilities={"elicitation": {}})
        client.answer = answer
        return client

    def written(self):
        return os.path.exists(os.path.join(self.root, "w", "new.txt"))

    def test_accept(self):
        client = self.asking(lambda m: {"result": {"action": "accept", "content": {"approve": True}}})
        self.assertIs(client.call("write", self.WRITE)["isError"], False)
        self.assertTrue(self.written())
        question = client.asked[0]
        self.assertTrue(question["message"].startswith("WRITE: "), question["message"])
        self.assertIn('path: "new.txt"', question["message"])
        self.assertEqual(question["requestedSchema"]["required"], ["approve"])
        self.assertEqual(question["requestedSchema"]["properties"]["approve"]["type"], "boolean")

    def test_everything_else_declines(self):
        for result in ({"action": "decline"}, {"action": "cancel"},
                       {"action": "accept", "content": {"approve": False}}, {"action": "accept"},
                       {"action": "accept", "content": {"approve": "yes"}}, {}):
            with self.subTest(result):
                client = self.asking(lambda m, r=result: {"result": r})
                answer = client.call("write", self.WRITE)
                self.assertIs(answer["isError"], True)
                self.assertTrue(text_of(answer).startswith("declined: write ("), text_of(answer))
                self.assertFalse(self.written())

    def test_a_client_that_cannot_ask_after_all(self):
        client = self.asking(lambda m: {"error": {"code": -32601, "message": "no"}})
        text = text_of(client.call("write", self.WRITE))
        self.assertIn("cannot be asked", text)
        self.assertIn("--allow-writes", text)
        self.assertFalse(self.written())

    def test_without_elicitation(self):
        answer = self.coding().call("write", self.WRITE)
        self.assertIs(answer["isError"], True)
        self.assertTrue(text_of(answer).startswith("refused: write ("), text_of(answer))
        self.assertIn("--allow-writes", text_of(answer))
        self.assertFalse(self.written())

    def test_allow_writes_does_not_ask(self):
        client = self.asking(None, "--allow-writes")
        self.assertIs(client.call("write", self.WRITE)["isError"], False)
        self.assertEqual(client.asked, [])

    def test_reads_are_not_asked_about(self):
        self.put("a.txt", "x")
        client = self.asking(None)
        self.assertEqual(text_of(client.call("read", {"path": "a.txt"})), "x")
        self.assertEqual(client.asked, [])

    def test_read_only_never_asks(self):
        client = self.client("--tools", "all", "--read-only", "--allow-writes",
                             capabilities={"elicitation": {}})
        self.assertEqual(client.request("tools/call", {"name": "write", "arguments": self.WRITE})
                         ["error"]["message"], "Unknown tool: write")
        self.assertEqual(client.asked, [])

    def test_others_go_on_while_one_waits(self):
        self.put("a.txt", "x")
        client = self.asking(None)
        client.start_call("write", self.WRITE)
        client.wait_for(lambda m: m.get("method") == "elicitation/create")
        self.assertEqual(text_of(client.call("read", {"path": "a.txt"})), "x")

    def test_cancelled_while_asking_withdraws_the_question(self):
        client = self.asking(None)
        id_ = client.start_call("write", self.WRITE)
        question = client.wait_for(lambda m: m.get("method") == "elicitation/create")
        client.notify("notifications/cancelled", {"requestId": id_})
        gone = client.wait_for(lambda m: m.get("method") == "notifications/cancelled")
        self.assertEqual(gone["params"]["requestId"], question["id"])
        # an answer that comes too late means nothing
        client.send({"jsonrpc": "2.0", "id": question["id"],
                     "result": {"action": "accept", "content": {"approve": True}}})
        self.assertEqual(client.request("ping")["result"], {})
        self.assertFalse(self.written())

    def test_end_of_input_while_asking(self):
        client = self.asking(None)
        id_ = client.start_call("write", self.WRITE)
        client.wait_for(lambda m: m.get("method") == "elicitation/create")
        started = time.monotonic()
        client.process.stdin.close()
        self.assertIn("cannot be asked", text_of(client.response(id_)["result"]))
        self.assertEqual(client.end(), 0)
        self.assertLess(time.monotonic() - started, 8)  # not after the time for stragglers

    def test_sigterm_while_asking(self):
        client = self.asking(None)
        client.start_call("write", self.WRITE)
        client.wait_for(lambda m: m.get("method") == "elicitation/create")
        client.process.send_signal(signal.SIGTERM)
        self.assertEqual(client.process.wait(WAIT), 143)


class WorkingDirectory(McpTest):
    def setUp(self):
        super().setUp()
        self.put("here.txt", "server")
        self.other = os.path.join(self.root, "other dir")
        os.makedirs(self.other)
        with open(os.path.join(self.other, "here.txt"), "w", encoding="utf-8") as file:
            file.write("root")
        self.uri = "file://" + self.other.replace(" ", "%20")

    def where(self, *args, **options):
        client = self.coding(*args, **options)
        return text_of(client.call("read", {"path": "here.txt"}))

    def test_of_the_server(self):
        self.assertEqual(self.where(), "server")

    def test_first_file_root(self):
        self.assertEqual(self.where(roots=[{"uri": "https://example.com/"}, {"uri": self.uri},
                                           {"uri": "file:///nowhere"}]), "root")

    def test_a_root_that_is_no_directory_is_passed_over(self):
        self.assertEqual(self.where(roots=[{"uri": "file:///no/such/dir"}, {"uri": self.uri}]), "root")

    def test_no_usable_root(self):
        for roots in ([], [{"uri": "https://example.com/"}], [{}], None, "text", [5]):
            with self.subTest(roots):
                client = Client(self.root, ["--tools", "coding"], roots=roots if roots is not None else [])
                self.addCleanup(client.close)
                self.assertEqual(text_of(client.call("read", {"path": "here.txt"})), "server")

    def test_cwd_wins(self):
        client = self.coding("--cwd", self.other, roots=[{"uri": "file:///"}])
        self.assertEqual(text_of(client.call("read", {"path": "here.txt"})), "root")

    def test_a_client_that_does_not_answer(self):
        self.assertEqual(self.where(roots="never"), "server")  # after 5 s

    def test_cwd_that_is_missing(self):
        client = self.client("--cwd", "/no/such/dir", start=False)
        self.assertNotEqual(client.end(), 0)


class Settings(McpTest):
    def test_lines_by_their_anchors(self):
        self.put("f.txt", "alpha\nbeta\n")
        self.write("{}\n")
        self.assertEqual(text_of(self.coding().call("read", {"path": "f.txt"})), "1im|alpha\n2id|beta\n3gx|")
        self.assertEqual(text_of(self.client("--tools", "read").call("read", {"path": "f.txt"})), "alpha\nbeta\n")  # no edit

    def test_a_changed_file_counts_from_the_next_call_on(self):
        self.put("tides.txt", "before\nhigh\nafter\n")
        self.write("grep:\n  contextBefore: 0\n  contextAfter: 0\n")
        client = self.coding()
        wanted = {"pattern": "high", "path": "tides.txt"}
        self.assertNotIn("after", text_of(client.call("grep", wanted)))
        self.write("grep:\n  contextBefore: 0\n  contextAfter: 1\n")
        found = text_of(client.call("grep", wanted))
        self.assertIn("after", found)
        self.assertNotIn("before", found)

    def test_a_file_that_is_broken_meanwhile_changes_nothing(self):
        self.put("tides.txt", "before\nhigh\nafter\n")
        self.write("grep:\n  contextBefore: 0\n  contextAfter: 0\n")
        client = self.coding()
        wanted = {"pattern": "high", "path": "tides.txt"}
        client.call("grep", wanted)
        self.write("grep: [\n")
        self.assertNotIn("after", text_of(client.call("grep", wanted)))


class Ending(McpTest):
    def test_end_of_input(self):
        self.assertEqual(self.client().end(), 0)

    def test_at_once(self):
        client = self.client(start=False)
        self.assertEqual(client.end(), 0)

    def test_answers_still_come(self):
        self.put("a.txt", "x")
        client = self.coding("--allow-writes")
        id_ = client.start_call("bash", {"command": "sleep 0.5; cat a.txt"})
        client.process.stdin.close()
        self.assertEqual(text_of(client.response(id_)["result"]).strip(), "x")
        self.assertEqual(client.end(), 0)

    def test_a_call_that_does_not_end_is_cancelled(self):
        client = self.coding("--allow-writes")
        client.start_call("bash", {"command": SLEEP})
        client.wait_for_file("running")
        self.assertEqual(client.end(30), 0)

    def test_signals(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)):
            with self.subTest(number):
                client = self.coding("--allow-writes")
                path = os.path.join(client.cwd, "running")
                if os.path.exists(path):
                    os.unlink(path)
                client.start_call("bash", {"command": SLEEP + " & echo $! > pid; wait"})
                client.wait_for_file("running")
                client.process.send_signal(number)
                self.assertEqual(client.process.wait(WAIT), code)

    def test_sigterm_while_the_client_does_not_read(self):
        self.put("a.gif", b"GIF89a" + bytes(8 * MIB))
        client = self.coding()
        client.reading.clear()
        for _ in range(3):
            client.start_call("read", {"path": "a.gif"})
        time.sleep(1)  # the pipe is full by now
        client.process.send_signal(signal.SIGTERM)
        self.assertEqual(client.process.wait(WAIT), 143)

    def test_a_client_that_is_gone(self):
        client = self.coding("--allow-writes", is_deaf=True)
        client.start_call("bash", {"command": SLEEP})
        client.wait_for_file("running")
        os.close(client.deaf_ear)
        client.start("ping")
        self.assertEqual(client.process.wait(WAIT), 0)


if __name__ == "__main__":
    unittest.main()
