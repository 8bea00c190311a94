"""Checks that session files are whole, for tests in sh; says what is wrong and exits 1.

    whole.py [--answered] [--torn] FILE…

Whole: a version 3 header, then entries of one JSON line each with an id of 8 hex digits and the id of
an earlier entry as parent. --answered: and every tool call has its one result. --torn: the last
line may be cut, as kill -9 leaves it.
"""

import json
import re
import sys

TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def require(condition, problem):
    if not condition:
        sys.exit(problem)


def parse(name, line):
    try:
        return json.loads(line.decode("utf-8"))
    except ValueError as error:
        sys.exit(f"{name}: {error}: {line[:200]}")


def check(name, is_answered, is_torn):
    with open(name, "rb") as file:
        *lines, last = file.read().split(b"\n")
    require(is_torn or last == b"", f"{name}: the last line has no end: {last[:200]}")
    require(lines, f"{name}: empty")
    header, *entries = [parse(name, line) for line in lines]
    require(header["type"] == "session" and header["version"] == 3, f"{name}: header is {header}")
    seen, calls = {None}, []
    for entry in entries:
        require(re.fullmatch("[0-9a-f]{8}", entry["id"]), f"{name}: an id is {entry['id']}")
        require(entry["id"] not in seen, f"{name}: two entries are {entry['id']}")
        require(entry["parentId"] in seen, f"{name}: {entry['id']} has no parent")
        require(re.fullmatch(TIMESTAMP, entry["timestamp"]), f"{name}: a timestamp is {entry['timestamp']}")
        seen.add(entry["id"])
        message = entry.get("message", {})
        if message.get("role") == "assistant":
            calls += [block["id"] for block in message["content"] if block["type"] == "toolCall"]
        elif message.get("role") == "toolResult":
            require(message["toolCallId"] in calls, f"{name}: a result of no call, or a second one: {message}")
            calls.remove(message["toolCallId"])
    require(not (is_answered and calls), f"{name}: no result of {calls}")


def main():
    flags = {word for word in sys.argv[1:] if word.startswith("--")}
    for name in sys.argv[1:]:
        if name not in flags:
            check(name, "--answered" in flags, "--torn" in flags)


if __name__ == "__main__":
    main()
