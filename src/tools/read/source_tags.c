/* See source_tags.h. */
#include "tools/read/source_tags.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/proc.h"

#include <string.h>

enum { TIMEOUT_MS = 2000 };

static const SourceLanguage languages[] = {
    { " c ", "C", "fv", SOURCE_BRACES },
    { " h cc cpp cxx c++ hh hpp hxx h++ cu ino ", "C++", "fv", SOURCE_BRACES },
    { " cs ", "C#", "m", SOURCE_BRACES },
    { " go ", "Go", "f", SOURCE_BRACES },
    { " java ", "Java", "m", SOURCE_BRACES },
    { " js jsx mjs cjs ", "JavaScript", "fgmCGSv", SOURCE_SCRIPT },
    { " ts tsx mts cts ", "TypeScript", "fmCGv", SOURCE_SCRIPT },
    { " lua ", "Lua", "f", SOURCE_END },
    { " pl pm t ", "Perl", "s", SOURCE_BRACES },
    { " php ", "PHP", "f", SOURCE_BRACES },
    { " py pyi ", "Python", "fm", SOURCE_INDENT },
    { " rb rake gemspec ", "Ruby", "fS", SOURCE_END },
    { " rs ", "Rust", "fP", SOURCE_BRACES },
    { " sh bash ksh zsh ", "Sh", "f", SOURCE_BRACES },
};

const SourceLanguage *source_language(const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(languages); i++)
        if (path_has_extension(path, languages[i].extensions))
            return &languages[i];
    return NULL;
}

/* Universal Ctags has this name where another ctags may be installed beside it. Caller frees. */
static char *find_program(void)
{
    char *program = proc_find_program("ctags-universal");
    return program ? program : proc_find_program("ctags");
}

/* A number of lines; 0 for what is none. */
static size_t line_number(const json_t *tag, const char *key)
{
    gint64 value = json_get_int(tag, key, 0);
    return value > 0 && value <= G_MAXINT32 ? (size_t)value : 0;
}

/* One line of output. False: it is not what ctags says when all is well. */
static bool take_line(const char *line, GArray *tags, bool *is_completed)
{
    g_autoptr(json_t) value = NULL;
    if (!json_parse(line, strlen(line), &value, NULL))
        return false;
    const char *type = json_get_text(value, "_type");
    if (g_strcmp0(type, "completed") == 0)
        *is_completed = true;
    if (g_strcmp0(type, "tag") != 0)
        return type && strcmp(type, "error") != 0;
    const SourceTag tag = { line_number(value, "line"), line_number(value, "end") };
    if (tag.line > 0 && tags->len < LIMIT_SUMMARY_LINES)
        g_array_append_val(tags, tag);
    return true;
}

GArray *source_tags_parse(const char *output)
{
    g_auto(GStrv) lines = g_strsplit(output, "\n", -1);
    g_autoptr(GArray) tags = g_array_new(FALSE, FALSE, sizeof(SourceTag));
    bool is_completed = false;
    for (char **line = lines; *line; line++)
        if (**line && !take_line(*line, tags, &is_completed))
            return NULL;
    return is_completed ? g_steal_pointer(&tags) : NULL;
}

GArray *source_tags_read(const SourceLanguage *language, const char *text, Cancel *cancel)
{
    g_autofree char *program = find_program();
    if (!program)
        return NULL;
    g_autofree char *input =
        g_strdup_printf("{\"command\":\"generate-tags\",\"filename\":\"text\",\"size\":%zu}\n%s",
                        strlen(text), text);
    g_autofree char *language_option = g_strconcat("--language-force=", language->name, NULL);
    g_autofree char *kinds_option =
        g_strconcat("--kinds-", language->name, "=", language->kinds, NULL);
    // nothing is read from a directory's .ctags.d, the environment or the home directory
    const char *const argv[] = { program,      "--options=NONE", language_option,
                                 kinds_option, "--fields=ne",    "--_interactive=sandbox",
                                 NULL };
    const ProcSpec spec = {
        .argv = argv,
        .cwd = "/",
        .input = input,
        .profile = PROC_PROFILE_READER,
        .timeout_ms = TIMEOUT_MS,
        .max_output_bytes = LIMIT_SUMMARY_TAGS_BYTES,
        .max_error_bytes = 4 * KIB,
        .keep = PROC_KEEP_HEAD,
        .has_own_stderr = true,
        .stops_when_full = true,
    };
    g_auto(ProcResult) result = { 0 };
    if (!proc_run(&spec, cancel, &result, NULL) || result.exit_status != 0 ||
        result.dropped_bytes > 0)
        return NULL;
    return source_tags_parse(result.output);
}
