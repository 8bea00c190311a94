"""The script: its grammar, which turn answers which request, expectations and captures.

A script is JSON lines, one turn a line; README.md beside model.py describes every key.
Not thread safe: the server holds its lock around every call.
"""

import dataclasses
import json
import re

from .sse import compact

# Every key of a turn, and what its value may be. An unknown key is an error at the start.
KEYS = {
    # the answer
    "text": (str, list), "thinking": str, "signature": str, "redacted_thinking": str, "thinking_field": str,
    "tool_calls": list, "stop": (str, type(None)), "usage": (dict, type(None)), "id": str,
    # the pace
    "chunk": int, "delay_ms": int, "delay_headers_ms": int,
    # faults
    "status": int, "headers": dict, "body": (str, dict, list), "error": dict, "error_after": int, "stall_ms": int,
    "stall_after": int, "drop_after": int, "malformed": (bool, str), "split_bytes": int, "crlf": bool,
    "extra_events": (bool, list), "truncate_before_stop": (bool, str),
    # which request, and what is in it
    "when": (dict, list), "repeat": (bool, int), "capture": dict, "expect": (dict, list), "comment": str,
}  # fmt: skip
WORDS = {"malformed": (True, False, "json", "sse", "utf8"), "truncate_before_stop": (True, False, "last")}
CALL_KEYS = {"name", "arguments", "arguments_raw", "id"}
SUBJECTS = {"path", "header", "last_user", "last_tool"}
OPERATORS = {"equals", "contains", "not_contains", "matches", "exists", "count"}
SHORT = {"last_user_contains": "last_user", "last_tool_contains": "last_tool"}


class ScriptError(Exception):
    """The script itself is wrong: the message names the line."""


@dataclasses.dataclass
class Request:
    """What conditions, expectations and captures look at."""

    body: dict
    headers: dict  # lower-case names
    last_user: str
    tool_results: list


@dataclasses.dataclass
class Turn:
    line: int
    keys: dict
    left: int | None  # how often it may still be used; None: for ever


class Script:
    def __init__(self, source, variables=None):
        self.source = source
        self.turns = [_parse_turn(number, line) for number, line in _lines(source)]
        self.variables = dict(variables or {})
        # Only names that something sets are replaced, so that "${HOME}" in a command stays.
        self.names = set(self.variables).union(*(turn.keys.get("capture", {}) for turn in self.turns))
        for turn, later in zip(self.turns, self.turns[1:]):
            if turn.left is None and "when" not in turn.keys and "when" not in later.keys:
                raise ScriptError(f"line {later.line}: never reached, line {turn.line} repeats for ever")

    def take(self, request):
        """The turn that answers `request`, as (line, keys with variables replaced, failures).

        The line is None when the script has no turn left for it.
        """
        turn = self._choose(request)
        if turn is None:
            return None, {}, ["script exhausted"]
        if turn.left is not None:
            turn.left -= 1
        failures = self._capture(turn.keys.get("capture", {}), request)
        keys = {k: v for k, v in turn.keys.items() if k not in ("when", "capture", "comment")}
        keys = self._replace(keys, failures)
        failures += [f for e in _list(keys.get("expect")) if (f := failure_of(e, request))]
        return turn.line, keys, failures

    def unused(self):
        """Lines of the turns that have not been used as often as they are meant to be."""
        return [turn.line for turn in self.turns if turn.left]

    def _choose(self, request):
        usable = [turn for turn in self.turns if turn.left != 0]
        for turn in usable:
            if "when" in turn.keys and not any(failure_of(c, request) for c in _list(turn.keys["when"])):
                return turn
        return next((turn for turn in usable if "when" not in turn.keys), None)

    def _capture(self, capture, request):
        failures = []
        text = "\n".join(request.tool_results)
        for name, pattern in capture.items():
            if found := re.search(pattern, text):
                self.variables[name] = found.group(1) if found.re.groups else found.group()
            else:
                failures.append(f"capture {name}: {pattern!r} is not in the tool results {_short(text)}")
        return failures

    def _replace(self, value, failures):
        if isinstance(value, dict):
            return {key: self._replace(item, failures) for key, item in value.items()}
        if isinstance(value, list):
            return [self._replace(item, failures) for item in value]
        if not isinstance(value, str):
            return value
        if (whole := re.fullmatch(r"\$\{(\w+):int\}", value)) and whole[1] in self.names:
            return int(self.variables.get(whole[1], 0))

        def variable(found):
            if found[1] not in self.names:
                return found[0]
            if found[1] not in self.variables:
                failures.append(f"${{{found[1]}}} has no value yet")
            return self.variables.get(found[1], "")

        return re.sub(r"\$\{(\w+)\}", variable, value)


def failure_of(condition, request):
    """Why `condition` does not hold for `request`; None when it does."""
    subject, where = _subject(condition, request)
    for operator, want in condition.items():
        operator = "contains" if operator in SHORT else operator
        if operator in OPERATORS and not _holds(operator, subject, want):
            return f"{where}: {operator} {json.dumps(want, ensure_ascii=False)}: got {_short(subject)}"
    return None


def lookup(value, path):
    """`messages.-1.content.0.text` in parsed JSON; None when it is not there."""
    for step in path.split(".") if path else []:
        if isinstance(value, list) and re.fullmatch(r"-?\d+", step) and -len(value) <= int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return None
    return value


def _subject(condition, request):
    """What a condition is about, and how a message names it."""
    if "path" in condition:
        return lookup(request.body, condition["path"]), condition["path"]
    if "header" in condition:
        return request.headers.get(condition["header"].lower()), condition["header"]
    if condition.keys() & {"last_user", "last_user_contains"}:
        return request.last_user, "last user message"
    if condition.keys() & {"last_tool", "last_tool_contains"}:
        return "\n".join(request.tool_results), "last tool results"
    return request.body, "request"


def _holds(operator, subject, want):
    match operator:
        case "equals":
            return subject == want
        case "contains":
            return _contains(subject, want)
        case "not_contains":
            return not _contains(subject, want)
        case "matches":
            return re.search(want, subject if isinstance(subject, str) else compact(subject)) is not None
        case "exists":
            return (subject is not None) == want
        case "count":
            return isinstance(subject, list) and len(subject) == want
    raise AssertionError(operator)


def _contains(subject, want):
    """In the text itself; of anything else in one of its strings, its keys or its JSON."""
    if subject is None:
        return False
    if isinstance(subject, str):
        return want in subject
    return want in compact(subject) or any(want in text for text in _strings(subject))


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _lines(source):
    for number, line in enumerate(source.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _parse_turn(number, line):
    try:
        keys = json.loads(line)
        _check_turn(keys)
    except (ValueError, TypeError, re.error) as error:
        raise ScriptError(f"line {number}: {error}") from None
    repeat = keys.get("repeat", 1)
    return Turn(number, keys, None if repeat is True else int(repeat))


def _check_turn(keys):
    if not isinstance(keys, dict):
        raise ValueError("a turn is an object")
    for key, value in keys.items():
        if key not in KEYS:
            raise ValueError(f"unknown key {key!r}")
        if not isinstance(value, KEYS[key]) or value not in WORDS.get(key, (value,)):
            raise ValueError(f"{key!r} cannot be {json.dumps(value)}")
    for call in keys.get("tool_calls", []):
        if "name" not in call or call.keys() - CALL_KEYS:
            raise ValueError(f"a tool call has a name and any of {', '.join(sorted(CALL_KEYS))}")
    for pattern in keys.get("capture", {}).values():
        re.compile(pattern)
    for condition in _list(keys.get("when")) + _list(keys.get("expect")):
        unknown = condition.keys() - SUBJECTS - OPERATORS - SHORT.keys()
        if unknown or not condition.keys() - SUBJECTS:
            raise ValueError(f"bad condition {json.dumps(condition)}")
        if "matches" in condition:
            re.compile(condition["matches"])


def _list(value):
    return [] if value is None else value if isinstance(value, list) else [value]


def _short(value, maximum=300):
    text = value if isinstance(value, str) else compact(value)
    return json.dumps(text if len(text) <= maximum else text[:maximum] + "…", ensure_ascii=False)
