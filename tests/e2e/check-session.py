#!/usr/bin/env python3
"""Says what is wrong with a session file; nothing when it is whole.

    check-session.py FILE

Whole: every line is a JSON object and ends with a newline; the first is the header; every entry's parent came
before it; every tool call has exactly one result.
"""

import json
import sys


def problems(text):
    if not text.endswith("\n"):
        yield "the last line has no end"
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            entries.append(json.loads(line))
        except ValueError as error:
            yield f"line {number}: {error}"
    if not entries or entries[0].get("type") != "session":
        yield "no header"
    seen, calls, results = set(), [], []
    for entry in entries[1:]:
        if entry.get("parentId") is not None and entry["parentId"] not in seen:
            yield f"entry {entry.get('id')}: its parent {entry['parentId']} is not there"
        seen.add(entry.get("id"))
        message = entry.get("message") or {}
        if message.get("role") == "toolResult":
            results.append(message["toolCallId"])
        if message.get("role") == "assistant":
            calls += [block["id"] for block in message["content"] if block["type"] == "toolCall"]
    if sorted(calls) != sorted(results):
        yield f"calls {calls}, results {results}"


def main():
    try:
        with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
            found = list(problems(file.read()))
    except (OSError, ValueError) as error:
        found = [str(error)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
