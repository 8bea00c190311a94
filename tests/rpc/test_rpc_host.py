#!/usr/bin/env python3
"""`kedge --mode rpc` seen by a program: what kedge asks of it (host tools, dialogs), and the end. Rows of agent-core §10 are named core-N.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import os
import signal
import sys
import time
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import COMMENT, WAIT, RpcTest, lines_of  # noqa: E402


class Titles(RpcTest):
    def test_only_a_client_that_shows_them_gets_them(self):
        self.script({"text": "one"}, {"text": "Repair the harbour"})
        client = self.client(env={**self.environment(), "KEDGE_NO_TITLE": "", "KEDGE_RPC_EMIT_TITLE": "1"})
        client.prompt("go")
        request = client.event("extension_ui_request")
        self.assertEqual((request["method"], request["title"]), ("setTitle", "Repair the harbour"))
        self.assertEqual(client.get("get_state")["sessionName"], "Repair the harbour")
        client.get("set_session_name", name="mine")
        self.assertEqual(client.event("extension_ui_request")["title"], "mine")

    def test_the_others_pay_for_none(self):
        self.script({"text": "one"}, {"text": "two"})
        client = self.client(env={**self.environment(), "KEDGE_NO_TITLE": ""})
        client.prompt("go")
        client.prompt("on")
        self.assertEqual(client.get("get_last_assistant_text")["text"], "two")
        client.get("set_session_name", name="mine")
        self.assertEqual(client.event("session_info_changed")["name"], "mine")
        self.assertFalse([message for message in client.seen if message["type"] == "extension_ui_request"])


class HostTools(RpcTest):
    ECHO = {"name": "echo_host", "label": "Echo", "description": "Says it again",
            "parameters": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}}

    def begin(self, *turns):
        call = {"tool_calls": [{"name": "echo_host", "arguments": {"message": "hi"}}]}
        self.script(call, *turns)
        client = self.client()
        self.assertEqual(client.get("set_host_tools", tools=[self.ECHO]), {"toolNames": ["echo_host"]})
        client.get("prompt", message="say it")
        frame = client.event("host_tool_call")
        self.assertEqual((frame["toolName"], frame["arguments"]), ("echo_host", {"message": "hi"}))
        self.assertTrue(frame["toolCallId"])
        return client, frame

    def test_result(self):
        client, frame = self.begin({"text": "done", "expect": {"last_tool_contains": "hi there"}})
        client.send({"type": "host_tool_result", "id": "another", "result": {"content": []}})
        client.send({"type": "host_tool_update", "id": frame["id"], "partialResult": {"content": [{"type": "text", "text": "half"}]}})
        self.assertEqual(client.event("tool_execution_update")["partialResult"]["content"][0]["text"], "half")
        client.send({"type": "host_tool_result", "id": frame["id"], "isError": False,
                     "result": {"content": [{"type": "text", "text": "hi there"}], "details": {"a": 1}}})
        self.assertEqual(client.event("tool_execution_end")["result"]["details"], {"a": 1})
        client.event("agent_end")
        self.assertEqual(client.get("get_last_assistant_text")["text"], "done")

    def test_failure(self):
        client, frame = self.begin({"text": "sorry", "expect": {"last_tool_contains": "Host tool execution failed"}})
        client.send({"type": "host_tool_result", "id": frame["id"], "isError": True})
        self.assertTrue(client.event("tool_execution_end")["isError"])
        client.event("agent_end")
        self.assertEqual(client.get("get_last_assistant_text")["text"], "sorry")

    def test_abort_withdraws_the_call(self):
        client, frame = self.begin()
        client.get("abort")
        self.assertEqual(client.event("host_tool_cancel")["targetId"], frame["id"])
        client.event("agent_end")

    def offered(self):
        """The names of the tools of each request."""
        return [[tool["name"] for tool in request["body"]["tools"]] for request in self.model.ask("journal")]

    def test_found(self):
        """They wait until they are found, and are remembered when the session is opened again."""
        for mode in ("tools: {discoveryMode: mcp-only}", "mcp: {discoveryMode: true}", "tools: {discoveryMode: all}"):
            with self.subTest(mode=mode):
                self.settings(mode + "\n")
                search = {"tool_calls": [{"name": "search_tool_bm25", "arguments": {"query": "says again"}}]}
                call = {"tool_calls": [{"name": "echo_host", "arguments": {"message": "hi"}}]}
                self.script({"text": "nothing to find"}, search, call, {"text": "done", "expect": {"last_tool_contains": "hi there"}},
                            {"text": "again"})
                client = self.client()
                client.prompt("hi")
                client.get("set_host_tools", tools=[self.ECHO])
                self.assertNotIn("echo_host", [tool["name"] for tool in client.get("get_state")["dumpTools"]])
                client.get("prompt", message="say it")
                frame = client.event("host_tool_call")
                client.send({"type": "host_tool_result", "id": frame["id"], "result": {"content": [{"type": "text", "text": "hi there"}]}})
                client.event("agent_end")
                self.assertEqual(client.get("get_state")["dumpTools"][-1]["name"], "echo_host")
                path = client.get("get_state")["sessionFile"]
                self.assertEqual(client.end(), 0)
                client = self.client()
                client.get("set_host_tools", tools=[self.ECHO])
                client.get("switch_session", sessionPath=path)
                client.prompt("once more")
                self.assertEqual(client.end(), 0)
                alone, *requests = self.offered()
                self.assertEqual([("search_tool_bm25" in names, "echo_host" in names) for names in requests],
                                 [(True, False), (True, True), (True, True), (True, True)])
                self.assertEqual([names[-1] for names in requests[1:]], ["echo_host"] * 3)
                self.assertEqual("search_tool_bm25" in alone, "all" in mode)

    def test_without_a_tool_that_finds_them_they_do_not_wait(self):
        self.settings("tools: {discoveryMode: all}\n")
        self.script({"text": "one"}, {"text": "two"})
        client = self.client("--no-tools")
        client.get("set_host_tools", tools=[self.ECHO])
        client.prompt("hi")
        self.assertEqual(client.end(), 0)
        client = self.client("--tools", "read")
        client.get("set_host_tools", tools=[self.ECHO])
        client.prompt("hi")
        self.assertEqual(client.end(), 0)
        self.assertEqual(self.offered(), [["echo_host"], ["read", "search_tool_bm25"]])

    def test_end_of_input_fails_it(self):
        client, _ = self.begin()
        self.assertEqual(client.end(), 0)

    def test_wrong_definitions(self):
        client = self.client()
        for tool, problem in (({**self.ECHO, "name": ""}, "name"), ({**self.ECHO, "description": " "}, "description"),
                              ({**self.ECHO, "parameters": {"type": "string"}}, "object"), ({**self.ECHO, "name": "read"}, "read"), (7, "tools")):
            with self.subTest(tool):
                answer = client.call("set_host_tools", tools=[tool])
                self.assertFalse(answer["success"])
                self.assertIn(problem, answer["error"])

    def test_a_new_set_replaces_the_old_one(self):
        self.script({"text": "ok", "expect": [{"not_contains": "echo_host"}, {"contains": "other_host"}]})
        client = self.client()
        client.get("set_host_tools", tools=[self.ECHO])
        client.get("set_host_tools", tools=[{**self.ECHO, "name": "other_host"}])
        client.prompt("hi")
        self.assertEqual(client.get("get_last_assistant_text")["text"], "ok")


class Dialogs(RpcTest):
    def begin(self):
        """A client whose model wants to write a comment, and the question."""
        self.script({"tool_calls": [COMMENT]}, {"text": "done"})
        self.add_gh()
        client = self.client("--tools", "gh", env={**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        client.get("prompt", message="make it")
        return client, client.event("extension_ui_request")

    def ask(self, **reply):
        client, request = self.begin()
        self.assertEqual((request["method"], request["tool"], request["effect"]), ("confirm", "gh", "write"))
        self.assertIn("harbor/tidepool", request["message"])
        client.send({"type": "extension_ui_response", "id": "another", "confirmed": True})  # passed over
        client.send({"type": "extension_ui_response", "id": request["id"], "digest": "0" * 64, "confirmed": True})  # of another call: passed over
        self.assertEqual(len(request["digest"]), 64)
        client.send({"type": "extension_ui_response", "id": request["id"], **reply})
        client.event("agent_end")
        return client, request

    def test_yes(self):
        client, request = self.ask(confirmed=True)
        self.assertTrue(os.path.exists(os.path.join(client.cwd, "made")))
        client.send({"type": "extension_ui_response", "id": request["id"], "confirmed": False})  # too late
        self.assertTrue(client.call("get_state")["success"])

    def test_a_command_of_a_shell_asks_as_the_tool_gh_does(self):
        """And a person who thinks takes no time from the command."""
        command = "gh issue comment 12 -R harbor/tidepool -b hi; echo status $?"
        for answer, status in ((False, "status 77"), (True, "status 0")):
            with self.subTest(answer):
                self.script({"tool_calls": [{"name": "bash", "arguments": {"command": command, "timeout": 1}}]},
                            {"text": "done"})
                self.add_gh()
                client = self.client("--tools", "bash", env={**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
                client.get("prompt", message="make it")
                request = client.event("extension_ui_request")
                self.assertEqual((request["method"], request["tool"], request["effect"]), ("confirm", "gh", "write"))
                self.assertIn("WRITE on github.com/harbor/tidepool", request["message"])
                time.sleep(0 if answer else 1.2)  # more than the command has
                client.send({"type": "extension_ui_response", "id": request["id"], "confirmed": answer})
                result = client.event("tool_execution_end")
                self.assertIn(status, result["result"]["content"][0]["text"])
                client.event("agent_end")
                self.assertEqual(os.path.exists(os.path.join(client.cwd, "made")), answer)

    def test_a_persons_own_command_asks_nobody(self):
        self.script({"text": "done"})
        self.add_gh()
        client = self.client("--tools", "bash", env={**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        result = client.get("bash", command="gh issue comment 12 -R harbor/tidepool -b hi; echo status $?; env | grep -c ^KEDGE_GH_OWN")
        self.assertIn("status 0\n1", result["output"])
        self.assertTrue(os.path.exists(os.path.join(client.cwd, "made")))

    def test_no(self):
        for reply in ({"confirmed": False}, {"cancelled": True}, {}):
            with self.subTest(reply):
                client, _ = self.ask(**reply)
                self.assertFalse(os.path.exists(os.path.join(client.cwd, "made")))

    def test_silence_means_no(self):
        """core-91"""
        self.settings("ask: { timeout: 0.1 }\n")
        client, request = self.begin()
        self.assertEqual(request["timeout"], 100)
        withdrawn = client.event("extension_ui_request")
        self.assertEqual((withdrawn["method"], withdrawn["targetId"]), ("cancel", request["id"]))
        result = client.event("tool_execution_end")
        self.assertTrue(result["isError"])
        self.assertIn("declined", result["result"]["content"][0]["text"])
        client.send({"type": "extension_ui_response", "id": request["id"], "confirmed": True})  # too late
        client.event("agent_end")
        self.assertTrue(client.call("get_state")["success"])
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
        self.assertEqual([m["type"] for m in client.rest()[-2:]], ["agent_end", "prompt_result"])
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
        self.assertEqual(client.rest()[-2]["messages"][-1]["content"][0]["text"], "all of it")

    def test_wait_on_eof_and_a_question_that_nobody_can_answer(self):
        for is_open in (True, False):  # asked before the end, and after it
            with self.subTest(is_open):
                wait = {"name": "bash", "arguments": {"command": "until [ -e go ]; do sleep 0.05; done"}}
                turns = [{"tool_calls": [COMMENT]}] if is_open else [{"tool_calls": [wait]}, {"tool_calls": [COMMENT]}]
                self.script(*turns, {"text": "not allowed"})
                self.add_gh()
                client = self.client("--wait-on-eof", "--tools", "gh,bash",
                                     env={**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
                client.get("prompt", message="make it")
                if is_open:
                    client.event("extension_ui_request")
                else:
                    client.event("tool_execution_start")
                client.process.stdin.close()
                if not is_open:
                    open(os.path.join(client.cwd, "go"), "w", encoding="utf-8").close()
                self.assertEqual(client.process.wait(WAIT), 0)
                messages = client.rest()
                end = next(message for message in messages if message["type"] == "agent_end")
                self.assertEqual(end["messages"][-1]["content"][0]["text"], "not allowed")
                self.assertFalse(os.path.exists(os.path.join(client.cwd, "made")))

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
