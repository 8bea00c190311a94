/* See pr_template.h. */
#include "github/ops/pr_template.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "github/git.h"

#define TEMPLATE_MAX_BYTES (64 * KIB) // GitHub takes no longer body

static bool is_template(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return str_equal_nocase(name, "pull_request_template.md") ||
           str_equal_nocase(name, "pull_request_template.txt");
}

/* The path of the template in one folder ("" is the root); NULL: none there. Caller frees. */
static char *template_in(const char *dir, const char *folder, Cancel *cancel)
{
    const char *const args[] = { "ls-tree", "--full-tree", "HEAD", *folder != '\0' ? folder : NULL,
                                 NULL };
    g_autofree char *output = NULL;
    if (!git_must(dir, args, 0, cancel, &output, NULL))
        return NULL;
    g_auto(GStrv) lines = g_strsplit(output, "\n", -1); // MODE SP TYPE SP ID TAB PATH
    for (char **line = lines; *line; line++) {
        const char *tab = strchr(*line, '\t');
        if (tab && str_has_prefix(*line, "100") && is_template(tab + 1))
            return g_strdup(tab + 1);
    }
    return NULL;
}

char *pr_template_read(const char *dir, Cancel *cancel)
{
    static const char *const folders[] = { ".github/", "", "docs/" };
    g_autofree char *path = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(folders) && !path; i++)
        path = template_in(dir, folders[i], cancel);
    if (!path)
        return NULL;
    g_autofree char *object = g_strconcat("HEAD:", path, NULL);
    const char *const args[] = { "cat-file", "blob", object, NULL };
    g_autofree char *text = NULL;
    if (!git_must(dir, args, 0, cancel, &text, NULL) || utf8_is_blank(text) ||
        strlen(text) > TEMPLATE_MAX_BYTES)
        return NULL;
    return g_steal_pointer(&text);
}
