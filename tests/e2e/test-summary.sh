#!/bin/sh
# read of long source files: a model sees them without the bodies of their functions (agent-tools §3.1.4), with Universal
# Ctags itself, and edits by the anchors that such a summary shows; whoever works with the text has all of it.
. "$(dirname "$0")/lib.sh"
need_kedge
ctags=$(command -v ctags-universal || command -v ctags) || skip_all "Universal Ctags is not installed"
echo '{"command":"generate-tags","filename":"x","size":0}' |
    "$ctags" --options=NONE --language-force=C --_interactive=sandbox 2>/dev/null | grep -q '"completed"' ||
    skip_all "$ctags has no sandbox"

"${PYTHON:-python3}" - <<'P'
def write(name, head, function):
    with open(name, "w", encoding="utf-8") as file:
        file.write(head + "".join(function.replace("NAME", f"work_{i}") for i in range(40)))
write("long.c", "#include <stdio.h>\n\nstruct point {\n\tint x;\n\tint y;\n\tint z;\n\tint w;\n};\n\n",
      "int NAME(int a) {\n\ta += 1;\n\ta += 2;\n\ta += 3;\n\ta += 4;\n\treturn a; // NAME\n}\n\n")
write("long.py", "import os\n\n\nclass Worker:\n    count = 1\n\n",
      "    def NAME(self, a):\n        \"\"\"Does NAME.\"\"\"\n        a += 1\n        a += 2\n        a += 3\n        a += 4\n        return a\n\n")
write("long.js", "import { x } from './x.js';\n\n",
      "export function NAME(a) {\n  a += 1;\n  a += 2;\n  a += 3;\n  a += 4;\n  return a; // NAME\n}\n\n")
P
mkdir .ctags.d && echo "--nonsense" >.ctags.d/x.ctags
echo "--nonsense" >.ctags && cp .ctags "$HOME"

# ask_read PATH [COMMAND…]: a model reads it; `shown` is what it gets.
ask_read() {
    model_script - <<J
{"tool_calls": [{"id": "r", "name": "read", "arguments": {"path": "$1"}}]}
{"text": "done"}
J
    shift
    [ $# -gt 0 ] || set -- kedge
    run "$@" --mode json -p "read it"
    model_journal '1.body.messages.-1.content.[type=tool_result].content' >shown
}

# read_it PATH: a machine so busy that ctags takes too long shows the file as it is; another try then.
read_it() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        ask_read "$1"
        grep -q 'left out here' shown && return
    done
}

t "C: signatures and types stay, bodies go, and it says where they are"
read_it long.c
expect_exit 0
expect_matches shown '^3[a-z]{2}\|struct point \{$'
expect_matches shown '^4[a-z]{2}\|	int x;$'
expect_matches shown '^10[a-z]{2}-16[a-z]{2}\|int work_0\(int a\) \{ \.\. \}$'
expect_matches shown '^322[a-z]{2}-328[a-z]{2}\|int work_39\(int a\) \{ \.\. \}$'
expect_not_contains shown 'return a'
expect_contains shown '[200 lines in 40 bodies are left out here. Use a range, such as :11-15, to see them, or :1 for the file as it is]'

t "Python: the first line of what a function says of itself stays"
read_it long.py
expect_exit 0
expect_matches shown '^7[a-z]{2}\|    def work_0\(self, a\):$'
expect_matches shown '^8[a-z]{2}\|        """Does work_0\."""$'
expect_matches shown '^\.\.\.$'
expect_matches shown '^319[a-z]{2}\|    def work_39\(self, a\):$'
expect_not_contains shown 'return a'

t "JavaScript"
read_it long.js
expect_exit 0
expect_matches shown '^3[a-z]{2}-9[a-z]{2}\|export function work_0\(a\) \{ \.\. \}$'
expect_not_contains shown 'return a'

t "the file as it is: with a line, as bare text, and where the setting says so"
ask_read long.c:1
expect_matches shown '^15[a-z]{2}\|	return a; // work_0$'
ask_read long.js:raw
expect_matches shown '^  return a; // work_39$'
KEDGE_AGENT_DIR=$E2E_TMP/off
mkdir "$KEDGE_AGENT_DIR" && echo 'read: {summarize: {enabled: false}}' >"$KEDGE_AGENT_DIR/config.yml"
ask_read long.c env KEDGE_AGENT_DIR="$KEDGE_AGENT_DIR" kedge
expect_matches shown '^15[a-z]{2}\|	return a; // work_0$'

t "JSON says how much of it is shown"
read_it long.c
expect_json stdout '[type=tool_execution_end].result.details.summary.elidedSpans' 40
expect_json stdout '[type=tool_execution_end].result.details.summary.lines' 90

t "on the command line, and for code that eval runs, the file is whole"
for command in "kedge read long.c" "kedge read long.py" "kedge tool run read {\"path\":\"long.js\"}"; do
    # shellcheck disable=SC2086
    run $command
    expect_exit 0
    expect_contains stdout 'return a'
    expect_not_contains stdout 'left out here'
done
if command -v python3 >/dev/null; then
    cp long.py copy.py
    model_script - <<'J'
{"tool_calls": [{"id": "e", "name": "eval", "arguments": {"language": "python", "cells": [{"code": "text = tool.read(path='copy.py')\nprint('whole' if 'work_39(self, a)' in text and text.count('return a') == 40 else text)"}]}}]}
{"expect": {"last_tool_contains": "whole"}, "text": "done"}
J
    run kedge -p "count"
    expect_exit 0
    expect_model_done
fi

t "a model replaces a body by the anchors of its summary: it is shown what would go, and means it"
read_it long.c
row=$(grep 'work_7(' shown)
first=${row%%-*}
last=${row#*-} && last=${last%%|*}
cp long.c before.c
for _ in 1 2 3 4 5; do
    cp before.c long.c
    model_script - <<J
{"tool_calls": [{"id": "r", "name": "read", "arguments": {"path": "long.c"}}]}
{"tool_calls": [{"id": "e", "name": "edit", "arguments": {"input": "@@ long.c\n= $first..$last\n~int work_7(int a) { return a + 10; }"}}]}
{"expect": {"contains": "have not been shown to you lately"}, "tool_calls": [{"id": "f", "name": "edit", "arguments": {"input": "@@ long.c\n= $first..$last\n~int work_7(int a) { return a + 10; }"}}]}
{"text": "done"}
J
    run kedge --allow-writes -p "shorten work_7"
    model_journal 1.body >request
    grep -q 'left out here' request && break
done
expect_exit 0
expect_model_done
expect_contains request "$first-$last|int work_7(int a) { .. }"
expect_not_contains request '// work_7'
expect_contains long.c 'int work_7(int a) { return a + 10; }'
expect_not_contains long.c '// work_7'
expect_contains long.c 'return a; // work_6'
expect_contains long.c 'return a; // work_8'
expect_lines long.c 323

t "without ctags the file is shown as it is, and nothing is said of it"
mkdir "$E2E_TMP/few" && ln -s "$(command -v rg)" "$E2E_TMP/few/rg"
ask_read long.js env PATH="$E2E_TMP/few" "$KEDGE"
expect_exit 0
expect_matches shown '^8[a-z]{2}\|  return a; // work_0$'
expect_empty stderr

done_testing
