#!/usr/bin/env python3
"""How long Arcade's page takes to show a large artifact, as JSON: {"source_ms": …, "rendered_ms": …}.

    tests/browser/measure.py --kedge build/kedge [--megabytes 2] [--rounds 3]

From the start of the navigation to the frame in which the content is painted, in headless Chromium; the median of the rounds.
`measure()` is for other scripts.
"""
import argparse
import json
import statistics
import sys

sys.dont_write_bytecode = not sys.pycache_prefix
from arcade import Arcade  # noqa: E402
from webdriver import Browser, Driver, missing  # noqa: E402

MARKDOWN = """## Section {0}

The *harbour* of section {0} has `{0}` moorings, see [the chart](https://tidepool.example/{0}) and **not** the map.

- first of {0}
- second, with `code` and a longer text that goes on for a while, as texts do

| Need | Use |
|------|-----|
| rope | {0} |

```c
int moorings_{0}(void) {{ return {0}; }}
```

"""
SOURCE = "    if (moorings[{0}] != NULL && tide_is_high(harbour, {0})) // line {0}\n"

# resolves when the content is painted: times of a page count from the start of its navigation
SHOWN = """const [selector, done] = arguments;
const look = () => document.querySelector(selector) ? requestAnimationFrame(() => setTimeout(() => done(performance.now()))) : setTimeout(look, 4);
look();"""


def large(piece, size):
    """The piece with its number, so often that it has `size` bytes."""
    pieces, length, number = [], 0, 0
    while length < size:
        pieces.append(piece.format(number))
        length += len(pieces[-1])
        number += 1
    return "".join(pieces)


def measure(kedge, megabytes=2, rounds=3):
    """{"source_ms", "rendered_ms"}; None where there is no browser."""
    if missing():
        return None
    size = int(megabytes * 1024 * 1024)
    arcade, driver = Arcade(kedge), None
    try:
        arcade.start()
        driver = Driver()
        browser = Browser(driver)
        browser.call("POST", "/timeouts", {"script": 120000})
        arcade.status("R", "requirements", "running")
        pages = {"source_ms": (arcade.artifact("R", "large.c", large(SOURCE, size)), ".source .line"),
                 "rendered_ms": (arcade.artifact("R", "large.md", large(MARKDOWN, size)), ".rendered h2")}
        browser.open(arcade.page())  # so that the program's own files are in the browser's cache, as they are for a person
        figures = {}
        for name, (doc, shown) in pages.items():
            times = []
            for _ in range(rounds):
                browser.open("about:blank")
                browser.open(arcade.page(f"/runs/R/artifact/{doc}"))
                times.append(browser.call("POST", "/execute/async", {"script": SHOWN, "args": [shown]}))
            figures[name] = round(statistics.median(times))
        browser.end()
        return figures
    finally:
        if driver:
            driver.end()
        arcade.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kedge", required=True)
    parser.add_argument("--megabytes", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if missing():
        sys.exit(missing())
    print(json.dumps(measure(options.kedge, options.megabytes, options.rounds)))


if __name__ == "__main__":
    main()
