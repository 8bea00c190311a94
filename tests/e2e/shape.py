"""Prints the shape of a request's conversation, whatever its wire: shape.py WIRE FILE

u a person's words, a the assistant's, a(2) with so many calls, r(2) so many results. What is of one
kind in a row is one, since some wires merge it; the system's words are left out.
"""

import json
import sys


def anthropic(body):
    for message in body["messages"]:
        kinds = [block["type"] for block in message["content"]]
        yield from parts(message["role"], kinds.count("tool_use"), kinds.count("tool_result"), len(kinds))


def chat(body):
    for message in body["messages"]:
        role = {"system": None, "developer": "user"}.get(message["role"], message["role"])
        if role:
            yield from parts(role, len(message.get("tool_calls") or []), role == "tool", 1)


def responses(body):
    begun = False
    for item in body["input"]:
        kind, role = item["type"] if "type" in item else "message", item.get("role")
        begun = begun or role != "developer"
        if kind == "message" and begun:
            yield from parts("assistant" if role == "assistant" else "user", 0, 0, 1)
        elif kind != "message":
            yield from parts("assistant" if kind == "reasoning" else "", kind == "function_call", kind == "function_call_output", 1)


def gemini(body):
    for content in body["contents"]:
        found = content["parts"]
        calls, results = (sum(key in part for part in found) for key in ("functionCall", "functionResponse"))
        yield from parts("assistant" if content["role"] == "model" else "user", calls, results, len(found))


def parts(role, calls, results, size):
    """(kind, how many) of one message."""
    if results:
        yield "r", int(results)
    if calls:
        yield "a", int(calls)
    elif role == "assistant":
        yield "a", 0
    elif role == "user" and results < size:
        yield "u", 0


def main():
    wire, path = sys.argv[1:]
    merged = []
    with open(path, encoding="utf-8") as file:
        for kind, count in globals()[wire](json.load(file)):
            if merged and merged[-1][0] == kind:
                merged[-1][1] += count
            else:
                merged.append([kind, count])
    print(" ".join(kind + (f"({count})" if count else "") for kind, count in merged))


if __name__ == "__main__":
    main()
