#!/usr/bin/env python3
"""The clients in clients/, the examples of docs/embedding.md, and docs/rpc.md, which is made of the tables.

Environment: KEDGE, the binary; UPDATE=1 writes docs/rpc.md.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import unittest

sys.dont_write_bytecode = True  # tests leave nothing behind
from client import COMMENT, KEDGE, RpcTest  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/python"))
from kedge_rpc import Kedge, KedgeError  # noqa: E402

WEATHER = {"name": "weather", "description": "The weather of a town",
           "parameters": {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]}}
WEATHER_CALL = {"tool_calls": [{"name": "weather", "arguments": {"town": "Bergen"}}]}


class ClientTest(RpcTest):
    def whole_environment(self):
        self.add_gh()
        (pathlib.Path(self.root) / "bin/kedge").symlink_to(pathlib.Path(KEDGE).resolve())
        return {"HOME": self.root, "PATH": f"{self.root}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TMPDIR": self.root,
                "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT / "clients/python"), **self.environment()}


class Python(ClientTest):
    def kedge(self, *turns, **options):
        self.script(*turns)
        cwd = os.path.join(self.root, "w")
        os.makedirs(cwd, exist_ok=True)
        kedge = Kedge(program=KEDGE, cwd=cwd, env=self.whole_environment(), **options)
        self.addCleanup(kedge.stop)
        return kedge

    def test_run(self):
        kedge = self.kedge({"text": "Hello there"}, {"text": "again"})
        pieces, kinds = [], []
        kedge.on_text(pieces.append)
        remove = kedge.on_event(lambda event: kinds.append(event["type"]))
        events = kedge.run("hi")
        self.assertEqual(events[-1]["type"], "agent_end")
        self.assertEqual("".join(pieces), "Hello there")
        self.assertEqual((kinds[0], kinds[-1]), ("agent_start", "agent_end"))
        remove()
        count = len(kinds)
        kedge.run("hi")
        self.assertEqual(len(kinds), count)
        self.assertEqual(kedge.last_text(), "again")
        self.assertEqual(len(kedge.messages()), 4)
        self.assertEqual(kedge.state()["messageCount"], 4)
        self.assertEqual(kedge.stop(), 0)

    def test_failures(self):
        kedge = self.kedge({"status": 400, "error": {"type": "invalid_request_error", "message": "no such luck"}})
        with self.assertRaisesRegex(KedgeError, "no such luck"):
            kedge.run("hi")
        with self.assertRaisesRegex(KedgeError, "Model not found: a/b"):
            kedge.set_model("a", "b")
        with self.assertRaisesRegex(KedgeError, "Unknown command: bogus"):
            kedge.command("bogus")
        kedge.stop()
        with self.assertRaises(KedgeError):
            kedge.state()
        with self.assertRaisesRegex(KedgeError, "(?s)did not become ready.*@file"):
            Kedge(program=KEDGE, args=["@none"], env=self.whole_environment_again())

    def whole_environment_again(self):
        return {"HOME": self.root, "PATH": os.environ["PATH"]}

    def test_dialogs(self):
        kedge = self.kedge({"tool_calls": [COMMENT]}, {"text": "no"}, {"tool_calls": [COMMENT]}, {"text": "yes"})
        made = pathlib.Path(self.root, "w/made")
        kedge.run("comment")  # nobody answers
        self.assertFalse(made.exists())
        kedge.on_dialog(lambda question: question["tool"] == "gh")
        kedge.run("comment")
        self.assertTrue(made.exists())

    def test_tools(self):
        kedge = self.kedge(WEATHER_CALL, {"text": "wet", "expect": {"last_tool_contains": "It rains in Bergen"}},
                           WEATHER_CALL, {"text": "sorry", "expect": {"last_tool_contains": "no weather today"}})
        self.assertEqual(kedge.set_tools([WEATHER], {"weather": lambda arguments: f"It rains in {arguments['town']}"}), ["weather"])
        kedge.run("weather?")

        def fail(_):
            raise ValueError("no weather today")
        kedge.set_tools([WEATHER], {"weather": fail})
        kedge.run("weather?")
        self.assertEqual(kedge.last_text(), "sorry")

    def test_abort_and_bash(self):
        kedge = self.kedge({"text": "slow", "stall_after": 3})
        begun = threading.Event()
        kedge.on_text(lambda _: begun.set())
        kedge.prompt("hi")
        self.assertTrue(begun.wait(20))
        kedge.abort()
        self.assertFalse(kedge.state()["isStreaming"])
        self.assertEqual(kedge.bash("echo hi")["output"], "hi\n")


class Pages(ClientTest):
    TURNS = ({"when": {"last_tool_contains": "It rains in Bergen"}, "text": "Wet, as ever.", "repeat": True},
             {"when": {"last_user_contains": "project"}, "text": "It draws maps.", "repeat": True},
             {"when": {"last_user_contains": "weather"}, "repeat": True, **WEATHER_CALL},
             {"when": {"last_user_contains": "Hello"}, "text": "Hello yourself.", "repeat": True})

    def test_examples(self):
        page = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
        examples = re.findall(r"```(python|js|sh)\n(.*?)```\n\n```text\n(.*?)```", page, re.S)
        self.assertEqual([example[0] for example in examples], ["python", "python", "python", "js", "sh"])
        self.script(*self.TURNS)
        environment = self.whole_environment()
        shutil.copy(ROOT / "clients/node/kedge-rpc.mjs", self.root)
        cwd = pathlib.Path(self.root, "project")
        cwd.mkdir()
        for language, text, expected in examples:
            with self.subTest(text):
                script = pathlib.Path(self.root, "example.mjs")
                script.write_text(text, encoding="utf-8")
                command = {"python": [sys.executable, "-c", text], "js": ["node", str(script)], "sh": ["sh", "-c", text]}[language]
                if not shutil.which(command[0]):
                    self.skipTest(f"no {command[0]}")
                done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((done.stdout, done.returncode), (expected, 0), done.stderr)

    def test_reference(self):
        made = subprocess.run([KEDGE, "rpc", "--reference"], capture_output=True, text=True, check=True, timeout=20).stdout
        page = ROOT / "docs/rpc.md"
        if os.environ.get("UPDATE"):
            page.write_text(made, encoding="utf-8")
        self.assertEqual(page.read_text(encoding="utf-8"), made, "docs/rpc.md is old: build/kedge rpc > docs/rpc.md")

    def test_schema(self):
        schema = json.loads(subprocess.run([KEDGE, "rpc", "--schema"], capture_output=True, check=True, timeout=20).stdout)
        by_name = {choice["properties"]["type"]["const"]: choice for choice in schema["oneOf"]}
        self.assertEqual(by_name["prompt"]["required"], ["type", "message"])
        self.assertEqual(by_name["set_steering_mode"]["properties"]["mode"]["enum"], ["all", "one-at-a-time"])
        self.assertIn("host_tool_result", by_name)


if __name__ == "__main__":
    unittest.main()
