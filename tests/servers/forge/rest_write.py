"""REST writes: issues, comments, labels, pull requests, refs.

Registered by rest.py. Everybody with an account may open issues and pull requests
and comment; the rest needs push access (router.writable_repo). A read-only token
is refused everywhere.
"""

import base64

from . import present, pulls
from .message import Answer
from .model import Refusal, invalid, iso
from .router import by_id, find_item, need_unlocked, need_viewer, not_found, open_repo, route, writable_repo


def text_field(body, name, resource, required=False):
    value = body.get(name)
    if value is None and not required:
        return None
    if value is None or value == "":
        raise invalid(resource, name, "missing_field")
    if not isinstance(value, str):
        raise Refusal(422, f"Invalid request.\n\nFor 'properties/{name}', {value!r} is not a string.")
    return value


def may_edit(request, repo, author):
    if request.viewer is not author and not request.world.can_write(repo, request.viewer):
        raise Refusal(403, "Must have admin rights to Repository.", graphql_type="FORBIDDEN")


def users_of(request, logins, resource, field):
    found = [request.world.user(login) for login in logins]
    if None in found:
        raise invalid(resource, field)
    return found


def labels_of(request, repo, names):
    """REST makes a label that does not exist yet."""
    names = [name["name"] if isinstance(name, dict) else name for name in names]
    if not all(isinstance(name, str) for name in names):
        raise Refusal(422, "Invalid request.\n\nFor 'items', a label is not a string.")
    return [request.world.label(repo, name) or request.world.add_label(repo, name) for name in names]


def milestone_of(repo, number):
    if number is None:
        return None
    found = next((row for row in repo.milestones if row.number == number), None)
    if found is None:
        raise invalid("Issue", "milestone")
    return found


# ---------------------------------------------------------------- issues and comments


@route("POST", "/repos/{o}/{r}/issues")
def create_issue(request, o, r):
    repo = open_repo(request, o, r)
    body = request.json()
    more = {}
    title = text_field(body, "title", "Issue", required=True)
    if request.world.can_write(repo, request.viewer):  # others' labels are dropped without a word
        logins = body.get("assignees") or ([body["assignee"]] if body.get("assignee") else [])
        more = {"labels": labels_of(request, repo, body.get("labels") or []), "assignees": users_of(request, logins, "Issue", "assignees"),
                "milestone": milestone_of(repo, body.get("milestone"))}
    issue = request.world.add_issue(repo, request.viewer, title, text_field(body, "body", "Issue"), **more)
    shape = present.issue(request, issue)
    return Answer(201, shape, {"Location": shape["url"]})


@route("PATCH", "/repos/{o}/{r}/issues/{n}")
def edit_issue(request, o, r, n):
    repo = open_repo(request, o, r)
    item = find_item(request, repo, n)
    may_edit(request, repo, item.author)
    body = request.json()
    if "title" in body:
        item.title = text_field(body, "title", "Issue", required=True)
    if "body" in body:
        item.body = body["body"]
    if "labels" in body:
        item.labels = labels_of(request, repo, body["labels"])
    if "assignees" in body:
        item.assignees = users_of(request, body["assignees"], "Issue", "assignees")
    if "milestone" in body:
        item.milestone = milestone_of(repo, body["milestone"])
    change_state(request, item, body.get("state"), body.get("state_reason"))
    request.world.touch(item)
    return present.issue(request, item)


def change_state(request, item, state, reason=None):
    if state not in (None, "open", "closed"):
        raise invalid("Issue", "state")
    if state == "closed" and not item.closed_at:
        if item.is_pull:
            pulls.close(request.world, item, request.viewer)
        else:
            request.world.close(item, request.viewer, reason or "completed")
    elif state == "open" and item.closed_at:
        if item.is_pull:
            pulls.reopen(request.world, item)
        else:
            request.world.reopen(item)


@route("POST", "/repos/{o}/{r}/issues/{n}/comments")
def create_comment(request, o, r, n):
    item = find_item(request, open_repo(request, o, r), n)
    need_unlocked(request, item)
    body = request.json().get("body")
    if not isinstance(body, str) or not body.strip():
        raise invalid("IssueComment", "body", "missing_field" if body is None else "custom", None if body is None
            else "body cannot be blank")
    if len(body) > 65536:
        raise invalid("IssueComment", "body", message="body is too long (maximum is 65536 characters)")
    shape = present.comment(request, request.world.add_comment(item, request.viewer, body))
    return Answer(201, shape, {"Location": shape["url"]})


def all_comments(repo):
    return [comment for item in repo.items.values() for comment in item.comments]


@route("PATCH", "/repos/{o}/{r}/issues/comments/{number}")
def edit_comment(request, o, r, number):
    repo = open_repo(request, o, r)
    comment = by_id(all_comments(repo), number)
    may_edit(request, repo, comment.author)
    comment.body = text_field(request.json(), "body", "IssueComment", required=True)
    comment.updated_at = request.now
    return present.comment(request, comment)


@route("DELETE", "/repos/{o}/{r}/issues/comments/{number}")
def delete_comment(request, o, r, number):
    repo = open_repo(request, o, r)
    comment = by_id(all_comments(repo), number)
    may_edit(request, repo, comment.author)
    comment.item.comments.remove(comment)
    return Answer(204)


@route("PUT", "/repos/{o}/{r}/issues/{n}/lock")
def lock(request, o, r, n):
    find_item(request, writable_repo(request, o, r), n).locked = True
    return Answer(204)


@route("DELETE", "/repos/{o}/{r}/issues/{n}/lock")
def unlock(request, o, r, n):
    find_item(request, writable_repo(request, o, r), n).locked = False
    return Answer(204)


# ---------------------------------------------------------------- labels, assignees


def label_names(body):
    return body.get("labels", []) if isinstance(body, dict) else body


@route("POST", "/repos/{o}/{r}/issues/{n}/labels")
def add_labels(request, o, r, n):
    repo = writable_repo(request, o, r)
    item = find_item(request, repo, n)
    for label in labels_of(request, repo, label_names(request.json())):
        if label not in item.labels:
            item.labels.append(label)
    request.world.touch(item)
    return [present.label(request, label) for label in item.labels]


@route("PUT", "/repos/{o}/{r}/issues/{n}/labels")
def set_labels(request, o, r, n):
    repo = writable_repo(request, o, r)
    item = find_item(request, repo, n)
    item.labels = labels_of(request, repo, label_names(request.json()))
    return [present.label(request, label) for label in item.labels]


@route("DELETE", "/repos/{o}/{r}/issues/{n}/labels/{name}")
def remove_label(request, o, r, n, name):
    repo = writable_repo(request, o, r)
    item = find_item(request, repo, n)
    label = request.world.label(repo, name)
    if label not in item.labels:
        raise Refusal(404, "Label does not exist")
    item.labels.remove(label)
    request.world.touch(item)
    return [present.label(request, label) for label in item.labels]


@route("POST", "/repos/{o}/{r}/labels")
def create_label(request, o, r):
    repo = writable_repo(request, o, r)
    body = request.json()
    name = text_field(body, "name", "Label", required=True)
    if request.world.label(repo, name):
        raise invalid("Label", "name", "already_exists")
    label = request.world.add_label(repo, name, body.get("color", "ededed").lstrip("#"), body.get("description"))
    return Answer(201, present.label(request, label))


@route("PATCH", "/repos/{o}/{r}/labels/{name}")
def edit_label(request, o, r, name):
    label = request.world.label(writable_repo(request, o, r), name)
    if label is None:
        raise not_found()
    body = request.json()
    label.name, label.color = body.get("new_name", label.name), body.get("color", label.color).lstrip("#")
    label.description = body.get("description", label.description)
    return present.label(request, label)


@route("DELETE", "/repos/{o}/{r}/labels/{name}")
def delete_label(request, o, r, name):
    repo = writable_repo(request, o, r)
    label = request.world.label(repo, name)
    if label is None:
        raise not_found()
    repo.labels.remove(label)
    for item in repo.items.values():
        item.labels = [other for other in item.labels if other is not label]
    return Answer(204)


@route("POST", "/repos/{o}/{r}/issues/{n}/assignees")
def add_assignees(request, o, r, n):
    item = find_item(request, writable_repo(request, o, r), n)
    for user in filter(None, map(request.world.user, request.json().get("assignees", []))):
        if user not in item.assignees:
            item.assignees.append(user)
    return Answer(201, present.issue(request, item))


@route("DELETE", "/repos/{o}/{r}/issues/{n}/assignees")
def remove_assignees(request, o, r, n):
    item = find_item(request, writable_repo(request, o, r), n)
    gone = request.json().get("assignees", [])
    item.assignees = [user for user in item.assignees if user.login not in gone]
    return present.issue(request, item)


# ---------------------------------------------------------------- pull requests


@route("POST", "/repos/{o}/{r}/pulls")
def create_pull(request, o, r):
    repo = open_repo(request, o, r)
    body = request.json()
    for name in ("base", "head"):
        text_field(body, name, "PullRequest", required=True)
    head = body["head"]
    if ":" not in head and body.get("head_repo"):
        head = body["head_repo"].split("/")[0] + ":" + head
    source, _ = pulls.find_head(request.world, repo, head, request.viewer)
    if source and not request.world.can_write(source, request.viewer):
        raise Refusal(403, "Resource not accessible by personal access token")
    pull = pulls.create(
        request.world, repo, request.viewer, text_field(body, "title", "PullRequest", required=True), body.get("body"),
        body["base"], head, body.get("draft", False), body.get("maintainer_can_modify", True))
    shape = present.pull(request, pull, full=True)
    return Answer(201, shape, {"Location": shape["url"]})


@route("PATCH", "/repos/{o}/{r}/pulls/{n}")
def edit_pull(request, o, r, n):
    repo = open_repo(request, o, r)
    pull = find_item(request, repo, n, "pull")
    may_edit(request, repo, pull.author)
    body = request.json()
    if "title" in body:
        pull.title = text_field(body, "title", "PullRequest", required=True)
    if "body" in body:
        pull.body = body["body"]
    if "maintainer_can_modify" in body:
        pull.maintainer_can_modify = bool(body["maintainer_can_modify"])
    if body.get("base"):
        if request.world.git.branch(repo.full_name, body["base"]) is None:
            raise invalid("PullRequest", "base")
        pull.base_ref = body["base"]
    change_state(request, pull, body.get("state"))
    request.world.touch(pull)
    return present.pull(request, pull, full=True)


@route("PUT", "/repos/{o}/{r}/pulls/{n}/merge")
def merge_pull(request, o, r, n):
    pull = find_item(request, writable_repo(request, o, r), n, "pull")
    body = request.json()
    sha = pulls.merge(request.world, pull, request.viewer, body.get("merge_method", "merge"), body.get("commit_title"),
        body.get("commit_message"), body.get("sha"))
    return {"sha": sha, "merged": True, "message": "Pull Request successfully merged"}


@route("PUT", "/repos/{o}/{r}/pulls/{n}/update-branch")
def update_branch(request, o, r, n):
    pull = find_item(request, writable_repo(request, o, r), n, "pull")
    pulls.update_branch(request.world, pull, request.viewer)
    return Answer(202, {"message": "Updating pull request branch.", "url": present.item_url(request, pull)})


@route("POST", "/repos/{o}/{r}/pulls/{n}/requested_reviewers")
def request_reviewers(request, o, r, n):
    pull = find_item(request, writable_repo(request, o, r), n, "pull")
    for user in users_of(request, request.json().get("reviewers", []), "PullRequest", "reviewers"):
        if user is pull.author:
            raise Refusal(422, "Review cannot be requested from pull request author.")
        if user not in pull.requested:
            pull.requested.append(user)
    return Answer(201, present.pull(request, pull))


@route("DELETE", "/repos/{o}/{r}/pulls/{n}/requested_reviewers")
def remove_reviewers(request, o, r, n):
    pull = find_item(request, writable_repo(request, o, r), n, "pull")
    gone = request.json().get("reviewers", [])
    pull.requested = [user for user in pull.requested if user.login not in gone]
    return present.pull(request, pull)


# ---------------------------------------------------------------- repositories, refs, files


@route("PATCH", "/repos/{o}/{r}")
def edit_repo(request, o, r):
    repo = writable_repo(request, o, r)
    body = request.json()
    repo.description = body.get("description", repo.description)
    repo.homepage = body.get("homepage", repo.homepage)
    return present.repo(request, repo, full=True)


@route("POST", "/repos/{o}/{r}/forks")
def fork_repo(request, o, r):
    parent = open_repo(request, o, r)
    body, world = request.json(), request.world
    full_name = f"{body.get('organization') or request.viewer.login}/{body.get('name') or parent.name}"
    repo = world.repo(full_name)
    if repo is None:
        repo = world.add_repo({
            "full_name": full_name, "parent": parent.full_name, "description": parent.description, "language": parent.language,
            "created": iso(request.now), "default_branch": parent.default_branch})
        world.git.copy(parent.full_name, full_name)
    return Answer(202, present.repo(request, repo, full=True))


@route("DELETE", "/repos/{o}/{r}")
def delete_repo(request, o, r):
    repo = writable_repo(request, o, r)
    if request.world.permission(repo, request.viewer) != "admin":
        raise Refusal(403, "Must have admin rights to Repository.")
    del request.world.repos[repo.full_name.lower()]
    return Answer(204)


@route("POST", "/repos/{o}/{r}/git/refs")
def create_ref(request, o, r):
    repo = writable_repo(request, o, r)
    body = request.json()
    ref, sha = text_field(body, "ref", "Reference", True), text_field(body, "sha", "Reference", True)
    if not ref.startswith("refs/") or ref.count("/") < 2:
        raise Refusal(422, "Reference name must start with 'refs/' and contain at least three components.")
    if request.world.git.rev(repo.full_name, ref):
        raise Refusal(422, "Reference already exists")
    return move_ref(request, repo, ref, sha, 201)


@route("PATCH", "/repos/{o}/{r}/git/refs/{ref*}")
def edit_ref(request, o, r, ref):
    repo = writable_repo(request, o, r)
    body = request.json()
    git, old = request.world.git, request.world.git.rev(repo.full_name, "refs/" + ref)
    if old is None:
        raise Refusal(422, "Reference does not exist")
    if not body.get("force") and not git.is_ancestor(repo.full_name, old, body.get("sha", "")):
        raise Refusal(422, "Update is not a fast forward")
    return move_ref(request, repo, "refs/" + ref, body.get("sha", ""), 200)


def move_ref(request, repo, ref, sha, status):
    git = request.world.git
    if sha and git.rev(repo.full_name, sha) is None:
        raise Refusal(422, "Object does not exist")
    before = git.refs(repo.full_name, "refs/heads", "refs/tags")
    git.update_ref(repo.full_name, ref, sha)
    pulls.after_push(request.world, repo, before, request.viewer)
    return Answer(status, {"ref": ref, "object": {"sha": sha, "type": "commit"}}) if sha else Answer(204)


@route("DELETE", "/repos/{o}/{r}/git/refs/{ref*}")
def delete_ref(request, o, r, ref):
    repo = writable_repo(request, o, r)
    if request.world.git.rev(repo.full_name, "refs/" + ref) is None:
        raise Refusal(422, "Reference does not exist")
    return move_ref(request, repo, "refs/" + ref, None, 204)


@route("PUT", "/repos/{o}/{r}/contents/{path*}")
def put_contents(request, o, r, path):
    repo = writable_repo(request, o, r)
    body = request.json()
    git, branch = request.world.git, body.get("branch", repo.default_branch)
    before = git.refs(repo.full_name, "refs/heads", "refs/tags")
    sha = git.branch(repo.full_name, branch)
    old = {name: blob for name, blob, _ in git.files(repo.full_name, sha)}.get(path) if sha else None
    if old and body.get("sha") != old:
        raise Refusal(409, f"{path} does not match {body['sha']}")
    author = request.world.identity(need_viewer(request).login)
    try:
        content = base64.b64decode(body["content"])
    except ValueError:
        raise Refusal(422, "content is not valid Base64") from None
    made = git.put_file(repo.full_name, branch, path, content, body["message"] + "\n", author, request.now)
    pulls.after_push(request.world, repo, before, request.viewer)
    return Answer(200 if old else 201, {"content": {"path": path},
        "commit": present.commit(request, repo, git.commit(repo.full_name, made))})
