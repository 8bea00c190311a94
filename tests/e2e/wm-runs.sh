# What the tests of `kedge wm` that run tasks share: a repository with tasks, an agent, the forge as
# GitHub. Sourced after lib.sh.
# shellcheck shell=sh

unset WM_RUN_DIR WM_AGENT_CMD WM_CHECKPOINT WM_SCHEDULE_CRON WM_LOG_FORMAT WM_REPO_ROOT WM_TASK WM_SAFE_OUTPUT_FILE

ISSUE_EVENT='{"action":"labeled","issue":{"number":12,"title":"clock","body":"It is late."},"repository":{"default_branch":"main"},"sender":{"login":"alice","type":"User"}}'

# wm_github: the forge is GitHub, the repository harbor/tidepool.
wm_github() {
    forge_start
    unset GH_HOST http_proxy HTTP_PROXY
    export GITHUB_API_URL="$FORGE_URL" GITHUB_REPOSITORY=harbor/tidepool
}

# wm_repo NAME: a new repository, committed, in which to stand; its payload file is ../NAME.json.
wm_repo() {
    rm -rf "${HOME:?}/work/$1"
    mkdir -p "$HOME/work/$1/.wm/tasks"
    cd "$HOME/work/$1" || return
    printf '%s' "$ISSUE_EVENT" >"../$1.json"
    EVENT=$HOME/work/$1.json
    git init -q -b main . && echo text >file.txt && wm_commit
}

wm_commit() { git add -A && git commit -q --allow-empty -m "${1:-more}"; }

# wm_task NAME [FRONTMATTER]: writes and commits a task.
wm_task() {
    printf -- '---\n%s\n---\nDo it.\n' "${2:-description: x}" >".wm/tasks/$1.md"
    wm_commit "task $1"
}

# wm_agent NAME: an agent program of that name, of the script on stdin.
wm_agent() {
    { echo '#!/bin/sh'; cat; } >"$E2E_TMP/bin/$1"
    chmod +x "$E2E_TMP/bin/$1"
}

# wm_run TASK [FLAG…]: `kedge wm run` for the issue.
wm_run() {
    _task=$1
    shift
    run kedge wm run --task "$_task" --event-name issues --payload "$EVENT" "$@"
}

# wm_dir TASK: the run directory of a task that was written to last; empty when there is none.
wm_dir() {
    # shellcheck disable=SC2012
    _meta=$(ls -t .wm/runs/"$1"-2*/meta.json 2>/dev/null | head -n 1)
    echo "${_meta%/meta.json}"
}

# wm_writes [SINCE]: the writes that GitHub got, `METHOD path` a line.
wm_writes() {
    forge_rows "method path" "[method!=GET]" "since=${1:-0}"
}

# wm_last: the number of the last request that GitHub got.
wm_last() { forge_log | "$PICK" -1.n 2>/dev/null || echo 0; }

# expect_writes WANT…: those since wm_mark, in order.
wm_mark() { _mark=$(wm_last); }
expect_writes() {
    _got=$(wm_writes "$_mark")
    _want=$(printf '%s\n' "$@")
    [ "$_got" = "$_want" ] || fail "GitHub got: $_got" "want: $_want"
}
expect_no_writes() {
    _got=$(wm_writes "$_mark")
    [ -z "$_got" ] || fail "GitHub got: $_got"
}

# wm_body: the JSON body of the last write.
wm_body() {
    forge_log "since=$_mark" | "$PICK" "[method!=GET].-1.body"
}
