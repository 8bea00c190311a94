"""The OpenAI Chat Completions wire: POST /v1/chat/completions."""

from .content import url_problem
from .sse import Event, calls, compact, content_text, pieces, texts, usage

NAME = "openai"
PATHS = ("/v1/chat/completions", "/chat/completions")
MESSAGES = "messages"
STOP = {"stop": "stop", "length": "length", "toolUse": "tool_calls"}
CREATED = 1700000000  # always the same, so that expected output can be a file


def last_user_text(body):
    """What the user said last."""
    for message in reversed(body["messages"]):
        if message.get("role") == "user" and (text := content_text(message.get("content"))):
            return text
    return ""


def tool_results(body):
    """The texts of the latest batch of tool results."""
    found = []
    for message in reversed(body["messages"]):
        if message.get("role") == "tool":
            found.insert(0, content_text(message.get("content")))
        elif found:
            break
    return found


def events(turn, body, n):
    """The whole answer as a list of events."""
    size = turn.get("chunk", 20)
    envelope = _envelope(turn, body, n, "chat.completion.chunk")
    out = []

    def add(delta, finish=None, is_closing=False):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        out.append(Event(None, compact(envelope | {"choices": [choice]}), is_closing))

    add({"role": "assistant", "content": ""})
    for piece in pieces(turn.get("thinking", ""), size):
        add({turn.get("thinking_field", "reasoning_content"): piece})
    for text in texts(turn):
        for piece in pieces(text, size):
            add({"content": piece})
    for index, (id_, name, arguments) in enumerate(calls(turn, "call", n)):
        function = {"name": name, "arguments": ""}
        add({"tool_calls": [{"index": index, "id": id_, "type": "function", "function": function}]})
        for piece in pieces(arguments, size):
            add({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})

    add({}, finish=_stop(turn), is_closing=True)
    if (body.get("stream_options") or {}).get("include_usage") and (total := usage(turn)):
        out.append(Event(None, compact(envelope | {"choices": [], "usage": _usage(total)}), is_closing=True))
    out.append(Event(None, "[DONE]", is_closing=True))
    return out


def whole(turn, body, n):
    """The answer to a request without "stream": true."""
    message = {"role": "assistant", "content": "".join(texts(turn)) or None}
    if "thinking" in turn:
        message[turn.get("thinking_field", "reasoning_content")] = turn["thinking"]
    if found := list(calls(turn, "call", n)):
        message["tool_calls"] = [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id_, name, arguments in found
        ]
    answer = _envelope(turn, body, n, "chat.completion")
    answer["choices"] = [{"index": 0, "message": message, "finish_reason": _stop(turn)}]
    if total := usage(turn):
        answer["usage"] = _usage(total)
    return answer


def extra_events():
    """What a client has to skip, in the order in which it is mixed in."""
    return [
        b": OPENROUTER PROCESSING\n\n",
        b'data: {"id":"x","object":"chat.completion.chunk","choices":[]}\n\n',
        b'event: of_tomorrow\nid: 7\nretry: 10\ndata: {"object":"of.tomorrow","delta":"BAD"}\n\n',
        b"\n\n",
    ]


def error_body(kind, message):
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def error_event(kind, message):
    return Event(None, compact(error_body(kind, message)))


def problems(body, headers):
    """What servers of this wire refuse a request for."""
    if not str(body.get("model") or ""):
        yield "no model"
    if "stream_options" in body and not body.get("stream"):
        yield "stream_options without stream"
    names = [tool.get("function", {}).get("name") for tool in body.get("tools", [])]
    if len(names) != len(set(names)) or None in names:
        yield "tools: every function needs a name of its own"

    open_calls = set()
    for i, message in enumerate(body["messages"]):
        where, role = f"messages.{i}", message.get("role")
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield f"{where}: no tool call before it has the id {message.get('tool_call_id')!r}"
            open_calls.discard(message.get("tool_call_id"))
            continue
        if open_calls:
            yield f"{where}: tool calls without a tool message right after them: {', '.join(sorted(open_calls))}"
        open_calls = set()
        if role not in ("system", "developer", "user", "assistant"):
            yield f"{where}: role {role!r}"
        if not message.get("content") and not message.get("tool_calls"):
            yield f"{where}: empty content"
        for part in message["content"] if isinstance(message.get("content"), list) else []:
            if part.get("type") == "image_url" and (problem := url_problem(part["image_url"].get("url"))):
                yield f"{where}: {problem}"
        for call in message.get("tool_calls") or []:
            open_calls.add(str(call.get("id")))
            if not call.get("id") or len(call["id"]) > 40:
                yield f"{where}: a tool call's id has 1 to 40 characters"
            if not isinstance(call.get("function", {}).get("arguments"), str):
                yield f"{where}: function.arguments must be a string"
    if open_calls:
        yield f"messages: tool calls without a tool message at the end: {', '.join(sorted(open_calls))}"


def _stop(turn):
    stop = turn.get("stop", "toolUse" if turn.get("tool_calls") else "stop")
    return STOP.get(stop, stop)


def _envelope(turn, body, n, kind):
    id_ = turn.get("id", f"chatcmpl-{n}")
    return {"id": id_, "object": kind, "created": CREATED, "model": body.get("model")}


def _usage(total):
    """This vendor counts cached tokens among the prompt's."""
    prompt = total["input"] + total["cacheRead"] + total["cacheWrite"]
    details = {"cached_tokens": total["cacheRead"]}
    if total["cacheWrite"]:
        details["cache_write_tokens"] = total["cacheWrite"]
    return {
        "prompt_tokens": prompt,
        "completion_tokens": total["output"],
        "total_tokens": prompt + total["output"],
        "prompt_tokens_details": details,
    }
