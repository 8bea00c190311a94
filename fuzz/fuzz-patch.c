/*
 * Patches: a file up to the first NUL, then hunks, or an envelope, for it. Whatever they say, no
 * more lines of the file go than they remove, and no more come than they add; what is refused is
 * refused in valid text.
 */
#include "base/utf8.h"
#include "tools/edit/edit_ends.h"
#include "tools/edit/patch_apply.h"
#include "tools/edit/patch_envelope.h"
#include "tools/edit/patch_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count_lines(const char *diff, char sign)
{
    size_t count = 0;
    for (const char *p = diff; *p; p = *p ? p + 1 : p) {
        count += *p == sign;
        p = strchrnul(p, '\n');
    }
    return count;
}

/* How many lines of `text` are not among those of `other`, each counted as often as it is there. */
static size_t count_missing(const char *text, const char *other)
{
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_auto(GStrv) there = g_strsplit(other, "\n", -1);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = there; *line; line++) {
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, *line));
        g_hash_table_replace(counts, g_strdup(*line), GUINT_TO_POINTER(count + 1));
    }
    size_t missing = 0;
    for (char **line = lines; *line; line++) {
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, *line));
        missing += count == 0;
        if (count > 0)
            g_hash_table_replace(counts, g_strdup(*line), GUINT_TO_POINTER(count - 1));
    }
    return missing;
}

/* The empty text behind a final newline counts as a line here, so one more may come or go. */
static void check(const char *file, const char *diff, bool is_fuzzy)
{
    g_autofree char *after = NULL;
    g_autoptr(GError) error = NULL;
    size_t steps = PATCH_MAX_STEPS;
    if (!patch_apply(file, diff, "f", is_fuzzy, &steps, &after, NULL, &error)) {
        if (after || !error || !g_utf8_validate(error->message, -1, NULL))
            abort();
        return;
    }
    if (count_missing(file, after) > count_lines(diff, '-') + 1 ||
        count_missing(after, file) > count_lines(diff, '+') + 1)
        abort();
    bool has_end = g_str_has_suffix(file, "\n"), keeps_end = g_str_has_suffix(after, "\n");
    if (*file && *after && has_end && !keeps_end)
        abort();
}

static void check_envelope(const char *file, const char *input)
{
    g_autoptr(GPtrArray) entries = NULL;
    g_autoptr(GError) error = NULL;
    if (!patch_envelope_parse(input, &entries, &error)) {
        if (entries || !error)
            abort();
        return;
    }
    if (entries->len == 0)
        abort();
    for (guint i = 0; i < entries->len; i++) {
        const PatchEntry *entry = entries->pdata[i];
        if (!entry->path || !*entry->path || (entry->op != PATCH_DELETE && !entry->text))
            abort();
        if (entry->op == PATCH_UPDATE)
            check(file, entry->text, true);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size > 0 ? memchr(data, '\0', size) : NULL;
    size_t file_size = zero ? (size_t)(zero - data) : 0;
    size_t from = zero ? file_size + 1 : 0;
    g_autofree char *bytes = g_strndup((const char *)data, file_size);
    g_autofree char *file = edit_to_lf(bytes);
    // arguments are valid text, files need not be
    g_autofree char *diff = utf8_from_bytes((const char *)data + from, size - from);
    check(file, diff, true);
    check(file, diff, false);
    check_envelope(file, diff);
    return 0;
}
