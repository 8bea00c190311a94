/*
 * The tree of a session (session_tree.h).
 */
#include "session/session_tree.h"

#include "base/utf8.h"
#include "model/message.h"
#include "session/entry.h"
#include "session/session_private.h"

#define TITLE_MAX_CHARS 200

const char *session_leaf_id(const Session *self)
{
    return self->leaf ? entry_id(self->leaf) : NULL;
}

json_t *session_entry(const Session *self, const char *id)
{
    return id ? g_hash_table_lookup(self->index, id) : NULL;
}

GPtrArray *session_path_to(const Session *self, const char *id)
{
    return entry_path(self->index, id ? session_entry(self, id) : self->leaf);
}

static bool find_entry(const Session *self, const char *id, json_t **ret_entry, GError **error)
{
    *ret_entry = session_entry(self, id);
    return *ret_entry || fail_with(error, KEDGE_ERROR_NOT_FOUND, "Entry ID not found: %s", id);
}

bool session_move(Session *self, const char *id, GError **error)
{
    json_t *entry = NULL;
    if (id && !find_entry(self, id, &entry, error))
        return false;
    pthread_mutex_lock(&self->lock);
    self->leaf = entry;
    pthread_mutex_unlock(&self->lock);
    return true;
}

/* --- going to an entry */

static bool is_message_of(const json_t *entry, const char *role)
{
    return entry && g_str_equal(entry_type(entry), "message") &&
           g_str_equal(message_role(json_get_object(entry, "message")), role);
}

/* The text of a message that is to be written anew, or NULL. Caller frees. */
static char *text_to_rewrite(const json_t *entry)
{
    if (is_message_of(entry, "user"))
        return message_text(json_get_object(entry, "message"));
    return g_str_equal(entry_type(entry), "custom_message") ? message_text(entry) : NULL;
}

void session_target_clear(SessionTarget *self)
{
    g_free(self->text);
    if (self->left)
        g_ptr_array_unref(self->left);
    *self = (SessionTarget) { 0 };
}

bool session_find_target(const Session *self, const char *id, SessionTarget *ret_target,
                         GError **error)
{
    json_t *entry = NULL;
    if (!find_entry(self, id, &entry, error))
        return false;
    *ret_target = (SessionTarget) {
        .leaf = entry_id(entry),
        .text = text_to_rewrite(entry),
        .left = g_ptr_array_new(),
    };
    if (ret_target->text) {
        const json_t *parent = session_entry(self, json_get_text(entry, "parentId"));
        ret_target->leaf = parent ? entry_id(parent) : NULL;
    }
    g_autoptr(GPtrArray) here = session_path_to(self, NULL);
    g_autoptr(GPtrArray) there = session_path_to(self, id);
    guint common = 0;
    while (common < MIN(here->len, there->len) && here->pdata[common] == there->pdata[common])
        common++;
    for (guint i = common; i < here->len; i++)
        g_ptr_array_add(ret_target->left, here->pdata[i]);
    return true;
}

/* --- entries */

const char *session_append_fields(Session *self, const char *type, json_t *fields)
{
    json_t *entry = session_start_entry(self, type);
    json_object_update(entry, fields);
    json_decref(fields);
    return session_append_entry(self, entry);
}

bool session_set_label(Session *self, const char *id, const char *label, GError **error)
{
    json_t *entry = NULL;
    if (!find_entry(self, id, &entry, error))
        return false;
    json_t *fields = json_object();
    json_set_text(fields, "targetId", id);
    json_set_text(fields, "label", label && *label ? label : NULL);
    session_append_fields(self, "label", fields);
    return true;
}

/* The old entry stays as it is: others may hold it. */
void session_replace_message(Session *self, const char *id, json_t *message)
{
    json_t *old = session_entry(self, id);
    size_t i;
    json_t *entry;
    json_array_foreach (self->entries, i, entry) {
        if (entry != old)
            continue;
        json_t *copy = json_copy(old);
        json_object_set(copy, "message", message);
        pthread_mutex_lock(&self->lock);
        if (self->leaf == old)
            self->leaf = copy;
        g_hash_table_replace(self->index, (gpointer)entry_id(copy), copy);
        json_array_set_new(self->entries, i, copy);
        pthread_mutex_unlock(&self->lock);
        self->needs_rewrite = self->is_header_written;
        self->is_dirty = true;
        return;
    }
}

static void note_label(json_t *labels, const json_t *entry)
{
    const char *target = json_get_text(entry, "targetId");
    if (!target || !g_str_equal(entry_type(entry), "label"))
        return;
    const char *label = json_get_text(entry, "label");
    if (label && *label)
        json_set_text(labels, target, label);
    else
        json_object_del(labels, target);
}

/* id → label, of all entries or of a path's. New reference. */
static json_t *labels_of(const json_t *entries)
{
    json_t *labels = json_object();
    size_t i;
    json_t *entry;
    json_array_foreach (entries, i, entry)
        note_label(labels, entry);
    return labels;
}

/* What entries say is never changed, so the list is all that is copied under the lock. */
json_t *session_tree(Session *self)
{
    json_t *tree = json_object();
    pthread_mutex_lock(&self->lock);
    json_t *entries = json_copy(self->entries);
    json_set_take(tree, "leafId", json_text(session_leaf_id(self)));
    pthread_mutex_unlock(&self->lock);
    json_set_take(tree, "entries", entries);
    json_set_take(tree, "labels", labels_of(entries));
    return tree;
}

/* --- branches */

/* Labels that entries got behind the point where the copy ends. */
static void take_over_labels(Session *self, const Session *source)
{
    g_autoptr(json_t) wanted = labels_of(source->entries);
    g_autoptr(json_t) present = labels_of(self->entries);
    const char *id;
    json_t *label;
    json_object_foreach (wanted, id, label) {
        if (session_entry(self, id) && !json_equal(label, json_object_get(present, id)))
            session_set_label(self, id, json_string_value(label), NULL);
    }
    json_object_foreach (present, id, label) {
        if (!json_object_get(wanted, id))
            session_set_label(self, id, NULL, NULL);
    }
}

bool session_branch(const Session *self, const char *id, Session **ret_session, char **ret_text,
                    GError **error)
{
    json_t *entry = session_entry(self, id);
    if (!is_message_of(entry, "user"))
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid entry ID for branching: %s", id);
    json_t *parent = session_entry(self, json_get_text(entry, "parentId"));
    json_t *entries = json_array();
    g_autoptr(GPtrArray) path = entry_path(self->index, parent);
    for (unsigned i = 0; i < path->len; i++)
        json_array_append(entries, path->pdata[i]);

    g_autofree char *dir = self->path ? g_path_get_dirname(self->path) : NULL;
    json_t *header = entry_new_header(session_cwd(self), session_id(self));
    g_autofree char *new_path = dir ? session_path_for_header(dir, header) : NULL;
    Session *session = session_new_with(header, entries, new_path);
    session->artifacts_source = session_artifacts_dir(self);
    take_over_labels(session, self);
    *ret_session = session;
    *ret_text = message_text(json_get_object(entry, "message"));
    return true;
}

json_t *session_branch_points(Session *self)
{
    json_t *points = json_array();
    pthread_mutex_lock(&self->lock);
    g_autoptr(GPtrArray) path = session_path_to(self, NULL);
    for (unsigned i = 0; i < path->len; i++) {
        const json_t *entry = path->pdata[i];
        if (!is_message_of(entry, "user"))
            continue;
        g_autofree char *text = message_text(json_get_object(entry, "message"));
        json_t *point = json_object();
        json_set_text(point, "entryId", entry_id(entry));
        json_set_text(point, "text", text);
        json_append_take(points, point);
    }
    pthread_mutex_unlock(&self->lock);
    return points;
}

/* --- titles */

char *session_clean_title(const char *text)
{
    g_autoptr(GString) clean = g_string_new(NULL);
    bool is_space_due = false;
    for (const char *at = text; *at; at = g_utf8_next_char(at)) {
        gunichar character = g_utf8_get_char(at);
        if (g_unichar_isspace(character)) {
            is_space_due = clean->len > 0;
            continue;
        }
        if (g_unichar_iscntrl(character))
            continue;
        if (is_space_due)
            g_string_append_c(clean, ' ');
        is_space_due = false;
        g_string_append_unichar(clean, character);
    }
    return clean->len > 0 ? utf8_ellipsize(clean->str, TITLE_MAX_CHARS) : NULL;
}
