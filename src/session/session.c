/*
 * The session object: header, entries and leaf in memory, and when what of it goes to the file.
 *
 * What is not yet in the file is complete in memory; the rest may be in the file only
 * (entry_list.h). `written` counts the entries that are on disk; whatever could not be written is
 * tried again, in order, with the next append or flush, so a full disk that gets space again loses
 * nothing.
 */
#include "session/session.h"

#include "base/lock.h"
#include "base/mask.h"
#include "base/path.h"
#include "session/entry.h"
#include "session/fork_copy.h"
#include "session/persist.h"
#include "session/session_context.h"
#include "session/session_load.h"
#include "session/session_private.h"

/* Other programs name a session in an entry of its own. */
static void take_entry_title(json_t *header, EntryList *entries)
{
    g_autofree char *title = NULL;
    const EntryHead *head = NULL;
    for (size_t i = 0; (head = entry_list_at(entries, i)); i++) {
        if (!g_str_equal(head->type, "session_info"))
            continue;
        g_autoptr(json_t) entry = entry_list_read(entries, head);
        g_free(title);
        title = g_strdup(json_get_text(entry, "name"));
    }
    if (!title || g_strcmp0(json_get_text(header, "titleSource"), "user") == 0)
        return;
    json_add(header, "title:%s titleSource:%s", title, "user");
}

/* What a person asked is kept from the first prompt on: an answer may never come. */
static bool is_kept_role(const char *role)
{
    return g_str_equal(role, "user") || g_str_equal(role, "assistant");
}

Session *session_new_with(json_t *header, EntryList *entries, const char *path)
{
    Session *self = g_new0(Session, 1);
    self->header = header;
    self->entries = entries;
    self->path = g_strdup(path);
    take_entry_title(header, entries);
    pthread_mutex_init(&self->lock, NULL);

    const EntryHead *head = NULL;
    for (size_t i = 0; (head = entry_list_at(entries, i)); i++) {
        self->is_worth_keeping = self->is_worth_keeping || is_kept_role(head->role);
        self->leaf = head;
    }
    return self;
}

char *session_path_for_header(const char *dir, const json_t *header)
{
    g_autofree char *timestamp = g_strdup(json_get_text(header, "timestamp"));
    g_strdelimit(timestamp, ":.", '-');
    return g_strdup_printf("%s/%s_%s.jsonl", dir, timestamp, json_get_text(header, "id"));
}

Session *session_new(const char *dir, const char *cwd)
{
    json_t *header = entry_new_header(cwd, NULL);
    g_autofree char *path = dir ? session_path_for_header(dir, header) : NULL;
    return session_new_with(header, entry_list_new(), path);
}

void session_set_parent(Session *self, const char *parent)
{
    g_assert(!self->is_header_written);
    json_set_text(self->header, "parentSession", parent);
}

void session_free(Session *self)
{
    if (!self)
        return;
    session_flush(self, NULL);
    store_close(self->store);
    json_decref(self->header);
    entry_list_free(self->entries);
    g_clear_error(&self->first_error);
    g_free(self->artifacts_source);
    g_free(self->path);
    g_free(self->notice);
    g_free(self->wanted_title);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

const char *session_id(const Session *self)
{
    return json_get_text(self->header, "id");
}

const char *session_path(const Session *self)
{
    return self->path;
}

const char *session_cwd(const Session *self)
{
    const char *cwd = json_get_text(self->header, "cwd");
    return cwd ? cwd : "";
}

const json_t *session_header(const Session *self)
{
    return self->header;
}

static char *artifacts_dir_of(const char *session_path)
{
    size_t length = strlen(session_path);
    if (g_str_has_suffix(session_path, ".jsonl"))
        return g_strndup(session_path, length - strlen(".jsonl"));
    return g_strconcat(session_path, ".artifacts", NULL);
}

char *session_artifacts_dir(const Session *self)
{
    return self->path ? artifacts_dir_of(self->path) : NULL;
}

static void append_line(GString *line, json_t *entry)
{
    g_autoptr(json_t) stored = persist_entry(entry);
    g_autoptr(json_t) masked = mask_json(stored);
    g_autofree char *text = json_to_text(masked);
    g_string_append(line, text);
    g_string_append_c(line, '\n');
}

static bool fail_lost(Session *self, GError **error)
{
    self->is_loss_reported = true;
    return fail_with(error, KEDGE_ERROR_IO,
                     "%s: what it held of this session is gone, another program changed the file",
                     self->path);
}

typedef struct Rewrite {
    Session *session;
    GArray *places; // LinePlace, without their file: of the header and the entries so far
    off_t at;
} Rewrite;

static bool rewrite_next_line(GString *line, void *user_data, GError **error)
{
    Rewrite *self = user_data;
    EntryList *entries = self->session->entries;
    size_t before = line->len;
    if (self->places->len == 0) {
        append_line(line, self->session->header);
    } else {
        const EntryHead *head = entry_list_at(entries, self->places->len - 1);
        g_autoptr(json_t) entry = head ? entry_list_read(entries, head) : NULL;
        if (entry_list_has_lost(entries) && !self->session->is_place_lost)
            return fail_lost(self->session, error);
        if (!entry)
            return true;
        append_line(line, entry);
    }
    LinePlace place = { .offset = self->at, .size = line->len - before - strlen("\n") };
    g_array_append_val(self->places, place);
    self->at += (off_t)(line->len - before);
    return true;
}

static bool session_rewrite(Session *self, GError **error)
{
    g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(LinePlace));
    Rewrite rewrite = { .session = self, .places = places };
    if (!store_replace(self->store, rewrite_next_line, &rewrite, error))
        return false;
    self->needs_rewrite = self->is_place_lost = false;
    self->is_header_written = true;
    self->written = places->len - 1;
    for (size_t i = 0; i < self->written; i++) {
        LinePlace *place = &g_array_index(places, LinePlace, i + 1);
        place->file = store_file(self->store);
        entry_list_set_place(self->entries, entry_list_at(self->entries, i), place);
    }
    return true;
}

/* The header, or an entry; *ret_place (may be NULL) says where it is now. */
static bool session_append_line(Session *self, json_t *entry, LinePlace *ret_place, GError **error)
{
    g_autoptr(GString) line = g_string_new(NULL);
    append_line(line, entry);
    if (!store_append(self->store, line->str, line->len, error))
        return false;
    if (ret_place)
        *ret_place = (LinePlace) { store_file(self->store), store_appended_at(self->store),
                                   line->len - strlen("\n") };
    return true;
}

static bool session_make_file(Session *self, GError **error)
{
    if (!store_create(self->path, &self->store, error))
        return false;
    if (self->artifacts_source) {
        g_autofree char *target = artifacts_dir_of(self->path);
        fork_copy_artifacts(self->artifacts_source, target);
        g_clear_pointer(&self->artifacts_source, g_free);
    }
    return true;
}

/* Another program may have removed, replaced or cut the file since: what is appended to it would be
   found by no one. */
static bool session_check_place(Session *self, GError **error)
{
    StorePlace place = store_look(self->store);
    if (place == PLACE_OURS || (place != PLACE_LOST && !self->is_header_written))
        return true;
    self->is_header_written = place != PLACE_EMPTY;
    self->needs_rewrite = true;
    self->is_place_lost = place == PLACE_LOST;
    if (!self->is_place_lost)
        return true;
    g_clear_pointer(&self->notice, g_free);
    return store_make_way(self->store, &self->notice, error);
}

/* What cannot be read again is said, and what is new goes on at least: after a header, where the
   file has nothing any more. */
static bool session_rewrite_if_whole(Session *self, GError **error)
{
    g_autoptr(GError) problem = NULL;
    bool can_rewrite = self->is_place_lost || !entry_list_has_lost(self->entries);
    if (!self->needs_rewrite || (can_rewrite && session_rewrite(self, &problem)))
        return true;
    if (!entry_list_has_lost(self->entries) || self->is_place_lost)
        return pass_error(error, &problem);
    if (problem && !self->first_error)
        self->first_error = g_steal_pointer(&problem);
    return true;
}

static bool session_try_write(Session *self, GError **error)
{
    if (!self->path || !self->is_dirty || !self->is_worth_keeping)
        return true;
    if (!self->store && !session_make_file(self, error))
        return false;
    self->is_unsynced = true;
    if (!session_check_place(self, error) || !session_rewrite_if_whole(self, error))
        return false;
    if (!self->is_header_written && !session_append_line(self, self->header, NULL, error))
        return false;
    self->is_header_written = true;

    const EntryHead *head = NULL;
    for (; (head = entry_list_at(self->entries, self->written)); self->written++) {
        bool had_lost = entry_list_has_lost(self->entries);
        g_autoptr(json_t) entry = entry_list_read(self->entries, head);
        bool is_lost_now = !had_lost && entry_list_has_lost(self->entries);
        if (is_lost_now && !self->is_loss_reported)
            return fail_lost(self, error); // tried again with the next entry
        LinePlace place = { 0 };
        if (!session_append_line(self, entry, &place, error))
            return false;
        entry_list_set_place(self->entries, head, &place);
    }
    self->is_dirty = false;
    return true;
}

void session_set_title(Session *self, const char *title, bool is_automatic)
{
    HOLD_LOCK(&self->lock);
    if (!is_automatic || !self->wanted_title || self->is_title_automatic) {
        g_free(self->wanted_title);
        self->wanted_title = g_strdup(title);
        self->is_title_automatic = is_automatic;
    }
}

/* Puts the title that somebody asked for into the header; true: the file has another one. */
static bool take_title(Session *self)
{
    pthread_mutex_lock(&self->lock);
    g_autofree char *title = g_steal_pointer(&self->wanted_title);
    bool is_automatic = self->is_title_automatic;
    pthread_mutex_unlock(&self->lock);
    bool is_persons = g_strcmp0(json_get_text(self->header, "titleSource"), "user") == 0;
    if (!title || (is_automatic && is_persons))
        return false;
    json_add(self->header, "title:%s titleSource:%s", title, is_automatic ? "auto" : "user");
    return true;
}

static bool session_write(Session *self, GError **error)
{
    if (take_title(self)) {
        self->needs_rewrite = self->is_header_written;
        self->is_dirty = true;
    }
    g_autoptr(GError) problem = NULL;
    if (session_try_write(self, &problem)) {
        self->is_failing = false;
        return true;
    }
    if (!self->is_failing && !self->first_error)
        self->first_error = g_error_copy(problem);
    self->is_failing = true;
    return pass_error(error, &problem);
}

bool session_flush(Session *self, GError **error)
{
    if (!session_write(self, error))
        return false;
    if (self->is_unsynced && !store_sync(self->store, error))
        return false;
    self->is_unsynced = false;
    return true;
}

GError *session_take_error(Session *self)
{
    if (!self->first_error && !self->is_loss_reported && entry_list_has_lost(self->entries))
        fail_lost(self, &self->first_error);
    return g_steal_pointer(&self->first_error);
}

char *session_take_notice(Session *self)
{
    return self->is_place_lost ? NULL : g_steal_pointer(&self->notice); // else it is yet to be done
}

json_t *session_start_entry(Session *self, const char *type)
{
    return entry_list_start(self->entries, type, self->leaf ? self->leaf->id : NULL);
}

const char *session_append_entry(Session *self, json_t *entry)
{
    const EntryHead *head = entry_list_add(self->entries, entry);
    pthread_mutex_lock(&self->lock);
    self->leaf = head;
    pthread_mutex_unlock(&self->lock);
    self->is_dirty = true;
    session_write(self, NULL); // kept in first_error
    return head->id;
}

void session_keep(Session *self)
{
    self->is_worth_keeping = true;
    self->is_dirty = true;
}

static const char *append_custom_message(Session *self, const json_t *message)
{
    static const char *const keys[] = { "customType", "content", "display", "details",
                                        "attribution" };
    json_t *entry = session_start_entry(self, "custom_message");
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        json_t *value = json_object_get(message, keys[i]);
        if (value)
            json_object_set(entry, keys[i], value);
    }
    return session_append_entry(self, entry);
}

const char *session_append_message(Session *self, json_t *message)
{
    const char *role = json_get_text(message, "role");
    g_assert(role);
    if (g_str_equal(role, "custom") || g_str_equal(role, "hookMessage"))
        return append_custom_message(self, message);

    json_t *entry = session_start_entry(self, "message");
    json_set_take(entry, "message", json_incref(message));
    self->is_worth_keeping = self->is_worth_keeping || is_kept_role(role);
    return session_append_entry(self, entry);
}

const char *session_append_model_change(Session *self, const char *model, const char *role)
{
    json_t *entry = session_start_entry(self, "model_change");
    json_add(entry, "model:%s role:%s", model, role);
    return session_append_entry(self, entry);
}

const char *session_append_thinking_level(Session *self, const char *level)
{
    json_t *entry = session_start_entry(self, "thinking_level_change");
    json_set_text(entry, "thinkingLevel", level);
    return session_append_entry(self, entry);
}

void session_build_context(const Session *self, SessionContext *ret_context)
{
    context_build_from_leaf(self->entries, self->leaf, ret_context);
}

void session_build_setup(const Session *self, SessionContext *ret_context)
{
    context_build_setup(self->entries, self->leaf, ret_context);
}

/* No one but this thread moves the leaf or writes. */
void session_settle(Session *self)
{
    g_autoptr(GPtrArray) path = entry_list_path(self->entries, self->leaf);
    guint first = context_first_on_path(self->entries, path);
    entry_list_settle(self->entries, path, first);
}

/* A session with a loaded file's entries, under a new name in `dir`. */
static Session *session_copy_of(SessionFile *file, const char *path, const char *dir,
                                const char *cwd)
{
    json_t *header = entry_new_header(cwd, json_get_text(file->header, "id"));
    json_add(header, "title:%s titleSource:%s", json_get_text(file->header, "title"),
             json_get_text(file->header, "titleSource"));
    g_autofree char *new_path = session_path_for_header(dir, header);
    Session *self = session_new_with(header, g_steal_pointer(&file->entries), new_path);
    self->artifacts_source = artifacts_dir_of(path);
    return self;
}

bool session_fork(const char *path, const char *dir, const char *cwd, Session **ret_session,
                  GError **error)
{
    g_autoptr(Store) source = NULL;
    g_auto(SessionFile) file = { 0 };
    if (!store_open_to_read(path, &source, error) ||
        !session_file_load(store_file(source), path, false, &file, error))
        return false;
    if (!file.header)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Not a session file: %s", path);

    Session *self = session_copy_of(&file, path, dir, cwd);
    self->is_dirty = true;
    session_write(self, NULL);
    *ret_session = self;
    return true;
}

static Session *session_new_at(const char *path, const char *cwd)
{
    return session_new_with(entry_new_header(cwd, NULL), entry_list_new(), path);
}

static void add_notice(char **notice, const char *text)
{
    char *joined = *notice ? g_strconcat(*notice, "\n", text, NULL) : g_strdup(text);
    g_free(*notice);
    *notice = joined;
}

/* NULL: the file itself can be gone on with. Caller frees. */
static char *reason_to_fork(const char *path, const SessionFile *file, StoreState state)
{
    if (state == STORE_BUSY)
        return g_strdup_printf("Session %s is open in another process. Continuing in a copy.",
                               path);
    if (state == STORE_READ_ONLY)
        return g_strdup_printf("Session %s is read-only. Continuing in a copy.", path);
    if (file->version > SESSION_VERSION)
        return g_strdup_printf("Session %s has the newer format version %" G_GINT64_FORMAT
                               ". Continuing in a copy.",
                               path, file->version);
    return NULL;
}

static Session *session_adopt(SessionFile *file, const char *path, Store *store)
{
    Session *self =
        session_new_with(json_incref(file->header), g_steal_pointer(&file->entries), path);
    self->store = store;
    self->is_header_written = true;
    self->written = entry_list_count(self->entries);
    if (file->is_migrated) {
        self->needs_rewrite = true;
        self->is_failing = !session_rewrite(self, &self->first_error);
        self->is_dirty = self->is_failing;
    }
    return self;
}

static bool open_loaded(SessionFile *file, const char *path, const char *cwd, Store **store,
                        StoreState state, Session **ret_session, char **notice, GError **error)
{
    if (!file->header)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Not a session file: %s", path);

    if (file->missing_blobs > 0) {
        g_autofree char *text = g_strdup_printf(
            "%zu image(s) or long prompt(s) of session %s are missing.", file->missing_blobs, path);
        add_notice(notice, text);
    }
    g_autofree char *reason = reason_to_fork(path, file, state);
    if (reason) {
        g_autofree char *dir = g_path_get_dirname(path);
        add_notice(notice, reason);
        if (state == STORE_BUSY)
            session_file_keep_completed(file);
        *ret_session = session_copy_of(file, path, dir, cwd);
    } else {
        *ret_session = session_adopt(file, path, g_steal_pointer(store));
    }
    return true;
}

bool session_open(const char *path, const char *cwd, Session **ret_session, char **ret_notice,
                  GError **error)
{
    g_autofree char *absolute = path_absolute(path, NULL);
    g_autoptr(Store) store = NULL;
    StoreState state = STORE_LOCKED;
    g_autofree char *notice = NULL;
    g_autoptr(GError) problem = NULL;
    if (!store_open(absolute, &store, &state, &problem)) {
        if (!error_is(problem, KEDGE_ERROR_NOT_FOUND))
            return pass_error(error, &problem);
        *ret_session = session_new_at(absolute, cwd);
    } else {
        g_auto(SessionFile) file = { 0 };
        if (!session_file_load(store_file(store), absolute, false, &file, error) ||
            !open_loaded(&file, absolute, cwd, &store, state, ret_session, &notice, error))
            return false;
    }
    if (ret_notice)
        *ret_notice = g_steal_pointer(&notice);
    return true;
}
