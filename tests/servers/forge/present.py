"""REST shapes: each function turns one record into GitHub's JSON object.

`r` is the Request: it knows the viewer, the clock and the URL bases. Fields that
no client of ours reads are left out; README.md says so. Used by rest.py,
rest_write.py, rest_actions.py and search.py.
"""

from . import actions, files, pulls
from .model import iso

CONTENT_REACTIONS = ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"]


def user(r, who):
    if who is None:
        return None
    html = f"{r.web}/apps/{who.login}" if who.kind == "Bot" else f"{r.web}/{who.login}"
    return {
        "login": who.rest_login, "id": who.id, "node_id": who.node, "avatar_url": f"{r.web}/avatars/u/{who.id}?v=4",
        "url": f"{r.api}/users/{who.rest_login}", "html_url": html, "type": who.kind, "site_admin": False,
    }


def full_user(r, who):
    return {**user(r, who), "name": who.name, "company": None, "email": None, "bio": None, "public_repos": 1, "followers": 0,
            "following": 0, "created_at": "2020-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z"}


def repo_url(r, repo):
    return f"{r.api}/repos/{repo.full_name}"


def ssh_host(r):
    return r.web.split("://", 1)[1].split("/")[0].split(":")[0]


def repo(r, it, full=False):
    permission = r.world.permission(it, r.viewer)
    url, html = repo_url(r, it), f"{r.web}/{it.full_name}"
    forks = [other for other in r.world.repos.values() if other.parent is it]
    out = {
        "id": it.id, "node_id": it.node, "name": it.name, "full_name": it.full_name, "private": it.private, "owner": user(r, it.owner),
        "html_url": html, "description": it.description, "fork": it.parent is not None, "url": url,
        "branches_url": url + "/branches{/branch}", "issues_url": url + "/issues{/number}", "pulls_url": url + "/pulls{/number}",
        "created_at": iso(it.created_at), "updated_at": iso(it.updated_at), "pushed_at": iso(it.pushed_at),
        "git_url": f"git://{ssh_host(r)}/{it.full_name}.git", "ssh_url": f"git@{ssh_host(r)}:{it.full_name}.git",
        "clone_url": html + ".git", "homepage": it.homepage, "size": 12, "stargazers_count": it.stars, "watchers_count": it.stars,
        "language": it.language, "has_issues": True, "has_projects": False, "has_downloads": True, "has_wiki": False, "has_pages": False,
        "has_discussions": False, "forks_count": len(forks), "archived": it.archived, "disabled": False,
        "open_issues_count": sum(item.state == "open" for item in it.items.values()), "license": None, "is_template": False,
        "topics": it.topics, "visibility": "private" if it.private else "public", "forks": len(forks), "watchers": it.stars,
        "default_branch": it.default_branch,
    }
    if r.viewer:
        out["permissions"] = {
            "admin": permission == "admin", "maintain": permission == "admin", "push": permission in ("admin", "write"),
            "triage": permission in ("admin", "write"), "pull": True,
        }
    if full:
        out.update({"allow_squash_merge": True, "allow_merge_commit": True, "allow_rebase_merge": True, "delete_branch_on_merge": False,
                    "subscribers_count": 1, "network_count": len(forks)})
        if it.owner.kind == "Organization":
            out["organization"] = user(r, it.owner)
        if it.parent:
            out["parent"] = out["source"] = repo(r, it.parent)
    return out


def label(r, it):
    return {"id": it.id, "node_id": it.node, "url": f"{repo_url(r, it.repo)}/labels/{it.name.replace(' ', '%20')}", "name": it.name,
            "color": it.color, "default": it.name in ("bug", "enhancement", "question", "good first issue"), "description": it.description}


def milestone(r, it):
    if it is None:
        return None
    counts = [item.state for item in it.repo.items.values() if item.milestone is it]
    return {
        "url": f"{repo_url(r, it.repo)}/milestones/{it.number}", "html_url": f"{r.web}/{it.repo.full_name}/milestone/{it.number}",
        "id": it.id, "node_id": it.node, "number": it.number, "title": it.title, "description": it.description, "state": it.state,
        "open_issues": counts.count("open"), "closed_issues": counts.count("closed"), "due_on": iso(it.due),
    }


def reactions(r, it, url):
    counts = {content: len(it.reactions.get(content, {})) for content in CONTENT_REACTIONS}
    return {"url": url + "/reactions", "total_count": sum(counts.values()), **counts}


def item_url(r, it):
    return f"{r.web}/{it.repo.full_name}/{'pull' if it.is_pull else 'issues'}/{it.number}"


def issue(r, it):
    url = f"{repo_url(r, it.repo)}/issues/{it.number}"
    out = {
        "url": url, "repository_url": repo_url(r, it.repo), "labels_url": url + "/labels{/name}", "comments_url": url + "/comments",
        "events_url": url + "/events", "html_url": item_url(r, it), "id": it.id, "node_id": it.node, "number": it.number, "title": it.title,
        "user": user(r, it.author), "labels": [label(r, x) for x in it.labels], "state": it.state, "locked": it.locked,
        "assignee": user(r, it.assignees[0]) if it.assignees else None, "assignees": [user(r, x) for x in it.assignees],
        "milestone": milestone(r, it.milestone), "comments": len(it.comments), "created_at": iso(it.created_at),
        "updated_at": iso(it.updated_at), "closed_at": iso(it.closed_at), "author_association": r.world.association(it.repo, it.author),
        "active_lock_reason": None, "body": it.body, "reactions": reactions(r, it, url), "timeline_url": url + "/timeline",
        "performed_via_github_app": None, "state_reason": it.state_reason, "closed_by": user(r, it.closed_by),
    }
    if it.is_pull:
        pull_url = f"{repo_url(r, it.repo)}/pulls/{it.number}"
        out["draft"] = it.draft
        out["pull_request"] = {"url": pull_url, "html_url": item_url(r, it), "diff_url": item_url(r, it) + ".diff",
                               "patch_url": item_url(r, it) + ".patch", "merged_at": iso(it.merged_at)}
    return out


def comment(r, it):
    url = f"{repo_url(r, it.item.repo)}/issues/comments/{it.id}"
    return {
        "url": url, "html_url": f"{item_url(r, it.item)}#issuecomment-{it.id}",
        "issue_url": f"{repo_url(r, it.item.repo)}/issues/{it.item.number}",
        "id": it.id, "node_id": it.node, "user": user(r, it.author), "created_at": iso(it.created_at), "updated_at": iso(it.updated_at),
        "author_association": r.world.association(it.item.repo, it.author), "body": it.body, "reactions": reactions(r, it, url),
        "performed_via_github_app": None,
    }


def side(r, repository, ref, sha):
    owner = repository.owner if repository else None
    return {"label": f"{owner.login if owner else 'unknown'}:{ref}", "ref": ref, "sha": sha, "user": user(r, owner),
            "repo": repo(r, repository) if repository else None}


def pull(r, it, full=False):
    url, html = f"{repo_url(r, it.repo)}/pulls/{it.number}", item_url(r, it)
    base_sha = pulls.base_tip(r.world, it)
    out = {
        "url": url, "id": it.id, "node_id": it.node, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch",
        "issue_url": f"{repo_url(r, it.repo)}/issues/{it.number}", "number": it.number, "state": it.state, "locked": it.locked,
        "title": it.title, "user": user(r, it.author), "body": it.body, "created_at": iso(it.created_at), "updated_at": iso(it.updated_at),
        "closed_at": iso(it.closed_at), "merged_at": iso(it.merged_at), "merge_commit_sha": it.merge_sha,
        "assignee": user(r, it.assignees[0]) if it.assignees else None, "assignees": [user(r, x) for x in it.assignees],
        "requested_reviewers": [user(r, x) for x in it.requested], "requested_teams": [], "labels": [label(r, x) for x in it.labels],
        "milestone": milestone(r, it.milestone), "draft": it.draft, "commits_url": url + "/commits",
        "review_comments_url": url + "/comments", "comments_url": f"{repo_url(r, it.repo)}/issues/{it.number}/comments",
        "statuses_url": f"{repo_url(r, it.repo)}/statuses/{it.head_sha}", "head": side(r, it.head_repo, it.head_ref, it.head_sha),
        "base": side(r, it.repo, it.base_ref, base_sha), "author_association": r.world.association(it.repo, it.author),
        "auto_merge": None, "active_lock_reason": None,
    }
    if full:
        changes = pulls.changes(r.world, it)
        state = pulls.merge_state(r.world, it)
        out.update({
            "merged": it.merged_at is not None, "mergeable": pulls.mergeable(r.world, it), "rebaseable": pulls.mergeable(r.world, it),
            "mergeable_state": state.lower(), "merged_by": user(r, it.merged_by), "comments": len(it.comments),
            "review_comments": len(pulls.review_comments(it)), "maintainer_can_modify": it.maintainer_can_modify,
            "commits": len(pulls.commits(r.world, it)), "additions": sum(c.additions for c in changes),
            "deletions": sum(c.deletions for c in changes), "changed_files": len(changes),
        })
    return out


def pull_file(r, it, change):
    raw = f"{r.web}/{it.repo.full_name}"
    out = {
        "sha": change.blob, "filename": change.path, "status": change.status, "additions": change.additions, "deletions": change.deletions,
        "changes": change.additions + change.deletions, "blob_url": f"{raw}/blob/{it.head_sha}/{change.path}",
        "raw_url": f"{raw}/raw/{it.head_sha}/{change.path}",
        "contents_url": f"{repo_url(r, it.repo)}/contents/{change.path}?ref={it.head_sha}",
    }
    if change.patch is not None:
        out["patch"] = change.patch
    if change.previous:
        out["previous_filename"] = change.previous
    return out


def review(r, it):
    out = {
        "id": it.id, "node_id": it.node, "user": user(r, it.author), "body": it.body, "state": it.state,
        "html_url": f"{item_url(r, it.pull)}#pullrequestreview-{it.id}",
        "pull_request_url": f"{repo_url(r, it.pull.repo)}/pulls/{it.pull.number}",
        "author_association": r.world.association(it.pull.repo, it.author), "commit_id": it.commit,
    }
    if it.state != "PENDING":
        out["submitted_at"] = iso(it.submitted_at)
    return out


def review_comment(r, it):
    url = f"{repo_url(r, it.pull.repo)}/pulls/comments/{it.id}"
    outdated = it.commit != it.pull.head_sha
    out = {
        "url": url, "pull_request_review_id": it.review.id, "id": it.id, "node_id": it.node, "diff_hunk": it.diff_hunk, "path": it.path,
        "position": None if outdated else it.diff_hunk.count("\n"), "original_position": it.diff_hunk.count("\n"),
        "commit_id": it.pull.head_sha,
        "original_commit_id": it.commit, "user": user(r, it.author), "body": it.body, "created_at": iso(it.created_at),
        "updated_at": iso(it.updated_at), "html_url": f"{item_url(r, it.pull)}#discussion_r{it.id}",
        "pull_request_url": f"{repo_url(r, it.pull.repo)}/pulls/{it.pull.number}",
        "author_association": r.world.association(it.pull.repo, it.author),
        "reactions": reactions(r, it, url), "start_line": None if outdated else it.start_line, "original_start_line": it.start_line,
        "start_side": it.start_side if it.start_line else None, "line": None if outdated else it.line, "original_line": it.line, "side": it.side,
        "subject_type": it.subject_type,
    }
    if it.reply_to:
        out["in_reply_to_id"] = it.reply_to.id
    return out


def commit(r, repository, it):
    url = repo_url(r, repository)
    return {
        "sha": it.sha, "node_id": "C_" + it.sha[:20],
        "commit": {
            "author": {"name": it.author, "email": it.author_email, "date": iso(it.author_date)},
            "committer": {"name": it.committer, "email": it.committer_email, "date": iso(it.committer_date)},
            "message": it.message.rstrip("\n"), "tree": {"sha": it.tree, "url": f"{url}/git/trees/{it.tree}"},
            "url": f"{url}/git/commits/{it.sha}", "comment_count": 0,
        },
        "url": f"{url}/commits/{it.sha}", "html_url": f"{r.web}/{repository.full_name}/commit/{it.sha}",
        "author": user(r, r.world.user_by_email(it.author_email)), "committer": user(r, r.world.user_by_email(it.committer_email)),
        "parents": [{"sha": sha, "url": f"{url}/commits/{sha}", "html_url": f"{r.web}/{repository.full_name}/commit/{sha}"}
            for sha in it.parents],
    }


def branch(r, repository, name, sha, full=False):
    out = {"name": name, "commit": {"sha": sha, "url": f"{repo_url(r, repository)}/commits/{sha}"}, "protected": False}
    if full:
        out["commit"] = commit(r, repository, r.world.git.commit(repository.full_name, sha))
    return out


def workflow(r, it):
    url = f"{repo_url(r, it.repo)}/actions/workflows/{it.id}"
    return {"id": it.id, "node_id": it.node, "name": it.name, "path": it.path, "state": "active", "created_at": iso(it.repo.created_at),
            "updated_at": iso(it.repo.created_at), "url": url, "html_url": f"{r.web}/{it.repo.full_name}/blob/main/{it.path}"}


def run_html(r, it):
    return f"{r.web}/{it.repo.full_name}/actions/runs/{it.id}"


def run(r, it):
    url = f"{repo_url(r, it.repo)}/actions/runs/{it.id}"
    status, conclusion, updated = actions.run_state(r.world, it)
    open_pulls = [x for x in it.repo.items.values() if x.is_pull and x.head_repo is it.repo and x.head_ref == it.branch and not x.closed_at]
    return {
        "id": it.id, "name": it.workflow.name, "node_id": it.node, "head_branch": it.branch, "head_sha": it.sha, "path": it.workflow.path,
        "display_title": it.title, "run_number": it.number, "event": it.event, "status": status, "conclusion": conclusion,
        "workflow_id": it.workflow.id, "check_suite_id": it.suite_id, "url": url, "html_url": run_html(r, it),
        "pull_requests": [] if "exclude_pull_requests" in r.query else [
            {"id": x.id, "number": x.number, "url": f"{repo_url(r, it.repo)}/pulls/{x.number}"} for x in open_pulls],
        "created_at": iso(it.created_at), "updated_at": iso(updated), "run_started_at": iso(it.started_at), "actor": user(r, it.actor),
        "triggering_actor": user(r, it.actor), "run_attempt": it.attempt, "jobs_url": url + "/jobs", "logs_url": url + "/logs",
        "check_suite_url": f"{repo_url(r, it.repo)}/check-suites/{it.suite_id}", "artifacts_url": url + "/artifacts",
        "cancel_url": url + "/cancel", "rerun_url": url + "/rerun",
        "workflow_url": f"{repo_url(r, it.repo)}/actions/workflows/{it.workflow.id}",
        "head_commit": head_commit(r, it), "repository": repo(r, it.repo), "head_repository": repo(r, it.head_repo),
    }


def head_commit(r, it):
    if r.world.git.rev(it.repo.full_name, it.sha) is None:
        return {"id": it.sha, "tree_id": it.sha, "message": it.title, "timestamp": iso(it.created_at), "author": {}, "committer": {}}
    found = r.world.git.commit(it.repo.full_name, it.sha)
    return {"id": it.sha, "tree_id": found.tree, "message": found.message.rstrip("\n"), "timestamp": iso(found.committer_date),
            "author": {"name": found.author, "email": found.author_email},
            "committer": {"name": found.committer, "email": found.committer_email}}


def job(r, it):
    status, conclusion, start, end = actions.job_state(r.world, it)
    url = f"{repo_url(r, it.run.repo)}/actions/jobs/{it.id}"
    return {
        "id": it.id, "run_id": it.run.id, "workflow_name": it.run.workflow.name, "head_branch": it.run.branch,
        "run_url": f"{repo_url(r, it.run.repo)}/actions/runs/{it.run.id}", "run_attempt": it.run.attempt, "node_id": it.node,
        "head_sha": it.run.sha,
        "url": url, "html_url": f"{run_html(r, it.run)}/job/{it.id}", "status": status, "conclusion": conclusion,
        "created_at": iso(it.run.started_at), "started_at": iso(start or it.run.started_at), "completed_at": iso(end), "name": it.name,
        "steps": [
            {"name": name, "status": state, "conclusion": result, "number": number, "started_at": iso(begin), "completed_at": iso(finish)}
            for number, name, state, result, begin, finish in actions.step_states(r.world, it)],
        "check_run_url": f"{repo_url(r, it.run.repo)}/check-runs/{it.id}", "labels": ["ubuntu-latest"], "runner_id": 1,
        "runner_name": "GitHub Actions 1", "runner_group_id": 0, "runner_group_name": "GitHub Actions",
    }


def check_run(r, it):
    status, conclusion, start, end = actions.job_state(r.world, it)
    url = f"{repo_url(r, it.run.repo)}/check-runs/{it.id}"
    html = f"{run_html(r, it.run)}/job/{it.id}"
    return {
        "id": it.id, "name": it.name, "node_id": it.node, "head_sha": it.run.sha, "external_id": "", "url": url, "html_url": html,
        "details_url": html, "status": status, "conclusion": conclusion, "started_at": iso(start), "completed_at": iso(end),
        "output": {"title": None, "summary": None, "text": None, "annotations_count": 0, "annotations_url": url + "/annotations"},
        "check_suite": {"id": it.run.suite_id}, "app": {"id": 15368, "slug": "github-actions", "name": "GitHub Actions"},
        "pull_requests": [],
    }


def release(r, it):
    url = f"{repo_url(r, it.repo)}/releases/{it.id}"
    return {
        "url": url, "html_url": f"{r.web}/{it.repo.full_name}/releases/tag/{it.tag}", "id": it.id, "node_id": it.node, "tag_name": it.tag,
        "target_commitish": it.repo.default_branch, "name": it.name, "draft": it.draft, "prerelease": it.prerelease, "body": it.body,
        "created_at": iso(it.created_at), "published_at": None if it.draft else iso(it.created_at), "author": user(r, it.author),
        "assets": [asset(r, row) for row in files.assets(it)],
        "upload_url": url + "/assets{?name,label}", "tarball_url": None, "zipball_url": None,
    }


def asset(r, row):
    number, name, data, digest = row
    return {"id": number, "name": name, "size": len(data), "state": "uploaded", "content_type": "application/octet-stream", "digest": digest}
