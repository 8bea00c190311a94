"""The World: all state of one forge, made from a seed, behind one lock.

Who may see and write what, the clock (real time plus an offset that tests move),
and the only functions that make issues, comments and labels. Pull requests,
reviews and pushes are in pulls.py, workflow runs in actions.py. Callers hold
`world.lock` (wire.py takes it for every request except git's own transfers).
"""

import itertools
import threading
import time

from . import actions, pulls
from .gitstore import GitStore
from .model import (
    FIRST_ID, Comment, Issue, Label, Milestone, Pull, Release, Repo, Token, User, Workflow, iso, parse_iso,
)


class World:
    def __init__(self, seed, root):
        self.lock = threading.RLock()
        self.git = GitStore(root)
        self.offset_ms = 0
        self.users, self.repos, self.tokens, self.nodes = {}, {}, {}, {}
        self.numbers = {kind: itertools.count(first) for kind, first in FIRST_ID.items()}
        self.blobs = {}  # id -> (content type, bytes), the targets of redirects
        self.seed_marks = seed.get("marks", {})
        self.commit_marks = {}
        for user in seed["users"]:
            self.add_user(user["login"], user.get("name"), user.get("type", "User"), user.get("members", []))
        for token in seed["tokens"]:
            self.tokens[token["token"]] = Token(token["token"], token["login"], token.get("read_only", False))
        for spec in seed["repos"]:
            self.add_repo(spec)
        for spec in seed["repos"]:
            self.fill_repo(self.repo(spec["full_name"]), spec)

    # ---- clock, ids

    def now(self):
        return int(time.time() * 1000) + self.offset_ms

    def new_id(self, kind):
        return next(self.numbers[kind])

    def keep(self, record):
        """Registers a record under its node id."""
        self.nodes[record.node] = record
        return record

    # ---- people and permissions

    def add_user(self, login, name=None, kind="User", members=()):
        user = self.keep(User(self.new_id("User"), login, name, kind, list(members)))
        self.users[login.lower()] = user
        return user

    def user(self, login):
        """By login, as REST or GraphQL or a query writes it; None when nobody has it."""
        key = (login or "").lower().removesuffix("[bot]").removeprefix("app/")
        return self.users.get(key)

    def permission(self, repo, user):
        """admin, write, read or None (does not know that it exists)."""
        if user:
            if repo.owner is user:
                return "admin"
            if user.login in repo.access:
                return repo.access[user.login]
            if user.login == "github-actions":  # the runner's account: its tokens say what it may
                return "write"
            if repo.owner.kind == "Organization" and user.login in repo.owner.members:
                return "read"
        return None if repo.private else "read"

    def can_write(self, repo, user):
        return self.permission(repo, user) in ("admin", "write")

    def repo(self, full_name, viewer=None, seen_by_all=True):
        repo = self.repos.get(full_name.lower())
        if repo and not seen_by_all and self.permission(repo, viewer) is None:
            return None
        return repo

    def association(self, repo, user):
        if user is None or user.kind == "Bot":
            return "NONE"
        if repo.owner is user:
            return "OWNER"
        if repo.owner.kind == "Organization" and user.login in repo.owner.members:
            return "MEMBER"
        if user.login in repo.access:
            return "COLLABORATOR"
        return "CONTRIBUTOR" if user.login in repo.contributors else "NONE"

    def user_by_email(self, email):
        login, _, domain = email.partition("@")
        return self.user(login) if domain == "example.com" else None

    # ---- building from the seed

    def add_repo(self, spec):
        owner, name = spec["full_name"].split("/")
        created = parse_iso(spec["created"])
        repo = self.keep(Repo(
            self.new_id("Repository"), self.user(owner), name, spec.get("description"), spec.get("homepage", ""),
            spec.get("language"), spec.get("topics", []), spec.get("stars", 0), spec.get("private", False),
            spec.get("archived", False), self.repo(spec.get("parent", "")), spec.get("default_branch", "main"),
            created, created, created, dict(spec.get("access", {})), list(spec.get("contributors", [])),
        ))
        repo.on_push = spec.get("on_push")
        self.repos[repo.full_name.lower()] = repo
        self.git.create(repo.full_name, repo.default_branch)
        if spec.get("commits"):
            refs = {"refs/heads/" + name: mark for name, mark in spec.get("branches", {}).items()}
            refs.update({"refs/tags/" + name: mark for name, mark in spec.get("tags", {}).items()})
            known = {commit["mark"] for commit in spec["commits"]}
            refs.update({f"refs/pull/{pull['number']}/head": pull["head_commit"] for pull in spec.get("pulls", [])
                if pull["head_commit"] in known})
            marks = self.git.import_commits(repo.full_name, spec["commits"], refs, self.identity)
            self.commit_marks.update({mark: sha for mark, sha in marks.items() if mark not in self.commit_marks})
            last = max(commit["date"] for commit in spec["commits"])
            repo.pushed_at = repo.updated_at = max(created, parse_iso(last))
        return repo

    def identity(self, login):
        user = self.user(login)
        return user.name or user.login, user.email

    def fill_repo(self, repo, spec):
        for label in spec.get("labels", []):
            self.add_label(repo, **label)
        for row in spec.get("milestones", []):
            repo.milestones.append(self.keep(Milestone(
                self.new_id("Milestone"), repo, row["number"], row["title"], row.get("description"), parse_iso(row.get("due")))))
        for row in spec.get("workflows", []):
            repo.workflows.append(self.keep(Workflow(self.new_id("Workflow"), repo, row["name"], row["path"])))
        for row in spec.get("releases", []):
            repo.releases.append(self.keep(Release(
                self.new_id("Release"), repo, row["tag"], row["name"], row.get("body", ""), self.user(row["author"]),
                parse_iso(row["date"]))))
        items = [(row["number"], "Issue", row) for row in spec.get("issues", [])]
        items += [(row["number"], "PullRequest", row) for row in spec.get("pulls", [])]
        for number, kind, row in sorted(items, key=lambda item: item[0]):
            self.fill_item(repo, number, kind, row)
        for row in spec.get("runs", []):
            actions.seed_run(self, repo, row, self.commit_marks.get(row["commit"], row["commit"]))

    def fill_item(self, repo, number, kind, row):
        make = Pull if kind == "PullRequest" else Issue
        created = parse_iso(row["created"])
        item = self.keep(make(self.new_id(kind), repo, number, row["title"], row.get("body"), self.user(row["author"]), created, created))
        item.labels = [self.label(repo, name) or self.add_label(repo, name) for name in row.get("labels", [])]
        item.assignees = [self.user(login) for login in row.get("assignees", [])]
        item.milestone = next((m for m in repo.milestones if m.title == row.get("milestone")), None)
        item.locked = row.get("locked", False)
        self.seed_reactions(item, row)
        repo.items[number] = item
        for comment in row.get("comments", []):
            when = parse_iso(comment["date"])
            made = self.add_comment(item, self.user(comment["author"]), comment["body"], when, comment.get("id"))
            self.seed_reactions(made, comment)
        if kind == "PullRequest":
            pulls.seed_pull(self, item, row)
        item.closed_at = parse_iso(row.get("closed") or row.get("merged"))
        item.state_reason = row.get("state_reason")
        if item.closed_at:
            item.closed_by = self.user(row.get("merged_by", row["author"]))
        stamps = [item.updated_at, item.closed_at or 0] + [comment.created_at for comment in item.comments]
        item.updated_at = max(stamps)

    def seed_reactions(self, record, row):
        for content, logins in row.get("reactions", {}).items():
            for login in logins:
                self.react(record, content, self.user(login))

    # ---- issues, comments, labels

    def next_number(self, repo):
        return max(repo.items, default=0) + 1

    def add_issue(self, repo, author, title, body, **more):
        now = self.now()
        issue = self.keep(Issue(self.new_id("Issue"), repo, self.next_number(repo), title, body, author, now, now))
        for key, value in more.items():
            setattr(issue, key, value)
        repo.items[issue.number] = issue
        return issue

    def add_comment(self, item, author, body, when=None, number=None):
        when = when or self.now()
        comment = self.keep(Comment(number or self.new_id("IssueComment"), item, author, body, when, when))
        item.comments.append(comment)
        item.updated_at = max(item.updated_at, when)
        return comment

    def add_label(self, repo, name, color="ededed", description=None):
        label = self.keep(Label(self.new_id("Label"), repo, name, color, description))
        repo.labels.append(label)
        return label

    def label(self, repo, name):
        return next((label for label in repo.labels if label.name.lower() == name.lower()), None)

    def close(self, item, user, reason="completed"):
        item.closed_at = item.updated_at = self.now()
        item.closed_by = user
        item.state_reason = reason if not item.is_pull else None

    def reopen(self, item):
        item.closed_at = item.closed_by = None
        item.updated_at = self.now()
        item.state_reason = "reopened" if not item.is_pull else None

    def touch(self, item):
        item.updated_at = self.now()

    def react(self, record, content, user):
        """Returns (reaction id, was it new)."""
        people = record.reactions.setdefault(content, {})
        if user.login in people:
            return people[user.login], False
        people[user.login] = self.new_id("Reaction")
        return people[user.login], True

    # ---- for tests

    def marks(self, url):
        return {
            **self.seed_marks,
            "url": url,
            "now": iso(self.now()),
            "tokens": {(t.login + "-read-only" if t.read_only else t.login): t.token for t in self.tokens.values()},
            "commits": self.commit_marks,
            "branches": {repo.full_name: self.git.refs(repo.full_name, "refs/heads") for repo in self.repos.values()},
            "runs": {
                run.key or str(run.id): {"id": run.id, "repo": repo.full_name, "sha": run.sha,
                    "jobs": {job.name: job.id for job in run.jobs}}
                for repo in self.repos.values() for run in repo.runs
            },
        }
