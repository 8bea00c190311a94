"""REST: reactions to issues, to comments and to comments of reviews. Registered by rest.py."""

from . import present, pulls
from .message import Answer
from .model import invalid
from .rest_write import all_comments
from .router import by_id, find_item, find_repo, listing, open_repo, route


def issue_of(request, repo, n):
    return find_item(request, repo, n)


def comment_of(request, repo, number):
    return by_id(all_comments(repo), number)


def review_comment_of(request, repo, number):
    return by_id(pulls.all_review_comments(repo), number)


def show(request, row):
    number, content, login = row
    return {"id": number, "node_id": f"REA_{number}", "content": content, "user": present.user(request, request.world.user(login))}


def register(pattern, find, key):
    """GET and POST of `pattern`, about the record that `find` gives for its number `key`."""

    def get(request, o, r, **parts):
        record = find(request, find_repo(request, o, r), parts[key])
        rows = [(number, content, login) for content, people in record.reactions.items() for login, number in people.items()]
        return listing(request, sorted(rows), show)

    def post(request, o, r, **parts):
        record = find(request, open_repo(request, o, r), parts[key])
        content = request.json().get("content")
        if content not in present.CONTENT_REACTIONS:
            raise invalid("Reaction", "content")
        number, is_new = request.world.react(record, content, request.viewer)
        return Answer(201 if is_new else 200, show(request, (number, content, request.viewer.login)))

    route("GET", pattern)(get)
    route("POST", pattern)(post)


register("/repos/{o}/{r}/issues/{n}/reactions", issue_of, "n")
register("/repos/{o}/{r}/issues/comments/{number}/reactions", comment_of, "number")
register("/repos/{o}/{r}/pulls/comments/{number}/reactions", review_comment_of, "number")
