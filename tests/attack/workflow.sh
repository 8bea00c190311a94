#!/bin/sh
# The agent of a workflow, or a command of a model, that looks for the key in the environment of the
# processes above it.
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge

KEY=sk-ant-canary0000000000000000000000000007

# What a program finds that reads the environment of all processes above it.
cat >"$E2E_TMP/bin/look-above" <<'X'
#!/bin/bash
pid=$$
while [ "$pid" -gt 1 ]; do
    tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -a 'canary0.*7$'
    read -r line <"/proc/$pid/stat"
    line=${line##*) }
    set -- $line
    pid=$2
done
echo looked
X
chmod +x "$E2E_TMP/bin/look-above"
call='{"command": "look-above"}'

t "the attack works: a shell that stays keeps the key for all to see"
run env ANTHROPIC_API_KEY=$KEY bash -c 'unset ANTHROPIC_API_KEY; look-above; true'
expect_contains stdout "$KEY"

t "a step that ends with exec: a command of the model finds no key above itself"
run env ANTHROPIC_API_KEY=$KEY bash -c 'exec kedge tool run --yes bash "$1"' bash "$call"
expect_exit 0
expect_contains stdout looked
expect_not_contains stdout canary
expect_not_contains stdout '[REDACTED]'

t "every step of the generated workflows that has a key or a writing token does"
for file in "$E2E_ROOT/.github/workflows/agent-run.yml" "$E2E_ROOT/src/wm/compile/templates/caller_inline.yml"; do
    [ "$(grep -c ' exec kedge wm \(run\|process-outputs\) ' "$file")" = 2 ] || fail "$file: no exec"
    ! grep -q '^ *kedge wm \(run\|process-outputs\) ' "$file" || fail "$file: a shell stays"
done

t "where a shell stays, kedge doctor names it, and not the key"
run env ANTHROPIC_API_KEY=$KEY bash -c 'kedge doctor; true'
expect_matches stdout '^warning  environment  .*bash \(process [0-9]+\) has ANTHROPIC_API_KEY in its environment'
expect_not_contains stdout "$KEY"
run env ANTHROPIC_API_KEY=$KEY bash -c 'exec kedge doctor'
expect_not_contains stdout 'in its environment'

done_testing
