#!/usr/bin/env python3
"""A private PostgreSQL server for tests, on 127.0.0.1 and a port the kernel chooses.

    postgres.py --ready FILE --parent PID [--ttl SECONDS]

Writes {"url": …, "bad_url": …, "pid": …} into FILE when the server answers: bad_url has a wrong password. The cluster
lies in a temporary directory that is removed at the end; durable settings are off, it is only a test's. Ends with the
parent process, after the time to live, or by SIGTERM. Exit status 77: no PostgreSQL is installed here.
"""
import argparse
import glob
import json
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SETTINGS = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=60", "shared_buffers=32MB",
            "listen_addresses=127.0.0.1", "password_encryption=scram-sha-256", "logging_collector=off", "autovacuum=off"]


def find_binaries():
    places = [shutil.which("initdb"), *sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), reverse=True)]
    return next((pathlib.Path(place).parent for place in places if place and not os.path.islink(place)), None)


def owner():
    """The server refuses to run as root."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ready", required=True, type=pathlib.Path)
    parser.add_argument("--parent", required=True, type=int)
    parser.add_argument("--ttl", type=float, default=300)
    options = parser.parse_args()
    binaries = find_binaries()
    if not binaries:
        print("no PostgreSQL server here", file=sys.stderr)
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="kedge-pg-", ignore_cleanup_errors=True) as folder:
        return serve(options, binaries, pathlib.Path(folder))


def serve(options, binaries, folder):
    user = owner()
    as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    password = secrets.token_hex(12)
    secret, data = folder / "password", folder / "data"
    secret.write_text(password)
    if user:
        for path in (folder, secret):
            os.chown(path, user.pw_uid, user.pw_gid)
    environment = {"PATH": f"{binaries}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(folder), "TZ": "UTC"}
    subprocess.run([binaries / "initdb", "-D", data, "-U", "kedge", "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "-N"],
                   check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, **as_user)
    secret.unlink()
    port = free_port()
    arguments = [part for setting in SETTINGS for part in ("-c", setting)]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen([binaries / "postgres", "-D", data, "-p", str(port), "-k", folder, *arguments], cwd=folder,
                                  env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **as_user)
    try:
        until = time.monotonic() + 30
        while b"ready to accept connections" not in (folder / "log").read_bytes():
            if server.poll() is not None or time.monotonic() > until:
                sys.stderr.write((folder / "log").read_text(errors="replace"))
                return 1
            time.sleep(0.02)
        base = f"@127.0.0.1:{port}/postgres"
        ready = {"url": f"postgres://kedge:{password}{base}", "bad_url": f"postgres://kedge:hunter2-wrong{base}", "pid": server.pid}
        partial = options.ready.with_suffix(".partial")
        partial.write_text(json.dumps(ready))
        partial.rename(options.ready)
        until = time.monotonic() + options.ttl
        while time.monotonic() < until and server.poll() is None and os.path.exists(f"/proc/{options.parent}"):
            time.sleep(0.1)
        return 0
    finally:
        server.send_signal(signal.SIGQUIT)  # at once: nothing here is kept
        server.wait()


if __name__ == "__main__":
    sys.exit(main())
