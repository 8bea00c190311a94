#!/bin/sh
# `kedge shell`: a person at the shell of the bash tool.
. "$(dirname "$0")/lib.sh"
need_kedge
need bash

# console INPUT [OPTION…]: what stands in the file INPUT goes in.
console() {
    _input=$1
    shift
    run -i "$_input" kedge shell "$@"
}

t "one shell for all commands: variables, functions, directory, \$? and background jobs stay"
mkdir deep
cat >input <<'S'
x=5; f() { echo "f $1 $x"; }
f one
cd deep
pwd
cd -
false
echo "status $?"
sleep 1000 & echo $! >pid
kill -0 "$(cat pid)" && echo alive
S
console input
expect_exit 0
expect_out "f one 5
$PWD/deep
$PWD
status 1
alive"
expect_empty stderr
wait_for 10 _is_gone "$(cat pid)" || fail "the background job outlived the console"

t "a command of several lines: loops, quotes, here-documents, backslashes; what is left open at the end is an error"
cat >input <<'S'
for i in 1 2
do
  echo "$i"
done
echo "a
b"
cat <<E
text $i
E
echo one \
two

   
if true; then
S
console input
expect_exit 2
expect_contains stdout '1
2
a
b
text 2
one two
'
expect_matches stdout 'syntax error: unexpected end of file'
: >input
console input
expect_exit 0
expect_empty stdout

t "whether a command goes on is asked outside the shell: set -e and an ERR trap stay as they are"
printf '%s\n' 'set -e; X=1' 'for i in 1 2; do' 'echo "x=$X i=$i"' 'done' 'false' 'echo not reached' >input
console input
expect_exit 1
expect_out 'x=1 i=1
x=1 i=2'
printf '%s\n' "X=1; trap 'exit 9' ERR" 'if true' 'then echo "x=$X"' 'fi' 'false' 'echo not reached' >input
console input
expect_exit 9
expect_out 'x=1'

t "a here-document of any length is one command, and none of its lines is"
{
    echo 'wc -l <<E'
    yes "echo a line that is not run; exit 3 # $(printf %060d 0)" | head -n 3000
    echo E
    yes true | head -n 400
    echo 'echo end'
} >input
[ "$(wc -c <input)" -gt 262144 ] || fail "the input is too short"
console input
expect_exit 0
expect_out '3000
end'

t "the exit code is that of the last command, or of exit"
printf 'true\nexit 7\necho not reached\n' >input
console input
expect_exit 7
expect_empty stdout
printf '(exit 9)' >input
console input
expect_exit 9
printf 'kill -KILL $$\necho not reached\n' >input
console input
expect_exit 137

t "a \$? that is handed on ends no new shell in which set -e stands"
echo 'set -e' >"$HOME/.bashrc"
printf '%s\n' 'sleep 1000' 'echo "status $?"' >input
console input -t 5000
expect_exit 0
expect_out 'status 124'
rm "$HOME/.bashrc"

t "it runs as a model's command does: no terminal, no input, no credentials"
printf '%s\n' 'tty; cat; echo "[$ANTHROPIC_API_KEY]$GH_PAGER"' 'echo to stderr >&2' >input
run -i input env ANTHROPIC_API_KEY=sk-ant-secret kedge shell
expect_exit 0
expect_out 'not a tty
[]cat
to stderr'

t "~/.bashrc: its functions and aliases, and without them"
printf 'alias hello="echo hello alias"\nshout() { echo "LOUD $1"; }\n' >"$HOME/.bashrc"
printf 'hello\nshout x\n' >input
console input
expect_exit 0
expect_out 'hello alias
LOUD x'
console input --no-snapshot
expect_exit 127
expect_contains stdout 'shout: command not found'
rm "$HOME/.bashrc"

t "-C starts elsewhere; what is no directory is said"
printf 'pwd\n' >input
console input -C deep
expect_out "$PWD/deep"
console input -C '~/work/deep'
expect_out "$PWD/deep"
console input --cwd=none
expect_exit 1
expect_contains stderr "there is no directory $PWD/none"
console input -C input
expect_exit 1
expect_contains stderr "$PWD/input is no directory"
console input -t 0
expect_exit 2
console input --nonsense
expect_exit 2

t "-t stops a command; a new shell goes on in the same directory"
printf 'x=5\ncd deep\nsleep 1000\necho "${x:-gone} $PWD $?"\n' >input
console input -t 5000
expect_exit 0
expect_out "gone $PWD/deep 124"
expect_contains stderr 'stopped after 5000 ms'
expect_contains stderr 'the shell is a new one'

t "the directory is removed under it"
mkdir away
printf 'cd away\nrmdir ../away\nexec sleep 1000\npwd\n' >input
console input -t 5000
expect_exit 0
expect_out "$PWD"

t "output comes as it is printed, byte for byte"
mkfifo fifo
printf 'printf "first\\377\\033[1m\\n"; cat fifo; echo last\n' >input
bg sh -c 'exec kedge shell <input >out'
_has_first() { grep -aqs first out; }
wait_for 20 _has_first || fail "nothing was printed before the command's end"
! grep -aq last out || fail "it did not wait"
echo go >fifo
bg_end
printf 'first\377\033[1m\ngo\nlast\n' >want
cmp out want || fail "out: $(cat -v out)"

t "a reader that goes away ends it; a command that is too long is refused"
printf 'yes\n' >input
run sh -c 'kedge shell <input | head -n 1'
expect_out y
head -c 1200000 /dev/zero | tr '\0' x >input
console input
expect_exit 1
expect_contains stderr 'a command has more than 1048576 bytes'

t "SIGTERM while a command runs: it is ended, 143"
printf 'echo $$ >shell-pid; echo ready; sleep 1000\n' >input
bg sh -c 'exec kedge shell <input >out2'
_is_ready() { grep -qs ready out2; }
wait_for 20 _is_ready || fail "it did not begin"
bg_signal TERM
bg_end
expect_exit 143
wait_for 10 _is_gone "$(cat shell-pid)" || fail "the shell lives on"

t "on a terminal: Ctrl-C at the prompt, at once and again, only asks anew"
interrupt=$(printf '\003')
again="kedge work\$ =$interrupt"
run "${PYTHON:-python3}" "$E2E_DIR/terminal.py" --answer "$again" --answer "$again" --answer "$again" --answer "$again" \
    --answer "$again" --answer 'kedge work$ =exit 5' kedge shell
expect_exit 5

t "on a terminal: a prompt, one for what goes on, Ctrl-C stops the command and not the console"
interrupt=$(printf '\003')
run "${PYTHON:-python3}" "$E2E_DIR/terminal.py" \
    --answer 'kedge work$ =for i in a b; do' --answer 'kedge > =echo "item $i"; done' \
    --answer 'item b=x=1; echo be""gun; sleep 1000' --answer "begun=$interrupt" \
    --answer 'the shell is a new one=echo "half' --answer "kedge > =$interrupt" \
    --answer 'kedge work$ =echo "now ${x:-gone}"' --answer 'now gone=exit 4' kedge shell
expect_exit 4
done_testing
