/* See session_tree.h. */
#include "session/session_tree.h"

#include "base/lock.h"
#include "base/utf8.h"
#include "model/message.h"
#include "session/entry.h"
#include "session/session_context.h"
#include "session/session_private.h"

#define TITLE_MAX_CHARS 200

const char *session_leaf_id(const Session *self)
{
    return self->leaf ? self->leaf->id : NULL;
}

json_t *session_entry(const Session *self, const char *id)
{
    const EntryHead *head = entry_list_find(self->entries, id);
    return head ? entry_list_read(self->entries, head) : NULL;
}

json_t *session_read_entry(const Session *self, const EntryHead *head)
{
    return entry_list_read(self->entries, head);
}

GPtrArray *session_path_to(const Session *self, const char *id)
{
    const EntryHead *head = id ? entry_list_find(self->entries, id) : self->leaf;
    return entry_list_path(self->entries, head);
}

GPtrArray *session_read_entries(const Session *self, const GPtrArray *heads)
{
    return entry_list_read_all(self->entries, heads, 0);
}

GPtrArray *session_path_of_type(const Session *self, const char *type)
{
    g_autoptr(GPtrArray) path = session_path_to(self, NULL);
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    for (guint i = 0; i < path->len; i++) {
        if (g_str_equal(((const EntryHead *)path->pdata[i])->type, type))
            g_ptr_array_add(found, path->pdata[i]);
    }
    return session_read_entries(self, found);
}

GPtrArray *session_context_path(const Session *self)
{
    g_autoptr(GPtrArray) path = session_path_to(self, NULL);
    guint first = context_first_on_path(self->entries, path);
    return entry_list_read_all(self->entries, path, first);
}

GPtrArray *session_context_heads(const Session *self)
{
    g_autoptr(GPtrArray) path = session_path_to(self, NULL);
    return context_message_heads(self->entries, path);
}

static bool find_entry(const Session *self, const char *id, const EntryHead **ret_head,
                       GError **error)
{
    *ret_head = entry_list_find(self->entries, id);
    return *ret_head || fail_with(error, KEDGE_ERROR_NOT_FOUND, "Entry ID not found: %s", id);
}

bool session_move(Session *self, const char *id, GError **error)
{
    const EntryHead *head = NULL;
    if (id && !find_entry(self, id, &head, error))
        return false;
    HOLD_LOCK(&self->lock);
    self->leaf = head;
    return true;
}

// ---- going to an entry ----

static bool is_users_message(const EntryHead *head)
{
    return head && g_str_equal(head->type, "message") && g_str_equal(head->role, "user");
}

/* Caller frees. */
static char *text_of_message(const Session *self, const EntryHead *head)
{
    g_autoptr(json_t) entry = entry_list_read(self->entries, head);
    return message_text(json_get_object(entry, "message"));
}

/* The text of a message that is to be written again, or NULL. Caller frees. */
static char *text_to_rewrite(const Session *self, const EntryHead *head)
{
    if (is_users_message(head))
        return text_of_message(self, head);
    if (!g_str_equal(head->type, "custom_message"))
        return NULL;
    g_autoptr(json_t) entry = entry_list_read(self->entries, head);
    return message_text(entry);
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
    const EntryHead *head = NULL;
    if (!find_entry(self, id, &head, error))
        return false;
    *ret_target = (SessionTarget) {
        .leaf = head->id,
        .text = text_to_rewrite(self, head),
        .left = g_ptr_array_new(),
    };
    if (ret_target->text) {
        const EntryHead *parent = entry_list_find(self->entries, head->parent_id);
        ret_target->leaf = parent ? parent->id : NULL;
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

// ---- entries ----

const char *session_append_fields(Session *self, const char *type, json_t *fields)
{
    json_t *entry = session_start_entry(self, type);
    json_object_update(entry, fields);
    json_decref(fields);
    return session_append_entry(self, entry);
}

bool session_set_label(Session *self, const char *id, const char *label, GError **error)
{
    const EntryHead *head = NULL;
    if (!find_entry(self, id, &head, error))
        return false;
    session_append_fields(self, "label",
                          json_make("targetId:%s label:%s", id, label && *label ? label : NULL));
    return true;
}

/* The old entry stays as it is: others may hold it. */
void session_replace_message(Session *self, const char *id, json_t *message)
{
    const EntryHead *head = entry_list_find(self->entries, id);
    if (!head)
        return;
    g_autoptr(json_t) old = entry_list_read(self->entries, head);
    json_t *copy = json_copy(old);
    json_object_set(copy, "message", message);
    entry_list_replace(self->entries, head, copy);
    self->needs_rewrite = self->is_header_written;
    self->is_dirty = true;
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

/* id → label, of all entries. New reference. */
static json_t *labels_of(EntryList *entries)
{
    json_t *labels = json_object();
    const EntryHead *head = NULL;
    for (size_t i = 0; (head = entry_list_at(entries, i)); i++) {
        if (!g_str_equal(head->type, "label"))
            continue;
        g_autoptr(json_t) entry = entry_list_read(entries, head);
        note_label(labels, entry);
    }
    return labels;
}

/* A snapshot: entries are only added, and what they say is never changed. */
json_t *session_tree(Session *self)
{
    pthread_mutex_lock(&self->lock);
    g_autoptr(GPtrArray) heads = entry_list_heads(self->entries);
    json_t *leaf_id = json_text(session_leaf_id(self));
    pthread_mutex_unlock(&self->lock);
    json_t *entries = json_array(), *labels = json_object(), *tree = json_object();
    for (guint i = 0; i < heads->len; i++) {
        json_t *entry = entry_list_read(self->entries, heads->pdata[i]);
        note_label(labels, entry);
        json_append_take(entries, entry);
    }
    json_add(tree, "leafId:%p entries:%p labels:%p", leaf_id, entries, labels);
    return tree;
}

// ---- branches ----

/* Labels that entries got behind the point where the copy ends. */
static void take_over_labels(Session *self, const Session *source)
{
    g_autoptr(json_t) wanted = labels_of(source->entries);
    g_autoptr(json_t) present = labels_of(self->entries);
    json_each_member (wanted, id, label) {
        if (entry_list_find(self->entries, id) && !json_equal(label, json_object_get(present, id)))
            session_set_label(self, id, json_string_value(label), NULL);
    }
    json_each_member (present, id, label) {
        if (!json_object_get(wanted, id))
            session_set_label(self, id, NULL, NULL);
    }
}

bool session_branch(const Session *self, const char *id, Session **ret_session, char **ret_text,
                    GError **error)
{
    const EntryHead *head = entry_list_find(self->entries, id);
    if (!is_users_message(head))
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid entry ID for branching: %s", id);
    const EntryHead *parent = entry_list_find(self->entries, head->parent_id);
    g_autoptr(GPtrArray) path = entry_list_path(self->entries, parent);
    EntryList *entries = entry_list_copy(self->entries, path);

    g_autofree char *dir = self->path ? g_path_get_dirname(self->path) : NULL;
    json_t *header = entry_new_header(session_cwd(self), session_id(self));
    g_autofree char *new_path = dir ? session_path_for_header(dir, header) : NULL;
    Session *session = session_new_with(header, entries, new_path);
    session->artifacts_source = session_artifacts_dir(self);
    take_over_labels(session, self);
    *ret_session = session;
    *ret_text = text_of_message(self, head);
    return true;
}

json_t *session_branch_points(Session *self)
{
    json_t *points = json_array();
    pthread_mutex_lock(&self->lock);
    g_autoptr(GPtrArray) heads = entry_list_heads(self->entries);
    pthread_mutex_unlock(&self->lock);
    for (unsigned i = 0; i < heads->len; i++) {
        const EntryHead *head = heads->pdata[i];
        g_autofree char *text = is_users_message(head) ? text_of_message(self, head) : NULL;
        if (text && *text)
            json_append_take(points, json_make("entryId:%s text:%s", head->id, text));
    }
    return points;
}

// ---- titles ----

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
