"""The OpenAI Responses wire: POST /v1/responses."""

from .content import url_problem
from .sse import Event, calls, compact, content_text, pieces, texts, usage

NAME = "responses"
PATHS = ("/v1/responses", "/responses", "/openai/v1/responses")
MESSAGES = "input"
STATUS = {"stop": "completed", "length": "incomplete", "toolUse": "completed"}
CREATED = 1700000000  # always the same, so that expected output can be a file
ENCRYPTED = "gAAAA-reasoning-"


def last_user_text(body):
    """What the user said last."""
    for item in reversed(body["input"]):
        if item.get("role") == "user" and (text := content_text(item.get("content"))):
            return text
    return ""


def tool_results(body):
    """The texts of the latest batch of tool results."""
    found = []
    for item in reversed(body["input"]):
        if item.get("type") == "function_call_output":
            found.insert(0, content_text(item.get("output")))
        elif found:
            break
    return found


def events(turn, body, n):
    """The whole answer as a list of events."""
    size = turn.get("chunk", 20)
    out = []

    def add(kind, is_closing=False, **fields):
        out.append(Event(kind, compact({"type": kind, "sequence_number": len(out)} | fields), is_closing))

    add("response.created", response=_response(turn, body, n, "in_progress", []))
    items = list(_items(turn, n))
    for index, (item, kind, parts) in enumerate(items):
        where = {"item_id": item["id"], "output_index": index}
        add("response.output_item.added", output_index=index, item=_opened(item))
        for part in parts:
            for piece in pieces(part, size):
                add(kind + ".delta", **where, delta=piece)
        add("response.output_item.done", output_index=index, item=item)
    status = _status(turn)
    response = _response(turn, body, n, status, [item for item, _, _ in items])
    add(f"response.{status if status in ('incomplete', 'failed') else 'completed'}", is_closing=True, response=response)
    return out


def whole(turn, body, n):
    """The answer to a request without "stream": true."""
    return _response(turn, body, n, _status(turn), [item for item, _, _ in _items(turn, n)])


def extra_events():
    """What a client has to skip, in the order in which it is mixed in."""
    return [
        b": keep-alive\n\n",
        b'event: response.of_tomorrow\nid: 7\nretry: 10\ndata: {"type":"response.of_tomorrow","delta":"BAD"}\n\n',
        b"\n\n",
    ]


def error_body(kind, message):
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def error_event(kind, message):
    return Event("error", compact({"type": "error", "code": kind, "message": message, "param": None}))


def problems(body, headers):
    """What this vendor refuses a request for."""
    if not str(body.get("model") or ""):
        yield "no model"
    if body.get("store") is not False:
        yield "store: must be false"
    for i, tool in enumerate(body.get("tools", [])):
        if tool.get("type") != "function" or not tool.get("name") or not isinstance(tool.get("strict"), bool):
            yield f"tools.{i}: type, name and strict are required"
    called, answered, is_alone = set(), set(), False
    for i, item in enumerate(body["input"]):
        where, kind = f"input.{i}", item.get("type", "message")
        if is_alone and (item.get("role") == "user" or kind not in ("message", "function_call", "reasoning")):
            yield f"{where}: the reasoning item before it was provided without its required following item"
        is_alone = kind == "reasoning"
        if kind == "message":
            yield from _message_problems(where, item)
        elif kind == "function_call":
            called.add(item.get("call_id"))
            if not isinstance(item.get("arguments"), str):
                yield f"{where}: arguments must be a string"
            if not str(item.get("id", "fc_")).startswith("fc"):
                yield f"{where}: the id of a function call begins with fc"
        elif kind == "function_call_output":
            if item.get("call_id") not in called:
                yield f"{where}: no function call has the call_id {item.get('call_id')!r}"
            answered.add(item.get("call_id"))
        elif kind == "reasoning":
            if not item.get("encrypted_content"):
                yield f"{where}: nothing is stored here: encrypted_content is required"
        else:
            yield f"{where}: type {kind!r}"
    if called - answered:
        yield f"input: no output for the function calls {', '.join(sorted(called - answered))}"
    if is_alone:
        yield "input: the last reasoning item was provided without its required following item"


def _message_problems(where, item):
    role, content = item.get("role"), item.get("content")
    if role not in ("system", "developer", "user", "assistant"):
        yield f"{where}: role {role!r}"
    if not content:
        yield f"{where}: empty content"
    if role == "assistant" and not str(item.get("id", "msg_")).startswith("msg"):
        yield f"{where}: the id of a message begins with msg"
    kinds = ("output_text", "refusal") if role == "assistant" else ("input_text", "input_image")
    for part in content if isinstance(content, list) else []:
        if part.get("type") not in kinds:
            yield f"{where}: a part of type {part.get('type')!r}"
        if part.get("type") == "input_image" and (problem := url_problem(part.get("image_url"))):
            yield f"{where}: {problem}"


def _items(turn, n):
    """(item, name of its deltas, what they say) of each item of the answer."""
    if "thinking" in turn or "signature" in turn:
        thinking = turn.get("thinking", "")
        summary = [{"type": "summary_text", "text": thinking}] if thinking else []
        secret = turn.get("signature", f"{ENCRYPTED}{n}")
        item = {"type": "reasoning", "id": f"rs_{n}", "summary": summary, "encrypted_content": secret}
        yield item, "response.reasoning_summary_text", [thinking]
    for i, text in enumerate(texts(turn), 1):
        part = {"type": "output_text", "text": text, "annotations": []}
        item = {"type": "message", "id": f"msg_{n}_{i}", "role": "assistant", "status": "completed", "content": [part]}
        yield item, "response.output_text", [text]
    for i, (id_, name, arguments) in enumerate(calls(turn, "call", n), 1):
        item = {"type": "function_call", "id": f"fc_{n}_{i}", "call_id": id_, "name": name, "arguments": arguments}
        yield item | {"status": "completed"}, "response.function_call_arguments", [arguments]


def _opened(item):
    empty = {"arguments": "", "content": [], "summary": []}
    return {key: empty.get(key, value) for key, value in item.items()} | {"status": "in_progress"}


def _status(turn):
    stop = turn.get("stop", "toolUse" if turn.get("tool_calls") else "stop")
    return STATUS.get(stop, stop)


def _response(turn, body, n, status, output):
    answer = {"id": turn.get("id", f"resp_{n}"), "object": "response", "created_at": CREATED, "status": status}
    answer |= {"error": None, "incomplete_details": None, "model": body.get("model"), "output": output, "usage": None}
    if status == "incomplete":
        answer["incomplete_details"] = {"reason": "max_output_tokens"}
    if status == "failed":
        answer["error"] = {"code": "server_error", "message": "The server had an error"}
    total = usage(turn)
    if total and status != "in_progress":
        count = total["input"] + total["cacheRead"]
        answer["usage"] = {
            "input_tokens": count,
            "input_tokens_details": {"cached_tokens": total["cacheRead"]},
            "output_tokens": total["output"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": count + total["output"],
        }
    return answer
