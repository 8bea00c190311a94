#!/bin/sh
# A repository whose configuration and attributes name programs: what kedge reads of it runs none of
# them, and a partial clone is not completed because something was looked at (common-S08, S09). A pull
# request that brings programs to where the person's own configuration looks for them: none of them
# runs when it is checked out, moved or pushed.
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

# ---- a dry run ----

t "a commit that is only shown runs no filter and no hook"
cd ../repo || exit 1
rm -f "$SPRUNG" && dirty
git add -u 2>/dev/null
grep -qx clean "$SPRUNG" || fail "git alone did not run it"
git reset -q 2>/dev/null && rm -f "$SPRUNG" && dirty
model_script - <<'J'
{"text": "```json\n{\"commits\": [{\"message\": \"fix: change one\", \"parts\": [1]}, {\"message\": \"fix: change the other\", \"parts\": [2]}]}\n```"}
{"text": "fix: change both"}
J
run kedge commit --split --all --dry-run
expect_exit 0
expect_contains stdout "[2/2] fix: change the other"
expect_unsprung
run kedge commit --all --dry-run
expect_exit 0
expect_unsprung

t "gh looks at the work tree, and runs no filter of it"
git config filter.x.process "$(trap_program process)"
git config remote.origin.url https://github.com/harbor/tidepool.git
git -C . status >/dev/null 2>&1
grep -qx process "$SPRUNG" || fail "git alone did not run it"
rm -f "$SPRUNG" && dirty
printf '#!/bin/sh\ncase $1 in --version) echo "gh version 2.99.0 (2026-01-01)" ;; *) git status >/dev/null; git log -1 ;; esac\n' >"$E2E_TMP/bin/gh"
chmod +x "$E2E_TMP/bin/gh"
run kedge gh exec -- pr list
expect_contains stdout files
expect_unsprung
rm "$E2E_TMP/bin/gh"

# ---- a pull request that brings programs ----

HOOKS="applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg
post-commit pre-rebase post-checkout post-merge pre-push reference-transaction push-to-checkout pre-auto-gc
post-rewrite post-index-change fsmonitor-watchman sendemail-validate p4-pre-submit"
SERVER=$HOME/server.git
cd "$HOME/work" || exit 1

# brought NAME: a program of the pull request, which notes its name and whether it has a token.
brought() {
    mkdir -p "$(dirname "$1")"
    printf '#!/bin/sh\necho %s ${GH_TOKEN:+with-token} >>"%s"\nexec cat\n' "$1" "$SPRUNG" >"$1"
    chmod +x "$1"
}

git init -q --bare "$SERVER"
git init -q mine && cd mine || exit 1
MINE=$PWD
git remote add origin "$SERVER"
echo "*.txt filter=strip merge=ours" >.gitattributes
mkdir tools && printf '#!/bin/sh\nexec cat\n' >tools/strip.sh && chmod +x tools/strip.sh
echo one >z.txt && git add . && git commit -q -m one && git push -q origin main
git checkout -q -b evil
for hook in $HOOKS; do brought ".husky/$hook"; done
for name in strip.sh process ssh askpass helper refs; do brought "tools/$name"; done
echo two >z.txt && echo new >zb.txt
git add . && git commit -q -m evil
EVIL=$(git rev-parse HEAD)
git push -q origin evil evil:refs/pull/5/head
git checkout -q main && git branch -q -D evil
git config core.hooksPath .husky
git config filter.strip.smudge ./tools/strip.sh
git config filter.strip.clean tools/strip.sh
git config filter.strip.required true
git config merge.ours.driver "./tools/strip.sh %A"
git config core.alternateRefsCommand ./tools/refs
git config core.askPass ./tools/askpass
git config --add credential.helper '!./tools/helper'
printf '#!/bin/sh\necho lfs${GH_TOKEN:+" with-token"} >>"%s"\nexec cat\n' "$E2E_TMP/kept" >"$E2E_TMP/bin/git-lfs"
chmod +x "$E2E_TMP/bin/git-lfs"
git config --global filter.lfs.smudge "git-lfs smudge -- %f"
git config --global filter.lfs.required true
echo "*.bin filter=lfs" >.git/info/attributes
cat >"$E2E_TMP/bin/gh" <<X
#!/bin/sh
case "\$1 \$2" in
--version*) echo "gh version 2.99.0 (2026-01-01)" ;;
"pr view") echo '{"baseRefName":"main","headRefName":"evil","headRefOid":"'\$(git -C "$SERVER" rev-parse evil)'","headRepository":{"nameWithOwner":"harbor/tidepool"},"headRepositoryOwner":{"login":"harbor"},"isCrossRepository":false,"maintainerCanModify":false,"number":5,"title":"T","url":"https://github.com/harbor/tidepool/pull/5"}' ;;
*) exit 1 ;;
esac
X
chmod +x "$E2E_TMP/bin/gh"
export GH_TOKEN=ghp_ForgeAlice00000000000000000000000001

# aside ARG…: git that runs none of it, for what the test itself does.
aside() {
    git -c core.hooksPath=/dev/null -c filter.strip.required=false -c filter.strip.smudge= -c filter.strip.clean= \
        -c filter.lfs.required=false -c filter.lfs.smudge= -c filter.lfs.clean= -c credential.helper= "$@"
}

expect_no_program() {
    [ ! -e "$SPRUNG" ] || fail "ran:" "$(sort -u "$SPRUNG")"
    rm -f "$SPRUNG"
}

t "the traps of the pull request work: git alone walks into them"
rm -f "$SPRUNG"
git worktree add -q "$HOME/canary" "$EVIL" >/dev/null 2>&1
for name in .husky/post-index-change tools/strip.sh; do
    grep -q "^$name with-token" "$SPRUNG" || fail "git did not run $name"
done
git worktree remove --force "$HOME/canary" >/dev/null 2>&1
rm -f "$SPRUNG"

t "pr_checkout runs no hook and no filter of the pull request, and says so"
run kedge github pr_checkout --pr 5 --yes
expect_exit 0
TREE=$(sed -n 's/^Worktree: //p' "$(path_of stdout)")
expect_file "$TREE/zb.txt" new
expect_contains stdout "Not run while the files were written, which are somebody else's: "
expect_contains stdout "filter.strip.smudge (./tools/strip.sh)"
expect_no_program

t "configuration that holds only in the new tree, or that git -c handed on: none either"
printf '[filter "strip"]\n\tclean = ./tools/process\n\tsmudge = ./tools/process\n' >"$HOME/more"
aside worktree remove --force "$TREE" && aside branch -q -D pr-5
git config --unset filter.strip.smudge && git config --unset filter.strip.clean
git config includeIf.onbranch:pr-5.path "$HOME/more"
rm -f "$SPRUNG"
run kedge github pr_checkout --pr 5 --yes
expect_exit 0
expect_contains stdout "filter.strip.smudge (./tools/process)"
git config --unset includeIf.onbranch:pr-5.path
aside worktree remove --force "$TREE" && aside branch -q -D pr-5
expect_no_program
run env "GIT_CONFIG_PARAMETERS='filter.strip.smudge'='./tools/strip.sh'" kedge github pr_checkout --pr 5 --yes
expect_exit 0
expect_contains stdout "filter.strip.smudge (./tools/strip.sh)"
expect_no_program
git config filter.strip.smudge ./tools/strip.sh
git config filter.strip.clean tools/strip.sh

t "moved to another head by force: none either"
aside -C "$TREE" commit -q --allow-empty -m another
aside -C "$TREE" push -q origin HEAD:evil
aside -C "$TREE" reset -q --hard "$EVIL"
run kedge github pr_checkout --pr 5 --yes --force
expect_exit 0
expect_contains stdout "Reset the existing PR worktree"
expect_no_program

t "pushed from its own worktree: none, and the person's hook has no token"
mkdir -p "$MINE/.husky"
printf '#!/bin/sh\necho mine${GH_TOKEN:+" with-token"} >>"%s/hook"\n' "$HOME" >"$MINE/.husky/pre-push"
chmod +x "$MINE/.husky/pre-push"
aside -C "$TREE" commit -q --allow-empty -m more
rm -f "$SPRUNG"
run kedge github pr_push --yes --cwd "$TREE"
expect_exit 0
[ "$(git -C "$SERVER" rev-parse evil)" = "$(git -C "$TREE" rev-parse HEAD)" ] || fail "it was not pushed"
[ "$(cat "$HOME/hook")" = mine ] || fail "the hook of the person: $(cat "$HOME/hook")"
expect_no_program

t "kedge commit in its worktree: none either, and that is said"
echo more >"$TREE/more" && aside -C "$TREE" add more && rm -f "$SPRUNG"
model_script - <<'J'
{"text": "fix: add more"}
J
run sh -c 'cd "$1" && exec kedge commit' sh "$TREE"
expect_exit 0
expect_contains stdout "the checkout of a pull request"
expect_no_program

t "git-lfs of the person runs, without a token"
cd "$MINE" && aside checkout -q -b large main && echo x >c.bin
aside add c.bin && aside commit -q -m large
aside push -q --force origin large:evil && aside checkout -q main
aside worktree remove --force "$TREE" && aside branch -q -D pr-5
run kedge github pr_checkout --pr 5 --yes
expect_exit 0
expect_file "$E2E_TMP/kept" lfs
expect_not_contains stdout "git-lfs"

t "a partial clone: what is missing comes before the files are written, from the person's own place"
git -C "$SERVER" config uploadpack.allowFilter true
git -C "$SERVER" update-ref refs/heads/evil "$EVIL"
cd "$HOME/work" && git clone -q --no-checkout --filter=blob:none "file://$SERVER" lacking && cd lacking || exit 1
git config core.hooksPath .husky
git config filter.strip.smudge ./tools/strip.sh
rm -f "$SPRUNG"
run kedge github pr_checkout --pr 5 --yes
expect_exit 0
expect_file "$(sed -n 's/^Worktree: //p' "$(path_of stdout)")/zb.txt" new
expect_no_program

done_testing
