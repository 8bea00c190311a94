"""What the stress tests of sessions and tools share: claims, and cases told as TAP."""
import resource
import subprocess


class Failure(Exception):
    """A claim that does not hold."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


def run_cases(cases, make_place):
    """Each case is (name, function of its place, which returns a line to show). Returns the exit status."""
    print(f"1..{len(cases)}", flush=True)
    has_failed = False
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number, (name, case) in enumerate(cases, 1):
        place = make_place()
        try:
            print(f"# {case(place)}\nok {number} {name}", flush=True)
        except (Failure, OSError, ValueError, subprocess.SubprocessError) as failure:
            has_failed = True
            print(f"not ok {number} {name}\n# {type(failure).__name__}: {failure}", flush=True)
        place.remove()
    return 1 if has_failed else 0
