"""Cases of test_arcade.py about what Markdown may hold: footnotes, alerts, details, links between artifacts."""
import socket

from place import case, check, equal

TEXT = """# Start

See [the plan](sub/plan.md#second-part), [nothing](other.md), [up](../../../x.md) and a note[^n].<br>Next line.

> [!WARNING]
> Mind the *gap*.

<details open><summary>More <b onclick="window.pwned = 1">bold</b></summary>

inside

</details>

- [x] done
- [ ] open

| a long word | b |
|---|---|
| Incomprehensibilities | x |

[^n]: The note's text.
"""


@case("cli-E-24 footnotes, alerts, details, line breaks, links between artifacts; other HTML is text")
def rendered(place):
    plan, _ = place.artifact("sub/plan.md", "# First\n\n" + "text\n\n" * 60 + "## Second part\n\nhere\n")
    doc, _ = place.artifact("start.md", TEXT)
    place.open(doc, ".rendered")
    browser = place.browser
    browser.wait_for(".rendered a", "the plan")
    equal(browser.js("return [...document.querySelectorAll('.rendered .unlinked')].map(each => [each.textContent, each.title])"),
          [[text, "not an artifact of this run"] for text in ("nothing", "up")], "links that lead nowhere")
    equal(browser.js("const alert = document.querySelector('.alert'); return [alert.className, alert.ariaLabel, alert.textContent.trim()]"),
          ["alert is-warning", "Warning", "Mind the gap."], "the alert")
    equal(browser.js("return [...document.querySelectorAll('.rendered summary')].map(each => each.textContent)"),
          ['More <b onclick="window.pwned = 1">bold</b>'], "the summary")
    check(browser.has(".rendered details p", "inside"), "the details are not there")
    check(browser.js("return document.querySelector('.rendered p br') !== null"), "no line break")
    equal(browser.js("return [...document.querySelectorAll('.task input')].map(each => each.checked)"), [True, False], "checkboxes")
    browser.size(360, 740)
    equal(browser.js("""const cell = document.querySelector("td"), range = document.createRange();
        range.selectNodeContents(cell); return range.getClientRects().length;"""), 1, "lines of one word in a table")
    browser.cdp("Emulation.clearDeviceMetricsOverride")
    browser.click(".footnote a")
    browser.wait(lambda: browser.js("return location.hash") == "#md-fn-1", "the footnote")
    browser.find(".footnotes li", "The note's text.")
    browser.select_text(".rendered .blocks > p", "and a note.")
    browser.click("button", "Add comment")
    place.comment("On the note")
    equal(place.annotations()[0]["anchor"]["selectedText"], "and a note[^n].", "a selection over a footnote")
    browser.click(".rendered a", "the plan")
    browser.wait_for(".rendered h2", "Second part")
    browser.wait(lambda: browser.js("const box = document.getElementById('md-second-part').getBoundingClientRect(); return box.top >= 0 && box.top < innerHeight"),
                 "the heading in view")
    check(browser.js("return location.pathname").endswith(plan), "the address")
    equal(browser.js("return window.pwned ?? null"), None, "what ran")


@case("cli-E-24 the heading of an address is in view, also when the page scrolls before its first frame; an address that names none opens")
def headings(place):
    doc, _ = place.artifact("long.md", "# First\n\n" + "text\n\n" * 60 + "## Last part\n\nhere\n")
    place.open(doc, ".rendered")
    browser = place.browser
    browser.wait_for(".rendered h2", "Last part")
    equal(browser.js("""const address = document.querySelector("script[type=module]").src.replace("arcade.js", "view.js");
        const { View } = await import(address), view = new View("x", { addressOf: () => null });
        document.querySelector(".content").replaceWith(view.element);
        scrollTo(0, 0);
        await view.showRendered("<p>text</p>".repeat(200) + "<h2 id=last>Last</h2>" + "<p>text</p>".repeat(200), "text");
        view.scrollToHeading("#la%73t");
        const { top } = document.getElementById("last").getBoundingClientRect(), place = scrollY;
        view.scrollToHeading("#nothing");
        view.scrollToHeading("#%E0%A4");
        return [top >= 0 && top < innerHeight / 2, scrollY === place];"""), [True, True], "where it scrolled")


DIAGRAMS = """# Diagrams

```mermaid
flowchart TD
  A["<img src=x onerror=window.pwned=1> start"] --> B
```

```mermaid
pie
  "a" : x
```

last
"""

# stands for mermaid's browser build: draws the text, and tries what a hostile one would
STUB = """var mermaid = {
    initialize(options) { this.level = options.securityLevel; },
    async render(id, text) {
        const tried = [];
        try { await fetch("OUTSIDE/fetch"); tried.push("fetched"); } catch { tried.push("no fetch"); }
        try { tried.push(parent.document.title); } catch { tried.push("no parent"); }
        try { tried.push(sessionStorage.length); } catch { tried.push("no storage"); }
        new Image().src = "OUTSIDE/image";
        parent.postMessage({ tried: [this.level, ...tried] }, "*");
        return { svg: `<svg viewBox="0 0 300 200" width="100%"><text x="5" y="20">drawn</text><script>window.pwned = 2</` + `script><image href="OUTSIDE/svg"/></svg>` };
    },
};"""


@case("cli-E-24 mermaid draws in a frame that can reach nothing; what comes back is a picture; without it the source stays")
def diagrams(place):
    doc, _ = place.artifact("diagrams.md", DIAGRAMS)
    browser, folder = place.browser, place.arcade.root / ".kedge" / "mermaid"
    place.open(doc, ".rendered")
    browser.find(".rendered p", "last")
    badges = "return [...document.querySelectorAll('.mermaid')].map(each => each.dataset.text.slice(0, 15))"
    equal(browser.js(badges), ["Mermaid: valid", "Mermaid: line 1"], "badges without mermaid")
    check(not browser.has("img.diagram"), "something was drawn")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        folder.mkdir(parents=True, mode=0o755)
        (folder / "mermaid.min.js").write_text(STUB.replace("OUTSIDE", f"http://127.0.0.1:{listener.getsockname()[1]}"))
        folder.chmod(0o777)
        browser.js("location.reload()")
        browser.find(".rendered p", "last")
        check(not browser.js("""return fetch("/api/v1/mermaid", {headers: {Authorization: "Bearer " + sessionStorage.getItem("arcade.token")}})
            .then(answer => answer.json()).then(answer => answer.available)"""), "what anybody may write is used")
        folder.chmod(0o755)
        browser.js("location.reload()")
        browser.find("img.diagram")
        picture = browser.js("""const picture = document.querySelector("img.diagram");
            return picture.decode().then(() => [picture.alt, picture.naturalWidth, picture.src.slice(0, 5)])""")
        equal(picture, ["Diagram: flowchart", 300, "blob:"], "the picture")
        tried = browser.js("""return new Promise(resolve => {
            addEventListener("message", ({data}) => data.tried && resolve(data.tried));
            document.querySelector("iframe.drawing").contentWindow.postMessage({id: 1000, text: "pie"}, "*"); })""")
        equal(tried, ["strict", "no fetch", "no parent", "no storage"], "what the frame can do")
        try:
            listener.accept()
            check(False, "a request left")
        except TimeoutError:
            pass
    equal(browser.js(badges), ["Mermaid: line 1"], "badges")
    browser.click(".source-of summary")
    browser.find(".source-of pre", "start")
    equal(browser.js("return window.pwned ?? null"), None, "what ran")
    browser.complaints()  # of the frame's policy, which did its work
    (folder / "mermaid.min.js").unlink()
    folder.rmdir()
