"""Cases of test_arcade.py about threads: where they stand, what stays, what is said of them, keys alone."""
from place import case, check, equal
from webdriver import CONTROL, DOWN, ENTER, SHIFT, TAB

LINES = "".join(f"This is line {number} of the text.\n\n" for number in range(1, 31))


def line_anchor(text, number):
    return {"type": "line", "lineNumber": number, "lineContent": text.split("\n")[number - 1]}


@case("cli-E-22 a thread with focus or a draft stays, whatever happens to it elsewhere; the draft outlives it")
def held(place):
    doc, _ = place.artifact("design.md", LINES)
    place.open(doc, ".rendered")
    browser = place.browser
    annotation = place.annotate(doc, line_anchor(LINES, 3), "Why?")
    browser.click(".where", "Line 3")
    browser.type(".actions textarea", "half a re")
    place.arcade.tool("feedback", "resolve", fields={"runId": place.run, "annotationId": annotation})
    browser.wait_for(".thread .note", "Resolved by agent.")
    equal(browser.js("return document.activeElement.value"), "half a re", "what is being typed")
    browser.press("p")
    equal(browser.js("return document.querySelector('.actions textarea').value"), "half a rep", "the caret")
    equal(browser.js("return document.querySelector('.thread').closest('details').querySelector('summary').textContent"), "Open (0)", "the group")
    place.arcade.kill()
    place.arcade.start()
    browser.wait_gone("#banner")
    equal(browser.js("return document.querySelector('.actions textarea').value"), "half a rep", "after the server's restart")
    browser.js("""return fetch("/api/v1/annotations/" + arguments[0], {method: "DELETE", headers: {
        "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem("arcade.token")}}).then(answer => answer.status)""", annotation)
    browser.wait_for(".thread .note", "Deleted elsewhere. Your draft is kept.")
    equal(browser.js("return document.querySelector('.actions textarea').value"), "half a rep", "after it was deleted")
    browser.js("location.reload()")
    browser.wait_for(".unsent .said", "half a rep")
    browser.click(".unsent button", "Send as a new comment")
    place.comment("ly")
    equal([(each["content"], each["line"]) for each in place.annotations()], [("half a reply", 3)], "sent as a new comment")
    check(not browser.has(".unsent"), "the draft is still there")


@case("cli-E-23 cards stand in the order of the document; card and words lead to each other")
def order(place):
    doc, _ = place.artifact("design.md", LINES)
    place.open(doc, ".rendered")
    browser = place.browser
    for number in (55, 31, 5):
        place.annotate(doc, line_anchor(LINES, number), f"On {number}.")
    start = LINES.index("line 20")
    place.annotate(doc, {"type": "text-selection", "startOffset": start, "endOffset": start + 7, "selectedText": "line 20",
                         "contextBefore": LINES[start - 64:start], "contextAfter": LINES[start + 7:start + 71]}, "Words.")
    place.annotate(doc, None, "General.")
    browser.wait(lambda: browser.js("return [...document.querySelectorAll('.thread .where')].map(each => each.textContent)") ==
                 ["Whole file", "Line 5", "Line 31", "Line 39", "Line 55"], "the order of the document")
    words = """const range = [...CSS.highlights.get("comment-open")].find(each => each.toString() === "line 20");
        if (!range) return null;
        const box = range.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2, innerHeight];"""
    check(browser.js(words), "the words are not highlighted")
    browser.click(".thread .said", "Words.")
    browser.wait_for(".thread .actions")
    browser.wait(lambda: 0 < browser.js(words)[1] < browser.js(words)[2], "the words in view")
    browser.click(".where", "Line 39")  # folds it
    browser.wait_gone(".thread .actions")
    x, y, _ = browser.js(words)
    browser.js("document.elementFromPoint(...arguments).dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: arguments[0], clientY: arguments[1]}))",
               x, y)
    browser.wait_for(".thread .actions")
    equal(browser.js("return document.activeElement.textContent"), "Line 39", "the thread that the words open")
    equal(browser.js("return getComputedStyle(document.querySelector('.bar')).position"), "sticky", "the toolbar")


@case("highlights: lists, tables, code and emphasis, in Source and rendered")
def highlighted(place):
    text = "# A *b* c\n\n1. one `two` three\n   - four [five](x.md) six\n\n| a | seven eight |\n|---|---|\n| nine | ten |\n\n```c\nint x;\nint y;\n```\n"
    doc, _ = place.artifact("design.md", text)
    place.open(doc, ".rendered")
    browser = place.browser
    for words, shown in (("*b* c", "b c"), ("`two` three", "two three"), ("five](x.md) six", "five six"), ("seven eight", "seven eight"), ("int y;", "int y;")):
        start = text.index(words)
        place.annotate(doc, {"type": "text-selection", "startOffset": start, "endOffset": start + len(words), "selectedText": words,
                             "contextBefore": text[max(0, start - 64):start], "contextAfter": text[start + len(words):][:64]}, shown)
    ranges = """return [...CSS.highlights.get("comment-open")].map(each => each.toString()).sort()"""
    browser.wait(lambda: browser.js(ranges) == sorted(["b c", "two three", "five six", "seven eight", "int y;"]), "the words, rendered")
    place.show_source()
    browser.wait(lambda: browser.js(ranges) == sorted(["*b* c", "`two` three", "five](x.md) six", "seven eight", "int y;"]), "the words in Source")


def tab_to(browser, ready):
    for _ in range(80):
        if browser.js(ready):
            return
        browser.press(TAB)
    check(browser.js(ready), f"Tab does not reach {ready}")


def type_keys(browser, text):
    for key in text:
        browser.press(key)


@case("cli-E-25 with keys alone: several lines, several blocks, edit a comment, accept a suggestion, answer the run")
def keys(place):
    text = "one\n\ntwo\n\nthree\n\nfour\n"
    doc, path = place.artifact("design.md", text)
    browser = place.browser
    place.open(doc, ".rendered")
    browser.js("document.activeElement.blur()")
    tab_to(browser, "return document.activeElement.classList.contains('rendered')")
    browser.press(DOWN)
    browser.press(SHIFT, DOWN)
    check("1 to 2 marked" in browser.js("return document.getElementById('live').textContent"), "what is marked is not announced")
    browser.press("c")
    browser.wait_for(".thread.new textarea")
    type_keys(browser, "Blocks")
    browser.press(CONTROL, ENTER)
    browser.wait_for(".thread .said", "Blocks")
    place.show_source()
    browser.js("document.activeElement.blur()")
    tab_to(browser, "return document.activeElement.className === 'source'")
    for _ in range(2):  # from the line of the block where the cursor was
        browser.press(SHIFT, DOWN)
    browser.press("c")
    browser.wait_for(".thread.new textarea")
    type_keys(browser, "Lines")
    browser.press(CONTROL, ENTER)
    browser.wait_for(".thread .said", "Lines")
    anchors = {each["content"]: each["anchor"] for each in place.annotations()}
    equal([(anchors[name]["startOffset"], anchors[name]["selectedText"]) for name in ("Blocks", "Lines")],
          [(0, "one\n\ntwo"), (5, "two\n\nthree")], "anchors")

    tab_to(browser, "return document.activeElement.matches('.where') && document.activeElement.textContent === 'Line 3'")
    browser.press(ENTER)
    tab_to(browser, "return document.activeElement.ariaLabel === 'Edit comment' && document.activeElement.tagName === 'BUTTON'")
    browser.press(ENTER)
    browser.wait_for(".said, textarea[aria-label='Edit comment']")
    browser.press(CONTROL, "a")
    type_keys(browser, "Better")
    browser.press(CONTROL, ENTER)
    browser.wait_for(".thread .said", "Better")
    browser.wait_for(".thread .facts", "edited")

    browser.js("""return fetch(`/api/v1/artifacts/${arguments[0]}/suggestions`, {method: "POST", headers: {
        "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem("arcade.token")},
        body: JSON.stringify({base: arguments[1], content: arguments[2], runId: arguments[3]})}).then(answer => answer.status)""",
               doc, text, text.replace("four", "FOUR"), place.run)
    browser.wait_for(".edit button", "Accept")
    tab_to(browser, "return document.activeElement.textContent === 'Accept'")
    browser.press(ENTER)
    browser.wait_for(".source .line", "FOUR")
    equal(path.read_text(), text.replace("four", "FOUR"), "the file")

    event = place.arcade.emit(place.run, "waiting_for_user", "requirements", prompt="Go on?")["eventId"]
    browser.wait_for(".waiting .said", "Go on?")
    tab_to(browser, "return document.activeElement.ariaLabel === 'Answer'")
    type_keys(browser, "Yes")
    browser.press(CONTROL, ENTER)
    browser.wait_for(".waiting .facts", "Answered, the agent has not gone on yet.")
    found = {each["content"]: each for each in place.annotations()}
    equal(sorted(found), ["Better", "Blocks", "Yes"], "what the agent reads")
    equal(found["Yes"]["answerTo"], event, "answerTo")
    waiting = place.arcade.tool("emit", "get-run", fields={"runId": place.run})["waiting"]
    equal((waiting["eventId"], waiting["answer"]["content"]), (event, "Yes"), "get-run")


@case("cli-E-26 the live region says what happened and where, once")
def said(place):
    doc, path = place.artifact("design.md", LINES)
    place.open(doc, ".rendered")
    browser = place.browser
    annotation = place.annotate(doc, line_anchor(LINES, 5), "Why?")
    browser.wait_for(".thread .said", "Why?")
    browser.js("""window.said = []; new MutationObserver(() => window.said.push(document.getElementById("live").textContent))
        .observe(document.getElementById("live"), {childList: true})""")
    def wait_for(sentence):
        browser.wait(lambda: any(sentence in each for each in browser.js("return window.said")), sentence)
    place.arcade.reply(place.run, annotation, "Because.")
    wait_for("Agent replied to your comment on line 5 of design.md")
    path.write_text(LINES + "more\n")
    wait_for("design.md changed on disk")
    place.arcade.status(place.run, "design", "running")
    name = place.run.replace("run-", "Case ")
    wait_for(f"Run {name} moved to design")
    everything = " ".join(browser.js("return window.said"))
    for sentence in ("Agent replied", "changed on disk", "moved to design"):
        equal(everything.count(sentence), 1, sentence)
    nodes = [node for node in browser.cdp("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    live = [node for node in nodes if any(each["name"] == "live" and each["value"].get("value") == "polite" for each in node.get("properties", []))]
    check(live, "a screen reader sees no live region")
