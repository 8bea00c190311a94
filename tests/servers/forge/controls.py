"""The `/_forge/…` controls: how a test looks into the forge and moves it.

They need no token, are reached by the plain base URL only and are not logged.
The list is `HANDLERS` at the end; README.md says what each takes and gives.
"""

import json
import re

from . import actions, pulls
from .message import Answer
from .model import Refusal, Token, iso


def handle(request):
    handler = HANDLERS.get((request.method, request.path.removeprefix("/_forge/")))
    if handler is None:
        known = ", ".join(f"{method} /_forge/{name}" for method, name in HANDLERS)
        return Answer(404, {"error": f"no such control; there are {known}"})
    try:
        if request.path.endswith("/faults") and request.method == "POST":
            body = json.loads(request.body)
        else:
            body = request.json()
        with request.world.lock:
            return Answer(200, handler(request, body))
    except (Refusal, KeyError, ValueError, TypeError, AttributeError, re.error) as error:
        return Answer(422, {"error": f"{type(error).__name__}: {error}"})


def get_log(request, body):
    query = request.query
    rows = [row for row in request.forge.entries if row["n"] > int(query.get("since", 0))]
    for key in ("kind", "method", "login", "op"):
        if key in query:
            rows = [row for row in rows if row[key] == query[key]]
    if "path" in query:
        rows = [row for row in rows if re.search(query["path"], row["path"])]
    return rows


def add_faults(request, body):
    return request.forge.faults.add(body)


def get_faults(request, body):
    return request.forge.faults.rows


def clear_faults(request, body):
    request.forge.faults.clear()
    return {"ok": True}


def move_clock(request, body):
    request.world.offset_ms += int(body.get("advance_ms", 0))
    return {"now": iso(request.now), "offset_ms": request.world.offset_ms}


def find_repo(request, body):
    repo = request.world.repo(body.get("repo", "harbor/tidepool"))
    if repo is None:
        raise ValueError(f"no repository {body.get('repo')}")
    return repo


def start_run(request, body):
    world, repo = request.world, find_repo(request, body)
    branch = body.get("branch", repo.default_branch)
    sha = world.git.rev(repo.full_name, body.get("sha") or "refs/heads/" + branch) or body["sha"]
    actor = world.user(body.get("actor")) or repo.owner
    run = actions.start_run(world, repo, branch, sha, actor, body.get("event", "push"), body.get("jobs"), body.get("workflow", "ci"))
    run.title = body.get("title", run.title)
    return {"id": run.id, "sha": sha, "jobs": {job.name: job.id for job in run.jobs}}


def end_job(request, body):
    ended = []
    for repo in request.world.repos.values():
        for run in repo.runs:
            for job in run.jobs:
                wanted = job.id == body.get("id") or (run.id == body.get("run_id") and body.get("name") in (None, job.name))
                if wanted and actions.job_state(request.world, job)[0] != "completed":
                    actions.end_job(request.world, job, body.get("conclusion", "success"))
                    ended.append(job.id)
    if not ended:
        raise ValueError("no such job, or it has ended already")
    return {"ended": ended}


def get_refs(request, body):
    repo = find_repo(request, request.query)
    return request.world.git.refs(repo.full_name)


def get_marks(request, body):
    return request.world.marks(request.forge.url)


def set_quota(request, body):
    who = request.world.user(body["who"])
    key = (who.login if who else None, body.get("resource", "core"))
    request.forge.quota[key] = [int(body.get("remaining", 0)), request.now // 1000 + int(body.get("reset_in", 60))]
    return {"ok": True}


def add_comment(request, body):
    item = find_repo(request, body).items[body["number"]]
    comment = request.world.add_comment(item, request.world.user(body.get("user", "mara-v")), body["body"])
    return {"id": comment.id}


def add_review(request, body):
    pull = find_repo(request, body).items[body["number"]]
    review = pulls.add_review(request.world, pull, request.world.user(body.get("user", "okoro")), body.get("state", "APPROVED"),
        body.get("body", ""))
    return {"id": review.id}


def minimize(request, body):
    """Hides a review comment, as spam."""
    comment = next(row for row in pulls.all_review_comments(find_repo(request, body)) if row.id == body["id"])
    comment.is_minimized = body.get("minimized", True)
    return {"ok": True}


def change_token(request, body):
    if body.get("revoke"):
        request.world.tokens.pop(body["token"], None)
    else:
        request.world.tokens[body["token"]] = Token(body["token"], body["login"], body.get("read_only", False), body.get("permissions"))
    return {"ok": True}


HANDLERS = {
    ("GET", "marks"): get_marks,
    ("GET", "log"): get_log,
    ("GET", "refs"): get_refs,
    ("GET", "faults"): get_faults,
    ("POST", "faults"): add_faults,
    ("DELETE", "faults"): clear_faults,
    ("POST", "clock"): move_clock,
    ("POST", "ratelimit"): set_quota,
    ("POST", "run"): start_run,
    ("POST", "job"): end_job,
    ("POST", "comment"): add_comment,
    ("POST", "review"): add_review,
    ("POST", "minimize"): minimize,
    ("POST", "token"): change_token,
}
