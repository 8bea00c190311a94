# End-to-end tests of the real program: TAP output, a private HOME, a scripted model, a fake GitHub.
# POSIX sh. A test sources it, makes claims with `t`, and ends with done_testing:
#
#   . "$(dirname "$0")/lib.sh"
#   model_script hello.jsonl            # the fake model's turns, in order (servers/README.md)
#   t "print mode answers on stdout only"
#   run kedge -p "hi"
#   expect_exit 0; expect_golden stdout hello.out; expect_empty stderr
#   done_testing
#
# All that is written is below $E2E_TMP, which stays when a claim failed, or with E2E_KEEP=1.
# All that is started is stopped, by its process id. State of a run is in files below
# $E2E_TMP/.state, so that `printf … | run -i - kedge` works. Names with a leading _ are private.
# Variables for one command: `run env NAME=value kedge …`.
# Set by the caller: KEDGE (the binary), UPDATE=1 (rewrite golden files), E2E_UNTIL (the last claim to
# make), PYTHON, PICK (pick.c, built).
# shellcheck shell=sh

# ---- the environment -------------------------------------------------------

E2E_DIR=${E2E_DIR:-$(cd "$(dirname "$0")" && pwd)} # where lib.sh is
E2E_ROOT=$(cd "$E2E_DIR/../.." && pwd)
E2E_NAME=$(basename "$0")

# An absolute path, before the working directory changes.
_absolute() {
    case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$PWD/$1" ;;
    esac
}
KEDGE=$(_absolute "${KEDGE:-$E2E_ROOT/build/kedge}")
PICK=${PICK:-${KEDGE%/*}/tests/e2e/pick}
[ -x "$PICK" ] || PICK=$E2E_ROOT/build/tests/e2e/pick
[ -x "$PICK" ] || { echo "Bail out! there is no $PICK; ninja -C build makes it" && exit 1; }

# The caller's credentials, proxies and settings never reach a test.
_forget_environment() {
    for _name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
        case $_name in
        KEDGE) ;;
        *_API_KEY | *_TOKEN | *_SECRET | *_PASSWORD | *_CREDENTIALS | *_BASE_URL | \
            ANTHROPIC_* | OPENAI_* | GEMINI_* | GOOGLE_* | AZURE_* | AWS_* | GH_* | GITHUB_* | GIT_* | \
            KEDGE_* | PI_* | OMP_* | XDG_* | SSH_* | RUNNER_* | CI | \
            *_[Pp][Rr][Oo][Xx][Yy] | TMUX* | COLUMNS | LINES | EDITOR | VISUAL | PAGER | BROWSER | \
            MAKE* | MFLAGS | LC_* | LANG | LANGUAGE | CLICOLOR* | FORCE_COLOR | COLORTERM | TERM_PROGRAM*)
            unset "$_name"
            ;;
        esac
    done
}
_forget_environment
# What runs on this machine is no part of a test.
export OLLAMA_BASE_URL=http://127.0.0.1:1 LLAMA_CPP_BASE_URL=http://127.0.0.1:1 LM_STUDIO_BASE_URL=http://127.0.0.1:1

E2E_TMP=$(mktemp -d "${TMPDIR:-/tmp}/kedge-e2e.XXXXXX") || { echo "Bail out! no temporary directory"; exit 1; }
E2E_TMP=$(cd "$E2E_TMP" && pwd -P)
_state=$E2E_TMP/.state
mkdir "$_state" "$E2E_TMP/bin" "$E2E_TMP/program" "$E2E_TMP/run"
: >"$_state/pids" && : >"$_state/claims" && : >"$_state/stdout" && : >"$_state/stderr"
# Tests, and what they start, say `kedge`. It then runs under a path of this test, by which strays()
# knows it: its environment cannot be read from outside.
ln -s "$KEDGE" "$E2E_TMP/program/kedge"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$E2E_TMP/program/kedge" >"$E2E_TMP/bin/kedge" && chmod +x "$E2E_TMP/bin/kedge"

export KEDGE PICK E2E_TMP E2E_DIR E2E_ROOT
export PATH="$E2E_TMP/bin:$PATH" LC_ALL=C.UTF-8 TZ=UTC TERM=dumb NO_COLOR=1 PAGER=cat
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
[ -n "${PYTHONPYCACHEPREFIX:-}" ] || export PYTHONDONTWRITEBYTECODE=1
export GH_NO_UPDATE_NOTIFIER=1 GH_PROMPT_DISABLED=1

# fresh_home: a new, empty HOME with its XDG dirs, TMPDIR and git identity, and a new working
# directory $HOME/work to stand in. Called once by this file.
fresh_home() {
    _homes=$((${_homes:-0} + 1))
    HOME=$E2E_TMP/home$_homes
    TMPDIR=$HOME/tmp
    XDG_CONFIG_HOME=$HOME/.config XDG_DATA_HOME=$HOME/.local/share XDG_STATE_HOME=$HOME/.local/state
    XDG_CACHE_HOME=$HOME/.cache XDG_RUNTIME_DIR=$HOME/.run
    GH_CONFIG_DIR=$HOME/.config/gh GIT_CONFIG_GLOBAL=$HOME/.gitconfig
    export HOME TMPDIR GH_CONFIG_DIR GIT_CONFIG_GLOBAL
    export XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR
    mkdir -p "$TMPDIR" "$GH_CONFIG_DIR" "$XDG_DATA_HOME" "$XDG_STATE_HOME" "$XDG_CACHE_HOME" "$HOME/work"
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    cat >"$GIT_CONFIG_GLOBAL" <<'X'
[user]
	name = Alice
	email = alice@example.com
[init]
	defaultBranch = main
[maintenance]
	auto = false
[credential "http://github.localhost"]
	helper =
	helper = "!f() { echo username=x-access-token; echo \"password=$GH_TOKEN\"; }; f"
X
    cd "$HOME/work" || _bail "no working directory"
}

_bail() {
    echo "Bail out! $*"
    exit 1
}

# ---- claims ----------------------------------------------------------------

# t NAME: begins a claim. It holds unless an expectation before the next `t` fails. The claim with
# $E2E_UNTIL in its name is the last one.
t() {
    _end_claim
    [ -z "$_is_last" ] || done_testing
    case ${E2E_UNTIL:+$1} in *"$E2E_UNTIL"*) _is_last=${E2E_UNTIL:+1} ;; esac
    printf '%s\n' "$1" >"$_state/claim"
}

# fail MESSAGE…: the present claim does not hold. For checks that no expect_… makes.
fail() {
    [ -f "$_state/claim" ] || echo "before the first claim" >"$_state/claim"
    printf '%s\n' "$@" >>"$_state/failures"
    return 1
}

# note TEXT…: a remark in the output of the test.
note() { printf '%s\n' "$@" | sed 's/^/# /'; }

# skip REASON: the present claim is not checked here.
skip() { printf '%s\n' "$1" >"$_state/skip"; }

# skip_all REASON: nothing of this file can be checked here. Before the first claim.
skip_all() {
    echo "1..0 # SKIP $1"
    _is_done=1
    exit 0
}

# need COMMAND…: skip_all unless each is there.
need() {
    for _command; do
        command -v "$_command" >/dev/null 2>&1 || skip_all "no $_command here"
    done
}

# need_gh: the real gh. Its version, which each kedge asks for, is asked once: it takes as long to start
# for that as for a request. Without collecting garbage it takes a fifth less. In $REAL_PATH gh is alone.
need_gh() {
    need gh git
    mkdir "$E2E_TMP/quick-gh"
    gh --version >"$E2E_TMP/quick-gh/version"
    printf '#!/bin/sh\n[ "$*" != --version ] || exec cat "%s"\nexport GOGC=off\nexec "%s" "$@"\n' \
        "$E2E_TMP/quick-gh/version" "$(command -v gh)" >"$E2E_TMP/quick-gh/gh"
    chmod +x "$E2E_TMP/quick-gh/gh"
    REAL_PATH=$PATH PATH=$E2E_TMP/quick-gh:$PATH
}

# rounds_of N: of so many rounds of what a test makes up, or such a size: a fifth; N with ROUNDS in the
# environment, as .ci/run has it once.
rounds_of() { [ -n "${ROUNDS:-}" ] && echo "$1" || echo $((($1 + 4) / 5)); }

need_kedge() { [ -x "$KEDGE" ] || _bail "no binary: $KEDGE (set KEDGE)"; }

# done_testing: the last line of every test.
done_testing() {
    _end_claim
    _check_model
    [ -s "$_state/claims" ] || _bail "$E2E_NAME makes no claim"
    _is_done=1
    echo "1..$(_count_claims)"
    if grep -q '^not' "$_state/claims"; then
        exit 1
    fi
    exit 0
}

_count_claims() { grep -c . "$_state/claims"; }

_end_claim() {
    [ -f "$_state/claim" ] || return 0
    _number=$(($(_count_claims) + 1))
    _claim="$_number - $(sed 's/#/\\#/g' "$_state/claim")"
    if [ -f "$_state/skip" ]; then
        echo "ok $_claim # SKIP $(cat "$_state/skip")" | tee -a "$_state/claims"
    elif [ -f "$_state/failures" ]; then
        echo "not ok $_claim" | tee -a "$_state/claims"
        {
            cat "$_state/failures"
            _show_run
        } | sed 's/^/#   /'
    else
        echo "ok $_claim" | tee -a "$_state/claims"
    fi
    rm -f "$_state/claim" "$_state/failures" "$_state/skip"
}

# What the last command printed, for a person who looks at a failed claim.
_show_run() {
    [ -f "$_state/command" ] || return 0
    echo "command: $(cat "$_state/command")"
    echo "exit status: $(cat "$_state/status" 2>/dev/null || echo none yet)"
    for _stream in stdout stderr; do
        [ -s "$_state/$_stream" ] || continue
        echo "$_stream:"
        head -c 4000 "$_state/$_stream" | head -n 60 | awk '{ print "  | " $0 }'
        _size=$(wc -c <"$_state/$_stream")
        [ "$_size" -le 4000 ] || echo "  … $_size bytes"
    done
    [ -n "$_model_url" ] || return 0
    _failures=$(model_failures 2>&1)
    [ "$_failures" = "[]" ] || echo "model failures: $_failures"
}

# ---- running ---------------------------------------------------------------

# run [-t SECONDS] [-i FILE|-] COMMAND…: runs it to its end, at most 60 s; keeps stdout, stderr
# and exit status (124: out of time). Its stdin is empty; -i gives it a file, or ours.
run() {
    _timeout=60 _stdin=/dev/null
    while :; do
        case $1 in
        -t) _timeout=$2 ;;
        -i) _stdin=$2 ;;
        *) break ;;
        esac
        shift 2
    done
    echo "$*" >"$_state/command"
    rm -f "$_state/status"
    case $(command -v "$1") in
    /*) set -- timeout -k 5 "$_timeout" "$@" ;; # a shell function has no time limit
    esac
    if [ "$_stdin" = - ]; then
        "$@" >"$_state/stdout" 2>"$_state/stderr"
    else
        "$@" <"$_stdin" >"$_state/stdout" 2>"$_state/stderr"
    fi
    echo $? >"$_state/status"
}

# bg COMMAND…: like run, in the background (one at a time; its process is $BG_PID).
# bg_signal NAME sends it a signal; bg_end [SECONDS] waits for it, then expect as after run.
bg() {
    echo "$*" >"$_state/command"
    rm -f "$_state/status"
    # The job empties them only when it is scheduled: until then they would tell of the run before.
    : >"$_state/stdout"
    : >"$_state/stderr"
    # A background job of sh ignores SIGINT; this one is to behave as in a terminal.
    env --default-signal=INT,QUIT "$@" </dev/null >"$_state/stdout" 2>"$_state/stderr" &
    BG_PID=$!
    echo "$BG_PID" >>"$_state/pids"
}

bg_signal() { kill -s "$1" "$BG_PID"; }

bg_end() {
    if ! wait_for "${1:-60}" _is_gone "$BG_PID"; then
        fail "still running after ${1:-60} s: $(cat "$_state/command")"
        kill -s KILL "$BG_PID"
    fi
    wait "$BG_PID"
    echo $? >"$_state/status"
}

# wait_for SECONDS COMMAND…: runs it 20 times a second until it succeeds; false if it never does.
wait_for() {
    _left=$(($1 * 20))
    shift
    until "$@"; do
        _left=$((_left - 1))
        [ "$_left" -gt 0 ] || return 1
        sleep 0.05
    done
}

# Ended, or a zombie that waits for us.
_is_gone() {
    ! kill -0 "$1" 2>/dev/null || grep -qs '^State:[[:space:]]*Z' "/proc/$1/status"
}

# strays: the processes, but for the servers, that belong to this test; each a line. They are known by
# the private directory in their environment or their command line.
strays() {
    for _environ in /proc/[0-9]*/environ; do
        _stray=${_environ#/proc/} _stray=${_stray%/environ}
        if grep -qsaF "$E2E_TMP" "$_environ" "/proc/$_stray/cmdline" && ! grep -qx "$_stray" "$_state/pids" && ! _is_gone "$_stray"; then
            echo "$_stray $(tr '\0' ' ' <"/proc/$_stray/cmdline" 2>/dev/null)"
        fi
    done
}

_has_no_strays() { [ -z "$(strays)" ]; }

# ---- expectations ----------------------------------------------------------
# STREAM is stdout or stderr of the last run, or the path of a file.

_stream() {
    case $1 in
    stdout | stderr) printf '%s\n' "$_state/$1" ;;
    *) _absolute "$1" ;;
    esac
}

expect_exit() {
    _status=$(cat "$_state/status")
    [ "$_status" = "$1" ] || fail "exit status is $_status, want $1"
}

# path_of STREAM: the file that holds it.
path_of() { _stream "$1"; }

# expect_out TEXT: stdout is exactly TEXT and a newline.
expect_out() { expect_file stdout "$1"; }

# expect_file STREAM [TEXT]: it exists, and holds exactly TEXT and a newline.
expect_file() {
    _exists "$1" || return
    [ $# -gt 1 ] || return 0
    printf '%s\n' "$2" >"$_state/want"
    _same "$1" "$_state/want" "$(_stream "$1")"
}

# expect_no_strays: all that the commands of this test started has ended, or does so within 3 s.
expect_no_strays() { wait_for 3 _has_no_strays || fail "still running:" "$(strays)"; }

expect_no_file() { [ ! -e "$1" ] || fail "$1 exists"; }

expect_empty() {
    [ ! -s "$(_stream "$1")" ] || fail "$1 is not empty:" "$(head -n 5 "$(_stream "$1")")"
}

# expect_contains STREAM TEXT, expect_not_contains STREAM TEXT: TEXT is no pattern.
expect_contains() {
    _exists "$1" || return
    _contains "$(_stream "$1")" "$2" || fail "$1 does not contain: $2"
}

expect_not_contains() {
    _exists "$1" || return
    ! _contains "$(_stream "$1")" "$2" || fail "$1 contains: $2"
}

# expect_matches STREAM ERE: a line matches.
expect_matches() { grep -aqE -e "$2" "$(_stream "$1")" || fail "$1 has no line like: $2"; }

# expect_lines STREAM N: it has so many lines.
expect_lines() {
    _count=$(grep -c '' "$(_stream "$1")")
    [ "$_count" -eq "$2" ] || fail "$1 has $_count lines, want $2"
}

# json STREAM PATH: prints a value of JSON or JSON lines: `-1.message.role`, `[type=error].text`,
# `messages.#` (how many); pick.c describes the path.
json() { "$PICK" "$2" "$(_stream "$1")"; }

# expect_json STREAM PATH TEXT: that value, printed, is TEXT (a string bare, else compact JSON).
expect_json() {
    _value=$(json "$1" "$2" 2>&1)
    [ "$_value" = "$3" ] || fail "$1: $2 is $_value, want $3"
}

# expect_golden STREAM NAME [SED]: it is what golden/NAME holds; UPDATE=1 writes that. Temporary
# paths and ports are replaced first, then what the sed script says.
expect_golden() {
    _golden=$E2E_DIR/golden/$2
    sed -e "s|$HOME|@HOME@|g; s|$E2E_TMP|@TMP@|g; s|\(127\.0\.0\.1\):[0-9][0-9]*|\1:@PORT@|g" "$(_stream "$1")" |
        sed -e "${3:-}" >"$_state/got"
    if [ -n "${UPDATE:-}" ]; then
        mkdir -p "$(dirname "$_golden")"
        cmp -s "$_state/got" "$_golden" || note "wrote golden/$2"
        cp "$_state/got" "$_golden"
        return
    fi
    [ -f "$_golden" ] || fail "no golden/$2 (UPDATE=1 writes it)" || return
    _same "$1" "$_golden" "$_state/got"
}

# expect_session FILE: a session that is whole, every call with its result; pick.c says what that means.
expect_session() { whole --answered "$1"; }

# whole [--answered] [--torn] FILE…: session files are as they should be.
whole() {
    _problems=$("$PICK" --session "$@" 2>&1) || fail "$_problems"
}

_exists() { [ -f "$(_stream "$1")" ] || fail "no file $1"; }

_same() {
    cmp -s "$2" "$3" || fail "$1 differs:" "$(diff -a -U 3 --label want --label got "$2" "$3" | head -n 60)"
}

_contains() {
    case $2 in
    *"
"*) # grep would take each line as a pattern of its own
        case $(cat "$1" && echo .) in
        *"$2"*) return 0 ;;
        *) return 1 ;;
        esac
        ;;
    *) grep -aqF -e "$2" "$1" ;;
    esac
}

# ---- servers ---------------------------------------------------------------

# _serve NAME ARG…: starts tests/servers/NAME.py; sets _url, _port and _pid.
_serve() {
    _servers=$((${_servers:-0} + 1))
    _server=$E2E_TMP/run/$1-$_servers _program=$E2E_ROOT/tests/servers/$1.py
    shift
    env -u http_proxy -u HTTP_PROXY "${PYTHON:-python3}" "$_program" --ready "$_server.ready" --parent $$ "$@" \
        >"$_server.out" 2>&1 </dev/null &
    _pid=$!
    echo "$_pid" >>"$_state/pids"
    if ! wait_for 20 _is_ready_or_gone "$_server.ready" "$_pid" || [ ! -f "$_server.ready" ]; then
        note "$(cat "$_server.out")"
        _bail "$_program did not start"
    fi
    _port=$(sed 's/.*"port": *\([0-9]*\).*/\1/' "$_server.ready")
    _url=http://127.0.0.1:$_port
}

_is_ready_or_gone() { [ -f "$1" ] || _is_gone "$2"; }

_curl() { curl -sS --noproxy '*' --max-time 60 "$@"; }

# model_script [--openai] FILE|- [ARG…]: a model server that plays FILE (from scripts/, or an
# absolute path; - is a here-document), in place of the one before. Exports its base URL and a key. The
# ARGs go to model.py, such as --var name=value. $MODEL_URL is the server.
model_script() {
    _wire=anthropic
    [ "$1" != --openai ] || { _wire=openai && shift; }
    [ -z "$_model_url" ] || _check_model
    case $1 in
    -) _script=$E2E_TMP/run/script.jsonl && cat >"$_script" ;;
    /*) _script=$1 ;;
    *) _script=$E2E_DIR/scripts/$1 ;;
    esac
    shift
    if ! _model_replay "$@"; then
        [ -z "$_model_url" ] || _stop "$_model_pid"
        _serve model --script "$_script" "$@"
        _model_url=$_url _model_pid=$_pid _model_args=$* MODEL_URL=$_url
    fi
    rm -f "$_state/model-failures-are-expected"
    unset ANTHROPIC_BASE_URL ANTHROPIC_API_KEY OPENAI_BASE_URL OPENAI_API_KEY
    if [ $_wire = openai ]; then
        export OPENAI_BASE_URL="$MODEL_URL/v1" OPENAI_API_KEY=test-key
    else
        export ANTHROPIC_BASE_URL="$MODEL_URL" ANTHROPIC_API_KEY=test-key
    fi
}

# A server without ARGs takes the next script without a start of its own. False: it cannot.
_model_replay() {
    [ -n "$_model_url" ] && [ -z "$*$_model_args" ] || return
    "$PICK" --ask POST "$_model_url/_model/reset" "$_script" >/dev/null 2>&1
}

# model_journal [PATH]: what was asked, as JSON; with a path as in json, that value alone.
model_journal() { "$PICK" "${1:-}" "$MODEL_URL/_model/journal"; }

# expect_request N PATH TEXT: a value in what the model was asked, request N from 0.
expect_request() {
    _value=$(model_journal "$1.$2" 2>&1)
    [ "$_value" = "$3" ] || fail "request $1: $2 is $_value, want $3"
}

# model_failures: the expectations of the script that did not hold, as JSON. They fail the test
# at its end; model_failures_expected says that this script's are meant to be.
model_failures() { "$PICK" --ask GET "$MODEL_URL/_model/failures"; }
model_failures_expected() { : >"$_state/model-failures-are-expected"; }

# expect_model_done: no expectation failed, and no turn of the script is left.
expect_model_done() {
    [ "$(model_failures)" = "[]" ] || fail "the model's script failed: $(model_failures)"
    _unused=$("$PICK" --ask GET "$MODEL_URL/_model/unused")
    [ "$_unused" = "[]" ] || fail "turns of the model's script that were not used, by line: $_unused"
}

# model_wait [requests=N] [events=N] [idle=1]: until so many requests have come, so many events
# were sent, nothing is being answered; at most 10 s.
model_wait() {
    _query=$(printf '%s&' "$@")
    "$PICK" --ask GET "$MODEL_URL/_model/wait?$_query" >/dev/null 2>&1 || fail "the model waited in vain for $*"
}

_check_model() {
    [ -n "$_model_url" ] && [ ! -f "$_state/model-failures-are-expected" ] || return 0
    _failures=$(model_failures 2>&1)
    [ "$_failures" != "[]" ] || return 0
    # A claim of its own, which leaves the present one as it is.
    echo "not ok $(($(_count_claims) + 1)) - the model's script holds" | tee -a "$_state/claims"
    printf '%s\n' "$_failures" | sed 's/^/#   /'
}

# forge_start [ARG…]: a fake GitHub, in place of the one before. Real gh and git reach it as the
# host github.localhost, through it as a proxy. $FORGE_URL and $FORGE_PORT are the server;
# GH_TOKEN is alice's, who may do everything in harbor, unless FORGE_TOKEN says another.
forge_start() {
    [ -z "$_forge_pid" ] || _stop "$_forge_pid"
    _serve forge "$@"
    _forge_pid=$_pid FORGE_URL=$_url FORGE_PORT=$_port
    export FORGE_URL FORGE_PORT http_proxy="$_url" HTTP_PROXY="$_url" no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
    TMPDIR=$HOME/tmp/forge-$_port && mkdir "$TMPDIR" # gh caches run logs there by run id alone
    export GH_HOST=github.localhost GH_TOKEN="${FORGE_TOKEN:-ghp_ForgeAlice00000000000000000000000001}"
}

# forge_ctl METHOD PATH [JSON]: the forge's controls, such as `POST /_forge/faults {…}`.
forge_ctl() { printf '%s' "${3:-}" | "$PICK" --ask "$1" "$FORGE_URL$2" -; }

# forge_log [QUERY]: what it was asked, as JSON; QUERY such as `kind=graphql&since=3`.
forge_log() { "$PICK" --ask GET "$FORGE_URL/_forge/log${1:+?$1}"; }

# forge_rows KEYS [FILTER [QUERY]]: of each request that it was asked a line with these keys; FILTER such as
# `[method!=GET]`.
forge_rows() { "$PICK" --rows "$1" "${2:-}" "$FORGE_URL/_forge/log${3:+?$3}"; }

# ---- the end ---------------------------------------------------------------

_stop() {
    kill "$1" 2>/dev/null || return 0
    wait_for 3 _is_gone "$1" || kill -s KILL "$1" 2>/dev/null
    wait "$1" 2>/dev/null
    sed -i "/^$1\$/d" "$_state/pids" # the number may come to belong to another
}

_clean_up() {
    _code=$?
    trap - EXIT
    while read -r _pid <&3; do
        _stop "$_pid"
    done 3<"$_state/pids"
    if [ -z "$_is_done" ]; then
        echo "Bail out! $E2E_NAME ended before done_testing"
        _code=1
    fi
    if [ -n "${E2E_KEEP:-}" ] || [ "$_code" -ne 0 ]; then
        note "kept $E2E_TMP"
    else
        cd / && chmod -R u+w "$E2E_TMP" 2>/dev/null
        rm -rf "$E2E_TMP"
    fi
    exit "$_code"
}

_is_done='' _model_url='' _model_pid='' _model_args='' _forge_pid=''
trap _clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
fresh_home
