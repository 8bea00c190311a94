#!/usr/bin/env python3
"""An exported session in a real browser, as TAP (agent-core §4.12, core-20).

    KEDGE=build/kedge tests/browser/test_export.py [FOLDER for pictures]

Headless Chromium through chromedriver; skipped where they are not installed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
from webdriver import Browser, Driver, Failure, missing  # noqa: E402

KEDGE = os.path.abspath(os.environ.get("KEDGE", "build/kedge"))
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"
ATTACK = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=2>"
MARKDOWN = """# Plan

I will **read** the file:

1. one
2. two `code`

| a | b |
|---|--:|
| 1 | 2 |

[link](https://example.com) [bad](javascript:window.pwned=3) ![pic](https://example.com/x.png) <svg onload="window.pwned=4">
"""


class Maker:
    """Lines of a session: a branch that was left, and one that goes on."""

    def __init__(self):
        self.lines = [{"type": "session", "version": 3, "id": "0195d2c4-8f10-7b3e-9a44-2f6c1d0e7a55", "timestamp": "2026-03-04T05:06:00.000Z",
                       "cwd": "/srv/app", "title": f"Fix {ATTACK}"}]

    def add(self, parent, **fields):
        name = f"{len(self.lines):08x}"
        self.lines.append({"id": name, "parentId": parent, "timestamp": "2026-03-04T05:06:00.000Z", **fields})
        return name

    def say(self, parent, role, *blocks, **fields):
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        return self.add(parent, type="message", message={"role": role, "content": content, "timestamp": 1, **fields})

    def session(self):
        image = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
        start = self.say(None, "user", "Fix the parser. " + ATTACK, image)
        calls = [{"type": "toolCall", "id": f"t{number}", "name": name, "arguments": {"path": ATTACK}} for number, name in ((1, "read"), (2, "edit"))]
        plan = self.say(start, "assistant", {"type": "thinking", "thinking": "Let me look. " + ATTACK}, MARKDOWN, *calls,
                        usage={"input": 1200, "output": 340, "cost": {"total": 0.5}})
        result = self.say(plan, "toolResult", "1: int x; " + ATTACK, toolCallId="t1", toolName="read")
        result = self.say(result, "toolResult", "edited", toolCallId="t2", toolName="edit", details={"diff": "@@ -1 +1 @@\n-int x;\n+int y;"})
        done = self.say(result, "assistant", "Both are read.")
        left = self.say(done, "user", "First way: tests")
        self.say(left, "assistant", "Tests are written.")
        other = self.say(done, "user", "Other way: a lexer")
        self.add(other, type="label", targetId=other, label="good " + ATTACK)
        lexer = self.say(other, "assistant", "The lexer it is.")
        loop = self.add("nowhere", type="custom", customType="x", data={})
        self.lines[-1]["parentId"] = loop  # its own parent
        self.say(lexer, "assistant", "The end.")
        return "".join(json.dumps(line) + "\n" for line in self.lines)


def equal(got, want, what):
    if got != want:
        raise Failure(f"{what}: {got!r}, want {want!r}")


def shown(browser):
    # innerText leaves out what is not near the window: the entries have content-visibility
    return browser.js("return document.getElementById('log').textContent")


def nothing_runs(browser):
    equal(browser.js("return window.pwned === undefined"), True, "a script of the session")
    equal(browser.js("return document.querySelectorAll('#log script, #log svg, #log [onerror], #tree script').length"), 0, "elements made of text")
    equal(browser.js("return document.title.startsWith('Fix </script>')"), True, "the title is text")
    if "onerror=window.pwned" not in shown(browser):
        raise Failure("the text of the attack is not shown")


def loads_nothing(browser):
    equal(browser.js("return performance.getEntriesByType('resource').map(each => each.name).filter(name => !name.startsWith('data:'))"), [], "requests")
    equal(browser.js("return [...document.querySelectorAll('[src]')].every(each => each.src.startsWith('data:'))"), True, "sources are data")
    equal(browser.js("return [...document.querySelectorAll('a[href]')].map(each => each.protocol).filter(each => !/^https?:|^file:/.test(each))"), [], "links")


def is_readable(browser):
    for selector in ("#log h1", "#log strong", "#log table td", "#log ol li", "#log details.thinking", "#log details.call .plus", "#log img"):
        if not browser.js("return document.querySelector(arguments[0]) !== null", selector):
            raise Failure(f"there is no {selector}")
    equal(browser.js("return document.querySelector('#log img').naturalWidth"), 10, "the picture")
    if "1,200" not in browser.js("return document.getElementById('head').innerText").replace(".", ",").replace("\u202f", ","):
        raise Failure("no tokens in the head")


def branches(browser):
    if "The lexer it is." not in shown(browser) or "Tests are written." in shown(browser):
        raise Failure("not the branch of the last entry")
    browser.js("[...document.querySelectorAll('#tree a')].find(each => each.textContent.includes('First way')).click()")
    if "Tests are written." not in shown(browser) or "The lexer it is." in shown(browser) or "Both are read." not in shown(browser):
        raise Failure("the other branch is not shown")
    browser.js("[...document.querySelectorAll('#tree a')].find(each => each.textContent.includes('Other way')).click()")
    if "The end." not in shown(browser):
        raise Failure("the branch is not followed to its end")


def search(browser):
    browser.js("const field = document.getElementById('filter'); field.value = 'LEXER'; field.dispatchEvent(new Event('input'))")
    equal(browser.js("return document.querySelectorAll('#tree a').length"), 2, "found in the tree")
    browser.js("const field = document.getElementById('filter'); field.value = ''; field.dispatchEvent(new Event('input'))")


def themes(browser):
    ground = "return getComputedStyle(document.body).backgroundColor"
    first = browser.js(ground)
    browser.js("document.getElementById('theme').click()")
    if browser.js(ground) == first:
        raise Failure("the button does not change the colours")
    browser.js("document.getElementById('theme').click()")


CLAIMS = [
    ("core-20 what is hostile is text: nothing runs", nothing_runs),
    ("core-20 the page loads nothing", loads_nothing),
    ("Markdown, thinking, calls, differences, pictures and totals are shown", is_readable),
    ("branches are selected in the tree", branches),
    ("the tree is searched", search),
    ("light and dark", themes),
]


def main():
    reason = missing()
    if reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory(prefix="kedge-export-") as folder:
        source, page = pathlib.Path(folder, "s.jsonl"), pathlib.Path(folder, "s.html")
        source.write_text(Maker().session())
        subprocess.run([KEDGE, "--export", str(source), str(page)], check=True, stdout=subprocess.DEVNULL,
                       env={"HOME": folder, "PATH": os.environ["PATH"]})
        driver = Driver()
        try:
            browser = Browser(driver)
            browser.open(page.as_uri())
            for number, (name, claim) in enumerate(CLAIMS, 1):
                try:
                    claim(browser)
                    print(f"ok {number} - {name}")
                except Failure as failure:
                    failed += 1
                    print(f"not ok {number} - {name}\n# {failure}")
            if len(sys.argv) > 1:
                browser.js("document.querySelectorAll('#log details').forEach(each => each.open = true)")
                browser.screenshot(pathlib.Path(sys.argv[1], "export-light.png"))
                browser.js("document.getElementById('theme').click()")
                browser.screenshot(pathlib.Path(sys.argv[1], "export-dark.png"))
        finally:
            driver.end()
    print(f"1..{len(CLAIMS)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
