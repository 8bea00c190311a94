"""Prints one value of a JSON document, or of JSON lines, for tests in sh.

    pick.py PATH [FILE]        PATH such as 0.body.messages.-1.role; "" is all of it

JSON lines are a list, so `-1.type` is of the last line. A string is printed as it is, anything
else as compact JSON with its keys in order. `NAME[KEY=VALUE]` picks the first item of a list
whose KEY prints as VALUE: `[type=agent_end].messages`. Nothing there: exit 1.
"""

import json
import re
import sys


def load(text):
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]


def show(value):
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def steps(path):
    """`a.b[k=v].c` as ["a", "b", ("k", "v"), "c"]; a value may hold dots, no bracket."""
    for name, key, value in re.findall(r"([^.\[\]]+)|\[([^=\]]+)=([^\]]*)\]", path):
        yield name or (key, value)


def find(value, path):
    for step in steps(path):
        if isinstance(step, tuple):
            value = next(item for item in value if step[0] in item and show(item[step[0]]) == step[1])
        elif step == "#":
            value = len(value)
        else:
            value = value[int(step) if isinstance(value, list) else step]
    return value


def main():
    path, *files = sys.argv[1:]
    with open(files[0] if files else 0, encoding="utf-8") as file:
        value = load(file.read())
    try:
        print(show(find(value, path)))
    except (LookupError, StopIteration, TypeError, ValueError):
        sys.exit(f"nothing at {path}")


if __name__ == "__main__":
    main()
