"""Actions: workflow runs whose jobs follow the forge's clock, and their logs.

Nothing is executed. A job has a start and an end in milliseconds after its run
began (`end_ms` None: never); its state is worked out from the clock whenever
somebody asks, so moving the clock moves every run. Used by rest_actions.py,
gql_resolve.py, pulls.py (a push starts a run) and controls.py.
"""

import copy
import io
import zipfile

from .model import Job, Run, Workflow, iso, parse_iso

DEFAULT_JOBS = [{"name": "build", "start_ms": 200, "end_ms": 1200, "conclusion": "success"}]
FAILED = ("failure", "timed_out", "cancelled", "action_required", "startup_failure")


def seed_run(world, repo, row, sha):
    workflow = find_workflow(world, repo, row.get("workflow", "ci"))
    created = parse_iso(row["created"])
    run = make_run(world, repo, workflow, row["branch"], sha, world.user(row["actor"]), row["event"], row["jobs"], created)
    run.key = row.get("key")
    pull = next((i for i in repo.items.values() if i.is_pull and i.head_sha == sha and i.head_ref == run.branch), None)
    if pull:
        run.head_repo = pull.head_repo


def find_workflow(world, repo, name):
    for workflow in repo.workflows:
        if name in (workflow.name, workflow.path, workflow.path.rsplit("/", 1)[-1], str(workflow.id)):
            return workflow
    return None


def start_run(world, repo, branch, sha, actor, event="push", jobs=None, workflow="ci", head_repo=None, created=None):
    on_push = repo.on_push or {}
    found = find_workflow(world, repo, on_push.get("workflow", workflow) if jobs is None else workflow)
    if found is None:
        found = world.keep(Workflow(world.new_id("Workflow"), repo, workflow, f".github/workflows/{workflow}.yml"))
        repo.workflows.append(found)
    specs = jobs if jobs is not None else on_push.get("jobs", DEFAULT_JOBS)
    run = make_run(world, repo, found, branch, sha, actor, event, specs, created or world.now())
    run.head_repo = head_repo or repo
    return run


def make_run(world, repo, workflow, branch, sha, actor, event, specs, created):
    is_known = sha in world.git.commits or world.git.rev(repo.full_name, sha)
    title = world.git.commit(repo.full_name, sha).message.split("\n")[0] if is_known else branch
    number = 1 + sum(run.workflow is workflow for run in repo.runs)
    run = world.keep(Run(
        world.new_id("WorkflowRun"), repo, workflow, number, world.new_id("CheckSuite"), branch, sha, event, actor, title, created, created,
        repo))
    run.jobs = [make_job(world, run, spec) for spec in specs]
    repo.runs.append(run)
    return run


def make_job(world, run, spec):
    return world.keep(Job(
        world.new_id("CheckRun"), run, spec["name"], spec.get("start_ms", 200), spec.get("end_ms"),
        spec.get("conclusion", "success"), copy.copy(spec.get("log", ["Hello from {job}"])), spec.get("failed_step")))


def rerun(world, run, only_failed=False):
    """A new attempt: the jobs start again, now."""
    run.attempt += 1
    again, shift = [], world.now() - run.started_at
    for job in run.jobs:
        if only_failed and job_state(world, job)[1] not in FAILED:
            again.append(job)
            job.start_ms, job.end_ms = job.start_ms - shift, job.end_ms - shift
        else:
            length = (job.end_ms - job.start_ms) if job.end_ms is not None else None
            length = min(length, 1000) if length is not None else None
            again.append(make_job(world, run, {
                "name": job.name, "start_ms": 200, "end_ms": length if length is None else 200 + length,
                "conclusion": job.conclusion, "log": job.log, "failed_step": job.failed_step}))
    run.jobs, run.started_at = again, world.now()


def end_job(world, job, conclusion):
    """Ends a job now, started or not."""
    now = world.now() - job.run.started_at
    job.end_ms = now
    job.start_ms = min(job.start_ms, now)
    job.conclusion = conclusion
    if conclusion == "failure" and not job.failed_step:
        job.failed_step = steps_of(job)[1]


def cancel(world, run):
    for job in run.jobs:
        if job_state(world, job)[0] != "completed":
            end_job(world, job, "cancelled")


# ---------------------------------------------------------------- states


def job_state(world, job):
    """(status, conclusion or None, started_at or None, completed_at or None)"""
    base, now = job.run.started_at, world.now()
    start, end = base + job.start_ms, None if job.end_ms is None else base + job.end_ms
    if end is not None and now >= end:
        return "completed", job.conclusion, start, end
    if now >= start:
        return "in_progress", None, start, None
    return "queued", None, None, None


def run_state(world, run):
    """(status, conclusion or None, updated_at)"""
    states = [job_state(world, job) for job in run.jobs]
    moments = [moment for state in states for moment in state[2:] if moment is not None]
    updated = max(moments, default=run.started_at)
    if all(state[0] == "completed" for state in states):
        conclusions = {state[1] for state in states}
        for bad in ("failure", "timed_out", "cancelled", "action_required"):
            if bad in conclusions:
                return "completed", bad, updated
        good = conclusions - {"neutral", "skipped"}
        return "completed", "success" if good or not conclusions else conclusions.pop(), updated
    if all(state[0] == "queued" for state in states):
        return "queued", None, updated
    return "in_progress", None, updated


def jobs_of_sha(repo, sha):
    return [job for run in repo.runs if run.sha == sha for job in run.jobs]


def steps_of(job):
    return ["Set up job", job.failed_step or f"Run {job.name}", "Complete job"]


def step_states(world, job):
    """[(number, name, status, conclusion, started_at, completed_at)]; the middle step takes the time and the blame."""
    status, conclusion, start, end = job_state(world, job)
    rows = []
    for number, name in enumerate(steps_of(job), 1):
        if status == "completed":
            own = conclusion if number == 2 else "success"
            if conclusion == "skipped":
                continue
            rows.append((number, name, "completed", own, start, end))
        elif status == "in_progress":
            state = ("completed", "in_progress", "queued")[number - 1]
            rows.append((number, name, state, "success" if number == 1 else None, start if number < 3 else None, start if number == 1
                else None))
    return rows


# ---------------------------------------------------------------- logs


def log_lines(world, job):
    """[(step number, line)], or None while there is no log."""
    status, conclusion, _, _ = job_state(world, job)
    if job.log is None or status != "completed" or conclusion == "skipped":
        return None
    lines = [line.replace("{job}", job.name) for line in job.log]
    head = next((i for i, line in enumerate(lines) if line.startswith("##[group]Run ")), 0)  # what comes before is set-up
    return [(1 if i < head else 2, line) for i, line in enumerate(lines)] + [(3, "Cleaning up orphan processes")]


def stamp(job, index):
    """Each line is 4 seconds and 7 ticks after the one before."""
    at = job.run.started_at + job.start_ms + index * 4000
    return iso(at)[:-1] + f".{index * 7919 % 10000000:07}Z "


def job_log(world, job):
    """As GitHub serves it: byte order mark, time stamps, CRLF. None: not there yet."""
    lines = log_lines(world, job)
    if lines is None:
        return None
    text = "".join(stamp(job, i) + line + "\r\n" for i, (_, line) in enumerate(lines))
    return b"\xef\xbb\xbf" + text.encode()


def run_log_zip(world, run):
    """The archive behind runs/ID/logs: a file a job, and a folder a job with a file a step."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, job in enumerate(run.jobs):
            lines = log_lines(world, job)
            if lines is None:
                continue
            name = job.name.replace("/", "").replace(":", "")
            archive.writestr(f"{number}_{name}.txt", job_log(world, job))
            for step, title in enumerate(steps_of(job), 1):
                text = "".join(stamp(job, i) + line + "\r\n" for i, (own, line) in enumerate(lines) if own == step)
                archive.writestr(f"{name}/{step}_{title.replace('/', '')}.txt", "\ufeff" + text)
    return out.getvalue()
