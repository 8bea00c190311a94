"""The Google Gemini wire: POST /v1beta/models/NAME:streamGenerateContent?alt=sse."""

import base64
import binascii
import json

from .content import image_problem
from .sse import Event, calls, compact, content_text, pieces, texts, usage

NAME = "gemini"
PATHS = ()
SUFFIX = ":streamGenerateContent"  # of the path, which names the model
MESSAGES = "contents"
STOP = {"stop": "STOP", "length": "MAX_TOKENS", "toolUse": "STOP"}


def last_user_text(body):
    """What the user said last; tool results are no words of the user."""
    for content in reversed(body["contents"]):
        if content.get("role") == "user" and (text := content_text(content.get("parts"))):
            return text
    return ""


def tool_results(body):
    """The texts of the latest batch of tool results."""
    for content in reversed(body["contents"]):
        found = [p["functionResponse"]["response"] for p in content.get("parts", []) if "functionResponse" in p]
        if found:
            return [str(response.get("output", response.get("error", ""))) for response in found]
    return []


def events(turn, body, n):
    """The whole answer as a list of events."""
    size = turn.get("chunk", 20)
    out = []

    def add(parts, is_closing=False, **fields):
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0} | fields
        chunk = {"candidates": [candidate], "responseId": turn.get("id", f"gemini-{n}")}
        if is_closing and (total := usage(turn)):
            chunk["usageMetadata"] = _usage(total)
        out.append(Event(None, compact(chunk), is_closing))

    signature = {"thoughtSignature": turn["signature"]} if "signature" in turn else {}
    for piece in pieces(turn.get("thinking", ""), size):
        add([{"text": piece, "thought": True}])
    for text in texts(turn):
        for piece in pieces(text, size):
            add([{"text": piece}])
    for id_, name, arguments in calls(turn, "call", n):
        call = {"name": name, "args": _object(arguments)}
        if any("id" in c for c in turn["tool_calls"]):
            call["id"] = id_
        add([{"functionCall": call} | signature])
        signature = {}
    add([{"text": ""} | signature] if signature else [], is_closing=True, finishReason=_stop(turn))
    return out


def whole(turn, body, n):
    """The answer to a request that is not for a stream."""
    return json.loads(events(turn | {"chunk": 0}, body, n)[-1].data)


def extra_events():
    """What a client has to skip, in the order in which it is mixed in."""
    return [b": keep-alive\n\n", b'data: {"modelVersion":"of tomorrow"}\n\n', b"\n\n"]


def error_body(kind, message):
    return {"error": {"code": 400, "message": message, "status": kind}}


def error_event(kind, message):
    return Event(None, compact(error_body(kind, message)))


def problems(body, headers):
    """What this vendor refuses a request for."""
    known = {"contents", "systemInstruction", "tools", "generationConfig", "toolConfig", "safetySettings", "cachedContent"}
    for key in body.keys() - known:
        yield f"unknown name {key!r}"
    open_calls, before = [], None
    for i, content in enumerate(body["contents"]):
        where, role, parts = f"contents.{i}", content.get("role"), content.get("parts") or []
        if role not in ("user", "model"):
            yield f"{where}: role {role!r}"
        if not parts:
            yield f"{where}: no parts"
        answers = [p["functionResponse"]["name"] for p in parts if "functionResponse" in p]
        if open_calls != answers:
            yield f"{where}: the turn after the function calls {open_calls} answers {answers}"
        open_calls = [p["functionCall"]["name"] for p in parts if "functionCall" in p]
        for part in parts:
            yield from _part_problems(where, part)
        if before is None and role != "user":
            yield f"{where}: the first turn is the user's"
        before = role
    if before != "user":
        yield "contents: the last turn is the user's"


def _part_problems(where, part):
    if not part.keys() & {"text", "inlineData", "functionCall", "functionResponse"}:
        yield f"{where}: an empty part"
    if "functionResponse" in part and not isinstance(part["functionResponse"].get("response"), dict):
        yield f"{where}: functionResponse.response is an object"
    if "inlineData" in part and (problem := image_problem(part["inlineData"].get("data", ""), part["inlineData"].get("mimeType"))):
        yield f"{where}: {problem}"
    signature = part.get("thoughtSignature", "")
    try:
        if signature != "skip_thought_signature_validator":
            base64.b64decode(signature, validate=True)
    except binascii.Error:
        yield f"{where}: thoughtSignature is not base64"


def _object(arguments):
    """This wire cannot carry arguments that are no JSON."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        value = {}
    return value if isinstance(value, dict) else {}


def _stop(turn):
    stop = turn.get("stop", "toolUse" if turn.get("tool_calls") else "stop")
    return STOP.get(stop, stop)


def _usage(total):
    """This vendor counts cached tokens among the prompt's."""
    prompt = total["input"] + total["cacheRead"]
    return {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": total["cacheRead"],
        "candidatesTokenCount": total["output"],
        "totalTokenCount": prompt + total["output"],
    }
