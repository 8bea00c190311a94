#!/bin/sh
# gh in what a model runs: a shell, a kernel, a recipe, a hook of git. It is judged as the tool gh, wherever it is called.
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge
need_gh
need setsid

model_script - <<'J'
{"text": "ok", "repeat": true}
J

forge_start --web https://github.localhost
git config --global url."http://github.localhost/".insteadOf https://github.localhost/
git clone -q http://github.localhost/harbor/tidepool.git tidepool && cd tidepool || exit 1
settings() { mkdir -p "$HOME/.kedge/agent" && { printf 'gh:\n  knownHosts: [github.localhost]\n' && cat; } >"$HOME/.kedge/agent/config.yml"; }
settings </dev/null
# writes: how many requests came that change something.
writes() {
    {
        forge_rows method "[method!=GET]" kind=rest | grep -v HEAD
        forge_rows body.query "" kind=graphql | grep '^ *mutation'
    } | wc -l
}
# command TEXT EXPECTATION [KEDGE-ARG…]: a model that runs it in bash; EXPECTATION is of what the model is answered.
command_is() {
    _call=$(printf '%s' "$1" | "${PYTHON:-python3}" -c 'import json, sys; print(json.dumps({"tool_calls": [{"name": "bash", "arguments": {"command": sys.stdin.read()}}]}))')
    _want=$2 && shift 2
    printf '%s\n{"text": "ok", "expect": %s}\n' "$_call" "$_want" | model_script -
    run setsid -w kedge "$@" -p hi
    expect_exit 0
    expect_model_done
}
wants() { printf '{"last_tool": true, "contains": "%s"}' "$1"; }

t "the canary: where nobody judges it, the shell closes an issue"
run gh issue close 12 -R harbor/tidepool
expect_exit 0
[ "$(writes)" = 1 ] || fail "there is nothing to guard"
run gh issue reopen 12 -R harbor/tidepool
before=$(writes)

t "reads run, with the streams, the status and the directory of the shell"
command_is 'cd src && gh issue view 12 --json title --jq .title | tr a-z A-Z; gh api repos/harbor/nope >/dev/null; echo "status $?"; gh --version | head -n 1' \
    '[{"last_tool": true, "contains": "TIDE TABLE PRINTS 24:00 AT MIDNIGHT"}, {"last_tool": true, "contains": "status 1"}, {"last_tool": true, "contains": "Not Found"}, {"last_tool": true, "contains": "gh version"}]'

t "all that it prints goes where the shell says, however much it is"
command_is 'gh api --paginate "repos/harbor/tidepool/issues?state=all&per_page=1" >all.json; gh issue list --limit 1000 --state all --json body >>all.json; for i in 1 2 3 4; do (gh issue view 12 --json number --jq .number >"n$i") & done; wait; cat n1 n2 n3 n4 | tr -d "\n"; gh repo view --json name | wc -c' \
    "$(wants 12121212)"
[ "$(wc -c <all.json)" -gt 2000 ] || fail "it is cut: $(wc -c <all.json)"

t "a write is refused where nobody can be asked, in the words of the tool gh, and nothing is sent"
said='This write needs confirmation and nobody can be asked here: gh issue close 12. --allow-writes allows it.'
for command in 'gh issue close 12' 'sh -c "gh issue close 12"' 'env gh issue close 12' 'echo 12 | xargs gh issue close' 'export PATH=/nowhere:$PATH; gh issue close 12' \
    'GH_HOST=github.localhost GH_REPO=harbor/tidepool gh issue close 12' 'bash -lc "true"; gh issue close 12' 'cd / && gh issue close 12 -R harbor/tidepool'; do
    want=$said
    case $command in cd*) want='nobody can be asked here: gh issue close 12 -R' ;; esac
    command_is "$command" "$(wants "$want")"
done
[ "$(writes)" = "$before" ] || fail "it was sent"

t "so it is in a hook of git, in a task of make, and in a kernel"
printf '#!/bin/sh\ngh issue close 12\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
printf 'shut:\n\tgh issue close 12\n' >Makefile
command_is 'git commit -q --allow-empty -m x' "$(wants "$said")"
command_is 'make shut' "$(wants "$said")"
rm .git/hooks/pre-commit
printf '{"tool_calls": [{"name": "recipe", "arguments": {"op": "shut"}}]}\n{"text": "ok", "expect": %s}\n' "$(wants "$said")" | model_script -
run kedge --tools recipe,bash -p hi
expect_exit 0
expect_model_done
printf '{"tool_calls": [{"name": "eval", "arguments": {"cells": [{"language": "python", "code": "import subprocess as s; print(s.run([\\"gh\\", \\"issue\\", \\"close\\", \\"12\\"], stderr=s.STDOUT, stdout=s.PIPE).stdout.decode())"}]}}]}\n{"text": "ok", "expect": %s}\n' "$(wants "$said")" | model_script -
run kedge --tools eval -p hi
expect_exit 0
expect_model_done
[ "$(writes)" = "$before" ] || fail "it was sent"

t "what destroys, prints a token or sends a file is refused, whatever flag there is"
for command in 'gh issue delete 12 --yes' 'gh auth token' 'gh auth git-credential get' 'gh issue comment 12 --body-file README.md' 'gh api -X DELETE repos/harbor/tidepool'; do
    command_is "$command; echo status \$?" "$(wants 'status 77')" --allow-writes
done
[ "$(writes)" = "$before" ] || fail "it was sent"

t "gh.policy and gh.hostPolicy hold, and plan or read-only is no other door"
echo '  policy: read-only' | settings
command_is 'gh issue comment 12 -b hi' "$(wants 'writes are disabled for github.localhost')" --allow-writes
command_is 'gh issue view 12 --json number' "$(wants '12')"
printf '  hostPolicy: {github.localhost/harbor/vault: deny}\n' | settings
command_is 'gh repo view harbor/vault' "$(wants 'reads are disabled for github.localhost/harbor/vault')" --allow-writes
settings </dev/null

t "a variable of git leads to no other repository than the one that was judged"
git init -q vault && git -C vault remote add origin https://github.localhost/harbor/vault.git
command_is 'cd / && GIT_DIR='"$PWD"'/vault/.git gh issue list; echo "status $?"' '[{"last_tool": true, "contains": "not a git repository"}, {"last_tool": true, "contains": "status 1"}]'
rm -rf vault

t "a way round it that the command line shows is not run"
for command in "$(command -v gh) issue close 12" 'PATH=/usr/bin:/bin gh issue close 12' 'command -p gh issue close 12' 'env -i gh issue close 12' 'echo $(/usr/bin/gh issue close 12)'; do
    command_is "$command" "$(wants 'it starts gh where nobody judges it; call it by its name, gh')" --allow-writes
done
[ "$(writes)" = "$before" ] || fail "it was sent"

t "what was allowed runs: with --allow-writes, and git gets its login from gh"
command_is 'gh issue comment 12 -b "from the shell" >/dev/null; echo "status $?"' "$(wants 'status 0')" --allow-writes
[ "$(writes)" = $((before + 1)) ] || fail "it was not sent"
git config --global credential.https://github.localhost.helper '!gh auth git-credential'
command_is 'printf "protocol=https\nhost=github.localhost\n\n" | git credential fill | grep -c -e ^username= -e ^password=' "$(wants 2)"

t "the folder is private, and goes with the conversation; a command that outlives it gets no gh"
command_is 'dir=$(dirname "$(command -v gh)"); stat -c "%a" "$dir" "$dir/door" | tr "\n" " "; (while [ -e "$dir/door" ]; do sleep 0.1; done; PATH=$dir:$PATH) & echo "$dir" >dir' \
    "$(wants '700 600')"
[ ! -e "$(cat dir)" ] || fail "it is still there: $(cat dir)"
mkdir gone && ln -s "$KEDGE" gone/gh
run gone/gh issue close 12
expect_exit 77
expect_contains stderr 'the conversation that this command belongs to has ended'

t "a kedge that is killed leaves a folder that says so, and the next one removes it"
printf '{"tool_calls": [{"name": "bash", "arguments": {"command": "dirname $(command -v gh) >dir2; sleep 60"}}]}\n' | model_script -
kedge -p hi >/dev/null 2>&1 &
killed=$!
wait_for 60 test -s dir2 || fail "it does not run"
kill -s KILL $killed
wait $killed 2>/dev/null
run "$(cat dir2)/gh" issue close 12
expect_exit 77
expect_contains stderr 'has ended'
command_is 'gh --version' "$(wants 'gh version')"
[ ! -e "$(cat dir2)" ] || fail "it is still there"

t "where the folder is removed under a command there is no gh, rather than one that no one judges"
command_is 'rm -r "$(dirname "$(command -v gh)")"; hash -r; gh issue close 12; python3 -c "import subprocess as s; print(s.call([\"gh\", \"issue\", \"close\", \"12\"]))"; echo "status $?"' \
    '[{"last_tool": true, "contains": "gh: refused: no conversation can be asked"}, {"last_tool": true, "contains": "77\nstatus 0"}]' --allow-writes
TMPDIR=/nowhere XDG_RUNTIME_DIR=/nowhere command_is 'gh issue view 12 --json number' "$(wants '12')"

t "an empty PATH does not come to mean the working directory"
printf '#!/bin/sh\necho it was run\n' >hostile && chmod +x hostile
printf '{"tool_calls": [{"name": "bash", "arguments": {"command": "PATH="}}, {"name": "bash", "arguments": {"command": "hostile; echo \\"status $?\\""}}]}\n{"text": "ok", "expect": %s}\n' "$(wants 'status 127')" | model_script -
run kedge -p hi
expect_exit 0
expect_model_done

t "a kedge in a command asks the conversation that it runs in"
if [ -z "${ASAN_OPTIONS:-}" ]; then
    command_is 'kedge tool run bash --yes "{\"command\":\"gh issue close 12\"}"' "$(wants "$said")"
    printf '{"type": "bash", "command": "gh issue close 12; touch done"}\n' >door.jsonl
    command_is '{ cat door.jsonl; until [ -e done ]; do sleep 0.1; done; } | kedge --mode rpc --no-session' "$(wants "$said")"
else
    skip "its gh is a kedge under a limit of memory, with which AddressSanitizer cannot start"
fi

t "another mount namespace is told so"
if unshare -rm true 2>/dev/null; then
    command_is 'unshare -rm gh issue view 12; echo "status $?"' '[{"last_tool": true, "contains": "mount namespace of its own"}, {"last_tool": true, "contains": "status 77"}]'
else
    skip "no namespaces here"
fi

t "nothing more was sent"
[ "$(writes)" = $((before + 1)) ] || fail "$(forge_rows method '[method!=GET]' kind=rest)"
done_testing
