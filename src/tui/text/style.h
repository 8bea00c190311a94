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

/* The tokens and their names in theme files, in the order of agent-core §7.10. */
#define THEME_TOKENS(X)                                                                            \
    X(TOKEN_ACCENT, "accent")                                                                      \
    X(TOKEN_BORDER, "border")                                                                      \
    X(TOKEN_BORDER_ACCENT, "borderAccent")                                                         \
    X(TOKEN_BORDER_MUTED, "borderMuted")                                                           \
    X(TOKEN_SUCCESS, "success")                                                                    \
    X(TOKEN_ERROR, "error")                                                                        \
    X(TOKEN_WARNING, "warning")                                                                    \
    X(TOKEN_MUTED, "muted")                                                                        \
    X(TOKEN_DIM, "dim")                                                                            \
    X(TOKEN_TEXT, "text")                                                                          \
    X(TOKEN_THINKING_TEXT, "thinkingText")                                                         \
    X(TOKEN_SELECTED_BG, "selectedBg")                                                             \
    X(TOKEN_USER_MESSAGE_BG, "userMessageBg")                                                      \
    X(TOKEN_CUSTOM_MESSAGE_BG, "customMessageBg")                                                  \
    X(TOKEN_TOOL_PENDING_BG, "toolPendingBg")                                                      \
    X(TOKEN_TOOL_SUCCESS_BG, "toolSuccessBg")                                                      \
    X(TOKEN_TOOL_ERROR_BG, "toolErrorBg")                                                          \
    X(TOKEN_STATUS_LINE_BG, "statusLineBg")                                                        \
    X(TOKEN_USER_MESSAGE_TEXT, "userMessageText")                                                  \
    X(TOKEN_CUSTOM_MESSAGE_TEXT, "customMessageText")                                              \
    X(TOKEN_CUSTOM_MESSAGE_LABEL, "customMessageLabel")                                            \
    X(TOKEN_TOOL_TITLE, "toolTitle")                                                               \
    X(TOKEN_TOOL_OUTPUT, "toolOutput")                                                             \
    X(TOKEN_MD_HEADING, "mdHeading")                                                               \
    X(TOKEN_MD_LINK, "mdLink")                                                                     \
    X(TOKEN_MD_LINK_URL, "mdLinkUrl")                                                              \
    X(TOKEN_MD_CODE, "mdCode")                                                                     \
    X(TOKEN_MD_CODE_BLOCK, "mdCodeBlock")                                                          \
    X(TOKEN_MD_CODE_BLOCK_BORDER, "mdCodeBlockBorder")                                             \
    X(TOKEN_MD_QUOTE, "mdQuote")                                                                   \
    X(TOKEN_MD_QUOTE_BORDER, "mdQuoteBorder")                                                      \
    X(TOKEN_MD_HR, "mdHr")                                                                         \
    X(TOKEN_MD_LIST_BULLET, "mdListBullet")                                                        \
    X(TOKEN_DIFF_ADDED, "toolDiffAdded")                                                           \
    X(TOKEN_DIFF_REMOVED, "toolDiffRemoved")                                                       \
    X(TOKEN_DIFF_CONTEXT, "toolDiffContext")                                                       \
    X(TOKEN_SYNTAX_COMMENT, "syntaxComment")                                                       \
    X(TOKEN_SYNTAX_KEYWORD, "syntaxKeyword")                                                       \
    X(TOKEN_SYNTAX_FUNCTION, "syntaxFunction")                                                     \
    X(TOKEN_SYNTAX_VARIABLE, "syntaxVariable")                                                     \
    X(TOKEN_SYNTAX_STRING, "syntaxString")                                                         \
    X(TOKEN_SYNTAX_NUMBER, "syntaxNumber")                                                         \
    X(TOKEN_SYNTAX_TYPE, "syntaxType")                                                             \
    X(TOKEN_SYNTAX_OPERATOR, "syntaxOperator")                                                     \
    X(TOKEN_SYNTAX_PUNCTUATION, "syntaxPunctuation")                                               \
    X(TOKEN_THINKING_OFF, "thinkingOff")                                                           \
    X(TOKEN_THINKING_MINIMAL, "thinkingMinimal")                                                   \
    X(TOKEN_THINKING_LOW, "thinkingLow")                                                           \
    X(TOKEN_THINKING_MEDIUM, "thinkingMedium")                                                     \
    X(TOKEN_THINKING_HIGH, "thinkingHigh")                                                         \
    X(TOKEN_THINKING_XHIGH, "thinkingXhigh")                                                       \
    X(TOKEN_BASH_MODE, "bashMode")                                                                 \
    X(TOKEN_PYTHON_MODE, "pythonMode")                                                             \
    X(TOKEN_STATUS_SEP, "statusLineSep")                                                           \
    X(TOKEN_STATUS_MODEL, "statusLineModel")                                                       \
    X(TOKEN_STATUS_PATH, "statusLinePath")                                                         \
    X(TOKEN_STATUS_GIT_CLEAN, "statusLineGitClean")                                                \
    X(TOKEN_STATUS_GIT_DIRTY, "statusLineGitDirty")                                                \
    X(TOKEN_STATUS_CONTEXT, "statusLineContext")                                                   \
    X(TOKEN_STATUS_SPEND, "statusLineSpend")                                                       \
    X(TOKEN_STATUS_STAGED, "statusLineStaged")                                                     \
    X(TOKEN_STATUS_DIRTY, "statusLineDirty")                                                       \
    X(TOKEN_STATUS_UNTRACKED, "statusLineUntracked")                                               \
    X(TOKEN_STATUS_OUTPUT, "statusLineOutput")                                                     \
    X(TOKEN_STATUS_COST, "statusLineCost")                                                         \
    X(TOKEN_STATUS_SUBAGENTS, "statusLineSubagents")

#define THEME_ITEM(token, ...) token,
typedef enum {
    TOKEN_DEFAULT, // the terminal's own colour
    THEME_TOKENS(THEME_ITEM) TOKEN_COUNT,
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

/* The symbols, never of those that terminals disagree on: the name in theme files, and how it looks
   in Unicode, in fonts that are patched for it (private characters, as escapes since few editors
   show them) and in ASCII. */
#define THEME_SYMBOLS(X)                                                                           \
    X(SYMBOL_SUCCESS, "success", "✓", "\uf00c", "+")                                               \
    X(SYMBOL_ERROR, "error", "✗", "\uf00d", "x")                                                   \
    X(SYMBOL_WARNING, "warning", "!", "\uf071", "!")                                               \
    X(SYMBOL_PENDING, "pending", "○", "\uf10c", "o")                                               \
    X(SYMBOL_BULLET, "bullet", "•", "•", "*")                                                      \
    X(SYMBOL_ARROW, "arrow", "↳", "↳", "`")                                                        \
    X(SYMBOL_CURSOR, "cursor", "❯", "\uf054", ">")                                                 \
    X(SYMBOL_ACTIVE, "active", "•", "\uf111", "*")                                                 \
    X(SYMBOL_CHECKED, "checked", "■", "\uf046", "[x]")                                             \
    X(SYMBOL_UNCHECKED, "unchecked", "□", "\uf096", "[ ]")                                         \
    X(SYMBOL_QUOTE_BAR, "quoteBar", "│", "│", "|")                                                 \
    X(SYMBOL_RULE, "rule", "─", "─", "-")                                                          \
    X(SYMBOL_ELLIPSIS, "ellipsis", "…", "…", "...")                                                \
    X(SYMBOL_BRANCH, "branch", "⎇", "\ue0a0", "@")                                                 \
    X(SYMBOL_SEPARATOR, "separator", "│", "\ue0b1", "|")                                           \
    X(SYMBOL_TREE_MIDDLE, "treeMiddle", "├─", "├─", "|-")                                          \
    X(SYMBOL_TREE_LAST, "treeLast", "└─", "└─", "`-")                                              \
    X(SYMBOL_TREE_LINE, "treeLine", "│ ", "│ ", "| ")                                              \
    X(SYMBOL_BOX_TOP_LEFT, "boxTopLeft", "╭", "╭", "+")                                            \
    X(SYMBOL_BOX_TOP_RIGHT, "boxTopRight", "╮", "╮", "+")                                          \
    X(SYMBOL_BOX_BOTTOM_LEFT, "boxBottomLeft", "╰", "╰", "+")                                      \
    X(SYMBOL_BOX_BOTTOM_RIGHT, "boxBottomRight", "╯", "╯", "+")                                    \
    X(SYMBOL_SPINNER_0, "spinner0", "⠋", "⠋", "|")                                                 \
    X(SYMBOL_SPINNER_1, "spinner1", "⠙", "⠙", "/")                                                 \
    X(SYMBOL_SPINNER_2, "spinner2", "⠴", "⠴", "-")                                                 \
    X(SYMBOL_SPINNER_3, "spinner3", "⠦", "⠦", "\\")

typedef enum {
    THEME_SYMBOLS(THEME_ITEM) SYMBOL_COUNT,
} Symbol;

/* Clean UTF-8, constant for the theme's life. `self` NULL: the unicode preset. */
const char *theme_symbol(const Theme *self, Symbol symbol);
