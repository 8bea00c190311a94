"""Cases of test_arcade.py about what Markdown may hold: footnotes, alerts, details, links between artifacts."""
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
