/* See question.h. */
#include "tool/question.h"

#include "base/dirs.h"
#include "base/fd.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/visible.h"
#include "tool/write_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define LINE_ARGUMENT_BYTES ((size_t)2000) // an argument up to this is one line
#define NOTE_BYTES          ((size_t)2000)

void question_clear(Question *self)
{
    if (self->file && self->is_own_file)
        unlink(self->file);
    g_clear_pointer(&self->file, g_free);
    g_clear_pointer(&self->text, g_free);
}

char *question_digest(const ToolCall *call)
{
    g_autofree char *arguments = json_to_canonical(call->arguments.decoded);
    g_autofree char *whole = g_strconcat(call->spec->tool->name, "\n", arguments, NULL);
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, whole, -1);
}

// ---- the whole text ----

static void append_argument(GString *out, const char *key, const json_t *value)
{
    g_autofree char *line = json_to_text(value);
    g_string_append(out, "\n  ");
    visible_append(out, key);
    const char *string = json_string_value(value);
    bool has_lines = string && strchr(string, '\n');
    if (strlen(line) <= LINE_ARGUMENT_BYTES && !has_lines) {
        g_string_append(out, ": ");
        visible_append(out, line);
        return;
    }
    g_autofree char *pretty = string ? NULL : json_to_pretty(value);
    const char *text = pretty ? pretty : string;
    g_string_append_printf(out, " (%zu bytes):", strlen(text));
    visible_append_block(out, "  | ", text);
}

/* What is to be known of the files that it writes. */
static void append_guards(GString *out, const ToolCall *call)
{
    const GPtrArray *guards = call->guards;
    for (guint i = 0; guards && i < guards->len; i++) {
        const WriteGuard *guard = guards->pdata[i];
        if (guard->level == GUARD_NONE)
            continue;
        g_autofree char *text = write_guard_text(guard, tool_context_cwd(call->spec->context));
        g_string_append_printf(out, "\n  ! %s", text);
    }
}

/* "WRITE on github.com/o/r: creates a pull request", then the arguments. */
static GString *text_of_call(const ToolCall *call, const Judgement *judgement)
{
    g_autofree char *word = g_ascii_strup(effect_name(judgement->effect), -1);
    GString *text = g_string_new(word);
    if (judgement->host || judgement->repo) {
        g_string_append(text, " on ");
        visible_append(text, judgement->host ? judgement->host : "");
        g_string_append(text, judgement->host && judgement->repo ? "/" : "");
        visible_append(text, judgement->repo ? judgement->repo : "");
    }
    g_string_append(text, ": ");
    visible_append(text, judgement->summary);
    append_guards(text, call);
    g_string_append_printf(text, "\n  %s", call->spec->tool->name);

    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach (call->arguments.decoded, key, value)
        append_argument(text, key, value);
    return text;
}

// ---- what of it is too long ----

/* Where the part that is shown ends. */
static size_t shown_length(const char *text)
{
    g_autofree char *cut = str_truncate(text, QUESTION_MAX_BYTES);
    size_t length = strlen(cut), lines = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n' && ++lines == QUESTION_MAX_LINES)
            return i;
    return length;
}

static bool save_beside(const char *text, char **ret_file, GError **error)
{
    g_autofree char *path = g_build_filename(dirs_temp(), "kedge-question-XXXXXX", NULL);
    g_auto(Fd) fd = g_mkstemp_full(path, O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot make a file in %s", dirs_temp());
    if (!fd_write_all(fd, text, strlen(text), path, error)) {
        unlink(path);
        return false;
    }
    *ret_file = g_steal_pointer(&path);
    return true;
}

/* An artifact, so that it is there when the conversation is read again. */
static bool save_whole(const ToolCall *call, const char *text, Question *question, GError **error)
{
    g_autofree char *masked = mask_text(text);
    Artifacts *artifacts = tool_context_artifacts(call->spec->context);
    g_autofree char *id = NULL;
    question->is_own_file = !artifacts;
    if (!artifacts)
        return save_beside(masked, &question->file, error);
    return artifacts_save(artifacts, "question", masked, strlen(masked), &id, error) &&
           artifacts_find(artifacts, id, &question->file, error);
}

static bool question_bound(const ToolCall *call, GString *text, Question *question, GError **error)
{
    size_t shown = shown_length(text->str), rest = text->len - shown;
    if (rest == 0)
        return true;
    if (!save_whole(call, text->str, question, error)) {
        g_prefix_error(error, "refused: %s: what would be asked is too long to be shown: ",
                       call->spec->tool->name);
        return false;
    }
    g_string_truncate(text, shown);
    g_string_append_printf(text, "\n  … (+%zu bytes): the whole question is in %s", rest,
                           question->file);
    return true;
}

static void append_note(GString *out, const char *name, const char *text)
{
    g_autofree char *cut = text ? str_truncate(text, NOTE_BYTES) : NULL;
    if (!cut)
        return;
    g_string_append_printf(out, "\n  %s: ", name);
    visible_append(out, cut);
}

bool question_make(const ToolCall *call, const Judgement *judgement, const char *earlier,
                   const char *leaving, Question *ret_question, GError **error)
{
    g_autoptr(GString) text =
        judgement->question ? g_string_new(judgement->question) : text_of_call(call, judgement);
    append_note(text, "may be what was refused before", earlier);
    append_note(text, "private text may leave", leaving);
    if (!question_bound(call, text, ret_question, error))
        return false;
    ret_question->text = g_string_free(g_steal_pointer(&text), FALSE);
    return true;
}
