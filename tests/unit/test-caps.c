/*
 * tui/term/caps.c: what an environment says of a terminal, and what its answers change.
 */
#include "unit.h"

#include "tui/term/caps.h"

#include <string.h>

/* "A=1 B=2" as an environment; the function has no place for it but a global. */
static char **environment;

static const char *fake_env(const char *name)
{
    size_t size = strlen(name);
    for (char **pair = environment; *pair; pair++)
        if (strncmp(*pair, name, size) == 0 && (*pair)[size] == '=')
            return *pair + size + 1;
    return NULL;
}

static TermCaps caps_of(const char *pairs)
{
    environment = g_strsplit(pairs, " ", -1);
    TermCaps caps = caps_of_environment(fake_env);
    g_strfreev(environment);
    environment = NULL;
    return caps;
}

static char *describe(const TermCaps *caps)
{
    static const char *const depths[] = { "0", "16", "256", "true" };
    static const char *const images[] = { "", " kitty-images", " iterm2-images", " sixel-images" };
    const struct {
        bool is;
        const char *name;
    } facts[] = {
        { caps->is_dumb, "dumb" },
        { caps->is_over_ssh, "ssh" },
        { caps->is_tmux, "tmux" },
        { caps->is_screen, "screen" },
        { caps->is_zellij, "zellij" },
        { caps->wraps_again, "wraps" },
        { caps->has_sync, "sync" },
        { caps->has_clusters, "clusters" },
        { caps->has_kitty, "kitty" },
        { caps->has_brackets, "brackets" },
        { caps->has_links, "links" },
        { caps->has_marks, "marks" },
        { !caps->has_queries, "mute" },
        { caps->is_answered, "answered" },
        { caps->has_background, caps->is_light ? "light" : "dark" },
    };
    GString *out = g_string_new(depths[caps->depth]);
    for (size_t i = 0; i < G_N_ELEMENTS(facts); i++)
        if (facts[i].is)
            g_string_append_printf(out, " %s", facts[i].name);
    g_string_append(out, images[caps->images]);
    return g_string_free(out, FALSE);
}

static void expect(const TermCaps *caps, const char *name, const char *want)
{
    g_autofree char *got = describe(caps);
    if (strcmp(got, want) != 0)
        fail_msg("%s: got '%s', want '%s'", name, got, want);
}

static void test_environment(void **state)
{
    static const struct {
        const char *env, *want;
    } cases[] = {
        { "", "0 dumb mute answered" },
        { "TERM=dumb COLORTERM=truecolor", "0 dumb mute answered" },
        { "TERM=unknown", "0 dumb mute answered" },
        { "TERM=dumb KEDGE_FORCE_IMAGE_PROTOCOL=kitty", "0 dumb mute answered" },
        { "TERM=linux", "16 mute answered" },
        { "TERM=linux COLORTERM=truecolor KITTY_WINDOW_ID=1", "16 mute answered" },
        { "TERM=vt220", "16 mute answered" },
        { "TERM=xterm", "true" },
        { "TERM=xterm-256color", "true" },
        { "TERM=xterm-16color", "16" },
        { "TERM=xterm-mono COLORTERM=truecolor", "0" },
        { "TERM=rxvt", "16" },
        { "TERM=rxvt-unicode-256color", "256" },
        { "TERM=rxvt-unicode-256color COLORTERM=24bit", "true" },
        { "TERM=xterm-256color NO_COLOR=1 COLORTERM=truecolor", "0" },
        { "TERM=xterm-256color NO_COLOR=", "true" },
        { "TERM=xterm-kitty NO_COLOR=1", "0 wraps links marks kitty-images" },
        // terminals
        { "TERM=xterm-kitty", "true wraps links marks kitty-images" },
        { "TERM=xterm-256color KITTY_WINDOW_ID=1", "true wraps links marks kitty-images" },
        { "TERM=xterm-ghostty", "true wraps links marks kitty-images" },
        { "TERM=foot", "true wraps links marks sixel-images" },
        { "TERM=xterm-256color TERM_PROGRAM=WezTerm", "true wraps links marks iterm2-images" },
        { "TERM=xterm-256color TERM_PROGRAM=iTerm.app", "true wraps links marks iterm2-images" },
        { "TERM=xterm-256color TERM_PROGRAM=vscode KITTY_WINDOW_ID=1", "true wraps links" },
        { "TERM=xterm-kitty TERM_PROGRAM=vscode", "true wraps links marks kitty-images" },
        { "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", "256" },
        { "TERM=xterm-256color VTE_VERSION=7600", "true wraps links marks" },
        { "TERM=xterm-256color VTE_VERSION=6003", "true wraps links" },
        { "TERM=xterm-256color VTE_VERSION=3405", "true wraps" },
        { "TERM=xterm-256color WT_SESSION=a", "true wraps links marks" },
        { "TERM=xterm-256color KONSOLE_VERSION=220401", "true wraps" },
        { "TERM=alacritty", "true wraps links" },
        { "TERM=xterm-256color ALACRITTY_WINDOW_ID=1", "true wraps links" },
        // from afar
        { "TERM=xterm-256color SSH_CONNECTION=a", "true ssh" },
        { "TERM=xterm-256color SSH_TTY=/dev/pts/1", "true ssh" },
        { "TERM=xterm-256color SSH_TTY=/dev/pts/1 LC_TERMINAL=iTerm2",
          "true ssh wraps links marks iterm2-images" },
        // multiplexers
        { "TERM=tmux-256color TMUX=/tmp/x KITTY_WINDOW_ID=1", "true tmux wraps" },
        { "TERM=screen-256color TMUX=/tmp/x", "true tmux wraps" },
        { "TERM=tmux-256color SSH_TTY=/dev/pts/1", "true ssh tmux wraps" },
        { "TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.3a",
          "true tmux wraps" },
        { "TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.4",
          "true tmux wraps links marks" },
        { "TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=next-3.7",
          "true tmux wraps sync links marks" },
        { "TERM=tmux-256color TMUX=/tmp/x KEDGE_FORCE_IMAGE_PROTOCOL=kitty",
          "true tmux wraps kitty-images" },
        { "TERM=screen STY=1.pts COLORTERM=truecolor KITTY_WINDOW_ID=1", "16 screen" },
        { "TERM=screen-256color STY=1.pts COLORTERM=truecolor", "256 screen" },
        { "TERM=screen-256color", "256 screen" },
        { "TERM=xterm-256color ZELLIJ=0", "true zellij wraps" },
        { "TERM=xterm-kitty ZELLIJ=0", "true zellij wraps links" },
        // images, background
        { "TERM=xterm-kitty KEDGE_FORCE_IMAGE_PROTOCOL=none", "true wraps links marks" },
        { "TERM=xterm KEDGE_FORCE_IMAGE_PROTOCOL=Sixel", "true sixel-images" },
        { "TERM=xterm KEDGE_FORCE_IMAGE_PROTOCOL=jpeg", "true" },
        { "TERM=xterm COLORFGBG=15;0", "true dark" },
        { "TERM=xterm COLORFGBG=0;default;15", "true light" },
        { "TERM=xterm COLORFGBG=0;8", "true light" },
        { "TERM=xterm COLORFGBG=0;7", "true dark" },
        { "TERM=xterm COLORFGBG=default;default", "true" },
        { "TERM=xterm COLORFGBG=0;99", "true" },
        { "TERM=xterm COLORFGBG=15", "true" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        TermCaps caps = caps_of(cases[i].env);
        expect(&caps, cases[i].env, cases[i].want);
    }
}

static InputEvent answer(AnswerKind kind, uint32_t number, int value)
{
    return (InputEvent) { .kind = INPUT_ANSWER, .answer = kind, .number = number, .value = value };
}

static InputEvent version(const char *text)
{
    return (InputEvent) {
        .kind = INPUT_ANSWER, .answer = ANSWER_VERSION, .text = text, .size = strlen(text)
    };
}

static void test_answers(void **state)
{
    const struct {
        const char *env;
        InputEvent answers[3]; // up to the first that is a key
        const char *want;
    } cases[] = {
        { "TERM=xterm", { answer(ANSWER_KITTY, 0, 0) }, "true kitty" },
        { "TERM=screen STY=1", { answer(ANSWER_KITTY, 0, 0) }, "16 screen" },
        { "TERM=xterm", { answer(ANSWER_ATTRIBUTES, 0, 0) }, "true answered" },
        { "TERM=xterm", { answer(ANSWER_ATTRIBUTES, 0, 1) }, "true answered sixel-images" },
        { "TERM=xterm-kitty",
          { answer(ANSWER_ATTRIBUTES, 0, 1) },
          "true wraps links marks answered kitty-images" },
        { "TERM=xterm KEDGE_FORCE_IMAGE_PROTOCOL=none",
          { answer(ANSWER_ATTRIBUTES, 0, 1) },
          "true answered" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2026, 2) }, "true sync" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2026, 0) }, "true" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2026, 4) }, "true" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2027, 3) }, "true clusters" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2004, 1) }, "true brackets" },
        { "TERM=xterm", { answer(ANSWER_MODE, 1234, 1) }, "true" },
        { "TERM=xterm ZELLIJ=0", { answer(ANSWER_MODE, 2026, 2) }, "true zellij wraps" },
        { "TERM=screen STY=1", { answer(ANSWER_MODE, 2026, 2) }, "16 screen" },
        { "TERM=tmux TMUX=a", { answer(ANSWER_MODE, 2026, 2) }, "true tmux wraps" },
        { "TERM=tmux TMUX=a",
          { version("tmux 3.7"), answer(ANSWER_MODE, 2026, 2) },
          "true tmux wraps sync links marks" },
        { "TERM=tmux TMUX=a",
          { version("tmux 3.7"), answer(ANSWER_MODE, 2026, 0) },
          "true tmux wraps links marks" },
        { "TERM=xterm",
          { answer(ANSWER_MODE, 2026, 2), version("tmux 3.4") },
          "true tmux wraps links marks" },
        { "TERM=screen-256color", { version("tmux 3.3a") }, "true tmux wraps" },
        { "TERM=screen-256color NO_COLOR=1", { version("tmux 3.3a") }, "0 tmux wraps" },
        { "TERM=xterm-256color SSH_TTY=a",
          { version("kitty(0.35.2)") },
          "true ssh wraps links marks kitty-images" },
        { "TERM=xterm-256color KITTY_WINDOW_ID=1", { version("XTerm(388)") }, "true" },
        { "TERM=xterm-256color TMUX=a", { version("VTE(7600)") }, "true wraps links marks" },
        { "TERM=xterm-256color", { version("VTE(6003)") }, "true wraps links" },
        { "TERM=xterm-256color", { version("Konsole 23.08") }, "true wraps" },
        { "TERM=xterm-256color", { version("new one 1.0") }, "true" },
        { "TERM=xterm-256color", { version("") }, "true" },
        { "TERM=xterm-256color NO_COLOR=1",
          { version("foot(1.16)") },
          "0 wraps links marks sixel-images" },
        { "TERM=xterm KEDGE_FORCE_IMAGE_PROTOCOL=kitty",
          { version("foot(1.16)") },
          "true wraps links marks kitty-images" },
        { "TERM=xterm", { answer(ANSWER_BACKGROUND, 0x1e2030, 0) }, "true dark" },
        { "TERM=xterm", { answer(ANSWER_BACKGROUND, 0xffffff, 0) }, "true light" },
        { "TERM=xterm", { answer(ANSWER_BACKGROUND, 0x0000ff, 0) }, "true dark" },
        { "TERM=xterm", { answer(ANSWER_BACKGROUND, 0x00ff00, 0) }, "true light" },
        { "TERM=xterm COLORFGBG=0;15", { answer(ANSWER_BACKGROUND, 0, 0) }, "true dark" },
        { "TERM=xterm",
          { answer(ANSWER_BACKGROUND, 0, 0), answer(ANSWER_COLOUR_SCHEME, 2, 0) },
          "true light" },
        { "TERM=xterm", { answer(ANSWER_COLOUR_SCHEME, 1, 0) }, "true dark" },
        { "TERM=xterm", { answer(ANSWER_OTHER, 0, 0) }, "true" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        TermCaps caps = caps_of(cases[i].env);
        for (size_t j = 0; j < 3 && cases[i].answers[j].kind == INPUT_ANSWER; j++) {
            g_autofree char *before = describe(&caps);
            bool has_changed = caps_take_answer(&caps, &cases[i].answers[j]);
            g_autofree char *after = describe(&caps);
            assert_true(has_changed || strcmp(before, after) == 0);
            assert_false(caps_take_answer(&caps, &cases[i].answers[j])); // again
        }
        g_autofree char *name = g_strdup_printf("row %zu, %s", i, cases[i].env);
        expect(&caps, name, cases[i].want);
    }
    TermCaps caps = caps_of("TERM=xterm");
    const InputEvent key = { .kind = INPUT_KEY, .answer = ANSWER_ATTRIBUTES };
    assert_false(caps_take_answer(&caps, &key));
    expect(&caps, "a key", "true");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_answers),
    };
    return cmocka_run_group_tests_name("caps", tests, NULL, NULL);
}
