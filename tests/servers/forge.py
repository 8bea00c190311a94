#!/usr/bin/env python3
"""The forge: a stateful GitHub on 127.0.0.1 for kedge's tests and its demo.

    python3 tests/servers/forge.py --ready FILE [--seed NAME|FILE.json] [--web URL]
                                   [--parent PID] [--ttl SECONDS] [--log FILE.jsonl]

Started by test scripts and `make run`. When it accepts requests it writes FILE
(one line of JSON with port, url and pid); it ends with its parent, on SIGTERM or
after --ttl seconds, and leaves nothing behind. README.md beside this file says
what it holds and how tests steer it; the parts are in forge/.
"""

import sys

sys.dont_write_bytecode = not sys.pycache_prefix  # a checkout stays as it is

import argparse
import json
import os
import shutil
import signal
import tempfile
import threading
import time

from forge.seed import SEEDS
from forge.wire import Forge


def read_options():
    parser = argparse.ArgumentParser(description="a stateful GitHub on 127.0.0.1, for tests")
    parser.add_argument("--ready", metavar="FILE", help="written when requests are accepted")
    parser.add_argument("--seed", default="default", help=f"{', '.join(SEEDS)} or a file of JSON")
    parser.add_argument("--web", metavar="URL", help="base of html_url and url in answers, such as https://github.com")
    parser.add_argument("--parent", type=int, metavar="PID", help="end when this process is gone")
    parser.add_argument("--ttl", type=float, default=1800, metavar="SECONDS")
    parser.add_argument("--log", metavar="FILE", help="append every request as a line of JSON")
    return parser.parse_args()


def read_seed(name):
    if name in SEEDS:
        return SEEDS[name]
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def write_ready(path, server):
    line = json.dumps({"ready": True, "port": server.port, "url": server.url, "pid": os.getpid()}, separators=(",", ":"))
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(line + "\n")
    os.rename(path + ".tmp", path)


def is_alive(pid):
    """A zombie counts as gone; so does a process id that never was."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except FileNotFoundError:
        if os.path.isdir("/proc/self"):
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def watch(options, stop):
    """Sets `stop` when the parent is gone or the time is over."""
    end = time.monotonic() + options.ttl
    while not stop.wait(0.2):
        if time.monotonic() > end or (options.parent and not is_alive(options.parent)):
            stop.set()


def main():
    options = read_options()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    root = tempfile.mkdtemp(prefix="kedge-forge-")
    log_file = open(options.log, "a", encoding="utf-8") if options.log else None
    try:
        server = Forge(read_seed(options.seed), root, options.web, log_file)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        threading.Thread(target=watch, args=(options, stop), daemon=True).start()
        if options.ready:
            write_ready(options.ready, server)
        else:
            print(server.url, flush=True)
        while not stop.wait(0.5):  # a signal's function runs between two waits, whichever thread the signal came to
            pass
        server.shutdown()
        with server.world.lock:  # let a transfer end before its repository goes
            shutil.rmtree(root, ignore_errors=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)
        if log_file:
            log_file.close()
    return 0


if __name__ == "__main__":
    exit_code = main()
    sys.stdout.flush()
    os._exit(exit_code)  # threads that still serve a client do not hold us up
