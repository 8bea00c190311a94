#!/usr/bin/env python3
"""A scripted model server for tests: no model, but the wires of three vendors.

    python3 model.py --script SCRIPT.jsonl --ready FILE [--parent PID] [--ttl SECONDS] [--journal FILE.jsonl]

It answers POST /v1/messages (Anthropic), /v1/chat/completions and /v1/responses (OpenAI) and
/v1beta/models/NAME:streamGenerateContent (Google) with the turns of the script, in order, and keeps a journal of what it was asked. FILE appears, with the port, once it
accepts requests. It ends on SIGTERM, with its parent, or after the ttl. Standard library only.
README.md beside this file describes the script; the parts are in model/.
"""

import sys

sys.dont_write_bytecode = not sys.pycache_prefix  # a checkout stays as it is

import argparse
import dataclasses
import http.server
import json
import os
import select
import signal
import socket
import socketserver
import threading
import time
import urllib.parse

from model import anthropic, gemini, openai, responses
from model.content import text_problems
from model.script import Request, Script, ScriptError
from model.sse import compact

WIRES = {path: wire for wire in (anthropic, openai, responses) for path in wire.PATHS}
BODY_MAX_BYTES = 64 << 20
SECRET_HEADERS = {"x-api-key", "x-goog-api-key", "api-key", "authorization", "proxy-authorization", "cookie"}
ERROR_KINDS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
}  # fmt: skip
ERROR_MESSAGES = {401: "invalid x-api-key", 429: "Number of requests has exceeded your rate limit", 529: "Overloaded"}


class Gone(Exception):
    """The client has closed the connection, or /_model/reset ended the answer."""


class Journal:
    """What was asked and how it was answered. `changed` also guards the script."""

    def __init__(self, path, script):
        self.changed = threading.Condition()
        self.entries = []
        self.script = script
        self.file = open(path, "a", encoding="utf-8") if path else None
        self.generation = 0  # a reset makes a new one, which ends the answers of the old one

    def open_entry(self, **fields):
        entry = {"n": 0} | fields | {"turn": None, "status": None, "failed_expectations": []}
        entry |= {"events": 0, "disconnected": False, "at_ms": now_ms(), "end_ms": None}
        with self.changed:
            entry["n"] = len(self.entries) + 1
            self.entries.append(entry)
            self.changed.notify_all()
        return entry

    def update(self, entry, **fields):
        with self.changed:
            entry |= fields
            self.changed.notify_all()

    def close_entry(self, entry):
        self.update(entry, end_ms=now_ms())
        if self.file:
            self.file.write(compact(entry) + "\n")
            self.file.flush()

    def take(self, entry, request):
        with self.changed:
            line, turn, failures = self.script.take(request)
            entry |= {"turn": line, "failed_expectations": failures}
        return line, turn, failures

    def failures(self):
        return [{"n": e["n"], "turn": e["turn"], "message": m} for e in self.entries for m in e["failed_expectations"]]

    def reset(self, script):
        with self.changed:
            self.script = script
            self.entries = []
            self.generation += 1
            self.changed.notify_all()

    def wait(self, requests, events, is_idle, timeout_ms):
        """Until so many requests have arrived and events been sent, and (is_idle) nothing is being answered."""

        def is_done():
            if len(self.entries) < requests or sum(e["events"] for e in self.entries) < events:
                return False
            return not is_idle or all(e["end_ms"] for e in self.entries)

        with self.changed:
            return self.changed.wait_for(is_done, timeout_ms / 1000)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that leaves between two requests is no news."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    journal = None  # set by main()
    options = None

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        journal = self.journal
        match url.path:
            case "/_model/journal":
                with journal.changed:
                    answer = compact(journal.entries)
                self.reply(200, answer)
            case "/_model/failures":
                self.reply(200, journal.failures())
            case "/_model/unused":
                self.reply(200, journal.script.unused())
            case "/_model/wait":
                numbers = [int(query.get(key, 0)) for key in ("requests", "events", "idle")]
                is_done = journal.wait(*numbers, int(query.get("timeout_ms", 10000)))
                self.reply(200 if is_done else 408, {"done": is_done})
            case _:
                self.refuse_path()

    def do_POST(self):
        raw = self.read_body()
        if raw is None:
            return
        path = urllib.parse.urlsplit(self.path).path
        if path == "/_model/reset":
            self.reset(raw.decode())
        elif path in WIRES or path.endswith(gemini.SUFFIX):
            self.answer_model(WIRES.get(path, gemini), raw)
        else:
            self.refuse_path()

    def reset(self, source):
        """A body is a new script; without one the present script starts again."""
        try:
            script = Script(source.strip() and source or self.journal.script.source, self.options.variables)
        except ScriptError as error:
            self.reply(400, {"error": str(error)})
            return
        self.journal.reset(script)
        self.reply(200, {"ok": True})

    def answer_model(self, wire, raw):
        headers = {name.lower(): value for name, value in self.headers.items()}
        entry = self.journal.open_entry(path=self.path, wire=wire.NAME, port=self.client_address[1], headers=masked(headers), body=None)
        try:
            body = json.loads(raw)
            if not isinstance(body.get(wire.MESSAGES), list) or not body[wire.MESSAGES]:
                raise ValueError(f"{wire.MESSAGES}: a list that is not empty is required")
        except (ValueError, AttributeError) as error:
            problem = f"invalid request: {error}"
            self.journal.update(entry, body=raw.decode(errors="replace"), failed_expectations=[problem])
            self.refuse(wire, entry, problem)
            self.journal.close_entry(entry)
            return
        self.journal.update(entry, body=body)
        request = Request(body, headers, wire.last_user_text(body), wire.tool_results(body))
        line, turn, failures = self.journal.take(entry, request)
        if not self.options.lax:
            problems = [*wire.problems(body, headers), *text_problems(body)]
            failures += [f"invalid request: {problem}" for problem in problems]
        try:
            if line is None:
                self.refuse(wire, entry, failures[0])
            elif failures:
                self.refuse(wire, entry, f"script expectation failed: {'; '.join(failures)} (script line {line})")
            else:
                Answer(self, wire, entry, turn, body).send()
        except (Gone, ConnectionError):
            self.journal.update(entry, disconnected=True)
            self.close_connection = True
        finally:
            self.journal.close_entry(entry)

    def refuse(self, wire, entry, message):
        self.journal.update(entry, status=400)
        self.reply(400, wire.error_body("invalid_request_error", message))

    def refuse_path(self):
        headers = masked({name.lower(): value for name, value in self.headers.items()})
        entry = self.journal.open_entry(path=self.path, wire=None, headers=headers, body=None)
        message = f"no such endpoint: {self.command} {self.path}"
        self.journal.update(entry, status=404, failed_expectations=[message])
        self.reply(404, {"error": {"type": "not_found_error", "message": message}})
        self.journal.close_entry(entry)

    def read_body(self):
        """The request's body, or None after an error was answered."""
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > BODY_MAX_BYTES:
            self.close_connection = True
            self.reply(413 if length.isdigit() else 411, {"error": {"message": "bad content-length"}})
            return None
        return self.rfile.read(int(length))

    def reply(self, status, body, headers=None):
        data = (body if isinstance(body, str) else compact(body)).encode()
        self.head(status, {"content-type": "application/json", "content-length": str(len(data))} | (headers or {}))
        self.wfile.write(data)

    def head(self, status, headers):
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()

    def log_message(self, format, *args):
        pass  # the journal says it


@dataclasses.dataclass
class Answer:
    """Sends one turn, with its faults."""

    handler: Handler
    wire: object
    entry: dict
    turn: dict
    body: dict

    def __post_init__(self):
        self.journal = self.handler.journal
        self.generation = self.journal.generation

    def send(self):
        turn, handler = self.turn, self.handler
        self.pause(turn.get("delay_headers_ms", 0))
        if turn.get("drop_after", 0) < 0:
            self.journal.update(self.entry, status=0)
            self.cut()
        elif "status" in turn:
            self.journal.update(self.entry, status=turn["status"])
            handler.reply(turn["status"], turn.get("body", self.error_body()), lower_names(turn.get("headers", {})))
        elif not self.body.get("stream") and self.wire is not gemini:  # there the path says it
            self.journal.update(self.entry, status=200)
            answer = self.wire.whole(turn, self.body, self.entry["n"])
            handler.reply(200, answer, lower_names(turn.get("headers", {})))
        else:
            self.stream()

    def stream(self):
        turn = self.turn
        headers = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        headers |= {"request-id": f"req_{self.entry['n']}", "transfer-encoding": "chunked"}
        self.journal.update(self.entry, status=200)
        self.handler.head(200, headers | lower_names(turn.get("headers", {})))
        self.pause(turn.get("stall_ms", 0))

        frames = self.frames()
        last = len(frames) - 1
        for i, frame in enumerate(frames):
            if i == self.fault_at("stall_after", last):
                self.pause(None)
            if i == self.fault_at("drop_after", last):
                self.cut()
                return
            self.pause(turn.get("delay_ms", 0) if i else 0)
            self.write(frame, is_last=i == last)
            self.journal.update(self.entry, events=i + 1)

    def fault_at(self, key, last):
        """The number of events after which a fault happens: at the latest before the last one."""
        return min(self.turn[key], last) if key in self.turn else None

    def frames(self):
        """The bytes of each event; what is only mixed in goes with the event before it."""
        turn, wire = self.turn, self.wire
        newline = "\r\n" if turn.get("crlf", "split_bytes" in turn) else "\n"
        events = wire.events(turn, self.body, self.entry["n"])
        if truncate := turn.get("truncate_before_stop"):
            events = events[:-1] if truncate == "last" else [e for e in events if not e.is_closing]
        if "error_after" in turn:
            events[self.fault_at("error_after", len(events) - 1) :] = [wire.error_event(*self.error())]
        frames = [event.encode(newline) for event in events]

        extra = turn.get("extra_events", wire is anthropic)
        extra = [item.encode() for item in extra] if isinstance(extra, list) else wire.extra_events()
        if turn.get("extra_events"):
            for i in range(len(frames)):
                frames[i] += extra[i % len(extra)]
        elif wire is anthropic and len(frames) > 1:
            frames[1] += extra[0]  # as the vendor does: one ping after the first block's start

        if malformed := turn.get("malformed"):
            at = min(3, len(frames) - 1)
            frames[at] = MALFORMED[malformed](frames[at])
        return frames

    def write(self, data, is_last):
        """Each part is a chunk of HTTP of its own, so that no buffer between here and there joins them."""
        size = self.turn.get("split_bytes") or len(data)
        parts = [data[i : i + size] for i in range(0, len(data), size)]
        coded = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
        self.handler.wfile.write(coded + (b"0\r\n\r\n" if is_last else b""))

    def pause(self, duration_ms):
        """Waits, None: for ever; raises Gone as soon as the client has left."""
        poll = select.poll()
        poll.register(self.handler.connection, select.POLLRDHUP)
        end = None if duration_ms is None else time.monotonic() + duration_ms / 1000
        while True:
            left = 0.2 if end is None else end - time.monotonic()
            if poll.poll(max(0, min(left, 0.2) * 1000)) or self.journal.generation != self.generation:
                raise Gone
            if end is not None and time.monotonic() >= end:
                return

    def cut(self):
        self.handler.connection.shutdown(socket.SHUT_RDWR)
        self.handler.close_connection = True

    def error(self):
        status = self.turn.get("status", 529)
        error = self.turn.get("error", {})
        kind = error.get("type", ERROR_KINDS.get(status, "api_error"))
        return kind, error.get("message", ERROR_MESSAGES.get(status, f"scripted error {status}"))

    def error_body(self):
        return self.wire.error_body(*self.error())


def cut_json(frame):
    end = frame.rstrip()
    return end[: -len(end) // 3] + frame[len(end) :]


MALFORMED = {
    True: cut_json,
    "json": cut_json,
    "utf8": lambda frame: frame.replace(b'":"', b'":"\xff\xc3', 1),
    "sse": lambda frame: b"<html>\n<h1>502 Bad Gateway</h1>\n</html>\n\n" + frame,
}


def masked(headers):
    """Headers for the journal: of a key only that there was one, and its scheme."""
    shown = dict(headers)
    for name in SECRET_HEADERS & headers.keys():
        scheme = headers[name].split(" ")[0] + " " if " " in headers[name] else ""
        shown[name] = scheme + "***"
    return shown


def lower_names(headers):
    return {name.lower(): value for name, value in headers.items()}


def now_ms():
    return time.time_ns() // 1_000_000


def end_with(parent, ttl):
    """Ends this process when `parent` is gone or `ttl` seconds have passed."""
    if parent:
        try:
            poll = select.poll()
            poll.register(os.pidfd_open(parent), select.POLLIN)
            poll.poll(ttl * 1000)
        except ProcessLookupError:
            pass
    else:
        time.sleep(ttl)
    os._exit(0)


def write_ready(path, port):
    ready = {"ready": True, "port": port, "url": f"http://127.0.0.1:{port}", "pid": os.getpid()}
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(compact(ready) + "\n")
    os.replace(path + ".new", path)


def parse_options():
    parser = argparse.ArgumentParser(description="A scripted model server for tests.", allow_abbrev=False)
    parser.add_argument("--script", required=True, help="the turns, JSON lines")
    parser.add_argument("--ready", required=True, help="file to write when requests are accepted")
    parser.add_argument("--parent", type=int, help="end with this process")
    parser.add_argument("--ttl", type=float, default=1800, help="end after so many seconds (%(default)s)")
    parser.add_argument("--journal", help="file to add each finished request to, JSON lines")
    parser.add_argument("--var", action="append", default=[], metavar="NAME=VALUE", help="value of ${NAME} in turns")
    parser.add_argument("--lax", action="store_true", help="do not refuse what the vendor would refuse")
    options = parser.parse_args()
    options.variables = dict(pair.split("=", 1) for pair in options.var)
    return options


def main():
    options = parse_options()
    try:
        with open(options.script, encoding="utf-8") as file:
            script = Script(file.read(), options.variables)
    except (OSError, ScriptError) as error:
        sys.exit(f"model.py: {options.script}: {error}")

    Handler.options = options
    Handler.journal = Journal(options.journal, script)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    threading.Thread(target=end_with, args=(options.parent, options.ttl), daemon=True).start()
    with Server(("127.0.0.1", 0), Handler) as server:
        write_ready(options.ready, server.server_address[1])
        server.serve_forever()


if __name__ == "__main__":
    main()
