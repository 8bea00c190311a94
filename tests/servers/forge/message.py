"""A request as the answering modules see it, and an answer before it is sent.

The three ways in (plain base URL, Enterprise prefix, HTTP proxy) differ only
here: `path` has no host and no prefix any more, `api` and `web` are the bases of
the URLs in the answer. Made by wire.py for every request.
"""

import hashlib
import json
import time
from urllib.parse import parse_qsl, unquote, urlsplit

from .model import Refusal


class Request:
    """What the answering modules get to see."""

    def __init__(self, forge, method, target, headers, body):
        self.forge, self.world = forge, forge.world
        self.method, self.headers, self.body = method, headers, body
        parts = urlsplit(target) if "://" in target else None
        host = parts.netloc if parts else ""
        names = {f"127.0.0.1:{forge.port}": "plain", f"localhost:{forge.port}": "plain", "api.github.localhost": "api",
            "github.localhost": "web"}
        self.way = names.get(host.lower(), "elsewhere") if parts else "plain"
        raw = target[target.index(host) + len(host):] if parts else target
        self.raw_path, _, self.raw_query = raw.partition("?")
        self.raw_path = self.raw_path or "/"
        self.prefix = "/api/v3" if self.way == "plain" and self.raw_path.startswith("/api/v3/") else ""
        self.raw_path = self.raw_path[len(self.prefix):]
        self.path = unquote(self.raw_path)
        self.query = dict(parse_qsl(self.raw_query, keep_blank_values=True))
        self.kind = "rest"  # or graphql, git, blob
        self.op, self.fields = None, []  # of GraphQL: operation name, root fields
        self.token = self.viewer = None
        if self.way == "api":
            self.api, self.web = "http://api.github.localhost", "http://github.localhost"
        else:
            self.web = "http://github.localhost" if self.way == "web" else forge.url
            self.api = self.web + self.prefix
        self.web = forge.web or self.web

    @property
    def now(self):
        return self.world.now()

    def json(self):
        """The body as an object; GitHub's 400 when it is not."""
        if not self.body:
            return {}
        try:
            value = json.loads(self.body)
        except ValueError:
            raise Refusal(400, "Problems parsing JSON") from None
        if not isinstance(value, dict):
            raise Refusal(400, "Body should be a JSON object")
        return value

    def blob_url(self, content_type, data):
        """Keeps `data` and returns a signed link to it, on another host than the API's."""
        name = hashlib.sha256(data).hexdigest()[:24]
        self.world.blobs[name] = (content_type, data)
        expires = int(time.time()) + 60
        host = "localhost" if self.way == "plain" else "127.0.0.1"
        return f"http://{host}:{self.forge.port}/_blob/{name}?se={expires}&sig={self.forge.sign(name, expires)}"


class Answer:
    def __init__(self, status, body=b"", headers=None):
        self.status, self.headers = status, dict(headers or {})
        if isinstance(body, (dict, list)):
            self.headers.setdefault("Content-Type", "application/json; charset=utf-8")
            body = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        self.body = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
