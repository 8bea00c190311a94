#!/usr/bin/env python3
"""The clients in clients/, the examples of docs/embedding.md, and docs/rpc.md, which is made of the tables.

Environment: KEDGE, the binary; UPDATE=1 writes docs/rpc.md.
"""
import io
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
from client import COMMENT, KEDGE, WAIT, RpcTest  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/python"))
from kedge_rpc import Kedge, KedgeError  # noqa: E402

WEATHER = {"name": "weather", "description": "The weather of a town",
           "parameters": {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]}}
WEATHER_CALL = {"tool_calls": [{"name": "weather", "arguments": {"town": "Bergen"}}]}


class ClientTest(RpcTest):
    def whole_environment(self):
        self.add_gh()
        link = pathlib.Path(self.root) / "bin/kedge"
        if not link.exists():
            link.symlink_to(pathlib.Path(KEDGE).resolve())
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


    def within(self, work):
        """Runs it on a thread of its own: what never ends fails."""
        found = []

        def attempt():
            try:
                found.append(work())
            except Exception as error:  # noqa: BLE001
                found.append(error)
        thread = threading.Thread(target=attempt, daemon=True)
        thread.start()
        thread.join(WAIT)
        self.assertTrue(found, "it hangs")
        return found[0]

    def program(self, text):
        """A program in place of kedge, that begins as it does."""
        path = pathlib.Path(self.root, "program")
        path.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n"
                        "def say(**message): print(json.dumps(message), flush=True)\n"
                        "say(type='ready')\n" + text, encoding="utf-8")
        path.chmod(0o755)
        kedge = Kedge(program=str(path))
        self.addCleanup(kedge.stop)
        return kedge

    def silence(self):
        """What handlers raise is printed; the test's output stays clean."""
        printed = io.StringIO()
        stderr, sys.stderr = sys.stderr, printed
        self.addCleanup(setattr, sys, "stderr", stderr)
        return printed

    def test_a_handler_that_raises(self):
        kedge = self.kedge({"text": "Hello there"}, {"tool_calls": [COMMENT]}, {"text": "no"})
        printed = self.silence()

        def fail(*_):
            raise ValueError("a handler's own mistake")
        kedge.on_message(fail)
        self.assertIsInstance(self.within(lambda: kedge.run("hi")), list)
        kedge.on_dialog(fail)
        self.assertIsInstance(self.within(lambda: kedge.run("comment")), list)
        self.assertFalse(pathlib.Path(self.root, "w/made").exists())
        self.assertIn("a handler's own mistake", printed.getvalue())

    def test_a_program_that_is_killed_in_the_middle_of_a_line(self):
        self.silence()
        kedge = self.program("sys.stdin.readline(); os.write(1, b'{\"type\":\"resp')")
        error = self.within(kedge.state)
        self.assertIsInstance(error, KedgeError)
        self.assertIn("kedge has ended", str(error))

    def test_a_program_that_reads_nothing_until_it_is_listened_to(self):
        many = 4 * 1024 * 1024  # more than what a pipe holds
        kedge = self.program(f"time.sleep(0.1)\nfor _ in range(64): say(type='notice', text='x' * {many // 64})\n"
                             "command = json.loads(sys.stdin.readline())\n"
                             "say(type='response', id=command['id'], success=True, data=len(command['message']))\n")
        self.assertEqual(self.within(lambda: kedge.command("prompt", message="y" * many)), many)

    def test_run_goes_on_after_another_attempt(self):
        self.settings("retry:\n  baseDelayMs: 10\n")
        kedge = self.kedge({"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}, {"text": "at last"})
        events = kedge.run("hi")
        self.assertEqual(events[-1]["type"], "agent_end")
        self.assertEqual(events[-1]["messages"][-1]["content"][0]["text"], "at last")

    def test_run_that_joins_another(self):
        kedge = self.kedge({"text": "slow", "delay_ms": 50, "chunk": 1}, {"text": "joined"})
        begun = threading.Event()
        kedge.on_text(lambda _: begun.set())
        kedge.prompt("hi")
        self.assertTrue(begun.wait(WAIT))
        events = self.within(lambda: kedge.run("and", streaming_behavior="followUp"))
        self.assertEqual(events[-1]["type"], "agent_end")
        self.assertEqual(kedge.last_text(), "joined")

    def test_a_tool_whose_result_is_no_json(self):
        for result, problem in (({"content": {1, 2}}, "not JSON serializable"), ("a\udc80b", "a?b"),
                                ({"content": "\udc80"}, "surrogates"), ({"content": float("nan")}, "JSON")):
            with self.subTest(result):
                kedge = self.kedge(WEATHER_CALL, {"text": "sorry", "expect": {"last_tool_contains": problem}})
                kedge.set_tools([WEATHER], {"weather": lambda _, result=result: result})
                self.assertIsInstance(self.within(lambda kedge=kedge: kedge.run("weather?")), list)
                self.assertEqual(kedge.last_text(), "sorry")


NODE = """import { Kedge } from "CLIENT";
const kedge = await Kedge.start({ program: process.env.KEDGE, cwd: process.env.HOME + "/w" });
const weather = (run) => ({ name: "weather", description: "The weather", parameters: { type: "object", properties: {} }, run });
BODY
console.log(await kedge.lastText());
await kedge.stop();
"""


class Node(ClientTest):
    def last_text(self, body, *turns):
        if not shutil.which("node"):
            self.skipTest("no node")
        self.script(*turns)
        pathlib.Path(self.root, "w").mkdir(exist_ok=True)
        script = pathlib.Path(self.root, "test.mjs")
        script.write_text(NODE.replace("CLIENT", str(ROOT / "clients/node/kedge-rpc.mjs")).replace("BODY", body), encoding="utf-8")
        done = subprocess.run(["node", str(script)], env={**self.whole_environment(), "KEDGE": KEDGE}, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_run_goes_on_after_another_attempt(self):
        self.settings("retry:\n  baseDelayMs: 10\n")
        overloaded = {"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}
        self.assertEqual(self.last_text('await kedge.run("hi");', overloaded, {"text": "at last"}), "at last")

    def test_failures(self):
        failure = {"status": 400, "error": {"type": "invalid_request_error", "message": "no such luck"}}
        body = 'await kedge.run("hi").catch((error) => console.log(error.message));'
        self.assertIn("no such luck", self.last_text(body, failure))

    def test_a_tool_whose_result_is_no_json(self):
        for result, problem in (("({ content: 1n })", "BigInt"), ("'a\\ud800b'", "a\ufffdb")):
            with self.subTest(result):
                body = f'await kedge.setTools([weather(() => {result})]); await kedge.run("weather?");'
                turn = {"text": "answered", "expect": {"last_tool_contains": problem}}
                self.assertEqual(self.last_text(body, WEATHER_CALL, turn), "answered")

    def test_a_dialog_handler_that_rejects(self):
        body = 'kedge.onDialog(async () => { throw new Error("mine"); }); await kedge.run("comment");'
        self.assertEqual(self.last_text(body, {"tool_calls": [COMMENT]}, {"text": "no"}), "no")
        self.assertFalse(pathlib.Path(self.root, "w/made").exists())


class Pages(ClientTest):
    TURNS = ({"when": {"last_tool_contains": "It rains in Bergen"}, "text": "Wet, as ever.", "repeat": True},
             {"when": {"last_user_contains": "project"}, "text": "It draws maps.", "repeat": True},
             {"when": {"last_user_contains": "weather"}, "repeat": True, **WEATHER_CALL},
             {"when": {"last_user_contains": "Hello"}, "text": "Hello yourself.", "repeat": True},
             {"when": {"last_user_contains": "again"}, "text": "Again.", "repeat": True})

    def test_examples(self):
        page = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
        examples = re.findall(r"```(python|js|sh)\n(.*?)```\n\n```text\n(.*?)```", page, re.S)
        self.assertEqual([example[0] for example in examples], ["python", "python", "python", "js", "sh", "sh"])
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
