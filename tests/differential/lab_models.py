#!/usr/bin/env python3
"""kedge against model servers that are not ours: a mock of another project that speaks all four wires, and a player of byte
streams as the vendors document them.

    lab_models.py KEDGE LAB

LAB is the folder that has them (llm/ with package-lock.json, server.mjs, tape.mjs, fixtures/, tapes/); without it, node or npm
the test says that it is skipped. Prints one line of TAP for each case.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

WIRES = {
    "anthropic": ("anthropic-messages", ""),
    "openai-chat": ("openai-completions", "/v1"),
    "openai-responses": ("openai-responses", "/v1"),
    "gemini": ("google-generative-ai", "/v1beta"),
}
MODELS_YML = """providers:
  lab:
    baseUrl: "{base}"
    api: {api}
    apiKey: lab-key-123456
    models: [{{ id: m1, reasoning: true, thinking: {{ mode: {mode} }}, input: [text, image], contextWindow: 200000, maxTokens: 32000 }}]
"""
SETTINGS = "retry: { baseDelayMs: 10, maxRetries: 2, maxWait: 5 }\n"
FIXTURES = {"scripts": [
    {"when": "many turns", "turns": [
        {"think": "first", "say": "a", "calls": [{"call": "bash", "with": {"command": "echo 1"}}, {"call": "bash", "with": {"command": "echo 2"}}]},
        *[{"call": "bash", "with": {"command": f"echo turn {n}"}} for n in range(10)], {"say": "Ten turns."}]},
    {"when": "a second prompt", "turns": [{"say": f"Answer {n}."} for n in range(30)]},
    {"when": "look at it", "turns": [{"call": "read", "with": {"path": "dot.png"}}, {"say": "A dot."}]},
    {"when": "Attached image", "turns": [{"say": "What image?"}, {"say": "A dot."}]},  # where results cannot hold one
]}
# (prompt, exit code, stdout, what stderr has); a prompt of the mock's own examples or of FIXTURES
CASES = [
    ("say hello", 0, "Hello from the lab.", ""),
    ("think then answer", 0, "4", ""),
    ("run true once", 0, "It ran.", ""),
    ("read two files at once", 0, "Read both.", ""),
    ("unicode please", 0, "naïve — “quotes” 漢字 🎉", ""),
    ("bad arguments", 0, "Recovered.", ""),
    ("unknown tool", 0, "Recovered.", ""),
    ("slow stream", 0, "after a pause of fifty milliseconds.", ""),
    ("many turns", 0, "Ten turns.", ""),
    ("look at it", 0, "A dot.", ""),
    ("cut the stream", 1, "", "retry 2/2"),
    ("rate limit me", 1, "", "retry 2/2 in 1.0 s: HTTP 429"),
    ("overload", 1, "", "retry 2/2 in 0.0 s: HTTP 529"),
    ("bad key", 1, "", "401"),
]
DOT = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
                    "53de0000000c49444154789c63f8cfc000000301010018dd8db00000000049454e44ae426082")


class Lab:
    """A folder with the servers, and those that run."""

    def __init__(self, source, root):
        self.folder, self.root, self.processes = root / "llm", root, []
        shutil.copytree(source / "llm", self.folder, ignore=shutil.ignore_patterns("node_modules"))
        (self.folder / "own.json").write_text(json.dumps(FIXTURES))
        subprocess.run(["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], cwd=self.folder,
                       check=True, timeout=300, stdout=subprocess.DEVNULL)

    def start(self, program, *words):
        ready = self.root / f"ready-{len(self.processes)}"
        process = subprocess.Popen(["node", self.folder / program, "--ready", ready, "--parent", str(os.getpid()), *words],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        until = time.monotonic() + 60
        while not ready.exists():
            if time.monotonic() > until or process.poll() is not None:
                raise SystemExit(f"{program} did not start")
            time.sleep(0.02)
        return json.loads(ready.read_text())["url"]

    def stop(self):
        for process in self.processes:
            process.terminate()
            process.wait()


def ask(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=60) as answer:
        return json.loads(answer.read())


class Tests:
    def __init__(self, kedge, root):
        self.kedge, self.root, self.count, self.failed = kedge, root, 0, 0

    def run(self, api, base, *words, mode="budget"):
        home = pathlib.Path(tempfile.mkdtemp(prefix="home-", dir=self.root))
        agent, cwd = home / ".kedge/agent", home / "w"
        agent.mkdir(parents=True)
        cwd.mkdir()
        (agent / "models.yml").write_text(MODELS_YML.format(api=api, base=base, mode=mode))
        (agent / "config.yml").write_text(SETTINGS)
        (cwd / "dot.png").write_bytes(DOT)
        for name in ("README.md", "Makefile"):
            (cwd / name).write_text(f"{name}\n")
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "no_proxy": "127.0.0.1"}
        for number, prompt in enumerate(words):
            more = ["-c"] if number else []
            done = subprocess.run([self.kedge, "--model", "lab/m1:high", *more, "-p", prompt], cwd=cwd, env=env, capture_output=True,
                                  text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
        return done

    def tell(self, name, problem):
        self.count += 1
        self.failed += bool(problem)
        print(f"{'not ok' if problem else 'ok'} {self.count} - {name}")
        if problem:
            print("".join(f"# {line}\n" for line in problem.splitlines()), end="")

    def expect(self, name, done, code, out, err):
        is_right = done.returncode == code and out in done.stdout and err in done.stderr
        self.tell(name, "" if is_right else f"exit {done.returncode}, stdout {done.stdout!r}, stderr {done.stderr!r}")


def against_mock(tests, lab):
    url = lab.start("server.mjs", lab.folder / "fixtures", lab.folder / "own.json")
    for wire, (api, path) in WIRES.items():
        for prompt, code, out, err in CASES:
            before = len(ask(f"{url}/__aimock/journal"))
            done = tests.run(api, url + path, prompt)
            tests.expect(f"{wire}: {prompt}", done, code, out, err)
            if prompt == "bad key":
                asked = len(ask(f"{url}/__aimock/journal")) - before
                tests.tell(f"{wire}: a refused key is asked with once", "" if asked == 1 else f"{asked} requests")
        done = tests.run(api, url + path, "many turns", "a second prompt", "a second prompt")
        tests.expect(f"{wire}: a conversation goes on", done, 0, "Answer", "")


def against_tapes(tests, lab):
    for wire, (api, path) in WIRES.items():
        for option in ("", "chunk=1", "chunk=3", "chunk=64"):
            # the player counts requests by tape: one that has played begins anew under another server
            url = lab.start("tape.mjs", lab.folder / "tapes")
            done = tests.run(api, f"{url}/{wire}-tool{';' if option else ''}{option}{path}", "What is it?")
            tests.expect(f"{wire}: tape {option}", done, 0, "It is a library.", "")
            log = ask(f"{url}/_tape/log")
            tests.tell(f"{wire}: tape {option}: two requests", "" if len(log) == 2 else f"{len(log)} requests")
    url = lab.start("tape.mjs", lab.folder / "tapes")
    for tape, said in (("anthropic-429", "429"), ("anthropic-529", "529"), ("anthropic-error-midstream", "verloaded")):
        tests.expect(f"tape {tape}", tests.run("anthropic-messages", f"{url}/{tape}", "hi"), 1, "", said)
    done = tests.run("openai-responses", f"{url}/openai-responses-failed/v1", "hi")
    tests.expect("tape openai-responses-failed", done, 1, "", "The server had an error processing your request")


def main():
    kedge, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    missing = [word for word in ("node", "npm") if not shutil.which(word)]
    if not (source / "llm/server.mjs").exists():
        missing.append(str(source / "llm"))
    if missing:
        print(f"1..0 # SKIP no {', '.join(missing)}: kedge was not run against other people's model servers")
        return 0
    with tempfile.TemporaryDirectory(prefix="kedge-lab-") as folder:
        root = pathlib.Path(folder)
        lab, tests = Lab(source, root), Tests(kedge, root)
        try:
            against_mock(tests, lab)
            against_tapes(tests, lab)
        finally:
            lab.stop()
    print(f"1..{tests.count}")
    return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main())
