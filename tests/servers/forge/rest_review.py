"""REST: reviews of pull requests and their comments. Registered by rest.py.

A review is all or nothing, and its 422 does not say which comment is wrong. Each
account may have one review that is not sent yet (PENDING); nobody else sees it,
and until it is sent or deleted it stands in the way of every other one.
"""

from . import present, pulls
from .message import Answer
from .model import Refusal, invalid, parse_iso
from .rest_write import may_edit, text_field
from .router import by_id, find_item, find_repo, listing, need_unlocked, open_repo, route

STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED", None: "PENDING"}


def unprocessable(text):
    return Refusal(422, "Unprocessable Entity", [text])


def seen_reviews(request, repo, n):
    rows = find_item(request, repo, n, "pull").reviews
    return [row for row in rows if row.state != "PENDING" or row.author is request.viewer]


def find_review(request, repo, n, number):
    return by_id(seen_reviews(request, repo, n), number)


def check_commit(request, pull, body, resource):
    sha = body.get("commit_id")
    if sha is not None and sha not in [commit.sha for commit in pulls.commits(request.world, pull)]:
        raise invalid(resource, "commit_id", message="commit_id is not part of the pull request")


# ---------------------------------------------------------------- reviews


@route("GET", "/repos/{o}/{r}/pulls/{n}/reviews")
def get_reviews(request, o, r, n):
    return listing(request, seen_reviews(request, find_repo(request, o, r), n), present.review)


@route("GET", "/repos/{o}/{r}/pulls/{n}/reviews/{number}")
def get_review(request, o, r, n, number):
    return present.review(request, find_review(request, find_repo(request, o, r), n, number))


@route("GET", "/repos/{o}/{r}/pulls/{n}/reviews/{number}/comments")
def get_comments_of_review(request, o, r, n, number):
    review = find_review(request, find_repo(request, o, r), n, number)
    rows = [row for row in pulls.review_comments(review.pull, with_pending=True) if row.review is review]
    return listing(request, rows, present.review_comment)


def check_event(request, pull, event, text, comments):
    if event not in STATES:
        raise invalid("PullRequestReview", "event")
    if pull.author is request.viewer and event in ("APPROVE", "REQUEST_CHANGES"):
        what = "approve your own" if event == "APPROVE" else "request changes on your own"
        raise unprocessable(f"Review Can not {what} pull request")
    if event in ("COMMENT", "REQUEST_CHANGES") and not text and not comments:
        raise unprocessable("Review Body can't be blank")
    if len(text) > pulls.MAX_BODY:
        raise unprocessable(f"Body is too long (maximum is {pulls.MAX_BODY} characters)")


def check_comment(request, pull, row):
    """A place outside the diff, in the words that reviews have for it."""
    try:
        pulls.check_position(request.world, pull, row["path"], row["line"], row.get("side", "RIGHT"), row.get("start_line"),
            row.get("start_side"))
    except Refusal as refusal:
        error = refusal.errors[0]
        if error["field"].endswith(".path"):
            text = "Path could not be resolved"
        elif error["field"].endswith(".start_line"):
            text = error["message"].replace("pull_request_review_thread.start_line", "Start line")
        else:
            text = "Line could not be resolved"
        raise unprocessable(text) from None


@route("POST", "/repos/{o}/{r}/pulls/{n}/reviews")
def create_review(request, o, r, n):
    pull = find_item(request, open_repo(request, o, r), n, "pull")
    need_unlocked(request, pull)
    body = request.json()
    event, text, comments = body.get("event"), body.get("body") or "", body.get("comments") or []
    check_event(request, pull, event, text, comments)
    check_commit(request, pull, body, "PullRequestReview")
    if pulls.pending_of(pull, request.viewer):
        raise unprocessable("User can only have one pending review per pull request")
    for row in comments:  # all or nothing
        check_comment(request, pull, row)
    review = pulls.add_review(request.world, pull, request.viewer, STATES[event], text, body.get("commit_id"))
    for row in comments:
        pulls.add_review_comment(request.world, pull, review, request.viewer, row["body"], row["path"], row.get("line"),
            row.get("start_line"), row.get("side", "RIGHT"), start_side=row.get("start_side"))
    return present.review(request, review)


@route("POST", "/repos/{o}/{r}/pulls/{n}/reviews/{number}/events")
def submit_review(request, o, r, n, number):
    review = find_review(request, open_repo(request, o, r), n, number)
    body = request.json()
    if review.state != "PENDING":
        raise unprocessable("Can not submit a review that is not pending")
    text = body.get("body", review.body)
    check_event(request, review.pull, body.get("event", "COMMENT"), text, True)
    review.state, review.body, review.submitted_at = STATES[body.get("event", "COMMENT")], text, request.now
    return present.review(request, review)


@route("PUT", "/repos/{o}/{r}/pulls/{n}/reviews/{number}")
def edit_review(request, o, r, n, number):
    repo = open_repo(request, o, r)
    review = find_review(request, repo, n, number)
    may_edit(request, repo, review.author)
    review.body = text_field(request.json(), "body", "PullRequestReview", required=True)
    return present.review(request, review)


@route("DELETE", "/repos/{o}/{r}/pulls/{n}/reviews/{number}")
def delete_review(request, o, r, n, number):
    review = find_review(request, open_repo(request, o, r), n, number)
    if review.state != "PENDING":
        raise Refusal(422, "Can not delete a non-pending pull request review")
    pulls.remove_review(review)
    return present.review(request, review)


# ---------------------------------------------------------------- comments on the diff


@route("GET", "/repos/{o}/{r}/pulls/{n}/comments")
def get_review_comments(request, o, r, n):
    rows = pulls.review_comments(find_item(request, find_repo(request, o, r), n, "pull"))
    if request.query.get("since"):
        rows = [row for row in rows if row.updated_at >= parse_iso(request.query["since"])]
    if request.query.get("direction") == "desc":
        rows = rows[::-1]
    return listing(request, rows, present.review_comment)


def find_comment(request, repo, number):
    return by_id(pulls.all_review_comments(repo), number)


@route("GET", "/repos/{o}/{r}/pulls/comments/{number}")
def get_review_comment(request, o, r, number):
    return present.review_comment(request, find_comment(request, find_repo(request, o, r), number))


@route("PATCH", "/repos/{o}/{r}/pulls/comments/{number}")
def edit_review_comment(request, o, r, number):
    repo = open_repo(request, o, r)
    comment = find_comment(request, repo, number)
    may_edit(request, repo, comment.author)
    comment.body = text_field(request.json(), "body", "PullRequestReviewComment", required=True)
    comment.updated_at = request.now
    return present.review_comment(request, comment)


@route("DELETE", "/repos/{o}/{r}/pulls/comments/{number}")
def delete_review_comment(request, o, r, number):
    repo = open_repo(request, o, r)
    comment = find_comment(request, repo, number)
    may_edit(request, repo, comment.author)
    pulls.remove_review_comment(comment)
    return Answer(204)


def need_no_pending(request, pull):
    if pulls.pending_of(pull, request.viewer):
        raise invalid("PullRequestReview", "user_id", message="user_id can only have one pending review per pull request")


@route("POST", "/repos/{o}/{r}/pulls/{n}/comments")
def create_review_comment(request, o, r, n):
    pull = find_item(request, open_repo(request, o, r), n, "pull")
    need_unlocked(request, pull)
    body = request.json()
    text = text_field(body, "body", "PullRequestReviewComment", required=True)
    need_no_pending(request, pull)
    if body.get("in_reply_to"):
        first = by_id(pulls.review_comments(pull), body["in_reply_to"])
        return Answer(201, present.review_comment(request, pulls.reply(request.world, first, request.viewer, text)))
    check_commit(request, pull, body, "PullRequestReviewComment")
    kind = body.get("subject_type", "line")
    if kind == "line" and not isinstance(body.get("line"), int):
        raise invalid("PullRequestReviewComment", "line", "missing_field")
    line = body.get("line") if kind == "line" else None
    path = text_field(body, "path", "PullRequestReviewComment", True)
    start, side = body.get("start_line"), body.get("side", "RIGHT")
    pulls.check_position(request.world, pull, path, line, side, start, body.get("start_side"))
    review = pulls.add_review(request.world, pull, request.viewer, "COMMENTED", "")
    comment = pulls.add_review_comment(request.world, pull, review, request.viewer, text, path, line, start, side, subject_type=kind,
        start_side=body.get("start_side"))
    return Answer(201, present.review_comment(request, comment))


@route("POST", "/repos/{o}/{r}/pulls/{n}/comments/{number}/replies")
def reply_to_comment(request, o, r, n, number):
    pull = find_item(request, open_repo(request, o, r), n, "pull")
    need_unlocked(request, pull)
    first = by_id(pulls.review_comments(pull), number)
    if first.reply_to:
        raise invalid("PullRequestReviewComment", "in_reply_to_id", message="in_reply_to_id must be a top-level comment")
    text = text_field(request.json(), "body", "PullRequestReviewComment", required=True)
    need_no_pending(request, pull)
    return Answer(201, present.review_comment(request, pulls.reply(request.world, first, request.viewer, text)))
