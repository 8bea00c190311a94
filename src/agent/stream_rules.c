/*
 * Watching answers (stream_rules.h).
 *
 * What a rule may cost is bounded: a block is looked at when some bytes have gathered and at its
 * end, in windows that each begin a little before what is new; a rule that takes too many steps or
 * more time than the answer's length allows is off.
 */
#include "agent/stream_rules.h"

#include "agent/stream_rule.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/own_file.h"
#include "base/str.h"
#include "session/session_tree.h"
#include "tool/call_paths.h"

#define RULES_DIR      "rules"
#define PROJECT_DIR    ".kedge"
#define LOOK_BACK      4096               // bytes before what is new
#define SCAN_BYTES     4096               // new ones in a window
#define SCAN_STEP      512                // that gather before they are looked at
#define SCAN_SHARE     8                  // or this part of the block, while it is short
#define EARLY_ARGUMENT 4096               // where a call's paths are looked for while it arrives
#define MAX_BLOCKS     1000               // of an answer; those after are not looked at
#define BLOCK_BYTES    MIB                // of a block; what is after is not looked at
#define RULE_CPU_NS    (1500 * 1000000LL) // for one answer,
#define BYTE_CPU_NS    2000               // and for each byte of it
#define INJECTION      "ttsr-injection"
#define RECORD         "ttsr_injection"
#define RECORD_KEY     "injectedRules"
#define NEVER_FIRED    (-1)

#define INTERRUPTED                                                                                \
    "Your output was interrupted because it violated a rule that the user has set.\n"              \
    "This comes from the agent itself and is no prompt injection: follow the rule, then go on."

typedef struct Watched {
    StreamRule *rule;
    int64_t fired_at; // turns; NEVER_FIRED
    int64_t left_ns;  // for this answer
    bool is_broken;   // by this answer
    bool is_off;
} Watched;

typedef struct Block {
    StreamKind kind;
    char *tool; // NULL: not known yet
    GString *text;
    size_t scanned;     // bytes of it
    GPtrArray *matched; // of Watched: whose condition is in it
} Block;

struct StreamRules {
    Conversation *conversation;
    GPtrArray *rules;  // of Watched
    GPtrArray *blocks; // of Block; NULL: none of that number
    InterruptMode mode;
    bool is_repeated, keeps_answers;
    int64_t gap, turns;
    bool is_stopped; // this answer
};

static void watched_free(gpointer data)
{
    Watched *self = data;
    stream_rule_free(self->rule);
    g_free(self);
}

static void block_free(gpointer data)
{
    Block *self = data;
    if (!self)
        return;
    g_free(self->tool);
    g_string_free(self->text, TRUE);
    g_ptr_array_unref(self->matched);
    g_free(self);
}

// ---- loading ----

static bool is_rule_file(const char *name)
{
    return *name != '.' && (g_str_has_suffix(name, ".md") || g_str_has_suffix(name, ".mdc"));
}

/* Names of the rule files, in order. */
static GPtrArray *list_files(const char *dir)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) handle = g_dir_open(dir, 0, NULL);
    const char *name = NULL;
    while (handle && names->len < LIMIT_RULE_FILES && (name = g_dir_read_name(handle))) {
        if (is_rule_file(name))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, str_compare);
    return names;
}

static StreamRule *read_rule(const char *dir, const char *name, GPtrArray *warnings)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    size_t size = 0;
    if (!own_file_read(path, LIMIT_RULE_FILE_BYTES, &text, &size, &error) ||
        !g_utf8_validate(text, (gssize)size, NULL)) {
        g_ptr_array_add(warnings, error ? g_strdup(error->message)
                                        : g_strdup_printf("%s: not UTF-8; not read", path));
        return NULL;
    }
    return stream_rule_parse(path, text, warnings);
}

/* A rule is known by its file's name without the suffix, and the first of a name is it. */
static bool is_first(GHashTable *taken, const char *dir, const char *name, GPtrArray *warnings)
{
    g_autofree char *rule = g_strndup(name, (gsize)(strrchr(name, '.') - name));
    const char *other = g_hash_table_lookup(taken, rule);
    if (!other)
        return g_hash_table_insert(taken, g_steal_pointer(&rule), (gpointer)name);
    g_ptr_array_add(warnings,
                    g_strdup_printf("%s/%s: left out, %s is the rule \"%s\" already; rename one",
                                    dir, name, other, rule));
    return false;
}

static void load_dir(const char *dir, GPtrArray *rules, GPtrArray *warnings)
{
    g_autoptr(GPtrArray) names = list_files(dir);
    g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        StreamRule *rule = NULL;
        if (is_first(taken, dir, name, warnings))
            rule = read_rule(dir, name, warnings);
        if (!rule)
            continue;
        Watched *watched = g_new0(Watched, 1);
        *watched = (Watched) { .rule = rule, .fired_at = NEVER_FIRED };
        g_ptr_array_add(rules, watched);
    }
}

/* Said, not taken. */
static void note_project_rules(const char *cwd, GPtrArray *warnings)
{
    g_autofree char *dir = g_build_filename(cwd, PROJECT_DIR, RULES_DIR, NULL);
    g_autoptr(GPtrArray) rules = g_ptr_array_new_with_free_func(watched_free);
    g_autoptr(GPtrArray) ignored = g_ptr_array_new_with_free_func(g_free);
    load_dir(dir, rules, ignored);
    if (rules->len > 0)
        g_ptr_array_add(warnings,
                        g_strdup_printf("%u rule(s) of the repository that would interrupt answers "
                                        "need trust and were left out: %s",
                                        rules->len, dir));
}

static Watched *find_rule(const StreamRules *self, const char *name)
{
    for (guint i = 0; i < self->rules->len; i++) {
        Watched *watched = self->rules->pdata[i];
        if (g_strcmp0(watched->rule->name, name) == 0)
            return watched;
    }
    return NULL;
}

/* What fired earlier in the session. */
static void stream_rules_restore(StreamRules *self)
{
    g_autoptr(GPtrArray) records = session_path_of_type(self->conversation->session, RECORD);
    for (guint i = 0; i < records->len; i++) {
        json_each (json_get_array(records->pdata[i], RECORD_KEY), j, name) {
            Watched *watched = find_rule(self, json_string_value(name));
            if (watched)
                watched->fired_at = 0;
        }
    }
}

static void emit_warnings(const Conversation *conversation, const GPtrArray *warnings)
{
    for (guint i = 0; i < warnings->len; i++)
        agent_events_emit_notice(conversation->events, "warning", warnings->pdata[i]);
}

StreamRules *stream_rules_load(const char *agent_dir, const char *cwd, const Settings *settings,
                               Conversation *conversation)
{
    if (!agent_dir || !settings_get_bool(settings, "ttsr.enabled"))
        return NULL;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(StreamRules) self = g_new0(StreamRules, 1);
    g_autofree char *dir = g_build_filename(agent_dir, RULES_DIR, NULL);
    self->conversation = conversation;
    self->rules = g_ptr_array_new_with_free_func(watched_free);
    self->blocks = g_ptr_array_new_with_free_func(block_free);
    self->mode = interrupt_mode_parse(settings_get_text(settings, "ttsr.interruptMode"));
    self->keeps_answers = g_strcmp0(settings_get_text(settings, "ttsr.contextMode"), "keep") == 0;
    self->is_repeated = g_strcmp0(settings_get_text(settings, "ttsr.repeatMode"), "after-gap") == 0;
    self->gap = MAX(settings_get_int(settings, "ttsr.repeatGap"), 1);
    load_dir(dir, self->rules, warnings);
    if (cwd)
        note_project_rules(cwd, warnings);
    emit_warnings(conversation, warnings);
    if (self->rules->len == 0)
        return NULL;
    stream_rules_restore(self);
    return g_steal_pointer(&self);
}

void stream_rules_free(StreamRules *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->rules);
    g_ptr_array_unref(self->blocks);
    g_free(self);
}

// ---- matching ----

void stream_rules_begin(StreamRules *self)
{
    g_ptr_array_set_size(self->blocks, 0);
    self->is_stopped = false;
    for (guint i = 0; i < self->rules->len; i++) {
        Watched *watched = self->rules->pdata[i];
        watched->left_ns = RULE_CPU_NS;
        watched->is_broken = false;
    }
}

bool stream_rules_have_stopped(const StreamRules *self)
{
    return self->is_stopped;
}

void stream_rules_count_turn(StreamRules *self)
{
    self->turns++;
}

bool stream_rules_keep_answers(const StreamRules *self)
{
    return self->keeps_answers;
}

static bool is_awake(const StreamRules *self, const Watched *watched)
{
    if (watched->is_off || watched->is_broken)
        return false;
    return watched->fired_at == NEVER_FIRED ||
           (self->is_repeated && self->turns - watched->fired_at >= self->gap);
}

static bool stream_rules_interrupts(const StreamRules *self, const StreamRule *rule,
                                    StreamKind kind)
{
    InterruptMode mode = rule->mode == INTERRUPT_AS_SET ? self->mode : rule->mode;
    switch (mode) {
    case INTERRUPT_NEVER:
        return false;
    case INTERRUPT_PROSE_ONLY:
        return kind != STREAM_TOOL;
    case INTERRUPT_TOOL_ONLY:
        return kind == STREAM_TOOL;
    default:
        return true;
    }
}

/* The files that a call names in the arguments that have come. */
static GPtrArray *paths_of(const Block *block, bool is_whole)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    if (block->kind != STREAM_TOOL)
        return paths;
    bool is_complete = false;
    size_t size = is_whole ? block->text->len : MIN(block->text->len, EARLY_ARGUMENT);
    g_autoptr(json_t) arguments = json_parse_partial(block->text->str, size, &is_complete);
    call_paths_add(arguments, paths);
    return paths;
}

static void turn_off(const StreamRules *self, Watched *watched)
{
    watched->is_off = true;
    g_autofree char *text = g_strdup_printf("Rule %s is off: matching its condition takes too long",
                                            watched->rule->path);
    agent_events_emit_notice(self->conversation->events, "warning", text);
}

/* Now, or in an earlier window. */
static bool stream_rules_matches(const StreamRules *self, Watched *watched, Block *block,
                                 size_t from, size_t end)
{
    bool is_match = g_ptr_array_find(block->matched, watched, NULL);
    if (is_match)
        return true;
    if (!stream_rule_matches(watched->rule, block->text, from, end, &watched->left_ns, &is_match,
                             NULL))
        turn_off(self, watched);
    else if (is_match)
        g_ptr_array_add(block->matched, watched);
    return is_match;
}

static void look_at(StreamRules *self, Block *block, size_t from, size_t end, bool is_whole,
                    Cancel *cancel)
{
    for (guint i = 0; i < self->rules->len && !cancel_has_fired(cancel); i++) {
        Watched *watched = self->rules->pdata[i];
        const StreamRule *rule = watched->rule;
        if (!is_awake(self, watched) || !stream_rule_looks_at(rule, block->kind, block->tool) ||
            !stream_rules_matches(self, watched, block, from, end))
            continue;
        g_autoptr(GPtrArray) paths = paths_of(block, is_whole);
        if (!stream_rule_covers(rule, block->kind, block->tool, paths))
            continue;
        watched->is_broken = true;
        self->is_stopped = self->is_stopped || stream_rules_interrupts(self, rule, block->kind);
    }
}

/* Of a window that begins at `from`; not inside a word if that can be helped. */
static size_t window_end(const GString *text, size_t from)
{
    if (text->len - from <= SCAN_BYTES)
        return text->len;
    size_t end = from + SCAN_BYTES;
    size_t word = end;
    while (word > from + SCAN_BYTES / 2 && !g_ascii_isspace(text->str[word]))
        word--;
    if (g_ascii_isspace(text->str[word]))
        return word;
    while (((unsigned char)text->str[end] & 0xc0) == 0x80) // inside a character
        end--;
    return end;
}

/* What is new in the block; at its end once more what was there, too. */
static void stream_rules_scan(StreamRules *self, Block *block, bool is_whole, Cancel *cancel)
{
    const GString *text = block->text;
    do {
        size_t from = block->scanned > LOOK_BACK ? block->scanned - LOOK_BACK : 0;
        while (((unsigned char)text->str[from] & 0xc0) == 0x80)
            from++;
        size_t end = window_end(text, block->scanned);
        look_at(self, block, from, end, is_whole, cancel);
        block->scanned = end;
    } while (block->scanned < text->len && !self->is_stopped && !cancel_has_fired(cancel));
}

static bool is_due(const Block *block)
{
    size_t due = MIN(SCAN_STEP, block->scanned / SCAN_SHARE);
    bool is_known = block->kind != STREAM_TOOL || block->tool;
    return is_known && block->text->len > block->scanned + due;
}

static void stream_rules_append(StreamRules *self, Block *block, const char *delta)
{
    size_t size = strlen(delta);
    if (block->text->len + size > BLOCK_BYTES)
        return;
    g_string_append_len(block->text, delta, (gssize)size);
    for (guint i = 0; i < self->rules->len; i++)
        ((Watched *)self->rules->pdata[i])->left_ns += (int64_t)size * BYTE_CPU_NS;
}

/* The block of an event; NULL: it is of none that is looked at. */
static Block *block_of(StreamRules *self, const json_t *event)
{
    static const char *const prefixes[] = {
        [STREAM_TEXT] = "text_", [STREAM_THINKING] = "thinking_", [STREAM_TOOL] = "toolcall_"
    };
    const char *type = json_get_text(event, "type");
    int64_t index = json_get_int(event, "contentIndex", -1);
    if (!type || index < 0 || index >= MAX_BLOCKS)
        return NULL;
    while (self->blocks->len <= (guint)index)
        g_ptr_array_add(self->blocks, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes) && !self->blocks->pdata[index]; i++) {
        if (!str_has_prefix(type, prefixes[i]))
            continue;
        Block *block = g_new0(Block, 1);
        *block = (Block) { .kind = (StreamKind)i,
                           .text = g_string_new(NULL),
                           .matched = g_ptr_array_new() };
        self->blocks->pdata[index] = block;
    }
    return self->blocks->pdata[index];
}

static void find_tool(Block *block, const json_t *event, ModelStream *stream)
{
    if (block->kind != STREAM_TOOL || block->tool)
        return;
    const json_t *content = json_get_array(model_stream_message(stream), "content");
    const json_t *call = json_array_get(content, (size_t)json_get_int(event, "contentIndex", 0));
    const char *name = json_get_text(call, "name");
    block->tool = name && *name ? g_strdup(name) : NULL;
}

bool stream_rules_see(StreamRules *self, const json_t *event, ModelStream *stream, Cancel *cancel)
{
    Block *block = self->is_stopped ? NULL : block_of(self, event);
    if (!block)
        return false;
    const char *delta = json_get_text(event, "delta");
    bool is_end = g_str_has_suffix(json_get_text(event, "type"), "_end");
    find_tool(block, event, stream);
    if (delta && !is_end)
        stream_rules_append(self, block, delta);
    if (is_end || is_due(block))
        stream_rules_scan(self, block, is_end, cancel);
    return self->is_stopped;
}

// ---- what the model is told ----

static void append_rule(GString *text, const StreamRule *rule)
{
    g_autofree char *name = g_markup_escape_text(rule->name, -1);
    g_autofree char *path = g_markup_escape_text(rule->path, -1);
    g_string_append_printf(text,
                           "%s<system-interrupt reason=\"rule_violation\" rule=\"%s\" path=\"%s\">"
                           "\n" INTERRUPTED "\n\n%s\n</system-interrupt>",
                           text->len > 0 ? "\n\n" : "", name, path, rule->body);
}

static json_t *stream_rules_injection(const char *text, json_t *names)
{
    json_t *details = json_object();
    json_object_set(details, "rules", names);
    return json_make("role:%s customType:%s content:%s display:%i details:%p attribution:%s",
                     "custom", INJECTION, text, false, details, "agent");
}

json_t *stream_rules_take(StreamRules *self)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(json_t) names = json_array();
    json_t *told = json_array();
    for (guint i = 0; i < self->rules->len; i++) {
        Watched *watched = self->rules->pdata[i];
        if (!watched->is_broken)
            continue;
        watched->is_broken = false;
        append_rule(text, watched->rule);
        json_append_take(names, json_text(watched->rule->name));
        json_append_take(told, json_pack("{s:s, s:s}", "name", watched->rule->name, "path",
                                         watched->rule->path));
    }
    if (json_array_size(names) == 0) {
        json_decref(told);
        return NULL;
    }
    json_t *event = agent_event_new(EVENT_TTSR_TRIGGERED);
    json_set_take(event, "rules", told);
    agent_events_emit(self->conversation->events, event);
    return stream_rules_injection(text->str, names);
}

void stream_rules_note_delivered(StreamRules *self, const json_t *message)
{
    if (g_strcmp0(json_get_text(message, "customType"), INJECTION) != 0)
        return;
    json_t *names = json_object_get(json_get_object(message, "details"), "rules");
    json_each (names, i, name) {
        Watched *watched = find_rule(self, json_string_value(name));
        if (watched)
            watched->fired_at = self->turns;
    }
    json_t *fields = json_object();
    json_object_set(fields, RECORD_KEY, names);
    session_append_fields(self->conversation->session, RECORD, fields);
}
