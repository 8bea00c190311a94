"""REST for Actions and checks: runs, jobs, logs, workflows, check runs.

Registered by rest.py. States come from actions.py and follow the forge's clock;
logs are redirects to signed links that refuse a token.
"""

from . import actions, present
from .message import Answer
from .model import Refusal
from .router import by_id, find_repo, listing, not_found, route, writable_repo


def find_run(request, o, r, n):
    return by_id(find_repo(request, o, r).runs, n)


def find_job(request, repo, n):
    return by_id([job for run in repo.runs for job in run.jobs], n)


def list_runs(request, repo, rows):
    query = request.query
    if "head_sha" in query:
        rows = [run for run in rows if run.sha == query["head_sha"]]
    if "branch" in query:
        rows = [run for run in rows if run.branch == query["branch"]]
    if "event" in query:
        rows = [run for run in rows if run.event == query["event"]]
    if "actor" in query:
        rows = [run for run in rows if run.actor.rest_login == query["actor"]]
    if "status" in query:
        rows = [run for run in rows if query["status"] in actions.run_state(request.world, run)[:2]]
    return listing(request, sorted(rows, key=lambda run: run.id, reverse=True), present.run, "workflow_runs")


@route("GET", "/repos/{o}/{r}/actions/runs")
def get_runs(request, o, r):
    repo = find_repo(request, o, r)
    return list_runs(request, repo, repo.runs)


@route("GET", "/repos/{o}/{r}/actions/runs/{n}")
def get_run(request, o, r, n):
    return present.run(request, find_run(request, o, r, n))


@route("GET", "/repos/{o}/{r}/actions/runs/{n}/attempts/{attempt}")
def get_attempt(request, o, r, n, attempt):
    run = find_run(request, o, r, n)
    if str(run.attempt) != attempt:
        raise not_found()
    return present.run(request, run)


@route("GET", "/repos/{o}/{r}/actions/runs/{n}/jobs")
def get_jobs(request, o, r, n):
    return listing(request, find_run(request, o, r, n).jobs, present.job, "jobs")


@route("GET", "/repos/{o}/{r}/actions/runs/{n}/attempts/{attempt}/jobs")
def get_attempt_jobs(request, o, r, n, attempt):
    return get_jobs(request, o, r, n)


@route("GET", "/repos/{o}/{r}/actions/runs/{n}/logs")
def get_run_logs(request, o, r, n):
    run = find_run(request, o, r, n)
    return Answer(302, b"", {"Location": request.blob_url("application/zip", actions.run_log_zip(request.world, run))})


@route("GET", "/repos/{o}/{r}/actions/jobs/{n}")
def get_job(request, o, r, n):
    return present.job(request, find_job(request, find_repo(request, o, r), n))


@route("GET", "/repos/{o}/{r}/actions/jobs/{n}/logs")
def get_job_logs(request, o, r, n):
    repo = find_repo(request, o, r)
    if request.viewer is None:
        raise Refusal(403, "Must have admin rights to Repository.")
    text = actions.job_log(request.world, find_job(request, repo, n))
    if text is None:
        raise not_found()
    return Answer(302, b"", {"Location": request.blob_url("text/plain; charset=utf-8", text)})


@route("POST", "/repos/{o}/{r}/actions/runs/{n}/{what}")
def change_run(request, o, r, n, what):
    run = by_id(writable_repo(request, o, r).runs, n)
    is_done = actions.run_state(request.world, run)[0] == "completed"
    if what in ("cancel", "force-cancel"):
        if is_done:
            raise Refusal(409, "Cannot cancel a workflow run that is completed.")
        actions.cancel(request.world, run)
        return Answer(202, {})
    if what not in ("rerun", "rerun-failed-jobs"):
        raise not_found()
    if not is_done:
        raise Refusal(403, "This workflow is already running")
    actions.rerun(request.world, run, only_failed=what == "rerun-failed-jobs")
    return Answer(201, {})


@route("GET", "/repos/{o}/{r}/actions/workflows")
def get_workflows(request, o, r):
    return listing(request, find_repo(request, o, r).workflows, present.workflow, "workflows")


def find_workflow(request, repo, name):
    found = actions.find_workflow(request.world, repo, name)
    if found is None:
        raise not_found()
    return found


@route("GET", "/repos/{o}/{r}/actions/workflows/{name}")
def get_workflow(request, o, r, name):
    return present.workflow(request, find_workflow(request, find_repo(request, o, r), name))


@route("GET", "/repos/{o}/{r}/actions/workflows/{name}/runs")
def get_workflow_runs(request, o, r, name):
    repo = find_repo(request, o, r)
    workflow = find_workflow(request, repo, name)
    return list_runs(request, repo, [run for run in repo.runs if run.workflow is workflow])


@route("POST", "/repos/{o}/{r}/actions/workflows/{name}/dispatches")
def dispatch(request, o, r, name):
    repo = writable_repo(request, o, r)
    workflow = find_workflow(request, repo, name)
    ref = request.json().get("ref", "").removeprefix("refs/heads/")
    sha = request.world.git.branch(repo.full_name, ref)
    if sha is None:
        raise Refusal(422, f"No ref found for: {ref}")
    actions.start_run(
        request.world, repo, ref, sha, request.viewer, "workflow_dispatch",
        (repo.on_push or {}).get("jobs", actions.DEFAULT_JOBS), workflow.name)
    return Answer(204)


@route("GET", "/repos/{o}/{r}/commits/{ref}/check-runs")
def get_check_runs(request, o, r, ref):
    repo = find_repo(request, o, r)
    jobs = actions.jobs_of_sha(repo, request.world.git.rev(repo.full_name, ref) or ref)
    if "check_name" in request.query:
        jobs = [job for job in jobs if job.name == request.query["check_name"]]
    return listing(request, jobs, present.check_run, "check_runs")


@route("GET", "/repos/{o}/{r}/commits/{ref}/status")
def get_status(request, o, r, ref):
    repo = find_repo(request, o, r)
    sha = request.world.git.rev(repo.full_name, ref) or ref
    return {"state": "pending", "statuses": [], "sha": sha, "total_count": 0, "repository": present.repo(request, repo)}


@route("GET", "/repos/{o}/{r}/check-runs/{n}")
def get_check_run(request, o, r, n):
    return present.check_run(request, find_job(request, find_repo(request, o, r), n))


@route("GET", "/repos/{o}/{r}/check-runs/{n}/annotations")
def get_annotations(request, o, r, n):
    job = find_job(request, find_repo(request, o, r), n)
    if actions.job_state(request.world, job)[1] != "failure":
        return []
    return [{"path": ".github", "start_line": 31, "end_line": 31, "start_column": None, "end_column": None, "annotation_level": "failure",
             "title": "", "message": "Process completed with exit code 2.", "raw_details": "", "blob_href": ""}]
