"""GraphQL reads of issues, comments, pull requests and reviews.

As in gql_resolve.py, which collects these classes: one class a type, one method a
field. `Spoken` and `Item` hold what the types have in common.
"""

from . import present, pulls
from .gql_commits import make_commit, make_ref


def state_of(item):
    return "MERGED" if item.is_pull and item.merged_at else item.state.upper()


REACTION_NAMES = {"+1": "THUMBS_UP", "-1": "THUMBS_DOWN", "laugh": "LAUGH", "hooray": "HOORAY", "confused": "CONFUSED", "heart": "HEART",
    "rocket": "ROCKET", "eyes": "EYES"}


class Spoken:
    """What has an author, a body and reactions."""

    def id(r, it):
        return it.node

    def databaseId(r, it):
        return it.id

    def fullDatabaseId(r, it):
        return str(it.id)  # a BigInt is a string in JSON

    def bodyText(r, it):
        return it.body

    def body(r, it):
        return it.body or ""

    def viewerDidAuthor(r, it):
        return it.author is r.viewer

    def reactionGroups(r, it):
        return [{"content": name, "users": [r.world.user(login) for login in it.reactions.get(key, {})],
                 "viewerHasReacted": r.viewer.login in it.reactions.get(key, {})} for key, name in REACTION_NAMES.items()]

    def includesCreatedEdit(r, it):
        return getattr(it, "updated_at", 0) > it.created_at if it.kind == "IssueComment" else False


class Item(Spoken):
    def state(r, it):
        return state_of(it)

    def closed(r, it):
        return it.closed_at is not None

    def url(r, it):
        return present.item_url(r, it)

    permalink = url

    def resourcePath(r, it):
        return present.item_url(r, it).removeprefix(r.web)

    def authorAssociation(r, it):
        return r.world.association(it.repo, it.author)

    def repository(r, it):
        return it.repo

    def labels(r, it, order_by=None):
        return it.labels

    def comments(r, it, order_by=None):
        return it.comments

    def participants(r, it):
        return list(dict.fromkeys([it.author, *[comment.author for comment in it.comments if comment.author.kind == "User"]]))

    def none(r, it, **arguments):
        return []

    projectCards = projectItems = none


class Issue(Item):
    def stateReason(r, it):
        return it.state_reason and it.state_reason.upper()

    def isPinned(r, it):
        return False

    def closedByPullRequestsReferences(r, it):
        return [pull for pull in it.repo.items.values() if pull.is_pull and it in pulls.closes(r.world, pull)]


class IssueComment(Spoken):
    def url(r, it):
        return f"{present.item_url(r, it.item)}#issuecomment-{it.id}"

    def authorAssociation(r, it):
        return r.world.association(it.item.repo, it.author)

    def isMinimized(r, it):
        return False

    def publishedAt(r, it):
        return it.created_at

    def viewerCanUpdate(r, it):
        return it.author is r.viewer or r.world.can_write(it.item.repo, r.viewer)

    viewerCanDelete = viewerCanUpdate

    def issue(r, it):
        return None if it.item.is_pull else it.item

    def repository(r, it):
        return it.item.repo


class PullRequest(Item):
    def isDraft(r, it):
        return it.draft

    def merged(r, it):
        return it.merged_at is not None

    def mergeable(r, it):
        return {True: "MERGEABLE", False: "CONFLICTING", None: "UNKNOWN"}[pulls.mergeable(r.world, it)]

    def mergeStateStatus(r, it):
        return pulls.merge_state(r.world, it)

    def mergeCommit(r, it):
        return make_commit(r, it.repo, it.merge_sha) if it.merge_sha else None

    def baseRefName(r, it):
        return it.base_ref

    def baseRefOid(r, it):
        return pulls.base_tip(r.world, it)

    def headRefName(r, it):
        return it.head_ref

    def headRefOid(r, it):
        return it.head_sha

    def baseRef(r, it):
        return make_ref(r, it.repo, it.base_ref)

    def headRef(r, it):
        return make_ref(r, it.head_repo, it.head_ref) if it.head_repo else None

    def baseRepository(r, it):
        return it.repo

    def headRepository(r, it):
        return it.head_repo

    def headRepositoryOwner(r, it):
        return it.head_repo and it.head_repo.owner

    def isCrossRepository(r, it):
        return it.is_cross

    def additions(r, it):
        return sum(change.additions for change in pulls.changes(r.world, it))

    def deletions(r, it):
        return sum(change.deletions for change in pulls.changes(r.world, it))

    def changedFiles(r, it):
        return len(pulls.changes(r.world, it))

    def files(r, it):
        return [{"path": change.path, "additions": change.additions, "deletions": change.deletions,
                 "changeType": {"removed": "DELETED"}.get(change.status, change.status.upper())} for change in pulls.changes(r.world, it)]

    def commits(r, it):
        return [{"commit": make_commit(r, it.repo, commit.sha), "url": f"{present.item_url(r, it)}/commits/{commit.sha}"}
            for commit in pulls.commits(r.world, it)]

    def reviews(r, it, states=None, author=None):
        return [row for row in it.reviews if (not states or row.state in states) and (row.state != "PENDING" or row.author is r.viewer)]

    def latestReviews(r, it):
        return pulls.latest_reviews(it)

    latestOpinionatedReviews = latestReviews

    def reviewRequests(r, it):
        return [{"requestedReviewer": user} for user in it.requested]

    def reviewThreads(r, it):
        return pulls.threads(it, r.viewer)

    def reviewDecision(r, it):
        return pulls.review_decision(it)

    def statusCheckRollup(r, it):
        return make_commit(r, it.repo, it.head_sha)["statusCheckRollup"]

    def closingIssuesReferences(r, it):
        return pulls.closes(r.world, it)

    def no(r, it):
        return False

    isInMergeQueue = isMergeQueueEnabled = no

    def viewerCanUpdate(r, it):
        return it.author is r.viewer or r.world.can_write(it.repo, r.viewer)


class PullRequestReview(Spoken):
    def authorAssociation(r, it):
        return r.world.association(it.pull.repo, it.author)

    def createdAt(r, it):
        return it.submitted_at

    updatedAt = createdAt

    def url(r, it):
        return f"{present.item_url(r, it.pull)}#pullrequestreview-{it.id}"

    def commit(r, it):
        return make_commit(r, it.pull.repo, it.commit)

    def comments(r, it):
        return [comment for comment in pulls.review_comments(it.pull, with_pending=True) if comment.review is it]

    def includesCreatedEdit(r, it):
        return False


class PullRequestReviewThread:
    def id(r, it):
        return it.node

    def isResolved(r, it):
        return it.resolved_by is not None

    isCollapsed = isResolved

    def isOutdated(r, it):
        return it.comments[0].commit != it.pull.head_sha

    def path(r, it):
        return it.comments[0].path

    def line(r, it):
        return None if PullRequestReviewThread.isOutdated(r, it) else it.comments[0].line

    def startLine(r, it):
        return None if PullRequestReviewThread.isOutdated(r, it) else it.comments[0].start_line

    def originalLine(r, it):
        return it.comments[0].line

    def originalStartLine(r, it):
        return it.comments[0].start_line

    def diffSide(r, it):
        return it.comments[0].side

    def startDiffSide(r, it):
        return it.comments[0].start_side if it.comments[0].start_line else None

    def pullRequest(r, it):
        return it.pull

    def repository(r, it):
        return it.pull.repo

    def subjectType(r, it):
        return it.comments[0].subject_type.upper()

    def comments(r, it):
        """Those of a review that is not sent are seen by its author only."""
        return [row for row in it.comments if row.review.state != "PENDING" or row.author is r.viewer]

    def viewerCanResolve(r, it):
        return it.resolved_by is None and (r.world.can_write(it.pull.repo, r.viewer) or it.pull.author is r.viewer)

    def viewerCanUnresolve(r, it):
        return it.resolved_by is not None and (r.world.can_write(it.pull.repo, r.viewer) or it.pull.author is r.viewer)

    def viewerCanReply(r, it):
        return True


class PullRequestReviewComment(Spoken):
    def isMinimized(r, it):
        return it.is_minimized

    def pullRequest(r, it):
        return it.pull

    def authorAssociation(r, it):
        return r.world.association(it.pull.repo, it.author)

    def url(r, it):
        return f"{present.item_url(r, it.pull)}#discussion_r{it.id}"

    def outdated(r, it):
        return it.commit != it.pull.head_sha

    def line(r, it):
        return None if it.commit != it.pull.head_sha else it.line

    def originalLine(r, it):
        return it.line

    def pullRequestReview(r, it):
        return it.review

    def commit(r, it):
        return make_commit(r, it.pull.repo, it.pull.head_sha)

    def originalCommit(r, it):
        return make_commit(r, it.pull.repo, it.commit)

    def state(r, it):
        return "PENDING" if it.review.state == "PENDING" else "SUBMITTED"

    def subjectType(r, it):
        return it.subject_type.upper()
