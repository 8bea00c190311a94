#!/usr/bin/env python3
"""Runs kedge against a model server that refuses connections at first.

    refuse-first.py N MODEL_URL COMMAND [ARG…]

The command's ANTHROPIC_BASE_URL is a port that nobody listens on until its JSON events have told of the Nth retry;
from then on MODEL_URL answers there. Prints what the command prints, and exits as it does.
"""

import os
import socket
import subprocess
import sys
import threading
import urllib.parse


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(listener, address):
    while True:
        client, _ = listener.accept()
        server = socket.create_connection(address)
        for pair in ((client, server), (server, client)):
            threading.Thread(target=pump, args=pair, daemon=True).start()


def main():
    refused, model, command = int(sys.argv[1]), urllib.parse.urlsplit(sys.argv[2]), sys.argv[3:]
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))  # reserved; who connects is refused until listen()
    env = os.environ | {"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{listener.getsockname()[1]}"}
    child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    retries = 0
    for line in child.stdout:
        sys.stdout.buffer.write(line)
        retries += b'"auto_retry_start"' in line
        if refused > 0 and retries == refused:
            refused = 0
            listener.listen()
            threading.Thread(target=serve, args=(listener, (model.hostname, model.port)), daemon=True).start()
    return child.wait()


if __name__ == "__main__":
    sys.exit(main())
