#!/usr/bin/env python3
"""tools/count-tests: what counts as passed, as passed on a rerun, as failed and as skipped."""
import json
import os
import subprocess
import sys
import tempfile

COUNT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "count-tests")


def result(name, outcome="OK", stdout="", stderr=""):
    return {"name": name, "result": outcome, "stdout": stdout, "stderr": stderr}


CASES = [
    # name, log of the run, log of the first run (None: there was one run), other arguments, expected line and status
    ("a TAP test counts its claims", [result("a", stdout="ok 1 - x\nok 2 - y\n1..2\n")], None, [], "2 passed, 0 failed", 0),
    ("any other counts as one", [result("a", stdout="[       OK ] x\n[       OK ] y\n")], None, [], "1 passed, 0 failed", 0),
    ("a failed claim", [result("a", "FAIL", "ok 1 - x\nnot ok 2 - y\n")], None, [], "1 passed, 1 failed", 1),
    ("one that died", [result("a", "TIMEOUT", "ok 1 - x\n")], None, [], "1 passed, 1 failed", 1),
    ("a claim that is left out is skipped", [result("a", stdout="ok 1 - x # SKIP no server\nok 2 - y\n")], None, [],
     "1 passed, 0 failed, 1 skipped", 0),
    ("so is a case of a cmocka program", [result("a", stdout="[  SKIPPED ] x\n",
                                                stderr="[  SKIPPED ] 1 test(s), listed below:\n")], None, [],
     "1 passed, 0 failed, 1 skipped", 0),
    ("and of a unittest", [result("a", stderr="Ran 5 tests\n\nOK (skipped=2)\n")], None, [], "1 passed, 0 failed, 2 skipped", 0),
    ("a whole test that is left out", [result("a", "SKIP"), result("b")], None, [], "1 passed, 0 failed, 1 skipped", 0),
    ("a rerun is told", [result("b")], [result("a"), result("b", "FAIL")], [], "2 passed (1 on rerun), 0 failed", 0),
    ("a rerun that failed again", [result("b", "FAIL")], [result("a"), result("b", "FAIL")], [], "1 passed, 1 failed", 1),
    ("nothing ran", [], None, [], "0 passed, 0 failed", 1),
    ("a step that failed beside the tests", [result("a")], None, ["--failures", "1"], "1 passed, 1 failed", 1),
    ("a failed test is not counted twice", [result("a", "FAIL")], None, ["--failures", "1"], "0 passed, 1 failed", 1),
    ("the log of another run adds its last line", [result("a")], None, ["--and", "LOG"],
     "11 passed (2 on rerun), 0 failed, 3 skipped", 0),
    ("a log that was not written is a failure", [result("a")], None, ["--and", "NONE"], "1 passed, 1 failed", 1),
]


def write(path, tests):
    with open(path, "w", encoding="utf-8") as log:
        log.writelines(json.dumps(test) + "\n" for test in tests)


def main():
    failed = 0
    for number, (name, last, first, arguments, want, status) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            logs = f"{folder}/meson-logs"
            os.mkdir(logs)
            write(f"{logs}/testlog.json", last)
            if first is not None:
                write(f"{logs}/first.json", first)
            with open(f"{folder}/log", "w", encoding="utf-8") as log:
                log.write("3 passed, 0 failed\nmore\n10 passed (2 on rerun), 0 failed, 3 skipped\n")
            arguments = [{"LOG": f"{folder}/log", "NONE": f"{folder}/none"}.get(word, word) for word in arguments]
            before = arguments if arguments[:1] == ["--failures"] else []
            after = [] if before else arguments
            run = subprocess.run([sys.executable, COUNT, *before, folder, *after], capture_output=True, text=True, check=False)
            is_good = run.stdout.strip() == want and run.returncode == status
            failed += not is_good
            print(f"{'ok' if is_good else 'not ok'} {number} - {name}")
            if not is_good:
                print(f"# {run.stdout!r} {run.returncode} {run.stderr}")
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
