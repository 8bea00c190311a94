#!/usr/bin/env python3
"""What vim makes of the texts and keys of tests/data/vim.tsv, which test-vim wants of the vim keys: asked of vim itself.

Skipped without a vim that has its scripts. With UPDATE=1 the wants are written anew.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).parent.parent / "data/vim.tsv"
ESCAPES = {"n": "\n", "r": "\r", "e": "\x1b", "\\": "\\", "R": "\x12"}
SECONDS = 60
AT_ONCE = 16  # vim sleeps after some keys, so several are asked


def unescape(text):
    parts = iter(text)
    return "".join(ESCAPES[next(parts)] if part == "\\" else part for part in parts)


def escape(text):
    for name, byte in sorted(ESCAPES.items(), key=lambda item: item[0] != "\\"):
        text = text.replace(byte, "\\" + name)
    return text


def quoted(text):
    """A string of a script of vim."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\x1b", "\\<Esc>").replace("\r", "\\<CR>").replace("\x12", "\\<C-r>") + '"'


def script_of(text, keys, out):
    before, after = text.split("|")
    lines = ",".join(map(quoted, (before + after).split("\n")))
    return [
        "enew!",
        "for r in split('\"abcdefghijklmnopqrstuvwxyz0123456789-', '\\zs') | call setreg(r, []) | endfor",
        "set ul=-1",  # what is there is no change
        f"call setline(1, [{lines}])",
        "set ul=1000",
        f"call cursor({before.count(chr(10)) + 1}, {len(before.split(chr(10))[-1].encode()) + 1})",
        f'call feedkeys({quoted(keys)}, "xt")',
        "let at = getcurpos() | let all = getline(1, '$')",
        "let all[at[1] - 1] = strpart(all[at[1] - 1], 0, at[2] - 1) .. '|' .. strpart(all[at[1] - 1], at[2] - 1)",
        f"call writefile([join(all, '\\n')], '{out}', 'a')",
    ]


def ask_vim(cases):
    with tempfile.TemporaryDirectory() as folder:
        script, out = pathlib.Path(folder, "ask.vim"), pathlib.Path(folder, "out")
        lines = ["set encoding=utf-8 nocompatible cpoptions&vim startofline sw=2 et nojoinspaces timeoutlen=0 ttimeoutlen=0 belloff=all"]
        for text, keys, _ in cases:
            lines += script_of(text, keys, out)
        script.write_text("\n".join([*lines, "qa!", ""]), encoding="utf-8")
        argv = ["vim", "-u", "NONE", "-N", "-i", "NONE", "-n", "-es", "-S", str(script)]
        env = {**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        subprocess.run(argv, stdin=subprocess.DEVNULL, env=env, timeout=SECONDS, check=False)
        return [line.replace("\\n", "\n") for line in out.read_text(encoding="utf-8").split("\n")[:-1]]


def main():
    has_vim = shutil.which("vim") and "+eval" in subprocess.run(["vim", "--version"], capture_output=True, text=True, check=False).stdout
    if not has_vim:
        print("1..0 # SKIP there is no vim with its scripts")
        return 0
    cases = [tuple(map(unescape, line.split("\t"))) for line in DATA.read_text(encoding="utf-8").splitlines()]
    share = len(cases) // AT_ONCE + 1
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        answers = sum(pool.map(ask_vim, (cases[at : at + share] for at in range(0, len(cases), share))), [])
    wrong = [(case, answer) for case, answer in zip(cases, answers) if case[2] != answer]
    for (text, keys, want), answer in wrong:
        print(f"# {escape(text)} {escape(keys)}: {escape(want)} is wanted, vim says {escape(answer)}")
    if os.environ.get("UPDATE"):
        rows = ["\t".join(map(escape, (text, keys, answer))) for (text, keys, _), answer in zip(cases, answers)]
        DATA.write_text("\n".join(rows) + "\n", encoding="utf-8")
    is_good = len(answers) == len(cases) and not wrong
    print(f"1..1\n{'' if is_good else 'not '}ok 1 vim says the same of {len(answers)} of {len(cases)} rows")
    return not is_good


if __name__ == "__main__":
    sys.exit(main())
