#!/bin/sh
# A repository with special files: a FIFO that no one writes to, a link to a device that never ends, where
# kedge, ripgrep or git open a file unasked. Nothing waits, nothing eats the memory of the machine, and
# what kedge has started ends with it, also when it is killed.
E2E_DIR=$(cd "$(dirname "$0")/../e2e" && pwd)
. "$E2E_DIR/lib.sh"
need_kedge
need git
need rg

FIFO='is a FIFO, and what reads it waits for a writer; remove it'
DEVICE='is a device, or leads to one'

# fresh_repository: with a commit, a change, and words to look for.
fresh_repository() {
    cd "$HOME/work" && rm -rf repo && mkdir -p repo/sub/deep && cd repo || exit 1
    git init -q && git config core.hooksPath /dev/null
    echo "// hello" >a.c && echo "# hello" >sub/deep/b.py
    git add . && git commit -q -m one && echo "// hello again" >>a.c
}

# plant KIND FILE: FIFO, or what it is to be a link to.
plant() {
    mkdir -p "$(dirname "$2")" && rm -f "$2"
    if [ "$1" = FIFO ]; then mkfifo "$2"; else ln -s "$1" "$2"; fi
}

# soon COMMAND…: as run, but who waits has lost.
soon() { run -t 10 "$@"; }

t "the traps work: ripgrep and git alone wait for the FIFO"
fresh_repository
plant FIFO sub/.ignore
run -t 1 rg --no-config hello .
expect_exit 124
plant FIFO .git/HEAD
run -t 1 git status
expect_exit 124

t "ignore files of any folder, also above: grep refuses and names it"
for name in .gitignore .rgignore sub/deep/.ignore ../.ignore; do
    fresh_repository
    plant FIFO "$name"
    soon kedge tool run grep '{"pattern": "hello", "path": "."}'
    expect_exit 1
    expect_contains stderr "$(basename "$name") $FIFO"
    rm -f "$name"
done
fresh_repository
plant /dev/zero sub/.gitignore
soon kedge tool run grep '{"pattern": "hello", "path": "."}'
expect_exit 1
expect_contains stderr "sub/.gitignore $DEVICE"

t "where ignore files do not count they are not opened, and /dev/null is none"
soon kedge tool run grep '{"pattern": "hello", "path": ".", "gitignore": false}'
expect_exit 0
expect_contains stdout "b.py"
plant /dev/null sub/.gitignore
soon kedge tool run grep '{"pattern": "hello", "path": "."}'
expect_exit 0

t "a search finds its files as if the special ones were not there"
plant FIFO .gitignore
plant /dev/zero sub/.ignore
plant FIFO sub/pipe.py
soon kedge tool run find '{"pattern": "**/*.py"}'
expect_exit 0
expect_contains stdout "sub/deep/b.py"

t "a FIFO that the repository's configuration includes"
fresh_repository
mkfifo pipe && printf '[include]\n\tpath = ../pipe\n' >>.git/config
run -t 1 git status
expect_exit 124
soon kedge commit --dry-run
expect_exit 1
expect_contains stderr "/pipe $FIFO"

t "what git opens: no command waits"
for name in .git/HEAD .git/index .git/packed-refs .gitattributes; do
    fresh_repository
    plant FIFO "$name"
    soon kedge agent-tools comment-extract unstaged
    expect_exit 1
    expect_contains stdout "$name $FIFO"
done
fresh_repository
plant FIFO .git/info/exclude
soon kedge commit --dry-run
expect_exit 1
expect_contains stderr ".git/info/exclude $FIFO"
plant /dev/zero .git/commondir
soon kedge agent-tools rp1-root-dir
expect_exit 1
expect_contains stdout ".git/commondir $DEVICE"

t "what kedge opens itself: one clear line"
for kind in FIFO /dev/zero; do
    fresh_repository
    plant "$kind" .wm/config.yml
    soon kedge wm list
    expect_exit 1
    expect_contains stderr ".wm/config.yml: not a regular file"
    plant "$kind" .wm/tasks/tides.md
    echo "{}" >"$HOME/empty" && plant "$HOME/empty" .wm/config.yml
    soon kedge wm validate
    expect_contains stderr ".wm/tasks/tides.md: skipped (it is no regular file)"
    plant "$kind" old.jsonl
    soon kedge sessions import old.jsonl
    expect_exit 1
    expect_contains stderr "old.jsonl: not a regular file"
    for name in a.txt a.png a.pdf a.zip a.db a.ipynb; do
        plant "$kind" "$name"
        soon kedge tool run read "{\"path\": \"$name\"}"
        expect_exit 2
        expect_contains stderr "Not a regular file: $name"
    done
done

t "files that steer kedge: a notice each, and the conversation goes on"
fresh_repository
plant FIFO AGENTS.md
plant /dev/zero .kedge/config.yml
plant FIFO .kedge/rules/a.md
model_script - <<'J'
{"text": "ok"}
J
soon kedge -p hi
expect_exit 0
expect_contains stdout ok
expect_matches stderr 'not read, it is no regular file: .*AGENTS\.md'
expect_matches stderr 'not read, it is no regular file: .*\.kedge/config\.yml'

t "a helper program has limits"
fresh_repository
cat >"$E2E_TMP/bin/rg" <<'X'
#!/bin/bash
read -r -t 1 nothing <> <(:) # the limits come just after the start
echo "$(ulimit -c) $(ulimit -d) $(ulimit -f)" >"$HOME/limits"
echo $$ >"$HOME/pid"
[ ! -e "$HOME/stay" ] || exec sleep 300
X
chmod +x "$E2E_TMP/bin/rg"
soon kedge tool run grep '{"pattern": "hello", "path": "."}'
read -r core data file <"$HOME/limits"
[ "$core" = 0 ] || fail "core dumps: $core"
[ "$data" -le 2097152 ] || fail "memory: $data"
[ "$file" -le 65536 ] || fail "files: $file"

t "it ends with kedge, also when kedge is killed"
rm -f "$HOME/pid" && : >"$HOME/stay"
bg kedge tool run grep '{"pattern": "hello", "path": "."}'
wait_for 30 test -s "$HOME/pid" || fail "the program did not start"
bg_signal KILL
wait "$BG_PID" 2>/dev/null
wait_for 20 _is_gone "$(cat "$HOME/pid")" || fail "it still runs"
rm -f "$E2E_TMP/bin/rg"

done_testing
