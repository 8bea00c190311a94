#!/bin/sh
# `kedge wm init` and `compile`: what of a repository is made from its tasks (task-engine §3.2, §3.3, §7).
. "$(dirname "$0")/lib.sh"
. "$E2E_DIR/wm.sh"
need_kedge
data=$E2E_ROOT/tests/data/workflow

t "init writes a configuration, tasks and the caller workflow, and keeps what is there"
mkdir "$HOME/new" && cd "$HOME/new"
run kedge wm init
expect_exit 0
expect_empty stdout
expect_contains stderr "Initialized .wm/ and .github/workflows/wm-agent.yml"
expect_file .wm/.gitignore runs/
for file in .wm/config.yml .wm/tasks/answer.md .wm/tasks/code-review.md .wm/tasks/implement.md $CALLER; do
    [ -s $file ] || fail "no $file"
done
grep -q 'allowed-events: \[COMMENT, REQUEST_CHANGES\]' .wm/tasks/code-review.md || fail "the reviewer may approve"
expect_contains .wm/config.yml "engine: kedge"
expect_contains $CALLER "install_claude_code: false"
cp -r . ../before
rm .wm/tasks/answer.md && echo "# mine" >>.wm/tasks/implement.md
run kedge wm init
expect_exit 0
expect_contains stderr "kept existing .wm/config.yml"
expect_contains stderr "kept existing .wm/tasks/implement.md"
expect_not_contains stderr "answer.md"
expect_contains .wm/tasks/implement.md "# mine"
run kedge wm init --force
expect_exit 0
diff -r . ../before >/dev/null || fail "--force did not write the starters again:" "$(diff -r . ../before)"

t "task-Y01 the starter tasks with the engine claude: the workflow, byte for byte"
printf 'engine: claude\n' >.wm/config.yml
compiled
expect_file stderr "Updated .github/workflows/wm-agent.yml"
cmp -s $CALLER "$data/reusable.yml" || fail "it differs:" "$(diff -u "$data/reusable.yml" $CALLER)"

t "task-engine §7.3 the inline form, byte for byte"
project
config 'engine: claude
workflow:
  runs_on: [self-hosted, linux]
  kedge_version: v0.4.0
  pre_steps:
    - uses: jdx/mise-action@v4
      with: { cache: true }
    - name: Install dependencies
      run: |
        bundle install
        bundle exec rake prepare
      env: { "N": 3 }'
task fix 'on: {issues: {types: [opened, labeled]}, slash_command: {name: fix, events: [issue_comment, pull_request_review_comment]}}'
task nightly 'on: {schedule: daily}'
task report 'on: {schedule: weekly}'
compiled
cmp -s $CALLER "$data/inline.yml" || fail "it differs:" "$(diff -u "$data/inline.yml" $CALLER)"

t "task-Y02 types of two tasks, sorted, none twice"
project
task a 'on: {issues: {types: [opened]}}'
task b 'on: {issues: {types: [reopened, opened]}}'
compiled
expect_contains $CALLER "  issues:
    types: [opened, reopened]
  workflow_dispatch:"

t "task-Y03 a task that wants all kinds gets all"
task b 'on: {issues: {}}'
compiled
expect_contains $CALLER "  issues:
  workflow_dispatch:"

t "task-Y04 a command alone: created comments, nothing else"
project
task a 'on: {slash_command: {name: agent}}'
compiled
expect_contains $CALLER "on:
  issue_comment:
    types: [created]
  workflow_dispatch:"

t "task-Y05 a command on review comments"
task a 'on: {slash_command: {name: agent, events: [pull_request_review_comment]}}'
compiled
expect_contains $CALLER "on:
  pull_request_review_comment:
    types: [created]
  workflow_dispatch:"

t "task-Y06 a command beside all comments"
task b 'on: {slash_command: go, issue_comment: {}}'
rm .wm/tasks/a.md
compiled
expect_contains $CALLER "on:
  issue_comment:
  workflow_dispatch:"

t "task-Y07 the same cron of two tasks stands once"
project
task a 'on: {schedule: "0 1 * * *"}'
task b 'on: {schedule: ["0  1 * * *", "0 2 * * *"]}'
compiled
expect_contains $CALLER '  schedule:
    - cron: "0 1 * * *"
    - cron: "0 2 * * *"
  workflow_dispatch:'

# crons: those of the caller workflow, on one line.
crons() { sed -n 's/^    - cron: "\(.*\)"$/\1/p' $CALLER | paste -sd'|' -; }

t "task-F08 task-F11 task-F13 task-F14 what is no schedule is not written, and that is said"
project
for word in 'every 0 hours' 'every 25 hours' 'weekly on someday' custom 'every 3 minutes'; do
    task a "on: {schedule: $word}"
    compiled
    expect_contains stderr "wm: .wm/tasks/a.md: on.schedule \"$word\" is not a schedule kedge understands; not added to wm-agent.yml"
    expect_not_contains $CALLER schedule:
done

t "task-F12 task-F14 task-F15 task-F21 schedules as they are written"
while IFS='|' read -r word cron; do
    task a "on: {schedule: '$word'}"
    compiled
    [ "$(crons)" = "$cron" ] || fail "$word: $(crons), want $cron"
done <<'X'
0  0   * * *|0 0 * * *
every 10 minutes|*/10 * * * *
every 2 days|0 0 */2 * *
every 1 week|0 0 * * 0
every 2w|0 0 */14 * *
0 9 * * MON|0 9 * * MON
X

t "task-F01 task-F03 task-F06 task-F09 task-F16 task-F18 the minute hangs on the file's path in the repository"
project
task implement 'on: {schedule: daily}'
task code-review 'on: {schedule: hourly}'
task security-scan 'on: {schedule: every 1 hour}'
task weekly-digest 'on: {schedule: weekly on Monday}'
task nightly "on: {schedule: 'daily around 14:00 utc+9'}"
task report 'on: {schedule: bi-weekly}'
compiled
[ "$(crons)" = "19 */1 * * *|50 21 * * *|13 4 * * *|15 21 */14 * *|25 */1 * * *|31 21 * * 1" ] || fail "$(crons)"

t "task-F20 and not on where the repository is"
rm .wm/tasks/*.md
task nightly 'on: {schedule: daily}'
compiled
[ "$(crons)" = "24 12 * * *" ] || fail "$(crons)"
cp -r . "$HOME/another place"
cd "$HOME/another place" || exit
compiled
[ "$(crons)" = "24 12 * * *" ] || fail "$(crons)"

t "commands on all events, label commands, events by name"
project
task a 'on: {slash_command: {name: x, events: "*"}, label_command: fixme}'
task b 'on: {push: {branches: [main]}, release: {types: [published]}, repository_dispatch: {types: [on-demand.test]}, deployment_status: {types: [x]}}'
compiled
expect_contains $CALLER "on:
  issues:
    types: [edited, labeled, opened, reopened]
  issue_comment:
    types: [created]
  pull_request:
    types: [edited, labeled, opened, reopened]
  pull_request_review_comment:
    types: [created]
  deployment_status:
  discussion:
    types: [created, edited]
  discussion_comment:
    types: [created]
  push:
  release:
    types: [published]
  repository_dispatch:
    types: [on-demand.test]
  workflow_dispatch:"

t "a type that GitHub does not know would make it refuse the workflow for all tasks"
project
task a 'on: {issues: {types: [opend, closed]}, discussion: {types: [foo]}, workflow_run: {types: [completed], workflows: ["CI: all", Docs]}}'
compiled
expect_contains stderr 'wm: .wm/tasks/a.md: on.issues.types: "opend" is not an activity type that GitHub knows (did you mean "opened"?); not added to wm-agent.yml'
expect_contains $CALLER 'on:
  issues:
    types: [closed]
  workflow_run:
    types: [completed]
    workflows: ["CI: all", Docs]
  workflow_dispatch:'

t "runs of which workflow: GitHub refuses a file that does not say, and with it every task"
project
task a 'on: {workflow_run: {types: [completed]}}'
compiled
expect_contains stderr "wm: .wm/tasks/a.md: on.workflow_run: no workflows, and GitHub wants to know which; not added to wm-agent.yml"
expect_not_contains $CALLER "workflow_run"
task b 'on: {workflow_run: {types: [completed], workflows: [CI]}}'
compiled
expect_contains $CALLER 'on:
  workflow_run:
    types: [completed]
    workflows: [CI]
  workflow_dispatch:'

t "task-Y08 one pre-step: the inline form, the step between checkout and installation"
project
task a 'on: issues'
config 'workflow: {pre_steps: [{run: make deps}]}'
compiled
expect_contains $CALLER "  run_agent:"
expect_contains $CALLER "  run_outputs:"
expect_not_contains $CALLER "agent-run.yml"
expect_contains $CALLER "          persist-credentials: false

      # workflow.pre_steps from .wm/config.yml
      - run: make deps

      # workflow.install: release
      - uses: kedge-dev/kedge/.github/actions/install-kedge@main"

t "task-Y09 task-Y10 runner labels"
for row in '[self-hosted, linux]|["self-hosted","linux"]' 'macos-14|["macos-14"]' '[]|["ubuntu-latest"]' "[\"it's\"]|[\"it''s\"]"; do
    config "workflow: {runs_on: ${row%%|*}}"
    compiled
    expect_contains $CALLER "      runs_on: '${row#*|}'"
done

t "task-Y11 install_claude_code: false, in both forms"
config 'workflow: {install_claude_code: false}'
compiled
expect_contains $CALLER "install_claude_code: false"
config 'workflow: {install_claude_code: false, pre_steps: [{run: x}]}'
compiled
expect_not_contains $CALLER Claude

t "task-Y12 Claude Code is installed where a task runs with it"
config 'engine: kedge'
compiled
expect_contains $CALLER "install_claude_code: false"
task b 'engine: claude'
compiled
expect_contains $CALLER "install_claude_code: true"
rm .wm/tasks/*.md
config 'engine: claude'
compiled
expect_contains $CALLER "install_claude_code: true"

t "task-Y13 task-Y14 where the reusable workflows are"
task a 'on: issues'
run env KEDGE_WM_REPO=acme/agents kedge wm compile
expect_exit 0
expect_contains $CALLER "    uses: acme/agents/.github/workflows/agent-resolve.yml@main"
expect_contains $CALLER "    uses: acme/agents/.github/workflows/agent-run.yml@main"
run env GH_WM_REPO=acme/older kedge wm compile
expect_contains $CALLER "    uses: acme/older/.github/workflows/agent-resolve.yml@main"
run env GH_WM_REPO=an-lee/gh-wm kedge wm compile
expect_exit 0
expect_contains stderr "GH_WM_REPO=an-lee/gh-wm is not used"
expect_contains $CALLER "    uses: kedge-dev/kedge/.github/workflows/agent-resolve.yml@main"
config 'workflow: {reusable_repo: acme/own.repo, reusable_ref: v1/x}'
compiled
expect_contains $CALLER "    uses: acme/own.repo/.github/workflows/agent-run.yml@v1/x"

t "task-Y15 the pin of gh-wm pins no kedge, but for the extension"
config 'workflow: {gh_wm_extension_version: v1.2.3}'
compiled
expect_contains stderr "workflow.gh_wm_extension_version pins gh-wm, not kedge; set workflow.kedge_version"
expect_contains $CALLER 'kedge_version: ""'
config 'workflow: {gh_wm_extension_version: v1.2.3, install: gh-extension}'
compiled
expect_not_contains stderr "pins gh-wm"
expect_contains $CALLER 'kedge_version: "v1.2.3"'
expect_contains $CALLER 'install: gh-extension'

t "task-Y16 a type that is none is left out, with a warning"
project
task a 'on: {issues: {types: ["opened]\n  push:"]}}'
task b 'on: {pull_request: {types: [opened, "x: y"]}}'
compiled
expect_contains stderr 'wm: .wm/tasks/a.md: on.issues.types: "opened]\n  push:" is not an activity type'
expect_contains stderr 'wm: .wm/tasks/b.md: on.pull_request.types: "x: y" is not an activity type'
expect_contains $CALLER "on:
  pull_request:
    types: [opened]
  workflow_dispatch:"
expect_not_contains $CALLER push:

t "task-Y17 compiled twice: the same bytes, the file left alone; --check tells of a change"
touch -d 2020-01-02T03:04:05Z $CALLER .wm/.gitignore
ls -i $CALLER >../inode
compiled
ls -i $CALLER | cmp -s - ../inode || fail "the file was written again"
[ -z "$(find $CALLER .wm/.gitignore -newermt 2020-01-03)" ] || fail "a file was written again"
run kedge wm compile --check
expect_exit 0
expect_empty stdout
task b 'on: {pull_request: {types: [closed]}}'
run kedge wm compile --check
expect_exit 1
expect_contains stderr "error: .github/workflows/wm-agent.yml is out of date; run kedge wm compile"
expect_contains $CALLER "types: [opened]"
rm -r .github
run kedge wm compile --check
expect_exit 1
[ ! -e .github ] || fail "--check wrote"

t "task-Y18 .wm/.gitignore"
rm .wm/.gitignore
compiled
printf 'runs/\n' | cmp -s - .wm/.gitignore || fail "absent: $(cat .wm/.gitignore)"
printf tmp >.wm/.gitignore
compiled
printf 'tmp\nruns/\n' | cmp -s - .wm/.gitignore || fail "without newline: $(cat .wm/.gitignore)"
echo /runs/ >.wm/.gitignore
compiled
printf '/runs/\n' | cmp -s - .wm/.gitignore || fail "changed: $(cat .wm/.gitignore)"

t "task-Y19 an expression that is not allowed"
cp $CALLER ../old.yml
task b 'on: {pull_request: {types: [synchronize]}}' 'A ${{ secrets.X }} and ${{ env.Y }}'
run kedge wm compile
expect_exit 1
expect_contains stderr 'error: .wm/tasks/b.md: expression "secrets.X": secrets.* is not allowed in task body (gh-aw policy)'
cmp -s $CALLER ../old.yml || fail "the workflow was written"
config 'compat: {gh_aw_expressions: warn}'
compiled
expect_contains stderr 'wm: .wm/tasks/b.md: expression "secrets.X": secrets.* is not allowed'
expect_contains stderr 'wm: .wm/tasks/b.md: expression "env.Y": env.* is not allowed'
expect_contains $CALLER "synchronize"
config 'compat: {gh_aw_expressions: off}'
compiled
expect_not_contains stderr expression

t "task-Y20 a reaction is no trigger"
project
task a 'on: {reaction: eyes, schedule: "5 5 * * *"}'
compiled
expect_contains $CALLER 'on:
  schedule:
    - cron: "5 5 * * *"
  workflow_dispatch:'

t "task-Y21 a secret of the repository's own: the inline form, with each"
config 'workflow: {secrets: [ANTHROPIC_API_KEY, MY_KEY, MY_KEY]}'
compiled
expect_contains $CALLER "          GH_TOKEN: \${{ github.token }}
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
          MY_KEY: \${{ secrets.MY_KEY }}
          EVENT_NAME: "
config 'workflow: {secrets: [OPENAI_API_KEY, KEDGE_API_KEY]}'
compiled
expect_contains $CALLER "    secrets:
      OPENAI_API_KEY: \${{ secrets.OPENAI_API_KEY }}
      KEDGE_API_KEY: \${{ secrets.KEDGE_API_KEY }}"
config 'workflow: {secrets: []}'
compiled
expect_not_contains $CALLER "secrets"

t "task-Y22 all keys of a step are kept, in order"
config 'workflow:
  pre_steps:
    - name: "Set: up"
      id: setup
      if: ${{ always() }}
      shell: bash
      run: "echo \"$N\""
      env: { N: yes, on: "off", list: [1, 2.5, true, null, "x # y"] }
      timeout-minutes: 5
      with:
        deep:
          - a: |
              one
               two
            b: [[1], {c: d}]'
compiled
expect_contains $CALLER '      - name: "Set: up"
        id: setup
        if: "${{ always() }}"
        shell: bash
        run: "echo \"$N\""
        env:
          "N": "yes"
          "on": "off"
          list: [1, 2.5, true, null, "x # y"]
        timeout-minutes: 5
        with:
          deep:
            - a: |
                one
                 two
              b:
                - [1]
                - c: d'

t "task-Y23 a step with neither uses nor run, and one with both"
cp $CALLER ../old.yml
config 'workflow: {pre_steps: [{name: x}]}'
run kedge wm compile
expect_exit 1
expect_contains stderr "workflow.pre_steps[0]: step needs exactly one of uses, run"
config 'workflow: {install_steps: [{run: x}, {run: x, uses: y}]}'
run kedge wm compile
expect_exit 1
expect_contains stderr "workflow.install_steps[1]: step needs exactly one of uses, run"
cmp -s $CALLER ../old.yml || fail "the workflow was written"

t "how kedge is installed, in the inline form"
config 'workflow: {install: gh-extension, kedge_version: v1, pre_steps: [{run: x}]}'
compiled
expect_contains $CALLER '      # workflow.install: gh-extension
      - uses: kedge-dev/kedge/.github/actions/install-kedge@main
        with:
          mode: gh-extension
          version: "v1"
'
config 'workflow: {install: none, pre_steps: [{run: x}]}'
compiled
expect_contains $CALLER '      # workflow.install: none
      - uses: kedge-dev/kedge/.github/actions/install-kedge@main
        with:
          mode: none
'
config 'workflow: {install_steps: [{name: build, run: make install}]}'
compiled
expect_contains $CALLER '      # workflow.install_steps from .wm/config.yml
      - name: build
        run: make install
'
[ "$(grep -c 'run: make install' $CALLER)" = 2 ] || fail "not in both jobs"
expect_not_contains $CALLER install-kedge

t "task-engine §10.9 failures that are to be reported are packed, too"
task a 'on: issues
safe-outputs: {add-comment: , messages: {run-failure: "bad {status}"}}'
compiled
[ "$(grep -cF "if: \${{ success() || (failure() && hashFiles('.wm/runs/*/meta.json') != '') }}" $CALLER)" = 2 ] || fail "not on both steps"
config ''
compiled
expect_contains $CALLER "      report_failures: true"

t "task-engine §10.7 keys of models go to the outputs job where a task wants a model to look at what is written, and nowhere else"
task a 'on: issues
safe-outputs: {add-comment: , threat-detection: true}'
config 'workflow: {pre_steps: [{run: x}]}'
compiled
[ "$(grep -cF 'ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}' $CALLER)" = 1 ] || fail "not in the agent's job alone"
config ''
compiled
expect_not_contains $CALLER judge_outputs
task a 'on: issues
safe-outputs: {add-comment: , threat-detection: {engine: kedge}}'
compiled
expect_contains $CALLER "      judge_outputs: true"
config 'workflow: {pre_steps: [{run: x}], secrets: [MY_KEY]}'
compiled
[ "$(grep -cF '          MY_KEY: ${{ secrets.MY_KEY }}' $CALLER)" = 2 ] || fail "not in both jobs"
config ''

t "task-engine §10.13 an environment that waits for a person"
task a 'on: {issues: , manual-approval: production}'
task "it's" 'on: {issues: , manual-approval: "a \"b\" #c: {d}"}'
compiled
expect_contains $CALLER "      environment: \"\${{ fromJSON('{\\\"a\\\":\\\"production\\\",\\\"it''s\\\":\\\"a \\\\\\\"b\\\\\\\" #c: {d}\\\"}')[matrix.task] || '' }}\""
config 'workflow: {pre_steps: [{run: x}]}'
compiled
expect_contains $CALLER "      pull-requests: write
    environment: \"\${{ fromJSON("
task a 'on: {issues: , manual-approval: [x]}'
run kedge wm compile
expect_exit 1
expect_contains stderr ".wm/tasks/a.md: on.manual-approval must be the name of an environment"
rm .wm/tasks/*.md
task a 'on: issues'

t "task-engine §7.6 what is hostile in the configuration is an error that names its key"
cp $CALLER ../old.yml
while IFS='|' read -r key value; do
    config "workflow: {$key: $value}"
    run kedge wm compile
    expect_exit 1
    expect_contains stderr ".wm/config.yml: workflow.$key"
    cmp -s $CALLER ../old.yml || fail "$key: the workflow was written"
done <<'X'
runs_on|["${{ secrets.X }}"]
kedge_version|"v1\"\n    secrets: inherit"
kedge_version|"--force"
kedge_version|"${{ x }}"
reusable_repo|"a/b@main\n  x: y"
reusable_repo|"a"
reusable_repo|"a/b/c"
reusable_ref|"main # x"
reusable_ref|"${{ x }}"
secrets|["A: b"]
secrets|["a"]
secrets|[GH_TOKEN]
secrets|[WM_HAS_TASKS]
X
run env "KEDGE_WM_REPO=a/b
x: y" kedge wm compile
expect_exit 1
expect_contains stderr "KEDGE_WM_REPO"

t "labels with characters of YAML stay what they are"
config 'workflow: {runs_on: ["a: b #c", "d}}'"'"'\"\u0007\u0085é😀"]}'
compiled
expect_contains $CALLER "      runs_on: '[\"a: b #c\",\"d}}''\\\"\\u0007\\u0085\\u00e9\\ud83d\\ude00\"]'"

t "a task that cannot be read stops it before anything is written"
config ''
compiled
cp $CALLER ../old.yml
task b 'on: {push: }'
printf 'no frontmatter\n' >.wm/tasks/c.md
run kedge wm compile
expect_exit 1
expect_contains stderr "error: c.md: missing opening ---"
cmp -s $CALLER ../old.yml || fail "the workflow was written"
rm .wm/tasks/c.md
task 'a"b' 'on: issues'
run kedge wm compile
expect_exit 1
expect_contains stderr 'a"b.md: not a task name'
rm '.wm/tasks/a"b.md'
run kedge wm compile extra
expect_exit 2
expect_contains stderr "Run 'kedge wm compile --help' for usage."
rm -r .wm/tasks
run kedge wm compile
expect_exit 1
expect_contains stderr "error: .wm/tasks: no such directory (run kedge wm init)"

t "nothing is written through a symlink that leads out of the repository"
project
task a 'on: issues'
mkdir ../outside
ln -s ../outside .github
run kedge wm compile
expect_exit 1
expect_contains stderr ".github/workflows/wm-agent.yml: neither read nor written, a symlink leads out of the repository"
[ -z "$(ls ../outside)" ] || fail "written outside: $(ls ../outside)"
rm .github && mkdir -p .github/workflows real && ln -s "$PWD/../outside/x.yml" $CALLER
run kedge wm compile
expect_exit 1
[ ! -e ../outside/x.yml ] || fail "written outside"
rm $CALLER && touch real/x.yml && ln -s ../../real/x.yml $CALLER
compiled
[ -L $CALLER ] && grep -q "name: WM Agent" real/x.yml || fail "the link inside was not followed"
rm .wm/.gitignore && ln -s ../../outside/ignore .wm/.gitignore
run kedge wm compile
expect_exit 1
[ ! -e ../outside/ignore ] || fail "written outside"

t "task-engine §10.3 relative deadlines are counted once"
project
task a 'on: {issues: , stop-after: +1d12h}'
task b 'on: {issues: , stop-after: 2026-05-01}'
compiled
deadline=$(json .wm/stop-after.json a.deadline)
expect_json .wm/stop-after.json a.expr +1d12h
expect_matches .wm/stop-after.json '"deadline": "20[0-9-]*T[0-9:]*Z"'
expect_not_contains .wm/stop-after.json '"b"'
sed -i 's/"20[0-9]*-/"2031-/' .wm/stop-after.json
stored=$(json .wm/stop-after.json a.deadline)
compiled
expect_json .wm/stop-after.json a.deadline "$stored"
run kedge wm compile --check
expect_exit 0
run kedge wm compile --refresh-stop-after
expect_exit 0
[ "$(json .wm/stop-after.json a.deadline)" != "$stored" ] || fail "not counted anew"
task a 'on: {issues: , stop-after: +2mo}'
run kedge wm compile --check
expect_exit 1
expect_contains stderr ".wm/stop-after.json is out of date"
compiled
expect_json .wm/stop-after.json a.expr +2mo
for bad in 5m +5m soon 2026-13-01 +; do
    task a "on: {issues: , stop-after: $bad}"
    run kedge wm compile
    expect_exit 1
    expect_contains stderr ".wm/tasks/a.md: on.stop-after: \"$bad\" is neither"
done
task a 'on: issues'
compiled
expect_file .wm/stop-after.json "{}"

t "the program as an extension of gh"
ln -s "$KEDGE" "$E2E_TMP/bin/gh-wm" && ln -s "$KEDGE" "$E2E_TMP/bin/gh-kedge"
run gh-wm compile --check
expect_exit 0
run gh-wm version
kedge wm version >../version
cmp -s "$(path_of stdout)" ../version || fail "another version: $(cat "$(path_of stdout)")"
run gh-wm --version
expect_exit 0
run gh-kedge wm compile --check
expect_exit 0
run gh-wm nothing
expect_exit 2
expect_contains stderr 'unknown command "nothing" for "kedge wm"'
done_testing
