/*
 * agent-tools mmd-validate (agent-tools-cli §8): checks the Mermaid diagrams of documents.
 */
#include "agenttools/agenttools.h"
#include "agenttools/input.h"
#include "agenttools/mermaid/mmd.h"
#include "agenttools/mermaid/mmd_document.h"
#include "agenttools/mermaid/mmd_engine.h"
#include "base/file.h"
#include "base/path.h"
#include "base/utf8.h"

#define CONTEXT_CHARS_MAX 200 // of the line that an error quotes

typedef struct ValidateArgs {
    const json_t *files;
    const char *content, *path;
    const char *format, *engine;
    bool is_exit_zero; // read by the command line
} ValidateArgs;

static const char *const formats[] = { "auto", "markdown", "mermaid", NULL };
static const char *const engines[] = { "native", "mermaid", "auto", NULL };

static const FieldDef validate_fields[] = {
    { "files", FIELD_STRING_LIST, offsetof(ValidateArgs, files), .value_name = "FILE",
      .help = "Documents to check; their diagrams are numbered through" },
    { "content", FIELD_STRING, offsetof(ValidateArgs, content), .value_name = "TEXT",
      .help = "The document itself, in place of files; on the command line standard input" },
    { "path", FIELD_STRING, offsetof(ValidateArgs, path), .value_name = "FILE",
      .help = "What to call the content in messages; its ending gives the format" },
    { "format", FIELD_ENUM, offsetof(ValidateArgs, format), .values = formats,
      .default_text = "\"auto\"",
      .help = "Markdown with mermaid fences, or one diagram; auto looks at name and text" },
    { "engine", FIELD_ENUM, offsetof(ValidateArgs, engine), .values = engines,
      .default_text = "\"native\"",
      .help = "native: built in; mermaid: the real parser, which needs Node.js; auto: the real "
              "parser only for types of which native knows just the header" },
    { "exitZero", FIELD_BOOLEAN, offsetof(ValidateArgs, is_exit_zero),
      .help = "Command line: exit code 0 for invalid diagrams too" },
    { 0 },
};

static const char *const class_names[] = {
    "unknown_type", "empty", "frontmatter", "syntax", "semantic", "unclosed_fence", NULL
};
static const char *const checked_names[] = { "full", "header", NULL };

static const FieldDef related_output[] = {
    { "line", FIELD_INTEGER, 0, .is_required = true },
    { "column", FIELD_INTEGER, 0, .is_required = true },
    { "message", FIELD_STRING, 0, .is_required = true },
    { 0 },
};

static const FieldDef error_output[] = {
    { "diagramIndex", FIELD_INTEGER, 0, .is_required = true },
    { "class", FIELD_ENUM, 0, .is_required = true, .values = class_names },
    { "message", FIELD_STRING, 0, .is_required = true },
    { "line", FIELD_INTEGER, 0, .is_required = true, .help = "In the document, from 1" },
    { "column", FIELD_INTEGER, 0, .is_required = true, .help = "Counts characters, from 1" },
    { "context", FIELD_STRING, 0, .is_required = true, .help = "The line, at most 200 characters" },
    { "hint", FIELD_STRING, 0, .help = "What to write instead" },
    { "related", FIELD_OBJECT_LIST, 0, .is_required = true, .item_fields = related_output,
      .help = "Where the thing that is not closed was opened" },
    { 0 },
};

static const FieldDef diagram_output[] = {
    { "index", FIELD_INTEGER, 0, .is_required = true },
    { "file", FIELD_STRING, 0, .help = "When several files were given" },
    { "valid", FIELD_BOOLEAN, 0, .is_required = true },
    { "diagramType", FIELD_STRING, 0, .help = "mermaid's own id; null: unknown" },
    { "startLine", FIELD_INTEGER, 0, .is_required = true, .help = "First line, in the document" },
    { "endLine", FIELD_INTEGER, 0, .is_required = true },
    { "checked", FIELD_ENUM, 0, .is_required = true, .values = checked_names,
      .help = "header: only the first word was checked" },
    { "errors", FIELD_OBJECT_LIST, 0, .item_fields = error_output },
    { 0 },
};

static const FieldDef summary_output[] = {
    { "total", FIELD_INTEGER, 0, .is_required = true },
    { "valid", FIELD_INTEGER, 0, .is_required = true },
    { "invalid", FIELD_INTEGER, 0, .is_required = true },
    { "unchecked", FIELD_INTEGER, 0, .is_required = true,
      .help = "Valid ones of which only the header was checked" },
    { 0 },
};

static const FieldDef validate_output[] = {
    { "diagrams", FIELD_OBJECT_LIST, 0, .is_required = true, .item_fields = diagram_output,
      .help = "In order, those of several files numbered through" },
    { "summary", FIELD_OBJECT, 0, .is_required = true, .item_fields = summary_output,
      .help = "How many are valid" },
    { "engine", FIELD_ENUM, 0, .is_required = true, .values = engines,
      .help = "What checked them; auto: both did" },
    { 0 },
};

static const char *const words[] = { "files", NULL };

static const OperationExample validate_examples[] = {
    { "kedge agent-tools mmd-validate docs/design.md docs/flow.mmd",
      "{\"files\":[\"docs/design.md\",\"docs/flow.mmd\"]}",
      "{\"diagrams\":[{\"index\":0,\"file\":\"docs/design.md\",\"valid\":true,\"diagramType\":"
      "\"flowchart-v2\",\"startLine\":6,\"endLine\":7,\"checked\":\"full\"},{\"index\":1,\"file\":"
      "\"docs/flow.mmd\",\"valid\":true,\"diagramType\":\"pie\",\"startLine\":1,\"endLine\":3,"
      "\"checked\":\"full\"}],\"summary\":{\"total\":2,\"valid\":2,\"invalid\":0,\"unchecked\":0},"
      "\"engine\":\"native\"}" },
    { "printf 'flowchart TD\\n    A --> B\\n' | kedge agent-tools mmd-validate",
      "{\"content\":\"flowchart TD\\n    A --> B\\n\"}",
      "{\"diagrams\":[{\"index\":0,\"valid\":true,\"diagramType\":\"flowchart-v2\",\"startLine\":1,"
      "\"endLine\":2,\"checked\":\"full\"}],\"summary\":{\"total\":1,\"valid\":1,\"invalid\":0,"
      "\"unchecked\":0},\"engine\":\"native\"}" },
    { 0 },
};

// ---- what is checked ----

typedef struct Document {
    const char *name; // for messages; borrowed
    char *text;
    size_t size;
    GPtrArray *blocks;
} Document;

typedef struct Diagram {
    const Document *document;
    const MmdBlock *block;
    MmdVerdict verdict;
} Diagram;

typedef struct Check {    // one call
    GPtrArray *documents; // of Document *
    GPtrArray *diagrams;  // of Diagram *
    MmdFormat format;
    bool names_files; // several were given
    bool used_mermaid;
} Check;

static void document_free(void *document_)
{
    Document *document = document_;
    g_free(document->text);
    g_clear_pointer(&document->blocks, g_ptr_array_unref);
    g_free(document);
}

static void diagram_free(void *diagram_)
{
    Diagram *diagram = diagram_;
    mmd_verdict_clear(&diagram->verdict);
    g_free(diagram);
}

static void check_clear(Check *self)
{
    g_clear_pointer(&self->diagrams, g_ptr_array_unref);
    g_clear_pointer(&self->documents, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Check, check_clear)

/* `path` is what the format is guessed from; NULL: only the text. */
static void add_document(Check *self, const char *name, const char *path, const char *data,
                         size_t size)
{
    size_t mark = utf8_bom_size(data, size);
    Document *document = g_new0(Document, 1);
    document->name = name;
    document->text = utf8_from_bytes(data + mark, size - mark);
    document->size = strlen(document->text);
    document->blocks = mmd_document_blocks(document->text, document->size, path, self->format);
    g_ptr_array_add(self->documents, document);
    for (unsigned i = 0; i < document->blocks->len; i++) {
        Diagram *diagram = g_new0(Diagram, 1);
        diagram->document = document;
        diagram->block = document->blocks->pdata[i];
        g_ptr_array_add(self->diagrams, diagram);
    }
}

static json_t *file_details(const char *name)
{
    return json_make("field:%s context:%s", "files", name);
}

static void add_file(Check *self, const char *name, const char *cwd, Answer *answer)
{
    g_autofree char *path = path_absolute(name, cwd);
    g_autofree char *data = NULL;
    size_t size = 0;
    g_autoptr(GError) error = NULL;
    if (file_read(path, LIMIT_AGENT_INPUT_BYTES, &data, &size, &error))
        add_document(self, name, name, data, size);
    else if (error_is(error, KEDGE_ERROR_NOT_FOUND))
        answer_fail(answer, ANSWER_NOT_FOUND, file_details(name), "File not found: %s", name);
    else if (error_is(error, KEDGE_ERROR_LIMIT))
        answer_fail(answer, ANSWER_VALIDATION, file_details(name),
                    "File is too large: %s (limit %zu bytes)", name, LIMIT_AGENT_INPUT_BYTES);
    else
        answer_fail(answer, ANSWER_IO, file_details(name), "Cannot read %s: %s", name,
                    error->message);
}

/* False with an error when there is nothing to check. */
static bool read_documents(Check *self, const ValidateArgs *args, const char *cwd, Answer *answer,
                           GError **error)
{
    size_t count = json_array_size(args->files);
    if (count > 0 && args->content)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Validation failed: files and content exclude each other");
    if (count == 0 && (!args->content || utf8_is_blank(args->content)))
        return answer_error(error, ANSWER_NO_INPUT, NULL, "No input provided");

    self->names_files = count > 1;
    for (size_t i = 0; i < count; i++)
        add_file(self, json_string_value(json_array_get(args->files, i)), cwd, answer);
    if (count == 0) {
        const char *name = args->path != NULL ? args->path : "<stdin>";
        add_document(self, name, args->path, args->content, strlen(args->content));
    }
    return true;
}

/* Has the real parser look at all diagrams, or at those of which only the header is known. */
static bool ask_mermaid(Check *self, bool is_for_all, Cancel *cancel, GError **error)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new();
    g_autoptr(GPtrArray) verdicts = g_ptr_array_new();
    for (unsigned i = 0; i < self->diagrams->len; i++) {
        Diagram *diagram = self->diagrams->pdata[i];
        bool is_header_only = diagram->verdict.type != NULL && !diagram->verdict.is_full;
        if (!is_for_all && !is_header_only)
            continue;
        g_ptr_array_add(texts, diagram->block->text);
        g_ptr_array_add(verdicts, &diagram->verdict);
    }
    if (texts->len == 0 && !is_for_all)
        return true;
    self->used_mermaid = true;
    return mmd_engine_check((const char *const *)texts->pdata, (MmdVerdict *const *)verdicts->pdata,
                            texts->len, cancel, error);
}

static bool check_diagrams(Check *self, const char *engine, Cancel *cancel, GError **error)
{
    for (unsigned i = 0; i < self->diagrams->len; i++) {
        Diagram *diagram = self->diagrams->pdata[i];
        if (!cancel_check(cancel, error))
            return false;
        mmd_check(diagram->block->text, strlen(diagram->block->text), &diagram->verdict);
    }
    bool is_for_all = strcmp(engine, "mermaid") == 0;
    if (!is_for_all && !(strcmp(engine, "auto") == 0 && mmd_engine_is_set_up()))
        return true;

    g_autoptr(GError) failure = NULL;
    if (ask_mermaid(self, is_for_all, cancel, &failure))
        return true;
    if (!error_is(failure, KEDGE_ERROR_NOT_FOUND))
        return pass_error(error, &failure);
    return answer_error(error, ANSWER_UNAVAILABLE, NULL, "%s", failure->message);
}

// ---- the report ----

typedef struct Report {
    Answer *answer;
    const Document *document; // whose lines are ready
    MmdLines lines;
} Report;

static const char *report_seek(Report *self, const Document *document, size_t line,
                               size_t *ret_size)
{
    if (self->document != document)
        mmd_lines_init(&self->lines, document->text, document->size);
    self->document = document;
    return mmd_lines_seek(&self->lines, line, ret_size);
}

/* A place of a diagram's text, in the document: a fence's indentation and quote marks are part of
   the line there. */
static void report_locate(Report *self, const Diagram *diagram, size_t line, size_t column,
                          size_t *ret_line, size_t *ret_column)
{
    size_t size, own_size;
    const MmdBlock *block = diagram->block;
    *ret_line = MIN(block->start_line + line - 1, block->end_line);
    const char *whole = report_seek(self, diagram->document, *ret_line, &size);
    MmdLines own_lines;
    mmd_lines_init(&own_lines, block->text, strlen(block->text));
    mmd_lines_seek(&own_lines, line, &own_size);
    bool is_cut = block->fence_line > 0 && *block->text != '\0' && own_size < size;
    *ret_column = column + (is_cut ? (size_t)g_utf8_strlen(whole, (gssize)(size - own_size)) : 0);
}

typedef struct Finding {
    const char *class, *message, *hint;
    size_t line, column;               // in the document
    size_t opened_line, opened_column; // 0: none
} Finding;

static void report_error(Report *self, const Diagram *diagram, unsigned index,
                         const Finding *finding, json_t *errors)
{
    size_t size;
    const char *line = report_seek(self, diagram->document, finding->line, &size);
    g_autofree char *whole = g_strndup(line, size);
    bool is_long = utf8_length(whole) > CONTEXT_CHARS_MAX;
    g_autofree char *context =
        is_long ? utf8_ellipsize(whole, CONTEXT_CHARS_MAX - 1) : g_strdup(whole);
    json_t *related = json_array();
    if (finding->opened_line > 0)
        json_append_take(related, json_make("line:%zu column:%zu message:%s", finding->opened_line,
                                            finding->opened_column, "opened here"));
    json_append_take(errors, json_make("diagramIndex:%u class:%s message:%s line:%zu column:%zu "
                                       "context:%s hint:%s related:%p",
                                       index, finding->class, finding->message, finding->line,
                                       finding->column, context, finding->hint, related));

    answer_fail(
        self->answer, ANSWER_DIAGRAM_INVALID,
        json_make("line:%zu column:%zu context:%s", finding->line, finding->column, context),
        "%s:%zu:%zu: %s", diagram->document->name, finding->line, finding->column,
        finding->message);
}

/* New reference; empty for a valid diagram. */
static json_t *report_errors(Report *self, const Diagram *diagram, unsigned index)
{
    json_t *errors = json_array();
    if (diagram->block->is_unclosed) {
        const Finding finding = {
            .class = mmd_class_name(MMD_UNCLOSED_FENCE),
            .message = "the fence of this diagram is not closed",
            .hint = "Close it with a line of the same marks",
            .line = diagram->block->fence_line,
            .column = 1,
        };
        report_error(self, diagram, index, &finding, errors);
    }
    for (unsigned i = 0; i < diagram->verdict.errors->len; i++) {
        const MmdError *error = diagram->verdict.errors->pdata[i];
        Finding finding = {
            .class = mmd_class_name(error->class),
            .message = error->message,
            .hint = error->hint,
        };
        report_locate(self, diagram, error->line, error->column, &finding.line, &finding.column);
        if (error->opened_line > 0)
            report_locate(self, diagram, error->opened_line, error->opened_column,
                          &finding.opened_line, &finding.opened_column);
        report_error(self, diagram, index, &finding, errors);
    }
    return errors;
}

static void report_warn(Report *self, const Diagram *diagram, unsigned index)
{
    const MmdVerdict *verdict = &diagram->verdict;
    const char *type = verdict->type != NULL ? verdict->type : "unknown type";
    if (verdict->type && !verdict->is_full)
        answer_warn(self->answer, "Diagram %u (%s): only the header was checked", index, type);
    if (verdict->is_too_large)
        answer_warn(self->answer,
                    "Diagram %u (%s): too_large: mermaid draws no diagram of more than 50000 "
                    "characters",
                    index, type);
}

/* Takes `errors`. */
static json_t *report_diagram(const Check *check, const Diagram *diagram, unsigned index,
                              json_t *errors)
{
    const MmdVerdict *verdict = &diagram->verdict;
    bool is_valid = json_array_size(errors) == 0;
    bool is_header_only = verdict->type != NULL && !verdict->is_full;
    if (is_valid)
        g_clear_pointer(&errors, json_decref);
    return json_make("index:%u file:%s valid:%i diagramType:%s? startLine:%zu endLine:%zu "
                     "checked:%s errors:%p",
                     index, check->names_files ? diagram->document->name : NULL, is_valid,
                     verdict->type, diagram->block->start_line, diagram->block->end_line,
                     checked_names[is_header_only ? 1 : 0], errors);
}

static void check_report(const Check *check, const char *engine, Answer *answer)
{
    Report report = { .answer = answer };
    json_t *diagrams = json_array();
    gint64 valid_count = 0, unchecked_count = 0;
    for (unsigned i = 0; i < check->diagrams->len; i++) {
        const Diagram *diagram = check->diagrams->pdata[i];
        json_t *errors = report_errors(&report, diagram, i);
        bool is_valid = json_array_size(errors) == 0;
        valid_count += is_valid;
        unchecked_count += is_valid && diagram->verdict.type != NULL && !diagram->verdict.is_full;
        report_warn(&report, diagram, i);
        json_append_take(diagrams, report_diagram(check, diagram, i, errors));
    }
    json_t *summary =
        json_make("total:%u valid:%jd invalid:%jd unchecked:%jd", check->diagrams->len, valid_count,
                  check->diagrams->len - valid_count, unchecked_count);
    bool is_native = strcmp(engine, "auto") == 0 && !check->used_mermaid;
    answer_set_data(answer, json_make("diagrams:%p summary:%p engine:%s", diagrams, summary,
                                      is_native ? "native" : engine));
}

static bool validate_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ValidateArgs *args = args_;
    g_auto(Check) check = {
        .documents = g_ptr_array_new_with_free_func(document_free),
        .diagrams = g_ptr_array_new_with_free_func(diagram_free),
        .format = strcmp(args->format, "markdown") == 0  ? MMD_FORMAT_MARKDOWN
                  : strcmp(args->format, "mermaid") == 0 ? MMD_FORMAT_MERMAID
                                                         : MMD_FORMAT_AUTO,
    };
    if (!read_documents(&check, args, call->cwd, answer, error))
        return false;
    if (check.documents->len == 0)
        return true; // no file could be read, which the answer says
    if (!check_diagrams(&check, args->engine, call->cancel, error))
        return false;
    check_report(&check, args->engine, answer);
    return true;
}

const OperationDef operation_mmd_validate = {
    .tool = OPERATION_TOOL(
        validate, ValidateArgs, 0, .name = "mmd_validate", .label = "Check Mermaid diagrams",
        .summary = "Validate Mermaid diagram syntax",
        .description = "Checks the Mermaid diagrams in Markdown documents or diagram files. Each "
                       "error names its line in the document, what was expected and what was found "
                       "there. Needs no network."),
    OPERATION_PARTS(validate, "mmd-validate", NULL, validate_output),
    .words = words,
    .stdin_field = "content",
    .environment = "KEDGE_MERMAID_DIR: folder with mermaid and jsdom in node_modules, for --engine "
                   "mermaid",
};
