"""Pull requests: heads and bases in git, reviews, merging, and what a push moves.

Functions take the World first. They raise model.Refusal where GitHub refuses.
Used by rest.py, gql_resolve.py (reading), the two write modules and wire.py
(`after_push`, once git has taken the objects).
"""

import re

from . import actions
from .model import Pull, Refusal, Review, ReviewComment, Thread, invalid, parse_iso


MAX_BODY = 65536  # characters, of a review or a comment


def head_ref(pull):
    return f"refs/pull/{pull.number}/head"


def seed_pull(world, pull, row):
    pull.base_ref = row.get("base", pull.repo.default_branch)
    pull.head_ref = row["head"]
    pull.head_repo = world.repo(row.get("head_repo", pull.repo.full_name))
    pull.head_sha = world.commit_marks[row["head_commit"]]
    pull.draft = row.get("draft", False)
    pull.maintainer_can_modify = row.get("maintainer_can_modify", False)
    pull.requested = [world.user(login) for login in row.get("requested", [])]
    # its refs/pull/N/head came with the import of the repository (World.add_repo)
    if row.get("merged") or row.get("closed"):
        pull.base_sha = world.commit_marks[row.get("base_commit", "start")]
        pull.merged_at = parse_iso(row.get("merged"))
        pull.merged_by = world.user(row.get("merged_by"))
        pull.merge_sha = world.commit_marks.get(row.get("merge_commit"))
    for review in row.get("reviews", []):
        seed_review(world, pull, review)


def seed_review(world, pull, row):
    when = parse_iso(row["date"])
    review = add_review(world, pull, world.user(row["author"]), row["state"], row.get("body", ""), world.commit_marks[row["commit"]], when)
    made = []
    for comment in row.get("comments", []):
        author = world.user(comment.get("author", row["author"]))
        at = parse_iso(comment.get("date")) or when
        if "reply_to" in comment:
            made.append(reply(world, made[comment["reply_to"]], author, comment["body"], at, comment.get("id")))
        else:
            made.append(add_review_comment(
                world, pull, review, author, comment["body"], comment["path"], comment.get("line"),
                start_line=comment.get("start_line"), side=comment.get("side", "RIGHT"), when=at,
                subject_type="line" if comment.get("line") else "file", number=comment.get("id")))


# ---------------------------------------------------------------- reading


def base_tip(world, pull):
    return pull.base_sha or world.git.branch(pull.repo.full_name, pull.base_ref)


def diff_base(world, pull):
    """Where the three-dot diff of the pull request starts."""
    return world.git.merge_base(pull.repo.full_name, base_tip(world, pull), pull.head_sha)


def changes(world, pull):
    return world.git.changes(pull.repo.full_name, diff_base(world, pull), pull.head_sha)


def diff(world, pull, as_patch=False):
    read = world.git.patch if as_patch else world.git.diff
    return read(pull.repo.full_name, diff_base(world, pull), pull.head_sha)


def commits(world, pull):
    name = pull.repo.full_name
    shas = world.git.log(name, "--reverse", pull.head_sha, "^" + base_tip(world, pull), limit=250)
    return [world.git.commit(name, sha) for sha in shas]


def mergeable(world, pull):
    if pull.closed_at:
        return None
    return world.git.merge_tree(pull.repo.full_name, base_tip(world, pull), pull.head_sha) is not None


def merge_state(world, pull):
    if pull.closed_at:
        return "UNKNOWN"
    if not mergeable(world, pull):
        return "DIRTY"
    if pull.draft:
        return "DRAFT"
    states = {actions.job_state(world, job)[0:2] for job in actions.jobs_of_sha(pull.repo, pull.head_sha)}
    if any(status != "completed" or conclusion not in ("success", "skipped", "neutral") for status, conclusion in states):
        return "UNSTABLE"
    return "CLEAN"


def latest_reviews(pull):
    """The last review of each person that is more than a comment, else their last comment."""
    latest = {}
    for review in pull.reviews:
        if review.author is pull.author or review.state == "PENDING":
            continue
        old = latest.get(review.author)
        if old is None or review.state != "COMMENTED" or old.state == "COMMENTED":
            latest[review.author] = review
    return list(latest.values())


def review_decision(pull):
    states = {review.state for review in latest_reviews(pull)}
    if "CHANGES_REQUESTED" in states:
        return "CHANGES_REQUESTED"
    if "APPROVED" in states:
        return "APPROVED"
    return "REVIEW_REQUIRED" if pull.requested and not pull.closed_at else None


def closes(world, pull):
    """The issues of the same repository that its body says it closes."""
    words = re.findall(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? +#(\d+)", pull.body or "", flags=re.I)
    found = (pull.repo.items.get(int(number)) for number in words)
    return [item for item in found if item and not item.is_pull]


# ---------------------------------------------------------------- reviews


def add_review(world, pull, author, state, body, commit=None, when=None):
    when = when or world.now()
    review = world.keep(Review(world.new_id("PullRequestReview"), pull, author, state, body or "", commit or pull.head_sha, when))
    pull.reviews.append(review)
    pull.requested = [user for user in pull.requested if user is not author]
    pull.updated_at = max(pull.updated_at, when)
    return review


def hunk_lines(patch):
    """(side, line) -> the hunk up to and with that line, for every line a comment may stand on."""
    lines, old, new, hunk = {}, 0, 0, []
    for text in patch.split("\n") if patch else []:
        start = re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)", text)
        if start:
            old, new, hunk = int(start[1]) - 1, int(start[2]) - 1, [text]
            continue
        hunk.append(text)
        if text[:1] in (" ", "-", ""):
            old += 1
            lines["LEFT", old] = "\n".join(hunk)
        if text[:1] in (" ", "+", ""):
            new += 1
            lines["RIGHT", new] = "\n".join(hunk)
    return lines


def in_one_hunk(lines, start, end):
    """Do both stand in the diff, in this order and below the same @@ line?"""
    heads = [lines[place].partition("\n")[0] for place in (start, end) if place in lines]
    return len(heads) == 2 and heads[0] == heads[1] and len(lines[start]) < len(lines[end])


def check_position(world, pull, path, line, side, start_line=None, start_side=None):
    """Returns the diff hunk; refuses a place outside the diff in GitHub's words."""
    change = next((change for change in changes(world, pull) if change.path == path), None)
    if change is None:
        raise invalid("PullRequestReviewComment", "pull_request_review_thread.path", "invalid")
    lines = hunk_lines(change.patch)
    if line is not None and (side, line) not in lines:
        raise invalid("PullRequestReviewComment", "pull_request_review_thread.line",
            message="pull_request_review_thread.line must be part of the diff")
    if start_line is not None and not in_one_hunk(lines, (start_side or side, start_line), (side, line)):
        raise invalid("PullRequestReviewComment", "pull_request_review_thread.start_line",
            message="pull_request_review_thread.start_line must be part of the same hunk as the line.")
    return lines.get((side, line), change.patch or "")


def add_review_comment(
    world, pull, review, author, body, path, line, start_line=None, side="RIGHT", when=None, subject_type="line", number=None, start_side=None,
):
    hunk = check_position(world, pull, path, line, side, start_line, start_side)
    when = when or world.now()
    thread = world.keep(Thread(world.new_id("PullRequestReviewThread"), pull))
    comment = world.keep(ReviewComment(
        number or world.new_id("PullRequestReviewComment"), pull, review, thread, author, body, path, pull.head_sha, when, when,
        line, start_line, side, subject_type, hunk, start_side=start_side or side))
    thread.comments.append(comment)
    pull.threads.append(thread)
    pull.updated_at = max(pull.updated_at, when)
    return comment


def pending_of(pull, viewer):
    """The review that this person has not sent; GitHub keeps one of each."""
    return next((row for row in pull.reviews if row.state == "PENDING" and row.author is viewer), None)


def reply(world, first, author, body, when=None, number=None, review=None):
    when = when or world.now()
    review = review or add_review(world, first.pull, author, "COMMENTED", "", when=when)
    comment = world.keep(ReviewComment(
        number or world.new_id("PullRequestReviewComment"), first.pull, review, first.thread, author, body, first.path, first.commit, when, when,
        first.line, first.start_line, first.side, first.subject_type, first.diff_hunk, first.thread.comments[0],
        first.start_side))
    first.thread.comments.append(comment)
    return comment


def threads(pull, viewer=None):
    """A pending review's are seen by its author only."""
    return [it for it in pull.threads if it.comments[0].review.state != "PENDING" or it.comments[0].review.author is viewer]


def review_comments(pull, with_pending=False):
    found = [comment for thread in pull.threads for comment in thread.comments if with_pending or comment.review.state != "PENDING"]
    return sorted(found, key=lambda comment: (comment.created_at, comment.id))


def all_review_comments(repo):
    return [row for item in repo.items.values() if item.is_pull for row in review_comments(item)]


def remove_review_comment(comment):
    comment.thread.comments.remove(comment)
    if not comment.thread.comments:
        comment.pull.threads.remove(comment.thread)


def remove_review(review):
    for comment in review_comments(review.pull, with_pending=True):
        if comment.review is review:
            remove_review_comment(comment)
    review.pull.reviews.remove(review)


# ---------------------------------------------------------------- writing


def find_head(world, repo, head, viewer):
    """`branch`, `owner:branch` to (repository, branch); (None, branch) when there is none."""
    owner, colon, branch = head.rpartition(":")
    if not colon or owner.lower() == repo.owner.login.lower():
        return repo, branch
    root = repo.parent or repo
    for other in world.repos.values():
        if other.owner.login.lower() == owner.lower() and (other.parent or other) is root and world.permission(other, viewer):
            return other, branch
    return None, branch


def create(world, repo, viewer, title, body, base, head, draft=False, maintainer_can_modify=True):
    source, branch = find_head(world, repo, head, viewer)
    if not title:
        raise invalid("PullRequest", "title", "missing_field")
    base_sha = world.git.branch(repo.full_name, base)
    if base_sha is None:
        raise invalid("PullRequest", "base", "invalid")
    sha = source and world.git.branch(source.full_name, branch)
    if sha is None:
        raise invalid("PullRequest", "head", "invalid")
    for item in repo.items.values():
        if item.is_pull and not item.closed_at and (item.head_repo, item.head_ref, item.base_ref) == (source, branch, base):
            raise invalid("PullRequest", None, message=f"A pull request already exists for {item.head_label}.")
    number = world.next_number(repo)
    now = world.now()
    pull = Pull(world.new_id("PullRequest"), repo, number, title, body, viewer, now, now)
    pull.base_ref, pull.head_ref, pull.head_repo, pull.head_sha = base, branch, source, sha
    pull.draft, pull.maintainer_can_modify = bool(draft), bool(maintainer_can_modify) and source is not repo
    world.git.fetch(repo.full_name, source.full_name, sha, head_ref(pull))
    if not commits(world, pull):
        world.git.update_ref(repo.full_name, head_ref(pull), None)
        raise invalid("PullRequest", None, message=f"No commits between {base} and {head}")
    repo.items[number] = world.keep(pull)
    if pull.is_cross and repo.on_push:
        actions.start_run(world, repo, branch, sha, viewer, event="pull_request", head_repo=source)
    return pull


def merge(world, pull, viewer, method="merge", title=None, message=None, expected=None):
    if pull.merged_at or pull.closed_at:
        raise Refusal(405, "Pull Request is not mergeable")
    if pull.draft:
        raise Refusal(405, "Pull Request is still a draft")
    if expected and expected != pull.head_sha:
        raise Refusal(409, "Head branch was modified. Review and try the merge again.")
    git, name = world.git, pull.repo.full_name
    base = base_tip(world, pull)
    tree = git.merge_tree(name, base, pull.head_sha)
    if tree is None:
        raise Refusal(405, "Pull Request is not mergeable")
    author = world.identity(viewer.login)
    if method == "merge":
        text = title or f"Merge pull request #{pull.number} from {pull.head_label.replace(':', '/')}"
        text += "\n\n" + (message if message is not None else pull.title) + "\n"
        sha = git.commit_tree(name, tree, [base, pull.head_sha], text, author, world.now())
    else:  # a rebase is done like a squash: one commit on top of the base
        text = (title or f"{pull.title} (#{pull.number})") + "\n" + (f"\n{message}\n" if message else "")
        sha = git.commit_tree(name, tree, [base], text, author, world.now())
    git.update_ref(name, "refs/heads/" + pull.base_ref, sha)
    mark_merged(world, pull, viewer, base, sha)
    if pull.repo.on_push:
        actions.start_run(world, pull.repo, pull.base_ref, sha, viewer)
    return sha


def mark_merged(world, pull, viewer, base, sha):
    pull.base_sha, pull.merge_sha = base, sha
    pull.merged_at = pull.closed_at = pull.updated_at = world.now()
    pull.merged_by = pull.closed_by = viewer
    for issue in closes(world, pull):
        if not issue.closed_at:
            world.close(issue, viewer)


def close(world, pull, viewer):
    pull.base_sha = base_tip(world, pull)
    world.close(pull, viewer)


def reopen(world, pull):
    if pull.merged_at:
        raise invalid("PullRequest", "state", message="state cannot be changed. The pull request has been merged.")
    pull.base_sha = None
    world.reopen(pull)


def update_branch(world, pull, viewer):
    """Merges the base into the head, as the button does."""
    tree = world.git.merge_tree(pull.repo.full_name, pull.head_sha, base_tip(world, pull))
    if tree is None:
        raise Refusal(422, "merge conflict between base and head")
    text = f"Merge branch '{pull.base_ref}' into {pull.head_ref}\n"
    parents = [pull.head_sha, base_tip(world, pull)]
    sha = world.git.commit_tree(pull.repo.full_name, tree, parents, text, world.identity(viewer.login), world.now())
    source = pull.head_repo.full_name
    before = world.git.refs(source, "refs/heads")
    world.git.fetch(source, pull.repo.full_name, sha, "refs/heads/" + pull.head_ref)
    after_push(world, pull.head_repo, before, viewer)


# ---------------------------------------------------------------- pushes


def after_push(world, repo, before, viewer):
    """Compares the branches with `before`; moves pull requests and starts runs. Returns what changed."""
    after = world.git.refs(repo.full_name, "refs/heads", "refs/tags")
    pushed = []
    for ref in sorted(set(before) | set(after)):
        old, new = before.get(ref), after.get(ref)
        if old == new:
            continue
        pushed.append({"ref": ref, "before": old, "after": new})
        if ref.startswith("refs/heads/"):
            branch_moved(world, repo, ref.removeprefix("refs/heads/"), old, new, viewer)
    if pushed:
        repo.pushed_at = repo.updated_at = world.now()
    return pushed


def branch_moved(world, repo, branch, old, new, viewer):
    if new and repo.on_push:
        actions.start_run(world, repo, branch, new, viewer)
    for other in list(world.repos.values()):
        for item in list(other.items.values()):
            if not item.is_pull or item.closed_at:
                continue
            if item.head_repo is repo and item.head_ref == branch:
                if new is None:
                    close(world, item, viewer)
                    continue
                item.head_sha = new
                world.git.fetch(other.full_name, repo.full_name, new, head_ref(item))
                world.touch(item)
                if item.is_cross and other.on_push:
                    actions.start_run(world, other, branch, new, viewer, event="pull_request", head_repo=repo)
            elif item.repo is repo and item.base_ref == branch and old and new:
                if world.git.is_ancestor(repo.full_name, item.head_sha, new):
                    mark_merged(world, item, viewer, old, new)
