#!/usr/bin/env python3
"""What kedge sends, checked against the request types of each vendor's own SDK: packages of npm, where tools/npm-peers has
fetched them.

A long conversation runs over each wire format with the scripted model server; every request body that was recorded becomes a
constant of the SDK's parameter type, and `tsc --strict` says what the vendor's API does not know, lacks, or wants otherwise.

Environment: KEDGE, the binary; KEDGE_NPM, the folder with node_modules (default: npm beside the binary).
"""
import base64
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import unittest
import zlib

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from client import KEDGE, RpcTest  # noqa: E402

MODULES = pathlib.Path(os.environ.get("KEDGE_NPM", pathlib.Path(KEDGE).resolve().parent / "npm")) / "node_modules"
LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh")
THOUGHT = {"thinking": "hm", "signature": "QUJDRA=="}
MODELS_YML = """providers:
  anthropic: {{ baseUrl: "{url}", apiKey: key-of-anthropic }}
  openai: {{ baseUrl: "{url}/v1", apiKey: key-of-openai, api: openai-responses }}
  google: {{ baseUrl: "{url}/v1beta", apiKey: key-of-google }}
  chat:
    baseUrl: "http://api.openai.com/v1"
    api: openai-completions
    apiKey: key-of-chat
    models:
      - {{ id: gpt-5, reasoning: true, input: [text, image], thinking: {{ mode: effort, minLevel: minimal, maxLevel: xhigh }} }}
      - {{ id: gpt-4.1, input: [text, image] }}
"""

# What a body is declared as. Google's SDK has the parts of its REST request, not the whole; its enums are words on the wire.
TYPES = {
    "anthropic": """import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
type Body = MessageCreateParamsStreaming;
""",
    "openai": """import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
type Body = ChatCompletionCreateParamsStreaming;
""",
    # what other servers of this format add: reasoning goes back under the name under which it came
    "reasoning": """import type { ChatCompletionAssistantMessageParam, ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam }
    from "openai/resources/chat/completions";
type Reasoned = ChatCompletionAssistantMessageParam & { reasoning_content?: string };
type Body = Omit<ChatCompletionCreateParamsStreaming, "messages"> & { messages: (ChatCompletionMessageParam | Reasoned)[] };
""",
    "responses": """import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
type Body = ResponseCreateParamsStreaming;
""",
    "gemini": """import type { Content, GenerationConfig, Tool } from "@google/genai";
type Words<T> = T extends string ? `${T}` : T extends (infer U)[] ? Words<U>[] : T extends object ? { [K in keyof T]: Words<T[K]> } : T;
type Body = Words<{ contents: Content[]; systemInstruction?: Content; tools?: Tool[]; generationConfig?: GenerationConfig }>;
""",
}
SMALL = "compaction: { keepRecentTokens: 200 }\n"
PACKAGES = ("@anthropic-ai/sdk", "openai", "@google/genai", "typescript")


def png():
    """A picture of one pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))


def bash(command, **more):
    return {"name": "bash", "arguments": {"command": command}, **more}


class RequestTypes(RpcTest):
    def setUp(self):
        super().setUp()
        missing = [name for name in PACKAGES if not (MODULES / name).exists()]
        if missing or not shutil.which("node"):
            self.skipTest(f"no {', '.join(missing) or 'node'} in {MODULES} (tools/npm-peers)")

    def start(self, *turns, settings=""):
        self.script(*turns)
        self.settings("retry: { enabled: false }\n" + settings)
        with open(os.path.join(self.root, ".kedge/agent/models.yml"), "w", encoding="utf-8") as file:
            file.write(MODELS_YML.format(url=self.model.url))
        os.makedirs(os.path.join(self.root, "w"), exist_ok=True)
        with open(os.path.join(self.root, "w/dot.png"), "wb") as file:
            file.write(png())

    def environment(self):
        return {"http_proxy": self.model.url, "no_proxy": "127.0.0.1"}

    def recorded(self):
        """(wire, body) of all requests; no two are the same."""
        self.assertEqual([self.model.ask("failures"), self.model.ask("unused")], [[], []])
        found = {json.dumps([e["wire"], e["body"]], sort_keys=True): (e["wire"], e["body"]) for e in self.model.ask("journal")}
        return list(found.values())

    def check(self, requests):
        """With the SDKs' types; what the compiler says, with the place in the body."""
        folder = pathlib.Path(self.root, "types")
        folder.mkdir()
        (folder / "node_modules").symlink_to(MODULES)
        for number, (wire, body) in enumerate(requests):
            text = json.dumps(body, indent=1)
            (folder / f"{number}-{wire}.ts").write_text(f"{TYPES[wire]}export const body: Body =\n{text};\n", encoding="utf-8")
        options = {"strict": True, "noEmit": True, "skipLibCheck": True, "target": "es2022", "module": "nodenext", "types": []}
        (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["*.ts"]}), encoding="utf-8")
        done = subprocess.run(["node", MODULES / "typescript/bin/tsc", "-p", folder, "--pretty", "false"], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=280, check=False)
        return done.returncode, done.stdout

    def expect_types(self, requests):
        code, said = self.check(requests)
        if keep := os.environ.get("KEDGE_KEEP_TYPES"):
            shutil.copytree(pathlib.Path(self.root, "types"), keep, symlinks=True)
        self.assertEqual(code, 0, said[:8000])

    def converse(self, client, thinks=True):
        """Text, pictures, parallel calls, failing ones, a command of the user, an answer that was stopped, all levels."""
        client.prompt("begin", images=[{"type": "image", "data": base64.b64encode(png()).decode(), "mimeType": "image/png"}])
        client.get("bash", command="echo mine")
        client.prompt("calls")
        client.kept.clear()
        client.get("prompt", message="slow")
        client.event("message_update")
        client.get("abort")
        client.event("agent_end")
        client.prompt("cut")
        for level in LEVELS if thinks else ():
            client.get("set_thinking_level", level=level)
            client.prompt(f"level {level}")
        client.prompt("end")

    def turns(self, thinks):
        """The script of converse(); with `thinks` the model thinks, and signs it."""
        thought = THOUGHT if thinks else {}
        many = [bash("echo one"), bash("echo two; false"), {"name": "read", "arguments": {"path": "dot.png"}}]
        odd = [{"name": "no.such tool", "arguments": {}}, bash("echo é\\ud83d", id="used-twice"), bash("true", id="used-twice")]
        return (
            {**thought, "text": "A dot. é"},
            {**thought, "text": "many", "tool_calls": many},
            {**thought, "tool_calls": odd},
            {"text": "called"},
            {**thought, "text": "slow and long, so that there is something to stop", "chunk": 4, "stall_after": 8},
            {"text": "cut", "tool_calls": [bash("echo never")], "chunk": 4, "truncate_before_stop": True},
            *[{**thought, "text": "level"} for _ in LEVELS if thinks],
            {"text": "end"},
        )

    def run_conversation(self, model, *, thinks=True, settings="", env=None):
        self.start(*self.turns(thinks), settings=settings)
        client = self.client("--model", model, env=self.environment() | (env or {}))
        self.converse(client, thinks)
        client.close()
        return self.recorded()

    def run_moves(self):
        """A conversation that goes from each format to each other, with calls on the way, and is compacted."""
        names = ("anthropic/claude-sonnet-4-5", "openai/gpt-5.2", "google/gemini-3-pro-preview", "chat/gpt-5")
        path = [names[i] for i in (0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3, 0)]
        turns = []
        for name in path:
            thought = {} if name.startswith("chat") else THOUGHT
            turns += [{**thought, "text": "so", "tool_calls": [bash("echo one"), bash("echo two")]}, {"text": "done"}]
        self.start(*turns, {"text": "## Goal\nall of it", "repeat": True}, settings=SMALL)
        client = self.client(env=self.environment())
        for name in path:
            provider, model = name.split("/")
            client.get("set_model", provider=provider, modelId=model)
            client.prompt("go " + "on and " * 60)
        client.get("compact")
        client.prompt("end")
        client.close()
        return self.recorded()

    def test_requests(self):
        requests = self.run_conversation("anthropic/claude-sonnet-4-5")
        requests += self.run_conversation("anthropic/claude-opus-4-6", env={"KEDGE_CACHE_RETENTION": "long"})
        requests += self.run_conversation("openai/gpt-5.2", settings="serviceTier: priority\n", env={"KEDGE_CACHE_RETENTION": "long"})
        requests += self.run_conversation("chat/gpt-5", thinks=False, settings="serviceTier: flex\n")
        requests += [("reasoning", body) for _, body in self.run_conversation("chat/gpt-5")]
        requests += self.run_conversation("google/gemini-2.5-pro")
        requests += self.run_conversation("google/gemini-3-pro-preview")
        requests += self.run_moves()
        self.assertEqual({wire for wire, _ in requests}, set(TYPES))
        self.expect_types(requests)

    def test_types_refuse(self):
        """What no vendor knows, in bodies that are right otherwise."""
        bodies = {
            "anthropic": {"model": "m", "max_tokens": 1, "stream": True, "messages": [{"role": "user", "content": "hi"}]},
            "openai": {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]},
            "reasoning": {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]},
            "responses": {"model": "m", "stream": True, "input": [{"role": "user", "content": "hi"}]},
            "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
        }
        code, said = self.check(list(bodies.items()))
        self.assertEqual((code, said), (0, ""))
        shutil.rmtree(os.path.join(self.root, "types"))
        wrong = [(wire, body | {"of_tomorrow": 1}) for wire, body in bodies.items()]
        wrong += [(wire, json.loads(json.dumps(body).replace('"user"', '"reader"'))) for wire, body in bodies.items() if wire != "gemini"]
        wrong.append(("gemini", bodies["gemini"] | {"generationConfig": {"thinkingConfig": {"thinkingLevel": "VERY_HIGH"}}}))
        code, said = self.check(wrong)
        self.assertNotEqual(code, 0)
        self.assertEqual({line.split("-")[0] for line in said.splitlines() if line[0] != " "}, {str(i) for i in range(len(wrong))}, said)


if __name__ == "__main__":
    unittest.main()
