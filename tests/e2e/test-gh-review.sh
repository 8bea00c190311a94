#!/bin/sh
# gh_review with the real gh against the forge: threads read, answered and resolved, comments and reviews sent, what is
# not sent yet kept, and what is kept of the pull request forgotten (github-tool §7.9, §8).
. "$(dirname "$0")/lib.sh"
need_kedge
need_gh
forge_start

mkdir -p "$HOME/.kedge/agent"
printf 'gh:\n  knownHosts: [github.localhost]\n' >"$HOME/.kedge/agent/config.yml"
git config --global user.name Tester
git config --global user.email tester@example.com
git clone -q http://github.localhost/harbor/tidepool.git "$HOME/tidepool"
cd "$HOME/tidepool" || exit 1
target=github.localhost/harbor/tidepool

# review FIELDS: a call about pull request 9, allowed to write
review() { run kedge gh call --yes gh_review "{\"number\":9,$1}"; }
writes() { expect_exit 0 && expect_matches stdout "^\[gh $target write confirmed [0-9.]+KB\]"; }
# as_person METHOD PATH JSON: what alice does on GitHub's page
as_person() { _curl -X "$1" "$FORGE_URL$2" -H "authorization: Bearer $GH_TOKEN" -d "$3"; }
view() { kedge tool run read '{"path":"pr://harbor/tidepool/9?comments"}'; }
is_kept() { view | grep -q '^\[Cached: '; }
posts() {
    forge_log 'kind=rest&method=POST' >"$E2E_TMP/log"
    json "$E2E_TMP/log" '#'
}

t "threads: by file, open, with the lines they speak about"
review '"op":"threads"'
expect_exit 0
expect_matches stdout "^\[gh $target read ok [0-9.]+KB\]"
expect_contains stdout '# Review threads of harbor/tidepool#9 (2: 2 open, 0 resolved)'
expect_contains stdout '### src/moon.c:8-10 [open]'
expect_contains stdout 'A table of what?'
thread=$(sed -n 's/^Thread: //p' "$(path_of stdout)" | head -n 1)

t "reply: posted to the thread, and what is kept is forgotten"
view >/dev/null
is_kept || fail "nothing is kept"
review "\"op\":\"reply\",\"thread\":\"$thread\",\"body\":\"A table of epacts.\\nSee \`moon.c\`.\""
writes
expect_contains stdout "# Replied to thread $thread of harbor/tidepool#9"
view >"$HOME/now"
grep -q 'A table of epacts.' "$HOME/now" || fail "the old text is still shown"
grep -q '^\[Fetched live\]' "$HOME/now" || fail "it was not fetched anew"

t "resolve, again, and unresolve"
review "\"op\":\"resolve\",\"thread\":\"$thread\""
writes
expect_contains stdout 'is now resolved'
review "\"op\":\"resolve\",\"thread\":\"$thread\""
expect_contains stdout 'was already resolved'
review '"op":"threads","unresolved":true'
expect_contains stdout '(1: 1 open, 0 resolved)'
review "\"op\":\"unresolve\",\"thread\":\"$thread\""
expect_contains stdout 'is now open'

t "comment: on a range, with a suggestion whose fence is longer than those in it"
review '"op":"comment","path":"src/moon.c","start_line":8,"line":9,"body":"So:","suggestion":"a\n```\nb"'
writes
expect_contains stdout '# Commented on src/moon.c:8-9 of harbor/tidepool#9'
review '"op":"threads","path":"src/moon.c"'
expect_contains stdout '````suggestion
a
```
b
````'

t "comment: on a line outside of the diff is not sent, and the lines are named"
before=$(posts)
review '"op":"comment","path":"src/moon.c","line":900,"body":"x"'
expect_exit 64
expect_contains stderr 'src/moon.c:900: the line is not part of the diff; nothing was posted. Lines that can be commented: RIGHT 1-15'
review '"op":"comment","path":"src/sun.c","line":1,"body":"x"'
expect_contains stderr 'Files: README.md, src/moon.c, src/moon.h'
[ "$(posts)" = "$before" ] || fail "something was posted"

t "comment: hidden ones are named as such, and not shown"
id=$(as_person GET '/repos/harbor/tidepool/pulls/9/comments?per_page=100' '' >"$HOME/comments" && json "$HOME/comments" 0.id)
forge_ctl POST /_forge/minimize "{\"id\":$id}" >/dev/null
review '"op":"threads"'
expect_contains stdout '(minimized)'
expect_not_contains stdout 'Use a table here.'

t "submit: an approval, and a review with comments in one request"
review '"op":"submit","event":"approve","body":"Fine."'
writes
expect_contains stdout '# Approved harbor/tidepool#9'
review '"op":"submit","event":"comment","comments":[{"path":"src/moon.c","line":3,"body":"one"},{"path":"README.md","line":3,"body":"two"}]'
writes
expect_contains stdout 'Comments: 2'

t "a review that is not sent is in nobody's way unseen: nothing is posted beside it"
as_person POST /repos/harbor/tidepool/pulls/9/reviews '{"body":"draft","comments":[{"path":"src/moon.c","line":4,"body":"later"}]}' >/dev/null
before=$(posts)
for call in "\"op\":\"reply\",\"thread\":\"$thread\",\"body\":\"x\"" '"op":"comment","path":"src/moon.c","line":4,"body":"x"' \
    '"op":"submit","event":"approve"'; do
    review "$call"
    expect_exit 64
    expect_contains stderr 'you have a review of harbor/tidepool#9 with 1 comment that is not sent'
done
[ "$(posts)" = "$before" ] || fail "something was posted"
review '"op":"threads"'
expect_contains stdout 'Your review with 1 comment is not sent.'
expect_contains stdout '[pending: not sent]'

t "include_pending adds to it, and sends all of it"
review "\"op\":\"reply\",\"thread\":\"$thread\",\"body\":\"mine, too\",\"include_pending\":true"
writes
expect_contains stdout 'It is not sent'
review '"op":"comment","path":"src/moon.c","line":5,"body":"and this","include_pending":true'
writes
review '"op":"submit","event":"request_changes","body":"No.","comments":[{"path":"src/moon.c","line":6,"body":"last"}],"include_pending":true'
writes
expect_contains stdout '# Requested changes on harbor/tidepool#9'
expect_contains stdout 'Comments: 4'
as_person GET '/repos/harbor/tidepool/pulls/9/reviews?per_page=100' '' >"$HOME/reviews"
grep -q 'PENDING' "$HOME/reviews" && fail "a review is still not sent"
tr -d '\n' <"$HOME/reviews" | grep -q '"body": *"draft\\n\\nNo."' || fail "the words of both are not there"
review '"op":"threads"'
expect_not_contains stdout 'not sent'

t "a thread of another pull request, and one that is none"
run kedge gh call --yes gh_review "{\"op\":\"resolve\",\"number\":7,\"thread\":\"$thread\"}"
expect_exit 1
expect_contains stderr "thread $thread is none of pull request 7 of $target"
review '"op":"resolve","thread":"PRRT_nope"'
expect_contains stderr 'Could not resolve to a node'

t "GitHub's own no is passed on; when it says nothing, so is that, and nothing is tried again"
forge_ctl POST /_forge/faults '{"match":{"method":"POST","path":"reviews$"},"times":1,"drop":"mid"}' >/dev/null
before=$(posts)
review '"op":"submit","event":"approve"'
expect_exit 1
expect_contains stderr 'it may have been posted all the same: look with op threads before you try again'
[ "$(posts)" = "$((before + 1))" ] || fail "it was tried again"

t "nobody to ask: refused; every call has its line in the audit log"
run kedge gh call gh_review '{"op":"submit","number":9,"event":"approve"}' </dev/null
expect_exit 77
expect_contains stderr "[gh $target submit write confirm-unavailable]"
run kedge gh audit --tool gh_review --cmd submit
expect_matches stdout 'class=write policy=confirm exit=0 .* cmd=submit ref=9 kind=- '
expect_matches stdout 'class=write policy=confirm exit=- .* cmd=submit ref=9 kind=confirm-unavailable '
run kedge gh last-error
expect_contains stdout 'Error kind: confirm-unavailable'

t "nobody approves their own; who may not write gets GitHub's own words"
export GH_TOKEN=ghp_ForgeLindq00000000000000000000000003
run kedge gh call --yes gh_review "{\"op\":\"submit\",\"number\":9,\"event\":\"approve\"}"
expect_exit 64
expect_contains stderr 'harbor/tidepool#9 is your own pull request, which GitHub does not let you approve'
export GH_TOKEN=github_pat_ForgeReadOnly000000000_00000000000000000000000000000000000000000000000000000000004
review "\"op\":\"resolve\",\"thread\":\"$thread\""
expect_exit 1
expect_contains stderr 'Resource not accessible by personal access token'

done_testing
