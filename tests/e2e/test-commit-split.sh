#!/bin/sh
# `kedge commit --split`: several commits of one change; all of them, or none.
. "$(dirname "$0")/lib.sh"
need_kedge
need git

# repository: fresh, with one commit of files of every kind.
repository() {
    rm -rf repo origin.git
    git init -q --bare origin.git
    git init -q -b main repo
    git -C repo remote add origin "$PWD/origin.git"
    (
        cd repo || exit
        seq 1 40 >long
        printf 'old\n' >gone
        seq 100 130 >before
        printf 'a\0b\n' >data.bin
        printf '#!/bin/sh\n' >run.sh
        printf 'target\n' >target
        ln -s target link
        printf 'no newline at the end' >open
        git add -A
        git commit -qm 'feat: begin'
    )
}

# change: what can happen to a file, in the work tree.
change() {
    (
        cd repo || exit
        sed -i -e '2s/$/ changed/' -e '20s/$/ changed/' -e '38,39d' long
        git rm -q gone
        git mv before after && echo more >>after
        printf 'a\0c\n' >data.bin
        chmod +x run.sh
        ln -sf run.sh link
        printf 'new one\n' >'a new "file".txt'
        printf 'now with a newline\nat the end\n' >open
        mkdir -p sub/dir && printf 'deep\n' >sub/dir/deep
    )
}

commit() { run sh -c 'cd repo && exec kedge commit "$@"' sh "$@"; }
state() { git -C repo rev-parse HEAD && git -C repo ls-files -s && git -C repo status --porcelain=v2 && git -C repo diff --no-color; }
subjects() { git -C repo log --reverse --format=%s; }

# expect_untouched: HEAD, index and work tree are as in the file `before-state`.
expect_untouched() {
    state >after-state
    cmp -s before-state after-state || fail "it is not as it was:" "$(diff before-state after-state | head -20)"
    git -C repo fsck --no-dangling >fsck 2>&1 || fail "$(cat fsck)"
    for left in "$TMPDIR"/kedge-commit-*; do
        [ ! -e "$left" ] || fail "$left was left behind"
    done
}

t "hunks and files of every kind in three commits: together they are what was staged, to the byte"
repository
change
git -C repo add -A
staged=$(git -C repo write-tree)
printf 'not staged\n' >>repo/target
printf 'not tracked\n' >repo/other
printf '{"text": "```json\\n%s\\n```", "expect": [%s]}\n' \
    '{\"commits\": [{\"message\": \"fix(long): change the second line\", \"parts\": [6]}, {\"message\": \"feat: add and rename\\n\\nWhy it is done.\", \"parts\": [1, 2, 4, 10, 11]}, {\"message\": \"chore: the rest\", \"parts\": [3, 5, 7, 8, 9]}]}' \
    '{"contains": "part 6: hunk 1 of 3 of this file"}, {"contains": "feat: begin"}, {"contains": "The author says: mind the order"}, {"contains": "part 3: the whole file, changed"}, {"path": "tools", "exists": false}' >script
model_script - <script
commit --split -c 'mind the order'
expect_exit 0
expect_model_done
subjects >got
printf 'feat: begin\nfix(long): change the second line\nfeat: add and rename\nchore: the rest\n' >want
cmp -s got want || fail "subjects: $(cat got)"
[ "$(git -C repo rev-parse 'HEAD^{tree}')" = "$staged" ] || fail "the last tree is not what was staged"
[ "$(git -C repo write-tree)" = "$staged" ] || fail "the index is not what was staged"
[ "$(git -C repo diff --name-only)" = target ] || fail "unstaged: $(git -C repo diff --name-only)"
[ -f repo/other ] || fail "the untracked file is gone"
git -C repo show --format= -U0 HEAD~2 >diff
[ "$(grep -c '^[-+][^-+]' diff)" = 2 ] || fail "the first commit has more than its hunk: $(cat diff)"
expect_contains diff '+2 changed'
[ "$(git -C repo log -1 --format=%b HEAD~1)" = 'Why it is done.' ] || fail "no body"
expect_contains stdout 'change the second line'
git -C repo fsck --strict >fsck 2>&1 || fail "$(cat fsck)"

t "--dry-run shows the commits and makes none"
repository
change
git -C repo add -A
state >before-state
cp repo/.git/index index-before
model_script - <script
commit --split --dry-run -c 'mind the order'
expect_exit 0
expect_contains stdout '[1/3] fix(long): change the second line

    long (1 of 3 hunks)

[2/3] feat: add and rename

Why it is done.

    a new "file".txt (new file)
    before => after
    gone (deleted)'
expect_contains stdout '    long (2 of 3 hunks)'
cmp -s index-before repo/.git/index || fail "the index was written"
expect_untouched
commit --split --dry-run --push
expect_exit 2

# refused ANSWER PROBLEM: the model is told, and nothing is done when it gives it three times.
refused() {
    printf '{"text": "%s", "repeat": 3}\n' "$(printf '%s' "$1" | sed 's/"/\\"/g')" >hostile
    model_script - <hostile
    commit --split
    expect_exit 1
    expect_contains stderr "$2"
    expect_contains stderr 'nothing was committed'
    expect_untouched
}

t "hostile plans: unknown parts, parts twice or in no commit, paths, absurd numbers, no plan at all"
git -C repo status >/dev/null # refreshes the index
state >before-state
refused '{"commits": [{"message": "fix: x", "parts": [1,2,3,4,5,6,7,8,9,10,11,12]}]}' 'there is no part 12, only 1 to 11'
refused '{"commits": [{"message": "fix: x", "parts": [1,2,3,4,5,6,7,8,9,10]}]}' 'in no commit: part 11'
refused '{"commits": [{"message": "fix: x", "parts": [1,2,3,4,5,6]}, {"message": "fix: y", "parts": [6,7,8,9,10,11]}]}' 'part 6 is in commit 1 and again in commit 2'
refused '{"commits": [{"message": "fix: x", "parts": ["../../etc/passwd", ".git/config"]}]}' 'parts'
refused '{"commits": [{"message": "fix: x", "parts": [0, -1, 99999999999999]}]}' 'there is no part 0'
refused '{"commits": [{"message": "fix: x", "parts": []}]}' 'parts'
refused '{"commits": []}' 'commits'
refused '{"commits": [{"message": "I did it", "parts": [1,2,3,4,5,6,7,8,9,10,11]}]}' 'the message of commit 1: '
refused 'All of it belongs together.' 'there is no JSON object in it'
refused '{"commits": [' 'there is no JSON object in it'

t "an answer that cannot be used goes back with what is wrong with it"
model_script - <<'J'
{"text": "{\"commits\": [{\"message\": \"fix: x\", \"parts\": [1]}]}"}
{"text": "{\"commits\": [{\"message\": \"fix: all of it\", \"parts\": [1,2,3,4,5,6,7,8,9,10,11]}]}", "expect": {"contains": "in no commit: part 2, 3, 4"}}
J
commit --split
expect_exit 0
expect_model_done
[ "$(git -C repo log -1 --format=%s)" = 'fix: all of it' ] || fail "no commit"
[ -z "$(git -C repo status --porcelain)" ] || fail "left: $(git -C repo status --porcelain)"

# two: a change of two parts, staged.
two() {
    repository
    sed -i -e '2s/$/ changed/' -e '38s/$/ changed/' repo/long
    git -C repo add long
    printf 'not staged\n' >>repo/target
    git -C repo status >/dev/null
    state >before-state
    model_script - <<'J'
{"text": "{\"commits\": [{\"message\": \"fix: one\", \"parts\": [2]}, {\"message\": \"fix: two\", \"parts\": [1]}]}"}
J
}

t "a hook that refuses the second commit: the first is taken back, nothing else is touched"
two
printf '#!/bin/sh\nread -r line <"$1"; [ "$line" != "fix: two" ] || { echo "red" >&2; exit 1; }\n' >repo/.git/hooks/commit-msg
chmod +x repo/.git/hooks/commit-msg
commit --split
expect_exit 1
expect_contains stderr 'the commits made so far were taken back: '
expect_contains stderr red
expect_empty stdout
expect_untouched

t "a hook that adds to what is committed: taken back, and said"
two
printf '#!/bin/sh\necho formatted >>target && git add target\n' >repo/.git/hooks/pre-commit
chmod +x repo/.git/hooks/pre-commit
commit --split
expect_exit 1
expect_contains stderr 'commit 1 does not hold what was planned: a hook has changed it'
[ "$(subjects)" = 'feat: begin' ] || fail "commits: $(subjects)"
[ "$(git -C repo diff --cached --name-only)" = long ] || fail "staged: $(git -C repo diff --cached --name-only)"

t "hooks see what each commit holds; a message that a hook completes stays"
two
printf '#!/bin/sh\ngit diff --cached --name-only >>seen; git diff --cached | grep -c "^+3*[28] changed" >>seen\n' >repo/.git/hooks/pre-commit
printf '#!/bin/sh\nprintf "\\nReviewed-by: hook\\n" >>"$1"\n' >repo/.git/hooks/commit-msg
chmod +x repo/.git/hooks/pre-commit repo/.git/hooks/commit-msg
commit --split
expect_exit 0
printf 'long\n1\nlong\n1\n' >want
cmp -s repo/seen want || fail "the hooks saw: $(cat repo/seen)"
[ "$(git -C repo log -1 --format=%b HEAD~1)" = 'Reviewed-by: hook' ] || fail "message: $(git -C repo log -1 HEAD~1)"

t "another program commits in between: its commit stays, and it is said"
two
printf '#!/bin/sh\n[ -e ../done ] && exit\ntouch ../done\nunset GIT_INDEX_FILE\necho x >foreign; git add foreign; git commit -qm "feat: foreign" -- foreign\n' >repo/.git/hooks/post-commit
chmod +x repo/.git/hooks/post-commit
rm -f done
commit --split
expect_exit 1
expect_contains stderr 'another program has committed'
expect_contains stderr 'the commits made so far stay, and the index holds the rest'
git -C repo log --format=%s | grep -qx 'feat: foreign' || fail "the other program's commit is gone"
git -C repo cat-file -e HEAD:foreign || fail "its file is gone"

t "killed in the middle: what is not committed is still staged"
two
printf '#!/bin/sh\nread -r line <"$1"; [ "$line" != "fix: two" ] || { echo $PPID >../git-pid; sleep 1000 & echo $! >../sleep-pid; wait; }\n' >repo/.git/hooks/commit-msg
chmod +x repo/.git/hooks/commit-msg
rm -f git-pid sleep-pid
staged=$(git -C repo write-tree)
bg sh -c 'cd repo && exec kedge commit --split'
_is_waiting() { [ -s sleep-pid ]; }
wait_for 30 _is_waiting || fail "the second commit was not begun"
bg_signal KILL
bg_end
kill "$(cat git-pid)" "$(cat sleep-pid)" 2>/dev/null
wait_for 10 _is_gone "$(cat git-pid)"
[ "$(git -C repo write-tree)" = "$staged" ] || fail "the index changed"
[ "$(git -C repo log -1 --format=%s)" = 'fix: one' ] || fail "HEAD: $(git -C repo log -1 --format=%s)"
[ "$(git -C repo diff --cached -U0 | grep -c '^+2 changed')" = 1 ] || fail "the rest is not staged"
rm -rf "$TMPDIR"/kedge-commit-*

t "Ctrl-C in the middle: all is taken back, 130"
two
printf '#!/bin/sh\nread -r line <"$1"; [ "$line" != "fix: two" ] || { sleep 1000 & echo $! >../sleep-pid; wait; }\n' >repo/.git/hooks/commit-msg
chmod +x repo/.git/hooks/commit-msg
rm -f sleep-pid
bg sh -c 'cd repo && exec kedge commit --split'
wait_for 30 _is_waiting || fail "the second commit was not begun"
bg_signal INT
bg_end
expect_exit 130
expect_untouched
wait_for 10 _is_gone "$(cat sleep-pid)" || fail "the hook lives on"

t "--all takes tracked files as they are on disk, filters included; --push pushes all commits"
repository
printf '*.up filter=case\n' >repo/.gitattributes
git -C repo config filter.case.clean 'tr a-z A-Z'
printf 'SMALL\n' >repo/x.up
git -C repo add -A && git -C repo commit -qm 'feat: filter'
printf 'larger\n' >repo/x.up
sed -i -e '2s/$/ changed/' repo/long
rm repo/gone
printf 'not tracked\n' >repo/other
model_script - <<'J'
{"text": "{\"commits\": [{\"message\": \"fix: one\", \"parts\": [2, 1]}, {\"message\": \"fix: two\", \"parts\": [3]}]}", "expect": {"contains": "+LARGER"}}
J
commit --split --all --push
expect_exit 0
[ "$(git -C repo status --porcelain)" = '?? other' ] || fail "left: $(git -C repo status --porcelain)"
[ "$(git -C repo show HEAD:x.up)" = LARGER ] || fail "the filter did not run"
[ "$(git -C origin.git log -2 --format=%s main | tr '\n' ,)" = 'fix: two,fix: one,' ] || fail "not pushed"

# two_of_all: as two(), but of nothing staged besides a file that is only announced.
two_of_all() {
    two
    git -C repo reset -q
    git -C repo checkout -q target
    printf 'announced\n' >repo/announced && git -C repo add -N announced
    git -C repo status >/dev/null
    state >before-state
    model_script - <<'J'
{"text": "{\"commits\": [{\"message\": \"fix: one\", \"parts\": [3]}, {\"message\": \"fix: two\", \"parts\": [1, 2]}]}"}
J
}

t "--all: a program that refreshes the index between two commits changes nothing"
two_of_all
printf '#!/bin/sh\nunset GIT_INDEX_FILE\ntouch -d 2001-01-01 target; git status >/dev/null\n' >repo/.git/hooks/post-commit
chmod +x repo/.git/hooks/post-commit
commit --split --all
expect_exit 0
[ -z "$(git -C repo status --porcelain)" ] || fail "left: $(git -C repo status --porcelain)"
[ "$(git -C repo log -2 --format=%s | tr '\n' ,)" = 'fix: two,fix: one,' ] || fail "commits: $(subjects)"

t "--all, a hook that refuses the second commit: the index is as it was"
two_of_all
printf '#!/bin/sh\nread -r line <"$1"; [ "$line" != "fix: two" ] || { unset GIT_INDEX_FILE; touch -d 2001-01-01 target; git status >/dev/null; echo red >&2; exit 1; }\n' >repo/.git/hooks/commit-msg
chmod +x repo/.git/hooks/commit-msg
commit --split --all
expect_exit 1
expect_contains stderr 'the commits made so far were taken back: '
expect_untouched

t "--all, killed after the first commit: what is not committed is staged, and nothing reversed"
two_of_all
printf '#!/bin/sh\nread -r line <"$1"; [ "$line" != "fix: two" ] || { echo $PPID >../git-pid; sleep 1000 & echo $! >../sleep-pid; wait; }\n' >repo/.git/hooks/commit-msg
chmod +x repo/.git/hooks/commit-msg
rm -f git-pid sleep-pid
bg sh -c 'cd repo && exec kedge commit --split --all'
wait_for 30 _is_waiting || fail "the second commit was not begun"
bg_signal KILL
bg_end
kill "$(cat git-pid)" "$(cat sleep-pid)" 2>/dev/null
wait_for 10 _is_gone "$(cat git-pid)"
[ "$(git -C repo log -1 --format=%s)" = 'fix: one' ] || fail "HEAD: $(git -C repo log -1 --format=%s)"
git -C repo diff --cached -U0 | grep '^[-+][^-+]' >diff
printf '+announced\n-2\n+2 changed\n' >want
cmp -s diff want || fail "staged: $(cat diff)"
rm -rf "$TMPDIR"/kedge-commit-*

t "empty lines between hunks, with diff.suppressBlankEmpty: every line counts"
repository
{ seq 1 3 && echo && seq 5 30 && echo && seq 32 40; } >repo/long
git -C repo commit -qam 'fix: empty lines'
git -C repo config diff.suppressBlankEmpty true
sed -i -e '2s/$/ changed/' -e '33s/$/ changed/' repo/long
git -C repo add long
staged=$(git -C repo write-tree)
model_script - <<'J'
{"text": "{\"commits\": [{\"message\": \"fix: one\", \"parts\": [2]}, {\"message\": \"fix: two\", \"parts\": [1]}]}"}
J
commit --split
expect_exit 0
expect_model_done
[ "$(git -C repo rev-parse 'HEAD^{tree}')" = "$staged" ] || fail "the trees do not add up"
git -C repo show --format= -U0 HEAD~1 | grep -q '^+33 changed' || fail "the first commit: $(git -C repo show HEAD~1)"
[ "$(git -C repo log -2 --format=%s | tr '\n' ,)" = 'fix: two,fix: one,' ] || fail "commits: $(subjects)"

t "the first commits of a repository; undone there, too"
rm -rf repo
git init -q -b main repo
printf 'one\n' >repo/one && printf 'two\n' >repo/two
git -C repo add -A
model_script - <<'J'
{"text": "{\"commits\": [{\"message\": \"feat: one\", \"parts\": [1]}, {\"message\": \"feat: two\", \"parts\": [2]}]}", "repeat": 2}
J
printf '#!/bin/sh\ngrep -q two "$1" && exit 1\nexit 0\n' >repo/.git/hooks/commit-msg
chmod +x repo/.git/hooks/commit-msg
commit --split
expect_exit 1
! git -C repo rev-parse -q --verify HEAD >/dev/null || fail "the first commit stayed"
[ "$(git -C repo status --porcelain | tr '\n' ,)" = 'A  one,A  two,' ] || fail "status: $(git -C repo status --porcelain)"
rm repo/.git/hooks/commit-msg
commit --split
expect_exit 0
[ "$(subjects | tr '\n' ,)" = 'feat: one,feat: two,' ] || fail "commits: $(subjects)"

t "in the middle of a merge, with conflicts, with nothing staged: said, nothing done"
repository
git -C repo checkout -qb side && printf 'side\n' >repo/target && git -C repo commit -qam 'fix: side'
git -C repo checkout -q main && printf 'main\n' >repo/target && git -C repo commit -qam 'fix: main'
commit --split
expect_exit 1
expect_contains stderr 'nothing is staged'
git -C repo merge side >/dev/null 2>&1
model_script - <<'J'
{"text": "not asked"}
J
commit --split
expect_exit 1
expect_contains stderr 'there is a MERGE_HEAD: finish or abort'
git -C repo add target
commit --split
expect_exit 1
expect_contains stderr 'there is a MERGE_HEAD: finish or abort'

t "hunks at every place of random files, divided at random: the trees add up"
cat >change.py <<'P'
import json, os, random, subprocess
seed = int(os.environ["SEED"])
random.seed(seed)
def git(*words):
    return subprocess.run(["git", "-C", "repo", *words], check=True, capture_output=True).stdout
def text(lines):
    body = b"\n".join(lines)
    return body + b"\n" if random.random() < 0.7 and lines else body
def line():
    return random.choice([b"", b"-", b"+", b"@@ -1,2 +1,2 @@", b"diff --git a/x b/x", b"\\ No newline at end of file", b"\xff\xfe", b"caf\xc3\xa9\r"]) + str(random.randrange(30)).encode()
names = ["one", "two \t tabs", "caf\u00e9", "b"]
old = {}
for name in names:
    old[name] = [line() for _ in range(random.randrange(1, 120))]
    open("repo/" + name, "wb").write(text(old[name]))
git("add", "-A"); git("commit", "-qm", "feat: old")
for name in names:
    lines = list(old[name])
    for _ in range(random.randrange(1, 8)):
        at = random.randrange(len(lines) + 1)
        lines[at:at + random.randrange(3)] = [line() for _ in range(random.randrange(3))]
    open("repo/" + name, "wb").write(text(lines) + b"x")
git("add", "-A")
P
cat >plan.py <<'P'
import json, os, random
random.seed(int(os.environ["SEED"]))
parts = list(range(1, int(os.environ["PARTS"]) + 1))
random.shuffle(parts)
half = random.randrange(1, len(parts))
print(json.dumps({"text": json.dumps({"commits": [{"message": "fix: the first", "parts": parts[:half]}, {"message": "fix: the second", "parts": parts[half:]}]})}))
P
for seed in $(seq "$(rounds_of 8)"); do
    rm -rf repo && git init -q -b main repo
    SEED=$seed "${PYTHON:-python3}" change.py || fail "seed $seed"
    staged=$(git -C repo write-tree)
    echo '{"text": "{}", "repeat": 3}' >empty
    model_script - <empty
    commit --split
    count=$(model_journal 0.body.messages.0.content.0.text | grep -aE '^part [0-9]+: ' | tail -n 1 | sed 's/part \([0-9]*\):.*/\1/')
    SEED=$seed PARTS=$count "${PYTHON:-python3}" plan.py >planned
    model_script - <planned
    commit --split
    expect_exit 0
    [ "$(git -C repo rev-parse 'HEAD^{tree}')" = "$staged" ] || fail "seed $seed: the trees do not add up"
    [ "$(git -C repo rev-list --count HEAD)" = 3 ] || fail "seed $seed: $(git -C repo log --oneline)"
done

done_testing
