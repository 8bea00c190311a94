#!/bin/sh
# `kedge wm resolve`, `list` and `validate`: what an event starts, and what is wrong with tasks.
. "$(dirname "$0")/lib.sh"
need_kedge

payloads=$E2E_ROOT/tests/data/workflow

# task NAME FRONTMATTER [BODY]
task() {
    mkdir -p .wm/tasks
    printf -- '---\n%s\n---\n\n%s\n' "$2" "${3:-Do it.}" >".wm/tasks/$1.md"
}

t "no tasks at all"
run kedge wm resolve
expect_exit 1
expect_empty stdout
expect_contains stderr 'error: .wm/tasks: no such directory (run kedge wm init)'

t "task-M43: the order is that of the file names"
task a 'on: issues'
task a-b 'on: issues'
run kedge wm resolve --event-name issues --payload "$payloads/issues-opened.json"
expect_exit 0
expect_out '["a-b","a"]'
expect_empty stderr

t "one name a line"
run kedge wm resolve --event-name issues --payload "$payloads/issues-opened.json" --json=false
expect_out 'a-b
a'

t "task-C01: event and payload from the environment; no config.yml is needed"
run env GITHUB_EVENT_NAME=issues GITHUB_EVENT_PATH="$payloads/issues-labeled.json" kedge wm resolve
expect_out '["a-b","a"]'

t "nothing matches: an empty list, on one line"
run kedge wm resolve --event-name push
expect_exit 0
expect_out '[]'

t "an event that is mistyped, and none at all, are said"
run kedge wm resolve --event-name isues
expect_exit 0
expect_out '[]'
expect_contains stderr 'wm: "isues" is not an event that starts tasks (did you mean "issues"?)'
run kedge wm resolve
expect_out '[]'
expect_contains stderr 'wm: no event is given: use --event-name, or set GITHUB_EVENT_NAME'
run kedge wm resolve --event-name push
expect_empty stderr

t "what is mistyped is told from what is there"
run kedge wm lst
expect_exit 2
expect_contains stderr 'error: unknown command "lst" for "kedge wm" (did you mean "list"?)'
run kedge wm resolve --evnt-name x
expect_exit 2
expect_contains stderr 'unknown flag: --evnt-name (did you mean "--event-name"?)'
task tide ''
run kedge wm resolve --force-task tides
expect_exit 1
expect_contains stderr 'error: task not found: tides (did you mean "tide"?)'
run kedge wm update tides
expect_exit 1
expect_contains stderr 'error: unknown task "tides" (did you mean "tide"?)'
rm .wm/tasks/tide.md

t "below the top of a repository the tasks are named, not to be made anew"
git init -q . 2>/dev/null
mkdir below && cd below
run kedge wm list
expect_exit 1
expect_contains stderr "error: .wm/tasks: no such directory in $PWD (it is in ${PWD%/below}: run kedge wm there)"
cd .. && rmdir below

t "why, and why not"
task labeled 'on: {issues: {labels: [implement]}}'
run kedge wm resolve --event-name issues --payload "$payloads/issues-labeled.json" --explain
expect_contains stderr 'labeled: no match (issues: label "bug" not in [implement])'
expect_contains stderr 'a: match (issues)'

t "task-M46: a payload that is no JSON"
printf '{bad' >bad.json
run kedge wm resolve --event-name issues --payload bad.json
expect_exit 1
expect_empty stdout
expect_contains stderr 'error: parse event json:'

t "task-M41: the forced task, whatever the event; its payload is not even read"
task never ''
run kedge wm resolve --event-name issues --payload bad.json --force-task never
expect_exit 0
expect_out '["never"]'

t "task-M50: a forced task that is not there"
run kedge wm resolve --force-task nope
expect_exit 1
expect_empty stdout
expect_contains stderr 'error: task not found: nope'

t "task-M36: a cron that no task has"
task nightly 'on: {schedule: daily}'
run env WM_SCHEDULE_CRON='9 9 * * *' kedge wm resolve --event-name schedule
expect_exit 0
expect_out '[]'
expect_contains stderr 'wm: no task matches cron "9 9 * * *"; run kedge wm compile to refresh wm-agent.yml'
run env WM_SCHEDULE_CRON='24 12 * * *' kedge wm resolve --event-name schedule --repo-root "$PWD"
expect_out '["nightly"]'

t "task-C06, task-C07, task-C18: a bad file stops only itself"
printf '# no frontmatter\n' >.wm/tasks/plain.md
printf -- '---\nfoo: 1\n' >.wm/tasks/open.md
task 'quo"te' 'on: issues'
run kedge wm resolve --event-name issues --payload "$payloads/issues-opened.json"
expect_exit 0
expect_out '["a-b","a"]'
expect_contains stderr 'wm: plain.md: missing opening ---; skipped'
expect_contains stderr 'wm: open.md: unclosed frontmatter; skipped'
expect_contains stderr 'quo"te.md: not a task name'
run kedge wm resolve --force-task open
expect_exit 1
expect_empty stdout
expect_contains stderr 'error: open.md: unclosed frontmatter'

t "when no file can be read, that is a failure"
mkdir only && cd only && mkdir -p .wm/tasks && printf 'x\n' >.wm/tasks/plain.md
run kedge wm resolve --event-name issues
expect_exit 1
expect_empty stdout
expect_contains stderr 'error: no task could be loaded'
cd ..

t "task-C02: a configuration that is no YAML"
printf '[' >.wm/config.yml
run kedge wm resolve --event-name issues
expect_exit 1
expect_empty stdout
expect_contains stderr 'error: .wm/config.yml: yaml: line'
rm .wm/config.yml

t "task-S08, task-S12: a payload of 5 MiB; one that is nested too deeply"
{ printf '{"issue":{"body":"'; head -c 5242880 /dev/zero | tr '\0' x; printf '"}}'; } >large.json
run kedge wm resolve --event-name issues --payload large.json
expect_exit 0
expect_out '["a-b","a"]'
{ printf '{"a":'; head -c 10000 /dev/zero | tr '\0' '['; } >deep.json
run kedge wm resolve --event-name issues --payload deep.json
expect_exit 1
expect_contains stderr 'error: parse event json:'

t "a wrong use"
run kedge wm resolve --nope
expect_exit 2
expect_contains stderr 'error: unknown flag: --nope'
expect_contains stderr "Run 'kedge wm resolve --help' for usage."
run kedge wm resolve word
expect_exit 2
expect_contains stderr 'error: accepts 0 arg(s), received 1'

t "the list, for people and as JSON"
rm .wm/tasks/*.md
task nightly 'on: {schedule: daily, issues: , roles: [admin]}
description: |
  Every night.
  More.
engine: kedge'
task odd 'on: {schedule: custom}'
run kedge wm list
expect_exit 0
expect_out 'nightly  schedule,issues  kedge   Every night.
odd      schedule         claude'
expect_contains stderr 'wm: .wm/tasks/odd.md: on.schedule "custom" is not a schedule kedge understands; not added to wm-agent.yml'
run kedge wm list --json
expect_out '[{"name":"nightly","path":".wm/tasks/nightly.md","engine":"kedge","triggers":["schedule","issues"],"schedule":["24 12 * * *"],"description":"Every night.\nMore.\n"},{"name":"odd","path":".wm/tasks/odd.md","engine":"claude","triggers":["schedule"],"schedule":["custom"],"description":""}]'

t "validation says everything, and fails for what is wrong"
run kedge wm validate
expect_exit 0
expect_empty stdout
expect_contains stderr 'wm: .wm/tasks/odd.md: line 2: on.schedule "custom" is not a schedule'
expect_contains stderr 'wm validate: ok'
task party 'on: {push: , reaction: party}' '${{ secrets.FOO }}'
run kedge wm validate
expect_exit 1
expect_contains stderr 'error: .wm/tasks/party.md: line 2: on.reaction "party" is not a valid GitHub reaction'
expect_contains stderr 'error: .wm/tasks/party.md: line 5: expression "secrets.FOO"'
expect_contains stderr 'error: validation failed (2 problem(s))'

done_testing
