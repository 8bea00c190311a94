# Claims about session files, for the tests that break runs off: sourced after lib.sh, whose functions it uses.
# shellcheck shell=sh

# resumes TEXT…: --continue works, and the next request has these texts of the history.
resumes() {
    printf '{"text": "resumed"}\n' >"$HOME/resumes.jsonl"
    model_script "$HOME/resumes.jsonl"
    run kedge --continue -p "go on"
    expect_exit 0
    expect_out resumed
    for _text; do
        case $(model_journal 0.body.messages) in
        *"$_text"*) ;;
        *) fail "the next request does not have: $_text" ;;
        esac
    done
    expect_model_done
    whole "$(session_file)"
}
