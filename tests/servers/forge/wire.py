"""HTTP: one request's way from the socket to an answer, for all ways in.

Plain base URL, GitHub Enterprise prefixes (/api/v3, /api/graphql), or as an HTTP
proxy for http://api.github.localhost and http://github.localhost. Here are the
token check, ETags, rate-limit headers, faults, the request log and git's smart
HTTP; what is answered is in rest.py, gql_exec.py and controls.py. Started by
../forge.py, one thread a connection.
"""

import base64
import gzip
import hashlib
import hmac
import json
import re
import secrets
import socket
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import controls, faults, gql_exec, pulls, rest
from .message import Answer, Request
from .model import Refusal
from .state import World

DOCS = "https://docs.github.com"
MAX_BODY = 64 << 20
LIMITS = {"core": 5000, "search": 30, "code_search": 10, "graphql": 5000}
GIT_PATH = re.compile(r"/([^/]+)/([^/]+?)(?:\.git)?/(info/refs|git-upload-pack|git-receive-pack)")


class Forge(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, seed, root, web=None, log_file=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.port = self.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.web = web.rstrip("/") if web else None
        self.world = World(seed, root)
        self.faults = faults.Faults()
        self.quota = {}  # (login, resource) -> [remaining, reset at (unix seconds)]
        self.entries, self.log_file = [], log_file
        self.log_lock = threading.Lock()
        self.secret = secrets.token_bytes(16)

    def sign(self, name, expires):
        return hmac.new(self.secret, f"{name}{expires}".encode(), "sha256").hexdigest()[:32]

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)

    # ---- the log

    def begin_entry(self, request):
        auth = request.headers.get("Authorization", "")
        entry = {
            "n": 0, "at": int(time.time() * 1000), "kind": request.kind, "way": request.way, "method": request.method,
            "path": request.path, "query": request.raw_query, "headers": {
                key.lower(): value for key, value in request.headers.items()
                if key.lower() not in ("authorization", "proxy-authorization")},
            "auth": auth.split(" ")[0].lower() or None, "login": None,
            "body": loggable(request), "op": request.op, "fields": request.fields, "status": None, "bytes": 0, "ms": None,
        }
        with self.log_lock:
            entry["n"] = len(self.entries) + 1
            self.entries.append(entry)
        return entry

    def end_entry(self, entry):
        if self.log_file:
            with self.log_lock:
                self.log_file.write(json.dumps(entry, ensure_ascii=False) + "\n")
                self.log_file.flush()

    # ---- quotas

    def take_quota(self, request, cost):
        """Counts a request; returns the headers. By itself a quota never falls below 1: only tests empty it."""
        path = request.path
        resource = "core"
        if request.kind == "graphql":
            resource = "graphql"
        elif path.startswith("/search/"):
            resource = "code_search" if path == "/search/code" else "search"
        limit = LIMITS[resource] if request.viewer else 60
        key = (request.viewer.login if request.viewer else None, resource)
        now = request.now // 1000
        row = self.quota.get(key)
        if row is None or row[1] <= now:
            row = self.quota[key] = [limit, now + (60 if "search" in resource else 3600)]
        is_over = row[0] == 0
        if cost and row[0] > 1:
            row[0] -= 1
        return is_over, {
            "X-RateLimit-Limit": str(limit), "X-RateLimit-Remaining": str(row[0]), "X-RateLimit-Used": str(limit - row[0]),
            "X-RateLimit-Reset": str(row[1]), "X-RateLimit-Resource": resource,
        }


def loggable(request):
    if not request.body:
        return None
    if request.kind == "git":
        return {"bytes": len(request.body)}
    text = request.body[:200000].decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


class Dropped(Exception):
    """A fault closes the connection here."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 120

    def log_message(self, *args):
        pass

    def do_CONNECT(self):
        self.send_error(502, "the forge is a proxy for http://*.github.localhost only")

    def handle_any(self):
        body = self.read_body()
        if body is None:
            return
        try:
            request = Request(self.server, self.command, self.path, self.headers, body)
        except ValueError:
            return self.send(Answer(400, {"message": "bad request target"}))
        if request.way == "plain" and request.path.startswith("/_forge/"):
            return self.send(controls.handle(request))
        if request.way == "elsewhere":
            return self.send(Answer(502, f"forge: no way to {self.path}\n", {"Content-Type": "text/plain"}))
        self.classify(request)
        started = time.monotonic()
        entry = self.server.begin_entry(request)
        try:
            answer = self.answer_or_fault(request, entry)
            entry["login"] = request.viewer.login if request.viewer else None
            entry["status"], entry["bytes"] = answer.status, len(answer.body)
            entry["ms"] = round((time.monotonic() - started) * 1000, 1)
            self.send(answer, getattr(answer, "fault", None))
        except Dropped:
            entry["status"] = 0
            self.hang_up()
        finally:
            self.server.end_entry(entry)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any

    # ---- in

    def read_body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            parts, total = [], 0
            while True:
                size = int(self.rfile.readline(100).split(b";")[0] or b"0", 16)
                if size == 0:
                    break
                total += size
                if total > MAX_BODY:
                    self.send_error(413)
                    return None
                parts.append(self.rfile.read(size))
                self.rfile.readline(10)
            while self.rfile.readline(1000) not in (b"\r\n", b"\n", b""):
                pass
            return b"".join(parts)
        size = int(self.headers.get("Content-Length") or 0)
        if size > MAX_BODY:
            self.send_error(413)
            return None
        return self.rfile.read(size) if size else b""

    def classify(self, request):
        if request.path.startswith("/_blob/"):
            request.kind = "blob"
        elif GIT_PATH.fullmatch(request.path) and request.way != "api":
            request.kind = "git"
        elif request.raw_path in ("/graphql", "/api/graphql") and not request.prefix:
            request.kind = "graphql"
            request.op, request.fields = gql_exec.names(request.body)

    # ---- answering

    def answer_or_fault(self, request, entry):
        forge = self.server
        with forge.world.lock:
            fault = forge.faults.take(request)
        if fault:
            entry["fault"] = fault["id"]
            if fault.get("drop") == "before":
                raise Dropped
            if fault.get("delay_ms"):
                time.sleep(fault["delay_ms"] / 1000)
            made = faults.answer(fault, request.kind, DOCS, request.now // 1000 + fault.get("reset_in", 60))
            if made:
                self.authenticate(request)
                answer = Answer(made[0], made[2], {**self.common_headers(request), **made[1]})
                answer.fault = fault
                return answer
        answer = getattr(self, "answer_" + request.kind)(request, entry)
        answer.fault = fault
        return answer

    def authenticate(self, request):
        """Sets viewer and token; False when a token was sent and is not known."""
        scheme, _, value = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            user, _, password = base64.b64decode(value + "==").decode("utf-8", "replace").partition(":")
            value = password if password not in ("", "x-oauth-basic") else user
        elif scheme.lower() not in ("bearer", "token"):
            return True
        request.token = self.server.world.tokens.get(value.strip())
        request.viewer = request.token and self.server.world.user(request.token.login)
        return request.token is not None

    def common_headers(self, request):
        headers = {
            "Server": "github.com", "X-GitHub-Request-Id": secrets.token_hex(8).upper(), "X-GitHub-Media-Type": "github.v3; format=json",
            "Access-Control-Expose-Headers": "ETag, Link, Retry-After, X-RateLimit-Limit", "Vary": "Accept, Authorization",
        }
        if request.headers.get("X-GitHub-Api-Version"):
            headers["X-GitHub-Api-Version-Selected"] = request.headers["X-GitHub-Api-Version"]
        if request.token and request.token.token.startswith("ghp_"):
            headers["X-OAuth-Scopes"] = "repo, read:org, workflow, gist"
        return headers

    def answer_rest(self, request, entry):
        if request.way == "web":
            return Answer(404, "Not Found\n", {"Content-Type": "text/html; charset=utf-8"})
        known = self.authenticate(request)
        with self.server.world.lock:
            is_over, quota = self.server.take_quota(request, cost=False)
            try:
                if not known:
                    raise Refusal(401, "Bad credentials")
                if is_over:
                    raise Refusal(403, f"API rate limit exceeded for user ID {request.viewer.id if request.viewer else 0}.")
                answer = rest.handle(request)
            except Refusal as refusal:
                answer = Answer(refusal.status, refusal_body(refusal))
            except KeyError as error:
                answer = Answer(422, refusal_body(Refusal(422, f"Invalid request.\n\n{error} wasn't supplied.")))
            except Exception as error:  # a bug of ours: show it, do not hang the test
                self.server.handle_error(None, None)
                answer = Answer(500, {"message": f"forge: {type(error).__name__}: {error}"})
            if request.method in ("GET", "HEAD") and answer.status == 200 and "ETag" not in answer.headers:
                tag = hashlib.sha256(answer.body + request.headers.get("Accept", "").encode()).hexdigest()
                answer.headers["ETag"] = f'W/"{tag}"'
                answer.headers.setdefault("Cache-Control", "private, max-age=60, s-maxage=60")
                if tag in request.headers.get("If-None-Match", ""):
                    answer = Answer(304, b"", answer.headers)
            _, quota = self.server.take_quota(request, cost=answer.status not in (304, 401))
        answer.headers = {**self.common_headers(request), **quota, **answer.headers}
        return answer

    def answer_graphql(self, request, entry):
        if not self.authenticate(request):
            body = {"message": "Bad credentials", "documentation_url": DOCS + "/graphql", "status": "401"}
            return Answer(401, body, self.common_headers(request))
        if request.viewer is None:
            body = {
                "message": "This endpoint requires you to be authenticated.", "status": "401",
                "documentation_url": DOCS + "/graphql/guides/forming-calls-with-graphql#authenticating-with-graphql",
            }
            return Answer(401, body, self.common_headers(request))
        with self.server.world.lock:
            is_over, quota = self.server.take_quota(request, cost=True)
            if is_over:
                message = f"API rate limit already exceeded for user ID {request.viewer.id}."
                body = {"errors": [{"type": "RATE_LIMITED", "message": message}]}
                return Answer(200, body, {**self.common_headers(request), **quota})
            try:
                status, body = gql_exec.handle(request)
            except Exception as error:
                self.server.handle_error(None, None)
                status, body = 500, {"message": f"forge: {type(error).__name__}: {error}"}
        if "errors" in body:
            entry["errors"] = [error["message"] for error in body["errors"]]
        headers = self.common_headers(request)
        headers["X-GitHub-Media-Type"] = "github.v4; format=json"
        return Answer(status, body, {**headers, **quota})

    def answer_blob(self, request, entry):
        name = request.path.removeprefix("/_blob/")
        content_type, data = self.server.world.blobs.get(name, (None, None))
        if request.headers.get("Authorization"):
            entry["leaked_auth"] = True
            return Answer(400, "<Error><Code>InvalidAuthenticationInfo</Code></Error>", {"Content-Type": "application/xml"})
        expires = request.query.get("se", "")
        is_signed = hmac.compare_digest(request.query.get("sig", ""), self.server.sign(name, expires))
        if data is None or not is_signed or int(expires) < time.time():
            return Answer(403, "<Error><Code>AuthenticationFailed</Code></Error>", {"Content-Type": "application/xml"})
        return Answer(200, data, {"Content-Type": content_type})

    def answer_git(self, request, entry):
        world = self.server.world
        owner, name, rest_path = GIT_PATH.fullmatch(request.path).groups()
        is_push = "git-receive-pack" in (rest_path, request.query.get("service"))
        known = self.authenticate(request)
        text = {"Content-Type": "text/plain; charset=utf-8"}
        login_wanted = {**text, "WWW-Authenticate": 'Basic realm="GitHub"'}
        if not known:
            return Answer(401, "Invalid username or token. Password authentication is not supported for Git operations.\n", login_wanted)
        repo = world.repo(f"{owner}/{name}", request.viewer, seen_by_all=False)
        if request.viewer is None and (is_push or repo is None):
            return Answer(401, "Repository not found.\n" if repo is None else "No anonymous write access.\n", login_wanted)
        if repo is None:
            return Answer(404, "Repository not found.\n", text)
        if is_push:
            if repo.archived:
                return Answer(403, "This repository was archived so it is read-only.\n", text)
            if not request.token.may_write("contents"):
                return Answer(403, "Write access to repository not granted.\n", text)
            if not self.may_push(repo, request.viewer):
                return Answer(403, f"Permission to {repo.full_name}.git denied to {request.viewer.login}.\n", text)
        body = request.body
        if request.headers.get("Content-Encoding") == "gzip":
            body = zlib.decompress(body, 47)
            del request.headers["Content-Encoding"]
        if rest_path != "git-receive-pack":
            return Answer(*self.git_answer(repo, rest_path, request, body))
        with world.lock:  # one push at a time, and no reader sees half of what it moves
            before = world.git.refs(repo.full_name, "refs/heads", "refs/tags")
            answer = Answer(*self.git_answer(repo, rest_path, request, body))
            entry["pushed"] = pulls.after_push(world, repo, before, request.viewer)
        return answer

    def git_answer(self, repo, rest_path, request, body):
        login = request.viewer.login if request.viewer else None
        status, headers, out = self.server.world.git.serve(
            repo.full_name, rest_path, request.method, request.raw_query, request.headers, body, login)
        return status, out, headers

    def may_push(self, repo, viewer):
        if self.server.world.can_write(repo, viewer):
            return True
        # maintainers of the parent may push to a fork whose open pull request allows it
        return bool(repo.parent) and self.server.world.can_write(repo.parent, viewer) and any(
            item.is_pull and not item.closed_at and item.head_repo is repo and item.maintainer_can_modify
            for item in repo.parent.items.values())

    # ---- out

    def send(self, answer, fault=None):
        fault = fault or {}
        body = answer.body
        if "truncate" in fault:
            body = body[:fault["truncate"]]
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        if is_json and len(body) > 1000 and not fault and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            answer.headers["Content-Encoding"] = "gzip"
        lines = [f"HTTP/1.1 {answer.status} {self.responses.get(answer.status, ('Unknown',))[0]}"]
        headers = {"Date": self.date_time_string(), **answer.headers}
        if answer.status not in (204, 304):
            headers["Content-Length"] = str(len(body))
        lines += [f"{key}: {value}" for key, value in headers.items()]
        head = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n"
        if self.command == "HEAD" or answer.status in (204, 304):
            body = b""
        if fault.get("drop") == "mid":
            self.wfile.write(head + body[: len(body) // 2])
            return self.hang_up()
        if fault.get("chunk_ms"):
            self.wfile.write(head)
            step = fault.get("chunk_bytes", 16)
            for at in range(0, len(body), step):
                self.wfile.write(body[at:at + step])
                time.sleep(fault["chunk_ms"] / 1000)
            return None
        self.wfile.write(head + body)
        return None

    def hang_up(self):
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def refusal_body(refusal):
    body = {"message": refusal.message}
    if refusal.errors is not None:
        body["errors"] = refusal.errors
    body["documentation_url"] = DOCS + "/rest"
    body["status"] = str(refusal.status)
    return body
