/*
 * agent-tools feedback read: what people wrote about a run's artifacts, and changed in them.
 */
#include "agenttools/agenttools.h"
#include "agenttools/emit/artifact_register.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/edits.h"
#include "agenttools/feedback/feedback.h"
#include "base/path.h"
#include "base/timefmt.h"

typedef struct ReadArgs {
    const char *run_id;
    const char *status, *artifact, *since, *format;
} ReadArgs;

static const char *const status_values[] = { "open", "resolved", "all", NULL };
static const char *const format_values[] = { "json", "markdown", NULL };
static const char *const mode_values[] = { "direct", "suggested", NULL };

static const FieldDef read_fields[] = {
    FEEDBACK_RUN_FIELD(ReadArgs),
    { "status", FIELD_ENUM, offsetof(ReadArgs, status), .values = status_values,
      .default_text = "\"open\"",
      .problem = "Invalid --status value: '{value}'. Must be one of: open, resolved, all",
      .help = "Which annotations" },
    { "artifact", FIELD_STRING, offsetof(ReadArgs, artifact), .refuses_blank = true,
      .value_name = "PATH|ID", .help = "Only of this artifact: its path or docId" },
    { "since", FIELD_STRING, offsetof(ReadArgs, since), .value_name = "TIME",
      .help = "Only what changed at or after this time (ISO 8601)" },
    { "format", FIELD_ENUM, offsetof(ReadArgs, format), .values = format_values,
      .default_text = "\"json\"", .help = "markdown: add a text to hand over" },
    { 0 },
};

static const FieldDef reply_output[] = {
    { "id", FIELD_INTEGER, 0, .is_required = true, .help = "The reply" },
    { "content", FIELD_STRING, 0, .is_required = true, .help = "Text" },
    { "author", FIELD_STRING, 0, .is_required = true, .help = "user or agent; a name may follow" },
    { "createdAt", FIELD_STRING, 0, .is_required = true, .help = "Time" },
    { "editedAt", FIELD_STRING, 0, .help = "Time, when its text was changed" },
    { 0 },
};

static const FieldDef annotation_output[] = {
    { "id", FIELD_INTEGER, 0, .is_required = true, .help = "The annotation" },
    { "docId", FIELD_STRING, 0, .help = "Artifact; null for a comment on the run" },
    { "runId", FIELD_STRING, 0, .help = "Run; null for every run that has the artifact" },
    { "artifactPath", FIELD_STRING, 0, .help = "Path of the artifact" },
    { "content", FIELD_STRING, 0, .is_required = true, .help = "Text" },
    { "anchor", FIELD_OBJECT, 0, .help = "Where it sits; null for the whole artifact" },
    { "line", FIELD_INTEGER, 0, .help = "First line of that place now" },
    { "endLine", FIELD_INTEGER, 0, .help = "Last line" },
    { "status", FIELD_STRING, 0, .is_required = true, .help = "open or resolved" },
    { "orphaned", FIELD_BOOLEAN, 0, .is_required = true,
      .help = "The anchor's text is not in the file any more" },
    { "author", FIELD_STRING, 0, .is_required = true, .help = "user or agent; a name may follow" },
    { "replies", FIELD_OBJECT_LIST, 0, .is_required = true, .item_fields = reply_output,
      .help = "Replies, oldest first" },
    { "createdAt", FIELD_STRING, 0, .is_required = true, .help = "Time" },
    { "updatedAt", FIELD_STRING, 0, .is_required = true, .help = "Time, of replies too" },
    { "answerTo", FIELD_INTEGER, 0, .help = "The waiting_for_user event that it answers" },
    { "editedAt", FIELD_STRING, 0, .help = "Time, when its text was changed" },
    { "artifactMissing", FIELD_BOOLEAN, 0, .help = "true when the file is gone" },
    { 0 },
};

static const FieldDef edit_output[] = {
    { "editId", FIELD_INTEGER, 0, .is_required = true, .help = "The edit" },
    { "docId", FIELD_STRING, 0, .is_required = true, .help = "Artifact" },
    { "runId", FIELD_STRING, 0, .help = "Run; null for every run that has the artifact" },
    { "artifactPath", FIELD_STRING, 0, .is_required = true, .help = "Path of the artifact" },
    { "mode", FIELD_ENUM, 0, .is_required = true, .values = mode_values,
      .help = "direct: in the file already; suggested: not yet" },
    { "patch", FIELD_STRING, 0, .is_required = true, .help = "Unified diff" },
    { "status", FIELD_STRING, 0, .is_required = true, .help = "pending" },
    { "author", FIELD_STRING, 0, .is_required = true, .help = "user or agent; a name may follow" },
    { "createdAt", FIELD_STRING, 0, .is_required = true, .help = "Time" },
    { "updatedAt", FIELD_STRING, 0, .is_required = true, .help = "Time" },
    { "artifactMissing", FIELD_BOOLEAN, 0, .help = "true when the file is gone" },
    { 0 },
};

static const FieldDef summary_output[] = {
    { "totalAnnotations", FIELD_INTEGER, 0, .is_required = true, .help = "Threads" },
    { "totalEdits", FIELD_INTEGER, 0, .is_required = true, .help = "Edits" },
    { "byArtifactType", FIELD_OBJECT, 0, .is_required = true,
      .help = "Both, counted by requirements, design, code, markdown, general, other" },
    { 0 },
};

static const FieldDef read_output[] = {
    { "runId", FIELD_STRING, 0, .is_required = true, .help = "The run" },
    { "annotations", FIELD_OBJECT_LIST, 0, .is_required = true, .item_fields = annotation_output,
      .help = "Threads, oldest first" },
    { "edits", FIELD_OBJECT_LIST, 0, .is_required = true, .item_fields = edit_output,
      .help = "Pending edits, oldest first" },
    { "summary", FIELD_OBJECT, 0, .is_required = true, .item_fields = summary_output,
      .help = "Counts" },
    { "markdown", FIELD_STRING, 0, .help = "The same as text; with --format markdown" },
    { 0 },
};

static const OperationExample read_examples[] = {
    { "kedge agent-tools feedback read --run-id 550e8400-e29b-41d4-a716-446655440000",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\"}",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"annotations\":[{\"id\":42,"
      "\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\",\"runId\":null,"
      "\"artifactPath\":\"features/auth/design.md\","
      "\"content\":\"Clarify whether this runs before or after init.\","
      "\"anchor\":{\"type\":\"text-selection\",\"startOffset\":120,\"endOffset\":139,"
      "\"selectedText\":\"run before or after\",\"contextBefore\":\"must \","
      "\"contextAfter\":\" init\"},\"line\":9,\"endLine\":9,\"status\":\"open\","
      "\"orphaned\":false,\"author\":\"user\",\"replies\":[{\"id\":43,\"content\":\"Before.\","
      "\"author\":\"agent\",\"createdAt\":\"2026-03-04T05:10:00.000Z\"}],"
      "\"createdAt\":\"2026-03-04T05:06:07.089Z\",\"updatedAt\":\"2026-03-04T05:10:00.000Z\"}],"
      "\"edits\":[{\"editId\":3,\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\","
      "\"runId\":null,\"artifactPath\":\"features/auth/design.md\",\"mode\":\"direct\","
      "\"patch\":\"--- a/features/auth/design.md\\n+++ b/features/auth/design.md\\n"
      "@@ -8,3 +8,3 @@\\n ## Order\\n-may run\\n+must run\\n \\n\",\"status\":\"pending\","
      "\"author\":\"user\",\"createdAt\":\"2026-03-04T05:08:00.000Z\","
      "\"updatedAt\":\"2026-03-04T05:08:00.000Z\"}],"
      "\"summary\":{\"totalAnnotations\":1,\"totalEdits\":1,"
      "\"byArtifactType\":{\"design\":2}}}" },
    { "kedge agent-tools feedback read --run-id 550e8400-e29b-41d4-a716-446655440000 --status all "
      "--artifact features/auth/design.md --format markdown",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"status\":\"all\","
      "\"artifact\":\"features/auth/design.md\",\"format\":\"markdown\"}",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"annotations\":[],\"edits\":[],"
      "\"summary\":{\"totalAnnotations\":0,\"totalEdits\":0,\"byArtifactType\":{}},"
      "\"markdown\":\"# Feedback for run 550e8400-e29b-41d4-a716-446655440000\\n\\n"
      "Annotations: 0. Edits: 0.\\n\"}" },
    { 0 },
};

/* The artifact that `name` means: its docId, its path, or a path to its file. */
static const RunArtifact *find_artifact(const GPtrArray *artifacts, const char *name,
                                        const char *cwd)
{
    g_autofree char *file = path_absolute(name, cwd);
    for (unsigned i = 0; i < artifacts->len; i++) {
        const RunArtifact *artifact = artifacts->pdata[i];
        g_autofree char *own = run_artifact_file(artifact);
        if (strcmp(artifact->doc_id, name) == 0 || strcmp(artifact->path, name) == 0 ||
            strcmp(own, file) == 0)
            return artifact;
    }
    return NULL;
}

static bool make_filter(const OperationCall *call, const ReadArgs *args, const GPtrArray *artifacts,
                        AnnotationFilter *ret_filter, GError **error)
{
    *ret_filter = (AnnotationFilter) { .run_id = args->run_id, .status = args->status };
    if (args->since) {
        g_autoptr(GDateTime) since = g_date_time_new_from_iso8601(args->since, NULL);
        if (!since)
            return answer_error(error, ANSWER_VALIDATION, NULL,
                                "Invalid --since value: '%s'. Must be a time such as "
                                "2026-03-04T05:06:07Z",
                                args->since);
        ret_filter->since_ms =
            g_date_time_to_unix(since) * 1000 + g_date_time_get_microsecond(since) / 1000;
    }
    if (args->artifact) {
        const RunArtifact *artifact = find_artifact(artifacts, args->artifact, call->cwd);
        if (!artifact)
            return answer_error(error, ANSWER_NOT_FOUND, NULL,
                                "Artifact \"%s\" was not found in run %s", args->artifact,
                                args->run_id);
        ret_filter->doc_id = artifact->doc_id;
    }
    return true;
}

/* Both texts have the form of time_format_iso(). */
static void drop_older(json_t *edits, int64_t since_ms)
{
    g_autofree char *since = time_format_iso(since_ms);
    for (size_t i = json_array_size(edits); i > 0; i--)
        if (strcmp(json_get_text(json_array_get(edits, i - 1), "updatedAt"), since) < 0)
            json_array_remove(edits, i - 1);
}

static const char *const artifact_types[] = {
    "requirements", "design", "code", "markdown", "general", "other",
};

static const char *type_of(const json_t *item)
{
    const char *path = json_get_text(item, "artifactPath");
    if (!path)
        return "general";
    if (strstr(path, "requirements"))
        return "requirements";
    if (strstr(path, "design"))
        return "design";
    if (strcmp(artifact_type_of(path), "code") == 0)
        return "code";
    return g_str_has_suffix(path, ".md") || g_str_has_suffix(path, ".mdx") ? "markdown" : "other";
}

static void count_types(const json_t *items, json_t *counts)
{
    json_each ((json_t *)items, index, item) {
        const char *type = type_of(item);
        json_set_int(counts, type, json_get_int(counts, type, 0) + 1);
    }
}

static json_t *summary_of(const json_t *annotations, const json_t *edits)
{
    g_autoptr(json_t) counts = json_object();
    count_types(annotations, counts);
    count_types(edits, counts);
    json_t *by_type = json_object(); // in an order that does not depend on what came first
    for (size_t i = 0; i < G_N_ELEMENTS(artifact_types); i++)
        if (json_get_int(counts, artifact_types[i], 0) > 0)
            json_set_int(by_type, artifact_types[i], json_get_int(counts, artifact_types[i], 0));
    return json_make("totalAnnotations:%zu totalEdits:%zu byArtifactType:%p",
                     json_array_size(annotations), json_array_size(edits), by_type);
}

// ---- as Markdown: what people wrote is quoted, and files' text is fenced ----

#define GENERAL "General"

/* Each line after "> ". */
static void append_quote(GString *out, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(out, "%s%s\n", **line ? "> " : ">", *line);
    g_string_append_c(out, '\n');
}

/* In a fence longer than any run of backticks in it. */
static void append_fenced(GString *out, const char *language, const char *text)
{
    size_t longest = 2, run = 0;
    for (const char *p = text; *p; p++) {
        run = *p == '`' ? run + 1 : 0;
        longest = MAX(longest, run);
    }
    g_autofree char *fence = g_strnfill(longest + 1, '`');
    g_string_append_printf(out, "%s%s\n%s%s%s\n\n", fence, language, text,
                           g_str_has_suffix(text, "\n") ? "" : "\n", fence);
}

/* Where a thread sits: "lines 9-10", "orphaned". */
static char *place_of(const json_t *annotation)
{
    int64_t line = json_get_int(annotation, "line", 0);
    int64_t end_line = json_get_int(annotation, "endLine", 0);
    if (json_get_bool(annotation, "orphaned", false))
        return g_strdup(", text not found any more");
    if (line == 0)
        return g_strdup("");
    if (end_line > line)
        return g_strdup_printf(", lines %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, line, end_line);
    return g_strdup_printf(", line %" G_GINT64_FORMAT, line);
}

static const char *anchored_text(const json_t *annotation)
{
    const json_t *anchor = json_get_object(annotation, "anchor");
    const char *text = json_get_text(anchor, "selectedText");
    return text ? text : json_get_text(anchor, "lineContent");
}

static void append_annotation(GString *out, const json_t *annotation)
{
    g_autofree char *place = place_of(annotation);
    const char *text = anchored_text(annotation);
    g_string_append_printf(out, "### Annotation %" G_GINT64_FORMAT "%s (%s)\n\n",
                           json_get_int(annotation, "id", 0), place,
                           json_get_text(annotation, "status"));
    if (text && *text)
        append_fenced(out, "text", text);
    g_string_append_printf(out, "%s, %s:\n\n", json_get_text(annotation, "author"),
                           json_get_text(annotation, "createdAt"));
    append_quote(out, json_get_text(annotation, "content"));
    json_each (json_get_array(annotation, "replies"), index, reply) {
        g_string_append_printf(out, "%s, %s:\n\n", json_get_text(reply, "author"),
                               json_get_text(reply, "createdAt"));
        append_quote(out, json_get_text(reply, "content"));
    }
}

static void append_edit(GString *out, const json_t *edit)
{
    g_string_append_printf(out, "### Edit %" G_GINT64_FORMAT " (%s)\n\n%s, %s:\n\n",
                           json_get_int(edit, "editId", 0), json_get_text(edit, "mode"),
                           json_get_text(edit, "author"), json_get_text(edit, "createdAt"));
    append_fenced(out, "diff", json_get_text(edit, "patch"));
}

static const char *section_of(const json_t *item)
{
    const char *path = json_get_text(item, "artifactPath");
    return path ? path : GENERAL;
}

/* The sections of `items` that are not in `sections` yet; borrowed. */
static void add_sections(GPtrArray *sections, const json_t *items)
{
    json_each ((json_t *)items, index, item) {
        char *section = (char *)section_of(item);
        if (!g_ptr_array_find_with_equal_func(sections, section, g_str_equal, NULL))
            g_ptr_array_add(sections, section);
    }
}

static void append_items(GString *out, const json_t *items, const char *section,
                         void (*append)(GString *out, const json_t *item))
{
    json_each ((json_t *)items, index, item) {
        if (strcmp(section_of(item), section) == 0)
            append(out, item);
    }
}

/* All of it, from the data of the answer. Caller frees. */
static char *feedback_markdown(const json_t *data)
{
    const json_t *annotations = json_get_array(data, "annotations");
    const json_t *edits = json_get_array(data, "edits");
    g_autoptr(GPtrArray) sections = g_ptr_array_new();
    add_sections(sections, annotations);
    add_sections(sections, edits);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "# Feedback for run %s\n\nAnnotations: %zu. Edits: %zu.\n\n",
                           json_get_text(data, "runId"), json_array_size(annotations),
                           json_array_size(edits));
    for (unsigned i = 0; i < sections->len; i++) {
        const char *section = sections->pdata[i];
        g_string_append_printf(out, "## %s\n\n", section);
        append_items(out, annotations, section, append_annotation);
        append_items(out, edits, section, append_edit);
    }
    g_string_truncate(out, out->len - 1); // one newline at the end
    return g_string_free(out, FALSE);
}

// ---- the operation ----

static bool read_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ReadArgs *args = args_;
    int64_t now_ms = tool_call_now_ms(call->tool_call);
    g_autoptr(Db) db = NULL;
    g_autoptr(GPtrArray) artifacts = NULL;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(json_t) annotations = NULL;
    g_autoptr(json_t) edits = NULL;
    AnnotationFilter filter;
    if (!feedback_open(call, args->run_id, answer, &db, error) ||
        !run_artifact_list(db, args->run_id, &artifacts, error) ||
        !make_filter(call, args, artifacts, &filter, error) ||
        !annotation_list(db, &filter, warnings, &annotations, error) ||
        !edit_list_pending(db, args->run_id, filter.doc_id, warnings, now_ms, &edits, error))
        return false;
    drop_older(edits, filter.since_ms);
    answer_warn_all(answer, warnings);
    json_t *data =
        json_make("runId:%s annotations:%p edits:%p summary:%p", args->run_id,
                  json_incref(annotations), json_incref(edits), summary_of(annotations, edits));
    if (strcmp(args->format, "markdown") == 0) {
        g_autofree char *markdown = feedback_markdown(data);
        json_set_text(data, "markdown", markdown);
    }
    answer_set_data(answer, data);
    return true;
}

const OperationDef operation_feedback_read = {
    .tool = OPERATION_TOOL(
        read, ReadArgs, 0, .name = "feedback_read", .label = "Read feedback",
        .summary = "Show open annotations and pending edits of a run",
        .description =
            "Shows what people wrote about a run's artifacts and changed in them: annotations with "
            "their replies and where they sit in the file now, and pending edits as patches."),
    OPERATION_PARTS(read, "feedback", "read", read_output),
};
