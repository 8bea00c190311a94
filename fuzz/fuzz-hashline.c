/*
 * Edits by anchors that a model makes, of files that others change meanwhile: the text that was
 * shown up to the first NUL, the text as it is now up to the next, then the edit. Its anchors get
 * the letters that fit, so that what comes behind the check is reached. Of a text that did not
 * change the recovery is the edit itself, and no line inside a range is refused.
 */
#include "tools/edit/hashline_recover.h"
#include "tools/edit/hashline_show.h"
#include "tools/file/read_carry.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fit_anchor(const GArray *lines, HashlineAnchor *anchor)
{
    if (anchor->number == HASHLINE_BOF || anchor->number > lines->len)
        return;
    const TextLine *line = text_line_at(lines, anchor->number - 1);
    hashline_letters(anchor->number, line->text, line->size, anchor->letters);
}

/* NULL: the edit is refused. Caller frees. */
static char *apply(const char *text, const GPtrArray *ops)
{
    g_autoptr(GArray) lines = text_lines_split(text);
    g_autoptr(GArray) stale = NULL;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < ops->len; i++) {
        HashlineOp *op = ops->pdata[i];
        fit_anchor(lines, &op->first);
        fit_anchor(lines, &op->last);
    }
    if (!hashline_check(lines, ops, &stale, NULL))
        return NULL;
    if (stale->len > 0)
        abort();
    return hashline_apply(lines, ops, ops->len % 2 == 0, warnings, NULL);
}

/* `ops` fit `now`, of which `snapshot` is what was shown. */
static void refuse(const ReadSnapshot *snapshot, const char *now, const GPtrArray *ops,
                   bool is_unchanged)
{
    g_autoptr(GArray) lines = text_lines_split(now);
    g_autoptr(GArray) stale = g_array_new(FALSE, FALSE, sizeof(size_t));
    g_autoptr(GArray) unseen = g_array_new(FALSE, FALSE, sizeof(size_t));
    hashline_check_inner(lines, ops, snapshot, stale, unseen);
    if (is_unchanged && (stale->len > 0 || unseen->len > 0))
        abort();
    g_autoptr(ReadSnapshot) shown = read_snapshot_new();
    size_t max_bytes = strlen(now) / 2;
    g_autofree char *text G_GNUC_UNUSED =
        hashline_describe_refusal(lines, stale, unseen, max_bytes, shown);
}

/* All that is left of a text that was seen whole was seen. */
static void carry(const ReadSnapshot *snapshot, const char *seen, const char *after)
{
    g_autoptr(GArray) lines = text_lines_split(after);
    g_autofree guint8 *is_shown = read_carry(snapshot, seen, lines, 0);
    for (size_t i = 0; i < lines->len; i++)
        if (!is_shown[i])
            abort();
}

static void edit(const char *seen, const char *now, const GPtrArray *ops)
{
    g_autofree char *there = apply(now, ops);
    g_autofree char *recovered = NULL;
    g_autoptr(ReadSnapshot) snapshot = read_snapshot_new();
    g_autoptr(GArray) lines = text_lines_split(seen);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < lines->len; i++)
        read_snapshot_add(snapshot, i + 1, text_line_at(lines, i)->text,
                          text_line_at(lines, i)->size);
    snapshot->total = lines->len;
    if (there)
        refuse(snapshot, now, ops, strcmp(seen, now) == 0);
    g_autofree char *wanted = apply(seen, ops); // its anchors are those of `seen` from here on
    if (wanted)
        carry(snapshot, seen, wanted);
    bool is_done =
        hashline_recover(snapshot, now, ops, ops->len % 2 == 0, &recovered, NULL, warnings);
    if (is_done && (!wanted || (strcmp(seen, now) == 0 && strcmp(recovered, wanted) != 0)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_auto(GStrv) parts = g_new0(char *, 4);
    const char *from = (const char *)data, *end = from + size;
    for (int i = 0; i < 3; i++) {
        const char *zero = i < 2 && from < end ? memchr(from, '\0', (size_t)(end - from)) : NULL;
        const char *stop = zero ? zero : end;
        parts[i] = g_strndup(from, (size_t)(stop - from));
        from = MIN(stop + 1, end);
    }
    g_autofree char *input = g_utf8_make_valid(parts[2], -1);
    g_autofree char *stripped G_GNUC_UNUSED = hashline_strip(input);
    g_autoptr(GPtrArray) sections = NULL;
    if (!hashline_parse(input, "f", HASHLINE_SEPARATOR, &sections, NULL))
        return 0;
    for (unsigned i = 0; i < sections->len; i++)
        edit(parts[0], parts[1], ((const HashlineSection *)sections->pdata[i])->ops);
    return 0;
}
