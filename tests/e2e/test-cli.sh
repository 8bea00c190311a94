#!/bin/sh
# The command line: how argv becomes a command and prompts, what flags and @files do, which exit
# code says what. Rows of agent-core §10.1 are named core-N.
. "$(dirname "$0")/lib.sh"
need_kedge

# The provider `mock` of agent-core §10: the model server.
mock_models() {
    mkdir -p "$HOME/.kedge/agent"
    cat >"$HOME/.kedge/agent/models.yml" <<Y
providers:
  mock:
    baseUrl: $MODEL_URL
    api: anthropic-messages
    apiKey: test-key
    models:
      - {id: m1, contextWindow: 10000, maxTokens: 1000, input: [text, image]}
      - {id: m2, reasoning: true}
Y
    unset ANTHROPIC_API_KEY ANTHROPIC_BASE_URL
}

# user_text N: the text of the last user message of request N.
user_text() { model_journal "$1.body.messages.-1.content.0.text"; }

expect_sent() { # N TEXT
    _sent=$(user_text "$1")
    [ "$_sent" = "$2" ] || fail "request $1 has: $_sent" "want: $2"
}

expect_requests() {
    _requests=$(model_journal '#')
    [ "$_requests" = "$1" ] || fail "the model was asked $_requests times, want $1"
}

# always: a model that says ok to everything.
always() {
    model_script - <<'J'
{"text": "ok", "repeat": true}
J
    mock_models
}

# ---- version, help, commands -----------------------------------------------

t "core-1 --version prints the version, and makes no files"
run kedge --version
expect_exit 0
expect_matches stdout '^kedge/[0-9]+\.[0-9]+\.[0-9]+$'
expect_lines stdout 1
expect_empty stderr
run kedge -v
expect_matches stdout '^kedge/'
run kedge launch --version
expect_exit 0
expect_matches stdout '^[0-9]+\.[0-9]+\.[0-9]+$'
expect_no_file "$HOME/.kedge"

t "help: flags, commands by name, environment, tools; on stdout, exit 0"
run kedge --help
expect_exit 0
expect_empty stderr
for word in "-p, " --continue --model --max-turns "  github" "  mcp" ANTHROPIC_API_KEY "  bash" "  edit"; do
    expect_contains stdout "$word"
done
cp "$E2E_TMP/.state/stdout" help.txt
for form in -h help; do
    run kedge "$form"
    expect_exit 0
    expect_file stdout "$(cat help.txt)"
done
sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' help.txt >names
[ -s names ] || fail "no commands in the help"
sort -c names || fail "the commands are not sorted"
expect_not_contains names launch
run kedge tool --help
expect_exit 0
expect_contains stdout "Usage: kedge tool"
expect_no_file "$HOME/.kedge"

t "every command answers --help, and refuses an unknown flag with its name"
while read -r name; do
    run kedge "$name" --help
    expect_exit 0
    expect_contains stdout "Usage: kedge $name"
    case $name in grep | read | github | agent-tools) continue ;; esac # their words are free, or tested elsewhere
    run kedge "$name" --no-such-flag
    expect_exit 2
    expect_contains stderr "--no-such-flag"
    expect_empty stdout
done <names

t "a bad value is a usage error that names the flag and the values"
run kedge --mode banana -p hi
expect_exit 2
expect_contains stderr 'Expected --mode to be one of: text, json'
expect_contains stderr 'got "banana"'
run kedge --max-turns many -p hi
expect_exit 2
expect_contains stderr '--max-turns: expected a number, got "many"'
run kedge --max-turns -1 -p hi
expect_exit 2
expect_contains stderr '--max-turns must be a positive number, not -1'
run kedge -p hi --model
expect_exit 2
expect_contains stderr '--model needs a value'
run kedge --provider openai -p hi
expect_exit 2
expect_contains stderr '--provider needs --model'
run kedge --api-key sk-secret-of-mine -p hi
expect_exit 2
expect_contains stderr '--api-key requires a model to be specified via --model'
expect_not_contains stderr sk-secret

t "core-18 --fork with --no-session is refused"
run kedge --fork abc --no-session -p hi
expect_exit 2
expect_contains stderr "--fork requires session persistence"

t "where there is no terminal, a prompt without -p says how to ask"
run kedge fix the bug
expect_exit 1
expect_contains stderr "Interactive mode requires a terminal. Use -p for non-interactive runs."
expect_empty stdout

# ---- no model --------------------------------------------------------------

t "core-19 no credentials: says what to set, exit 1; core-59 no session file"
run kedge -p hi
expect_exit 1
expect_empty stdout
expect_matches stderr '^No models available\.'
for word in ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY "$HOME/.kedge/agent/models.yml"; do
    expect_contains stderr "$word"
done
[ -z "$(find "$HOME/.kedge" -name '*.jsonl' 2>/dev/null)" ] || fail "a session was written"

t "a named model without its key: says which key is missing"
run kedge --model anthropic/claude-sonnet-4-6 -p hi
expect_exit 1
expect_contains stderr "No API key found for anthropic"
expect_contains stderr ANTHROPIC_API_KEY
expect_contains stderr "--api-key"
[ -z "$(find "$HOME/.kedge" -name '*.jsonl' 2>/dev/null)" ] || fail "a session was written"

t "core-21 --list-models without credentials"
run kedge --list-models
expect_exit 0
expect_out "No models available. No key is known: run kedge login anthropic, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; a server of your own is described in $HOME/.kedge/agent/models.yml."

t "--list-models: models that can be used now, filtered, none"
run env ANTHROPIC_API_KEY=x kedge --list-models
expect_exit 0
expect_matches stdout '^provider +model +context +max-out +thinking +images$'
expect_matches stdout '^anthropic +claude-sonnet-4-6 '
expect_not_contains stdout openai
sed 1d "$E2E_TMP/.state/stdout" >list
sort -c list || fail "not sorted by provider and id"
run env ANTHROPIC_API_KEY=x kedge --list-models haiku
expect_matches stdout haiku
expect_not_contains stdout opus
run env ANTHROPIC_API_KEY=x kedge --list-models zzzz
expect_exit 0
expect_out 'No models matching "zzzz"'

t "a provider of models.yml is listed beside the others"
always
run kedge --list-models
expect_matches stdout '^mock +m1 +10K +1K +no +yes$'
expect_matches stdout '^mock +m2 +128K +16\.4K +yes +no$'
expect_lines stdout 3

t "a broken models.yml is said once, and the built-in models still work"
cp "$HOME/.kedge/agent/models.yml" models.kept
printf 'providers:\n  lab:\n    models: [{id: x}]\n' >"$HOME/.kedge/agent/models.yml"
run env ANTHROPIC_API_KEY=x kedge --list-models sonnet-4-6
expect_exit 0
expect_contains stdout claude-sonnet-4-6
expect_contains stderr 'Provider lab: "baseUrl" is required when defining custom models.'
expect_lines stderr 1
cp models.kept "$HOME/.kedge/agent/models.yml"

t "core-17 a model that does not exist"
run kedge --model nomock/x -p hi
expect_exit 1
expect_matches stderr '^Model "nomock/x" not found'
expect_contains stderr --list-models
run kedge --provider nobody --model m1 -p hi
expect_exit 1
expect_contains stderr 'Unknown provider "nobody".'
expect_requests 0

# ---- prompts, stdin, files -------------------------------------------------

t "core-17 an id that is not in the table goes to its provider as it is"
always
run kedge --model mock/nothere:high -p hi
expect_exit 0
expect_file stderr "Warning: mock/nothere is not in the catalogue; using it with the defaults of mock."
[ "$(model_journal 0.body.model)" = nothere ] || fail "$(model_journal 0.body.model)"

t "core-104 a fuzzy choice is named; of several none is made"
run kedge --provider mock --model "m 2" -p hi
expect_exit 0
expect_file stderr 'Using mock/m2 for "m 2".'
run kedge --provider mock --model m -p hi
expect_exit 1
expect_file stderr 'Model "m" could be: mock/m1, mock/m2. Name one of them.'
always

t "core-105 a deprecated model: chosen by its exact id, not by a part of it, listed with --all alone"
always
cat >>"$HOME/.kedge/agent/models.yml" <<'Y'
      - {id: aged-1-20240101, successor: m1}
      - {id: aged-2, deprecated: true}
Y
run kedge --model mock/aged-1-20240101 -p hi
expect_exit 0
expect_out ok
expect_file stderr "aged-1-20240101 is deprecated; its successor is m1"
[ "$(model_journal 0.body.model)" = aged-1-20240101 ] || fail "$(model_journal 0.body.model)"
run kedge --model aged-2 -p hi
expect_file stderr "aged-2 is deprecated"
run kedge --model aged -p hi
expect_exit 1
expect_file stderr 'Model "aged" not found: mock/aged-1-20240101 is deprecated and must be named in full. Use --list-models to see available models.'
run kedge --list-models
expect_not_contains stdout aged
run kedge --list-models --all
expect_matches stdout '^mock +aged-1-20240101 .* for m1$'
expect_matches stdout '^mock +aged-2 .* yes$'
expect_matches stdout '^mock +m1 .* no$'
run kedge --list-models --all --json
[ "$(python3 -c 'import json, sys; print([m["id"] for m in json.load(sys.stdin) if m.get("deprecated")])' <"$E2E_TMP/.state/stdout")" = \
    "['aged-1-20240101', 'aged-2']" ] || fail "not marked in the list of objects"
run env ANTHROPIC_API_KEY=x kedge --list-models
expect_not_contains stdout claude-3-haiku
run env ANTHROPIC_API_KEY=x kedge --list-models --all
expect_matches stdout '^anthropic +claude-3-haiku-20240307 .* for claude-haiku-4-5$'
run kedge --all -p hi
expect_exit 2
expect_contains stderr "--all needs --list-models"
always

t "agent-core §2.10 roles: of the settings, the environment and flags; kedge/ROLE means one"
always
printf 'modelRoles: {default: mock/m1, smol: "mock/m2:low", slow: m}\n' >"$HOME/.kedge/agent/config.yml"
used() { model_journal -1.body.model; }
run kedge -p hi
[ "$(used)" = m1 ] || fail "default: $(used)"
run kedge --model kedge/smol -p hi
expect_exit 0
expect_empty stderr
[ "$(used)" = m2 ] || fail "smol: $(used)"
run env KEDGE_SMOL_MODEL=mock/m1 kedge --model pi/smol -p hi
[ "$(used)" = m1 ] || fail "KEDGE_SMOL_MODEL: $(used)"
run env KEDGE_SMOL_MODEL=mock/m1 kedge --smol mock/m2 --model kedge/smol -p hi
[ "$(used)" = m2 ] || fail "--smol: $(used)"
run kedge --plan mock/m2 --model kedge/plan -p hi
[ "$(used)" = m2 ] || fail "--plan: $(used)"
run kedge --slow nobody-has -p hi
expect_exit 1
expect_file stderr 'Error: --slow: Model "nobody-has" not found. Use --list-models to see available models.'
printf 'modelRoles: {default: m}\n' >"$HOME/.kedge/agent/config.yml"
run kedge -p hi
expect_exit 0
expect_file stderr 'Warning: modelRoles.default: Model "m" could be: mock/m1, mock/m2. Name one of them.'
rm "$HOME/.kedge/agent/config.yml"
always

t "roles and what they are called stand in the list of models; a role may be a person's own"
printf 'modelRoles: {smol: mock/m2, quick: mock/m2}\nmodelTags: {quick: {name: "Quick\\u001b one", color: green}}\n' >"$HOME/.kedge/agent/config.yml"
run kedge --list-models mock
expect_exit 0
expect_matches stdout '^provider .* roles$'
expect_matches stdout 'm2 .* smol, Quick.* one$'
expect_not_contains stdout "$(printf '\033')"
run kedge --list-models mock --json
expect_contains stdout '"roles":[{"id":"smol"},{"id":"quick","name":"Quick\u001B one","color":"green"}]'
run kedge --model kedge/quick -p hi
[ "$(used)" = m2 ] || fail "a role of one's own: $(used)"
rm "$HOME/.kedge/agent/config.yml"
run kedge --list-models mock
expect_not_contains stdout roles

t "--models and enabledModels: the first of them is used; providers can be disabled"
always
run kedge --models "zzz*,mock/m2:low,mock/m1" -p hi
expect_exit 0
expect_file stderr "Warning: --models: no model that can be used matches zzz*"
[ "$(used)" = m2 ] || fail "--models: $(used)"
printf 'enabledModels: ["mock/*2"]\nmodelRoles: {default: mock/m1}\n' >"$HOME/.kedge/agent/config.yml"
run kedge -p hi
expect_empty stderr
[ "$(used)" = m2 ] || fail "enabledModels: $(used)"
run kedge --model mock/m1 -p hi
[ "$(used)" = m1 ] || fail "--model with enabledModels: $(used)"
run kedge -c -p more
[ "$(used)" = m1 ] || fail "a session keeps its model: $(used)"
printf 'disabledProviders: [mock]\n' >"$HOME/.kedge/agent/config.yml"
run kedge --model mock/m1 -p hi
expect_exit 1
expect_contains stderr "the provider is one of disabledProviders"
run kedge --list-models
expect_out "No models available. No key is known: run kedge login anthropic, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; a server of your own is described in $HOME/.kedge/agent/models.yml."
printf 'enabledModels: [{pathPrefix: "%s", models: [mock/m2]}, mock/m1]\ndisabledProviders: [{path: /elsewhere, providers: [mock]}]\n' \
    "$PWD" >"$HOME/.kedge/agent/config.yml"
run kedge -p hi
expect_empty stderr
[ "$(used)" = m2 ] || fail "enabledModels of this folder: $(used)"
mkdir -p "$E2E_TMP/other" && cd "$E2E_TMP/other" || exit 1
run kedge -p hi
[ "$(used)" = m1 ] || fail "enabledModels of another folder: $(used)"
cd "$HOME/work" || exit 1
rm "$HOME/.kedge/agent/config.yml"
always

t "core-6 each word is a prompt, quoting makes one"
run kedge --model mock/m1 -p configuration of x
expect_exit 0
expect_out ok
expect_requests 3
expect_sent 0 configuration
expect_sent 1 of
expect_sent 2 x
always
run kedge --model mock/m1 -p "configuration of x"
expect_requests 1
expect_sent 0 "configuration of x"

t "a word that is no command, and words after --, are prompts"
always
printf 'IN' | run -i - kedge --model mock/m1 -- config
expect_sent 0 "IN
config"

t "core-7 piped input makes a print run; it comes before the words"
always
printf 'DIFF' | run -i - kedge --model mock/m1 review
expect_exit 0
expect_out ok
expect_empty stderr
expect_requests 1
expect_sent 0 "DIFF
review"

t "core-8 blank input counts as none"
always
printf '  \n' | run -i - kedge -p --model mock/m1 hi
expect_exit 0
expect_sent 0 hi

t "core-9 @file"
always
printf 'one' >a.txt
run kedge --model mock/m1 -p @a.txt sum "then more"
expect_exit 0
expect_sent 0 "<file name=\"$PWD/a.txt\">
one
</file>
sum"
expect_sent 1 "then more"

t "agent-core §1.4 input, file and words together"
always
printf 'DIFF\n' | run -i - kedge --model mock/m1 -p @a.txt "review this" "then list risks"
expect_sent 0 "DIFF

<file name=\"$PWD/a.txt\">
one
</file>
review this"
expect_sent 1 "then list risks"
expect_requests 2

t "core-10 a missing @file: nothing is asked"
always
run kedge --model mock/m1 -p @missing.txt hi
expect_exit 1
expect_file stderr "Error: File not found: $PWD/missing.txt"
expect_requests 0

t "an @file that is a pipe is read to its end; what is too much is said"
always
mkfifo pipe
echo "from a pipe" >pipe &
run kedge --model mock/m1 -p @pipe hi
expect_exit 0
case $(user_text 0) in *"from a pipe"*hi) ;; *) fail "sent: $(user_text 0)" ;; esac
run kedge --model mock/m1 -p @/dev/zero hi
expect_exit 0
expect_contains stderr "Warning: Skipping file contents (too large: "

t "core-11 an empty @file is skipped"
always
: >empty.txt
run kedge --model mock/m1 -p @empty.txt hi
expect_exit 0
expect_sent 0 hi

t "core-12 a file over 5 MiB is named, not sent"
always
head -c 6291456 /dev/zero | tr '\0' x >big.txt
run kedge --model mock/m1 -p @big.txt hi
expect_exit 0
expect_out ok
expect_contains stderr "Warning: Skipping file contents (too large: 6"
expect_contains stderr "): $PWD/big.txt"
case $(user_text 0) in
"<file name=\"$PWD/big.txt\">(skipped: too large, 6"*"hi") ;;
*) fail "sent: $(user_text 0 | head -c 300)" ;;
esac
rm big.txt

t "an image goes as an image, by its content and not its name"
always
printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' |
    base64 -d >dot.txt
run kedge --model mock/m1 -p @dot.txt "what is it"
expect_exit 0
[ "$(model_journal 0.body.messages.-1.content.#)" = 2 ] || fail "no two blocks"
[ "$(model_journal 0.body.messages.-1.content.1.source.media_type)" = image/png ] ||
    fail "$(model_journal 0.body.messages.-1.content)"
expect_sent 0 "<file name=\"$PWD/dot.txt\"></file>
what is it"
expect_empty stderr

t "an image for a model that takes none: a word in its place, a line for the person; kedge/vision does"
always
run kedge --model mock/m2 -p @dot.txt "what is it"
expect_exit 0
expect_file stderr "Warning: mock/m2 takes no images: 1 of the prompt stays here; --model mock/m1 takes them"
[ "$(model_journal 0.body.messages.-1.content.1.text)" = "[image removed: this model does not accept images]" ] ||
    fail "$(model_journal 0.body.messages.-1.content)"
run kedge --model kedge/vision -p @dot.txt "what is it"
expect_empty stderr
[ "$(model_journal 1.body.model)" = m1 ] || fail "kedge/vision: $(model_journal 1.body.model)"
always

# ---- flags -----------------------------------------------------------------

t "core-14 --tools offers those, and names the unknown"
always
run kedge --model mock/m1 --tools " Read,zzz" -p hi
expect_exit 0
expect_contains stderr zzz
expect_lines stderr 1
[ "$(model_journal '0.body.tools.#')" = 1 ] || fail "$(model_journal 0.body.tools)"
[ "$(model_journal '0.body.tools.0.name')" = read ] || fail "$(model_journal 0.body.tools)"

t "all tools by default"
run kedge --model mock/m1 -p hi
for name in read bash edit write grep find github; do
    [ "$(model_journal "1.body.tools.[name=$name].name")" = $name ] || fail "no $name"
done

t "core-15 --no-tools offers none; with --tools the list wins"
run kedge --model mock/m1 --no-tools -p hi
expect_exit 0
case $(model_journal 2.body.tools 2>&1) in
"[]" | "nothing at"*) ;;
*) fail "$(model_journal 2.body.tools)" ;;
esac
run kedge --model mock/m1 --no-tools --tools=bash -p hi
[ "$(model_journal '3.body.tools.#')" = 1 ] || fail "$(model_journal 3.body.tools)"

t "core-16 a thinking level that is none: a warning, and the default"
always
run kedge --model mock/m2 --thinking banana -p hi
expect_exit 0
expect_out ok
expect_contains stderr banana
expect_lines stderr 1
run kedge --model mock/m2 -p hi
[ "$(model_journal 0.body.thinking)" = "$(model_journal 1.body.thinking)" ] || fail "not the default level"
run kedge --model mock/m2 --thinking off -p hi
[ "$(model_journal 2.body.thinking.type)" = disabled ] || fail "$(model_journal 2.body)"
run kedge --model mock/m2:low -p hi
[ "$(model_journal 3.body.thinking.budget_tokens)" = 4096 ] || fail "$(model_journal 3.body.thinking)"

t "an unknown flag is an error with the nearest name, before anything is asked"
before=$(model_journal '#')
for flag in "--xyz:" "--read-only:" "-q:" "--no-tolls:; did you mean --no-tools?" "--max-trns:; did you mean --max-turns?" "--allow-write:; did you mean --allow-writes?"; do
    run kedge --model mock/m1 "${flag%%:*}" -p hi
    expect_exit 2
    expect_empty stdout
    expect_file stderr "Error: unknown option ${flag%%:*}${flag#*:}"
done
[ "$(model_journal '#')" = "$before" ] || fail "the model was asked"
run kedge --model mock/m1 -p -- --xyz
expect_exit 0

t "a first word that is nearly a command is no prompt"
before=$(model_journal '#')
for word in dcotor:doctor statz:stats confgi:config sesions:sessions; do
    run kedge "${word%:*}"
    expect_exit 2
    expect_contains stderr "there is no command \"${word%:*}\"; did you mean \`kedge ${word#*:}\`?"
done
run kedge version
expect_out "$(kedge --version)"
run "${PYTHON:-python3}" "$E2E_DIR/on-terminal.py" 'Number [1]' '\n' kedge confgi get gh.policy
expect_exit 0
expect_contains stdout '1. Run kedge config'
expect_contains stdout '{}'
run "${PYTHON:-python3}" "$E2E_DIR/on-terminal.py" 'Number [1]' '3\n' kedge statz
expect_exit 2
[ "$(model_journal '#')" = "$before" ] || fail "the model was asked"

t "an unknown setting is warned about once; one that was to be a guard stops everything that runs"
printf 'gh: {polcy: read-only}\nthem.dark: x\n' >>"$HOME/.kedge/agent/config.yml"
for command in '-p hi' 'tool run ls {}' 'gh exec -- --version' 'mcp' '--mode rpc'; do
    # shellcheck disable=SC2086
    run kedge $command
    expect_exit 2
    expect_contains stderr 'config.yml: no setting is called gh.polcy; did you mean gh.policy? It is a guard, and nothing runs without it'
done
run kedge config get gh.policy
expect_exit 0
run kedge doctor
expect_contains stdout 'no setting is called gh.polcy; did you mean gh.policy?'
expect_contains stdout 'no setting is called them.dark; did you mean theme.dark?'
sed -i 's/polcy/policy/' "$HOME/.kedge/agent/config.yml"
run kedge -p hi
expect_exit 0
expect_file stderr 'Warning: config.yml: no such setting: them.dark (did you mean theme.dark?)'
sed -i '/^gh:/d; /^them/d' "$HOME/.kedge/agent/config.yml"

t "--system-prompt replaces, --append-system-prompt adds; text or file"
always
echo "From a file." >prompt.md
run kedge --model=mock/m1 --system-prompt "You are a lighthouse." --append-system-prompt prompt.md -p hi
expect_exit 0
model_journal 0.body.system >system
expect_contains system "You are a lighthouse."
expect_contains system "From a file."
run kedge --model=mock/m1 -p hi
model_journal 1.body.system >system
expect_not_contains system lighthouse
expect_contains system "the current working directory is '~/work'"

t "AGENTS.md of the project goes into the prompt"
echo "Always say ahoy." >AGENTS.md
run kedge --model=mock/m1 -p hi
model_journal 2.body.system >system
expect_contains system "Always say ahoy."
rm AGENTS.md

t "core-108 --cwd, and the home directory is left for a private one unless --allow-home"
always
mkdir sub
run kedge --cwd sub --model mock/m1 -p hi
model_journal 0.body.system >system
expect_contains system "directory is '~/work/sub'"
run kedge --cwd none --model mock/m1 -p hi
expect_exit 1
expect_contains stderr "--cwd none"
cd "$HOME" || exit
run kedge --model mock/m1 -p hi
model_journal 1.body.system >work/system
expect_contains stderr "Working in ~/.kedge/scratch"
[ "$(stat -c %a "$HOME/.kedge/scratch")" = 700 ] || fail "$(ls -ld "$HOME/.kedge/scratch")"
run kedge --allow-home --model mock/m1 -p hi
model_journal 2.body.system >work/system2
cd work || exit
expect_contains system "directory is '~/.kedge/scratch'"
expect_contains system2 "directory is '~'"

t "core-108 a scratch directory that is not ours alone is not used"
cd "$HOME" || exit
rmdir "$HOME/.kedge/scratch"
ln -s /tmp "$HOME/.kedge/scratch"
run kedge --model mock/m1 -p hi
expect_exit 1
expect_contains stderr "Cannot use ~/.kedge/scratch: "
rm "$HOME/.kedge/scratch"
cd work || exit

t "core-106 no prompt, or a blank one: exit 2, nothing sent or written"
before=$(model_journal '#')
for words in '-p' '-p ""' '-p "  " ""' '-c -p' '--mode json'; do
    eval "run kedge --model mock/m1 $words"
    expect_exit 2
    expect_empty stdout
    expect_file stderr "No prompt. Give one as an argument or on standard input."
done
[ "$(model_journal '#')" = "$before" ] || fail "the model was asked"

t "core-107 a pipe that stays open: said once, answered when it ends"
mkfifo input
( exec 3>input; wait_for 10 grep -qs Waiting "$(path_of stderr)"; echo late >&3 ) &
run -t 20 sh -c 'exec kedge --model mock/m1 -p hi <input'
wait $!
rm input
expect_exit 0
expect_file stderr "Waiting for standard input. End it, or start with </dev/null."

t "--api-key is sent, and stored nowhere"
always
run kedge --model mock/m1 --api-key sk-only-for-this-run -p hi
expect_exit 0
[ "$(model_journal 0.headers.x-api-key 2>&1)$(model_journal 0.headers.authorization 2>&1)" != "" ] || fail "no key"
! grep -rqs sk-only-for-this-run "$HOME/.kedge" || fail "stored: $(grep -rls sk-only "$HOME/.kedge")"

# ---- kedge tool ------------------------------------------------------------

t "kedge tool list and schema"
run kedge tool list
expect_exit 0
for name in read bash edit write grep find github; do
    expect_matches stdout "^$name +[A-Z]"
done
run kedge tool list --json
expect_json stdout '[name=bash].name' bash
run kedge tool schema read
expect_exit 0
expect_json stdout properties.path.type string
run kedge tool schema greb
expect_exit 2
expect_contains stderr 'did you mean "grep"?'

t "kedge tool run: 0 done, 1 failed, 2 bad arguments, 77 refused"
run kedge tool run read '{"path":"a.txt"}'
expect_exit 0
expect_contains stdout one
run kedge tool run read '{"path":"missing.txt"}'
expect_exit 1
expect_empty stdout
expect_contains stderr missing.txt
run kedge tool run read '{"file":"a.txt"}'
expect_exit 2
expect_contains stderr "path"
run kedge tool run nothing '{}'
expect_exit 2
run kedge tool
expect_exit 2
expect_contains stderr usage
run setsid -w kedge tool run bash '{"command":"echo ran >ran"}'
expect_exit 77
expect_contains stderr "nobody can be asked"
expect_contains stderr "--yes"
expect_no_file ran
run setsid -w kedge tool run --yes bash '{"command":"echo ran; exit 3"}'
expect_exit 1
expect_contains stderr "Command exited with code 3"
run setsid -w kedge tool run --yes bash '{"command":"echo ran"}'
expect_exit 0
expect_out ran

t "kedge tool run: arguments from stdin, the result as JSON"
echo '{"command":"seq 30000"}' | run -i - kedge tool run --yes bash -
expect_exit 0
expect_contains stdout "
30000
"
expect_matches stdout '^\[Showing lines [0-9]+-30001 of 30001 \(50\.0KB limit\)\]$'
run kedge tool run --json read '{"path":"a.txt"}'
expect_json stdout isError false
expect_json stdout content.0.type text
run kedge tool run --json read '{"path":"missing.txt"}'
expect_exit 1
expect_json stdout isError true

t "kedge read and kedge grep"
run kedge read a.txt
expect_exit 0
expect_contains stdout one
run kedge grep on a.txt
expect_exit 0
expect_contains stdout one
run kedge read
expect_exit 2

t "update --check: the latest release of the repository that publishes them; nothing without one"
run kedge update
expect_exit 2
run kedge update --check
expect_exit 1
expect_contains stderr 'names no place of releases'
run kedge update --check --repo nonsense
expect_exit 2
expect_contains stderr '--repo must be [HOST/]OWNER/REPO, not nonsense'
forge_start
export GITHUB_API_URL="$FORGE_URL"
run kedge update --check --repo harbor/tidepool
expect_exit 0
expect_matches stdout '^v2\.1 is out, this is 0\.[0-9.]+: http.*/harbor/tidepool/releases/tag/v2\.1$'
run kedge update --check --repo harbor/tidepool --json
expect_json stdout latest v2.1
expect_json stdout isNewer true
run env -u GH_TOKEN -u GITHUB_TOKEN kedge update --check --repo harbor/tidepool
expect_exit 0
expect_contains stdout 'v2.1 is out'
forge_log 'path=releases/latest' >"$E2E_TMP/run/asked"
expect_contains "$E2E_TMP/run/asked" '"auth":null'
run kedge update --check --repo harbor/none
expect_exit 1

done_testing
