"""A small client of the WebDriver protocol: a headless Chromium behind chromedriver, standard library only.

Everything that is started is ended by process id: Chromium lives in the session (and process group) of its chromedriver.
"""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

WAIT = 30  # seconds until something counts as missing
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-default-apps", "--mute-audio",
]
CONTROL, ENTER, ESCAPE, TAB, DOWN, SHIFT = "\ue009", "\ue007", "\ue00c", "\ue004", "\ue015", "\ue008"


class Failure(Exception):
    """A claim that does not hold, or a browser that does not do as it is told."""


def missing():
    """Why there can be no browser; empty when there can."""
    names = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    return f"{' and '.join(names)} not installed" if names else ""


class Driver:
    """One chromedriver on a port that the kernel chooses."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="kedge-browser-")
        env = {"HOME": self.root, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMPDIR": self.root,
               "XDG_RUNTIME_DIR": self.root, "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        self.process = subprocess.Popen(["chromedriver", "--port=0"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        self.port = self._read_port()

    def _read_port(self):
        for line in self.process.stdout:
            found = re.search(rb"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise Failure("chromedriver does not start")

    def call(self, method, path, body=None):
        """`value` of the answer."""
        data = None if method in ("GET", "DELETE") else json.dumps(body or {}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(json.load(error)["value"]["message"].split("\n")[0]) from None

    def end(self):
        """Also Chromium's processes, which are of the same group."""
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.root, ignore_errors=True)


class Browser:
    """One window with a profile of its own."""

    def __init__(self, driver, width=1440, height=900):
        self.driver = driver
        self.profile = tempfile.mkdtemp(prefix="profile-", dir=driver.root)
        options = {"binary": shutil.which("chromium"),
                   "args": [*ARGUMENTS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}"]}
        answer = driver.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}, "unhandledPromptBehavior": "accept"}}})
        self.path = f"/session/{answer['sessionId']}"

    def call(self, method, path, body=None):
        return self.driver.call(method, self.path + path, body)

    def tabs(self):
        return self.call("GET", "/window/handles")

    def switch(self, tab):
        self.call("POST", "/window", {"handle": tab})

    def new_tab(self):
        """Makes it and switches to it."""
        self.switch(self.call("POST", "/window/new", {"type": "tab"})["handle"])

    def close_other_tabs(self, kept):
        for tab in self.tabs():
            if tab != kept:
                self.switch(tab)
                self.call("DELETE", "/window")
        self.switch(kept)

    def cdp(self, command, **params):
        """A command of Chromium's own protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def js(self, script, *args):
        """The value of a function's body; arguments[0]… are `args`."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def find_all(self, selector):
        return [each[ELEMENT] for each in self.call("POST", "/elements", {"using": "css selector", "value": selector})]

    def find(self, selector, text=None):
        """The first visible element of the selector that has the text; waits for it."""
        return self.wait(lambda: self._find_now(selector, text), f"{selector} {text or ''}")

    def _find_now(self, selector, text):
        found = self.js("""const [selector, text] = arguments;
            return [...document.querySelectorAll(selector)].find(each => each.checkVisibility() &&
                (text === null || each.textContent.includes(text))) ?? null;""", selector, text)
        return found[ELEMENT] if found else None

    def click(self, selector, text=None):
        """As a person: scrolled into sight, with the pointer."""
        def try_to():
            try:
                self.call("POST", f"/element/{self.find(selector, text)}/click", {})
            except Failure as failure:  # what the page replaced since it was found
                if "stale element" not in str(failure):
                    raise
                return False
            return True
        self.wait(try_to, f"{selector} {text or ''} to click")

    def click_with(self, key, selector, text=None):
        """With a key held."""
        origin = {ELEMENT: self.find(selector, text)}
        self.call("POST", "/actions", {"actions": [
            {"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": key}, *[{"type": "pause"}] * 3, {"type": "keyUp", "value": key}]},
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
                {"type": "pause"}, {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin},
                {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})

    def type(self, selector, text):
        """Key by key; characters beyond the BMP, which are on no key and which ChromeDriver refuses, as an input method inserts them."""
        element = self.find(selector)
        for number, part in enumerate(re.split(r"([\U00010000-\U0010ffff]+)", text)):
            if number % 2:
                self.cdp("Input.insertText", text=part)
            elif part or number == 0:
                self.call("POST", f"/element/{element}/value", {"text": part})

    def press(self, *keys):
        """Keys for whatever has the focus; all but the last are held."""
        down = [{"type": "keyDown", "value": key} for key in keys]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions":
                                                    down + [{"type": "keyUp", "value": key} for key in reversed(keys)]}]})

    def has(self, selector, text=None):
        return self._find_now(selector, text) is not None

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait(self, ask, what, seconds=WAIT):
        """The first true answer."""
        end = time.monotonic() + seconds
        while True:
            answer = ask()
            if answer:
                return answer
            if time.monotonic() > end:
                raise Failure(f"not seen within {seconds} s: {what}")
            time.sleep(0.02)

    def wait_for(self, selector, text=None, seconds=WAIT):
        self.wait(lambda: self._find_now(selector, text), f"{selector} {text or ''}", seconds)

    def wait_gone(self, selector, text=None):
        self.wait(lambda: not self.has(selector, text), f"no {selector} {text or ''}")

    def select(self, selector, start, end):
        """Selects [start, end) of the text of an element, in UTF-16 units, as a pointer would have left it."""
        self.find(selector)
        self.js("""const [selector, start, end] = arguments, element = document.querySelector(selector);
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), range = document.createRange();
            for (let at = 0; walker.nextNode(); at += walker.currentNode.length) {
                const node = walker.currentNode;
                if (start >= at && start <= at + node.length) range.setStart(node, start - at);
                if (end >= at && end <= at + node.length) { range.setEnd(node, end - at); break; }
            }
            getSelection().removeAllRanges();
            getSelection().addRange(range);""", selector, start, end)

    def select_text(self, selector, text, nth=0):
        """Selects the text, its nth occurrence, where it stands in an element."""
        self.find(selector)
        whole = self.js("return document.querySelector(arguments[0]).textContent", selector)
        at = -1
        for _ in range(nth + 1):
            at = whole.find(text, at + 1)
        if at < 0:
            raise Failure(f"{selector} has no {text!r}")
        units = lambda part: len(part.encode("utf-16-le")) // 2  # noqa: E731
        self.select(selector, units(whole[:at]), units(whole[:at + len(text)]))

    def size(self, width, height=800):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def complaints(self):
        """What the browser has to say of the page, but for requests that were refused or not answered."""
        return [each["message"] for each in self.call("POST", "/se/log", {"type": "browser"})
                if each["level"] == "SEVERE" and "Failed to load resource" not in each["message"]]

    def end(self):
        try:
            self.call("DELETE", "")
        finally:
            shutil.rmtree(self.profile, ignore_errors=True)
