#!/usr/bin/env python3
"""Screens of the drawn conversation in golden/, at four widths; UPDATE=1 writes them anew.

Environment: KEDGE, the binary. Needs tmux; says so and skips without one.
"""
import os
import pathlib
import re
import shutil
import sys
import time
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rpc"))
from client import COMMENT, WAIT, RpcTest  # noqa: E402
from tmux_screen import HAS_TMUX, TmuxScreen  # noqa: E402

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
WIDTHS = (40, 60, 80, 200)
HEIGHT = 80  # nothing scrolls
MARKDOWN = """# Tides of the harbour

The *tide* turns **twice** a day; see `tide.c` and [the table](https://example.org/tides), which is long enough to be wrapped in most windows.

| Harbour | High water | Remark |
|---|--:|---|
| Brest | 6.1 m | the pilots wait here for the flood, and then go in together |
| Kiel | 0.2 m | - |

```c
int main(void)
{
    return tide("Brest"); // metres
}
```

1. First the flood
   - and a nested item that goes on for a while, so that it is wrapped and indented
2. Then the ebb

> Time and tide wait for no one, which has been said by many people for a long time.

---

- [x] done
- [ ] open
"""
EDIT = {"name": "edit", "arguments": {"path": "tide.c", "edits": [{"old_text": "return 1;", "new_text": "return 2;"}]}}

# what differs from day to day
CHANGES = (
    (r"kedge v[0-9]\S* ─*", "kedge v0 ─"),
    (r"(just now|\d+[smh] ago) *", "some time ago "),
    (r"\b\d+(\.\d+)? ?(ms|s)\b", "0 s"),
    (r"[⠀-⣿]", "⠋"),
    (r"(to interrupt\)) 0 s", r"\1"),
)


@unittest.skipUnless(HAS_TMUX, "tmux is not installed")
class Golden(RpcTest):
    maxDiff = None

    def open(self, **options):
        environment = {**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        screen = TmuxScreen(self.root, env=environment, **options)
        self.addCleanup(screen.close)
        screen.wait_for("kedge │ claude")
        return screen

    def stable(self, screen):
        text = "\n".join(screen.screen()).rstrip("\n") + "\n"
        for what, stands_for in CHANGES:
            text = re.sub(what, stands_for, text)
        return text

    def compare(self, name, screen):
        path, is_update = GOLDEN / f"{name}.txt", bool(os.environ.get("UPDATE"))
        wanted = None if is_update else path.read_text(encoding="utf-8")
        end = time.monotonic() + WAIT
        before, text = None, self.stable(screen)
        # until it stands still, as it should where that is known: what comes late still comes
        while (text != before or wanted not in (None, text)) and time.monotonic() < end:
            time.sleep(0.2)
            before, text = text, self.stable(screen)
        if is_update:
            GOLDEN.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.assertEqual(text, path.read_text(encoding="utf-8"), path.name)

    def at_each_width(self, name, reach, *turns):
        for width in WIDTHS:
            with self.subTest(width=width):
                if turns:
                    shutil.rmtree(os.path.join(self.root, ".kedge/agent/sessions"), ignore_errors=True)
                    self.script(*turns)
                os.makedirs(os.path.join(self.root, "w"), exist_ok=True)
                with open(os.path.join(self.root, "w/tide.c"), "w", encoding="utf-8") as file:
                    file.write("int tide(void)\n{\n    return 1;\n}\n")
                screen = self.open(width=width, height=HEIGHT)
                reach(screen)
                self.compare(f"{name}-{width}", screen)
                self.assertTrue(all(len(row) <= width for row in screen.screen()))
                screen.close()

    def test_welcome(self):
        self.at_each_width("welcome", lambda screen: None)

    def test_markdown(self):
        def reach(screen):
            screen.line("go")
            screen.wait_for("open")
            screen.wait_gone("esc to interrupt")

        self.at_each_width("markdown", reach, {"text": MARKDOWN})

    def test_tool(self):
        def reach(screen):
            screen.line("go")
            screen.wait_for("Done.")
            screen.wait_gone("esc to interrupt")

        self.settings("edit:\n  mode: replace\n")
        turns = ({"tool_calls": [{"name": "read", "arguments": {"path": "tide.c"}}]}, {"tool_calls": [EDIT]}, {"text": "Done."})
        self.at_each_width("tool", reach, *turns)

    def test_question(self):
        def reach(screen):
            screen.line("go")
            screen.wait_for("[y] once")

        self.add_gh()
        self.at_each_width("question", reach, {"tool_calls": [COMMENT]})

    def test_sessions(self):
        self.script({"text": "An answer."}, {"text": "An answer."})
        for text in ("The first session", "The second one, with a name that is long enough to be cut in a narrow window"):
            screen = self.open()
            screen.line(text)
            screen.wait_for("An answer.")
            screen.close()

        def reach(screen):
            screen.wait_for("Recent sessions")
            screen.line("/resume")
            screen.wait_for("1/2")

        self.at_each_width("sessions", reach)

    def test_viewer(self):
        def reach(screen):
            screen.line("go")
            screen.wait_for("open")
            screen.wait_gone("esc to interrupt")
            screen.keys("C-o")
            screen.wait_for("message ")

        self.at_each_width("viewer", reach, {"text": MARKDOWN})


if __name__ == "__main__":
    unittest.main(verbosity=2)
