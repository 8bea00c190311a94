/* See hashline.h. */
#include "tools/file/hashline.h"

#include "base/str.h"
#include "base/utf8.h"
#include "tool/tool_set.h"

#include <stdint.h>

#define TABLE_SIZE 647

// 32-bit xxHash (XXH32), whose constants these are
#define PRIME_1 2654435761U
#define PRIME_2 2246822519U
#define PRIME_3 3266489917U
#define PRIME_4 668265263U
#define PRIME_5 374761393U

static uint32_t hashline_rotate(uint32_t value, int bits)
{
    return (value << bits) | (value >> (32 - bits));
}

static uint32_t word_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Over blocks of 16 bytes; *p is left behind the last. */
static uint32_t hash_blocks(const unsigned char **p, const unsigned char *end, uint32_t seed)
{
    uint32_t lanes[4] = { seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1 };
    static const int bits[4] = { 1, 7, 12, 18 };
    uint32_t hash = 0;
    for (; end - *p >= 16; *p += 16)
        for (int i = 0; i < 4; i++)
            lanes[i] = hashline_rotate(lanes[i] + word_at(*p + 4 * i) * PRIME_2, 13) * PRIME_1;
    for (int i = 0; i < 4; i++)
        hash += hashline_rotate(lanes[i], bits[i]);
    return hash;
}

static uint32_t hash_of(const char *text, size_t size, uint32_t seed)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + size;
    uint32_t hash = size >= 16 ? hash_blocks(&p, end, seed) : seed + PRIME_5;
    hash += (uint32_t)size;
    for (; end - p >= 4; p += 4)
        hash = hashline_rotate(hash + word_at(p) * PRIME_3, 17) * PRIME_4;
    for (; p < end; p++)
        hash = hashline_rotate(hash + *p * PRIME_5, 11) * PRIME_1;
    hash = (hash ^ (hash >> 15)) * PRIME_2;
    hash = (hash ^ (hash >> 13)) * PRIME_3;
    return hash ^ (hash >> 16);
}

/* All pairs of letters in alphabetical order, without those that are left out. */
static void letters_at(uint32_t index, char ret_letters[HASHLINE_LETTERS + 1])
{
    static const char *const left_out[] = {
        "bq", "gk", "gq", "jv", "jz", "kq", "kz", "lq", "nq", "qf", "qg", "qj", "qk", "qv", "qz",
        "rj", "tq", "wq", "wz", "xg", "xj", "xk", "xq", "xv", "xw", "yq", "zj", "zq", "zv",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(left_out); i++)
        if ((uint32_t)(left_out[i][0] - 'a') * 26 + (uint32_t)(left_out[i][1] - 'a') <= index)
            index++;
    ret_letters[0] = (char)('a' + index / 26);
    ret_letters[1] = (char)('a' + index % 26);
    ret_letters[2] = '\0';
}

/* What counts of a line. Caller frees. */
static char *plain_line(size_t number, const char *line, size_t size, bool *ret_is_told_by_text)
{
    size_t skipped = number == 1 ? utf8_bom_size(line, size) : 0;
    char *valid = utf8_from_bytes(line + skipped, size - skipped);
    size_t kept = 0, used = 0; // bytes without CR, and those of them before white space at the end
    bool is_told_by_text = false;
    for (const char *p = valid, *next; *p; p = next) {
        gunichar c = g_utf8_get_char(p);
        next = g_utf8_next_char(p);
        if (c == '\r')
            continue;
        memmove(valid + kept, p, (size_t)(next - p));
        kept += (size_t)(next - p);
        used = utf8_is_white(c) ? used : kept;
        is_told_by_text = is_told_by_text || g_unichar_isalnum(c);
    }
    valid[used] = '\0';
    *ret_is_told_by_text = is_told_by_text;
    return valid;
}

void hashline_letters(size_t number, const char *line, size_t size,
                      char ret_letters[HASHLINE_LETTERS + 1])
{
    bool is_told_by_text = false;
    g_autofree char *plain = plain_line(number, line, size, &is_told_by_text);
    // lines of punctuation only are many: their number tells them apart
    uint32_t seed = is_told_by_text ? 0 : (uint32_t)number;
    letters_at(hash_of(plain, strlen(plain), seed) % TABLE_SIZE, ret_letters);
}

bool hashline_is_same(size_t number, const char *seen, const char *line, size_t size)
{
    size_t seen_size = strlen(seen);
    if (seen_size == size && memcmp(seen, line, size) == 0)
        return true;
    bool is_told_by_text = false;
    g_autofree char *before = plain_line(number, seen, seen_size, &is_told_by_text);
    g_autofree char *now = plain_line(number, line, size, &is_told_by_text);
    return strcmp(before, now) == 0;
}

void hashline_append(GString *out, size_t number, const char *line, size_t size)
{
    char letters[HASHLINE_LETTERS + 1];
    hashline_letters(number, line, size, letters);
    g_string_append_printf(out, "%zu%s|", number, letters);
}

bool hashline_is_shown(const ToolCall *call)
{
    const ToolSet *tools = tool_call_tools(call);
    const ToolDef *edit = tools ? tool_set_find(tools, "edit") : NULL;
    return edit && (edit->flags & TOOL_TAKES_ANCHORS) &&
           settings_get_bool(tool_call_settings(call), "readHashLines");
}

/* Behind `12ab|`, also with the marks of grep and of a diff before it; NULL: there is none.
   `ret_is_true`: the letters are those of the text behind. */
static const char *behind_prefix(const char *line, bool *ret_is_true)
{
    line += strspn(line, " \t");
    if (str_has_prefix(line, ">>"))
        line += strspn(line, ">") == 3 ? 3 : 2;
    line += strspn(line, " \t");
    if (*line == '+' || *line == '*')
        line += 1 + strspn(line + 1, " \t");
    size_t digits = strspn(line, "0123456789");
    const char *letters = line + digits;
    if (digits == 0 || !g_ascii_islower(letters[0]) || !g_ascii_islower(letters[1]) ||
        (letters[2] != '|' && letters[2] != ':'))
        return NULL;
    const char *rest = letters + HASHLINE_LETTERS + 1;
    char own[HASHLINE_LETTERS + 1];
    hashline_letters((size_t)g_ascii_strtoull(line, NULL, 10), rest, strlen(rest), own);
    *ret_is_true = memcmp(letters, own, HASHLINE_LETTERS) == 0;
    return rest;
}

static bool is_notice(const char *line)
{
    return str_has_prefix(line, "[Showing lines ") && strstr(line, "Use :");
}

/* One prefix of every line; NULL when there is a line without. `ret_is_true`: half of them or more
   are anchors of the text behind; else they only look like some, as `9am: ` does. */
static char *strip_once(const char *text, bool *ret_is_true)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();
    size_t count = 0, judged = 0, agreed = 0;
    for (char **line = lines; *line; line++) {
        bool is_true = false;
        const char *rest = behind_prefix(*line, &is_true);
        count += rest != NULL;
        agreed += is_true;
        judged += is_true || (rest && !utf8_is_blank(rest));
        if (!rest && !is_notice(*line) && !utf8_is_blank(*line))
            return NULL;
        if (rest || !is_notice(*line))
            g_ptr_array_add(kept, (void *)(rest ? rest : *line));
    }
    g_ptr_array_add(kept, NULL);
    *ret_is_true = agreed > 0 && agreed >= judged - agreed;
    return count > 0 ? g_strjoinv("\n", (char **)kept->pdata) : NULL;
}

char *hashline_strip(const char *text)
{
    char *stripped = NULL; // by the innermost anchors that are some
    bool is_true = false;
    g_autofree char *rest = strip_once(text, &is_true);
    while (rest) {
        if (is_true) {
            g_free(stripped);
            stripped = g_strdup(rest);
        }
        char *again = strip_once(rest, &is_true);
        g_free(rest);
        rest = again;
    }
    return stripped;
}
