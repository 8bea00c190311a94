#!/bin/sh
# Artifacts of a run and files of a release with the real gh and the forge: listed, downloaded into one directory when
# somebody says yes, never overwritten, and what is hostile stays outside.
. "$(dirname "$0")/lib.sh"
need_kedge
need_gh
forge_start
export GITHUB_API_URL="$FORGE_URL"

mkdir -p "$HOME/.kedge/agent"
printf 'gh:\n  knownHosts: [github.localhost]\n' >"$HOME/.kedge/agent/config.yml"
repo=github.localhost/harbor/tidepool
kept=$HOME/.kedge/downloads/$repo

t "the list of a run is a read"
run kedge gh call gh_run_artifacts '{"repo":"harbor/tidepool","run_id":16045200302}'
expect_exit 0
expect_contains stdout "[gh $repo read ok"
expect_contains stdout "Artifacts (3):"
expect_contains stdout "- old  0B  [not available]"

t "nobody to ask: nothing is downloaded"
run kedge gh call gh_run_artifacts '{"repo":"harbor/tidepool","run_id":16045200302,"names":["logs"]}'
expect_exit 77
expect_contains stderr "confirm-unavailable"
[ ! -e "$kept" ] || fail "$kept is there"

t "with --yes it is there, whole and as GitHub says, and it is private"
run kedge gh call --yes gh_run_artifacts '{"repo":"harbor/tidepool","run_id":16045200302,"names":["logs"]}'
expect_exit 0
expect_contains stdout "- $kept/run-16045200302/logs.zip"
expect_contains stdout "as GitHub says"
[ "$(stat -c %a "$kept/run-16045200302/logs.zip" "$kept/run-16045200302" | tr '\n' ' ')" = "600 700 " ] || fail "modes"

t "the archive is looked into as it is: no member leaves it"
run kedge read "$kept/run-16045200302/logs.zip:log.txt"
expect_exit 0
expect_contains stdout "run 16045200302"
[ ! -e "$kept/outside.txt" ] || fail "a member got out"

t "it is not overwritten"
run kedge gh call --yes gh_run_artifacts '{"repo":"harbor/tidepool","run_id":16045200302,"names":["logs"]}'
expect_exit 1
expect_contains stderr "is there already and is not overwritten"

t "a name that is a path, and one that has expired"
run kedge gh call --yes gh_run_artifacts '{"repo":"harbor/tidepool","run_id":16045200302,"names":["../evil"]}'
expect_exit 64
expect_contains stderr "its name is a path"
run kedge gh call --yes gh_run_artifacts '{"repo":"harbor/tidepool","run_id":16045200302,"names":["old"]}'
expect_exit 1
expect_contains stderr "old  not downloaded: GitHub does not have it"

t "files of a release: one comes, one is not what GitHub says it is"
run kedge gh call --yes gh_release_download '{"repo":"harbor/tidepool","names":["tidepool.tar","notes.txt","broken.bin"]}'
expect_exit 1
expect_contains stderr "- $kept/release-v2.1/tidepool.tar"
expect_contains stderr "(GitHub gives none)"
expect_contains stderr "broken.bin  not downloaded: its sha256 is"
expect_contains stderr "1 of 3 were not downloaded."
run ls -A "$kept/release-v2.1"
expect_out "notes.txt
tidepool.tar"
run kedge read "$kept/release-v2.1/tidepool.tar:tidepool/VERSION"
expect_contains stdout "v2.1"

t "where the bytes are kept, the token was never seen"
forge_log kind=blob >"$E2E_TMP/log"
run grep -c leaked_auth "$E2E_TMP/log"
expect_out 0
run grep -c '"n"' "$E2E_TMP/log"
expect_exit 0

t "a server that breaks off leaves nothing behind"
forge_ctl POST /_forge/faults '{"match":{"kind":"blob"},"times":1,"drop":"before"}' >/dev/null
run kedge gh call --yes gh_release_download '{"repo":"harbor/tidepool","tag":"v2.1","names":["broken.bin"]}'
expect_exit 1
run ls -A "$kept/release-v2.1"
expect_out "notes.txt
tidepool.tar"

t "the audit log names each download as a write"
run kedge gh audit --class write
expect_contains stdout "gh_run_artifacts"
expect_contains stdout "gh_release_download"

t "no conversation is told of the two tools, and a server that is asked for one has it"
run kedge tool list
expect_not_contains stdout gh_run_artifacts
run kedge tool schema gh_run_artifacts
expect_exit 0

done_testing
