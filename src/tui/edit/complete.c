/*
 * Completion (complete.h). Two kinds of work run on workers: reading the list of files, which goes
 * on whatever is typed, and matching, one at a time, which the next key cancels and which is then
 * asked again with what stands there. So a fast typist costs one match, not one for each key.
 */
#include "tui/edit/complete.h"

#include "base/str.h"
#include "base/timefmt.h"
#include "tui/edit/complete_files.h"
#include "tui/edit/complete_list.h"
#include "tui/edit/complete_token.h"
#include "tui/edit/fuzzy.h"
#include "tui/edit/loop_work.h"

#include <string.h>

enum {
    FILES_KEPT_MS = 60 * 1000, // after their last use
    FILES_FRESH_MS = 5 * 1000, // a word that begins later reads them again
};

typedef struct Question { // for the worker
    TokenKind kind;
    char *query;
    FileList *files; // of TOKEN_KIND_FILE
    GPtrArray *names;
} Question;

struct Completer {
    CompleteSpec spec;
    char *cwd;
    const Theme *theme;
    CompleteList list;
    CompleteToken token;     // that the list is of, or is asked for
    CompleteToken dismissed; // for which there is to be no list
    bool is_open;
    bool is_current; // the list is that of `token`
    bool is_forced;
    Editor *taker; // of a path that is alone; NULL: nothing is taken unasked
    LoopWork *matching;
    Question question; // of `matching`
    bool is_again;     // when that has ended
    LoopWork *reading;
    FileList *read, *files; // `read` is the worker's
    gint64 files_at_ms;
    LoopSource *forgetting;
};

Completer *completer_new(const CompleteSpec *spec)
{
    Completer *self = g_new0(Completer, 1);
    self->spec = *spec;
    self->cwd = g_strdup(spec->cwd);
    self->theme = spec->theme;
    complete_list_init(&self->list);
    return self;
}

static void question_clear(Question *self)
{
    g_free(self->query);
    file_list_unref(self->files);
    g_clear_pointer(&self->names, g_ptr_array_unref);
    *self = (Question) { 0 };
}

void completer_free(Completer *self)
{
    if (!self)
        return;
    loop_work_free(self->matching);
    loop_work_free(self->reading);
    loop_remove(self->spec.loop, self->forgetting);
    question_clear(&self->question);
    file_list_unref(self->read);
    file_list_unref(self->files);
    complete_list_destroy(&self->list);
    complete_token_clear(&self->token);
    complete_token_clear(&self->dismissed);
    g_free(self->cwd);
    g_free(self);
}

void completer_set_theme(Completer *self, const Theme *theme)
{
    self->theme = theme;
}

bool completer_is_open(const Completer *self)
{
    return self->is_open;
}

// ---- open and closed ----

static void completer_hide(Completer *self)
{
    self->is_open = self->is_current = self->is_forced = self->is_again = false;
    self->taker = NULL;
    if (self->matching)
        loop_work_cancel(self->matching);
    complete_list_empty(&self->list);
    complete_token_clear(&self->token);
}

static void completer_dismiss(Completer *self)
{
    complete_token_clear(&self->dismissed);
    self->dismissed = self->token;
    self->token = (CompleteToken) { 0 };
    completer_hide(self);
}

void completer_close(Completer *self)
{
    if (self->token.kind != TOKEN_KIND_NONE)
        completer_dismiss(self);
}

/* Is it what was closed, gone on with? */
static bool is_dismissed(const Completer *self, const CompleteToken *token)
{
    const CompleteToken *closed = &self->dismissed;
    return token->kind != TOKEN_KIND_NONE && closed->kind == token->kind &&
           closed->start == token->start && g_strcmp0(closed->command, token->command) == 0 &&
           str_has_prefix(token->query, closed->query);
}

void completer_set_commands(Completer *self, const CompleteItem *commands)
{
    self->spec.commands = commands;
    if (self->token.kind == TOKEN_KIND_COMMAND || self->token.kind == TOKEN_KIND_OPTION)
        completer_hide(self); // its rows may be of commands that are gone
}

static void completer_show(Completer *self)
{
    self->is_open = self->list.entries->len > 0;
    self->is_current = true;
}

static void find_token(Editor *editor, bool is_forced, CompleteToken *ret_token)
{
    size_t cursor;
    const char *text = editor_shown(editor, &cursor);
    complete_token_find(text, cursor, is_forced, ret_token);
}

static bool is_still_there(const Completer *self, Editor *editor)
{
    g_auto(CompleteToken) token = { 0 };
    find_token(editor, self->is_forced, &token);
    return complete_token_equal(&token, &self->token);
}

// ---- tables ----

typedef struct Ranked {
    const CompleteItem *item;
    int score;
} Ranked;

static int compare_ranked(const void *a_, const void *b_)
{
    const Ranked *a = a_, *b = b_;
    if (a->item->is_removal != b->item->is_removal)
        return a->item->is_removal ? 1 : -1;
    return (a->score < b->score) - (a->score > b->score);
}

static const char *bare_name(const char *name)
{
    return *name == '/' || *name == '#' ? name + 1 : name;
}

/* Those of the items that fit what is typed, in their order. */
static void rank_items(const CompleteItem *items, const char *query, bool are_words, GArray *ranked)
{
    for (; items && items->name; items++) {
        Ranked each = { .item = items };
        const char *name = bare_name(items->name);
        bool fits = items->is_word ? are_words && *query && str_has_prefix(name, query)
                                   : !are_words && fuzzy_match(query, name, &each.score);
        if (!fits)
            continue;
        if (items->is_word && strcmp(name, query) == 0)
            g_array_prepend_val(ranked, each);
        else if (!items->is_word || ranked->len == 0)
            g_array_append_val(ranked, each);
    }
}

static void list_items(Completer *self, const CompleteItem *items, const char *sign)
{
    const char *query = self->token.query;
    g_autoptr(GArray) ranked = g_array_new(FALSE, FALSE, sizeof(Ranked));
    complete_list_empty(&self->list);
    rank_items(items, query, false, ranked);
    if (*query != '\0')
        g_array_sort(ranked, compare_ranked); // which keeps the order of equals
    rank_items(items, query, true, ranked);
    for (guint i = 0; i < ranked->len; i++) {
        const CompleteItem *item = g_array_index(ranked, Ranked, i).item;
        CompleteEntry *entry =
            complete_list_add(&self->list, sign, bare_name(item->name), item->argument, item->help);
        entry->is_removal = item->is_removal;
    }
    completer_show(self);
}

/* "[info|delete]" has two options. Free with g_strfreev(); NULL: there are none to choose from. */
static char **options_of(const char *argument)
{
    size_t size = argument ? strlen(argument) : 0;
    if (size < 3 || argument[0] != '[' || argument[size - 1] != ']' ||
        strspn(argument + 1, "abcdefghijklmnopqrstuvwxyz-|") != size - 2 || !strchr(argument, '|'))
        return NULL;
    g_autofree char *inner = g_strndup(argument + 1, size - 2);
    return g_strsplit(inner, "|", -1);
}

static void list_options(Completer *self)
{
    const CompleteItem *item = self->spec.commands;
    const char *command = bare_name(self->token.command);
    complete_list_empty(&self->list);
    while (item && item->name && strcmp(bare_name(item->name), command) != 0)
        item++;
    g_auto(GStrv) options = item && item->name ? options_of(item->argument) : NULL;
    for (size_t i = 0; options && options[i]; i++)
        if (str_has_prefix(options[i], self->token.query))
            complete_list_add(&self->list, "", options[i], NULL, NULL);
    completer_show(self);
}

// ---- files ----

static void completer_ask(Completer *self);
static void completer_take(Completer *self, Editor *editor);

static void forget_files(void *self_)
{
    Completer *self = self_;
    self->forgetting = NULL;
    file_list_unref(g_steal_pointer(&self->files));
}

static void use_files(Completer *self)
{
    loop_remove(self->spec.loop, self->forgetting);
    self->forgetting = loop_add_timer(self->spec.loop, FILES_KEPT_MS, forget_files, self);
}

static void complete_match(void *self_, Cancel *cancel)
{
    Completer *self = self_;
    Question *question = &self->question;
    question->names = question->kind == TOKEN_KIND_FILE
                          ? file_list_match(question->files, question->query, cancel)
                          : paths_match(self->cwd, question->query, cancel);
}

static void take_names(Completer *self, const GPtrArray *names)
{
    Editor *taker = g_steal_pointer(&self->taker);
    complete_list_empty(&self->list);
    self->list.is_path = true;
    for (guint i = 0; i < names->len; i++)
        complete_list_add(&self->list, "", names->pdata[i], NULL, NULL);
    completer_show(self);
    if (taker && names->len == 1 && is_still_there(self, taker))
        completer_take(self, taker);
}

static void end_match(void *self_)
{
    Completer *self = self_;
    loop_work_free(g_steal_pointer(&self->matching));
    g_autoptr(GPtrArray) names = g_steal_pointer(&self->question.names);
    bool is_asked = self->question.kind == self->token.kind &&
                    g_strcmp0(self->question.query, self->token.query) == 0;
    question_clear(&self->question);
    if (self->is_again)
        completer_ask(self);
    else if (is_asked && names) {
        take_names(self, names);
        self->spec.on_change(self->spec.user_data);
    }
}

static void read_files(void *self_, Cancel *cancel)
{
    Completer *self = self_;
    self->read = file_list_read(self->cwd, cancel);
}

static void end_reading(void *self_)
{
    Completer *self = self_;
    loop_work_free(g_steal_pointer(&self->reading));
    if (!self->read)
        return;
    file_list_unref(self->files);
    self->files = g_steal_pointer(&self->read);
    self->files_at_ms = time_monotonic_ms();
    use_files(self);
    if (self->token.kind == TOKEN_KIND_FILE && !self->list.is_moved)
        completer_ask(self);
}

static void read_if_old(Completer *self)
{
    bool is_old = !self->files || time_monotonic_ms() - self->files_at_ms > FILES_FRESH_MS;
    if (is_old && !self->reading)
        self->reading =
            loop_work_start(self->spec.loop, "kedge-files", read_files, end_reading, self);
}

/* For the names of `token`, which come later. Without a thread there are none. */
static void completer_ask(Completer *self)
{
    self->is_again = self->matching != NULL;
    if (self->matching) {
        loop_work_cancel(self->matching);
        return;
    }
    if (self->token.kind == TOKEN_KIND_FILE) {
        if (!self->files) {
            read_if_old(self); // and asks again
            return;
        }
        self->question.files = file_list_ref(self->files);
        use_files(self);
    }
    self->question.kind = self->token.kind;
    self->question.query = g_strdup(self->token.query);
    self->matching =
        loop_work_start(self->spec.loop, "kedge-match", complete_match, end_match, self);
    if (!self->matching)
        question_clear(&self->question);
}

// ---- what is typed ----

static void completer_begin(Completer *self, CompleteToken *token)
{
    bool is_new = token->kind != self->token.kind || token->start != self->token.start;
    complete_token_clear(&self->token);
    self->token = *token;
    *token = (CompleteToken) { 0 };
    self->is_current = false;
    self->is_again = false;
    self->taker = NULL;
    switch (self->token.kind) {
    case TOKEN_KIND_COMMAND:
        list_items(self, self->spec.commands, "/");
        return;
    case TOKEN_KIND_ACTION:
        list_items(self, self->spec.actions, "#");
        return;
    case TOKEN_KIND_OPTION:
        list_options(self);
        return;
    case TOKEN_KIND_FILE:
        if (is_new)
            read_if_old(self);
        break;
    case TOKEN_KIND_PATH:
    case TOKEN_KIND_NONE:
        break;
    }
    if (is_new)
        self->is_open = false; // what is shown belongs to another word
    completer_ask(self);
}

void completer_update(Completer *self, Editor *editor)
{
    g_auto(CompleteToken) token = { 0 };
    find_token(editor, false, &token);
    if (token.kind != TOKEN_KIND_NONE) {
        self->is_forced = false;
    } else if (self->is_forced) {
        find_token(editor, true, &token);
        if (token.start != self->token.start)
            complete_token_clear(&token); // another word
    }
    if (is_dismissed(self, &token)) {
        completer_hide(self);
        return;
    }
    complete_token_clear(&self->dismissed);
    if (token.kind == TOKEN_KIND_NONE)
        completer_hide(self);
    else if (!complete_token_equal(&token, &self->token))
        completer_begin(self, &token);
}

void completer_force(Completer *self, Editor *editor)
{
    g_auto(CompleteToken) token = { 0 };
    complete_token_clear(&self->dismissed);
    completer_hide(self);
    find_token(editor, false, &token);
    if (token.kind != TOKEN_KIND_NONE)
        completer_begin(self, &token);
    if (self->token.kind != TOKEN_KIND_NONE && (self->is_open || !self->is_current))
        return;
    complete_token_clear(&token);
    find_token(editor, true, &token);
    if (token.kind == TOKEN_KIND_NONE)
        return;
    completer_begin(self, &token);
    self->is_forced = true;
    self->taker = editor;
}

// ---- taking ----

static char *taken_text(const Completer *self, const CompleteEntry *entry)
{
    if (self->token.kind == TOKEN_KIND_FILE || self->token.kind == TOKEN_KIND_PATH)
        return complete_token_write(&self->token, entry->name);
    return g_strconcat(entry->name, entry->argument ? " " : "", NULL);
}

/* The selected entry comes in the place of the token. One that can be gone on from opens again. */
static void completer_take(Completer *self, Editor *editor)
{
    const CompleteEntry *entry = complete_list_selected(&self->list);
    g_autofree char *text = taken_text(self, entry);
    bool goes_on = entry->argument || g_str_has_suffix(entry->name, "/");
    bool is_forced = self->is_forced;
    size_t start = self->token.start;
    editor_replace(editor, start, text);
    if (!goes_on) { // no list for what was chosen just now
        g_free(self->token.query);
        self->token.query = g_strdup(bare_name(entry->name));
        completer_dismiss(self);
        return;
    }
    completer_hide(self);
    self->is_forced = is_forced;
    self->token.start = start;
    completer_update(self, editor);
}

/* Does Enter, which took the entry, send the text, too? */
static bool is_sent(const Completer *self, const CompleteEntry *entry)
{
    switch (self->token.kind) {
    case TOKEN_KIND_COMMAND:
        if (strcmp(bare_name(entry->name), self->token.query) == 0) // typed whole
            return !entry->argument || entry->argument[0] == '[';
        return !entry->argument && !entry->is_removal;
    case TOKEN_KIND_ACTION:
    case TOKEN_KIND_OPTION:
        return true;
    default:
        return false;
    }
}

static bool completer_accept(Completer *self, Editor *editor, bool is_enter, bool *ret_submits)
{
    const CompleteEntry *entry = complete_list_selected(&self->list);
    bool is_untouched = *self->token.query == '\0' && !self->list.is_moved;
    if (!self->is_current || !is_still_there(self, editor))
        return !is_enter; // Tab waits for the list; Enter is for what was typed
    if (is_enter && self->token.kind == TOKEN_KIND_OPTION && is_untouched)
        return false; // the command alone
    *ret_submits = is_enter && is_sent(self, entry);
    completer_take(self, editor);
    return true;
}

bool completer_act(Completer *self, Action action, Editor *editor, bool *ret_submits)
{
    *ret_submits = false;
    if (!self->is_open)
        return false;
    int page = MAX(self->spec.max_rows, 1);
    switch (action) {
    case ACTION_LIST_UP:
        complete_list_move(&self->list, -1, true);
        return true;
    case ACTION_LIST_DOWN:
        complete_list_move(&self->list, 1, true);
        return true;
    case ACTION_LIST_PAGE_UP:
        complete_list_move(&self->list, -page, false);
        return true;
    case ACTION_LIST_PAGE_DOWN:
        complete_list_move(&self->list, page, false);
        return true;
    case ACTION_LIST_TAB:
        return completer_accept(self, editor, false, ret_submits);
    case ACTION_LIST_ACCEPT:
        return completer_accept(self, editor, true, ret_submits);
    case ACTION_LIST_CANCEL:
        completer_close(self);
        return true;
    default:
        return false;
    }
}

void completer_rows(const Completer *self, int width, int max_rows, GPtrArray *out)
{
    if (self->is_open)
        complete_list_rows(&self->list, self->theme, width, self->spec.max_rows, max_rows, out);
}
