/* See template.h. */
#include "wm/task/template.h"

#include "base/limits.h"
#include "base/str.h"
#include "wm/task/fences.h"

#include <string.h>

#define OPEN               "{{"
#define CLOSE              "}}"
#define EXPRESSION         "${{"
#define MAX_DEPTH          16 // of blocks in one another
#define MAX_ARGUMENT_BYTES (4 * KIB)
#define MAX_EXPANDED_BYTES (16 * MIB)
#define UNSUPPORTED                                                                                \
    "unsupported gh-aw template directive {{#...}} in task body; use ${{ }} expressions only or "  \
    "remove Handlebars-style blocks"

typedef enum { TAG_IF, TAG_ELSE, TAG_END, TAG_IMPORT, TAG_RUNTIME_IMPORT, TAG_UNKNOWN } TagKind;

typedef struct Tag {
    TagKind kind;
    const char *start, *end; // in the body, with the whole line where there is nothing else in it
    char *argument;          // trimmed
    bool is_braced;          // an expression in ${{ }}
    bool is_optional;
} Tag;

static void tag_clear(Tag *self)
{
    g_clear_pointer(&self->argument, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tag, tag_clear)

// ---- finding them ----

static const struct {
    const char *word;
    TagKind kind;
    bool is_optional, is_whole; // is_whole: nothing comes after it
} tag_words[] = {
    { "#if", TAG_IF, false, false },
    { "else", TAG_ELSE, false, true },
    { "#else", TAG_ELSE, false, true },
    { "/if", TAG_END, false, true },
    { "#import?", TAG_IMPORT, true, false },
    { "#import", TAG_IMPORT, false, false },
    { "#runtime-import?", TAG_RUNTIME_IMPORT, true, false },
    { "#runtime-import", TAG_RUNTIME_IMPORT, false, false },
};

/* Where the tag ends whose argument begins at `start`; NULL: another one, the line or the limit
   ends before. No byte is looked at for two tags. */
static const char *find_close(const char *start)
{
    for (const char *at = start; (size_t)(at - start) < MAX_ARGUMENT_BYTES; at++) {
        at += strcspn(at, "\n{}");
        if (str_has_prefix(at, CLOSE))
            return at;
        if (*at == '\0' || *at == '\n' || str_has_prefix(at, OPEN))
            return NULL;
    }
    return NULL;
}

/* After the word: an argument, and the end of the tag. False: there is no end. */
static bool tag_read_argument(Tag *self, const char *at)
{
    at += strspn(at, " \t:");
    self->is_braced = self->kind == TAG_IF && str_has_prefix(at, EXPRESSION);
    const char *start = self->is_braced ? at + strlen(EXPRESSION) : at;
    const char *end = find_close(start), *close = end;
    if (end && self->is_braced) {
        close = end + strlen(CLOSE);
        close += strspn(close, " \t");
    }
    if (!end || !str_has_prefix(close, CLOSE))
        return false;
    self->argument = g_strstrip(g_strndup(start, (gsize)(end - start)));
    self->end = close + strlen(CLOSE);
    return true;
}

/* The tag at `at`, where there is an opening brace. False: it is text. */
static bool tag_read(const char *body, const char *at, Tag *ret_tag)
{
    const char *inside = at + strlen(OPEN);
    g_auto(Tag) tag = { .kind = TAG_UNKNOWN, .start = at, .end = inside };
    if (at > body && at[-1] == '$')
        return false; // an expression
    inside += strspn(inside, " \t");
    for (size_t i = 0; i < G_N_ELEMENTS(tag_words); i++) {
        size_t size = strlen(tag_words[i].word);
        if (!str_has_prefix(inside, tag_words[i].word) || !strchr(" \t:$}", inside[size]))
            continue;
        tag.kind = tag_words[i].kind;
        tag.is_optional = tag_words[i].is_optional;
        if (!tag_read_argument(&tag, inside + size) ||
            (*tag.argument == '\0') != tag_words[i].is_whole)
            tag.kind = TAG_UNKNOWN;
        break;
    }
    if (tag.kind == TAG_UNKNOWN && *inside != '#')
        return false;
    *ret_tag = tag;
    tag = (Tag) { 0 };
    return true;
}

/* A tag that is alone in its line takes the line with it, but for what it puts there. */
static void tag_take_line(Tag *self, const char *body)
{
    const char *start = self->start, *end = self->end + strspn(self->end, " \t\r");
    while (start > body && (start[-1] == ' ' || start[-1] == '\t'))
        start--;
    bool is_alone = (start == body || start[-1] == '\n') && (*end == '\n' || *end == '\0');
    if (!is_alone || self->kind > TAG_END)
        return;
    self->start = start;
    self->end = *end ? end + 1 : end;
}

/* False: there are no more. */
static bool tag_next(WmFences *fences, const char *body, Tag *ret_tag)
{
    const char *at;
    while ((at = wm_fences_find(fences, OPEN))) {
        fences->at = at + strlen(OPEN);
        if (!tag_read(body, at, ret_tag))
            continue;
        tag_take_line(ret_tag, body);
        fences->at = ret_tag->end;
        return true;
    }
    return false;
}

bool wm_template_imports(const char *body,
                         bool (*take)(const WmTemplateImport *import, void *user_data,
                                      GError **error),
                         void *user_data, GError **error)
{
    WmFences fences = wm_fences_begin(body);
    for (;;) {
        g_auto(Tag) tag = { 0 };
        if (!tag_next(&fences, body, &tag))
            return true;
        const WmTemplateImport import = {
            .file = tag.argument,
            .is_optional = tag.is_optional,
            .is_runtime = tag.kind == TAG_RUNTIME_IMPORT,
            .start = tag.start,
            .end = tag.end,
        };
        bool is_import = tag.kind == TAG_IMPORT || tag.kind == TAG_RUNTIME_IMPORT;
        if (is_import && !take(&import, user_data, error))
            return false;
    }
}

// ---- checking ----

typedef struct Check {
    const WmTask *task;
    WmNames names;
    GPtrArray *problems, *hints;
} Check;

static const char *inlined_text(const WmTask *task, const char *file)
{
    return json_get_text(task->inlined, file);
}

static void check_import(const Check *self, const Tag *tag, WmNotePlace place)
{
    const char *text = inlined_text(self->task, tag->argument);
    guint first = wm_notes_count(self->problems);
    if (text)
        wm_expressions_check(text, &self->names, self->problems, self->hints);
    else if (!tag->is_optional)
        wm_note(self->problems, place, "%s: no such file in .wm/ or .github/", tag->argument);
    for (guint i = first; text && i < wm_notes_count(self->problems); i++) {
        WmNote *note = self->problems->pdata[i];
        g_autofree char *of_file = g_steal_pointer(&note->text);
        note->text = g_strdup_printf("%s: %s", tag->argument, of_file);
        note->before_end = place.before_end;
    }
}

static void check_tag(const Check *self, const Tag *tag, WmNotePlace place, unsigned *depth)
{
    // an expression in braces is checked with all others
    bool is_bad_condition = tag->kind == TAG_IF && !tag->is_braced &&
                            !wm_expression_is_known(tag->argument, &self->names);
    if (tag->kind == TAG_UNKNOWN || is_bad_condition ||
        (tag->kind == TAG_IF && *depth >= MAX_DEPTH))
        wm_note(self->problems, place, UNSUPPORTED);
    else if (tag->kind == TAG_END && *depth == 0)
        wm_note(self->problems, place, "{{/if}} without {{#if …}}");
    else if (tag->kind == TAG_IMPORT || tag->kind == TAG_RUNTIME_IMPORT)
        check_import(self, tag, place);
    if (tag->kind == TAG_IF && !is_bad_condition)
        (*depth)++;
    if (tag->kind == TAG_END && *depth > 0)
        (*depth)--;
}

void wm_template_check(const WmTask *task, GPtrArray *problems, GPtrArray *hints)
{
    const Check self = {
        .task = task,
        .names = { .front = task->front },
        .problems = problems,
        .hints = hints,
    };
    WmFences fences = wm_fences_begin(task->body);
    WmNotePlace last = WM_FILE;
    unsigned depth = 0;
    for (;;) {
        g_auto(Tag) tag = { 0 };
        if (!tag_next(&fences, task->body, &tag))
            break;
        last = wm_fences_place(&fences, tag.start);
        check_tag(&self, &tag, last, &depth);
    }
    if (depth > 0)
        wm_note(problems, last, "{{#if …}} without {{/if}}");
    wm_expressions_check(task->body, &self.names, problems, hints);
}

// ---- expanding ----

typedef struct Blocks { // those that are open
    unsigned depth;
    bool holds[MAX_DEPTH]; // what is in it is shown, as far as it is concerned
} Blocks;

static bool blocks_show(const Blocks *self)
{
    bool is_shown = true;
    for (unsigned i = 0; i < self->depth; i++)
        is_shown = is_shown && self->holds[i];
    return is_shown;
}

static bool open_block(Blocks *self, const Tag *tag, const WmScope *scope, GError **error)
{
    g_autofree char *value = NULL;
    if (self->depth >= MAX_DEPTH)
        return fail_with(error, KEDGE_ERROR_LIMIT, "blocks nest more than %d deep", MAX_DEPTH);
    if (!blocks_show(self)) {
        self->holds[self->depth++] = false;
        return true;
    }
    if (!wm_expression_evaluate(tag->argument, scope, &value, error)) {
        g_prefix_error(error, "expand \"%s\": ", tag->argument);
        return false;
    }
    self->holds[self->depth++] = wm_value_holds(value);
    return true;
}

static bool apply_tag(const WmTask *task, const WmScope *scope, const Tag *tag, Blocks *blocks,
                      GString *out, GError **error)
{
    const char *text;
    switch (tag->kind) {
    case TAG_IF:
        return open_block(blocks, tag, scope, error);
    case TAG_ELSE:
        if (blocks->depth == 0)
            g_string_append_len(out, tag->start, (gssize)(tag->end - tag->start));
        else
            blocks->holds[blocks->depth - 1] = !blocks->holds[blocks->depth - 1];
        return true;
    case TAG_END:
        if (blocks->depth == 0)
            return fail_with(error, KEDGE_ERROR_PROTOCOL, "{{/if}} without {{#if …}}");
        blocks->depth--;
        return true;
    case TAG_IMPORT:
    case TAG_RUNTIME_IMPORT:
        text = inlined_text(task, tag->argument);
        if (!text && !tag->is_optional)
            return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s: no such file in .wm/ or .github/",
                             tag->argument);
        if (text && blocks_show(blocks))
            g_string_append(out, text);
        return true;
    case TAG_UNKNOWN:
        break;
    }
    return fail_with(error, KEDGE_ERROR_PROTOCOL, UNSUPPORTED);
}

static bool apply_blocks(const WmTask *task, const WmScope *scope, char **ret_text, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    WmFences fences = wm_fences_begin(task->body);
    const char *copied = task->body;
    Blocks blocks = { 0 };
    for (;;) {
        g_auto(Tag) tag = { 0 };
        bool is_found = tag_next(&fences, task->body, &tag);
        const char *end = is_found ? tag.start : copied + strlen(copied);
        if (blocks_show(&blocks))
            g_string_append_len(out, copied, (gssize)(end - copied));
        if (!is_found)
            break;
        copied = tag.end;
        if (!apply_tag(task, scope, &tag, &blocks, out, error))
            return false;
        if (out->len > MAX_EXPANDED_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "would be larger than %zu bytes",
                             (size_t)MAX_EXPANDED_BYTES);
    }
    if (blocks.depth > 0)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "{{#if …}} without {{/if}}");
    *ret_text = g_string_free(g_steal_pointer(&out), FALSE);
    return true;
}

bool wm_template_expand(const WmTask *task, const WmScope *scope, bool is_lenient, char **ret_text,
                        GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    if (!apply_blocks(task, scope, &text, &problem)) {
        if (!is_lenient)
            return pass_error(error, &problem);
        text = g_strdup(task->body);
    }
    return wm_expressions_expand(text, scope, is_lenient, ret_text, error);
}
