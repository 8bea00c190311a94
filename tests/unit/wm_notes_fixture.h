/*
 * Looking at lists of notes (wm/task/notes.h) in tests.
 */
#pragma once

#include "unit.h"

#include "wm/task/notes.h"

/* Without its path; borrowed. */
static inline const char *text_of(const GPtrArray *notes, guint index)
{
    assert_in_range(index + 1, 1, notes->len);
    return ((const WmNote *)notes->pdata[index])->text;
}

static inline void expect_note(const GPtrArray *notes, guint index, const char *path,
                               const char *key, const char *text)
{
    assert_string_equal(text_of(notes, index), text);
    const WmNote *note = notes->pdata[index];
    assert_string_equal(note->path, path);
    assert_true(g_strcmp0(note->key, key) == 0);
}
