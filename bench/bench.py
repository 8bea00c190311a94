#!/usr/bin/env python3
"""kedge's budgets and its peers, measured in one run: see ./run for the options.

    measure.py    one run of one program        lab.py    what the programs meet while they are measured
    budgets.py    the budgets                   peers.py  the comparisons
    interactive.py  the terminal interface, on a terminal of its own
    workflow.py   tasks of a repository
"""

import sys

sys.dont_write_bytecode = True  # a checkout stays as it is

import argparse
import dataclasses
import json
import os
import platform
import signal
import statistics

import agent_tools
import budgets
import interactive
import lab
import measure
import peers
import workflow

MEASUREMENTS = budgets.MEASUREMENTS | agent_tools.MEASUREMENTS | interactive.MEASUREMENTS | workflow.MEASUREMENTS
PEERS = {
    "peer-starts": peers.compare_starts,
    "peer-agents": peers.compare_agents,
    "peer-terminals": interactive.compare_terminals,
}


def parse_options():
    names = [*MEASUREMENTS, *PEERS]
    parser = argparse.ArgumentParser(prog="bench/run", description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("kedge", help="the binary")
    parser.add_argument("--json", action="store_true", help="print one JSON document, with every single figure")
    parser.add_argument("--runs", type=int, default=21, help="of what is short; fewer of what is long (%(default)s)")
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"some of: {', '.join(names)}")
    options = parser.parse_args()
    if not os.access(options.kedge, os.X_OK) or os.path.isdir(options.kedge):
        parser.error(f"no program: {options.kedge}")
    if options.runs < 1:
        parser.error("--runs: at least 1")
    return options


def say(text=""):
    print(text, flush=True)


def number(value, unit=""):
    digits = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}{' ' + unit if unit else ''}"


def spread(values, unit):
    text = number(statistics.median(values), unit)
    return f"{text} ({number(min(values))}–{number(max(values))})" if len(values) > 1 else text


class Report:
    """Rows as they come: printed at once, or kept for one JSON document."""

    def __init__(self, options):
        self.is_json = options.json
        self.rows, self.comparisons, self.notes, self.failures = [], [], [], []

    def head(self, machine):
        self.machine = machine
        self.print(f"kedge {machine['kedge']} on {machine['system']}, {machine['cpus']} CPUs, load {machine['load']}")
        self.print("median (least–most)")

    def begin_budgets(self):
        self.print()
        self.print(f"{'':48} {'kedge':28} {'budget':10} verdict")

    def begin_peers(self):
        self.print()
        self.print(f"{'':38} {'peer':14} {'kedge':26} {'theirs':26} theirs/kedge")

    def add(self, item):
        if isinstance(item, budgets.Row):
            self.rows.append(item)
            limit = "" if item.budget is None else number(item.budget, item.unit)
            notes = "; ".join(text for text in (item.verdict, item.note) if text)
            self.print(f"{item.what:48} {spread(item.values, item.unit):28} {limit:10} {notes}")
        elif isinstance(item, peers.Comparison):
            self.comparisons.append(item)
            ours, theirs = spread(item.kedge, item.unit), spread(item.theirs, item.unit)
            self.print(f"{item.what:38} {item.peer:14} {ours:26} {theirs:26} {number(item.ratio)}×")
        else:
            self.notes.append(item)
            self.print(f"{item.what:38} {item.peer:14} {item.why}")

    def failed(self, name, error):
        self.failures.append({"measurement": name, "error": str(error)})
        self.print(f"{name}: FAILED: {error}")

    def end(self):
        over = [row.what for row in self.rows if row.verdict not in ("", "within")]
        if self.is_json:
            self.print_json()
        elif self.rows or self.failures:
            say()
            say(f"over budget: {'; '.join(over)}" if over else "every budget that was measured is kept")
            if self.failures:
                say(f"not measured: {', '.join(failure['measurement'] for failure in self.failures)}")
            load = max(self.machine["load"], round(os.getloadavg()[0], 1))
            if load > self.machine["cpus"]:
                say(f"The machine is busy (load {load}): times, also of CPU, are longer than on a quiet one.")

    def print(self, text=""):
        if not self.is_json:
            say(text.rstrip())

    def print_json(self):
        def described(item, **more):
            return dataclasses.asdict(item) | more

        document = {
            "machine": self.machine,
            "rows": [described(row, median=row.median, verdict=row.verdict) for row in self.rows],
            "comparisons": [described(item, ratio=item.ratio) for item in self.comparisons],
            "notes": [described(note) for note in self.notes],
            "failures": self.failures,
        }
        say(json.dumps(document, ensure_ascii=False, indent=1))


def describe_machine(kedge):
    return {
        "kedge": peers.version_of(kedge),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpus": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
    }


def run_all(report, place, options, measurements):
    for name, measurement in measurements.items():
        if options.only and name not in options.only:
            continue
        try:
            for item in measurement(place, options.runs):
                report.add(item)
        except measure.BenchError as error:
            report.failed(name, error)


def main():
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the lab is cleared away
    report = Report(options)
    report.head(describe_machine(os.path.realpath(options.kedge)))
    try:
        with lab.Lab(options.kedge) as place:
            if not options.only or set(options.only) & MEASUREMENTS.keys():
                report.begin_budgets()
                run_all(report, place, options, MEASUREMENTS)
            if not options.only or set(options.only) & PEERS.keys():
                report.begin_peers()
                run_all(report, place, options, PEERS)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        peers.close()
    report.end()


if __name__ == "__main__":
    main()
