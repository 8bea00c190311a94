#!/usr/bin/env python3
"""A private SSH server for tests, on 127.0.0.1 and a port the kernel chooses.

    sshd.py --ready FILE --parent PID --dir DIR [--ttl SECONDS]

The system's sshd serves each connection (`sshd -i`) with a key of its own, and lets in who has DIR/key, as the user that
runs it. Writes {"port": …} into FILE when it can be reached; DIR gets key, host_key.pub and log. `touch DIR/rekey` gives the
connections after it another key of the host. Ends with the parent process, after the time to live, or by SIGTERM. Exit
status 77: no sshd is installed here.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

CONFIG = """\
HostKey {dir}/{host_key}
AuthorizedKeysFile {dir}/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PubkeyAuthentication yes
PermitRootLogin yes
UseDNS no
LogLevel VERBOSE
MaxStartups 100
"""


def find_sshd():
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin:/sbin")


def make_key(path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path], check=True,
                   stdin=subprocess.DEVNULL)


def write_config(folder, host_key):
    path = folder / f"config-{host_key}"
    path.write_text(CONFIG.format(dir=folder, host_key=host_key))
    return path


def prepare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("key", "host_key", "other_key"):
        make_key(folder / name)
    if os.geteuid() == 0:
        # where it locks up what is not logged in yet; its package makes it when the machine starts
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    return {name: write_config(folder, name) for name in ("host_key", "other_key")}


def serve(options, sshd):
    configs = prepare(options.dir)
    deadline = time.monotonic() + options.ttl
    children = []
    with socket.create_server(("127.0.0.1", 0)) as server, open(options.dir / "log", "ab") as log:
        server.settimeout(0.2)
        staged = options.ready.with_suffix(".new")
        staged.write_text(json.dumps({"port": server.getsockname()[1]}))
        staged.rename(options.ready)
        while os.getppid() == options.parent and time.monotonic() < deadline:
            children = [child for child in children if child.poll() is None]
            try:
                connection, _ = server.accept()
            except TimeoutError:
                continue
            config = configs["other_key" if (options.dir / "rekey").exists() else "host_key"]
            with connection:
                connection.setblocking(True)
                children.append(subprocess.Popen([sshd, "-i", "-e", "-f", config], stdin=connection, stdout=connection,
                                                 stderr=log, close_fds=True))
    return children


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ready", required=True, type=pathlib.Path)
    parser.add_argument("--parent", required=True, type=int)
    parser.add_argument("--dir", required=True, type=pathlib.Path)
    parser.add_argument("--ttl", type=float, default=300)
    options = parser.parse_args()
    sshd = find_sshd()
    if not sshd:
        print("no sshd here", file=sys.stderr)
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    for child in serve(options, sshd):
        child.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
