#!/bin/sh
# What the shell and man get: completion scripts and manual pages, made of the tables of commands.
. "$(dirname "$0")/lib.sh"
need_kedge

# complete WORD…: what bash offers for the last word; into stdout, sorted.
complete_in_bash() {
    run bash --norc -c '
        eval "$("$KEDGE" completion bash)"
        compopt() { :; }
        COMP_WORDS=(kedge "$@") COMP_CWORD=$#
        _kedge
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
    expect_exit 0
    expect_empty stderr
}

t "bash completes commands, subcommands, operations and words"
complete_in_bash compl
expect_out completion
complete_in_bash gh cl
expect_out classify
complete_in_bash agent-tools task pi
expect_out pickup
complete_in_bash tool schema gre
expect_out grep
complete_in_bash github search_co
printf 'search_code\nsearch_commits\n' >want
expect_out "$(cat want)"
complete_in_bash completion f
expect_out fish
complete_in_bash config set retry.maxR
expect_out retry.maxRetries
complete_in_bash login anthr
expect_out anthropic

t "a session is offered where one is the value, and flags still are"
mkdir -p "$HOME/.kedge/agent"
model_script - <<'J'
{"text": "ok", "repeat": true}
J
run kedge -p "name me"
run kedge sessions list
id=$(cut -d ' ' -f 1 "$(path_of stdout)")
for flag in --resume -r --fork --export; do
    complete_in_bash $flag ''
    expect_out "$id"
done
complete_in_bash --resume --max-t
expect_out --max-turns

t "bash completes flags where they belong, and the values of those that have a list"
complete_in_bash -p --max-t
expect_out --max-turns
complete_in_bash gh exec --yes-u
expect_out --yes-unknown
complete_in_bash agent-tools task pickup --lea
expect_out --lease
complete_in_bash gh --yes-u
expect_out ""
complete_in_bash --mode j
expect_out json
complete_in_bash --mode = te
expect_out text
complete_in_bash --mode =
expect_contains stdout json
complete_in_bash --model x
expect_out ""

t "every command, subcommand and flag of the help is in all three scripts"
for shell in bash zsh fish; do
    "$KEDGE" completion $shell >"script.$shell"
done
for command in '' 'gh exec' arcade mcp 'agent-tools task create' 'agent-tools mmd-validate'; do
    # shellcheck disable=SC2086
    "$KEDGE" $command --help | sed -n 's/^  \(-., \)\{0,1\} *\(--[a-z-]*\).*/\2/p' | sort -u >flags
    [ -s flags ] || fail "no flags in the help of kedge $command"
    while read -r flag; do
        grep -qe "[ ']$flag[ ']" script.bash || fail "bash has no $flag of kedge $command"
        grep -qe "'$flag:" script.zsh || fail "zsh has no $flag of kedge $command"
        grep -qe "__kedge_at '$command'\" -l ${flag#--} " script.fish || fail "fish has no $flag of kedge $command"
        printf '%s\n' "$flag" | sed 's/-/\\\\-/g' >escaped
        page=${command%% *}
        "$KEDGE" man $page | grep -qe "fB$(cat escaped)" || fail "the manual of kedge $command has no $flag"
    done <flags
done

t "in a terminal: Tab completes the word"
cat >rc <<'S'
PS1='ready> '
kedge() { "$KEDGE" "$@"; }
eval "$("$KEDGE" completion bash)"
S
run "${PYTHON:-python3}" "$E2E_DIR/terminal.py" --answer "ready> =kedge compl	" --answer "usage: kedge completion=exit 0" \
    env INPUTRC=/dev/null bash --noprofile --rcfile rc -i
expect_exit 0
expect_contains stdout "usage: kedge completion bash|zsh|fish"

t "zsh and fish read their scripts"
if command -v zsh >/dev/null && command -v fish >/dev/null; then
    run zsh -f -c 'autoload -Uz compinit; compinit -D; source ./script.zsh; print ${_comps[kedge]}'
    expect_exit 0
    expect_out _kedge
    run fish --no-config -c 'source ./script.fish; complete -C "kedge agent-tools task pi"; complete -C "kedge --mode j"; complete -C "kedge gh exec --yes-u"'
    expect_exit 0
    expect_matches stdout '^pickup'
    expect_matches stdout '^json'
    expect_matches stdout '^--yes-unknown'
else
    skip "zsh or fish is not installed"
fi

t "a shell that has no script, and none"
run kedge completion tcsh
expect_exit 2
expect_contains stderr 'no completion for "tcsh": bash, zsh and fish have one'
run kedge completion
expect_exit 2
expect_contains stderr 'usage: kedge completion bash|zsh|fish'

t "manual pages: one for each command, well formed"
mkdir pages
run kedge man --output pages
expect_exit 0
"$KEDGE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' >commands
[ -s commands ] || fail "no commands in the help"
while read -r command; do
    [ -s "pages/kedge-$command.1" ] || fail "no page of $command"
    grep -qe "^\.BR kedge.*$(printf '%s' "$command" | sed 's/-/\\\\-/g') (1)" pages/kedge.1 || fail "kedge(1) does not name $command"
done <commands
if command -v mandoc >/dev/null; then
    for page in pages/*; do
        mandoc -Tlint -W warning "$page" | grep -v 'missing date' >lint
        [ ! -s lint ] || fail "$page:" "$(cat lint)"
    done
else
    note "mandoc is not installed: only their presence was looked at"
fi

t "one page, in words"
run kedge man gh
expect_exit 0
expect_matches stdout '^\.TH KEDGE-GH 1 '
expect_contains stdout '.SS kedge gh exec'
expect_contains stdout 'Run a write without asking'
run kedge man nothing
expect_exit 2
expect_contains stderr 'no command "nothing"; `kedge --help` lists them'
run kedge man --output /nonexistent/folder
expect_exit 1
expect_contains stderr /nonexistent/folder

done_testing
