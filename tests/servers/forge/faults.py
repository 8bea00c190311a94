"""Faults: answers that a test asks for in advance (POST /_forge/faults).

A fault has a `match` (method, path regex, kind rest|graphql|git|blob, op: a
GraphQL operation or root field), skips the first `after` matching requests, acts
on `times` of them (default 1; null: for ever) and does one thing; the list is in
README.md. wire.py asks `take()` once for each request, before anything happens.
"""

import json
import re

SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
    "If you reach out to GitHub Support for help, please include the request ID."
)
UNICORN = "<!DOCTYPE html><html><head><title>Unicorn! &middot; GitHub</title></head><body><p>We had issues producing the response.</p></body></html>"


class Faults:
    def __init__(self):
        self.rows = []
        self.made = 0

    def add(self, specs):
        specs = specs if isinstance(specs, list) else [specs]
        for spec in specs:
            re.compile(spec.get("match", {}).get("path", ""))  # refuse a bad one now
        for spec in specs:
            self.made += 1
            self.rows.append({**spec, "id": spec.get("id", f"f{self.made}"), "seen": 0, "hits": 0})
        return [row["id"] for row in self.rows[-len(specs):]] if specs else []

    def clear(self):
        self.rows = []

    def take(self, request):
        for row in self.rows:
            if not matches(row.get("match", {}), request):
                continue
            row["seen"] += 1
            times = row.get("times", 1)
            if row["seen"] <= row.get("after", 0) or (times is not None and row["hits"] >= times):
                continue
            row["hits"] += 1
            return row
        return None


def matches(match, request):
    if "method" in match and match["method"].upper() != request.method:
        return False
    if "path" in match and not re.search(match["path"], request.path):
        return False
    if "kind" in match and match["kind"] != request.kind:
        return False
    if "op" in match and match["op"] != request.op and match["op"] not in request.fields:
        return False
    return True


def answer(fault, request_kind, docs_url, reset_at):
    """(status, headers, body) when the fault replaces the answer, else None."""
    kind = fault.get("kind_of") or fault.get("kind")
    headers = {"Content-Type": "application/json; charset=utf-8"}
    if kind == "secondary":
        if fault.get("retry_after", 60) is not None:
            headers["Retry-After"] = str(fault.get("retry_after", 60))
        return fault.get("status", 403), headers, json_body(SECONDARY,
            docs_url + "/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits")
    if kind == "primary":
        headers["X-RateLimit-Remaining"] = "0"
        headers["X-RateLimit-Reset"] = str(reset_at)
        if request_kind == "graphql":
            error = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 5900001."}
            return fault.get("status", 200), headers, json.dumps({"errors": [error]}).encode()
        return fault.get("status", 403), headers, json_body(
            "API rate limit exceeded for user ID 5900001.", docs_url + "/rest/overview/rate-limits-for-the-rest-api")
    if kind == "unicorn":
        return 502, {"Content-Type": "text/html; charset=utf-8"}, UNICORN.encode()
    if "status" not in fault:
        return None
    body = fault.get("body", {"message": f"forge fault {fault['status']}"})
    if not isinstance(body, str):
        body = json.dumps(body)
    else:
        headers["Content-Type"] = "text/plain; charset=utf-8"
    return fault["status"], {**headers, **fault.get("headers", {})}, body.encode()


def json_body(message, documentation_url):
    return json.dumps({"documentation_url": documentation_url, "message": message}).encode()
