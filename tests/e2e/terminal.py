"""Runs a command in a terminal of its own, for tests in sh.

    terminal.py [--answer MARK=TEXT]… COMMAND…

Each TEXT is typed, with Enter (but for one that ends in Ctrl-C), once MARK has been printed behind the MARK before it. What the terminal got goes to stdout as it came;
the exit status is the command's. Ends after 30 s at the latest.
"""

import os
import pty
import select
import sys
import time


def main():
    words, answers = sys.argv[1:], []
    while words and words[0] == "--answer":
        answers.append(words[1].split("=", 1))
        words = words[2:]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(words[0], words)
    seen, looked_at, deadline = b"", 0, time.monotonic() + 30
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
        if answers and (found := seen.find(answers[0][0].encode(), looked_at)) >= 0:
            mark, text = answers.pop(0)
            looked_at = found + len(mark.encode())
            os.write(terminal, text.encode() + (b"" if text.endswith("\x03") else b"\n"))
    else:
        os.kill(pid, 9)
    sys.stdout.buffer.write(seen)
    sys.stdout.flush()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)


if __name__ == "__main__":
    main()
