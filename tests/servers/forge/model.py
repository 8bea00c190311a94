"""The forge's objects: plain records without behaviour, and how ids are made.

Times are unix milliseconds (None: never); `kind` is the GraphQL type name. The
World in state.py owns all of them and is the only place that makes new ones.
"""

import base64
import struct
from dataclasses import dataclass, field
from datetime import datetime, timezone

# Where the numbers of each kind start. Those of runs and jobs need more than 32 bits, as GitHub's do.
FIRST_ID = {
    "User": 5900001, "Repository": 640000001, "Issue": 2400000001, "PullRequest": 2450000001, "IssueComment": 3100000001,
    "PullRequestReview": 2700000001, "PullRequestReviewComment": 2200000001, "PullRequestReviewThread": 5100000001,
    "Label": 8000000001, "Milestone": 12000001, "WorkflowRun": 16045200301, "CheckRun": 45280771201,
    "CheckSuite": 38000000001, "Workflow": 150000001, "Release": 210000001, "Reaction": 310000001,
}
NODE_PREFIX = {
    "User": "U", "Organization": "O", "Bot": "BOT", "Repository": "R", "Issue": "I", "PullRequest": "PR", "IssueComment": "IC",
    "PullRequestReview": "PRR", "PullRequestReviewComment": "PRRC", "PullRequestReviewThread": "PRRT", "Label": "LA",
    "Milestone": "MI", "WorkflowRun": "WFR", "CheckRun": "CR", "CheckSuite": "CS", "Workflow": "W", "Release": "RE",
}


def node_id(kind, number):
    packed = struct.pack(">Q", number)
    return f"{NODE_PREFIX[kind]}_kwDO" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def iso(ms):
    if ms is None:
        return None
    return datetime.fromtimestamp(ms / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_iso(text):
    """ISO text (with or without a time and a zone) to milliseconds, or None. Raises ValueError."""
    if text is None:
        return None
    when = datetime.fromisoformat(text.replace("Z", "+00:00").replace(" ", "+"))
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return int(when.timestamp() * 1000)


@dataclass(eq=False)
class User:
    id: int
    login: str
    name: str = None
    kind: str = "User"  # or Organization, Bot
    members: list = field(default_factory=list)  # logins, of an organization

    @property
    def node(self):
        return node_id(self.kind, self.id)

    @property
    def email(self):
        return f"{self.login}@example.com"

    @property
    def rest_login(self):  # GraphQL says tide-bot where REST says tide-bot[bot]
        return self.login + "[bot]" if self.kind == "Bot" else self.login


@dataclass
class Token:
    token: str
    login: str
    read_only: bool = False
    permissions: dict = None  # of a job's token: {"issues": "write", …}; None: what its account may

    def may_write(self, *scopes):
        """As far as the token goes."""
        return not self.read_only and (self.permissions is None or any(self.permissions.get(scope) == "write" for scope in scopes))


class Record:
    """What has a number, a kind and so a node id."""

    @property
    def node(self):
        return node_id(self.kind, self.id)


@dataclass(eq=False)
class Label(Record):
    id: int
    repo: object
    name: str
    color: str = "ededed"
    description: str = None
    kind: str = "Label"


@dataclass(eq=False)
class Milestone(Record):
    id: int
    repo: object
    number: int
    title: str
    description: str = None
    due: int = None
    state: str = "open"
    kind: str = "Milestone"


@dataclass(eq=False)
class Repo(Record):
    id: int
    owner: User
    name: str
    description: str = None
    homepage: str = ""
    language: str = None
    topics: list = field(default_factory=list)
    stars: int = 0
    private: bool = False
    archived: bool = False
    parent: object = None
    default_branch: str = "main"
    created_at: int = 0
    updated_at: int = 0
    pushed_at: int = 0
    access: dict = field(default_factory=dict)  # login -> admin | write
    contributors: list = field(default_factory=list)
    labels: list = field(default_factory=list)
    milestones: list = field(default_factory=list)
    items: dict = field(default_factory=dict)  # number -> Issue (a PullRequest is one too)
    runs: list = field(default_factory=list)  # oldest first
    workflows: list = field(default_factory=list)
    releases: list = field(default_factory=list)
    on_push: dict = None
    kind: str = "Repository"

    @property
    def full_name(self):
        return f"{self.owner.login}/{self.name}"


@dataclass(eq=False)
class Issue(Record):
    id: int
    repo: Repo
    number: int
    title: str
    body: str
    author: User
    created_at: int
    updated_at: int
    closed_at: int = None
    closed_by: User = None
    state_reason: str = None  # completed, not_planned, reopened
    labels: list = field(default_factory=list)
    assignees: list = field(default_factory=list)
    milestone: Milestone = None
    comments: list = field(default_factory=list)
    locked: bool = False
    reactions: dict = field(default_factory=dict)  # "+1" -> {login: reaction id}
    kind: str = "Issue"

    @property
    def state(self):
        return "closed" if self.closed_at is not None else "open"

    @property
    def is_pull(self):
        return self.kind == "PullRequest"


@dataclass(eq=False)
class Pull(Issue):
    base_ref: str = "main"
    base_sha: str = None  # fixed when it was merged or closed
    head_repo: Repo = None  # None: the fork is gone
    head_ref: str = ""
    head_sha: str = ""
    draft: bool = False
    maintainer_can_modify: bool = False
    merged_at: int = None
    merged_by: User = None
    merge_sha: str = None
    reviews: list = field(default_factory=list)
    threads: list = field(default_factory=list)
    requested: list = field(default_factory=list)
    kind: str = "PullRequest"

    @property
    def is_cross(self):
        return self.head_repo is not self.repo

    @property
    def head_label(self):
        owner = self.head_repo.owner.login if self.head_repo else "unknown"
        return f"{owner}:{self.head_ref}"


@dataclass(eq=False)
class Comment(Record):
    id: int
    item: Issue
    author: User
    body: str
    created_at: int
    updated_at: int
    reactions: dict = field(default_factory=dict)
    kind: str = "IssueComment"


@dataclass(eq=False)
class Review(Record):
    id: int
    pull: Pull
    author: User
    state: str  # APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING
    body: str
    commit: str
    submitted_at: int  # of a pending one: when it was begun
    reactions: dict = field(default_factory=dict)
    kind: str = "PullRequestReview"


@dataclass(eq=False)
class Thread(Record):
    id: int
    pull: Pull
    comments: list = field(default_factory=list)
    resolved_by: User = None
    kind: str = "PullRequestReviewThread"


@dataclass(eq=False)
class ReviewComment(Record):
    id: int
    pull: Pull
    review: Review
    thread: Thread
    author: User
    body: str
    path: str
    commit: str
    created_at: int
    updated_at: int
    line: int = None
    start_line: int = None
    side: str = "RIGHT"
    subject_type: str = "line"
    diff_hunk: str = ""
    reply_to: object = None
    start_side: str = "RIGHT"
    is_minimized: bool = False
    reactions: dict = field(default_factory=dict)
    kind: str = "PullRequestReviewComment"


@dataclass(eq=False)
class Workflow(Record):
    id: int
    repo: Repo
    name: str
    path: str
    kind: str = "Workflow"


@dataclass(eq=False)
class Release(Record):
    id: int
    repo: Repo
    tag: str
    name: str
    body: str
    author: User
    created_at: int
    draft: bool = False
    prerelease: bool = False
    kind: str = "Release"


@dataclass(eq=False)
class Run(Record):
    id: int
    repo: Repo
    workflow: Workflow
    number: int
    suite_id: int
    branch: str
    sha: str
    event: str
    actor: User
    title: str
    created_at: int
    started_at: int  # of this attempt
    head_repo: Repo = None
    attempt: int = 1
    jobs: list = field(default_factory=list)
    key: str = None  # the seed's name for it
    kind: str = "WorkflowRun"


@dataclass(eq=False)
class Job(Record):
    id: int
    run: Run
    name: str
    start_ms: int  # after the run's started_at
    end_ms: int  # None: never
    conclusion: str
    log: list = field(default_factory=list)  # lines, or None: there is no log
    failed_step: str = None
    kind: str = "CheckRun"


class Refusal(Exception):
    """GitHub says no: an HTTP status, a message and REST's `errors`; GraphQL shows `graphql_type`."""

    def __init__(self, status, message, errors=None, graphql_type="UNPROCESSABLE"):
        super().__init__(message)
        self.status, self.message, self.errors, self.graphql_type = status, message, errors, graphql_type


def invalid(resource, field_name=None, code="invalid", message=None):
    """A 422 as REST shapes it."""
    error = {"resource": resource, "code": "custom" if message else code}
    if field_name:
        error["field"] = field_name
    if message:
        error["message"] = message
    return Refusal(422, "Validation Failed", [error])
