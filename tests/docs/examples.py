#!/usr/bin/env python3
"""Runs the examples of the reference pages, as TAP: what a page shows is what the program prints.

    examples.py KEDGE PAGE.md…

An example is a fenced block `console`: lines that begin with `$ ` are given to sh (a line that ends in a backslash
goes on, and so do the lines `> ` after it), what follows them is the expected output. `…` stands for any text in a
line, and alone on a line for any lines. The blocks of a page run one after the other in one private directory, a git
repository with a private HOME. What a page needs and does not show is a line `<!-- run: COMMAND -->`. A page with `<!-- forge -->` gets a GitHub-like server whose pull request is rp1-run/rp1#42.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = 60


def blocks(page):
    """[(line, command, expected lines)] of all console blocks."""
    found, command, expected, inside, first = [], None, [], False, 0
    fence = None  # that the open block ends with
    for number, line in enumerate(page.read_text().splitlines(), 1):
        hidden = re.fullmatch(r"<!-- run: (.*) -->", line)
        if hidden and fence is None:
            found.append((number, hidden.group(1), ["…"]))
        marks = re.match(r"`{3,}", line)
        if fence is None and marks:
            fence, inside, command, expected = marks.group(), line.endswith("console"), None, []
        elif line == fence:
            if inside and command is not None:
                found.append((first, command, expected))
            fence, inside, command = None, False, None
        elif inside and line.startswith("$ "):
            if command is not None:
                found.append((first, command, expected))
            command, expected, first = line[2:], [], number
        elif inside and command is not None and not expected and (line == ">" or line.startswith("> ")):
            command += "\n" + line[2:]
        elif inside and command is not None:
            expected.append(line)
    return found


def pattern(expected):
    """A regular expression for the whole output."""
    parts = []
    for line in expected:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(re.escape(piece) for piece in line.split("…")) + r"\n")
    return re.compile("".join(parts) + r"\Z")


def start_forge(work, environment):
    ready = work / "forge.ready"
    server = subprocess.Popen([sys.executable, ROOT / "tests/servers/forge.py", "--ready", ready, "--parent", str(os.getpid()),
                               "--ttl", "300", "--seed", "rp1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while not ready.exists() or not ready.read_text().strip():
        if time.monotonic() > until or server.poll() is not None:
            raise SystemExit("Bail out! the forge did not start")
        time.sleep(0.02)
    environment["GITHUB_API_URL"] = json.loads(ready.read_text())["url"]
    environment["GITHUB_TOKEN"] = "ghp_ForgeAlice00000000000000000000000001"
    return server


def run_page(page, kedge):
    """Yields (name, problem or None)."""
    with tempfile.TemporaryDirectory(prefix="kedge-docs-") as folder:
        work = pathlib.Path(folder)
        for name in ("home", "bin", "project"):
            (work / name).mkdir()
        (work / "bin/kedge").symlink_to(kedge)
        environment = {"HOME": str(work / "home"), "PATH": f"{work / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                       "TMPDIR": str(work), "GIT_CONFIG_NOSYSTEM": "1", "no_proxy": "127.0.0.1"}
        for command in (["init", "-q", "-b", "main"], ["config", "user.name", "Ana"], ["config", "user.email", "ana@example.com"]):
            subprocess.run(["git", *command], cwd=work / "project", env=environment, check=True)
        server = start_forge(work, environment) if "<!-- forge -->" in page.read_text() else None
        try:
            for line, command, expected in blocks(page):
                done = subprocess.run(["sh", "-c", command], cwd=work / "project", env=environment, capture_output=True, text=True,
                                      timeout=TIMEOUT, stdin=subprocess.DEVNULL, check=False)
                output = done.stdout + done.stderr
                problem = None if pattern(expected).match(output) else f"{command}\n--- printed\n{output}--- the page says\n" + "\n".join(expected)
                yield f"{page.name}:{line}", problem
        finally:
            if server:
                server.terminate()
                server.wait()


def main():
    kedge, pages = os.path.abspath(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    number = 0
    for page in pages:
        count = 0
        for name, problem in run_page(page, kedge):
            number, count = number + 1, count + 1
            print(f"{'not ok' if problem else 'ok'} {number} {name}", flush=True)
            for line in (problem or "").splitlines():
                print(f"# {line}")
        if count == 0:
            number += 1
            print(f"not ok {number} {page.name}: has no example")
    print(f"1..{number}")


if __name__ == "__main__":
    main()
