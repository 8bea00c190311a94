#!/bin/sh
# `kedge stats`: what the sessions used, read from their files once and then from where they ended.
. "$(dirname "$0")/lib.sh"
need_kedge

# answer ID MODEL AT INPUT OUTPUT CACHED COST [STOP]: an entry, on stdout.
answer() {
    printf '{"type":"message","id":"%s","parentId":null,"timestamp":"2026-03-04T05:06:07.089Z","message":{"role":"assistant","content":[],"provider":"anthropic","model":"%s","timestamp":%s,"duration":2000,"ttft":500,"stopReason":"%s","usage":{"input":%s,"output":%s,"cacheRead":%s,"cacheWrite":0,"cost":{"total":%s}}}}\n' \
        "$1" "$2" "$3" "${8:-stop}" "$4" "$5" "$6" "$7"
}

header() { printf '{"type":"session","version":3,"id":"%s","timestamp":"2026-03-04T05:06:07.089Z","cwd":"%s"}\n' "$1" "$2"; }

sessions=$HOME/.kedge/agent/sessions
day1=1772582400000 # 2026-03-04T00:00:00Z
day2=1772668800000
export TZ=UTC

t "no sessions: nothing, and that is no failure"
run kedge stats
expect_exit 0
expect_contains stderr 'Synced 0 new entries from 0 files (0 total)'
run kedge stats --json
expect_exit 0
expect_json stdout overall.totalRequests 0
expect_json stdout overall.cacheRate 0.0

t "requests, tokens, cost and cache share, by model, day and folder"
mkdir -p "$sessions/-a" "$sessions/-b/2026_s2"
{ header s1 /srv/a
  answer a1 opus $day1 100 50 300 0.5
  answer a2 opus $day2 100 50 0 0.25 error
  printf '{"type":"message","id":"u","parentId":null,"message":{"role":"user","content":"my \\"assistant\\" says \\"usage\\""}}\n'
  printf 'no JSON, with "assistant" and "usage"\n'; } >"$sessions/-a/2026_s1.jsonl"
{ header s2 /srv/b; answer b1 haiku $day2 10 5 0 0.01; } >"$sessions/-b/2026_s2.jsonl"
{ header s3 /srv/b; answer c1 haiku $day2 10 5 0 0.01; } >"$sessions/-b/2026_s2/0-Scout.jsonl" # of a subagent
run kedge stats --json
expect_exit 0
expect_contains stderr 'Synced 4 new entries from 3 files (3 total)'
expect_json stdout overall.totalRequests 4
expect_json stdout overall.failedRequests 1
expect_json stdout overall.errorRate 0.25
expect_json stdout overall.totalInputTokens 220
expect_json stdout overall.totalCacheReadTokens 300
expect_json stdout overall.totalOutputTokens 110
expect_json stdout overall.totalCost 0.77
expect_json stdout overall.avgDuration 2000.0
expect_json stdout overall.avgTtft 500.0
expect_json stdout overall.avgTokensPerSecond 13.75
expect_json stdout byModel.0.model opus
expect_json stdout byModel.0.cacheRate 0.6
expect_json stdout byModel.1.totalRequests 2
expect_json stdout byDay.0.day 2026-03-04
expect_json stdout byDay.1.totalRequests 3
expect_json stdout byFolder.0.folder /srv/a
expect_json stdout byFolder.1.totalRequests 2
expect_json stdout byDayAndModel.1.model haiku

t "the tables"
run kedge stats
expect_exit 0
expect_matches stdout '^anthropic/opus +2 +1 +500 +100 +60% +\$0\.7500$'
expect_matches stdout '^all +4 +1 +520 +110 +58% +\$0\.7700$'
expect_matches stdout '^2026-03-04 +1 +0 +400 +50 +75% +\$0\.5000$'
expect_contains stderr 'Synced 0 new entries from 0 files (3 total)'

t "what names and summaries took counts, other custom entries do not"
mkdir -p "$sessions/-c"
{ header s7 /srv/c
  printf '{"type":"custom","id":"k1","parentId":null,"timestamp":"2026-03-04T05:06:07.089Z","customType":"kedge.usage","data":{"purpose":"title","provider":"lab","model":"small","timestamp":%s,"stopReason":"stop","usage":{"input":7,"output":2,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.001}}}}\n' $day1
  printf '{"type":"custom","id":"k2","parentId":"k1","customType":"theirs","data":{"note":"kedge.usage","model":"small","usage":{"input":7}}}\n'
  printf '{"type":"custom","id":"k3","parentId":"k2","customType":"kedge.usage","data":7}\n'; } >"$sessions/-c/2026_s7.jsonl"
run kedge stats
expect_exit 0
expect_contains stderr 'Synced 1 new entries from 1 files'
expect_matches stdout '^lab/small +1 +0 +7 +2 '
rm -r "$sessions/-c" "$HOME/.kedge/stats.db"
run kedge stats
expect_exit 0

t "--html writes a page that loads nothing and runs nothing, whatever the names are"
printf '{"type":"session","version":3,"id":"s9","timestamp":"2026-03-04T05:06:07.089Z","cwd":"/srv/<script>alert(1)</script>"}\n' >"$sessions/-b/2026_s9.jsonl"
answer h1 '<img src=x onerror=alert(1)>' $day2 1 1 0 0.02 >>"$sessions/-b/2026_s9.jsonl"
run kedge stats --html page.html
expect_exit 0
expect_out 'Exported to: page.html'
expect_contains page.html "default-src 'none'"
expect_contains page.html '<td>anthropic/opus</td><td>2</td>'
expect_contains page.html '<td>2026-03-05</td>'
expect_contains page.html '<td>/srv/a</td>'
expect_contains page.html '<dd>$0.79</dd>'
expect_contains page.html 'style="width: 100.0%"'
expect_contains page.html '&lt;img src=x onerror=alert(1)&gt;'
expect_contains page.html '/srv/&lt;script&gt;alert(1)&lt;/script&gt;'
for word in '<script' '<img' '<link' 'http:' 'https:' 'url('; do
    expect_not_contains page.html "$word"
done
"${PYTHON:-python3}" -c '
import html.parser, sys
class Check(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "!doctype"): self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
check = Check()
check.feed(open("page.html", encoding="utf-8").read())
assert not check.open, check.open' || fail "the page is not well formed"
[ "$(stat -c %a page.html)" = 600 ] || fail "others can read it"
run kedge stats --html page.html --json
expect_exit 2
run kedge stats --html none/page.html
expect_exit 1
expect_contains stderr none/page.html
rm "$sessions/-b/2026_s9.jsonl" "$HOME/.kedge/stats.db"

t "a file that grows is read from where it ended; half a line waits for its other half"
answer a3 opus $day2 1 1 0 0.01 >line
head -c 40 line >>"$sessions/-a/2026_s1.jsonl"
run kedge stats --json
expect_json stdout overall.totalRequests 4
tail -c +41 line >>"$sessions/-a/2026_s1.jsonl"
run kedge stats --json
expect_contains stderr 'Synced 1 new entries from 1 files'
expect_json stdout overall.totalRequests 5
expect_json stdout byFolder.0.totalRequests 3

t "a fork's copies, and a file that is written anew, count once; a deleted session's requests stay"
sed 's/"s1"/"s4"/' "$sessions/-a/2026_s1.jsonl" >"$sessions/-a/2026_s4.jsonl"
cp "$sessions/-b/2026_s2.jsonl" copy && rm "$sessions/-b/2026_s2.jsonl"
run kedge stats --json
expect_json stdout overall.totalRequests 5
{ header s2 /srv/b; answer b1 haiku $day2 10 5 0 0.01; answer b2 haiku $day2 10 5 0 0.01; } >"$sessions/-b/2026_s2.jsonl"
run kedge stats --json
expect_json stdout overall.totalRequests 6

t "hostile files: a pipe, a link, absurd numbers, a record that is none"
mkfifo "$sessions/-a/pipe.jsonl"
ln -s /dev/zero "$sessions/-a/zero.jsonl"
{ answer d1 "$(printf '\\u001b[31mred')" $day2 -5 1e99 99999999999999999 1e300
  printf '{"type":"message","id":7,"message":{"role":"assistant","usage":[]}}\n'
  printf '{"type":"message","message":{"role":"assistant","usage":{}}}\n'; } >"$sessions/-a/odd.jsonl"
run kedge stats
expect_exit 0
expect_contains stderr 'Warning: 2 session files cannot be read'
expect_matches stdout '^unknown/unknown +1 '
expect_contains stdout 'anthropic/\x1b[31mred'

t "a damaged stats.db is made anew; one that cannot be written is not needed"
for file in "$HOME"/.kedge/stats.db*; do printf 'this is no database, and long enough to be seen as none' >"$file"; done
run kedge stats --json
expect_exit 0
expect_json stdout overall.totalRequests 8
[ "$(stat -c %a "$HOME/.kedge/stats.db")" = 600 ] || fail "stats.db is not private"
rm "$HOME"/.kedge/stats.db*
mkdir "$HOME/.kedge/stats.db"
run kedge stats --json
expect_exit 0
expect_json stdout overall.totalRequests 8
expect_contains stderr 'all sessions are read again'
rmdir "$HOME/.kedge/stats.db"

t "--days leaves out what is older"
answer e1 opus "$(date +%s)000" 1 1 0 0.01 >"$sessions/-a/today.jsonl"
run kedge stats --json --days 1
expect_exit 0
expect_json stdout overall.totalRequests 1

t "what a real run used"
fresh_home
model_script - <<'J'
{"text": "ok"}
J
run kedge -p hello
expect_exit 0
run kedge stats --json
expect_json stdout overall.totalRequests 1
expect_json stdout overall.totalOutputTokens 5
expect_json stdout byModel.0.provider anthropic

t "a file that is written over in place is read anew, whatever its size"
fresh_home
mkdir -p "$HOME/.kedge/agent/sessions/-a"
file=$HOME/.kedge/agent/sessions/-a/2026_s1.jsonl
{ header s1 /srv/a; answer a1 opus $day1 1 1 0 0.01; } >"$file"
run kedge stats --json
expect_json stdout overall.totalRequests 1
{ header s2 /srv/b; answer b1 opus $day1 1 1 0 0.01; answer b2 opus $day1 1 1 0 0.01; } >"$file"
run kedge stats --json
expect_json stdout overall.totalRequests 3
{ header s2 /srv/b; for i in 1 2 3; do answer "longer-$i" opus $day1 10 10 0 0.01; done; } >"$file"
run kedge stats --json
expect_json stdout overall.totalRequests 6

done_testing
