#!/bin/sh
# `kedge wm emit`: what an agent asks for becomes a line, or an error that says why not.
. "$(dirname "$0")/lib.sh"
need_kedge

# task NAME: its safe-outputs on standard input
task() {
    mkdir -p repo/.wm/tasks
    { printf -- '---\non: issues\nsafe-outputs:\n'; cat; printf -- '---\nDo it.\n'; } >"repo/.wm/tasks/$1.md"
}

fresh() {
    rm -rf repo output.jsonl
    task x-task <<'Y'
  add-comment: {max: 2}
  add-labels: {allowed: [bug, docs]}
  create-pull-request: {title-prefix: "[x] ", labels: [agent]}
Y
    export WM_REPO_ROOT="$PWD/repo" WM_TASK=x-task WM_SAFE_OUTPUT_FILE="$PWD/output.jsonl"
    export WM_ISSUE_NUMBER=7 GITHUB_REPOSITORY=o/r
    unset WM_PR_NUMBER
}

emit() { run "$KEDGE" wm emit "$@"; }

# written LINE…: the whole file
written() {
    expect_exit 0
    expect_empty stdout
    expect_empty stderr
    expect_file "$PWD/output.jsonl" "$(printf '%s\n' "$@")"
}

# refused CODE TEXT: and nothing was written
refused() {
    expect_exit "$1"
    expect_empty stdout
    expect_contains stderr "error: $2"
    [ ! -s output.jsonl ] || fail "it was written: $(cat output.jsonl)"
}

t "task-E01: a comment is one line, and nothing is printed"
fresh
emit add-comment --body hi
written '{"body":"hi","target":0,"type":"add_comment"}'
[ "$(stat -c %a output.jsonl)" = 600 ] || fail "mode $(stat -c %a output.jsonl)"

t "task-E02, task-E04: an empty body, and nothing to comment on"
fresh
emit add-comment --body '  '
refused 1 'emit: add_comment: empty body'
unset WM_ISSUE_NUMBER
emit add-comment --body hi
refused 1 'emit: add_comment: no issue or PR number (set --target or run with issue/PR context)'

t "task-E03: the third of two comments"
fresh
emit add-comment --body 1
emit add-comment --body 2
before=$(cat output.jsonl)
emit add-comment --body 3
expect_exit 1
expect_contains stderr 'error: emit: policy: max 2 for add_comment exceeded'
expect_file "$PWD/output.jsonl" "$before"

t "task-E05: a target"
fresh
emit add-comment --body hi --target 9
written '{"body":"hi","target":9,"type":"add_comment"}'

t "task-E06: a kind that the policy does not have"
fresh
emit create-issue --title t
refused 1 'emit: kind "create_issue" not permitted by safe-outputs:'

t "task-E07, task-E08, task-E09: labels"
fresh
emit add-labels --labels nope
refused 1 'emit: add_labels: label "nope" not allowed by policy'
emit add-labels --labels ''
refused 1 'emit: add_labels: empty labels'
emit add-labels --labels bug --labels docs,bug
written '{"labels":["bug","docs"],"target":0,"type":"add_labels"}'

t "task-E10: a pull request without a word"
fresh
emit create-pull-request
written '{"body":"Opened by **kedge** task `x-task`.","labels":["agent"],"title":"[x] [x-task] wm task","type":"create_pull_request"}'

t "task-E11: a title that has the prefix, and no draft"
fresh
emit create-pull-request --title '[x] T' --draft=false
written '{"body":"Opened by **kedge** task `x-task`.","draft":false,"labels":["agent"],"title":"[x] T","type":"create_pull_request"}'

t "task-E12, task-E13: what is always accepted"
fresh
emit noop
emit missing-tool --tool t --reason r
emit missing_data --what w
written '{"message":"","type":"noop"}' '{"reason":"r","tool":"t","type":"missing_tool"}' \
    '{"reason":"","type":"missing_data","what":"w"}'

t "task-E14, task-E15: wrong usage has its own exit code and says what is missing"
fresh
emit bogus
refused 2 'unknown emit subcommand "bogus"'
expect_contains stderr "Run 'kedge wm emit --help' for usage."
emit add-comment
refused 2 'required flag(s) "body" not set'
expect_contains stderr "Run 'kedge wm emit add-comment --help' for usage."
emit create-pull-request-review-comment --body b --line 3
refused 2 'required flag(s) "commit-id", "path" not set'
emit add-comment --body hi --target nine
refused 2 'invalid argument "nine" for "--target" flag: not an integer'
emit add-comment --body hi --frobnicate
refused 2 'unknown flag: --frobnicate'
emit add-comment --body hi --body-file x
refused 2 'give --body or --body-file, not both'
emit add-comment --body-file no-such-file
refused 1 'cannot read no-such-file'

t "task-E16: without its environment it says which variable"
fresh
for name in WM_REPO_ROOT WM_TASK WM_SAFE_OUTPUT_FILE; do
    run env -u "$name" "$KEDGE" wm emit noop
    refused 1 "$name is not set"
done
run env WM_TASK=y "$KEDGE" wm emit noop
refused 1 'task not found: y'

t "task-E17: what HTML would read is escaped"
fresh
emit add-comment --body '<a> & b'
written '{"body":"\u003ca\u003e \u0026 b","target":0,"type":"add_comment"}'

t "task-E18: fifty at once are fifty whole lines"
fresh
for i in $(seq 50); do "$KEDGE" wm emit noop --message "$i" & done 2>errors
wait
[ ! -s errors ] || fail "$(cat errors)"
expected=$(for i in $(seq 50); do printf '{"message":"%s","type":"noop"}\n' "$i"; done | sort)
[ "$(sort output.jsonl)" = "$expected" ] || fail "$(cat output.jsonl)"

t "two comments may be written, however many ask at once"
fresh
for i in 1 2 3 4 5 6 7 8; do "$KEDGE" wm emit add-comment --body "$i" & done 2>errors
wait
[ "$(grep -c '"type":"add_comment"}$' output.jsonl)" = 2 ] || fail "$(cat output.jsonl)"
[ "$(grep -c 'max 2 for add_comment exceeded' errors)" = 6 ] || fail "$(cat errors)"

t "task-E19, task-E20: updates and closings"
fresh
task x-task <<'Y'
  update-issue: {}
  close-issue: {}
Y
emit update-issue --body b --operation bogus
refused 1 'emit: update_issue: invalid operation "bogus" (use replace, append, prepend, replace-island)'
emit close-issue --state-reason bogus
refused 1 'emit: close_issue: state_reason must be completed, not_planned, or duplicate'
emit close-issue --state-reason not-planned
written '{"comment":"","state_reason":"not_planned","target":0,"type":"close_issue"}'

t "task-E21, task-E22: reviews"
fresh
task x-task <<'Y'
  create-pull-request-review-comment: {}
  submit-pull-request-review: {}
Y
review() { emit create-pull-request-review-comment --body b --commit-id c --path p "$@"; }
review --line 3 --side middle
refused 1 'emit: create_pull_request_review_comment: side must be LEFT or RIGHT'
review --line 0 --side left
refused 1 'emit: create_pull_request_review_comment: line must be positive'
review --line 3 --start-line 9 --side left
refused 1 'emit: create_pull_request_review_comment: start_line must be <= line'
review --line 3
refused 2 'required flag(s) "side" not set'
emit submit-pull-request-review --event comment
refused 1 'emit: submit_pull_request_review: body is required for REQUEST_CHANGES and COMMENT'
task x-task <<'Y'
  create-pull-request-review-comment: {side: RIGHT}
Y
review --line 3
written '{"body":"b","commit_id":"c","line":3,"path":"p","side":"RIGHT","target":0,"type":"create_pull_request_review_comment"}'

t "task-E23: an item that is too large"
fresh
head -c 1572864 /dev/zero | tr '\0' a >body
emit add-comment --body-file body
refused 1 'emit: item too large (1572'

t "task-E24: the body from a file, and from standard input"
fresh
printf 'from a file\n' >body
emit add-comment --body-file body
run sh -c 'printf "  from a pipe\n" | "$KEDGE" wm emit add-comment --body-file -'
written '{"body":"from a file","target":0,"type":"add_comment"}' \
    '{"body":"from a pipe","target":0,"type":"add_comment"}'

t "task-E25: a target that the policy does not have"
fresh
task x-task <<'Y'
  add-comment: {target: triggering}
Y
emit add-comment --body hi --target 9
refused 1 'emit: add_comment: target 9 not allowed by policy (target: triggering)'
emit add-comment --body hi --target 7
written '{"body":"hi","target":7,"type":"add_comment"}'

t "an error is one line, whatever its words are: a runner reads lines as commands"
fresh
emit add-labels --labels "$(printf 'a\n::add-matcher::/x ##[add-mask]y')"
expect_exit 1
expect_lines stderr 1
expect_contains stderr 'label "a ::add-matcher::/x # #[add-mask]y" is not a valid label name'

t "task-E27: under the name of the extension, gh-wm"
fresh
mkdir -p "$HOME/extension" && ln -sf "$KEDGE" "$HOME/extension/gh-wm"
run "$HOME/extension/gh-wm" emit noop
written '{"message":"","type":"noop"}'
run "$HOME/extension/gh-wm" emit bogus
expect_exit 2
expect_contains stderr 'unknown emit subcommand "bogus"'

t "task-E26: items as JSON, in an argument and on standard input"
fresh
emit item --json '{"type":"add-comment","body":"x"}'
run sh -c 'printf "%s" "{\"type\":\"add_comment\",\"body\":\"y\",\"issue_number\":5}" | "$KEDGE" wm emit item'
written '{"body":"x","target":0,"type":"add_comment"}' '{"body":"y","target":5,"type":"add_comment"}'
rm output.jsonl
emit item --json '{"body":"x"}'
refused 2 'emit: item: the field "type" is missing'
emit item --json '{"type":"launch_missiles"}'
refused 2 'emit: item: unknown type "launch_missiles"'
emit item --json '[1'
refused 2 'item: expected a JSON object: '
emit item --json '7'
refused 2 'item: expected a JSON object'

t "task-C12, task-C13: handlers in both spellings, and switched off"
fresh
task x-task <<'Y'
  create_issue: {}
  noop:
Y
emit create-issue --title t
written '{"body":"","title":"t","type":"create_issue"}'
task x-task <<'Y'
  create-issue: false
  noop:
Y
rm output.jsonl
emit create-issue --title t
refused 1 'emit: kind "create_issue" not permitted by safe-outputs:'

t "task-S10: the value of a key is refused, and not shown"
fresh
run env ANTHROPIC_API_KEY=sk-thirteen-sheep "$KEDGE" wm emit add-comment --body 'it is sk-thirteen-sheep!'
refused 1 'emit: add_comment: text contains a secret'
expect_not_contains stderr sheep

t "an issue that is not there yet has a name"
fresh
task x-task <<'Y'
  create-issue: {}
  add-comment: {}
Y
emit add-comment --body x --target tmp_1
refused 1 'emit: add_comment: no earlier item has the temporary id "tmp_1"'
emit create-issue --title t --temporary-id tmp_1
emit add-comment --body 'See #tmp_1.' --target tmp_1
written '{"body":"","temporary_id":"tmp_1","title":"t","type":"create_issue"}' \
    '{"body":"See #tmp_1.","target":"tmp_1","type":"add_comment"}'

t "a broken task elsewhere is no reason to refuse; a broken task of its own is"
fresh
printf 'no frontmatter\n' >repo/.wm/tasks/other.md
emit noop
written '{"message":"","type":"noop"}'
rm output.jsonl
printf 'no frontmatter\n' >repo/.wm/tasks/x-task.md
emit noop
expect_exit 1
expect_contains stderr 'x-task.md: missing opening ---'

t "an output file that is none is not written to"
fresh
printf 'mine\n' >mine
ln -s mine output.jsonl
emit noop
expect_exit 1
expect_contains stderr 'it is a symbolic link'
[ "$(cat mine)" = mine ] || fail "$(cat mine)"
rm output.jsonl
mkfifo output.jsonl
emit noop
expect_exit 1
expect_contains stderr 'it is no regular file'
rm output.jsonl

t "half a line of somebody who was killed does not take the next one with it"
fresh
printf '{"type":"noop","mess' >output.jsonl
emit noop
written '{"type":"noop","mess' '{"message":"","type":"noop"}'

t "no room on the disk: the line is not there"
fresh
emit noop
before=$(cat output.jsonl)
head -c 4000 /dev/zero | tr '\0' a >body
run sh -c 'ulimit -f 1; exec "$KEDGE" wm emit add-comment --body-file body'
expect_exit 1
expect_contains stderr 'cannot write to'
expect_file "$PWD/output.jsonl" "$before"

t "help teaches each kind"
emit --help
expect_exit 0
expect_contains stdout 'create-pull-request-review-comment'
emit add_comment --help
expect_contains stdout 'kedge wm emit add-comment --body "Done'
emit item --help
expect_contains stdout 'standard input'
emit
expect_exit 0
expect_contains stdout 'Usage: kedge wm emit KIND'

done_testing
