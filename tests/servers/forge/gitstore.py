"""Real git repositories behind the forge: made from the seed, read with plumbing.

One bare repository per hosted one, below the server's temporary directory, all
with fixed dates and names, so that commit ids are the same on every start. The
user's own git configuration is never read. `serve()` is git's own smart HTTP
server (`git http-backend`, CGI). Used by state.py (building), rest.py and
gql_resolve.py (reading) and wire.py (clone, fetch, push).
"""

import contextlib
import os
import re
import subprocess
import threading
from collections import namedtuple
from datetime import datetime

Commit = namedtuple("Commit", "sha tree parents author author_email author_date committer committer_email committer_date message")
FileChange = namedtuple("FileChange", "path previous status additions deletions patch blob")

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
STATUS = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "C": "copied", "T": "changed"}


class GitError(Exception):
    pass


def parse_commit(sha, text):
    head, _, message = text.partition("\n\n")
    tree, parents, people = "", [], {}
    for line in head.split("\n"):
        key, _, value = line.partition(" ")
        if key == "tree":
            tree = value
        elif key == "parent":
            parents.append(value)
        elif key in ("author", "committer"):
            name, email, seconds = re.match(r"(.*?) ?<(.*?)> (\d+)", value).groups()
            people[key] = (name, email, int(seconds) * 1000)
    return Commit(sha, tree, parents, *people["author"], *people["committer"], message)


class GitStore:
    def __init__(self, root):
        self.root = root
        self.lock = threading.RLock()
        self.commits = {}  # sha -> Commit
        self.backend = None  # git's program of HTTP
        self.cache = {}  # (question, repository, commit, commit) -> answer; commits never change
        self.env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": root, "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": "Forge", "GIT_AUTHOR_EMAIL": "forge@example.com",
            "GIT_COMMITTER_NAME": "GitHub", "GIT_COMMITTER_EMAIL": "noreply@github.com",
        }

    # ---- plumbing

    def path(self, full_name):
        return os.path.join(self.root, full_name + ".git")

    def run(self, full_name, *args, data=b"", env=None, check=True):
        command = ["git", "--git-dir", self.path(full_name), *args]
        done = subprocess.run(command, input=data, capture_output=True, env={**self.env, **(env or {})}, cwd=self.root)
        if check and done.returncode != 0:
            raise GitError(f"git {' '.join(args)}: {done.stderr.decode('utf-8', 'replace').strip()}")
        return done.stdout if check else done

    def text(self, full_name, *args, **kwargs):
        return self.run(full_name, *args, **kwargs).decode("utf-8", "replace")

    def create(self, full_name, default_branch):
        """What `git init --bare` makes, without the process."""
        path = self.path(full_name)
        for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
            os.makedirs(os.path.join(path, folder))
        with open(os.path.join(path, "HEAD"), "w", encoding="utf-8") as head:
            head.write(f"ref: refs/heads/{default_branch}\n")
        with open(os.path.join(path, "config"), "w", encoding="utf-8") as config:
            config.write(
                "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tquotePath = false\n\tfsync = none\n"
                "[http]\n\treceivepack = true\n"
                "[receive]\n\thideRefs = refs/pull\n\tautogc = false\n"
                "[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n"
                "[gc]\n\tauto = 0\n"
            )

    def copy(self, source, into):
        """A fork's branches and tags."""
        self.run(into, "fetch", "--quiet", "--no-write-fetch-head", self.path(source), "+refs/heads/*:refs/heads/*",
            "+refs/tags/*:refs/tags/*")

    # ---- building from a seed

    def import_commits(self, full_name, commits, refs, identity):
        """Writes the seed's commits (parents before children); `identity(login)` gives (name, email)."""
        out, trees, marks = [], {}, {}
        for number, commit in enumerate(commits, 1):
            marks[commit["mark"]] = number
            parents = commit.get("parents", [])
            files = dict(trees[parents[0]]) if parents else {}
            for path, text in commit["files"].items():
                if text is None:
                    files.pop(path)
                elif isinstance(text, dict):
                    old, new = text["replace"]
                    if files[path].count(old) != 1:
                        raise ValueError(f"{commit['mark']}: {path}: the text to replace occurs {files[path].count(old)} times")
                    files[path] = files[path].replace(old, new)
                else:
                    files[path] = text
            trees[commit["mark"]] = files
            name, email = identity(commit["author"])
            seconds = int(datetime.fromisoformat(commit["date"].replace("Z", "+00:00")).timestamp())
            if not parents:
                out.append("reset refs/forge/tmp\n")
            out.append(f"commit refs/forge/tmp\nmark :{number}\n")
            out.append(f"author {name} <{email}> {seconds} +0000\ncommitter {name} <{email}> {seconds} +0000\n")
            out.append(f"data {len(commit['message'].encode())}\n{commit['message']}\n")
            for i, parent in enumerate(parents):
                out.append(f"{'merge' if i else 'from'} :{marks[parent]}\n")
            out.append("deleteall\n")
            for path in sorted(files):
                out.append(f"M 100644 inline {path}\ndata {len(files[path].encode())}\n{files[path]}\n")
        for ref, mark in refs.items():
            out.append(f"reset {ref}\nfrom :{marks[mark]}\n\n")
        out.append(f"reset refs/forge/tmp\nfrom {'0' * 40}\n\n")
        marks_path = os.path.join(self.path(full_name), "forge-marks")
        self.run(full_name, "fast-import", "--quiet", "--force", f"--export-marks={marks_path}", data="".join(out).encode())
        by_number = {}
        with open(marks_path, encoding="ascii") as lines:
            for line in lines:
                number, sha = line.split()
                by_number[int(number[1:])] = sha
        self.read_commits(full_name, by_number.values())
        return {mark: by_number[number] for mark, number in marks.items()}

    # ---- refs

    def rev(self, full_name, name):
        """A commit's id, or None. `name` is a full ref, a branch, a tag or an id."""
        if not name or name.startswith("-"):
            return None
        if name.startswith(("refs/heads/", "refs/pull/")):  # what is nearly always asked, without a start of git
            return self.refs(full_name, name).get(name)
        done = self.run(full_name, "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}", check=False)
        return done.stdout.decode().strip() or None if done.returncode == 0 else None

    def branch(self, full_name, name):
        return self.rev(full_name, "refs/heads/" + name) if name else None

    def refs(self, full_name, *prefixes):
        """As for-each-ref says: those of these names, and below them; all without one."""
        top, found = self.path(full_name), {}
        with contextlib.suppress(OSError), open(os.path.join(top, "packed-refs"), encoding="utf-8") as file:
            found = {line[41:].strip(): line[:40] for line in file if line[0] not in "#^"}
        for folder, _, names in os.walk(os.path.join(top, "refs")):
            for name in names:
                path = os.path.join(folder, name)
                with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:  # one that goes meanwhile
                    found[os.path.relpath(path, top)] = file.read(40)
        return {name: found[name] for name in sorted(found) if not name.endswith(".lock") and len(found[name]) == 40 and (
            not prefixes or any(name == prefix or name.startswith(prefix.rstrip("/") + "/") for prefix in prefixes))}

    def update_ref(self, full_name, ref, sha):
        self.run(full_name, "update-ref", ref, sha) if sha else self.run(full_name, "update-ref", "-d", ref)

    def fetch(self, into, source, sha, ref):
        """Makes `sha` of another hosted repository known here, as `ref`."""
        if into != source:
            self.run(into, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", self.path(source), f"+{sha}:{ref}")
        else:
            self.update_ref(into, ref, sha)

    # ---- commits and trees

    def commit(self, full_name, sha):
        if sha not in self.commits:
            self.commits[sha] = parse_commit(sha, self.text(full_name, "cat-file", "commit", sha))
        return self.commits[sha]

    def read_commits(self, full_name, shas):
        """Many at once, so that a start is quick."""
        data = self.run(full_name, "cat-file", "--batch", data="".join(sha + "\n" for sha in shas).encode())
        while data:
            head, _, data = data.partition(b"\n")
            sha, _, size = head.split()
            text, data = data[:int(size)], data[int(size) + 1:]
            self.commits[sha.decode()] = parse_commit(sha.decode(), text.decode("utf-8", "replace"))

    def log(self, full_name, *spec, limit=1000):
        return self.text(full_name, "rev-list", f"--max-count={limit}", *spec).split()

    def once(self, question, full_name, a, b, read):
        """Answers about two commits, asked of git once."""
        key = (question, full_name, a, b)
        if key not in self.cache:
            self.cache[key] = read()
        return self.cache[key]

    def merge_base(self, full_name, a, b):
        def read():
            common = self.history(full_name, a) & self.history(full_name, b)
            best = common - {parent for sha in common for parent in self.commits[sha].parents}
            if len(best) < 2:
                return next(iter(best), None)
            return self.run(full_name, "merge-base", a, b, check=False).stdout.decode().strip() or None

        return self.once("merge-base", full_name, a, b, read)

    def is_ancestor(self, full_name, old, new):
        return old in self.history(full_name, new)

    def history(self, full_name, sha):
        """The commit and all before it; nothing of one that is not there."""
        seen, open_ = set(), [sha]
        try:
            while open_:
                sha = open_.pop()
                if sha not in seen:
                    seen.add(sha)
                    open_ += self.commit(full_name, sha).parents
        except GitError:
            return set()
        return seen

    def files(self, full_name, sha):
        """The tree of a commit as [(path, blob, size)]."""
        out = self.text(full_name, "ls-tree", "-r", "-z", "--long", "--full-tree", sha)
        rows = []
        for row in filter(None, out.split("\0")):
            meta, path = row.split("\t", 1)
            _, kind, blob, size = meta.split()
            if kind == "blob":
                rows.append((path, blob, int(size)))
        return rows

    def blob(self, full_name, sha):
        return self.run(full_name, "cat-file", "blob", sha)

    def diff(self, full_name, base, head):
        read = lambda: self.text(full_name, "diff", "-M", "--no-color", "--no-ext-diff", base or EMPTY_TREE, head)
        return self.once("diff", full_name, base, head, read)

    def patch(self, full_name, base, head):
        return self.text(full_name, "format-patch", "--stdout", "--no-signature", f"{base}..{head}")

    def changes(self, full_name, base, head):
        """The files that differ, as FileChange."""
        return self.once("changes", full_name, base, head, lambda: self.read_changes(full_name, base or EMPTY_TREE, head))

    def read_changes(self, full_name, base, head):
        out = self.text(full_name, "diff", "-M", "--raw", "--numstat", "-z", "--no-abbrev", base, head).split("\0")
        rows, at = [], 0
        while at < len(out) and out[at].startswith(":"):
            *_, blob, letter = out[at].split()
            renamed = letter[0] in "RC"
            rows.append((letter[0], blob, out[at + 1] if renamed else None, out[at + 1 + renamed]))
            at += 2 + renamed
        counts = []
        while at < len(out) and out[at]:
            added, deleted, path = out[at].split("\t")
            counts.append((int(added) if added != "-" else 0, int(deleted) if deleted != "-" else 0))
            at += 1 if path else 3
        pieces = re.split(r"^(?=diff --git )", self.diff(full_name, base, head), flags=re.M)[1:]
        changes = []
        for (letter, blob, previous, path), (added, deleted), piece in zip(rows, counts, pieces):
            hunk = re.search(r"^@@ ", piece, flags=re.M)
            patch = piece[hunk.start():].rstrip("\n") if hunk else None
            changes.append(FileChange(path, previous, STATUS[letter], added, deleted, patch, blob))
        return changes

    def merge_tree(self, full_name, base, head):
        """The tree of a merge, or None when it conflicts."""
        def read():
            done = self.run(full_name, "merge-tree", "--write-tree", base, head, check=False)
            return done.stdout.decode().split("\n")[0] if done.returncode == 0 else None

        return self.once("merge-tree", full_name, base, head, read)

    def commit_tree(self, full_name, tree, parents, message, author, when_ms):
        date = f"{when_ms // 1000} +0000"
        env = {"GIT_AUTHOR_NAME": author[0], "GIT_AUTHOR_EMAIL": author[1], "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        args = [arg for parent in parents for arg in ("-p", parent)]
        return self.text(full_name, "commit-tree", tree, *args, data=message.encode(), env=env).strip()

    def put_file(self, full_name, branch, path, content, message, author, when_ms):
        """One commit on `branch` that writes (or, with None, deletes) one file; returns its id."""
        parent = self.branch(full_name, branch)
        env = {"GIT_INDEX_FILE": os.path.join(self.path(full_name), f"forge-index-{threading.get_ident()}")}
        self.run(full_name, "read-tree", parent or "--empty", env=env)
        if content is None:
            self.run(full_name, "update-index", "--force-remove", path, env={**env, "GIT_WORK_TREE": self.root})
        else:
            blob = self.text(full_name, "hash-object", "-w", "--stdin", data=content).strip()
            self.run(full_name, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=env)
        tree = self.text(full_name, "write-tree", env=env).strip()
        os.unlink(env["GIT_INDEX_FILE"])
        sha = self.commit_tree(full_name, tree, [parent] if parent else [], message, author, when_ms)
        self.update_ref(full_name, "refs/heads/" + branch, sha)
        return sha

    # ---- smart HTTP

    def serve(self, full_name, rest, method, query, headers, body, login):
        """One CGI call of git http-backend; returns (status, headers, body)."""
        env = {
            **self.env, "GIT_PROJECT_ROOT": self.root, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": f"/{full_name}.git/{rest}",
            "REQUEST_METHOD": method, "QUERY_STRING": query, "REMOTE_USER": login or "", "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": headers.get("Git-Protocol", ""), "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
        }
        if not self.backend:
            self.backend = os.path.join(subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip(), "git-http-backend")
        done = subprocess.run([self.backend], input=body, capture_output=True, env=env, cwd=self.root)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        status, out = 200, {}
        for line in head.decode("latin-1").split("\r\n"):
            key, _, value = line.partition(": ")
            if key.lower() == "status":
                status = int(value.split()[0])
            elif key:
                out[key] = value
        if not out:
            return 500, {"Content-Type": "text/plain"}, done.stderr
        return status, out, content
