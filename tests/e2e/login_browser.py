#!/usr/bin/env python3
"""`kedge login openrouter` on a terminal, with a provider's server and a browser of the test's own.

    login_browser.py KEDGE browser|address|code|key|denied|stranger|late|interrupted

Prints what kedge wrote on its terminal; the exit code is kedge's (of a signal: 128 and its number).
"""
import base64
import hashlib
import http.server
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

KEY = "sk-or-v1-browser-0123456789"
challenges = {}  # of the codes that were given out


class Provider(http.server.BaseHTTPRequestHandler):
    """POST /api/v1/auth/keys, as documented."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        digest = hashlib.sha256(body["code_verifier"].encode()).digest()
        is_right = challenges.pop(body["code"], None) == base64.urlsafe_b64encode(digest).decode().rstrip("=")
        is_right = is_right and body["code_challenge_method"] == "S256" and self.path == "/api/v1/auth/keys"
        answer = {"key": KEY, "user_id": "u1"} if is_right else {"error": {"message": "Invalid code or code_verifier", "code": 403}}
        data = json.dumps(answer).encode()
        self.send_response(200 if is_right else 403)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def visit(url):
    """What the browser gets; the status of an error."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        # the name may lead elsewhere first where there is IPv6; a browser tries both
        with opener.open(url.replace("//localhost:", "//127.0.0.1:"), timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def main():
    kedge, case = sys.argv[1:]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    agent = pathlib.Path(os.environ["HOME"], ".kedge/agent")
    agent.mkdir(parents=True, exist_ok=True)
    (agent / "models.yml").write_text(f'providers:\n  openrouter: {{ baseUrl: "{base}/api/v1" }}\n')

    main_end, tty = pty.openpty()

    def own():
        os.setsid()
        os.close(os.open(os.ttyname(tty), os.O_RDWR))  # becomes the controlling terminal

    env = os.environ | ({"KEDGE_LOGIN_TIMEOUT_MS": "1"} if case == "late" else {})
    child = subprocess.Popen([kedge, "login", "openrouter"], stdin=tty, stdout=tty, stderr=tty, preexec_fn=own, env=env)
    os.close(tty)
    seen = b""

    def read_until(words):
        nonlocal seen
        while words not in seen:
            try:
                piece = os.read(main_end, 4096)
            except OSError:  # it has ended
                return
            if not piece:
                return
            seen += piece

    read_until(b"not shown): ")
    page = urllib.parse.urlsplit(re.search(r"http://\S+/auth\?\S+", seen.decode()).group())
    assert f"{page.scheme}://{page.netloc}" == base, page
    fields = dict(urllib.parse.parse_qsl(page.query))
    assert fields["code_challenge_method"] == "S256", fields
    back = fields["callback_url"]
    challenges["the-code"] = fields["code_challenge"]
    if case == "browser":
        assert visit(urllib.parse.urljoin(back, "/favicon.ico")) == 404
        assert visit(urllib.parse.urljoin(back, "/callback/guessed?code=evil")) == 404
        assert visit(back + "?code=the-code") == 200
    elif case == "denied":
        assert visit(back + "?error=access_denied") == 200
    elif case == "stranger":
        assert visit(back + "?code=made-up") == 200
    elif case == "interrupted":
        child.send_signal(signal.SIGINT)
    elif case != "late":
        pasted = {"address": back + "?code=the-code", "code": "the-code", "key": KEY}
        while termios.tcgetattr(main_end)[3] & termios.ECHO:  # what is typed before is thrown away
            assert child.poll() is None, seen
            time.sleep(0.01)
        os.write(main_end, pasted[case].encode() + b"\n")
    read_until(b"\0")  # to the end: there is none
    code = child.wait(30)
    assert KEY.encode() not in seen and b"the-code" not in seen, seen
    print(seen.decode().replace("\r\n", "\n"))
    sys.exit(128 - code if code < 0 else code)


main()
