/*
 * Text of RTF (document.h): what is written, without its looks.
 */
#include "base/file.h"
#include "base/limits.h"
#include "tools/document/document.h"

#include <string.h>

enum { MAX_DEPTH = 1000 };

typedef struct Group {
    bool is_hidden;
    int skip; // characters that take the place of a \u
} Group;

typedef struct Rtf {
    const char *at, *end;
    Group groups[MAX_DEPTH];
    unsigned depth; // of the current group
    int skip_left;
    GString *out;
} Rtf;

static void rtf_put(Rtf *self, gunichar c)
{
    if (self->skip_left > 0)
        self->skip_left--;
    else if (!self->groups[self->depth].is_hidden && self->out->len < LIMIT_DOCUMENT_TEXT_BYTES)
        g_string_append_unichar(self->out, c);
}

/* A byte of the code page that nearly all files have. */
static gunichar from_cp1252(unsigned char byte)
{
    static const gunichar high[] = {
        0x20ac, 0xfffd, 0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
        0x2039, 0x152,  0xfffd, 0x17d,  0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0xfffd, 0x17e,  0x178
    };
    return byte >= 0x80 && byte < 0xa0 ? high[byte - 0x80] : byte;
}

static bool is_hidden_destination(const char *word)
{
    static const char *const words[] = { "fonttbl",   "colortbl",  "stylesheet", "info",
                                         "pict",      "header",    "headerl",    "headerr",
                                         "footer",    "footerl",   "footerr",    "object",
                                         "generator", "listtable", "themedata",  NULL };
    return g_strv_contains(words, word);
}

static void take_word(Rtf *self, const char *word, bool has_number, int number)
{
    Group *group = &self->groups[self->depth];
    if (is_hidden_destination(word)) {
        group->is_hidden = true;
    } else if (strcmp(word, "par") == 0 || strcmp(word, "line") == 0 || strcmp(word, "row") == 0 ||
               strcmp(word, "sect") == 0 || strcmp(word, "page") == 0) {
        rtf_put(self, '\n');
    } else if (strcmp(word, "tab") == 0 || strcmp(word, "cell") == 0) {
        rtf_put(self, '\t');
    } else if (strcmp(word, "uc") == 0 && has_number) {
        group->skip = CLAMP(number, 0, 100);
    } else if (strcmp(word, "u") == 0 && has_number) {
        gunichar c = (gunichar)(number < 0 ? number + 65536 : number);
        self->skip_left = 0;
        rtf_put(self, g_unichar_validate(c) && c != 0 ? c : 0xfffd);
        self->skip_left = group->skip;
    } else if (strcmp(word, "bin") == 0 && has_number) {
        self->at += MIN(MAX(number, 0), self->end - self->at);
    }
}

/* Behind a backslash. */
static void take_control(Rtf *self)
{
    char c = *self->at;
    if (!g_ascii_isalpha(c)) {
        self->at++;
        if (c == '\'' && self->end - self->at >= 2) {
            int high = g_ascii_xdigit_value(self->at[0]), low = g_ascii_xdigit_value(self->at[1]);
            self->at += 2;
            rtf_put(self,
                    high < 0 || low < 0 ? 0xfffd : from_cp1252((unsigned char)(high * 16 + low)));
        } else if (c == '*') {
            self->groups[self->depth].is_hidden = true;
        } else if (strchr("\\{}", c)) {
            rtf_put(self, (unsigned char)c);
        } else if (c == '~') {
            rtf_put(self, ' ');
        }
        return;
    }
    char word[32] = "";
    size_t size = 0;
    for (; self->at < self->end && g_ascii_isalpha(*self->at); self->at++)
        if (size + 1 < sizeof(word))
            word[size++] = *self->at;
    bool is_negative = self->at < self->end && *self->at == '-';
    self->at += is_negative;
    bool has_number = false;
    int number = 0;
    for (; self->at < self->end && g_ascii_isdigit(*self->at); self->at++, has_number = true)
        number = number > 100000000 ? number : number * 10 + (*self->at - '0');
    if (self->at < self->end && *self->at == ' ')
        self->at++;
    take_word(self, word, has_number, is_negative ? -number : number);
}

static bool take_all(Rtf *self, Cancel *cancel, GError **error)
{
    while (self->at < self->end) {
        char c = *self->at++;
        if (c == '{') {
            if (self->depth + 1 == MAX_DEPTH)
                return fail_with(error, KEDGE_ERROR_LIMIT, "groups are nested too deeply");
            if (!cancel_check(cancel, error))
                return false;
            self->groups[self->depth + 1] = self->groups[self->depth];
            self->depth++;
        } else if (c == '}') {
            self->depth -= self->depth > 0;
            self->skip_left = 0;
        } else if (c == '\\' && self->at < self->end) {
            take_control(self);
        } else if (c != '\r' && c != '\n') {
            rtf_put(self, from_cp1252((unsigned char)c));
        }
    }
    return true;
}

bool document_rtf_text(const char *data, size_t size, Cancel *cancel, GString *out, GError **error)
{
    if (size < 5 || strncmp(data, "{\\rtf", 5) != 0)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "it does not begin as RTF does");
    g_autofree Rtf *self = g_new0(Rtf, 1);
    self->at = data;
    self->end = data + size;
    self->groups[0].skip = 1;
    self->out = out;
    return take_all(self, cancel, error);
}

bool document_read_rtf(const char *path, Cancel *cancel, GString *out, GError **error)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    return file_read(path, LIMIT_DOCUMENT_XML_BYTES, &data, &size, error) &&
           document_rtf_text(data, size, cancel, out, error);
}
