"""GraphQL reads: what a field of a type is, where it is not just an attribute.

One class a type, one plain function a field: field(request, record, **arguments).
Lists returned for a connection are cut into pages by gql_exec.py. GitHub's words
for what cannot be found are here. Issues and pull requests are in gql_items.py,
commits and checks in gql_commits.py.
"""

from . import gql_commits, gql_items, present, search
from .gql_commits import check_state, make_commit, make_ref
from .gql_items import state_of
from .model import Refusal


def find(type_name, field):
    return getattr(TYPES.get(type_name), field, None)


def missing(what, key):
    return Refusal(404, f"Could not resolve to {what} with the {key}.", graphql_type="NOT_FOUND")


def connection_extra(request, field_name, rows, edges):
    """The fields that only some connections have."""
    if field_name == "search":
        return {"issueCount": len(rows), "repositoryCount": len(rows), "userCount": 0, "codeCount": 0, "wikiCount": 0, "discussionCount": 0}
    if field_name == "contexts":
        counts = {}
        for row in rows:
            state = check_state(request, row)
            counts[state] = counts.get(state, 0) + 1
        return {"checkRunCount": len(rows), "statusContextCount": 0, "statusContextCountsByState": [],
                "checkRunCountsByState": [{"state": state, "count": count} for state, count in counts.items()]}
    if field_name == "languages":
        for edge in edges:
            edge["size"] = 4096
        return {"totalSize": 4096 * len(rows)}
    return {}


def ordered(rows, order_by, default="CREATED_AT", direction="DESC"):
    order_by = order_by or {}
    field = order_by.get("field", default)
    key = {"UPDATED_AT": lambda it: (it.updated_at, it.number), "COMMENTS": lambda it: (len(it.comments), it.number)}.get(
        field, lambda it: (it.created_at, it.number))
    return sorted(rows, key=key, reverse=order_by.get("direction", direction) == "DESC")


# ---------------------------------------------------------------- the root


class Query:
    def viewer(r, _):
        return r.viewer

    def rateLimit(r, _):
        left, reset = r.forge.quota.get((r.viewer.login, "graphql"), (5000, r.now // 1000 + 3600))
        return {"limit": 5000, "cost": 1, "remaining": left, "used": 5000 - left, "resetAt": reset * 1000}

    def repository(r, _, owner, name, follow_renames=True):
        repo = r.world.repo(f"{owner}/{name}", r.viewer, seen_by_all=False)
        if repo is None:
            raise missing("a Repository", f"name '{owner}/{name}'")
        return repo

    def user(r, _, login):
        user = r.world.user(login)
        if user is None or user.kind != "User":
            raise missing("a User", f"login of '{login}'")
        return user

    def organization(r, _, login):
        user = r.world.user(login)
        if user is None or user.kind != "Organization":
            raise missing("an Organization", f"login of '{login}'")
        return user

    def repositoryOwner(r, _, login):
        return r.world.user(login)

    def node(r, _, id):
        return find_node(r, id)

    def nodes(r, _, ids):
        return [find_node(r, one) for one in ids]

    def search(r, _, query, type):
        if type == "REPOSITORY":
            terms = search.parse(query)
            return [repo for repo in search.search_repos(r, terms) if all(search.repo_fits(repo, term) for term in terms)]
        if type != "ISSUE":
            return []
        try:
            return search.find_items(r, query)
        except Refusal:  # GraphQL finds nothing where REST refuses
            return []

    def resource(r, _, url):
        parts = url.split("://", 1)[-1].split("/")[1:]
        repo = r.world.repo("/".join(parts[:2]), r.viewer, seen_by_all=False)
        if repo and len(parts) >= 4 and parts[3].isdigit():
            return repo.items.get(int(parts[3]))
        return repo


def find_node(r, id):
    record = r.world.nodes.get(id)
    repo = record if getattr(record, "kind", None) == "Repository" else getattr(record, "repo", None)
    if record is None or repo is not None and r.world.permission(repo, r.viewer) is None:
        raise Refusal(404, f"Could not resolve to a node with the global id of '{id}'", graphql_type="NOT_FOUND")
    return record


# ---------------------------------------------------------------- people


class Actor:
    def id(r, it):
        return it.node

    def databaseId(r, it):
        return it.id

    def url(r, it):
        return f"{r.web}/apps/{it.login}" if it.kind == "Bot" else f"{r.web}/{it.login}"

    def avatarUrl(r, it):
        return f"{r.web}/avatars/u/{it.id}?v=4"

    def resourcePath(r, it):
        return f"/{it.login}"

    def email(r, it):
        return ""

    def isViewer(r, it):
        return it is r.viewer

    def organizations(r, it):
        return [org for org in r.world.users.values() if it.login in org.members]

    def membersWithRole(r, it):
        return [r.world.user(login) for login in it.members]

    def repositories(r, it):
        return [repo for repo in r.world.repos.values() if repo.owner is it and r.world.permission(repo, r.viewer)]

    def none(r, it, **arguments):
        return []

    teams = projects = projectsV2 = none


# ---------------------------------------------------------------- repositories


class Repository:
    def id(r, it):
        return it.node

    def databaseId(r, it):
        return it.id

    def nameWithOwner(r, it):
        return it.full_name

    def url(r, it):
        return f"{r.web}/{it.full_name}"

    def resourcePath(r, it):
        return f"/{it.full_name}"

    def sshUrl(r, it):
        return f"git@{present.ssh_host(r)}:{it.full_name}.git"

    def homepageUrl(r, it):
        return it.homepage

    def openGraphImageUrl(r, it):
        return f"{r.web}/opengraph/{it.full_name}"

    def isArchived(r, it):
        return it.archived

    def archivedAt(r, it):
        return it.updated_at if it.archived else None

    def isFork(r, it):
        return it.parent is not None

    def isPrivate(r, it):
        return it.private

    def isEmpty(r, it):
        return not r.world.git.refs(it.full_name, "refs/heads")

    def isInOrganization(r, it):
        return it.owner.kind == "Organization"

    def yes(r, it):
        return True

    def no(r, it):
        return False

    hasIssuesEnabled = mergeCommitAllowed = rebaseMergeAllowed = squashMergeAllowed = isBlankIssuesEnabled = yes
    hasWikiEnabled = hasProjectsEnabled = hasDiscussionsEnabled = isMirror = isTemplate = isDisabled = isLocked = no
    isSecurityPolicyEnabled = isUserConfigurationRepository = viewerHasStarred = deleteBranchOnMerge = no
    autoMergeAllowed = usesCustomOpenGraphImage = no

    def forkCount(r, it):
        return sum(other.parent is it for other in r.world.repos.values())

    def forks(r, it):
        return [other for other in r.world.repos.values() if other.parent is it]

    def stargazerCount(r, it):
        return it.stars

    def diskUsage(r, it):
        return 12

    def visibility(r, it):
        return "PRIVATE" if it.private else "PUBLIC"

    def viewerPermission(r, it):
        return (r.world.permission(it, r.viewer) or "").upper() or None

    def viewerCanAdminister(r, it):
        return r.world.permission(it, r.viewer) == "admin"

    def viewerSubscription(r, it):
        return "UNSUBSCRIBED"

    def viewerDefaultMergeMethod(r, it):
        return "MERGE"

    def viewerPossibleCommitEmails(r, it):
        return [r.viewer.email]

    def viewerDefaultCommitEmail(r, it):
        return r.viewer.email

    def defaultBranchRef(r, it):
        return make_ref(r, it, it.default_branch)

    def ref(r, it, qualified_name):
        return make_ref(r, it, qualified_name.removeprefix("refs/heads/"))

    def refs(r, it, ref_prefix, query=None, order_by=None):
        names = r.world.git.refs(it.full_name, ref_prefix)
        return [make_ref(r, it, name.removeprefix("refs/heads/")) for name in names if not query or query in name]

    def object(r, it, oid=None, expression=None):
        sha = r.world.git.rev(it.full_name, oid or expression)
        return make_commit(r, it, sha) if sha else None

    def primaryLanguage(r, it):
        return {"name": it.language, "color": "#555555"} if it.language else None

    def languages(r, it, order_by=None):
        return [{"name": it.language, "color": "#555555"}] if it.language else []

    def repositoryTopics(r, it):
        return [{"topic": {"name": name}, "url": f"{r.web}/topics/{name}"} for name in it.topics]

    def labels(r, it, order_by=None, query=None):
        rows = [label for label in it.labels if not query or query.lower() in label.name.lower()]
        return sorted(rows, key=lambda label: label.name.lower()) if (order_by or {}).get("field") == "NAME" else rows

    def label(r, it, name):
        return r.world.label(it, name)

    def milestones(r, it, states=None, order_by=None):
        return [row for row in it.milestones if not states or row.state.upper() in states]

    def milestone(r, it, number):
        return next((row for row in it.milestones if row.number == number), None)

    def issues(r, it, states=None, labels=None, filter_by=None, order_by=None):
        rows = [item for item in it.items.values() if not item.is_pull]
        filter_by = filter_by or {}
        states = states or filter_by.get("states")
        if states:
            rows = [item for item in rows if item.state.upper() in states]
        for key, people in (("assignee", lambda i: i.assignees), ("createdBy", lambda i: [i.author])):
            if filter_by.get(key):
                rows = [item for item in rows if any(search.is_person(r, who, filter_by[key]) for who in people(item))]
        if filter_by.get("mentioned"):
            rows = [item for item in rows if search.match_item(r, item, search.Term("mentions", filter_by["mentioned"], False))]
        for name in (labels or []) + (filter_by.get("labels") or []):
            rows = [item for item in rows if name.lower() in [label.name.lower() for label in item.labels]]
        return ordered(rows, order_by, direction="ASC")

    def pullRequests(r, it, states=None, labels=None, head_ref_name=None, base_ref_name=None, order_by=None):
        rows = [item for item in it.items.values() if item.is_pull]
        states = [states] if isinstance(states, str) else states
        rows = [item for item in rows if (not states or state_of(item) in states) and head_ref_name in (None, item.head_ref)
                and base_ref_name in (None, item.base_ref)]
        for name in labels or []:
            rows = [item for item in rows if name.lower() in [label.name.lower() for label in item.labels]]
        return ordered(rows, order_by, direction="ASC")

    def issue(r, it, number):
        item = it.items.get(number)
        if item is None or item.is_pull:
            raise missing("an Issue", f"number of {number}")
        return item

    def pullRequest(r, it, number):
        item = it.items.get(number)
        if item is None or not item.is_pull:
            raise missing("a PullRequest", f"number of {number}")
        return item

    def issueOrPullRequest(r, it, number):
        item = it.items.get(number)
        if item is None:
            raise missing("an issue or pull request", f"number of {number}")
        return item

    def assignableUsers(r, it, query=None):
        return [user for user in r.world.users.values() if user.kind == "User" and r.world.can_write(it, user)]

    mentionableUsers = assignableUsers

    def releases(r, it, order_by=None):
        rows = sorted(it.releases, key=lambda row: row.created_at)
        return rows[::-1] if (order_by or {}).get("direction") == "DESC" else rows

    def latestRelease(r, it):
        return it.releases[-1] if it.releases else None

    def release(r, it, tag_name):
        return next((row for row in it.releases if row.tag == tag_name), None)

    def none(r, it, **arguments):
        return []

    watchers = stargazers = projects = projectsV2 = issueTemplates = pullRequestTemplates = contactLinks = fundingLinks = none

    def planFeatures(r, it):
        return {"codeowners": True}


class Label:
    def id(r, it):
        return it.node

    def url(r, it):
        return f"{r.web}/{it.repo.full_name}/labels/{it.name.replace(' ', '%20')}"

    def isDefault(r, it):
        return False


class Milestone:
    def id(r, it):
        return it.node

    def dueOn(r, it):
        return it.due

    def state(r, it):
        return it.state.upper()

    def url(r, it):
        return f"{r.web}/{it.repo.full_name}/milestone/{it.number}"


class Release:
    def id(r, it):
        return it.node

    def databaseId(r, it):
        return it.id

    def tagName(r, it):
        return it.tag

    def description(r, it):
        return it.body

    def url(r, it):
        return f"{r.web}/{it.repo.full_name}/releases/tag/{it.tag}"

    def isDraft(r, it):
        return it.draft

    def isPrerelease(r, it):
        return it.prerelease

    def isLatest(r, it):
        return it is it.repo.releases[-1]

    def publishedAt(r, it):
        return None if it.draft else it.created_at


class Node:
    def id(r, it):
        return it.node


TYPES = {
    "Query": Query, "User": Actor, "Organization": Actor, "Bot": Actor, "Repository": Repository, "Label": Label, "Milestone": Milestone,
    "Release": Release, "Node": Node, "Issue": gql_items.Issue, "PullRequest": gql_items.PullRequest,
    "IssueComment": gql_items.IssueComment, "PullRequestReview": gql_items.PullRequestReview,
    "PullRequestReviewThread": gql_items.PullRequestReviewThread, "PullRequestReviewComment": gql_items.PullRequestReviewComment,
    "CheckRun": gql_commits.CheckRun, "WorkflowRun": gql_commits.WorkflowRun, "Workflow": gql_commits.Workflow,
}
