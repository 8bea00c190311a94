# What the tests of `kedge wm` share. Sourced after lib.sh.
# shellcheck shell=sh

unset WM_RUN_DIR WM_AGENT_CMD WM_CHECKPOINT WM_SCHEDULE_CRON WM_LOG_FORMAT WM_REPO_ROOT WM_TASK WM_SAFE_OUTPUT_FILE

CALLER=.github/workflows/wm-agent.yml

# project: a new, empty repository with tasks to stand in.
project() {
    _projects=$((${_projects:-0} + 1))
    mkdir -p "$HOME/repo$_projects/.wm/tasks"
    cd "$HOME/repo$_projects" || _bail "no repository"
}

# task NAME FRONTMATTER [BODY]: writes .wm/tasks/NAME.md.
task() { printf -- '---\n%s\n---\n%s\n' "$2" "${3:-Do it.}" >".wm/tasks/$1.md"; }

# config TEXT: writes .wm/config.yml.
config() { printf '%s\n' "$1" >.wm/config.yml; }

# compiled: compiles, and that goes well.
compiled() {
    run kedge wm compile
    expect_exit 0
    expect_empty stdout
}
