#!/usr/bin/env python3
"""`kedge --mode rpc` with clients that are up to no good, and many of them at once.

Environment: KEDGE, the binary. Every test has a HOME and a working directory of its own.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import KEDGE, WAIT, Client, RpcTest, lines_of  # noqa: E402

MIB = 1024 * 1024
IS_SANITIZED = "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ


def peak_kb(client):
    with open(f"/proc/{client.process.pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


class Lines(RpcTest):
    def test_nesting(self):
        client = self.client()
        deep = {"[": b"[" * 10000 + b"]" * 10000, "{": b'{"a":' * 10000 + b"1" + b"}" * 10000}
        for field, value in (("images", deep["["]), ("message", deep["{"]), ("colour", deep["{"])):
            with self.subTest(field):
                client.raw(b'{"type":"steer","message":"x","%s":%s}\n' % (field.encode(), value))
                answer = client.event("response")
                self.assertFalse(answer["success"])
                self.assertIn("Failed to parse command", answer["error"])
        self.assertTrue(client.get("get_state"))

    def test_text_that_is_none(self):
        client = self.client()
        for line in (b"\x00" * 100, b'{"type":"steer",\x00"message":"x"}', b'{"type":"steer","message":"a\x01b"}'):
            with self.subTest(line):
                client.raw(line + b"\n")
                answer = client.event("response")
                self.assertEqual((answer["command"], answer["success"]), ("parse", False))
        for text, mended in ((b"a\xff", "a\ufffd"), (b"b\\ud800", "b\ufffd"), (b"\xc3(", "\ufffd("), (b"c\\u0000d", "c\ufffdd")):
            with self.subTest(text):
                client.raw(b'{"type":"steer","message":"%s"}\n' % text)
                self.assertTrue(client.event("response")["success"])
                self.assertEqual(client.event("queue_update")["steering"][-1], mended)

    def test_names_of_commands(self):
        client = self.client()
        for name in ("", "x" * MIB, "prompt\n", "Prompt", "\u202eprompt", "../prompt", "response", "ready", "agent_end"):
            with self.subTest(name[:20]):
                answer = client.call(name)
                self.assertFalse(answer["success"])
                self.assertIn("Unknown command", answer["error"])
        for name in (None, 1, [], {}, True):
            client.send({"type": name})
            self.assertEqual(client.event("response")["command"], "parse")

    def test_frames_that_answer_nothing(self):
        client = self.client()
        for frame in ("extension_ui_response", "host_tool_update", "host_tool_result"):
            for fields in ({}, {"id": 7}, {"id": "q1"}, {"id": "h1", "result": 7}, {"id": ["q1"], "confirmed": True}, {"id": "login-1", "value": "x"}):
                client.send({"type": frame, **fields})
        self.assertTrue(client.get("get_state"))
        self.assertEqual(client.kept, [])

    def test_a_line_that_comes_byte_by_byte_while_others_are_answered(self):
        client = self.client()
        line = json.dumps({"type": "get_last_assistant_text", "id": "slow", "colour": "é" * 20}, ensure_ascii=False).encode() + b"\n"
        for i in range(len(line)):
            client.raw(line[i:i + 1])
        self.assertTrue(client.response("slow")["success"])

    def test_a_flood_of_unknown_commands(self):
        client = self.client()
        count = 20000
        writer = threading.Thread(target=client.raw, args=(b'{"type":"nonsense"}\n' * count,))
        writer.start()
        for _ in range(count):
            self.assertFalse(client.event("response")["success"])
        writer.join()
        if not IS_SANITIZED:
            self.assertLess(peak_kb(client), 30 * 1024)


class Floods(RpcTest):
    def test_commands_without_end_to_one_that_reads_no_answers(self):
        client = self.early_client(is_deaf=True)
        state = b'{"type":"get_state"}\n' * 4000  # 50 MB of answers

        def write():
            try:
                client.raw(state * 20)
            except (OSError, ValueError):
                pass  # it ended

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        writer.join(3)
        self.assertTrue(writer.is_alive())  # held back
        if not IS_SANITIZED:
            self.assertLess(peak_kb(client), 30 * 1024)
        client.process.send_signal(signal.SIGTERM)
        self.assertEqual(client.process.wait(WAIT), 143)
        writer.join(WAIT)

    def test_prompts_without_end(self):
        self.script({"text": "slow", "stall_after": 2})
        client = self.client()
        client.get("prompt", message="one")
        self.model.wait(events=2)
        failures = [answer["error"] for answer in (client.call("prompt", message="more", streamingBehavior="followUp") for _ in range(1100))
                    if not answer["success"]]
        self.assertEqual(len(failures), 100)
        self.assertIn("1000", failures[0])
        self.assertTrue(client.get("abort") is None)

    def test_commands_that_wait_without_end(self):
        client = self.client()
        id_ = client.start("bash", command="touch running; sleep 600")
        client.wait_for_file("running")
        ids = [client.start("get_messages") for _ in range(150)]
        for one in ids[100:]:
            self.assertIn("commands wait already", client.response(one)["error"])
        client.get("abort_bash")
        self.assertTrue(client.response(id_)["data"]["cancelled"])
        for one in ids[:100]:
            self.assertTrue(client.response(one)["success"])


class Streams(RpcTest):
    def run_with(self, **streams):
        return subprocess.run([KEDGE, "--mode", "rpc"], check=False, timeout=WAIT, cwd=self.root, stderr=subprocess.PIPE,
                              env={"HOME": self.root, "PATH": os.environ["PATH"], **self.environment()}, **streams)

    def test_no_input(self):
        done = self.run_with(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, json.loads(done.stdout)["type"]), (0, "ready"))

    def test_nobody_reads(self):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            self.assertEqual(self.run_with(stdin=subprocess.PIPE, stdout=writer).returncode, 0)
        finally:
            os.close(writer)

    def test_a_disk_that_is_full(self):
        with open("/dev/full", "wb") as full:
            self.assertEqual(self.run_with(stdin=subprocess.DEVNULL, stdout=full).returncode, 0)


class Parallel(RpcTest):
    COUNT = 10

    def many(self, *arguments):
        clients = []
        for _ in range(self.COUNT):
            clients.append(Client(self.root, arguments, env=self.environment()))
            self.addCleanup(clients[-1].close)
        for client in clients:
            client.event("ready")
        return clients

    def talk(self, clients, prompts):
        failures = []

        def run(number, client):
            try:
                for prompt in range(prompts):
                    client.get("prompt", message=f"{number}/{prompt}")
                    client.event("prompt_result")
            except AssertionError as failure:
                failures.append(failure)

        threads = [threading.Thread(target=run, args=item) for item in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def said(self, path):
        return [entry["message"]["content"] for entry in lines_of(pathlib.Path(path)) if entry["type"] == "message" and entry["message"]["role"] == "user"]

    def test_ten_sessions_of_one_folder(self):
        self.script({"text": "fine", "repeat": True})
        clients = self.many()
        self.talk(clients, 3)
        for client in clients:
            self.assertEqual(client.end(), 0)
        files = self.session_files()
        self.assertEqual(len(files), self.COUNT)
        whole = {tuple(str(content) for content in self.said(path)) for path in files}
        self.assertEqual(len(whole), self.COUNT)
        for texts in whole:
            self.assertEqual(len(texts), 3)
        self.assertEqual(len(list(files[0].parent.iterdir())), self.COUNT)  # and nothing else

    def test_ten_processes_on_one_session(self):
        self.script({"text": "fine", "repeat": True})
        first = self.client()
        first.prompt("begin")
        file = first.get("get_state")["sessionFile"]
        self.assertEqual(first.end(), 0)
        clients = self.many("--resume", file)
        self.talk(clients, 2)
        paths = [client.get("get_state")["sessionFile"] for client in clients]
        for client in clients:
            self.assertEqual(client.end(), 0)
        self.assertEqual(len(set(paths)), self.COUNT)  # one has the file, the others a copy each
        self.assertIn(file, paths)
        for path in paths:
            self.assertEqual(len(self.said(path)), 3)
            self.assertIn("begin", str(self.said(path)[0]))

    def test_one_that_is_killed_leaves_its_session_whole(self):
        self.script({"text": "one"}, {"text": "slow", "stall_after": 2})
        client = self.client()
        client.prompt("first")
        client.get("prompt", message="second")
        self.model.wait(requests=2)
        file = client.get("get_state")["sessionFile"]
        client.process.kill()
        client.process.wait()
        self.assertEqual(len(self.said(file)), 2)
        self.script({"text": "again"})
        client = self.client("--resume", file)
        self.assertEqual(client.get("get_state")["sessionFile"], file)
        client.prompt("third")
        self.assertEqual(client.get("get_last_assistant_text")["text"], "again")


if __name__ == "__main__":
    unittest.main()
