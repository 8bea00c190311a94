/*
 * Small string helpers that GLib does not have.
 */
#include "base/str.h"

#include "base/utf8.h"

// Names longer than this are no misspelt option or field; comparing them would only cost time.
#define NEAREST_MAX_BYTES 128

char *str_truncate(const char *text, size_t max_bytes)
{
    size_t size = strlen(text);
    return g_strndup(text, utf8_boundary_before(text, size, max_bytes));
}

bool str_parse_int(const char *text, int64_t *ret_value)
{
    if (!text)
        return false;
    bool is_negative = *text == '-';
    const char *digit = is_negative ? text + 1 : text;
    if (*digit == '\0')
        return false;

    // Counted down from zero, because INT64_MIN has no positive counterpart.
    int64_t value = 0;
    for (; *digit != '\0'; digit++) {
        if (!g_ascii_isdigit(*digit))
            return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *digit - '0', &value))
            return false;
    }
    if (!is_negative && __builtin_sub_overflow(0, value, &value))
        return false;
    *ret_value = value;
    return true;
}

bool str_parse_bool(const char *text, bool *ret_value)
{
    static const char *const yes[] = { "1", "y", "yes", "true", "on" };
    static const char *const no[] = { "0", "n", "no", "false", "off" };
    for (size_t i = 0; i < G_N_ELEMENTS(yes); i++) {
        bool is_yes = str_equal_nocase(text, yes[i]);
        if (is_yes || str_equal_nocase(text, no[i])) {
            *ret_value = is_yes;
            return true;
        }
    }
    return false;
}

bool str_is_empty(const char *text)
{
    return text == NULL || *text == '\0';
}

bool str_equal_nocase(const char *a, const char *b)
{
    if (!a || !b)
        return a == b;
    return g_ascii_strcasecmp(a, b) == 0;
}

bool str_contains_nocase(const char *haystack, const char *needle)
{
    size_t size = strlen(needle);
    if (size == 0)
        return true;
    for (; *haystack != '\0'; haystack++) {
        if (g_ascii_strncasecmp(haystack, needle, size) == 0)
            return true;
    }
    return false;
}

char *str_format_bytes(uint64_t bytes)
{
    if (bytes < 1024)
        return g_strdup_printf("%" G_GUINT64_FORMAT "B", bytes);

    static const char *const units[] = { "KB", "MB", "GB" };
    double value = (double)bytes / 1024;
    uint64_t rest = bytes / 1024;
    size_t unit = 0;
    for (; rest >= 1024 && unit + 1 < G_N_ELEMENTS(units); unit++) {
        value /= 1024;
        rest /= 1024;
    }
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(number, sizeof(number), "%.1f", value);
    return g_strconcat(number, units[unit], NULL);
}

int str_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t str_count_lines(const char *text, size_t size)
{
    size_t lines = 1;
    const char *end = text + size;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline)
            break;
        lines++;
        text = newline + 1;
    }
    return lines;
}

static gunichar *to_characters(const char *text, size_t *ret_count)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    glong count = 0;
    gunichar *characters = g_utf8_to_ucs4_fast(valid, -1, &count);
    *ret_count = (size_t)count;
    return characters;
}

size_t str_edit_distance(const char *a, const char *b)
{
    size_t a_count, b_count;
    g_autofree gunichar *a_chars = to_characters(a, &a_count);
    g_autofree gunichar *b_chars = to_characters(b, &b_count);

    // Rows of the table: row[j] is the distance of a's first i characters to b's first j.
    g_autofree size_t *rows = g_new(size_t, 3 * (b_count + 1));
    size_t *before = rows, *last = rows + b_count + 1, *row = last + b_count + 1;
    for (size_t j = 0; j <= b_count; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_count; i++) {
        size_t *reused = before;
        before = last;
        last = row;
        row = reused;
        row[0] = i;
        for (size_t j = 1; j <= b_count; j++) {
            size_t replaced = last[j - 1] + (a_chars[i - 1] != b_chars[j - 1]);
            row[j] = MIN(replaced, MIN(last[j], row[j - 1]) + 1);
            bool is_swapped = i > 1 && j > 1 && a_chars[i - 1] == b_chars[j - 2] &&
                              a_chars[i - 2] == b_chars[j - 1];
            if (is_swapped)
                row[j] = MIN(row[j], before[j - 2] + 1);
        }
    }
    return row[b_count];
}

const char *str_nearest(const char *name, const char *const *candidates)
{
    if (strlen(name) > NEAREST_MAX_BYTES)
        return NULL;

    const char *nearest = NULL;
    size_t nearest_distance = SIZE_MAX;
    for (; *candidates; candidates++) {
        size_t distance = str_edit_distance(name, *candidates);
        size_t length = MAX(utf8_length(name), utf8_length(*candidates));
        if (distance * 3 <= length && distance < nearest_distance) {
            nearest = *candidates;
            nearest_distance = distance;
        }
    }
    return nearest;
}

char *str_did_you_mean(const char *name, const char *const *candidates)
{
    const char *nearest = str_nearest(name, candidates);
    return nearest ? g_strdup_printf(" (did you mean \"%s\"?)", nearest) : g_strdup("");
}

char *str_to_kebab(const char *camel)
{
    GString *out = g_string_new(NULL);
    for (const char *p = camel; *p != '\0'; p++) {
        if (*p == '_') {
            g_string_append_c(out, '-');
            continue;
        }
        // A word starts after a small letter (fooBar) and at the end of capitals (URLPath).
        bool is_start = p > camel && g_ascii_isupper(*p) && p[-1] != '_' &&
                        (!g_ascii_isupper(p[-1]) || g_ascii_islower(p[1]));
        if (is_start)
            g_string_append_c(out, '-');
        g_string_append_c(out, g_ascii_tolower(*p));
    }
    return g_string_free(out, FALSE);
}

char *str_shell_quote(const char *text)
{
    size_t plain = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-");
    if (plain > 0 && text[plain] == '\0')
        return g_strdup(text);
    return g_shell_quote(text);
}
