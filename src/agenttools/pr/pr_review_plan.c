/*
 * submit-review: where each comment goes, and the texts that are made of those that have no line
 * (pr_review.h). Pure but for the answer's warnings and errors.
 */
#include "agenttools/pr/pr_review.h"

#include "base/utf8.h"

#define HEADING "### Comments outside the diff"

// ---- what the field table cannot say of the arguments ----

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

// ---- where each comment goes ----

static bool is_unplaceable(const ReviewComment *comment)
{
    return diff_place_name(comment->place) != NULL;
}

static Placed plan_one(const Review *self, const DiffPlaces *diff, const ReviewComment *comment)
{
    if (comment->is_file)
        return is_unplaceable(comment) ? PLACED_BODY : PLACED_FILE;
    if (!is_unplaceable(comment))
        return PLACED_INLINE;
    bool wants_file = strcmp(self->args->on_invalid_line, "file") == 0;
    return wants_file && diff_places_has_path(diff, comment->spot.path) ? PLACED_FILE : PLACED_BODY;
}

void review_plan(Review *self, const DiffPlaces *diff, bool trusts_unverifiable)
{
    for (size_t i = 0; i < self->count; i++) {
        ReviewComment *comment = &self->comments[i];
        if (comment->is_file)
            comment->place =
                diff_places_has_path(diff, comment->spot.path) ? PLACE_OK : PLACE_PATH_NOT_IN_DIFF;
        else
            comment->place = diff_places_find(diff, &comment->spot, &comment->nearest_line);
        if (comment->place == PLACE_UNVERIFIABLE && !trusts_unverifiable)
            comment->place = PLACE_LINE_NOT_IN_DIFF;
        comment->planned = plan_one(self, diff, comment);
    }
}

bool review_check_lines(Review *self)
{
    bool is_good = true;
    for (size_t i = 0; i < self->count; i++) {
        const ReviewComment *comment = &self->comments[i];
        if (!is_unplaceable(comment) || comment->same)
            continue;
        g_autofree char *nearest =
            comment->nearest_line > 0
                ? g_strdup_printf("; nearest commentable line is %" G_GINT64_FORMAT,
                                  comment->nearest_line)
                : g_strdup("");
        json_t *details = json_object();
        g_autofree char *field = g_strdup_printf("comments[%zu].line", i);
        json_set_text(details, "field", field);
        json_set_text(details, "reason", diff_place_name(comment->place));
        answer_fail(self->pr->answer, ANSWER_VALIDATION, details,
                    "Validation failed: comments[%zu] (%s:%" G_GINT64_FORMAT ") %s%s", i,
                    comment->spot.path, comment->spot.line, diff_place_words(comment->place),
                    nearest);
        is_good = false;
    }
    return is_good;
}

/* "**path:line** (reason)", a blank line, and the text. Caller frees. */
static char *review_comment_entry(const ReviewComment *comment)
{
    g_autofree char *line = comment->spot.line > 0
                                ? g_strdup_printf(":%" G_GINT64_FORMAT, comment->spot.line)
                                : g_strdup("");
    const char *reason = comment->problem ? comment->problem : diff_place_words(comment->place);
    return g_strdup_printf("**%s%s** (%s)\n\n%s", comment->spot.path, line, reason, comment->body);
}

static bool pr_review_plan_fits(const GString *text, const char *more, size_t reserved)
{
    return utf8_length(text->str) + utf8_length(more) + 2 + reserved <= PULL_MAX_BODY_CHARS;
}

char *review_key_text(const ReviewArgs *args)
{
    return args->idempotency_key
               ? g_strdup_printf("\n\n<!-- kedge-key:%s -->", args->idempotency_key)
               : g_strdup("");
}

void review_compose(Review *self)
{
    g_autofree char *key = review_key_text(self->args);
    g_autoptr(GString) body = g_string_new(self->args->body);
    bool has_heading = false;
    g_clear_pointer(&self->overflow, g_ptr_array_unref);
    self->overflow = g_ptr_array_new();
    for (size_t i = 0; i < self->count; i++) {
        ReviewComment *comment = &self->comments[i];
        if (comment->planned != PLACED_BODY || comment->same)
            continue;
        g_autofree char *text = review_comment_entry(comment);
        g_autofree char *part = g_strconcat(has_heading ? "" : HEADING "\n\n", text, NULL);
        if (self->overflow->len > 0 || !pr_review_plan_fits(body, part, utf8_length(key))) {
            g_ptr_array_add(self->overflow, comment);
            continue;
        }
        g_string_append_printf(body, "%s%s", body->len > 0 ? "\n\n" : "", part);
        has_heading = true;
    }
    g_string_append(body, key);
    g_free(self->body);
    self->body = g_strdup(body->str);
}

/* A text longer than a comment may be, in pieces. */
static void add_pieces(GPtrArray *texts, const char *text)
{
    for (const char *at = text; *at;) {
        size_t left = utf8_length(at);
        const char *end = g_utf8_offset_to_pointer(at, (long)MIN(left, PULL_MAX_BODY_CHARS));
        g_ptr_array_add(texts, g_strndup(at, (size_t)(end - at)));
        at = end;
    }
}

GPtrArray *review_general_texts(const GPtrArray *comments)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) text = g_string_new(HEADING);
    for (unsigned i = 0; i < comments->len; i++) {
        g_autofree char *part = review_comment_entry(comments->pdata[i]);
        if (!pr_review_plan_fits(text, part, 0) && text->len > strlen(HEADING)) {
            add_pieces(texts, text->str);
            g_string_assign(text, HEADING);
        }
        g_string_append_printf(text, "\n\n%s", part);
    }
    add_pieces(texts, text->str);
    return texts;
}

char *review_file_text(const ReviewComment *comment)
{
    if (comment->is_file || comment->spot.line == 0)
        return g_strdup(comment->body);
    return g_strdup_printf("Line %" G_GINT64_FORMAT ": %s", comment->spot.line, comment->body);
}

json_t *review_request(const Review *self, bool has_inline)
{
    json_t *request =
        json_make("body:%s event:%s commit_id:%s", self->body, self->args->event, self->commit_id);
    g_autoptr(json_t) comments = json_array();
    for (size_t i = 0; has_inline && i < self->count; i++) {
        const ReviewComment *comment = &self->comments[i];
        if (comment->planned != PLACED_INLINE || comment->same)
            continue;
        json_t *item = json_object();
        pull_comment_fill(item, &comment->spot, comment->body, false);
        json_append_take(comments, item);
    }
    if (json_array_size(comments) > 0)
        json_set_take(request, "comments", json_incref(comments));
    return request;
}
