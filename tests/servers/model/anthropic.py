"""The Anthropic Messages wire: POST /v1/messages."""

import json
import re

from .content import image_problem
from .sse import Event, calls, compact, content_text, pieces, texts, usage

NAME = "anthropic"
PATHS = ("/v1/messages",)
MESSAGES = "messages"
STOP = {"stop": "end_turn", "length": "max_tokens", "toolUse": "tool_use"}


def last_user_text(body):
    """What the user said last; tool results are no words of the user."""
    for message in reversed(body["messages"]):
        if message.get("role") == "user" and (text := content_text(message.get("content"))):
            return text
    return ""


def tool_results(body):
    """The texts of the latest batch of tool results."""
    for message in reversed(body["messages"]):
        found = [b for b in _blocks(message) if b.get("type") == "tool_result"]
        if found:
            return [content_text(b.get("content")) for b in found]
    return []


def events(turn, body, n):
    """The whole answer as a list of events."""
    out = []

    def add(name, is_closing=False, **fields):
        out.append(Event(name, compact({"type": name} | fields), is_closing))

    total = usage(turn)
    add("message_start", message=_message(turn, body, n, output_tokens=1))
    for index, (start, deltas) in enumerate(_content(turn, n)):
        add("content_block_start", index=index, content_block=start)
        for delta in deltas:
            add("content_block_delta", index=index, delta=delta)
        add("content_block_stop", index=index)

    closing = {"usage": {"output_tokens": total["output"]}} if total else {}
    add("message_delta", is_closing=True, delta={"stop_reason": _stop(turn), "stop_sequence": None}, **closing)
    add("message_stop", is_closing=True)
    return out


def whole(turn, body, n):
    """The answer to a request without "stream": true."""
    blocks = []
    for start, deltas in _content(turn, n):
        for delta in deltas:
            for key in ("text", "thinking", "signature", "partial_json"):
                if key in delta:
                    start[key] = start.get(key, "") + delta[key]
        if "partial_json" in start:
            start["input"] = json.loads(start.pop("partial_json") or "{}")
        blocks.append(start)
    message = _message(turn, body, n, output_tokens=(usage(turn) or {}).get("output"))
    return message | {"content": blocks, "stop_reason": _stop(turn)}


def extra_events():
    """What a client has to skip, in the order in which it is mixed in."""
    return [
        b'event: ping\ndata: {"type": "ping"}\n\n',
        b'event: of_tomorrow\ndata: {"type":"of_tomorrow","index":0,"delta":{"type":"text_delta","text":"BAD"}}\n\n',
        b": a comment\n\n",
        b"\n\n",
    ]


def error_body(kind, message):
    return {"type": "error", "error": {"type": kind, "message": message}}


def error_event(kind, message):
    return Event("error", compact(error_body(kind, message)))


def problems(body, headers):
    """What the vendor would refuse this request for; only rules that it documents or enforces."""
    if "anthropic-version" not in headers:
        yield "no anthropic-version header"
    if not headers.get("x-api-key") and not headers.get("authorization"):
        yield "neither x-api-key nor authorization"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: a positive number is required"
    if compact([body.get("system"), body.get("tools"), body["messages"]]).count('"cache_control":') > 4:
        yield "more than 4 cache_control markers"

    names = [tool.get("name") for tool in body.get("tools", [])]
    if len(names) != len(set(names)):
        yield "tools: names must be unique"
    for tool in body.get("tools", []):
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,128}", str(tool.get("name"))):
            yield f"tools: bad name {tool.get('name')!r}"
        if "type" not in tool and tool.get("input_schema", {}).get("type") != "object":
            yield f"tools: {tool.get('name')}: input_schema.type must be object"

    thinking = body.get("thinking") or {}
    if thinking.get("type") == "enabled":
        if not 1024 <= thinking.get("budget_tokens", 0) < (body.get("max_tokens") or 0):
            yield "thinking.budget_tokens: at least 1024 and below max_tokens"
        if body.get("temperature", 1) != 1:
            yield "temperature may only be 1 with thinking"
    yield from _message_problems(body["messages"])


def _message_problems(messages):
    if messages[0].get("role") != "user":
        yield "messages: the first must be of the user"
    if messages[-1].get("role") != "user":
        yield "messages: the last must be of the user"
    open_calls, images, role = [], 0, None
    for i, message in enumerate(messages):
        where = f"messages.{i}"
        if message.get("role") == role:
            yield f"{where}: roles must alternate"
        role = message.get("role")
        if message.get("role") not in ("user", "assistant"):
            yield f"{where}: role {message.get('role')!r}"
        if not message.get("content"):
            yield f"{where}: empty content"
        results = [b.get("tool_use_id") for b in _blocks(message) if b.get("type") == "tool_result"]
        if missing := sorted(set(open_calls) - set(results)):
            yield f"{where}: tool_use without a tool_result right after it: {', '.join(missing)}"
        if unknown := sorted(set(map(str, results)) - set(open_calls)):
            yield f"{where}: tool_result without its tool_use right before it: {', '.join(unknown)}"
        open_calls = []
        for block in _blocks(message):
            for part in [block] + _blocks(block):
                if part.get("type") == "image":
                    images += 1
                    source = part.get("source", {})
                    if problem := image_problem(source.get("data", ""), source.get("media_type"), max_chars=5_000_000):
                        yield f"{where}: {problem}"
                    if block.get("is_error"):
                        yield f"{where}: a result that is an error holds text only"
            match block.get("type"):
                case "text" if not str(block.get("text", "")).strip():
                    yield f"{where}: text blocks must contain non-whitespace text"
                case "thinking" if not block.get("signature"):
                    yield f"{where}: thinking without its signature"
                case "tool_use":
                    open_calls.append(str(block.get("id")))
                    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", open_calls[-1]):
                        yield f"{where}: bad tool_use id {open_calls[-1]!r}"
                    if not isinstance(block.get("input"), dict):
                        yield f"{where}: tool_use.input must be an object"
    if len(open_calls) > 0:
        yield "messages: tool_use without a tool_result at the end"
    if images > 100:
        yield f"messages: {images} images, at most 100 are taken"


def _blocks(message):
    content = message.get("content")
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _content(turn, n):
    """(the block as it starts, its deltas) of each content block."""
    size = turn.get("chunk", 20)
    if "thinking" in turn:
        deltas = [{"type": "thinking_delta", "thinking": p} for p in pieces(turn["thinking"], size)]
        if signature := turn.get("signature", "c2lnbmVk"):
            deltas.append({"type": "signature_delta", "signature": signature})
        yield {"type": "thinking", "thinking": "", "signature": ""}, deltas
    if "redacted_thinking" in turn:
        yield {"type": "redacted_thinking", "data": turn["redacted_thinking"]}, []
    for text in texts(turn):
        yield {"type": "text", "text": ""}, [{"type": "text_delta", "text": p} for p in pieces(text, size)]
    for id_, name, arguments in calls(turn, "toolu", n):
        # The vendor's first piece is empty, too, and the only one of a call without arguments.
        parts = [""] + (pieces(arguments, size) if arguments != "{}" else [])
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in parts]
        yield {"type": "tool_use", "id": id_, "name": name, "input": {}}, deltas


def _stop(turn):
    stop = turn.get("stop", "toolUse" if turn.get("tool_calls") else "stop")
    return STOP.get(stop, stop)


def _message(turn, body, n, output_tokens):
    """The message as message_start has it: no content yet."""
    message = {"id": turn.get("id", f"msg_{n}"), "type": "message", "role": "assistant"}
    message |= {"model": body.get("model"), "content": [], "stop_reason": None, "stop_sequence": None}
    if total := usage(turn):
        message["usage"] = {
            "input_tokens": total["input"],
            "cache_creation_input_tokens": total["cacheWrite"],
            "cache_read_input_tokens": total["cacheRead"],
            "output_tokens": output_tokens,
        }
    return message
