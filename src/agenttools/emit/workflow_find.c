/*
 * Where definitions of run workflows are (agent-tools-cli §4.3): the project's files, the user's,
 * the built-ins.
 */
#include "agenttools/emit/workflow.h"

#include "agenttools/answer.h"
#include "base/dirs.h"
#include "base/file.h"
#include "base/str.h"
#include "base/utf8.h"

#define LIMIT_DIRECTORY_ENTRIES 1000

typedef enum { IN_ROOT, IN_PROJECT, IN_USER } PlaceKind;

/* In the order in which they are tried. A file is `<base>/<directory>/NAME<suffix>`. */
static const struct Place {
    PlaceKind base;
    const char *directory, *suffix;
    bool is_markdown;
} places_tried[] = {
    { IN_ROOT, "workflows", ".mmd", false },
    { IN_ROOT, "workflows", ".md", true },
    { IN_ROOT, "skills", "/SKILL.md", true },
    { IN_PROJECT, ".kedge/skills", "/SKILL.md", true },
    { IN_PROJECT, ".claude/skills", "/SKILL.md", true },
    { IN_ROOT, "agents", ".md", true },
    { IN_USER, "workflows", ".mmd", false },
};

static char *directory_of(const struct Place *place, const WorkflowPlaces *places)
{
    g_autofree char *user = dirs_config_root();
    const char *base = place->base == IN_ROOT      ? places->root
                       : place->base == IN_PROJECT ? places->project
                                                   : user;
    return base ? g_build_filename(base, place->directory, NULL) : NULL;
}

/* The diagram in a file; NULL in *ret_diagram when the file or its section is not there. */
static bool read_diagram(const char *path, bool is_markdown, char **ret_diagram,
                         unsigned *ret_first_line, GError **error)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    g_autoptr(GError) cause = NULL;
    *ret_diagram = NULL;
    if (!file_read(path, LIMIT_WORKFLOW_BYTES, &data, &size, &cause)) {
        if (error_is(cause, KEDGE_ERROR_NOT_FOUND))
            return true;
        return pass_error(error, &cause);
    }
    g_autofree char *text = utf8_from_bytes(data, size);
    *ret_first_line = 1;
    *ret_diagram = is_markdown ? workflow_section(text, ret_first_line) : g_steal_pointer(&text);
    return true;
}

static bool find_in(const struct Place *place, const char *name, const WorkflowPlaces *places,
                    Workflow **ret_workflow, GError **error)
{
    *ret_workflow = NULL;
    g_autofree char *directory = directory_of(place, places);
    if (!directory)
        return true;
    g_autofree char *path = g_strconcat(directory, "/", name, place->suffix, NULL);
    g_autofree char *diagram = NULL;
    unsigned first_line = 1;
    if (!read_diagram(path, place->is_markdown, &diagram, &first_line, error))
        return false;
    return diagram == NULL || workflow_parse(name, path, diagram, first_line, ret_workflow, error);
}

bool workflow_find(const char *name, const WorkflowPlaces *places, Workflow **ret_workflow,
                   GError **error)
{
    if (!workflow_name_is_valid(name))
        return answer_error(error, ANSWER_VALIDATION, NULL, "Invalid workflow name: '%s'", name);
    Workflow *found = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(places_tried) && !found; i++)
        if (!find_in(&places_tried[i], name, places, &found, error))
            return false;
    const char *builtin = workflow_builtin(name);
    if (!found && builtin && !workflow_parse(name, "built-in", builtin, 1, &found, error))
        return false;
    *ret_workflow = found;
    return true;
}

// ---- names ----

/* The name of the definition that an entry of the directory is, or NULL. Caller frees. */
static char *name_of_entry(const struct Place *place, const char *directory, const char *entry)
{
    g_autofree char *name = NULL;
    if (place->suffix[0] == '/')
        name = g_strdup(entry);
    else if (g_str_has_suffix(entry, place->suffix))
        name = g_strndup(entry, strlen(entry) - strlen(place->suffix));
    if (!name || !workflow_name_is_valid(name))
        return NULL;
    if (!place->is_markdown)
        return g_steal_pointer(&name);
    g_autofree char *path = g_strconcat(directory, "/", name, place->suffix, NULL);
    g_autofree char *diagram = NULL;
    unsigned line;
    bool is_one = read_diagram(path, true, &diagram, &line, NULL) && diagram != NULL;
    return is_one ? g_steal_pointer(&name) : NULL;
}

char **workflow_names(const WorkflowPlaces *places)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < G_N_ELEMENTS(places_tried); i++) {
        g_autofree char *directory = directory_of(&places_tried[i], places);
        g_autoptr(GDir) dir = directory ? g_dir_open(directory, 0, NULL) : NULL;
        const char *entry;
        for (unsigned n = 0; dir && n < LIMIT_DIRECTORY_ENTRIES && (entry = g_dir_read_name(dir));
             n++) {
            char *name = name_of_entry(&places_tried[i], directory, entry);
            if (name)
                g_ptr_array_add(found, name);
        }
    }
    g_ptr_array_sort(found, str_compare);

    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    for (size_t i = 0; workflow_builtin_name(i); i++)
        g_strv_builder_add(names, workflow_builtin_name(i));
    for (unsigned i = 0; i < found->len; i++) {
        const char *name = g_ptr_array_index(found, i);
        bool is_repeat = i > 0 && strcmp(name, g_ptr_array_index(found, i - 1)) == 0;
        if (!is_repeat && !workflow_builtin(name))
            g_strv_builder_add(names, name);
    }
    return g_strv_builder_end(names);
}

bool workflow_fail_not_found(const char *name, const WorkflowPlaces *places, GError **error)
{
    g_auto(GStrv) names = workflow_names(places);
    g_autofree char *known = g_strjoinv(", ", names);
    return answer_error(error, ANSWER_NOT_FOUND, NULL,
                        "No state machine found for workflow '%s'. Known workflows: %s", name,
                        known);
}
