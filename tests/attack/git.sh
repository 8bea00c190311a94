#!/bin/sh
# A repository whose configuration and attributes name programs: what kedge reads of it runs none of
# them, and a partial clone is not completed because something was looked at (common-S08, S09).
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge
need git

SPRUNG=$E2E_TMP/sprung

# trap_program NAME: its path; it leaves its name behind and passes its input on.
trap_program() {
    mkdir -p "$E2E_TMP/traps"
    printf '#!/bin/sh\necho %s >>"%s"\nexec cat\n' "$1" "$SPRUNG" >"$E2E_TMP/traps/$1"
    chmod +x "$E2E_TMP/traps/$1"
    echo "$E2E_TMP/traps/$1"
}

# The content has changed, its size has not: git has to look into it.
dirty() { echo "// two" >src.c && echo "two" >odd.dat; }

set_traps() {
    printf '*.c filter=x diff=x\n*.dat filter=a=b diff=y\n' >.gitattributes
    echo "// one" >src.c
    echo "one" >odd.dat
    git add . && git commit -q -m files
    git config core.fsmonitor "$(trap_program fsmonitor)"
    git config filter.x.clean "$(trap_program clean)"
    git config filter.x.smudge "$(trap_program smudge)"
    git config filter.a=b.clean "$(trap_program clean-odd)"
    git config diff.x.textconv "$(trap_program textconv)"
    git config diff.y.command "$(trap_program command)"
    git config diff.external "$(trap_program external)"
    git config core.hooksPath "$E2E_TMP/traps"
    trap_program post-index-change >/dev/null
    git config protocol.ext.allow always
    git remote add origin "ext::sh -c $(trap_program transport)"
    git config branch.main.remote origin
    dirty
}

expect_unsprung() {
    [ ! -e "$SPRUNG" ] || fail "ran:" "$(sort -u "$SPRUNG")"
    rm -f "$SPRUNG"
    dirty
}

git init -q repo && cd repo || exit 1
set_traps

t "the traps work: git alone walks into them"
git status >/dev/null 2>&1
git diff >/dev/null 2>&1
for name in fsmonitor clean clean-odd external; do
    grep -qx "$name" "$SPRUNG" || fail "git did not run $name"
done
rm -f "$SPRUNG"
dirty

t "common-S08: comment-extract"
for scope in branch unstaged staged all; do
    run kedge agent-tools comment-extract "$scope" --base HEAD --untracked
    expect_exit 0
    expect_unsprung
done

t "common-S08: rp1-root-dir"
run kedge agent-tools rp1-root-dir
expect_exit 0
expect_unsprung

t "common-S08: the context of gh"
run kedge gh exec -- pr list
expect_unsprung

t "common-S08: the facts of the prompt"
model_script - <<'J'
{"text": "ok"}
J
run kedge -p hi
expect_exit 0
expect_unsprung

t "common-S08: pr_push's look, before it pushes"
git config branch.main.ompPrHeadRef moon
run kedge github pr_push --yes
expect_exit 1
expect_contains stderr "transport 'ext' not allowed"
for name in transport fsmonitor clean clean-odd external command textconv; do
    ! grep -qx "$name" "$SPRUNG" 2>/dev/null || fail "$name ran"
done
rm -f "$SPRUNG"

t "common-S09: a partial clone with a missing object connects to nothing"
cd .. && git init -q whole && cd whole || exit 1
echo "// one" >src.c && git add . && git commit -q -m one
echo "// two" >src.c && git commit -q -a -m two
git config uploadpack.allowFilter true
cd .. && git clone -q --no-checkout --filter=blob:none "file://$PWD/whole" partial && cd partial || exit 1
git config protocol.ext.allow always
git config protocol.allow always
git config remote.origin.url "ext::$(trap_program transport)"
git read-tree HEAD
for scope in HEAD~1..HEAD branch all; do
    run kedge agent-tools comment-extract "$scope" --base HEAD~1
    expect_contains stdout '"tool": "comment-extract"'
    [ ! -e "$SPRUNG" ] || fail "$scope connected"
    rm -f "$SPRUNG"
done

done_testing
