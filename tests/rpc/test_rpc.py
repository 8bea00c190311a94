#!/usr/bin/env python3
"""`kedge --mode rpc` seen by a program: framing, commands, events. Rows of agent-core §10 are named core-N.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import base64
import json
import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import KEDGE, WAIT, RpcTest, lines_of  # noqa: E402

MIB = 1024 * 1024


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
        result = client.event("prompt_result", id=id_)
        self.assertEqual((result["status"], result["agentInvoked"], result["sessionSettled"]), ("error", False, True))
        self.assertIn("No API key found", result["error"]["message"])
        self.assertIs(result["error"]["retryable"], False)
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

    def test_words_of_a_terminal_are_answered_once(self):
        self.script({"text": "one"}, {"text": "two"})
        client = self.client()
        for text, problem in (("/clear", "/clear: the command new_session does that."), ("/cost", "/usage is a command of kedge's own terminal."),
                              ("/undo", "there is no /undo: /tree")):
            answer = client.call("prompt", message=text)
            self.assertFalse(answer["success"])
            self.assertIn(problem, answer["error"])
        client.prompt("/undo")
        client.prompt("/frob")  # nobody's word is a text, since a program wrote it
        self.assertEqual([message["content"] for message in client.get("get_messages")["messages"] if message["role"] == "user"], ["/undo", "/frob"])

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
        result = client.event("prompt_result")
        self.assertEqual((result["id"], result["status"], result["agentInvoked"], result["sessionSettled"]), ("r1", "completed", True, True))
        self.assertEqual(client.get("get_last_assistant_text"), {"text": "Hello there"})
        self.assertEqual(len(client.get("get_messages")["messages"]), 2)
        self.assertFalse(client.get("get_state")["isStreaming"])

    def test_a_second_prompt_while_busy_fails_once(self):
        """core-87 (agent-core §6.9: one answer)"""
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


    def test_to_switch_to_the_session_that_is_open_changes_nothing(self):
        self.script({"text": "first"}, {"text": "second"})
        client = self.client()
        client.prompt("one")
        before = client.get("get_state")
        link = os.path.join(self.root, "link.jsonl")
        os.symlink(before["sessionFile"], link)
        for path in (before["sessionFile"], link):
            with self.subTest(path):
                self.assertEqual(client.get("switch_session", sessionPath=path), {"cancelled": False})
                after = client.get("get_state")
                self.assertEqual([after[key] for key in ("sessionId", "sessionFile", "messageCount")],
                                 [before[key] for key in ("sessionId", "sessionFile", "messageCount")])
        client.prompt("two")
        self.assertEqual(client.end(), 0)
        self.assertEqual([str(path) for path in self.session_files()], [before["sessionFile"]])
        self.assertEqual([m["type"] for m in client.kept if m["type"] == "notice"], [])


class Choices(RpcTest):
    def test_every_command_answers_once_with_its_id(self):
        """core-86"""
        self.script({"text": "one"}, {"text": "two"}, {"text": "summary", "repeat": True})
        client = self.client()
        client.prompt("first")
        file = client.get("get_state")["sessionFile"]
        entry = client.get("get_branch_messages")["messages"][0]["entryId"]
        commands = [("steer", {"message": "a"}), ("follow_up", {"message": "b"}), ("abort", {}), ("get_state", {}),
                    ("set_model", {"provider": "anthropic", "modelId": client.get("get_state")["model"]["id"]}), ("cycle_model", {}),
                    ("get_available_models", {}), ("set_thinking_level", {"level": "low"}), ("cycle_thinking_level", {}),
                    ("set_steering_mode", {"mode": "all"}), ("set_follow_up_mode", {"mode": "all"}), ("set_interrupt_mode", {"mode": "wait"}),
                    ("set_auto_retry", {"enabled": False}), ("set_auto_compaction", {"enabled": False}), ("get_commands", {}), ("get_available_commands", {}),
                    ("set_fast_mode", {"enabled": False}), ("abort_retry", {}), ("bash", {"command": "true"}), ("abort_bash", {}),
                    ("continue", {}), ("get_session_stats", {}), ("get_branch_messages", {}), ("get_fork_messages", {}), ("get_last_assistant_text", {}),
                    ("set_session_name", {"name": "a name"}), ("get_messages", {}), ("set_event_detail", {"fullUpdates": True}),
                    ("set_host_tools", {"tools": []}), ("export_html", {"outputPath": "s.html"}), ("get_tree", {}), ("navigate_tree", {"targetId": entry, "summarize": False}),
                    ("fork", {}), ("clone", {}), ("handoff", {}), ("new_session", {}), ("switch_session", {"sessionPath": file}),
                    ("fork", {"entryId": entry}), ("new_session", {}), ("switch_session", {"sessionPath": file}), ("branch", {"entryId": entry}),
                    ("prompt", {"message": "c", "streamingBehavior": "followUp"}), ("abort_and_prompt", {"message": "d"}), ("abort", {})]
        for name, fields in commands:
            with self.subTest(name):
                answer = client.call(name, **fields)
                self.assertTrue(answer["success"], answer)
                self.assertEqual(answer["command"], name)
        self.assertFalse([m for m in client.kept if m["type"] == "response"])
        self.assertEqual(client.end(), 0)
        self.assertFalse([m for m in client.rest() if m["type"] == "response"])

    def test_models_and_thinking(self):
        client = self.client("--thinking", "low")
        models = client.get("get_available_models")["models"]
        self.assertTrue(models)
        self.assertEqual({model["provider"] for model in models}, {"anthropic"})
        state = client.get("get_state")
        cycled = client.get("cycle_model")
        self.assertNotEqual(cycled["model"]["id"], state["model"]["id"])
        self.assertIs(cycled["isScoped"], False)
        self.assertEqual(client.get("get_state")["model"], cycled["model"])
        set_back = client.get("set_model", provider="anthropic", modelId=state["model"]["id"])
        self.assertEqual(set_back, state["model"])
        self.assertNotEqual(client.get("cycle_thinking_level")["level"], "low")
        client.get("set_thinking_level", level="high")
        self.assertEqual(client.event("thinking_level_changed", level="high")["level"], "high")

    def test_modes(self):
        client = self.client()
        for name, key, values in (("set_steering_mode", "steeringMode", ("all", "one-at-a-time")),
                                  ("set_follow_up_mode", "followUpMode", ("all", "one-at-a-time")),
                                  ("set_interrupt_mode", "interruptMode", ("wait", "immediate"))):
            for value in values:
                client.get(name, mode=value)
                self.assertEqual(client.get("get_state")[key], value)
        client.get("set_auto_retry", enabled=False)
        self.assertIs(client.get("get_state")["autoRetryEnabled"], False)

    def test_todos_that_are_none_leave_the_list(self):
        client = self.client()
        phases = [{"name": "Build", "tasks": [{"content": "Write parser", "status": "pending"}]}]
        self.assertEqual(client.get("set_todos", phases=phases)["todoPhases"], phases)
        for wrong in (5, {}, "x", None, [7], [{"name": "Build"}], [{"name": "Build", "tasks": 5}], [{"tasks": [{"status": "pending"}]}],
                      [*phases, {"content": "a task"}], [{"content": "a task"}, *phases]):
            with self.subTest(wrong):
                answer = client.call("set_todos", phases=wrong)
                self.assertFalse(answer["success"], answer)
                self.assertRegex(answer["error"], "phases|tasks")
                self.assertEqual(client.get("get_state")["todoPhases"], phases)
        flat = client.get("set_todos", phases=[{"content": "a task"}])["todoPhases"]
        self.assertEqual(flat, [{"name": "Todos", "tasks": [{"content": "a task", "status": "pending"}]}])
        self.assertEqual(client.get("set_todos", phases=[])["todoPhases"], [])

    def test_retries_are_switched_and_waited_for_in_vain(self):
        fault = {"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}, "repeat": 20}
        self.settings("retry:\n  baseDelayMs: 100000\n")
        self.script(fault)
        client = self.client()
        client.get("prompt", message="one")
        client.event("auto_retry_start")
        client.get("abort_retry")
        self.assertEqual(client.event("auto_retry_end")["finalError"], "Retry cancelled")
        client.get("set_auto_retry", enabled=False)
        events = client.prompt("two")
        self.assertFalse([event for event in events if event["type"] == "auto_retry_start"])

    def test_session_names(self):
        """core-89"""
        client = self.client()
        for name in ("  ", ""):
            answer = client.call("set_session_name", name=name)
            self.assertEqual((answer["success"], answer["error"]), (False, "Session name cannot be empty"))
        client.get("set_session_name", name="parser fix")
        self.assertEqual(client.get("get_state")["sessionName"], "parser fix")

    def test_statistics(self):
        self.script({"text": "hi", "usage": {"input": 100, "output": 20, "cacheRead": 5, "cacheWrite": 1}})
        client = self.client()
        client.prompt("one")
        stats = client.get("get_session_stats")
        self.assertEqual((stats["userMessages"], stats["assistantMessages"], stats["totalMessages"]), (1, 1, 2))
        self.assertEqual(stats["tokens"], {"input": 100, "output": 20, "cacheRead": 5, "cacheWrite": 1, "total": 126})
        self.assertGreater(stats["cost"], 0)

    def test_export(self):
        self.script({"text": "the harbour"})
        client = self.client()
        client.prompt("where?")
        before = self.session_files()[0].read_bytes()
        path = os.path.join(os.path.realpath(client.cwd), "s.html")
        self.assertEqual(client.get("export_html", outputPath="s.html"), {"path": path})
        with open(path, encoding="utf-8") as page:
            data = re.search(r'<script id="data" type="application/json">([A-Za-z0-9+/=]+)<', page.read())
        data = json.loads(base64.b64decode(data.group(1)))
        self.assertIn("the harbour", json.dumps(data["entries"]))
        self.assertTrue(data["systemPrompt"])
        self.assertIn("bash", [tool["name"] for tool in data["tools"]])
        self.assertEqual(self.session_files()[0].read_bytes(), before)
        default = f"kedge-session-{self.session_files()[0].stem}.html"
        self.assertEqual(os.path.basename(client.get("export_html")["path"]), default)
        self.assertTrue(os.path.exists(os.path.join(client.cwd, default)))
        answer = client.call("export_html", outputPath="none/s.html")
        self.assertFalse(answer["success"])
        self.assertIn("none/s.html", answer["error"])

    def test_no_export_of_a_session_in_memory(self):
        client = self.client("--no-session")
        answer = client.call("export_html")
        self.assertEqual((answer["success"], answer["error"]), (False, "Cannot export in-memory session to HTML"))

    def test_abort_and_prompt(self):
        self.script({"text": "slow", "stall_after": 3}, {"text": "instead"}, {"text": "from idle"})
        client = self.client()
        client.get("prompt", message="one")
        self.model.wait(events=3)
        client.get("abort_and_prompt", message="two")
        self.assertEqual(client.event("agent_end")["messages"][-1]["stopReason"], "aborted")
        self.assertEqual(client.event("agent_end")["messages"][-1]["content"][0]["text"], "instead")
        client.get("abort_and_prompt", message="three")
        self.assertEqual(client.event("agent_end")["messages"][-1]["content"][0]["text"], "from idle")

    def test_full_updates(self):
        """core-125"""
        self.script({"text": "x" * 300, "chunk": 1}, {"text": "y" * 300, "chunk": 1})
        client = self.client()
        events = client.prompt("one")
        updates = [event for event in events if event["type"] == "message_update"]
        self.assertTrue(updates)
        self.assertFalse([update for update in updates if "message" in update])
        client.get("set_event_detail", fullUpdates=True)
        updates = [event for event in client.prompt("two") if event["type"] == "message_update"]
        self.assertTrue(updates)
        self.assertFalse([update for update in updates if "message" not in update])


class Bash(RpcTest):
    def test_what_a_command_says(self):
        self.script({"text": "ok", "expect": {"contains": "Ran `echo hi; exit 3`"}})
        client = self.client()
        self.assertEqual(client.get("bash", command="printf 'a.c\\n'"),
                         {"output": "a.c\n", "exitCode": 0, "cancelled": False, "truncated": False, "totalLines": 1, "totalBytes": 4,
                          "outputLines": 1, "outputBytes": 4})
        self.assertEqual(client.get("bash", command="echo hi; exit 3")["exitCode"], 3)
        self.assertEqual([m["role"] for m in client.get("get_messages")["messages"]], ["bashExecution"] * 2)
        client.get("bash", command="echo secret", excludeFromContext=True)
        client.prompt("what did it say?")
        self.assertEqual(client.get("get_last_assistant_text")["text"], "ok")
        entries = [entry.get("message", {}).get("role") for entry in lines_of(self.session_files()[0])]
        self.assertEqual(entries.count("bashExecution"), 3)

    def test_long_output_is_in_an_artifact(self):
        client = self.client()
        result = client.get("bash", command="seq 100000")
        self.assertTrue(result["truncated"])
        self.assertEqual(result["totalLines"], 100000)
        with open(result["fullOutputPath"], encoding="utf-8") as file:
            self.assertEqual(sum(1 for _ in file), 100000)

    def test_abort(self):
        """core-88"""
        client = self.client()
        id_ = client.start("bash", command="touch running; sleep 600")
        client.wait_for_file("running")
        self.assertTrue(client.get("get_state")["isBashRunning"])
        waiting = client.start("get_messages")  # in its turn
        client.get("abort_bash")
        result = client.response(id_)["data"]
        self.assertIs(result["cancelled"], True)
        self.assertNotIn("exitCode", result)
        self.assertEqual(len(client.response(waiting)["data"]["messages"]), 1)

    def test_beside_a_run(self):
        self.script({"text": "slow", "stall_after": 3}, {"text": "next"})
        client = self.client()
        client.get("prompt", message="one")
        self.model.wait(events=3)
        self.assertEqual(client.get("bash", command="echo hi")["output"], "hi\n")
        client.get("abort")
        client.event("agent_end")
        client.prompt("two")
        roles = [m["role"] for m in client.get("get_messages")["messages"]]
        self.assertEqual(roles, ["user", "assistant", "bashExecution", "user", "assistant"])

    def test_end_of_input(self):
        client = self.client()
        id_ = client.start("bash", command="touch running; sleep 600")
        client.wait_for_file("running")
        self.assertEqual(client.end(), 0)
        self.assertEqual([m["data"]["cancelled"] for m in client.rest() if m.get("id") == id_], [True])

    def test_end_of_input_and_a_command_that_does_not_end(self):
        """Longer than there is time for: it is answered nevertheless, and so is what waits behind it."""
        client = self.client()
        stays = "trap '' TERM; touch running; until [ -e go ]; do sleep 0.1; done"
        ids = [client.start("bash", command=f'setsid sh -c "{stays}" & wait'), client.start("get_messages")]
        client.wait_for_file("running")
        self.assertEqual(client.end(), 0)
        open(os.path.join(client.cwd, "go"), "w", encoding="utf-8").close()
        self.assertEqual([m["id"] for m in client.rest() if m["type"] == "response"], ids)


if __name__ == "__main__":
    unittest.main()
