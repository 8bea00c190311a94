/*
 * Header and body: small texts with a fixed form, since programs and tests match them.
 */
#include "github/audit/gh_header.h"

#include "base/limits.h"
#include "base/str.h"

#define MAX_WORD_BYTES 256

char *gh_plain_word(const char *text, size_t max_bytes)
{
    if (str_is_empty(text))
        return g_strdup("-");
    char *word = g_strndup(text, max_bytes);
    for (char *p = word; *p != '\0'; p++) {
        if (!g_ascii_isalnum(*p) && !strchr("._:/@+-", *p))
            *p = '_';
    }
    return word;
}

static char *target_of(const GhHeader *header)
{
    g_autofree char *host = gh_plain_word(header->host, MAX_WORD_BYTES);
    if (!header->repo)
        return g_steal_pointer(&host);
    g_autofree char *repo = gh_plain_word(header->repo, MAX_WORD_BYTES);
    return g_strconcat(host, "/", repo, NULL);
}

char *gh_header_line(const GhHeader *header)
{
    const char *kind = gh_kind_name(header->kind);
    if (!header->host || !header->class_name)
        return g_strdup_printf("[gh - - - %s]", kind);

    g_autofree char *target = target_of(header);
    if (!header->has_run) {
        g_auto(GStrv) words = g_strsplit(header->command != NULL ? header->command : "", " ", 2);
        g_autofree char *word = gh_plain_word(words[0], MAX_WORD_BYTES);
        return g_strdup_printf("[gh %s %s %s %s]", target, word, header->class_name, kind);
    }
    if (gh_kind_is_error(header->kind))
        return g_strdup_printf("[gh %s %s error %s]", target, header->class_name, kind);

    const char *status = header->is_confirmed ? "confirmed" : "ok";
    if (header->kind == GH_KIND_TRUNCATED)
        status = "truncated";
    size_t tenths = (header->captured_bytes * 10 + KIB / 2) / KIB;
    return g_strdup_printf("[gh %s %s %s %zu.%zuKB]", target, header->class_name, status,
                           tenths / 10, tenths % 10);
}

static void append_part(GString *text, const char *part)
{
    if (str_is_empty(part))
        return;
    if (text->len > 0 && text->str[text->len - 1] != '\n')
        g_string_append_c(text, '\n');
    g_string_append(text, part);
}

static bool has_reproduce(GhKind kind)
{
    return kind != GH_KIND_INVALID_ARGS && kind != GH_KIND_REMOTE_CWD &&
           kind != GH_KIND_INVALID_CWD;
}

char *gh_body_text(const GhBody *body)
{
    if (!gh_kind_is_error(body->kind)) {
        if (!str_is_empty(body->output))
            return g_strdup(body->output);
        return g_strdup(str_is_empty(body->error_output) ? "(no output)" : body->error_output);
    }
    GString *text = g_string_new("Error: ");
    g_string_append(text, body->message);
    append_part(text, body->error_output);
    if (!str_is_empty(body->output)) {
        append_part(text, "Output:");
        append_part(text, body->output);
    }
    if (has_reproduce(body->kind))
        append_part(text, body->reproduce);
    return g_string_free(text, false);
}
