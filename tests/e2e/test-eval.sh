#!/bin/sh
# eval from outside: which languages are offered, what kernels are given, and that none outlives kedge, however it ends.
. "$(dirname "$0")/lib.sh"
need_kedge
need setsid python3

# eval_python CODE: one cell; CODE without double quotes.
eval_python() { run setsid -w kedge tool run --yes eval "{\"language\":\"python\",\"cells\":[{\"code\":\"$1\"}]}"; }

t "a cell"
eval_python '6 * 7'
expect_exit 0
expect_out 42

t "without --yes nobody can be asked"
run setsid -w kedge tool run eval '{"cells":[{"code":"1"}]}'
expect_exit 77
expect_contains stderr "needs approval"

t "tools-T4: both languages off, and on again for one start"
run kedge config set eval.py false
expect_exit 0
run kedge config set eval.js false
expect_exit 0
eval_python 1
expect_exit 1
expect_contains stderr "No eval backend is available"
model_script hello.jsonl
run kedge -p "hi"
expect_exit 0
model_journal 0.body | grep -q '"name": *"eval"' && fail "eval is offered"
model_script hello.jsonl
run env KEDGE_PY=both kedge -p "hi"
expect_exit 0
model_journal 0.body | grep -q '"name": *"eval"' || fail "eval is not offered"
run env KEDGE_PY=1 setsid -w kedge tool run --yes eval '{"cells":[{"code":"1 + 1"}]}'
expect_exit 0
expect_out 2
run kedge config unset eval.py
run kedge config unset eval.js

t "no keys in the environment of a kernel, and none in what it prints"
export ANTHROPIC_API_KEY=sk-ant-eval-0123456789abcdef GH_TOKEN=ghp_Eval000000000000000000000000000000000
eval_python "import os; [n for n in os.environ if 'KEY' in n or 'TOKEN' in n]"
expect_exit 0
expect_out '[]'
eval_python "print('sk-ant-eval-' + '0123456789abcdef')"
expect_exit 0
expect_out '[REDACTED]'
unset ANTHROPIC_API_KEY GH_TOKEN

t "a module of the directory is not imported in place of Python's"
printf 'raise SystemExit("hijacked")\n' >json.py
printf 'raise SystemExit("hijacked")\n' >ast.py
eval_python "1 + 1"
expect_exit 0
expect_out 2
rm json.py ast.py

t "a Python that a repository brings along is not started"
mkdir -p .venv/bin
printf '#!/bin/sh\ntouch hijacked\nexec python3 "$@"\n' >.venv/bin/python
chmod +x .venv/bin/python
eval_python "1 + 1"
expect_exit 0
expect_contains stdout "[.venv is not used: "
[ ! -e hijacked ] || fail "it was started"
rm -r .venv

t "kedge is killed in the middle of a cell: no kernel is left, nor its children"
setsid kedge tool run --yes eval "{\"cells\":[{\"code\":\"import os, subprocess, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nchild = subprocess.Popen(['sleep', '600'])\nopen('pids.new', 'w').write(f'{os.getpid()} {child.pid}')\nos.rename('pids.new', 'pids')\nwhile True: pass\"}],\"timeout\":600}" </dev/null >/dev/null 2>&1 &
_kedge=$!
_count=0
while [ ! -e pids ] && [ $_count -lt 600 ]; do sleep 0.1; _count=$((_count + 1)); done
[ -e pids ] || fail "the cell did not begin"
kill -9 $_kedge
for _pid in $(cat pids); do
    _count=0
    while kill -0 "$_pid" 2>/dev/null && [ $_count -lt 300 ]; do
        [ "$(sed 's/.*) //; s/ .*//' "/proc/$_pid/stat" 2>/dev/null)" = Z ] && break
        sleep 0.1
        _count=$((_count + 1))
    done
    [ $_count -lt 300 ] || fail "process $_pid is left"
done

done_testing
