#!/bin/sh
# `kedge gh exec|call|classify|doctor|last-error|audit`: the real gh against a GitHub-like server. What runs, what is
# refused, that nothing was sent before somebody said yes, and what is remembered of it.
. "$(dirname "$0")/lib.sh"
need_kedge
need_gh
need setsid

forge_start --web https://github.localhost
unset GH_HOST # which host is meant comes from the clone
git config --global url."http://github.localhost/".insteadOf https://github.localhost/
git clone -q http://github.localhost/harbor/tidepool.git tidepool || exit 1
git clone -q http://github.localhost/harbor/tidepool.git strict || exit 1
mkdir -p "$HOME/.kedge/agent" "$E2E_TMP/run"
audit_dir=$HOME/.kedge/agent/gh-audit
all=$E2E_TMP/run/all # everything that any command printed

# settings: the user's, from a here-document, below `gh:`.
settings() { { printf 'gh:\n  knownHosts: [github.localhost]\n' && cat; } >"$HOME/.kedge/agent/config.yml"; }

# writes: how many requests came that change something.
writes() {
    {
        forge_rows method "[method!=GET]" kind=rest | grep -v HEAD
        forge_rows body.query "" kind=graphql | grep '^ *mutation'
    } | wc -l
}

asked() { forge_log "kind=graphql" | grep -o '"n":' | wc -l; }

# alone COMMAND…: as run, without a terminal to ask on. on_terminal PROMPT REPLY COMMAND…: with one.
alone() {
    run setsid -w "$@"
    cat "$(path_of stdout)" "$(path_of stderr)" >>"$all"
}
on_terminal() {
    run "${PYTHON:-python3}" "$E2E_DIR/on-terminal.py" "$@"
    cat "$(path_of stdout)" "$(path_of stderr)" >>"$all"
}

settings </dev/null
cd tidepool || exit 1

# ---- exec: what runs -------------------------------------------------------

t "exec: a read runs unasked; the first line says what gh acted on"
alone kedge gh exec -- pr list --limit 2
expect_exit 0
expect_empty stderr
expect_golden stdout gh/read.out

t "exec: the answer of gh is what the server has"
alone kedge gh exec -- issue view 12 --json number,title,state
expect_exit 0
expect_lines stdout 2
expect_contains stdout '{"number":12,"state":"OPEN","title":"Tide table prints 24:00 at midnight"}'

t "exec: --repo, --hostname and --cwd say where; a leading gh is dropped"
cd "$HOME/work" || exit 1
alone kedge gh exec --repo github.localhost/harbor/vault -- gh repo view --json visibility
expect_exit 0
expect_contains stdout "[gh github.localhost/harbor/vault read ok 0.0KB]
{\"visibility\":\"PRIVATE\"}"
alone kedge gh exec --hostname github.localhost -- api user --jq .login
expect_exit 0
expect_contains stdout "[gh github.localhost read ok 0.0KB]
alice"
alone kedge gh exec --cwd tidepool -- pr view 7 --json number
expect_exit 0
expect_contains stdout "[gh github.localhost/harbor/tidepool read ok 0.0KB]"
cd tidepool || exit 1

t "exec: placeholders of api are those of the context"
alone kedge gh exec -- api 'repos/{owner}/{repo}' --jq .full_name
expect_exit 0
expect_contains stdout "[gh github.localhost/harbor/tidepool read ok 0.0KB]
harbor/tidepool"

t "exec --json: the record of the call, and what gh printed"
alone kedge gh exec --json -- issue view 12 --json number
expect_exit 0
expect_json stdout isError false
expect_json stdout details.host github.localhost
expect_json stdout details.repo harbor/tidepool
expect_json stdout details.source origin
expect_json stdout details.argv '["issue","view","12","--json","number"]'
expect_json stdout details.classification read
expect_json stdout details.exit_code 0
expect_json stdout details.via cli

t "exec --raw: what gh printed, byte for byte"
run env GH_HOST=github.localhost gh api repos/harbor/tidepool/issues/12
cp "$(path_of stdout)" "$E2E_TMP/run/want"
alone kedge gh exec --raw -- api repos/harbor/tidepool/issues/12
expect_exit 0
expect_empty stderr
cmp -s "$(path_of stdout)" "$E2E_TMP/run/want" || fail "it differs from gh's own"

t "exec --raw: an error is on stderr, and nothing of ours on stdout"
alone kedge gh exec --raw -- issue view 99999
expect_exit 1
expect_empty stdout
expect_contains stderr "Error: gh exited with status 1."
expect_contains stderr "Could not resolve to an issue or pull request"
alone kedge gh exec --raw -- auth token
expect_exit 77
expect_empty stdout
expect_contains stderr "Error: Blocked by V1 policy: prints an access token."

# ---- exec: what is asked ---------------------------------------------------

before=$(writes)

t "exec: a write without anybody to ask is refused, and nothing was sent"
alone kedge gh exec -- issue comment 8 --body "dear neighbours"
expect_exit 77
expect_empty stdout
expect_golden stderr gh/unasked.err
[ "$(writes)" = "$before" ] || fail "something was sent"

t "exec: --yes-unknown is no yes to a write, and a --yes behind -- is gh's"
alone kedge gh exec --yes-unknown -- issue comment 8 --body x
expect_exit 77
alone kedge gh exec -- issue comment 8 --body x --yes
expect_exit 77
expect_contains stderr " write confirm-unavailable]"
[ "$(writes)" = "$before" ] || fail "something was sent"

t "exec: a person on the terminal sees exactly what would run, and says no"
on_terminal "[y/N]" 'n\n' kedge gh exec -- issue comment 8 --body "dear neighbours"
expect_exit 77
expect_golden stdout gh/declined.out
[ "$(writes)" = "$before" ] || fail "something was sent"

t "exec: only y is yes"
on_terminal "[y/N]" '\n' kedge gh exec -- issue comment 8 --body x
expect_exit 77
on_terminal "[y/N]" '\x04' kedge gh exec -- issue comment 8 --body x
expect_exit 77
[ "$(writes)" = "$before" ] || fail "something was sent"

t "common-S11: what was typed before the question appears is no answer to it"
run "${PYTHON:-python3}" "$E2E_DIR/terminal.py" --answer "ready>=
y" --answer "[y/N]=n" sh -c 'printf "ready>"; read -r line; exec "$@"' sh kedge gh exec -- issue comment 8 --body x
expect_exit 77
expect_contains stdout "confirm-declined"
[ "$(writes)" = "$before" ] || fail "something was sent"

t "exec: a person says yes, and it runs once"
on_terminal "[y/N]" 'y\n' kedge gh exec -- issue comment 8 --body "dear neighbours"
expect_exit 0
expect_contains stdout "[gh github.localhost/harbor/tidepool write confirmed 0.1KB]"
[ "$(writes)" = $((before + 1)) ] || fail "$(($(writes) - before)) writes"

t "exec --yes: a write runs, once"
before=$(writes)
alone kedge gh exec --yes -- issue close 8
expect_exit 0
expect_contains stdout "[gh github.localhost/harbor/tidepool write confirmed"
[ "$(writes)" = $((before + 1)) ] || fail "$(($(writes) - before)) writes"
alone kedge gh exec -- issue view 8 --json state
expect_contains stdout '{"state":"CLOSED"}'

t "exec: what is not in the table is asked about, with a warning; --yes does not cover it"
seen=$(asked)
alone kedge gh exec --yes -- frobnicate now
expect_exit 77
expect_contains stderr "[gh github.localhost frobnicate unknown confirm-unavailable]"
on_terminal "[y/N]" 'n\n' kedge gh exec -- frobnicate now
expect_exit 77
expect_contains stdout "UNKNOWN on github.localhost"
expect_contains stdout "  not in the command table: may run a gh alias or extension"
alone kedge gh exec --yes-unknown -- frobnicate now
expect_exit 1
expect_contains stderr 'unknown command "frobnicate" for "gh"'
[ "$(asked)" = "$seen" ] || fail "gh talked to the server"

# ---- exec: what is refused -------------------------------------------------

before=$(writes)

t "exec: what destroys is refused, whoever asks"
for command in "repo delete harbor/attic --yes" "issue delete 12 --yes" "api -X DELETE repos/harbor/attic" \
    "pr close 7 --delete-branch" "repo edit --visibility public"; do
    # shellcheck disable=SC2086
    alone kedge gh exec --yes --yes-unknown -- $command
    expect_exit 77
    expect_matches stderr '^\[gh github.localhost[^ ]* [a-z]+ destructive irreversible-blocked\]$'
    expect_contains stderr "Error: Hard-blocked irreversible command: "
done
on_terminal "" "" kedge gh exec -- repo delete harbor/attic --yes
expect_exit 77
expect_not_contains stdout "[y/N]"
[ "$(writes)" = "$before" ] || fail "something was sent"

t "exec: what is interactive, shows credentials or sends files is refused"
echo secret >file
for command in "auth token" "auth status --show-token" "pr view 7 --web" "pr checkout 7" "co 7" \
    "issue create --title x --body-file file" "api repos/harbor/tidepool/issues --input file" \
    "api repos/harbor/tidepool/issues -F body=@file" "gist create file" "config get editor" \
    "api user --jq env.GH_TOKEN" "-R evil.example/o/r pr list" "extension list"; do
    # shellcheck disable=SC2086
    alone kedge gh exec --yes --yes-unknown -- $command
    expect_exit 77
    expect_contains stderr " blocked policy-blocked]"
    expect_contains stderr "Error: Blocked by V1 policy: "
done
rm file
[ "$(writes)" = "$before" ] || fail "something was sent"

t "exec: gh's own verb scan is no way around: pr --squash view merge is a merge"
alone kedge gh exec -- pr --squash view merge
expect_exit 77
expect_contains stderr "write confirm-unavailable]"

t "exec: an alias is what it stands for; a shell alias is refused"
mkdir -p "$GH_CONFIG_DIR"
cat >"$GH_CONFIG_DIR/config.yml" <<'X'
aliases:
    mine: issue list --assignee $1
    shout: issue comment 8 --body $1
    boom: '!touch boomed'
X
alone kedge gh exec -- mine alice
expect_exit 0
expect_contains stdout "[gh github.localhost/harbor/tidepool read ok"
alone kedge gh exec -- shout 'x --body-file /etc/passwd'
expect_exit 77
expect_contains stderr " blocked policy-blocked]"
alone kedge gh exec -- shout hello
expect_exit 77
expect_contains stderr " write confirm-unavailable]"
alone kedge gh exec --yes --yes-unknown -- boom
expect_exit 77
expect_contains stderr "shell alias"
expect_no_file boomed

# ---- policy ----------------------------------------------------------------

t "gh.policy write: auto is the user's to say, not the project's"
mkdir ../strict/.kedge
printf 'gh:\n  policy: {write: auto, destructive: confirm}\n' >../strict/.kedge/config.yml
cd ../strict || exit 1
alone kedge gh exec -- issue comment 8 --body x
expect_exit 77
alone kedge gh exec --yes -- repo delete harbor/attic
expect_exit 77
cd ../tidepool || exit 1
settings <<'X'
  policy: {write: auto}
X
alone kedge gh exec -- issue comment 8 --body "unasked"
expect_exit 0
expect_contains stdout "[gh github.localhost/harbor/tidepool write ok"

t "a project can be stricter"
printf 'gh:\n  policy: {write: block}\n' >../strict/.kedge/config.yml
cd ../strict || exit 1
alone kedge gh exec --yes -- issue comment 8 --body x
expect_exit 77
expect_contains stderr "Error: Blocked by V1 policy: writes are disabled for github.localhost."
cd ../tidepool || exit 1

t "gh.hostPolicy: a host that is read-only, and one of its repositories that is closed"
settings <<'X'
  hostPolicy: {github.localhost: read-only, github.localhost/harbor/vault: deny}
X
alone kedge gh exec --yes -- issue comment 8 --body x
expect_exit 77
expect_contains stderr "Blocked by V1 policy: writes are disabled for github.localhost"
alone kedge gh exec -- issue list -R github.localhost/harbor/vault
expect_exit 77
expect_contains stderr "reads are disabled"
alone kedge gh exec -- pr view 7 --json number
expect_exit 0

t "gh.profile: what is not offered is not run"
settings <<'X'
  profile: read-only
X
alone kedge gh exec -- pr list
expect_exit 77
expect_contains stderr "gh.profile"
alone kedge gh call gh_pr_view '{"number":7}'
expect_exit 0
settings </dev/null

# ---- exit statuses ---------------------------------------------------------

t "exit status: gh's own, when it ran to its end"
alone kedge gh exec -- issue view 99999
expect_exit 1
expect_empty stdout
expect_contains stderr "[gh github.localhost/harbor/tidepool read error gh-exit]
Error: gh exited with status 1."
expect_contains stderr "
Reproduce: GH_PROMPT_DISABLED=1 GH_PAGER=cat GH_HOST=github.localhost GH_REPO=github.localhost/harbor/tidepool gh issue view 99999"

t "exit status: that of gh pr checks is a result"
alone kedge gh exec -- pr checks 9
expect_exit 1
expect_contains stdout "[gh github.localhost/harbor/tidepool read ok"
alone kedge gh exec -- pr checks 11
expect_exit 8
expect_contains stdout "[gh github.localhost/harbor/tidepool read ok"

t "exit status: that of gh without a login"
run env -u GH_TOKEN kedge gh exec -- pr list
expect_exit 1
expect_contains stderr "read error auth]"
expect_contains stderr 'Run `gh auth login --hostname github.localhost` in a terminal.'

t "exit status: 64 for arguments that are none"
alone kedge gh exec --
expect_exit 64
expect_contains stderr "[gh - - - invalid-args]"
alone kedge gh exec pr list
expect_exit 64
expect_contains stderr "after the --"
alone kedge gh exec --frob -- pr list
expect_exit 64
alone kedge gh exec --raw --json -- pr list
expect_exit 64
alone kedge gh exec -- api "$(printf 'x\377')"
expect_exit 64
alone kedge gh exec --repo not/a/repo/name -- pr list
expect_exit 64

t "exit status: 124 when the time is over"
forge_ctl POST /_forge/faults '{"match":{"kind":"graphql"},"delay_ms":5000}' >/dev/null
alone kedge gh exec --timeout 1 -- pr list
expect_exit 124
expect_contains stderr "Error: Command exceeded 1 seconds;"
forge_ctl DELETE /_forge/faults >/dev/null
expect_no_strays

t "exit status: 127 without a gh, 1 for a gh that is too old or a directory that is not allowed"
settings <<X
  executable: /nowhere/gh
X
alone kedge gh exec -- pr list
expect_exit 127
expect_contains stderr "gh not found at /nowhere/gh"
settings <<X
  minVersion: 99.0.0
X
alone kedge gh exec -- pr list
expect_exit 1
expect_contains stderr "is older than the required 99.0.0; upgrade gh."
settings </dev/null
alone kedge gh exec --cwd / -- pr list
expect_exit 1
expect_contains stderr "[gh - - - invalid-cwd]"

t "exit status: 0 when the output was cut"
settings <<X
  maxBytes: 4096
X
alone kedge gh exec -- api 'repos/harbor/tidepool/issues?state=all'
expect_exit 0
expect_contains stdout "[gh github.localhost/harbor/tidepool read truncated 4.0KB]"
expect_contains stdout "[truncated at 4KB; use --limit, narrower fields, or a specific wrapper to reduce output]"
alone kedge gh exec --raw -- api 'repos/harbor/tidepool/issues?state=all'
expect_exit 0
[ "$(wc -c <"$(path_of stdout)")" -eq 4096 ] || fail "not the first 4096 bytes"
expect_contains stderr "Error: Output truncated at 4KB; reduce scope."
settings </dev/null

# ---- call ------------------------------------------------------------------

t "call: a typed read"
alone kedge gh call gh_pr_view '{"number":7,"fields":"number,title"}'
expect_exit 0
expect_contains stdout '[gh github.localhost/harbor/tidepool read ok 0.0KB]
{"number":7,"title":"Say what the table means"}'
printf '{"limit":1,"fields":"number"}' | run -i - kedge gh call gh_pr_list -
expect_exit 0
expect_contains stdout '[{"number":13}]'

t "call: the general tool asks like exec does"
before=$(writes)
alone kedge gh call gh '{"args":["issue","comment","8","--body","x"]}'
expect_exit 77
[ "$(writes)" = "$before" ] || fail "something was sent"
alone kedge gh call --yes gh '{"args":["issue","comment","8","--body","x"]}'
expect_exit 0
[ "$(writes)" = $((before + 1)) ] || fail "$(($(writes) - before)) writes"

t "call: arguments that do not fit, and no such tool"
alone kedge gh call gh '{"args":"pr list"}'
expect_exit 64
expect_contains stderr "Invalid arguments: args must be an array of strings, not a command line."
alone kedge gh call gh '{"args":["pr","list"],"yes":true}'
expect_exit 64
expect_contains stderr "[gh - - - invalid-args]"
alone kedge gh call gh '{'
expect_exit 64
alone kedge gh call gh_pr_viwe
expect_exit 64
expect_contains stderr 'did you mean "gh_pr_view"?'
alone kedge gh call github '{"op":"repo_view"}'
expect_exit 64

# ---- classify --------------------------------------------------------------

t "classify: the visible cases of the specification"
cases=$E2E_ROOT/tests/data/gh/visible-cases.tsv
cut -f 1 "$cases" | run -i - kedge gh classify --stdin --no-config --known-host ghe.example.com \
    --known-host acme.ghe.com --gh-version 2.92.0
expect_exit 0
expect_empty stderr
cut -f 1 "$(path_of stdout)" | paste "$cases" - | awk -F '\t' '$2 != $4 { print $1 ": " $4 ", want " $2 }' >"$E2E_TMP/run/wrong"
[ ! -s "$E2E_TMP/run/wrong" ] || fail "$(cat "$E2E_TMP/run/wrong")"
[ "$(grep -c . "$cases")" -ge 80 ] || fail "too few cases"

t "classify: one command, as text and as JSON; nothing is started or recorded"
lines=$(cat "$audit_dir"/*.log | wc -l)
run kedge gh classify -- pr merge 5 --squash
expect_exit 0
expect_out "$(printf 'write\tmerges a pull request')"
run kedge gh classify --json -- repo delete o/r
expect_exit 0
expect_json stdout class destructive
expect_json stdout command "repo delete"
run env PATH=/nowhere "$KEDGE" gh classify -- pr list
expect_exit 0
[ "$(cat "$audit_dir"/*.log | wc -l)" = "$lines" ] || fail "it left an audit line"

t "classify: aliases count unless --no-config is given, and so do the hosts of the settings"
run kedge gh classify -- mine bob
expect_out "$(printf 'read\talias mine: lists issues')"
run kedge gh classify --no-config -- mine bob
expect_matches stdout "^unknown"
run kedge gh classify -- -R github.localhost/o/r pr list
expect_matches stdout "^read"
run kedge gh classify --no-config -- -R github.localhost/o/r pr list
expect_matches stdout "^blocked"

t "classify: a version, and lines that are no command"
run kedge gh classify --gh-version 2.46.0 -- discussion list
expect_matches stdout "^unknown"
printf '%s\n' '["pr","list"]' 'pr list' '"pr"' '[]' '[1]' '["pr","merge"]' | run -i - kedge gh classify --stdin
expect_exit 1
cut -f 1 "$(path_of stdout)" >"$E2E_TMP/run/classes"
expect_file "$E2E_TMP/run/classes" "read
invalid-args
invalid-args
invalid-args
invalid-args
write"
run kedge gh classify
expect_exit 2
run kedge gh classify --stdin -- pr list
expect_exit 2

# ---- last-error ------------------------------------------------------------

t "last-error: the newest call, with how to repeat it"
alone kedge gh exec -- issue view 99999 --json title
run kedge gh last-error
expect_exit 0
expect_golden stdout gh/last-error.out 's/^Duration: .*/Duration: @MS@/'

t "last-error N, --json; further back than is remembered"
alone kedge gh exec -- pr view 7 --json number
run kedge gh last-error 2
expect_contains stdout 'Argv: ["issue","view","99999","--json","title"]'
run kedge gh last-error --json
expect_json stdout argv '["pr","view","7","--json","number"]'
expect_json stdout exit_code 0
run kedge gh last-error 20
expect_exit 0
run kedge gh last-error 21
expect_exit 1
expect_contains stderr "20 are remembered"
run kedge gh last-error 0
expect_exit 2

t "last-error: the file is private; private text and secrets are not in it"
[ "$(stat -c %a "$audit_dir" "$audit_dir/last.json" | tr '\n' ' ')" = "700 600 " ] || fail "modes: $(stat -c %a "$audit_dir"/*)"
expect_not_contains "$audit_dir/last.json" "dear neighbours"

t "last-error: calls of the newest session of this directory, by time"
model_script - <<'X'
{"tool_calls":[{"name":"gh","arguments":{"args":["run","list","--limit","1"]}}]}
{"text":"done"}
X
run kedge -p "what ran last?"
expect_exit 0
run kedge gh last-error --json
expect_json stdout argv '["run","list","--limit","1"]'
expect_json stdout via agent
run kedge gh last-error 2 --json
expect_json stdout argv '["pr","view","7","--json","number"]'
cd ../strict || exit 1
run kedge gh last-error --json
expect_json stdout via cli
cd ../tidepool || exit 1

t "common-S12: what a program or a log says is shown, not obeyed, by last-error and audit"
esc=$(printf '\033') rlo=$(printf '\342\200\256') tag=$(printf '\363\240\201\201')
cat >"$E2E_TMP/odd-gh" <<X
#!/bin/sh
[ "\$1" = --version ] && exec gh --version
echo "no$esc[2J$rlo$tag" >&2
exit 1
X
chmod +x "$E2E_TMP/odd-gh"
settings <<X
  executable: $E2E_TMP/odd-gh
X
alone kedge gh exec -- issue view 5 --json title
expect_exit 1
run kedge gh last-error
expect_contains stdout 'Stderr: no'
expect_contains stdout '\u202e\u{e0041}'
for text in "$esc" "$rlo" "$tag"; do expect_not_contains stdout "$text"; done
alone kedge gh exec -- issue view "5$esc$rlo$tag"
for what in stdout stderr; do for text in "$esc" "$rlo" "$tag"; do expect_not_contains $what "$text"; done; done
run kedge gh last-error
for text in "$esc" "$rlo" "$tag"; do expect_not_contains stdout "$text"; done
settings </dev/null
log=$(ls "$audit_dir"/*.log)
cp "$log" "$E2E_TMP/log"
tail -n 1 "$log" | sed "s,repo=[^ ]*,repo=o$esc[2J$rlo$tag/r," >>"$log"
run kedge gh audit
expect_contains stdout 'repo=o\x1b[2J\u202e\u{e0041}/r'
for text in "$esc" "$rlo" "$tag"; do expect_not_contains stdout "$text"; done
cp "$E2E_TMP/log" "$log"

# ---- audit -----------------------------------------------------------------

t "audit: one line a call, in its form; refused ones included"
run kedge gh audit --limit 1000
expect_exit 0
expect_empty stderr
grep -vE '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{4} host=[^ ]+ repo=[^ ]+ class=(read|write|destructive|blocked|unknown|-) policy=(auto|confirm|block|-) exit=[-0-9]+ duration=[0-9]+ms bytes=[0-9]+ tool=[a-z_]+ cmd=[^ ]+ ref=([0-9]+|-) kind=[a-z-]+ trunc=[01] via=(cli|agent) id=[0-9a-f]{8}$' \
    "$(path_of stdout)" >"$E2E_TMP/run/odd"
[ ! -s "$E2E_TMP/run/odd" ] || fail "$(cat "$E2E_TMP/run/odd")"
expect_matches stdout ' class=write policy=confirm exit=- .* cmd=issue.comment ref=8 kind=confirm-unavailable '
expect_matches stdout ' class=write policy=confirm exit=- .* cmd=issue.comment ref=8 kind=confirm-declined '
expect_matches stdout ' class=write policy=confirm exit=0 .* cmd=issue.close ref=8 kind=- '
expect_matches stdout ' class=destructive policy=block exit=- .* cmd=repo.delete ref=- kind=irreversible-blocked '
expect_matches stdout ' class=read .* tool=gh_pr_view cmd=pr.view ref=7 kind=- '
[ "$(stat -c %a "$audit_dir"/*.log)" = 600 ] || fail "the log is not private"

t "audit: the filters"
for filter in "--class destructive| class=destructive " "--policy block| policy=block " "--kind timeout| kind=timeout " \
    "--cmd issue.*| cmd=issue\\." "--cmd pr.view| cmd=pr.view " "--ref 7| ref=7 " "--tool gh_pr_view| tool=gh_pr_view " \
    "--host github.local*| host=github.localhost " "--repo harbor/*| repo=harbor/" "--grep exit=8| exit=8 "; do
    # shellcheck disable=SC2086
    run kedge gh audit --limit 1000 ${filter%%|*}
    expect_exit 0
    [ -s "$(path_of stdout)" ] || fail "nothing for ${filter%%|*}"
    ! grep -qv -e "${filter#*|}" "$(path_of stdout)" || fail "another line for ${filter%%|*}"
    cat "$audit_dir"/*.log | grep -c -e "${filter#*|}" >"$E2E_TMP/run/count"
    expect_lines stdout "$(cat "$E2E_TMP/run/count")"
done
run kedge gh audit --class write --kind confirm-declined --ref 8 --limit 1
expect_lines stdout 1

t "audit: times, an older day, lines that cannot be parsed"
day=$(date -d '-10 days' +%Y-%m-%d)
{
    echo "${day}T10:00:00+0000 host=github.com repo=o/old class=read policy=auto exit=0 duration=1ms bytes=1 tool=gh cmd=pr.list ref=- kind=- trunc=0 via=mcp id=00000001"
    echo "half a li"
    echo "${day}T23:59:59+0000 host=github.com repo=o/old class=read policy=auto exit=0 duration=1ms bytes=1 tool=gh cmd=pr.view ref=- kind=- trunc=0 via=mcp id=00000002"
} >"$audit_dir/$day.log"
run kedge gh audit --limit 1000
expect_not_contains stdout "o/old"
run kedge gh audit --since 2w --until 1d
expect_exit 0
expect_lines stdout 2
expect_contains stderr "1 "
run kedge gh audit --since "$day" --until "$day" --limit 1
expect_matches stdout "id=00000002$"
run kedge gh audit --since "${day}T10:00:01Z" --until "$day"
expect_lines stdout 1
run kedge gh audit --until 8d --since 9d
expect_exit 0
expect_empty stdout

t "audit: counting, JSON, and mistakes"
run kedge gh audit --since 2w --count-by host
expect_exit 0
expect_matches stdout "^2	github.com$"
sort -rn "$(path_of stdout)" >"$E2E_TMP/run/sorted"
expect_file stdout "$(cat "$E2E_TMP/run/sorted")"
run kedge gh audit --since 2w --host github.com --json
expect_json stdout 0.repo o/old
expect_json stdout 0.exit 0
for wrong in "--since yesterday" "--grep [" "--count-by nothing" "--limit 0" "--frob" "word"; do
    # shellcheck disable=SC2086
    run kedge gh audit $wrong
    expect_exit 2
    expect_empty stdout
done

# ---- doctor ----------------------------------------------------------------

t "doctor: everything that can be said here"
rm -f "$GH_CONFIG_DIR/config.yml"
cat >"$GH_CONFIG_DIR/hosts.yml" <<X
github.localhost:
    users:
        alice:
            oauth_token: $GH_TOKEN
    user: alice
    oauth_token: $GH_TOKEN
    git_protocol: https
X
: >"$HOME/.kedge/agent/config.yml" # a host that gh is logged in to needs no setting
run env -u GH_TOKEN -u GH_CONFIG_DIR -u PAGER PATH="$REAL_PATH" kedge gh doctor
expect_exit 1 # nobody is logged in to github.com
expect_empty stderr
expect_golden stdout gh/doctor.out 's/^\(PASS  git  *\).*/\1@VERSION@/; s/^\(PASS  version  *\)[0-9.]*/\1@VERSION@/; s/^\(PASS  executable  *\).*/\1@GH@/; s|@HOME@|~|'

t "doctor --json, from outside a clone, with a token of the environment that is no good"
cd "$HOME/work" || exit 1
run env PATH="$REAL_PATH" https_proxy=http://127.0.0.1:9 GH_TOKEN=ghp_NotAToken00000000000000000000001 GH_REPO=github.localhost/o/r kedge gh doctor --json
expect_exit 1
expect_json stdout '[id=executable].status' PASS
expect_json stdout '[id=auth:github.com].status' FAIL
expect_json stdout '[id=cwd].status' WARN
expect_json stdout '[id=cwd].recovery' 'pass repo as [HOST/]OWNER/REPO'
expect_json stdout '[id=remotes].status' SKIP
expect_json stdout '[id=repo].text' 'github.localhost/o/r (env-repo)'
expect_not_contains stdout ghp_
cd tidepool || exit 1

t "doctor: no gh at all"
settings <<X
  executable: /nowhere/gh
X
run kedge gh doctor
expect_exit 1
expect_matches stdout "^FAIL  executable  *gh not found at /nowhere/gh"
expect_matches stdout "^SKIP  version "
settings </dev/null

# ---- secrets ---------------------------------------------------------------

t "no secret and no private text gets out, wherever it was put"
canary=ghp_CanaryCanaryCanaryCanaryCanary0001
private="nobody should read this"
alone kedge gh exec -- api user -H "Authorization: token $canary"
alone kedge gh exec -- api "user?access_token=$canary"
alone kedge gh exec -- repo view "https://u:$canary@github.localhost/harbor/tidepool"
alone kedge gh exec -- issue comment 8 --body "$private $canary"
alone kedge gh exec --yes-unknown -- frobnicate "--token=$canary"
alone kedge gh exec --yes-unknown -- pr view 7 --token "$canary"
alone kedge gh exec -- secret set NAME --body "$canary"
alone kedge gh exec --yes -- api repos/harbor/tidepool/issues/99999/comments -f "body=$private $canary"
alone kedge gh exec --json --yes -- issue comment 99999 --body "$private $canary"
for n in 1 2 3 4 5 6 7 8 9; do
    run kedge gh last-error "$n"
    cat "$(path_of stdout)" >>"$all"
    run kedge gh last-error "$n" --json
    cat "$(path_of stdout)" >>"$all"
done
run env GH_TOKEN="$canary" https_proxy=http://127.0.0.1:9 kedge gh doctor
cat "$(path_of stdout)" "$(path_of stderr)" >>"$all"
cat "$audit_dir"/* >>"$all"
expect_not_contains "$all" "$canary"
expect_not_contains "$all" "$private"
expect_not_contains "$all" "$GH_TOKEN"
expect_contains "$all" "[REDACTED]"

# ---- the rest --------------------------------------------------------------

t "every subcommand explains itself; there is no other"
for name in exec call classify doctor last-error audit; do
    run kedge gh $name --help
    expect_exit 0
    expect_contains stdout "Usage: kedge gh $name"
    run kedge gh --help
    expect_matches stdout "^  $name "
done
run kedge gh
expect_exit 2
run kedge gh docter
expect_exit 2
expect_contains stderr 'did you mean "doctor"?'

t "nothing is left running"
expect_no_strays

done_testing
