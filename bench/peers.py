"""kedge beside other programs that are installed: start, memory, a one-shot prompt, a tool round trip.

Every pair of figures is of two runs right after one another, so that what else the machine does meets both.
"""

import dataclasses
import json
import re
import shutil
import statistics
import subprocess

import lab as bench_lab
import measure
from responses import ResponsesServer

TRIPS = 30  # further round trips
MIN_SAMPLED_MS = 20  # what is shorter has no sampled memory


@dataclasses.dataclass
class Comparison:
    what: str
    peer: str
    unit: str
    kedge: list
    theirs: list  # of the same runs

    @property
    def ratio(self):
        """How many times kedge's the peer's is."""
        ratios = [theirs / ours for ours, theirs in zip(self.kedge, self.theirs) if ours > 0]
        return statistics.median(ratios) if ratios else float("nan")


@dataclasses.dataclass
class Note:
    """A peer of which there is no figure, and why."""

    what: str
    peer: str
    why: str


class Agent:
    """A peer that answers prompts, with a configuration that points it at our model server."""

    def __init__(self, name, argv, configure, **more_env):
        self.name, self.argv, self.configure, self.more_env = name, [name, *argv], configure, more_env

    def run(self, lab, trips, is_peak=False):
        """One prompt with so many tool calls (bash true) in between."""
        server = self.configure(lab)
        play_trips(lab, server, trips)
        env = lab.env(**self.more_env)
        if is_peak:
            return measure.sampled_peak_mb(self.argv, env)
        result = measure.run(self.argv, env, stderr=lab.scratch("stderr"))
        asked = len(arrivals(lab, server))
        if asked != trips + 1:
            raise measure.BenchError(f"{asked} requests instead of {trips + 1}")
        return result

    def trip_ms(self, lab):
        self.run(lab, 1 + TRIPS)
        return trip_ms(arrivals(lab, self.configure(lab)))


def arrivals(lab, server):
    """When each request had come, in milliseconds."""
    return server.arrivals if server else [entry["at_ms"] for entry in lab.model.journal()]


def trip_ms(arrived):
    """From request to request; the first call is not counted, since a peer may have started its shell for it."""
    return (arrived[-1] - arrived[1]) / (len(arrived) - 2)


def play_trips(lab, server, trips):
    if server:
        server.play(trips)
        return
    call = {"tool_calls": [{"name": "bash", "arguments": {"command": "true"}}], "repeat": trips}
    lab.model.play(*([call] if trips else []), {"text": "Hello."})


def configure_pi(lab, directory=".pi/agent"):
    """pi and omp read the same description of a provider."""
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": "bench", "name": "bench", "reasoning": False, "input": ["text"], "cost": cost}
    model |= {"contextWindow": 200000, "maxTokens": 8192}
    provider = {"baseUrl": lab.model.url, "api": "anthropic-messages", "apiKey": "bench-key", "models": [model]}
    text = json.dumps({"providers": {"bench": provider}})
    for name in ("models.json", "models.yml"):  # JSON is YAML too
        write(lab.home / directory / name, text)


def configure_omp(lab):
    configure_pi(lab, ".omp/agent")


_responses = []


def configure_codex(lab):
    if not _responses:
        _responses.append(ResponsesServer())
    lines = [
        'model = "bench"', 'model_provider = "bench"', "[model_providers.bench]", 'name = "bench"',
        f'base_url = "{_responses[0].url}"', 'wire_api = "responses"', "requires_openai_auth = false",
    ]  # fmt: skip
    write(lab.home / ".codex/config.toml", "\n".join(lines) + "\n")
    return _responses[0]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


ASK_BENCH = ["--provider", "bench", "--model", "bench", "-p", "hi"]
AGENTS = [
    Agent("pi", ASK_BENCH, configure_pi, PI_OFFLINE="1", PI_TELEMETRY="0"),
    Agent("omp", ASK_BENCH, configure_omp, PI_OFFLINE="1"),
    Agent("codex", ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "hi"], configure_codex),
]

STARTS = {  # name → program and the arguments of a start that does nothing
    "true": ["true"],
    "gh": ["gh", "--version"],
    "node": ["node", "-e", "0"],
    "pi": ["pi", "--version"],
    "omp": ["omp", "--version"],
    "codex": ["codex", "--version"],
    "claude": ["claude", "--version"],
}


def version_of(program):
    """What it says of itself; the first thing that looks like a version."""
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"\d+(\.\w+)+", answer.stdout + answer.stderr)
    return found.group() if found else ""


def compare_starts(lab, runs):
    for name, argv in STARTS.items():
        program = shutil.which(argv[0], path=lab.path)
        if not program:
            yield Note("start", name, "not installed")
            continue
        argv = [program, *argv[1:]]
        peer = name if name == "true" else f"{name} {version_of(program)}".strip()
        try:
            yield from compare_start(lab, peer, argv, runs)
        except measure.BenchError as error:
            yield Note("start", peer, str(error))


def compare_start(lab, peer, argv, runs):
    ours = [lab.kedge, "--version"]
    measure.run(argv, lab.env())  # what it does only once, in a new home, does not count
    walls = paired(runs, lambda: measure.run(ours, lab.env()).wall_ms, lambda: measure.run(argv, lab.env()).wall_ms)
    yield Comparison("start: wall", peer, "ms", *walls)
    if statistics.median(walls[1]) < MIN_SAMPLED_MS:
        return
    peaks = paired(3, lambda: measure.peak_mb(ours, lab.env()), lambda: measure.sampled_peak_mb(argv, lab.env()))
    yield Comparison("start: memory", peer, "MB", *peaks)


def compare_agents(lab, runs):
    for agent in AGENTS:
        program = shutil.which(agent.name, path=lab.path)
        if not program:
            yield Note("one-shot prompt", agent.name, "not installed")
            continue
        peer = f"{agent.name} {version_of(program)}".strip()
        try:
            yield from compare_agent(lab, agent, peer, max(3, runs // 4))
        except measure.BenchError as error:
            yield Note("one-shot prompt", peer, str(error))


def compare_agent(lab, agent, peer, runs):
    def ask(trips):
        play_trips(lab, None, trips)
        return lab.run_kedge(*bench_lab.ASK)

    def peak_of_kedge():
        play_trips(lab, None, 0)
        return measure.peak_mb([lab.kedge, *bench_lab.ASK], lab.model_env())

    def trip_of_kedge():
        ask(1 + TRIPS)
        return trip_ms(arrivals(lab, None))

    agent.run(lab, 0)
    ours, theirs = paired(runs, lambda: ask(0), lambda: agent.run(lab, 0))
    yield Comparison("one-shot prompt: wall", peer, "ms", [r.wall_ms for r in ours], [r.wall_ms for r in theirs])
    # a peer may be a script that starts the real program
    own = [r.cpu_ms + r.children_ms for r in ours]
    yield Comparison("one-shot prompt: CPU", peer, "ms", own, [r.cpu_ms + r.children_ms for r in theirs])
    peaks = paired(3, peak_of_kedge, lambda: agent.run(lab, 0, is_peak=True))
    yield Comparison("one-shot prompt: memory", peer, "MB", *peaks)

    each = paired(runs, trip_of_kedge, lambda: agent.trip_ms(lab))
    yield Comparison("further round trip (bash true): wall", peer, "ms", *each)


def paired(runs, ours, theirs):
    """Both, in turn, and who is first changes."""
    figures = ([], [])
    for i in range(runs):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            figures[which].append((ours, theirs)[which]())
    return figures


def close():
    while _responses:
        _responses.pop().close()
