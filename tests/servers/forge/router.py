"""REST plumbing: the route table, pagination, and the checks every endpoint needs.

`@route("GET", "/repos/{o}/{r}/issues/{n}")` registers a function(request, **parts);
`{x*}` takes slashes too, `{n}` and `{number}` digits only. Parts arrive percent-decoded. A function returns an
Answer, or any JSON value for a 200; it raises Refusal for anything else.
"""

import re
from urllib.parse import unquote, urlencode

from .message import Answer
from .model import Refusal

ROUTES = []


def route(method, pattern):
    parts = re.split(r"(\{\w+\*?\})", pattern)
    shapes = {"n": r"\d+", "number": r"\d+"}
    regex = ""
    for part in parts:
        name = part.strip("{}*")
        shape = ".+" if part.endswith("*}") else shapes.get(name, "[^/]+")
        regex += f"(?P<{name}>{shape})" if part.startswith("{") else re.escape(part)

    def register(function):
        ROUTES.append((method, re.compile(regex), function))
        return function

    return register


def handle(request):
    path = request.raw_path.rstrip("/") or "/"
    renamed = re.match(r"/repositories/(\d+)(.*)", path)
    if renamed:
        path = next((f"/repos/{repo.full_name}{renamed[2]}" for repo in request.world.repos.values() if repo.id == int(renamed[1])), path)
    method = "GET" if request.method == "HEAD" else request.method
    for wanted, regex, function in ROUTES:
        found = regex.fullmatch(path) if wanted == method else None
        if found:
            value = function(request, **{key: unquote(part) for key, part in found.groupdict().items()})
            return value if isinstance(value, Answer) else Answer(200, value)
    raise Refusal(404, "Not Found")


# ---------------------------------------------------------------- checks


def not_found():
    return Refusal(404, "Not Found", graphql_type="NOT_FOUND")


def need_viewer(request):
    if request.viewer is None:
        raise Refusal(401, "Requires authentication")
    return request.viewer


def find_repo(request, o, r):
    repo = request.world.repo(f"{o}/{r}", request.viewer, seen_by_all=False)
    if repo is None:
        raise not_found()
    return repo


def scopes_of(request, repo):
    """The permissions of which a job's token needs one to write there."""
    part = re.match(r"/repos/[^/]+/[^/]+/(\w+)(?:/(\d+))?", request.path)
    if not part:
        return ("issues", "pull-requests")  # GraphQL: what our clients change there
    if part[1] == "pulls":
        return ("pull-requests",)
    if part[1] == "issues":
        item = repo.items.get(int(part[2])) if part[2] else None
        return ("issues", "pull-requests") if item is None or item.is_pull else ("issues",)
    return {"labels": ("issues", "pull-requests"), "actions": ("actions",)}.get(part[1], ("contents",))


def need_token_for_writes(request, repo):
    need_viewer(request)
    if not request.token.may_write(*scopes_of(request, repo)):
        whose = "personal access token" if request.token.permissions is None else "integration"
        raise Refusal(403, f"Resource not accessible by {whose}", graphql_type="FORBIDDEN")
    if repo.archived:
        raise Refusal(403, "Repository was archived so is read-only.", graphql_type="FORBIDDEN")


def writable_repo(request, o, r):
    """For what needs push access; GitHub answers 404 or 403 without it."""
    need_viewer(request)
    repo = find_repo(request, o, r)
    need_token_for_writes(request, repo)
    if not request.world.can_write(repo, request.viewer):
        raise Refusal(403, "Must have admin rights to Repository.", graphql_type="FORBIDDEN")
    return repo


def open_repo(request, o, r):
    """For what everybody with an account may do: issues, comments, pull requests."""
    need_viewer(request)
    repo = find_repo(request, o, r)
    need_token_for_writes(request, repo)
    return repo


def find_item(request, repo, n, kind=None):
    item = repo.items.get(int(n)) if n.isdigit() else None
    if item is None or (kind == "pull" and not item.is_pull):
        raise not_found()
    return item


def need_unlocked(request, item):
    if item.locked and not request.world.can_write(item.repo, request.viewer):
        raise Refusal(403, "Unable to create comment because issue is locked.", graphql_type="FORBIDDEN")


def by_id(rows, number):
    found = next((row for row in rows if str(row.id) == str(number)), None)
    if found is None:
        raise not_found()
    return found


# ---------------------------------------------------------------- lists


def number_of(request, name, default, most):
    text = request.query.get(name, "")
    value = int(text) if text.isdigit() else default
    return min(max(value, 1), most)


def page_of(request, total):
    """(first index, last index, headers with Link)"""
    size = number_of(request, "per_page", 30, 100)
    page = number_of(request, "page", 1, 1 << 30)
    pages = max(1, -(-total // size))

    def link(number, rel):
        query = {**request.query, "page": number}
        path = re.sub(r"^/repos/([^/]+/[^/]+)", lambda m: f"/repositories/{request.world.repo(m[1]).id}", request.raw_path)
        return f'<{request.api}{path}?{urlencode(query)}>; rel="{rel}"'

    links = []
    if page > 1:
        links.append(link(min(page - 1, pages), "prev"))
    if page < pages:
        links += [link(page + 1, "next"), link(pages, "last")]
    if page > 1:
        links.append(link(1, "first"))
    return (page - 1) * size, page * size, {"Link": ", ".join(links)} if links else {}


def listing(request, rows, show, key=None):
    """One page of `rows`, each through `show(request, row)`; under `key` with a total_count when one is given."""
    rows = list(rows)
    first, last, headers = page_of(request, len(rows))
    page = [show(request, row) for row in rows[first:last]]
    return Answer(200, {"total_count": len(rows), key: page} if key else page, headers)


def sort_items(request, rows, default="created"):
    key = {"updated": lambda it: (it.updated_at, it.number), "comments": lambda it: (len(it.comments), it.number)}.get(
        request.query.get("sort", default), lambda it: (it.created_at, it.number))
    return sorted(rows, key=key, reverse=request.query.get("direction", "desc") != "asc")


def wants(request, media):
    return media in request.headers.get("Accept", "")
