"""One server-sent event, and a turn's content as both wires see it."""

import dataclasses
import json


@dataclasses.dataclass
class Event:
    name: str | None  # the "event:" line; OpenAI has none
    data: str
    is_closing: bool = False  # says that the answer is complete; see "truncate_before_stop"

    def encode(self, newline="\n"):
        lines = [f"event: {self.name}"] if self.name else []
        lines += [f"data: {line}" for line in self.data.split("\n")]
        return (newline.join(lines) + newline * 2).encode("utf-8", "surrogatepass")


def compact(value):
    """JSON as the vendors send it: one line, characters outside ASCII as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pieces(text, size):
    """`text` in parts of `size` characters; 0: in one."""
    if not size:
        return [text] if text else []
    return [text[i : i + size] for i in range(0, len(text), size)]


def texts(turn):
    """The text blocks of a turn."""
    text = turn.get("text", [])
    return [text] if isinstance(text, str) else text


def calls(turn, prefix, n):
    """(id, name, arguments as JSON text) of each tool call of a turn; ids count from 1."""
    for i, call in enumerate(turn.get("tool_calls", []), 1):
        arguments = call.get("arguments_raw")
        if arguments is None:
            arguments = compact(call.get("arguments", {}))
        yield call.get("id", f"{prefix}_{n}_{i}"), call["name"], arguments


def usage(turn):
    """The four buckets of a turn's usage, or None when the server is to send none."""
    if "usage" in turn and turn["usage"] is None:
        return None
    return {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0} | turn.get("usage", {})


def content_text(content):
    """The text of a message's content: a string, or a list of blocks of either wire."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str))
