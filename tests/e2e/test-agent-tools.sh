#!/bin/sh
# kedge agent-tools from the command line (agent-tools-cli §1, §10 group A): one envelope on standard output for every
# outcome, exit 0 or 1, standard input only where it is asked for, flags and JSON alike; and the examples of the seed.
. "$(dirname "$0")/lib.sh"
need_kedge
need git mkfifo bash

tool() { run kedge agent-tools "$@"; }

# failed TEXT CODE: a failure with that first error.
failed() {
    expect_exit 1
    expect_empty stderr
    expect_json stdout success false
    expect_json stdout errors.0 "$1"
    expect_json stdout error_details.0.code "$2"
    expect_json stdout error_details.0.message "$1"
}

succeeded() {
    expect_exit 0
    expect_empty stderr
    expect_json stdout success true
    expect_not_contains stdout '"errors"'
}

# ---- envelope ----------------------------------------------------------------

t "cli-A-01: keys in order, exit 0, stderr empty"
git init -q repo
tool rp1-root-dir --cwd repo
succeeded
expect_matches stdout '^\{$'
[ "$(grep -o '^  "[a-z]*"' "$(path_of stdout)" | tr -d '\n')" = '  "success"  "tool"  "data"' ] || fail "not in that order"
expect_json stdout data.projectRoot "$HOME/work/repo"

t "cli-A-12: the same call twice is byte-identical"
cp "$(path_of stdout)" first
tool rp1-root-dir --cwd repo
cmp -s first "$(path_of stdout)" || fail "differs"

t "--compact is one line, also of what was wrong"
for WRONG in "task get --id 1 --bogus" "task create --type a --description b --payload {" "task nope" "nope" "emit --type x --data {"; do
    # shellcheck disable=SC2086
    run kedge agent-tools $WRONG --compact
    expect_lines stdout 1
done

t "--compact is one line, --meta says version, operation and time"
tool task stats --compact --meta
succeeded
expect_lines stdout 1
expect_json stdout meta.operation "task stats"
expect_json stdout meta.schema_version 1

t "--list and --version are envelopes"
tool --list
succeeded
expect_json stdout tool agent-tools
expect_json stdout data.tools.0.name emit
expect_json stdout data.tools.0.mutates true
tool --version
succeeded
expect_json stdout data.version "$(kedge --version | sed 's|kedge/||')"

t "a write that cannot be made is no success"
if [ -c /dev/full ]; then
    kedge agent-tools --version >/dev/full 2>"$E2E_TMP/full.err"
    [ $? = 1 ] || fail "exit status is not 1"
else
    skip "no /dev/full"
fi

t "under the name rp1 it is the same program"
ln -s "$KEDGE" "$E2E_TMP/bin/rp1"
run rp1 agent-tools rp1-root-dir --cwd repo
cmp -s first "$(path_of stdout)" || fail "differs"

# ---- names -------------------------------------------------------------------

t "cli-A-09: unknown module, operation, option; missing operation"
tool github-prs
failed 'Unknown tool "github-prs". Did you mean "github-pr"?' usage
expect_json stdout tool github-prs
tool github-pr submit
failed 'Unknown operation "submit" for github-pr. Operations: submit-review, add-reaction, reply-comment, fetch-comments' usage
tool task --foo
failed 'Unknown option --foo' usage
tool task create --foo x
failed 'Unknown option --foo' usage
tool task
failed "Missing operation for task. Operations: create, list, pickup, complete, fail, cancel, get, heartbeat, release, retry, stats, prune" usage
tool rp1-root-dir extra
failed 'Unexpected argument "extra"' usage

t "alone it is its help"
tool
expect_exit 0
expect_contains stdout "comment-extract"

# ---- standard input ----------------------------------------------------------

t "cli-A-02: empty standard input where one is read"
for words in "emit" "feedback resolve" "feedback accept-edit" "github-pr submit-review" "github-pr add-reaction" \
    "github-pr reply-comment" "github-pr fetch-comments" "task create" "task complete" "task fail" "task cancel" "task get" \
    "task heartbeat" "task release" "task retry" "mmd-validate"; do
    # shellcheck disable=SC2086
    tool $words
    failed "No input provided" no_input
done

t "cli-A-03: JSON that ends too early"
printf '{"owner":' | run -i - kedge agent-tools github-pr fetch-comments
failed "Invalid JSON input: unexpected end of input at line 1, column 10" invalid_json

t "cli-A-04: not an object, more than one, no text"
for input in '[]' '"x"' '1' '{} {}'; do
    printf '%s' "$input" | run -i - kedge agent-tools task create
    expect_exit 1
    expect_matches stdout '"Invalid JSON input: '
done
printf '\377\376' | run -i - kedge agent-tools task create
failed "Invalid JSON input: not valid UTF-8 at byte 1" invalid_json

t "cli-A-05: every problem, in order; the token is not looked for"
echo '{}' | run -i - kedge agent-tools github-pr submit-review
failed "Validation failed: owner is required and must be a non-empty string" validation
expect_json stdout errors.# 5
expect_json stdout error_details.# 5
expect_contains stdout "Validation failed: pr_number is required and must be a positive integer"
expect_contains stdout "Validation failed: event must be one of: APPROVE, REQUEST_CHANGES, COMMENT"

t "cli-A-06: types are not coerced, 42.0 is 42"
for number in '"42"' 0 -1 1.5 true null; do
    printf '{"owner":"o","repo":"r","pr_number":%s}' "$number" | run -i - kedge agent-tools github-pr fetch-comments
    failed "Validation failed: pr_number is required and must be a positive integer" validation
done
printf '{"owner":"o","repo":"r","pr_number":42.0}' | run -i - kedge agent-tools github-pr fetch-comments
failed "GITHUB_TOKEN environment variable not set" auth_missing

t "cli-A-07: an unknown field is a warning, with --strict an error"
printf '{"type":"t","description":"d","prioritty":1}' | run -i - kedge agent-tools task create
succeeded
expect_json stdout warnings.0 'Unknown field "prioritty" ignored (did you mean "priority"?)'
printf '{"type":"t","description":"d","prioritty":1}' | run -i - kedge agent-tools task create --json --strict
failed 'Validation failed: Unknown field "prioritty" (did you mean "priority"?)' validation

t "cli-A-08: a key twice"
printf '{"owner":"a","owner":"b"}' | run -i - kedge agent-tools github-pr fetch-comments
failed 'Invalid JSON input: duplicate key "owner" at line 1, column 14' invalid_json

t "cli-A-10: a pipe that stays open holds nobody up"
mkfifo pipe
sleep 30 >pipe &
writer=$!
run -t 20 -i pipe kedge agent-tools rp1-root-dir --cwd repo
succeeded
kill $writer
wait $writer 2>/dev/null

t "cli-A-11: too large, too deep"
head -c 9437184 /dev/zero | tr '\0' ' ' | run -i - kedge agent-tools task create
failed "Input too large: the limit is 8388608 bytes" validation
"${PYTHON:-python3}" -c 'print("{\"a\":\n" + "[" * 65 + "]" * 65 + "}")' | run -i - kedge agent-tools task create
failed "Invalid JSON input: nesting is deeper than 64 levels at line 2" invalid_json

t "cli-A-17: flag and JSON disagree"
printf '{"runId":"b","annotationId":1}' | run -i - kedge agent-tools feedback resolve --run-id a --json
failed 'Conflicting values for "runId": the flag and the JSON input differ' validation
printf '{"runId":"a","annotationId":1}' | run -i - kedge agent-tools feedback resolve --run-id a --json
failed 'Run "a" was not found' not_found

t "--input reads a file; one that is not there is said"
echo '{"type":"from-file","description":"d"}' >in.json
tool task create --input in.json
succeeded
expect_json stdout data.type from-file
tool task create --input none.json
expect_exit 1
expect_json stdout error_details.0.code io

t "--timeout must be a positive integer"
tool task stats --timeout abc
failed "Invalid timeout value: abc. Must be a positive integer." validation

t "cli-H-06: a missing file, --timeout 0"
tool mmd-validate none.md
failed "File not found: none.md" not_found
tool mmd-validate none.md --timeout 0
failed "Invalid timeout value: 0. Must be a positive integer." validation

t "cli-H-07: --exit-zero changes the exit code alone"
printf 'flowchart TD\n  A -> B\n' >bad.mmd
tool mmd-validate bad.mmd
expect_exit 1
cp "$(path_of stdout)" refused
tool mmd-validate bad.mmd --exit-zero
expect_exit 0
cmp -s refused "$(path_of stdout)" || fail "another answer"
expect_json stdout data.diagrams.0.errors.0.line 2

t "an operation ends when its time is over"
tool task pickup --type none --wait 30 --timeout 300
failed "Timed out after 300 ms" timeout

t "ended by a signal: its exit code, and no half an answer"
bg kedge agent-tools task pickup --type none --wait 60
sleep 0.5
bg_signal TERM
bg_end
expect_exit 143
expect_empty stdout
expect_no_strays

t "hostile text comes out as JSON, without control characters"
printf '{"type":"t","description":"\\u001b[2J \\u009b31m \\u202e"}' | run -i - kedge agent-tools task create
succeeded
[ "$(LC_ALL=C grep -c "$(printf '\033')" "$(path_of stdout)")" = 0 ] || fail "an escape character"
[ "$(LC_ALL=C grep -c "$(printf '\302\233')" "$(path_of stdout)")" = 0 ] || fail "a C1 control"

# ---- the database --------------------------------------------------------------

t "the database is private, and where it is said to be"
[ "$(stat -c %a "$HOME/.kedge/agent-tools.db")" = 600 ] || fail "mode $(stat -c %a "$HOME/.kedge/agent-tools.db")"
tool task stats
run env KEDGE_STATE_DB="$HOME/other/state.db" kedge agent-tools task create --type t --description d
succeeded
[ "$(stat -c %a "$HOME/other")" = 700 ] || fail "directory mode"

t "a damaged database is said, and left alone"
echo "this is no database, it only looks like a file" >broken.db
run env KEDGE_STATE_DB="$PWD/broken.db" kedge agent-tools task stats
expect_exit 1
expect_json stdout error_details.0.code io
expect_file broken.db "this is no database, it only looks like a file"

t "a database that cannot be written is said"
mkdir ro && chmod 500 ro
if [ "$(id -u)" = 0 ]; then
    run env KEDGE_STATE_DB=/proc/none/state.db kedge agent-tools task create --type t --description d
else
    run env KEDGE_STATE_DB="$PWD/ro/state.db" kedge agent-tools task create --type t --description d
fi
expect_exit 1
expect_json stdout success false

# ---- the seed's examples -------------------------------------------------------

forge_start --seed rp1
export GITHUB_API_URL="$FORGE_URL" GITHUB_TOKEN="$GH_TOKEN"

# As the seed writes them, for bash: the echo of other shells makes line ends of \n.
cat >seed-review <<'X'
echo '{
  "owner": "rp1-run",
  "repo": "rp1",
  "pr_number": 42,
  "body": "## rp1 PR Review\n\nLooks good overall with minor suggestions.",
  "event": "COMMENT",
  "comments": [
    {
      "path": "src/auth.ts",
      "line": 67,
      "body": "<!-- rp1-review -->\n**[HIGH - Security]** Consider validating input here."
    }
  ]
}' | rp1 agent-tools github-pr submit-review
X
cat >seed-reaction <<'X'
echo '{
  "owner": "rp1-run",
  "repo": "rp1",
  "comment_id": 123456,
  "reaction": "+1"
}' | rp1 agent-tools github-pr add-reaction
X
cat >seed-reply <<'X'
echo '{
  "owner": "rp1-run",
  "repo": "rp1",
  "pr_number": 42,
  "comment_id": 123456,
  "body": "<!-- rp1-review -->\nAdditional context: This pattern is used for XSS prevention."
}' | rp1 agent-tools github-pr reply-comment
X

t "seed: submit-review"
run bash seed-review
succeeded
expect_json stdout data.comments_posted 1
expect_json stdout data.state COMMENTED
expect_json stdout data.comments.0.placed_as inline

t "seed: add-reaction"
run bash seed-reaction
succeeded
expect_json stdout data.content +1
expect_json stdout data.created true

t "seed: reply-comment"
run bash seed-reply
succeeded
expect_json stdout data.thread_root_id 123456

t "seed: fetch-comments"
echo '{
  "owner": "rp1-run",
  "repo": "rp1",
  "pr_number": 42
}' | run -i - rp1 agent-tools github-pr fetch-comments
succeeded
expect_json stdout data.review_comments.0.id 123456
expect_json stdout data.review_comments.0.line 67
expect_json stdout data.review_comments.# 3
expect_json stdout data.issue_comments.0.id 789012
expect_json stdout data.issue_comments.0.is_bot false

t "comments outside the diff are not lost"
printf '%s' '{"owner":"rp1-run","repo":"rp1","pr_number":42,"body":"More","event":"COMMENT","comments":[
  {"path":"src/auth.ts","line":30,"body":"far away"},{"path":"none.ts","line":1,"body":"nowhere"},
  {"path":"src/units.ts","line":20,"body":"here"},{"path":"logo.bin","line":1,"body":"binary"}]}' |
    run -i - kedge agent-tools github-pr submit-review
succeeded
expect_json stdout data.comments.0.placed_as body
expect_json stdout data.comments.0.nearest_line 15
expect_json stdout data.comments.1.reason path_not_in_diff
expect_json stdout data.comments.2.placed_as inline
expect_json stdout data.comments.3.placed_as body

t "cli-A-18: a refused token is nowhere in the answer"
echo '{"owner":"rp1-run","repo":"rp1","pr_number":42}' |
    run -i - env GITHUB_TOKEN=ghp_secretsecretsecretsecretsecretsecre0 kedge agent-tools github-pr fetch-comments --verbose
expect_exit 1
expect_json stdout error_details.0.code permission
expect_not_contains stdout ghp_secret
expect_not_contains stderr ghp_secret

t "no server: clear, and no hanging"
echo '{"owner":"rp1-run","repo":"rp1","comment_id":7,"reaction":"+1"}' |
    run -i - env GITHUB_API_URL=http://127.0.0.1:1 kedge agent-tools github-pr add-reaction --timeout 1500
expect_exit 1
expect_matches stdout '"code": "(unavailable|timeout)"'

done_testing
