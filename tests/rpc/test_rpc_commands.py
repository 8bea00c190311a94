#!/usr/bin/env python3
"""Commands of `kedge --mode rpc` that look and store: state, tree, settings, session files, keys.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import os
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import RpcTest, lines_of  # noqa: E402


class State(RpcTest):
    def test_what_the_model_is_told(self):
        client = self.client("--tools", "read,bash", "--append-system-prompt", "Answer in verse.")
        state = client.get("get_state")
        self.assertIn("Answer in verse.", "\n".join(state["systemPrompt"]))
        self.assertEqual(sorted(tool["name"] for tool in state["dumpTools"]), ["bash", "read"])
        for tool in state["dumpTools"]:
            self.assertTrue(tool["description"])
            self.assertEqual(tool["parameters"]["type"], "object")

    def test_how_full_the_context_is(self):
        self.settings("compaction: { keepRecentTokens: 1 }\n")
        self.script({"text": "one", "usage": {"input": 15000, "output": 856}}, {"text": "two"}, {"text": "a summary", "repeat": True})
        client = self.client()
        before = client.get("get_state")["contextUsage"]
        self.assertEqual((before["tokens"], before["percent"]), (None, None))
        client.prompt("first")
        client.event("prompt_result")
        usage = client.get("get_state")["contextUsage"]
        self.assertEqual((usage["tokens"], usage["contextWindow"]), (15856, before["contextWindow"]))
        self.assertAlmostEqual(usage["percent"], 1585600 / usage["contextWindow"], delta=0.051)
        client.prompt("second")
        client.event("prompt_result")
        client.get("compact")
        self.assertEqual(client.get("get_state")["contextUsage"], before)

    def test_tree_and_branch_points_while_a_run_is_on(self):
        self.script({"text": "first"}, {"tool_calls": [{"name": "bash", "arguments": {"command": "touch running; until [ -e go ]; do sleep 0.05; done"}}]},
                    {"text": "second"}, {"text": "third"}, {"text": "fourth"})
        client = self.client("--allow-writes")
        client.prompt("one")
        client.event("prompt_result")
        client.get("prompt", message="two")
        client.wait_for_file("running")
        self.assertTrue(client.get("get_state")["isStreaming"])
        for name in ("get_branch_messages", "get_fork_messages"):
            self.assertEqual([point["text"] for point in client.get(name)["messages"]], ["one", "two"])
        tree = client.get("get_tree")
        self.assertEqual(tree["leafId"], tree["entries"][-1]["id"])
        roles = [entry["message"]["role"] for entry in tree["entries"] if entry["type"] == "message"]
        self.assertEqual(roles, ["user", "assistant", "user", "assistant"])
        open(os.path.join(client.cwd, "go"), "w", encoding="utf-8").close()
        client.event("agent_end")
        roles = [entry["message"]["role"] for entry in client.get("get_tree")["entries"] if entry["type"] == "message"]
        self.assertEqual(roles, ["user", "assistant", "user", "assistant", "toolResult", "assistant"])
        # of all branches of the file, as the peers have it, and none without text
        client.event("prompt_result")
        client.get("navigate_tree", targetId=client.get("get_branch_messages")["messages"][0]["entryId"])
        pixel = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
        client.prompt("", images=[{"type": "image", "data": pixel, "mimeType": "image/gif"}])
        client.event("prompt_result")
        client.prompt("three")
        for name in ("get_branch_messages", "get_fork_messages"):
            self.assertEqual([point["text"] for point in client.get(name)["messages"]], ["one", "two", "three"])

    def test_modes_are_saved_as_settings(self):
        self.settings("# mine\nretry: { maxRetries: 2 }  # few\nsteeringMode: one-at-a-time\n")
        client = self.client()
        client.get("set_steering_mode", mode="all")
        client.get("set_follow_up_mode", mode="all")
        client.get("set_interrupt_mode", mode="wait")
        self.assertEqual(client.end(), 0)
        with open(os.path.join(self.root, ".kedge/agent/config.yml"), encoding="utf-8") as file:
            text = file.read()
        for line in ("# mine", "retry: { maxRetries: 2 }  # few", "steeringMode: all", "followUpMode: all", "interruptMode: wait"):
            self.assertIn(line + "\n", text)
        state = self.client().get("get_state")
        self.assertEqual([state[key] for key in ("steeringMode", "followUpMode", "interruptMode")], ["all", "all", "wait"])

    def test_modes_are_saved_beside_a_choice_of_models(self):
        client = self.client("--models", "anthropic/*")
        client.get("set_steering_mode", mode="all")
        self.assertEqual(client.get("get_state")["steeringMode"], "all")

    def test_a_mode_that_cannot_be_saved_holds_all_the_same(self):
        self.settings("steeringMode: [\n")
        client = self.client()
        client.get("set_steering_mode", mode="all")
        self.assertIn("steeringMode is not saved", client.event("notice")["message"])
        self.assertEqual(client.get("get_state")["steeringMode"], "all")
        with open(os.path.join(self.root, ".kedge/agent/config.yml"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "steeringMode: [\n")

    def test_a_settings_file_that_changes_counts_from_the_next_prompt_on(self):
        self.script(*[{"text": "ok"}] * 5)
        self.settings("steeringMode: one-at-a-time\nretry: {enabled: true}\n")
        client = self.client()
        client.get("set_follow_up_mode", mode="all")
        self.settings("steeringMode: all\nfollowUpMode: all\n")
        client.prompt("one")
        state = client.get("get_state")
        self.assertEqual([state["steeringMode"], state["followUpMode"]], ["all", "all"])
        self.settings("steeringMode: one-at-a-time\nfollowUpMode: [\n")  # broken: everything stays, and it is told once
        client.prompt("two")
        self.assertIn("config.yml: yaml: line 3", client.event("notice")["message"])
        client.prompt("three")
        self.assertEqual(client.get("get_state")["steeringMode"], "all")
        self.settings("followUpMode: all\n")
        client.prompt("four")
        state = client.get("get_state")
        self.assertEqual([state["steeringMode"], state["followUpMode"]], ["one-at-a-time", "all"])
        self.assertEqual(client.end(), 0)


class Files(RpcTest):
    def test_to_switch_to_what_is_no_session_leaves_everything_as_it_is(self):
        self.script({"text": "first"})
        client = self.client()
        client.prompt("one")
        before = client.get("get_state")
        with open(os.path.join(client.cwd, "text.jsonl"), "w", encoding="utf-8") as file:
            file.write("hello\n")
        for path, problem in (("/none/x.jsonl", "Session file not found: /none/x.jsonl"),
                              ("none.jsonl", f"Session file not found: {client.cwd}/none.jsonl"),
                              ("~/none.jsonl", f"Session file not found: {self.root}/none.jsonl"),
                              (client.cwd, client.cwd), ("text.jsonl", "Not a session file: ")):
            with self.subTest(path):
                answer = client.call("switch_session", sessionPath=path)
                self.assertFalse(answer["success"])
                self.assertIn(problem, answer["error"])
                self.assertEqual(client.get("get_state")["sessionFile"], before["sessionFile"])
        self.assertEqual(os.listdir(client.cwd), ["text.jsonl"])
        self.assertEqual(len(client.get("get_messages")["messages"]), 2)

    def test_a_session_that_is_not_written_yet_can_be_switched_to(self):
        client = self.client()
        before = client.get("get_state")
        self.assertEqual(client.get("switch_session", sessionPath=before["sessionFile"]), {"cancelled": False})
        self.assertEqual(client.get("get_state")["sessionId"], before["sessionId"])

    def test_a_new_session_names_its_parent(self):
        self.script({"text": "first"})
        client = self.client()
        self.assertEqual(client.get("new_session", parentSession="/w/parent.jsonl"), {"cancelled": False})
        client.prompt("one")
        file = client.get("get_state")["sessionFile"]
        self.assertEqual(client.end(), 0)
        with open(file, encoding="utf-8") as lines:
            self.assertIn('"parentSession":"/w/parent.jsonl"', lines.readline())


class Logins(RpcTest):
    KEY = "sk-lab-0123456789abcdef"

    def authenticated(self, client):
        return [provider["id"] for provider in client.get("get_login_providers")["providers"] if provider["authenticated"]]

    def test_a_key_in_the_command(self):
        client = self.client(env={})
        self.assertEqual(self.authenticated(client), [])
        self.assertEqual(client.get("login", providerId="anthropic", apiKey=f" {self.KEY}\n"), {"providerId": "anthropic"})
        self.assertEqual(self.authenticated(client), ["anthropic"])
        self.assertTrue(client.get("get_available_models")["models"])
        store = os.path.join(self.root, ".kedge/agent/agent.db")
        self.assertEqual(os.stat(store).st_mode & 0o777, 0o600)
        self.assertEqual(client.end(), 0)
        self.assertEqual(self.authenticated(self.client(env={})), ["anthropic"])

    def test_a_key_that_is_asked_for(self):
        client = self.client(env={})
        id_ = client.start("login", providerId="openai")
        request = client.event("extension_ui_request")
        self.assertEqual((request["method"], request["title"], request["isSecret"]), ("input", "API key for openai", True))
        self.assertTrue(client.get("get_state"))  # nothing waits for it
        client.send({"type": "extension_ui_response", "id": request["id"], "value": self.KEY})
        self.assertEqual(client.response(id_)["data"], {"providerId": "openai"})
        client.send({"type": "extension_ui_response", "id": request["id"], "value": "sk-another-0123456789"})  # too late
        self.assertEqual(self.authenticated(client), ["openai"])
        self.assertFalse([message for message in client.kept if message["type"] == "response"])

    def test_what_is_no_login(self):
        client = self.client(env={})
        for fields, problem in (({"providerId": "nobody"}, "Unknown provider: nobody"), ({}, '"providerId" must be'),
                                ({"providerId": "openai", "apiKey": "a b"}, "that is no key"), ({"providerId": "openai", "apiKey": ""}, "that is no key"),
                                ({"providerId": "openai", "apiKey": "x" * 9000}, "longer than")):
            answer = client.call("login", **fields)
            self.assertFalse(answer["success"])
            self.assertIn(problem, answer["error"])
        for reply in ({"cancelled": True}, {"cancelled": True, "timedOut": True}, {}):
            id_ = client.start("login", providerId="openai")
            client.send({"type": "extension_ui_response", "id": client.event("extension_ui_request")["id"], **reply})
            self.assertEqual(client.response(id_)["error"], "Login cancelled")
        id_ = client.start("login", providerId="openai")
        client.event("extension_ui_request")
        self.assertEqual(client.end(), 0)
        self.assertEqual([message["error"] for message in client.rest() if message.get("id") == id_], ["Login cancelled"])
        self.assertFalse(os.path.exists(os.path.join(self.root, ".kedge/agent/agent.db")))

    def test_the_key_is_told_to_nobody(self):
        self.script({"tool_calls": [{"name": "bash", "arguments": {"command": "cat key"}}]}, {"text": "done"})
        client = self.client("--allow-writes")
        client.get("login", providerId="openai", apiKey=self.KEY)
        with open(os.path.join(client.cwd, "key"), "w", encoding="utf-8") as file:
            file.write(self.KEY)
        client.prompt("what is in it?")
        self.assertIn("[REDACTED]", str(client.seen))
        self.assertNotIn(self.KEY, str(client.seen))
        self.assertNotIn(self.KEY, str(lines_of(self.session_files()[0])))


class Continue(RpcTest):
    def test_a_failed_answer_is_asked_for_again(self):
        self.settings("retry:\n  enabled: false\n")
        self.script({"status": 400, "error": {"type": "invalid_request_error", "message": "not today"}},
                    {"text": "Now.", "expect": {"path": "messages", "count": 1}}, {"text": "And more."})
        client = self.client()
        client.get("prompt", message="go on then")
        self.assertEqual(client.event("prompt_result")["status"], "error")
        client.get("continue")
        client.event("agent_end")
        self.assertEqual(client.event("prompt_result")["status"], "completed")
        self.assertEqual(client.get("get_last_assistant_text")["text"], "Now.")
        self.assertEqual([m["role"] for m in client.get("get_messages")["messages"]], ["user", "assistant"])
        self.assertEqual(client.call("continue")["error"], "Cannot continue from message role: assistant")

    def test_a_stopped_answer_and_what_waits(self):
        """agent-core §3.1: a queue has the prompt"""
        self.script({"text": "slow answer", "stall_after": 3}, {"text": "Again."}, {"text": "More."})
        client = self.client()
        self.assertEqual(client.call("continue")["error"], "there is nothing to go on with yet")
        client.get("prompt", message="one")
        self.model.wait(events=3)
        self.assertIn("already processing", client.call("continue")["error"])
        client.get("follow_up", message="two")
        client.get("abort")
        client.event("agent_end")
        client.get("continue")
        client.event("agent_end")
        texts = [m["content"] for m in client.get("get_messages")["messages"] if m["role"] == "user"]
        self.assertEqual(["two" in str(text) for text in texts], [False, True])
        self.assertEqual(client.get("get_last_assistant_text")["text"], "More.")


if __name__ == "__main__":
    unittest.main()
