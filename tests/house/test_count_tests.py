#!/usr/bin/env python3
"""tools/count-tests: what counts as passed, as failed and as skipped, and which test of suite `fast` is too slow."""
import json
import os
import subprocess
import sys
import tempfile

COUNT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "count-tests")


def result(name, outcome="OK", stdout="", stderr=""):
    return {"name": name, "result": outcome, "stdout": stdout, "stderr": stderr}


def times(user, system):
    """What tools/timed adds."""
    return f"\n== times\n0m0.000000s 0m0.000000s\n{user} {system}\n"


CASES = [
    # name, log of the run, arguments before the folder, arguments after it, expected last line and status
    ("a TAP test counts its claims", [result("a", stdout="ok 1 - x\nok 2 - y\n1..2\n")], [], [], "2 passed, 0 failed", 0),
    ("any other counts as one", [result("a", stdout="[       OK ] x\n[       OK ] y\n")], [], [], "1 passed, 0 failed", 0),
    ("a failed claim", [result("a", "FAIL", "ok 1 - x\nnot ok 2 - y\n")], [], [], "1 passed, 1 failed", 1),
    ("one that died", [result("a", "TIMEOUT", "ok 1 - x\n")], [], [], "1 passed, 1 failed", 1),
    ("a claim that is left out is skipped", [result("a", stdout="ok 1 - x # SKIP no server\nok 2 - y\n")], [], [],
     "1 passed, 0 failed, 1 skipped", 0),
    ("so is a case of a cmocka program", [result("a", stdout="[  SKIPPED ] x\n",
                                                stderr="[  SKIPPED ] 1 test(s), listed below:\n")], [], [],
     "1 passed, 0 failed, 1 skipped", 0),
    ("and of a unittest", [result("a", stderr="Ran 5 tests\n\nOK (skipped=2)\n" + times("0m0.1s", "0m0.1s"))], [], [],
     "1 passed, 0 failed, 2 skipped", 0),
    ("a whole test that is left out", [result("a", "SKIP"), result("b")], [], [], "1 passed, 0 failed, 1 skipped", 0),
    ("nothing ran", [], [], [], "0 passed, 0 failed", 1),
    ("a step that failed beside the tests", [result("a")], ["--failures", "1"], [], "1 passed, 1 failed", 1),
    ("a failed test is not counted twice", [result("a", "FAIL")], ["--failures", "1"], [], "0 passed, 1 failed", 1),
    ("the log of another run adds its last line", [result("a")], [], ["--and", "LOG"], "11 passed, 0 failed, 3 skipped", 0),
    ("a log that was not written is a failure", [result("a")], [], ["--and", "NONE"], "1 passed, 1 failed", 1),
    ("a fast test", [result("kedge:unit+base+fast / a", stderr=times("0m0.9s", "0m0.1s"))], ["--limit"], [],
     "1 passed, 0 failed", 0),
    ("a fast test that is not", [result("kedge:fast+unit / a", stderr=times("0m0.9s", "0m0.2s"))], ["--limit"], [],
     "1 passed, 1 failed", 1),
    ("minutes count, and standard output", [result("kedge:unit+fast / a", stdout=times("1m0.000000s", "0m0.000000s"))],
     ["--limit"], [], "1 passed, 1 failed", 1),
    ("another test may take its time", [result("kedge:unit / fast", stderr=times("0m9.9s", "0m0.1s"))], ["--limit"], [],
     "1 passed, 0 failed", 0),
    ("so may all where no limit is asked for", [result("kedge:unit+fast / a", stderr=times("0m9.9s", "0m0.1s"))], [], [],
     "1 passed, 0 failed", 0),
]


def write(path, tests):
    with open(path, "w", encoding="utf-8") as log:
        log.writelines(json.dumps(test) + "\n" for test in tests)


def main():
    failed = 0
    for number, (name, tests, before, after, want, status) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/meson-logs")
            write(f"{folder}/meson-logs/testlog-timed.json", tests)
            with open(f"{folder}/log", "w", encoding="utf-8") as log:
                log.write("3 passed, 0 failed\nmore\n10 passed, 0 failed, 3 skipped\n")
            after = [{"LOG": f"{folder}/log", "NONE": f"{folder}/none"}.get(word, word) for word in after]
            run = subprocess.run([sys.executable, COUNT, *before, folder, *after], capture_output=True, text=True, check=False)
            is_good = run.stdout.splitlines()[-1] == want and run.returncode == status
            failed += not is_good
            print(f"{'ok' if is_good else 'not ok'} {number} - {name}")
            if not is_good:
                print(f"# {run.stdout!r} {run.returncode} {run.stderr}")
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
