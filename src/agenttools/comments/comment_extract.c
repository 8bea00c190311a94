/*
 * agent-tools comment-extract (agent-tools-cli §7): the comments of the files of a scope, or those
 * on changed lines.
 */
#include "agenttools/agenttools.h"
#include "agenttools/comments/comment_scope.h"
#include "agenttools/comments/comment_text.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "lang/lexer.h"

#include <string.h>

#define MAX_FILES        10000
#define MAX_GLOBS        100
#define MAX_CONTEXT      10
#define MAX_WARNINGS     100
#define LIMIT_TEXT_BYTES (32 * MIB) // of all comments of one answer
#define MAX_COMMENTS     200000

typedef struct ExtractArgs {
    const char *scope, *base, *lines, *language;
    const json_t *files, *include, *exclude;
    bool is_line_scoped, has_untracked, merges, has_docstrings;
    int64_t context, max_comments;
    bool has_context, has_max_comments;
} ExtractArgs;

static const FieldDef extract_fields[] = {
    { "scope", FIELD_STRING, offsetof(ExtractArgs, scope), .is_required = true,
      .refuses_blank = true,
      .help = "branch (since it left base), unstaged, staged, all, files, or a commit range A..B "
              "or A...B" },
    { "base", FIELD_STRING, offsetof(ExtractArgs, base),
      .help = "Branch, tag or commit that scope branch compares with" },
    { "lineScoped", FIELD_BOOLEAN, offsetof(ExtractArgs, is_line_scoped),
      .help = "Only comments with a changed line" },
    { "files", FIELD_STRING_LIST, offsetof(ExtractArgs, files), .max_items = MAX_FILES,
      .help = "Files of scope files" },
    { "lines", FIELD_STRING, offsetof(ExtractArgs, lines),
      .help = "Changed lines of the only file of scope files: 10-40,55; implies lineScoped" },
    { "untracked", FIELD_BOOLEAN, offsetof(ExtractArgs, has_untracked),
      .help = "Untracked, not ignored files too" },
    { "include", FIELD_STRING_LIST, offsetof(ExtractArgs, include), .max_items = MAX_GLOBS,
      .value_name = "GLOB", .help = "Only files that match one of these" },
    { "exclude", FIELD_STRING_LIST, offsetof(ExtractArgs, exclude), .max_items = MAX_GLOBS,
      .value_name = "GLOB", .help = "No files that match one of these" },
    { "language", FIELD_STRING, offsetof(ExtractArgs, language),
      .help = "Only files of this language: python, cpp, shell, …" },
    { "merge", FIELD_BOOLEAN, offsetof(ExtractArgs, merges),
      .help = "Join line comments on adjacent lines" },
    { "docstrings", FIELD_BOOLEAN, offsetof(ExtractArgs, has_docstrings),
      .help = "Python's docstrings too" },
    { "context", FIELD_INTEGER, offsetof(ExtractArgs, context), .min = 0, .max = MAX_CONTEXT,
      .has_offset = offsetof(ExtractArgs, has_context),
      .help = "Lines before and after, as arrays; without it one of each, as text" },
    { "maxComments", FIELD_INTEGER, offsetof(ExtractArgs, max_comments), .min = 1,
      .max = MAX_COMMENTS, .has_offset = offsetof(ExtractArgs, has_max_comments),
      .help = "At most so many" },
    { 0 },
};

static const char *const type_names[] = { "single", "multi", NULL };
static const char *const kind_names[] = { "line", "block", "doc", NULL };

static const FieldDef comment_fields[] = {
    { "file", FIELD_STRING, 0, .is_required = true, .help = "Path from the repository's root" },
    { "line", FIELD_INTEGER, 0, .is_required = true, .help = "First line" },
    { "type", FIELD_ENUM, 0, .is_required = true, .values = type_names,
      .help = "single: to the line's end; multi: with a closing marker" },
    { "content", FIELD_STRING, 0, .is_required = true, .help = "With its markers" },
    { "contextBefore", FIELD_JSON, 0, .is_required = true,
      .help = "Line before; with context, an array" },
    { "contextAfter", FIELD_JSON, 0, .is_required = true,
      .help = "Line after; with context, an array" },
    { "endLine", FIELD_INTEGER, 0, .is_required = true, .help = "Last line" },
    { "column", FIELD_INTEGER, 0, .is_required = true, .help = "Of its start, in code points" },
    { "kind", FIELD_ENUM, 0, .is_required = true, .values = kind_names, .help = "What it is" },
    { "language", FIELD_STRING, 0, .is_required = true, .help = "The inner one where embedded" },
    { "trailing", FIELD_BOOLEAN, 0, .is_required = true, .help = "Code comes before it" },
    { "directive", FIELD_BOOLEAN, 0, .is_required = true, .help = "An instruction for a tool" },
    { 0 },
};

static const FieldDef skipped_fields[] = {
    { "file", FIELD_STRING, 0, .is_required = true, .help = "Path from the repository's root" },
    { "reason", FIELD_STRING, 0, .is_required = true,
      .help = "deleted, submodule, symlink, binary, too large, too many lines, unsupported …" },
    { 0 },
};

static const FieldDef extract_output[] = {
    { "scope", FIELD_STRING, 0, .is_required = true, .help = "As given" },
    { "base", FIELD_STRING, 0, .help = "As given, or the left side of a range" },
    { "filesScanned", FIELD_INTEGER, 0, .is_required = true, .help = "Files that were read" },
    { "linesAdded", FIELD_INTEGER, 0, .is_required = true, .help = "Lines added in the scope" },
    { "lineScoped", FIELD_BOOLEAN, 0, .is_required = true, .help = "Changed lines only" },
    { "comments", FIELD_OBJECT_LIST, 0, .is_required = true, .item_fields = comment_fields,
      .help = "By file, line and column" },
    { "filesSkipped", FIELD_OBJECT_LIST, 0, .is_required = true, .item_fields = skipped_fields,
      .help = "Files of the scope that were not read" },
    { 0 },
};

static const OperationExample extract_examples[] = {
    { "kedge agent-tools comment-extract branch main --line-scoped",
      "{\"scope\":\"branch\",\"base\":\"main\",\"lineScoped\":true}",
      "{\"scope\":\"branch\",\"base\":\"main\",\"filesScanned\":12,\"linesAdded\":150,"
      "\"lineScoped\":true,\"comments\":[{\"file\":\"src/auth.py\",\"line\":45,"
      "\"type\":\"single\",\"content\":\"# Check if user is active\","
      "\"contextBefore\":\"def validate_user(user):\","
      "\"contextAfter\":\"    if user.is_active:\",\"endLine\":45,\"column\":5,"
      "\"kind\":\"line\",\"language\":\"python\",\"trailing\":false,\"directive\":false}],"
      "\"filesSkipped\":[{\"file\":\"logo.png\",\"reason\":\"binary\"}]}" },
    { "kedge agent-tools comment-extract unstaged", "{\"scope\":\"unstaged\"}",
      "{\"scope\":\"unstaged\",\"base\":null,\"filesScanned\":0,\"linesAdded\":0,"
      "\"lineScoped\":false,\"comments\":[],\"filesSkipped\":[]}" },
    { 0 },
};

// ---- comments as JSON (agent-tools-cli §7.2), with the lines around them ----

typedef struct CommentLines { // where the lines of a text begin
    const CommentText *text;  // borrowed
    GArray *starts;           // size_t
} CommentLines;

static void comment_lines_init(CommentLines *self, const CommentText *text)
{
    *self = (CommentLines) { .text = text, .starts = g_array_new(FALSE, FALSE, sizeof(size_t)) };
    for (size_t start = 0; start < text->size;) {
        g_array_append_val(self->starts, start);
        const char *end = memchr(text->data + start, '\n', text->size - start);
        start = end != NULL ? (size_t)(end - text->data) + 1 : text->size;
    }
}

static void comment_lines_clear(CommentLines *self)
{
    g_clear_pointer(&self->starts, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CommentLines, comment_lines_clear)

/* Line `number`, right-trimmed; "" for one that the text does not have. New reference. */
static json_t *line_text(const CommentLines *self, size_t number)
{
    if (number < 1 || number > self->starts->len)
        return json_text("");
    size_t start = g_array_index(self->starts, size_t, number - 1);
    size_t end =
        number < self->starts->len ? g_array_index(self->starts, size_t, number) : self->text->size;
    while (end > start && g_ascii_isspace(self->text->data[end - 1]))
        end--;
    return json_text_n(self->text->data + start, end - start);
}

/* Lines first to last, those that there are. New reference. */
static json_t *line_texts(const CommentLines *self, int64_t first, int64_t last)
{
    json_t *texts = json_array();
    for (int64_t number = MAX(first, 1); number <= MIN(last, (int64_t)self->starts->len); number++)
        json_append_take(texts, line_text(self, (size_t)number));
    return texts;
}

/* `context` lines before and after, as arrays; -1: one, as a text each. New reference. */
static json_t *comment_to_json(const Comment *comment, const CommentLines *lines, const char *path,
                               int64_t context)
{
    int64_t line = (int64_t)comment->line, end_line = (int64_t)comment->end_line;
    json_t *before, *after;
    if (context < 0) {
        before = line_text(lines, comment->line - 1);
        after = line_text(lines, comment->end_line + 1);
    } else {
        before = line_texts(lines, line - context, line - 1);
        after = line_texts(lines, end_line + 1, end_line + context);
    }
    return json_make("file:%s line:%jd type:%s content:%p contextBefore:%p contextAfter:%p "
                     "endLine:%jd column:%zu kind:%s language:%s trailing:%i directive:%i",
                     path, line, comment->is_delimited ? "multi" : "single",
                     json_text_n(lines->text->data + comment->start, comment->end - comment->start),
                     before, after, end_line, comment->column, kind_names[comment->kind],
                     language_name(comment->language), comment->is_trailing, comment->is_directive);
}

// ---- one call ----

typedef struct Extract {
    const ExtractArgs *args;
    const Language *language; // the only one wanted; NULL: all
    CommentScope *scope;
    Answer *answer;
    bool is_line_scoped;
    size_t files_scanned, lines_added;
    size_t comment_count, text_bytes; // found; listed
    bool is_full;
    unsigned warning_count;
    json_t *comments, *skipped;
} Extract;

static json_t *make_data(const Extract *self)
{
    const char *base = self->scope != NULL ? self->scope->base : self->args->base;
    return json_make("scope:%s base:%s? filesScanned:%zu linesAdded:%zu lineScoped:%i "
                     "comments:%p filesSkipped:%p",
                     self->args->scope, base, self->files_scanned, self->lines_added,
                     self->is_line_scoped, json_incref(self->comments), json_incref(self->skipped));
}

static void add_skipped(Extract *self, const ScopeFile *file)
{
    json_append_take(self->skipped, json_make("file:%s reason:%s", file->path, file->skipped));
}

static void warn_unterminated(Extract *self, const char *path, size_t line)
{
    if (self->warning_count++ < MAX_WARNINGS)
        answer_warn(self->answer, "Unterminated comment in %s at line %zu", path, line);
}

/* One comment that is wanted, if there is room. */
static void add_comment(Extract *self, const Comment *comment, const CommentLines *lines,
                        const char *path)
{
    const ExtractArgs *args = self->args;
    size_t most = args->has_max_comments ? (size_t)args->max_comments : MAX_COMMENTS;
    self->comment_count++;
    if (comment->is_unterminated)
        warn_unterminated(self, path, comment->line);
    self->text_bytes += comment->end - comment->start;
    self->is_full = self->is_full || json_array_size(self->comments) >= most ||
                    self->text_bytes > LIMIT_TEXT_BYTES;
    if (!self->is_full)
        json_append_take(self->comments, comment_to_json(comment, lines, path,
                                                         args->has_context ? args->context : -1));
}

static bool is_wanted(const Extract *self, const ScopeFile *file, const Comment *comment,
                      const CommentText *text)
{
    if (!self->is_line_scoped)
        return true;
    size_t first = comment_text_git_line(text, comment->line, comment->start);
    size_t last = comment_text_git_line(text, comment->end_line, comment->end);
    return scope_file_has_changed(file, first, last);
}

static void add_comments(Extract *self, const ScopeFile *file, const Language *language,
                         const CommentText *text)
{
    unsigned flags = self->args->has_docstrings ? LEX_DOCSTRINGS : 0;
    g_autoptr(GArray) comments = comment_lex(language, text->data, text->size, flags);
    if (self->args->merges)
        comment_merge(comments);
    g_auto(CommentLines) lines = { 0 };
    comment_lines_init(&lines, text);
    g_autofree char *path = utf8_from_bytes(file->path, strlen(file->path));
    for (guint i = 0; i < comments->len; i++) {
        const Comment *comment = &g_array_index(comments, Comment, i);
        if (is_wanted(self, file, comment, text))
            add_comment(self, comment, &lines, path);
    }
    self->files_scanned++;
}

/* Is it known without its text that it has no comments? */
static bool is_known_to_be_unread(ScopeFile *file)
{
    const Language *language = NULL;
    if (!file->blob || language_by_name(file->path, &language) != LANGUAGE_UNSUPPORTED)
        return false;
    file->skipped = file->is_binary ? "binary" : "unsupported";
    return true;
}

/* Reads one file; `skipped` is set when it cannot be. *ret_is_wanted: it is of the language. */
static bool read_file(Extract *self, ScopeFile *file, Cancel *cancel, bool *ret_is_wanted,
                      GError **error)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    if (file->skipped || is_known_to_be_unread(file))
        return true;
    if (!comment_scope_read(self->scope, file, cancel, &data, &size, error))
        return false;
    if (!data)
        return true;
    if (comment_text_is_binary(data, size)) {
        file->skipped = "binary";
        return true;
    }
    g_auto(CommentText) text = { 0 };
    comment_text_init(&text, data, size);
    if (file->is_untracked)
        file->lines_added = text.line_count;
    const Language *language = language_detect(file->path, text.data, text.size);
    if (text.line_count > COMMENT_FILE_MAX_LINES)
        file->skipped = "too many lines";
    else if (!language)
        file->skipped = "unsupported";
    *ret_is_wanted =
        self->language == NULL ||
        (language != NULL && strcmp(language_name(language), language_name(self->language)) == 0);
    if (!file->skipped && *ret_is_wanted)
        add_comments(self, file, language, &text);
    return true;
}

/* With `language`, a file that its name says is another one is none of the scope. */
static bool is_of_language(const Extract *self, const char *path)
{
    const Language *language = NULL;
    if (!self->language)
        return true;
    LanguageByName known = language_by_name(path, &language);
    bool may_be_other =
        known == LANGUAGE_IN_TEXT || g_str_has_suffix(path, ".h") || g_str_has_suffix(path, ".m");
    return may_be_other || (known == LANGUAGE_KNOWN &&
                            strcmp(language_name(language), language_name(self->language)) == 0);
}

static bool extract_extract(Extract *self, Cancel *cancel, GError **error)
{
    g_auto(CommentFilter) filter = { 0 };
    if (!comment_filter_init(&filter, self->args->include, self->args->exclude, error))
        return false;
    g_autoptr(GPtrArray) taken = g_ptr_array_new(), read = g_ptr_array_new();
    for (guint i = 0; i < self->scope->files->len; i++) {
        ScopeFile *file = g_ptr_array_index(self->scope->files, i);
        if (!comment_filter_takes(&filter, file->path) || !is_of_language(self, file->path))
            continue;
        g_ptr_array_add(taken, file);
        file->skipped = comment_filter_reason(file);
        if (!file->skipped && !file->is_binary && !is_known_to_be_unread(file))
            g_ptr_array_add(read, file);
    }
    if (self->is_line_scoped && !comment_scope_find_changes(self->scope, read, cancel, error))
        return false;
    for (guint i = 0; i < taken->len; i++) {
        ScopeFile *file = g_ptr_array_index(taken, i);
        bool is_of_scope = true;
        if (!read_file(self, file, cancel, &is_of_scope, error))
            return false;
        if (!is_of_scope)
            continue;
        self->lines_added += file->lines_added;
        if (file->skipped)
            add_skipped(self, file);
    }
    return true;
}

// ---- the operation ----

static bool find_language(const char *name, const Language **ret_language, GError **error)
{
    *ret_language = NULL;
    if (!name)
        return true;
    g_autofree char *file = g_strconcat("a.", name, NULL); // "py" is python too
    *ret_language = language_find(name);
    if (*ret_language || language_by_name(file, ret_language) == LANGUAGE_KNOWN)
        return true;
    g_autofree const char **names = language_names();
    const char *nearest = str_nearest(name, names);
    return answer_error_field(error, "language", "Unknown language \"%s\"%s%s%s", name,
                              nearest != NULL ? "; did you mean \"" : "",
                              nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

/* What the fields demand of each other. */
static bool check_args(const ExtractArgs *args, Answer *answer, GError **error)
{
    bool is_files = strcmp(args->scope, "files") == 0;
    if (args->lines && !is_files)
        return answer_error_field(error, "lines", "Validation failed: lines needs scope \"files\"");
    if (json_array_size(args->files) > 0 && !is_files)
        return answer_error_field(error, "files", "Validation failed: files needs scope \"files\"");
    bool takes_untracked = strcmp(args->scope, "branch") == 0 ||
                           strcmp(args->scope, "unstaged") == 0 || strcmp(args->scope, "all") == 0;
    if (args->has_untracked && !takes_untracked)
        answer_warn(answer, "Untracked files are no part of scope \"%s\"", args->scope);
    return true;
}

static void warn_about_cuts(const Extract *self)
{
    size_t listed = json_array_size(self->comments);
    if (self->comment_count > listed)
        answer_warn(self->answer, "Only the first %zu of %zu comments are listed", listed,
                    self->comment_count);
    if (self->warning_count > MAX_WARNINGS)
        answer_warn(self->answer, "%u more unterminated comments",
                    self->warning_count - MAX_WARNINGS);
}

static bool extract_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ExtractArgs *args = args_;
    const ScopeSpec spec = {
        .scope = args->scope,
        .base = args->base,
        .files = args->files,
        .lines = args->lines,
        .has_untracked = args->has_untracked,
        .cwd = call->cwd,
    };
    g_autoptr(CommentScope) scope = NULL;
    g_autoptr(json_t) comments = json_array(), skipped = json_array();
    Extract self = {
        .args = args,
        .answer = answer,
        .is_line_scoped = args->is_line_scoped || args->lines != NULL,
        .comments = comments,
        .skipped = skipped,
    };
    if (!check_args(args, answer, error) || !find_language(args->language, &self.language, error) ||
        !comment_scope_open(&spec, call->cancel, &scope, error))
        return false;
    self.scope = scope;
    if (!scope) {
        answer_set_data(answer, make_data(&self));
        answer_fail(answer, ANSWER_GIT, NULL, "Not a git repository");
        return true;
    }
    if (self.is_line_scoped && !scope->has_diff)
        return answer_error_field(error, "lineScoped", "--line-scoped needs a scope with a diff");
    if (!extract_extract(&self, call->cancel, error))
        return false;
    warn_about_cuts(&self);
    answer_set_data(answer, make_data(&self));
    return true;
}

static const char *const words[] = { "scope", "base", "files", NULL };

const OperationDef operation_comment_extract = {
    .tool = OPERATION_TOOL(
        extract, ExtractArgs, 0, .name = "comment_extract", .label = "Comments",
        .summary = "Extract comments from source files",
        .description =
            "Extracts the comments of the source files that a branch, a commit range or the work "
            "tree changed, or of named or all files, with the lines around them. Knows some ninety "
            "languages; strings that look like comments are none."),
    OPERATION_PARTS(extract, "comment-extract", NULL, extract_output),
    .words = words,
};
