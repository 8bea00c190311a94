/*
 * Terminals that are known, how they are recognized, and what answers change (tui §4.7, §12).
 *
 * The environment is a hint: programs started from one terminal and opened in another inherit it,
 * and a multiplexer draws by itself whatever is outside. An answer to XTVERSION is the terminal's
 * own word and replaces what was assumed of it.
 */
#include "tui/term/caps.h"
#include "base/str.h"

#include <string.h>

typedef struct KnownTerminal {
    const char *version;   // how its XTVERSION begins; NULL: it has none
    const char *term;      // how its $TERM begins
    const char *program;   // its $TERM_PROGRAM
    const char *variables; // one of them is set by it
    bool wraps_again, has_links, has_marks;
    ImageProtocol images;
    bool is_true; // 24 bit colours; variables, which are inherited, do not say so
    bool is_mute; // shows a question of colours as text
} KnownTerminal;

static const KnownTerminal known_terminals[] = {
    { "kitty", "xterm-kitty", NULL, "KITTY_WINDOW_ID KITTY_PID", true, true, true, IMAGES_KITTY,
      true },
    { "ghostty", "xterm-ghostty", "ghostty", "GHOSTTY_RESOURCES_DIR", true, true, true,
      IMAGES_KITTY, true },
    { "WezTerm", "wezterm", "WezTerm", "WEZTERM_PANE", true, true, true, IMAGES_ITERM2, true },
    { "iTerm2", NULL, "iTerm.app", "ITERM_SESSION_ID", true, true, true, IMAGES_ITERM2, true },
    { "foot", "foot", NULL, NULL, true, true, true, IMAGES_SIXEL, true },
    { NULL, "alacritty", NULL, "ALACRITTY_WINDOW_ID ALACRITTY_SOCKET ALACRITTY_LOG", true, true,
      false, IMAGES_NONE, true },
    { "Konsole", "konsole", NULL, "KONSOLE_VERSION", true, false, false, IMAGES_NONE, true },
    { "xterm.js", NULL, "vscode", NULL, true, true, false, IMAGES_NONE, true },
    { NULL, NULL, NULL, "WT_SESSION", true, true, true, IMAGES_NONE, true },
    { "VTE", "vte", NULL, "VTE_VERSION", true, true, false, IMAGES_NONE, true },
    { "mintty", "mintty", "mintty", NULL, false, true, true, IMAGES_ITERM2, true },
    { NULL, NULL, "Apple_Terminal", NULL, false, false, false, IMAGES_NONE, false, true },
    { "XTerm", NULL, NULL, NULL, false, false, false, IMAGES_NONE, false },
};

enum { TMUX_LINKS = 304, TMUX_SYNC = 307 }; // since 3.4, since 3.7

/* $TERM begins so. Dumb ones know no escapes; old ones few colours or none, and they answer to
   nothing. */
static const char *const dumb_terms[] = { "dumb", "unknown", "network", "dialup",
                                          "lpr",  "vt52",    "emacs",   NULL };
static const char *const old_terms[] = { "linux", "cons25", "eterm", "vt1",    "vt2", "vt3",
                                         "vt4",   "vt5",    "ansi",  "pcansi", "sun", NULL };
static const char *const grey_terms[] = { "vt1", "vt2", "vt3", "vt4", "vt5", "sun", NULL };

static bool begins_with_one(const char *term, const char *const *heads)
{
    for (; *heads; heads++)
        if (str_has_prefix(term, *heads))
            return true;
    return false;
}

/* "" when unset. */
static const char *value_of(EnvFunc env, const char *name)
{
    const char *value = env(name);
    return value ? value : "";
}

static bool has_one(EnvFunc env, const char *names)
{
    g_auto(GStrv) words = g_strsplit(names, " ", -1);
    for (char **word = words; *word; word++)
        if (*value_of(env, *word))
            return true;
    return false;
}

/* What speaks last is nearest: $TERM, then $TERM_PROGRAM, then variables that stay around. */
static const KnownTerminal *find_known(EnvFunc env, const char *term)
{
    const char *program = value_of(env, "TERM_PROGRAM");
    for (size_t i = 0; i < G_N_ELEMENTS(known_terminals); i++)
        if (known_terminals[i].term && str_has_prefix(term, known_terminals[i].term))
            return &known_terminals[i];
    for (size_t i = 0; i < G_N_ELEMENTS(known_terminals); i++)
        if (g_strcmp0(known_terminals[i].program, program) == 0)
            return &known_terminals[i];
    const char *over_ssh = value_of(env, "LC_TERMINAL"); // ssh hands this one on
    for (size_t i = 0; i < G_N_ELEMENTS(known_terminals); i++)
        if (*over_ssh && g_strcmp0(known_terminals[i].version, over_ssh) == 0)
            return &known_terminals[i];
    for (size_t i = 0; i < G_N_ELEMENTS(known_terminals); i++)
        if (known_terminals[i].variables && has_one(env, known_terminals[i].variables))
            return &known_terminals[i];
    return NULL;
}

/* "3.4", "3.3a", "next-3.7": 304, 303, 307; 0: none. */
static int tmux_version(const char *text)
{
    text += strcspn(text, "0123456789");
    char *end = NULL;
    guint64 major = g_ascii_strtoull(text, &end, 10);
    guint64 minor = *end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0;
    return (int)(MIN(major, 1000) * 100 + MIN(minor, 99));
}

static void take_tmux(TermCaps *self, const char *version)
{
    int number = tmux_version(version);
    self->wraps_again = true;
    self->has_links = number >= TMUX_LINKS;
    self->has_marks = number >= TMUX_LINKS;
    self->has_sync = number >= TMUX_SYNC;
    self->images = IMAGES_NONE;
}

static void take_known(TermCaps *self, const KnownTerminal *known)
{
    self->wraps_again = known->wraps_again;
    self->has_links = known->has_links;
    self->has_marks = known->has_marks;
    self->images = known->images;
}

/* VTE tells its version as 7600 for 0.76. */
static void take_vte_version(TermCaps *self, const char *text)
{
    enum { VTE_LINKS = 5000, VTE_MARKS = 7600 };
    guint64 number = g_ascii_strtoull(text, NULL, 10);
    self->has_links = number >= VTE_LINKS;
    self->has_marks = number >= VTE_MARKS;
}

// ---- the environment ----

static ColourDepth depth_of_count(int colours)
{
    if (colours >= 1 << 24)
        return DEPTH_TRUE;
    return colours >= 256 ? DEPTH_256 : colours >= 8 ? DEPTH_16 : DEPTH_NONE;
}

/* By the description of the terminal, else by its name. */
static ColourDepth depth_of_term(const char *term, DescribedFunc described)
{
    int colours = described ? described(term) : -1;
    if (colours >= 0)
        return depth_of_count(colours);
    if (g_str_has_suffix(term, "-mono") || g_str_has_suffix(term, "-m") ||
        begins_with_one(term, grey_terms))
        return DEPTH_NONE;
    return strstr(term, "256color") ? DEPTH_256 : DEPTH_16;
}

/* $TERM is the name of one that has 24 bit colours, whatever its description says. */
static bool is_true_term(const char *term)
{
    bool is_true = g_str_has_suffix(term, "-direct");
    for (size_t i = 0; i < G_N_ELEMENTS(known_terminals); i++)
        is_true = is_true || (known_terminals[i].is_true && known_terminals[i].term &&
                              str_has_prefix(term, known_terminals[i].term));
    return is_true;
}

static ColourDepth depth_of(EnvFunc env, const char *term, DescribedFunc described,
                            const TermCaps *caps)
{
    const char *colours = value_of(env, "COLORTERM");
    if (*value_of(env, "NO_COLOR") || caps->is_dumb)
        return DEPTH_NONE;
    ColourDepth depth = depth_of_term(term, described);
    if (depth == DEPTH_NONE || begins_with_one(term, old_terms))
        return MIN(depth, DEPTH_16);
    if (caps->is_screen)
        return MIN(depth, DEPTH_256);
    bool is_said = str_equal_nocase(colours, "truecolor") || str_equal_nocase(colours, "24bit");
    return is_said || is_true_term(term) ? DEPTH_TRUE : depth;
}

/* "15;0", "15;default;0": the last one is the background's. */
static void take_colorfgbg(TermCaps *self, const char *text)
{
    enum { FIRST_LIGHT = 8, COLOURS = 16 };
    const char *last = strrchr(text, ';');
    int64_t number = 0;
    if (!last || !str_parse_int(last + 1, &number) || number < 0 || number >= COLOURS)
        return;
    self->has_background = true;
    self->is_light = number >= FIRST_LIGHT;
}

static void take_multiplexer(TermCaps *self, EnvFunc env, const char *term)
{
    self->is_zellij = *value_of(env, "ZELLIJ");
    self->is_tmux = *value_of(env, "TMUX") || str_has_prefix(term, "tmux");
    // tmux calls itself screen, too, by default
    self->is_screen = !self->is_tmux && (*value_of(env, "STY") || str_has_prefix(term, "screen"));
}

/* False: it names nothing. */
static bool parse_images(const char *text, ImageProtocol *ret_images)
{
    static const struct {
        const char *name;
        ImageProtocol images;
    } names[] = {
        { "kitty", IMAGES_KITTY }, { "iterm2", IMAGES_ITERM2 }, { "sixel", IMAGES_SIXEL },
        { "none", IMAGES_NONE },   { "off", IMAGES_NONE },      { "0", IMAGES_NONE },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (str_equal_nocase(names[i].name, text)) {
            *ret_images = names[i].images;
            return true;
        }
    }
    return false;
}

TermCaps caps_of_environment(EnvFunc env, DescribedFunc described)
{
    if (!env)
        env = g_getenv;
    const char *term = value_of(env, "TERM");
    TermCaps caps = { .is_dumb = *term == '\0' || begins_with_one(term, dumb_terms) };
    caps.is_over_ssh = has_one(env, "SSH_CONNECTION SSH_TTY SSH_CLIENT");
    take_multiplexer(&caps, env, term);
    caps.depth = depth_of(env, term, described, &caps);
    caps.has_queries = !caps.is_dumb && !begins_with_one(term, old_terms);
    caps.is_answered = !caps.has_queries;
    const KnownTerminal *known = find_known(env, term);
    bool is_inside = caps.is_tmux || caps.is_screen || caps.is_zellij;
    caps.asks_depth = caps.has_queries && !is_inside && !(known && known->is_mute) &&
                      (caps.depth == DEPTH_16 || caps.depth == DEPTH_256);
    if (known && !is_inside && caps.has_queries) {
        take_known(&caps, known);
        if (g_strcmp0(known->version, "VTE") == 0)
            take_vte_version(&caps, value_of(env, "VTE_VERSION"));
    } else if (caps.is_zellij) { // the inner one, if there are two
        caps.wraps_again = true;
        caps.has_links = known && known->has_links;
    } else if (caps.is_tmux) {
        bool is_its = strcmp(value_of(env, "TERM_PROGRAM"), "tmux") == 0;
        take_tmux(&caps, is_its ? value_of(env, "TERM_PROGRAM_VERSION") : "");
    }
    take_colorfgbg(&caps, value_of(env, "COLORFGBG"));
    if (!caps.is_dumb && parse_images(value_of(env, "KEDGE_FORCE_IMAGE_PROTOCOL"), &caps.images))
        caps.has_forced_images = true;
    return caps;
}

// ---- answers ----

/* "kitty(0.35.2)", "tmux 3.4", "VTE(7600)". */
static void take_version(TermCaps *self, const char *text)
{
    ImageProtocol images = self->images;
    bool is_tmux = str_has_prefix(text, "tmux ");
    if (is_tmux) {
        if (self->depth == DEPTH_16) // it brings 256 down to what is around it
            self->depth = DEPTH_256;
        self->is_tmux = true;
        self->is_screen = false; // by its $TERM it could have been
        take_tmux(self, text);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(known_terminals) && !is_tmux; i++) {
        const KnownTerminal *known = &known_terminals[i];
        if (!known->version || !str_has_prefix(text, known->version))
            continue;
        // no multiplexer between, whatever was inherited
        self->is_tmux = self->is_screen = self->is_zellij = false;
        take_known(self, known);
        if (known->is_true && self->depth != DEPTH_NONE)
            self->depth = DEPTH_TRUE;
        if (strcmp(known->version, "VTE") == 0)
            take_vte_version(self, text + strcspn(text, "0123456789"));
        break;
    }
    if (self->has_forced_images)
        self->images = images;
}

static void take_mode(TermCaps *self, uint32_t mode, int value)
{
    enum { MODE_BRACKETS = 2004, MODE_SYNC = 2026, MODE_CLUSTERS = 2027 };
    bool can_be_set = value >= 1 && value <= 3; // 4: reset for ever
    if (mode == MODE_BRACKETS)
        self->has_brackets = can_be_set;
    else if (mode == MODE_CLUSTERS)
        self->has_clusters = can_be_set;
    else if (mode == MODE_SYNC && !self->is_tmux && !self->is_screen && !self->is_zellij)
        self->has_sync = can_be_set; // a multiplexer's answer says nothing of what is outside
    else if (mode == MODE_SYNC && !can_be_set)
        self->has_sync = false;
}

static void take_background(TermCaps *self, uint32_t colour)
{
    uint32_t red = colour >> 16 & 0xff, green = colour >> 8 & 0xff, blue = colour & 0xff;
    self->has_background = true;
    self->is_light = red * 299 + green * 587 + blue * 114 > 255 * 1000 / 2;
}

bool caps_take_answer(TermCaps *self, const InputEvent *answer)
{
    if (answer->kind != INPUT_ANSWER)
        return false;
    TermCaps before;
    memcpy(&before, self, sizeof(before));
    switch (answer->answer) {
    case ANSWER_KITTY:
        self->has_kitty = !self->is_screen;
        break;
    case ANSWER_VERSION: {
        g_autofree char *text = g_strndup(answer->text, answer->size);
        take_version(self, text);
        break;
    }
    case ANSWER_MODE:
        take_mode(self, answer->number, answer->value);
        break;
    case ANSWER_BACKGROUND:
        take_background(self, answer->number);
        break;
    case ANSWER_COLOUR_SCHEME:
        self->has_background = true;
        self->is_light = answer->number == 2;
        break;
    case ANSWER_ATTRIBUTES:
        self->is_answered = true;
        if (answer->value == 1 && self->images == IMAGES_NONE && !self->has_forced_images)
            self->images = IMAGES_SIXEL;
        break;
    case ANSWER_TRUE_COLOUR:
        if (self->depth != DEPTH_NONE)
            self->depth = DEPTH_TRUE;
        break;
    case ANSWER_OTHER:
        break;
    }
    return memcmp(&before, self, sizeof(before)) != 0;
}
