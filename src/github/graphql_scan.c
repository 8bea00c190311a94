/*
 * GraphQL tokens, and on them the definitions of a document with balanced brackets. What is a token
 * to one server and part of a comment or string to another is no token here: a document that can be
 * read in two ways could hide a mutation in one of them.
 */
#include "github/graphql_scan.h"

#include "base/str.h"
#include "base/utf8.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

typedef enum {
    TOKEN_END,
    TOKEN_BAD,
    TOKEN_NAME,
    TOKEN_PUNCTUATION, // one character, at `start`
    TOKEN_OTHER,       // string, number, "..."
} Token;

typedef struct Scanner {
    const char *at;
    const char *start; // of the last token
    size_t length;
} Scanner;

/* False: a lone CR in a comment, which ends it only to some. */
static bool skip_ignored(Scanner *self)
{
    for (;;) {
        self->at += strspn(self->at, " \t\r\n,");
        if (*self->at == '#') {
            self->at += strcspn(self->at, "\r\n");
            if (*self->at == '\r' && self->at[1] != '\n')
                return false;
        } else if (str_has_prefix(self->at, UTF8_BOM)) { // white space anywhere, to GraphQL
            self->at += strlen(UTF8_BOM);
        } else {
            return true;
        }
    }
}

/* Behind the opening quotes of a block string. Servers do not agree about which quotes of more than
   three close it, nor about backslashes in front of an escaped three. */
static Token read_block_string(Scanner *self)
{
    const char *start = self->at;
    for (;;) {
        const char *quotes = strstr(self->at, "\"\"\"");
        if (!quotes || quotes[3] == '"')
            return TOKEN_BAD;
        bool is_escaped = quotes > start && quotes[-1] == '\\';
        if (is_escaped && quotes - 1 > start && quotes[-2] == '\\')
            return TOKEN_BAD;
        self->at = quotes + 3;
        if (!is_escaped)
            return TOKEN_OTHER;
    }
}

static Token read_string(Scanner *self)
{
    if (str_has_prefix(self->at, "\"\"\"")) {
        self->at += 3;
        return read_block_string(self);
    }
    self->at++;
    for (;;) {
        self->at += strcspn(self->at, "\"\\\r\n");
        if (*self->at == '"') {
            self->at++;
            return TOKEN_OTHER;
        }
        if (*self->at != '\\' || self->at[1] == '\0' || strchr("\r\n", self->at[1]))
            return TOKEN_BAD;
        self->at += 2;
    }
}

static bool read_digits(Scanner *self)
{
    size_t length = strspn(self->at, "0123456789");
    self->at += length;
    return length > 0;
}

/* Takes no letter but that of an exponent: a name may follow at once. */
static Token read_number(Scanner *self)
{
    if (*self->at == '-')
        self->at++;
    if (!read_digits(self))
        return TOKEN_BAD;
    if (*self->at == '.') {
        self->at++;
        if (!read_digits(self))
            return TOKEN_BAD;
    }
    size_t sign = strspn(self->at, "eE") == 1 ? 1 + strspn(self->at + 1, "+-") : 0;
    if (sign > 0 && sign <= 2 && g_ascii_isdigit(self->at[sign])) {
        self->at += sign;
        read_digits(self);
    }
    return TOKEN_OTHER;
}

static Token read_token(Scanner *self)
{
    if (!skip_ignored(self))
        return TOKEN_BAD;
    self->start = self->at;
    char c = *self->at;
    if (c == '\0')
        return TOKEN_END;
    if (g_ascii_isalpha(c) || c == '_') {
        self->length = strspn(self->at, NAME_CHARS);
        self->at += self->length;
        return TOKEN_NAME;
    }
    if (c == '"')
        return read_string(self);
    if (c == '-' || g_ascii_isdigit(c))
        return read_number(self);
    if (str_has_prefix(self->at, "...")) {
        self->at += 3;
        return TOKEN_OTHER;
    }
    if (!strchr("!$&():=@[]{}|", c))
        return TOKEN_BAD;
    self->at++;
    return TOKEN_PUNCTUATION;
}

static bool is_name(const Scanner *self, const char *name)
{
    return strlen(name) == self->length && strncmp(self->start, name, self->length) == 0;
}

typedef struct Document {
    GByteArray *open; // the closing brackets that are awaited
    bool has_operation, has_change, has_delete;
    bool is_in_definition;
    bool is_behind_delete; // the last token was a name delete…
} Document;

/* The token that begins a definition. */
static bool open_definition(Document *self, Token token, const Scanner *scanner)
{
    bool is_anonymous = token == TOKEN_PUNCTUATION && *scanner->start == '{';
    if (!is_anonymous && token != TOKEN_NAME)
        return false;
    self->is_in_definition = true;
    if (is_anonymous || is_name(scanner, "query")) {
        self->has_operation = true;
        return true;
    }
    if (is_name(scanner, "mutation") || is_name(scanner, "subscription")) {
        self->has_operation = self->has_change = true;
        return true;
    }
    return is_name(scanner, "fragment");
}

static bool add_bracket(Document *self, char bracket)
{
    static const char closing[] = { ['('] = ')', ['['] = ']', ['{'] = '}' };
    if (bracket == '(' || bracket == '[' || bracket == '{') {
        g_byte_array_append(self->open, (const guint8 *)&closing[(size_t)bracket], 1);
        return true;
    }
    if (bracket != ')' && bracket != ']' && bracket != '}')
        return true;
    if (self->open->len == 0 || self->open->data[self->open->len - 1] != bracket)
        return false;
    g_byte_array_set_size(self->open, self->open->len - 1);
    if (bracket == '}' && self->open->len == 0)
        self->is_in_definition = false; // that was the selection set
    return true;
}

static bool add_token(Document *self, Token token, const Scanner *scanner)
{
    if (token == TOKEN_BAD)
        return false;
    if (!self->is_in_definition && !open_definition(self, token, scanner))
        return false;
    if (token == TOKEN_PUNCTUATION) {
        if (self->is_behind_delete && *scanner->start == '(')
            self->has_delete = true;
        if (!add_bracket(self, *scanner->start))
            return false;
    }
    self->is_behind_delete = token == TOKEN_NAME && str_has_prefix(scanner->start, "delete");
    return true;
}

GraphqlKind graphql_scan(const char *document)
{
    g_autoptr(GByteArray) open = g_byte_array_new();
    Document self = { .open = open };
    Scanner scanner = { .at = document };
    for (Token token; (token = read_token(&scanner)) != TOKEN_END;) {
        if (!add_token(&self, token, &scanner))
            return GRAPHQL_INVALID;
    }
    if (self.is_in_definition || !self.has_operation)
        return GRAPHQL_INVALID;
    if (!self.has_change)
        return GRAPHQL_READ;
    return self.has_delete ? GRAPHQL_DELETE : GRAPHQL_WRITE;
}
