/*
 * `kedge sessions`: what was talked about, listed, shown, searched, and removed (agent-core §4.9).
 */
#include "cmd/sessions/sessions.h"
#include "base/dirs.h"
#include "base/log.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "cmd/cli/commands.h"
#include "session/prompt_history.h"
#include "session/session_find.h"
#include "session/session_index.h"
#include "session/session_read.h"
#include "session/session_remove.h"

#define LIST_LIMIT   50
#define SEARCH_LIMIT 30
#define ID_SHOWN     13 // of a UUIDv7: the time, to the millisecond
#define NAME_CHARS   60

typedef struct SessionsOptions {
    bool is_all, is_json, is_yes, is_for_good;
    const char *session_dir;
    int64_t limit;
} SessionsOptions;

#define DIR_OPTION                                                                                 \
    {                                                                                              \
        "sessionDir", FIELD_STRING, offsetof(SessionsOptions, session_dir),                        \
            .value_name = "DIR", .help = "Directory of the session files"                          \
    }
#define JSON_OPTION                                                                                \
    {                                                                                              \
        "json", FIELD_BOOLEAN, offsetof(SessionsOptions, is_json), .help = "Print JSON"            \
    }
#define ALL_OPTION                                                                                 \
    {                                                                                              \
        "all", FIELD_BOOLEAN, offsetof(SessionsOptions, is_all),                                   \
            .short_flag = 'a', .help = "Of all directories, not only of this one"                  \
    }
#define LIMIT_OPTION                                                                               \
    {                                                                                              \
        "limit", FIELD_INTEGER, offsetof(SessionsOptions, limit),                                  \
            .short_flag = 'n', .min = 1, .max = 1000000, .help = "So many, the newest"             \
    }

static const FieldDef list_options[] = { ALL_OPTION, LIMIT_OPTION, JSON_OPTION, DIR_OPTION, { 0 } };
static const FieldDef prompts_options[] = { LIMIT_OPTION, JSON_OPTION, { 0 } };
static const FieldDef show_options[] = { JSON_OPTION, DIR_OPTION, { 0 } };
static const FieldDef delete_options[] = {
    { "yes", FIELD_BOOLEAN, offsetof(SessionsOptions, is_yes), .short_flag = 'y',
      .help = "Do not ask" },
    { "forGood", FIELD_BOOLEAN, offsetof(SessionsOptions, is_for_good),
      .help = "Not to the trash: nothing brings them back" },
    DIR_OPTION,
    { 0 },
};

/* What every subcommand has: its options, its words, and where sessions are. */
typedef struct Sessions {
    SessionsOptions options;
    json_t *kept;
    GPtrArray *words; // borrowed strings
    char *agent_dir, *cwd;
} Sessions;

static void sessions_clear(Sessions *self)
{
    g_clear_pointer(&self->kept, json_decref);
    g_clear_pointer(&self->words, g_ptr_array_unref);
    g_clear_pointer(&self->agent_dir, g_free);
    g_clear_pointer(&self->cwd, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sessions, sessions_clear)

static bool read_options(Sessions *self, const FieldDef *fields, int argc, char *const *argv,
                         GError **error)
{
    self->words = g_ptr_array_new();
    self->agent_dir = dirs_agent();
    self->cwd = g_get_current_dir();
    return cmd_decode_options(fields, argc, argv, &self->options, &self->kept, self->words, error);
}

static int sessions_usage(const char *text)
{
    log_text("usage: kedge sessions %s", text);
    return EXIT_USAGE;
}

static void say_progress(size_t done, size_t all, void *user_data)
{
    if (isatty(STDERR_FILENO))
        log_text("Reading sessions for the index: %zu of %zu", done, all);
}

static bool open_index(const Sessions *self, SessionIndex **ret_index, GError **error)
{
    return session_index_open(self->agent_dir, self->options.session_dir, say_progress, NULL, NULL,
                              ret_index, error);
}

static const char *sessions_scope(const Sessions *self)
{
    return self->options.is_all || self->options.session_dir ? NULL : self->cwd;
}

/* "5m ago", then the date. Caller frees. */
static char *age_text(int64_t at_ms)
{
    int64_t minutes = (time_now_ms() - at_ms) / 60000;
    struct tm parts;
    if (minutes < 1)
        return g_strdup("just now");
    if (minutes < 60)
        return g_strdup_printf("%dm ago", (int)minutes);
    if (minutes < 24 * 60)
        return g_strdup_printf("%dh ago", (int)(minutes / 60));
    if (minutes < 7 * 24 * 60)
        return g_strdup_printf("%dd ago", (int)(minutes / (24 * 60)));
    if (!time_to_local((time_t)(at_ms / 1000), &parts))
        return g_strdup("-");
    return g_strdup_printf("%04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

static void append_session(GString *out, const json_t *session, bool with_cwd)
{
    g_autofree char *age = age_text(json_get_int(session, "modified", 0));
    g_autofree char *name = session_info_name(session);
    g_autofree char *cut = utf8_ellipsize(name, NAME_CHARS);
    const char *cwd = json_get_text(session, "cwd");
    g_string_append_printf(out, "%-*.*s  %-10s %5" G_GINT64_FORMAT "  ", ID_SHOWN, ID_SHOWN,
                           json_get_text(session, "id"), age,
                           json_get_int(session, "messageCount", 0));
    visible_append(out, cut);
    if (with_cwd && cwd) {
        g_string_append(out, "  [");
        visible_append(out, cwd);
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, '\n');
}

static int print_json(const json_t *value)
{
    g_autofree char *text = json_to_pretty(value);
    return cmd_print_line(text) ? EXIT_OK : EXIT_FAILED;
}

static int list_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_auto(Sessions) self = { .options.limit = LIST_LIMIT };
    if (!read_options(&self, list_options, argc, argv, &error))
        return cmd_fail(error);
    if (self.words->len > 0)
        return sessions_usage("list [--all] [-n N] [--json]");
    int64_t limit = self.options.limit > 0 ? self.options.limit : LIST_LIMIT;
    g_autoptr(SessionIndex) index = NULL;
    g_autoptr(json_t) sessions = NULL;
    if (!open_index(&self, &index, &error) ||
        !session_index_list(index, sessions_scope(&self), limit, &sessions, &error))
        return cmd_fail(error);
    if (self.options.is_json)
        return print_json(sessions);
    g_autoptr(GString) out = g_string_new(NULL);
    json_each (sessions, i, session)
        append_session(out, session, sessions_scope(&self) == NULL);
    if (json_array_size(sessions) == 0)
        log_text(sessions_scope(&self)
                     ? "No sessions in this directory; --all shows those of others."
                     : "No sessions.");
    return cmd_print(out->str) ? EXIT_OK : EXIT_FAILED;
}

static void append_hit(GString *out, const json_t *hit, const char **last_id)
{
    const json_t *session = json_object_get(hit, "session");
    const char *id = json_get_text(session, "id");
    if (g_strcmp0(id, *last_id) != 0)
        append_session(out, session, true);
    *last_id = id;
    const char *text = json_get_text(hit, "text");
    g_autofree char *line = g_strdup(text ? text : "");
    g_strdelimit(line, "\n\r\t", ' ');
    g_string_append_printf(out, "    %s: ", json_get_text(hit, "role"));
    visible_append(out, line);
    g_string_append_c(out, '\n');
}

static int search_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_auto(Sessions) self = { 0 };
    if (!read_options(&self, list_options, argc, argv, &error))
        return cmd_fail(error);
    if (self.words->len == 0)
        return sessions_usage("search WORD… [--all] [-n N] [--json]");
    g_ptr_array_add(self.words, NULL);
    g_autofree char *query = g_strjoinv(" ", (char **)self.words->pdata);
    int64_t limit = self.options.limit > 0 ? self.options.limit : SEARCH_LIMIT;
    g_autoptr(SessionIndex) index = NULL;
    g_autoptr(json_t) hits = NULL;
    if (!open_index(&self, &index, &error) ||
        !session_index_search(index, query, sessions_scope(&self), limit, &hits, &error))
        return cmd_fail(error);
    if (self.options.is_json)
        return print_json(hits);
    g_autoptr(GString) out = g_string_new(NULL);
    const char *last_id = NULL;
    json_each (hits, i, hit)
        append_hit(out, hit, &last_id);
    if (json_array_size(hits) == 0) {
        log_text("Nothing found%s.",
                 sessions_scope(&self) ? " in this directory; --all searches all" : "");
        return EXIT_FAILED;
    }
    return cmd_print(out->str) ? EXIT_OK : EXIT_FAILED;
}

static int show_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_auto(Sessions) self = { 0 };
    if (!read_options(&self, show_options, argc, argv, &error))
        return cmd_fail(error);
    if (self.words->len != 1)
        return sessions_usage("show ID|PATH [--json]");
    g_autofree char *path = NULL;
    g_auto(SessionCopy) copy = { 0 };
    if (!sessions_find_file(self.words->pdata[0], self.options.session_dir, &path, &error) ||
        !session_read(path, &copy, &error))
        return cmd_fail(error);
    if (!self.options.is_json) {
        g_autofree char *text = session_copy_text(&copy);
        g_autofree char *shown = visible_lines(text);
        return cmd_print(shown) ? EXIT_OK : EXIT_FAILED;
    }
    g_autoptr(json_t) whole = json_make("path:%s header:%p entries:%p", path,
                                        json_incref(copy.header), json_incref(copy.entries));
    return print_json(whole);
}

static int prompts_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_auto(Sessions) self = { 0 };
    if (!read_options(&self, prompts_options, argc, argv, &error))
        return cmd_fail(error);
    int64_t limit = self.options.limit > 0 ? self.options.limit : LIST_LIMIT;
    bool is_search = self.words->len > 0;
    g_ptr_array_add(self.words, NULL);
    g_autofree char *query = g_strjoinv(" ", (char **)self.words->pdata);
    g_autoptr(json_t) prompts = is_search ? prompt_history_search(self.agent_dir, query, limit)
                                          : prompt_history_recent(self.agent_dir, limit);
    if (self.options.is_json)
        return print_json(prompts);
    g_autoptr(GString) out = g_string_new(NULL);
    json_each (prompts, i, each) {
        g_autofree char *age = age_text(json_get_int(each, "created", 0) * 1000);
        g_string_append_printf(out, "%-10s  ", age);
        visible_append(out, json_get_text(each, "prompt"));
        g_string_append_c(out, '\n');
    }
    return cmd_print(out->str) ? EXIT_OK : EXIT_FAILED;
}

static SessionPlace sessions_place(const Sessions *self)
{
    return (SessionPlace) { .agent_dir = self->agent_dir,
                            .cwd = self->cwd,
                            .session_dir = self->options.session_dir };
}

/* Each is asked about on the terminal, unless --yes. */
static bool may_remove(const Sessions *self, const char *path, bool *ret_may, GError **error)
{
    *ret_may = self->options.is_yes;
    if (self->options.is_yes)
        return true;
    if (!isatty(STDIN_FILENO))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "deleting needs a terminal to ask on, or --yes: %s", path);
    g_autofree char *shown = visible_lines(path);
    log_text("Delete %s and its artifacts%s? [y/N]", shown,
             self->options.is_for_good ? ", for good" : "");
    char answer[16] = "";
    *ret_may = fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
    return true;
}

static bool remove_session(const Sessions *self, const char *path, GError **error)
{
    return self->options.is_for_good ? session_remove_for_good(path, error)
                                     : session_remove(path, error);
}

static int delete_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_auto(Sessions) self = { 0 };
    if (!read_options(&self, delete_options, argc, argv, &error))
        return cmd_fail(error);
    if (self.words->len == 0)
        return sessions_usage("delete ID|PATH… [--yes] [--for-good]");
    const SessionPlace place = sessions_place(&self);
    for (unsigned i = 0; i < self.words->len; i++) {
        g_autofree char *path = NULL;
        bool may = false;
        if (!session_find_only(&place, self.words->pdata[i], &path, &error) ||
            !may_remove(&self, path, &may, &error) || (may && !remove_session(&self, path, &error)))
            return cmd_fail(error);
        g_autofree char *line = g_strdup_printf("%s %s", may ? "Deleted" : "Kept", path);
        if (!cmd_print_line(line))
            return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int print_trash(const Sessions *self, const SessionPlace *place)
{
    g_autoptr(json_t) list = session_trash_list(place);
    if (self->options.is_json)
        return print_json(list);
    g_autoptr(GString) out = g_string_new(NULL);
    json_each (list, i, session) {
        int64_t at = json_get_int(session, "deletedAt", 0);
        g_autofree char *deleted = age_text(at * 1000);
        const char *id = json_get_text(session, "id"), *title = json_get_text(session, "title");
        g_string_append_printf(out, "%.*s  deleted %s  ", ID_SHOWN, id ? id : "", deleted);
        visible_append(out, title ? title : json_get_text(session, "path"));
        g_string_append_c(out, '\n');
    }
    if (json_array_size(list) == 0)
        log_text("No session is in the trash.");
    return cmd_print(out->str) ? EXIT_OK : EXIT_FAILED;
}

static int restore_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_auto(Sessions) self = { 0 };
    if (!read_options(&self, show_options, argc, argv, &error))
        return cmd_fail(error);
    const SessionPlace place = sessions_place(&self);
    if (self.words->len == 0)
        return print_trash(&self, &place);
    for (unsigned i = 0; i < self.words->len; i++) {
        g_autofree char *path = NULL;
        if (!session_restore(&place, self.words->pdata[i], &path, &error))
            return cmd_fail(error);
        g_autofree char *line = g_strdup_printf("Restored %s", path);
        if (!cmd_print_line(line))
            return EXIT_FAILED;
    }
    return EXIT_OK;
}

static const Command command_list = {
    .name = "sessions list",
    .summary = "List the sessions of this directory, the newest first",
    .usage = "[--all] [-n N] [--json]",
    .options = list_options,
    .help = "Columns: the beginning of the id, when it changed, messages, name.",
    .run = list_run,
};
static const Command command_show = {
    .name = "sessions show",
    .summary = "Print a session as text",
    .usage = "ID|PATH [--json]",
    .options = show_options,
    .help = "ID: the beginning is enough; the newest that fits is meant.",
    .run = show_run,
};
static const Command command_search = {
    .name = "sessions search",
    .summary = "Find messages that hold all the words",
    .usage = "WORD… [--all] [-n N] [--json]",
    .options = list_options,
    .help = "What you and models said, not what tools printed. A word finds all that begin "
            "with it.\nExit codes: 0 found, 1 nothing found, 2 usage.",
    .run = search_run,
};
static const Command command_prompts = {
    .name = "sessions prompts",
    .summary = "List what you asked before at a terminal, or what of it holds all the words",
    .usage = "[WORD…] [-n N] [--json]",
    .options = prompts_options,
    .run = prompts_run,
};
static const Command command_delete = {
    .name = "sessions delete",
    .summary = "Move sessions and their artifacts to the trash",
    .usage = "ID|PATH… [--yes] [--for-good]",
    .options = delete_options,
    .help =
        "ID: the beginning is enough when it fits one session only.\n"
        "`kedge sessions restore` lists what is in the trash, and brings it back, for 30 days.\n"
        "A session that another kedge is in stays.",
    .run = delete_run,
};
static const Command command_restore = {
    .name = "sessions restore",
    .summary = "Bring removed sessions back, or list those that can be",
    .usage = "[ID…] [--json]",
    .options = show_options,
    .help = "ID: the beginning is enough when it fits one session in the trash only.",
    .run = restore_run,
};

static const Command *const subcommands[] = {
    &command_list,
    &command_show,
    &command_search,
    &command_prompts,
    &command_delete,
    &command_restore,
    &command_sessions_check,
    &command_sessions_export,
    &command_sessions_import,
    NULL,
};

static int sessions_run(const CommandEnv *env, int argc, char *const *argv)
{
    static const char *const names[] = { "list",    "show",  "search", "prompts", "delete",
                                         "restore", "check", "export", "import",  NULL };
    if (argc == 0)
        return sessions_usage(
            "list|show|search|prompts|export|import|check|delete|restore …; `kedge sessions "
            "--help` explains them");
    return cmd_unknown_subcommand("sessions", argv[0], names);
}

const Command command_sessions = {
    .name = "sessions",
    .summary = "List, show, search, export, check, delete and restore sessions",
    .usage = "SUBCOMMAND …",
    .subcommands = subcommands,
    .help = "  kedge sessions list                    those of this directory\n"
            "  kedge sessions search --all lock file  who said something about lock files\n"
            "  kedge sessions export 0195d2c4-8a1b    as a page to look at or hand on\n"
            "  kedge --resume 0195d2c4-8a1b           go on with one",
    .run = sessions_run,
};
