/*
 * tui/term/caps.c: what an environment says of a terminal, and what its answers change.
 */
#include "unit.h"

#include "tui/term/caps.h"
#include "tui/term/terminfo.h"

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

/* COLOURS=8 of it, as a description. */
static int fake_described(const char *term)
{
    assert_string_equal(term, fake_env("TERM"));
    const char *colours = fake_env("COLOURS");
    return colours ? (int)g_ascii_strtoll(colours, NULL, 10) : -1;
}

static TermCaps caps_of(const char *pairs)
{
    environment = g_strsplit(pairs, " ", -1);
    TermCaps caps = caps_of_environment(fake_env, fake_described);
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
        { "TERM=vt220", "0 mute answered" },
        { "TERM=vt220 COLORTERM=truecolor", "0 mute answered" },
        { "TERM=xterm", "16" },
        { "TERM=xterm COLORTERM=truecolor", "true" },
        { "TERM=xterm-256color COLORTERM=yes", "256" },
        { "TERM=xterm-direct", "true" },
        // by the description of the terminal
        { "TERM=vt100 COLOURS=0", "0 mute answered" },
        { "TERM=vt340 COLOURS=8", "16 mute answered" },
        { "TERM=ansi COLOURS=256", "16 mute answered" },
        { "TERM=new COLOURS=0 COLORTERM=truecolor", "0" },
        { "TERM=new COLOURS=7", "0" },
        { "TERM=new COLOURS=8", "16" },
        { "TERM=new COLOURS=88", "16" },
        { "TERM=new COLOURS=256", "256" },
        { "TERM=new COLOURS=16777216", "true" },
        { "TERM=xterm-kitty COLOURS=256", "true wraps links marks kitty-images" },
        { "TERM=screen-256color STY=1 COLOURS=16777216", "256 screen" },
        { "TERM=new", "16" },
        { "TERM=xterm-256color", "256" },
        { "TERM=xterm-16color", "16" },
        { "TERM=xterm-mono COLORTERM=truecolor", "0" },
        { "TERM=rxvt", "16" },
        { "TERM=rxvt-unicode-256color", "256" },
        { "TERM=rxvt-unicode-256color COLORTERM=24bit", "true" },
        { "TERM=xterm-256color NO_COLOR=1 COLORTERM=truecolor", "0" },
        { "TERM=xterm-256color NO_COLOR=", "256" },
        { "TERM=xterm-kitty NO_COLOR=1", "0 wraps links marks kitty-images" },
        // terminals
        { "TERM=xterm-kitty", "true wraps links marks kitty-images" },
        { "TERM=xterm-256color KITTY_WINDOW_ID=1", "256 wraps links marks kitty-images" },
        { "TERM=xterm-ghostty", "true wraps links marks kitty-images" },
        { "TERM=foot", "true wraps links marks sixel-images" },
        { "TERM=xterm-256color TERM_PROGRAM=WezTerm", "256 wraps links marks iterm2-images" },
        { "TERM=xterm-256color TERM_PROGRAM=iTerm.app", "256 wraps links marks iterm2-images" },
        { "TERM=xterm-256color TERM_PROGRAM=vscode KITTY_WINDOW_ID=1", "256 wraps links" },
        { "TERM=xterm-kitty TERM_PROGRAM=vscode", "true wraps links marks kitty-images" },
        { "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", "256" },
        { "TERM=xterm-256color VTE_VERSION=7600", "256 wraps links marks" },
        { "TERM=xterm-256color VTE_VERSION=6003", "256 wraps links" },
        { "TERM=xterm-256color VTE_VERSION=3405", "256 wraps" },
        { "TERM=xterm-256color WT_SESSION=a", "256 wraps links marks" },
        { "TERM=xterm-256color KONSOLE_VERSION=220401", "256 wraps" },
        { "TERM=alacritty", "true wraps links" },
        { "TERM=xterm-256color ALACRITTY_WINDOW_ID=1", "256 wraps links" },
        // from afar
        { "TERM=xterm-256color SSH_CONNECTION=a", "256 ssh" },
        { "TERM=xterm-256color SSH_TTY=/dev/pts/1", "256 ssh" },
        { "TERM=xterm-256color SSH_TTY=/dev/pts/1 LC_TERMINAL=iTerm2",
          "256 ssh wraps links marks iterm2-images" },
        // multiplexers
        { "TERM=tmux-256color TMUX=/tmp/x KITTY_WINDOW_ID=1", "256 tmux wraps" },
        { "TERM=screen-256color TMUX=/tmp/x", "256 tmux wraps" },
        { "TERM=tmux-256color SSH_TTY=/dev/pts/1", "256 ssh tmux wraps" },
        { "TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.3a",
          "256 tmux wraps" },
        { "TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.4",
          "256 tmux wraps links marks" },
        { "TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=next-3.7",
          "256 tmux wraps sync links marks" },
        { "TERM=tmux-256color TMUX=/tmp/x KEDGE_FORCE_IMAGE_PROTOCOL=kitty",
          "256 tmux wraps kitty-images" },
        { "TERM=screen STY=1.pts COLORTERM=truecolor KITTY_WINDOW_ID=1", "16 screen" },
        { "TERM=screen-256color STY=1.pts COLORTERM=truecolor", "256 screen" },
        { "TERM=screen-256color", "256 screen" },
        { "TERM=xterm-256color ZELLIJ=0", "256 zellij wraps" },
        { "TERM=xterm-kitty ZELLIJ=0", "true zellij wraps links" },
        // images, background
        { "TERM=xterm-kitty KEDGE_FORCE_IMAGE_PROTOCOL=none", "true wraps links marks" },
        { "TERM=xterm KEDGE_FORCE_IMAGE_PROTOCOL=Sixel", "16 sixel-images" },
        { "TERM=xterm KEDGE_FORCE_IMAGE_PROTOCOL=jpeg", "16" },
        { "TERM=xterm COLORFGBG=15;0", "16 dark" },
        { "TERM=xterm COLORFGBG=0;default;15", "16 light" },
        { "TERM=xterm COLORFGBG=0;8", "16 light" },
        { "TERM=xterm COLORFGBG=0;7", "16 dark" },
        { "TERM=xterm COLORFGBG=default;default", "16" },
        { "TERM=xterm COLORFGBG=0;99", "16" },
        { "TERM=xterm COLORFGBG=15", "16" },
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
        { "TERM=xterm", { answer(ANSWER_KITTY, 0, 0) }, "16 kitty" },
        { "TERM=screen STY=1", { answer(ANSWER_KITTY, 0, 0) }, "16 screen" },
        { "TERM=xterm", { answer(ANSWER_ATTRIBUTES, 0, 0) }, "16 answered" },
        { "TERM=xterm", { answer(ANSWER_ATTRIBUTES, 0, 1) }, "16 answered sixel-images" },
        { "TERM=xterm-kitty",
          { answer(ANSWER_ATTRIBUTES, 0, 1) },
          "true wraps links marks answered kitty-images" },
        { "TERM=xterm KEDGE_FORCE_IMAGE_PROTOCOL=none",
          { answer(ANSWER_ATTRIBUTES, 0, 1) },
          "16 answered" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2026, 2) }, "16 sync" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2026, 0) }, "16" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2026, 4) }, "16" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2027, 3) }, "16 clusters" },
        { "TERM=xterm", { answer(ANSWER_MODE, 2004, 1) }, "16 brackets" },
        { "TERM=xterm", { answer(ANSWER_MODE, 1234, 1) }, "16" },
        { "TERM=xterm ZELLIJ=0", { answer(ANSWER_MODE, 2026, 2) }, "16 zellij wraps" },
        { "TERM=screen STY=1", { answer(ANSWER_MODE, 2026, 2) }, "16 screen" },
        { "TERM=tmux TMUX=a", { answer(ANSWER_MODE, 2026, 2) }, "16 tmux wraps" },
        { "TERM=tmux TMUX=a",
          { version("tmux 3.7"), answer(ANSWER_MODE, 2026, 2) },
          "256 tmux wraps sync links marks" },
        { "TERM=tmux TMUX=a",
          { version("tmux 3.7"), answer(ANSWER_MODE, 2026, 0) },
          "256 tmux wraps links marks" },
        { "TERM=xterm",
          { answer(ANSWER_MODE, 2026, 2), version("tmux 3.4") },
          "256 tmux wraps links marks" },
        { "TERM=screen-256color", { version("tmux 3.3a") }, "256 tmux wraps" },
        { "TERM=screen-256color NO_COLOR=1", { version("tmux 3.3a") }, "0 tmux wraps" },
        { "TERM=xterm-256color SSH_TTY=a",
          { version("kitty(0.35.2)") },
          "true ssh wraps links marks kitty-images" },
        { "TERM=xterm-256color KITTY_WINDOW_ID=1", { version("XTerm(388)") }, "256" },
        { "TERM=xterm-256color TMUX=a", { version("VTE(7600)") }, "true wraps links marks" },
        { "TERM=xterm-256color", { version("VTE(6003)") }, "true wraps links" },
        { "TERM=xterm-256color", { version("Konsole 23.08") }, "true wraps" },
        { "TERM=xterm-256color", { version("new one 1.0") }, "256" },
        { "TERM=xterm-256color", { version("") }, "256" },
        { "TERM=xterm-256color NO_COLOR=1",
          { version("foot(1.16)") },
          "0 wraps links marks sixel-images" },
        { "TERM=xterm KEDGE_FORCE_IMAGE_PROTOCOL=kitty",
          { version("foot(1.16)") },
          "true wraps links marks kitty-images" },
        { "TERM=xterm", { answer(ANSWER_BACKGROUND, 0x1e2030, 0) }, "16 dark" },
        { "TERM=xterm", { answer(ANSWER_BACKGROUND, 0xffffff, 0) }, "16 light" },
        { "TERM=xterm", { answer(ANSWER_BACKGROUND, 0x0000ff, 0) }, "16 dark" },
        { "TERM=xterm", { answer(ANSWER_BACKGROUND, 0x00ff00, 0) }, "16 light" },
        { "TERM=xterm COLORFGBG=0;15", { answer(ANSWER_BACKGROUND, 0, 0) }, "16 dark" },
        { "TERM=xterm",
          { answer(ANSWER_BACKGROUND, 0, 0), answer(ANSWER_COLOUR_SCHEME, 2, 0) },
          "16 light" },
        { "TERM=xterm", { answer(ANSWER_COLOUR_SCHEME, 1, 0) }, "16 dark" },
        { "TERM=xterm", { answer(ANSWER_OTHER, 0, 0) }, "16" },
        { "TERM=xterm", { answer(ANSWER_TRUE_COLOUR, 0, 0) }, "true" },
        { "TERM=xterm NO_COLOR=1", { answer(ANSWER_TRUE_COLOUR, 0, 0) }, "0" },
        { "TERM=new COLOURS=0", { answer(ANSWER_TRUE_COLOUR, 0, 0) }, "0" },
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
    expect(&caps, "a key", "16");
}

/* Only where nothing else has said how many, and where the question is no text on the screen. */
static void test_who_is_asked_for_colours(void **state)
{
    static const struct {
        const char *env;
        bool is_asked;
    } cases[] = {
        { "TERM=xterm-256color", true },
        { "TERM=xterm", true },
        { "TERM=xterm-256color KITTY_WINDOW_ID=1", true },
        { "TERM=xterm-256color COLORTERM=truecolor", false },
        { "TERM=xterm-kitty", false },
        { "TERM=xterm-256color NO_COLOR=1", false },
        { "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", false },
        { "TERM=xterm-256color ZELLIJ=0", false },
        { "TERM=tmux-256color TMUX=a", false },
        { "TERM=screen-256color STY=1", false },
        { "TERM=linux", false },
        { "TERM=vt100", false },
        { "TERM=dumb", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (caps_of(cases[i].env).asks_depth != cases[i].is_asked)
            fail_msg("%s", cases[i].env);
}

/* Whatever is installed here: what is there is right. */
static void test_descriptions(void **state)
{
    static const struct {
        const char *term;
        int colours;
    } cases[] = {
        { "vt100", 0 },         { "linux", 8 },    { "xterm-256color", 256 },
        { "no-such-term", -1 }, { "../../x", -1 }, { "", -1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int colours = terminfo_colours(cases[i].term);
        if (colours != -1 && colours != cases[i].colours)
            fail_msg("%s: got %d", cases[i].term, colours);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_who_is_asked_for_colours),
    };
    return cmocka_run_group_tests_name("caps", tests, NULL, NULL);
}
