/*
 * A key that is typed and not shown (key_panel.h).
 */
#include "tui/control/key_panel.h"

#include "base/utf8.h"

enum { MAX_DOTS = 40 };

typedef struct KeyPanel {
    Panel panel;
    KeyPanelSpec spec;
    char *provider;
    GString *key;
} KeyPanel;

static void wipe(KeyPanel *self)
{
    explicit_bzero(self->key->str, self->key->allocated_len);
    g_string_truncate(self->key, 0);
}

static void key_rows(Panel *panel, int width, int max_rows, GPtrArray *out, int *ret_row,
                     int *ret_column)
{
    KeyPanel *self = (KeyPanel *)panel;
    const Style plain = { 0 }, dim = { .fg = TOKEN_DIM };
    size_t dots = MIN(utf8_length(self->key->str), (size_t)MAX_DOTS);
    g_autofree char *title = g_strdup_printf("The key for %s (not shown)", self->provider);
    g_autoptr(RowBuilder) line = row_builder_new();
    row_builder_add(line, "> ", -1, dim, NULL);
    for (size_t i = 0; i < dots; i++)
        row_builder_add(line, "*", 1, plain, NULL);
    int cells = row_builder_cells(line);
    g_autoptr(Row) first = row_of(title, plain), second = row_builder_take(line);
    g_autoptr(Row) third = row_of("Enter stores it, Esc does not.", dim);
    if (max_rows > 1)
        g_ptr_array_add(out, row_cut(first, width));
    *ret_row = (int)out->len;
    *ret_column = MIN(cells, width - 1);
    g_ptr_array_add(out, row_cut(second, width));
    if (max_rows > 2)
        g_ptr_array_add(out, row_cut(third, width));
}

static void take(KeyPanel *self, uint32_t character)
{
    if (character >= ' ' && character != 0x7f && self->key->len < LIMIT_KEY_BYTES)
        g_string_append_unichar(self->key, character);
}

static PanelResult finish(KeyPanel *self, bool is_given)
{
    self->spec.given(self->provider, is_given && self->key->len > 0 ? self->key->str : NULL,
                     self->spec.user_data);
    wipe(self);
    return PANEL_DONE;
}

static PanelResult key_key(Panel *panel, KeyPress key, Action action, gint64 now_ms G_GNUC_UNUSED)
{
    KeyPanel *self = (KeyPanel *)panel;
    if (action == ACTION_LIST_ACCEPT || action == ACTION_LIST_CANCEL)
        return finish(self, action == ACTION_LIST_ACCEPT);
    if (key.code == KEY_BACKSPACE && self->key->len > 0)
        g_string_truncate(self->key,
                          utf8_boundary_before(self->key->str, self->key->len, self->key->len - 1));
    else if (key.code == 'u' && key.mods == MOD_CTRL)
        wipe(self);
    else
        take(self, key_character(key));
    return PANEL_CHANGED;
}

static void key_free(Panel *panel)
{
    KeyPanel *self = (KeyPanel *)panel;
    wipe(self);
    g_string_free(self->key, true);
    g_free(self->provider);
    g_free(self);
}

static PanelResult key_paste(Panel *panel, const char *text, size_t size,
                             bool is_last G_GNUC_UNUSED)
{
    const char *end = text + size;
    while (text < end) {
        take((KeyPanel *)panel, g_utf8_get_char(text));
        text = g_utf8_next_char(text);
    }
    return PANEL_CHANGED;
}

static const PanelClass key_class = {
    .rows = key_rows,
    .key = key_key,
    .free = key_free,
    .paste = key_paste,
    .covers_editor = true,
};

Panel *key_panel_new(const KeyPanelSpec *spec)
{
    KeyPanel *self = g_new0(KeyPanel, 1);
    self->panel.class = &key_class;
    self->spec = *spec;
    self->provider = g_strdup(spec->provider);
    self->key = g_string_sized_new(LIMIT_KEY_BYTES * 4 + 8); // never moved, so that it can be wiped
    return &self->panel;
}
