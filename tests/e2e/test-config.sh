#!/bin/sh
# `kedge config`: settings shown and changed. Rows of agent-core §10.1 and §10.5 are named core-N.
. "$(dirname "$0")/lib.sh"
need_kedge

CONFIG=$HOME/.kedge/agent/config.yml

t "core-2 get prints the default in a fresh home, and makes nothing"
run kedge config get steeringMode
expect_exit 0
expect_out "one-at-a-time"
expect_empty stderr
expect_no_file "$HOME/.kedge"

t "core-3 a value that does not fit is refused, and nothing is written"
run kedge config set retry.enabled maybe
expect_exit 1
expect_empty stdout
expect_matches stderr '^Invalid boolean value: maybe\. Use true/false, yes/no, on/off, or 1/0$'
expect_no_file "$CONFIG"

t "core-4 set --json, the file, and get"
run kedge config set retry.maxRetries 7 --json
expect_exit 0
expect_out '{"key":"retry.maxRetries","value":7}'
expect_file "$CONFIG" 'retry:
  maxRetries: 7'
run kedge config get retry.maxRetries --json
expect_out '{"key":"retry.maxRetries","value":7,"type":"number","description":"Maximum retry attempts on API errors"}'
[ "$(stat -c %a "$CONFIG")" = 600 ] || fail "config.yml has mode $(stat -c %a "$CONFIG")"

t "core-5 an unknown setting"
run kedge config get nope.key
expect_exit 1
expect_empty stdout
expect_matches stderr '^Unknown setting: nope\.key$'
run kedge config set retry.maxRetrys 3
expect_exit 1
expect_matches stderr '^Did you mean retry\.maxRetries\?$'

t "core-78 comments, order and unknown keys stay; unset removes"
cat >"$CONFIG" <<'Y'
# mine

later: {thing: [1, 2]} # of another release
retry:
  maxRetries: 3 # enough
Y
run kedge config set tools.maxTimeout -5
expect_exit 0
run kedge config set retry.maxRetries 5
run kedge config unset tools.maxTimeout
expect_out 'tools.maxTimeout = 0'
expect_file "$CONFIG" '# mine

later: {thing: [1, 2]} # of another release
retry:
  maxRetries: 5 # enough'
run kedge config list
expect_matches stderr 'config\.yml: no such setting: later$'
expect_matches stdout '^  retry\.maxRetries = 5 \(number\)$'

t "a file that is broken stays as it is, to the byte"
printf 'retry: [1\n# mine' >"$CONFIG"
cp "$CONFIG" before
run kedge config set retry.maxRetries 5
expect_exit 1
expect_matches stderr 'settings not saved: .*config\.yml: yaml: line'
cmp -s before "$CONFIG" || fail "the file has changed"
rm "$CONFIG"

t "core-77 ten processes that set different keys at once: all are saved"
printf '# keep me\n' >"$CONFIG"
_pids=
for _key in retry.maxRetries retry.maxWait retry.baseDelayMs grep.contextBefore grep.contextAfter gh.timeout \
    gh.maxBytes read.defaultLimit tools.maxTimeout modelRoles.smol; do
    kedge config set "$_key" 11 >"out.$_key" 2>&1 &
    _pids="$_pids $!"
done
for _pid in $_pids; do
    wait "$_pid" || fail "a process failed:" "$(cat out.*)"
done
[ "$(grep -c ': 11$' "$CONFIG")" = 10 ] || fail "not all are there:" "$(cat "$CONFIG")"
expect_contains "$CONFIG" '# keep me'
expect_no_file "$CONFIG.lock"
rm "$CONFIG"

t "core-77 another program holds the lock: it is waited for, and said; one whose program is gone is taken over"
mkdir -p "$CONFIG.lock"
printf '{"pid":%s,"timestamp":%s000}' $$ "$(($(date +%s) + 60))" >"$CONFIG.lock/info"
run kedge config set retry.maxRetries 5
expect_exit 1
expect_contains stderr "settings not saved: Failed to acquire lock for $CONFIG after 50 attempts"
expect_no_file "$CONFIG"
[ -d "$CONFIG.lock" ] || fail "another's lock is gone"
sh -c 'echo $$' >gone-pid
printf '{"pid":%s,"timestamp":%s000}' "$(cat gone-pid)" "$(($(date +%s) + 60))" >"$CONFIG.lock/info"
run kedge config set retry.maxRetries 5
expect_exit 0
expect_file "$CONFIG" 'retry:
  maxRetries: 5'
expect_no_file "$CONFIG.lock"
rm "$CONFIG"

t "a config.yml that is a link stays one, and what it leads to is changed"
mkdir -p dotfiles
printf '# mine\nretry: {enabled: true} # yes\n' >dotfiles/kedge.yml
ln -s "$PWD/dotfiles/kedge.yml" "$CONFIG"
run kedge config set retry.maxRetries 5
expect_exit 0
[ -L "$CONFIG" ] || fail "the link is gone"
expect_file dotfiles/kedge.yml '# mine
retry: {enabled: true, maxRetries: 5} # yes'
rm dotfiles/kedge.yml
run kedge config set retry.maxRetries 6
expect_exit 1
expect_contains stderr 'settings not saved: '
[ -L "$CONFIG" ] || fail "a link that leads nowhere was replaced"
rm "$CONFIG"

t "no more room on the disk: the file stays as it is, nothing is left beside it"
{
    echo 'retry: {maxRetries: 3}'
    seq -f '# a comment that takes room, number %g' 1 200
} >"$CONFIG"
cp "$CONFIG" before
run sh -c 'ulimit -f 2 && exec kedge config set retry.maxRetries 5' # a file has at most 1 KiB
expect_exit 1
expect_contains stderr 'settings not saved: '
cmp -s before "$CONFIG" || fail "the file has changed"
[ "$(ls -A "$(dirname "$CONFIG")")" = config.yml ] || fail "left behind: $(ls -A "$(dirname "$CONFIG")")"
run kedge config set retry.maxRetries 5
expect_exit 0
expect_contains "$CONFIG" 'retry: {maxRetries: 5}'
rm "$CONFIG"

t "core-79 settings.json of an earlier release becomes config.yml"
printf '{"queueMode": "all"}' >"$HOME/.kedge/agent/settings.json"
run kedge config get steeringMode
expect_out 'all'
expect_file "$CONFIG" 'steeringMode: all'
[ -f "$HOME/.kedge/agent/settings.json.bak" ] || fail "no settings.json.bak"
expect_no_file "$HOME/.kedge/agent/settings.json"

t "what a cloned repository sets gives the terminal no commands"
mkdir -p hostile/.kedge
cat >hostile/.kedge/config.yml <<'Y'
gh: {minVersion: "\e]0;pwned\a2.0"}
Y
cd hostile || exit 1
run kedge config list minVersion
expect_exit 0
expect_contains stdout 'gh.minVersion = \x1b]0;pwned\x072.0 (string)'
run "${PYTHON:-python3}" "$E2E_DIR/on-terminal.py" "" "" kedge config get gh.minVersion --origin
expect_exit 0
expect_contains stdout '\x1b]0;pwned\x072.0  [project]'
run kedge config get gh.minVersion
expect_out "$(printf '\033]0;pwned\0072.0')" # a program gets the value as it is
cd .. || exit 1

t "core-80 a project's value counts, and set writes yours"
mkdir -p .kedge && printf '{"steeringMode": "one-at-a-time", "shellPath": "/tmp/sh"}' >.kedge/settings.json
run kedge config list --origin steeringMode
expect_out 'Conversation
  steeringMode = one-at-a-time (enum)  [project]'
expect_matches stderr 'ignored setting shellPath: only the user'
run kedge config set steeringMode all
expect_exit 0
expect_matches stderr 'steeringMode is set by this project, too'
expect_contains .kedge/settings.json one-at-a-time
run kedge config list --json --origin steeringMode
expect_json stdout steeringMode.value one-at-a-time
expect_json stdout steeringMode.origin project
rm -r .kedge

t "entries of maps, lists, and what is not set"
run kedge config set modelRoles.smol mock/m1:low
expect_out 'modelRoles.smol = mock/m1:low'
run kedge config get modelRoles.smol
expect_out 'mock/m1:low'
run kedge config set env.pass '["A_TOKEN"]'
run kedge config get env.pass
expect_out '["A_TOKEN"]'
run kedge config get shellPath
expect_exit 0
expect_out ''

t "usage errors"
for _words in "" "set" "set retry.enabled" "get" "lst" "list --nope" "path x"; do
    # shellcheck disable=SC2086 # words
    run kedge config $_words
    expect_exit 2
    expect_empty stdout
done
run kedge config lst
expect_matches stderr 'did you mean "list"'

t "path and schema"
run kedge config path
expect_out "$HOME/.kedge/agent"
run kedge config schema
expect_exit 0
expect_json stdout properties.retry.properties.maxRetries.default 3

t "docs/settings.md is made of the table"
run kedge config schema --markdown
expect_exit 0
[ -z "$UPDATE" ] || cp "$(path_of stdout)" "$E2E_ROOT/docs/settings.md"
cmp -s "$(path_of stdout)" "$E2E_ROOT/docs/settings.md" ||
    fail "docs/settings.md is old: build/kedge config schema --markdown > docs/settings.md"

t "keys shows the keys as they are here, and what is wrong in their file"
run kedge config keys
expect_exit 0
expect_empty stderr
expect_matches stdout '^  tui\.editor\.undo  *ctrl\+-  *Undo the last change$'
mkdir -p "$HOME/.kedge/agent"
echo '{"undo": "alt+u", "app.modle.select": "ctrl+x"}' >"$HOME/.kedge/agent/keybindings.json"
run kedge config keys
expect_exit 0
expect_matches stdout '^  tui\.editor\.undo  *alt\+u  *Undo the last change$'
expect_matches stderr 'keybindings\.json: there is no action "app\.modle\.select": did you mean "app\.model\.select"\?'
run kedge config keys --json
expect_matches stdout '^      "alt\+u"$'
rm "$HOME/.kedge/agent/keybindings.json"

t "the keys in docs/terminal.md are made of their table"
run kedge config keys --markdown
expect_exit 0
page=$E2E_ROOT/docs/terminal.md
{
    sed '/^<!-- Made of the table of keys/q' "$page"
    echo
    cat "$(path_of stdout)"
    echo
    sed -n '/^<!-- End of the keys -->$/,$p' "$page"
} >"$HOME/terminal.md"
[ -z "$UPDATE" ] || cp "$HOME/terminal.md" "$page"
cmp -s "$HOME/terminal.md" "$page" || fail "docs/terminal.md: its keys are old: UPDATE=1 tests/e2e/run config"
rm "$HOME/terminal.md"

t "edit opens the file, and says what does not fit afterwards"
run kedge config edit
expect_exit 1
expect_matches stderr 'no terminal for an editor; the file is .*config\.yml'
if command -v script >/dev/null 2>&1; then
    cat >editor <<'S'
#!/bin/sh
printf 'steeringMode: never\n' >"$1"
S
    chmod +x editor
    EDITOR="$PWD/editor" script -qec "kedge config edit" /dev/null >typed </dev/null
    grep -q 'ignored setting steeringMode: must be one of one-at-a-time, all' typed || fail "$(cat typed)"
    expect_file "$CONFIG" 'steeringMode: never'
fi
done_testing
