/*
 * Rows for good (transcript_private.h), with an empty one between blocks that do not belong
 * together. Reads that follow each other fold into one row, which waits for something else.
 */
#include "tui/view/transcript_private.h"

static bool is_compact(BlockKind kind)
{
    return kind == KIND_TOOL || kind == KIND_NOTICE || kind == KIND_COMMAND;
}

bool transcript_needs_gap(const Transcript *self, BlockKind kind)
{
    if (kind == KIND_COMMAND)
        return self->last != KIND_NONE && self->last != KIND_COMMAND;
    return self->last != KIND_NONE && !(is_compact(self->last) && is_compact(kind));
}

void transcript_commit(Transcript *self, BlockKind kind, bool is_new, const GPtrArray *rows)
{
    if (rows->len == 0)
        return;
    reads_flush(self); // it calls this again, with nothing left to flush
    if (kind == KIND_USER)
        self->user_row = self->rows->len;
    if (is_new && transcript_needs_gap(self, kind))
        g_ptr_array_add(self->rows, row_of("", (Style) { 0 }));
    for (unsigned i = 0; i < rows->len; i++) {
        Row *row = rows->pdata[i];
        bool is_prompt = i == 0 && kind == KIND_USER && self->spec.has_marks;
        g_ptr_array_add(self->rows, is_prompt ? row_of_prompt(row) : row_ref(row));
    }
    self->last = kind;
    if (kind != KIND_COMMAND && kind != KIND_NOTICE)
        g_clear_pointer(&self->heading, g_free);
}

// ---- reads ----

void reads_flush(Transcript *self)
{
    if (self->reads->len == 0)
        return;
    g_autoptr(GPtrArray) rows = rows_new();
    g_autoptr(Row) title = block_reads_title(self->reads, &self->block);
    block_wrap_title(title, &self->block, rows);
    g_ptr_array_set_size(self->reads, 0);
    transcript_commit(self, KIND_TOOL, true, rows);
}

void reads_add(Transcript *self, char *name)
{
    if (self->reads->len == LIMIT_READ_GROUP)
        reads_flush(self);
    g_ptr_array_add(self->reads, name);
}

void reads_live_rows(const Transcript *self, int cells, GPtrArray *out)
{
    if (self->reads->len == 0)
        return;
    g_autoptr(Row) title = block_reads_title(self->reads, &self->block);
    g_ptr_array_add(out, row_cut(title, cells));
}
