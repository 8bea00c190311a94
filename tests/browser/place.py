"""What the cases of test_arcade.py share: their table, claims, and a run of its own in a window that looks at it."""

from webdriver import CONTROL, ENTER, Failure

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def equal(got, want, what):
    if got != want:
        raise Failure(f"{what}: got {got!r}, want {want!r}")


def check(claim, what):
    if not claim:
        raise Failure(what)


class Place:
    """A run of its own, and a window that looks at it."""

    def __init__(self, arcade, browser, number):
        self.arcade = arcade
        self.browser = browser
        self.run = f"run-{number}"
        arcade.status(self.run, "requirements", "running", name=f"Case {number}")

    def artifact(self, name, content):
        """A file of its own, registered: (docId, path)."""
        path = f"{self.run}/{name}"
        return self.arcade.artifact(self.run, path, content), self.arcade.project / path

    def open(self, doc, ready):
        self.browser.open(self.arcade.page(f"/runs/{self.run}/artifact/{doc}"))
        self.browser.wait_for(ready)

    def show_source(self):
        self.browser.click("button", "Source")
        self.browser.wait_for(".source .line")

    def comment(self, text, presses=True):
        """Into the box for new comments; sent with Ctrl+Enter."""
        self.browser.type(".thread.new textarea", text)
        if presses:
            self.browser.press(CONTROL, ENTER)
            self.browser.wait_for(".thread .said", text)

    def annotations(self, status="open"):
        return self.arcade.read(self.run, status)["annotations"]

    def annotate(self, doc, anchor, content):
        """By the API, as another tab would have done; its id."""
        return self.browser.js("""return fetch("/api/v1/annotations", {method: "POST", headers: {
            "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem("arcade.token")},
            body: JSON.stringify({docId: arguments[0], runId: arguments[1], anchor: arguments[2], content: arguments[3]})})
            .then(answer => answer.json()).then(answer => answer.id)""", doc, self.run, anchor, content)

    def check_anchor(self, text, selected, start, content):
        """The one open annotation sits at code point `start` of `text`, with its contexts."""
        found = self.annotations()
        equal(len(found), 1, "annotations")
        end = start + len(selected)
        want = {"type": "text-selection", "startOffset": start, "endOffset": end, "selectedText": selected,
                "contextBefore": text[max(0, start - 64):start], "contextAfter": text[end:end + 64]}
        equal(found[0]["anchor"], want, "anchor")
        equal((found[0]["content"], found[0]["author"], found[0]["orphaned"]), (content, "user", False), "annotation")
        equal(found[0]["line"], text.count("\n", 0, start) + 1, "line")
