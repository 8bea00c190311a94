/* See review.h. */
#include "tui/control/review.h"

#include "session/session_tree.h"
#include "tui/control/external.h"
#include "tui/control/tui_own.h"

void review_close(Tui *self)
{
    if (!self->panels->viewer)
        return;
    g_clear_pointer(&panels_own(self)->viewer, viewer_free);
    frame_release(self->look->frames);
    frame_request(self->look->frames, FRAME_NOW);
    tui_show_question(self);
}

void review_end(Tui *self)
{
    g_clear_pointer(&panels_own(self)->viewer, viewer_free);
}

static void close_later(void *self)
{
    review_close(self);
}

static void on_closed(void *self_)
{
    Tui *self = self_;
    loop_post(self->loop, close_later, self);
}

static void edit_later(void *self_)
{
    Tui *self = self_;
    g_autofree char *text = g_steal_pointer(&panels_own(self)->shown);
    review_close(self);
    if (text)
        external_show(self, text);
}

static void on_edit(char *text, void *self_)
{
    Tui *self = self_;
    g_free(self->panels->shown);
    panels_own(self)->shown = text;
    loop_post(self->loop, edit_later, self);
}

/* The messages from the root to the leaf, as the session file has them: also those that a
   compaction has taken out of the context. */
static json_t *path_messages(Tui *self)
{
    g_autoptr(json_t) tree = agent_session_tree(self->run->session, NULL);
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) path = g_ptr_array_new();
    json_t *messages = json_array(), *entry = NULL;
    const char *id = json_get_text(tree, "leafId");
    size_t i = 0;
    json_array_foreach (json_get_array(tree, "entries"), i, entry)
        g_hash_table_insert(by_id, (char *)json_get_text(entry, "id"), entry);
    while (id && (entry = g_hash_table_lookup(by_id, id)) &&
           path->len <= g_hash_table_size(by_id)) {
        g_ptr_array_add(path, entry);
        id = json_get_text(entry, "parentId");
    }
    for (guint k = path->len; k > 0; k--) {
        g_autoptr(json_t) message = session_entry_message(path->pdata[k - 1]);
        if (message)
            json_array_append(messages, message);
    }
    return messages;
}

void review_open(Tui *self)
{
    g_autoptr(json_t) messages = path_messages(self);
    const ViewerSpec spec = {
        .terminal = self->look->terminal,
        .theme = self->look->theme,
        .block = {
            .theme = self->look->theme,
            .width = terminal_size(self->look->terminal).columns,
            .tab_width = (int)settings_get_number(self->look->settings, "display.tabWidth"),
            .has_links = self->look->caps.has_links,
            .is_expanded = true,
            .shows_thinking = !self->look->hides_thinking,
            .cwd = self->slash.place.cwd,
        },
        .messages = messages,
        .closed = on_closed,
        .edit = on_edit,
        .user_data = self,
    };
    if (self->panels->viewer)
        return;
    tui_draw(self); // what waits is given to the terminal first
    frame_hold(self->look->frames);
    panels_own(self)->viewer = viewer_new(&spec);
}
