"""Search: GitHub's query language over issues, code, commits and repositories.

Understood: words and "phrases", `-` in front of anything, repo: org: user:, is:
type: state: reason: author: assignee: mentions: commenter: involves: label: no:
milestone: head: base: draft: review-requested: in:, date ranges (created: updated:
closed: merged: pushed: committer-date: author-date:), number ranges (comments:
stars: size:), language: path: extension: filename: topic: archived: fork: hash:.
There is no ranking, stemming or OR. The REST endpoints are at the end; GraphQL's
`search` uses find_items().
"""

import re
from collections import namedtuple
from datetime import datetime, timedelta, timezone

from . import present, pulls
from .message import Answer
from .model import Refusal, parse_iso
from .router import page_of, wants

Term = namedtuple("Term", "key value negated")

SPLIT = re.compile(r'(-?)(?:([A-Za-z-]+):)?("(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")*|[^\s"]+(?:"[^"]*")?|")')
DATES = ("created", "updated", "closed", "merged", "pushed", "committer-date", "author-date")
CANNOT_SEE = (
    "The listed users and repositories cannot be searched either because the resources do not exist "
    "or you do not have permission to view them."
)


def refuse(message=None, code="invalid"):
    error = {"resource": "Search", "field": "q", "code": code}
    return Refusal(422, "Validation Failed", [{"message": message, **error} if message else error])


def parse(text):
    if text.count('"') % 2:
        text += '"'
    terms = []
    for minus, key, value in SPLIT.findall(text):
        if value.startswith('"') and '","' not in value:
            value = value.strip('"').replace('\\"', '"')
        terms.append(Term((key or "").lower(), value, bool(minus)))
    return terms


# ---------------------------------------------------------------- values


def day_range(text):
    """An ISO day or instant as [first ms, last ms]."""
    try:
        start = parse_iso(text)
    except ValueError:
        raise refuse(f'"{text}" is not a recognized date/time format. Please provide an ISO 8601 date/time value, such as YYYY-MM-DD.') from None
    if "T" in text:
        return start, start
    end = datetime.fromtimestamp(start / 1000, timezone.utc) + timedelta(days=1)
    return start, int(end.timestamp() * 1000) - 1


def number_range(text):
    if not text.isdigit():
        raise refuse(f'"{text}" is not a number.')
    return int(text), int(text)


def in_range(value, text, ends):
    """`>=a`, `<a`, `a..b`, `*..b` or `a`; `ends` reads one end as (first, last)."""
    if value is None:
        return False
    if ".." in text:
        low, _, high = text.partition("..")
        return (low in ("", "*") or value >= ends(low)[0]) and (high in ("", "*") or value <= ends(high)[1])
    first, last = ends(text.lstrip("<>="))
    for sign, is_in in ((">=", value >= first), ("<=", value <= last), (">", value > last), ("<", value < first)):
        if text.startswith(sign):
            return is_in
    return first <= value <= last


def check_dates(terms):
    for term in terms:
        if term.key in DATES:
            in_range(0, term.value, day_range)


def search_repos(request, terms):
    """The repositories a query is limited to (None: all that are visible)."""
    wanted = [term for term in terms if term.key in ("repo", "org", "user") and not term.negated]
    visible = [repo for repo in request.world.repos.values() if request.world.permission(repo, request.viewer)]
    if not wanted:
        return visible
    found = []
    for term in wanted:
        value = term.value.lower()
        if value == "@me" and request.viewer:
            value = request.viewer.login.lower()
        found += [repo for repo in visible if (repo.full_name if term.key == "repo" else repo.owner.login).lower() == value]
        if term.key != "repo" and request.world.user(value):
            found += [None]  # an owner without visible repositories is no mistake
    if not found:
        raise refuse(CANNOT_SEE)
    return [repo for repo in found if repo]


# ---------------------------------------------------------------- issues and pull requests


def is_person(request, user, text):
    if text == "@me":
        return user is not None and user is request.viewer
    return user is not None and user is request.world.user(text.lstrip("@"))


def match_is(request, item, value):
    tests = {
        "issue": lambda: not item.is_pull, "pr": lambda: item.is_pull, "pull-request": lambda: item.is_pull,
        "open": lambda: item.state == "open", "closed": lambda: item.state == "closed",
        "merged": lambda: item.is_pull and item.merged_at is not None, "unmerged": lambda: item.is_pull and item.merged_at is None,
        "draft": lambda: item.is_pull and item.draft, "locked": lambda: item.locked, "unlocked": lambda: not item.locked,
        "public": lambda: not item.repo.private, "private": lambda: item.repo.private,
    }
    return tests[value.lower()]() if value.lower() in tests else True


def match_no(item, value):
    return not {"label": item.labels, "assignee": item.assignees, "milestone": item.milestone}.get(value)


def match_item(request, item, term):
    key, value = term.key, term.value
    people = {
        "author": [item.author], "assignee": item.assignees, "commenter": [c.author for c in item.comments],
        "involves": [item.author, *item.assignees, *[c.author for c in item.comments]],
        "review-requested": item.requested if item.is_pull else [],
        "reviewed-by": [review.author for review in item.reviews] if item.is_pull else [],
    }
    if key in people:
        return any(is_person(request, user, value) for user in people[key])
    if key in ("is", "type", "state"):
        return match_is(request, item, value)
    if key == "label":
        names = [name.strip('"').lower() for name in value.split(",")] if '"' in value or "," in value else [value.lower()]
        return any(label.name.lower() in names for label in item.labels)
    if key == "no":
        return match_no(item, value)
    if key == "milestone":
        return item.milestone is not None and item.milestone.title.lower() == value.lower()
    if key == "reason":
        return (item.state_reason or "").replace("_", " ") == value.replace("_", " ")
    if key in ("head", "base"):
        return item.is_pull and (item.head_ref if key == "head" else item.base_ref).startswith(value)
    if key == "draft":
        return item.is_pull and item.draft == (value == "true")
    if key == "review":
        decision = pulls.review_decision(item) if item.is_pull else None
        return {"approved": "APPROVED", "changes_requested": "CHANGES_REQUESTED", "required": "REVIEW_REQUIRED"}.get(value) == decision
    if key == "mentions":
        name = request.viewer.login if value == "@me" and request.viewer else value
        return any("@" + name in (text or "") for text in [item.body, *[c.body for c in item.comments]])
    if key in DATES:
        when = {"created": item.created_at, "updated": item.updated_at, "closed": item.closed_at}.get(key, getattr(item, "merged_at", None))
        return in_range(when, value, day_range)
    if key == "comments":
        return in_range(len(item.comments), value, number_range)
    if key == "archived":
        return item.repo.archived == (value == "true")
    if key == "language":
        return (item.repo.language or "").lower() == value.lower()
    return None  # not a qualifier of issues


def item_texts(item, places):
    if "title" in places or not places:
        yield item.title
    if "body" in places or not places:
        yield item.body or ""
    if "comments" in places or not places:
        yield from (comment.body for comment in item.comments)


def find_items(request, text, sort=None, order="desc"):
    terms = parse(text)
    check_dates(terms)
    repos = search_repos(request, terms)
    hidden = [term.value.lower() for term in terms if term.key in ("repo", "org", "user") and term.negated]
    places = [place for term in terms if term.key == "in" for place in term.value.split(",")]
    for term in terms:
        if term.key in ("sort",):
            sort, _, order = term.value.partition("-")
    found = []
    for item in (item for repo in repos for item in repo.items.values()):
        if item.repo.full_name.lower() in hidden or item.repo.owner.login.lower() in hidden:
            continue
        if all(matches_term(request, item, term, places) for term in terms):
            found.append(item)
    keys = {"updated": lambda it: it.updated_at, "comments": lambda it: len(it.comments)}
    key = keys.get(sort, lambda it: it.created_at)
    return sorted(found, key=lambda it: (key(it), it.number), reverse=order != "asc")


def matches_term(request, item, term, places):
    if term.key in ("repo", "org", "user", "in", "sort"):
        return True
    fits = match_item(request, item, term) if term.key else None
    if fits is None:
        word = (term.key + ":" if term.key else "") + term.value
        fits = any(word.lower() in text.lower() for text in item_texts(item, places))
    return fits != term.negated


# ---------------------------------------------------------------- the endpoints


def query_of(request):
    text = request.query.get("q", "")
    if not text.strip():
        raise refuse(code="missing")
    if len(re.sub(r"[a-z-]+:\S+", "", text)) > 256:
        raise refuse("The search is longer than 256 characters.")
    page = int(request.query.get("page") or 1) if (request.query.get("page") or "1").isdigit() else 1
    size = int(request.query.get("per_page") or 30) if (request.query.get("per_page") or "30").isdigit() else 30
    if page > 1 and (page - 1) * min(size, 100) >= 1000:
        raise Refusal(422, "Only the first 1000 search results are available")
    return text


def results(request, rows, show):
    first, last, headers = page_of(request, len(rows))
    items = [show(request, row) for row in rows[first:last]]
    return Answer(200, {"total_count": len(rows), "incomplete_results": False, "items": items}, headers)


def text_matches(url, kind, prop, text, words):
    """GitHub's text_matches for one text: the lines around the first hit, with the places of all words."""
    hits = [match.start() for word in words for match in re.finditer(re.escape(word), text, flags=re.I)]
    if not hits:
        return []
    start = text.rfind("\n", 0, max(0, min(hits) - 60)) + 1
    end = text.find("\n", min(hits) + 60)
    fragment = text[start:end if end >= 0 else len(text)]
    found = [match for word in words for match in re.finditer(re.escape(word), fragment, flags=re.I)]
    found.sort(key=lambda match: match.span())
    return [{
        "object_url": url, "object_type": kind, "property": prop, "fragment": fragment,
        "matches": [{"text": match[0], "indices": list(match.span())} for match in found],
    }]


def words_of(terms):
    return [term.value for term in terms if not term.key and not term.negated]


def issues(request):
    text = query_of(request)
    rows = find_items(request, text, request.query.get("sort"), request.query.get("order", "desc"))
    words = words_of(parse(text))

    def show(_, item):
        shape = {**present.issue(request, item), "score": 1.0}
        if wants(request, "text-match"):
            texts = (("title", item.title), ("body", item.body or ""))
            shape["text_matches"] = [match for name, text in texts for match in text_matches(shape["url"], "Issue", name, text, words)]
        return shape

    return results(request, rows, show)


def code(request):
    if request.viewer is None:
        raise Refusal(401, "Requires authentication")
    terms = parse(query_of(request))
    words = words_of(terms)
    if not words:
        raise refuse("ERROR_TYPE_QUERY_PARSING_FATAL unable to parse query!")
    rows = []
    for repo in search_repos(request, terms):
        head = request.world.git.branch(repo.full_name, repo.default_branch)
        if repo.parent and not any(term.key == "repo" for term in terms) or head is None:
            continue
        for path, blob, size in request.world.git.files(repo.full_name, head):
            data = request.world.git.blob(repo.full_name, blob).decode("utf-8", "replace")
            if file_fits(repo, path, size, data, terms):
                rows.append((repo, head, path, blob, data))

    def show(_, row):
        repo, head, path, blob, data = row
        url = f"{present.repo_url(request, repo)}/contents/{path}?ref={head}"
        shape = {
            "name": path.rsplit("/", 1)[-1], "path": path, "sha": blob, "url": url,
            "git_url": f"{present.repo_url(request, repo)}/git/blobs/{blob}",
            "html_url": f"{request.web}/{repo.full_name}/blob/{head}/{path}", "repository": present.repo(request, repo), "score": 1.0,
        }
        if wants(request, "text-match"):
            shape["text_matches"] = text_matches(url, "FileContent", "content", data, words)
        return shape

    return results(request, rows, show)


LANGUAGES = {"c": (".c", ".h"), "markdown": (".md",), "makefile": ("Makefile",), "yaml": (".yml", ".yaml")}


def file_fits(repo, path, size, data, terms):
    for term in terms:
        key, value = term.key, term.value.lower()
        if key in ("repo", "org", "user", "in", "fork"):
            continue
        if key == "extension":
            fits = path.lower().endswith("." + value.lstrip("."))
        elif key == "filename":
            fits = value in path.rsplit("/", 1)[-1].lower()
        elif key == "path":
            fits = value.strip("/") in path.lower()
        elif key == "language":
            fits = path.endswith(LANGUAGES.get(value, ("." + value,)))
        elif key == "size":
            fits = in_range(size, term.value, number_range)
        else:
            fits = term.value.lower() in data.lower()
        if fits == term.negated:
            return False
    return True


def commits(request):
    terms = parse(query_of(request))
    check_dates(terms)
    rows = []
    for repo in search_repos(request, terms):
        head = request.world.git.branch(repo.full_name, repo.default_branch)
        if head is None or repo.parent and not any(term.key == "repo" for term in terms):
            continue
        for sha in request.world.git.log(repo.full_name, head):
            found = request.world.git.commit(repo.full_name, sha)
            if all(commit_fits(request, found, term) for term in terms):
                rows.append((repo, found))
    rows.sort(key=lambda row: row[1].committer_date, reverse=request.query.get("order", "desc") != "asc")
    return results(request, rows, lambda _, row: {
        **present.commit(request, *row), "repository": present.repo(request, row[0]), "score": 1.0})


def commit_fits(request, commit, term):
    key, value = term.key, term.value
    if key in ("repo", "org", "user", "is", "sort"):
        return True
    if key in ("committer-date", "author-date"):
        fits = in_range(commit.committer_date if key == "committer-date" else commit.author_date, value, day_range)
    elif key in ("author", "committer"):
        email = commit.author_email if key == "author" else commit.committer_email
        fits = is_person(request, request.world.user_by_email(email), value)
    elif key in ("author-name", "author-email", "committer-name", "committer-email"):
        fits = value.lower() in getattr(commit, key.replace("-name", "").replace("-", "_")).lower()
    elif key == "hash":
        fits = commit.sha.startswith(value)
    elif key == "merge":
        fits = (len(commit.parents) > 1) == (value == "true")
    else:
        fits = value.lower() in commit.message.lower()
    return fits != term.negated


def repositories(request):
    terms = parse(query_of(request))
    check_dates(terms)
    forks = next((term.value for term in terms if term.key == "fork"), None)
    rows = [
        repo for repo in search_repos(request, terms)
        if (repo.parent is None or forks in ("true", "only")) and not (forks == "only" and repo.parent is None)
        and all(repo_fits(repo, term) for term in terms)]
    key = {"updated": lambda it: it.updated_at, "forks": lambda it: it.id}.get(request.query.get("sort"), lambda it: it.stars)
    rows.sort(key=key, reverse=request.query.get("order", "desc") != "asc")
    return results(request, rows, lambda _, repo: {**present.repo(request, repo), "score": 1.0})


def repo_fits(repo, term):
    key, value = term.key, term.value
    if key in ("repo", "org", "user", "fork", "in", "sort"):
        return True
    if key in ("created", "pushed", "updated"):
        fits = in_range({"created": repo.created_at, "pushed": repo.pushed_at}.get(key, repo.updated_at), value, day_range)
    elif key == "language":
        fits = (repo.language or "").lower() == value.lower()
    elif key == "topic":
        fits = value in repo.topics
    elif key in ("stars", "forks", "size"):
        fits = in_range({"stars": repo.stars}.get(key, 1), value, number_range)
    elif key == "archived":
        fits = repo.archived == (value == "true")
    elif key == "is":
        fits = {"public": not repo.private, "private": repo.private}.get(value, True)
    else:
        fits = any(value.lower() in text.lower() for text in [repo.name, repo.description or "", *repo.topics])
    return fits != term.negated
