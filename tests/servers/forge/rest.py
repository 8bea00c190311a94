"""REST reads: users, repositories, git data, issues, pull requests, search.

Writes are in rest_write.py, the rest in rest_review.py, rest_reactions.py and
rest_actions.py, rest_files.py; they register their routes when they are imported here. Shapes
come from present.py.
"""

import base64

from . import present, pulls, rest_actions, rest_files, rest_reactions, rest_review, rest_write, router, search
from .message import Answer
from .model import Refusal, parse_iso
from .router import by_id, find_item, find_repo, listing, need_viewer, not_found, route, sort_items, wants

handle = router.handle
REGISTERED = (rest_actions, rest_files, rest_reactions, rest_review, rest_write)

# ---------------------------------------------------------------- the service, people


@route("GET", "/")
def get_root(request):
    return {"current_user_url": request.api + "/user", "repository_url": request.api + "/repos/{owner}/{repo}"}


@route("GET", "/meta")
def get_meta(request):
    version = {"installed_version": "3.15.0"} if request.prefix else {}
    return {"verifiable_password_authentication": False, **version}


@route("GET", "/rate_limit")
def get_rate_limit(request):
    login = request.viewer.login if request.viewer else None
    resources = {}
    for name, limit in (("core", 5000), ("search", 30), ("code_search", 10), ("graphql", 5000)):
        left, reset = request.forge.quota.get((login, name), (limit, request.now // 1000 + 3600))
        resources[name] = {"limit": limit, "used": limit - left, "remaining": left, "reset": reset}
    return {"resources": resources, "rate": resources["core"]}


@route("GET", "/user")
def get_viewer(request):
    return present.full_user(request, need_viewer(request))


@route("GET", "/user/repos")
def get_own_repos(request):
    viewer = need_viewer(request)
    rows = [it for it in request.world.repos.values() if it.owner is viewer or viewer.login in it.access]
    return listing(request, rows, present.repo)


@route("GET", "/users/{login}")
def get_user(request, login):
    user = request.world.user(login)
    if user is None:
        raise not_found()
    return present.full_user(request, user)


@route("GET", "/orgs/{login}")
def get_org(request, login):
    user = request.world.user(login)
    if user is None or user.kind != "Organization":
        raise not_found()
    return present.full_user(request, user)


def repos_of(request, login):
    user = request.world.user(login)
    if user is None:
        raise not_found()
    rows = [it for it in request.world.repos.values() if it.owner is user and request.world.permission(it, request.viewer)]
    return listing(request, rows, present.repo)


route("GET", "/users/{login}/repos")(repos_of)
route("GET", "/orgs/{login}/repos")(repos_of)


@route("GET", "/notifications")
def get_notifications(request):
    need_viewer(request)
    return []


@route("GET", "/users/{login}/received_events")
def get_events(request, login):
    return []


# ---------------------------------------------------------------- repositories and git data


@route("GET", "/repos/{o}/{r}")
def get_repo(request, o, r):
    return present.repo(request, find_repo(request, o, r), full=True)


@route("GET", "/repos/{o}/{r}/forks")
def get_forks(request, o, r):
    repo = find_repo(request, o, r)
    return listing(request, [it for it in request.world.repos.values() if it.parent is repo], present.repo)


@route("GET", "/repos/{o}/{r}/topics")
def get_topics(request, o, r):
    return {"names": find_repo(request, o, r).topics}


@route("GET", "/repos/{o}/{r}/languages")
def get_languages(request, o, r):
    repo = find_repo(request, o, r)
    return {repo.language: 4096} if repo.language else {}


@route("GET", "/repos/{o}/{r}/collaborators/{login}/permission")
def get_permission(request, o, r, login):
    repo = find_repo(request, o, r)
    user = request.world.user(login)
    if user is None:
        raise not_found()
    level = request.world.permission(repo, user) or "none"
    return {"permission": level, "role_name": level, "user": present.user(request, user)}


@route("GET", "/repos/{o}/{r}/branches")
def get_branches(request, o, r):
    repo = find_repo(request, o, r)
    rows = request.world.git.refs(repo.full_name, "refs/heads").items()
    return listing(request, rows, lambda _, row: present.branch(request, repo, row[0].removeprefix("refs/heads/"), row[1]))


@route("GET", "/repos/{o}/{r}/branches/{b*}")
def get_branch(request, o, r, b):
    repo = find_repo(request, o, r)
    sha = request.world.git.branch(repo.full_name, b)
    if sha is None:
        raise Refusal(404, "Branch not found")
    return present.branch(request, repo, b, sha, full=True)


@route("GET", "/repos/{o}/{r}/tags")
def get_tags(request, o, r):
    repo = find_repo(request, o, r)
    rows = request.world.git.refs(repo.full_name, "refs/tags").items()
    return listing(request, rows, lambda _, row: {"name": row[0].removeprefix("refs/tags/"), "commit": {"sha": row[1]}})


@route("GET", "/repos/{o}/{r}/git/ref/{ref*}")
def get_ref(request, o, r, ref):
    repo = find_repo(request, o, r)
    sha = request.world.git.refs(repo.full_name, "refs/" + ref).get("refs/" + ref)
    if sha is None:
        raise not_found()
    return ref_shape(request, repo, "refs/" + ref, sha)


def ref_shape(request, repo, ref, sha):
    return {"ref": ref, "node_id": "REF_" + sha[:16], "url": f"{present.repo_url(request, repo)}/git/{ref}",
            "object": {"sha": sha, "type": "commit", "url": f"{present.repo_url(request, repo)}/git/commits/{sha}"}}


@route("GET", "/repos/{o}/{r}/git/trees/{sha}")
def get_tree(request, o, r, sha):
    repo = find_repo(request, o, r)
    found = request.world.git.rev(repo.full_name, sha)
    if found is None:
        raise not_found()
    files = request.world.git.files(repo.full_name, found)
    return {"sha": found, "truncated": False, "tree": [
        {"path": path, "mode": "100644", "type": "blob", "sha": blob, "size": size} for path, blob, size in files]}


@route("GET", "/repos/{o}/{r}/commits")
def get_commits(request, o, r):
    repo = find_repo(request, o, r)
    start = request.world.git.rev(repo.full_name, request.query.get("sha", repo.default_branch))
    if start is None:
        raise Refusal(409, "Git Repository is empty.") if not request.world.git.refs(repo.full_name) else not_found()
    paths = ["--", request.query["path"]] if "path" in request.query else []
    shas = request.world.git.log(repo.full_name, start, *paths)
    return listing(request, shas, lambda _, sha: present.commit(request, repo, request.world.git.commit(repo.full_name, sha)))


@route("GET", "/repos/{o}/{r}/commits/{ref}")
def get_commit(request, o, r, ref):
    repo = find_repo(request, o, r)
    git = request.world.git
    sha = git.rev(repo.full_name, ref)
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {ref}")
    if wants(request, ".sha"):
        return Answer(200, sha, {"Content-Type": "application/vnd.github.sha; charset=utf-8"})
    found = git.commit(repo.full_name, sha)
    parent = found.parents[0] if found.parents else None
    if wants(request, ".diff"):
        return Answer(200, git.diff(repo.full_name, parent, sha), {"Content-Type": "application/vnd.github.diff; charset=utf-8"})
    changes = git.changes(repo.full_name, parent, sha)
    added, deleted = sum(c.additions for c in changes), sum(c.deletions for c in changes)
    return {
        **present.commit(request, repo, found), "stats": {"total": added + deleted, "additions": added, "deletions": deleted},
        "files": [{"sha": c.blob, "filename": c.path, "status": c.status, "additions": c.additions, "deletions": c.deletions,
                   "changes": c.additions + c.deletions, "patch": c.patch} for c in changes],
    }


@route("GET", "/repos/{o}/{r}/compare/{spec*}")
def compare(request, o, r, spec):
    repo = find_repo(request, o, r)
    git = request.world.git
    names = spec.split("...")
    ends = [git.rev(repo.full_name, name) for name in names]
    if len(ends) != 2 or None in ends:
        raise not_found()
    base, head = ends
    middle = git.merge_base(repo.full_name, base, head)
    if middle is None:
        raise Refusal(404, f"No common ancestor between {names[0]} and {names[1]}.")
    ahead, behind = git.log(repo.full_name, "--reverse", head, "^" + base), git.log(repo.full_name, base, "^" + head)
    status = "diverged" if ahead and behind else "ahead" if ahead else "behind" if behind else "identical"
    changes = git.changes(repo.full_name, middle, head)
    return {
        "status": status, "ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead),
        "merge_base_commit": present.commit(request, repo, git.commit(repo.full_name, middle)),
        "commits": [present.commit(request, repo, git.commit(repo.full_name, sha)) for sha in ahead],
        "files": [{"sha": c.blob, "filename": c.path, "status": c.status, "additions": c.additions, "deletions": c.deletions,
                   "changes": c.additions + c.deletions, "patch": c.patch} for c in changes],
    }


def file_answer(request, repo, path, blob):
    data = request.world.git.blob(repo.full_name, blob)
    if wants(request, ".raw"):
        return Answer(200, data, {"Content-Type": "application/vnd.github.raw; charset=utf-8"})
    url = f"{present.repo_url(request, repo)}/contents/{path}"
    return {
        "name": path.rsplit("/", 1)[-1], "path": path, "sha": blob, "size": len(data), "url": url, "type": "file", "encoding": "base64",
        "html_url": f"{request.web}/{repo.full_name}/blob/{repo.default_branch}/{path}",
        "content": base64.encodebytes(data).decode(), "download_url": None,
    }


@route("GET", "/repos/{o}/{r}/readme")
def get_readme(request, o, r):
    return get_contents(request, o, r, "README.md")


@route("GET", "/repos/{o}/{r}/contents/{path*}")
def get_contents(request, o, r, path):
    repo = find_repo(request, o, r)
    git = request.world.git
    sha = git.rev(repo.full_name, request.query.get("ref", repo.default_branch))
    path = path.strip("/")
    entries = {}
    for name, blob, size in git.files(repo.full_name, sha) if sha else []:
        if name == path:
            return file_answer(request, repo, path, blob)
        if name.startswith(path + "/"):
            first, deeper, _ = name[len(path) + 1:].partition("/")
            entries[first] = {"name": first, "path": f"{path}/{first}", "type": "dir" if deeper else "file", "sha": blob, "size": 0
                if deeper else size}
    if not entries:
        raise not_found()
    return list(entries.values())


@route("GET", "/repos/{o}/{r}/releases")
def get_releases(request, o, r):
    return listing(request, reversed(find_repo(request, o, r).releases), present.release)


@route("GET", "/repos/{o}/{r}/releases/latest")
def get_latest_release(request, o, r):
    rows = find_repo(request, o, r).releases
    if not rows:
        raise not_found()
    return present.release(request, rows[-1])


@route("GET", "/repos/{o}/{r}/releases/tags/{tag*}")
def get_release(request, o, r, tag):
    found = next((row for row in find_repo(request, o, r).releases if row.tag == tag), None)
    if found is None:
        raise not_found()
    return present.release(request, found)


# ---------------------------------------------------------------- issues


def filtered(request, rows):
    query = request.query
    state = query.get("state", "open")
    labels = [name for name in query.get("labels", "").split(",") if name]
    since = parse_iso(query["since"]) if query.get("since") else None
    for it in rows:
        if state != "all" and it.state != state:
            continue
        if any(name.lower() not in [label.name.lower() for label in it.labels] for name in labels):
            continue
        if since is not None and it.updated_at < since:
            continue
        if "creator" in query and it.author.rest_login != query["creator"]:
            continue
        if "assignee" in query and query["assignee"] not in ("*", "none") and query["assignee"] not in [who.login for who in it.assignees]:
            continue
        if query.get("assignee") == "none" and it.assignees or query.get("assignee") == "*" and not it.assignees:
            continue
        yield it


@route("GET", "/repos/{o}/{r}/issues")
def get_issues(request, o, r):
    rows = filtered(request, find_repo(request, o, r).items.values())
    return listing(request, sort_items(request, rows), present.issue)


@route("GET", "/repos/{o}/{r}/issues/{n}")
def get_issue(request, o, r, n):
    return present.issue(request, find_item(request, find_repo(request, o, r), n))


@route("GET", "/repos/{o}/{r}/issues/{n}/comments")
def get_issue_comments(request, o, r, n):
    rows = find_item(request, find_repo(request, o, r), n).comments
    if request.query.get("since"):
        rows = [row for row in rows if row.updated_at >= parse_iso(request.query["since"])]
    return listing(request, rows, present.comment)


@route("GET", "/repos/{o}/{r}/issues/comments")
def get_all_comments(request, o, r):
    rows = [comment for item in find_repo(request, o, r).items.values() for comment in item.comments]
    return listing(request, sorted(rows, key=lambda row: row.id), present.comment)


def find_comment(request, repo, number):
    return by_id([comment for item in repo.items.values() for comment in item.comments], number)


@route("GET", "/repos/{o}/{r}/issues/comments/{number}")
def get_comment(request, o, r, number):
    return present.comment(request, find_comment(request, find_repo(request, o, r), number))


@route("GET", "/repos/{o}/{r}/issues/{n}/labels")
def get_item_labels(request, o, r, n):
    return listing(request, find_item(request, find_repo(request, o, r), n).labels, present.label)


@route("GET", "/repos/{o}/{r}/issues/{n}/{what}")
def get_item_rest(request, o, r, n, what):
    find_item(request, find_repo(request, o, r), n)
    if what not in ("events", "timeline"):
        raise not_found()
    return []


@route("GET", "/repos/{o}/{r}/labels")
def get_labels(request, o, r):
    return listing(request, find_repo(request, o, r).labels, present.label)


@route("GET", "/repos/{o}/{r}/labels/{name}")
def get_label(request, o, r, name):
    found = request.world.label(find_repo(request, o, r), name)
    if found is None:
        raise not_found()
    return present.label(request, found)


@route("GET", "/repos/{o}/{r}/milestones")
def get_milestones(request, o, r):
    return listing(request, find_repo(request, o, r).milestones, present.milestone)


# ---------------------------------------------------------------- pull requests


@route("GET", "/repos/{o}/{r}/pulls")
def get_pulls(request, o, r):
    rows = [it for it in filtered(request, find_repo(request, o, r).items.values()) if it.is_pull]
    head, base = request.query.get("head"), request.query.get("base")
    rows = [it for it in rows if (not head or it.head_label.lower() == head.lower()) and (not base or it.base_ref == base)]
    return listing(request, sort_items(request, rows), present.pull)


@route("GET", "/repos/{o}/{r}/pulls/{n}")
def get_pull(request, o, r, n):
    pull = find_item(request, find_repo(request, o, r), n, "pull")
    for media in ("diff", "patch"):
        if wants(request, "." + media):
            text = pulls.diff(request.world, pull, as_patch=media == "patch")
            return Answer(200, text, {"Content-Type": f"application/vnd.github.v3.{media}; charset=utf-8"})
    return present.pull(request, pull, full=True)


@route("GET", "/repos/{o}/{r}/pulls/{n}/files")
def get_pull_files(request, o, r, n):
    pull = find_item(request, find_repo(request, o, r), n, "pull")
    return listing(request, pulls.changes(request.world, pull), lambda _, change: present.pull_file(request, pull, change))


@route("GET", "/repos/{o}/{r}/pulls/{n}/commits")
def get_pull_commits(request, o, r, n):
    pull = find_item(request, find_repo(request, o, r), n, "pull")
    return listing(request, pulls.commits(request.world, pull), lambda _, found: present.commit(request, pull.repo, found))


@route("GET", "/repos/{o}/{r}/commits/{ref}/pulls")
def get_commit_pulls(request, o, r, ref):
    repo = find_repo(request, o, r)
    sha = request.world.git.rev(repo.full_name, ref)
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {ref}")
    rows = [it for it in repo.items.values() if it.is_pull and sha in [found.sha for found in pulls.commits(request.world, it)]]
    return listing(request, rows, present.pull)


@route("GET", "/repos/{o}/{r}/pulls/{n}/requested_reviewers")
def get_requested(request, o, r, n):
    pull = find_item(request, find_repo(request, o, r), n, "pull")
    return {"users": [present.user(request, who) for who in pull.requested], "teams": []}


@route("GET", "/repos/{o}/{r}/pulls/{n}/merge")
def get_merged(request, o, r, n):
    if find_item(request, find_repo(request, o, r), n, "pull").merged_at is None:
        raise not_found()
    return Answer(204)


# ---------------------------------------------------------------- search

route("GET", "/search/issues")(search.issues)
route("GET", "/search/code")(search.code)
route("GET", "/search/commits")(search.commits)
route("GET", "/search/repositories")(search.repositories)


@route("GET", "/repos/{o}/{r}/events")
def get_events(request, o, r):
    """Issues and pull requests that were opened, and comments; nothing else is remembered."""
    repo = find_repo(request, o, r)
    rows = []
    for item in repo.items.values():
        kind, key = ("PullRequestEvent", "pull_request") if item.is_pull else ("IssuesEvent", "issue")
        shown = present.pull(request, item) if item.is_pull else present.issue(request, item)
        rows.append((item.created_at, item.id, kind, item.author, {"action": "opened", "number": item.number, key: shown}))
        for comment in item.comments:
            payload = {"action": "created", "issue": present.issue(request, item), "comment": present.comment(request, comment)}
            rows.append((comment.created_at, comment.id, "IssueCommentEvent", comment.author, payload))
    rows.sort(key=lambda row: row[:2], reverse=True)

    def show(r, row):
        at, id, kind, author, payload = row
        return {"id": str(id), "type": kind, "actor": {"login": author.rest_login if author else "ghost"}, "repo": {"name": repo.full_name},
            "payload": payload, "public": not repo.private, "created_at": present.iso(at)}
    return listing(request, rows, show)
