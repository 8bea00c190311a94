"""A client of `kedge mcp` for tests: one server process, and what it said.

Environment: KEDGE, the binary.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from line_process import KEDGE, WAIT, LineProcess  # noqa: E402, F401


class Client(LineProcess):
    """One server process, and what it said."""

    def __init__(self, root, args=(), capabilities=None, version="2025-06-18", roots=None, start=True, **options):
        self.roots = roots
        self.answer = None  # of elicitations: message -> result, or None to leave it open
        self.asked = []
        super().__init__(root, ["mcp", *args], **options)
        if start and self.deaf_ear is None:
            self.hello = self.initialize(version, capabilities or {})

    def initialize(self, version, capabilities):
        if self.roots is not None:
            capabilities = {**capabilities, "roots": {"listChanged": False}}
        result = self.request("initialize", {"protocolVersion": version, "capabilities": capabilities,
                                             "clientInfo": {"name": "test", "version": "0"}})
        self.notify("notifications/initialized")
        return result

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def start(self, method, params=None, id_=None):
        if id_ is None:
            id_ = self.next_id
            self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}})
        return id_

    def start_call(self, name, arguments=None, meta=None):
        params = {"name": name, "arguments": arguments or {}}
        if meta:
            params["_meta"] = meta
        return self.start("tools/call", params)

    def serve(self, message):
        """Answers what the server asks of us; False when it was no request."""
        method = message.get("method")
        if method == "roots/list":
            if self.roots != "never":
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": self.roots}})
            return True
        if method == "elicitation/create":
            self.asked.append(message["params"])
            reply = self.answer(message) if self.answer else None
            if reply is not None:
                self.send({"jsonrpc": "2.0", "id": message["id"], **reply})
            return True
        return False

    def response(self, id_, timeout=WAIT):
        return self.wait_for(lambda m: m.get("id") == id_ and "method" not in m, timeout)

    def request(self, method, params=None):
        return self.response(self.start(method, params))

    def call(self, name, arguments=None):
        return self.response(self.start_call(name, arguments))["result"]


def text_of(result):
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
