"""The seed `rp1`: the pull request that the examples of `agent-tools github-pr` are about.

rp1-run/rp1#42 with the comments 123456 (of a review, at src/auth.ts:67) and 789012.
Its diff has two hunks, lines 9-15 and 62-70 of src/auth.ts, a file without a patch
and a renamed one, so that every kind of place for a comment exists.
"""

LINES = [f'export const scope{number:02} = "scope:{number:02}";\n' for number in range(1, 91)]
AUTH_TS = "".join(LINES)
NEW_AUTH_TS = "".join([
    *LINES[:11], "export const admin = true;\n", *LINES[12:64], "export function check(token: string) {\n",
    "    return token.length > 0;\n", "}\n", *LINES[65:]])
UTIL_TS = "".join(f"export const unit{number} = {number};\n" for number in range(1, 21))

USERS = [
    {"login": "rp1-run", "name": "rp1", "type": "Organization", "members": ["alice"]},
    {"login": "reviewer", "name": "Rae Viewer"},
    {"login": "contributor", "name": "Con Tributor"},
]

REPO = {
    "full_name": "rp1-run/rp1", "description": "Examples", "language": "TypeScript", "created": "2026-01-05T09:00:00Z",
    "access": {"alice": "write", "reviewer": "write"}, "contributors": ["contributor"], "default_branch": "main",
    "commits": [
        {
            "mark": "start", "author": "reviewer", "date": "2026-01-05T09:00:00Z", "message": "Start\n",
            "files": {"src/auth.ts": AUTH_TS, "src/util.ts": UTIL_TS, "logo.bin": "\0old\n", "README.md": "# rp1\n"},
        },
        {
            "mark": "auth", "author": "contributor", "parents": ["start"], "date": "2026-01-10T14:30:00Z", "message": "Check the token\n",
            "files": {
                "src/auth.ts": NEW_AUTH_TS, "logo.bin": "\0new\n", "src/util.ts": None,
                "src/units.ts": UTIL_TS.replace("unit20 = 20", "unit20 = 21"),
            },
        },
    ],
    "branches": {"main": "start", "auth": "auth"},
    "pulls": [{
        "number": 42, "title": "Check the token", "author": "contributor", "head": "auth", "head_commit": "auth",
        "created": "2026-01-10T14:45:00Z", "body": "Checks the token.",
        "comments": [{"id": 789012, "author": "contributor", "date": "2026-01-10T15:00:00Z", "body": "Ready for review!"}],
        "reviews": [{
            "author": "reviewer", "state": "COMMENTED", "date": "2026-01-11T10:30:00Z", "commit": "auth", "body": "",
            "comments": [{"id": 123456, "path": "src/auth.ts", "line": 67, "body": "Consider adding validation here"}],
        }],
    }],
}

MARKS = {"pulls": {"example": 42}, "comments": {"review": 123456, "issue": 789012}}
