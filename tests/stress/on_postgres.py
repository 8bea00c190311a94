#!/usr/bin/env python3
"""Runs a stress test on a PostgreSQL server of its own (servers/postgres.py), which is gone afterwards.

    tests/stress/on_postgres.py task_stress.py [ARG…]

Skipped (TAP) where no PostgreSQL server is installed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def main():
    with tempfile.TemporaryDirectory(prefix="kedge-pg-stress-") as folder:
        ready = pathlib.Path(folder) / "ready"
        server = subprocess.Popen([sys.executable, HERE.parent / "servers/postgres.py", "--ready", ready, "--parent", str(os.getpid()),
                                   "--ttl", "1200"])
        try:
            while not ready.exists():
                if server.poll() is not None:
                    print("1..0 # SKIP no PostgreSQL server here")
                    return 0
                time.sleep(0.02)
            url = json.loads(ready.read_text())["url"]
            return subprocess.call([sys.executable, HERE / sys.argv[1], *sys.argv[2:], "--db", url])
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
