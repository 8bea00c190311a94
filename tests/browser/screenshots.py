#!/usr/bin/env python3
"""Pictures of Arcade's page, to be looked at.

    tests/browser/screenshots.py --kedge build/kedge FOLDER
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = not sys.pycache_prefix
from arcade import Arcade  # noqa: E402
from webdriver import Browser, Driver, missing  # noqa: E402

DESIGN = """---
feature: auth
owner: ana
---

# Sign-in without passwords

A visitor gets a link by mail and is signed in by opening it. The link works **once**, for ten minutes.

## Order

The check *may run* before or after the session store is opened; the store itself does not care. See
[the harbour notes](https://tidepool.example/notes) and `session_open()`.

1. Ask for the address
2. Send the link
   - at most three an hour
   - the same answer whether the address is known or not
3. Open the session

| Need | Use | Since |
|------|-----|------:|
| a token | `token_make()` | 1.2 |
| a clock | `time_now_ms()` | 1.0 |

> A link that was opened twice is a sign of a mail scanner, not of an attack.

```c
bool session_open(const char *token, Session **ret_session, GError **error)
{
    if (!token_is_fresh(token))
        return fail_with(error, KEDGE_ERROR_DENIED, "the link is too old");
    return session_new(token, ret_session, error);
}
```

```mermaid
sequenceDiagram
  Visitor->>Server: address
  Server->>Mail: link
```

## Open questions

- [x] What when the mail is late?
- [ ] Should the link name the device?
"""


def line_anchor(number):
    return {"type": "line", "lineNumber": number, "lineContent": DESIGN.split("\n")[number - 1]}


class Show:
    def __init__(self, arcade, browser, folder):
        self.arcade, self.browser, self.folder = arcade, browser, folder

    def shot(self, name):
        self.browser.js("window.getSelection().removeAllRanges()") if name != "selection" else None
        self.browser.screenshot(self.folder / f"{name}.png")

    def annotate(self, doc, anchor, content):
        return self.browser.js("""return fetch("/api/v1/annotations", {method: "POST", headers: {
            "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem("arcade.token")},
            body: JSON.stringify({docId: arguments[0], runId: "auth-1", anchor: arguments[1], content: arguments[2]})})
            .then(answer => answer.json()).then(answer => answer.id)""", doc, anchor, content)

    def fill(self):
        """Some runs, one of them with artifacts and comments; its main document's id."""
        arcade = self.arcade
        arcade.status("old-1", "plan", "running", workflow="build-fast", name="Faster tide tables")
        arcade.status("old-1", "plan", "failed", workflow="build-fast")
        arcade.status("rev-1", "split", "running", workflow="pr-review", name="Review of the mooring change")
        arcade.tool("emit", "end-run", fields={"runId": "rev-1", "outcome": "cancelled"})
        for step in ("requirements", "design"):
            arcade.status("auth-1", step, "running", name="Sign-in without passwords")
        arcade.artifact("auth-1", "features/auth/requirements.md", "# Requirements\n\nNo passwords.\n", step="requirements")
        doc = arcade.artifact("auth-1", "features/auth/design.md", DESIGN, step="design")
        arcade.artifact("auth-1", "features/auth/change.diff", "--- a/session.c\n+++ b/session.c\n@@ -1,3 +1,3 @@\n #include \"session.h\"\n-old\n+new\n")
        arcade.emit("auth-1", "btw_update", message="3 of 7 files read")
        arcade.emit("auth-1", "waiting_for_user", "design", prompt="Approve the design?", context="Comments on the document are read first.")
        return doc

    def all(self):
        browser, arcade = self.browser, self.arcade
        doc = self.fill()
        browser.open(arcade.page("/"))
        browser.wait_for(".run")
        first = self.annotate(doc, line_anchor(12), "Must run before: the store takes the token's lock.")
        arcade.reply("auth-1", first, "You are right, moved it. Is the wording clear now?")
        self.annotate(doc, line_anchor(17), "Three an hour for each address, or for each visitor?")
        done = self.annotate(doc, line_anchor(26), "Good point.")
        arcade.tool("feedback", "resolve", fields={"runId": "auth-1", "annotationId": done})
        self.annotate(doc, {"type": "text-selection", "startOffset": 3, "endOffset": 9, "selectedText": "cookie", "contextBefore": "", "contextAfter": ""},
                      "What of the cookie?")
        browser.open(arcade.page("/"))
        browser.wait_for(".run .pill")
        self.shot("runs")
        browser.click(".run a", "Sign-in")
        browser.wait_for(".events li")
        browser.wait_for(".artifacts li .pill")
        self.shot("run")
        address = arcade.page(f"/runs/auth-1/artifact/{doc}")
        browser.open(address)
        browser.wait_for(".rendered .mark")
        browser.click(".where", "Line 12")
        self.settle()
        self.shot("rendered")
        browser.select_text(".rendered table", "a clock")
        browser.find(".offer")
        self.settle()
        self.shot("selection")
        browser.click(".offer")
        browser.type(".thread.new textarea", "Monotonic, or of the wall?")
        self.settle()
        self.shot("comment")
        browser.click(".thread.new button", "Close")
        browser.click("button", "Source")
        browser.wait_for(".source .mark")
        self.settle()
        self.shot("source")
        self.edits(doc)
        for name in ("dark-rendered", "dark-runs"):
            browser.scheme("dark")
            browser.open(address if name == "dark-rendered" else arcade.page("/"))
            browser.wait_for(".rendered .mark" if name == "dark-rendered" else ".run .pill")
            browser.wait_for(".artifact .edit" if name == "dark-rendered" else ".run")
            self.shot(name)
        browser.scheme("light")
        browser.size(360, 780)
        for name, path, ready in (("narrow-runs", "/", ".run .pill"), ("narrow-run", "/runs/auth-1", ".events li"),
                                  ("narrow-rendered", f"/runs/auth-1/artifact/{doc}", ".rendered .mark")):
            browser.open(arcade.page(path))
            browser.wait_for(ready)
            self.shot(name)
        browser.js("document.querySelector('.side').scrollIntoView()")
        self.shot("narrow-comments")
        browser.size(1000, 800)
        browser.open(address)
        browser.wait_for(".rendered .mark")
        self.shot("middle-rendered")

    def edits(self, doc):
        """A suggestion, and two versions of one file."""
        browser, file = self.browser, self.arcade.project / "features/auth/design.md"
        for name, old, new in (("suggestion", "ten minutes", "five minutes"), ("conflict", "may run", "must run")):
            browser.click("button", "Edit")
            browser.find(".yours textarea")
            browser.js("""const box = document.querySelector(".yours textarea"); box.value = box.value.replace(arguments[0], arguments[1]);
                box.dispatchEvent(new Event("input"));""", old, new)
            if name == "suggestion":
                browser.click("button", "Suggest")
                browser.wait_for(".edit .diff")
            else:
                file.write_text(DESIGN.replace("before or after", "before"))
                browser.wait_for(".notice", "changed on disk")
                browser.click("button", "Save")
                browser.wait_for(".theirs textarea")
            self.settle()
            self.shot(name)
        browser.click("button", "Discard changes")
        browser.click("button", "Discard for good?")

    def settle(self):
        """What flashes has stopped."""
        self.browser.wait(lambda: self.browser.js("return !document.querySelector('.flash')"), "the end of the flash")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kedge", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    if missing():
        sys.exit(missing())
    options.folder.mkdir(parents=True, exist_ok=True)
    arcade, driver = Arcade(options.kedge), None
    try:
        arcade.start()
        driver = Driver()
        browser = Browser(driver)
        Show(arcade, browser, options.folder).all()
        browser.end()
    finally:
        if driver:
            driver.end()
        arcade.end()


if __name__ == "__main__":
    main()
