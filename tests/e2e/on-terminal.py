#!/usr/bin/env python3
"""Runs a command on a terminal of its own, and answers what it asks there.

    on-terminal.py PROMPT REPLY COMMAND [ARG…]

Types REPLY (`\\n`, `\\x03` and the like are escapes) as soon as PROMPT has been shown; an empty PROMPT: at
once. Prints what the terminal showed, and exits as COMMAND does: 128 + its signal, 124 when it takes longer
than 20 s.
"""

import os
import pty
import select
import signal
import sys
import time

TIMEOUT_S = 20


def converse(terminal, prompt, reply):
    """What was shown until the other side closed; None: not in time."""
    shown, end = b"", time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        if reply and prompt in shown:
            os.write(terminal, reply)
            reply = b""
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:  # EIO: nobody has it open any more
            data = b""
        if not data:
            return shown
        shown += data
    return None


def main():
    prompt, reply, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    shown = converse(terminal, prompt.encode(), reply.encode().decode("unicode_escape").encode("latin-1"))
    if shown is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return 124
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
