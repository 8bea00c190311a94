#!/usr/bin/env python3
"""The todo list of a conversation (`todo_write`, agent-tools §3.19) as `kedge --mode rpc` shows it, wherever the conversation goes.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import json
import os
import pathlib
import sys
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import RpcTest  # noqa: E402

QUIET = "todo: { reminders: false }\ncompaction: { keepRecentTokens: 1 }\n"


def todo(*ops):
    return {"tool_calls": [{"name": "todo_write", "arguments": {"ops": list(ops)}}]}


INIT = todo({"op": "init", "list": [{"phase": "Build", "items": ["Write parser", "Add tests"]}]})


def marks(phases):
    """Statuses of all tasks, by their first letters: "ip" is one in progress and a pending one."""
    return "".join(task["status"][0] for phase in phases for task in phase["tasks"])


class Todos(RpcTest):
    def marks(self, client):
        return marks(client.get("get_state")["todoPhases"])

    def say(self, client, text):
        events = client.prompt(text)
        client.event("prompt_result")
        return events

    def saved(self, client):
        path = pathlib.Path(client.get("get_state")["sessionFile"]).with_suffix("") / "todos.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def test_the_list_follows_the_conversation(self):
        """Resume, branch, navigation, fork and compaction."""
        self.settings(QUIET)
        self.script(INIT, {"text": "planned"}, todo({"op": "done", "task": "Write parser"}), {"text": "parsed"},
                    {"text": "a summary", "repeat": True})
        client = self.client()
        self.assertEqual(self.marks(client), "")
        self.say(client, "plan")
        self.assertEqual(self.marks(client), "ip")
        self.say(client, "parse")
        self.assertEqual(self.marks(client), "ci")
        self.assertEqual(marks(self.saved(client)), "ci")
        file = client.get("get_state")["sessionFile"]

        points = client.get("get_branch_messages")["messages"]
        client.get("navigate_tree", targetId=points[1]["entryId"], summarize=False)
        self.assertEqual(self.marks(client), "ip")  # as it was there
        tree = client.get("get_tree")
        client.get("navigate_tree", targetId=tree["entries"][-1]["id"], summarize=False)
        self.assertEqual(self.marks(client), "ci")

        client.get("branch", entryId=points[1]["entryId"])
        self.assertEqual(self.marks(client), "ip")
        client.get("switch_session", sessionPath=file)
        self.assertEqual(self.marks(client), "ci")
        client.get("branch", entryId=points[0]["entryId"])
        self.assertEqual(self.marks(client), "")
        client.get("new_session")
        self.assertEqual(self.marks(client), "")
        client.get("switch_session", sessionPath=file)
        client.get("fork")
        self.assertNotEqual(client.get("get_state")["sessionFile"], file)
        self.assertEqual(self.marks(client), "ci")

        client.get("compact")
        self.assertEqual(self.marks(client), "ci")
        self.assertEqual(client.end(), 0)
        self.assertEqual(self.marks(self.client("--resume", file)), "ci")

    def test_a_person_s_change_stays_where_no_call_lies_between(self):
        self.settings(QUIET)
        self.script(INIT, {"text": "planned"}, {"text": "well"})
        client = self.client()
        self.say(client, "plan")
        client.get("set_todos", phases=[{"content": "mine"}])
        self.say(client, "and?")
        points = client.get("get_branch_messages")["messages"]
        client.get("navigate_tree", targetId=points[1]["entryId"], summarize=False)
        self.assertEqual(client.get("get_state")["todoPhases"][0]["tasks"][0]["content"], "mine")

    def test_what_a_person_sets_is_what_the_model_goes_on_with(self):
        """Also without a session file."""
        self.settings(QUIET)
        self.script(todo({"op": "done", "task": "mine"}), {"text": "done"})
        client = self.client("--no-session")
        client.get("set_todos", phases=[{"name": "P", "tasks": [{"content": "mine"}, {"content": "next"}]}])
        events = self.say(client, "go on")
        self.assertEqual(self.marks(client), "ci")
        ended = next(event for event in events if event["type"] == "tool_execution_end")
        self.assertEqual(ended["result"]["details"]["storage"], "memory")

    def test_reminders_until_it_is_done(self):
        self.script(INIT, {"text": "planned"}, todo({"op": "done"}), {"text": "all done"})
        client = self.client("--no-session")
        self.say(client, "plan")
        told = [event for event in client.seen if event["type"] == "todo_reminder"]
        self.assertEqual([(event["attempt"], len(event["todos"])) for event in told], [(1, 2)])
        self.assertEqual(self.marks(client), "cc")

    def test_a_finished_list_makes_room_at_the_next_prompt(self):
        self.settings("tasks: { todoClearDelay: 0 }\n")
        self.script(INIT, todo({"op": "done"}), {"text": "done"}, {"text": "well"})
        client = self.client()
        self.say(client, "plan")
        self.assertEqual(self.marks(client), "cc")
        events = self.say(client, "and now?")
        self.assertEqual([event["type"] for event in events].count("todo_auto_clear"), 1)
        self.assertEqual(self.marks(client), "")

    def test_off(self):
        self.settings("todo: { enabled: false }\n")
        state = self.client().get("get_state")
        self.assertNotIn("todo_write", [tool["name"] for tool in state["dumpTools"]])
        self.settings("")
        state = self.client().get("get_state")
        self.assertIn("todo_write", [tool["name"] for tool in state["dumpTools"]])


if __name__ == "__main__":
    if "KEDGE" not in os.environ:
        sys.exit("KEDGE is not set")
    unittest.main()
