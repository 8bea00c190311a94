"""Cases of test_arcade.py about editing: Save, Suggest, what happens when the file changed meanwhile."""
from place import case, check, equal
from webdriver import CONTROL


def set_editor(browser, text):
    """Replaces what is in the editor as if it were typed."""
    browser.find(".editing .yours textarea")
    browser.js("""const box = document.querySelector(".editing .yours textarea"); box.focus(); box.select();
        document.execCommand("insertText", false, arguments[0]);""", text)


@case("Edit and Save; the agent sees the patch; accepted, it is shown as such")
def save(place):
    doc, path = place.artifact("design.md", "# A\n\nmay run\n")
    place.open(doc, ".rendered")
    browser = place.browser
    browser.click("button", "Edit")
    browser.press(CONTROL, "s")
    browser.wait_for(".problem", "Nothing has changed.")
    set_editor(browser, "# A\n\nmust run\n")
    browser.click("button", "Save")
    browser.wait_for(".rendered p", "must run")
    equal(path.read_text(), "# A\n\nmust run\n", "the file")
    browser.wait_for(".edit", "Saved change")
    edits = place.arcade.read(place.run)["edits"]
    equal([(each["mode"], "+must run" in each["patch"]) for each in edits], [("direct", True)], "what the agent reads")
    place.arcade.tool("feedback", "accept-edit", fields={"runId": place.run, "docId": doc})
    browser.wait_for(".edit .badge", "accepted")
    check(browser.has(".edit .diff .added", "+must run"), "the difference is not shown any more")


@case("Edit opens at the top, with the caret at the beginning, from wherever one was")
def opens_at_the_top(place):
    doc, _ = place.artifact("long.md", "# First line\n\n" + "".join(f"paragraph {number}\n\n" for number in range(300)))
    place.open(doc, ".rendered")
    browser = place.browser
    browser.js("scrollTo(0, document.documentElement.scrollHeight)")
    check(browser.js("return scrollY") > 1000, "the page is not long")
    browser.click("button", "Edit")
    browser.find(".editing .yours textarea")
    where = """const box = document.querySelector(".editing .yours textarea"), place = box.getBoundingClientRect();
        return [box.scrollTop, box.selectionStart, box.selectionEnd, document.activeElement === box, place.top >= 0 && place.top < innerHeight];"""
    equal(browser.js(where), [0, 0, 0, True, True], "scrolled by, caret, focus, the box's top is in view")
    browser.press("x")
    equal(browser.js("return document.activeElement.value.split('\\n')[0]"), "x# First line", "where typing goes")


@case("Suggest: nothing is written; withdraw; a suggestion that is accepted")
def suggest(place):
    doc, path = place.artifact("design.md", "# A\n\nmay run\n")
    place.open(doc, ".rendered")
    browser = place.browser
    for text, end in (("might run", "withdrawn"), ("must run", "accepted")):
        browser.click("button", "Edit")
        set_editor(browser, f"# A\n\n{text}\n")
        browser.click("button", "Suggest")
        browser.wait_for(".edit .diff .added", f"+{text}")
        browser.wait_for(".edit .badge", "pending")
        equal(path.read_text(), "# A\n\nmay run\n", "the file")
        if end == "withdrawn":
            browser.click("button", "Withdraw")
            browser.wait_gone(".edit .badge", "pending")
            equal(place.arcade.read(place.run)["edits"], [], "what the agent reads")
        else:
            place.arcade.tool("feedback", "accept-edit", fields={"runId": place.run, "docId": doc})
            browser.wait_for(".edit .badge", "accepted")
            browser.wait_for(".rendered p", "must run")
            equal(path.read_text(), "# A\n\nmust run\n", "the file")


@case("cli-E-21 a file that changed in the same lines meanwhile: both versions, Keep mine, Take theirs, nothing is lost")
def conflict(place):
    doc, path = place.artifact("design.md", "# A\n\nbase\n")
    place.open(doc, ".rendered")
    browser = place.browser
    versions = lambda: [browser.js("return document.querySelector(arguments[0])?.value", selector)  # noqa: E731
                        for selector in (".yours textarea", ".theirs textarea")]
    for choice in ("Take theirs", "Keep mine"):
        path.write_text("# A\n\nbase\n")
        browser.wait_for(".rendered p", "base")
        browser.click("button", "Edit")
        set_editor(browser, "# A\n\nmine\n")
        path.write_text("# A\n\ntheirs\n")
        browser.wait_for(".notice", "The file has changed on disk.")
        browser.click("button", "Save")
        browser.wait_for(".problem", "in line 3, which you changed, too")
        equal(versions(), ["# A\n\nmine\n", "# A\n\ntheirs\n"], "both versions")
        equal(path.read_text(), "# A\n\ntheirs\n", "the file")
        browser.click("button", choice)
        if choice == "Take theirs":
            equal(versions()[0], "# A\n\ntheirs\n", "the editor")
            browser.click("summary", "Your version")
            equal(browser.js("return document.querySelector('.mine textarea').value"), "# A\n\nmine\n", "what was given up")
            browser.click(".mine button", "Throw away")
            browser.click("button", "Close")
            browser.wait_for(".rendered p", "theirs")
        else:
            browser.click("button", "Save")
            browser.wait_for(".rendered p", "mine")
            equal(path.read_text(), "# A\n\nmine\n", "the file")


@case("cli-E-20, cli-E-21 changes of other lines are merged on Save and on Accept; a conflict names its lines")
def merged(place):
    base = "".join(f"line {number}\n" for number in range(1, 9))
    doc, path = place.artifact("notes.txt", base)
    place.open(doc, ".source .line")
    browser = place.browser
    browser.click("button", "Edit")
    set_editor(browser, base.replace("line 2", "mine"))
    path.write_text(base.replace("line 7", "theirs"))
    browser.wait_for(".notice", "The file has changed on disk.")
    browser.click("button", "Save")
    browser.wait_for(".notice", "line 7 came from elsewhere")
    equal(path.read_text(), base.replace("line 2", "mine").replace("line 7", "theirs"), "the file")
    browser.wait_for(".source .line", "theirs")

    for file, want in (("theirs again", None), ("the same line", "(lines 2)")):
        path.write_text(base)
        browser.wait_for(".source .line", "line 7")
        browser.wait_for(".source .line", "line 2")
        browser.click("button", "Edit")
        set_editor(browser, base.replace("line 2", "suggested"))
        after = base.replace("line 2" if want else "line 7", file)
        path.write_text(after)
        browser.wait_for(".notice", "The file has changed on disk.")
        browser.click("button", "Suggest")
        browser.wait_for(".edit .diff .added", "+suggested")
        check(not browser.has(".edit .diff .removed", file), "the suggestion takes back what was written meanwhile")
        browser.click("button", "Accept")
        if want:
            browser.wait_for(".notice", want)
            equal(path.read_text(), after, "the file")
        else:
            browser.wait_for(".source .line", "suggested")
            equal(path.read_text(), after.replace("line 2", "suggested"), "the file")


NO_ARTIFACT_EVENTS = """const before = window.fetch;
window.fetch = async (...args) => {
    const response = await before(...args);
    if (!String(args[0]).includes("/stream"))
        return response;
    const filter = new TransformStream({ transform(chunk, out) {
        const kept = new TextDecoder().decode(chunk).split("\\n\\n").filter(each => !each.includes("event: artifact"));
        out.enqueue(new TextEncoder().encode(kept.join("\\n\\n")));
    } });
    return new Response(response.body.pipeThrough(filter), { status: response.status, headers: response.headers });
};"""


@case("who edits is told of a change on disk that another answer showed before the feed's event")
def changed_before_its_event(place):
    doc, path = place.artifact("notes.txt", "base\n")
    browser = place.browser
    script = browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=NO_ARTIFACT_EVENTS)["identifier"]
    place.open(doc, ".source .line")
    browser.click("button", "Edit")
    set_editor(browser, "base\nmine\n")
    path.write_text("theirs\nbase\n")
    place.arcade.kill()
    browser.wait_for("#banner", "Reconnecting…")
    place.arcade.start()
    browser.wait_for(".notice", "The file has changed on disk.")
    browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


@case("what was typed outlives Close, a reload, and a change on disk")
def typed(place):
    doc, path = place.artifact("notes.txt", "base\n")
    place.open(doc, ".source")
    browser = place.browser
    browser.click("button", "Edit")
    set_editor(browser, "mine\n")
    browser.click("button", "Close")
    browser.wait_for(".source .line", "base")
    path.write_text("theirs\n")
    browser.wait_for(".source .line", "theirs")
    browser.js("location.reload()")
    browser.click("button", "Continue editing")
    browser.wait_for(".problem", "The file has changed on disk since")
    equal(browser.js("return document.querySelector('.yours textarea').value"), "mine\n", "what was typed")
    browser.click("button", "Save")
    browser.wait_for(".theirs textarea")
    equal(path.read_text(), "theirs\n", "the file")
    browser.click("button", "Discard changes")
    browser.click("button", "Discard for good?")
    browser.wait_for(".source .line", "theirs")
    check(browser.has("button", "Edit"), "there is something to continue")


@case("cli-E-07 line ends, a missing last one and the byte-order mark are kept")
def bytes_kept(place):
    files = [("crlf.txt", b"one\r\ntwo\r\n", "one\nTWO\n", b"one\r\nTWO\r\n"), ("open.txt", b"one\ntwo", "ONE\ntwo", b"ONE\ntwo"),
             ("bom.txt", b"\xef\xbb\xbfone\r\ntwo", "one 😀\ntwo", "\ufeffone 😀\r\ntwo".encode())]
    for name, before, typed_text, after in files:
        doc, path = place.artifact(name, before)
        place.open(doc, ".source .line")
        place.browser.click("button", "Edit")
        set_editor(place.browser, typed_text)
        place.browser.click("button", "Save")
        place.browser.wait_for(".edit", "Saved change")
        equal(path.read_bytes(), after, name)
