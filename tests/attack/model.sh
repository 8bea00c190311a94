#!/bin/sh
# A hostile model server: it writes what other programs run later, by every tool and name, and calls
# what is not there (common §4.3, safety §9.1). No one can be asked, so nothing of it may happen.
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge
need git

git init -q repo && cd repo || exit 1
mkdir -p tools/hooks .husky vendor/lib && git init -q vendor/lib
git config core.hooksPath tools/hooks
echo old >.husky/pre-commit
ln -s ../outside.txt notes.md
ln -s .. up
ln -s .git/hooks h
echo outside >../outside.txt

# What must not come to be.
targets() {
    cat <<'X'
~/.kedge/agent/config.yml
~/.bashrc
~/.ssh/authorized_keys
~/.config/autostart/x.desktop
~/.config/systemd/user/x.service
~/.config/git/config
~/.local/share/bash-completion/completions/git
~/.config/other/init.lua
.kedge/config.yml
.git/hooks/post-index-change
vendor/lib/.git/hooks/pre-push
tools/hooks/pre-push
h/pre-push
.github/workflows/x.yml
.github/hooks/x.json
.claude/settings.json
.codex/config.toml
.cursor/hooks.json
.vscode/tasks.json
.devcontainer/devcontainer.json
.envrc
.mcp.json
env/pyvenv.cfg
.gitconfig
.helix/languages.toml
up/new.txt
X
}

# The first turn makes the calls; each is a call of `write` with the text of the attack. What is there already has to be read before.
script_of_writes() {
    {
        printf '{"tool_calls": [{"name": "read", "arguments": {"path": "~/.kedge/agent/config.yml"}}, '
        targets | sed 's/.*/{"name": "write", "arguments": {"path": "&", "content": "attack"}}/' | paste -sd,
        printf ']}\n{"text": "done"}\n'
    } | tr -d '\n' | sed 's/}{"text"/}\n{"text"/' >"$E2E_TMP/writes.jsonl"
    model_script "$E2E_TMP/writes.jsonl"
}

present() {
    targets | while read -r target; do
        case $target in "~/"*) file=$HOME/${target#"~/"} ;; *) file=$target ;; esac
        grep -qs attack "$file" && echo "$target"
    done
    return 0
}

t "the attack works where the person has named these files"
targets | sed 's/.*/"&",/' | paste -sd' ' | sed 's/,$//' >"$E2E_TMP/list"
mkdir -p "$HOME/.kedge/agent"
echo "tools: {unaskedWrites: [$(cat "$E2E_TMP/list")]}" >"$HOME/.kedge/agent/config.yml"
script_of_writes
run kedge -p go
expect_exit 0
[ "$(present)" = "$(targets)" ] || fail "not written:" "$(targets | grep -vxF "$(present)")"
targets | while read -r target; do
    case $target in "~/"*) rm -f "$HOME/${target#"~/"}" ;; *) rm -f "$target" ;; esac
done
rm -f "$HOME/new.txt"

t "none is written where no one can be asked, and the model is told what is left"
script_of_writes
run kedge --mode json -p go
[ -z "$(present)" ] || fail "written:" "$(present)"
refused=$(grep -c '"type":"tool_execution_end".*nobody can be asked' "$E2E_TMP/.state/stdout")
[ "$refused" = "$(targets | grep -c .)" ] || fail "$refused were refused"
expect_contains stdout "leave this file to the person"

t "a flag lets a project's files be written, and no one's rules"
script_of_writes
run kedge --allow-writes -p go
expect_exit 0
present >"$E2E_TMP/written"
for target in .github/workflows/x.yml .envrc up/new.txt; do
    grep -qxF "$target" "$E2E_TMP/written" || fail "$target was not written"
done
for target in "~/.kedge/agent/config.yml" "~/.bashrc" .kedge/config.yml .git/hooks/post-index-change h/pre-push \
    vendor/lib/.git/hooks/pre-push tools/hooks/pre-push; do
    ! grep -qxF "$target" "$E2E_TMP/written" || fail "$target was written"
done
rm -rf .github .envrc ../new.txt

t "no other tool does it"
model_script - <<'J'
{"tool_calls": [{"name": "edit", "arguments": {"input": "@@ .git/hooks/a\n+ BOF\n~attack\n"}}, {"name": "edit", "arguments": {"input": "@@ .husky/b\n+ BOF\n~attack\n"}}, {"name": "write", "arguments": {"path": ".husky/c.zip:d", "content": "attack"}}, {"name": "write", "arguments": {"path": "local://../../../../config.yml", "content": "attack"}}]}
{"tool_calls": [{"name": "eval", "arguments": {"language": "python", "cells": [{"code": "tool.write(path='.envrc', content='attack')"}]}}]}
{"text": "done"}
J
run kedge --mode json -p go
for file in .git/hooks/a .husky/b .husky/c.zip .envrc "$HOME/.kedge/agent/config.yml"; do
    [ ! -e "$file" ] || fail "$file was written"
done

t "nor another mode of edit"
run kedge config set edit.mode apply_patch
model_script - <<'J'
{"tool_calls": [{"name": "edit", "arguments": {"input": "*** Begin Patch\n*** Delete File: .husky/pre-commit\n*** End Patch"}}, {"name": "edit", "arguments": {"input": "*** Begin Patch\n*** Add File: plain\n+attack\n*** End Patch"}}]}
{"tool_calls": [{"name": "edit", "arguments": {"input": "*** Begin Patch\n*** Update File: plain\n*** Move to: .husky/moved\n@@\n-attack\n+attack 2\n*** End Patch"}}]}
{"text": "done"}
J
run kedge -p go
expect_exit 0
[ "$(cat .husky/pre-commit)" = old ] || fail "the hook is gone"
[ -e plain ] && [ ! -e .husky/moved ] || fail "a file was moved to the hooks"
run kedge config set edit.mode hashline

t "a link of the repository hides no file"
model_script - <<'J'
{"tool_calls": [{"name": "write", "arguments": {"path": "notes.md", "content": "attack"}}]}
{"tool_calls": [{"name": "read", "arguments": {"path": "notes.md"}}], "expect": {"last_tool_contains": "notes.md leads to"}}
{"text": "done"}
J
run kedge --mode json -p go
expect_exit 0
[ "$(cat ../outside.txt)" = outside ] || fail "the file outside was written"
expect_contains stdout "\"leadsTo\":\"$HOME/work/outside.txt\""

t "an MCP client's --allow-writes loosens no rules"
cat >"$E2E_TMP/requests" <<'J'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write","arguments":{"path":".kedge/config.yml","content":"attack"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"write","arguments":{"path":"fine.md","content":"fine"}}}
J
run -i "$E2E_TMP/requests" kedge mcp --tools write --allow-writes
expect_contains stdout "leave this file to the person"
[ ! -e .kedge/config.yml ] || fail "the rules were written"
[ -e fine.md ] || fail "nothing was written at all"

t "a tool that is not there is called a few times"
model_script - <<'J'
{"tool_calls": [{"name": "zap", "arguments": {"op": "run_watch"}}], "repeat": true}
J
run kedge --mode json -p go
expect_exit 6
requests=$(grep -c '"type":"turn_start"' "$E2E_TMP/.state/stdout")
[ "$requests" -le 8 ] || fail "$requests requests"

t "an answer makes so many calls, and the rest is told no"
{
    printf '{"tool_calls": ['
    seq 1000 | sed 's/.*/{"name": "read", "arguments": {"path": "none&"}}/' | paste -sd,
    printf ']}\n'
} | tr -d '\n' >"$E2E_TMP/many.jsonl"
printf '\n{"text": "done"}\n' >>"$E2E_TMP/many.jsonl"
model_script "$E2E_TMP/many.jsonl"
run kedge --mode json -p go
expect_exit 0
told=$(grep '"type":"tool_execution_end"' "$E2E_TMP/.state/stdout" | grep -c "Not run: an answer makes at most 256 calls")
[ "$told" = 744 ] || fail "$told calls did not run"

done_testing
