"""GraphQL reads of commits, branches and checks.

Commits and branches are dicts (gql_exec.py takes their fields by name); check
runs and workflow runs are records with a class of resolvers each. See
gql_resolve.py, which collects them.
"""

from . import actions, present
from .model import node_id


def check_state(request, job):
    status, conclusion, _, _ = actions.job_state(request.world, job)
    return (conclusion or status).upper()


def make_ref(r, repo, name):
    sha = r.world.git.branch(repo.full_name, name)
    if sha is None:
        return None
    return {"id": "REF_" + sha[:16], "name": name, "prefix": "refs/heads/", "target": make_commit(r, repo, sha),
        "branchProtectionRule": None,
            "associatedPullRequests": [item for item in repo.items.values() if item.is_pull and item.head_repo is repo
                and item.head_ref == name]}


def make_commit(r, repo, sha):
    found = r.world.git.commit(repo.full_name, sha)
    headline, _, body = found.message.rstrip("\n").partition("\n")
    user = r.world.user_by_email(found.author_email)
    author = {"name": found.author, "email": found.author_email, "date": found.author_date, "user": user}
    jobs = actions.jobs_of_sha(repo, sha)
    return {
        "__typename": "Commit", "id": "C_" + sha[:20], "oid": sha, "abbreviatedOid": sha[:7], "message": found.message.rstrip("\n"),
        "messageHeadline": headline, "messageBody": body.strip("\n"), "authoredDate": found.author_date,
        "committedDate": found.committer_date,
        "url": f"{r.web}/{repo.full_name}/commit/{sha}", "author": author, "authors": [author],
        "committer": {"name": found.committer, "email": found.committer_email, "date": found.committer_date, "user": None},
        "parents": [{"__typename": "Commit", "oid": parent, "abbreviatedOid": parent[:7]} for parent in found.parents],
        "statusCheckRollup": {"id": "SCR_" + sha[:16], "state": rollup_state(r, jobs), "contexts": jobs} if jobs else None,
        "checkSuites": [],
    }


def rollup_state(r, jobs):
    states = {check_state(r, job) for job in jobs}
    if states & {"FAILURE", "TIMED_OUT", "CANCELLED", "ACTION_REQUIRED"}:
        return "FAILURE"
    return "PENDING" if states & {"QUEUED", "IN_PROGRESS"} else "SUCCESS"


class CheckRun:
    def id(r, it):
        return it.node

    def databaseId(r, it):
        return it.id

    def status(r, it):
        return actions.job_state(r.world, it)[0].upper()

    def conclusion(r, it):
        return (actions.job_state(r.world, it)[1] or "").upper() or None

    def startedAt(r, it):
        return actions.job_state(r.world, it)[2]

    def completedAt(r, it):
        return actions.job_state(r.world, it)[3]

    def detailsUrl(r, it):
        return f"{present.run_html(r, it.run)}/job/{it.id}"

    url = detailsUrl

    def checkSuite(r, it):
        return {"id": node_id("CheckSuite", it.run.suite_id), "databaseId": it.run.suite_id, "workflowRun": it.run}

    def isRequired(r, it, **arguments):
        return False


class WorkflowRun:
    def id(r, it):
        return it.node

    def databaseId(r, it):
        return it.id

    def runNumber(r, it):
        return it.number

    def url(r, it):
        return present.run_html(r, it)


class Workflow:
    def id(r, it):
        return it.node

    def databaseId(r, it):
        return it.id
