#!/bin/sh
# How `kedge wm run` ends when nothing goes well: time that is over, signals in every phase, a GitHub
# that does not answer, agents that leave something behind or write where they should not. Rows of
# task-engine §11 are named task-N.
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/wm-runs.sh"
need git
need_kedge
wm_github

is_told() { [ -s "$HOME/told" ]; }
is_waiting() { [ -e "$HOME/waits" ]; }

# A minute is the least that a task can have: this run goes on beside the other tests.
wm_agent agent-late <<'X'
echo $$ >"$HOME/late-child"
sh -c 'trap "echo term >\"$HOME/late-told\"; exit" TERM; echo $$ >"$HOME/late-grandchild"; while :; do sleep 0.2; done' &
wait
X
wm_repo late
wm_task slow 'timeout-minutes: 1
safe-outputs: {create-pull-request: }'
env WM_AGENT_CMD=agent-late kedge wm run --task slow >"$HOME/late-out" 2>"$HOME/late-err" </dev/null &
LATE=$!
echo "$LATE" >>"$_state/pids"

# ---- signals ---------------------------------------------------------------

# It minds no signal, and says that it got one.
wm_agent agent-stubborn <<'X'
trap 'echo told >"$HOME/told"' TERM
trap '' INT
echo $$ >"$HOME/child"
: >"$HOME/waits"
while :; do sleep 0.1; done
X

t "a second signal ends it at once: the agent, too, and nothing is concluded"
wm_repo signals
wm_task fix 'safe-outputs: {messages: {run-failure: "bad {status}"}}'
for PAIR in INT:130 TERM:143; do
    rm -rf .wm/runs "$HOME/told" "$HOME/waits"
    wm_mark
    bg env WM_AGENT_CMD=agent-stubborn kedge wm run --task fix --event-name issues --payload "$EVENT"
    wait_for 60 is_waiting || fail "the agent did not start"
    bg_signal "${PAIR%:*}"
    wait_for 60 is_told || fail "the first one was not passed on"
    bg_signal "${PAIR%:*}"
    bg_end
    expect_exit "${PAIR#*:}"
    wait_for 60 _is_gone "$(cat "$HOME/child")" || fail "the agent lives"
    expect_no_file "$(wm_dir fix)/result.json"
    expect_json "$(wm_dir fix)/meta.json" phase agent
    expect_no_writes
done

t "after a signal GitHub has two seconds, whatever it does"
rm -rf .wm/runs "$HOME/told" "$HOME/waits"
wm_agent agent-waits <<'X'
: >"$HOME/waits"
exec sleep 1000
X
# it would be waited for half a minute otherwise, and the answer comes after ten
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"comments"},"times":null,"delay_ms":600000}' >/dev/null
wm_mark
bg env WM_AGENT_CMD=agent-waits kedge wm run --task fix --event-name issues --payload "$EVENT"
wait_for 60 is_waiting || fail "the agent did not start"
bg_signal INT
bg_end 20
expect_exit 130
forge_ctl DELETE /_forge/faults >/dev/null
expect_json "$(wm_dir fix)/result.json" errors '["interrupted by signal"]'
expect_json "$(wm_dir fix)/meta.json" phase conclusion

t "a signal while the run says that it begins: no agent is started"
rm -rf .wm/runs "$HOME/waits"
wm_task loud 'on: {issues: {}, reaction: eyes}'
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"reactions"},"times":null,"delay_ms":600000}' >/dev/null
bg env WM_AGENT_CMD=agent-waits kedge wm run --task loud --event-name issues --payload "$EVENT"
wait_for 60 grep -q "adding reaction" "$(path_of stderr)" || fail "nothing is said"
bg_signal TERM
bg_end 20
expect_exit 143
expect_no_file "$HOME/waits"
expect_json "$(wm_dir loud)/result.json" phase activation
expect_json "$(wm_dir loud)/result.json" errors '["on.reaction: operation aborted","interrupted by signal"]'
forge_ctl DELETE /_forge/faults >/dev/null

t "a signal while outputs are applied: what is written is known, the rest is not tried"
wm_task speaks 'safe-outputs: {add-comment: {max: 3}}'
rm -rf .wm/runs
wm_agent agent-two <<'X'
kedge wm emit add-comment --body one && kedge wm emit add-comment --body two
X
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"comments"},"after":1,"times":null,"delay_ms":600000}' >/dev/null
wm_mark
has_two() { [ "$(wm_writes "$_mark" | wc -l)" -ge 2 ]; }
bg env WM_AGENT_CMD=agent-two kedge wm run --task speaks --event-name issues --payload "$EVENT"
wait_for 60 has_two || fail "nothing is written: $(cat "$(path_of stderr)")"
bg_signal INT
bg_end 20
expect_exit 130
forge_ctl DELETE /_forge/faults >/dev/null
expect_json "$(wm_dir speaks)/result.json" phase safe-outputs
expect_json "$(wm_dir speaks)/result.json" success false
expect_json "$(wm_dir speaks)/result.json" errors.0 "interrupted by signal"
expect_json "$(wm_dir speaks)/result.json" outputs.0.status applied

# ---- what an agent leaves --------------------------------------------------

t "what has left the agent's group ends with it"
wm_agent agent-daemon <<'X'
setsid sh -c 'trap "" HUP; echo $$ >"$HOME/daemon"; exec >/dev/null 2>&1; while :; do sleep 0.2; done' &
while [ ! -s "$HOME/daemon" ]; do sleep 0.02; done
X
rm -f "$HOME/daemon"
run env WM_AGENT_CMD=agent-daemon kedge wm run --task fix --event-name issues --payload "$EVENT"
expect_exit 0
_is_gone "$(cat "$HOME/daemon")" || fail "it lives on"

t "kill -9 of the run ends the agent, too"
rm -rf .wm/runs "$HOME/told" "$HOME/waits"
bg env WM_AGENT_CMD=agent-stubborn kedge wm run --task fix --event-name issues --payload "$EVENT"
wait_for 60 is_waiting || fail "the agent did not start"
bg_signal KILL
bg_end
wait_for 60 _is_gone "$(cat "$HOME/child")" || fail "the agent lives"

t "task-S05 output.jsonl is a link: nothing is applied, nothing is written through it"
echo '{"type":"add_comment","body":"not mine"}' >"$HOME/elsewhere"
cp "$HOME/elsewhere" "$HOME/before"
wm_agent agent-link <<'X'
ln -s "$HOME/elsewhere" "$WM_SAFE_OUTPUT_FILE"
kedge wm emit add-comment --body mine && echo it was taken
exit 0
X
rm -rf .wm/runs
wm_mark
run env WM_AGENT_CMD=agent-link kedge wm run --task speaks --event-name issues --payload "$EVENT"
expect_exit 1
expect_not_contains stderr "it was taken"
expect_contains stderr "failure phase: safe-outputs (post-agent)"
expect_contains stderr "symbolic link"
cmp -s "$HOME/elsewhere" "$HOME/before" || fail "it is written through the link"
expect_json "$(wm_dir speaks)/result.json" phase safe-outputs
expect_json "$(wm_dir speaks)/result.json" success false
expect_no_writes

t "an issue that is gone when its run ends"
rm -rf .wm/runs
wm_agent agent-one <<'X'
kedge wm emit add-comment --body one
X
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"comments"},"status":404,"body":{"message":"Not Found"}}' >/dev/null
run env WM_AGENT_CMD=agent-one kedge wm run --task speaks --event-name issues --payload "$EVENT"
expect_exit 1
expect_contains stderr "HTTP 404"
expect_json "$(wm_dir speaks)/result.json" phase safe-outputs
forge_ctl DELETE /_forge/faults >/dev/null

# ---- no more time ----------------------------------------------------------

t "task-R07 the time of a task is over: its whole group is told, and the run concludes"
wait_for 180 _is_gone "$LATE" || fail "it goes on"
wait "$LATE"
[ $? = 1 ] || fail "its exit status"
cd "$HOME/work/late" || exit 1
DIR=$(wm_dir slow)
[ "$(cat "$HOME/late-told")" = term ] || fail "the grandchild was not told"
for PROCESS in child grandchild; do
    _is_gone "$(cat "$HOME/late-$PROCESS")" || fail "the $PROCESS lives"
done
expect_contains "$HOME/late-err" "error: agent timed out (context deadline exceeded)"
expect_contains "$HOME/late-err" "failure phase: agent"
expect_json "$DIR/result.json" phase agent
expect_json "$DIR/result.json" errors '["agent timed out (context deadline exceeded)"]'
expect_json "$DIR/result.json" agent_result.timed_out true
expect_json "$DIR/result.json" agent_result.success false
expect_json "$DIR/meta.json" phase conclusion
[ "$(git symbolic-ref --short HEAD)" = main ] || fail "not back on main"
expect_no_strays
done_testing
