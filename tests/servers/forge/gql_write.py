"""GraphQL mutations: each function does one, given the request and its `input`.

They check permissions, use the same World and pulls functions as REST's writes,
and return the payload as a dict whose records gql_exec.py completes.
"""

from . import pulls
from .gql_resolve import find_node
from .model import Refusal
from .router import need_token_for_writes, need_unlocked

REVIEW_STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED", None: "PENDING"}
METHODS = {"MERGE": "merge", "SQUASH": "squash", "REBASE": "rebase", None: "merge"}


def run(request, name, given):
    try:
        payload = MUTATIONS[name](request, name, given) or {}
    except KeyError as error:
        raise Refusal(422, f"Variable $input was provided invalid value for {error.args[0]} (Expected value to not be null)") from None
    return {**payload, "clientMutationId": given.get("clientMutationId")}


def camel(name):
    return name[0].upper() + name[1:]


def open_target(request, name, id):
    """A record whose repository the viewer may talk in."""
    record = find_node(request, id)
    need_token_for_writes(request, repo_of(record))
    return record


def repo_of(record):
    if record.kind == "Repository":
        return record
    for owner in ("item", "pull"):
        record = getattr(record, owner, record)
    return record.repo


def no_permission(request, name):
    message = f"{request.viewer.login} does not have the correct permissions to execute `{camel(name)}`"
    return Refusal(403, message, graphql_type="FORBIDDEN")


def writable(request, name, id, author_too=False):
    """A record that the viewer may change."""
    record = open_target(request, name, id)
    if not request.world.can_write(repo_of(record), request.viewer) and not (author_too and record.author is request.viewer):
        raise no_permission(request, name)
    return record


def find_all(request, ids):
    return [find_node(request, id) for id in ids or []]


def apply_fields(request, item, given):
    """The fields that create and update have in common."""
    if given.get("labelIds") is not None:
        item.labels = find_all(request, given["labelIds"])
    if given.get("assigneeIds") is not None:
        item.assignees = find_all(request, given["assigneeIds"])
    if given.get("milestoneId"):
        item.milestone = find_node(request, given["milestoneId"])
    for key in ("title", "body"):
        if given.get(key) is not None:
            setattr(item, key, given[key])
    request.world.touch(item)


# ---------------------------------------------------------------- issues and comments


def create_issue(request, name, given):
    repo = open_target(request, name, given["repositoryId"])
    if not (given.get("title") or "").strip():
        raise Refusal(422, "Title can't be blank")
    issue = request.world.add_issue(repo, request.viewer, given["title"], given.get("body"))
    if request.world.can_write(repo, request.viewer):
        apply_fields(request, issue, given)
    return {"issue": issue}


def update_issue(request, name, given):
    issue = writable(request, name, given["id"], author_too=True)
    apply_fields(request, issue, given)
    if given.get("state"):
        change_issue(request, issue, given["state"] == "OPEN", given.get("stateReason"))
    return {"issue": issue}


def change_issue(request, issue, is_open, reason=None):
    if is_open and issue.closed_at:
        request.world.reopen(issue)
    elif not is_open and not issue.closed_at:
        request.world.close(issue, request.viewer, (reason or "COMPLETED").lower())


def close_issue(request, name, given):
    issue = writable(request, name, given["issueId"], author_too=True)
    change_issue(request, issue, False, given.get("stateReason"))
    return {"issue": issue}


def reopen_issue(request, name, given):
    issue = writable(request, name, given["issueId"], author_too=True)
    change_issue(request, issue, True)
    return {"issue": issue}


def add_comment(request, name, given):
    item = open_target(request, name, given["subjectId"])
    need_unlocked(request, item)
    if not (given.get("body") or "").strip():
        raise Refusal(422, "Body can't be blank")
    comment = request.world.add_comment(item, request.viewer, given["body"])
    return {"commentEdge": {"node": comment, "cursor": ""}, "subject": item}


def update_comment(request, name, given):
    comment = writable(request, name, given["id"], author_too=True)
    comment.body, comment.updated_at = given["body"], request.now
    return {"issueComment": comment}


def delete_comment(request, name, given):
    comment = writable(request, name, given["id"], author_too=True)
    comment.item.comments.remove(comment)


def set_lock(request, name, given):
    writable(request, name, given["lockableId"]).locked = name == "lockLockable"


def change_labels(request, name, given):
    item = writable(request, name, given["labelableId"])
    labels = find_all(request, given["labelIds"])
    kept = [label for label in item.labels if label not in labels]
    item.labels = kept + labels if name.startswith("add") else kept
    request.world.touch(item)
    return {"labelable": item}


def change_assignees(request, name, given):
    item = writable(request, name, given["assignableId"])
    users = find_all(request, given["assigneeIds"])
    kept = [user for user in item.assignees if user not in users]
    item.assignees = kept + users if name.startswith("add") else kept
    request.world.touch(item)
    return {"assignable": item}


# ---------------------------------------------------------------- pull requests


def create_pull(request, name, given):
    repo = open_target(request, name, given["repositoryId"])
    head = given["headRefName"]
    if ":" not in head and given.get("headRepositoryId"):
        head = find_node(request, given["headRepositoryId"]).owner.login + ":" + head
    source, branch = pulls.find_head(request.world, repo, head, request.viewer)
    if source and not request.world.can_write(source, request.viewer):
        raise no_permission(request, name)
    base_sha = request.world.git.branch(repo.full_name, given["baseRefName"])
    sha = source and request.world.git.branch(source.full_name, branch)
    problems = [text for text, is_bad in (
        ("Head sha can't be blank", not sha), ("Base sha can't be blank", not base_sha),
        (f"No commits between {given['baseRefName']} and {given['headRefName']}", not sha or not base_sha),
        ("Head ref must be a branch", not sha), ("Base ref must be a branch", not base_sha)) if is_bad]
    if problems:
        raise Refusal(422, ", ".join(problems))
    pull = pulls.create(
        request.world, repo, request.viewer, given["title"], given.get("body"), given["baseRefName"], head,
        given.get("draft", False), given.get("maintainerCanModify", True))
    return {"pullRequest": pull}


def update_pull(request, name, given):
    pull = writable(request, name, given["pullRequestId"], author_too=True)
    if given.get("baseRefName"):
        pull.base_ref = given["baseRefName"]
    apply_fields(request, pull, given)
    return {"pullRequest": pull}


def close_pull(request, name, given):
    pull = writable(request, name, given["pullRequestId"], author_too=True)
    pulls.close(request.world, pull, request.viewer)
    return {"pullRequest": pull}


def reopen_pull(request, name, given):
    pull = writable(request, name, given["pullRequestId"], author_too=True)
    pulls.reopen(request.world, pull)
    return {"pullRequest": pull}


def set_draft(request, name, given):
    pull = writable(request, name, given["pullRequestId"], author_too=True)
    pull.draft = name == "convertPullRequestToDraft"
    request.world.touch(pull)
    return {"pullRequest": pull}


def merge_pull(request, name, given):
    pull = writable(request, name, given["pullRequestId"])
    pulls.merge(
        request.world, pull, request.viewer, METHODS[given.get("mergeMethod")], given.get("commitHeadline"), given.get("commitBody"),
        given.get("expectedHeadOid"))
    return {"pullRequest": pull}


def update_branch(request, name, given):
    pull = writable(request, name, given["pullRequestId"], author_too=True)
    pulls.update_branch(request.world, pull, request.viewer)
    return {"pullRequest": pull}


def request_reviews(request, name, given):
    pull = writable(request, name, given["pullRequestId"], author_too=True)
    users = [user for user in find_all(request, given.get("userIds")) if user is not pull.author]
    kept = pull.requested if given.get("union") else []
    pull.requested = kept + [user for user in users if user not in kept]
    return {"pullRequest": pull}


def check_own(request, pull, event):
    if pull.author is request.viewer and event in ("APPROVE", "REQUEST_CHANGES"):
        what = "approve" if event == "APPROVE" else "request changes on"
        raise Refusal(422, f"Review Can not {what} your own pull request")


def add_review(request, name, given):
    pull = open_target(request, name, given["pullRequestId"])
    event, body = given.get("event"), given.get("body") or ""
    check_own(request, pull, event)
    need_no_pending(request, pull)
    if event in ("COMMENT", "REQUEST_CHANGES") and not body and not given.get("threads"):
        raise Refusal(422, "Body can't be blank")
    review = pulls.add_review(request.world, pull, request.viewer, REVIEW_STATES[event], body)
    return {"pullRequestReview": review}


def need_no_pending(request, pull):
    if pulls.pending_of(pull, request.viewer):
        raise Refusal(422, "User can only have one pending review per pull request")


def find_pending(request, name, id):
    """The viewer's own review that is not sent."""
    review = open_target(request, name, id)
    if review.kind != "PullRequestReview" or review.author is not request.viewer:
        raise Refusal(404, f"Could not resolve to a node with the global id of '{id}'", graphql_type="NOT_FOUND")
    if review.state != "PENDING":
        raise Refusal(422, "Can not submit a review that is not pending")
    return review


def need_body(given):
    body = given["body"]
    if not (body or "").strip():
        raise Refusal(422, "Body can't be blank")
    if len(body) > pulls.MAX_BODY:
        raise Refusal(422, f"Body is too long (maximum is {pulls.MAX_BODY} characters)")
    return body


def add_review_thread(request, name, given):
    """Of a review that is not sent: of the one named, else the viewer's, which is begun when there is none."""
    body = need_body(given)
    if given.get("pullRequestReviewId"):
        review = find_pending(request, name, given["pullRequestReviewId"])
        pull = review.pull
    else:
        pull = open_target(request, name, given["pullRequestId"])
        review = pulls.pending_of(pull, request.viewer)
    need_unlocked(request, pull)
    kind = given.get("subjectType", "LINE").lower()
    line = given.get("line") if kind == "line" else None
    side, start = given.get("side", "RIGHT"), given.get("startLine")
    if kind == "line" and line is None:
        raise Refusal(422, "Line can't be blank")
    try:
        pulls.check_position(request.world, pull, given["path"], line, side, start, given.get("startSide"))
    except Refusal:
        return {"thread": None}  # GitHub says no more
    review = review or pulls.add_review(request.world, pull, request.viewer, "PENDING", "")
    comment = pulls.add_review_comment(request.world, pull, review, request.viewer, body, given["path"], line, start, side,
        subject_type=kind, start_side=given.get("startSide"))
    return {"thread": comment.thread}


def add_thread_reply(request, name, given):
    """Beside a review that is not sent a reply becomes a part of it, whether it is named or not."""
    thread = open_target(request, name, given["pullRequestReviewThreadId"])
    need_unlocked(request, thread.pull)
    body = need_body(given)
    if given.get("pullRequestReviewId"):
        review = find_pending(request, name, given["pullRequestReviewId"])
    else:
        review = pulls.pending_of(thread.pull, request.viewer)
    return {"comment": pulls.reply(request.world, thread.comments[0], request.viewer, body, review=review)}


def submit_review(request, name, given):
    if given.get("pullRequestReviewId"):
        review = find_pending(request, name, given["pullRequestReviewId"])
    else:
        review = pulls.pending_of(open_target(request, name, given["pullRequestId"]), request.viewer)
        if review is None:
            raise Refusal(404, "Could not find a pending review", graphql_type="NOT_FOUND")
    event = given["event"]
    body = given["body"] if given.get("body") is not None else review.body
    check_own(request, review.pull, event)
    review.state, review.body, review.submitted_at = REVIEW_STATES[event], body, request.now
    request.world.touch(review.pull)
    return {"pullRequestReview": review}


def set_resolved(request, name, given):
    thread = open_target(request, name, given["threadId"])
    if not request.world.can_write(thread.pull.repo, request.viewer) and thread.pull.author is not request.viewer:
        raise no_permission(request, name)
    thread.resolved_by = request.viewer if name == "resolveReviewThread" else None
    return {"thread": thread}


MUTATIONS = {
    "createIssue": create_issue, "updateIssue": update_issue, "closeIssue": close_issue, "reopenIssue": reopen_issue,
    "addComment": add_comment, "updateIssueComment": update_comment, "deleteIssueComment": delete_comment,
    "createPullRequest": create_pull, "updatePullRequest": update_pull, "closePullRequest": close_pull, "reopenPullRequest": reopen_pull,
    "mergePullRequest": merge_pull, "markPullRequestReadyForReview": set_draft, "convertPullRequestToDraft": set_draft,
    "requestReviews": request_reviews, "addPullRequestReview": add_review, "updatePullRequestBranch": update_branch,
    "addLabelsToLabelable": change_labels, "removeLabelsFromLabelable": change_labels,
    "addAssigneesToAssignable": change_assignees, "removeAssigneesFromAssignable": change_assignees,
    "lockLockable": set_lock, "unlockLockable": set_lock,
    "resolveReviewThread": set_resolved, "unresolveReviewThread": set_resolved,
    "addPullRequestReviewThread": add_review_thread, "addPullRequestReviewThreadReply": add_thread_reply,
    "submitPullRequestReview": submit_review,
}
