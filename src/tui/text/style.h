/*
 * How text looks: theme tokens, styles made of them, themes, and the bytes that switch a terminal
 * from one style to another (tui §12, agent-core §7.10). A theme is a JSON file; the built-in ones
 * are compiled in.
 *
 * A Style is plain data and names tokens, not colours: another theme changes how rows look without
 * laying them out again. Themes are immutable and belong to one thread.
 */
#pragma once

#include "tui/term/caps.h"

/* In the order of agent-core §7.10; their names in theme files are in theme_file.c. */
typedef enum {
    TOKEN_DEFAULT, // the terminal's own colour
    TOKEN_ACCENT,
    TOKEN_BORDER,
    TOKEN_BORDER_ACCENT,
    TOKEN_BORDER_MUTED,
    TOKEN_SUCCESS,
    TOKEN_ERROR,
    TOKEN_WARNING,
    TOKEN_MUTED,
    TOKEN_DIM,
    TOKEN_TEXT,
    TOKEN_THINKING_TEXT,
    TOKEN_SELECTED_BG,
    TOKEN_USER_MESSAGE_BG,
    TOKEN_CUSTOM_MESSAGE_BG,
    TOKEN_TOOL_PENDING_BG,
    TOKEN_TOOL_SUCCESS_BG,
    TOKEN_TOOL_ERROR_BG,
    TOKEN_STATUS_LINE_BG,
    TOKEN_USER_MESSAGE_TEXT,
    TOKEN_CUSTOM_MESSAGE_TEXT,
    TOKEN_CUSTOM_MESSAGE_LABEL,
    TOKEN_TOOL_TITLE,
    TOKEN_TOOL_OUTPUT,
    TOKEN_MD_HEADING,
    TOKEN_MD_LINK,
    TOKEN_MD_LINK_URL,
    TOKEN_MD_CODE,
    TOKEN_MD_CODE_BLOCK,
    TOKEN_MD_CODE_BLOCK_BORDER,
    TOKEN_MD_QUOTE,
    TOKEN_MD_QUOTE_BORDER,
    TOKEN_MD_HR,
    TOKEN_MD_LIST_BULLET,
    TOKEN_DIFF_ADDED,
    TOKEN_DIFF_REMOVED,
    TOKEN_DIFF_CONTEXT,
    TOKEN_SYNTAX_COMMENT,
    TOKEN_SYNTAX_KEYWORD,
    TOKEN_SYNTAX_FUNCTION,
    TOKEN_SYNTAX_VARIABLE,
    TOKEN_SYNTAX_STRING,
    TOKEN_SYNTAX_NUMBER,
    TOKEN_SYNTAX_TYPE,
    TOKEN_SYNTAX_OPERATOR,
    TOKEN_SYNTAX_PUNCTUATION,
    TOKEN_THINKING_OFF,
    TOKEN_THINKING_MINIMAL,
    TOKEN_THINKING_LOW,
    TOKEN_THINKING_MEDIUM,
    TOKEN_THINKING_HIGH,
    TOKEN_THINKING_XHIGH,
    TOKEN_BASH_MODE,
    TOKEN_PYTHON_MODE,
    TOKEN_STATUS_SEP,
    TOKEN_STATUS_MODEL,
    TOKEN_STATUS_PATH,
    TOKEN_STATUS_GIT_CLEAN,
    TOKEN_STATUS_GIT_DIRTY,
    TOKEN_STATUS_CONTEXT,
    TOKEN_STATUS_SPEND,
    TOKEN_STATUS_STAGED,
    TOKEN_STATUS_DIRTY,
    TOKEN_STATUS_UNTRACKED,
    TOKEN_STATUS_OUTPUT,
    TOKEN_STATUS_COST,
    TOKEN_STATUS_SUBAGENTS,
    TOKEN_COUNT,
} ThemeToken;

enum {
    STYLE_BOLD = 1,
    STYLE_DIM = 2,
    STYLE_ITALIC = 4,
    STYLE_UNDERLINE = 8,
    STYLE_STRIKE = 16,
    STYLE_REVERSE = 32,
};

typedef struct Style { // { 0 }: the terminal's default
    uint8_t fg, bg;    // ThemeToken
    uint8_t attributes;
} Style;

static inline bool style_equal(Style a, Style b)
{
    return a.fg == b.fg && a.bg == b.bg && a.attributes == b.attributes;
}

typedef struct Theme Theme;

typedef struct ThemeSpec {
    const char *dir;      // of the user's themes; NULL: built-in ones only
    const char *name;     // "kedge-dark"
    bool is_light;        // which built-in one stands in when `name` cannot be used
    bool is_colour_blind; // added lines towards blue
    const char *symbols;  // "unicode", "nerd", "ascii": of a theme that says nothing
} ThemeSpec;

/* Never fails: what is wrong goes to *ret_problem (may be NULL; caller frees), else it is NULL. A
   file whose colours cannot be used is replaced by a built-in theme; one with unknown keys is not.
 */
Theme *theme_load(const ThemeSpec *spec, char **ret_problem);
void theme_free(Theme *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Theme, theme_free)

/* Built-in and the user's (200 in all at most, and no names that cannot be shown), sorted;
   NULL-terminated. Caller frees with g_strfreev(). */
char **theme_names(const char *dir);
/* Its file, to be watched, also when it could not be used; NULL: built-in. Borrowed. */
const char *theme_path(const Theme *self);

/* The bytes from `from` to `to`; nothing when they look the same. */
void theme_switch(const Theme *self, ColourDepth depth, Style from, Style to, GString *out);

typedef enum { // never of those that terminals disagree on
    SYMBOL_SUCCESS,
    SYMBOL_ERROR,
    SYMBOL_WARNING,
    SYMBOL_PENDING,
    SYMBOL_BULLET,
    SYMBOL_ARROW,  // "↳"
    SYMBOL_CURSOR, // of a list: "❯"
    SYMBOL_ACTIVE, // "•"
    SYMBOL_CHECKED,
    SYMBOL_UNCHECKED,
    SYMBOL_QUOTE_BAR,   // "│"
    SYMBOL_RULE,        // "─"
    SYMBOL_ELLIPSIS,    // "…"
    SYMBOL_BRANCH,      // git
    SYMBOL_SEPARATOR,   // of the status line, thin
    SYMBOL_TREE_MIDDLE, // "├─"
    SYMBOL_TREE_LAST,   // "└─"
    SYMBOL_TREE_LINE,   // "│ "
    SYMBOL_BOX_TOP_LEFT,
    SYMBOL_BOX_TOP_RIGHT,
    SYMBOL_BOX_BOTTOM_LEFT,
    SYMBOL_BOX_BOTTOM_RIGHT,
    SYMBOL_SPINNER_0, // four steps
    SYMBOL_SPINNER_1,
    SYMBOL_SPINNER_2,
    SYMBOL_SPINNER_3,
    SYMBOL_COUNT,
} Symbol;

/* Clean UTF-8, constant for the theme's life. `self` NULL: the unicode preset. */
const char *theme_symbol(const Theme *self, Symbol symbol);
