/*
 * The tokens of jq, as far as they tell code from strings, comments and field names.
 */
#include "github/classify/jq_scan.h"

#include <glib.h>
#include <string.h>

#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

typedef struct Scanner {
    const char *at;
    GArray *outer;  // parentheses that were open around each string whose \( … ) we are in
    unsigned depth; // parentheses open in the code that is being read
    bool is_found;
} Scanner;

static bool is_name_start(char c)
{
    return g_ascii_isalpha(c) || c == '_';
}

static bool skip_name(Scanner *self, const char *wanted)
{
    size_t length = strspn(self->at, NAME_CHARS);
    bool is_wanted = strlen(wanted) == length && strncmp(self->at, wanted, length) == 0;
    self->at += length;
    return is_wanted;
}

/* From inside a string to the code behind it, or to the code of an interpolation. */
static void skip_string(Scanner *self)
{
    while (*self->at != '\0') {
        char c = *self->at++;
        if (c == '"')
            return;
        if (c != '\\' || *self->at == '\0')
            continue;
        if (*self->at++ == '(') {
            g_array_append_val(self->outer, self->depth);
            self->depth = 0;
            return;
        }
    }
}

static void close_parenthesis(Scanner *self)
{
    if (self->depth > 0) {
        self->depth--;
    } else if (self->outer->len > 0) {
        self->depth = g_array_index(self->outer, unsigned, self->outer->len - 1);
        g_array_set_size(self->outer, self->outer->len - 1);
        skip_string(self);
    }
}

static void skip_digits(Scanner *self)
{
    self->at += strspn(self->at, "0123456789");
}

static void skip_number(Scanner *self)
{
    skip_digits(self);
    if (*self->at == '.')
        self->at++;
    skip_digits(self);
    const char *exponent = self->at;
    if (*exponent != 'e' && *exponent != 'E')
        return;
    exponent++;
    exponent += *exponent == '+' || *exponent == '-' ? 1 : 0;
    if (!g_ascii_isdigit(*exponent))
        return;
    self->at = exponent;
    skip_digits(self);
}

static void skip_dot(Scanner *self)
{
    self->at++;
    if (*self->at == '.')
        self->at++; // "..", which is no index: a name behind it stands for itself
    else if (is_name_start(*self->at))
        skip_name(self, "");
    else if (g_ascii_isdigit(*self->at))
        skip_number(self);
}

/* Newer versions of gh's jq go on with a comment behind a line that ends in a backslash, and not
   all end one at a lone CR: what follows is code to one and comment to the other. */
static void skip_comment(Scanner *self)
{
    self->at += strcspn(self->at, "\r\n\\");
    bool is_plain = *self->at == '\0' || *self->at == '\n' || strncmp(self->at, "\r\n", 2) == 0;
    self->is_found = !is_plain;
}

static void scan_token(Scanner *self)
{
    char c = *self->at;
    if (is_name_start(c)) {
        self->is_found = skip_name(self, "env");
    } else if (g_ascii_isdigit(c)) {
        skip_number(self);
    } else if (c == '.') {
        skip_dot(self);
    } else {
        self->at++;
        if (c == '$')
            self->is_found = skip_name(self, "ENV");
        else if (c == '#')
            skip_comment(self);
        else if (c == '"')
            skip_string(self);
        else if (c == '(')
            self->depth++;
        else if (c == ')')
            close_parenthesis(self);
    }
}

bool jq_reads_environment(const char *expression)
{
    Scanner scanner = {
        .at = expression,
        .outer = g_array_new(FALSE, FALSE, sizeof(unsigned)),
    };
    while (*scanner.at != '\0' && !scanner.is_found)
        scan_token(&scanner);
    g_array_free(scanner.outer, TRUE);
    return scanner.is_found;
}
