/*
 * submit-review: what the field table cannot say of the arguments (pr_review.h).
 */
#include "agenttools/pr/pr_review.h"

#include "base/utf8.h"

#define MAX_KEY_CHARS 64

static void add_problem(Review *self, const char *field, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
static void add_problem(Review *self, const char *field, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    answer_fail_field(self->pr->answer, field, "Validation failed: %s %s", field, text);
}

/* Relative, /-separated, nothing that leaves the repository. */
static bool is_inside(const char *path)
{
    if (*path == '/' || strchr(path, '\\'))
        return false;
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    for (char **part = parts; *part; part++)
        if (**part == '\0' || strcmp(*part, "..") == 0)
            return false;
    return true;
}

static bool is_spelled(const char *text, const char *allowed, size_t min, size_t max)
{
    size_t length = strlen(text);
    return length >= min && length <= max && strspn(text, allowed) == length;
}

static const ReviewComment *find_same(const Review *self, const ReviewComment *comment)
{
    for (size_t i = 0; i < comment->index; i++) {
        const ReviewComment *other = &self->comments[i];
        if (!other->same && other->is_file == comment->is_file &&
            other->spot.line == comment->spot.line &&
            other->spot.start_line == comment->spot.start_line &&
            strcmp(other->spot.path, comment->spot.path) == 0 &&
            strcmp(other->spot.side, comment->spot.side) == 0 &&
            g_strcmp0(other->spot.start_side, comment->spot.start_side) == 0 &&
            strcmp(other->body, comment->body) == 0)
            return other;
    }
    return NULL;
}

static void check_comment(Review *self, const ReviewComment *comment)
{
    g_autofree char *path_field = g_strdup_printf("comments[%zu].path", comment->index);
    g_autofree char *line_field = g_strdup_printf("comments[%zu].line", comment->index);
    g_autofree char *start_field = g_strdup_printf("comments[%zu].start_line", comment->index);
    if (!is_inside(comment->spot.path))
        add_problem(self, path_field, "must be a relative path inside the repository");
    if (comment->spot.line == 0 && !comment->is_file)
        add_problem(self, line_field, "is required and must be a positive integer");
    else if (comment->spot.start_line > comment->spot.line)
        add_problem(self, start_field, "must not be greater than line");
}

static void read_comment(Review *self, size_t index, const json_t *item)
{
    ReviewComment *comment = &self->comments[index];
    comment->index = index;
    comment->body = json_get_text(item, "body");
    comment->is_file = g_strcmp0(json_get_text(item, "subject_type"), "file") == 0;
    DiffSpot *spot = &comment->spot;
    spot->path = json_get_text(item, "path");
    spot->side = json_get_text(item, "side");
    spot->line = json_get_int(item, "line", 0);
    spot->start_line = json_get_int(item, "start_line", 0);
    spot->start_side = json_get_text(item, "start_side");
    if (!spot->start_side)
        spot->start_side = spot->side;
    check_comment(self, comment);
    if (spot->start_line == spot->line || comment->is_file) { // one line, or none
        spot->start_line = 0;
        spot->start_side = NULL;
    }
    comment->same = find_same(self, comment);
    if (comment->same)
        answer_warn(self->pr->answer,
                    "comments[%zu] is the same as comments[%zu] and is posted once", index,
                    comment->same->index);
}

bool review_read(Review *self)
{
    const ReviewArgs *args = self->args;
    g_autofree char *body = g_strstrip(g_strdup(args->body));
    if (!*body && strcmp(args->event, "APPROVE") != 0)
        add_problem(self, "body", "is required and must be a non-empty string");
    g_autofree char *key = review_key_text(args);
    size_t length = utf8_length(args->body) + utf8_length(key);
    if (length > PULL_MAX_BODY_CHARS)
        add_problem(self, "body", "is too long: %zu characters with its key (limit %d)", length,
                    PULL_MAX_BODY_CHARS);
    self->count = json_array_size(args->comments);
    self->comments = g_new0(ReviewComment, self->count + 1);
    for (size_t i = 0; i < self->count; i++)
        read_comment(self, i, json_array_get(args->comments, i));
    if (args->commit_id && !is_spelled(args->commit_id, "0123456789abcdefABCDEF", 40, 40))
        add_problem(self, "commit_id", "must be 40 hexadecimal digits");
    if (args->idempotency_key &&
        !is_spelled(args->idempotency_key,
                    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", 1,
                    MAX_KEY_CHARS))
        add_problem(self, "idempotency_key", "must be 1 to %d of the characters A-Z a-z 0-9 . _ -",
                    MAX_KEY_CHARS);
    return !answer_has_failed(self->pr->answer);
}
